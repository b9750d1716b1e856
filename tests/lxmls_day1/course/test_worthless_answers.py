"""Answers that show no understanding: what they are worth in each exercise of the reference lab.

The solution of every exercise is wrapped: its answers are replaced by zeros, a constant, its first argument or NaN, or are
taken from a table of the public checks' inputs.
"""

import ast
import shutil

import pytest

from lxmls_day1.course.markers import find_solutions
from lxmls_day1.course.registry import FOLDER, Registry, check_files, exercise_of_check
from lxmls_day1.course.snapshot import SnapshotRun, take_snapshot
from lxmls_day1.grading.gradebook import OK, PUBLIC_SHARE, WRONG, CheckGrade, ExerciseGrade
from lxmls_day1.lab import PACKAGES, reference_folder

pytestmark = pytest.mark.slow

EXERCISES = [exercise for exercise in Registry.of(reference_folder()) if exercise.has_code]
SEEDS = (1,)
WRAPPER = """
import functools as _functools
import os as _os

import numpy as _np


def _alike(answer, change):
    if isinstance(answer, (tuple, list)):
        entries = [_alike(entry, change) for entry in answer]
        return type(answer)(*entries) if hasattr(answer, "_fields") else type(answer)(entries)
    return change(answer)


def _key(value):
    if isinstance(value, (tuple, list)):
        return [_key(entry) for entry in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    return sorted((name, repr(_key(entry))) for name, entry in vars(value).items()) if hasattr(value, "__dict__") else value


def _worthless(right):
    @_functools.wraps(right)
    def answer(*arguments, **settings):
        kind, table = {kind!r}, {table!r}
        key = repr(_key([right.__name__, arguments, settings])).replace("\\n", " ") + "\\n"
        found = right(*arguments, **settings)
        if kind == "recorded":
            with open(table, "a", encoding="utf-8") as file:
                file.write(key)
            return found
        if kind == "looked up":
            with open(table, encoding="utf-8") as file:
                if key in set(file):
                    return found
            return _alike(found, _np.zeros_like)
        if kind == "first argument":
            return arguments[{first}]
        return _alike(found, lambda entry: _np.full_like(entry, {number}, dtype=float))

    return answer
"""
KINDS = {"zeros": "0.0", "ones": "1.0", "halves": "0.5", "NaN": "float('nan')", "first argument": "0.0"}


def wrapped(source, path, kind, table):
    """The source with a decorator on each function that holds a solution."""
    solved = {solution.function for solution in find_solutions(source, path)}
    if not solved:
        return source
    lines = source.split("\n")
    tree = ast.parse(source)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            functions |= {
                f"{node.name}.{inner.name}": inner for inner in node.body if isinstance(inner, ast.FunctionDef)
            }
    for name in sorted(solved, key=lambda name: -functions[name].lineno):
        node = functions[name]
        lines.insert(node.lineno - 1, f"{' ' * node.col_offset}@_worthless")
    first = int("." in next(iter(solved)))
    values = {"kind!r": repr(kind), "table!r": repr(str(table)), "first": str(first), "number": KINDS.get(kind, "0.0")}
    head = WRAPPER
    for key, value in values.items():
        head = head.replace(f"{{{key}}}", value)
    docstring_end = tree.body[0].end_lineno
    return "\n".join([*lines[:docstring_end], head, *lines[docstring_end:]]).replace("@compiled\n", "")


def worthless_lab(folder, kind, table, exercises):
    """The reference lab with its solutions wrapped, and the checks of some exercises."""
    for package in PACKAGES:
        shutil.copytree(reference_folder() / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for exercise in EXERCISES:
        for name in exercise.files:
            source = (folder / name).read_text(encoding="utf-8")
            (folder / name).write_text(wrapped(source, name, kind, table), encoding="utf-8")
    files = tuple(file for exercise in exercises for file in check_files(reference_folder() / FOLDER, exercise))
    return SnapshotRun(kind, folder.resolve(), files)


@pytest.fixture(scope="module")
def without_numba():
    """Each lab would have its loops compiled anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        yield


@pytest.fixture(scope="module")
def grades(without_numba, request, tmp_path_factory):
    """Kind of answers -> exercise, of those that this run takes -> one `ExerciseGrade` for each seed."""
    items = [item for item in request.session.items if getattr(item, "module", None) is request.module]
    asked = {item.callspec.params["exercise"].id for item in items}
    exercises = [exercise for exercise in EXERCISES if exercise.id in asked]
    place = tmp_path_factory.mktemp("worthless")
    table = place / "table.txt"
    recorded = worthless_lab(place / "recorded", "recorded", table, exercises)
    take_snapshot([recorded])
    reference = SnapshotRun("reference", reference_folder(), recorded.check_files)
    labs = [worthless_lab(place / kind.replace(" ", "-"), kind, table, exercises) for kind in [*KINDS, "looked up"]]
    found = {}
    for seed in SEEDS:
        outcomes = take_snapshot([reference, *labs], hidden=True, seed=seed)
        right = outcomes.pop("reference")
        for kind, checks in outcomes.items():
            for exercise in exercises:
                graded = tuple(
                    CheckGrade(check, exercise.id, check, went.hidden, OK if is_right(went, right[check]) else WRONG)
                    for check, went in checks.items()
                    if exercise_of_check(check.partition("::")[0]) == exercise.id
                )
                grade = ExerciseGrade(exercise.id, exercise.title, exercise.kind, exercise.points, graded)
                found.setdefault(kind, {}).setdefault(exercise.id, []).append(grade)
    return found


def is_right(went, right):
    """Whether a check would pass: it ended well, and all that it was answered is what the reference answers."""
    if went.outcome != "passed":
        return False
    return all(
        what in went.answers and expected.agrees(went.answers[what], *right.tolerances[what])
        for what, expected in right.answers.items()
    )


@pytest.mark.one_in(5, by="exercise")
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
class TestWorthlessAnswers:
    @pytest.mark.parametrize("kind", KINDS)
    def test_zeros_constants_and_arguments_bring_nothing(self, grades, exercise, kind):
        for grade in grades[kind][exercise.id]:
            assert grade.checks
            assert [check.check for check in grade.checks if check.verdict == OK] == []

    def test_a_table_of_the_public_checks_brings_their_quarter(self, grades, exercise):
        for grade in grades["looked up"][exercise.id]:
            assert [check.check for check in grade.checks if (check.verdict == OK) == check.hidden] == []
            assert grade.points == PUBLIC_SHARE * exercise.points
