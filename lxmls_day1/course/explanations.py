"""Questions that are asked after a mistake was named, and what a student writes in answer.

Students learn from feedback when they explain it in their own words. An explanation brings no points and delays nobody: it is
kept in the workspace's state beside the attempt, handed in with the rest, and read by the instructor. An answer of hardly a word, or of
the words of the question, is asked for once more. Once the exercise passes, the student's answer is shown beside the course's.
"""

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry, exercises_folder
from lxmls_day1.course.running.checking import TIME_LIMIT, CheckReport, ExerciseReport, Progressed, remember, run_checks
from lxmls_day1.course.source_functions import function_lines
from lxmls_day1.course.workspace_state import (
    Explanation,
    WorkspaceState,
    files_digest,
    keeps_state,
    locked,
    why_not_kept,
)

FILE = PurePosixPath("explanations.json")  # in what is handed in
FORMAT = 1
LONGEST_TEXT = 2000  # characters
LONGEST_ATTEMPT = 4000
LONGEST_QUESTION = 300
MOST_OF_EXERCISE = 20
FEWEST_WORDS = 2  # of an answer in one's own words, those of the question apart
NO_CHARACTER = re.compile(r"[\ud800-\udfff\x00]")
WORD = re.compile(r"\w+")
LARGEST_FILE = 1_000_000  # bytes


def open_questions(folder: Path, report: CheckReport) -> list[Explanation]:
    """The questions on the named mistakes in a report, each with the attempt that was checked.

    A question that was answered before is not asked again.

    Parameters
    ----------
    folder : Path
        A workspace; the reference lab, which remembers nothing, asks nothing.
    report : CheckReport

    Returns
    -------
    list of Explanation
        One for each exercise in which a mistake was named that has a question; the texts are empty.
    """
    if not keeps_state(folder):
        return []
    answered = {(one.exercise, one.question) for one in WorkspaceState.of(folder).explanations if one.text}
    return [
        Explanation(one.exercise.id, one.mistakes[0][0], one.question, attempt_of(folder, one))
        for one in report.reports
        if one.question and (one.exercise.id, one.question) not in answered
    ]


def to_compare(folder: Path, report: CheckReport) -> list[tuple[Explanation, str]]:
    """The answered questions on exercises that pass now, each with the course's answer; those that were not shown before.

    The course's answer is the sentence that explains the mistake.
    """
    passed = {one.exercise.id for one in report.reports if one.all_passed}
    state = WorkspaceState.of(folder)
    answered = [
        one
        for one in state.explanations
        if one.text and one.exercise in passed and one.question not in state.compared.get(one.exercise, ())
    ]
    recorded = exercises_folder(folder) / RECORDED.name
    sentences = RecordedAnswers.read_if_there(recorded, {one.exercise for one in answered}).sentences
    pairs = [(one, sentences.get(one.exercise, {}).get(one.mistake, "")) for one in answered]
    return [(one, sentence) for one, sentence in pairs if sentence]


def remember_compared(folder: Path, compared: Iterable[tuple[Explanation, str]]) -> None:
    """Keep that these answers were shown; raises OSError as `remember_questions` does."""
    questions = [(one.exercise, one.question) for one, _ in compared]
    if not questions:
        return
    with locked(folder):
        state = WorkspaceState.of(folder)
        for exercise, question in questions:
            state.compared[exercise] = [*state.compared.get(exercise, ()), question]
        state.save()


def is_no_explanation(text: str, question: str) -> bool:
    """Whether a text has fewer than `FEWEST_WORDS` different words that are not the question's.

    Examples
    --------
    >>> [is_no_explanation(text, "What is λ for?") for text in ("asdf", "What is λ for?", "λ limits each step.")]
    [True, True, False]
    """
    known = set(WORD.findall(question.casefold()))
    return len(set(WORD.findall(text.casefold())) - known) < FEWEST_WORDS


def check_and_remember(
    folder: Path,
    ids: Collection[str] | None,
    time_limit: float = TIME_LIMIT,
    progressed: Progressed = lambda title: None,
) -> tuple[CheckReport, list[Explanation], list[str]]:
    """Run checks, and keep in the workspace how they went and what is asked about named mistakes.

    Parameters
    ----------
    folder, ids, time_limit, progressed
        As of `lxmls_day1.course.running.checking.run_checks`.

    Returns
    -------
    report : CheckReport
        Without `ids`, of the exercises that have checks.
    questions : list of Explanation
        As of `open_questions`.
    problems : list of str
        Sentences on what could not be kept.
    """
    report = run_checks(folder, ids, time_limit, progressed)
    if ids is None:
        report = CheckReport(tuple(one for one in report.reports if one.results))
    unsaved = [why_not_kept(lambda: remember(folder, report), "The results")]
    compared = to_compare(folder, report)
    report = replace(report, compared=tuple((one.exercise, one.question, one.text, own) for one, own in compared))
    unsaved.append(why_not_kept(lambda: remember_compared(folder, compared), "That answers were shown"))
    questions = open_questions(folder, report)
    unsaved.append(why_not_kept(lambda: remember_questions(folder, questions), "The question"))
    return report, questions, [sentence for sentence in unsaved if sentence]


def attempt_of(folder: Path, report: ExerciseReport) -> str:
    """The functions of an exercise as they were checked; nothing if the file was edited since, or is not there.

    Where a workspace does not know which functions were to be written, it is the whole file.
    """
    if files_digest(folder, report.exercise) != report.digest:
        return ""
    given = WorkspaceState.of(folder).origin.files
    texts = []
    for name in report.exercise.files:
        if not name.endswith(".py") or not (folder / name).is_file():
            continue
        source = (folder / name).read_text(encoding="utf-8-sig", errors="replace").replace("\r\n", "\n")
        functions = given[name].functions if name in given else ()
        places = [function_lines(source, function) for function in functions]
        lines = source.split("\n")
        texts += ["\n".join(lines[place]) for place in places if place] or [source]
    return "\n\n".join(texts)[:LONGEST_ATTEMPT]


def remember_questions(folder: Path, asked: Iterable[Explanation]) -> None:
    """Keep questions that were asked; one that is not answered yet belongs to the latest attempt.

    Raises
    ------
    OSError
        If the state cannot be written.
    """
    asked = list(asked)
    if not asked or not keeps_state(folder):
        return
    with locked(folder):
        state = WorkspaceState.of(folder)
        for one in asked:
            same = (one.exercise, one.question, "")
            others = [kept for kept in state.explanations if (kept.exercise, kept.question, kept.text) != same]
            state.explanations = _not_too_many([*others, one], one.exercise)
        state.save()


def explain(folder: Path, exercise: str, text: str, question: str | None = None) -> Explanation:
    """Keep the answer to a question that was asked on an exercise, in place of an earlier answer.

    Parameters
    ----------
    folder : Path
        A workspace.
    exercise : str
    text : str
        In the student's own words; the first `LONGEST_TEXT` characters are kept.
    question : str, optional
        The last one that was asked unless given.

    Returns
    -------
    Explanation
        Its text is empty if the question is asked once more.

    Raises
    ------
    InputError
        If there is no such exercise, no question was asked on it, or the text is empty.
    OSError
        If the state cannot be written.
    """
    id = Registry.of(folder)[exercise].id
    text = text.strip() if isinstance(text, str) else ""
    if not text:
        raise InputError("the explanation must be a text; write one line in your own words.")
    with locked(folder):
        state = WorkspaceState.of(folder)
        places = [
            i for i, one in enumerate(state.explanations) if one.exercise == id and question in (None, one.question)
        ]
        if not places:
            raise InputError(
                f"no question was asked about exercise {id}; one is asked when a check names a mistake (`lxmls-day1 check {id}`)."
            )
        asked = state.explanations[places[-1]]
        before = state.asked_again.get(id, [])
        if is_no_explanation(text, asked.question) and asked.question not in before:
            state.asked_again[id] = [*before, asked.question]
            state.save()
            return replace(asked, text="")
        kept = replace(asked, text=text[:LONGEST_TEXT])
        state.explanations[places[-1]] = kept
        state.save()
        return kept


def packed(explanations: Iterable[Explanation]) -> bytes:
    """The content of the file that is handed in.

    Examples
    --------
    >>> packed([Explanation("1.5", "half_the_norm", "Why 2?", "...", "Two blocks differ.")]).decode().splitlines()[0]
    '{"format": 1, "explanations": ['
    """
    lines = ",\n".join(json.dumps(vars(one), ensure_ascii=False) for one in explanations)
    return f'{{"format": {FORMAT}, "explanations": [\n{lines}\n]}}\n'.encode()


def merged(known: Iterable[Explanation], more: Iterable[Explanation]) -> list[Explanation]:
    """Return the known explanations and more of them; a question that is answered already keeps its answer.

    Examples
    --------
    >>> merged([Explanation("1.5", "a", "Why?", "", "So.")], [Explanation("1.5", "a", "Why?", "", "Other.")])[0].text
    'So.'
    """
    found = {(one.exercise, one.question): one for one in known}
    for one in more:
        before = found.get((one.exercise, one.question))
        if before is None or not before.text:
            found[one.exercise, one.question] = one
    return [*found.values()]


def unpacked(content: bytes, exercises: Collection[str]) -> tuple[Explanation, ...]:
    """The explanations in a file that was handed in. Anybody may have written it: long texts are cut, other forms are left out.

    Parameters
    ----------
    content : bytes
    exercises : collection of str
        Those that count; others are left out.

    Raises
    ------
    InputError
        If it is not such a file.

    Examples
    --------
    >>> unpacked(packed([Explanation("1.5", "half_the_norm", "Why 2?", "...", "Two blocks differ.")]), ["1.5"])[0].text
    'Two blocks differ.'
    """
    try:
        if len(content) > LARGEST_FILE:
            raise ValueError("it is too large")
        rows = json.loads(content.decode("utf-8"))["explanations"]
        if type(rows) is not list:
            raise TypeError("no list")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{FILE} does not hold explanations ({type(error).__name__})") from None
    longest = {
        "exercise": 10,
        "mistake": 100,
        "question": LONGEST_QUESTION,
        "attempt": LONGEST_ATTEMPT,
        "text": LONGEST_TEXT,
    }
    found: list[Explanation] = []
    for row in rows:
        if type(row) is dict and all(type(row.get(key)) is str for key in longest):
            one = Explanation(**{key: NO_CHARACTER.sub("\ufffd", row[key][:most]) for key, most in longest.items()})
            if one.exercise in exercises:
                found.append(one)
    return tuple(one for id in exercises for one in [one for one in found if one.exercise == id][-MOST_OF_EXERCISE:])


def _not_too_many(explanations: list[Explanation], exercise: str) -> list[Explanation]:
    """The explanations, of each exercise only the latest `MOST_OF_EXERCISE`."""
    surplus = [one for one in explanations if one.exercise == exercise][:-MOST_OF_EXERCISE]
    return [one for one in explanations if one not in surplus]
