"""A report of checks as lines for editors: ``classifiers/mira.py:40: error: 1.5 MIRA: A known mistake: …``."""

import re
from collections.abc import Iterator
from pathlib import Path

from lxmls_day1.course.markers import find_stub
from lxmls_day1.course.registry import Exercise, Registry
from lxmls_day1.course.reports.hints import lines_to_look_at
from lxmls_day1.course.reports.report_text import short_lines, verdict_lines
from lxmls_day1.course.running.checking import CheckReport, ExerciseReport
from lxmls_day1.course.source_functions import code_lines
from lxmls_day1.course.workspace_state import WorkspaceState
from lxmls_day1.course.workspaces.generation import reference_text, student_source
from lxmls_day1.lab import reference_folder

MAX_LINES = 3  # lines per mistake
_PLACE = re.compile(r"(?P<file>[^\s:][^:]*\.py):(?P<line>\d+)(?:, in |: )")


def problem_lines(folder: Path, report: CheckReport) -> Iterator[str]:
    """Yield a line for each place of a problem: ``FILE:LINE: error: MESSAGE``; ``info`` if nothing is written yet.

    The place of an exception is the last line of the student's code that ran, that of a known mistake the lines which use what it is about,
    and that of any other wrong answer the first line that the student wrote in the function.
    """
    for one in report.reports:
        if (one.exercise.files and one.results and not one.all_passed) or one.is_incomplete:
            waiting = one.to_do or one.is_incomplete
            verdict = short_lines(one) if waiting else verdict_lines(one, "")
            texts = [(style, " ".join(text.split())) for style, text in verdict]
            if waiting:
                message = texts[0][1].lstrip("✗· ")
            else:
                said = [text for style, text in texts if style == "known"] or [text for _, text in texts[1:-1]]
                # A syntax error names its place.
                said = [said[0][match.end() :]] if (match := _PLACE.match(said[0])) else said
                message = f"{one.exercise.id} {one.exercise.title}: {'; '.join(said)}"
            for name, line in _places(folder, one):
                yield f"{name}:{line}: {'info' if one.to_do else 'error'}: {message}"


def _places(folder: Path, report: ExerciseReport) -> list[tuple[str, int]]:
    exercise = report.exercise
    if report.is_incomplete:
        return [(exercise.notebook, 1)]
    if report.to_do:
        name, line = find_stub(folder, exercise)
        return [(name or exercise.files[0], line)]  # at the top of the file if an earlier exercise's stub is in the way
    assert report.shown is not None
    for text in reversed(report.shown.text.splitlines()):
        if (match := _PLACE.match(text)) and (folder / match["file"]).is_file():
            return [(match["file"], int(match["line"]))]
    for mistake, _ in report.mistakes:
        found = [(file, line) for _, file, lines in lines_to_look_at(folder, exercise, mistake) for line in lines]
        if found:
            return list(dict.fromkeys(found))[:MAX_LINES]
    origin = WorkspaceState.from_folder(folder).origin
    states = report.functions
    for file in exercise.files:
        wrong_first = sorted(origin.functions_in(file), key=lambda name: states.get(name.rpartition(".")[2]) != "wrong")
        for function in wrong_first:
            text = (folder / file).read_text(encoding="utf-8-sig", errors="replace")
            if lines := code_lines(text, function):
                written = [n for n in lines if text.split("\n")[n - 1].strip() not in _given(file, exercise)]
                return [(file, (written or lines)[0])]
    return [(exercise.files[0], 1)]


def _given(name: str, exercise: Exercise) -> set[str]:
    """Return the lines of a file as students receive it, and lines that say nothing."""
    registry = Registry.from_folder(reference_folder())
    source = student_source(reference_text(name), registry, [exercise.id], name)
    return {"", *map(str.strip, source.split("\n"))}
