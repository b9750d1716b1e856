"""What a student gets back: a page for the browser, and the same as Markdown text.

Both say for each exercise how many points it brought and why. Of a public check they tell what was called, what was expected
and what came; of a hidden one its title, the verdict and a known mistake. What one common mistake explains stands at the
head of its exercise, once.
"""

from base64 import b64encode
from collections.abc import Iterator

from lxmls_day1.grading.gradebook import MISSING, OK, VERDICTS, WRONG, CheckGrade, ExerciseGrade, Gradebook, Row
from lxmls_day1.grading.page_frame import (
    VERDICT_WORDS,
    bar,
    facts,
    how_graded,
    joined,
    name_of,
    page,
    points_text,
    table,
)
from lxmls_day1.grading.safe_text import (
    html_prose,
    html_text,
    lines,
    markdown_block,
    markdown_prose,
    markdown_text,
    one_line,
)

BY_HAND = "to be marked by hand"
PICTURE_TEXT = (
    "The boundary that your classifier learnt on the simple data set (dashed) beside the reference's (broad line) and the "
    "best possible one (dotted)."
)


def student_html(row: Row, gradebook: Gradebook, picture: bytes | None = None) -> str:
    """The page of one student: a document that needs no other file.

    Parameters
    ----------
    row : Row
    gradebook : Gradebook
        The run that the row belongs to; other rows are not looked at.
    picture : bytes, optional
        A PNG of the student's decision boundaries, as `lxmls_day1.grading.boundary_picture` draws it.

    Returns
    -------
    str

    Examples
    --------
    >>> check = CheckGrade("test_1_05_mira.py::test_costs", "1.5", "Costs", True, "ok")
    >>> row = Row("ada", "Ada", "ada.zip", "", (ExerciseGrade("1.5", "MIRA", "code", 10.0, (check,)),))
    >>> text = student_html(row, Gradebook((row,), 1, "process", "a process of its own"))
    >>> "<b>10</b> of 10 points" in text, "Costs" in text
    (True, True)
    """
    name = name_of(row)
    parts = [
        "<header>",
        '<p class="eyebrow">Feedback · lab of day 1</p>',
        f"<h1><bdi>{html_text(name)}</bdi></h1>",
        f'<p class="total"><b>{points_text(row.points)}</b> of {points_text(row.out_of)} points</p>',
        bar(_share(row.points, row.out_of), f"{points_text(row.points)} of {points_text(row.out_of)} points"),
        *(f'<p class="quiet">{html_text(sentence)}</p>' for sentence in _still_to_come(row)),
        "</header>",
        "<main>",
        *_overview(row),
        *_warnings(row),
        *(part for exercise in row.exercises for part in _exercise(exercise, row)),
        *_picture(row, picture),
        *_notebook_failures(row),
        *_printed(row),
        *_how_graded(row, gradebook),
        "</main>",
    ]
    return page(f"Feedback for {name}", "\n".join(parts))


def student_markdown(row: Row, gradebook: Gradebook) -> str:
    """The same as Markdown text, for a forge's comment or an e-mail.

    Examples
    --------
    >>> check = CheckGrade("test_1_05_mira.py::test_costs", "1.5", "Costs", True, "ok")
    >>> row = Row("ada", "Ada", "ada.zip", "", (ExerciseGrade("1.5", "MIRA", "code", 10.0, (check,)),))
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
        *(markdown_text(sentence) for sentence in _still_to_come(row)),
    ]
    if row.exercises:
        table_lines = ["| Exercise | Points | Checks |", "|:---|---:|:---|"]
        table_lines += [
            f"| {markdown_text(_title(exercise))} | {_points(exercise)} | {_passed(exercise)} |"
            for exercise in row.exercises
        ]
        blocks.append("\n".join(table_lines))
    if row.warnings:
        blocks += ["## Warnings (they cost no points)", _markdown_list(row.warnings)]
    for exercise in row.exercises:
        blocks += _markdown_exercise(exercise, row)
    if row.notebook_failures:
        blocks.append("## Notebook cells that failed")
        for failure in row.notebook_failures:
            where = f"{markdown_text(failure.notebook)}, code cell {failure.cell}"
            blocks.append(f"- {where}\n\n{markdown_block(failure.error, '  ')}")
    if row.printed.strip():
        blocks += ["## What your code printed", markdown_block(row.printed)]
    said = [
        f"{name}: {markdown_text(value)}" for name, value in [*how_graded(gradebook), *_of_submission(row)] if value
    ]
    blocks += ["## How this was graded", "\n".join(f"- {line}" for line in said)]
    return "\n\n".join(blocks) + "\n"


def explanation(check: CheckGrade) -> str:
    """What a student may read about one check, as plain text of some lines: the verdict, and what is said about it.

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
    """What was called in a check, a line for each call."""
    return lines("\n".join(one_line(call, 500) for call in check.calls), most_lines=20)


def _share(points: float, out_of: float) -> float:
    return points / out_of if out_of else 0.0


def _title(exercise: ExerciseGrade) -> str:
    return f"{exercise.id} {exercise.title}"


def _points(exercise: ExerciseGrade) -> str:
    if exercise.points is None:
        return f"{BY_HAND}, out of {points_text(exercise.out_of)}"
    return f"{points_text(exercise.points)} of {points_text(exercise.out_of)}"


def _passed(exercise: ExerciseGrade) -> str:
    return "–" if exercise.by_hand else f"{exercise.passed} of {len(exercise.checks)}"


def _still_to_come(row: Row) -> Iterator[str]:
    by_hand = [exercise for exercise in row.exercises if exercise.by_hand]
    if by_hand:
        most = points_text(sum(exercise.out_of for exercise in by_hand))
        ids = joined([one_line(exercise.id) for exercise in by_hand])
        yield f"Up to {most} more points come from exercise{'s' * (len(by_hand) > 1)} {ids}, {BY_HAND}."


def _of_submission(row: Row) -> list[tuple[str, str]]:
    return [("submission", f"sha256 {one_line(row.digest)[:16]}…" if row.digest else "")]


def _anchor(id: str) -> str:
    return "exercise-" + "".join(c if c.isascii() and c.isalnum() else "-" for c in id)


def _overview(row: Row) -> Iterator[str]:
    if not row.exercises:
        yield "<section><p>Nothing could be graded.</p></section>"
        return
    rows = []
    for exercise in row.exercises:
        link = f'<a href="#{_anchor(exercise.id)}">{html_text(one_line(_title(exercise)))}</a>'
        if exercise.points is None:
            rows.append([link, "", f'<span class="quiet">{BY_HAND}</span>', "–"])
            continue
        meter = bar(_share(exercise.points, exercise.out_of), f"{_points(exercise)} points")
        rows.append([link, meter, _points(exercise), _passed(exercise)])
    yield '<section aria-labelledby="overview">\n<h2 id="overview">Points</h2>'
    yield table(["exercise", "", "points", "checks passed"], rows, numbers=(2, 3))
    yield "</section>"


def _warnings(row: Row) -> Iterator[str]:
    if row.warnings:
        items = "".join(f"<li>{html_text(one_line(warning, 600))}</li>" for warning in row.warnings)
        yield '<section aria-labelledby="warnings">\n<h2 id="warnings">Warnings <span class="tag">cost no points</span></h2>'
        yield f"<ul>{items}</ul>\n</section>"


def _exercise(exercise: ExerciseGrade, row: Row) -> Iterator[str]:
    anchor = _anchor(exercise.id)
    points = f"{_points(exercise)} points" if exercise.points is not None else _points(exercise)
    yield f'<section aria-labelledby="{anchor}">'
    yield f'<div class="heading"><h2 id="{anchor}">{html_text(one_line(_title(exercise)))}</h2>'
    yield f'<span class="points">{html_text(points)}</span></div>'
    if exercise.mistakes:
        sentences = [html_prose(sentence) for _, sentence in exercise.mistakes]
        yield '<aside class="mistake"><strong>A known mistake gives '
        yield f"{'just this answer' if len(sentences) == 1 else 'just these answers; one of'}:</strong>"
        if len(sentences) == 1:
            yield f"<p>{sentences[0]}</p></aside>"
        else:
            yield f"<ul>{''.join(f'<li>{sentence}</li>' for sentence in sentences)}</ul></aside>"
    if exercise.checks:
        said: dict[str, str] = {}
        yield '<ul class="checks">'
        for check in exercise.checks:
            yield _check(check, said)
        yield "</ul>"
    for answer in (answer for answer in row.answers if answer.exercise == exercise.id):
        yield f'<h3>Your answer in the notebook <span class="tag">{BY_HAND}</span></h3>'
        if answer.asked:
            yield f'<p class="quiet small">{html_text(one_line(answer.asked, 600))}</p>'
        yield (
            f"<blockquote>{html_text(lines(answer.text))}</blockquote>" if answer.text.strip() else "<p>(no answer)</p>"
        )
    yield "</section>"


def _check(check: CheckGrade, said: dict[str, str]) -> str:
    sign, word = VERDICT_WORDS[check.verdict]
    kind = check.verdict if check.verdict in (OK, MISSING) else "failed"
    tag = '<span class="tag">hidden check</span>' if check.hidden else ""
    parts = [
        f'<li class="{kind}"><span class="sign" aria-hidden="true">{sign}</span>',
        f'<span class="verdict">{word}</span> {html_prose(one_line(check.title, 300))} {tag}',
    ]
    if _needs_words(check):
        parts.append(f'<div class="quiet small">{VERDICTS[check.verdict]}</div>')
    is_open = check.verdict != OK and check.text not in said
    if check.text:
        if check.text in said:
            parts.append(f'<div class="quiet small">as in “{html_prose(said[check.text])}”</div>')
        else:
            said[check.text] = one_line(check.title, 300)
            parts.append(f"<pre>{html_text(lines(check.text))}</pre>")
    if check.calls and not check.hidden:
        calls = html_text(calls_text(check))
        parts.append(
            f"<details{' open' if is_open else ''}><summary>what was called</summary><pre>{calls}</pre></details>"
        )
    return "\n".join(parts) + "</li>"


def _needs_words(check: CheckGrade) -> bool:
    """Whether to say what the verdict means: where it is rarer than “right” and “wrong”, or nothing else is said."""
    return check.verdict not in (OK, WRONG) if check.text else check.verdict != OK


def _picture(row: Row, picture: bytes | None) -> Iterator[str]:
    if picture is None:
        return
    ids = joined([one_line(boundary.exercise) for boundary in row.boundaries])
    which = f" Exercises with a boundary of yours: {ids}." if ids else ""
    yield '<section aria-labelledby="boundaries">\n<h2 id="boundaries">Decision boundaries</h2>'
    source = f"data:image/png;base64,{b64encode(picture).decode('ascii')}"
    yield f'<figure><img src="{source}" alt="{html_text(PICTURE_TEXT + which)}">'
    yield f"<figcaption>{html_text(PICTURE_TEXT)}</figcaption></figure>\n</section>"


def _notebook_failures(row: Row) -> Iterator[str]:
    if not row.notebook_failures:
        return
    yield '<section aria-labelledby="cells">\n<h2 id="cells">Notebook cells that failed</h2>'
    for failure in row.notebook_failures:
        where = f"{one_line(failure.notebook)}, code cell {failure.cell}"
        where += f" (exercise {one_line(failure.exercise)})" if failure.exercise else ""
        yield f"<h3>{html_text(where)}</h3><pre>{html_text(lines(failure.error))}</pre>"
    yield "</section>"


def _printed(row: Row) -> Iterator[str]:
    if row.printed.strip():
        yield '<section aria-labelledby="printed">\n<h2 id="printed">What your code printed</h2>'
        yield f"<pre>{html_text(lines(row.printed))}</pre>\n</section>"


def _how_graded(row: Row, gradebook: Gradebook) -> Iterator[str]:
    pairs = [(name, html_text(value)) for name, value in [*how_graded(gradebook), *_of_submission(row)]]
    yield '<section aria-labelledby="how" class="small">\n<h2 id="how">How this was graded</h2>'
    yield f"{facts(pairs)}\n</section>"


def _markdown_list(texts: tuple[str, ...]) -> str:
    return "\n".join(f"- {markdown_text(text, 600)}" for text in texts)


def _markdown_exercise(exercise: ExerciseGrade, row: Row) -> Iterator[str]:
    points = f"{_points(exercise)} points" if exercise.points is not None else _points(exercise)
    yield f"## {markdown_text(_title(exercise))}: {points}"
    if exercise.mistakes:
        said = "\n".join(f"> - {markdown_prose(sentence)}" for _, sentence in exercise.mistakes)
        yield f"> **A known mistake:**\n>\n{said}"
    said: dict[str, str] = {}
    if exercise.checks:
        yield "\n".join(_markdown_check(check, said) for check in exercise.checks)
    for answer in (answer for answer in row.answers if answer.exercise == exercise.id):
        asked = markdown_text(answer.asked, 600)
        yield f"Your answer in the notebook, {BY_HAND}{f' ({asked})' if asked else ''}:"
        yield markdown_block(answer.text) if answer.text.strip() else "(no answer)"


def _markdown_check(check: CheckGrade, said: dict[str, str]) -> str:
    sign, word = VERDICT_WORDS[check.verdict]
    text = (
        f"- {sign} **{word}**: {markdown_prose(one_line(check.title, 300))}{' (hidden check)' if check.hidden else ''}"
    )
    if _needs_words(check):
        text += f"\n  {VERDICTS[check.verdict]}"
    if check.text in said and check.text:
        text += f"\n  as in “{markdown_prose(said[check.text])}”"
    elif check.text:
        said[check.text] = one_line(check.title, 300)
        text += f"\n\n{markdown_block(check.text, '  ')}\n"
    if check.calls and not check.hidden and check.verdict != OK:
        text += f"\n  what was called:\n\n{markdown_block(calls_text(check), '  ')}\n"
    return text
