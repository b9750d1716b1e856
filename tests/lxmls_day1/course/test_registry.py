import tomllib
from dataclasses import replace

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import Registry, exercise_of_check, parse_registry
from lxmls_day1.lab import reference_folder
from tests.wording import wording

GOOD = """
[[exercise]]
id = "1.9"
title = "One"
kind = "code"
points = 2
files = ["classifiers/one.py"]
notebook = "notebooks/1.ipynb"
task = "Do it."
hints = ["a", "b", " c "]

[[exercise]]
id = "1.10"
title = "Two"
kind = "derivation"
points = 0.5
notebook = "notebooks/1.ipynb"
prerequisites = ["1.9"]
task = "Derive it."
stubs = { "f" = "Another." }
hints = ["a", "b", "c"]
"""


def parsed(text):
    return parse_registry(tomllib.loads(text), "exercises.toml")


def test_exercises_are_read_from_the_registry():
    one, two = parsed(GOOD)
    assert (one.id, one.stem, str(one), one.hints[2]) == ("1.9", "1_09", "Exercise 1.9: One", "c")
    assert (two.stem, two.prerequisites, two.points, two.files) == ("1_10", ("1.9",), 0.5, ())
    assert (two.stub_task("f"), two.stub_task("g"), two.stub_task(None)) == ("Another.", "Derive it.", "Derive it.")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "1.10"', 'id = "1.9"', "exercise 1.9 occurs twice"),
        ('id = "1.9"', 'id = "one"', "id must be a string such as"),
        ('id = "1.9"', "id = 1.9", "id must be"),
        ('kind = "code"', 'kind = "cod"', "kind must be one of code, experiment, derivation, but is 'cod'"),
        ("points = 2", "points = true", "points must be a number"),
        ("points = 2", "points = -1", "points must be a number"),
        ('"classifiers/one.py"', '"../one.py"', "files must be"),
        ('"classifiers/one.py"', '"classifiers\\\\one.py"', "files must be"),
        ('["a", "b", " c "]', '["a", "b"]', r"\(1\.9\): hints must be three strings: idea, equation, code sketch"),
        ('["a", "b", " c "]', '["a", "", "c"]', "hints must be three strings"),
        ('prerequisites = ["1.9"]', 'prerequisites = ["1.11"]', "requires 1.11, which does not come before"),
        ('title = "One"', 'titel = "One"', "unknown key 'titel'; did you mean title"),
        ('title = "One"', "", "title must be a string, but is None"),
        ("[[exercise]]", "colour = 1\n[[exercise]]", "unknown key 'colour'"),
        ("[[exercise]]", 'assigned = ["1.3"]\n[[exercise]]', "assigned names 1.3"),
    ],
)
def test_mistakes_are_named(old, new, message):
    with pytest.raises(InputError, match=message):
        parsed(GOOD.replace(old, new, 1))


def test_exercises_are_chosen_by_id_and_group():
    registry = parsed('assigned = ["1.10"]\n' + GOOD)
    assert [e.id for e in registry.select(None)] == ["1.10"]
    assert [e.id for e in registry.select(["1.10", "1.9"])] == ["1.9", "1.10"]
    with pytest.raises(InputError, match=wording("course.exercise_did_mean")):
        registry.select(["1.1"])


def test_core_and_afternoon_stand_for_their_exercises():
    parts = ["core", "afternoon", "further"]
    one = next(iter(parsed(GOOD)))
    registry = Registry([replace(one, id=f"1.{n}", part=part) for n, part in enumerate(parts, 1)])
    assert [e.id for e in registry.select(["core"])] == ["1.1", "1.2"]
    assert [e.id for e in registry.select(["afternoon", "1.3"])] == ["1.2", "1.3"]
    with pytest.raises(InputError, match=wording("course.exercise_lab_belongs_core")):
        parsed(GOOD).select(["core"])


def test_no_two_exercises_share_a_file():
    """Results of a check are saved for the text of a file, so an edit for one exercise would invalidate another one's results."""
    files = [name for exercise in Registry.from_folder(reference_folder()) for name in exercise.files]
    named = [name for name in files if name.endswith(".py")]
    assert named and len(named) == len(set(named))


def test_an_exercise_is_found_by_the_id_that_it_had():
    registry = parsed(GOOD.replace('id = "1.9"', 'id = "1.9"\nformerly = ["1.9a"]'))
    with pytest.warns(UserWarning, match=wording("course.exercise_now_called")):
        assert registry["1.9a"].id == "1.9"
    with pytest.warns(UserWarning, match=wording("course.exercise_now_called")):
        assert [e.id for e in registry.select(["1.9a"])] == ["1.9"]


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "exercises.toml"
    with pytest.raises(InputError, match=wording("course.this_lab_has_no")):
        Registry.read(path)
    for content in (b"id =", b"\xff"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=wording("course.this_is_not_toml")):
            Registry.read(path)


def test_a_letter_marks_a_step_on_the_way():
    """The files of 1.4b are not the files of 1.4, and their names sort like the exercises."""
    ids = ["1.4", "1.4a", "1.4b", "1.5", "1.10"]
    one = next(iter(parsed(GOOD)))
    exercises = [replace(one, id=id) for id in ids]
    names = [f"test_{exercise.stem}_x.py" for exercise in exercises]
    assert names == sorted(names) and [exercise_of_check(name) for name in names] == ids
    registry = Registry(exercises)
    assert registry.parse_ids(" 1.4a ") == ["1.4a"] and registry.parse_ids([1.4, "1.4b"]) == ["1.4", "1.4b"]
