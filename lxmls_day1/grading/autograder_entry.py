"""The program of an autograder in its container: it grades one submission and writes the file that the platform reads.

The scripts of `lxmls_day1.grading.autograder_kit` start it, with a Python that imports nothing from the current folder::

    python -I -m lxmls_day1.grading.autograder_entry gradescope --settings … --submission … --results …

If grading is not possible in the container, the program writes no results and exits with status 1. The platform then reports
that the autograder has failed.
"""

import argparse
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lxmls_day1.base.atomic_files import temporary_folder, write_files_atomically
from lxmls_day1.base.errors import InputError
from lxmls_day1.course.running.checking import CheckReport, run_checks
from lxmls_day1.course.workspaces.generation import Files, student_files
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.grading.autograder_kit import PLATFORMS, Settings
from lxmls_day1.grading.gradebook import Gradebook
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.submissions import read_submission
from lxmls_day1.grading.safe_text import one_line
from lxmls_day1.lab import PACKAGES, reference_folder

# The grader is imported inside functions, because its libraries are not installed at Classroom 50.

PREPARE = "prepare"
NAME = "submission"
CLASSROOM50_SCHEMA = "classroom50/result/v1"
CLASSROOM50_VARIABLES = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")


def grade_single(settings: Settings, submission: Path, prepared: Path | None = None) -> Gradebook:
    """Grade one submission, even if its folder looks like the folder of many submissions.

    Parameters
    ----------
    settings : Settings
    submission : Path
        The folder of the submission.
    prepared : Path, optional
        The folder in which `prepare` saved the data that all submissions need.

    Returns
    -------
    Gradebook
        A gradebook with one row.

    Raises
    ------
    InputError
        If grading is not possible here.
    """
    with temporary_folder("lxmls-day1-autograder-") as out:
        return _grade_folder(settings, submission, out, prepared)


def prepare(settings: Settings, prepared: Path) -> Gradebook:
    """Compute the data that all submissions need, and grade an empty submission to test that grading works here."""
    prepared.mkdir(parents=True, exist_ok=True)
    with temporary_folder("lxmls-day1-autograder-") as nothing:
        return _grade_folder(settings, nothing, prepared)


def classroom50_result(report: CheckReport, variables: Mapping[str, str]) -> dict[str, Any]:
    """Return Classroom 50's ``result.json``: one point for each public check.

    Parameters
    ----------
    report : CheckReport
    variables : mapping from str to str
        The environment variables that Classroom 50's runner sets.

    Raises
    ------
    InputError
        If a variable is missing.

    Examples
    --------
    >>> result = classroom50_result(CheckReport(()), dict.fromkeys(CLASSROOM50_VARIABLES, "x"))
    >>> result["schema"], result["score"], result["max-score"]
    ('classroom50/result/v1', 0, 0)
    """
    if missing := [name for name in CLASSROOM50_VARIABLES if not variables.get(name)]:
        raise InputError(f"the variable {missing[0]} is not set; Classroom 50's runner sets it.")
    tests = [
        {
            "test-name": one_line(f"{one.exercise.id} {one.exercise.title}: {result.title}", 300),
            "passed": result.passed,
            "score": int(result.passed),
            "max-score": 1,
        }
        for one in report.reports
        for result in one.not_skipped
    ]
    return {
        "schema": CLASSROOM50_SCHEMA,
        "classroom": variables["CLASSROOM"],
        "assignment": variables["ASSIGNMENT"],
        "submission": variables["SUBMISSION_TAG"],
        "commit": variables["COMMIT_URL"],
        "release": variables["RELEASE_URL"],
        "review": variables.get("REVIEW_URL") or variables["COMMIT_URL"],
        "datetime": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "score": sum(test["score"] for test in tests),
        "max-score": len(tests),
        "tests": tests,
    }


def check_single(settings: Settings, submission: Path) -> CheckReport:
    """Run the public checks on the submitted functions; every other file, including the checks, is the original starter file."""
    given = student_files(reference_folder())
    handed_in = read_submission(FoundSubmission(NAME, NAME, NAME, submission), given=given)
    own: Files = {p: c for p, c in handed_in.files.items() if p.parts[0] in PACKAGES and p.suffix == ".py"}
    with temporary_folder("lxmls-day1-autograder-") as place:
        write_files(place, {**given, **own})
        return run_checks(place, settings.exercises)


def _grade_folder(settings: Settings, submission: Path, out: Path, prepared: Path | None = None) -> Gradebook:
    from lxmls_day1.box.levels import strongest_level
    from lxmls_day1.grading.grading_run import Run, grade
    from lxmls_day1.grading.running.lab_boxes import lab_program
    from lxmls_day1.grading.running.plan import EXPECTED, make_plan
    from lxmls_day1.grading.running.run_folders import run_folder

    if prepared and (prepared / EXPECTED).is_file():
        shutil.copyfile(prepared / EXPECTED, out / EXPECTED)
    # numba and matplotlib read settings from the current folder, which may be the student's.
    with run_folder() as place, contextlib.chdir(place):
        level = strongest_level(lab_program())
        for name, why in level.rejected:
            print(f"The sandbox level {name} is not available here: {why}.")
        plan = make_plan(out, level, settings.exercises, settings.seed, trust=settings.trust)
        run = Run([submission], out, jobs=1)
        run.identified = [FoundSubmission(NAME, NAME, NAME, submission)]
        return grade(run, plan)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that a script of the autograder gives, and return the exit status."""
    parser = argparse.ArgumentParser(prog="lxmls_day1.grading.autograder_entry")
    parser.add_argument("what", choices=(PREPARE, *PLATFORMS))
    parser.add_argument("--settings", type=Path, required=True)
    parser.add_argument("--prepared", type=Path)
    parser.add_argument("--submission", type=Path)
    parser.add_argument("--results", type=Path)
    options = parser.parse_args(arguments)
    paths = {name: path and path.absolute() for name, path in vars(options).items() if name != "what"}
    needed = ("prepared",) if options.what == PREPARE else ("submission", "results")
    if missing := [name for name in needed if paths[name] is None]:
        parser.error(f"--{missing[0]} is missing")
    try:
        settings = Settings.read(paths["settings"])
        if options.what == PREPARE:
            book = prepare(settings, paths["prepared"])
        elif options.what == "classroom50":
            content = json.dumps(classroom50_result(check_single(settings, paths["submission"]), os.environ), indent=2)
            write_files_atomically({paths["results"]: content.encode()})
            return 0
        else:
            book = grade_single(settings, paths["submission"], paths["prepared"])
            paths["results"].parent.mkdir(parents=True, exist_ok=True)
            write_files_atomically({paths["results"]: _results(options.what, book)})
    except (InputError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(book.level_text, "" if book.hidden else "Hidden checks were not run: the sandbox cannot keep them secret.")
    for note in book.rows[0].notes:
        print(note)
    return 0


def _results(platform: str, book: Gradebook) -> bytes:
    from lxmls_day1.grading.reports.class_tables import gradescope_json, prairielearn_json

    return (gradescope_json if platform == "gradescope" else prairielearn_json)(book.rows[0], book)


if __name__ == "__main__":
    sys.exit(main())
