"""Match submissions with the lines of a roster, by ids alone. No looser reading of an id takes a line from the id as it is written."""

import itertools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lxmls_day1.grading.intake.found_submission import BLACKBOARD, CANVAS, MOODLE, FoundSubmission

#: The column of a roster that holds a platform's ids.
ID_COLUMN = {CANVAS: "id", MOODLE: "identifier", BLACKBOARD: "username"}


def matched_lines(
    found: Sequence[FoundSubmission], columns: Sequence[tuple[str, Mapping[int, str]]]
) -> tuple[dict[int, FoundSubmission], dict[int | str, str]]:
    """Match submissions with the lines of a roster, by ids alone.

    Who was found in an earlier run comes first. Of the others, an id as it is written does, then one without a spreadsheet's
    signs, then one in other letters, then a number without its zeros. Who comes later takes no line, and no doubt falls on whoever has it.

    Parameters
    ----------
    found : sequence of FoundSubmission
    columns : sequence of (name, mapping from line to cell)
        The columns with ids; their names in lower case, none for what an instructor has named. A platform's submissions
        belong to its own column: in others students may write what they like.

    Returns
    -------
    (mapping from line to FoundSubmission, mapping from line or student to sentence)
        The matches, and what is in the way of others.
    """
    whose: dict[int, FoundSubmission] = {}
    problems: dict[int | str, str] = {}
    forms = {
        written: [(name, _lines_by_id(cells, written)) for name, cells in columns]
        for written in (_exactly, _plainly, _loosely, _without_zeros)
    }
    found = _with_one_reading(found, columns)
    runs = sorted({one.since for one in found})
    for run, written in itertools.product(runs, forms):
        have_one = {one.student for one in whose.values()}
        claims: dict[int, list[FoundSubmission]] = defaultdict(list)
        for one in (one for one in found if one.since == run):
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
        for id, numbers in _lines_by_id(cells, _plainly).items():
            for number in numbers if len(numbers) > 1 else ():
                if number not in whose:
                    problems[number] = f"the id {id} stands in {len(numbers)} lines"
    return whose, problems


def _lines_of(
    one: FoundSubmission, lines: Sequence[tuple[str, Mapping[str, set[int]]]], written: Callable[[str], str]
) -> set[int]:
    """The lines that a submission may belong to."""
    keys = {written(id) for id in one.ids} - {""}
    own = [column for name, column in lines if name in ("", ID_COLUMN.get(one.platform, name))]
    return {n for column in own for key in keys for n in column.get(key, ())}


def _with_one_reading(
    found: Sequence[FoundSubmission], columns: Sequence[tuple[str, Mapping[int, str]]]
) -> list[FoundSubmission]:
    """Names that can be read in several ways are read in that in which most of them are ids of the roster."""
    known = {text for _, cells in columns for text in cells.values()}
    fits = Counter(n for one in found if len(one.ids) > 1 for n, id in enumerate(one.ids) if id in known)
    best = [n for n in fits if fits[n] == max(fits.values())]
    if len(best) != 1:
        return list(found)
    return [replace(one, ids=one.ids[best[0] : best[0] + 1]) if len(one.ids) > 1 else one for one in found]


def _lines_by_id(cells: Mapping[int, str], written: Callable[[str], str]) -> dict[str, set[int]]:
    """Id -> lines."""
    start = _common_start([text for text in cells.values() if text])
    found: dict[str, set[int]] = defaultdict(set)
    for number, text in cells.items():
        for key in {written(text), written(text.removeprefix(start))} - {""}:
            found[key].add(number)
    return found


def _common_start(ids: Sequence[str]) -> str:
    """The words with which all ids begin, if numbers follow: Moodle's ``Participant ``. ``u`` of ``u1234`` is a part of the id."""
    starts = {re.sub(r"\d+$", "", id) for id in ids}
    start = starts.pop() if len(starts) == 1 else ""
    return start if len(start.strip()) > 5 else ""


def _exactly(id: str) -> str:
    return id


def _plainly(id: str) -> str:
    """``="007"`` and ``'007``, which a spreadsheet does not read as numbers, -> ``007``."""
    wrapped = re.fullmatch(r'="?([^"]*)"?', id)
    return (wrapped[1] if wrapped else id.removeprefix("'")).strip()


def _loosely(id: str) -> str:
    """`` Ada`` -> ``ada``; letters and their accents are one character."""
    return unicodedata.normalize("NFC", _plainly(id)).casefold()


def _without_zeros(id: str) -> str:
    """``007`` -> ``7``; nothing of what is no number."""
    id = _plainly(id)
    return id.lstrip("0") if id.isascii() and id.isdigit() else ""
