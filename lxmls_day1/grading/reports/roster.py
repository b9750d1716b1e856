"""A roster: an instructor's grade-book export of a learning platform, returned with one column filled in.

All other bytes stay the same: encoding, byte order mark, quotes, line ends, rows without a student. Therefore the text is
split into its cells in their written form, and only the cells of the column are replaced.

Canvas, Moodle and Blackboard name their columns of ids in English, or in the user's language; see `ID_COLUMNS` and
`MOODLE_ID`. Nothing is guessed from names of persons.

References
----------
Canvas, *How do I export grades in the Gradebook?*; Moodle, *Grade import*; Blackboard, *Work offline with grade data*
"""

import itertools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lxmls_day1.base.errors import InputError, did_you_mean
from lxmls_day1.base.text_table import as_csv
from lxmls_day1.grading.gradebook import SubmissionGrade
from lxmls_day1.grading.intake.found_submission import BLACKBOARD, CANVAS, MOODLE, FoundSubmission
from lxmls_day1.grading.reports.page_frame import points_text
from lxmls_day1.grading.safe_text import table_cell
from lxmls_day1.grading.table_files import Cell, NotTextError, TextTable

#: Columns that hold ids, in lower case: for Canvas, for Moodle (grade book and grading worksheet), for Blackboard.
ID_COLUMNS = (
    *("id", "sis user id", "sis login id", "integration id"),
    *("identifier", "id number", "email address", "username"),
    *("student id", "email"),
)
#: The column of a roster that holds a platform's ids.
ID_COLUMN = {CANVAS: "id", MOODLE: "identifier", BLACKBOARD: "username"}
#: An id in the first column of Moodle's grading worksheet: Moodle's word for a participant, in some languages, and a number.
MOODLE_ID = re.compile(r"(Participante?|Partecipante|Teilnehmer/in|Deelnemer|Deltagare) ?\d+")
OWN_COLUMN = "lxmls-day1"
MATCHES_FILE = "matches.csv"  # the file that lists all matches
MAX_ROSTER_BYTES = 50_000_000  # bytes
IdColumns = Sequence[tuple[str, Mapping[int, str]]]  # the name of each column of ids, and its id in each line
#: The end of a column's name that Canvas (``Day 1 (12345)``) and Blackboard (``Day 1 [Total Pts: 20 Score] |12345``) add.
_PLATFORM_SUFFIX = re.compile(r"\s*(\(\d+\)|\[[^\[\]]*\]\s*\|\s*\d+|\(real\))\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Match:
    """A line of the list of matches, for one student, or for a submission without a student on the roster."""

    id: str
    submission: str
    points: float | None = None
    remark: str = ""


@dataclass(frozen=True)
class FilledRoster:
    """A roster whose column is filled in.

    Attributes
    ----------
    content : bytes
    matches : tuple of Match
        A line for each student on the roster, and one for each submission without a student.
    column : str
        The name of the column that was filled in.
    """

    content: bytes
    matches: tuple[Match, ...]
    column: str

    @property
    def n_filled(self) -> int:
        """The number of students with points."""
        return sum(match.points is not None for match in self.matches)

    @property
    def unmatched(self) -> tuple[Match, ...]:
        """The matches to look at: students without a readable submission, and submissions without a student."""
        return tuple(match for match in self.matches if match.remark)

    def table(self) -> bytes:
        """Return all matches as CSV, for a spreadsheet."""
        texts = (
            (one.id, one.submission, "" if one.points is None else points_text(one.points), one.remark)
            for one in self.matches
        )
        rows = (list(map(table_cell, row)) for row in texts)
        return as_csv(("id", "submission", "points", "remark"), rows).encode("utf-8-sig")


class Roster:
    """A roster that is read and validated before any submission is graded.

    Parameters
    ----------
    path : Path
    column : str, optional
        The name of the column to fill in, with or without the suffix that Canvas or Blackboard adds. Default: `OWN_COLUMN`,
        which is added after the last column if it does not exist.
    id_column : str, optional
        The column with the ids of students. Default: every column of `ID_COLUMNS` in the roster.
    group_column : str, optional
        The column with the groups of students. All lines with the same group get its best mark.

    Raises
    ------
    InputError
        If the file cannot be read, is not a table, or lacks a column.
    """

    def __init__(self, path: Path, column: str = "", id_column: str = "", group_column: str = ""):
        self.path = path
        content = path.read_bytes() if path.stat().st_size <= MAX_ROSTER_BYTES else b""
        if not content.strip():
            raise InputError(f"{path} is not a roster: it is {'too large' if path.stat().st_size else 'empty'}.")
        try:
            self.table = TextTable.read(content)
        except NotTextError as error:
            raise InputError(
                f"{path} is {error}, but a roster must be a text table: save or export it as CSV, UTF-8 (Blackboard: as .xls, "
                "separated by tabs)."
            ) from None
        self.header = self.table.header
        if len(self.header) < 2 or len(self.table.rows) < 2:
            raise InputError(
                f"{path} is not a table of students: it needs a first line with the names of columns, and a line for each "
                "student. Export the grade book of your platform as CSV (Blackboard: as .xls, separated by tabs)."
            )
        self.heads = [name.casefold() for name in self.header]
        first = [self.table.text(number, 0) for number in range(1, len(self.table.rows))]
        if any(first) and all(MOODLE_ID.fullmatch(id) for id in first if id):
            self.heads[0] = ID_COLUMN[MOODLE]
        known = [number for number, head in enumerate(self.heads) if head in ID_COLUMNS]
        self.ids = [self._column_number(id_column)] if id_column else known
        self._is_id_named = bool(id_column)
        if not self.ids:
            raise InputError(
                f"{path} has none of the known columns of ids ({', '.join(ID_COLUMNS)}); name one with --id-column"
                f"{did_you_mean('', self.header)}"
            )
        self._group = self._column_number(group_column) if group_column else None
        present = [number for number, name in enumerate(self.header) if name == OWN_COLUMN]
        self.target = self._column_number(column) if column else present[0] if present else None
        if self.target in self.ids:
            raise InputError(
                f"{self.header[self.target or 0]!r} is a column of ids in {path}; choose another one for the marks."
            )
        self.column = OWN_COLUMN if self.target is None else self.header[self.target]

    def _column_number(self, name: str) -> int:
        """Return the number of a column."""
        exact = [i for i, known in enumerate(self.header) if known == name.strip()]
        wanted = name.strip().casefold()
        found = exact or [i for i, known in enumerate(self.header) if known.casefold() == wanted]
        bare = [_PLATFORM_SUFFIX.sub("", known).casefold() for known in self.header]
        found = found or [i for i, known in enumerate(bare) if known == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(f"{self.path} has {len(found)} columns {name!r}; write the full name.")
        raise InputError(f"{self.path} has no column {name!r}{did_you_mean(name, [one for one in self.header if one])}")

    def fill(self, found: Sequence[FoundSubmission], rows: Iterable[SubmissionGrade]) -> FilledRoster:
        """Match students and submissions, and fill in the column.

        Parameters
        ----------
        found : sequence of FoundSubmission
            The submissions that were found.
        rows : iterable of SubmissionGrade
            The results of the submissions.

        Returns
        -------
        FilledRoster
        """
        points = {row.student: row for row in rows}
        students = self._students()
        heads = {i: "" if self._is_id_named else self.heads[i] for i in self.ids}
        columns = [(head, {n: self.table.text(n, i) for n in students}) for i, head in heads.items()]
        whose, problems = matched_lines(found, columns)
        by_line = {n: self._match(n, whose.get(n), points, problems.get(n, "")) for n in students}
        matches = [self._best_of_group(number, by_line) for number in students]
        marks = zip(students, [match.points for match in matches], strict=True)
        values = {number: points for number, points in marks if points is not None}
        known = {one.student for one in whose.values()}
        for one in found:
            if one.student not in known:
                remark = problems.get(one.student) or (
                    "nobody on the roster has this id" if one.ids else "the owner is in doubt; see the summary"
                )
                matches.append(Match("".join(one.ids[:1]), one.student, None, remark))
        out_of = max((row.out_of for row in points.values()), default=0.0)
        return FilledRoster(self._content(values, out_of), tuple(matches), self.column)

    def platform_without_column(self, found: Sequence[FoundSubmission]) -> str:
        """Return a platform whose submissions match nobody because its own column of ids is missing; empty if there is none."""
        lacking = (one.platform for one in found if ID_COLUMN.get(one.platform, "") not in ("", *self.heads))
        return "" if self._is_id_named else next(lacking, "")

    def _best_of_group(self, number: int, by_line: Mapping[int, Match]) -> Match:
        """Return the best mark of a line and of the other lines in its group."""
        own, group = by_line[number], self.table.text(number, self._group) if self._group is not None else ""
        if not group:
            return own
        theirs = [match for other, match in by_line.items() if self.table.text(other, self._group or 0) == group]
        best = max(theirs, key=lambda match: -1.0 if match.points is None else match.points)
        return own if own.points == best.points else replace(best, id=own.id)

    def _students(self) -> list[int]:
        """Return the numbers of the lines with an id, which excludes Canvas's line of possible points and empty lines."""
        return [number for number in range(1, len(self.table.rows)) if self._id(number)]

    def _id(self, number: int) -> str:
        return next(filter(None, (self.table.text(number, i) for i in self.ids)), "")

    def _match(
        self, number: int, found: FoundSubmission | None, rows: Mapping[str, SubmissionGrade], problem: str
    ) -> Match:
        """Return the match of one student."""
        id, row = self._id(number), rows.get(found.student) if found else None
        if row is None:
            return Match(id, "", remark=problem or "no submission")
        if row.failed:
            return Match(id, row.student, remark="could not be graded")
        return Match(id, row.student, row.points, "nothing to grade; see the summary" if row.problem else "")

    def _content(self, values: Mapping[int, float], out_of: float) -> bytes:
        """Return the file with these numbers in the column."""
        comma, is_new, separator = self._decimal_comma(), self.target is None, self.table.separator
        target = max(map(len, self.table.rows)) if self.target is None else self.target
        written = []
        for number, row in enumerate(self.table.rows):
            value = points_text(values[number]) if number in values else None
            if value is not None and comma:
                value = value.replace(".", ",")
            if is_new and row[0].raw + row[-1].raw:
                is_possible = row[0].text.casefold() == "points possible"  # Canvas's second line
                value = OWN_COLUMN if number == 0 else value or (points_text(out_of) if is_possible else "")
            if value is not None:
                cells = [*row, *[Cell("", "")] * (target + 1 - len(row))]
                alike = row[-1] if is_new else cells[target]
                cells[target] = Cell(_quoted_as(alike, value), "")
                row = [*(Cell(cell.raw, separator) for cell in cells[:-1]), Cell(cells[-1].raw, row[-1].end)]
            written.append(row)
        return replace(self.table, rows=written).content()

    def _decimal_comma(self) -> bool:
        """Return True if this table uses decimal commas: cells are not separated by commas, and no number has a point."""
        texts = [cell.text for row in self.table.rows[1:] for cell in row]
        with_comma = any(re.fullmatch(r"-?\d+,\d+", text) for text in texts)
        with_point = any(re.fullmatch(r"-?\d+\.\d+", text) for text in texts)
        return self.table.separator != "," and with_comma and not with_point


def _quoted_as(cell: Cell, value: str) -> str:
    """Return the value with quotes if the cell has quotes."""
    return f'"{value}"' if cell.raw.strip().startswith('"') else value


def matched_lines(
    found: Sequence[FoundSubmission], columns: IdColumns
) -> tuple[dict[int, FoundSubmission], dict[int | str, str]]:
    """Match submissions with the lines of a roster, by ids alone.

    Submissions whose owner was found in an earlier run are matched first. Within a run, exact ids are matched first, then ids
    without the signs that spreadsheets add, then ids in other upper or lower case, then numbers without leading zeros. A later
    match never takes or disputes a line that is already matched.

    Parameters
    ----------
    found : sequence of FoundSubmission
    columns : sequence of (name, mapping from line to cell)
        The columns with ids. Their names are in lower case, or empty for a column that the instructor named. A platform's
        submissions are matched only with the platform's own column, because students may edit the others.

    Returns
    -------
    (mapping from line to FoundSubmission, mapping from line or student to sentence)
        The matches, and the reasons why other lines and students were not matched.
    """
    whose: dict[int, FoundSubmission] = {}
    problems: dict[int | str, str] = {}
    readings: tuple[Callable[[str], str], ...] = (str, _unquoted_id, _normalized_id, _id_without_zeros)
    forms = {written: [(name, _lines_by_id(cells, written)) for name, cells in columns] for written in readings}
    found = _resolve_ids(found, columns)
    runs = sorted({one.first_run for one in found})
    for run, written in itertools.product(runs, forms):
        have_one = {one.student for one in whose.values()}
        claims: dict[int, list[FoundSubmission]] = defaultdict(list)
        for one in (one for one in found if one.first_run == run):
            theirs = _lines_of(one, forms[written], written)
            if one.student in have_one or one.student in problems or not theirs:
                continue
            if len(theirs) > 1:
                problems[one.student] = "several lines of the roster have this id"
            else:
                claims[theirs.pop()].append(one)
        for number, ones in claims.items():
            first = whose.get(number)
            if first is None and len(ones) == 1:
                whose[number] = ones[0]
                continue
            for one in ones:
                other = first or next(o for o in ones if o is not one)
                problems[one.student] = f"{other.student} has the same id"
            if first is None:
                problems[number] = f"{' and '.join(one.student for one in ones)} have this id"
    for _, cells in columns:
        for id, numbers in _lines_by_id(cells, _unquoted_id).items():
            for number in numbers if len(numbers) > 1 else ():
                if number not in whose:
                    problems[number] = f"the id {id} stands in {len(numbers)} lines"
    return whose, problems


def _lines_of(
    found: FoundSubmission, lines: Sequence[tuple[str, Mapping[str, set[int]]]], normalize: Callable[[str], str]
) -> set[int]:
    """Return the lines that a submission may belong to."""
    keys = {normalize(id) for id in found.ids} - {""}
    own = [column for name, column in lines if name in ("", ID_COLUMN.get(found.platform, name))]
    return {n for column in own for key in keys for n in column.get(key, ())}


def _resolve_ids(found: Sequence[FoundSubmission], columns: IdColumns) -> list[FoundSubmission]:
    """Resolve names with several readings: use the reading in which most of the names are ids of the roster."""
    known = {text for _, cells in columns for text in cells.values()}
    fits = Counter(n for one in found if len(one.ids) > 1 for n, id in enumerate(one.ids) if id in known)
    best = [n for n in fits if fits[n] == max(fits.values())]
    if len(best) != 1:
        return list(found)
    return [replace(one, ids=one.ids[best[0] : best[0] + 1]) if len(one.ids) > 1 else one for one in found]


def _lines_by_id(cells: Mapping[int, str], normalize: Callable[[str], str]) -> dict[str, set[int]]:
    """Map each id to its lines."""
    start = _common_start([text for text in cells.values() if text])
    found: dict[str, set[int]] = defaultdict(set)
    for number, text in cells.items():
        for key in {normalize(text), normalize(text.removeprefix(start))} - {""}:
            found[key].add(number)
    return found


def _common_start(ids: Sequence[str]) -> str:
    """Return the words before the numbers in all ids, as in Moodle's ``Participant 17``. The ``u`` of ``u1234`` is part of the id."""
    starts = {re.sub(r"\d+$", "", id) for id in ids}
    start = starts.pop() if len(starts) == 1 else ""
    return start if len(start.strip()) > 5 else ""


def _unquoted_id(id: str) -> str:
    """Return an id without the signs that stop a spreadsheet from reading a number: ``="007"`` and ``'007`` -> ``007``."""
    wrapped = re.fullmatch(r'="?([^"]*)"?', id)
    return (wrapped[1] if wrapped else id.removeprefix("'")).strip()


def _normalized_id(id: str) -> str:
    """Return an id without spaces, in lower case and with composed accents: `` Ada`` -> ``ada``."""
    return unicodedata.normalize("NFC", _unquoted_id(id)).casefold()


def _id_without_zeros(id: str) -> str:
    """Return a number without leading zeros (``007`` -> ``7``), and an empty string for anything else."""
    id = _unquoted_id(id)
    return id.lstrip("0") if id.isascii() and id.isdigit() else ""
