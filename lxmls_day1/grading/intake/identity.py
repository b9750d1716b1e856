"""Whose a submission is: read from the platform's own part of a name, kept from run to run, and refused where it is in doubt.

A file's name is input from strangers, as code is. Platforms put a student's own words into it: the name of the file always, on
Canvas the name of the person, too. What follows is never taken for anything but words:

- a name is read from the left, where the platform writes, and only the last part is the student's file; a name that can be
  read in two ways belongs to nobody (`read_names`);
- a student is the platform's id where there is one, else the name exactly as it is written; the key for files, `key_of`, follows
  from that alone, so that no namesake changes it;
- a key that has another owner than in the last run, or two, is reported, and changes nothing for either (`CASES`);
- a line of a roster gets the submission whose id is written so; looser readings never take a line from it (`matched_lines`);

References
----------
Canvas, ``lib/content_zipper.rb`` (the name of a person may hold underscores and digits); Moodle, ``mod/assign/locallib.php``
(underscores in it become spaces)
"""

import hashlib
import itertools
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from lxmls_day1.base.atomic_files import replace_files
from lxmls_day1.base.errors import InputError
from lxmls_day1.grading.gradebook import SubmissionGrade
from lxmls_day1.grading.intake.submission_layout import RESERVED
from lxmls_day1.grading.intake.untrusted_files import display_name
from lxmls_day1.grading.safe_text import one_line

MOODLE, CANVAS, BLACKBOARD, GRADESCOPE = "Moodle", "Canvas", "Blackboard", "Gradescope"
#: The names that a platform gives to files or folders. ``file`` is the student's, and nothing in it is looked at.
PATTERNS = {
    # ``Ada Lovelace_123456_assignsubmission_file_/lab.zip``, or files whose names begin like that.
    MOODLE: re.compile(
        r"(?P<name>[^_]+)_(?P<id>[0-9]+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.DOTALL
    ),
    # ``submission_123/``; names come from ``submission_metadata.yml``.
    GRADESCOPE: re.compile(r"submission_(?P<id>[0-9]+)"),
    # ``lovelaceada_LATE_12345_67890_lab-1.zip``. Of the person's name Canvas leaves letters, digits and underscores.
    CANVAS: re.compile(r"(?P<name>[^\s.-]*?)(?:_LATE)?_(?P<id>[0-9]+)_(?P<upload>[0-9]{3,})_(?P<file>.+)", re.DOTALL),
    # ``Day 1_ada_attempt_2026-11-20-23-59-00_lab.zip``, and a text file about each attempt.
    BLACKBOARD: re.compile(
        r"(?P<start>.+?_.+?)_attempt_(?P<time>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL
    ),
}
#: The same with the longest name of a person: where it finds another number, Canvas's parts cannot be told apart.
_LAST_READING = re.compile(PATTERNS[CANVAS].pattern.replace("*?", "*", 1), re.DOTALL)
#: The column of a roster that holds a platform's ids.
ID_COLUMN = {CANVAS: "id", MOODLE: "identifier", BLACKBOARD: "username"}

OWNERS = ".owners.json"
LONGEST_SLUG, MOST_SLUG_BYTES = 60, 150  # file systems allow names of 255 bytes, and the slug is not all of them
_PLAIN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
#: Names that a spreadsheet takes for numbers, dates or truth values, and saves as these.
_CHANGED = re.compile(
    r"[0-9].*|true|false|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*-[0-9]+(?:-[0-9]+)?"
)
_OURS = re.compile(r"student-.*|(?:.*-)?[0-9a-f]{12}")  # what `key_of` makes of other names


@dataclass(frozen=True)
class Found:
    """A submission: where it is, and whose.

    Attributes
    ----------
    student : str
        Its owner's key: unique among those that were found together, and fit for a file name on every system.
    name : str
        What to print.
    source : str
        The path, as it was given, and what in it.
    path : Path
        A folder or a file.
    parts : tuple of (str, str)
        If `path` holds many submissions: what belongs to this one, and under which name; under none if it is a folder
        whose content is the submission. Empty if all of `path` is this one.
    remarks : tuple of str
        Sentences that become warnings.
    ids : tuple of str
        What a roster may call its owner: the platform's id, or the name as it is written; none where the owner is in doubt.
    platform : str
        The platform that has named it; empty for plain folders and files.
    holder : str
        What `student` is made of: the platform's id, else the name.
    doubts : tuple of str
        Sentences for the instructor about whose it is.
    is_frozen : bool
        Whether the row of an earlier run stands for it.
    since : int
        The number of the run that has found its owner first.
    """

    student: str
    name: str
    source: str
    path: Path
    parts: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    platform: str = ""
    holder: str = ""
    doubts: tuple[str, ...] = ()
    is_frozen: bool = False
    since: int = 0

    @property
    def label(self) -> str:
        """What tells the owner of a key from another one of that key: the platform and its name, else the file."""
        if self.platform:
            name = self.holder if self.platform == BLACKBOARD else self.name
            return f"{self.platform}: {unicodedata.normalize('NFC', name)}"  # systems take letters and accents apart
        return self.source.replace("\\", "/").rpartition("/")[2]


@dataclass(frozen=True)
class NamesRead:
    """What `read_names` finds in the names of a download.

    Attributes
    ----------
    platform : str
        That of the whole download; empty where there is none.
    matches : mapping from name to match
        Of `PATTERNS`, for the names that are surely the platform's.
    doubts : mapping from name to sentence
        Of names that look like a platform's, and are not believed.
    """

    platform: str
    matches: Mapping[str, re.Match[str]]
    doubts: Mapping[str, str]


def read_names(files: Iterable[str], folders: Iterable[str]) -> NamesRead:
    """Read the names at the top of a download. Its platform is the one that has named more than half of them.

    Examples
    --------
    >>> names = read_names(["lovelaceada_11_456_lab.zip", "mallory_12_457_x_ada_attempt_2026-11-20-10-00-00_lab.zip"], [])
    >>> names.platform, [match["id"] for match in names.matches.values()], len(names.doubts)
    ('Canvas', ['11', '12'], 1)
    """
    files, folders = list(files), list(folders)
    named = {MOODLE: [*files, *folders], GRADESCOPE: folders, CANVAS: files, BLACKBOARD: files}
    fits = {
        platform: {top: match for top in tops if (match := PATTERNS[platform].fullmatch(top))}
        for platform, tops in named.items()
    }
    unclear = {
        top
        for top, match in fits[CANVAS].items()
        if (last := _LAST_READING.fullmatch(top)) and last.start("id") != match.start("id")
    }
    uploads = [match["upload"] for top, match in fits[CANVAS].items() if top not in unclear]
    if 2 * len(set(uploads)) <= len(uploads):  # each upload has a number of its own
        fits[CANVAS] = {}
    most = max(map(len, fits.values()))
    first, *others = (platform for platform in fits if len(fits[platform]) == most)
    platform = "" if others or 2 * most <= len(files) + len(folders) else first
    matches = dict(fits.pop(platform, {}))
    doubts = {}
    for other, theirs in fits.items():
        for top in theirs:
            doubts[top] = (
                f"{display_name(top)} looks like a name that {other} gives, but the download is not from {other}, so the name is not used."
            )
    for top in unclear if platform == CANVAS else ():
        del matches[top]
        doubts[top] = (
            f"The name of {display_name(top)} can be read in two ways, so it does not say whose submission this is."
        )
    return NamesRead(platform, matches, doubts)


def blackboard_users(starts: Collection[str]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """What stands before ``_attempt_``: an assignment and a user name. Both may hold underscores.

    Parameters
    ----------
    starts : collection of str
        Of all files of a download. Its assignment is a beginning that all of them share.

    Returns
    -------
    dict from start to (key, ids)
        The key, as from `key_of`, follows from the start alone; the first of the ids is the shortest that it can be.

    Examples
    --------
    >>> blackboard_users(["Day 1_ada", "Day 1_x_ada"])
    {'Day 1_ada': ('ada', ('ada',)), 'Day 1_x_ada': ('ada_9c684397d70d', ('x_ada',))}
    """
    split = {start: start.split("_") for start in starts}
    shared = min(len(words) for words in split.values()) - 1 if split else 0
    shared = next((n for n in range(shared) if len({words[n] for words in split.values()}) > 1), shared)
    users = {}
    for start, words in split.items():
        ids = tuple("_".join(words[n:]) for n in range(shared, 0, -1)) or ("_".join(words[1:]),)
        users[start] = (key_of(words[1]) if len(words) == 2 else key_of(words[-1], start), ids)
    return users


def slug_of(name: str) -> str:
    """``Zoë O'Neil`` -> ``zoë-o-neil``: lower case, letters and digits of any script, no name that Windows keeps."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())
    slug = re.sub(r"[\W_]+", "-", text).strip("-")[:LONGEST_SLUG]
    slug = slug.encode()[:MOST_SLUG_BYTES].decode(errors="ignore").strip("-") or "student"
    return f"student-{slug}" if RESERVED.fullmatch(slug) else slug


def key_of(name: str, id: str = "") -> str:
    """A student's key: different for different ids, or for names that are not written the same, and a file name everywhere.

    It depends on nobody else. A name that is no plain word has a digest behind it; what a spreadsheet would
    change, a number or ``mar-1``, has ``student-`` before it.

    Examples
    --------
    >>> key_of("ada"), key_of("Ada"), key_of("007"), key_of("Ada Lovelace", "17")
    ('ada', 'ada-99a563ab2f6e', 'student-007', 'ada-lovelace_17')
    """
    slug = slug_of(name)
    if id:
        return f"{slug}_{id if _PLAIN.fullmatch(id) and len(id) <= 20 and not _OURS.fullmatch(id) else _digest(id)}"
    if slug != name or not _PLAIN.fullmatch(name) or _OURS.fullmatch(name):
        return f"{slug}-{_digest(name)}"
    return f"student-{name}" if _CHANGED.fullmatch(name) else name


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class _Owner(NamedTuple):
    """The owner of a key: the label that tells this owner from others, the key, and the number of the run that found the owner first."""

    label: str
    student: str
    since: int


#: Whose a key is. A claim is a submission with this key. Each row: what is known, which claims may have the key, and what happens
#: unless exactly one may. Of several that may, a path by itself comes first: an instructor has named it, and not a stranger.
CASES = {
    "no owner yet": ("all", "nobody has the key"),
    "the owner's label among the claims": ("those with the label", "the earlier result stands"),
    "another label, not from a platform": ("all", "the earlier result stands"),
    "another label from a platform, several claims": ("none", "the earlier result stands"),
    "another label from a platform, one claim": ("none", "the earlier result stands until --again names the student"),
}


class Identification:
    """Holds the owners of this run against the owners of the earlier runs, and saves them.

    Parameters
    ----------
    out : Path
        The output folder; it remembers owners.
    again : collection of str
        Students whose new owner is accepted.
    """

    def __init__(self, out: Path, again: Collection[str] = ()):
        self._out, self._again = out, again

    def __call__(self, found: Iterable[Found]) -> list[Found]:
        """Return the submissions in the order of their keys, each with the key that belongs to its owner.

        `CASES` decides about each key. A submission that does not have its key gets another key, no id, and a doubt.
        """
        owners = _saved_owners(self._out)
        this_run = 1 + max((owner.since for owner in owners.values()), default=0)
        claims_on: dict[str, list[Found]] = defaultdict(list)
        for one in found:
            claims_on[one.holder or one.student].append(one)
        identified = []
        for holder, claims in claims_on.items():
            owner = owners.get(holder)
            since = owner.since if owner else this_run
            submissions, owner = self._decided([replace(one, since=since) for one in claims], owner)
            identified += submissions
            if owner is not None:
                owners[holder] = owner
        self._out.mkdir(parents=True, exist_ok=True)
        replace_files({self._out / OWNERS: json.dumps(dict(sorted(owners.items()))).encode()})
        return sorted(identified, key=lambda one: one.student)

    def _decided(self, claims: Sequence[Found], owner: _Owner | None) -> tuple[list[Found], _Owner | None]:
        """Return the claims on a key as they are identified, and the owner that is saved."""
        which, otherwise = CASES[_case_of(claims, owner)]
        may_have = [one for one in claims if which == "all" or (owner and one.label == owner.label)]
        if len(may_have) > 1:
            may_have = [one for one in may_have if not one.parts]
        if len(may_have) == 1:
            kept = replace(may_have[0], student=owner.student if owner else may_have[0].student)
            disputed = [_disputed(one, kept) for one in claims if one is not may_have[0]]
            return [kept, *disputed], _Owner(kept.label, kept.student, kept.since)
        disputed = [_disputed(one, claims[0]) for one in claims]
        if owner is None:
            return disputed, None
        earlier = replace(claims[0], student=owner.student, is_frozen=True)
        if otherwise == "the earlier result stands":
            return [earlier, *disputed], owner
        if owner.student in self._again:
            return [replace(earlier, is_frozen=False)], owner._replace(label=earlier.label)
        doubt = (
            f"{owner.student} was {owner.label}, and is {earlier.label} now: the earlier grade stays. "
            f"--again {owner.student} grades it again."
        )
        return [replace(earlier, doubts=(*earlier.doubts, doubt))], owner


def _case_of(claims: Sequence[Found], owner: _Owner | None) -> str:
    """Return the key of a row of `CASES`."""
    if owner is None:
        return "no owner yet"
    if any(one.label == owner.label for one in claims):
        return "the owner's label among the claims"
    if not claims[0].platform:
        return "another label, not from a platform"
    return f"another label from a platform, {'one claim' if len(claims) == 1 else 'several claims'}"


def _disputed(one: Found, owner: Found) -> Found:
    """Return a claim without its key, because another claim has it already, or because several could have it."""
    doubt = f"{one.source} would belong to {one.student}, but another submission does already"
    doubt = f"{doubt}: it gets a row of its own, and no mark of {one.student} has changed. Rename it, or remove it."
    key = f"{slug_of(owner.name)}-{_digest(chr(0).join((one.holder, one.source, one.label)))}"
    return replace(one, student=key, ids=(), holder=key, doubts=(*one.doubts, doubt))


def _saved_owners(out: Path) -> dict[str, _Owner]:
    """Return the owner of each holder, as the runs so far have left them."""
    try:
        content = json.loads((out / OWNERS).read_text(encoding="utf-8"))
        return {
            holder: _Owner(str(label), str(student), int(since)) for holder, (label, student, since) in content.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError):
        raise InputError(
            f"{out / OWNERS}, which says who owns each row in {out}, cannot be read. Restore it from a backup, or delete it "
            "if the same submissions are graded as before."
        ) from None


def matched_lines(
    found: Sequence[Found], columns: Sequence[tuple[str, Mapping[int, str]]]
) -> tuple[dict[int, Found], dict[int | str, str]]:
    """Match submissions with the lines of a roster, by ids alone.

    Who was found in an earlier run comes first. Of the others, an id as it is written does, then one without a spreadsheet's
    signs, then one in other letters, then a number without its zeros. Who comes later takes no line, and no doubt falls on whoever has it.

    Parameters
    ----------
    found : sequence of Found
    columns : sequence of (name, mapping from line to cell)
        The columns with ids; their names in lower case, none for what an instructor has named. A platform's submissions
        belong to its own column: in others students may write what they like.

    Returns
    -------
    (mapping from line to Found, mapping from line or student to sentence)
        The matches, and what is in the way of others.
    """
    whose: dict[int, Found] = {}
    problems: dict[int | str, str] = {}
    forms = {
        written: [(name, _lines_by_id(cells, written)) for name, cells in columns]
        for written in (_exactly, _plainly, _loosely, _without_zeros)
    }
    found = _with_one_reading(found, columns)
    runs = sorted({one.since for one in found})
    for run, written in itertools.product(runs, forms):
        have_one = {one.student for one in whose.values()}
        claims: dict[int, list[Found]] = defaultdict(list)
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
    one: Found, lines: Sequence[tuple[str, Mapping[str, set[int]]]], written: Callable[[str], str]
) -> set[int]:
    """The lines that a submission may belong to."""
    keys = {written(id) for id in one.ids} - {""}
    own = [column for name, column in lines if name in ("", ID_COLUMN.get(one.platform, name))]
    return {n for column in own for key in keys for n in column.get(key, ())}


def _with_one_reading(found: Sequence[Found], columns: Sequence[tuple[str, Mapping[int, str]]]) -> list[Found]:
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


def other_authors(found: Iterable[Found], authors: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Whose submission names another author than its owner, and a sentence where that is somebody of the class.

    Examples
    --------
    >>> found = [Found("lovelaceada_11", "lovelaceada", "", Path()), Found("eve_12", "eve", "", Path())]
    >>> other_authors(found, {"lovelaceada_11": "Ada Lovelace", "eve_12": "Ada Lovelace"})
    ({'eve_12': 'Ada Lovelace'}, {'eve_12': 'It names Ada Lovelace as its author, which is the name of lovelaceada_11.'})
    """
    called: dict[str, set[str]] = defaultdict(set)
    for one in found:
        for text in (one.student, one.name, *one.ids):
            called[_letters(text)].add(one.student)
    differing = {s: author for s, author in authors.items() if author and s not in called[_letters(author)]}
    doubts = {
        student: f"It names {one_line(author, 100)} as its author, which is the name of {' and '.join(sorted(who))}."
        for student, author in differing.items()
        if (who := called[_letters(author)])
    }
    return differing, doubts


def with_owners(found: Sequence[Found], rows: Sequence[SubmissionGrade]) -> list[SubmissionGrade]:
    """The rows with what is in doubt about their owners.

    Parameters
    ----------
    found : sequence of Found
    rows : sequence of SubmissionGrade
        One for each of them.
    """
    by_student = {row.student: row for row in rows}
    authors, named = other_authors(found, {row.student: row.author for row in rows})
    return [
        replace(
            by_student[one.student],
            author=authors.get(one.student, ""),
            doubts=(*one.doubts, *filter(None, [named.get(one.student)])),
        )
        for one in found
    ]


def _letters(name: str) -> str:
    """Letters and digits of a name in any order: Canvas puts the last name first, and leaves spaces out."""
    return "".join(sorted(re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", name).casefold())))
