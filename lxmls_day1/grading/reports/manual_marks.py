"""Manual marks for exercises without checks: `grade` writes a file, an instructor fills it in, and `grade` reads it back.

``hand-marks.csv`` in the output folder has a row for each student and each manually marked exercise:

    student  name  question                 points  out of  comment  answer
    ada      Ada   exercise 1.1: Variance           5                …

The instructor fills in points and comment; the other columns are only for reading. Existing rows are never changed. Rows for new students
and exercises are appended in the file's current format. A spreadsheet may have saved it with semicolons, tabs, a byte
order mark, another encoding or decimal commas. The columns may be in another order, and further columns are allowed.

`KNOWN`, next to it, lists the rows that were written so far. It distinguishes a row that the instructor removed from a new row.
"""

import contextlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.errors import InputError, did_you_mean
from lxmls_day1.grading.gradebook import ExerciseGrade, ManualMark, SubmissionGrade
from lxmls_day1.grading.reports.page_frame import name_of, points_text
from lxmls_day1.grading.safe_text import one_line, table_cell, table_lines
from lxmls_day1.grading.table_files import NotTextError, TextTable

FILE, KNOWN = "hand-marks.csv", ".hand-marks.json"
STUDENT, NAME, QUESTION, POINTS, OUT_OF, COMMENT, ANSWER = COLUMNS = (
    "student", "name", "question", "points", "out of", "comment", "answer",
)  # fmt: skip
MAX_CELL_CHARS = 30_000  # characters; spreadsheets allow 32,767
MAX_LIST_CHARS = 200  # characters; the names of a large class would hide the rest of the message
MAX_PROBLEMS_SHOWN = 10  # mistakes in the file that one message lists
_NUMBER = re.compile(r"[0-9]{1,6}(?:[.,][0-9]{1,6})?")
_QUESTION = re.compile(r"(?:exercise\s+)?([^\s:]+)", re.IGNORECASE)

Place = tuple[str, str]  # a student, and an exercise


@dataclass(frozen=True)
class ManualMarks:
    """The contents of the file of manual marks.

    Attributes
    ----------
    marks : mapping from (student, exercise) to ManualMark
        The marks of the rows that are filled in.
    places : collection of (student, exercise)
        The student and the exercise of every row.
    """

    marks: Mapping[Place, ManualMark] = field(default_factory=dict)
    places: Collection[Place] = ()

    def apply_to(self, row: SubmissionGrade) -> SubmissionGrade:
        """Return the row with the marks of its student."""
        exercises = tuple(
            replace(exercise, mark=self.marks.get((row.student, exercise.id))) if exercise.is_manual else exercise
            for exercise in row.exercises
        )
        return replace(row, exercises=exercises)


def read_manual_marks(out: Path, students: Collection[str], out_of: Mapping[str, float]) -> ManualMarks:
    """Read the file in an output folder, if it exists.

    Parameters
    ----------
    out : Path
    students : collection of str
        The students of this run. Earlier rows of other students are ignored.
    out_of : mapping from exercise to points
        The maximum points of each manually marked exercise of this run.

    Returns
    -------
    ManualMarks

    Raises
    ------
    InputError
        If the file is not such a table, or has invalid rows: an unknown student or exercise, a duplicate or removed
        row, points that are not a number from 0 to the maximum. The message numbers the rows as a spreadsheet does.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "hand-marks.csv").write_text("student;question;points\\nada;exercise 1.1: Variance;3,5\\n")
    ...     read_manual_marks(Path(folder), ["ada"], {"1.1": 5.0}).marks
    {('ada', '1.1'): ManualMark(points=3.5, comment='')}
    """
    path = out / FILE
    known = _written_rows(out)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ManualMarks()
    table, columns = _table(content, path)
    reading = _RowReader(students, out_of, known)
    for number in range(1, len(table.rows)):
        # Reversed, so that the first of several columns with the same name wins.
        cells = {name: table.text(number, n) for n, name in reversed(list(enumerate(columns)))}
        if any(cells.values()):
            reading.read_row(table.row_number(number), cells)
    problems = reading.problems + [
        f"the row of {student} for exercise {exercise} is missing; put it back, and leave its points empty if there are none"
        for student, exercise in sorted(known - reading.rows.keys())
        if student in students and exercise in out_of
    ]
    if problems:
        more = f"\n  and {len(problems) - MAX_PROBLEMS_SHOWN} more" if len(problems) > MAX_PROBLEMS_SHOWN else ""
        listed = "\n  ".join(problems[:MAX_PROBLEMS_SHOWN])
        raise InputError(
            f"{path} cannot be used as it is:\n  {listed}{more}\nCorrect this, or move the file away to start a new one."
        )
    return ManualMarks(reading.marks, reading.rows.keys())


def write_manual_marks(out: Path, rows: Iterable[SubmissionGrade], found: ManualMarks) -> int:
    """Append rows for exercises to be marked that are not in the file. The file is created if necessary.

    Parameters
    ----------
    out : Path
    rows : iterable of SubmissionGrade
    found : ManualMarks
        The result of `read_manual_marks` for this folder.

    Returns
    -------
    int
        The number of rows added.
    """
    places = set(found.places)
    manual = ((row, exercise) for row in rows for exercise in row.exercises if exercise.is_manual)
    added = [(row, exercise) for row, exercise in manual if (row.student, exercise.id) not in places]
    # Grouped by question, because instructors mark question by question.
    added.sort(key=lambda one: [e.id for e in one[0].exercises].index(one[1].id))
    known = places | {(row.student, exercise.id) for row, exercise in added}
    if not known:
        return 0
    contents = {out / KNOWN: json.dumps({"rows": sorted(known)}).encode()}
    if added:
        path = out / FILE
        contents[path] = _with_rows(path, added)
    write_files_atomically(contents)
    return len(added)


def _with_rows(path: Path, added: Sequence[tuple[SubmissionGrade, ExerciseGrade]]) -> bytes:
    """Return the file with more rows, in its own format and column order."""
    if path.is_file():
        table, columns = _table(path.read_bytes(), path)
    else:
        table, columns = TextTable([]), list(COLUMNS)
        table.add(COLUMNS)
    for row, exercise in added:
        cells = _cells(row, exercise)
        if table.separator == ";":
            cells[OUT_OF] = cells[OUT_OF].replace(".", ",")
        table.add([cells.get(column, "") for column in columns])
    return table.content()


def _cells(row: SubmissionGrade, exercise: ExerciseGrade) -> dict[str, str]:
    theirs = [answer for answer in row.answers if answer.exercise == exercise.id]
    if len(theirs) == 1:
        said = theirs[0].text
    else:
        said = "\n\n".join(
            f"({n}) {one_line(a.asked, 120)}\n{a.text.strip() or '(no answer)'}" for n, a in enumerate(theirs, 1)
        )
    return {
        STUDENT: table_cell(row.student),
        NAME: table_cell(name_of(row)),
        QUESTION: table_cell(f"exercise {exercise.id}: {exercise.title}"),
        OUT_OF: points_text(exercise.out_of),
        ANSWER: table_lines(said, MAX_CELL_CHARS),
    }


def _written_rows(out: Path) -> set[Place]:
    """Return the rows that were written to the file so far."""
    try:
        content = json.loads((out / KNOWN).read_text(encoding="utf-8"))
        return {(str(student), str(exercise)) for student, exercise in content["rows"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()  # missing or damaged; no row can be reported as removed


def _table(content: bytes, path: Path) -> tuple[TextTable, list[str]]:
    """Return the rows of a file, and the names of its columns in lower case."""
    with contextlib.suppress(NotTextError):
        table = TextTable.read(content)
        columns = [name.lower() for name in table.header]
        if {STUDENT, QUESTION, POINTS} <= set(columns):
            return table, columns
    raise InputError(
        f"{path} is not a table of marks: its first row must name the columns {STUDENT}, {QUESTION} and {POINTS}, separated by commas, "
        f"semicolons or tabs. Save it as CSV, or move it away to start a new one."
    )


class _RowReader:
    """A reader of the rows of the file, which collects marks and problems."""

    def __init__(self, students: Collection[str], out_of: Mapping[str, float], known: set[Place]):
        self.marks: dict[Place, ManualMark] = {}
        self.rows: dict[Place, int] = {}
        self.problems: list[str] = []
        self._out_of = out_of
        self._exercises = dict.fromkeys([*out_of, *(exercise for _, exercise in sorted(known))])
        everybody = {*students, *(student for student, _ in known)}
        self._students = {table_cell(student): student for student in everybody}

    def read_row(self, number: int, cells: Mapping[str, str]) -> None:
        """Read one row, and add its errors to `problems`."""
        try:
            student, exercise = place = self._place(cells)
            if place in self.rows:
                raise ValueError(f"{student} stands in row {self.rows[place]} for exercise {exercise} already")
            self.rows[place] = number
            points = self._points(cells[POINTS], exercise)
        except ValueError as error:
            self.problems.append(f"row {number}: {error}")
            return
        comment = cells.get(COMMENT, "").strip()
        if points is not None or comment:
            self.marks[place] = ManualMark(points, comment)

    def _place(self, cells: Mapping[str, str]) -> Place:
        said, asked = cells[STUDENT].strip(), cells[QUESTION].strip()
        student = self._students.get(said)
        if student is None:
            close = did_you_mean(said, self._students)
            raise ValueError(
                f"there is no submission of {one_line(said)!r}{close if len(close) < MAX_LIST_CHARS else ''}"
            )
        match = _QUESTION.match(asked)
        if match is None or match[1] not in self._exercises:
            marked = ", ".join(self._exercises) or "none"
            raise ValueError(f"no exercise that is marked by hand is called {one_line(asked)!r}; there are: {marked}")
        return student, match[1]

    def _points(self, text: str, exercise: str) -> float | None:
        text = text.strip().removeprefix("'")
        if not text:
            return None
        most = self._out_of.get(exercise)
        number = float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None
        if number is None or (most is not None and number > most):
            to = f"from 0 to {points_text(most)}" if most is not None else "such as 3.5"
            is_date = re.search(r"\d\W+[^\W\d]{3}|\d[./-]\d+[./-]", text)
            date = "; if a spreadsheet turns 3.5 into a date, write 3,5" if is_date else ""
            raise ValueError(
                f"the points for exercise {exercise} must be a number {to}, or empty if it is not marked yet; got "
                f"{one_line(text, 40)!r}{date}"
            )
        return number
