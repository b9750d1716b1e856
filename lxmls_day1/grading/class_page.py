"""Two pages for the instructor: how the class did, and the free-text answers to be marked by hand.

The summary has the distribution of points, the most common known mistakes, the checks that few pass, and submissions that
are alike. The last are for a human to judge: two short right solutions of one task come out alike by themselves.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mean, median
from urllib.parse import quote

from lxmls_day1.errors import counted
from lxmls_day1.grading.gradebook import OK, VERDICTS, CheckGrade, Gradebook, Row
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
from lxmls_day1.grading.safe_text import html_prose, html_text, lines, one_line
from lxmls_day1.grading.similarity import Alike

MOST_MISTAKES, MOST_CHECKS, MOST_ALIKE = 15, 20, 200
MOST_NAMES = 8
BINS = 10


def summary_html(gradebook: Gradebook, alike: Sequence[Alike] = ()) -> str:
    """How the class did.

    Parameters
    ----------
    gradebook : Gradebook
    alike : sequence of Alike
        Pairs of submissions for a human to look at, the most alike first.

    Returns
    -------
    str
        A document; it links to the students' pages in ``feedback/`` beside it.

    Examples
    --------
    >>> row = Row("ada", "Ada", "ada.zip", "", ())
    >>> 'href="feedback/ada.html"' in summary_html(Gradebook((row,), 1, "process", ""))
    True
    """
    rows = gradebook.rows
    parts = [
        '<header>\n<p class="eyebrow">Grading · lab of day 1</p>\n<h1>Summary of the class</h1>',
        f"<p>{_in_short(gradebook)}</p>",
        '<nav aria-label="parts of this page"><ul>',
        *(
            f'<li><a href="#{anchor}">{title}</a></li>'
            for anchor, title in (
                ("distribution", "points"),
                ("exercises", "exercises"),
                ("mistakes", "common mistakes"),
                ("checks", "hard checks"),
                ("trouble", "stopped and refused"),
                ("alike", "alike submissions"),
                ("all", "all submissions"),
            )
        ),
        '<li><a href="answers.html">answers to mark</a></li></ul></nav>\n</header>\n<main>',
        *_notes(rows),
        *(_distribution(rows) if rows else ()),
        *_exercises(rows),
        *_mistakes(rows),
        *_hard_checks(rows),
        *_trouble(rows),
        *_alike(gradebook, alike),
        *_all(rows),
        '<section class="small" aria-labelledby="how"><h2 id="how">How this was graded</h2>',
        facts([(name, html_text(value)) for name, value in how_graded(gradebook)]),
        "</section>\n</main>",
    ]
    return page("Summary of the class", "\n".join(parts), wide=True)


def answers_html(gradebook: Gradebook) -> str:
    """The free-text answers of all students, question by question, with room for a mark; and notebook cells that failed.

    Examples
    --------
    >>> "No answers" in answers_html(Gradebook((), 1, "process", ""))
    True
    """
    questions: dict[tuple[str, str, str], list[tuple[Row, str]]] = {}
    out_of = {exercise.id: exercise for row in gradebook.rows for exercise in row.exercises}
    for row in gradebook.rows:
        for answer in row.answers:
            questions.setdefault((answer.exercise, answer.notebook, answer.asked), []).append((row, answer.text))
    order = list(out_of)
    keys = sorted(questions, key=lambda key: order.index(key[0]) if key[0] in order else len(order))
    parts = [
        '<header>\n<p class="eyebrow">Grading · lab of day 1</p>\n<h1>Answers to be marked by hand</h1>',
        f'<p class="quiet">{counted(len(keys), "question")}, {counted(len(gradebook.rows), "submission")}.</p>',
        '<nav aria-label="questions"><ul>',
        *(f'<li><a href="#question-{n}">{html_text(one_line(key[0], 20))}</a></li>' for n, key in enumerate(keys, 1)),
        "</ul></nav>\n</header>\n<main>",
    ]
    if not keys:
        parts.append("<p>No answers were found in the notebooks.</p>")
    for n, (exercise, notebook, asked) in enumerate(keys, 1):
        known = out_of.get(exercise)
        title = f"{exercise} {known.title}" if known else exercise
        most = points_text(known.out_of) if known and known.by_hand else ""
        parts += _question(n, title, notebook, asked, most, questions[exercise, notebook, asked], gradebook.rows)
    parts += [*_failures(gradebook.rows), "</main>"]
    return page("Answers to be marked by hand", "\n".join(parts), wide=True)


def _in_short(gradebook: Gradebook) -> str:
    rows = gradebook.rows
    if not rows:
        return "No submissions."
    points = [row.points for row in rows]
    out_of = points_text(max(row.out_of for row in rows))
    full = sum(bool(row.checks) and all(check.verdict == OK for check in row.checks) for row in rows)
    return (
        f"{counted(len(rows), 'submission')}; mean {points_text(mean(points))}, median {points_text(median(points))} of "
        f"{out_of} points; {full} with full marks."
    )


def _section(anchor: str, title: str, *content: str) -> Iterator[str]:
    yield f'<section aria-labelledby="{anchor}">\n<h2 id="{anchor}">{title}</h2>'
    yield from content
    yield "</section>"


def _distribution(rows: tuple[Row, ...]) -> Iterator[str]:
    shares = [row.points / row.out_of if row.out_of else 0.0 for row in rows]
    counts = Counter(min(int(BINS * share + 1e-9), BINS - 1) for share in shares)
    highest = max(counts.values())
    width, height, foot, step = 640, 190, 42, 64
    drawn = []
    for n in range(BINS):
        tall = (height - foot - 22) * counts[n] / highest
        top, left = height - foot - tall, n * step
        drawn.append(
            f'<rect class="fill" x="{left + 5}" y="{top:.1f}" width="{step - 10}" height="{tall:.1f}" rx="3"/>'
        )
        if counts[n]:
            drawn.append(f'<text x="{left + step / 2:g}" y="{top - 6:.1f}" text-anchor="middle">{counts[n]}</text>')
    for n in range(BINS + 1):
        anchor = "start" if n == 0 else "end" if n == BINS else "middle"
        drawn.append(
            f'<text class="quiet" x="{n * step}" y="{height - foot + 17}" text-anchor="{anchor}">{10 * n}</text>'
        )
    drawn.append(f'<line x1="0" x2="{width}" y1="{height - foot}" y2="{height - foot}"/>')
    drawn.append(f'<text class="quiet" x="{width / 2:g}" y="{height - 6}" text-anchor="middle">% of the points</text>')
    said = ", ".join(f"{10 * n} to {10 * n + 10} %: {counts[n]}" for n in range(BINS) if counts[n])
    yield from _section(
        "distribution",
        "Distribution of points",
        f'<svg viewBox="0 0 {width} {height}" width="100%" style="max-width:46rem" role="img" '
        f'aria-label="How many submissions have which share of the points: {said}">{"".join(drawn)}</svg>',
    )


def _exercises(rows: tuple[Row, ...]) -> Iterator[str]:
    grades: dict[str, list] = {}
    for row in rows:
        for exercise in row.exercises:
            grades.setdefault(exercise.id, []).append(exercise)
    body = []
    for of_all in grades.values():
        title = html_text(one_line(f"{of_all[0].id} {of_all[0].title}"))
        points = [exercise.points for exercise in of_all if exercise.points is not None]
        if not points:
            body.append([title, "", f"by hand, out of {points_text(of_all[0].out_of)}", "–", "–"])
            continue
        full = sum(exercise.passed == len(exercise.checks) for exercise in of_all)
        none = sum(exercise.passed == 0 for exercise in of_all)
        out_of = of_all[0].out_of
        words = f"{points_text(mean(points))} of {points_text(out_of)}"
        body.append([title, bar(mean(points) / out_of if out_of else 0.0, words), words, str(full), str(none)])
    if body:
        heads = ["exercise", "", "points on average", "with full marks", "with none"]
        yield from _section("exercises", "Exercises", table(heads, body, numbers=(2, 3, 4)))


def _mistakes(rows: tuple[Row, ...]) -> Iterator[str]:
    made: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        for exercise in row.exercises:
            for name, sentence in exercise.mistakes:
                made.setdefault((exercise.id, name, sentence), []).append(row)
    ranked = sorted(made.items(), key=lambda item: -len(item[1]))[:MOST_MISTAKES]
    body = [
        [
            f'{html_prose(sentence)} <code class="quiet">{html_text(one_line(name, 60))}</code>',
            html_text(one_line(exercise, 20)),
            str(len(who)),
            _links(who),
        ]
        for (exercise, name, sentence), who in ranked
    ]
    heads = ["mistake", "exercise", "made by", "who"]
    said = table(heads, body, numbers=(1, 2)) if body else "<p>No answer is that of a known mistake.</p>"
    yield from _section("mistakes", "The most common known mistakes", said)


def _hard_checks(rows: tuple[Row, ...]) -> Iterator[str]:
    results: dict[str, list[CheckGrade]] = {}
    for row in rows:
        for check in row.checks:
            results.setdefault(check.check, []).append(check)
    hard = [(sum(c.verdict == OK for c in checks) / len(checks), checks) for checks in results.values()]
    hard = sorted((entry for entry in hard if entry[0] < 1), key=lambda entry: entry[0])[:MOST_CHECKS]
    body = []
    for share, checks in hard:
        check = checks[0]
        words = f"{sum(c.verdict == OK for c in checks)} of {len(checks)}"
        verdicts = Counter(c.verdict for c in checks if c.verdict != OK)
        kinds = ", ".join(f"{VERDICT_WORDS[verdict][1]} {count}" for verdict, count in verdicts.most_common())
        hidden = ' <span class="tag">hidden</span>' if check.hidden else ""
        title = f"{html_prose(one_line(check.title, 200))}{hidden}"
        body.append([title, html_text(one_line(check.exercise, 20)), bar(share, words), words, kinds])
    heads = ["check", "exercise", "", "passed by", "otherwise"]
    said = table(heads, body, numbers=(1, 3)) if body else "<p>Every check is passed by everyone.</p>"
    yield from _section("checks", "Hard checks", said)


def _trouble(rows: tuple[Row, ...]) -> Iterator[str]:
    body = []
    for verdict in ("timeout", "memory", "crashed", "refused"):
        who = [(row, sum(check.verdict == verdict for check in row.checks)) for row in rows]
        who = [(row, count) for row, count in who if count]
        if who:
            sign, word = VERDICT_WORDS[verdict]
            checks = sum(count for _, count in who)
            body.append([f"{sign} {word}", VERDICTS[verdict], str(checks), _links([row for row, _ in who])])
    heads = ["verdict", "that is", "checks", "who"]
    said = table(heads, body, numbers=(2,)) if body else "<p>No submission had to be stopped or refused.</p>"
    yield from _section("trouble", "Stopped and refused", said)


def _alike(gradebook: Gradebook, alike: Sequence[Alike]) -> Iterator[str]:
    rows = {row.student: row for row in gradebook.rows}
    body = []
    for pair in alike[:MOST_ALIKE]:
        students = [_link(rows[s]) if s in rows else html_text(one_line(s)) for s in (pair.first, pair.second)]
        share = "identical" if pair.identical else f"{100 * pair.share:.0f} %"
        body.append([f"{students[0]} and {students[1]}", html_text(one_line(pair.exercise, 60)), share])
    note = (
        "<p>Nothing is decided here, and no points depend on it. Short solutions of the same task come out alike by "
        "themselves; what stands here is worth a look with the students' files side by side.</p>"
    )
    more = f'<p class="quiet">{len(alike) - MOST_ALIKE} more pairs.</p>' if len(alike) > MOST_ALIKE else ""
    said = table(["submissions", "exercise", "in common"], body, numbers=(2,)) if body else "<p>None were found.</p>"
    yield from _section("alike", "Alike submissions, for a human to judge", note, said, more)


def _all(rows: tuple[Row, ...]) -> Iterator[str]:
    body = []
    for row in rows:
        words = f"{points_text(row.points)} of {points_text(row.out_of)}"
        meter = bar(row.points / row.out_of if row.out_of else 0.0, words)
        verdicts = Counter(check.verdict for check in row.checks)
        kinds = ", ".join(f"{VERDICT_WORDS[v][1]} {verdicts[v]}" for v in VERDICTS if verdicts[v])
        body.append([_link(row), meter, words, kinds, str(len(row.warnings)), f"<code>{html_text(_file(row))}</code>"])
    heads = ["student", "", "points", "checks", "warnings", "file"]
    if body:
        yield from _section("all", "All submissions", table(heads, body, numbers=(2, 4)))


def _notes(rows: tuple[Row, ...]) -> Iterator[str]:
    """What the grader itself could not do."""
    body = [
        [_link(row), "not graded" if row.failed else "graded", html_text(one_line(note, 600))]
        for row in rows
        for note in row.notes
    ]
    if body:
        said = "<p>What stands here is no statement about the code. Running the command again tries what is not graded.</p>"
        yield from _section("notes", "What the grader could not do", said, table(["student", "", "why"], body))


def _question(
    n: int, title: str, notebook: str, asked: str, most: str, answers: list[tuple[Row, str]], rows: tuple[Row, ...]
) -> Iterator[str]:
    yield f'<section aria-labelledby="question-{n}">'
    yield f'<h2 id="question-{n}">{html_text(one_line(title))}</h2>'
    yield f'<p class="quiet small">{html_text(one_line(notebook))}</p>'
    if asked:
        yield f"<blockquote>{html_text(lines(asked))}</blockquote>"
    mark = f'<span class="mark">&nbsp;/ {most}</span>' if most else '<span class="mark">&nbsp;</span>'
    for row, text in answers:
        if text.strip():
            yield f'<article><div class="heading"><h3>{_link(row)}</h3>{mark}</div>'
            yield f'<div class="answer">{html_text(lines(text, 20_000, 400))}</div></article>'
    silent = [row for row, text in answers if not text.strip()]
    handed_in = {row.student for row, _ in answers}
    absent = [row for row in rows if row.student not in handed_in]
    for who, why in ((silent, "No answer"), (absent, "No such cell in the notebook, or no notebook")):
        if who:
            yield f'<p class="small"><b>{why}:</b> {_links(who, len(who))}</p>'
    yield "</section>"


def _failures(rows: tuple[Row, ...]) -> Iterator[str]:
    body = []
    for row in rows:
        for failure in row.notebook_failures:
            where = f"{html_text(one_line(failure.notebook))}, code cell {failure.cell}"
            error = f"<pre>{html_text(lines(failure.error, most_lines=30))}</pre>"
            body.append([_link(row), where, html_text(one_line(failure.exercise or "–", 20)), error])
    if body:
        heads = ["student", "cell", "exercise", "error"]
        yield from _section("cells", "Notebook cells that failed", table(heads, body))


def _file(row: Row) -> str:
    return one_line(row.source.replace("\\", "/").rpartition("/")[2] or row.source, 80)


def _link(row: Row) -> str:
    return f'<a href="feedback/{quote(row.student, safe="")}.html"><bdi>{html_text(name_of(row))}</bdi></a>'


def _links(rows: Sequence[Row], most: int = MOST_NAMES) -> str:
    linked = [_link(row) for row in rows[:most]]
    return joined([*linked, f"{len(rows) - most} more"] if len(rows) > most else linked)
