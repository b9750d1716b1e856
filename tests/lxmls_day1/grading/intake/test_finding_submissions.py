"""A submission that cannot be listed or read is one result and does not affect its neighbours.

The places in which submissions are found are tested in `test_submissions`.
"""

import os
from pathlib import Path, PurePosixPath

import pytest

from lxmls_day1.grading.intake import untrusted_files
from lxmls_day1.grading.intake.finding_submissions import find_submissions
from lxmls_day1.grading.intake.submissions import read_submission
from tests.wording import wording

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
def test_a_submission_that_cannot_be_listed_is_still_found(class_folder, monkeypatch, error, alone):
    paths = [class_folder] if alone else sorted(class_folder.iterdir())
    monkeypatch.setattr(os, "scandir", fails_below("ben", os.scandir, error))
    found = find_submissions(paths)
    assert [one.student for one in found] == list(STUDENTS)
    for one in found:
        if one.student != "ben":
            assert read_submission(one, given=dict.fromkeys(KNOWN, b"")).files == {
                KNOWN[0]: f"name = {one.student!r}".encode()
            }


@pytest.mark.parametrize("error", [OSError(5, "broken"), AttributeError("odd")], ids=lambda error: type(error).__name__)
def test_a_file_of_unknown_type_hides_no_other_student(class_folder, monkeypatch, error):
    monkeypatch.setattr(untrusted_files, "kind_of", fails_below("classifiers", untrusted_files.kind_of, error))
    assert [one.student for one in find_submissions([class_folder])] == list(STUDENTS)


def test_a_submission_with_too_many_files_hides_no_other_student(class_folder, monkeypatch):
    monkeypatch.setattr(untrusted_files, "MAX_LISTED_FILES", 20)
    for number in range(30):
        (class_folder / "ben" / f"{number}.txt").write_text("", encoding="utf-8")
    assert [one.student for one in find_submissions([class_folder])] == list(STUDENTS)


class TestBlackboard:
    """``Day 1_of_3_ada_attempt_2026-11-20-23-59-00_lab.zip``."""

    def found(self, folder, *names):
        for name in names:
            (folder / name).write_bytes(b"content")
        return find_submissions([folder])

    def test_the_newest_attempt_counts_without_its_text_file(self, tmp_path):
        start = "Day 1_of_3_ada_attempt_2026-11-"
        ends = "19-10-00-00_lab.zip", "20-10-00-00_a.py", "20-10-00-00_b_c.py", "20-10-00-00.txt"
        alans = "Day 1_of_3_alan_attempt_2026-11-18-10-00-00_lab.zip"
        one, two = self.found(tmp_path, *(start + end for end in ends), alans)
        assert (one.name, one.ids) == ("ada", ("ada", "3_ada", "of_3_ada")) and two.name == "alan"
        assert one.parts == ((f"{start}20-10-00-00_a.py", "a.py"), (f"{start}20-10-00-00_b_c.py", "b_c.py"))
        assert one.remarks == (wording("grading.day_does_count_newer"),)

    def test_an_attempt_without_a_file_is_ignored(self, tmp_path):
        attempts = (
            "ada_attempt_2026-11-19-10-00-00_lab.zip",
            "ada_attempt_2026-11-20-10-00-00.txt",
            "bob_attempt_2026-11-20-10-00-00.txt",
        )
        (one,) = self.found(tmp_path, *(f"Lab_{name}" for name in attempts))
        assert one.student == "ada" and one.parts[0][1] == "lab.zip"
