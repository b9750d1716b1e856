"""Reports for a notebook: lines of text with a style each, as HTML and, wherever HTML is not shown, as plain text.

Colours come in pairs of a mark and its meaning in words, and the text keeps the colour of the page, so that light and dark
themes both work.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from lxmls_day1.base.atomic_files import replace_files
from lxmls_day1.base.errors import InputError, check_path
from lxmls_day1.course.explanations import check_and_remember, explain
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.reports import report_text
from lxmls_day1.course.reports.hints import next_hint, remember_hint
from lxmls_day1.course.reports.report_text import Line, workspace_lines
from lxmls_day1.course.running.checking import ExerciseReport
from lxmls_day1.course.workspace_state import why_not_kept
from lxmls_day1.course.workspaces.generation import answers_in_notebooks
from lxmls_day1.course.workspaces.model_answers import FILE as MODEL_ANSWERS
from lxmls_day1.course.workspaces.model_answers import revealed
from lxmls_day1.course.workspaces.progress import status_of
from lxmls_day1.course.workspaces.solve_reset_undo import reset, solve, undo
from lxmls_day1.course.workspaces.submission_export import collect_submission, pack_submission
from lxmls_day1.course.workspaces.submission_import import open_work
from lxmls_day1.course.workspaces.upgrade import update
from lxmls_day1.course.workspaces.workspace import workspace_of
from lxmls_day1.figures.counter_examples import picture
from lxmls_day1.lab import Lab

GOOD, BAD, KNOWN = "#009e73", "#d55e00", "#0072b2"  # of the Okabe-Ito palette
STYLES = {
    "": "",
    "title": "font-weight:bold",
    "good": f"color:{GOOD}",
    "bad": f"color:{BAD}",
    "known": f"color:{KNOWN}",
    "quiet": "opacity:0.6",
}
COMMAND = re.compile(
    r"`lxmls-day1 (check|hint|reset|undo|status|update) ?([\w.]*)`"
)  # in a notebook there is no command line


@dataclass(frozen=True)
class NotebookOutput:
    """A report: a notebook shows its HTML or its markdown, Python its text; ``report`` is what it is about."""

    report: Any
    text: str
    html: str = ""
    markdown: str = ""

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str | None:
        return self.html or None

    def _repr_markdown_(self) -> str | None:
        return self.markdown or None


def checked(lab: Lab, exercise: Any = None) -> NotebookOutput:
    """Run the public checks of an exercise, of several, or of all that have some."""
    folder = workspace_of(lab, "lab.check")
    ids = None if exercise is None else Registry.of(folder).meant(exercise)
    report, questions, unsaved = check_and_remember(folder, ids)
    lines = [*report_text.check_lines(report), *report_text.question_lines(questions, in_notebook=True)]
    return _output(folder, report, lines, " ".join(unsaved), filter(None, map(_picture, report.reports)))


def explained(lab: Lab, exercise: Any, text: str) -> NotebookOutput:
    """Keep the answer to the question that the last check of an exercise has asked."""
    folder = workspace_of(lab, "lab.explain")
    kept = explain(folder, _one_exercise(folder, exercise, "lab.explain"), text)
    return _output(folder, kept, report_text.explained_lines(kept))


def hinted(lab: Lab, exercise: Any) -> NotebookOutput:
    """The next hint on an exercise."""
    folder = workspace_of(lab, "lab.hint")
    hints = next_hint(folder, _one_exercise(folder, exercise, "lab.hint"))
    unsaved = why_not_kept(lambda: remember_hint(folder, hints), "That this hint was shown")
    return _output(folder, hints, report_text.hint_lines(hints), unsaved)


def revealed_answers(lab: Lab, exercise: Any) -> NotebookOutput:
    """The model answers to an exercise that may be read now; formulae in them are typeset, so they are shown as markdown."""
    id = _one_exercise(lab.folder, exercise, "lab.reveal")
    registry = Registry.of(lab.folder)
    solved = id not in registry.assigned or not (lab.folder / MODEL_ANSWERS).is_file()
    own = tuple(answers_in_notebooks(lab.folder, registry[id].notebook)) if solved else ()
    found = revealed(lab.folder, id, own)
    text = "\n\n".join(
        filter(None, [f"**{found.exercise}**", *(answer.text for answer in found.answers), found.closing])
    )
    return NotebookOutput(found, text, markdown=text)


def status_output(lab: Lab) -> NotebookOutput:
    """How far a workspace is."""
    folder = workspace_of(lab, "lab.status")
    status = status_of(folder)
    return _output(folder, status, report_text.status_lines(status))


def solved(lab: Lab, exercise: Any) -> NotebookOutput:
    """Put in the reference solution of an exercise, if this installation has it."""
    folder = workspace_of(lab, "lab.solve")
    id = _one_exercise(folder, exercise, "lab.solve")
    return _output(
        folder, report := solve(folder, id), report_text.replaced_lines(report, f"The solution of exercise {id}")
    )


def emptied(lab: Lab, exercise: Any) -> NotebookOutput:
    """Put back the empty exercise."""
    folder = workspace_of(lab, "lab.reset")
    id = _one_exercise(folder, exercise, "lab.reset")
    return _output(folder, report := reset(folder, id), report_text.replaced_lines(report, f"The empty exercise {id}"))


def undone(lab: Lab) -> NotebookOutput:
    """Take back what was replaced last."""
    folder = workspace_of(lab, "lab.undo")
    return _output(folder, report := undo(folder), report_text.undone_lines(report))


def updated(lab: Lab) -> NotebookOutput:
    """Renew the given files."""
    folder = workspace_of(lab, "lab.update")
    return _output(folder, report := update(folder), report_text.renewed_lines(report))


def opened(lab: Lab, path: Any) -> NotebookOutput:
    """Put packed work into the workspace."""
    folder = workspace_of(lab, "lab.open_work")
    file = check_path("path", path)
    inside = folder / file  # a name alone is looked for in the lab, too, where `submit` puts its files
    report = open_work(folder, inside if not file.exists() and inside.is_file() else file)
    return _output(folder, report, report_text.replaced_lines(report, f"What {file.name} holds"))


def submitted(lab: Lab, name: str | None = None) -> NotebookOutput:
    """Pack what is handed in; a page in a browser offers it as a download."""
    folder = workspace_of(lab, "lab.submit")
    submission = collect_submission(folder)
    if submission.missing:
        raise InputError(f"nothing was packed; correct this first: {' '.join(submission.missing)}")
    file_name, content = pack_submission(folder, submission, name or folder.name)
    path = folder / file_name
    again = path.is_file()
    replace_files({path: content})
    lines = list(report_text.packed_lines(submission, path, content, again))
    if offer_download(file_name, content):
        lines.append(("", "Your browser downloads it, too. A notebook is packed as you last saved it."))
    return _output(folder, submission, lines)


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
        raise InputError(f'{command} needs one exercise, such as {command}("1.5"), but got {exercise!r}.')
    return Registry.of(folder)[ids[0]].id


def _output(
    folder: Path, report: Any, lines: Iterable[Line], unsaved: str = "", pictures: Iterable[str] = ()
) -> NotebookOutput:
    """A report below the lab's folder and what is to be said about it, and above what could not be kept."""
    foot = [("known", unsaved)] * bool(unsaved)
    all_lines = [(style, COMMAND.sub(_as_call, text)) for style, text in (*workspace_lines(folder), *lines, *foot)]
    parts = "".join([*map(_line, all_lines), *pictures])
    box = f"border-left:4px solid {KNOWN};padding:4px 12px;line-height:1.5;font-family:monospace"
    return NotebookOutput(report, report_text.as_text(all_lines), f'<div style="{box}">{parts}</div>')


def _as_call(command: re.Match[str]) -> str:
    """``lab.hint("1.5")`` for ``lxmls-day1 hint 1.5``."""
    argument = f'"{command[2]}"' if command[2] else ""
    return f"`lab.{command[1]}({argument})`"


def _line(line: Line) -> str:
    style, text = line
    indent = len(text) - len(text.lstrip())
    return f'<div style="white-space:pre-wrap;margin-left:{indent}ch;{STYLES[style]}">{escape(text.lstrip()) or "&nbsp;"}</div>'


def _picture(report: ExerciseReport) -> str:
    """The smallest input with a wrong answer as a picture, where the exercise has some."""
    example = report.small_inputs.example if report.small_inputs is not None else None
    if example is None or not report.exercise.counter_example:
        return ""
    drawn = picture(report.exercise.counter_example, example.given, example.wanted.array, example.got.array)
    source = f"data:image/png;base64,{b64encode(drawn).decode()}" if drawn is not None else ""
    return f'<img alt="the smallest input with a wrong answer" src="{source}">' if source else ""
