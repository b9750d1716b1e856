"""The feedback for a student: a page for the browser.

It says for each exercise how many points it brought, and why. A public check is shown with its calls, what was expected and
what came; a hidden check with its title, the verdict and a known mistake. A known mistake stands once, at the head of its
exercise. An exercise that was not begun is one line.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxmls_day1.course.diagnosis.naming import head_of
from lxmls_day1.grading.gradebook import (
    MISSING,
    OK,
    VERDICTS,
    WRONG,
    CheckGrade,
    ExerciseGrade,
    FreeAnswer,
    Gradebook,
    SubmissionGrade,
)
from lxmls_day1.grading.reports.page_frame import VERDICT_WORDS, how_graded, joined, name_of, points_text, render
from lxmls_day1.grading.safe_text import lines, one_line

_NOT_IN_ANCHOR = re.compile("[^a-zA-Z0-9]")
BY_HAND, NO_ANSWER = "to be marked by hand", "no answer in the notebook"
EXAMPLE_TEXT = "This input as a picture, with the expected answer and yours."


def student_html(row: SubmissionGrade, gradebook: Gradebook) -> str:
    """The page of one student: a document that needs no other file.

    Parameters
    ----------
    row : SubmissionGrade
    gradebook : Gradebook
        The run that the row belongs to; its other rows are not used.

    Returns
    -------
    str

    Examples
    --------
    >>> check = CheckGrade("test_1_05_mira.py::test_costs", "1.5", "Costs", True, "ok")
    >>> row = SubmissionGrade("ada", "Ada", "ada.zip", "", (ExerciseGrade("1.5", "MIRA", "code", 10.0, (check,)),))
    >>> text = student_html(row, Gradebook((row,), 1, "process", "a process of its own"))
    >>> "<b>10</b> of 10 points" in text, "Costs" in text
    (True, True)
    """
    return render(
        "student.html.j2",
        title=f"Feedback for {name_of(row)}",
        row=row,
        points=points_text(row.points),
        out_of=points_text(row.out_of),
        share=row.points / row.out_of if row.out_of else 0.0,
        exercises=[_exercise_on_page(exercise, row) for exercise in row.exercises],
        still_to_come=_still_to_come(row),
        facts=_facts(row, gradebook),
        BY_HAND=BY_HAND,
        EXAMPLE_TEXT=EXAMPLE_TEXT,
    )


def explanation(check: CheckGrade) -> str:
    """The verdict and the text of one check for a student, as plain text of some lines.

    Examples
    --------
    >>> print(explanation(CheckGrade("", "1.5", "Costs", True, "timeout", "stopped after 2 s")))
    time limit: not done within the time limit
    stopped after 2 s
    """
    said = [f"{VERDICT_WORDS[check.verdict][1]}: {VERDICTS[check.verdict]}" if check.verdict != OK else "right"]
    if check.text:
        said.append(lines(check.text))
    return "\n".join(said)


def calls_text(check: CheckGrade) -> str:
    """The calls of a check, a line for each."""
    return lines("\n".join(one_line(call, 500) for call in check.calls), most_lines=20)


def _still_to_come(row: SubmissionGrade) -> str:
    """A sentence about the exercises that are marked by hand; empty if there is none."""
    unmarked = row.unmarked
    if not unmarked:
        return ""
    most = points_text(sum(exercise.out_of for exercise in unmarked))
    ids = joined([one_line(exercise.id) for exercise in unmarked])
    return f"Up to {most} more points come from exercise{'s' * (len(unmarked) > 1)} {ids}, {BY_HAND}."


def _facts(row: SubmissionGrade, gradebook: Gradebook) -> list[tuple[str, str]]:
    digest = f"sha256 {one_line(row.digest)[:16]}…" if row.digest else ""
    receipt = f"sha256 {one_line(row.receipt)}" if row.receipt else ""
    return [*how_graded(gradebook), ("submission", digest), ("receipt of its zip file", receipt)]


class _CheckOnPage(NamedTuple):
    """A check and the texts that present it."""

    check: CheckGrade
    sign: str
    word: str
    meaning: str  # of the verdict; empty where it need not be said
    text: str  # empty where `as_in` says it
    as_in: str | None  # the title of an earlier check of the exercise that has the same text
    calls: str  # what was called, a line for each call; empty for hidden checks


class _ExerciseOnPage(NamedTuple):
    """An exercise and the texts that present it."""

    grade: ExerciseGrade
    anchor: str
    title: str
    points: str
    share: float
    passed: str
    line: str  # instead of the checks, where all of them say this
    is_blank: bool  # whether the line is all there is to say
    checks: list[_CheckOnPage]
    answers: list[FreeAnswer]  # those that hold something
    unanswered: str  # how many others there are
    answers_are: str  # marked, to be marked, or read only
    named: str  # what stands above the sentences on its mistakes


def _exercise_on_page(exercise: ExerciseGrade, row: SubmissionGrade) -> _ExerciseOnPage:
    points, out_of = exercise.points, points_text(exercise.out_of)
    answers = [answer for answer in row.answers if answer.exercise == exercise.id]
    answered = [answer for answer in answers if answer.text.strip()]
    line = _line_for_all(exercise) if exercise.checks else "" if answered else NO_ANSWER
    return _ExerciseOnPage(
        exercise,
        "exercise-" + _NOT_IN_ANCHOR.sub("-", exercise.id),
        one_line(f"{exercise.id} {exercise.title}"),
        f"{BY_HAND}, out of {out_of}" if points is None else f"{points_text(points)} of {out_of}",
        points / exercise.out_of if points is not None and exercise.out_of else 0.0,
        "–" if exercise.by_hand else f"{exercise.passed} of {len(exercise.checks)}",
        line,
        bool(line) and not answered and exercise.mark is None,
        [] if line else list(_checks_on_page(exercise)),
        answered,
        _unanswered(len(answers) - len(answered)) if answered or not line else "",
        "read, not marked" if not exercise.by_hand else BY_HAND if points is None else "marked by hand",
        head_of(exercise.named_as),
    )


def _unanswered(count: int) -> str:
    return f"Questions in the notebook that you have not answered: {count}." if count else ""


def _line_for_all(exercise: ExerciseGrade) -> str:
    """What all checks say of an exercise that is not begun or whose file is not there; empty if they say more."""
    texts = {check.text for check in exercise.checks if check.text}  # hidden checks have none
    if len(texts) != 1 or any(check.verdict != MISSING for check in exercise.checks):
        return ""
    return one_line(texts.pop())


def _checks_on_page(exercise: ExerciseGrade) -> Iterator[_CheckOnPage]:
    """The checks of an exercise. A text that an earlier check has already is not repeated."""
    titles: dict[str, str] = {}
    for check in exercise.checks:
        as_in = titles.get(check.text)
        calls = calls_text(check) if check.calls and not check.hidden else ""
        meaning = VERDICTS[check.verdict] if _needs_words(check) else ""
        text = check.text if as_in is None else ""
        yield _CheckOnPage(check, *VERDICT_WORDS[check.verdict], meaning, text, as_in, calls)
        if check.text:
            titles.setdefault(check.text, one_line(check.title, 300))


def _needs_words(check: CheckGrade) -> bool:
    """Whether to explain the verdict: if it is neither “right” nor “wrong”, or if a wrong answer has no text."""
    return check.verdict not in (OK, WRONG) if check.text else check.verdict != OK
