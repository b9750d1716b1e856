"""A whole run: every submission gets a result, in parallel on all cores, and an interrupted run can be resumed.

Each result is written atomically into ``.rows`` in the output folder as soon as it is ready. A later run reads these results.
It grades only new and changed submissions, or all submissions if the checks, the limits or the seed have changed. A submission
on which its worker dies or the grader fails is retried alone at the end of the run, and its result reports the failure.
"""

import contextlib
import functools
import itertools
import json
import os
import random
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import cast

from lxmls_day1.base.atomic_files import locked_folder
from lxmls_day1.base.errors import InputError, did_you_mean
from lxmls_day1.grading import step
from lxmls_day1.grading.gradebook import CheckGrade, Gradebook, SubmissionGrade, from_plain, to_plain
from lxmls_day1.grading.intake.finding_submissions import unread_files
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.submissions import State, content_digest, unreadable_submission
from lxmls_day1.grading.reports.report_files import ROWS, write_files
from lxmls_day1.grading.running.one_submission import GradedSubmission, failed_row
from lxmls_day1.grading.running.plan import Plan
from lxmls_day1.grading.running.run_folders import run_folder
from lxmls_day1.grading.running.worker_process import WorkerDied, WorkerProcess
from lxmls_day1.grading.verdicts import CRASHED, TIMEOUT


class Workers:
    """A pool of grading processes, each for one submission at a time. Its size is `number_of_jobs`, at most one per submission.

    Each process keeps to a core of its own while there are enough. The order is random, because there may be another pool.
    """

    def __init__(self, plan: Plan, jobs: int, n_submissions: int):
        size, cores = min(number_of_jobs(jobs), n_submissions), available_cores()
        own = itertools.cycle(random.sample(cores, len(cores)))
        self.processes = [WorkerProcess(plan, core) for core in itertools.islice(own, size)]

    @property
    def checks(self) -> tuple[CheckGrade, ...]:
        """All checks, not yet run. If no process has collected them, one process is started to do so."""
        if not any(process.checks for process in self.processes):
            self.processes[0].prepare()
        return next((process.checks for process in self.processes if process.checks), ())

    def stop(self) -> None:
        """Abort the grading in progress, which then raises `WorkerDied`. Can be called from any thread."""
        for process in self.processes:
            process.stop()

    def close(self) -> None:
        """End all processes. Call this only while all of them are idle."""
        for process in self.processes:
            process.close()


def number_of_jobs(jobs: int) -> int:
    """Return the number of workers for the option `jobs`; a negative number counts down from the number of cores.

    Examples
    --------
    >>> number_of_jobs(3)
    3
    """
    if jobs == 0:
        raise InputError("the number of jobs must not be 0; -1 means as many as there are cores.")
    return jobs if jobs > 0 else max(1, len(available_cores()) + 1 + jobs)


def available_cores() -> list[int]:
    """Return the numbers of the cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


@dataclass
class Run:
    """The submissions that `grade` grades, the output folder, and the callbacks for progress and reports.

    Attributes
    ----------
    paths : sequence of Path
        Folders, zip files, or folders and zip files of many submissions.
    out : Path
        The folder for marks and feedback.
    jobs : int
        The number of submissions graded in parallel on this machine. Default: −1, the number of cores.
    again : sequence of str
        Students who are graded again even if nothing has changed.
    make_workers : function from Plan, optional
        Makes the workers. Default: `jobs` processes.
    on_progress : function
        Called after each result with the numbers of submissions done, of all, and of those whose earlier results are kept.
    report : function from str
        Takes sentences for the instructor: why students are graded again, and which files of an earlier run were removed.
    """

    paths: Sequence[Path]
    out: Path
    jobs: int = -1
    again: Sequence[str] = ()
    make_workers: Callable[[Plan], Workers] | None = None
    on_progress: Callable[[int, int, int], None] = lambda done, total, kept: None
    report: Callable[[str], None] = lambda text: None

    @functools.cached_property
    def found(self) -> list[FoundSubmission]:
        """The submissions in the paths. A caller that already knows them may set this and `identified`."""
        return list(step("found")(self.paths))

    @functools.cached_property
    def identified(self) -> list[FoundSubmission]:
        """The same submissions, each with the key of its owner. Earlier owners are read from the output folder."""
        return list(step("identified")(self.out, self.again)(self.found))


def grade(run: Run, plan: Plan) -> Gradebook:
    """Take submissions through the steps of `lxmls_day1.grading.STEPS`, and write the files of each student as soon as they are ready.

    Returns
    -------
    Gradebook
        The result of every submission, in the order of the students, with the manual marks.

    Raises
    ------
    InputError
        If no submission is found, another process grades into the output folder, the manual marks cannot be read, or
        grading is not possible on this machine. A submission never causes this error.
    """
    with locked_folder(run.out, "grading into"), run_folder():
        submissions = [replace(one, path=one.path.absolute()) for one in run.identified]  # workers run elsewhere
        students = [one.student for one in submissions]
        for student in run.again:
            if student not in students:
                close = did_you_mean(student, students)
                raise InputError(f"there is no submission of {student!r} to be graded again{close}")
        # Created before grading, so that an invalid file of marks is reported at once and not after an hour.
        mark = step("marked")(run.out, plan, submissions, run.report)
        earlier = {result.student: result for result in saved_rows(run.out)}
        fresh = _fresh_results(run, plan, submissions, earlier)
        book: Gradebook = mark([fresh.get(student) or earlier[student] for student in students])
        if unread := unread_files(run.paths, run.identified):
            run.report(unread)
        book = replace(book, unread=unread)
        pages = {**dict.fromkeys(earlier), **fresh}
        write = step("written")(run.out, pages, mark.manual_marks, run.report, plan.grader)
        return cast(Gradebook, write(book))


def _fresh_results(
    run: Run, plan: Plan, submissions: Sequence[FoundSubmission], earlier: Mapping[str, SubmissionGrade]
) -> dict[str, SubmissionGrade]:
    """Have workers read and grade submissions. Return the new and the replaced results."""
    known = [(one, earlier[one.student]) for one in submissions if one.student in earlier]
    whys = ((one.student, _stale_reason(plan, one, result, run.again)) for one, result in known)
    reasons = {student: why for student, why in whys if why}
    for why, number in Counter(reasons.values()).most_common():
        run.report(f"{number} of {len(submissions)} to be graded again: {why}.")
    states = {student: content_digest(result) for student, result in earlier.items() if student not in reasons}
    waiting = [one for one in submissions if not (one.keeps_previous_row and one.student in states)]
    workers = run.make_workers(plan) if run.make_workers else Workers(plan, run.jobs, len(submissions))
    fresh: dict[str, SubmissionGrade] = {}
    kept = len(submissions) - len(waiting)
    with (
        contextlib.closing(workers),
        contextlib.closing(_graded_submissions(plan, waiting, states, workers)) as results,
    ):
        for student, graded in results:
            if graded is None:
                kept += 1
            else:
                save_student_files(run.out, graded)
                fresh[student] = graded.row
            run.on_progress(kept + len(fresh), len(submissions), kept)
    if number := len((fresh.keys() & earlier.keys()) - reasons.keys()):
        run.report(f"{number} of {len(submissions)} graded again: the submissions have changed.")
    return fresh


def _stale_reason(plan: Plan, found: FoundSubmission, result: SubmissionGrade, again: Sequence[str]) -> str:
    """Return the reason why a result is out of date even if the submission is unchanged; an empty string if it is up to date."""
    if found.student in again:
        return "--again asks for it"
    if found.keeps_previous_row:
        return ""
    if result.key != plan.key:
        return f"changed since the last run: {plan.differences_from(result.key)}"
    return "the grader had failed on them" if result.failed else ""


@dataclass(frozen=True)
class _Task:
    """A submission to be graded; `is_retry` is True for the second attempt."""

    found: FoundSubmission
    is_retry: bool = False


def _graded_submissions(
    plan: Plan, found: Sequence[FoundSubmission], states: Mapping[str, State], workers: Workers
) -> Generator[tuple[str, GradedSubmission | None], None, None]:
    """Yield each student with the new result as it is ready, or with None if the earlier result is kept.

    A submission on which grading fails is retried at the end, alone, so that no other submission can be the cause.
    """
    waiting, aside = deque(map(_Task, found)), deque[_Task]()
    idle = deque(workers.processes)
    running: dict[Future[GradedSubmission | None], tuple[_Task, WorkerProcess]] = {}
    pool = ThreadPoolExecutor(max_workers=len(idle))

    def give_all() -> None:
        while idle and (waiting or (aside and not running)):
            task, process = (waiting or aside).popleft(), idle.popleft()
            running[pool.submit(process.grade, task.found, states.get(task.found.student))] = task, process

    try:
        give_all()
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            results = []
            for future in done:
                task, process = running.pop(future)
                idle.append(process)
                try:
                    graded = future.result()
                    failed = graded is not None and graded.row.failed and not task.is_retry
                except WorkerDied as death:
                    graded = _row_after_worker_deaths(plan, workers, task.found, death) if task.is_retry else None
                    failed = not task.is_retry
                if failed:
                    aside.append(_Task(task.found, is_retry=True))
                else:
                    results.append((task.found.student, graded))
            give_all()  # called before the results are written, so that no worker waits for the disk
            yield from results
    except BaseException:
        workers.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _row_after_worker_deaths(
    plan: Plan, workers: Workers, found: FoundSubmission, death: WorkerDied
) -> GradedSubmission:
    """Return the result of a submission on which two workers died."""
    why = "it took the grader too long, twice" if death.timed_out else "it crashed the grader's worker twice"
    return failed_row(
        plan, workers.checks, unreadable_submission(found), TIMEOUT if death.timed_out else CRASHED, why, str(death)
    )


def save_student_files(out: Path, graded: GradedSubmission) -> None:
    """Write the files of one student, the row last, so that an existing row implies that all its files exist."""
    write_files(out, graded.files)
    write_files(out, {PurePosixPath(ROWS, f"{graded.row.student}.json"): json.dumps(to_plain(graded.row)).encode()})


def saved_rows(out: Path) -> Iterator[SubmissionGrade]:
    """Yield the rows of earlier runs. Unreadable rows are skipped, so their submissions are graded again."""
    for path in sorted((out / ROWS).glob("*.json")):
        try:
            yield from_plain(SubmissionGrade, json.loads(path.read_text(encoding="utf-8")))
        except (InputError, ValueError, OSError):
            continue
