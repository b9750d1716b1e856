"""Questions about named mistakes, and the students' answers to them.

Students learn from feedback when they explain it in their own words. An explanation brings no points and delays no student. It is saved
in the state of the workspace together with the attempt, submitted with the rest, and read by the instructor. An answer with hardly a
word, or with only the words of the question, makes the question come again, once. When the exercise passes, the student's answer is
shown next to the answer of the course.
"""

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.grouping import grouped
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry, exercises_folder
from lxmls_day1.course.running import checking
from lxmls_day1.course.source_functions import function_lines
from lxmls_day1.course.workspace_state import (
    Explanation,
    WorkspaceState,
    changed_state,
    files_digest,
    is_workspace,
    save_or_explain,
)

FILE = PurePosixPath("explanations.json")  # in a submission
FORMAT = 1
MAX_ANSWER_CHARS = 2000  # characters
MAX_ATTEMPT_CHARS = 4000
MAX_QUESTION_CHARS = 300
MAX_EXPLANATIONS_PER_EXERCISE = 20
MIN_OWN_WORDS = 2  # different words in an answer that are not in the question
INVALID_CHARACTER = re.compile(r"[\ud800-\udfff\x00]")
WORD = re.compile(r"\w+")
MAX_FILE_BYTES = 1_000_000  # bytes


def open_questions(folder: Path, report: checking.CheckReport) -> list[Explanation]:
    """Return the questions on the named mistakes in a report, each with the attempt that was checked.

    A question that has an answer is not repeated.

    Parameters
    ----------
    folder : Path
        A workspace. For the reference lab, which has no state, the list is empty.
    report : CheckReport

    Returns
    -------
    list of Explanation
        One question, with empty text, for each exercise with a named mistake that has a question.
    """
    if not is_workspace(folder):
        return []
    answered = {(one.exercise, one.question) for one in WorkspaceState.from_folder(folder).explanations if one.text}
    new = [one for one in report.reports if one.question and (one.exercise.id, one.question) not in answered]
    return [Explanation(one.exercise.id, one.mistakes[0][0], one.question, attempt_source(folder, one)) for one in new]


def newly_comparable(folder: Path, report: checking.CheckReport) -> list[tuple[Explanation, str]]:
    """Return the answered questions on exercises that pass now, each with the course's answer, unless they were shown before.

    The course's answer is the sentence that explains the mistake.
    """
    passed = {one.exercise.id for one in report.reports if one.all_passed}
    state = WorkspaceState.from_folder(folder)
    known = [one for one in state.explanations if one.text and one.exercise in passed]
    answered = [one for one in known if one.question not in state.compared.get(one.exercise, ())]
    recorded = exercises_folder(folder) / RECORDED.name
    sentences = RecordedAnswers.read_existing(recorded, {one.exercise for one in answered}).sentences
    pairs = [(one, sentences.get(one.exercise, {}).get(one.mistake, "")) for one in answered]
    return [(one, sentence) for one, sentence in pairs if sentence]


def save_compared(folder: Path, compared: Iterable[tuple[Explanation, str]]) -> None:
    """Record that these answers were shown; raise OSError as `save_questions` does."""
    questions = [(one.exercise, one.question) for one, _ in compared]
    if not questions:
        return
    with changed_state(folder) as state:
        for exercise, question in questions:
            state.compared[exercise] = [*state.compared.get(exercise, ()), question]


def is_too_short(text: str, question: str) -> bool:
    """Return True if a text has fewer than `MIN_OWN_WORDS` different words that are not in the question.

    Examples
    --------
    >>> [is_too_short(text, "What is λ for?") for text in ("asdf", "What is λ for?", "λ limits each step.")]
    [True, True, False]
    """
    known = set(WORD.findall(question.casefold()))
    return len(set(WORD.findall(text.casefold())) - known) < MIN_OWN_WORDS


def check_and_save(
    folder: Path,
    ids: Collection[str] | None,
    time_limit: float = checking.TIME_LIMIT,
    on_progress: checking.OnProgress = lambda title: None,
) -> tuple[checking.CheckReport, list[Explanation], list[str]]:
    """Run checks, and save their results and the questions on named mistakes in the workspace.

    Parameters
    ----------
    folder, ids, time_limit, on_progress
        See `lxmls_day1.course.running.checking.run_checks`.

    Returns
    -------
    report : CheckReport
        If `ids` is None, a report on all exercises that have checks.
    questions : list of Explanation
        See `open_questions`.
    problems : list of str
        A sentence for each thing that could not be saved.
    """
    report = checking.run_checks(folder, ids, time_limit, on_progress)
    if ids is None:
        report = checking.CheckReport(tuple(one for one in report.reports if one.results or one.is_incomplete))
    unsaved = [save_or_explain(lambda: checking.save_results(folder, report), "The results")]
    compared = newly_comparable(folder, report)
    report = replace(report, compared=tuple((one.exercise, one.question, one.text, own) for one, own in compared))
    unsaved.append(save_or_explain(lambda: save_compared(folder, compared), "That answers were shown"))
    questions = open_questions(folder, report)
    unsaved.append(save_or_explain(lambda: save_questions(folder, questions), "The question"))
    return report, questions, [sentence for sentence in unsaved if sentence]


def attempt_source(folder: Path, report: checking.ExerciseReport) -> str:
    """Return the source of an exercise's functions as they were checked; empty if a file was edited since.

    If the workspace does not record which functions the student writes, return whole files.
    """
    if files_digest(folder, report.exercise) != report.digest:
        return ""
    origin = WorkspaceState.from_folder(folder).origin
    texts = []
    for name in report.exercise.files:
        if not (folder / name).is_file():
            continue
        source = (folder / name).read_text(encoding="utf-8-sig", errors="replace").replace("\r\n", "\n")
        places = [function_lines(source, function) for function in origin.functions_in(name)]
        lines = source.split("\n")
        texts += ["\n".join(lines[place]) for place in places if place] or [source]
    return "\n\n".join(texts)[:MAX_ATTEMPT_CHARS]


def save_questions(folder: Path, questions: Collection[Explanation]) -> None:
    """Save questions in the state; a question without an answer gets the latest attempt.

    Raises
    ------
    OSError
        If the state cannot be written.
    """
    if not questions:
        return
    with changed_state(folder) as state:
        for one in questions:
            same = (one.exercise, one.question, "")
            others = [kept for kept in state.explanations if (kept.exercise, kept.question, kept.text) != same]
            state.explanations = _limit_per_exercise([*others, one], one.exercise)


def explain(folder: Path, exercise: str, text: str, question: str | None = None) -> Explanation:
    """Save the answer to a question on an exercise, in place of an earlier answer.

    Parameters
    ----------
    folder : Path
        A workspace.
    exercise : str
    text : str
        The student's own words; only the first `MAX_ANSWER_CHARS` characters are saved.
    question : str, optional
        Default: the latest question.

    Returns
    -------
    Explanation
        The saved answer; its text is empty if the question is repeated.

    Raises
    ------
    InputError
        If the exercise does not exist, it has no question, or the text is empty.
    OSError
        If the state cannot be written.
    """
    id = Registry.from_folder(folder).named(exercise).id
    text = text.strip() if isinstance(text, str) else ""
    if not text:
        raise InputError("the explanation must be a text; write one line in your own words.")
    with changed_state(folder) as state:
        known = enumerate(state.explanations)
        places = [i for i, one in known if one.exercise == id and question in (None, one.question)]
        if not places:
            raise InputError(
                f"no question was asked about exercise {id}; one is asked when a check names a mistake (`lxmls-day1 check {id}`)."
            )
        asked = state.explanations[places[-1]]
        before = state.asked_again.get(id, [])
        if is_too_short(text, asked.question) and asked.question not in before:
            state.asked_again[id] = [*before, asked.question]
            return replace(asked, text="")
        kept = replace(asked, text=text[:MAX_ANSWER_CHARS])
        state.explanations[places[-1]] = kept
        return kept


def pack_explanations(explanations: Iterable[Explanation]) -> bytes:
    """Return the content of the file of explanations in a submission.

    Examples
    --------
    >>> pack_explanations([Explanation("1.5", "half_the_norm", "Why 2?", "...", "Two blocks differ.")]).decode().splitlines()[0]
    '{"format": 1, "explanations": ['
    """
    lines = ",\n".join(json.dumps(vars(one), ensure_ascii=False) for one in explanations)
    return f'{{"format": {FORMAT}, "explanations": [\n{lines}\n]}}\n'.encode()


def merge_explanations(known: Iterable[Explanation], more: Iterable[Explanation]) -> list[Explanation]:
    """Return the known explanations and more of them; a question that is answered already keeps its answer.

    Examples
    --------
    >>> merge_explanations([Explanation("1.5", "a", "Why?", "", "So.")], [Explanation("1.5", "a", "Why?", "", "Other.")])[0].text
    'So.'
    """
    found = {(one.exercise, one.question): one for one in known}
    for one in more:
        before = found.get((one.exercise, one.question))
        if before is None or not before.text:
            found[one.exercise, one.question] = one
    return [*found.values()]


def unpack_explanations(content: bytes, exercises: Collection[str]) -> tuple[Explanation, ...]:
    """Read the explanations in an untrusted file of a submission; long texts are cut, and invalid entries are left out.

    Parameters
    ----------
    content : bytes
    exercises : collection of str
        The ids of the exercises to read; other entries are left out.

    Raises
    ------
    InputError
        If the content is not a file of explanations.

    Examples
    --------
    >>> packed = pack_explanations([Explanation("1.5", "half_the_norm", "Why 2?", "...", "Two blocks differ.")])
    >>> unpack_explanations(packed, ["1.5"])[0].text
    'Two blocks differ.'
    """
    try:
        if len(content) > MAX_FILE_BYTES:
            raise ValueError("it is too large")
        rows = json.loads(content.decode("utf-8"))["explanations"]
        if type(rows) is not list:
            raise TypeError("no list")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{FILE} does not hold explanations ({type(error).__name__})") from None
    return valid_explanations(rows, exercises)


def valid_explanations(rows: Collection[Any], exercises: Collection[str]) -> tuple[Explanation, ...]:
    """Return the explanations in untrusted data, as `unpack_explanations` does: as many of each exercise as a workspace keeps."""
    longest = {"exercise": 10, "mistake": 100, "question": MAX_QUESTION_CHARS}
    longest |= {"attempt": MAX_ATTEMPT_CHARS, "text": MAX_ANSWER_CHARS}
    found = [
        Explanation(**{key: INVALID_CHARACTER.sub("\ufffd", row[key][:most]) for key, most in longest.items()})
        for row in rows
        if type(row) is dict and all(type(row.get(key)) is str for key in longest)
    ]
    own = grouped((one.exercise, one) for one in found)
    return tuple(one for id in exercises for one in own.get(id, [])[-MAX_EXPLANATIONS_PER_EXERCISE:])


def _limit_per_exercise(explanations: list[Explanation], exercise: str) -> list[Explanation]:
    """Return the explanations, but only the latest `MAX_EXPLANATIONS_PER_EXERCISE` of this exercise."""
    surplus = [one for one in explanations if one.exercise == exercise][:-MAX_EXPLANATIONS_PER_EXERCISE]
    return [one for one in explanations if one not in surplus]
