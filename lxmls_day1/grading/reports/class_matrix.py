"""The matrix of a class, students × exercises, and the list of submissions that need a look, each with what to do."""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from lxmls_day1.grading.gradebook import NOT_HANDED_IN, ExerciseGrade, SubmissionGrade
from lxmls_day1.grading.intake.submissions import OTHER_VERSION
from lxmls_day1.grading.reports.page_frame import anchor_of, file_of, name_of, points_text
from lxmls_day1.grading.safe_text import one_line
from lxmls_day1.grading.verdicts import CRASHED, MEMORY, MISSING, REFUSED, TIMEOUT

LOOK, ABSENT, STOPPED, NAMED, BLANK, BY_HAND = "look", "absent", "stopped", "named", "blank", "hand"
#: Sign of a cell -> (character, words), the most urgent first.
SIGNS = {
    LOOK: ("⚑", "needs a look"),
    ABSENT: ("∅", "not handed in"),
    STOPPED: ("◷", "stopped, or refused"),
    NAMED: ("✎", "named mistake"),
    BLANK: ("○", "not begun"),
    BY_HAND: ("…", "to be marked by hand"),
}
_PLAIN = str.maketrans({"æ": "ae", "đ": "d", "ł": "l", "ø": "o", "œ": "oe"})
LEVELS = 4  # colours of a share below the full one
MAX_ROWS_OF_NORMAL_PRINT = 60  # more are printed in two columns of a font that puts 300 on two pages
IGNORED, NOT_MADE = "; it was ignored.", " could not be made: "


class MatrixCell(NamedTuple):
    """A cell of the matrix: the share of the points in percent (empty: no points yet), and a sign, a key of `SIGNS`."""

    percent: str
    level: str
    sign: str
    why: str
    link: str


def class_matrix(rows: Sequence[SubmissionGrade], answer_links: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Return the matrix, sorted by name.

    Parameters
    ----------
    rows : sequence of SubmissionGrade
    answer_links : mapping from (exercise, student) to link
        The places of the free-text answers on their page.

    Returns
    -------
    dict
        The columns (`heads`: exercise and title), the `rows`, and how often each sign occurs (`signs`).

    Examples
    --------
    >>> row = SubmissionGrade("ada", "Ada", "", "", (ExerciseGrade("1.1", "A look", "experiment", 5.0),))
    >>> class_matrix([row], {})["rows"][0]["cells"]
    [MatrixCell(percent='', level='', sign='blank', why='', link='feedback/ada.html#exercise-1-1')]
    """
    heads = {exercise.id: exercise.title for row in rows for exercise in row.exercises}
    names = Counter(map(name_of, rows))
    lines: list[dict[str, Any]] = []
    for row in sorted(rows, key=_sort_key):
        cells = {exercise.id: _cell(row, exercise, answer_links) for exercise in row.exercises}
        lines.append(
            {
                "row": row,
                # The section of the page that says why the submission needs a look.
                "look_at": "notes" if row.problem or row.notes else "owners" if row.doubts else "",
                "has_namesake": names[name_of(row)] > 1,
                "points": points_text(row.points),
                "file": file_of(row),
                "cells": [cells.get(id) for id in heads],  # None for an exercise that the submission does not have
            }
        )
    counts = Counter(cell.sign for line in lines for cell in line["cells"] if cell is not None)
    counts[LOOK] = sum(bool(line["look_at"]) for line in lines)
    return {
        "heads": list(heads.items()),
        "rows": lines,
        "signs": [(*SIGNS[sign], counts[sign]) for sign in SIGNS if counts[sign]],
        "SIGNS": SIGNS,
        "is_long": len(lines) > MAX_ROWS_OF_NORMAL_PRINT,
    }


def _sort_key(row: SubmissionGrade) -> tuple[str, str]:
    """Return a name without case and accents, and the student's key. Unicode does not decompose some letters, such as ł."""
    letters = unicodedata.normalize("NFKD", name_of(row).casefold()).translate(_PLAIN)
    return "".join(letter for letter in letters if not unicodedata.combining(letter)), row.student


def _cell(row: SubmissionGrade, exercise: ExerciseGrade, answer_links: Mapping[tuple[str, str], str]) -> MatrixCell:
    sign, why = _sign(row, exercise)
    link = answer_links.get((exercise.id, row.student)) if exercise.is_manual else ""
    link = link or f"feedback/{quote(row.student, safe='')}.html#{anchor_of(exercise.id)}"
    if exercise.points is None:
        return MatrixCell("", "", sign, why, link)
    share = min(max(exercise.points / exercise.out_of, 0.0), 1.0) if exercise.out_of else 0.0
    # Only all points are 100 %, and only no points are 0 %.
    percent = max(int(100 * share + 1e-6), int(share > 0))
    level = "none" if sign in (LOOK, ABSENT, BLANK) and not percent else f"s{min(int(LEVELS * share + 1e-9), LEVELS)}"
    return MatrixCell(f"{percent}", level, sign, why, link)


def _sign(row: SubmissionGrade, exercise: ExerciseGrade) -> tuple[str, str]:
    """Return the sign of a cell, and the name of the mistake. An exercise has the most urgent sign only."""
    if exercise.is_manual:
        if exercise.points is not None:
            return "", ""
        texts = (answer.text.strip() for answer in row.answers if answer.exercise == exercise.id)
        return (BY_HAND if any(texts) else BLANK), ""
    if row.failed or row.problem:
        return LOOK, ""
    if all(check.verdict == MISSING for check in exercise.checks):
        return (ABSENT if any(check.text.startswith(NOT_HANDED_IN) for check in exercise.checks) else BLANK), ""
    # A refused hidden check that has a text was not run, for example because the sandbox is not safe enough.
    refused = (check for check in exercise.checks if check.verdict == REFUSED)
    is_refused = any(not (check.hidden and check.text) for check in refused)
    if is_refused or any(check.verdict in (TIMEOUT, MEMORY, CRASHED) for check in exercise.checks):
        return STOPPED, ""
    mistakes = exercise.mistakes
    return (NAMED, ", ".join(one_line(name, 60) for name, _ in mistakes)) if mistakes else ("", "")


class Look(NamedTuple):
    """The reasons why a submission needs a look, how far it was graded, and what to do."""

    row: SubmissionGrade
    outcome: str
    why: str
    advice: str


def submissions_to_look_at(rows: Sequence[SubmissionGrade]) -> list[Look]:
    """Return the submissions that could not be read or graded in full, those without any result first.

    Examples
    --------
    >>> row = SubmissionGrade("ada", "Ada", "", "", (), notes=("not handed in: mira.py.",))
    >>> [(look.outcome, look.why) for look in submissions_to_look_at([row])]
    [('nothing to grade', 'not handed in: mira.py.')]
    """
    looks = [Look(row, *_outcome(row, note)) for row in rows for note in (row.problem, *row.notes) if note]
    return sorted(looks, key=lambda look: not (look.row.failed or look.row.problem))


def _outcome(row: SubmissionGrade, note: str) -> tuple[str, str, str]:
    """Return how far the submission was graded, the note, and what to do about it."""
    if row.failed:
        return "not graded", note, "Run the same command again; it grades this submission once more."
    if note == row.problem:
        return "nothing to grade", note, "Open the file; ask for a readable one, and run the same command again."
    if note.startswith(NOT_HANDED_IN):
        is_empty = all(check.verdict == MISSING for check in row.checks)
        outcome = "nothing to grade" if is_empty else "graded without these files"
        advice = (
            "Their exercises have no points. Look for the work under another name or in a notebook; ask for the files."
        )
        return outcome, note, advice
    if note.endswith(IGNORED):
        return "graded without this part", note, "Open the submission; if the part matters, ask for a readable one."
    if note.endswith(OTHER_VERSION):
        advice = "Ask which version should count; remove the other one, and run the same command again."
        return "graded without another version", note, advice
    if NOT_MADE in note:
        advice = "The points are complete. Open the submission for this part."
        return "graded; a part of the page is missing", note, advice
    return "graded, with a remark", note, "Open the submission."
