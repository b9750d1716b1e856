"""The notebooks of a lab: written as ``.py`` in jupytext's percent format, built into ``.ipynb`` with outputs.

    python -m tools.authoring.notebook_building build [NAME …]     run the scripts, and write the notebooks
    python -m tools.authoring.notebook_building check [NAME …]     list the notebooks that differ from their scripts

Authors edit and review the script. The notebook beside it is built from it: the same cells, run from the top. These cell tags have a
meaning:

``real-data``        the outputs are valid for the real reviews only, not for the toy corpus that replaces them
``skip-execution``   for the reader to run: commands whose output depends on the user (``lab.check``)
"""

import argparse
import base64
import copy
import io
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.errors import CorpusUnavailable, InputError
from lxmls_day1.engine.text.corpora import find_corpus
from lxmls_day1.lab import Lab

REAL_DATA, SKIP_EXECUTION = "real-data", "skip-execution"
CORPUS = "books"
MAX_FIGURE_BYTES = 100_000  # bytes
MAX_FIGURE_WIDTH = 900  # pixels: twelve inches and a margin; pages make wider figures, and their letters, smaller
_KERNEL_TIMEOUT_SECONDS = 3600  # Timeout in seconds. Our cells may take any time; a dead kernel is detected at once.
_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


def from_source(text: str, name: str = "notebook") -> Any:
    """Make a notebook without outputs from its script.

    Parameters
    ----------
    text : str
        The script in jupytext's percent format.
    name : str
        A prefix for the ids of cells, so that the ids do not change between builds.

    Returns
    -------
    nbformat.NotebookNode
    """
    import jupytext

    notebook = jupytext.reads(text, fmt="py:percent")
    notebook.metadata = copy.deepcopy(_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"{name.replace('_', '-')}-{number}"
        cell.metadata.pop("lines_to_next_cell", None)
    return notebook


def run(notebook: Any, folder: str | os.PathLike[str]) -> float:
    """Run a notebook from top to bottom, in place.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Cells tagged ``skip-execution`` are skipped.
    folder : path
        The working directory.

    Returns
    -------
    float
        The run time in wall-clock seconds.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell raises an exception.
    """
    from nbclient import NotebookClient

    started = time.perf_counter()
    client = NotebookClient(
        notebook,
        startup_timeout=_KERNEL_TIMEOUT_SECONDS,
        iopub_timeout=_KERNEL_TIMEOUT_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        skip_cells_with_tag=SKIP_EXECUTION,
        record_timing=False,
    )
    client.execute()
    notebook.metadata = copy.deepcopy(_METADATA)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = _join_streams(cell.outputs)
    return time.perf_counter() - started


def figures(notebook: Any) -> list[int]:
    """Return the size of each figure of a notebook in bytes."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [len(output.data["image/png"]) * 3 // 4 for output in outputs if "image/png" in output.get("data", {})]


def quantize_figures(notebook: Any) -> None:
    """Reduce each figure of a notebook, in place, to 256 colours: enough for lines and points, with a third of the bytes."""
    from PIL import Image

    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        if "image/png" in output.get("data", {}):
            with Image.open(io.BytesIO(base64.b64decode(output.data["image/png"]))) as picture:
                small = picture.convert("RGB").quantize(256)
            stored = io.BytesIO()
            small.save(stored, "PNG", optimize=True)
            output.data["image/png"] = base64.b64encode(stored.getvalue()).decode("ascii")


def cells_match(script: Any, notebook: Any) -> bool:
    """Return True if two notebooks have the same cells: kind, source and tags, regardless of outputs."""
    return _cells(script) == _cells(notebook)


def build(script: Path) -> float:
    """Build the ``.ipynb`` of a script beside it, with outputs.

    Parameters
    ----------
    script : Path

    Returns
    -------
    float
        The run time in wall-clock seconds.

    Raises
    ------
    InputError
        If the real reviews, whose outputs must be recorded, are not available, or if a figure is too large.
    """
    import nbformat

    if not has_real_data():
        raise InputError(
            "notebooks are recorded on real reviews, which are not here: set LXMLS_DAY1_DATA to their folder."
        )
    notebook = from_source(script.read_text(encoding="utf-8"), script.stem)
    seconds = run(notebook, script.parent)
    quantize_figures(notebook)
    if max(figures(notebook), default=0) > MAX_FIGURE_BYTES:
        raise InputError(f"{script.name} draws a figure of {max(figures(notebook))} bytes; make it smaller.")
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]  # nbformat says no types
    write_files_atomically({script.with_suffix(".ipynb"): text.rstrip().encode() + b"\n"})
    return seconds


def check(script: Path) -> bool:
    """Return True if the ``.ipynb`` of a script exists and has the same cells."""
    import nbformat

    path = script.with_suffix(".ipynb")
    if not path.is_file():
        return False
    made = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]  # as above
    return cells_match(from_source(script.read_text(encoding="utf-8"), script.stem), made)


def scripts(folder: Path, names: Sequence[str] = ()) -> list[Path]:
    """Return the notebook scripts of a folder in their order: all, or the named ones ("2_online", also with a suffix).

    Raises
    ------
    InputError
        If a name does not exist.
    """
    found = {path.stem: path for path in sorted(folder.glob("[0-9]_*.py"))}
    wanted = [Path(name).stem for name in names] or list(found)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise InputError(f"there is no notebook {missing[0]!r} in {folder}; there are: {', '.join(found) or 'none'}.")
    return [found[name] for name in wanted]


def has_real_data() -> bool:
    """Return True if the real reviews that the notebooks use are available on this machine."""
    try:
        find_corpus(CORPUS)
    except CorpusUnavailable:
        return False
    return True


def _join_streams(outputs: list[Any]) -> list[Any]:
    """Join everything that a cell prints into one output, because the split into pieces depends on timing."""
    joined: list[Any] = []
    streams: dict[str, Any] = {}
    for output in outputs:
        if output.output_type != "stream":
            joined.append(output)
        elif output.name in streams:
            streams[output.name].text += output.text
        else:
            streams[output.name] = output
            joined.append(output)
    return joined


def _cells(notebook: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(cell.cell_type, cell.source.strip(), tuple(cell.metadata.get("tags", ()))) for cell in notebook.cells]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line of this module; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.authoring.notebook_building", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("action", choices=["build", "check"])
    parser.add_argument("names", nargs="*", help="such as 2_online; all notebooks unless given")
    options = parser.parse_args(arguments)
    status = 0
    try:
        for script in scripts(Lab.open().folder / "notebooks", options.names):
            if options.action == "build":
                seconds = build(script)
                print(f"{script.with_suffix('.ipynb').name}: made in {seconds:.0f} s", flush=True)
            elif not check(script):
                print(f"{script.with_suffix('.ipynb').name} is not what {script.name} says; build it")
                status = 1
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
