"""The points for answers that show no understanding, in each exercise of the reference lab.

The solution of every exercise is wrapped: its return values become zeros, a constant, its first argument, infinities or NaN, each
also with noise below the tolerances, or come from a table of the public checks' inputs.
"""

import ast
import builtins
import functools

import numpy as np
import pytest

from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL
from lxmls_day1.course.diagnosis.expect import WrongAnswer
from lxmls_day1.course.diagnosis.probe_inputs import is_nontrivial
from lxmls_day1.course.markers import find_solutions
from lxmls_day1.course.registry import Registry
from lxmls_day1.grading.gradebook import MIN_SHARES
from lxmls_day1.lab import reference_folder

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

EXERCISES = [exercise for exercise in Registry.from_folder(reference_folder()) if exercise.has_code]
NUMBERS = {"zeros": 0.0, "ones": 1.0, "halves": 0.5, "NaN": np.nan, "infinities": np.inf, "minus infinity": -np.inf}
#: Noise that is added to the n-th entry of an array (n from 0). It is below the tolerances of the checks.
NOISE = {
    "nothing": lambda n: 0.0 * n,
    "1e-9": lambda n: 1e-9 * np.cos(n),
    "the least numbers": lambda n: 5e-324 * n,
    "both ends of the tolerance": lambda n: 0.9 * POOL_ATOL * (-1) ** n,
}
FACTORS = {
    "first argument": 1.0,
    "nearly the first argument": 1 + 0.9 * POOL_RTOL,
    "first argument times NaN": np.nan,
    "first argument times infinity": np.inf,
}

KINDS = [(kind, "nothing") for kind in (*NUMBERS, *FACTORS)]
NOISY = ("zeros", "ones", "first argument")  # In every run each with another noise; a campaign has all pairs.
KINDS += [
    pytest.param(kind, noise, marks=[] if NOISY.index(kind) == n else pytest.mark.campaign)
    for kind in NOISY
    for n, noise in enumerate(list(NOISE)[1:])
]


def alike(answer, number, noise=NOISE["nothing"]):
    """Return an answer of the same shape and type in which every number is `number`, plus noise."""
    if isinstance(answer, (tuple, list)):
        entries = [alike(entry, number, noise) for entry in answer]
        return type(answer)(*entries) if hasattr(answer, "_fields") else type(answer)(entries)
    return np.full_like(answer, number, dtype=float) + noise(np.arange(np.size(answer))).reshape(np.shape(answer))


def key_of(value):
    """Return a key that distinguishes the arguments of different calls."""
    if isinstance(value, (tuple, list)):
        return [key_of(entry) for entry in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    of_an_object = hasattr(value, "__dict__")
    return sorted((name, repr(key_of(entry))) for name, entry in vars(value).items()) if of_an_object else value


def wrapped(source, path):
    """Return the source with a decorator on each function that holds a solution."""
    names = {solution.function.rpartition(".")[2] for solution in find_solutions(source, path)}
    lines = source.split("\n")
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted((node for node in functions if node.name in names), key=lambda node: -node.lineno):
        lines.insert(node.lineno - 1, f"{' ' * node.col_offset}@_worthless")
    return "\n".join(lines)


@pytest.fixture
def outcomes(checked, monkeypatch):
    """Return a function that runs an exercise's checks with replaced return values of its solutions."""

    def ended(exercise, made_of, public):
        def worthless(right):
            @functools.wraps(right)
            def answer(*arguments, **settings):
                key = repr(key_of([right.__name__, arguments, settings]))
                # The arguments of a method, without its object.
                own = arguments[1:] if "." in right.__qualname__ else arguments
                return made_of(right(*arguments, **settings), own, key)

            return answer

        monkeypatch.setattr(builtins, "_worthless", worthless, raising=False)
        lab = checked(exercise)
        files = {name: wrapped(source, name) for name, source in lab.sources.items()}
        found = [outcome for outcome, *_ in lab.ended(files, public=public).values()]
        wrong = [error for error in lab.errors if isinstance(error, WrongAnswer) and error.diagnosis_kind in MIN_SHARES]
        return found + ["has points all the same"] * any(is_nontrivial(error.wrong) for error in wrong)

    return ended


@pytest.mark.one_in(5, by="exercise")
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
class TestWorthlessAnswers:
    @pytest.mark.parametrize(("kind", "noise"), KINDS)
    def test_zeros_constants_and_arguments_bring_nothing(self, outcomes, exercise, kind, noise):
        def made_of(found, arguments, key):
            if kind in NUMBERS:
                return alike(found, NUMBERS[kind], NOISE[noise])
            numbers = np.asarray(arguments[0])
            return FACTORS[kind] * (numbers + alike(numbers, 0.0, NOISE[noise]))

        for public in (True, False):
            ended = outcomes(exercise, made_of, public)
            assert ended and not {"passed", "has points all the same"} & {*ended}

    def test_a_table_of_the_public_checks_brings_their_quarter(self, outcomes, exercise):
        table = set()
        assert set(outcomes(exercise, lambda found, _, key: table.add(key) or found, public=True)) == {"passed"}

        def looked_up(found, _, key):
            return found if key in table else alike(found, 0.0)

        assert set(outcomes(exercise, looked_up, public=True)) == {"passed"}
        assert "passed" not in outcomes(exercise, looked_up, public=False)
