"""The feedback for a student: a page for the browser, and the same as Markdown text.

Both say for each exercise how many points it brought, and why. A public check is shown with its calls, what was expected and
what came; a hidden check with its title, the verdict and a known mistake. A known mistake stands once, at the head of its
exercise. An exercise that was not begun is one line.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxmls_day1.course.naming import head_of
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
from lxmls_day1.grading.page_frame import VERDICT_WORDS, embedded, how_graded, joined, name_of, points_text, render
from lxmls_day1.grading.safe_text import lines, markdown_block, markdown_prose, markdown_text, one_line

_NOT_IN_ANCHOR = re.compile("[^a-zA-Z0-9]")
BY_HAND, NO_ANSWER = "to be marked by hand", "no answer in the notebook"
SHARED = "The work that your partner has handed in for both of you counts."
EXAMPLE_TEXT = "That input as a picture, with the wanted answer and yours."
PICTURE_TEXT = (
    "The boundary that your classifier learnt on the simple data set (dashed) beside the reference's (broad line) and the "
    "best possible one (dotted)."
)


def student_html(
    row: SubmissionGrade, gradebook: Gradebook, picture: bytes | None = None, prefix: str = "", **layout: str
) -> str:
    """The page of one student: a document that needs no other file.

    Parameters
    ----------
    row : SubmissionGrade
    gradebook : Gradebook
        The run that the row belongs to; its other rows are not used.
    picture : bytes, optional
        A PNG of the student's decision boundaries, as `lxmls_day1.grading.boundary_picture` draws it.
    prefix : str
        What the anchors begin with, where several of these pages are parts of one.
    **layout
        Another layout than that of a page by itself: ``layout="part.html.j2"``. Then what is the same for all is left out.

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
        exercises=[_told_exercise(exercise, row) for exercise in row.exercises],
        still_to_come=_still_to_come(row),
        picture=embedded(picture) if picture is not None else "",
        pictured=joined([one_line(boundary.exercise) for boundary in row.boundaries]),
        facts=[] if layout else _facts(row, gradebook),
        prefix=prefix,
        BY_HAND=BY_HAND,
        SHARED=SHARED,
        EXAMPLE_TEXT=EXAMPLE_TEXT,
        PICTURE_TEXT=PICTURE_TEXT,
        **layout,
    )


def student_markdown(row: SubmissionGrade, gradebook: Gradebook) -> str:
    """The same as Markdown text, for a forge's comment or an e-mail.

    Examples
    --------
    >>> check = CheckGrade("test_1_05_mira.py::test_costs", "1.5", "Costs", True, "ok")
    >>> row = SubmissionGrade("ada", "Ada", "ada.zip", "", (ExerciseGrade("1.5", "MIRA", "code", 10.0, (check,)),))
    >>> print(student_markdown(row, Gradebook((row,), 1, "process", "a process of its own")))
    # Feedback for Ada
    <BLANKLINE>
    **10 of 10 points**
    <BLANKLINE>
    | Exercise | Points | Checks |
    |:---|---:|:---|
    | 1.5 MIRA | 10 of 10 | 1 of 1 |
    <BLANKLINE>
    ## 1.5 MIRA: 10 of 10 points
    <BLANKLINE>
    - ✓ **right**: Costs (hidden check)
    <BLANKLINE>
    ## How this was graded
    <BLANKLINE>
    - sandbox level: process – a process of its own
    - hidden checks: run with seed 1
    - points: of each exercise 25% for its public checks and the rest for its hidden ones
    <BLANKLINE>
    """
    blocks = [
        f"# Feedback for {markdown_text(name_of(row), 100)}",
        f"**{points_text(row.points)} of {points_text(row.out_of)} points**",
    ]
    if row.shared_from:
        blocks.append(f"{SHARED} ({markdown_text(row.shared_from)})")
    if still_to_come := _still_to_come(row):
        blocks.append(markdown_text(still_to_come))
    exercises = [_told_exercise(exercise, row) for exercise in row.exercises]
    if exercises:
        table_lines = ["| Exercise | Points | Checks |", "|:---|---:|:---|"]
        table_lines += [f"| {markdown_text(told.title)} | {told.points} | {told.passed} |" for told in exercises]
        blocks.append("\n".join(table_lines))
    if row.problem:
        blocks += ["## Nothing could be read", markdown_text(row.problem)]
    if row.warnings:
        blocks += ["## Warnings (they cost no points)", _markdown_list(row.warnings)]
    for told in exercises:
        if not told.is_blank:
            blocks += _markdown_exercise(told)
    if blank := [told for told in exercises if told.is_blank]:
        blocks += [
            "## Not begun",
            "\n".join(f"- {markdown_text(told.title)}: {markdown_text(told.line)}" for told in blank),
        ]
    if row.notebook_failures:
        blocks.append("## Notebook cells that failed")
        for failure in row.notebook_failures:
            where = f"{markdown_text(failure.notebook)}, code cell {failure.cell}"
            blocks.append(f"- {where}\n\n{markdown_block(failure.error, '  ')}")
    if row.printed.strip():
        blocks += ["## What your code printed", markdown_block(row.printed)]
    said = [f"{name}: {markdown_text(value)}" for name, value in _facts(row, gradebook) if value]
    blocks += ["## How this was graded", "\n".join(f"- {line}" for line in said)]
    return "\n\n".join(blocks) + "\n"


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


class _ToldCheck(NamedTuple):
    """A check and the texts that present it."""

    check: CheckGrade
    sign: str
    word: str
    meaning: str  # of the verdict; empty where it need not be said
    text: str  # empty where `as_in` says it
    as_in: str | None  # the title of an earlier check of the exercise that has the same text
    calls: str  # what was called, a line for each call; empty for hidden checks

    @property
    def is_bare(self) -> bool:
        """Whether its title and its verdict are all that paper has of it."""
        has_more = self.text or self.check.picture or (self.calls and self.as_in is None)
        return self.check.verdict == OK or not has_more


class _ToldExercise(NamedTuple):
    """An exercise and the texts that present it."""

    grade: ExerciseGrade
    anchor: str
    title: str
    points: str
    share: float
    passed: str
    line: str  # instead of the checks, where all of them say this
    is_blank: bool  # whether the line is all there is to say
    checks: list[_ToldCheck]
    answers: list[FreeAnswer]  # those that hold something
    unanswered: str  # how many others there are
    answers_are: str  # marked, to be marked, or read only
    named: str  # what stands above the sentences on its mistakes


def _told_exercise(exercise: ExerciseGrade, row: SubmissionGrade) -> _ToldExercise:
    points, out_of = exercise.points, points_text(exercise.out_of)
    answers = [answer for answer in row.answers if answer.exercise == exercise.id and not answer.is_prediction]
    answered = [answer for answer in answers if answer.text.strip()]
    line = _line_for_all(exercise) if exercise.checks else "" if answered else NO_ANSWER
    return _ToldExercise(
        exercise,
        "exercise-" + _NOT_IN_ANCHOR.sub("-", exercise.id),
        one_line(f"{exercise.id} {exercise.title}"),
        f"{BY_HAND}, out of {out_of}" if points is None else f"{points_text(points)} of {out_of}",
        points / exercise.out_of if points is not None and exercise.out_of else 0.0,
        "–" if exercise.by_hand else f"{exercise.passed} of {len(exercise.checks)}",
        line,
        bool(line) and not answered and exercise.mark is None,
        [] if line else list(_told_checks(exercise)),
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


def _told_checks(exercise: ExerciseGrade) -> Iterator[_ToldCheck]:
    """The checks of an exercise. A text that an earlier check has already is not repeated."""
    titles: dict[str, str] = {}
    for check in exercise.checks:
        as_in = titles.get(check.text)
        calls = calls_text(check) if check.calls and not check.hidden else ""
        meaning = VERDICTS[check.verdict] if _needs_words(check) else ""
        text = check.text if as_in is None else ""
        yield _ToldCheck(check, *VERDICT_WORDS[check.verdict], meaning, text, as_in, calls)
        if check.text:
            titles.setdefault(check.text, one_line(check.title, 300))


def _needs_words(check: CheckGrade) -> bool:
    """Whether to explain the verdict: if it is neither “right” nor “wrong”, or if a wrong answer has no text."""
    return check.verdict not in (OK, WRONG) if check.text else check.verdict != OK


def _markdown_list(texts: tuple[str, ...]) -> str:
    return "\n".join(f"- {markdown_text(text, 600)}" for text in texts)


def _markdown_exercise(told: _ToldExercise) -> Iterator[str]:
    yield f"## {markdown_text(told.title)}: {told.points}{'' if told.grade.points is None else ' points'}"
    if told.grade.mistakes:
        sentences = "\n".join(f"> - {markdown_prose(sentence)}" for _, sentence in told.grade.mistakes)
        yield f"> **{told.named}:**\n>\n{sentences}"
    if told.line:
        yield markdown_text(told.line)
    if told.checks:
        yield "\n".join(map(_markdown_check, told.checks))
    for answer in told.answers:
        if answer.asked:  # the notebook's own Markdown and TeX
            yield "\n".join(f"> {line}" for line in lines(answer.asked).split("\n"))
        yield f"Your answer in the notebook, {told.answers_are}:"
        yield markdown_block(answer.text)
    if told.unanswered:
        yield told.unanswered
    if told.grade.mark is not None and told.grade.mark.comment:
        yield f"Comment:\n\n{markdown_block(told.grade.mark.comment)}"


def _markdown_check(told: _ToldCheck) -> str:
    title, hidden = markdown_prose(one_line(told.check.title, 300)), " (hidden check)" if told.check.hidden else ""
    text = f"- {told.sign} **{told.word}**: {title}{hidden}"
    if told.meaning:
        text += f"\n  {told.meaning}"
    if told.as_in is not None:
        text += f"\n  as in “{markdown_prose(told.as_in)}”"
    if told.text:
        text += f"\n\n{markdown_block(told.text, '  ')}\n"
    if told.calls and told.check.verdict != OK:
        text += f"\n  what was called:\n\n{markdown_block(told.calls, '  ')}\n"
    return text
