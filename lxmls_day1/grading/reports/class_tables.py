"""The marks of a class as files for other programs: CSV, JSON, Gradescope's and PrairieLearn's JSON.

`lxmls_day1.grading.safe_text` cleans all strings of students first, so that other programs cannot execute anything in them.

References
----------
Gradescope, *Autograder Specifications*, https://gradescope-autograders.readthedocs.io/en/latest/specs/

PrairieLearn, *External Grading*, https://prairielearn.readthedocs.io/en/latest/externalGrading/
"""

import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from lxmls_day1.base.text_table import as_csv
from lxmls_day1.grading.gradebook import FORMAT, CheckGrade, ExerciseGrade, Gradebook, SubmissionGrade, to_plain
from lxmls_day1.grading.reports.page_frame import name_of, points_text
from lxmls_day1.grading.reports.student_page import calls_text, explanation
from lxmls_day1.grading.safe_text import one_line, sanitize, table_cell, truncate_lines
from lxmls_day1.grading.verdicts import MISSING, OK, VERDICTS

_ESCAPED_CONTROL = re.compile(r"\\[urbf]")
_MAX_PRAIRIELEARN_BYTES = 1_000_000  # bytes
_SCORE_DENOMINATOR = 1024  # scores are multiples of 1/1024, so that their sums are exact in floating point


def grades_csv(gradebook: Gradebook) -> bytes:
    """Return the marks as a table with a line for each submission, for a spreadsheet or a learning platform.

    The columns are:

    - student, name, typed name (from ``submit --name``), points, out of;
    - one for each exercise (empty until it has its manual mark);
    - ``by hand``: the points that manual marks can still add;
    - one for each verdict: the number of checks with this verdict;
    - warnings: their number (they cost no points);
    - one for each exercise with a comment of the instructor.

    Returns
    -------
    bytes
        UTF-8 with a byte order mark, which Excel needs to recognise the encoding. Lines end in CR LF (RFC 4180).

    Examples
    --------
    >>> row = SubmissionGrade("ada", "=Ada", "", "", (ExerciseGrade("1.1", "A look", "experiment", 5.0),))
    >>> grades_csv(Gradebook((row,), 1, "process", "")).decode("utf-8-sig").splitlines()[1]
    "ada,'=Ada,,0,0,,5,0,0,0,0,0,0,0,0,0"
    """
    ids = list(dict.fromkeys(exercise.id for row in gradebook.rows for exercise in row.exercises))
    marked = [e for row in gradebook.rows for e in row.exercises if e.mark is not None and e.mark.comment]
    commented = [id for id in ids if any(exercise.id == id for exercise in marked)]
    heading = [
        "student",
        "name",
        "typed name",
        "points",
        "out of",
        *(table_cell(f"exercise {id}") for id in ids),
        "by hand",
        *VERDICTS,
        "warnings",
        *(table_cell(f"comment on exercise {id}") for id in commented),
    ]
    lines = []
    for row in gradebook.rows:
        exercises = {exercise.id: exercise for exercise in row.exercises}
        points = [exercises[id].points if id in exercises else None for id in ids]
        verdicts = Counter(check.verdict for check in row.checks)
        lines.append(
            [
                table_cell(row.student),
                table_cell(name_of(row)),
                table_cell(one_line(row.typed_name, 100)),
                _number(row.points),
                _number(row.out_of),
                *("" if value is None else _number(value) for value in points),
                _number(_unmarked_points(row)),
                *(verdicts[verdict] for verdict in VERDICTS),
                len(row.warnings),
                *(table_cell(_comment(exercises[id])) if id in exercises else "" for id in commented),
            ]
        )
    return as_csv(heading, lines).encode("utf-8-sig")


def grades_json(gradebook: Gradebook) -> bytes:
    """Return all results, for programs; ``docs/grades.schema.json`` describes the format.

    Pictures, weights and keys, which only the grader uses, are omitted. Strings are cleaned, so that the file can be
    printed on a terminal.

    Examples
    --------
    >>> json.loads(grades_json(Gradebook((), 7, "process", "")))["seed"]
    7
    """
    run = {name: getattr(gradebook, name) for name in ("version", "graded", "level", "level_text", "seed", "hidden")}
    content = {"format": FORMAT, **run, "limits": dict(gradebook.limits), "submissions": []}
    head = _json(content).removesuffix(b"]}\n")
    submissions = [b"\n" + _json(_submission(row)).rstrip() for row in gradebook.rows]  # one per line
    return head + b",".join(submissions) + b"\n]}\n"


def gradescope_json(row: SubmissionGrade, gradebook: Gradebook) -> bytes:
    """Return a ``results.json`` for Gradescope.

    Public checks are visible at once. Hidden checks become visible with the published marks, so that students who may submit
    again cannot use them to guess. They contain no more than the student's page does. All texts are plain text, never HTML.

    Examples
    --------
    >>> check = CheckGrade("test_1_05_mira.py::test_costs", "1.5", "Costs", True, "ok")
    >>> row = SubmissionGrade("ada", "Ada", "", "", (ExerciseGrade("1.5", "MIRA", "code", 10.0, (check,)),))
    >>> test = json.loads(gradescope_json(row, Gradebook((row,), 1, "process", "")))["tests"][0]
    >>> test["score"], test["max_score"], test["visibility"]
    (10.0, 10.0, 'after_published')
    """
    content = {
        "score": round(row.points, 4),
        "execution_time": _seconds(sum(check.seconds for check in row.checks if not check.hidden)),
        "output": _summary(row, gradebook),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "number": f"{exercise.id}.{n}",
                "name": one_line(f"{exercise.id} {exercise.title}: {check.title}", 300),
                "score": round(most if check.verdict == OK else 0.0, 4),
                "max_score": round(most, 4),
                "status": "passed" if check.verdict == OK else "failed",
                "output": _output(check, exercise),
                "tags": [exercise.id, "hidden" if check.hidden else "public"],
                "visibility": "after_published" if check.hidden else "visible",
            }
            for exercise in row.exercises
            for n, (check, most) in enumerate(_with_shares(exercise), start=1)
        ]
        + [
            _marked_test(exercise, exercise.points)
            for exercise in row.exercises
            if exercise.is_manual and exercise.points is not None
        ],
    }
    return _json(content)


def prairielearn_json(row: SubmissionGrade, gradebook: Gradebook) -> bytes:
    """Return a ``results.json`` for PrairieLearn.

    Students see it at once, and may submit again. So the hidden checks of an exercise are one test, which only shows how many
    passed. A submission without anything to grade, or on which the grader failed, does not count as an attempt.

    Examples
    --------
    >>> check = CheckGrade("test_1_05_mira.py::test_costs", "1.5", "Costs", True, "ok")
    >>> row = SubmissionGrade("ada", "Ada", "", "", (ExerciseGrade("1.5", "MIRA", "code", 10.0, (check,)),))
    >>> content = json.loads(prairielearn_json(row, Gradebook((row,), 1, "process", "")))
    >>> content["score"], content["tests"][0]["name"], content["tests"][0]["points"]
    (1.0, '1.5 MIRA: hidden checks, 1 of 1', 10.0)
    """
    if row.failed or (row.checks and all(check.verdict == MISSING for check in row.checks)):
        reasons = dict.fromkeys(one_line(check.text, 600) for check in row.checks if check.text)
        lines = list(reasons)[:5] or ["There is nothing to grade in it."]
        return _json({"gradable": False, "format_errors": lines, "message": _summary(row, gradebook)})
    content: bytes = b""
    for most in (6000, 600, 0):
        tests = [test for exercise in row.exercises for test in _prairielearn_tests(exercise, most)]
        score = min(1.0, row.points / row.out_of) if row.out_of else 0.0
        content = _json({"gradable": True, "score": score, "message": _summary(row, gradebook), "tests": tests})
        if len(content) <= _MAX_PRAIRIELEARN_BYTES:
            break
    return content


def _prairielearn_tests(exercise: ExerciseGrade, max_chars: int) -> list[dict[str, Any]]:
    shares = _with_shares(exercise)
    head = one_line(f"{exercise.id} {exercise.title}", 200)
    tests = [
        {
            "name": one_line(f"{head}: {check.title}", 300),
            "points": round(share if check.verdict == OK else 0.0, 4),
            "max_points": round(share, 4),
            "output": _output(check, exercise)[:max_chars],
        }
        for check, share in shares
        if not check.hidden
    ]
    hidden = [(check, share) for check, share in shares if check.hidden]
    if hidden:
        right = [share for check, share in hidden if check.verdict == OK]
        texts = dict.fromkeys(explanation(check) for check, _ in hidden if check.text)  # why they were not run
        summary = {
            "name": f"{head}: hidden checks, {len(right)} of {len(hidden)}",
            "points": round(sum(right), 4),
            "max_points": round(sum(share for _, share in hidden), 4),
            "output": "\n".join(texts)[:max_chars],
        }
        tests.append(summary)
    return tests


def _marked_test(exercise: ExerciseGrade, points: float) -> dict[str, Any]:
    """Return a manually marked exercise as a test for Gradescope."""
    return {
        "number": f"{exercise.id}.1",
        "name": one_line(f"{exercise.id} {exercise.title}: marked by hand", 300),
        "score": round(points, 4),
        "max_score": round(exercise.out_of, 4),
        "status": "passed" if exercise.is_full else "failed",
        "output": truncate_lines(_comment(exercise)),
        "tags": [exercise.id, "by hand"],
        "visibility": "after_published",
    }


def _submission(row: SubmissionGrade) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(row)
    for left_out in ("key", "exercises", "written", "answered"):
        del plain[left_out]
    for answer in plain["answers"]:
        del answer["pictures"]
    verdicts = Counter(check.verdict for check in row.checks)
    return plain | {
        "points": row.points,
        "out_of": row.out_of,
        "by_hand": _unmarked_points(row),
        "verdicts": {verdict: verdicts[verdict] for verdict in VERDICTS},
        "exercises": [_exercise(exercise) for exercise in row.exercises],
    }


def _exercise(exercise: ExerciseGrade) -> dict[str, Any]:
    checks = [
        to_plain(check) | {"mistakes": [_mistake(*mistake) for mistake in check.mistakes]} for check in exercise.checks
    ]
    for check in checks:
        del check["exercise"], check["behaviour"], check["picture"]
    return {
        "id": exercise.id,
        "title": exercise.title,
        "kind": exercise.kind,
        "points": exercise.points,
        "out_of": exercise.out_of,
        "by_hand": exercise.is_manual,
        "comment": _comment(exercise),
        "passed": exercise.passed,
        "mistakes": [_mistake(*mistake) for mistake in exercise.mistakes],
        "checks": checks,
    }


def _mistake(name: str, sentence: str) -> dict[str, str]:
    return {"name": name, "sentence": " ".join(sentence.split())}


def _unmarked_points(row: SubmissionGrade) -> float:
    return sum(exercise.out_of for exercise in row.unmarked)


def _comment(exercise: ExerciseGrade) -> str:
    return exercise.mark.comment if exercise.mark is not None else ""


def _number(value: float) -> str:
    return points_text(value, 4)


def _seconds(value: float) -> float:
    return round(value, 3) if math.isfinite(value) else 0.0


def _with_shares(exercise: ExerciseGrade) -> list[tuple[CheckGrade, float]]:
    """Return each check with its maximum points; the sum is exactly the maximum of all checks."""
    reached = itertools.accumulate(map(exercise.weight, exercise.checks))
    ends = [0.0, *(round(exercise.out_of * weight * _SCORE_DENOMINATOR) / _SCORE_DENOMINATOR for weight in reached)]
    if any(check.hidden for check in exercise.checks):
        ends[-1] = exercise.out_of
    return [(check, ends[n + 1] - ends[n]) for n, check in enumerate(exercise.checks)]


def _output(check: CheckGrade, exercise: ExerciseGrade) -> str:
    lines = [explanation(check)]
    known = [mistake for mistake in check.mistakes if mistake in exercise.mistakes]
    lines += [f"A known mistake: {one_line(sentence, 600)}" for _, sentence in known]
    if check.calls and not check.hidden and check.verdict != OK:
        lines.append(f"what was called:\n{calls_text(check)}")
    return "\n".join(lines)


def _summary(row: SubmissionGrade, gradebook: Gradebook) -> str:
    lines = []
    by_hand = [exercise.id for exercise in row.unmarked]
    if by_hand:
        lines.append(f"To be marked by hand, up to {_number(_unmarked_points(row))} points more: {', '.join(by_hand)}.")
    if row.problem:
        lines.append(f"Nothing could be read: {one_line(row.problem, 600)}")
    # Part of the work was ignored if a warning is also a note.
    heads = (("Warning" if warning in row.notes else "Warning, costs no points", warning) for warning in row.warnings)
    lines += [f"{head}: {one_line(warning, 600)}" for head, warning in heads]
    lines.append(f"Hidden checks: {f'seed {gradebook.seed}' if gradebook.hidden else 'not run'}.")
    return "\n".join(lines)


def _json(content: Any) -> bytes:
    """Return JSON without NaN and without control characters in strings. Most contents have neither, which is quick to test."""
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    except ValueError:  # a NaN
        text = ""
    if not text or sanitize(text) != text or _ESCAPED_CONTROL.search(text):
        text = json.dumps(_plain(content), ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def _plain(value: Any) -> Any:
    """Return the value with cleaned strings, and with None for NaN and infinity, which JSON cannot represent."""
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {sanitize(str(key)): _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
