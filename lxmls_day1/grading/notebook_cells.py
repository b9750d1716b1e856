"""A student's notebook, run inside the box: its code cells one after another, as a kernel would run them."""

from pathlib import Path
from typing import Any

from lxmls_day1.course.tracebacks import trimmed_traceback

LONGEST_ERROR = 1500


class CellRunner:
    """IPython without a terminal, without history and without a kernel around it.

    Parameters
    ----------
    folder : Path
        The lab; frames in its files are what is told of an error.
    """

    def __init__(self, folder: Path):
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        self._folder = folder
        self._shell: Any = InteractiveShell.instance(config=config)

    def run(self, source: str) -> str:
        """Run a cell: what went wrong, or nothing."""
        result = self._shell.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
        return "" if error is None else trimmed_traceback(error, self._folder)[-LONGEST_ERROR:]


def warm_up_for_notebooks() -> None:
    """Import what notebooks import, before the first box."""
    import matplotlib.font_manager
    import matplotlib.pyplot  # noqa: F401

    from lxmls_day1.figures import plotting  # noqa: F401


def code_cells(notebook: dict[str, Any]) -> list[str]:
    """The sources of its code cells, in order; of a notebook of whatever form.

    Examples
    --------
    >>> code_cells({"cells": [{"cell_type": "code", "source": ["x = 1\\n", "x"]}, {"cell_type": "markdown"}, 3]})
    ['x = 1\\nx']
    """
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    sources = []
    for cell in cells if isinstance(cells, list) else []:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            sources.append("".join(map(str, source)) if isinstance(source, list) else str(source))
    return sources
