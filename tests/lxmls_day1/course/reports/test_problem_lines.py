"""The lines that editors read: the pattern of the tasks for VS Code, tried on the real output of `check`."""

import json
import re

import pytest

from lxmls_day1.course.workspaces.editor_files import TASKS
from lxmls_day1.course.workspaces.workspace import start_workspace
from tests.command_runs import run
from tests.wording import wording

START = "    d = np.zeros(len(scores))\n"
TWICE = (
    "    rival = np.argmax(scores)\n    if rival != label:\n        loss = scores[rival] - scores[label] + cost[rival]\n"
    "        tau = min(step, loss / sq_norm)\n        d[label] += tau\n        d[rival] -= tau\n"
)


@pytest.fixture
def lab(tmp_path, monkeypatch):
    folder = start_workspace(tmp_path / "lab", core_only=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def matched(lab):
    """A function that writes MIRA's lines, and returns what VS Code finds in the output of the task: file, line's text, severity, message."""
    tasks = {task["label"]: task for task in json.loads((lab / TASKS).read_bytes())["tasks"]}
    task = tasks["lab: check this exercise"]
    pattern = task["problemMatcher"]["pattern"]
    groups = [pattern[name] for name in ("file", "line", "severity", "message")]

    def found(lines):
        mira = lab / "classifiers/mira.py"
        if lines is not None:
            head, _, rest = mira.read_text(encoding="utf-8").partition(START)
            _, end, after = rest.partition("    return d\n")
            mira.write_text(head + START + lines + end + after, encoding="utf-8")
        arguments = [text.replace("${fileBasenameNoExtension}", "mira") for text in task["args"]]
        problems = []
        for line in run(*arguments, status=1).output.splitlines():
            if match := re.match(pattern["regexp"], line):
                file, number, *said = map(match.group, groups)
                text = (lab / file).read_text(encoding="utf-8").splitlines()[int(number) - 1].strip()
                problems.append((file, text, *said))
        return problems

    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "underlined", "said"),
    [
        (TWICE, "tau = min(step, loss / sq_norm)", "A known mistake: "),
        ("    d[np.max(scores)] = step\n", "d[np.max(scores)] = step", "IndexError: "),
        ("    d[label] = (step\n", "d[label] = (step", "SyntaxError: "),
        ("    d[label] = stepp\n", "d[label] = stepp", "NameError: "),
        ("    d += 7 * sq_norm\n", "d += 7 * sq_norm", ""),
    ],
)
def test_the_wrong_line_is_underlined(matched, lines, underlined, said):
    ((file, text, severity, message),) = matched(lines)
    assert (file, text, severity) == ("classifiers/mira.py", underlined, "error")
    assert message.startswith(f"1.5 MIRA: {said}") and "classifiers/mira.py:" not in message


@pytest.mark.slow
def test_what_is_not_written_yet_is_information(matched, lab):
    ((_, text, severity, message),) = matched(None)
    assert text.startswith("raise NotImplementedError(")
    assert severity == "info"
    assert wording("course.still_to_be_written_2", "classifiers/mira.py") in message
    (lab / "classifiers/mira.py").unlink()
    ((file, _, severity, _),) = matched(None)
    assert file.startswith("notebooks/2_online") and severity == "error"


@pytest.mark.slow
def test_a_right_answer_has_no_line(lab):
    run("solve", "1.5")
    assert ": error: " not in run("check", "mira", "--format", "lines").output


def test_each_task_is_a_command_of_the_lab(lab):
    tasks = json.loads((lab / TASKS).read_bytes())["tasks"]
    assert [task["args"][0] for task in tasks] == ["check", "check", "hint", "status"]
    for task in tasks:
        assert task["command"] == "lxmls-day1" and "Usage" in run(task["args"][0], "--help").output
    (watching,) = (task for task in tasks if task.get("isBackground"))
    background = watching["problemMatcher"]["background"]
    assert "--watch" in watching["args"] and background["activeOnStart"]
    assert re.match(background["beginsPattern"], "10:11:12  classifiers/mira.py changed")
    assert re.match(background["endsPattern"], "Watching; Ctrl-C ends it.")
