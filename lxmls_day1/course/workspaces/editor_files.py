"""The tasks of a workspace for VS Code: check, hint and status from the editor, with the lines of problems underlined.

``tasks.json`` beside this module reads what the commands print: a problem, as ``check --format lines`` prints it, and the lines that
``check --watch`` prints before and after the checks of a saved file. `check` understands the name of an exercise's file.
"""

from pathlib import Path, PurePosixPath

TASKS = PurePosixPath(".vscode/tasks.json")


def task_file() -> bytes:
    """Return the content of the file of tasks. It names no folder of this machine, so a workspace may move."""
    return Path(__file__).with_name("tasks.json").read_bytes().replace(b"\r\n", b"\n")
