"""The notebooks of the demonstrations, made from their scripts: ``python -m lxmls_day1.demos.notebook_pairs``.

They keep no outputs: a demonstration is alive or nothing.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lxmls_day1.course import notebook_building
from lxmls_day1.demos.serving import FOLDER
from lxmls_day1.whole_files import replace_files


def build(folder: Path) -> list[Path]:
    """Write the notebook of every script in a folder, without outputs; returns those written."""
    import nbformat

    write: Callable[[Any], str] = nbformat.writes
    made = {}
    for script in notebook_building.scripts(folder):
        notebook = notebook_building.from_source(script.read_text(encoding="utf-8"), script.stem)
        made[script.with_suffix(".ipynb")] = write(notebook).rstrip().encode() + b"\n"
    replace_files(made)
    return list(made)


if __name__ == "__main__":
    from lxmls_day1.lab import Lab

    for path in build(Lab.open().folder / FOLDER):
        print(path.name)
