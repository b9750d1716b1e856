"""A submission that was found: its location, its owner, and the owner's key for files and tables."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

MOODLE, CANVAS, BLACKBOARD, GRADESCOPE = "Moodle", "Canvas", "Blackboard", "Gradescope"
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
MAX_SLUG_CHARS, MAX_SLUG_BYTES = 60, 150  # file systems allow names of 255 bytes, and the slug is only part of a name
_PLAIN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
#: Names that a spreadsheet reads as numbers, dates or Booleans, and saves in another form.
_SPREADSHEET_VALUE = re.compile(
    r"[0-9].*|true|false|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*-[0-9]+(?:-[0-9]+)?"
)
_GENERATED_KEY = re.compile(r"student-.*|(?:.*-)?[0-9a-f]{12}")  # keys that `key_of` makes from other names


@dataclass(frozen=True)
class FoundSubmission:
    """The location and the owner of a submission.

    Attributes
    ----------
    student : str
        The owner's key: unique among the submissions of a run, and a valid file name on every system.
    name : str
        The name to display.
    source : str
        The location for messages: the path that the instructor named, and the entry in it.
    path : Path
        A folder or a file.
    parts : tuple of (str, str)
        If `path` holds many submissions: the entries that belong to this one, each with its new name. The name is empty for
        a folder whose content is the submission. `parts` is empty if all of `path` is this submission.
    remarks : tuple of str
        Sentences that become warnings.
    ids : tuple of str
        The ids that a roster may use for the owner: the platform's id, or the exact name. Empty if the owner is in doubt.
    platform : str
        The platform that named the entry; empty for plain folders and files.
    identity_key : str
        The identity from which `student` is made: the platform's id or, without one, the name.
    owner_warnings : tuple of str
        Warnings for the instructor about the owner.
    keeps_previous_row : bool
        True if the row of an earlier run is kept instead of grading this submission.
    first_run : int
        The number of the run that first found its owner.
    """

    student: str
    name: str
    source: str
    path: Path
    parts: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    platform: str = ""
    identity_key: str = ""
    owner_warnings: tuple[str, ...] = ()
    keeps_previous_row: bool = False
    first_run: int = 0

    @property
    def label(self) -> str:
        """The text that distinguishes two owners with the same key: the platform and its name or, without a platform, the file name."""
        if self.platform:
            name = self.identity_key if self.platform == BLACKBOARD else self.name
            return f"{self.platform}: {unicodedata.normalize('NFC', name)}"  # some systems store accents as separate characters
        return self.source.replace("\\", "/").rpartition("/")[2]


def slug_of(name: str) -> str:
    """Return a slug (``Zoë O'Neil`` -> ``zoë-o-neil``): lower case, letters and digits of any script, no name reserved by Windows."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())
    slug = re.sub(r"[\W_]+", "-", text).strip("-")[:MAX_SLUG_CHARS]
    slug = slug.encode()[:MAX_SLUG_BYTES].decode(errors="ignore").strip("-") or "student"
    return f"student-{slug}" if RESERVED.fullmatch(slug) else slug


def key_of(name: str, id: str = "") -> str:
    """Return a student's key: a valid file name, and different for different ids or for names that are not spelled the same.

    It depends on no other student. A name that is not a plain word gets a digest as a suffix. A name that a spreadsheet would
    change, such as a number or ``mar-1``, gets the prefix ``student-``.

    Examples
    --------
    >>> key_of("ada"), key_of("Ada"), key_of("007"), key_of("Ada Lovelace", "17")
    ('ada', 'ada-99a563ab2f6e', 'student-007', 'ada-lovelace_17')
    """
    slug = slug_of(name)
    if id:
        return f"{slug}_{id if _PLAIN.fullmatch(id) and len(id) <= 20 and not _GENERATED_KEY.fullmatch(id) else short_digest(id)}"
    if slug != name or not _PLAIN.fullmatch(name) or _GENERATED_KEY.fullmatch(name):
        return f"{slug}-{short_digest(name)}"
    return f"student-{name}" if _SPREADSHEET_VALUE.fullmatch(name) else name


def short_digest(text: str) -> str:
    """Return the first 12 digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
