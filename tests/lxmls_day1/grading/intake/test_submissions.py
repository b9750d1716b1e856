import hashlib
import io
import json
import os
import stat
import struct
import sys
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.explanations import FILE as EXPLANATIONS
from lxmls_day1.course.explanations import unpack_explanations
from lxmls_day1.course.registry import Exercise
from lxmls_day1.course.workspace_state import Explanation, WorkspaceState
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.course.workspaces.packed_work import SubmissionFiles, pack_submission
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.grading.gradebook import Gradebook
from lxmls_day1.grading.intake import submissions, untrusted_files
from lxmls_day1.grading.intake.finding_submissions import find_submissions, unread_files
from lxmls_day1.grading.intake.submissions import Submission, read_submission
from lxmls_day1.grading.reports.class_page import summary_html
from lxmls_day1.grading.running.box_contents import box_files
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.peak_memory import peak_of
from tests.lxmls_day1.zip_files import link, make_zip, write_zip
from tests.wording import wording


def by_path(files):
    return {PurePosixPath(name): content for name, content in files.items()}


EMPTY = ("classifiers/__init__.py", "notebooks/conftest.py", "notebooks/README.md", "readers/__init__.py")
GIVEN = by_path(
    {
        "classifiers/linear_classifier.py": b"class LinearClassifier:\n    pass\n",
        "classifiers/mira.py": b"def mira_rule():\n    raise NotImplementedError('Exercise 1.5: a rule')\n",
        "classifiers/structured/structured_mira.py": b"pass\n",
        "classifiers/svm.py": b"raise NotImplementedError\n",
        "notebooks/1_generative.ipynb": b"{}",
        **dict.fromkeys((*EMPTY, "readers/vocabulary.py", "tests/exercises/exercises.toml"), b""),
    }
)
EXERCISES = [
    Exercise(id, "Title", "code", 1, (file,), "notebooks/1_generative.ipynb", "Task", ("a", "b", "c"))
    for id, file in {"1.5": "classifiers/mira.py", "1.7": "classifiers/svm.py"}.items()
]
MIRA = "classifiers/mira.py"
RULE = b"def mira_rule():\n    return 1\n"
LAB = {MIRA: b"mira = 1\n", "classifiers/__init__.py": b"", "readers/__init__.py": b""}
RIGHT = {**LAB, MIRA: RULE}
WITH_SVM = {**LAB, "classifiers/svm.py": b"2"}


def write(folder, files):
    write_files(folder, files)
    return folder


def within(prefix, files):
    return {f"{prefix}/{name}": content for name, content in files.items()}


def read_found(found, **limits):
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            patch.setattr(submissions, f"MAX_{name.upper()}", limit)
        return read_submission(found, given=GIVEN)


def read(path, **limits):
    (found,) = find_submissions([path])
    return read_found(found, **limits)


def read_zip(tmp_path, content, **limits):
    return read(write_zip(tmp_path / "ada.zip", content), **limits)


def submitted(folder, author):
    """Return the zip file that the submit command makes of the lab."""
    name, content = pack_submission(folder, SubmissionFiles(by_path(LAB), (), ()), author)
    (folder / name).write_bytes(content)
    return folder / name


def read_among_others(tmp_path, files, **limits):
    """Return a submission of a folder of two, so that its folders and zip files are not taken for other students'."""
    write(tmp_path / "all", {"ada.zip": make_zip(files), "bob.zip": make_zip(LAB)})
    return read_found(find_submissions([tmp_path / "all"])[0], **limits)


def texts(submission):
    assert submission.problem == ""
    return {str(path): content for path, content in submission.files.items()}


def holds(submission, files, *warnings):
    """Check which files are read, and all warnings about them."""
    assert (texts(submission), submission.warnings) == (files, warnings)
    return True


def students(found):
    return {entry.student: entry.name for entry in found}


def read_each(found):
    return {entry.student: read_submission(entry, given=GIVEN) for entry in found}


class TestOneSubmission:
    @pytest.mark.parametrize("wrapper", ["", "ada/", "a/b/c/", "ä ö/"])
    def test_a_zip_with_or_without_folders_around_the_lab(self, tmp_path, wrapper):
        submission = read_zip(tmp_path, {wrapper + name: content for name, content in LAB.items()})
        assert texts(submission) == LAB
        assert (submission.student, submission.name, submission.warnings) == ("ada", "ada", ())

    def test_the_zip_file_of_the_submit_command(self, tmp_path):
        path = submitted(tmp_path, "Ada Lovelace")
        submission = read(path)
        assert texts(submission) == LAB
        assert (submission.student, submission.name, submission.author) == ("ada-lovelace", *["Ada Lovelace"] * 2)
        assert submission.receipt == hashlib.sha256(path.read_bytes()).hexdigest()

    def test_explanations_are_read(self, tmp_path):
        state = WorkspaceState(tmp_path, explanations=[Explanation("1.5", "half", "Why 2?", "d = 1", "Two blocks.")])
        state.save()
        submission = read(submitted(tmp_path, "Ada"))
        assert unpack_explanations(submission.files[EXPLANATIONS], ["1.5"]) == tuple(state.explanations)
        assert submission.warnings == () and submission.digest != read_zip(tmp_path, LAB).digest

    def test_explanations_that_are_too_large_are_skipped(self, tmp_path):
        long = b"".join(hashlib.sha256(bytes([n % 256, n // 256])).hexdigest().encode() for n in range(20_000))
        submission = read_zip(tmp_path, {**LAB, "explanations.json": long})
        assert holds(submission, LAB, wording("grading.too_large_more_mb", "explanations.json", "1"))
        # A folder that the lab does not use.
        assert texts(read_zip(tmp_path, {**LAB, "notebooks/explanations.json": b"{}"})) == LAB

    def test_a_manifest_with_another_students_name_changes_nothing(self, tmp_path):
        manifest = json.dumps({"name": "Charles Babbage"}).encode()
        for content in (manifest, b"[" * 100_000, b"\xff", b'{"name": 3}', b"3"):
            assert read_zip(tmp_path, {**LAB, "submission.json": content}).name == "ada"

    @pytest.mark.parametrize("partners", [["Bob"], "Bob", None, [3, ["x"]], {"Bob": 1}, ["\u202eBob\n", "Eve" * 1000]])
    def test_partners_of_an_earlier_version_cause_a_warning(self, tmp_path, partners):
        manifest = json.dumps({"name": "Ada", "with": partners}).encode()
        submission = read_zip(tmp_path, {**LAB, "submission.json": manifest})
        assert submission.author == "Ada" and texts(submission) == LAB
        named = isinstance(partners, list) and "Bob" in str(partners)
        assert len(submission.warnings) == named
        if named:
            assert "Bob" in submission.warnings[0] and "roster" in submission.warnings[0]
            assert len(submission.warnings[0]) < 300 and submission.warnings[0].isprintable()

    def test_a_folder_and_its_zip_are_the_same_submission(self, tmp_path):
        of_folder = read(write(tmp_path / "ada", LAB))
        of_zip = read_zip(tmp_path, LAB)
        assert texts(of_folder) == texts(of_zip) == LAB
        assert of_folder.digest == of_zip.digest

    def test_the_digest_is_that_of_sorted_paths_and_contents(self, tmp_path):
        submission = read_zip(tmp_path, LAB)
        expected = hashlib.sha256()
        for name in sorted(LAB):
            for part in (name.encode(), LAB[name]):
                expected.update(struct.pack(">Q", len(part)) + part)
        assert submission.digest == expected.hexdigest()
        assert read_zip(tmp_path, {**LAB, MIRA: b"mira = 2\n"}).digest != submission.digest

    def test_files_outside_the_lab_are_not_read(self, tmp_path):
        others = {
            "README.md": b"x",
            "data/reviews.csv": b"\0" * 3_000_000,  # In other places this would be refused as a zip bomb.
            "tests/classifiers/test_mira.py": b"",
            ".venv/lib/python3.12/site-packages/lxmls_day1/reference_lab/classifiers/mira.py": b"not theirs",
            ".lab-backups/0001-solve-1.5/classifiers/mira.py": b"old",
            "__MACOSX/classifiers/._mira.py": b"\0",
            "classifiers/__pycache__/mira.cpython-312.pyc": b"\0",
            "classifiers/.DS_Store": b"\0",
            "Icon\r": b"",
            "submission-ada.zip": make_zip({MIRA: b"older"}),
        }
        assert holds(read_zip(tmp_path, {**LAB, **others}), LAB)

    def test_a_code_folder_beside_the_lab_is_not_read(self, tmp_path):
        assert holds(read_zip(tmp_path, {**LAB, "lxmls_day1/base/checks.py": b"", "lxmls_day1/a/b.py": b""}), LAB)

    def test_files_that_the_student_added_are_read(self, tmp_path):
        own = {"classifiers/tools/fast.py": b"1", "classifiers/table.csv": b"2", "mine.py": b"3"}
        assert texts(read_zip(tmp_path, {**LAB, **own})) == LAB | own

    def test_other_spellings_of_folders(self, tmp_path):
        files = {"Lab\\Classifiers\\mira.py": b"mira = 1\n", "Lab\\.\\Readers\\vocabulary.py": b"2"}
        kept = {MIRA: b"mira = 1\n", "readers/vocabulary.py": b"2"}
        assert holds(read_zip(tmp_path, files), kept, wording("grading.backslashes", r"Lab\Classifiers\mira.py"))

    @pytest.mark.skipif(sys.platform == "win32", reason="a name with a backslash cannot exist")
    def test_names_with_backslashes_on_the_disk(self, tmp_path):
        slashed = {name.replace("/", "\\"): content for name, content in LAB.items()}
        odd = {"..\\evil.py": b"1", "c:\\evil.py": b"1", "\\": b"", "readers\\": b""}
        write(tmp_path / "all", within("ada/Lab", {**slashed, **odd, MIRA: LAB[MIRA]}) | within("bob", slashed))
        ada, bob = (read_submission(found, given=GIVEN) for found in find_submissions([tmp_path / "all"]))
        assert texts(ada) == LAB
        assert holds(bob, LAB, wording("grading.backslashes", r"classifiers\__init__.py"))

    def test_utf8_names_without_the_utf8_flag_are_read(self, tmp_path):
        raw = make_zip({"classifiers/gr____e.py": b"1", **LAB})
        raw = raw.replace(b"gr____e", "größe".encode())  # The flag of UTF-8 is not set.
        assert "classifiers/größe.py" in texts(read_zip(tmp_path, raw))

    def test_bytes_are_not_changed(self, tmp_path):
        files = {MIRA: b"\xef\xbb\xbfx = 1\r\n", "classifiers/svm.py": b"# caf\xe9\n"}
        assert texts(read_zip(tmp_path, files)) == files

    def test_of_two_labs_the_more_complete_one_counts(self, tmp_path):
        files = {**within("old", {MIRA: b"old"}), **within("new", WITH_SVM)}
        assert holds(read_among_others(tmp_path, files), WITH_SVM, wording("grading.ignored_lab_new_counts"))

    @pytest.mark.parametrize(
        ("files", "ignored"),
        [
            ({"lab.zip": make_zip(LAB), "lab_final.zip": make_zip(RIGHT)}, "lab_final.zip/classifiers/mira.py"),
            ({**within("lab", LAB), **within("lab2", RIGHT)}, "lab2/classifiers/mira.py"),
            ({"lab.zip": make_zip(LAB), "mira.py": RULE}, "mira.py"),
            ({**LAB, "mira.py": RULE}, "mira.py"),
        ],
    )
    def test_another_version_of_an_answer_causes_a_note(self, tmp_path, files, ignored):
        submission = read_among_others(tmp_path, files)
        assert texts(submission) == LAB and submission.notes == submission.warnings
        (note,) = submission.notes
        assert note.startswith(f"{ignored} was ignored") and note.endswith(wording("grading.answers_differ"))

    @pytest.mark.parametrize(
        "same", [RIGHT, {**LAB, MIRA: RULE.replace(b"\n", b" \r\n")}, {**LAB, MIRA: GIVEN[PurePosixPath(MIRA)]}]
    )
    def test_an_equal_version_or_an_untouched_lab_causes_only_a_warning(self, tmp_path, same):
        submission = read_among_others(tmp_path, {"lab.zip": make_zip(RIGHT), "old.zip": make_zip(same)})
        assert texts(submission) == RIGHT and not submission.notes and len(submission.warnings) == 1


@pytest.mark.slow
def test_loose_files_find_their_places_among_the_files_students_receive(tmp_path):
    write(tmp_path / "ada", {"mira.py": b"1", "2_online.ipynb": b"2"})
    (found,) = find_submissions([tmp_path / "ada"])
    given = student_files(reference_folder())
    assert texts(read_submission(found, given=given)) == {MIRA: b"1", "notebooks/2_online.ipynb": b"2"}


class TestLooseFiles:
    TAKEN = wording("grading.outside_folders_lab_taken", "svm.py", "classifiers/svm.py")

    def test_loose_files_move_to_their_place_in_the_lab(self, tmp_path):
        submission = read_zip(tmp_path, {"ada/mira.py": b"1", "ada/1_generative.ipynb": b"2", "ada/mine.py": b"3"})
        assert texts(submission) == {MIRA: b"1", "notebooks/1_generative.ipynb": b"2", "classifiers/mine.py": b"3"} or (
            texts(submission) == {MIRA: b"1", "notebooks/1_generative.ipynb": b"2", "notebooks/mine.py": b"3"}
        )
        assert wording("grading.outside_folders_lab_taken", "ada/mira.py", "classifiers/mira.py") in submission.warnings

    @pytest.mark.parametrize("name", ["mira.py", "mira (1).py", "Mira.PY", "mira.py.txt"])
    def test_a_single_file(self, tmp_path, name):
        write(tmp_path, {name: RULE})
        assert texts(read(tmp_path / name)) == {MIRA: RULE}

    def test_loose_files_beside_a_lab_fill_only_gaps(self, tmp_path):
        submission = read_zip(tmp_path, {**LAB, "svm.py": b"2", "mira.py": b"other"})
        assert holds(submission, WITH_SVM, self.TAKEN, wording("grading.was_ignored_because_is"))

    def test_loose_files_above_a_lab_fill_only_gaps(self, tmp_path):
        files = {**within("lab", LAB), "svm.py": b"2", "mira.py": b"2", "a/mira.py": b"2"}
        submission = read_among_others(tmp_path, files)
        assert holds(submission, WITH_SVM, self.TAKEN, wording("grading.ignored_lab_lab_counts"))

    @pytest.mark.parametrize("copy", ["mira (1).py", "mira(2).py", "mira_final.py"])
    def test_a_copy_counts_if_there_is_nothing_else(self, tmp_path, copy):
        taken = f"{copy} is not the name that was expected; it is taken as {MIRA}."
        assert holds(read_zip(tmp_path, {copy: RULE}), {MIRA: RULE}, taken)
        submission = read_zip(tmp_path, {"readers/vocabulary.py": b"", f"classifiers/{copy}": RULE})
        assert texts(submission)[MIRA] == RULE and submission.warnings == (f"classifiers/{taken}",)

    def test_a_copy_beside_the_original_is_ignored(self, tmp_path):
        submission = read_zip(tmp_path, {**LAB, "classifiers/mira (1).py": RULE})
        assert holds(
            submission, LAB, wording("grading.was_ignored_because_is_there") + wording("grading.answers_differ")
        )
        mine = {**LAB, "classifiers/my_mira.py": RULE}  # Other files may import this module.
        assert holds(read_zip(tmp_path, mine), mine)

    def test_if_there_are_two_copies_neither_is_used(self, tmp_path):
        copies = {"classifiers/mira (1).py": RULE, "classifiers/mira (2).py": RULE}
        submission = read_zip(tmp_path, {**copies, "classifiers/svm.py": b"3"})
        assert texts(submission) == {"classifiers/svm.py": b"3"}
        (warning,) = submission.warnings
        assert wording("grading.it_is_not_clear") in warning and all(name in warning for name in copies)
        problem = read_zip(tmp_path, copies).problem
        assert wording("grading.contains_nothing_lab") in problem and all(name in problem for name in copies)

    @pytest.mark.parametrize(
        "content", [b"1", b"<html>def mira_rule(): 1", b"\0def mira_rule():", b"def svm_rule(): 1"]
    )
    def test_a_name_alone_is_not_enough(self, tmp_path, content):
        problem = read_zip(tmp_path, {"mira_final.py": content}).problem
        assert wording("grading.contains_nothing_lab") in problem
        assert "mira_final.py looks like classifiers/mira.py" in problem
        submission = read_zip(tmp_path, {"svm.py": b"", "mira_final.py": content})
        path = PurePosixPath(MIRA)
        assert path not in submission.files and submission.similar == {path: "mira_final.py looks like it"}
        assert "mira_final.py looks like classifiers/mira.py" in submission.warnings[-1]


class TestNested:
    def test_a_zip_in_a_zip(self, tmp_path):
        inner = make_zip(within("lab", LAB))
        assert texts(read_zip(tmp_path, {"x/inner.zip": inner, "x/report.pdf": b"%PDF"})) == LAB

    def test_deeper_zip_files_are_refused(self, tmp_path):
        content = make_zip(LAB)
        for _ in range(3):
            content = make_zip({"inner.zip": content})
        advice = "hand in the zip file that `lxmls-day1 submit` makes."
        problem = f"inner.zip/inner.zip lies too deep in other zip files; {advice}"
        assert read_zip(tmp_path, content).problem == problem
        assert texts(read_zip(tmp_path, content, depth=4)) == LAB

    def test_a_damaged_zip_file_beside_a_lab_is_ignored(self, tmp_path):
        submission = read_among_others(tmp_path, {"a.zip": make_zip(LAB), "b.zip": b"not a zip file"})
        assert texts(submission) == LAB
        (warning,) = submission.warnings
        assert warning.startswith(wording("grading.is_not_zip_file")) and warning.endswith("it was ignored.")

    def test_the_number_of_names_in_all_zip_files_is_limited(self, tmp_path, monkeypatch):
        monkeypatch.setattr(untrusted_files, "MAX_NAMES_IN_ARCHIVES", 30)
        inner = make_zip({f"{i}.txt": b"" for i in range(20)})
        many = {f"all/{i}.zip": inner for i in range(3)}
        assert texts(read_among_others(tmp_path, {"lab.zip": make_zip(LAB), "b.zip": inner})) == LAB
        assert "more than 30 names" in read_among_others(tmp_path, many).problem

    def test_the_number_of_opened_zip_files_is_limited(self, tmp_path, monkeypatch):
        files = {f"all/{i:03}.zip": make_zip({"x.txt": b"x"}) for i in range(150)}
        submission = read_among_others(tmp_path, {"all/!.zip": make_zip(LAB), **files})
        assert holds(submission, LAB, wording("grading.zip_files_too_many"))

    def test_many_bombs_share_one_limit(self, tmp_path):
        inner = make_zip({"x": os.urandom(600_000)}, zipfile.ZIP_STORED)
        files = {f"all/{i}.zip": inner for i in range(5)} | {"notebooks/a.ipynb": b""}
        assert "more than 1 MB" in read_zip(tmp_path, files, bytes=1_000_000).problem


def named(*names):
    """Return zip files of a lab with one additional file, one for each of these names."""
    return [make_zip({**LAB, name: b"1"}) for name in names]


CONTROLS = make_zip({**LAB, "classifiers/evil~.py": b"1"})
BAD_FILES = {
    "ada.zip is not a zip file that can be read": [b"hello", b"PK\x03\x04" + b"\0" * 100, b"PK\x05\x06" + b"\xff" * 18],
    "ada.zip is empty": [b""],
    "There is nothing in it": [make_zip({}), make_zip({"lab/": b""})],
    "nor a file with the name of one of their files, but essay.pdf, perceptron.ipynb": [
        make_zip({"essay.pdf": b"x", "perceptron.ipynb": b"1"})
    ],
    "a path that leads out of it": named(
        "../evil.py", "lab/../../evil.py", "..\\evil.py", "classifiers/..", "a/..\\../b.py", "../x/"
    ),
    "contains an absolute path": named("/etc/evil.py", "\\\\server\\evil.py", "C:\\evil.py", "c:evil.py"),
    "control characters": [CONTROLS.replace(b"evil~", f"evil{sign}".encode()) for sign in "\0\n\x1b\x7f"],
    "packed in an unusual way": [make_zip(LAB, method) for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)],
}


def left_out(submission, sentence, kept=LAB):
    """Check that a bad part is skipped with a reason, for student and instructor, and that the rest is read."""
    assert texts(submission) == kept
    (note,) = submission.notes
    assert sentence in note and note in submission.warnings and "\n" not in note
    return True


class TestRefused:
    """Each of these archives results in one sentence and no files."""

    def refused(self, submission, sentence):
        assert sentence in submission.problem
        assert submission.problem.endswith(".") and "\n" not in submission.problem
        assert submission.files == {}
        return True

    @pytest.mark.parametrize(("sentence", "contents"), BAD_FILES.items())
    def test_bad_files_and_bad_names(self, tmp_path, sentence, contents):
        for content in contents:
            assert self.refused(read_zip(tmp_path, content), sentence)

    def test_archives_of_other_formats_are_refused(self, tmp_path):
        write(tmp_path, {"ada.rar": b"Rar!"})
        assert self.refused(read(tmp_path / "ada.rar"), wording("grading.ada_rar_zip_file"))

    def test_links_and_devices_are_refused(self, tmp_path):
        assert left_out(read_zip(tmp_path, {**LAB, **link("classifiers/svm.py")}), "is a symbolic link")
        assert left_out(read_zip(tmp_path, {**LAB, **link("readers")}), wording("grading.readers_symbolic_link"))
        fifo = link("classifiers/svm.py", b"", stat.S_IFIFO | 0o644)
        assert left_out(read_zip(tmp_path, {**LAB, **fifo}), wording("grading.is_not_plain_file"))
        assert self.refused(read_zip(tmp_path, fifo), wording("grading.is_not_plain_file"))

    def test_a_link_outside_the_lab_is_ignored(self, tmp_path):
        assert texts(read_zip(tmp_path, {**LAB, **link("data")})) == LAB

    def test_encrypted_files_are_refused(self, tmp_path):
        raw = bytearray(make_zip(LAB))
        for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            place = raw.find(signature)
            while place >= 0:
                raw[place + offset] |= 1
                place = raw.find(signature, place + 1)
        assert self.refused(read_zip(tmp_path, bytes(raw)), "is encrypted")

    def test_a_zip_bomb_is_refused(self, tmp_path):
        for name in ("classifiers/svm.py", "notebooks/1_generative.ipynb"):
            bomb = {name: b"\0" * 15_000_000}
            assert left_out(read_zip(tmp_path, {**LAB, **bomb}), wording("grading.is_zip_bomb", name))
            assert self.refused(read_zip(tmp_path, bomb), wording("grading.is_zip_bomb", name))

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("notebooks/a.ipynb", os.urandom(4_000), "notebooks/a.ipynb is too large"),
            ("a.ipynb", os.urandom(4_000), "a.ipynb is too large"),
            ("old.zip", make_zip({"mira.py": b"\0" * 15_000_000}), "old.zip/mira.py is a zip bomb"),
            ("old.zip", b"PK\3\4 damaged", "old.zip is not a zip file"),
        ],
    )
    def test_a_bad_part_beside_a_loose_file_is_skipped(self, tmp_path, name, content, sentence):
        submission = read_among_others(tmp_path, {"svm.py": RULE, name: content}, file_bytes=2_000)
        assert left_out(submission, sentence, {"classifiers/svm.py": RULE})

    @pytest.mark.slow
    def test_a_zip_bomb_that_claims_to_be_small_is_refused(self, tmp_path):
        raw = make_zip({**LAB, "classifiers/svm.py": b"\0" * 150_000_000})
        raw = raw.replace(struct.pack("<L", 150_000_000), struct.pack("<L", 10))
        assert peak_of(lambda: left_out(read_zip(tmp_path, raw), "classifiers/svm.py cannot be read")) < 20_000_000

    def test_a_nested_zip_bomb_is_refused(self, tmp_path):
        inner = make_zip({"classifiers/mira.py": b"\0" * 15_000_000})
        assert self.refused(read_zip(tmp_path, {"a/lab.zip": inner}), "is a zip bomb")

    def test_a_zip_bomb_that_is_not_read_does_no_harm(self, tmp_path):
        assert texts(read_zip(tmp_path, {**LAB, "zeros.bin": b"\0" * 15_000_000})) == LAB

    def test_overlapping_entries_are_refused(self, tmp_path):
        raw = make_zip([(f"classifiers/m{i}.py", b"x" * 1000) for i in range(3)], zipfile.ZIP_STORED)
        table = raw.index(b"PK\x01\x02")
        entries = bytearray(raw)
        entries[table + 20 : table + 28] = struct.pack("<LL", 2500, 2500)  # The first entry overlaps the others.
        whole = {f"classifiers/m{i}.py": b"x" * 1000 for i in (1, 2)}
        assert left_out(read_zip(tmp_path, bytes(entries)), "classifiers/m0.py overlaps", whole)

    def test_wrong_zip64_sizes_are_refused(self, tmp_path):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive, archive.open(MIRA, "w", force_zip64=True) as file:
            file.write(b"x = 1\n")
        assert texts(read_zip(tmp_path, content.getvalue())) == {MIRA: b"x = 1\n"}
        raw = content.getvalue()
        table = raw.index(b"PK\x01\x02")
        extra = struct.pack("<HHQQ", 1, 16, 2**62, 2**62)
        entry = bytearray(raw[table : table + 46] + MIRA.encode() + extra)
        entry[20:28] = b"\xff" * 8
        entry[30:32] = struct.pack("<H", len(extra))
        end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), table, 0)
        submission = read_zip(tmp_path, raw[:table] + bytes(entry) + end)
        assert submission.problem and submission.files == {}

    def test_a_directory_that_is_too_long_is_refused(self, tmp_path):
        end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 500_000_000, 0, 0)
        path = write_zip(tmp_path / "ada.zip", b"")
        os.truncate(path, 500_000_000)  # A sparse file: it takes no blocks on the disk.
        with path.open("ab") as file:
            file.write(end)
        sentence = wording("grading.table_contents_too_long")
        assert peak_of(lambda: self.refused(read(path), sentence)) < 50_000_000

    def test_duplicate_names_are_refused(self, tmp_path):
        with pytest.warns(UserWarning, match="Duplicate name"):
            twice = make_zip([*LAB.items(), (MIRA, b"other")])
        with pytest.warns(UserWarning, match="Duplicate name"):
            same = make_zip([*LAB.items(), *LAB.items()])
        assert self.refused(read_zip(tmp_path, twice), wording("grading.contains_twice_different_contents"))
        assert texts(read_zip(tmp_path, same)) == LAB

    def test_too_many_or_too_large_files_are_refused(self, tmp_path):
        many = {**LAB, **{f"classifiers/m{i}.py": b"" for i in range(20)}}
        assert self.refused(read_zip(tmp_path, many, lab_files=10), wording("grading.at_most_are_read"))
        large = {**LAB, "classifiers/svm.py": os.urandom(3000)}
        assert left_out(read_zip(tmp_path, large, file_bytes=2000), "classifiers/svm.py is too large")
        assert left_out(read_zip(tmp_path, large, bytes=2000), "more than 0.002 MB")

    @pytest.mark.slow
    def test_thousands_of_source_files_are_refused(self, tmp_path):
        many = {f"{i}/classifiers/mira.py": b"" for i in range(6000)}
        assert self.refused(read_among_others(tmp_path, many), wording("grading.contains_source_files"))
        odd = {f"classifiers/{i}.": b"" for i in range(200)}
        submission = read_among_others(tmp_path, {**LAB, **odd})
        assert texts(submission) == LAB
        assert submission.warnings[-1] == wording("grading.more_warnings_kind", 200 - 30)

    def test_a_large_data_file_of_the_student_is_skipped(self, tmp_path):
        submission = read_zip(tmp_path, {**LAB, "classifiers/table.bin": os.urandom(3000)}, file_bytes=2000)
        assert holds(submission, LAB, wording("grading.too_large_more_mb", "classifiers/table.bin", "0.002"))

    def test_a_damaged_file_in_a_valid_archive_is_refused(self, tmp_path):
        raw = make_zip({MIRA: b"a" * 100}, zipfile.ZIP_STORED).replace(b"aaaa", b"bbbb")
        assert self.refused(read_zip(tmp_path, raw), "classifiers/mira.py cannot be read")

    def test_the_digest_of_a_refused_submission_depends_on_its_problem(self, tmp_path):
        one, other = read_zip(tmp_path, b"1"), read_zip(tmp_path, {})
        assert one.digest != other.digest and len(one.digest) == 64


class TestNamesForEverySystem:
    @pytest.mark.parametrize(
        "name",
        ["aux.py", "a:b.py", "a?.py", "dot./a.py", "x" * 150 + ".py", "COM1", "🐍" * 100 + ".py", "é" * 110 + ".py", "a/" * 10 + "b.py"],
    )  # fmt: skip
    def test_names_that_are_invalid_on_a_system_are_skipped(self, tmp_path, name):
        submission = read_zip(tmp_path, {**LAB, f"classifiers/{name}": b"1"})
        assert texts(submission) == LAB
        assert wording("grading.every_system_allows_file") in submission.warnings[0]

    def test_names_that_differ_only_in_case(self, tmp_path):
        submission = read_zip(tmp_path, {"classifiers/Mira.py": b"1", **LAB})
        assert texts(submission) == LAB
        assert "only in capital letters" in submission.warnings[0]

    def test_a_file_and_a_folder_of_the_same_name(self, tmp_path):
        submission = read_zip(tmp_path, [*LAB.items(), ("classifiers/tools", b"1"), ("classifiers/tools/a.py", b"2")])
        assert texts(submission) == {**LAB, "classifiers/tools/a.py": b"2"}
        assert wording("grading.file_and_folder") in submission.warnings[0]


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes as POSIX has them")
class TestFolders:
    def test_links_are_not_followed(self, tmp_path):
        secret = write(tmp_path / "secret", {"mira.py": b"secret"})
        kept = {"readers/vocabulary.py": b""}
        lab = write(tmp_path / "ada", kept)
        (lab / "data").symlink_to(secret)
        assert texts(read(lab)) == kept
        (lab / "classifiers").symlink_to(secret)
        assert left_out(read(lab), wording("grading.classifiers_symbolic_link_followed"), kept)
        (lab / "classifiers").unlink()
        write(lab, {"classifiers/__init__.py": b""})
        (lab / "classifiers/mira.py").symlink_to(secret / "mira.py")
        kept["classifiers/__init__.py"] = b""
        assert left_out(read(lab), wording("grading.symbolic_link_followed"), kept)

    def test_a_link_in_a_folder_of_submissions(self, tmp_path):
        write(tmp_path / "all", {**within("ada", LAB), **within("bob", LAB)})
        (tmp_path / "all/eve").symlink_to(tmp_path / "all/ada")
        (tmp_path / "all/mallory.zip").symlink_to("/nowhere.zip")
        read = read_each(find_submissions([tmp_path / "all"]))
        assert sorted(read) == ["ada", "bob", "eve", "mallory"]
        assert read["eve"].problem == read["mallory"].problem == wording("grading.symbolic_link_followed_2")

    def test_a_link_as_the_submission_is_refused(self, tmp_path):
        (tmp_path / "bob.zip").symlink_to(write_zip(tmp_path / "ada.zip", LAB))
        assert read(tmp_path / "bob.zip").problem == wording("grading.symbolic_link_followed_2")

    def test_a_link_that_replaces_a_listed_file_is_not_followed(self, tmp_path):
        """Also if the link replaces a folder above the file, or the student's folder, after they were listed."""
        secret = write(tmp_path / "secret", {"classifiers/mira.py": b"secret", "mira.py": b"secret"})
        for swapped in ("classifiers/mira.py", "classifiers", ""):
            folder = write(tmp_path / f"all{len(swapped)}", {**within("ada", LAB), **within("bob", LAB)})
            members = {str(member.name): member for member in untrusted_files.members_of_folder(folder, "ada")}
            with members[MIRA].open() as file:
                assert file.read() == LAB[MIRA]
            (folder / "ada" / swapped).rename(tmp_path / f"gone{len(swapped)}")
            (folder / "ada" / swapped).symlink_to(secret / swapped)
            with pytest.raises(untrusted_files.RejectedSubmission, match="symbolic link"):
                members[MIRA].open()

    @pytest.mark.parametrize("name", ["link.py", "link/mira.py", "link/../mira.py"])
    def test_opened_follows_no_links(self, tmp_path, name):
        write(tmp_path, {"lab/mira.py": b"1", "mira.py": b"2"})
        (tmp_path / "link.py").symlink_to("mira.py")
        (tmp_path / "link").symlink_to("lab")
        with pytest.raises(untrusted_files.RejectedSubmission, match="symbolic link"):
            untrusted_files.open_plain_file(tmp_path, name)
        with untrusted_files.open_plain_file(tmp_path, "lab/mira.py") as file:
            assert file.read() == b"1"
        if "/" not in name:
            with pytest.raises(untrusted_files.RejectedSubmission, match="symbolic link"):
                untrusted_files.open_plain_file(tmp_path / name)

    @pytest.mark.parametrize("name", ["../mira.py", "lab/../../mira.py", "lab/../lab/svm.py"])
    def test_opened_refuses_parent_folders(self, tmp_path, name):
        write(tmp_path, {"in/lab/svm.py": b"1", "mira.py": b"2"})
        with pytest.raises(untrusted_files.RejectedSubmission, match=wording("grading.leads_out_of_its")):
            untrusted_files.open_plain_file(tmp_path / "in", name)

    def test_pipes_are_not_opened(self, tmp_path):
        lab = write(tmp_path / "ada", LAB)
        os.mkfifo(lab / "classifiers/svm.py")
        assert left_out(read(lab), wording("grading.is_not_plain_file_2", "classifiers/svm.py"))
        os.mkfifo(tmp_path / "bob.zip")
        assert wording("grading.is_not_plain_file_2", "bob.zip") in read(tmp_path / "bob.zip").problem

    def test_names_that_are_not_valid_text(self, tmp_path):
        lab = write(tmp_path / "ada", LAB)
        try:
            Path(os.fsdecode(os.fsencode(lab) + b"/classifiers/caf\xe9.py")).write_bytes(b"1")
        except OSError:
            pytest.skip("this file system wants names in UTF-8")
        assert texts(read(lab)) == LAB

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
    def test_files_without_read_permission(self, tmp_path):
        path = write_zip(tmp_path / "ada.zip", LAB)
        path.chmod(0)
        assert "Permission denied" in read(path).problem


class TestDownloads:
    OF_TWO = wording("grading.work_of_two_people")

    def test_names_of_a_moodle_download(self, tmp_path):
        files = {
            "Ada Lovelace_123456_assignsubmission_file_/lab.zip": make_zip(within("ada", LAB)),
            "Zoë O'Neil_7_assignsubmission_file_/mira.py": b"2",
            "Zoë O'Neil_7_assignsubmission_onlinetext_/onlinetext.html": b"<p>",
            "Loose One_8_assignsubmission_file_mira.py": b"3",
            "Loose One_8_assignsubmission_file_svm.py": b"4",
            "Nobody_9_assignsubmission_file_/": b"",
        }
        archive = write_zip(tmp_path / "moodle.zip", files)
        folder = write(tmp_path / "moodle", {name: content for name, content in files.items() if name[-1] != "/"})
        (folder / "Nobody_9_assignsubmission_file_").mkdir()
        names = {
            "ada-lovelace_123456": "Ada Lovelace",
            "loose-one_8": "Loose One",
            "nobody_9": "Nobody",
            "zoë-o-neil_7": "Zoë O'Neil",
        }
        for paths in ([archive], [folder], sorted(folder.iterdir())):
            found = find_submissions(paths)
            assert students(found) == names
            read = read_each(found)
            assert texts(read["ada-lovelace_123456"]) == LAB
            assert texts(read["zoë-o-neil_7"]) == {MIRA: b"2"}
            assert texts(read["loose-one_8"]) == {MIRA: b"3", "classifiers/svm.py": b"4"}
            assert read["nobody_9"].problem == wording("grading.there_is_nothing_in")

    def test_a_moodle_download_within_a_folder(self, tmp_path):
        names = {"a_1": "A", "b_2": "B"}
        files = {f"{name}_{key[2]}_assignsubmission_file_/mira.py": b"1" for key, name in names.items()}
        files = within("Lab 1-42/files", files)
        for path in (write_zip(tmp_path / "all.zip", files), write(tmp_path / "all", files)):
            assert students(find_submissions([path])) == names

    def test_the_folder_of_one_moodle_student(self, tmp_path):
        folder = write(tmp_path / "Ada Lovelace_1_assignsubmission_file_", {"lab.zip": make_zip(LAB)})
        assert students(find_submissions([folder])) == {"ada-lovelace_1": "Ada Lovelace"}
        assert texts(read(folder)) == LAB

    def test_names_of_a_canvas_download(self, tmp_path):
        files = {
            "lovelaceada_LATE_12345_67890_submission-ada.zip": make_zip({MIRA: b"first"}),
            "lovelaceada_12345_67990_submission-ada-1.zip": make_zip({MIRA: b"second"}),
            "turingalan_222_67891_mira-2.py": b"2",
            "turingalan_222_67892_svm.py": b"3",
        }
        folder = write(tmp_path / "canvas", files)
        for paths in ([folder], [write_zip(tmp_path / "submissions.zip", files)], sorted(folder.iterdir())):
            ada, alan = find_submissions(paths)
            assert (ada.student, alan.student) == ("lovelaceada_12345", "turingalan_222")
            submission = read_submission(ada, given=GIVEN)
            assert texts(submission) == {MIRA: b"second"}
            assert submission.warnings == (wording("grading.does_count_newer_version"),)
            assert texts(read_submission(alan, given=GIVEN)) == {MIRA: b"2", "classifiers/svm.py": b"3"}

    def test_texts_and_links_of_a_canvas_download_are_submissions_without_a_lab(self, tmp_path):
        names = (
            "ada_11_67890_lab.zip",
            "ben_12_67891_lab.zip",
            "cyc_13_text.html",
            "dyd_LATE_14_link.html",
            "ada_11_text.html",
        )
        files = {name: make_zip(LAB) if name.endswith(".zip") else b"<p>" for name in names}
        read = read_each(find_submissions([write(tmp_path / "canvas", files)]))
        assert {key: bool(one.problem) for key, one in read.items()} == {
            "ada_11": 0,
            "ben_12": 0,
            "cyc_13": 1,
            "dyd_14": 1,
        }

    def test_names_that_only_look_like_canvas(self, tmp_path):
        files = {f"lab_2024_001_{name}.zip": make_zip(LAB) for name in ("ada", "bob")}
        found = find_submissions([write(tmp_path / "all", files)])
        assert len(found) == 2 and len({entry.student for entry in found}) == 2

    def test_names_of_a_gradescope_export(self, tmp_path):
        table = (
            "submission_123:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '1'\n  :created_at: 2026-01-01\n"
            'submission_124:\n  :submitters:\n  - :name: "Alan Turing"\n  - :name: Kurt Gödel\n'
        )
        works = {"submission_123/mira.py": b"1", "submission_124/mira.py": b"2", "submission_125/mira.py": b"3"}
        files = within("assignment_9_export", {"submission_metadata.yml": table.encode(), **works})
        for path in (write_zip(tmp_path / "export.zip", files), write(tmp_path / "export", files)):
            found = find_submissions([path])
            assert [entry.name for entry in found] == ["Ada Lovelace", "Alan Turing, Kurt Gödel", "submission_125"]
            assert texts(read_submission(found[0], given=GIVEN)) == {MIRA: b"1"}
            assert [one.ids for one in found] == [("1",), (), ()] and found[0].student == "ada-lovelace_1"
            assert [one.owner_warnings for one in found] == [(), (self.OF_TWO.format("Alan Turing, Kurt Gödel"),), ()]

        (path / "assignment_9_export" / "submission_metadata.yml").unlink()
        assert [one.ids for one in find_submissions([path])] == [(), (), ()]  # Its numbers are not those of students.

    @pytest.mark.parametrize(
        "second", ["  - :name: Dee\n    :sid: '4'\n", "  - :name: Dee\n    :sid: ''\n    :email: 4\n"]
    )
    def test_a_group_of_a_gradescope_export_is_reported(self, tmp_path, second):
        table = f"submission_124:\n  :submitters:\n  - :name: Cy\n    :sid: '3'\n    :email: cy@x.edu\n{second}"
        works = within("submission_124", LAB) | within("submission_125", LAB)
        found, _ = find_submissions([write(tmp_path / "export", {**works, "submission_metadata.yml": table.encode()})])
        assert (found.ids, found.owner_warnings) == ((), (self.OF_TWO.format("3 and 4"),))

    @pytest.mark.parametrize("absent", ["", " ''", ' ""', " ' '", " ~", " null"])
    def test_absent_values_of_a_gradescope_export(self, tmp_path, absent):
        table = "".join(
            f"submission_{n}:\n  :submitters:\n  - :name:{absent}\n    :sid:{absent}\n    :email: {n}@x.edu\n"
            for n in (1, 2)
        )
        works = {"submission_1/mira.py": b"1", "submission_2/mira.py": b"2", "submission_metadata.yml": table.encode()}
        found = find_submissions([write(tmp_path / "export", works)])
        assert [(one.name, *one.ids) for one in found] == [(f"submission_{n}", f"{n}@x.edu") for n in (1, 2)]

    def test_a_folder_of_repositories(self, tmp_path):
        for login in ("ada", "al-turing"):
            write(tmp_path / "repos", within(f"day-1-lab-{login}", {**LAB, ".git/HEAD": b"ref"}))
        found = find_submissions([tmp_path / "repos"])
        assert students(found) == {"day-1-lab-ada": "ada", "day-1-lab-al-turing": "al-turing"}
        assert found[1].ids == ("al-turing", "lab-al-turing", "1-lab-al-turing")
        assert texts(read_submission(found[0], given=GIVEN)) == LAB

    def test_a_plain_folder(self, tmp_path):
        files = {
            "ada.zip": make_zip(within("whatever", LAB)),
            **within("bob", LAB),
            "submission-carol.zip": b"not a zip file",
            "dave.rar": b"Rar!",
            "grades.csv": b"",
            ".DS_Store": b"",
            "old-marks/.rows/ada.json": b"",
        }
        folder = write(tmp_path / "all", files)
        (folder / "erin").mkdir()
        found = find_submissions([folder])
        assert students(found) == {name: name for name in ("ada", "bob", "carol", "dave", "erin")}
        read = [read_submission(entry, given=GIVEN) for entry in found]
        assert [bool(submission.problem) for submission in read] == [False, False, True, True, True]
        zipped = write_zip(tmp_path / "all.zip", files)
        assert students(find_submissions([zipped])) == {n: n for n in ("ada", "bob", "carol", "dave")}
        assert found[0].source == str(folder / "ada.zip")

    def test_files_that_are_not_looked_at_are_named(self, tmp_path):
        students = {f"{name}.zip": make_zip({**LAB, "essay.pdf": b""}) for name in ("ada", "bob")}
        others = {name: b"" for name in ("dan.pdf", "rita", "sven.zip.download")}
        hidden = {
            name: b"" for name in (".DS_Store", "__MACOSX/x", "Thumbs.db", "desktop.ini", ".hidden", "carol/mira.py")
        }
        sentence = wording("grading.files_not_looked_at", "dan.pdf, rita, sven.zip.download")
        folder = write(tmp_path / "all", within("in", {**students, **others, **hidden}))
        for path in (folder, write_zip(tmp_path / "all.zip", students | others | hidden)):
            assert unread_files([path], find_submissions([path])) == sentence
        paths = [folder / "in" / "ada.zip", folder / "in" / "carol"]
        assert unread_files(paths, find_submissions(paths)) == ""
        assert sentence in summary_html(Gradebook((), 1, "", "", unread=sentence))

    def test_older_attempts_and_the_table_of_gradescope_are_not_named(self, tmp_path):
        canvas = {f"ada_11_6789{n}_lab{'-1' * n}.zip": make_zip(LAB) for n in (0, 1)} | {
            "ben_12_67892_lab.zip": make_zip(LAB)
        }
        attempts = {
            f"Day 1_{name}_attempt_2026-11-1{n}-10-00-00{end}": b""
            for name in ("ada", "ben")
            for n in (1, 2)
            for end in (".txt", "_lab.zip")
        }
        gradescope = {**within("submission_1", LAB), **within("submission_2", LAB), "submission_metadata.yml": b""}
        for n, files in enumerate([canvas, attempts, gradescope]):
            folder = write(tmp_path / f"class{n}", files)
            assert unread_files([folder], find_submissions([folder])) == ""

    def test_a_folder_with_one_student(self, tmp_path):
        for name, files in (("a", within("ada", LAB)), ("b", {"ada.zip": make_zip(LAB)}), ("ada", LAB)):
            assert students(find_submissions([write(tmp_path / name, files)])) == {"ada": "ada"}

    def test_a_bad_name_in_a_download_affects_only_its_student(self, tmp_path):
        one, other = (f"{name}_1_assignsubmission_file_" for name in ("A", "B"))
        files = {f"{one}/mira.py": b"1", f"{one}/../../evil.py": b"", **within(other, LAB), "../x.py": b""}
        a, b = read_each(find_submissions([write_zip(tmp_path / "all.zip", files)])).values()
        assert "leads out of it" in a.problem
        assert texts(b) == LAB

    @pytest.mark.parametrize("left", [(), (".DS_Store",), ("__pycache__/x.pyc",)])
    def test_an_empty_class_folder_is_not_a_student(self, tmp_path, left):
        empty = tmp_path / "group 2"
        empty.mkdir()
        write(empty, dict.fromkeys(left, b""))
        with pytest.raises(InputError, match="no submission"):
            find_submissions([empty])
        full = write(tmp_path / "group 1", {**within("ada", LAB), **within("bob", LAB)})
        assert students(find_submissions([full, empty])) == {"ada": "ada", "bob": "bob"}

    def test_an_empty_folder_among_students_is_an_empty_submission(self, tmp_path):
        write(tmp_path, {**within("ada", LAB), **within("bob", LAB)})
        (tmp_path / "eve").mkdir()
        for paths in ([tmp_path], sorted(tmp_path.iterdir())):
            assert sorted(students(find_submissions(paths))) == ["ada", "bob", "eve"]

    def test_the_same_path_twice_is_one_submission(self, tmp_path):
        path = write(tmp_path / "ada", LAB)
        assert len(find_submissions([path, path])) == 1

    def test_a_path_without_submissions_is_an_error(self, tmp_path):
        with pytest.raises(InputError, match="does not exist"):
            find_submissions([tmp_path / "nowhere"])
        with pytest.raises(InputError, match="no submission"):
            find_submissions([])


names = st.lists(
    st.sampled_from(["classifiers", "Readers", "mira.py", "Mira.py", "mira (1).py", "..", ".", "", "C:", "a", "lab.zip", "\u202e", "nul", "x" * 300]),
    min_size=1,
    max_size=4,
).map("/".join)  # fmt: skip


class TestRandomInput:
    @pytest.mark.slow
    @settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.dictionaries(names.filter(bool), st.binary(max_size=40), max_size=6))
    def test_any_names_can_be_read(self, tmp_path, files):
        for submission in self.read_all(tmp_path, make_zip(files)):
            assert bool(submission.problem) != bool(submission.files)
            assert not submission.problem or (submission.problem.endswith(".") and "\n" not in submission.problem)
            for path in submission.files:
                assert not path.is_absolute() and ".." not in path.parts and len(str(path)) < 250

    @pytest.mark.slow
    @settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.data())
    def test_any_damaged_archive_can_be_read(self, tmp_path, data):
        raw = bytearray(make_zip({**LAB, "a/lab.zip": make_zip(LAB)}))
        for _ in range(data.draw(st.integers(1, 6))):
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
        raw = raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw
        for submission in self.read_all(tmp_path, bytes(raw)):
            assert bool(submission.problem) != bool(submission.files)

    def read_all(self, tmp_path, raw):
        found = find_submissions([write_zip(tmp_path / "ada.zip", raw)])
        assert found
        return [read_submission(entry, given=GIVEN) for entry in found]


def boxed(theirs):
    files, warnings = box_files(Submission("ada", "Ada", "ada.zip", "", by_path(theirs)), GIVEN, EXERCISES)
    return {str(path): content for path, content in files.items()}, warnings


WHOLE = {str(path): content for path, content in GIVEN.items() if path.parts[0] in ("readers", "classifiers")}


class TestLabInTheBox:
    @pytest.mark.parametrize(
        ("theirs", "warnings"),
        [({**WHOLE, MIRA: b"mine\n"}, ()), ({MIRA: b"mine\n"}, ("Not handed in: classifiers/svm.py.",))],
    )
    def test_the_box_holds_the_students_exercise_files_and_our_starter_files(self, theirs, warnings):
        assert boxed(theirs) == ({**WHOLE, MIRA: b"mine\n"}, warnings)

    def test_changed_starter_files_are_replaced_with_a_warning(self):
        changed = b"class LinearClassifier:\n    cheat = 1\n"
        theirs = {**WHOLE, "classifiers/linear_classifier.py": changed}
        assert boxed(theirs) == (WHOLE, (wording("grading.changed_file_given_used"),))

    def test_files_of_an_older_lab_cause_one_warning(self):
        given = {PurePosixPath(f"classifiers/m{n}.py"): b"new = 1" for n in range(6)}
        older = Submission("ada", "Ada", "ada.zip", "", dict.fromkeys(given, b"old = 1"))
        files, (warning,) = box_files(older, given, [])
        assert files == given and warning.startswith(wording("grading.given_files_version"))

    def test_line_ends_and_trailing_spaces_are_not_changes(self):
        same = b"\xef\xbb\xbfclass LinearClassifier:  \r\n    pass\r\n\r\n"
        assert boxed({**WHOLE, "classifiers/linear_classifier.py": same}) == (WHOLE, ())

    def test_added_files_are_put_into_the_box(self):
        own = {"mine.py": b"1", "classifiers/tools.py": b"2", "readers/table.csv": b"3", "classifiers/more/a.py": b"4"}
        assert boxed({**WHOLE, **own}) == ({**WHOLE, **own}, ())

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("random.py", "Python has a module of that name"),
            ("numpy.py", "an installed library has that name"),
            ("lxmls_day1.py", "the lab has a module of that name"),
            ("classifiers.py", "the lab has a module of that name"),
            ("sitecustomize.py", "the lab has a module of that name"),
            ("classifiers/mira.cpython-312-x86_64-linux-gnu.so", "only Python source is run"),
            ("classifiers/mira/__init__.py", "its folder has the name of a file of the lab"),
            ("classifiers/Linear_Classifier.py", "a file of the lab has the same name except for capital letters"),
            ("classifiers/mira.py/notes.txt", "its folder has the name of a file of the lab"),
            ("classifiers/linear_classifier.py/a/b.txt", "its folder has the name of a file of the lab"),
        ],
    )
    def test_files_that_hide_modules_are_not_put_into_the_box(self, name, reason):
        assert boxed({**WHOLE, name: b"1"}) == (WHOLE, (wording("grading.was_put_aside", name, reason),))

    @pytest.mark.parametrize(
        "name", ["tests/exercises/test_x.py", "lxmls_day1/base/checks.py", "notebooks/a.py", "a.txt"]
    )
    def test_other_files_are_not_put_into_the_box(self, name):
        assert boxed({**WHOLE, name: b"1"})[0] == WHOLE
