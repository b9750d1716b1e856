"""The bank of right solutions is what it says: enough of them, all different, none the reference's. The grader marks them
elsewhere."""

import ast
import itertools
from pathlib import PurePosixPath

import pytest

from lxmls_day1.course.generation import student_files
from lxmls_day1.course.markers import stubs_left, without_markers
from lxmls_day1.course.registry import FILE, Registry
from lxmls_day1.lab import reference_folder

LEAST_VARIANTS = 8
CODE_EXERCISES = [exercise for exercise in Registry.read(reference_folder() / FILE) if exercise.has_code]


@pytest.fixture(scope="module")
def given():
    return student_files(reference_folder())


@pytest.fixture(params=CODE_EXERCISES, ids=lambda exercise: exercise.id)
def exercise(request):
    return request.param


@pytest.fixture
def variants(exercise, right_variants):
    return [variant for variant in right_variants if variant.exercise == exercise]


def shape(variant):
    """Which four kinds of syntax follow one another in a solution: names, numbers, comments and layout play no part."""
    texts = variant.solution.values() if isinstance(variant.solution, dict) else [variant.solution]
    lines = [f"    {line}" for text in texts for line in text.split("\n")]
    tree = ast.parse("\n".join(["def solution():", *lines]))
    kinds = [type(node).__name__ + getattr(node, "attr", "") for node in ast.walk(tree)]
    return set(zip(*(kinds[i:] for i in range(4)), strict=False))


def test_there_are_enough_with_names_of_their_own(variants):
    assert len({variant.name for variant in variants}) == len(variants) >= LEAST_VARIANTS


def test_no_two_are_much_alike(variants):
    shapes = {variant: shape(variant) for variant in variants}
    for one, other in itertools.combinations(variants, 2):
        shared = len(shapes[one] & shapes[other]) / len(shapes[one] | shapes[other])
        assert shared < 0.5, f"{one} and {other}"


@pytest.mark.slow
def test_every_file_is_python_with_that_exercise_solved(variants, exercise, given):
    (path,) = map(PurePosixPath, exercise.files)
    reference = without_markers((reference_folder() / path).read_text(encoding="utf-8").replace("\r\n", "\n"))
    for variant in variants:
        files = variant.lab_files(given)
        assert files.keys() == given.keys() | set(map(PurePosixPath, variant.files))
        changed = {name for name in files if files[name] != given.get(name)}
        assert changed == {path, *map(PurePosixPath, variant.files)}, variant
        for name in changed:
            compile(files[name], str(name), "exec")  # reads byte order marks and line ends as an import does
        assert files[path].startswith(b"\xef\xbb\xbf") == variant.bom
        assert (files[path].count(b"\r\n") == files[path].count(b"\n")) == variant.crlf
        text = files[path].decode("utf-8-sig").replace("\r\n", "\n")
        assert not stubs_left(text), variant
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(reference)), variant


def test_windows_line_ends_and_byte_order_marks_are_among_them(variants):
    assert any(variant.crlf for variant in variants) and any(variant.bom for variant in variants)


def test_kinds_of_students_in_every_exercise(variants):
    """Each exercise is also solved through scipy, in single precision, with warnings and prints, with a file of its own."""
    texts = [str((variant.solution, variant.above, variant.files)) for variant in variants]
    for marks in [("scipy", "sp."), ("float32",), ("print(",), ("sys.stderr",), ("warnings.warn",)]:
        assert any(mark in text for mark in marks for text in texts), marks
    assert any(variant.files for variant in variants)
