"""A report of checks as data for other programs, printed by ``lxmls-day1 check --json``. ``docs/reference/check_json.md`` describes it.

As long as ``format`` is the same, keys may be added, but no key is removed or changes its meaning.
"""

from pathlib import Path
from typing import Any

from lxmls_day1.base.plain_data import to_plain
from lxmls_day1.course.diagnosis.naming import HEADS
from lxmls_day1.course.running.checking import CheckReport, CheckResult, ExerciseReport
from lxmls_day1.course.workspace_state import WorkspaceState

FORMAT = 1


def as_plain(folder: Path, report: CheckReport) -> dict[str, Any]:
    """Return a report on a lab folder as JSON-compatible data; NaN and infinities, which JSON lacks, become strings.

    Examples
    --------
    >>> from lxmls_day1.lab import reference_folder
    >>> as_plain(reference_folder(), CheckReport(()))["exercises"]
    []
    """
    hints = WorkspaceState.of(folder).hints
    exercises = [_of_exercise(one, hints.get(one.exercise.id, 0)) for one in report.reports]
    return {"format": FORMAT, "lab": str(folder), "passed": report.all_passed, "exercises": exercises}


def _of_exercise(report: ExerciseReport, hint_level: int) -> dict[str, Any]:
    small = report.small_inputs
    example = small.example if small is not None else None
    return {
        "exercise": report.exercise.id,
        "title": report.exercise.title,
        "files": list(report.exercise.files),
        "missing": list(report.missing),
        "verdict": verdict_of(report),
        "passed": report.passed,
        "public": len(report.counted),
        "hidden": report.hidden,
        "checks": [_of_check(result) for result in report.results],
        "diagnosis": {
            "kind": report.named_as if report.mistakes else "",
            "heading": HEADS.get(report.named_as, "") if report.mistakes else "",
            "items": [{"id": name, "sentence": sentence} for name, sentence in report.mistakes],
            "wrong_inputs": example.wrong_inputs if example else 0,
            "small_inputs": example.small_inputs if example else 0,
        },
        "counter_example": to_plain(example) if example else None,
        "question": report.question,
        "hint_level": hint_level,
    }


def verdict_of(report: ExerciseReport) -> str:
    """Return ``passed``, ``failed``, ``to do``, ``missing`` (a file does not exist), or ``no checks``."""
    if report.missing:
        return "missing"
    if not report.results:
        return "no checks"
    return "passed" if report.all_passed else "to do" if report.to_do else "failed"


def _of_check(result: CheckResult) -> dict[str, Any]:
    return {"check": result.check, "title": result.title, "outcome": result.outcome, "text": result.text}
