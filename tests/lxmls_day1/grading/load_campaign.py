"""The bank of right solutions on a busy machine: full marks in every run, or the exit status is 1.

    make test-load ARGS="--runs 20 --busy 4"

Each run grades every right variant on all checks of its exercise, with a seed of its own, while `--busy` processes per core
do nothing but compute. It takes minutes, so it is not part of the suite; there a fake clock stands for the busy machine
(`test_session.py`).
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from conftest import read_right_variants

from lxmls_day1.exercises.generation import student_files
from lxmls_day1.grading import one_submission
from lxmls_day1.grading import plan as plans
from lxmls_day1.grading.levels import strongest_level
from lxmls_day1.grading.submissions import Submission
from lxmls_day1.lab import reference_folder


def compute() -> None:
    """Keep a core busy until the campaign ends, however it ends."""
    campaign = os.getppid()
    while os.getppid() == campaign:
        sum(range(100_000))


def points_lost(ids: list[str] | None, seed: int) -> tuple[int, list[str]]:
    """Grade the bank once: how many checks there were, and a line for each that was not right."""
    given = student_files(reference_folder())
    variants = [variant for variant in read_right_variants() if ids is None or variant.exercise.id in ids]
    exercises = {variant.exercise.id: variant.exercise for variant in variants}
    n_checks, lost = 0, []
    with tempfile.TemporaryDirectory() as out:
        plan = plans.make_plan(Path(out), strongest_level(), list(exercises), seed=seed)
        for exercise in exercises.values():
            one = replace(plan, exercises=(exercise,), picture=replace(plan.picture, reference={})).with_key()
            mine = [variant for variant in variants if variant.exercise == exercise]
            handed_in = [Submission(f"s{n}", str(v), str(v), "", v.lab_files(given)) for n, v in enumerate(mine)]
            for variant, graded in zip(mine, one_submission.grade_some(one, handed_in), strict=True):
                n_checks += len(graded.row.checks)
                for check in graded.row.checks:
                    if check.verdict != "ok":
                        lost.append(f"{variant}: {check.check} {check.verdict} {check.text}")
    return n_checks, lost


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=20)
    options.add_argument("--busy", type=int, default=4, help="busy processes per core")
    options.add_argument("--exercises", help="such as 1.5,1.7; all unless given")
    options.add_argument("--seed", type=int, default=1, help="of the first run; the others count on")
    chosen = options.parse_args()
    ids = chosen.exercises.split(",") if chosen.exercises else None
    n_busy = chosen.busy * (os.cpu_count() or 1)
    busy = [multiprocessing.get_context("spawn").Process(target=compute, daemon=True) for _ in range(n_busy)]
    for process in busy:
        process.start()
    full = 0
    try:
        for number in range(chosen.runs):
            began = time.monotonic()
            n_checks, lost = points_lost(ids, chosen.seed + number)
            full += not lost
            seconds = time.monotonic() - began
            print(f"run {number + 1}: {n_checks - len(lost)} of {n_checks} checks right, {seconds:.0f} s", flush=True)
            for line in lost:
                print(f"  {line}", flush=True)
    finally:
        one_submission.close_fork_servers()
        for process in busy:
            process.kill()
    print(f"full marks in {full} of {chosen.runs} runs, beside {n_busy} busy processes on {os.cpu_count()} cores")
    return full < chosen.runs


if __name__ == "__main__":
    sys.exit(main())
