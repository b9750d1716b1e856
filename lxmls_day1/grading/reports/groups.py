"""Failure groups: submissions with the same wrong answers that no known mistake explains.

Two submissions are in one group if they give the same wrong answers to the same probe inputs. Probe inputs are public, so
a group contains nothing hidden.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL, Answer
from lxmls_day1.course.diagnosis.expect import WrongAnswer
from lxmls_day1.course.diagnosis.mistake_matching import PROPERTY
from lxmls_day1.grading.gradebook import SubmissionGrade

MAX_SIGNATURE_CHARS = 20_000  # characters; longer lists of wrong answers are not grouped
ID_DIGITS = 6  # significant digits in the id of a group

Wrong = tuple[tuple[dict[str, Any], Answer], ...]  # pairs of an input and the wrong answer to it


@dataclass(frozen=True)
class FailureGroup:
    """Submissions that give the same wrong answers in an exercise, if no known mistake explains the answers.

    Attributes
    ----------
    id : str
        For example ``1.5-3fa9c1``; the same in every run for the same wrong answers.
    exercise : str
    rows : tuple of SubmissionGrade
    text : str
        The counter-example: the message of the check of probe inputs.
    """

    id: str
    exercise: str
    rows: tuple[SubmissionGrade, ...]
    text: str


def failure_signature_of(error: WrongAnswer) -> str:
    """Return the wrong answers to probe inputs as JSON, or an empty string if a known mistake explains them."""
    if not error.wrong or (error.mistakes and error.diagnosis_kind != PROPERTY):
        return ""
    text = json.dumps([[given, answer.to_json()] for given, answer in error.wrong])
    return text if len(text) <= MAX_SIGNATURE_CHARS else ""


def failure_groups(rows: Iterable[SubmissionGrade]) -> list[FailureGroup]:
    """Return the failure groups of a class, largest first.

    Parameters
    ----------
    rows : iterable of SubmissionGrade

    Returns
    -------
    list of Group
        One for each set of wrong answers, even if it occurs in only one submission.
    """
    found: dict[tuple[str, str], list[tuple[Wrong, list[SubmissionGrade], str]]] = {}
    for row in rows:
        for check in row.checks:
            if not check.behaviour:
                continue
            wrong = _read(check.behaviour)
            alike = found.setdefault((check.exercise, json.dumps([given for given, _ in wrong])), [])
            same = next((group for group in alike if _same_answers(group[0], wrong)), None)
            if same is None:
                alike.append((wrong, [row], check.text))
            else:
                same[1].append(row)
    made = [
        FailureGroup(_id(exercise, wrong), exercise, tuple(its_rows), text)
        for (exercise, _), alike in found.items()
        for wrong, its_rows, text in alike
    ]
    return sorted(made, key=lambda group: (-len(group.rows), group.id))


def _read(signature: str) -> Wrong:
    return tuple((given, Answer.from_json(answer)) for given, answer in json.loads(signature))


def _same_answers(first: Wrong, second: Wrong) -> bool:
    """Return True if two lists of wrong answers to the same inputs agree."""
    return all(mine.is_close(its, POOL_RTOL, POOL_ATOL) for (_, mine), (_, its) in zip(first, second, strict=True))


def _id(exercise: str, wrong: Wrong) -> str:
    rounded = [
        [given, answer.shape, [f"{v:.{ID_DIGITS}g}" if isinstance(v, float) else v for v in answer.values]]
        for given, answer in wrong
    ]
    digest = hashlib.sha256(re.sub(r"-0(?=[\",])", "0", json.dumps(rounded)).encode()).hexdigest()
    return f"{exercise}-{digest[:6]}"
