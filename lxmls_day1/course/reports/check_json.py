"""A report of checks as data for other programs, printed by ``lxmls-day1 check --json``. ``docs/reference/check_json.md`` describes it.

As long as ``format`` is the same, keys may be added, but no key is removed or changes its meaning.
"""

from pathlib import Path
from typing import Any

from lxmls_day1.base.plain_data import to_plain
from lxmls_day1.course.diagnosis.mistake_matching import DIAGNOSIS_HEADINGS
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
    hints = WorkspaceState.from_folder(folder).hints
    exercises = [_exercise_record(one, hints.get(one.exercise.id, 0)) for one in report.reports]
    return {"format": FORMAT, "lab": str(folder), "passed": report.all_passed, "exercises": exercises}


def _exercise_record(report: ExerciseReport, hint_level: int) -> dict[str, Any]:
    small = report.probe_inputs_result
    example = small.example if small is not None else None
    return {
        "exercise": report.exercise.id,
        "title": report.exercise.title,
        "files": list(report.exercise.files),
        "missing": list(report.missing),
        "verdict": verdict_of(report),
        "passed": report.n_passed,
        "public": len(report.not_skipped),
        "hidden": report.n_hidden,
        "checks": [_check_record(result) for result in report.results],
        "diagnosis": {
            "kind": report.diagnosis_kind if report.mistakes else "",
            "heading": DIAGNOSIS_HEADINGS.get(report.diagnosis_kind, "") if report.mistakes else "",
            "items": [{"id": name, "sentence": sentence} for name, sentence in report.mistakes],
            "wrong_inputs": example.wrong_inputs if example else 0,
            "small_inputs": example.small_inputs if example else 0,
        },
        "counter_example": to_plain(example) if example else None,
        "question": report.question,
        "hint_level": hint_level,
    }


def verdict_of(report: ExerciseReport) -> str:
    """Return ``passed``, ``failed``, ``to do``, ``missing`` (a file or the checks do not exist), or ``no checks``."""
    if report.is_incomplete:
        return "missing"
    if not report.results:
        return "no checks"
    return "passed" if report.all_passed else "to do" if report.to_do else "failed"


def _check_record(result: CheckResult) -> dict[str, Any]:
    return {"check": result.check, "title": result.title, "outcome": result.outcome, "text": result.text}
