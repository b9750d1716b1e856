"""Grade books of Canvas, Moodle and Blackboard come back with one column filled in, and nothing else changed."""

import csv
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.commands.roster_options import fill_in, read_roster
from lxmls_day1.grading.gradebook import CheckGrade
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.reports.roster import Roster
from lxmls_day1.grading.verdicts import OK, WRONG
from tests.lxmls_day1.grading.grades import book_of, mira, submission
from tests.wording import wording

# Each export has a quote, a comma and a line end in a cell, a formula as a name, and a line of no student. Marks replace the §.
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Day 1 (4711),Final Score\r\n"
    "    Points Possible,,,,,20,(read only)\r\n"
    '"Lovelace, ""Ada""",11,0007,ada,"S1\r\nand S2",§11§,97.5\r\n'
    "=cmd|' /C calc'!A0,12, 0008 ,alan,S1,§12§,\r\n"
    '"Student, Test",13,,,S1,,\r\n'
)
MOODLE = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (submission)","Feedback comments"\n'
    'Participant 11,"Ada Lovelace",ada@example.org,"Submitted",§11§,20.00,"Friday, 20 November 2026, 11:15 PM",\n'
    'Participant 12,"Alan Turing",alan@example.org,"Submitted",§12§,20.00,"Saturday, 21 November 2026, 1:15 AM",\n'
    'Participant 13,"Kurt Gödel",kurt@example.org,"No submission",,20.00,-,\n'
)
BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Day 1 [Total Pts: 20 Score] |4711"\n'
    '"Lovelace"\t"Ada"\t"11"\t"0007"\t"§11§"\n'
    '"Türing"\t"Alan ""A."" M."\t"12"\t"0008"\t"§12§"\n'
    '"Gödel"\t"Kurt"\t"13"\t"0009"\t""'
)
EXPORTS = {
    "Canvas": (CANVAS, "utf-8", "Day 1"),
    "Canvas for Excel": (CANVAS, "utf-8-sig", "Day 1 (4711)"),
    "Moodle": (MOODLE, "utf-8", "Grade"),
    "Moodle on an old system": (MOODLE.replace("\n", "\r"), "latin-1", "grade"),
    "Blackboard": (BLACKBOARD, "utf-16", "Day 1"),
    "Blackboard, big end first": ("\ufeff" + BLACKBOARD, "utf-16-be", "Day 1"),
}


def marks(text, **values):
    """Return the export with these marks in the places for marks; without them, the cells are empty."""
    for id in ("11", "12"):
        text = text.replace(f"§{id}§", values.get(f"s{id}", ""))
    return text


def zipped(name):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(name, "")
    return content.getvalue()


def row(student, right=True, failed=False, problem=""):
    check = CheckGrade("test_1_05_mira.py::test", "1.5", "A check", True, OK if right else WRONG)
    return submission(student, mira(check), name=student, failed=failed, problem=problem)


def found(student, id="", file="lab.zip"):
    return FoundSubmission(student, student, "", Path("download.zip"), ((file, "lab.zip"),), ids=(id or student,))


@pytest.fixture
def roster(tmp_path):
    def make(text, encoding="utf-8", name="class.csv", **settings):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return Roster(path, **settings)

    return make


@pytest.mark.parametrize("platform", EXPORTS)
def test_only_the_column_of_marks_changes(roster, platform):
    text, encoding, column = EXPORTS[platform]
    theirs = roster(marks(text), encoding, column=column)
    filled = theirs.fill([found("ada", "11"), found("alan", "12")], [row("ada"), row("alan", right=False)])
    assert filled.content == marks(text, s11="10", s12="0").encode(encoding)
    assert [match.remark for match in filled.matches] == ["", "", "no submission"] and filled.n_filled == 2


@pytest.mark.parametrize("platform", EXPORTS)
def test_a_new_column_is_appended_after_all_others(roster, platform):
    text, encoding, _ = EXPORTS[platform]
    text = marks(text)
    content = roster(text, encoding).fill([found("ada", "11")], [row("ada")]).content
    before = list(csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter="\t" if "\t" in text else ","))
    decoded = content.decode("utf-16" if "16" in encoding else encoding).lstrip("\ufeff")
    after = list(csv.reader(io.StringIO(decoded, newline=""), delimiter="\t" if "\t" in text else ","))
    assert [line[:-1] for line in after] == before
    wanted = {"11": "10", "    Points Possible": "10"}
    assert [line[-1] for line in after] == [
        "lxmls-day1",
        *(next((wanted[cell.removeprefix("Participant ")] for cell in line if cell.removeprefix("Participant ") in wanted), "")
          for line in before[1:]),
    ]  # fmt: skip


def test_an_existing_column_of_marks_is_filled_in_again(roster, tmp_path):
    first = roster(marks(CANVAS)).fill([found("ada", "11")], [row("ada")]).content
    second = roster(first).fill([found("ada", "11"), found("alan", "12")], [row("ada"), row("alan")]).content
    assert second.count(b"lxmls-day1") == 1
    assert second == first.replace(b"S1,,,\r\n", b"S1,,,10\r\n", 1)


def test_unmatched_lines_and_submissions_are_listed(roster):
    filled = roster(marks(CANVAS)).fill([found("ada", "11"), found("eve", "99")], [row("ada"), row("eve")])
    assert [(match.id, match.submission, match.remark) for match in filled.unmatched] == [
        ("12", "", "no submission"),
        ("13", "", "no submission"),
        ("99", "eve", wording("grading.nobody_roster_id")),
    ]
    table = filled.table().decode("utf-8-sig").splitlines()
    assert len(table) == 5 and table[0].startswith("id,submission,points")


@pytest.mark.parametrize(
    ("id", "named"),
    [("12", ""), ("8", ""), ("0008", ""), (" alan ", ""), ("ALAN", ""), ("", "alan"), ("", "Alan"), ("00008", "")],
)
def test_ids_match_despite_case_spaces_and_leading_zeros(roster, id, named):
    one = FoundSubmission("s", "s", "", Path("x"), ids=(id or named,))
    filled = roster(marks(CANVAS), column="Day 1").fill([one], [row("s")])
    assert filled.content == marks(CANVAS, s12="10").encode()


@pytest.mark.parametrize("cell", ['"=""0008"""', "'0008", '"0008"'])
def test_ids_that_are_quoted_for_a_spreadsheet_match(roster, cell):
    theirs = roster(f"username,marks\n{cell},\n0009,\n", column="marks")
    filled = theirs.fill([found("s", "0008")], [row("s")])
    assert filled.content == f"username,marks\n{cell},10\n0009,\n".encode()


def test_an_exact_id_wins_over_an_id_without_zeros(roster):
    theirs = roster("username,marks\n8,\n0008,\n", column="marks")
    filled = theirs.fill([found("s", "0008"), found("t", "8")], [row("s"), row("t", False)])
    assert filled.content == b"username,marks\n8,0\n0008,10\n"


def test_a_user_name_is_not_read_as_a_participant(roster):
    """Moodle's participant 1234 is not the user u1234."""
    filled = roster("username,marks\nu1234,\nu1235,\n", column="marks").fill([found("s", "1234")], [row("s")])
    assert filled.n_filled == 0 and filled.content == b"username,marks\nu1234,\nu1235,\n"


def test_duplicate_ids_are_listed_and_not_filled_in(roster):
    text = "username,marks\nada,\nAda,\nalan,\n"
    filled = roster(text, column="marks").fill([found("s", "ADA"), found("t", "alan")], [row("s"), row("t")])
    assert filled.content == b"username,marks\nada,\nAda,\nalan,10\n"
    assert wording("grading.several_lines_roster_id") in {match.remark for match in filled.unmatched}
    twins = roster("username,marks\nada,\nada,\n", column="marks").fill([found("s", "ada")], [row("s")])
    assert twins.n_filled == 0 and sum("stands in 2 lines" in match.remark for match in twins.unmatched) == 2
    theirs = roster("username,marks\nada,\n", column="marks")
    filled = theirs.fill([found("s", "ada"), found("t", "ada")], [row("s"), row("t")])
    remarks = {match.remark for match in filled.unmatched}
    assert filled.n_filled == 0 and remarks >= {wording("grading.s_t_id"), wording("grading.s_same_id")}


def test_failed_submissions_are_not_filled_in(roster):
    filled = roster(marks(CANVAS), column="Day 1").fill([found("ada", "11")], [row("ada", failed=True)])
    assert filled.content == marks(CANVAS).encode() and filled.unmatched[0].remark == "could not be graded"


def test_unreadable_submissions_are_listed_with_their_mark(roster):
    rows = [row("ada", right=False, problem="It is not a zip file."), row("alan", right=False)]
    filled = roster(marks(CANVAS), column="Day 1").fill([found("ada", "11"), found("alan", "12")], rows)
    assert filled.content == marks(CANVAS, s11="0", s12="0").encode() and filled.n_filled == 2
    remark = wording("grading.nothing_to_grade")
    assert [(match.id, match.remark) for match in filled.unmatched] == [("11", remark), ("13", "no submission")]


def test_empty_and_short_lines_are_not_changed(roster):
    text = "username;name;marks\n\nada;Ada\n;nobody;\n\n"
    filled = roster(text, column="marks").fill([found("s", "ada")], [row("s")])
    assert filled.content == b"username;name;marks\n\nada;Ada;10\n;nobody;\n\n" and len(filled.matches) == 1
    own = roster("username;name;marks\n\nada\n;nobody;3;left\n").fill([found("s", "ada")], [row("s")])
    assert own.content == b"username;name;marks;;lxmls-day1\n\nada;;;;10\n;nobody;3;left;\n"


def test_marks_use_the_decimal_comma_of_other_columns(roster):
    public = CheckGrade("test_1_05_mira.py::public", "1.5", "A check", False, OK)
    hidden = CheckGrade("test_1_05_mira.py::hidden", "1.5", "A check", True, WRONG)
    half = submission("s", mira(public, hidden))
    for text, number in (
        ("username;first;marks\nada;7,5;\nalan;8;\n", "2,5"),
        ("username;first;marks\nada;7.5;\nalan;8,5;\n", "2.5"),
        ("username;first;marks\nada;7;\nalan;8;\n", "2.5"),
    ):
        content = roster(text, column="marks").fill([found("s", "ada")], [half]).content.decode()
        assert content.splitlines()[1].endswith(f";{number}")


def test_a_group_has_the_best_mark_of_its_members(roster):
    text = "username,group,marks\nada,1,\nbob,1,\ncarl,1,\ndora,2,\neve,,\nfay,,\n"
    theirs = [found(s, s) for s in ("bob", "ada", "dora", "eve")]
    rows = [row("ada", right=False), row("bob"), row("dora", right=False), row("eve")]
    filled = roster(text, column="marks", group_column="Group").fill(theirs, rows)
    wanted = "username,group,marks\nada,1,10\nbob,1,10\ncarl,1,10\ndora,2,0\neve,,10\nfay,,\n"
    assert filled.content.decode() == wanted
    assert [(m.id, m.submission) for m in filled.matches[:3]] == [("ada", "bob"), ("bob", "bob"), ("carl", "bob")]
    with pytest.raises(InputError, match="no column 'Gruop'"):
        roster(text, group_column="Gruop")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize(
    "start", ["sep=;\r\n", "SEP=;\n", '"sep=;"\r\n', "sep=;;;\r", "\r\n\r\n", ";;\r\n\nsep=;\n", '"";""\n']
)
def test_lines_before_the_header_stay_as_they_are(roster, start, encoding):
    """Excel's first line sep=; names the separator, even if the header has more commas."""
    text = '"Login";Name,A,B;marks\r\nada;"Lovelace, Zoë";\r\n' if "=" in start else "Login;Name;marks\r\nada;Zoë;\r\n"
    theirs = roster((start + text).encode(encoding), id_column="login", column="marks")
    content = theirs.fill([found("s", "ada")], [row("s")]).content
    assert content == (start + text.replace(";\r\n", ";10\r\n")).encode(encoding)


def test_another_separator_and_a_header_that_begins_with_a_line_break_are_read(roster):
    filled = roster("sep=^\nusername^a,b\nada^\n", column="a,b").fill([found("s", "ada")], [row("s")])
    assert filled.content == b"sep=^\nusername^a,b\nada^10\n"
    assert roster('"\nName";username\nAda;ada\n').header == ["Name", "username"]


@pytest.mark.parametrize("word", ["Teilnehmer/in", "Participante "])
def test_a_moodle_worksheet_in_another_language_matches(roster, word):
    text = f"Nummer;E-Mail;Bewertung\n{word}11;12;\n{word}12;11;\n"
    theirs = roster(text, column="Bewertung")
    filled = theirs.fill([replace(found("ada", "11"), platform="Moodle")], [row("ada")])
    assert filled.content == text.replace("12;\n", "12;10\n", 1).encode()


@pytest.mark.parametrize("settings", [{}, {"id_column": "ID"}])
def test_only_the_named_column_takes_logins_that_end_in_a_number(roster, tmp_path, capsys, settings):
    """A login student17 is not Moodle's participant 17, unless the instructor says so."""
    theirs = roster("ID,Username,marks\nstudent11,a,\nstudent12,b,\n", column="marks", **settings)
    fill_in(theirs, [replace(found("ada", "11"), platform="Moodle")], book_of(row("ada")), tmp_path)
    said = wording("grading.ids_count_only_in", "Moodle", "identifier")
    assert (said in capsys.readouterr().err) == (not settings)
    assert (",10\n" in (tmp_path / "roster" / "class.csv").read_text("utf-8")) == bool(settings)


@pytest.mark.parametrize(
    ("content", "settings", "said"),
    [
        (b"", {}, "empty"),
        (b" \n", {}, "not a roster"),
        (zipped("xl/workbook.xml"), {}, "is an Excel workbook"),
        (zipped("lab/mira.py"), {}, "is a zip file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", {}, "export it as CSV"),
        (b"a\0b\0", {}, "no text"),
        (b"\xff\xfea", {}, "no text"),
        (b"just a line\nand one\n", {}, "not a table of students"),
        (b"username,marks\n", {}, "not a table of students"),
        (b"Matrikel;Nachname;Punkte\n007;Lovelace;\n", {}, "--id-column; there are: Matrikel, Nachname, Punkte"),
        (CANVAS.encode(), {"column": "Dya 1 (4711)"}, "did you mean Day 1 \\(4711\\)"),
        (b"username,Lab (1),Lab (2)\nada,,\n", {"column": "lab"}, "has 2 columns 'lab'"),
        (CANVAS.encode(), {"id_column": "Matrikel"}, "no column 'Matrikel'"),
        (CANVAS.encode(), {"column": "SIS Login ID"}, "is a column of ids"),
    ],
)  # fmt: skip
def test_rejects_file_that_is_not_a_roster(roster, content, settings, said):
    with pytest.raises(InputError, match=said):
        roster(content, **settings)


def test_a_folder_is_not_reported_as_missing(tmp_path):
    for name, said in (("", "is not a file"), ("none.csv", "does not exist")):
        with pytest.raises(InputError, match=f"{said}; --roster"):
            read_roster(tmp_path, str(tmp_path / name), None, None, None)


def test_a_header_in_another_language_needs_column_names(roster):
    text = "Matrikel;Nachname;Punkte\n007;Lovelace;\n008;Turing;\n"
    theirs = roster(text, id_column="matrikel", column="Punkte")
    filled = theirs.fill([replace(found("ada", "7"), platform="Moodle")], [row("ada")])
    assert filled.content == b"Matrikel;Nachname;Punkte\n007;Lovelace;10\n008;Turing;\n"
