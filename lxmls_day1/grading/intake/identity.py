"""The owner of each submission: saved from run to run, and left open if it is in doubt.

A student is identified by the platform's id or, without one, by the exact name (`lxmls_day1.grading.intake.finding_submissions`).
The key for files, `key_of`, depends on nothing else, so another student of the same name cannot change it. If a key has changed
its owner since the last run, or has two owners, this is reported and both keep their earlier results (`OWNER_CASES`).
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.grouping import grouped
from lxmls_day1.grading.gradebook import SubmissionGrade
from lxmls_day1.grading.intake.found_submission import FoundSubmission, short_digest, slug_of
from lxmls_day1.grading.safe_text import one_line

OWNERS = ".owners.json"


class _Owner(NamedTuple):
    """The owner of a key: the label that distinguishes owners, the key, and the number of the run that first found this owner."""

    label: str
    student: str
    first_run: int


#: The rules for the owner of a key. A claim is a submission with this key. Each row: the case, the claims that may have the key, and
#: the result unless exactly one may. If several may, a single path wins over an entry of a download, because the instructor named it.
OWNER_CASES = {
    "no owner yet": ("all", "nobody has the key"),
    "the owner's label among the claims": ("those with the label", "the earlier result stands"),
    "another label, not from a platform": ("all", "the earlier result stands"),
    "another label from a platform, several claims": ("none", "the earlier result stands"),
    "another label from a platform, one claim": ("none", "the earlier result stands until --again names the student"),
}


class Identification:
    """A step that compares the owners of this run with the owners of earlier runs, and saves them.

    Parameters
    ----------
    out : Path
        The output folder, in which the owners are saved.
    again : collection of str
        Students whose new owner is accepted.
    """

    def __init__(self, out: Path, again: Collection[str] = ()):
        self._out, self._again = out, again

    def __call__(self, found: Iterable[FoundSubmission]) -> list[FoundSubmission]:
        """Return the submissions in the order of their keys, each with the key of its owner.

        `OWNER_CASES` decides about each key. A submission that cannot have its key gets another key, no id, and a warning.
        """
        owners = _saved_owners(self._out)
        this_run = 1 + max((owner.first_run for owner in owners.values()), default=0)
        identified = []
        for holder, claims in grouped((one.identity_key or one.student, one) for one in found).items():
            owner = owners.get(holder)
            since = owner.first_run if owner else this_run
            submissions, owner = self._decide_owner([replace(one, first_run=since) for one in claims], owner)
            identified += submissions
            if owner is not None:
                owners[holder] = owner
        self._out.mkdir(parents=True, exist_ok=True)
        write_files_atomically({self._out / OWNERS: json.dumps(dict(sorted(owners.items()))).encode()})
        return sorted(identified, key=lambda one: one.student)

    def _decide_owner(
        self, claims: Sequence[FoundSubmission], owner: _Owner | None
    ) -> tuple[list[FoundSubmission], _Owner | None]:
        """Return the claims on a key with their final keys, and the owner to be saved."""
        which, otherwise = OWNER_CASES[_case_of(claims, owner)]
        may_have = [one for one in claims if which == "all" or (owner and one.label == owner.label)]
        if len(may_have) > 1:
            may_have = [one for one in may_have if not one.parts]
        if len(may_have) == 1:
            kept = replace(may_have[0], student=owner.student if owner else may_have[0].student)
            disputed = [_with_disputed_key(one) for one in claims if one is not may_have[0]]
            return [kept, *disputed], _Owner(kept.label, kept.student, kept.first_run)
        disputed = [_with_disputed_key(one, has_owner=owner is not None) for one in claims]
        if owner is None:
            return disputed, None
        earlier = replace(claims[0], student=owner.student, keeps_previous_row=True)
        if otherwise == "the earlier result stands":
            return [earlier, *disputed], owner
        if owner.student in self._again:
            return [replace(earlier, keeps_previous_row=False)], owner._replace(label=earlier.label)
        doubt = (
            f"{owner.student} was {owner.label}, and is {earlier.label} now: the earlier grade stays. "
            f"--again {owner.student} grades it again."
        )
        return [replace(earlier, owner_warnings=(*earlier.owner_warnings, doubt))], owner


def _case_of(claims: Sequence[FoundSubmission], owner: _Owner | None) -> str:
    """Return the case of `OWNER_CASES` that applies."""
    if owner is None:
        return "no owner yet"
    if any(one.label == owner.label for one in claims):
        return "the owner's label among the claims"
    if not claims[0].platform:
        return "another label, not from a platform"
    return f"another label from a platform, {'one claim' if len(claims) == 1 else 'several claims'}"


def _with_disputed_key(claim: FoundSubmission, has_owner: bool = True) -> FoundSubmission:
    """Return a claim with another key, because another claim has its key already, or because several claims could have it.

    The key begins with the claim's own name, because the other claim may be from a student of another name.
    """
    fate = "and so would another submission: each gets a row of its own, and the roster none of their marks. Rename or remove one."
    if has_owner:
        fate = f"but another submission does already: it gets a row of its own, and no mark of {claim.student} has changed. "
        fate += "Rename it, or remove it."
    doubt = f"{claim.source} would belong to {claim.student}, {fate}"
    key = f"{slug_of(claim.name)}-{short_digest(chr(0).join((claim.identity_key, claim.source, claim.label)))}"
    return replace(claim, student=key, ids=(), identity_key=key, owner_warnings=(*claim.owner_warnings, doubt))


def _saved_owners(out: Path) -> dict[str, _Owner]:
    """Return the owner of each identity, as saved by the last run."""
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


def other_authors(
    found: Iterable[FoundSubmission], authors: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the submissions whose named author differs from the owner, and a warning for each author who is in the class.

    Examples
    --------
    >>> found = [FoundSubmission("lovelaceada_11", "lovelaceada", "", Path()), FoundSubmission("eve_12", "eve", "", Path())]
    >>> other_authors(found, {"lovelaceada_11": "Ada Lovelace", "eve_12": "Ada Lovelace"})
    ({'eve_12': 'Ada Lovelace'}, {'eve_12': 'It names Ada Lovelace as its author, which is the name of lovelaceada_11.'})
    """
    called: dict[str, set[str]] = defaultdict(set)
    for one in found:
        for text in (one.student, one.name, *one.ids):
            called[_sorted_letters(text)].add(one.student)
    differing = {s: author for s, author in authors.items() if author and s not in called[_sorted_letters(author)]}
    doubts = {
        student: f"It names {one_line(author, 100)} as its author, which is the name of {' and '.join(sorted(who))}."
        for student, author in differing.items()
        if (who := called[_sorted_letters(author)])
    }
    return differing, doubts


def attach_owner_warnings(found: Sequence[FoundSubmission], rows: Sequence[SubmissionGrade]) -> list[SubmissionGrade]:
    """Return the rows with the warnings about their owners.

    Parameters
    ----------
    found : sequence of FoundSubmission
    rows : sequence of SubmissionGrade
        One row for each submission.
    """
    by_student = {row.student: row for row in rows}
    authors, named = other_authors(found, {row.student: row.author for row in rows})
    attached = []
    for one in found:
        doubts = (*one.owner_warnings, *filter(None, [named.get(one.student)]))
        attached.append(replace(by_student[one.student], author=authors.get(one.student, ""), doubts=doubts))
    return attached


def _sorted_letters(name: str) -> str:
    """Return the sorted letters and digits of a name, because Canvas puts the last name first and omits spaces."""
    return "".join(sorted(re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", name).casefold())))
