"""The lab for use in a notebook: it checks exercises, gives hints, shows progress, packs and opens work.

The first cell of every notebook is::

    from lxmls_day1.lab_api import open_lab
    lab = open_lab()

A report consists of lines, each with a style. It is shown as HTML, or as plain text if HTML is not available. Each colour is paired
with words that mean the same, and the body text keeps the page's colour, so that light and dark themes both work.
"""

import contextlib
import functools
import os
import re
import sys
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from lxmls_day1.base.errors import InputError, check_path, current_folder
from lxmls_day1.course.running.autoreload import watch_cells
from lxmls_day1.course.running.exercise_cell import ExerciseCell
from lxmls_day1.engine.loops.penalties import LargePenaltyWarning
from lxmls_day1.figures.figure_data import record_figures
from lxmls_day1.lab import Lab
from lxmls_day1.library_path import CAN_START_PROCESSES, is_lab_folder

if TYPE_CHECKING:
    from lxmls_day1.course.registry import Registry
    from lxmls_day1.course.reports.report_text import Line
    from lxmls_day1.course.running.checking import ExerciseReport
    from lxmls_day1.course.workspaces.progress import Status

# Methods import what they need: checks start processes, which Python in a browser cannot do, and a notebook that runs
# no check opens without waiting for these imports.


GOOD, BAD, KNOWN = "#009e73", "#d55e00", "#0072b2"  # colours of the Okabe-Ito palette
STYLES = {
    "": "",
    "title": "font-weight:bold",
    "good": f"color:{GOOD}",
    "bad": f"color:{BAD}",
    "known": f"color:{KNOWN}",
    "quiet": "opacity:0.6",
}
#: Commands in reports, which become calls of `lab` because a notebook has no command line.
COMMAND_PATTERN = re.compile(r"`lxmls-day1 (check|hint|reset|undo|status|update|leave) ?([\w.]*)`")

Arguments = ParamSpec("Arguments")


@dataclass(frozen=True)
class NotebookOutput:
    """A report: a notebook shows its HTML or Markdown, Python its text; ``report`` is the underlying report object."""

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


def _with_short_errors(method: Callable[Arguments, NotebookOutput]) -> Callable[Arguments, NotebookOutput]:
    """Let a notebook show one line for a mistyped argument and for *Stop*, because a traceback through this package helps no student."""

    @functools.wraps(method)
    def called(*given: Arguments.args, **named: Arguments.kwargs) -> NotebookOutput:
        try:
            return method(*given, **named)
        except (InputError, KeyboardInterrupt) as error:
            if isinstance(error, InputError):
                text = f"InputError: {error}"
            else:
                text = f"Stopped, and nothing was saved{f'; the line that ran last is {error}' if str(error) else ''}."
            error._render_traceback_ = lambda: [text]  # type: ignore[union-attr]  # IPython asks for it.
            raise

    return called


class NotebookLab(Lab):
    """A `Lab` with the methods for notebooks. Parameters, attributes and errors are those of `Lab`.

    Examples
    --------
    >>> lab = NotebookLab.open()
    >>> with lab.exercise("1.5"):
    ...     raise NotImplementedError("Exercise 1.5: MIRA")
    Still to be done – Exercise 1.5: MIRA
    """

    def exercise(self, number: str | float) -> ExerciseCell:
        """Guard a notebook cell of an exercise: ``with lab.exercise("1.5"):``.

        Inside, edits of the lab's files take effect without a restart, and code that is still to be written ends the cell with a
        single line that says so; see `lxmls_day1.course.running.exercise_cell`.
        """
        if not isinstance(number, str):
            (number,) = self._registry().parse_ids(number)
        return ExerciseCell(self, number)

    @_with_short_errors
    def check(
        self, exercise: str | float | Iterable[str | float] | None = None, verbose: bool = False
    ) -> NotebookOutput:
        """Run the public checks of an exercise, of several, or of all, on the files of this lab as they are on disk.

        They run in a process of their own: neither what this one has imported nor an endless loop does harm. In a browser
        they run in this one, on modules that are imported again, and an endless loop is ended, too.

        Parameters
        ----------
        exercise : str or list of str, optional
            ``"1.5"``; all that have checks unless given. A number is understood where it can mean one exercise only:
            1.10 is the number 1.1.
        verbose : bool
            Whether every check is shown, and not only the first that fails.

        Returns
        -------
        NotebookOutput
            A report that a notebook shows as a table and Python as text.

        Raises
        ------
        InputError
            If there is no such exercise; if this is the reference lab, found because there is no workspace here.
        """
        from lxmls_day1.course import explanations
        from lxmls_day1.course.reports.report_text import check_lines, question_lines
        from lxmls_day1.course.reports.room_link import send_verdicts

        folder = self._workspace("lab.check")
        ids = None if exercise is None else self._registry().parse_ids(exercise)
        report, questions, unsaved = explanations.check_and_save(folder, ids)
        shown = check_lines(report, _standing(folder), verbose, "`verbose=True` shows them")
        lines = [*shown, *question_lines(questions, in_notebook=True)]
        unsaved += filter(None, [send_verdicts(folder, report)])
        return _output(folder, report, lines, " ".join(unsaved), filter(None, map(_picture, report.reports)))

    @_with_short_errors
    def hint(self, exercise: str | float) -> NotebookOutput:
        """Show the next of the three hints on an exercise (idea, equation, code sketch), after those already shown."""
        from lxmls_day1.course.reports.hints import next_hint, save_shown_hints
        from lxmls_day1.course.reports.report_text import hint_lines
        from lxmls_day1.course.workspace_state import save_or_explain

        folder = self._workspace("lab.hint")
        hints = next_hint(folder, self._exercise_id(exercise, "lab.hint"))
        unsaved = save_or_explain(lambda: save_shown_hints(folder, hints), "That this hint was shown")
        return _output(folder, hints, hint_lines(hints), unsaved)

    @_with_short_errors
    def explain(self, exercise: str | float, text: str) -> NotebookOutput:
        """Record your answer to the question that a check asked about a known mistake. The answer does not change your points.

        Parameters
        ----------
        exercise : str
        text : str
            One line in your own words. It is part of your submission, for the instructor.

        Raises
        ------
        InputError
            If there is no such exercise, or no check has asked a question about it.
        """
        from lxmls_day1.course.explanations import explain
        from lxmls_day1.course.reports.report_text import explanation_lines

        folder = self._workspace("lab.explain")
        kept = explain(folder, self._exercise_id(exercise, "lab.explain"), text)
        return _output(folder, kept, explanation_lines(kept))

    @_with_short_errors
    def reveal(self, exercise: str | float) -> NotebookOutput:
        """Show the model answers to an exercise's questions. Each is shown once your own answer is in the notebook.

        Save the notebook first, because only the saved file counts. In a lab with solutions, all model answers are shown.

        Raises
        ------
        InputError
            If there is no such exercise, or it has no model answer.
        """
        from lxmls_day1.course.workspaces.generation import answers_in_notebooks
        from lxmls_day1.course.workspaces.model_answers import FILE, unlocked_answers

        id, registry = self._exercise_id(exercise, "lab.reveal"), self._registry()
        solved = id not in registry.assigned or not (self.folder / FILE).is_file()
        own = tuple(answers_in_notebooks(self.folder, registry[id].notebook)) if solved else ()
        found = unlocked_answers(self.folder, id, own)
        parts = [f"**{found.exercise}**", *(answer.text for answer in found.answers), found.closing]
        text = "\n\n".join(filter(None, parts))
        return NotebookOutput(found, text, markdown=text)  # Markdown typesets the formulae.

    @_with_short_errors
    def status(self) -> NotebookOutput:
        """Show your progress over all exercises."""
        from lxmls_day1.course.reports.report_text import status_lines

        folder = self._workspace("lab.status")
        status = _standing(folder)
        return _output(folder, status, status_lines(status))

    @_with_short_errors
    def solve(self, exercise: str | float) -> NotebookOutput:
        """Insert the reference solution of an exercise, so that you can go on; `undo` restores the previous state.

        Raises
        ------
        InputError
            If there is no such exercise, or this installation has no solutions.
        """
        from lxmls_day1.course.reports.report_text import replaced_lines
        from lxmls_day1.course.workspaces.solve_reset_undo import solve

        folder = self._workspace("lab.solve")
        id = self._exercise_id(exercise, "lab.solve")
        return _output(folder, report := solve(folder, id), replaced_lines(report, f"The solution of exercise {id}"))

    @_with_short_errors
    def reset(self, exercise: str | float) -> NotebookOutput:
        """Restore the empty exercise; `undo` restores the previous state."""
        from lxmls_day1.course.reports.report_text import replaced_lines
        from lxmls_day1.course.workspaces.solve_reset_undo import reset

        folder = self._workspace("lab.reset")
        id = self._exercise_id(exercise, "lab.reset")
        return _output(folder, report := reset(folder, id), replaced_lines(report, f"The empty exercise {id}"))

    @_with_short_errors
    def undo(self) -> NotebookOutput:
        """Undo the last `solve`, `reset`, `update` or `open_work`; calling it again undoes the one before.

        Raises
        ------
        InputError
            If there is nothing to undo.
        """
        from lxmls_day1.course.reports.report_text import undo_lines
        from lxmls_day1.course.workspaces.solve_reset_undo import undo

        folder = self._workspace("lab.undo")
        return _output(folder, report := undo(folder), undo_lines(report))

    @_with_short_errors
    def update(self) -> NotebookOutput:
        """Replace the starter files with those of the updated package or site, and keep what you have written.

        If you edited a file outside the functions of its exercises, or a notebook, your file stays and the new version is saved beside it.
        `undo` restores the previous state.

        Raises
        ------
        InputError
            If this is the reference lab, opened because there is no workspace here.
        """
        from lxmls_day1.course.reports.report_text import update_lines
        from lxmls_day1.course.workspaces.upgrade import update

        folder = self._workspace("lab.update")
        return _output(folder, report := update(folder), update_lines(report))

    @_with_short_errors
    def submit(self, name: str | None = None) -> NotebookOutput:
        """Pack readers, classifiers and notebooks into one zip file for the instructor, or for `open_work`.

        The file is in the folder of the lab; in a browser the page also offers it as a download. Notebooks are packed as last saved.

        Parameters
        ----------
        name : str, optional
            Your name, or the name that your instructor asks for. Default: the name of the lab folder.

        Raises
        ------
        InputError
            If a file is missing or cannot be read; the message names it.
        """
        from lxmls_day1.base.atomic_files import write_files_atomically
        from lxmls_day1.course.reports.report_text import packed_lines
        from lxmls_day1.course.workspaces.packed_work import collect_submission, pack_submission

        folder = self._workspace("lab.submit")
        submission = collect_submission(folder)
        if submission.faults:
            raise InputError(f"nothing was packed; correct this first: {' '.join(submission.faults)}")
        file_name, content = pack_submission(folder, submission, name or folder.name)
        path = folder / file_name
        again = path.is_file()
        write_files_atomically({path: content})
        lines = list(packed_lines(submission, path, content, again))
        if _tell_page({"kind": "download", "name": file_name, "content": content}):
            lines.append(("", "Your browser downloads it, too. A notebook is packed as you last saved it."))
        return _output(folder, submission, lines)

    @_with_short_errors
    def open_work(self, path: str | os.PathLike[str]) -> NotebookOutput:
        """Unpack work that `submit` has packed, for example in another browser, into this lab. `undo` restores the previous state.

        Parameters
        ----------
        path : path
            The zip file. A bare file name is searched for in the current folder, then in the lab folder.

        Raises
        ------
        InputError
            If the file does not exist, is damaged, or was not packed by `submit`.
        """
        from lxmls_day1.course.reports.report_text import replaced_lines
        from lxmls_day1.course.workspaces.packed_work import open_work

        folder = self._workspace("lab.open_work")
        file = check_path("path", path)
        inside = folder / file  # A bare name is also searched for in the lab, where `submit` writes its files.
        report = open_work(folder, inside if not file.exists() and inside.is_file() else file)
        return _output(folder, report, replaced_lines(report, f"What {file.name} holds"))

    def join(self, address: str) -> NotebookOutput:
        """Take part in the room of a class, as ``lxmls-day1 join`` does; ``lab.leave()`` ends that.

        Parameters
        ----------
        address : str
            The address on the first screen of the board, such as ``"http://192.168.1.17:8418"``.

        Raises
        ------
        InputError
            If no room answers there, or this Python runs in a browser, which reaches no other site.
        """
        from lxmls_day1.course.reports.room_link import join

        folder = self._workspace("lab.join")
        if not CAN_START_PROCESSES:
            raise InputError(
                "a lab in the browser cannot join a room. Open the room's address instead, and work on its pages."
            )
        return _output(folder, None, [("", join(folder, address))])

    def leave(self) -> NotebookOutput:
        """Leave the room, and withdraw what was sent to it."""
        from lxmls_day1.course.reports.room_link import leave

        folder = self._workspace("lab.leave")
        return _output(folder, None, [("", leave(folder))])

    def demo(self, name: str) -> Any:
        """Show a demonstration, such as ``lab.demo("online_steps")``, with the readers and classifiers of this lab.

        Parameters
        ----------
        name : str
            A name that ``lxmls-day1 demo --help`` lists.

        Returns
        -------
        anywidget.AnyWidget
            A widget; make it the last line of a cell.

        Raises
        ------
        InputError
            If there is no such demonstration, or anywidget is not installed.
        """
        from lxmls_day1.demos.notebook import demo_widget

        return demo_widget(Lab(self.folder), name)

    def _workspace(self, command: str) -> Path:
        """Return the folder of this lab if it is a workspace or was named by the user; otherwise the command must not change it."""
        from lxmls_day1.course.workspaces.workspace import workspace_of

        return workspace_of(self, command)

    def _registry(self) -> "Registry":
        from lxmls_day1.course.registry import Registry

        return Registry.from_folder(self.folder)

    def _exercise_id(self, exercise: Any, command: str) -> str:
        ids = self._registry().parse_ids(exercise)
        if len(ids) != 1:
            raise InputError(f'{command} needs one exercise, such as {command}("1.5"), but got {exercise!r}.')
        return self._registry().named(ids[0]).id


def open_lab(folder: str | os.PathLike[str] | None = None) -> NotebookLab:
    """Open the lab for a notebook: figures carry the data that they plot, and edited files take effect from the next cell on.

    The lab is the nearest lab folder at or above the folder of the notebook, if VS Code or JupyterLab provides that folder, or else at or
    above the current folder. On Colab, a lab cloned directly below the current folder is found, too. If there is none, the reference lab
    is opened. From then on ``from classifiers.mira import Mira`` imports the files of this lab.

    Parameters
    ----------
    folder : str or path-like, optional
        The lab folder. Default: found as described above.

    Returns
    -------
    NotebookLab

    Raises
    ------
    InputError
        If `folder` is not a lab.

    Examples
    --------
    >>> from lxmls_day1.lab import reference_folder
    >>> lab = open_lab(reference_folder())
    >>> lab.load("classifiers.mira").__name__
    'classifiers.mira'
    """
    if folder is not None:
        folder = NotebookLab(folder).folder  # The constructor raises an error if the folder is not a lab.
    lab = NotebookLab.open(_find_lab_folder() if folder is None else folder)
    lab.is_explicit = folder is not None
    if not CAN_START_PROCESSES:
        _save_starter_record(lab.folder)
    record_figures()
    watch_cells(lab)
    warnings.filterwarnings("ignore", category=LargePenaltyWarning)  # The notebooks try very large λ on purpose.
    return lab


def _save_starter_record(folder: Path) -> None:
    """Save the record of the starter files in a browser.

    Files that the user has not saved come from the site, and change when the site is updated; the user's own files belong to the earlier
    starter files.
    """
    from lxmls_day1.course.workspace_state import WorkspaceState, lock_state

    with contextlib.suppress(OSError), lock_state(folder):
        WorkspaceState.from_folder(folder).save()


def _find_lab_folder() -> Path | None:
    """Return the lab folder that contains this notebook or the current folder, or None."""
    notebook = getattr(sys.modules["__main__"], "__vsc_ipynb_file__", None) or os.environ.get("JPY_SESSION_NAME")
    here = current_folder()
    around = [*(Path(notebook).resolve().parents if notebook else ()), here, *here.parents]
    if "google.colab" in sys.modules:
        around += here.glob("*/")
    return next((path for path in around if is_lab_folder(path)), None)


def _tell_page(message: dict[str, Any]) -> bool:
    """Send a message to the page that runs this Python. Return False if there is no such page.

    A file to download is sent so, and not put into an output cell, because it would be saved with the notebook, and packed with it.
    """
    try:
        from js import BroadcastChannel, Object  # Only Python in a browser has this module.
        from pyodide.ffi import to_js
    except ImportError:
        return False
    channel = BroadcastChannel.new("lxmls-day1")
    channel.postMessage(to_js(message, dict_converter=Object.fromEntries))
    channel.close()
    return True


def _standing(folder: Path) -> "Status":
    """Return the status of a workspace, and send it to the page of a browser lab for its list of exercises."""
    from lxmls_day1.course.workspaces.progress import status_of

    status = status_of(folder)
    _tell_page({"kind": "progress", "done": [one.exercise.id for one in status.exercise_statuses if one.done]})
    return status


def _output(
    folder: Path, report: Any, lines: Iterable["Line"], unsaved: str = "", pictures: Iterable[str] = ()
) -> NotebookOutput:
    """Return a report with the lab's folder above it and the message about unsaved records below it."""
    from lxmls_day1.course.reports.report_text import as_text, workspace_lines

    foot = [("known", unsaved)] * bool(unsaved)
    given = (*workspace_lines(folder), *lines, *foot)
    all_lines = [(style, COMMAND_PATTERN.sub(_command_as_call, text)) for style, text in given]
    parts = "".join([*map(_line, all_lines), *pictures])
    box = f"border-left:4px solid {KNOWN};padding:4px 12px;line-height:1.5;font-family:monospace"
    return NotebookOutput(report, as_text(all_lines), f'<div style="{box}">{parts}</div>')


def _command_as_call(command: re.Match[str]) -> str:
    """Return ``lab.hint("1.5")`` for ``lxmls-day1 hint 1.5``."""
    argument = f'"{command[2]}"' if command[2] else ""
    return f"`lab.{command[1]}({argument})`"


def _line(line: "Line") -> str:
    style, text = line
    indent = len(text) - len(text.lstrip())
    return f'<div style="white-space:pre-wrap;margin-left:{indent}ch;{STYLES[style]}">{escape(text.lstrip()) or "&nbsp;"}</div>'


def _picture(report: "ExerciseReport") -> str:
    """Return a picture of the smallest input with a wrong answer, or an empty string if the exercise has no such picture."""
    example = report.probe_inputs_result.example if report.probe_inputs_result is not None else None
    if example is None or not report.exercise.counter_example:
        return ""
    from lxmls_day1.figures.counter_examples import render_png

    drawn = render_png(report.exercise.counter_example, example.given, example.wanted.array, example.got.array)
    source = f"data:image/png;base64,{b64encode(drawn).decode()}" if drawn is not None else ""
    return f'<img alt="the smallest input with a wrong answer" src="{source}">' if source else ""
