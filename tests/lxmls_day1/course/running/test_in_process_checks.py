"""Checks in this process, as a browser runs them, report the same as checks in their own process."""

import sys

import pytest

from lxmls_day1.course.reports.report_text import as_text, check_lines
from lxmls_day1.course.running import checking
from lxmls_day1.course.running.checking import run_checks
from tests.wording import wording

STEP = "tau = loss / (2 * sq_norm)"


@pytest.fixture
def here(monkeypatch):
    """Return a function that runs the checks of the small lab's exercise in this process."""

    def here(folder, *ids, **settings):
        with monkeypatch.context() as patched:
            patched.setattr(checking, "CAN_START_PROCESSES", False)
            return run_checks(folder, ids or None, **settings)

    return here


def text_of(report):
    return as_text(check_lines(report))


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("new", "outcome"),
    [
        (STEP, "passed"),
        ("tau = loss / sq_norm", "wrong"),
        ("tau = loss / sq_norms", "error"),
        ("tau = 1 +", "error"),
        ("raise SystemExit(3)", "error"),
        ("import os; os._exit(3)", "ended"),
        ("raise KeyboardInterrupt", "ended"),
        ("import lxmls_day1.course.diagnosis.recorded_answers", "error"),
        ("tau = float(input())", "error"),
        ('print("x" * 9); import sys; print("y", file=sys.stderr); ' + STEP, "passed"),
    ],
)
def test_the_report_equals_that_of_a_separate_process(here, edit, new, outcome):
    folder = edit(STEP, new)
    report = here(folder)
    assert report.reports[0].results[0].outcome == outcome
    assert text_of(report) == text_of(run_checks(folder))


CATCHING = "while True:\n        try: int('x')\n        except: pass"
NESTED = "while True:\n        try:\n            while True: int(3)\n        except ValueError: pass"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("loop", ["while True: pass", CATCHING, NESTED])
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no timer that sends signals; a browser has our own")
def test_an_endless_loop_is_ended_and_the_code_after_it_does_not_run(here, edit, loop):
    one, other, _ = here(edit(STEP, f"{loop}"), time_limit=0.3).reports
    assert [result.outcome for result in one.results] == ["timeout", "not run", "not run"]
    assert wording("course.did_end_within_s", "0.3") in one.results[0].text
    assert [result.outcome for result in other.results] == ["to do"]


def test_an_edit_counts_at_the_next_check_also_within_a_second(here, edit):
    folder = edit(STEP, "tau = loss / (3 * sq_norm)")
    assert not here(folder, "1.1").all_passed
    path = folder / "classifiers/steps.py"
    path.write_text(path.read_text().replace("3 * sq_norm", "2 * sq_norm"))
    assert here(folder, "1.1").all_passed
