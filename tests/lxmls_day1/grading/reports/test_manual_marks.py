"""Manual marks: a file that is written once, filled in by an instructor in any program, and read back."""

import csv
import io
import json
from dataclasses import replace

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, FreeAnswer, ManualMark
from lxmls_day1.grading.reports.class_page import answers_html, summary_html
from lxmls_day1.grading.reports.class_tables import grades_csv, grades_json, gradescope_json
from lxmls_day1.grading.reports.manual_marks import COLUMNS, FILE, read_manual_marks, write_manual_marks
from lxmls_day1.grading.reports.student_page import student_html
from tests.lxmls_day1.grading.grades import LOOK, book_of, mira, submission
from tests.wording import wording

OUT_OF = {"1.1": 5.0, "1.10": 4.0}


def row_of(student, answer="A line.", name=None):
    check = CheckGrade("t.py::test_a", "1.5", "A", False, "ok")
    proof = ExerciseGrade("1.10", "A proof", "derivation", 4.0)
    answers = (
        FreeAnswer("1.1", "n.ipynb", "What do you see?", answer),
        FreeAnswer("1.10", "n.ipynb", "Why?", "Since $x$."),
        FreeAnswer("1.10", "n.ipynb", "And then?", ""),
    )
    return submission(student, LOOK, mira(check), proof, name=name, answers=answers)


def students_of(rows):
    return [row.student for row in rows]


def read(out, rows):
    return read_manual_marks(out, students_of(rows), OUT_OF)


def written(out, *students):
    """Write the file for these students for the first time, and return their results."""
    rows = [row_of(student) for student in students]
    write_manual_marks(out, rows, read(out, rows))
    return rows


def table(out):
    return list(csv.reader(io.StringIO((out / FILE).read_bytes().decode("utf-8-sig"), newline="")))


def fill(out, marks):
    """Write points and comments into rows, as an instructor does: (student, exercise) -> (points, comment)."""
    records = table(out)
    for record in records[1:]:
        exercise = record[2].split()[1].rstrip(":")
        if (record[0], exercise) in marks:
            record[3], record[5] = marks[record[0], exercise]
    save(out, records)


def save(out, records, delimiter=",", encoding="utf-8-sig"):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(records)
    (out / FILE).write_bytes(text.getvalue().encode(encoding))


def test_one_row_per_manually_marked_answer_ordered_by_question(tmp_path):
    rows = written(tmp_path, "ada", "bob")
    records = table(tmp_path)
    assert records[0] == list(COLUMNS)
    assert [record[:3] for record in records[1:]] == [
        ["ada", "Ada", "exercise 1.1: A look"],
        ["bob", "Bob", "exercise 1.1: A look"],
        ["ada", "Ada", "exercise 1.10: A proof"],
        ["bob", "Bob", "exercise 1.10: A proof"],
    ]
    assert [record[3:] for record in records[1::2]] == [
        ["", "5", "", "A line."],
        ["", "4", "", "(1) Why?\nSince $x$.\n\n(2) And then?\n(no answer)"],
    ]
    assert read(tmp_path, rows).marks == {}


def test_no_file_if_nothing_is_marked_manually(tmp_path):
    assert write_manual_marks(tmp_path, [replace(row_of("ada"), exercises=())], read(tmp_path, [])) == 0
    assert list(tmp_path.iterdir()) == []


def test_marks_that_are_filled_in_are_read_back(tmp_path):
    rows = written(tmp_path, "ada", "bob")
    fill(tmp_path, {("ada", "1.1"): ("3.5", "Well seen."), ("bob", "1.10"): ("4", ""), ("bob", "1.1"): ("", "See me.")})
    marks = read(tmp_path, rows)
    assert marks.marks == {
        ("ada", "1.1"): ManualMark(3.5, "Well seen."),
        ("bob", "1.10"): ManualMark(4.0, ""),
        ("bob", "1.1"): ManualMark(None, "See me."),
    }
    ada = marks.apply_to(rows[0])
    assert (ada.points, ada.out_of, [e.id for e in ada.unmarked]) == (2.5 + 3.5, 15.0, ["1.10"])


@pytest.mark.parametrize(("start", "number"), [("sep=;\r\n", 2), ("\r\n;;\r\n", 4)])
def test_lines_before_the_header_are_no_rows(tmp_path, start, number):
    rows = written(tmp_path, "ada")
    fill(tmp_path, {("ada", "1.1"): ("9", "")})
    save(tmp_path, table(tmp_path), delimiter=";", encoding="utf-8")
    (tmp_path / FILE).write_bytes(start.encode() + (tmp_path / FILE).read_bytes())
    with pytest.raises(InputError, match=f"row {number}: "):
        read(tmp_path, rows)
    (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes().replace(b";9;", b";5;"))
    assert read(tmp_path, rows).marks == {("ada", "1.1"): ManualMark(5.0)}


@pytest.mark.parametrize("number", ["0", "5", "3,5", " 3.25 ", "'4", "5.0"])
def test_numbers_as_people_and_spreadsheets_write_them(tmp_path, number):
    rows = written(tmp_path, "ada")
    fill(tmp_path, {("ada", "1.1"): (number, "")})
    expected = float(number.strip(" '").replace(",", "."))
    assert read(tmp_path, rows).marks == {("ada", "1.1"): ManualMark(expected)}


@pytest.mark.parametrize(
    "said", ["5.5", "-1", "A", "3/5", "nan", "inf", "1e0", "3;5", "1,000.5", "½", "٣", "50 %", "0x3"]
)
def test_an_invalid_mark_is_refused_with_its_row(tmp_path, said):
    rows = written(tmp_path, "ada", "bob")
    fill(tmp_path, {("bob", "1.1"): (said, "")})
    with pytest.raises(InputError, match=wording("grading.row_points_exercise_number")):
        read(tmp_path, rows)


def test_a_number_that_a_spreadsheet_made_a_date_is_refused(tmp_path):
    rows = written(tmp_path, "ada")
    fill(tmp_path, {("ada", "1.1"): ("03. May", "")})
    with pytest.raises(InputError, match=wording("grading.turns_date_write")):
        read(tmp_path, rows)


def test_an_unknown_student_or_exercise_is_refused(tmp_path):
    rows = written(tmp_path, "ada", "blaise")
    records = table(tmp_path)
    records[2][0], records[4][2] = "blase", "exercise 1.5: MIRA"
    save(tmp_path, records)
    with pytest.raises(InputError) as caught:
        read(tmp_path, rows)
    said = str(caught.value)
    assert wording("grading.row_submission_blase_did") in said
    assert wording("grading.row_exercise_marked_hand") in said
    assert wording("grading.row_blaise_exercise_missing") in said


def test_a_missing_or_duplicate_row_is_refused(tmp_path):
    rows = written(tmp_path, "ada", "bob")
    records = table(tmp_path)
    save(tmp_path, [*records[:2], *records[3:], records[1]])
    with pytest.raises(InputError) as caught:
        read(tmp_path, rows)
    assert wording("grading.row_bob_exercise_missing") in str(caught.value)
    assert wording("grading.row_ada_stands_row") in str(caught.value)


def test_many_mistakes_are_counted(tmp_path):
    rows = written(tmp_path, *(f"s{n:02d}" for n in range(20)))
    fill(tmp_path, {(row.student, "1.1"): ("x", "") for row in rows})
    with pytest.raises(InputError, match="and 10 more"):
        read(tmp_path, rows)


@pytest.mark.parametrize("content", [b"", b"ada,5\n", b"PK\x03\x04\xff\xfe", b"student,points\nada,5\n"])
def test_a_file_that_is_not_a_table_of_marks_is_refused(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(InputError, match=wording("grading.first_row_name_columns")):
        read(tmp_path, [row_of("ada")])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
class TestSavedByASpreadsheet:
    def saved(self, tmp_path, delimiter, encoding):
        rows = [row_of("zoë", 'Two; lines,\n"quoted" = 1')]
        write_manual_marks(tmp_path, rows, read(tmp_path, rows))
        records = table(tmp_path)
        records = [[*record, "mine" if n == 0 else ""] for n, record in enumerate(records)]
        records[1][3:6] = ["4,5", "5", "Très bien, “oui”; non\nencore"]
        save(tmp_path, [[*record[::-1], "x"] for record in records] + [[""] * 9], delimiter, encoding)
        return rows

    def test_tables_of_spreadsheets_are_read(self, tmp_path, delimiter, encoding):
        rows = self.saved(tmp_path, delimiter, encoding)
        assert read(tmp_path, rows).marks == {("zoë", "1.1"): ManualMark(4.5, "Très bien, “oui”; non\nencore")}

    def test_new_rows_are_appended_in_the_same_format(self, tmp_path, delimiter, encoding):
        rows = self.saved(tmp_path, delimiter, encoding)
        before = (tmp_path / FILE).read_bytes()
        more = [*rows, row_of("bob")]
        assert write_manual_marks(tmp_path, more, read(tmp_path, more)) == 2
        assert (tmp_path / FILE).read_bytes().startswith(before)
        again = read(tmp_path, more)
        assert again.marks == {("zoë", "1.1"): ManualMark(4.5, "Très bien, “oui”; non\nencore")}
        assert set(again.places) == {(s, e) for s in ("zoë", "bob") for e in ("1.1", "1.10")}
        assert write_manual_marks(tmp_path, more, again) == 0


def test_a_file_without_a_last_line_end_is_continued_on_a_new_line(tmp_path):
    (tmp_path / FILE).write_bytes(b"student,question,points\nada,exercise 1.1: A look,3")
    rows = [row_of("ada"), row_of("bob")]
    write_manual_marks(tmp_path, rows, read(tmp_path, rows))
    assert len(read(tmp_path, rows).places) == 4


def test_rows_of_students_who_are_not_in_this_run_are_left_alone(tmp_path):
    written(tmp_path, "ada", "bob")
    fill(tmp_path, {("bob", "1.1"): ("3", "")})
    alone = [row_of("ada")]
    found = read(tmp_path, alone)
    write_manual_marks(tmp_path, alone, found)
    assert found.marks == {("bob", "1.1"): ManualMark(3.0)}
    # A run without these exercises.
    assert read_manual_marks(tmp_path, ["ada"], {}).marks == {("bob", "1.1"): ManualMark(3.0)}
    assert len(table(tmp_path)) == 5


def test_answers_begin_no_formula(tmp_path):
    rows = [row_of("ada", "=1+1\n@SUM(A1)\n- a list", name="=cmd")]
    write_manual_marks(tmp_path, rows, read(tmp_path, rows))
    (record,) = table(tmp_path)[1:2]
    assert record[1] == "'=cmd" and record[6] == "'=1+1\n'@SUM(A1)\n'- a list"


class TestMarksAreShown:
    """Manual marks are shown in totals, on the student's page, and on the class pages."""

    COMMENT = "Well *seen*; why $x^2$? <b>"

    def book(self, **marks):
        rows = []
        for student in ("ada", "bob"):
            row = row_of(student)
            exercises = [replace(e, mark=marks.get(student)) if e.id == "1.1" else e for e in row.exercises]
            rows.append(replace(row, exercises=tuple(exercises)))
        return book_of(*rows)

    def marked(self):
        return self.book(ada=ManualMark(3.5, self.COMMENT))

    def test_manual_marks_are_in_the_tables(self):
        ada, bob = csv.DictReader(io.StringIO(grades_csv(self.marked()).decode("utf-8-sig")))
        assert [ada[k] for k in ("points", "out of", "exercise 1.1", "by hand")] == ["6", "15", "3.5", "4"]
        assert [bob[k] for k in ("points", "out of", "exercise 1.1", "by hand")] == ["2.5", "10", "", "9"]
        assert ada["comment on exercise 1.1"] == self.COMMENT
        exercise = json.loads(grades_json(self.marked()))["submissions"][0]["exercises"][0]
        assert (exercise["points"], exercise["by_hand"], exercise["comment"]) == (3.5, True, self.COMMENT)

    def test_manual_marks_are_in_gradescopes_results(self):
        book = self.marked()
        content = json.loads(gradescope_json(book.rows[0], book))
        (test,) = (test for test in content["tests"] if "by hand" in test["tags"])
        assert (content["score"], test["score"], test["max_score"], test["output"]) == (6.0, 3.5, 5.0, self.COMMENT)
        assert wording("grading.up_to_points_more") in content["output"]

    def test_manual_marks_are_on_the_students_page(self):
        book = self.marked()
        page = student_html(book.rows[0], book)
        assert "<b>6</b> of 15 points" in page and "3.5 of 5 points" in page
        assert "Well <em>seen</em>; why" in page and "<msup><mi>x</mi><mn>2</mn></msup>" in page and "&lt;b&gt;" in page
        assert wording("grading.more_points_come_exercise", "4", "1.10") in page
        assert "Well" not in student_html(book.rows[1], book)

    def test_manual_marks_are_on_the_class_pages(self):
        book = self.marked()
        summary, answers = summary_html(book), answers_html(book)
        assert "3.5 of 5, 1 of 2 marked" in summary and wording("grading.marked_by_hand_of") in summary
        assert '<span class="mark">3.5 of 5</span>' in answers and answers.count("not marked</span>") == 3
        assert "Well <em>seen</em>" in answers

    def test_full_marks_count_only_marked_exercises(self):
        full, less = self.book(ada=ManualMark(5.0)), self.book(ada=ManualMark(4.0))
        whole = CheckGrade("t.py::test_b", "1.5", "B", True, "ok")

        def with_hidden(book):
            def more_of(exercise):
                return replace(exercise, checks=(*exercise.checks, whole)) if exercise.checks else exercise

            rows = [replace(row, exercises=tuple(map(more_of, row.exercises))) for row in book.rows]
            return summary_html(book_of(*rows))

        assert "2 with full marks" in with_hidden(full) and "1 with full marks" in with_hidden(less)
