"""A whole run: every submission gets its row, on as many cores as there are, and a run can be taken up again.

A row that is finished is written at once, whole, into ``.rows`` in the output folder. Running again reads these and grades
what is left, and what has changed since: a submission, the checks, the limits or the seed. A submission that brings its
worker down, or on which the grader fails, is tried once more when nothing else is graded, and then has a row that says so.
"""

import contextlib
import json
import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from lxmls_day1.base.atomic_files import locked_folder
from lxmls_day1.base.errors import InputError, nearest
from lxmls_day1.grading.gradebook import CRASHED, TIMEOUT, CheckGrade, Gradebook, SubmissionGrade, from_plain, to_plain
from lxmls_day1.grading.intake.finding_submissions import find_submissions
from lxmls_day1.grading.intake.identity import Found, settled, with_owners
from lxmls_day1.grading.intake.submissions import State, state_of, unread
from lxmls_day1.grading.reports.hand_marks import FILE as HAND_MARKS
from lxmls_day1.grading.reports.hand_marks import read_hand_marks, write_hand_marks
from lxmls_day1.grading.reports.report_files import (
    ROWS,
    files_of_class,
    files_of_student,
    remove_pages,
    some_of,
    write_files,
)
from lxmls_day1.grading.running.one_submission import Graded, unfinished
from lxmls_day1.grading.running.plan import Plan, all_check_files
from lxmls_day1.grading.running.run_folders import run_folder
from lxmls_day1.grading.running.worker_process import WorkerDied, WorkerProcess


@dataclass(frozen=True)
class Progress:
    """Progress of a run: submissions done, all submissions, and how many were done before it began."""

    done: int
    total: int
    kept: int


class Workers:
    """So many processes that grade, each one submission at a time."""

    def __init__(self, plan: Plan, jobs: int):
        self.processes = [WorkerProcess(plan) for _ in range(jobs)]

    @property
    def checks(self) -> tuple[CheckGrade, ...]:
        """All checks, none of them run; one of the processes is asked if none has been prepared."""
        if not any(process.checks for process in self.processes):
            self.processes[0].prepare()
        return next((process.checks for process in self.processes if process.checks), ())

    def stop(self) -> None:
        """End what is being graded: it ends in `WorkerDied`. From any thread."""
        for process in self.processes:
            process.stop()

    def close(self) -> None:
        """End all processes, when none of them grades."""
        for process in self.processes:
            process.close()


def number_of_jobs(jobs: int) -> int:
    """The number of workers that `jobs` stands for.

    Examples
    --------
    >>> number_of_jobs(3)
    3
    """
    if jobs == 0:
        raise InputError("the number of jobs must not be 0; -1 means as many as there are cores.")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return jobs if jobs > 0 else max(1, cores + 1 + jobs)


def grade(
    paths: Sequence[Path],
    out: Path,
    plan: Plan,
    jobs: int = -1,
    progressed: Callable[[Progress], None] = lambda progress: None,
    make_workers: Callable[[Plan], Workers] | None = None,
    again: Sequence[str] = (),
    found: Sequence[Found] | None = None,
    report: Callable[[str], None] = lambda text: None,
) -> Gradebook:
    """Grade submissions, and write marks and feedback to `out`; the files of a student as soon as they are known.

    Parameters
    ----------
    paths : sequence of Path
        Folders, zip files, or folders and zip files of many.
    out : Path
    plan : Plan
    jobs : int
        How many at the same time on this machine: −1 for all cores.
    progressed : function from Progress
    make_workers : function from Plan, optional
        Who grades instead.
    again : sequence of str
        Students who are graded though nothing has changed.
    found : sequence of Found, optional
        The submissions in `paths`, where they are known already, and `lxmls_day1.grading.intake.identity.settled`.
    report : function from str, optional
        Takes sentences for the instructor: why somebody is graded again, and which files of an earlier run were removed.

    Returns
    -------
    Gradebook
        With a row for every submission, in the order of the students, and the marks that were given by hand.

    Raises
    ------
    InputError
        If there is no submission, another process grades into `out`, the marks given by hand cannot be read, or grading as such
        is not possible. What a submission does is never a reason.
    """
    with locked_folder(out, "grading into"), run_folder(), contextlib.ExitStack() as stack:
        found = settled(out, find_submissions(paths), again) if found is None else found
        found = [replace(one, path=one.path.absolute()) for one in found]  # workers are elsewhere
        rows: dict[str, SubmissionGrade] = {}
        students = [one.student for one in found]
        for unknown in (student for student in again if student not in students):
            raise InputError(f"there is no submission of {unknown!r} to be graded again{nearest(unknown, students)}")
        by_hand = {
            exercise.id: float(exercise.points) for exercise in plan.exercises if not all_check_files([exercise])
        }
        read_hand_marks(out, students, by_hand)  # what is wrong in that file is said before an hour of grading
        made = make_workers(plan) if make_workers else Workers(plan, min(number_of_jobs(jobs), len(found)))
        workers = stack.enter_context(contextlib.closing(made))
        stored = {row.student: row for row in saved_rows(out)}
        reasons = {
            one.student: why
            for one in found
            if one.student in stored and (why := _why_again(plan, one, stored[one.student], again))
        }
        for why, number in Counter(reasons.values()).most_common():
            report(f"{number} of {len(found)} to be graded again: {why}.")
        states = {student: state_of(row) for student, row in stored.items() if student not in reasons}
        frozen = {one.student for one in found if one.is_frozen and one.student in states}
        rows = {student: stored[student] for student in frozen}
        fresh = set()
        with contextlib.closing(
            _graded(plan, [one for one in found if one.student not in frozen], states, workers)
        ) as results:
            for one, graded in results:
                if graded is None:
                    rows[one.student] = stored[one.student]
                else:
                    keep(out, graded)
                    rows[one.student] = graded.row
                    fresh.add(one.student)
                progressed(Progress(len(rows), len(found), len(rows) - len(fresh)))
        if changed := (fresh & stored.keys()) - reasons.keys():
            report(f"{len(changed)} of {len(found)} graded again: the submissions have changed.")
        marks = read_hand_marks(out, students, by_hand)
        if absent := sorted({student for student, _ in marks.marks} - set(students)):
            report(f"{HAND_MARKS} has marks for {some_of(absent)}, who are not in this run; they stay there.")
        book = plan.gradebook(with_owners(found, [marks.put_into(plan.with_points(row)) for row in rows.values()]))
        files = files_of_class(book)
        for row in book.rows:  # workers have made pages without marks by hand
            if row.student not in fresh or row != rows[row.student]:
                files |= files_of_student(row, book)
        write_files(out, files)
        if new := {points for row in rows.values() for points in plan.new_points(row)}:
            report(
                f"Points have changed; they are applied to the stored verdicts, and no check is run for them: {', '.join(sorted(new))}."
            )
        remove_pages(out, stored.keys() - {row.student for row in book.rows}, report)
        write_hand_marks(out, book.rows, marks)
        return book


def _why_again(plan: Plan, one: Found, row: SubmissionGrade, again: Sequence[str]) -> str:
    """Why a row does not hold, whatever is handed in now; empty if it does."""
    if one.student in again:
        return "--again asks for it"
    if one.is_frozen:
        return ""
    if row.key != plan.key:
        return f"changed since the last run: {plan.changed_since(row.key)}"
    return "the grader had failed on them" if row.failed else ""


@dataclass(frozen=True)
class _Task:
    """A submission that is to be graded; `again` if that has failed once."""

    found: Found
    again: bool = False


def _graded(
    plan: Plan, found: Sequence[Found], states: Mapping[str, State], workers: Workers
) -> Generator[tuple[Found, Graded | None], None, None]:
    """Each submission with what came of it, as they are done; None for what is kept.

    A submission on which grading fails is graded once more at the end, alone: no other submission can be the reason then.
    """
    waiting, aside = deque(map(_Task, found)), deque[_Task]()
    idle = deque(workers.processes)
    running: dict[Future[Graded | None], tuple[_Task, WorkerProcess]] = {}
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
                    failed = graded is not None and graded.row.failed and not task.again
                except WorkerDied as death:
                    graded = _of_death(plan, workers, task.found, death) if task.again else None
                    failed = not task.again
                if failed:
                    aside.append(_Task(task.found, again=True))
                else:
                    results.append((task.found, graded))
            give_all()  # before the results are written: no worker waits for the disk
            yield from results
    except BaseException:
        workers.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _of_death(plan: Plan, workers: Workers, found: Found, death: WorkerDied) -> Graded:
    """The row of a submission over which two workers ended."""
    why = "it took the grader too long, twice" if death.timed_out else "it crashed the grader's worker twice"
    return unfinished(plan, workers.checks, unread(found), TIMEOUT if death.timed_out else CRASHED, why, str(death))


def keep(out: Path, graded: Graded) -> None:
    """Write the files of one student, the row last: a row that exists has all its files."""
    write_files(out, graded.files)
    write_files(out, {PurePosixPath(ROWS, f"{graded.row.student}.json"): json.dumps(to_plain(graded.row)).encode()})


def saved_rows(out: Path) -> Iterator[SubmissionGrade]:
    """The rows that earlier runs have finished; one that cannot be read is graded again."""
    for path in sorted((out / ROWS).glob("*.json")):
        try:
            yield from_plain(SubmissionGrade, json.loads(path.read_text(encoding="utf-8")))
        except (InputError, ValueError, OSError):
            continue
