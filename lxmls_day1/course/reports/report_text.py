"""Reports as text: lines with a style each, for a terminal, a file, or plain text in a notebook."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from lxmls_day1.base.errors import counted
from lxmls_day1.course.diagnosis.answer_shapes import shortened
from lxmls_day1.course.diagnosis.naming import head_of
from lxmls_day1.course.registry import Exercise
from lxmls_day1.course.reports.hints import Hints
from lxmls_day1.course.running.checking import CheckReport, CheckResult, ExerciseReport
from lxmls_day1.course.workspace_state import DAMAGED, Explanation, WorkspaceState
from lxmls_day1.course.workspaces.packed_work import SubmissionFiles
from lxmls_day1.course.workspaces.progress import NOT_COUNTED, Standing, Status
from lxmls_day1.course.workspaces.solve_reset_undo import PRACTICE, Replaced
from lxmls_day1.course.workspaces.upgrade import Renewed
from lxmls_day1.course.workspaces.workspace import version_note

Line = tuple[str, str]  # "", "title", "good", "bad", "known", "quiet"; and the text
SYMBOLS = {"passed": "✓", "skipped": "–", "to do": "·", "not run": "–"}
PLAIN_SYMBOLS = str.maketrans({"✓": "+", "✗": "x", "–": "-", "·": ".", "…": "~", "█": "#", "░": ".", "λ": "lambda"})
BAR_WIDTH = 30
WIDTH = 79  # columns of a line of the status
LONGEST_ECHO = 300  # characters of a student's answer


def workspace_lines(folder: Path) -> Iterator[Line]:
    """Yield the lines above every report: the lab that it is about, and warnings about that lab."""
    yield "quiet", f"Lab: {folder}"
    damage = WorkspaceState.of(folder).damage
    if damage:
        yield "bad", f"{damage}: hints and results start again; the damaged file is kept as {DAMAGED}."
    note = version_note(folder)
    if note:
        yield "bad", note


def check_lines(report: CheckReport) -> Iterator[Line]:
    """Yield the lines of a report of checks, exercise by exercise."""
    for n, one in enumerate(report.reports):
        if n:
            yield "", ""
        yield from exercise_lines(one)
    for exercise, question, text, own in report.compared:
        yield "", ""
        yield "known", f"  Exercise {exercise}, solved. You were asked: {question}"
        yield "", f"    You wrote:  {shortened(text, LONGEST_ECHO)}"
        yield "", f"    Compare:    {own}"


def exercise_lines(report: ExerciseReport) -> Iterator[Line]:
    """Yield the lines on one exercise: the passed checks, expected and actual values, the known mistake, and the count."""
    yield "title", str(report.exercise)
    if report.missing:
        yield "bad", f"  ✗ {report.what_is_missing}"
    elif report.to_do and report.rests_on:
        yield "known", f"  · this needs exercise {report.rests_on}, which is still to be written"
        yield "quiet", f"    `lxmls-day1 hint {report.rests_on}` helps"
    elif report.to_do:
        where = ", ".join(report.exercise.files)
        yield "known", f"  · still to be written{f': {where}' if where else ''}"
        yield "quiet", f"    `lxmls-day1 hint {report.exercise.id}` helps"
    else:
        titles: dict[str, str] = {}
        for result in report.results:
            yield from result_lines(result, titles)
        for text in named_lines(report.named_as, report.mistakes):
            yield "known", f"  {text}"
        if report.all_passed and report.stub_left:
            yield "known", f"  `raise NotImplementedError(…)` still stands in {report.stub_left}; remove this line."
    yield ("good" if report.all_passed else "bad" if report.results else "quiet"), f"  {report.summary}"


def named_lines(named_as: str, mistakes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the heading of a diagnosis and its sentence; several mistakes get a line each."""
    head, sentences = head_of(named_as), [sentence for _, sentence in mistakes]
    if len(sentences) == 1:
        yield f"{head}: {sentences[0]}"
    elif sentences:
        yield f"{head}:"
        yield from (f"  – {sentence}" for sentence in sentences)


def question_lines(asked: Iterable[Explanation], in_notebook: bool = False) -> Iterator[Line]:
    """Yield the questions on the named mistakes, and how to answer them."""
    for one in asked:
        how = f'lab.explain("{one.exercise}", "…")' if in_notebook else f'lxmls-day1 check {one.exercise} --because "…"'
        yield "", ""
        yield "known", f"  Exercise {one.exercise}, in one line: {one.question}"
        yield "quiet", f"    `{how}` keeps your answer; it costs no points"


def explained_lines(explanation: Explanation) -> Iterator[Line]:
    """Yield the lines after an answer to a question was given."""
    yield "title", f"Exercise {explanation.exercise}: {explanation.question}"
    if not explanation.text:
        yield (
            "quiet",
            "  This hardly says more than the question. Answer in a sentence of your own; then the answer is kept.",
        )
        return
    yield "", f"  {shortened(explanation.text, LONGEST_ECHO)}"
    yield "quiet", "  Kept; it goes to your instructor with your submission. Now correct the code, and check again."


def result_lines(result: CheckResult, titles: dict[str, str]) -> Iterator[Line]:
    """Yield the lines on one check; omit its text if it is in ``titles`` (from text to title) already."""
    style = "good" if result.passed else "quiet" if result.outcome in SYMBOLS else "bad"
    yield style, f"  {SYMBOLS.get(result.outcome, '✗')} {result.title}"
    if result.text in titles:
        yield "quiet", f"      as in “{titles[result.text]}”"
        return
    if result.text:
        titles[result.text] = result.title
    for line in result.text.splitlines():
        yield "", f"      {line}".rstrip()


def packed_lines(submission: SubmissionFiles, path: Path, content: bytes, again: bool) -> Iterator[Line]:
    """Yield the lines after work was packed: exercises that are not solved or checked yet, and the path of the file."""
    if submission.unsolved:
        unsolved = ", ".join(submission.unsolved)
        yield "", f"Not solved yet, in the order of the notebooks: {unsolved}. Hand it in again when you have more."
    if submission.practised:
        asked = ", ".join(submission.practised)
        yield (
            "bad",
            f"Asked once more, and handed in without your answer: {asked}. `lxmls-day1 undo` brings it back; then hand it in again.",
        )
    if submission.unchecked:
        yield "", f"Not checked since the last edit: {', '.join(submission.unchecked)}."
    n_bytes = len(content)
    size = f"{n_bytes / 1e6:.1f} MB" if n_bytes > 1e5 else f"{n_bytes / 1e3:.0f} kB"
    yield "", f"{'Packed again' if again else 'Packed'}: {path} ({counted(len(submission.files), 'file')}, {size})"
    yield "", f"Receipt: sha256 {sha256(content).hexdigest()}. Keep it: the page that you get back shows it, too."


def replaced_lines(replaced: Replaced, what: str) -> Iterator[Line]:
    """Yield the lines on files that were written, and on notebooks that must be reloaded."""
    if not replaced.files:
        yield "", f"{what} was in place already."
        return
    yield "", f"{what} is now in {', '.join(replaced.files)}; `lxmls-day1 undo` brings back what was there."
    yield from _reload_lines(replaced.files)


def practice_lines(replaced: Replaced, exercise: Exercise) -> Iterator[Line]:
    """Yield the lines on a solved exercise whose stub is back."""
    yield "title", str(exercise)
    yield "", f"  The gap in {', '.join(replaced.files)} is empty again. `lxmls-day1 undo` brings your answer back."
    yield "", f"  Write it once more, then: lxmls-day1 check {exercise.id}"
    yield "quiet", "  The check then uses other numbers, too."
    yield from _reload_lines(replaced.files)


def undone_lines(undone: Replaced) -> Iterator[Line]:
    """Yield the lines after a change was undone."""
    yield "", f"`{undone.what}` is undone: {', '.join(undone.files)}"
    yield from (("", f"What you had edited since then is kept in {path}") for path in undone.kept)
    yield from (("", f"{path}, which held an earlier text, is gone.") for path in undone.lost)
    yield from _reload_lines(undone.files)


def renewed_lines(renewed: Renewed) -> Iterator[Line]:
    """Yield the lines after a workspace was updated to the installed version."""
    if not renewed.place:
        yield "", "Every given file is up to date."
        return
    if renewed.files:
        yield "", f"Renewed: {', '.join(renewed.files)}"
    if renewed.removed:
        yield "", f"Removed, because they are no longer given or have moved into a folder: {', '.join(renewed.removed)}"
    for name in renewed.edited:
        yield "", f"You had edited {name}, which is a given file; yours is now {renewed.place}/{name}"
    for name in renewed.kept:
        yield "", f"{name} is yours and stays as it is; the new version is {renewed.place}/{name}.new"
    yield "", "`lxmls-day1 undo` brings back what was there."
    yield from _reload_lines((*renewed.files, *renewed.removed))


def _reload_lines(names: Iterable[str]) -> Iterator[Line]:
    if any(name.endswith(".ipynb") for name in names):
        yield "known", "If a notebook is open, reload it from disk before you save it."


def hint_lines(hints: Hints, width: int | None = None) -> Iterator[Line]:
    """Yield hints, each under its number and kind. If a width is given, their paragraphs are wrapped to it."""
    yield "title", str(hints.exercise)
    if not hints.steps:
        yield "quiet", "  You have not seen a hint yet."
        return
    for number, kind, text in hints.steps:
        about = (
            f"Hint {number} of {len(hints.exercise.hints)}, {kind}"
            if number
            else "About the mistake that the check has named"
        )
        yield "known", f"  {about}:"
        for line in text.splitlines() if width is None else _filled(text, width - 4):
            yield "", f"    {line}".rstrip()
    yield "quiet", f"  {hints.closing}"


def _filled(text: str, width: int) -> Iterator[str]:
    """Yield the paragraphs of a text wrapped to a width; indented lines (formulas and code) stay as they are."""
    for is_laid_out, group in groupby(text.splitlines(), key=lambda line: not line or line.startswith(" ")):
        lines = list(group)
        yield from lines if is_laid_out else _wrapped(" ".join(lines), width)


def broken(text: str, width: int) -> list[str]:
    """Wrap a line at a width; the continuation lines are indented by two more columns, and a longer word stays whole.

    Examples
    --------
    >>> broken("  ✗ the weights are wrong", 20)
    ['  ✗ the weights are', '    wrong']
    """
    indent = len(text) - len(text.lstrip()) + 2
    return [text] if len(text) <= width else _wrapped(text, width, " " * indent)


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def status_lines(status: Status, plain: bool = False) -> Iterator[Line]:
    """Yield a progress bar of the core, and a table of the exercises below their notebooks: first the core, then the others.

    If ``plain``, the columns of the table are aligned for titles in plain characters.
    """
    first = status.core if status.core.counted else status
    yield "title", f"{bar(first.done, len(first.counted))}  {status.how_many}" if status.counted else status.how_many
    if status.next:
        yield "title", _cut(f"next: {status.next.exercise.id}, {status.next.exercise.title}", WIDTH)
    ends = [_end(standing) for standing in status.standings]
    titles = [standing.exercise.title.translate(PLAIN_SYMBOLS if plain else {}) for standing in status.standings]
    longest = max(map(len, titles), default=0)
    width = max(12, min(longest, WIDTH - 12 - max(map(len, ends), default=0)))
    for part, heading in ((status.core, "Core"), (status.further, "Further")):
        if part.standings:
            yield "", ""
            if status.core.standings:  # A lab without a core has no parts.
                yield (
                    "title",
                    f"{heading}: {part.how_many}" if part.counted and part.counted != first.counted else heading,
                )
            yield from _standing_lines(part, width, plain)
    for day, exercise in status.practice[:1]:
        yield "", ""
        yield (
            "quiet",
            f"To practise: `lxmls-day1 {PRACTICE} {exercise.id}` lets you write {exercise.id}, solved on {day}, once more.",
        )


def _standing_lines(status: Status, width: int, plain: bool) -> Iterator[Line]:
    """Yield a line for each exercise of a part, with titles of ``width`` columns."""
    notebook = ""
    for standing in status.standings:
        title = standing.exercise.title.translate(PLAIN_SYMBOLS if plain else {})
        if standing.exercise.notebook != notebook:
            notebook = standing.exercise.notebook
            yield "quiet", f"  {notebook}"
        symbol = "✓" if standing.done else "✗" if standing.state == "failing" else "·"
        style = "good" if standing.done else "bad" if standing.state == "failing" else ""
        style = "quiet" if standing.state in NOT_COUNTED else style
        yield style, f"  {symbol} {standing.exercise.id:<5} {_cut(title, width):<{width}}  {_end(standing)}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def _end(standing: Standing) -> str:
    """Return the text after the title of an exercise: its points, its state, and the number of hints shown."""
    hints = f" ({standing.hints} hint{'s' * (standing.hints > 1)})" if standing.hints else ""
    return f"{standing.exercise.points:>4g} pts  {standing.text}{hints}"


def bar(done: int, total: int) -> str:
    """Return the progress as a bar.

    Examples
    --------
    >>> bar(1, 3)
    '██████████░░░░░░░░░░░░░░░░░░░░'
    """
    full = BAR_WIDTH * done // total if total else BAR_WIDTH
    return "█" * full + "░" * (BAR_WIDTH - full)


def as_text(lines: Iterable[Line]) -> str:
    """Return lines without their styles."""
    return "\n".join(text for _, text in lines)
