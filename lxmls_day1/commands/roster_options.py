"""The options of ``lxmls-day1 grade`` for a roster, which is read before grading and filled in afterwards."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import click

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.errors import InputError, pluralize
from lxmls_day1.grading.gradebook import Gradebook
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.reports.roster import ID_COLUMN, MATCHES_FILE, Roster
from lxmls_day1.grading.safe_text import one_line

ROSTERS = "roster"  # the folder of the filled-in roster
FILLED_RECORD = ".filled.json"  # the names of all rosters that were filled in, with the digests of the marks
MAX_LISTED = 20


def read_roster(
    folder: Path, roster: str, marks_column: str | None, id_column: str | None, group_column: str | None
) -> Roster:
    """Read the roster of the options, and report its faults before anything is graded."""
    path = Path(roster)
    if not path.is_file():
        fault = "is not a file" if path.exists() else "does not exist"
        raise InputError(f"{path} {fault}; --roster must be the file that your platform has exported.")
    place = folder / ROSTERS / path.name
    if path.name == MATCHES_FILE or (place.exists() and place.samefile(path)):
        raise InputError(f"{path} would be overwritten; copy it elsewhere, and give the copy to --roster.")
    return Roster(path, marks_column or "", id_column or "", group_column or "")


def fill_in(students: Roster, found: Sequence[FoundSubmission], book: Gradebook, folder: Path) -> None:
    """Write the filled-in roster and a report on it, and print what needs attention."""
    filled = students.fill(found, book.rows)
    place = folder / ROSTERS
    place.mkdir(exist_ok=True)
    known = json.dumps({**_filled_in(folder), students.path.name: _digest_of_marks(folder)}).encode()
    write_files_atomically(
        {place / FILLED_RECORD: known, place / students.path.name: filled.content, place / MATCHES_FILE: filled.table()}
    )
    number = pluralize(filled.n_filled, "student")
    click.echo(f"  {place / students.path.name}: {number} in the column {filled.column!r}")
    if not filled.n_filled:
        theirs = next((match.id for match in filled.matches if not match.submission), "none")
        ours = next((match.id or match.submission for match in filled.matches if match.submission), "none")
        names = ", ".join(repr(students.header[number]) for number in students.ids)
        advice = "--id-column names another column."
        if platform := students.platform_without_column(found):
            advice = (
                f"{platform}'s ids count only in the column {ID_COLUMN[platform]!r}, which is missing: name the column that holds "
                "them with --id-column, even if it is one of these."
            )
        click.echo(
            f"Nobody was matched. Ids on the roster ({names}) are such as {one_line(theirs)}, and those of the submissions such as "
            f"{one_line(ours)}; {advice}",
            err=True,
        )
    if filled.unmatched:
        click.echo(
            f"Only on the roster, only in the submissions, nothing to grade, or not clear ({MATCHES_FILE} lists all):",
            err=True,
        )
        for match in filled.unmatched[:MAX_LISTED]:
            click.echo(f"  {one_line(match.id or match.submission)}: {one_line(match.remark)}", err=True)
        if len(filled.unmatched) > MAX_LISTED:
            click.echo(f"  and {len(filled.unmatched) - MAX_LISTED} more", err=True)


def remove_stale(folder: Path) -> None:
    """Remove the rosters that an earlier run has filled in with other marks, and report it; other files stay."""
    place, now = folder / ROSTERS, _digest_of_marks(folder)
    filled = _filled_in(folder)
    stale = [name for name, marks in filled.items() if marks != now]
    for path in (place / name for name in stale):
        if path.is_file():
            path.unlink()
            click.echo(f"  {path} had marks of an earlier run and was removed; --roster fills it in again", err=True)
    if stale:
        write_files_atomically(
            {place / FILLED_RECORD: json.dumps({name: now for name in filled if name not in stale}).encode()}
        )
    if stale and len(stale) == len(filled):
        (place / MATCHES_FILE).unlink(missing_ok=True)


def _filled_in(folder: Path) -> dict[str, str]:
    """Return the rosters that were filled in so far, with the digest of the marks of each."""
    try:
        return {
            Path(name).name: str(marks)
            for name, marks in json.loads((folder / ROSTERS / FILLED_RECORD).read_bytes()).items()
        }
    except (OSError, ValueError, AttributeError):
        return {}  # If the file is missing or damaged, nothing is removed.


def _digest_of_marks(folder: Path) -> str:
    table = folder / "grades.csv"
    return hashlib.sha256(table.read_bytes()).hexdigest() if table.is_file() else ""
