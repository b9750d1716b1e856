"""A named mistake has its own hint before the general hints; tested with the course's exercise 1.5."""

import json

import pytest

from lxmls_day1.commands.check import check_and_show
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.reports.check_json import as_plain
from lxmls_day1.course.reports.hints import mistake_hint, next_hint, save_shown_hints
from lxmls_day1.course.running.checking import run_checks
from lxmls_day1.course.workspace_state import FILE, WorkspaceState
from lxmls_day1.course.workspaces.workspace import start_workspace
from tests.wording import wording

WRONG = """predicted = np.argmax(scores)
    if predicted != label:
        loss = scores[predicted] - scores[label] + cost[predicted]
        tau = min(step, loss / sq_norm)  # sq_norm
        d[label], d[predicted] = tau, -tau
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Return a workspace with a wrong MIRA, checked."""
    folder = tmp_path_factory.mktemp("hints") / "mine"
    start_workspace(folder)
    path = folder / "classifiers/mira.py"
    source = path.read_text(encoding="utf-8")
    begin = source.index("raise NotImplementedError")
    path.write_text(source[:begin] + WRONG + source[source.index("    return d", begin) :], encoding="utf-8")
    check_and_show(folder, ["1.5"], 30.0)
    return folder


def test_the_hint_of_the_mistake_comes_first_and_once(workspace):
    assert WorkspaceState.from_folder(workspace).results["1.5"].mistakes == ("norm_counted_once",)
    steps = []
    for _ in range(3):
        hints = next_hint(workspace, "1.5")
        save_shown_hints(workspace, hints)
        steps += hints.steps
    assert [number for number, _, _ in steps] == [0, 1, 2]
    lines = (workspace / "classifiers/mira.py").read_text(encoding="utf-8").split("\n")
    number = 1 + next(n for n, line in enumerate(lines) if "# sq_norm" in line)
    assert steps[0][2].endswith(wording("course.look_what_do_sq", number))
    assert "2 * sq_norm" not in steps[0][2]  # The hint names the place, not the code.


def test_a_mistake_without_a_question_and_without_arguments_has_no_hint(workspace):
    assert mistake_hint(workspace, Registry.from_folder(workspace)["1.5"], "no such mistake") == ""


def test_an_older_state_is_read(workspace):
    before = (workspace / FILE).read_text(encoding="utf-8")
    content = json.loads(before) | {"hints": {"1.5": 2}}
    content.pop("mistakes_hinted", None)
    for result in content["results"].values():
        del result["mistakes"]
    (workspace / FILE).write_text(json.dumps(content), encoding="utf-8")
    state = WorkspaceState.from_folder(workspace)
    assert not state.damage and state.results["1.5"].mistakes == () and state.hints == {"1.5": 2}
    (workspace / FILE).write_text(before, encoding="utf-8")


def test_the_report_as_json_has_diagnosis_and_evidence(workspace):
    (one,) = as_plain(workspace, run_checks(workspace, ["1.5"]))["exercises"]
    assert one["diagnosis"]["kind"] == "one" and one["diagnosis"]["items"][0]["id"] == "norm_counted_once"
    assert 0 < one["diagnosis"]["wrong_inputs"] < one["diagnosis"]["small_inputs"]
    example = one["counter_example"]
    assert example["got"]["numbers"] == [2 * number for number in example["wanted"]["numbers"]]
    assert json.loads(json.dumps(one, allow_nan=False)) == one
