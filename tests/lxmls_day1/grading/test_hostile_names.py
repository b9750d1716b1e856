"""A name never changes, hides or moves another student's mark: in rosters, manual marks, results, pages and folders.

The tests cover all platforms with the names that people and files can have there. The verdict of a submission is read from its
file here; two whole runs are graded in boxes.

(More than 15 s, because two classes are graded in boxes, from their download to their roster.)
"""

import csv
import hashlib
import html
import io
import json
import re
import sys
import unicodedata
import zipfile
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.box.levels import Level, strongest_level
from lxmls_day1.box.limits import Limits
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import FILE, Registry
from lxmls_day1.course.workspaces.generation import solved_files, student_files
from lxmls_day1.grading import grading_run
from lxmls_day1.grading.gradebook import CheckGrade
from lxmls_day1.grading.grading_run import grade, save_student_files
from lxmls_day1.grading.intake.finding_submissions import blackboard_users, find_submissions, parse_names
from lxmls_day1.grading.intake.found_submission import FoundSubmission, key_of
from lxmls_day1.grading.intake.identity import Identification
from lxmls_day1.grading.intake.submissions import content_digest, read_submission
from lxmls_day1.grading.reports.report_files import files_of_student, pages_of
from lxmls_day1.grading.reports.roster import Roster, _normalized_id, matched_lines
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.one_submission import GradedSubmission
from lxmls_day1.grading.running.plan import Plan, make_plan
from lxmls_day1.grading.verdicts import OK, WRONG
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.grades import LOOK, mira, submission
from tests.lxmls_day1.grading.labs import code_of
from tests.lxmls_day1.zip_files import make_zip, write_zip
from tests.wording import wording

REFERENCE = reference_folder()
TIME = "2026-11-20-10-00-00"


def canvas(person, id, file, late=""):
    """Return a name as ``lib/content_zipper.rb`` of Canvas makes it."""
    person = re.sub(r"[^\w]", "", re.sub(r"_(\d+)_", r"\1", person)).lower()
    return f"{person}{late}_{id}_{67000 + id}_{file}"


def moodle(person, id, file):
    return f"{person.replace('_', ' ')}_{id}_assignsubmission_file_{file}"


PLATFORMS = {
    "Canvas": canvas,
    "Canvas, late": lambda person, id, file: canvas(person, id, file, "_LATE"),
    "Moodle": lambda person, id, file: f"{moodle(person, id, '')}/{file}",
    "Moodle, flat": moodle,
    "Blackboard": lambda login, id, file: f"Day 1_{login}_attempt_{TIME}_{file}",
    "files": lambda name, id, file: f"{name}.zip",
    "folders": lambda name, id, file: f"{name}/{file}",
}
DOWNLOADS = [platform for platform in PLATFORMS if platform not in ("files", "folders")]
ID_COLUMNS = {"Canvas": "ID", "Moodle": "Identifier"}
#: The members of every class: person, number, whether the work is correct. Zoë is on the roster and hands in nothing.
CLASS = {"ada": (101, True), "bob": (102, True), "carl": (103, False), "dora": (104, True)}
ABSENT = ("zoë", 107)
MALLORY = 666

LONG = "ada" * 80
PERSONS = [
    *("Ada", "ADA", "ada_", "_ada", "a.d.a", " ada", "ada ", "аda", "ada\u200b", "\u202eada", "ada\u0301", "á", "ａｄａ"),
    *("x_101", "x_101_67101", "x_1.0.1_67,101_y", "!!!", "x_101_assignsubmission_file", "x_101_assignsubmission_file_", "_LATE"),
    *("x_ada", "x_zoë", "x_ada_attempt_2099-01-01-00-00-00", "101", "0101", "107", "१०१", "student-101", key_of("Ada"), "ada_101"),
    *("con", "NUL", "com1.txt", "=cmd|' 'C calc'!A0", "@SUM(A1)", "-ada", "+ada", "a;=1+1", "..", "...", "~", ".", ".git"),
    *("zoe\u0308", "ZOË", "Zoë", "zoë_", LONG, "readers", "tests", "submission_101", "<b>ada</b>", "ada\n", "'ada", '="ada"'),
]  # fmt: skip
FILES = [
    "lab.zip", "x_ada_attempt_2099-01-01-00-00-00_lab.zip", "x_101_assignsubmission_file_lab.zip", "_101_assignsubmission_file_",
    "101_67101_lab.zip", "x_101_67101_lab.zip", "x_LATE_107_67999_lab-9.zip", "submission_101",
    f"{LONG}.zip", "\u202elab.zip", "=1+1.zip", "\\..\\ada.zip", "attempt_2026-11-20-10-00-00.txt",
]  # fmt: skip
WORK = "classifiers/mira.py"


def packed(points, **manifest):
    more = {"submission.json": json.dumps(manifest)} if manifest else {}
    return make_zip({WORK: "right" if points else "wrong", **more})


def download(path, files):
    return write_zip(path, make_zip(files, zipfile.ZIP_STORED))


def of_class(platform, without=()):
    name_of = PLATFORMS[platform]
    return {name_of(p, id, "lab.zip"): packed(ok) for p, (id, ok) in CLASS.items() if p not in without}


STARTER_FILES = student_files(reference_folder())


@pytest.fixture(scope="module")
def plan():
    registry = Registry.read(REFERENCE / FILE)
    exercises = tuple(registry.select(["1.1", "1.5"]))
    given = {PurePosixPath(WORK): b""}
    return Plan(exercises, registry, RecordedAnswers(), given, 3, Limits(), Level("process"), "").with_key()


def row_of(student, is_right):
    check = CheckGrade("test_1_05_mira.py::test", "1.5", "A check", True, OK if is_right else WRONG)
    return submission(student, LOOK, mira(check), name=student)


class Readers:
    """Workers that run no code: ``right`` in the file means full marks."""

    checks = ()

    def __init__(self, plan):
        self.plan, self.processes = plan, [self]

    def stop(self):
        pass

    close = stop

    def grade(self, found, kept):
        handed_in = read_submission(found, given=self.plan.given)
        if content_digest(handed_in) == kept:
            return None
        is_right = b"right" in handed_in.files.get(PurePosixPath(WORK), b"")
        copied = {name: getattr(handed_in, name) for name in ("name", "digest", "author", "receipt")}
        row = replace(row_of(found.student, is_right), key=self.plan.key, typed_name=handed_in.author, **copied)
        return GradedSubmission(row, files_of_student(row, self.plan.gradebook()))


class Run:
    """Several runs of a class into one folder."""

    def __init__(self, folder, plan, platform, id_column="", **options):
        self.out, self.plan, self.platform, self.folder = folder / "out", plan, platform, folder
        numbers = platform.partition(",")[0] in ID_COLUMNS
        students = {**{p: id for p, (id, _) in CLASS.items()}, ABSENT[0]: ABSENT[1]}
        head = ID_COLUMNS.get(platform.partition(",")[0], "username")
        lines = [f"{head},name,marks", *(f"{id if numbers else p},{p}," for p, id in students.items())]
        (folder / "roster.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
        self.roster = Roster(folder / "roster.csv", "marks", **options)
        self.said = []

    def __call__(self, files, again=(), plan=None, **options):
        path = download(self.folder / "download.zip", files)
        self.said = []
        run = grading_run.Run([path], self.out, again=again, make_workers=Readers, report=self.said.append, **options)
        self.book = grade(run, plan or self.plan)
        self.filled = self.roster.fill(run.identified, self.book.rows)
        self.owners = {one.identity_key: one.student for one in run.identified}
        lines = list(csv.reader(io.StringIO(self.filled.content.decode())))[1:]
        self.marks = {name: mark for _, name, mark in lines}
        return self

    def mark_by_hand(self, points):
        """Fill in manual marks for exercise 1.1: student -> points."""
        table = self.out / "hand-marks.csv"
        records = list(csv.reader(io.StringIO(table.read_text(encoding="utf-8-sig"), newline="")))
        for record in records[1:]:
            record[3] = points.get(record[0], record[3])
        text = io.StringIO()
        csv.writer(text).writerows(records)
        table.write_text(text.getvalue(), encoding="utf-8-sig", newline="")

    def of(self, students):
        """Return everything that the run has of these students: results and pages."""
        rows = {row.student: row for row in self.book.rows}
        return {
            s: (rows[s].points, rows[s].exercises, rows[s].name, *((self.out / p).read_bytes() for p in pages_of(s)))
            for s in students
        }


def students_of(platform):
    """Return person -> key."""
    with_number = platform.partition(",")[0] in ID_COLUMNS
    return {person: key_of(person, str(id) if with_number else "") for person, (id, _) in CLASS.items()}


RIGHT = {"ada": "15", "bob": "10", "carl": "3", "dora": "10", "zoë": ""}  # With manual marks of 5 and 3 points.


@pytest.mark.parametrize("platform", PLATFORMS)
class TestOtherStudentsMarks:
    @pytest.fixture
    def graded(self, tmp_path, plan, platform):
        """Return a graded class with manual marks."""
        run = Run(tmp_path, plan, platform)(of_class(platform))
        keys = students_of(platform)
        assert [row.student for row in run.book.rows] == sorted(keys.values())
        run.mark_by_hand({keys["ada"]: "5", keys["carl"]: "3"})
        run(of_class(platform))
        assert run.marks == RIGHT
        return run

    def names(self, platform):
        """Return the names that a stranger can have on a platform, or give to a file."""
        made = PLATFORMS[platform]
        persons = {made(person, MALLORY, "lab.zip") for person in PERSONS}
        files = {made("mallory", MALLORY, file) for file in FILES} if platform in DOWNLOADS else set()
        foreign = [] if platform in DOWNLOADS else DOWNLOADS
        others = {PLATFORMS[p](person, 101, f) for p in foreign for person in ("ada", "eve") for f in FILES[:3]}
        loosely = {made(person, MALLORY, "lab.zip") for person in PERSONS if _normalized_id(person) == ABSENT[0]}
        return sorted((persons | files | others) - set(of_class(platform)) - loosely)  # These may be the absent person.

    def test_no_name_changes_what_is_found_or_matched(self, tmp_path, plan, platform):
        """The other steps of a run depend only on the submissions that are found and their matches on the roster."""
        run = Run(tmp_path, plan, platform)
        keys = students_of(platform)
        rows = [row_of(key, CLASS[person][1]) for person, key in keys.items()]

        def seen(files):
            found = Identification(tmp_path / "owners")(find_submissions([download(tmp_path / "download.zip", files)]))
            honest = [one for one in found if one.student in keys.values()]
            others = [row_of(one.student, True) for one in found if one not in honest]
            return honest, run.roster.fill(found, [*rows, *others]).content, len(others)

        honest, roster, _ = seen(of_class(platform))
        assert len(honest) == 4
        for name in self.names(platform):
            assert seen({**of_class(platform), name: b""})[:2] == (honest, roster), name
            (tmp_path / "owners" / ".owners.json").unlink()  # Also in a first run.
            *first, others = seen({**of_class(platform), name: b""})
            # Hidden files are not submissions.
            assert first == [honest, roster] and (others == 1 or name.startswith(".")), name

    def test_all_such_names_together_change_no_other_mark(self, graded, platform):
        honest = students_of(platform).values()
        before, by_hand = graded.of(honest), (graded.out / "hand-marks.csv").read_bytes()
        names = [name for name in self.names(platform) if name.split("/")[0] not in (".", "..")]
        if "Canvas" in platform or "Moodle" in platform:  # each name is another person of the platform
            names = [name.replace(f"_{MALLORY}_", f"_{MALLORY + n}_", 1) for n, name in enumerate(names)]
            names = [name.replace(f"_{67000 + MALLORY}_", f"_{90000 + n}_", 1) for n, name in enumerate(names)]
        graded({**of_class(platform), **{name: packed(n % 2) for n, name in enumerate(names)}})
        assert graded.marks == RIGHT and graded.of(honest) == before
        assert (graded.out / "hand-marks.csv").read_bytes().startswith(by_hand)
        pages = [path.name for path in (graded.out / "feedback").iterdir()]
        folded = {unicodedata.normalize("NFKD", name).casefold().rstrip(". ") for name in pages}
        assert len(folded) == len(pages) == len(graded.book.rows)
        allowed = re.compile(r"[^\x00-\x1f<>:\"/\\|?*\s=+@-][^\x00-\x1f<>:\"/\\|?*]*")
        for name in pages:
            assert len(name.encode()) <= 200 and allowed.fullmatch(name)
            assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name)


class TestKeys:
    """A student's data is saved under a key that is derived from the platform's id, or from the exact name."""

    def test_no_two_names_share_a_key(self):
        names = [*PERSONS, *(key_of(name) for name in PERSONS), *(f"student-{name}" for name in PERSONS), *CLASS]
        keys = {key_of(name): name for name in dict.fromkeys(names)}
        assert len(keys) == len(set(names))
        assert len({unicodedata.normalize("NFKD", key).casefold() for key in keys}) == len(keys)
        # Keys must not look like a number or a platform's id.
        assert not [key for key in keys if key.isdigit() or "_" in key]

    @pytest.mark.parametrize("character", ["a", "é", "好", "𠀀", "𝟙"])
    def test_a_key_is_short_enough_for_a_file_name(self, character):
        assert 30 < len(key_of(character * 300).encode()) <= 170 and len(key_of("", character * 300).encode()) <= 170

    @pytest.mark.parametrize("name", ["mar-1", "dec-24", "september-2026", "jan-1-26", "true", "false", "1e5", "007"])
    def test_a_spreadsheet_changes_no_key(self, name):
        assert key_of(name) == f"student-{name}" != key_of(f"student-{name}")


def owner(student, *ids, platform=""):
    known = {"ids": ids or (student,), "platform": platform, "identity_key": student}
    return FoundSubmission(student, student, "", PurePosixPath(), **known)


class TestLinesOfTheRoster:
    """No name that a stranger has on the roster, or writes into it, takes another student's line."""

    @pytest.mark.parametrize("id", ["ada", "101", "00101"])
    def test_other_persons_on_the_roster_change_no_match(self, id):
        for person in [*PERSONS, "'101", '="101"', "0101", "=101", "Participant 101"]:
            for cells in ({1: id, 2: person}, {2: person, 1: id}, {1: id, 2: person, 3: "x"}):
                whose, problems = matched_lines([owner(id), owner("s", person)], [("username", cells)])
                assert person == id or (whose[1].student, whose[2].student) == (id, "s"), (person, problems)

    @pytest.mark.parametrize(
        ("platform", "column", "other"),
        [("Canvas", "id", "sis login id"), ("Moodle", "identifier", "id number"), ("Blackboard", "username", "email")],
    )
    def test_ids_in_other_columns_do_not_count(self, platform, column, other):
        found, theirs = [owner("ada", "11", platform=platform)], (other, {1: "", 2: "11"})
        assert matched_lines(found, [theirs]) == ({}, {})
        assert list(matched_lines(found, [(column, {1: "11", 2: "12"}), theirs])[0]) == [1]
        assert list(matched_lines(found, [("", theirs[1])])[0]) == [2]  # a column that the instructor named

    @pytest.mark.parametrize("mallory", ["3_ada", "of_3_ada", "ada_3", "3"])
    def test_a_name_that_looks_like_the_assignment_changes_no_match(self, mallory):
        users = blackboard_users([f"Day 1_of_3_{name}" for name in ("ada", "bob", mallory)])
        found = [owner(start, *ids, platform="Blackboard") for start, (_, ids) in users.items()]
        whose, _ = matched_lines(found, [("username", {1: "ada", 2: "bob", 3: mallory})])
        assert {n: one.student for n, one in whose.items()} == dict(enumerate(users, 1))


def test_many_files_with_two_readings_change_no_platform():
    honest = [canvas(f"s{n}", n, "lab.zip") for n in range(10)]
    hostile = [f"x_1_456_{MALLORY}_{90000 + n}_x_attempt_{TIME}_lab.zip" for n in range(30)]
    names = parse_names(honest + hostile, [])
    assert names.platform == "Canvas"
    assert (set(names.matches), set(names.distrust_reasons)) == (set(honest), set(hostile))


class TestDownloadsWithin:
    """A download inside a submission: no student gets another student's work, and a remedy is reported."""

    GRADESCOPE = {"submission_1/mira.py": b"", "submission_2/mira.py": b"", "submission_metadata.yml": b""}

    @pytest.mark.parametrize("platform", [*DOWNLOADS, "Gradescope"])
    @pytest.mark.parametrize("place", ["m.zip", "a/m.zip", "m/", "m/x/", "m.zip/x/", "m.zip/old.zip", "m/Day 1.zip/x/"])
    def test_a_download_in_a_submission_is_refused_with_a_remedy(self, tmp_path, platform, place):
        files = self.GRADESCOPE if platform == "Gradescope" else of_class(platform)
        for step in reversed(place.split("/")):
            if step.endswith(".zip"):
                files = {step: download(tmp_path / "inner.zip", files).read_bytes()}
            else:
                files = {f"{step}/{name}" if step else name: content for name, content in files.items()}
        files |= {f"{name}/lab.zip": packed(True) for name in ("u", "v", "w")}
        read = {
            one.student: read_submission(one, given=STARTER_FILES)
            for one in find_submissions([download(tmp_path / "all.zip", files)])
        }
        outer = read.pop(place[0])
        assert wording("grading.looks_like_download") + platform.partition(",")[0] in outer.problem and not outer.files
        assert wording("grading.give_submission_download_itself") in outer.problem
        assert not any(person in outer.problem for person in CLASS)
        assert list(read) == ["u", "v", "w"]
        assert {one.files[PurePosixPath(WORK)] for one in read.values()} == {b"right"}

    def test_a_download_beside_a_students_own_work_is_skipped(self, tmp_path):
        files = {f"eve/old/{name}": content for name, content in of_class("Moodle, flat").items()}
        files |= {"eve/mira.py": b"eve's", **{f"{name}/lab.zip": packed(True) for name in ("u", "v", "w")}}
        eve, *_ = (
            read_submission(one, given=STARTER_FILES)
            for one in find_submissions([download(tmp_path / "all.zip", files)])
        )
        assert eve.files == {PurePosixPath(WORK): b"eve's"}
        assert wording("grading.old_looks_like_download") in " ".join(eve.warnings)

    @pytest.mark.parametrize(
        "names", [["run_1_1000_a.csv", "run_2_2000_b.csv"], ["submission_1/a.py", "submission_2/a.py"]]
    )
    def test_a_students_own_files_are_not_a_download(self, tmp_path, names):
        path = download(tmp_path / "ada.zip", {**dict.fromkeys(names, b""), WORK: b"right"})
        assert (
            read_submission(FoundSubmission("ada", "ada", "", path), given=STARTER_FILES).files[PurePosixPath(WORK)]
            == b"right"
        )

    def test_work_that_was_packed_for_two_people_is_refused(self, tmp_path):
        for names, is_refused in ((["Ada", "Bob"], True), (["Ada", "ada"], False)):
            files = {f"{n}.zip": packed(True, name=name) for n, name in enumerate(names)}
            found = FoundSubmission("ada", "ada", "", download(tmp_path / "ada.zip", files))
            one = read_submission(found, given=STARTER_FILES)
            assert (wording("grading.has_packed_under_names") in one.problem) == is_refused == (not one.files)


@pytest.fixture
def run(tmp_path, plan):
    """Return a class that was graded once, from files that are named after their students."""
    return Run(tmp_path, plan, "files")(of_class("files"))


class TestOwners:
    """A key with another owner than before, or with two owners: the case is reported, and neither mark changes."""

    def test_two_new_claims_of_one_key_change_no_mark(self, tmp_path, plan):
        run = Run(tmp_path, plan, "files")({**of_class("files"), "submission-ada.zip": packed(False)})
        assert run.marks == {"ada": "", "bob": "10", "carl": "0", "dora": "10", "zoë": ""}
        doubted = [row for row in run.book.rows if row.doubts]
        assert len(run.book.rows) == 5 and len(doubted) == 2
        assert all(
            wording("grading.so_would_another_submission") in row.doubts[0] and row.student != "ada" for row in doubted
        )
        summary = (run.out / "summary.html").read_text(encoding="utf-8")
        assert "Whose work it is" in summary and summary.count(wording("grading.so_would_another_submission")) == 2

    def test_the_previous_owner_keeps_a_key(self, run):
        for other in ("submission-ada.zip", "ada.rar", "ada/mira.py"):
            run({**of_class("files"), other: packed(False)})
            assert run.marks["ada"] == "10" and len(run.book.rows) == 5
            assert [row.student.startswith("ada-") for row in run.book.rows if row.doubts] == [True]
        run(of_class("files"))
        assert not any(row.doubts for row in run.book.rows)
        assert wording("grading.run_pages_removed_ada") in run.said[0]

    def test_new_claims_do_not_replace_a_graded_result(self, run):
        others = {"ada.rar": packed(False), "submission-ada.zip": packed(False)}
        run({**of_class("files", without=["ada"]), **others})
        assert run.marks["ada"] == "10" and [bool(row.doubts) for row in run.book.rows].count(True) == 2
        assert (run.out / "feedback" / "ada.html").is_file()

    def test_a_named_path_wins_over_contents_of_another_path(self, tmp_path):
        ada = download(tmp_path / "ada.zip", {WORK: b""})
        eve = download(tmp_path / "eve.zip", {f"{name}/mira.py": b"" for name in ("ada", "bob", "carl")})
        found = Identification(tmp_path / "out")(find_submissions([ada, eve]))
        assert {one.student: bool(one.owner_warnings) for one in found if one.path == ada} == {"ada": False}

    @pytest.mark.parametrize("inside", ["", "all/", "all/all/"])
    @pytest.mark.parametrize("platform", ["Moodle", "Moodle, flat", "Canvas", "Canvas, late", "Blackboard"])
    @pytest.mark.parametrize("others", [[], ["ada.zip"], ["ada.zip", "carl.zip"]])
    def test_a_single_platform_name_in_a_named_path_does_not_count(self, tmp_path, inside, platform, others):
        """Zoë is absent. Eve hands in a zip file that holds a file or folder with the name that the platform would give Zoë's."""
        eve = download(tmp_path / "eve.zip", {inside + PLATFORMS[platform]("zoë", 107, "mira.py"): b"right"})
        paths = [download(tmp_path / name, {WORK: b"wrong"}) for name in others]
        found = Identification(tmp_path / "out")(find_submissions([eve, *paths]))
        assert [one.student for one in found] == sorted(["eve", *(path.stem for path in paths)])
        (doubt,) = (doubt for one in found for doubt in one.owner_warnings)
        assert "eve.zip" in doubt and all(one.ids != ("107",) and not one.platform for one in found)
        column = ID_COLUMNS.get(platform.partition(",")[0], "username")
        assert matched_lines(found, [(column, {1: "107", 2: "zoë"})])[0] == {}

    def test_composed_and_decomposed_letters_are_the_same_name(self, tmp_path):
        for form in ("NFC", "NFD"):  # The form in zip files, and the form on disks.
            names = [unicodedata.normalize(form, moodle(*who, "lab.zip")) for who in (("Zoë", 11), ("Ada", 12))]
            path = download(tmp_path / "all.zip", dict.fromkeys(names, b""))
            found = Identification(tmp_path)(find_submissions([path]))
            assert len(found) == 2 and not any(one.owner_warnings for one in found)

    def test_a_folder_instead_of_a_zip_file_keeps_its_owner(self, run):
        files = {**of_class("files", without=["ada"]), "ada/classifiers/mira.py": b"wrong"}
        assert run(files).marks["ada"] == "0" and not any(row.doubts for row in run.book.rows)

    def test_the_previous_owner_keeps_a_line_of_the_roster(self, tmp_path, plan):
        files = {"Ada.zip": packed(True), "bob.zip": packed(True)}
        run = Run(tmp_path, plan, "files")(files)
        for others in (["ADA.zip"], ["ADA.zip", "ada.zip"], ["ada.zip", " ADA.zip"]):
            run({**files, **dict.fromkeys(others, packed(False))})
            assert (run.marks["ada"], run.marks["bob"]) == ("10", "10")
            remarks = {match.remark for match in run.filled.unmatched if match.submission}
            assert remarks == {wording("grading.has_same_id", key_of("Ada"))}

    @pytest.mark.parametrize("platform", ["Canvas", "Moodle", "Moodle, flat"])
    def test_an_id_with_a_new_name_keeps_the_result_until_accepted(self, tmp_path, plan, platform):
        run = Run(tmp_path, plan, platform)(of_class(platform))
        files = {**of_class(platform, without=["ada"]), PLATFORMS[platform]("eve", 101, "lab.zip"): packed(False)}
        for _ in range(2):
            run(files)
            (doubted,) = (row for row in run.book.rows if row.doubts)
            assert (doubted.student, doubted.points, run.marks["ada"]) == ("ada_101", 10, "10")
            assert "was" in doubted.doubts[0] and "--again ada_101" in doubted.doubts[0]
        assert run(files, again=["ada_101"]).marks["ada"] == "0"
        assert run(files).marks["ada"] == "0" and not any(row.doubts for row in run.book.rows)

    def test_two_names_with_one_id_get_no_new_mark(self, tmp_path, plan):
        eve = {moodle("eve", 101, "lab.zip"): packed(False)}
        (tmp_path / "new").mkdir()
        run = Run(tmp_path / "new", plan, "Moodle, flat")
        assert run({**of_class("Moodle, flat"), **eve}).marks["ada"] == "" and len(run.book.rows) == 5
        run = Run(tmp_path, plan, "Moodle, flat")(of_class("Moodle, flat"))
        assert run({**of_class("Moodle, flat"), **eve}).marks["ada"] == "10" and len(run.book.rows) == 5

    def test_another_authors_name_is_reported(self, tmp_path, plan):
        files = of_class("Canvas") | {canvas("mallory", 666, "lab.zip"): packed(False, name="A D A")}
        files |= {canvas("Turing, Alan", 777, "lab.zip"): packed(False, name="Alan Turing")}
        files |= {canvas("eve", 778, "lab.zip"): packed(False, name="my-lab")}
        run = Run(tmp_path, plan, "Canvas")(files)
        authors = {row.student: row.author for row in run.book.rows if row.author}
        assert authors == {"mallory_666": "A D A", "eve_778": "my-lab"}
        (doubt,) = (doubt for row in run.book.rows for doubt in row.doubts)
        assert doubt == wording("grading.names_d_author_name")
        page = (run.out / "summary.html").read_text(encoding="utf-8")
        assert doubt in page and wording("grading.names_my_lab_author") in page

    @pytest.mark.parametrize("name", ["Ada Lovelace", "=1+1", "<b>\u202eada", "Dr. Ada " * 40, "\n", "Zoë\U0001f600"])
    def test_the_typed_name_is_shown_and_decides_nothing(self, tmp_path, plan, name):
        files = of_class("Moodle") | {PLATFORMS["Moodle"]("ada", 101, "lab.zip"): packed(True, name=name)}
        run = Run(tmp_path, plan, "Moodle")(files)
        given = next(row.typed_name for row in run.book.rows if row.student == "ada_101")
        shown = " ".join(name.replace("\u202e", "⟨U+202E⟩").split())[:90]
        assert shown in given and run.marks["ada"] == "10" and len(run.book.rows) == 4
        page = (run.out / "feedback" / "ada_101.html").read_text(encoding="utf-8")
        assert (wording("grading.name_typed_work") in page) == bool(given) and html.escape(shown) in page
        lines = list(csv.DictReader(io.StringIO((run.out / "grades.csv").read_text("utf-8-sig"))))
        assert [line["typed name"].lstrip("'")[:90] for line in lines] == [given[:90], "", "", ""]
        assert not lines[0]["typed name"].startswith("=")

    def test_the_receipt_is_on_both_pages(self, tmp_path, plan):
        run = Run(tmp_path, plan, "Moodle")(of_class("Moodle"))
        receipt = hashlib.sha256(packed(True)).hexdigest()
        assert receipt in (run.out / "feedback" / "ada_101.html").read_text(encoding="utf-8")
        assert receipt[:16] in (run.out / "summary.html").read_text(encoding="utf-8")

    def test_a_damaged_list_of_owners_is_an_error(self, run):
        (run.out / ".owners.json").write_text("[")
        with pytest.raises(InputError, match=wording("grading.cannot_read_restore")):
            run(of_class("files"))


def test_points_are_applied_to_stored_verdicts(run, plan):
    """The reasons for grading again are reported, too."""
    more = tuple(replace(exercise, points=2 * exercise.points) for exercise in plan.exercises)
    page = run.out / "feedback" / "ada.html"
    rows = {path: path.stat().st_mtime_ns for path in (run.out / ".rows").iterdir()}
    run(of_class("files"), plan=replace(plan, exercises=more).with_key())
    assert {path: path.stat().st_mtime_ns for path in (run.out / ".rows").iterdir()} == rows
    assert [row.points for row in run.book.rows] == [20, 20, 0, 20] and "<b>20</b> of 20" in page.read_text("utf-8")
    (said,) = run.said
    assert "no check is run" in said and "1.5 20 instead of 10" in said
    run(of_class("files"))
    assert "<b>10</b> of 10" in page.read_text("utf-8") and run.said == []
    run({**of_class("files"), "bob.zip": packed(False)}, again=["carl"])
    assert run.said == [wording("grading.graded_again_again_asks"), wording("grading.graded_again_submissions_changed")]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"seed": 4}, "the seed"),
        ({"limits": Limits(memory=512)}, "the limits"),
        ({"seed": 4, "level": Level("landlock")}, "the seed, the sandbox"),
        ({"level": Level("landlock")}, "the sandbox"),
        ({"grader": "another version"}, "the grader"),
    ],
)
def test_the_reason_for_grading_again_is_reported(run, plan, change, why):
    run(of_class("files"), plan=replace(plan, **change).with_key())
    assert run.said == [wording("grading.graded_again_changed_since", why)]


def test_failed_submissions_are_graded_again(run):
    save_student_files(run.out, GradedSubmission(replace(run.book.rows[0], failed=True), {}))
    assert run(of_class("files")).said == [wording("grading.graded_again_grader_failed")]


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    return make_plan(tmp_path_factory.mktemp("plan"), strongest_level(lab_program()), ["1.1", "1.5"], seed=3)


@pytest.fixture(scope="module")
def labs():
    """Return a correct lab, and a lab that is still as it was given out."""
    both = code_of(solved_files(REFERENCE)), code_of(student_files(REFERENCE))
    return [make_zip({str(path): text for path, text in lab.items()}) for lab in both]


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="whole runs are tested where boxes are forked")
class TestWholeRuns:
    """Attacks that once fooled the grader in whole runs: a date in the far future, and a namesake."""

    @pytest.fixture
    def run(self, tmp_path, real, one_worker):
        def graded(files, roster):
            path = download(tmp_path / "download.zip", files)
            (tmp_path / "roster.csv").write_text("".join(f"{line},\n" for line in roster), encoding="utf-8")
            run = grading_run.Run([path], tmp_path / "out", make_workers=one_worker)
            book = grade(run, real)
            filled = Roster(tmp_path / "roster.csv", roster[0].partition(",")[2]).fill(run.identified, book.rows)
            return [line.rpartition(",")[2] for line in filled.content.decode().splitlines()[1:]], book

        return graded

    def test_a_date_in_the_future_does_not_replace_anothers_attempt(self, run, labs):
        right, wrong = labs
        hostile = "Day 1_mallory_attempt_2026-11-20-21-00-00_x_ada_attempt_2099-01-01-00-00-00_lab.zip"
        files = {f"Day 1_ada_attempt_{TIME}_lab.zip": right, hostile: wrong}
        marks, book = run(files, ["Username,m", "ada", "mallory"])
        assert marks == ["10", "0"] and [row.student for row in book.rows] == ["ada", "mallory"]

    def test_renamed_and_missing_files_are_reported(self, run, tmp_path):
        right = solved_files(REFERENCE)[PurePosixPath(WORK)]
        files = {"ada/Mira (1).PY": right, "ada/a.ipynb": b"\0" * 30_000_000, "bob/mira.py": right, "carl/svm.py": b""}
        files |= {"carl/my_mira.py": b"def rule(): 1", "dora/mira-1.py": right, "dora/mira-2.py": right}
        marks, book = run({**files, "dora/svm.py": b""}, ["Username,m", "ada", "bob", "carl", "dora"])
        assert marks == ["10", "10", "0", "0"]
        texts = {row.student: {check.text for check in row.checks if not check.hidden} for row in book.rows}
        assert texts["carl"] == {wording("grading.handed_looks_like", WORK)}
        assert texts["dora"] == {wording("grading.handed_look_like", WORK)}
        page = (tmp_path / "out" / "summary.html").read_text(encoding="utf-8")
        needs_a_look = page.partition('id="notes"')[2].partition("</section>")[0]
        assert "Needs a look" in page and needs_a_look.count(f"not handed in: {WORK}") == 2
        taken = f"Mira (1).PY is not the name that was expected; it is taken as {WORK}."
        assert taken in page and taken in (tmp_path / "out" / "feedback" / "ada.html").read_text(encoding="utf-8")
        assert "still to be written" not in page

    def test_a_namesake_does_not_get_anothers_manual_marks(self, run, labs, tmp_path):
        right, wrong = labs
        files = {f"{name}_assignsubmission_file_/lab.zip": right for name in ("ada lovelace_11", "bob_13")}
        roster = ["Identifier,m", "Participant 11", "Participant 12"]
        run(files, roster)
        table = tmp_path / "out" / "hand-marks.csv"
        table.write_text(table.read_text("utf-8-sig").replace(",,5,,", ",5,5,,", 1), "utf-8-sig")
        files["Ada Lovelace_12_assignsubmission_file_/lab.zip"] = wrong
        for _ in range(2):
            assert run(files, roster)[0] == ["15", "0"]
