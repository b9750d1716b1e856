"""Reports for a notebook: rich HTML, and plain text wherever HTML is not shown.

Colours come in pairs of a mark and its meaning in words, and the text keeps the colour of the page, so that light and dark
themes both work.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from lxmls_day1.course import report_text
from lxmls_day1.course.checking import CheckReport, CheckResult, ExerciseReport, remember, run_checks
from lxmls_day1.course.explanations import asked_after, explain, remember_questions
from lxmls_day1.course.generation import answers_in_notebooks
from lxmls_day1.course.hints import Hints, next_hint, remember_hint
from lxmls_day1.course.model_answers import FILE as MODEL_ANSWERS
from lxmls_day1.course.model_answers import revealed
from lxmls_day1.course.naming import head_of
from lxmls_day1.course.progress import NOT_COUNTED, Standing, Status, status_of
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.report_text import Line, workspace_lines
from lxmls_day1.course.solve_reset_undo import reset, solve, undo
from lxmls_day1.course.submission_export import collect_submission, pack_submission
from lxmls_day1.course.submission_import import open_work
from lxmls_day1.course.workspace import workspace_of
from lxmls_day1.course.workspace_state import Explanation, why_not_kept
from lxmls_day1.errors import InputError, check_path
from lxmls_day1.figures.counter_examples import picture
from lxmls_day1.lab import Lab
from lxmls_day1.whole_files import replace_files

GOOD, BAD, KNOWN = "#009e73", "#d55e00", "#0072b2"  # of the Okabe-Ito palette
CELL = "text-align:left;padding:2px 10px 2px 0;vertical-align:top"


@dataclass(frozen=True)
class Shown:
    """A report: a notebook shows its HTML or its markdown, Python its text; ``report`` is what it is about.

    Where there is a `box`, a widget to write in, a notebook shows it below the report.
    """

    report: Any
    text: str
    html: str = ""
    markdown: str = ""
    box: Any = None

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str | None:
        return self.html or None

    def _repr_markdown_(self) -> str | None:
        return self.markdown or None

    def _ipython_display_(self) -> None:
        if self.box is None:
            raise NotImplementedError  # IPython goes on to the other forms
        from IPython.display import display

        show: Any = display
        show({"text/plain": self.text, "text/html": self.html}, raw=True)  # stays in the file when the box is gone
        show(self.box)


def checked(lab: Lab, exercise: Any = None) -> Shown:
    """Run the public checks of an exercise, of several, or of all that have some."""
    folder = workspace_of(lab, "lab.check")
    report = run_checks(folder, None if exercise is None else Registry.of(folder).meant(exercise))
    if exercise is None:
        report = CheckReport(tuple(one for one in report.reports if one.results))
    unsaved = why_not_kept(lambda: remember(folder, report), "The results")
    asked = asked_after(folder, report)
    unsaved = unsaved or why_not_kept(lambda: remember_questions(folder, asked), "The question")
    box = answer_box(folder, asked) if asked and not unsaved else None
    lines = [*report_text.check_lines(report), *report_text.question_lines(asked, in_notebook=True)]
    parts = [*map(_exercise, report.reports), *(_question(one, box is not None) for one in asked)]
    return replace(_shown(folder, report, lines, parts, unsaved), box=box)


def explained(lab: Lab, exercise: Any, text: str) -> Shown:
    """Keep the answer to the question that the last check of an exercise has asked."""
    folder = workspace_of(lab, "lab.explain")
    kept = explain(folder, _one_exercise(folder, exercise, "lab.explain"), text)
    parts = [f"<div><b>{escape(kept.question)}</b></div>", f"<div>{escape(kept.text)}</div>"]
    parts.append("<div><i>Kept; it goes to your instructor with what you hand in.</i></div>")
    return _shown(folder, kept, report_text.explained_lines(kept), parts)


def answer_box(folder: Path, asked: Sequence[Explanation]) -> Any:
    """A line to write in for each question, as a widget; None where there are no widgets.

    A line is kept when its button is clicked or Enter is pressed, and may be written again.
    """
    try:
        import ipywidgets
    except ImportError:
        return None
    return ipywidgets.VBox([_answer_line(ipywidgets, folder, one) for one in asked])


def _answer_line(ipywidgets: Any, folder: Path, one: Explanation) -> Any:
    line = ipywidgets.Text(
        placeholder=f"Exercise {one.exercise}: your answer in one line",
        continuous_update=False,
        layout=ipywidgets.Layout(width="36em", max_width="100%"),
    )
    button, said = ipywidgets.Button(description="Keep", tooltip="Keep this answer"), ipywidgets.Label()

    def keep(_: Any = None) -> None:
        if line.value.strip():
            why = why_not_kept(lambda: explain(folder, one.exercise, line.value, one.question), "Your answer")
            said.value = why or "Kept; it goes to your instructor with what you hand in."

    line.observe(keep, "value")  # without continuous updates: when Enter is pressed, or the line is left
    button.on_click(keep)
    return ipywidgets.VBox([ipywidgets.HBox([line, button]), said])


def hinted(lab: Lab, exercise: Any) -> Shown:
    """The next hint on an exercise."""
    folder = workspace_of(lab, "lab.hint")
    hints = next_hint(folder, _one_exercise(folder, exercise, "lab.hint"))
    unsaved = why_not_kept(lambda: remember_hint(folder, hints), "That this hint was shown")
    return _shown(folder, hints, report_text.hint_lines(hints), _hints(hints), unsaved)


def revealed_answers(lab: Lab, exercise: Any) -> Shown:
    """The model answers to an exercise that may be read now; formulae in them are typeset, so they are shown as markdown."""
    id = _one_exercise(lab.folder, exercise, "lab.reveal")
    registry = Registry.of(lab.folder)
    solved = id not in registry.assigned or not (lab.folder / MODEL_ANSWERS).is_file()
    own = tuple(answers_in_notebooks(lab.folder, registry[id].notebook)) if solved else ()
    found = revealed(lab.folder, id, own)
    text = "\n\n".join(
        filter(None, [f"**{found.exercise}**", *(answer.text for answer in found.answers), found.closing])
    )
    return Shown(found, text, markdown=text)


def status_shown(lab: Lab) -> Shown:
    """How far a workspace is."""
    folder = workspace_of(lab, "lab.status")
    status = status_of(folder)
    return _shown(folder, status, report_text.status_lines(status), _status(status))


def solved(lab: Lab, exercise: Any) -> Shown:
    """Put in the reference solution of an exercise, if this installation has it."""
    folder = workspace_of(lab, "lab.solve")
    id = _one_exercise(folder, exercise, "lab.solve")
    return _told(
        folder, report := solve(folder, id), report_text.replaced_lines(report, f"The solution of exercise {id}")
    )


def emptied(lab: Lab, exercise: Any) -> Shown:
    """Put back the empty exercise."""
    folder = workspace_of(lab, "lab.reset")
    id = _one_exercise(folder, exercise, "lab.reset")
    return _told(folder, report := reset(folder, id), report_text.replaced_lines(report, f"The empty exercise {id}"))


def undone(lab: Lab) -> Shown:
    """Take back what was replaced last."""
    folder = workspace_of(lab, "lab.undo")
    return _told(folder, report := undo(folder), report_text.undone_lines(report))


def opened(lab: Lab, path: Any) -> Shown:
    """Put packed work into the workspace."""
    folder = workspace_of(lab, "lab.open_work")
    file = check_path("path", path)
    inside = folder / file  # a name alone is looked for in the lab, too, where `submit` puts its files
    report = open_work(folder, inside if not file.exists() and inside.is_file() else file)
    return _told(folder, report, report_text.replaced_lines(report, f"What {file.name} holds"))


def submitted(lab: Lab, name: str | None = None, partners: Sequence[str] = ()) -> Shown:
    """Pack what is handed in; a page in a browser offers it as a download."""
    folder = workspace_of(lab, "lab.submit")
    submission = collect_submission(folder)
    if submission.missing:
        raise InputError(f"nothing was packed; put this right first: {' '.join(submission.missing)}")
    file_name, content = pack_submission(folder, submission, name or folder.name, partners)
    path = folder / file_name
    again = path.is_file()
    replace_files({path: content})
    lines = list(report_text.packed_lines(submission, path, content, again))
    if offer_download(file_name, content):
        lines.append(("", "Your browser downloads it, too. A notebook counts as it was saved last."))
    return _told(folder, submission, lines)


def _told(folder: Path, report: Any, lines: Iterable[Line]) -> Shown:
    """A report that is a few sentences."""
    lines = list(lines)
    return _shown(folder, report, lines, (f"<div>{escape(text)}</div>" for _, text in lines))


def offer_download(name: str, content: bytes) -> bool:
    """Hand a file to the page that this Python runs in; whether there is one.

    An output cell is no place for it: it would be saved with the notebook, and packed with it the next time.
    """
    try:
        from js import BroadcastChannel, Object  # of a browser's Python only
        from pyodide.ffi import to_js
    except ImportError:
        return False
    channel = BroadcastChannel.new("lxmls-day1")
    message = {"kind": "download", "name": name, "content": content}
    channel.postMessage(to_js(message, dict_converter=Object.fromEntries))
    channel.close()
    return True


def _one_exercise(folder: Path, exercise: Any, command: str) -> str:
    ids = Registry.of(folder).meant(exercise)
    if len(ids) != 1:
        raise InputError(f'{command} wants one exercise, such as {command}("1.5"), but got {exercise!r}.')
    return ids[0]


def _shown(folder: Path, report: Any, lines: Iterable[Line], parts: Iterable[str], unsaved: str = "") -> Shown:
    """A report below the lab's folder and what is to be said about it, and above what could not be kept."""
    head, foot = list(workspace_lines(folder)), [("known", unsaved)] * bool(unsaved)
    text = report_text.as_text([*head, *lines, *foot])
    return Shown(report, text, _box([*map(_line, head), *parts, *map(_line, foot)]))


def _line(line: Line) -> str:
    style = "opacity:0.6" if line[0] == "quiet" else f"color:{BAD}"
    return f'<div style="{style}">{escape(line[1])}</div>'


def _box(parts: Iterable[str]) -> str:
    return f'<div style="border-left:4px solid {KNOWN};padding:4px 12px;line-height:1.5">{"".join(parts)}</div>'


def _exercise(report: ExerciseReport) -> str:
    parts = [f"<div><b>{escape(str(report.exercise))}</b></div>"]
    if report.missing:
        parts.append(f'<div style="color:{BAD}">✗ {escape(report.what_is_missing)}</div>')
    elif report.to_do:
        where = ", ".join(f"<code>{escape(name)}</code>" for name in report.exercise.files)
        parts.append(f"<div>Still to be written{f': {where}' if where else ''}.</div>")
        parts.append(f'<div><code>lab.hint("{report.exercise.id}")</code> helps.</div>')
    else:
        said: dict[str, str] = {}
        parts += [f"<div>{_result(result, said)}</div>" for result in report.results]
        parts += [f'<div style="color:{KNOWN}">{text}</div>' for text in _named(report)]
    colour = GOOD if report.all_passed else BAD
    parts.append(f'<div style="color:{colour}"><b>{escape(report.summary)}</b></div>')
    return "".join(parts)


def _named(report: ExerciseReport) -> Iterator[str]:
    sentences = [escape(sentence) for _, sentence in report.mistakes]
    if sentences:
        head = f"<b>{head_of(report.named_as)}:</b>"
        yield f"{head} {sentences[0]}" if len(sentences) == 1 else f"{head}<br>– {'<br>– '.join(sentences)}"
    example = report.small_inputs.example if report.small_inputs is not None else None
    if example is not None and report.exercise.counter_example:
        drawn = picture(report.exercise.counter_example, example.given, example.wanted.array, example.got.array)
        if drawn is not None:
            yield f'<img alt="the smallest input with a wrong answer" src="data:image/png;base64,{b64encode(drawn).decode()}">'


def _question(one: Explanation, has_box: bool) -> str:
    how = f'<code>lab.explain("{escape(one.exercise)}", "…")</code>'
    return (
        f'<div style="color:{KNOWN}"><b>In one line:</b> {escape(one.question)}</div>'
        f"<div><i>{'Write it below, or with' if has_box else 'Answer with'} {how}. It costs no points.</i></div>"
    )


def _result(result: CheckResult, said: dict[str, str]) -> str:
    symbol = report_text.SYMBOLS.get(result.outcome, "✗")
    colour = GOOD if result.passed else "inherit" if result.outcome in report_text.SYMBOLS else BAD
    head = f'<span style="color:{colour}">{symbol} {escape(result.title)}</span>'
    if not result.text:
        return head
    if result.text in said:
        return f"{head} <i>as in “{escape(said[result.text])}”</i>"
    said[result.text] = result.title
    style = "margin:2px 0 6px 18px;white-space:pre-wrap;background:transparent;color:inherit"
    return f'{head}<pre style="{style}">{escape(result.text)}</pre>'


def _hints(hints: Hints) -> Iterator[str]:
    yield f"<div><b>{escape(str(hints.exercise))}</b></div>"
    for number, kind, text in hints.steps:
        yield f'<div style="color:{KNOWN}">Hint {number} of {len(hints.exercise.hints)}, {escape(kind)}</div>'
        style = "margin:2px 0 6px 18px;white-space:pre-wrap;background:transparent;color:inherit"
        yield f'<pre style="{style}">{escape(text)}</pre>'
    yield f"<div><i>{escape(hints.closing)}</i></div>"


def _status(status: Status) -> Iterator[str]:
    share = 100 * status.done // len(status.counted) if status.counted else 100
    yield f"<div><b>{escape(status.summary)}</b></div>"
    yield (
        f'<div role="progressbar" aria-valuenow="{share}" style="width:320px;height:12px;border:1px solid {GOOD}">'
        f'<div style="width:{share}%;height:100%;background:{GOOD}"></div></div>'
    )
    heads = "".join(f'<th style="{CELL}">{head}</th>' for head in ("", "exercise", "points", "", "hints"))
    rows = []
    for notebook, standings in groupby(status.standings, key=lambda standing: standing.exercise.notebook):
        rows.append(f'<tr><td style="{CELL};opacity:0.6" colspan="5">{escape(notebook)}</td></tr>')
        rows += map(_standing, standings)
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _standing(standing: Standing) -> str:
    exercise = standing.exercise
    colour = GOOD if standing.done else BAD if standing.state == "failing" else "inherit"
    symbol = "✓" if standing.done else "✗" if standing.state == "failing" else "·"
    faint = ";opacity:0.6" if standing.state in NOT_COUNTED else ""
    cells = (
        symbol,
        f"{exercise.id} {exercise.title}",
        f"{exercise.points:g}",
        standing.text,
        str(standing.hints or ""),
    )
    return "<tr>" + "".join(f'<td style="{CELL};color:{colour}{faint}">{escape(cell)}</td>' for cell in cells) + "</tr>"
