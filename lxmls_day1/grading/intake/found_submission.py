"""A submission that was found: where it is, whose it is, and the key that stands for its owner in files and tables."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

MOODLE, CANVAS, BLACKBOARD, GRADESCOPE = "Moodle", "Canvas", "Blackboard", "Gradescope"
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
LONGEST_SLUG, MOST_SLUG_BYTES = 60, 150  # file systems allow names of 255 bytes, and the slug is not all of them
_PLAIN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
#: Names that a spreadsheet takes for numbers, dates or truth values, and saves as these.
_CHANGED = re.compile(
    r"[0-9].*|true|false|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*-[0-9]+(?:-[0-9]+)?"
)
_OURS = re.compile(r"student-.*|(?:.*-)?[0-9a-f]{12}")  # what `key_of` makes of other names


@dataclass(frozen=True)
class FoundSubmission:
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
        return (
            f"{slug}_{id if _PLAIN.fullmatch(id) and len(id) <= 20 and not _OURS.fullmatch(id) else short_digest(id)}"
        )
    if slug != name or not _PLAIN.fullmatch(name) or _OURS.fullmatch(name):
        return f"{slug}-{short_digest(name)}"
    return f"student-{name}" if _CHANGED.fullmatch(name) else name


def short_digest(text: str) -> str:
    """Return the first 12 digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
