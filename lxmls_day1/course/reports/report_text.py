"""Reports as text: lines with a style each, for a terminal, a file, or plain text in a notebook."""

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from lxmls_day1.base.errors import pluralize
from lxmls_day1.course.diagnosis.answer_shapes import shortened
from lxmls_day1.course.diagnosis.mistake_matching import PROPERTY, diagnosis_heading
from lxmls_day1.course.diagnosis.probe_inputs import CounterExample, input_text
from lxmls_day1.course.registry import Exercise
from lxmls_day1.course.reports.hints import Hints
from lxmls_day1.course.running.checking import CheckReport, CheckResult, ExerciseReport
from lxmls_day1.course.workspace_state import DAMAGED, Explanation, WorkspaceState
from lxmls_day1.course.workspaces.packed_work import SubmissionFiles
from lxmls_day1.course.workspaces.progress import NOT_COUNTED, ExerciseStatus, Status
from lxmls_day1.course.workspaces.solve_reset_undo import PRACTICE, ReplaceResult
from lxmls_day1.course.workspaces.upgrade import UpdateResult
from lxmls_day1.course.workspaces.workspace import damaged_notebooks, version_note

Line = tuple[str, str]  # "", "title", "good", "bad", "known", "quiet"; and the text
SYMBOLS = {"passed": "✓", "skipped": "–", "to do": "·", "not run": "–"}
PLAIN_SYMBOLS = str.maketrans(
    {"✓": "+", "✗": "x", "–": "-", "—": "-", "−": "-", "·": ".", "…": "~", "█": "#", "░": "."}
    | {"‖": "||", "²": "^2", "ŷ": "y^", "≥": ">=", "≤": "<="}
    | dict.fromkeys("“”", '"')
    | dict.fromkeys("‘’", "'")
    | {chr(code): unicodedata.name(chr(code)).rpartition(" ")[2].lower() for code in range(ord("α"), ord("ω") + 1)}
    | {"λ": "lambda"}  # Unicode writes LAMDA
)
BAR_WIDTH = 30
WIDTH = 79  # columns of a line of the status, if the output is not a terminal
TITLE_AT = 10  # the column of a title in the status
MIN_TITLE_COLUMNS = 24  # the minimum for a title beside its state
MAX_ECHO_CHARS = 300  # characters of a student's answer
MAX_VALUE_CHARS = 80  # of an input in a verdict, characters
MAX_SHOWN_LINES = 5  # of a check, in a verdict
BREAKS = "/\\_,.=("  # A long word may continue on the next line after these signs.
FRAME = re.compile(r"\S+:\d+, in ")  # a line of `trimmed_traceback` that names a place


def workspace_lines(folder: Path) -> Iterator[Line]:
    """Yield what every report begins with: which lab it is about, unless that is around the current folder; and its faults."""
    if not _is_around_here(folder):
        yield "quiet", f"Lab: {folder}"
    damage = WorkspaceState.from_folder(folder).damage
    if damage:
        yield "bad", f"{damage}: hints and results start again; the damaged file is kept as {DAMAGED}."
    note = version_note(folder)
    yield from (("bad", sentence) for sentence in (note, *damaged_notebooks(folder)) if sentence)


def _is_around_here(folder: Path) -> bool:
    try:
        return Path.cwd().is_relative_to(folder.resolve())
    except OSError:  # the current folder is gone
        return False


def check_lines(
    report: CheckReport, status: Status | None = None, verbose: bool = False, more: str = "`-v` shows them"
) -> Iterator[Line]:
    """Yield a report of checks, exercise by exercise: the verdict first, and at the end what comes next.

    Parameters
    ----------
    report : CheckReport
    status : Status, optional
        How far the workspace is, for the last line.
    verbose : bool
        Whether every check is shown, and not only the first that fails.
    more : str
        How to see what is left out.
    """
    for one in report.reports:
        yield from exercise_lines(one) if verbose else verdict_lines(one, more, len(report.reports) == 1)
    yield from compared_lines(report)
    if status is not None and status.relevant and report.ends_with_progress:
        yield from progress_lines(status, len(report.reports) > 1)


def compared_lines(report: CheckReport) -> Iterator[Line]:
    """Yield the student's answers to questions on exercises that pass now, each beside the course's."""
    for exercise, question, text, own in report.compared:
        yield "known", f"  Exercise {exercise}, solved. You were asked: {question}"
        yield "", f"    You wrote:  {shortened(text, MAX_ECHO_CHARS)}"
        yield "", f"    Compare:    {own}"


def progress_lines(status: Status, whole: bool) -> Iterator[Line]:
    """Yield lines on the progress and the next exercise.

    If `whole`, add a progress bar, and the experiments that are still to be answered.
    """
    part, of_what = (status.core, "of the day") if status.core.relevant else (status, "exercises")
    done = f"{part.n_done} of {len(part.relevant)} {of_what}"
    if whole:
        yield "title", f"{progress_bar(part.n_done, len(part.relevant))}  {done}"
        if left := [one.exercise.id for one in part.relevant if one.state == "to answer"]:
            are = "is" if len(left) == 1 else "are"
            yield "quiet", f"  {' and '.join(left)}, without checks, {are} answered in the notebook."
    if status.next is None:
        yield "good", f"  {done}: all done."
        return
    after = status.next.exercise
    minutes = f", about {after.minutes} minutes" if after.minutes else ""
    begin, style = ("next", "") if whole else (f"{done}, next", "good")
    yield style, f"  {begin}: {after.id} {after.title} ({after.notebook}{minutes})"


def verdict_lines(report: ExerciseReport, more: str, alone: bool = True, with_example: bool = True) -> Iterator[Line]:
    """Yield the verdict on one exercise: the name of the mistake, the smallest input, and a count of the rest.

    A reminder of the hints is left out unless the exercise is `alone` in its report. A page, which has a table of the smallest input
    and both answers, uses the lines without it.
    """
    failed = report.failed
    if report.missing or report.to_do or not report.results or not failed:
        yield from short_lines(report, alone)
        return
    yield "title", f"✗ {report.exercise}"
    first = report.shown
    assert first is not None
    raised = first.text.splitlines()[1 + len(first.example.lines()) :] if first.example else []
    is_seen = raised and report.diagnosis_kind == PROPERTY
    named = [] if is_seen else list(diagnosis_lines(report.diagnosis_kind, report.mistakes))
    if not named:  # The exception says more than what is seen in the answers.
        yield from _exception_lines(raised)
    yield from (("known", f"  {text}") for text in named)
    if states := functions_line(report):
        yield "known", f"  {states}"
    if first.example is not None:
        if not named and not raised:
            yield "known", f"  {first.text.partition('. ')[0]}."
        if with_example:
            yield from _answer_lines(first.example)
        if named:  # The mistake explains the exception.
            yield from list(_exception_lines(raised))[-2:]
    else:
        yield from _other_lines(first)
    yield from printed_lines(first)
    n_more = len(failed) - 1
    also = f"{pluralize(n_more, 'more check')} {'fails' if n_more == 1 else 'fail'} ({more}); " if n_more else ""
    yield "bad", f"  {also}{report.summary.partition(';')[0]}"


def short_lines(report: ExerciseReport, alone: bool = True) -> Iterator[Line]:
    """Yield the verdict on an exercise that passes, or is still to be written."""
    exercise = report.exercise
    if report.is_incomplete:
        yield "bad", f"✗ {exercise.id} {exercise.title}: {report.missing_files_message}"
    elif report.to_do and report.blocked_by:
        yield (
            "known",
            f"· {exercise.id} {exercise.title}: this needs exercise {report.blocked_by}, which is still to be written",
        )
        yield from _hint_reminder(report.blocked_by, alone)
    elif report.to_do:
        unwritten = f"still to be written{': ' if exercise.files else ''}{', '.join(exercise.files)}"
        what = functions_line(report) or unwritten
        yield "known", f"· {exercise.id} {exercise.title}: {what}"
        yield from _hint_reminder(exercise.id, alone)
    elif report.all_passed:
        yield "good", f"✓ {exercise.id} {exercise.title}: {report.summary}"
        if report.stub_file:
            yield "known", f"  `raise NotImplementedError(…)` still stands in {report.stub_file}; remove this line."
    else:
        yield "quiet", f"· {exercise.id} {exercise.title}: {report.summary}"


def _hint_reminder(id: str, shown: bool) -> Iterator[Line]:
    if shown:
        yield "quiet", f"    `lxmls-day1 hint {id}` helps"


def functions_line(report: ExerciseReport) -> str:
    """Return which functions of an exercise are right, wrong or still to be written; empty if it has only one.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> functions_line(SimpleNamespace(functions={"svm_rule": "right", "svm_step": "to write"}))
    '`svm_rule` is right; `svm_step` is still to be written.'
    """
    states = {"right": "right", "wrong": "wrong", "to write": "still to be written"}
    if set(report.functions.values()) == {"right"}:  # The mistake is something else, such as a changed argument.
        return ""
    names = {state: [f"`{name}`" for name, its in report.functions.items() if its == state] for state in states}
    own = [(state, its) for state, its in names.items() if its]
    parts = (f"{' and '.join(its)} {'is' if len(its) == 1 else 'are'} {states[state]}" for state, its in own)
    return f"{'; '.join(parts)}." if report.functions else ""


def _answer_lines(example: CounterExample) -> Iterator[Line]:
    """Yield an input, the expected answer and the student's."""
    inputs = ((word, input_text(value)) for word, value in example.given.items())
    given = " · ".join(f"{word} {shortened(text, MAX_VALUE_CHARS)}" for word, text in inputs)
    answers = example.lines()[len(example.given) :]
    width = max(len(word) for word, _ in answers)
    yield "", f"    {'input':<{width}}  {given}"
    yield from (("", f"    {word:<{width}}  {shortened(answer, 2 * MAX_VALUE_CHARS)}") for word, answer in answers)


def _other_lines(result: CheckResult) -> Iterator[Line]:
    """Yield the first lines of a check that has no smallest input: of an exception the exception first."""
    lines = result.text.splitlines()
    if result.outcome == "error":
        yield from _exception_lines(lines)
        return
    if result.outcome in ("timeout", "ended"):  # The title of the check does not help.
        yield "known", f"  Your code {lines[0].removeprefix('the code ')}"
        return
    yield "bad", f"  {result.title}"
    yield from (("", f"    {line}") for line in lines[:MAX_SHOWN_LINES])


def _exception_lines(lines: Sequence[str]) -> Iterator[Line]:
    """Yield an exception, its help, and the last place in the student's code."""
    places = [n for n, line in enumerate(lines) if FRAME.match(line)]
    if not places:
        yield from (("", f"    {line}") for line in lines[:MAX_SHOWN_LINES])
        return
    last = places[-1]
    code = [line for line in lines[last + 1 : last + 2] if line.startswith("    ")]
    yield from (("known", f"    {line}") for line in lines[last + 1 + len(code) :])
    yield from (("", f"    {line}") for line in (lines[last], *code))


def printed_lines(result: CheckResult, indent: str = "    ") -> Iterator[Line]:
    """Yield what the student's code printed for the input that is shown."""
    if len(result.printed) == 1:
        yield "", f"{indent}your code printed: {result.printed[0]}"
    elif result.printed:
        yield "", f"{indent}your code printed:"
        yield from (("", f"{indent}  {line}") for line in result.printed)


def exercise_lines(report: ExerciseReport) -> Iterator[Line]:
    """Yield all checks of one exercise: what passed, what was expected, the known mistake, and the count."""
    yield "title", str(report.exercise)
    if report.missing or report.to_do or not report.results:
        yield from short_lines(report)
        return
    titles: dict[str, str] = {}
    for result in report.results:
        yield from result_lines(result, titles)
    for text in diagnosis_lines(report.diagnosis_kind, report.mistakes):
        yield "known", f"  {text}"
    if states := functions_line(report):
        yield "known", f"  {states}"
    if report.all_passed and report.stub_file:
        yield "known", f"  `raise NotImplementedError(…)` still stands in {report.stub_file}; remove this line."
    yield ("good" if report.all_passed else "bad"), f"  {report.summary}"


def diagnosis_lines(kind: str, mistakes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the heading of a diagnosis and its sentence; several mistakes get a line each."""
    head, sentences = diagnosis_heading(kind), [without_stars(sentence) for _, sentence in mistakes]
    if len(sentences) == 1:
        yield f"{head}: {sentences[0]}"
    elif sentences:
        yield f"{head}:"
        yield from (f"  – {sentence}" for sentence in sentences)


def without_stars(text: str) -> str:
    """Return a sentence of ours without the stars around words with emphasis, which plain text cannot show.

    Examples
    --------
    >>> without_stars("the *smaller* of `2 * a` and `b ** 2`")
    'the smaller of `2 * a` and `b ** 2`'
    """
    return re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"\1", text)


def question_lines(asked: Iterable[Explanation], in_notebook: bool = False) -> Iterator[Line]:
    """Yield the questions on the mistakes that were named, and how they are answered."""
    for one in asked:
        how = f'lab.explain("{one.exercise}", "…")' if in_notebook else f'lxmls-day1 check {one.exercise} --because "…"'
        yield "known", f"  Exercise {one.exercise}, in one line: {without_stars(one.question)}"
        yield "quiet", f"    `{how}` keeps your answer"


def explanation_lines(explanation: Explanation) -> Iterator[Line]:
    """Yield the lines after an answer to a question was given."""
    yield "title", f"Exercise {explanation.exercise}: {explanation.question}"
    if not explanation.text:
        short = "This hardly says more than the question. Answer in a sentence of your own; then the answer is kept."
        yield "quiet", f"  {short}"
        return
    yield "", f"  {shortened(explanation.text, MAX_ECHO_CHARS)}"
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
    yield from printed_lines(result, "      ")


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
    yield "", f"{'Packed again' if again else 'Packed'}: {path} ({pluralize(len(submission.files), 'file')}, {size})"
    yield "", f"Receipt: sha256 {sha256(content).hexdigest()}. Keep it: the page that you get back shows it, too."


def replaced_lines(replaced: ReplaceResult, subject: str) -> Iterator[Line]:
    """Yield the lines on files that were written, and on notebooks that must be reloaded."""
    if not replaced.files:
        yield "", f"{subject} was in place already."
        return
    yield "", f"{subject} is now in {', '.join(replaced.files)}; `lxmls-day1 undo` brings back what was there."
    yield from _reload_lines(replaced.files)


def practice_lines(replaced: ReplaceResult, exercise: Exercise) -> Iterator[Line]:
    """Yield the lines on a solved exercise whose stub is back."""
    yield "title", str(exercise)
    yield "", f"  The gap in {', '.join(replaced.files)} is empty again. `lxmls-day1 undo` brings your answer back."
    yield "", f"  Write it once more, then: lxmls-day1 check {exercise.id}"
    yield "quiet", "  The check then uses other numbers, too."
    yield from _reload_lines(replaced.files)


def undo_lines(undone: ReplaceResult) -> Iterator[Line]:
    """Yield the lines after a change was undone."""
    yield "", f"`{undone.command}` is undone: {', '.join(undone.files)}"
    yield from (("", f"What you had edited since then is kept in {path}") for path in undone.edited_copies)
    yield from (("", f"{path}, which held an earlier text, is gone.") for path in undone.missing_backups)
    yield from _reload_lines(undone.files)


def update_lines(renewed: UpdateResult) -> Iterator[Line]:
    """Yield the lines after a workspace was updated to the installed version."""
    if not renewed.backup_folder:
        yield "", "Every given file is up to date."
        return
    if renewed.files:
        yield "", f"Renewed: {', '.join(renewed.files)}"
    if renewed.removed:
        yield "", f"Removed, because they are no longer given or have moved into a folder: {', '.join(renewed.removed)}"
    for name in renewed.edited:
        yield "", f"You had edited {name}, which is a given file; yours is now {renewed.backup_folder}/{name}"
    for name in renewed.unchanged:
        yield "", f"{name} is yours and stays as it is; the new version is {renewed.backup_folder}/{name}.new"
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
        about = "About the mistake that the check has named"
        if number:
            about = f"Hint {number} of {len(hints.exercise.hints)}, {kind}"
        yield "known", f"  {about}:"
        shown = without_stars(text)
        for line in shown.splitlines() if width is None else _wrap_paragraphs(shown, width - 4):
            yield "", f"    {line}".rstrip()
    yield "quiet", f"  {hints.closing}"


def _wrap_paragraphs(text: str, width: int) -> Iterator[str]:
    """Yield the paragraphs of a text wrapped to a width; indented lines (formulas and code) stay as they are."""
    for is_laid_out, group in groupby(text.splitlines(), key=lambda line: not line or line.startswith(" ")):
        lines = list(group)
        yield from lines if is_laid_out else _wrapped(" ".join(lines), width)


def wrap_line(text: str, width: int) -> list[str]:
    """Wrap a line at a width; the continuation lines are indented by two more columns, and a longer word breaks, best after a sign.

    Examples
    --------
    >>> wrap_line("  ✗ the weights are wrong", 20)
    ['  ✗ the weights are', '    wrong']
    >>> wrap_line("    classifiers/multinomial_naive_bayes.py:70", 30)
    ['    classifiers/multinomial_', '      naive_bayes.py:70']
    """
    indent = len(text) - len(text.lstrip()) + 2
    return [text] if len(text) <= width else _wrapped(text, width, " " * indent)


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return _Wrapper(width, subsequent_indent=indent, break_on_hyphens=False).wrap(text)


class _Wrapper(textwrap.TextWrapper):
    """Breaks a word that is longer than a line, such as a path, after one of `BREAKS`, otherwise anywhere."""

    def _handle_long_word(self, reversed_chunks: list[str], cur_line: list[str], cur_len: int, width: int) -> None:
        room, word = max(1, width - cur_len), reversed_chunks[-1]
        end = max(word.rfind(sign, 0, room) for sign in BREAKS) + 1
        if not end and not "".join(cur_line).strip():  # Otherwise the word begins on the next line.
            end = room
        cur_line.append(word[:end])
        reversed_chunks[-1] = word[end:]


def status_lines(status: Status, width: int = WIDTH, shown: Callable[[str], str] = str) -> Iterator[Line]:
    """Yield a bar of the core, and a table of the exercises below the notebooks that teach them: the core, then the others.

    Parameters
    ----------
    status : Status
    width : int
        The available columns. A long title continues on the next line. If the columns are few, the state is below the title.
    shown : callable
        Converts a title for this output, so that the columns are even in plain characters, too.
    """
    first = status.core if status.core.relevant else status
    if status.relevant:
        size = min(BAR_WIDTH, width - 2)
        bar = progress_bar(first.n_done, len(first.relevant), size)
        line = f"{bar}  {status.progress_text}"
        yield from (("title", text) for text in ([line] if len(line) <= width else [bar, status.progress_text]))
    else:
        yield "title", status.progress_text
    if status.next:
        yield "title", f"next: {status.next.exercise.id}, {shown(status.next.exercise.title)}"
    longest = max((len(_status_text(standing)) for standing in status.exercise_statuses), default=0)
    titles = [len(shown(standing.exercise.title)) for standing in status.exercise_statuses]
    room = width - TITLE_AT - 2 - longest
    layout = (min(room, max(titles, default=0)), False) if room >= MIN_TITLE_COLUMNS else (width - TITLE_AT, True)
    for part, heading in ((status.core, "Core"), (status.further, "Further")):
        if part.exercise_statuses:
            yield "", ""
            if status.core.exercise_statuses:  # A lab without a core has no parts.
                is_apart = part.relevant and part.relevant != first.relevant
                yield "title", f"{heading}: {part.progress_text}" if is_apart else heading
            yield from _status_table_lines(part, *layout, shown)
    for day, exercise in status.practice[:1]:
        yield "", ""
        again = f"lets you write {exercise.id}, solved on {day}, once more"
        yield "quiet", f"To practise: `lxmls-day1 {PRACTICE} {exercise.id}` {again}."


def _status_table_lines(status: Status, width: int, apart: bool, shown: Callable[[str], str]) -> Iterator[Line]:
    """Yield the exercises of a part with titles of `width` columns, and the state beside the title, or below it if they stand apart."""
    notebook = ""
    for standing in status.exercise_statuses:
        if standing.exercise.notebook != notebook:
            notebook = standing.exercise.notebook
            yield "quiet", f"  {notebook}"
        symbol = "✓" if standing.done else "✗" if standing.state == "failing" else "·"
        style = "good" if standing.done else "bad" if standing.state == "failing" else ""
        style = "quiet" if standing.state in NOT_COUNTED else style
        first, *others = _wrapped(shown(standing.exercise.title), width)
        head, end = f"  {symbol} {standing.exercise.id:<5} {first:<{width}}", _status_text(standing)
        yield style, head.rstrip() if apart else f"{head}  {end}"
        yield from ((style, " " * TITLE_AT + other) for other in [*others, *[end.lstrip()] * apart])


def _status_text(standing: ExerciseStatus) -> str:
    """Return the text after the title of an exercise: its points, its state, and the number of hints shown."""
    hints = f" ({standing.hints} hint{'s' * (standing.hints > 1)})" if standing.hints else ""
    return f"{standing.exercise.points:>4g} pts  {standing.text}{hints}"


def progress_bar(done: int, total: int, width: int = BAR_WIDTH) -> str:
    """Return how much is done, as a bar.

    Examples
    --------
    >>> progress_bar(1, 3)
    '██████████░░░░░░░░░░░░░░░░░░░░'
    """
    full = width * done // total if total else width
    return "█" * full + "░" * (width - full)


def as_text(lines: Iterable[Line]) -> str:
    """Return lines without their styles."""
    return "\n".join(text for _, text in lines)
