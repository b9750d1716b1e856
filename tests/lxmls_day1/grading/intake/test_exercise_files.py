"""A correct solution counts under any name that students, browsers and platforms give it; ambiguous files never count."""

import itertools
from pathlib import PurePosixPath

import pytest

from lxmls_day1.course.registry import Exercise
from lxmls_day1.grading.intake.finding_submissions import find_submissions
from lxmls_day1.grading.intake.submissions import read_submission
from lxmls_day1.grading.running.box_contents import box_files
from lxmls_day1.grading.running.one_submission import not_handed_in
from tests.lxmls_day1.grading.test_hostile_names import PLATFORMS, download

RULE, NOTEBOOK = PurePosixPath("classifiers/perceptron.py"), PurePosixPath("notebooks/2_online.ipynb")
CELLS = ", ".join(f'{{"id": "cell-{n}", "source": "{{}}"}}' for n in range(4))
GIVEN = {
    RULE: b"def perceptron_rule(scores):\n    raise NotImplementedError('Exercise 1.4: a rule')\n",
    PurePosixPath("classifiers/structured/structured_perceptron.py"): b"def perceptron_rule(scores):\n    return 0\n",
    PurePosixPath("classifiers/__init__.py"): b"",
    PurePosixPath("readers/vocabulary.py"): b"",
    NOTEBOOK: f'{{"cells": [{CELLS}]}}'.encode(),
}
RIGHT = {
    RULE: b"import numpy as np\r\n\r\ndef perceptron_rule(scores):\r\n    return np.sign(scores)\r\n",
    NOTEBOOK: GIVEN[NOTEBOOK].replace(b"{}", b"mine"),
}
EXERCISES = [Exercise("1.4", "Title", "code", 1, (str(RULE),), str(NOTEBOOK), "Task", ("a", "b", "c"))]

MARKS = [
    *("{} (1)", "{}(2)", "{}-1", "{}-Copy1", "{} copy", "{} - Copy", "{} - Copy (2)", "Copy of {}", "copy_{}", "Kopie von {}"),
    *("{}_final", "{}_FINAL_v2", "{}2", "{} final final", "my_{}", "{}_JSmith", "JSmith_{}", "smith-john-{}", "{}_Müller"),
    *("山田_{}", "{}.Zoë", "12345_{}", "{}_67890", "1_12345_{}", "solution {}", "{}-fixed", "day1.{}", "\u202e{}"),
]  # fmt: skip
NAMES = {
    path: [
        *(mark.format(path.stem) + path.suffix for mark in MARKS),
        *(path.stem.capitalize() + path.suffix, path.name.upper(), path.stem + path.suffix.upper(), path.name.title()),
        *(f"{path.name}.{suffix}" for suffix in ("txt", "html", "json", "bak", path.suffix[1:], "TXT", "txt.txt")),
        *(f"{path.stem} (1){path.suffix}.txt", f"{path.name} (1)", f"code/{path.name}", f"Classifiers (1)/{path.name}"),
    ]
    for path in RIGHT
}
OTHERS = ["bob", "carl", "dora"]
HERE = ["Canvas", "Moodle", "Moodle, flat", "Blackboard", "folders"]


def read(tmp_path, platform, *names, path=RULE):
    """Return Ada's submission as it is read; the other students' work under its own name must be read unchanged."""
    given_name = PLATFORMS[platform]
    files = {given_name("ada", 101, name): content for name, content in dict(names).items()}
    files |= {given_name(name, 102 + n, path.name): name.encode() for n, name in enumerate(OTHERS)}
    found = find_submissions([download(tmp_path / "all.zip", files)])
    submissions = {one.student.partition("_")[0]: read_submission(one, given=GIVEN) for one in found}
    assert {name: submissions.pop(name).files for name in OTHERS} == {name: {path: name.encode()} for name in OTHERS}
    (ada,) = submissions.values()
    return ada


def has(platform, name):
    """Return True if the platform can deliver a file of this name (most platforms have no folders)."""
    return not ("/" in name and platform in ("Canvas", "Moodle, flat", "Blackboard"))


@pytest.mark.parametrize(
    ("platform", "path", "name"),
    [(p, path, name) for p in HERE for path in NAMES for name in NAMES[path] if has(p, name)],
)
def test_a_right_answer_counts_under_any_name(tmp_path, platform, path, name):
    ada = read(tmp_path, platform, (name, RIGHT[path]), path=path)
    assert (ada.problem, ada.files) == ("", {path: RIGHT[path]})
    assert any("taken as" in warning and str(path) in warning for warning in ada.warnings)
    assert path != RULE or not not_handed_in(ada, EXERCISES)


@pytest.mark.parametrize("platform", ["Moodle", "folders"])
@pytest.mark.parametrize(("one", "other"), [*itertools.combinations(NAMES[RULE][::7], 2)])
def test_if_two_files_match_neither_is_used_and_both_are_named(tmp_path, platform, one, other):
    ada = read(tmp_path, platform, (one, RIGHT[RULE]), (other, RIGHT[RULE]), ("notes.txt", b""))
    said = " ".join([ada.problem, *ada.warnings])
    assert RULE not in ada.files and all(PurePosixPath(name).name in said for name in (one, other))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("perceptron_final.py", b"x = 1"),
        ("perceptron_final.py", b"class perceptron_rule: pass"),
        ("perceptron.py.html", b"<pre>\ndef perceptron_rule(s): 1"),
        ("perceptron.pdf", RIGHT[RULE]),
        ("perceptron.docx", RIGHT[RULE]),
        ("multilayer.py", RIGHT[RULE]),
        ("myperceptrons.py", RIGHT[RULE]),
        ("tests/test_perceptron.py", RIGHT[RULE]),
        ("structured_perceptron.py", RIGHT[RULE]),
        ("structured_perceptron (1).py", RIGHT[RULE]),
        ("2_online (1).ipynb", RIGHT[RULE]),
    ],
)
def test_files_that_do_not_match_are_not_used(tmp_path, name, content):
    ada = read(tmp_path, "folders", ("classifiers/mine.py", b""), (name, content))
    assert RULE not in ada.files and not ada.problem
    (text,) = not_handed_in(ada, EXERCISES).values()
    looks = name.startswith(("perceptron_", "perceptron.py"))
    assert text == f"not handed in: {RULE}" + f"; {name} looks like it" * looks
    _, warnings = box_files(ada, GIVEN, EXERCISES)
    assert f"Not handed in: {RULE}." in warnings


def test_the_exact_path_comes_first(tmp_path):
    other = RIGHT[RULE] + b"# an older one"
    names = ["perceptron (1).py", "classifiers/perceptron-Copy1.py", "old/perceptron.py", "classifiers/Perceptron.py"]
    ada = read(tmp_path, "folders", (str(RULE), RIGHT[RULE]), *((name, other) for name in names))
    assert ada.files == {RULE: RIGHT[RULE]} and all(name in " ".join(ada.warnings) for name in names)


def test_only_files_that_the_graded_exercises_need_are_named(tmp_path):
    more = Exercise("1.5", "Title", "code", 1, ("readers/vocabulary.py",), str(NOTEBOOK), "Task", ("a", "b", "c"))
    ada = read(tmp_path, "folders", ("classifiers/mine.py", b""))
    for graded, missing in ((EXERCISES, f"{RULE}"), ([more], "readers/vocabulary.py"), ([], "")):
        _, warnings = box_files(ada, GIVEN, [*EXERCISES, more], graded)
        assert [w for w in warnings if "Not handed in" in w] == [f"Not handed in: {missing}."] * bool(missing)
