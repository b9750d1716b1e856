"""Answers that show no understanding: what they are worth in each exercise of the reference lab.

The solution of every exercise is wrapped: its answers are replaced by zeros, a constant, its first argument or NaN, or are
taken from a table of the public checks' inputs.
"""

import ast
import builtins
import functools

import numpy as np
import pytest

from lxmls_day1.course.markers import find_solutions
from lxmls_day1.course.registry import Registry
from lxmls_day1.lab import reference_folder

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

EXERCISES = [exercise for exercise in Registry.of(reference_folder()) if exercise.has_code]
NUMBERS = {"zeros": 0.0, "ones": 1.0, "halves": 0.5, "NaN": np.nan}


def alike(answer, number):
    """An answer of the same form that is one number all over."""
    if isinstance(answer, (tuple, list)):
        entries = [alike(entry, number) for entry in answer]
        return type(answer)(*entries) if hasattr(answer, "_fields") else type(answer)(entries)
    return np.full_like(answer, number, dtype=float)


def key_of(value):
    """What tells the arguments of one call from those of another."""
    if isinstance(value, (tuple, list)):
        return [key_of(entry) for entry in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    of_an_object = hasattr(value, "__dict__")
    return sorted((name, repr(key_of(entry))) for name, entry in vars(value).items()) if of_an_object else value


def wrapped(source, path):
    """The source with a decorator on each function that holds a solution."""
    names = {solution.function.rpartition(".")[2] for solution in find_solutions(source, path)}
    lines = source.split("\n")
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted((node for node in functions if node.name in names), key=lambda node: -node.lineno):
        lines.insert(node.lineno - 1, f"{' ' * node.col_offset}@_worthless")
    return "\n".join(lines)


@pytest.fixture
def outcomes(checked, monkeypatch):
    """How the checks of an exercise end where something is made of what its solutions return."""

    def ended(exercise, made_of, public):
        def worthless(right):
            @functools.wraps(right)
            def answer(*arguments, **settings):
                key = repr(key_of([right.__name__, arguments, settings]))
                own = arguments[1:] if "." in right.__qualname__ else arguments  # a method's without its object
                return made_of(right(*arguments, **settings), own, key)

            return answer

        monkeypatch.setattr(builtins, "_worthless", worthless, raising=False)
        lab = checked(exercise)
        files = {name: wrapped(source, name) for name, source in lab.sources.items()}
        return [outcome for outcome, *_ in lab.ended(files, public=public).values()]

    return ended


@pytest.mark.one_in(5, by="exercise")
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
class TestWorthlessAnswers:
    @pytest.mark.parametrize("kind", [*NUMBERS, "first argument"])
    def test_zeros_constants_and_arguments_bring_nothing(self, outcomes, exercise, kind):
        def made_of(found, arguments, key):
            return alike(found, NUMBERS[kind]) if kind in NUMBERS else arguments[0]

        for public in (True, False):
            ended = outcomes(exercise, made_of, public)
            assert ended and "passed" not in ended

    def test_a_table_of_the_public_checks_brings_their_quarter(self, outcomes, exercise):
        table = set()
        assert set(outcomes(exercise, lambda found, _, key: table.add(key) or found, public=True)) == {"passed"}

        def looked_up(found, _, key):
            return found if key in table else alike(found, 0.0)

        assert set(outcomes(exercise, looked_up, public=True)) == {"passed"}
        assert "passed" not in outcomes(exercise, looked_up, public=False)
