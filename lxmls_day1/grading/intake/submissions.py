"""A submission in memory: its files of a lab, or a sentence that gives the reason why it cannot be graded."""

import contextlib
import functools
import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from lxmls_day1.course.explanations import FILE as EXPLANATIONS
from lxmls_day1.course.explanations import MAX_FILE_BYTES as MAX_EXPLANATIONS_BYTES
from lxmls_day1.course.workspaces.generation import Files
from lxmls_day1.course.workspaces.packed_work import MAX_FILE_BYTES, SUBMISSION
from lxmls_day1.grading.gradebook import SubmissionGrade
from lxmls_day1.grading.intake.exercise_files import Defines, is_answer
from lxmls_day1.grading.intake.finding_submissions import downloads_within
from lxmls_day1.grading.intake.found_submission import FoundSubmission, slug_of
from lxmls_day1.grading.intake.submission_layout import SubmissionLayout, lay_out
from lxmls_day1.grading.intake.untrusted_files import (
    MAX_ARCHIVES,
    MAX_BYTES,
    OTHER_ARCHIVES,
    SOURCES,
    Budget,
    Member,
    RejectedSubmission,
    display_name,
    members_of,
    members_of_archive,
    readable_members,
)
from lxmls_day1.grading.safe_text import one_line

SPLIT_ADVICE = "give each submission, or a download by itself, to `grade`"
OTHER_VERSION = " The answers differ: hand in only the version that should count."
MAX_SOURCE_FILES = 5000
MAX_LAB_FILES = 1000  # other files of a submission are not read
MAX_DEPTH = 2  # levels of zip files that are opened: a zip file in a zip file, but not a third one in that
MAX_NAMES_SHOWN = 5  # file names in a message
MAX_WARNINGS = 30
#: Limits on the comparison of files with unexpected names: for all files together, and for one Python file.
MAX_COMPARED_BYTES, MAX_SOURCE_BYTES = 40_000_000, 1_000_000
_REMEDY = "; hand in the zip file that `lxmls-day1 submit` makes"


@dataclass(frozen=True)
class Submission:
    """A submission in memory.

    Attributes
    ----------
    student, name, source : str
        See `FoundSubmission`.
    digest : str
        SHA-256 of paths and contents, or of `problem` if it is not empty.
    files : dict from path to content
        Paths are relative to the lab: ``classifiers/mira.py``. `lxmls-day1 submit` adds ``explanations.json``.
    problem : str
        Why the submission cannot be graded; empty if it can.
    warnings : tuple of str
    author : str
        The author that the packed file names. Not verified.
    receipt : str
        SHA-256 of the zip file that was handed in; empty unless there was exactly one.
    similar : mapping from path to str
        Missing files of the lab, each with a text about similar files: ``mira_old.py looks like it``.
    notes : tuple of str
        Sentences about ignored files: unreadable, too large, from other students, or other versions of answers that count. They are
        also in `warnings`.
    """

    student: str
    name: str
    source: str
    digest: str
    files: Files
    problem: str = ""
    warnings: tuple[str, ...] = ()
    author: str = ""
    receipt: str = ""
    similar: Mapping[PurePosixPath, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def unreadable_submission(found: FoundSubmission) -> Submission:
    """Return a placeholder for a submission that crashed the process that read it."""
    return Submission(found.student, found.name, found.source, "", {})


State = tuple[str, str, str]


def content_digest(handed_in: Submission | SubmissionGrade) -> State:
    """Return the identifying digests of a submission. A row whose state differs from that of its submission is out of date."""
    return handed_in.digest, handed_in.author, handed_in.receipt


def read_submission(found: FoundSubmission, *, given: Files) -> Submission:
    """Read a submission into memory.

    Parameters
    ----------
    found : FoundSubmission
    given : mapping from path to content
        The starter files (`student_files`). They decide which of several folders is the lab, and to which place a loose file belongs. A
        file with another name counts only if it answers the exercise of the starter file.

    Returns
    -------
    Submission
        Also for an unreadable submission, which has a `Submission.problem`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lxmls_day1.grading.intake.finding_submissions import find_submissions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "mira.py").write_text("x = 1")
    ...     (found,) = find_submissions([folder])
    ...     submission = read_submission(found, given={PurePosixPath("classifiers/mira.py"): b""})
    >>> submission.files
    {PurePosixPath('classifiers/mira.py'): b'x = 1'}
    >>> submission.warnings
    ('mira.py is outside the folders of a lab; it is taken as classifiers/mira.py.',)
    """
    complaints: list[str] = []
    receipt = ""
    try:
        with contextlib.ExitStack() as stack:
            members = readable_members(members_of(found, stack), complaints)
            receipt = _receipt(members)
            files, called, more, alike = _read(members, given, stack, complaints)
    except RejectedSubmission as refusal:
        problem = f"{refusal}."
    except MemoryError:
        problem = "It is too large for the memory of this machine."
    else:
        digest, unread = _digest(files), [f"{complaint}; it was ignored." for complaint in complaints]
        warned = truncate_warnings([*found.remarks, *more, *unread])
        notes = *(warning for warning in more if warning.endswith(OTHER_VERSION)), *unread
        name = one_line(called) if called and slug_of(called) == slug_of(found.name) else found.name
        return Submission(found.student, name, found.source, digest, files, "", warned, called, receipt, alike, notes)
    digest, remarks = hashlib.sha256(f"problem: {problem}".encode()).hexdigest(), truncate_warnings(found.remarks)
    return Submission(found.student, found.name, found.source, digest, {}, problem, remarks, receipt=receipt)


def _receipt(members: Sequence[Member]) -> str:
    """Return the SHA-256 of the zip file of a submission, or an empty string unless it has exactly one."""
    archives = [member for member in members if member.name.suffix.casefold() == ".zip"]
    if len(archives) != 1:
        return ""
    try:
        return hashlib.sha256(Budget(MAX_BYTES).read(archives[0], MAX_BYTES)).hexdigest()
    except RejectedSubmission:
        return ""


def _read(
    outer: list[Member], given: Files, stack: contextlib.ExitStack, complaints: list[str]
) -> tuple[Files, str, list[str], dict[PurePosixPath, str]]:
    """Return the files, the author named in the packed file, warnings, and texts about names similar to files of the lab.

    A complaint about each ignored file is added to `complaints`.
    """
    members, layout = _opened_members(outer, given, stack, complaints)
    _refuse_several_authors(members)
    if not layout.places:
        raise RejectedSubmission(_nothing_in([member.name for member in members], complaints, layout))
    if len(layout.places) > MAX_LAB_FILES:
        raise RejectedSubmission(f"It contains {len(layout.places)} files of a lab; at most {MAX_LAB_FILES} are read")
    by_name = {member.name: member for member in members}
    files = _contents(layout, by_name, complaints)
    if not files:
        raise RejectedSubmission(_nothing_in([], complaints, layout))
    budget = Budget(MAX_COMPARED_BYTES)
    warnings = [
        warning + OTHER_VERSION * any(_is_other_version(by_name[n], home, files, given, budget) for home, n in ignored)
        for warning in layout.warnings
        for ignored in [layout.ignored.get(warning, ())]
    ]
    if slashed := [member.name for member in members if member.has_backslash]:
        name = display_name(str(slashed[0]).replace("/", "\\"))
        warnings.append(f"Backslashes in the paths of its files ({name}) are read as slashes.")
    explanations = by_name.get(layout.root / EXPLANATIONS)
    if explanations is not None:
        try:
            files[EXPLANATIONS] = Budget(MAX_BYTES).read(explanations, MAX_EXPLANATIONS_BYTES)
        except RejectedSubmission as refusal:
            warnings.append(f"{display_name(explanations.name)} {refusal}; it was ignored.")
    manifest = by_name.get(layout.root / SUBMISSION)
    author, partners = _names_in_manifest(manifest) if manifest else ("", "")
    if partners:
        warnings.append(
            f"It names {partners} as a partner, which alone counts for nobody: the roster must name your group."
        )
    return dict(sorted(files.items(), key=lambda item: str(item[0]))), author, warnings, layout.similar


def _is_other_version(member: Member, home: PurePosixPath, files: Files, given: Files, budget: Budget) -> bool:
    """Return True if an ignored file is an answer, and differs from both the file that counts and the starter file."""
    try:
        content = budget.read(member, MAX_SOURCE_BYTES if home.suffix == ".py" else MAX_FILE_BYTES)
    except RejectedSubmission:
        return False
    known = [one[home].splitlines() for one in (files, given) if home in one]
    lines = [[line.rstrip() for line in text] for text in (content.splitlines(), *known)]
    return lines[0] not in lines[1:] and is_answer(content, given.get(home, b""), home)


def _refuse_several_authors(members: Sequence[Member]) -> None:
    """Raise `RejectedSubmission` if the submission contains packed work of several authors."""
    manifests = [member for member in members if member.name.name == SUBMISSION]
    named = (_names_in_manifest(member)[0] for member in manifests[:MAX_ARCHIVES])
    authors = {slug_of(author): author for author in named if author}
    if len(manifests) > 1 and len(authors) > 1:
        names = ", ".join(one_line(author, 60) for author in [*authors.values()][:MAX_NAMES_SHOWN])
        raise RejectedSubmission(
            f"It holds what `lxmls-day1 submit` has packed under {len(authors)} names ({names}); {SPLIT_ADVICE}"
        )


def _opened_members(
    everything: list[Member], given: Files, stack: contextlib.ExitStack, complaints: list[str]
) -> tuple[list[Member], SubmissionLayout]:
    """Return all files and their layout. Zip files are opened until a lab is found."""
    budget = Budget(MAX_BYTES)
    first = 0
    if len(everything) == 1 and everything[0].name.suffix.casefold() == ".zip":
        outer, first = everything[0].name, 1
        inside: list[str] = []
        try:
            members = members_of_archive(everything[0], budget, stack, inside)
            everything = [replace(m, name=m.name.relative_to(outer)) for m in members]
            complaints += [complaint.removeprefix(f"{outer}/") for complaint in inside]
        except RejectedSubmission as refusal:
            raise RejectedSubmission(f"{display_name(outer)} {refusal}") from None
    newest = everything
    for level in itertools.count(first):
        count = sum(member.name.suffix.casefold() in SOURCES for member in everything)
        if count > MAX_SOURCE_FILES:
            raise RejectedSubmission(f"It contains {count} source files; at most {MAX_SOURCE_FILES} are read")
        for folder, (platform, number) in downloads_within(member.name for member in everything).items():
            everything = [member for member in everything if not member.name.is_relative_to(folder)]
            newest = [member for member in newest if not member.name.is_relative_to(folder)]
            where = display_name(folder) if folder.parts else "It"
            complaints.append(
                f"{where} looks like a download of {platform} with the work of {number} students: {SPLIT_ADVICE}"
            )
        layout = lay_out([member.name for member in everything], given, _exercise_matcher(everything, given))
        archives = [member for member in newest if member.name.suffix.casefold() == ".zip"]
        if layout.is_lab or not archives:
            break
        if level >= MAX_DEPTH:
            complaints.append(f"{display_name(archives[0].name)} lies too deep in other zip files")
            break
        newest = []
        if len(archives) > MAX_ARCHIVES:
            complaints.append(f"{len(archives) - MAX_ARCHIVES} of {len(archives)} zip files were too many")
        for member in archives[:MAX_ARCHIVES]:
            try:
                newest += members_of_archive(member, budget, stack, complaints)
            except RejectedSubmission as refusal:
                complaints.append(f"{display_name(member.name)} {refusal}")
        everything = everything + newest
    return everything, layout


def _exercise_matcher(members: Sequence[Member], given: Files) -> Defines:
    """Return a function that decides if a file answers the exercise of a starter file; True if that file is empty."""
    budget = Budget(MAX_COMPARED_BYTES)

    @functools.cache
    def defines(name: PurePosixPath, home: PurePosixPath) -> bool:
        if not given.get(home):
            return True
        member = next(member for member in members if member.name == name)
        try:
            content = budget.read(member, MAX_SOURCE_BYTES if home.suffix == ".py" else MAX_FILE_BYTES)
        except RejectedSubmission:
            return False
        return is_answer(content, given[home], home)

    return defines


def _contents(layout: SubmissionLayout, by_name: Mapping[PurePosixPath, Member], complaints: list[str]) -> Files:
    """Return the files of the lab, and add a complaint for each unreadable file."""
    budget = Budget(MAX_BYTES)
    files: Files = {}
    for place, name in sorted(layout.places.items(), key=lambda item: (item[0].suffix not in SOURCES, str(item[0]))):
        try:
            files[place] = budget.read(by_name[name], MAX_FILE_BYTES)
        except RejectedSubmission as refusal:
            complaints.append(f"{display_name(name)} {refusal}")
    return files


def _nothing_in(names: list[PurePosixPath], complaints: list[str], layout: SubmissionLayout) -> str:
    if complaints:
        more = f" (and {len(complaints) - 2} more)" if len(complaints) > 2 else ""
        return "; ".join(complaints[:2]) + more + _REMEDY
    if not names:
        return "There is nothing in it"
    for name in sorted(names):
        if name.suffix.casefold() in OTHER_ARCHIVES:
            return f"{display_name(name)} is not a zip file, and other archives are not opened{_REMEDY}"
    nothing = "It contains nothing of the lab: neither a folder readers or classifiers, nor a file with the name of one of their files"
    if layout.similar:
        return " ".join([f"{nothing}.", *layout.warnings]).rstrip(".")
    more = f" and {len(names) - MAX_NAMES_SHOWN} more" if len(names) > MAX_NAMES_SHOWN else ""
    return f"{nothing}, but {', '.join(display_name(name) for name in sorted(names)[:MAX_NAMES_SHOWN])}{more}"


def _names_in_manifest(member: Member) -> tuple[str, str]:
    """Return the author in ``submission.json`` of `submit`, and the partners (written by version 0.2.0); empty if the file is invalid."""
    try:
        manifest_content = json.loads(Budget(MAX_BYTES).read(member, 100_000))
        name, partners = manifest_content["name"], manifest_content.get("with", [])
    except (RejectedSubmission, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "", ""
    listed = partners if isinstance(partners, list) else []
    named = [one_line(partner) for partner in listed if isinstance(partner, str)]
    return one_line(name) if isinstance(name, str) else "", one_line(", ".join(named), 100)


def _digest(files: Files) -> str:
    digest = hashlib.sha256()
    for path, content in sorted((str(path).encode(), content) for path, content in files.items()):
        digest.update(len(path).to_bytes(8, "big") + path + len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def truncate_warnings(warnings: Sequence[str]) -> tuple[str, ...]:
    """Return the warnings, cut off after `MAX_WARNINGS` with a count of the rest."""
    more = len(warnings) - MAX_WARNINGS
    return (*warnings[:MAX_WARNINGS], f"There are {more} more warnings of this kind.") if more > 0 else tuple(warnings)
