import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from lxmls_day1.course.reports.report_text import as_text, exercise_lines
from lxmls_day1.course.running.checking import run_checks, save_results
from lxmls_day1.course.workspace_state import WorkspaceState
from tests.python_runs import run_python
from tests.wording import wording

LINE = "    tau = loss / (2 * sq_norm)\n"


def check(folder, *ids, **settings):
    return run_checks(folder, ids or None, **settings)


def only(folder, id="1.1", **settings):
    (report,) = check(folder, id, **settings).reports
    return report


@pytest.mark.slow
class TestOutcomes:
    def test_the_reference_solution_passes(self, edit):
        report = only(edit("Steps", "Steps"))
        assert report.all_passed
        assert report.summary == wording("course.public_checks_pass_more")

    def test_a_stub_is_to_do(self, workspace):
        one, two, three = check(workspace).reports
        assert one.to_do and two.to_do and not one.all_passed
        assert three.results == () and three.summary == wording("course.checks_write_answer_notebook")
        assert two.summary == wording("course.public_check_passes")
        head, *more = as_text(exercise_lines(one)).splitlines()
        assert head == "Exercise 1.1: Half steps"
        assert more == [wording("course.still_to_be_written"), "    `lxmls-day1 hint 1.1` helps"]

    def test_expected_got_and_the_known_mistake(self, edit):
        report = only(edit("2 * sq_norm", "sq_norm"))
        assert [result.outcome for result in report.results] == ["wrong", "passed", "wrong"]
        assert as_text(exercise_lines(report)).splitlines() == [
            "Exercise 1.1: Half steps",
            wording("course.step_cap_does_touch_2"),
            wording("course.step_loss_squared_norm"),
            "        expected  0.4",
            "        yours     0.8",
            wording("course.step_that_is_capped"),
            "  ✗ Small inputs, from the smallest on",
            wording("course.small_inputs_get_wrong_answer_smallest"),
            "        loss          1",
            "        squared norm  1",
            "        cap           1",
            "        expected      0.5",
            "        yours         1",
            wording("course.known_mistake_divides_squared"),
            wording("course.public_checks_pass_more_run", "1"),
        ]

    def test_an_error_with_the_traceback_of_the_student_s_file_once(self, edit):
        report = only(edit("sq_norm)\n    tau", "sq_norms)\n    tau"))
        assert [result.outcome for result in report.results] == ["error"] * 3
        text = as_text(exercise_lines(report))
        wanted = (
            "      classifiers/steps.py:10, in half_step\n"
            "          tau = loss / (2 * sq_norms)\n"
            "      NameError: name 'sq_norms' is not defined. Did you mean 'sq_norm'?\n"
        )
        assert wanted in text
        assert wording("course.step_cap_does_touch") in text
        assert "pytest" not in text and "site-packages" not in text

    def test_a_syntax_error(self, edit):
        report = only(edit(LINE, "    tau = (loss\n"))
        assert [result.outcome for result in report.results] == ["error"] * 3
        message = wording("course.python_never_closed", "classifiers/steps.py:10")
        assert report.results[0].text.splitlines() == [message, "    tau = (loss", "          ^"]

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize(
        ("step", "cap"),
        [
            (("return None", "yours     None; is a `return` missing?"), ("exit()", "SystemExit")),
            (
                ("import os; os._exit(0)", "the code ended Python (exit status 0)"),
                ("import lxmls_missing", "No module named 'lxmls_missing'"),
            ),
            (
                ("return object() if sq_norm == 5.0 else tau", "neither numbers nor texts"),
                ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "the code crashed Python (SIGSEGV)"),
            ),
            (
                ("return half_step(loss, sq_norm, cap)", "RecursionError"),
                ("raise KeyboardInterrupt", "the code ended Python"),
            ),
        ],
        ids=["none, exit", "_exit, import", "object, crash", "recursion, interrupt"],
    )
    @pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
    def test_any_misbehaviour_of_the_code_is_reported(self, edit, step, cap):
        """Two checks meet one misbehaviour each, and the check of small inputs meets both."""
        cases = f"    if loss == 4.0:\n        {step[0]}\n    if loss == 40.0:\n        {cap[0]}\n"
        report = only(edit(LINE, LINE + cases))
        assert report.n_passed == 0
        for result, (_, text) in zip(report.results, (step, cap), strict=False):
            assert text in result.text

    def test_an_endless_loop_is_ended_with_all_its_processes(self, edit, tmp_path):
        started = tmp_path / "started"
        sleep = f"import time; time.sleep(600)  # {tmp_path}"  # No other run has this folder.
        loop = f"    import subprocess, sys; subprocess.Popen([sys.executable, '-c', {sleep!r}])\n    open({str(started)!r}, 'a').write('x')\n    while loss: pass\n"
        folder = edit(LINE, loop)
        shown = []
        report, other = check(folder, "1.1", "1.2", time_limit=1, on_progress=shown.append).reports
        assert other.to_do  # The check still runs.
        assert [result.outcome for result in report.results] == ["timeout", "not run", "not run"]
        assert wording("course.did_end_within_s", "1") in report.results[0].text
        assert wording("course.check_before_did_end") in report.results[1].text
        assert shown == [wording("course.step_cap_does_touch_3"), "Small inputs, from the smallest on"]
        assert started.read_text() == "x"
        if hasattr(os, "killpg"):  # Without process groups, only the first process is ended.
            assert not [command for command in command_lines() if sleep.encode() in command]

    def test_a_property_that_is_asserted_and_a_check_that_cannot_run_here(self, edit):
        folder = edit(LINE, LINE)
        path = folder / "tests/exercises/test_1_01_steps.py"
        more = """
import os


def test_fast_start():
    assert os.environ["NUMBA_DISABLE_JIT"] == "1"  # importing numba takes longer than a check


def test_sign(lab):
    assert lab is None, "the sign"


def test_data():
    import pytest

    pytest.skip("no data")
"""
        path.write_text(path.read_text() + more)
        report = only(folder)
        outcomes = [(result.title, result.outcome) for result in report.results[3:]]
        assert outcomes == [("fast start", "passed"), ("sign", "wrong"), ("data", "skipped")]
        assert report.results[4].text.startswith("the sign")
        assert report.summary == wording("course.public_checks_pass_could")

    def test_files_with_windows_line_ends_and_a_byte_order_mark(self, edit):
        folder = edit(LINE, LINE)
        path = folder / "classifiers/steps.py"
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
        assert only(folder).all_passed

    def test_the_results_are_remembered_with_the_files_they_belong_to(self, edit):
        folder = edit("2 * sq_norm", "sq_norm")
        save_results(folder, check(folder))
        results = WorkspaceState.from_folder(folder).results
        assert (results["1.1"].passed, results["1.1"].total, results["1.1"].hidden) == (1, 3, 2)
        assert set(results) == {"1.1", "1.2"}


def command_lines():
    """Yield the command line of each process, where the system shows them."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield path.read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends an interrupt as a terminal does")
def test_ctrl_c_leaves_no_process(edit):
    folder = edit(LINE, "    while loss: pass\n")
    code = f"from pathlib import Path; from lxmls_day1.course.running.checking import run_checks; run_checks(Path({str(folder)!r}), ['1.1'], on_progress=lambda t: print(t, flush=True))"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[4])}
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, **quiet) as process:
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) != 0
    time.sleep(0.2)
    assert not [command for command in command_lines() if str(folder).encode() in command]


CORE_CHECKED = """
import sys
from pathlib import Path
from lxmls_day1.course.running.check_process import CheckRequest
from lxmls_day1.course.running.check_session import report_checks
from lxmls_day1.course.registry import Registry, check_files, exercises_folder
from lxmls_day1.lab import reference_folder

lab = reference_folder()
files = [str(file) for one in Registry.from_folder(lab).select(["core"]) for file in check_files(exercises_folder(lab), one)]
report_checks(CheckRequest(((str(lab), tuple(files)),)), Path(sys.argv[1]))
print(len(files), "scipy" in sys.modules, "matplotlib" in sys.modules)
"""


@pytest.mark.slow
def test_the_core_is_checked_without_scipy(tmp_path):  # In a browser, scipy would be most of the download.
    said = run_python("-c", CORE_CHECKED, tmp_path / "report", NUMBA_DISABLE_JIT="1").stdout
    assert said.split() == ["6", "False", "False"]
    events = map(json.loads, (tmp_path / "report").read_text().splitlines())
    outcomes = [event["outcome"] for event in events if "outcome" in event]
    assert len(outcomes) > 20 and set(outcomes) == {"passed"}
