"""Wrong answers that no known mistake explains, grouped by what they are; and how an instructor names such a group.

Two submissions are in one group if they answer the same small inputs wrongly, with the same answers. Small inputs are public, so
nothing hidden is in a group. A group that is named becomes a mistake of the exercise, known by these answers (`Mistake`).
No code of a student's goes into it, and no text that the code has made: what others receive is numbers, and words of the course.
"""

import builtins
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxmls_day1.course.expect import WrongAnswer
from lxmls_day1.course.mistakes import NAME, Mistake, mistakes_file, read_mistakes
from lxmls_day1.course.naming import PROPERTY, named
from lxmls_day1.course.observations import RAISES
from lxmls_day1.course.recorded_answers import POOL_ATOL, POOL_RTOL, Answer, Pool, RecordedAnswers
from lxmls_day1.course.registry import FILE, FOLDER, RECORDED, Registry
from lxmls_day1.errors import InputError, nearest
from lxmls_day1.grading.gradebook import SubmissionGrade
from lxmls_day1.lab import reference_folder
from lxmls_day1.whole_files import replace_files

LONGEST_BEHAVIOUR = 20_000  # characters; longer ones are not grouped
LONGEST_SENTENCE = 500
MOST_ENTRIES = 100  # of an answer that is kept
DIGITS = 6  # by which the name of a group is made

Wrong = tuple[tuple[dict[str, Any], Answer], ...]  # inputs with the wrong answers to them


@dataclass(frozen=True)
class Group:
    """Submissions that give the same wrong answers in an exercise, and no known mistake explains them.

    Attributes
    ----------
    id : str
        Such as ``1.5-3fa9c1``; the same in every run that has the same wrong answers.
    exercise : str
    wrong : tuple of (input, answer)
    rows : tuple of SubmissionGrade
    text : str
        The counter-example: what the check of small inputs says.
    """

    id: str
    exercise: str
    wrong: Wrong
    rows: tuple[SubmissionGrade, ...]
    text: str


def behaviour_of(error: WrongAnswer) -> str:
    """The wrong answers to small inputs as a text, if no known mistake explains them; else nothing."""
    if not error.wrong or (error.mistakes and error.named_as != PROPERTY):
        return ""
    text = json.dumps([[given, answer.to_json()] for given, answer in error.wrong])
    return text if len(text) <= LONGEST_BEHAVIOUR else ""


def groups(rows: Iterable[SubmissionGrade]) -> list[Group]:
    """The wrong answers of a class that no known mistake explains, those that most have given first.

    Parameters
    ----------
    rows : iterable of SubmissionGrade

    Returns
    -------
    list of Group
        One for each behaviour, also if only one submission has it.
    """
    found: dict[tuple[str, str], list[tuple[Wrong, list[SubmissionGrade], str]]] = {}
    for row in rows:
        for check in row.checks:
            if not check.behaviour:
                continue
            wrong = _read(check.behaviour)
            alike = found.setdefault((check.exercise, json.dumps([given for given, _ in wrong])), [])
            same = next((group for group in alike if _agree(group[0], wrong)), None)
            if same is None:
                alike.append((wrong, [row], check.text))
            else:
                same[1].append(row)
    made = [
        Group(_id(exercise, wrong), exercise, wrong, tuple(its_rows), text)
        for (exercise, _), alike in found.items()
        for wrong, its_rows, text in alike
    ]
    return sorted(made, key=lambda group: (-len(group.rows), group.id))


def name_group(
    rows: Sequence[SubmissionGrade],
    id: str,
    name: str,
    sentence: str,
    question: str = "",
    reference: Path | None = None,
) -> tuple[Mistake, Path]:
    """Make a known mistake of a group: an entry of the exercise's file of mistakes, and of ``recorded.json``.

    Parameters
    ----------
    rows : sequence of SubmissionGrade
        Of the run whose page shows the group.
    id : str
        `Group.id`.
    name, sentence, question : str
        As those of other mistakes; a question is not needed.
    reference : Path, optional
        The lab with the solutions; the reference lab unless given.

    Returns
    -------
    taught : Mistake
    path : Path
        The file in which it stands.

    Raises
    ------
    InputError
        If there is no such group, the name is taken or is none, or the answers would not be named by it.
    OSError
        If the files cannot be written; both are as they were then.
    """
    reference = reference_folder() if reference is None else reference
    group = _group_of(rows, id)
    exercise = Registry.read(reference / FILE)[group.exercise]
    sentence, question = (_one_sentence(what, text) for what, text in (("sentence", sentence), ("question", question)))
    if not sentence:
        raise InputError("the sentence must say what is wrong, and why; it is empty.")
    folder = reference / FOLDER
    taken = [one.name for kind in (False, True) for one in read_mistakes(folder, exercise, taught=kind)]
    if not NAME.fullmatch(name) or name in taken:
        why = "exercise " + group.exercise + " has a mistake with that name" if name in taken else "it is no valid name"
        raise InputError(f"{name!r} cannot be the name of a mistake: {why}; choose one such as cap_forgotten.")
    recorded = RecordedAnswers.read(reference / RECORDED)
    pool = recorded.pools.get(group.exercise)
    if pool is None or not all(given in pool.inputs for given, _ in group.wrong):
        raise InputError(
            f"the small inputs of exercise {group.exercise} have changed since that run; grade again first."
        )
    taught = Mistake(exercise.id, name, sentence, (), question, tuple(_without_texts(group.wrong, pool)))
    recorded.pools[exercise.id] = pool.taught(name, taught.answers)
    recorded.sentences.setdefault(exercise.id, {})[name] = sentence
    if question:
        recorded.questions.setdefault(exercise.id, {})[name] = question
    _require_named(recorded.pools[exercise.id], taught)
    path = mistakes_file(folder, exercise)
    before = path.read_text(encoding="utf-8-sig") if path.is_file() else ""
    replace_files(
        {
            path: (before.rstrip("\n") + "\n" + taught.to_toml()).lstrip("\n").encode(),
            reference / RECORDED: recorded.to_json().encode(),
        }
    )
    return taught, path


def _group_of(rows: Sequence[SubmissionGrade], id: str) -> Group:
    known = {group.id: group for group in groups(rows)}
    if id not in known:
        shown = nearest(id, known) if known else "; the last run left none."
        raise InputError(f"there is no group {id!r} of wrong answers{shown}")
    return known[id]


def _one_sentence(what: str, text: str) -> str:
    text = " ".join(text.split())
    if len(text) > LONGEST_SENTENCE or not text.isprintable():
        raise InputError(f"the {what} must be at most {LONGEST_SENTENCE} characters that can be printed.")
    return text


def _require_named(pool: Pool, taught: Mistake) -> None:
    """Whether the answers that were named would now be known by that name."""
    (row,) = pool.programs[taught.name]
    found = named(pool, row)
    if taught.name not in found.names:
        others = f"; they match {' or '.join(found.names)}" if found.names else ""
        raise InputError(
            f"these answers do not identify a mistake: they are zero, not finite, or common to many mistakes{others}. "
            "Nothing was written."
        )


def _without_texts(wrong: Wrong, pool: Pool) -> Iterator[tuple[dict[str, Any], Answer]]:
    """The answers that others may receive: numbers, kinds of exceptions, and words that are the course's own."""
    words = set(_texts([list(pool.inputs), *([list(answers[0].values)] for answers in pool.answers)]))
    for given, answer in wrong:
        texts = [value for value in answer.values if isinstance(value, str)]
        if len(answer.values) <= MOST_ENTRIES and all(t in words or _is_exception(t) for t in texts):
            yield given, answer


def _is_exception(text: str) -> bool:
    """Whether a text says that a built-in exception was raised; a class of a student's own may be called anything."""
    kind = getattr(builtins, text.removeprefix(RAISES), None) if text.startswith(RAISES) else None
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _texts(entry)


def _read(behaviour: str) -> Wrong:
    return tuple((given, Answer.from_json(answer)) for given, answer in json.loads(behaviour))


def _agree(one: Wrong, other: Wrong) -> bool:
    """Whether two answer the same; their inputs are."""
    return all(mine.agrees(its, POOL_RTOL, POOL_ATOL) for (_, mine), (_, its) in zip(one, other, strict=True))


def _id(exercise: str, wrong: Wrong) -> str:
    rounded = [
        [given, answer.shape, [f"{v:.{DIGITS}g}" if isinstance(v, float) else v for v in answer.values]]
        for given, answer in wrong
    ]
    digest = hashlib.sha256(re.sub(r"-0(?=[\",])", "0", json.dumps(rounded)).encode()).hexdigest()
    return f"{exercise}-{digest[:6]}"
