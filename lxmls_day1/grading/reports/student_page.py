"""The feedback page for a student.

It lists the points of each exercise with the reasons. A public check is shown with its calls, the expected and the actual
values; a hidden check with its title, the verdict and a known mistake. A known mistake is shown once, at the top of its
exercise. An exercise that was not begun takes one line.
"""

from collections.abc import Iterator
from typing import Any

from lxmls_day1.course.diagnosis.mistake_matching import diagnosis_heading
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, Gradebook, SubmissionGrade
from lxmls_day1.grading.reports import page_frame as frame
from lxmls_day1.grading.safe_text import one_line, truncate_lines
from lxmls_day1.grading.verdicts import MISSING, OK, VERDICTS, WRONG

TO_BE_MARKED, NO_ANSWER = "to be marked by hand", "no answer in the notebook"
EXAMPLE_TEXT = "This input as a picture, with the expected answer and yours."


def student_html(row: SubmissionGrade, gradebook: Gradebook) -> str:
    """Return the page of one student as an HTML document that needs no other file.

    Parameters
    ----------
    row : SubmissionGrade
    gradebook : Gradebook
        The run of the row; its other rows are not used.

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
    return frame.render(
        "student.html.j2",
        title=f"Feedback for {frame.name_of(row)}",
        row=row,
        points=frame.points_text(row.points),
        out_of=frame.points_text(row.out_of),
        share=row.points / row.out_of if row.out_of else 0.0,
        exercises=[_exercise_on_page(exercise, row) for exercise in row.exercises],
        still_to_come=_manual_exercises_note(row),
        facts=_facts(row, gradebook),
        BY_HAND=TO_BE_MARKED,
        EXAMPLE_TEXT=EXAMPLE_TEXT,
    )


def explanation(check: CheckGrade) -> str:
    """Return the verdict and the text of one check for a student, as plain text of some lines.

    Examples
    --------
    >>> print(explanation(CheckGrade("", "1.5", "Costs", True, "timeout", "stopped after 2 s")))
    time limit: not done within the time limit
    stopped after 2 s
    """
    verdict = VERDICTS[check.verdict]
    said = [f"{verdict.words}: {verdict.meaning}" if check.verdict != OK else "right"]
    if check.text:
        said.append(truncate_lines(check.text))
    return "\n".join(said)


def calls_text(check: CheckGrade) -> str:
    """Return the calls of a check, one per line."""
    return truncate_lines("\n".join(one_line(call, 500) for call in check.calls), max_lines=20)


def _manual_exercises_note(row: SubmissionGrade) -> str:
    """Return a sentence about the exercises that still need a manual mark, or an empty string."""
    unmarked = row.unmarked
    if not unmarked:
        return ""
    most = frame.points_text(sum(exercise.out_of for exercise in unmarked))
    ids = frame.joined([one_line(exercise.id) for exercise in unmarked])
    return f"Up to {most} more points come from exercise{'s' * (len(unmarked) > 1)} {ids}, {TO_BE_MARKED}."


def _facts(row: SubmissionGrade, gradebook: Gradebook) -> list[tuple[str, str]]:
    digest = f"sha256 {one_line(row.digest)[:16]}…" if row.digest else ""
    receipt = f"sha256 {one_line(row.receipt)}" if row.receipt else ""
    return [*frame.run_details(gradebook), ("submission", digest), ("receipt of its zip file", receipt)]


def _exercise_on_page(exercise: ExerciseGrade, row: SubmissionGrade) -> dict[str, Any]:
    """Return an exercise and the texts that present it."""
    points, out_of = exercise.points, frame.points_text(exercise.out_of)
    answers = [answer for answer in row.answers if answer.exercise == exercise.id]
    answered = [answer for answer in answers if answer.text.strip()]
    # A text for all checks of an exercise replaces them.
    line = _line_for_all(exercise) if exercise.checks else "" if answered else NO_ANSWER
    not_marked = TO_BE_MARKED if exercise.is_manual else "read, not marked"
    return {
        "grade": exercise,
        "anchor": frame.anchor_of(exercise.id),
        "title": one_line(f"{exercise.id} {exercise.title}"),
        "points": f"{TO_BE_MARKED}, out of {out_of}" if points is None else f"{frame.points_text(points)} of {out_of}",
        "share": points / exercise.out_of if points is not None and exercise.out_of else 0.0,
        "passed": "–" if exercise.is_manual else f"{exercise.passed} of {len(exercise.checks)}",
        "line": line,
        "is_blank": bool(line) and not answered and exercise.mark is None,
        "checks": [] if line else list(_checks_on_page(exercise)),
        "answers": answered,
        "unanswered": len(answers) - len(answered) if answered or not line else 0,
        "marking_state": "marked by hand" if exercise.is_manual and points is not None else not_marked,
        "mistakes_heading": diagnosis_heading(exercise.named_as),
    }


def _line_for_all(exercise: ExerciseGrade) -> str:
    """Return the text of all checks of an exercise that is not begun or not handed in; empty if their texts differ."""
    texts = {check.text for check in exercise.checks if check.text}  # hidden checks have no text
    if len(texts) != 1 or any(check.verdict != MISSING for check in exercise.checks):
        return ""
    return one_line(texts.pop())


def _checks_on_page(exercise: ExerciseGrade) -> Iterator[tuple[CheckGrade, str, str, str, str, str | None, str]]:
    """Yield the checks of an exercise, each with the texts that present it. A text that an earlier check has is not repeated.

    The texts are sign, word and meaning of the verdict (empty if not needed), the text of the check, the title of the earlier check
    with the same text (None without one), and the calls, one per line (empty for hidden checks).
    """
    titles: dict[str, str] = {}
    for check in exercise.checks:
        as_in = titles.get(check.text)
        calls = calls_text(check) if check.calls and not check.hidden else ""
        verdict = VERDICTS[check.verdict]
        meaning = verdict.meaning if _needs_explanation(check) else ""
        text = check.text if as_in is None else ""
        yield check, verdict.sign, verdict.words, meaning, text, as_in, calls
        if check.text:
            titles.setdefault(check.text, one_line(check.title, 300))


def _needs_explanation(check: CheckGrade) -> bool:
    """Return True if the verdict needs an explanation: it is neither “right” nor “wrong”, or a wrong answer has no text."""
    return check.verdict not in (OK, WRONG) if check.text else check.verdict != OK
