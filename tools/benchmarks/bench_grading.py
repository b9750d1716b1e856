"""Time of grading a correct submission on a core: the full set of checks of exercises 1.2 to 1.7.

Each submission is read, run in a box and judged, and gets its pages with a picture. Work done once in a run (computing expected
results, warming up, the pages about the class) is left out and shown separately. Runs with one and with all cores take turns.
"""

import os
import tempfile
import time
from pathlib import Path
from statistics import median

from results import show

from lxmls_day1.box.levels import strongest_level
from lxmls_day1.course.workspaces.generation import solved_files
from lxmls_day1.grading.grading_run import Run, grade
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.plan import make_plan
from lxmls_day1.lab import reference_folder

EXERCISES = ("1.2", "1.3", "1.4", "1.5", "1.6", "1.7")


def write_submissions(folder, count):
    """Write the same correct submission many times."""
    handed_in = ("readers", "classifiers", "notebooks")
    files = {path: text for path, text in solved_files(reference_folder()).items() if path.parts[0] in handed_in}
    for number in range(count):
        for path, text in files.items():
            place = folder / f"student-{number:03d}" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text)


def measure_rate(inbox, out, plan, jobs):
    """Return submissions per second and core, from the first progress report with graded submissions to the last but one."""
    times = []
    run = Run([inbox], out, jobs, on_progress=lambda done, *_: times.append((time.perf_counter(), done)))
    grade(run, plan)
    graded = [(moment, done) for moment, done in times if done]
    (first, before), (last, after) = graded[0], graded[-2]
    return (after - before) / (last - first) / jobs


def main(quick=False):
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as place:
        inbox = Path(place, "inbox")
        write_submissions(inbox, 30 if quick else 100)
        level = strongest_level(lab_program())
        began = time.perf_counter()
        plan = make_plan(Path(place, "out"), level, EXERCISES, seed=1)
        once = {"exercises 1.2 to 1.7": time.perf_counter() - began}
        for what in ("all exercises", "all exercises, resumed"):
            began = time.perf_counter()
            make_plan(Path(place, "out of all"), level, seed=1)
            once[what] = time.perf_counter() - began
        rates = {jobs: [] for jobs in sorted({1, cores})}
        for repeat in range(1 if quick else 3):
            for jobs, found in rates.items():
                found.append(measure_rate(inbox, Path(place, f"out-{jobs}-{repeat}"), plan, jobs))
    note = {"measure": "wall-clock time", "note": f"sandbox level {level.name}"}
    rows = [
        {
            "case": "exercises 1.2 to 1.7, each submission and core",
            "ours": f"grade, {'one process' if jobs == 1 else 'a process for each core'}",
            "our_value": round(1e3 / median(found)),
            "unit": "ms",
        }
        | note
        for jobs, found in rates.items()
    ]
    rows += [
        {"case": f"{what}, once in a run", "ours": "make_plan", "our_value": round(seconds, 1), "unit": "s"} | note
        for what, seconds in once.items()
    ]
    show(f"Grading on {cores} cores", "grading", rows, not quick)
