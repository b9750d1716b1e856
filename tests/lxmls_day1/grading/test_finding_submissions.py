"""One submission that cannot be listed or read is one row, and none of its neighbours' business.

What is found where is tested in `test_submissions`.
"""

import os
from pathlib import Path, PurePosixPath

import pytest

from lxmls_day1.grading import finding_submissions
from lxmls_day1.grading.finding_submissions import find_submissions, slug_of
from lxmls_day1.grading.submissions import read_submission

STUDENTS = ("ada", "ben", "eve")
KNOWN = [PurePosixPath("classifiers/mira.py")]


@pytest.fixture
def class_folder(tmp_path):
    for name in STUDENTS:
        folder = tmp_path / "class" / name / "classifiers"
        folder.mkdir(parents=True)
        (folder / "mira.py").write_text(f"name = {name!r}", encoding="utf-8")
    return tmp_path / "class"


def fails_below(name, function, error):
    def failing(path, *arguments):
        if name in Path(getattr(path, "path", path)).parts:
            raise error
        return function(path, *arguments)

    return failing


@pytest.mark.parametrize("alone", [True, False], ids=["a class", "each by itself"])
@pytest.mark.parametrize(
    "error",
    [PermissionError(13, "no"), OSError(5, "broken"), TypeError("odd"), MemoryError(), RecursionError(), KeyError("x")],
    ids=lambda error: type(error).__name__,
)
def test_one_that_cannot_be_listed_is_one_of_those_found(class_folder, monkeypatch, error, alone):
    paths = [class_folder] if alone else sorted(class_folder.iterdir())
    monkeypatch.setattr(os, "scandir", fails_below("ben", os.scandir, error))
    found = find_submissions(paths)
    assert [one.student for one in found] == list(STUDENTS)
    for one in found:
        if one.student != "ben":
            assert read_submission(one, KNOWN).files == {KNOWN[0]: f"name = {one.student!r}".encode()}


@pytest.mark.parametrize("error", [OSError(5, "broken"), AttributeError("odd")], ids=lambda error: type(error).__name__)
def test_one_file_whose_kind_cannot_be_told_hides_no_other_student(class_folder, monkeypatch, error):
    monkeypatch.setattr(finding_submissions, "kind_of", fails_below("classifiers", finding_submissions.kind_of, error))
    assert [one.student for one in find_submissions([class_folder])] == list(STUDENTS)


def test_one_that_holds_too_many_files_hides_no_other_student(class_folder, monkeypatch):
    monkeypatch.setattr(finding_submissions, "MOST_LISTED", 20)
    for number in range(30):
        (class_folder / "ben" / f"{number}.txt").write_text("", encoding="utf-8")
    assert [one.student for one in find_submissions([class_folder])] == list(STUDENTS)


@pytest.mark.parametrize("character", ["a", "é", "好", "𠀀", "𝟙"])
def test_a_slug_is_short_enough_for_a_file_name(character):
    slug = slug_of(character * 300)
    assert 30 < len(slug.encode()) <= 150
    assert slug == slug_of(slug)
