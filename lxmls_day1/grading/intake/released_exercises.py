"""The exercises that a course gave out, according to the submissions: only these are graded, unless the instructor names others.

`lxmls-day1 submit` includes the exercises of ``start`` or of the release, which a workspace records. A submission is untrusted, so
the most common list is used: no single student can change the exercises that count for the others.
"""

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence

from lxmls_day1.base.errors import pluralize
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.workspace_state import FILE as STATE
from lxmls_day1.course.workspaces.packed_work import SUBMISSION
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.untrusted_files import MAX_BYTES, Budget, RejectedSubmission, members_with_archive

MAX_MANIFEST_BYTES = 1_000_000


def released_exercises(found: Sequence[FoundSubmission], registry: Registry) -> tuple[list[str] | None, str]:
    """Return the exercises that most submissions list as given out (None: all), and a sentence about them.

    Examples
    --------
    >>> from lxmls_day1.course.registry import Registry
    >>> released_exercises([], Registry([]))
    (None, 'Marked out of all 0 exercises: no submission says which exercises were given out. --exercises names others.')
    """
    said = [exercises for one in found if (exercises := _listed_exercises(one, registry))]
    counts = Counter(said)
    if not counts:
        why = f"all {pluralize(len(registry), 'exercise')}: no submission says which exercises were given out"
        return None, f"Marked out of {why}. --exercises names others."
    ids, number = max(counts.items(), key=lambda item: (item[1], len(item[0]), item[0]))
    points = sum(registry[id].points for id in ids)
    them = f"{pluralize(len(ids), 'exercise')} ({', '.join(ids)})"
    by_hand = sum(registry[id].points for id in ids if not registry[id].has_code)
    marked = f"{points - by_hand:g} points, and {by_hand:g} by hand" if by_hand else f"{points:g} points"
    text = f"Marked out of {marked}: {them}, as {number} of {pluralize(len(found), 'submission')} say."
    different = [(other, n) for other, n in counts.most_common() if other != ids]
    others = [f"{_count_with_verb(n)} {_difference(other, ids)}" for other, n in different[:3]]
    silent = len(found) - len(said)
    others += [f"{_count_with_verb(silent)} nothing"] if silent else []
    return list(ids), " ".join(
        [text, *([f"Others differ: {'; '.join(others)}."] if others else []), "--exercises names others."]
    )


def _count_with_verb(number: int) -> str:
    return f"{number} says" if number == 1 else f"{number} say"


def _difference(theirs: Iterable[str], ids: Iterable[str]) -> str:
    more, fewer = [id for id in theirs if id not in ids], [id for id in ids if id not in theirs]
    parts = [f"{', '.join(more)} too"] * bool(more) + [f"not {', '.join(fewer)}"] * bool(fewer)
    return " and ".join(parts)


def _listed_exercises(found: FoundSubmission, registry: Registry) -> tuple[str, ...]:
    """Return the exercises that a submission lists as given out; empty if it has no readable list."""
    with contextlib.ExitStack() as stack, contextlib.suppress(RejectedSubmission, OSError, MemoryError):
        members = [one for one in members_with_archive(found, stack) if one.name.name in (SUBMISSION, STATE)]
        members.sort(key=lambda one: (one.name.name != SUBMISSION, len(one.name.parts), str(one.name)))
        for member in members:
            content = Budget(MAX_BYTES).read(member, MAX_MANIFEST_BYTES)
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
                plain = json.loads(content)
                named = plain["exercises"] if member.name.name == SUBMISSION else plain["origin"]["exercises"]
                return tuple(id for id in registry.ids if id in named)
    return ()
