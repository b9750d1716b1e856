"""The lab as a notebook opens it: it checks exercises, gives hints, shows how far one is, packs and opens work.

The first cell of every notebook is::

    from lxmls_day1.lab_api import open_lab
    lab = open_lab()
"""

import contextlib
import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxmls_day1.base.errors import current_folder
from lxmls_day1.course.running.autoreload import watch_cells
from lxmls_day1.course.running.exercise_cell import ExerciseCell
from lxmls_day1.engine.loops.penalties import LargePenalty
from lxmls_day1.figures.figure_data import record_figures
from lxmls_day1.lab import Lab
from lxmls_day1.library_path import STARTS_PROCESSES, is_lab_folder

if TYPE_CHECKING:
    from lxmls_day1.course.reports.notebook_display import NotebookOutput

# Imports inside the methods: checks start processes, which a Python in the browser cannot do, and a notebook that asks for
# no check opens without waiting for what they need.


class NotebookLab(Lab):
    """A `Lab` with what a notebook asks for; parameters, attributes and errors are those of `Lab`.

    Examples
    --------
    >>> lab = NotebookLab.open()
    >>> with lab.exercise("1.5"):
    ...     raise NotImplementedError("Exercise 1.5: MIRA")
    Still to be done – Exercise 1.5: MIRA
    """

    def exercise(self, number: str | float) -> ExerciseCell:
        """Guard a notebook cell of an exercise: ``with lab.exercise("1.5"):``.

        In it an edit of the lab's files counts without a restart, and a part that is still to be written ends the cell
        with one line that says so; see `lxmls_day1.course.running.exercise_cell`.
        """
        if not isinstance(number, str):
            from lxmls_day1.course.registry import Registry

            (number,) = Registry.of(self.folder).meant(number)
        return ExerciseCell(self, number)

    def check(self, exercise: str | float | Iterable[str | float] | None = None) -> "NotebookOutput":
        """Run the public checks of an exercise, of several, or of all, on the files of this lab as they are on disk.

        They run in a process of their own: neither what this one has imported nor an endless loop does harm. In a browser
        they run in this one, on modules that are imported anew, and a loop is ended all the same.

        Parameters
        ----------
        exercise : str or list of str, optional
            ``"1.5"``; all that have checks unless given. A number is understood where it can mean one exercise only:
            1.10 is the number 1.1.

        Returns
        -------
        NotebookOutput
            A report that a notebook shows as a table and Python as text.

        Raises
        ------
        InputError
            If there is no such exercise; if this is the reference lab, found because there is no workspace here.
        """
        from lxmls_day1.course.reports.notebook_display import checked

        return checked(self, exercise)

    def hint(self, exercise: str | float) -> "NotebookOutput":
        """Show the next of the three hints on an exercise, after those that were shown: idea, equation, code sketch."""
        from lxmls_day1.course.reports.notebook_display import hinted

        return hinted(self, exercise)

    def explain(self, exercise: str | float, text: str) -> "NotebookOutput":
        """Answer the question that a check has asked after a known mistake; it brings no points and costs none.

        Parameters
        ----------
        exercise : str
        text : str
            One line in your own words. It is handed in with the rest, for the instructor.

        Raises
        ------
        InputError
            If there is no such exercise, or no question was asked on it.
        """
        from lxmls_day1.course.reports.notebook_display import explained

        return explained(self, exercise, text)

    def reveal(self, exercise: str | float) -> "NotebookOutput":
        """Show the model answers to the questions of an exercise, each after one's own is written into the notebook.

        Save the notebook first: what counts is the file on disk. In a lab with solutions all are shown.

        Raises
        ------
        InputError
            If there is no such exercise, or no model answer to it.
        """
        from lxmls_day1.course.reports.notebook_display import revealed_answers

        return revealed_answers(self, exercise)

    def status(self) -> "NotebookOutput":
        """Show how far one is, over all exercises."""
        from lxmls_day1.course.reports.notebook_display import status_output

        return status_output(self)

    def solve(self, exercise: str | float) -> "NotebookOutput":
        """Put in the reference solution of an exercise, to go on with; `undo` brings back what was there.

        Raises
        ------
        InputError
            If there is no such exercise, or this installation has no solutions.
        """
        from lxmls_day1.course.reports.notebook_display import solved

        return solved(self, exercise)

    def reset(self, exercise: str | float) -> "NotebookOutput":
        """Put back the empty exercise; `undo` brings back what was there."""
        from lxmls_day1.course.reports.notebook_display import emptied

        return emptied(self, exercise)

    def undo(self) -> "NotebookOutput":
        """Take back the last `solve`, `reset`, `update` or `open_work`; called again, the one before it.

        Raises
        ------
        InputError
            If there is nothing to take back.
        """
        from lxmls_day1.course.reports.notebook_display import undone

        return undone(self)

    def update(self) -> "NotebookOutput":
        """Renew what was given, after an update of the package or of the site, and keep what you have written.

        Where more than the functions of its exercises was edited, and in notebooks, your file stays, and the new one is put aside. `undo`
        brings back what was there.

        Raises
        ------
        InputError
            If this is the reference lab, found because there is no workspace here.
        """
        from lxmls_day1.course.reports.notebook_display import updated

        return updated(self)

    def submit(self, name: str | None = None) -> "NotebookOutput":
        """Pack readers, classifiers and notebooks into one zip file for the instructor, or for `open_work`.

        It is in the folder of the lab; a page in a browser offers it as a download, too. Notebooks are packed as they
        were saved last.

        Parameters
        ----------
        name : str, optional
            Yours, or what your instructor asks for; that of the folder unless given.

        Raises
        ------
        InputError
            If a file is missing or cannot be read; the message says which.
        """
        from lxmls_day1.course.reports.notebook_display import submitted

        return submitted(self, name)

    def open_work(self, path: str | os.PathLike[str]) -> "NotebookOutput":
        """Put work that `submit` has packed into this lab: from another browser, say. `undo` brings back what was there.

        Parameters
        ----------
        path : path
            The zip file; a name alone is looked for in the current folder, then in that of the lab.

        Raises
        ------
        InputError
            If it is not there, damaged, or no work that was packed.
        """
        from lxmls_day1.course.reports.notebook_display import opened

        return opened(self, path)

    def demo(self, name: str) -> Any:
        """Show a demonstration, such as ``lab.demo("online_steps")``, with the readers and classifiers of this lab.

        Parameters
        ----------
        name : str
            ``lxmls-day1 demo --help`` lists them.

        Returns
        -------
        anywidget.AnyWidget
            To be the last line of a cell.

        Raises
        ------
        InputError
            If there is no such demonstration, or anywidget is not installed.
        """
        from lxmls_day1.demos.notebook import demo_widget

        return demo_widget(Lab(self.folder), name)


def open_lab(folder: str | os.PathLike[str] | None = None) -> NotebookLab:
    """Open the lab for a notebook: its figures carry the data that they plot, and an edited file counts from the next cell on.

    The lab is the nearest one at or above the folder of the notebook, as VS Code or JupyterLab says it, else at or above
    the current folder; on Colab also one right below that, where it was cloned. Else it is the reference lab. From
    then on ``from classifiers.mira import Mira`` finds the files of this lab.

    Parameters
    ----------
    folder : str or path-like, optional
        The lab, if it is to be another one.

    Returns
    -------
    NotebookLab

    Raises
    ------
    InputError
        If `folder` is given and is no lab.

    Examples
    --------
    >>> from lxmls_day1.lab import reference_folder
    >>> lab = open_lab(reference_folder())
    >>> lab.load("classifiers.mira").__name__
    'classifiers.mira'
    """
    if folder is not None:
        folder = NotebookLab(folder).folder  # which says what is wrong with it
    lab = NotebookLab.open(_lab_around() if folder is None else folder)
    lab.named = folder is not None
    if not STARTS_PROCESSES:
        _keep_origin(lab.folder)
    record_figures()
    watch_cells(lab)
    warnings.filterwarnings("ignore", category=LargePenalty)  # the notebooks try every λ, to see what it does
    return lab


def _keep_origin(folder: Path) -> None:
    """Have a browser keep the record of what was given.

    Files that nobody has written come from the site, and are others when it is updated; what was written belongs to those given before.
    """
    from lxmls_day1.course.workspace_state import WorkspaceState, locked

    with contextlib.suppress(OSError), locked(folder):
        WorkspaceState.of(folder).save()


def _lab_around() -> Path | None:
    """The lab folder that this notebook stands in or was started in, if there is one."""
    notebook = getattr(sys.modules["__main__"], "__vsc_ipynb_file__", None) or os.environ.get("JPY_SESSION_NAME")
    here = current_folder()
    around = [*(Path(notebook).resolve().parents if notebook else ()), here, *here.parents]
    if "google.colab" in sys.modules:
        around += here.glob("*/")
    return next((path for path in around if is_lab_folder(path)), None)
