"""The tasks of a workspace for VS Code: check, hint and status from the editor, with the lines of problems underlined."""

import json
from pathlib import PurePosixPath
from typing import Any

TASKS = PurePosixPath(".vscode/tasks.json")
#: One problem, as ``check --format lines`` prints it: file, line, severity and message.
PROBLEM = r"^([^\s:][^:]*):(\d+): (error|warning|info): (.*)$"
#: The lines that ``check --watch`` prints before and after the checks of a saved file.
BEGINS, ENDS = r"^\d\d:\d\d:\d\d  .* changed$", r"^Watching; "


def task_file() -> bytes:
    """Return the content of the file of tasks. It names no folder of this machine, so a workspace may move."""
    pattern = {"regexp": PROBLEM, "file": 1, "line": 2, "severity": 3, "message": 4}
    matcher = {
        "owner": "lxmls-day1",
        "source": "lxmls-day1",
        "fileLocation": ["relative", "${workspaceFolder}"],
        "pattern": pattern,
    }
    background = {"activeOnStart": True, "beginsPattern": BEGINS, "endsPattern": ENDS}
    this = "${fileBasenameNoExtension}"  # `check` understands the name of an exercise's file
    tasks = [
        _task(
            "check this exercise",
            ["check", this, "--format", "lines"],
            problemMatcher=matcher,
            group={"kind": "build", "isDefault": True},
        ),
        _task(
            "check at every save",
            ["check", "--watch", "--format", "lines"],
            problemMatcher={**matcher, "background": background},
            isBackground=True,
        ),
        _task("hint", ["hint", this], problemMatcher=[]),
        _task("status", ["status"], problemMatcher=[]),
    ]
    return (json.dumps({"version": "2.0.0", "tasks": tasks}, indent=2) + "\n").encode()


def _task(label: str, arguments: list[str], **more: Any) -> dict[str, Any]:
    shown = {"panel": "dedicated", "clear": True}
    options = {"cwd": "${workspaceFolder}"}
    return {
        "label": f"lab: {label}",
        "type": "shell",
        "command": "lxmls-day1",
        "args": arguments,
        "options": options,
        "presentation": shown,
        **more,
    }
