"""A whole run: every submission gets its row, on as many cores or machines as there are, and a run can be taken up again.

A row that is finished is written at once, whole, into ``.rows`` in the output folder. Running again reads these and grades
what is left, and what has changed since: a submission, the checks, the limits or the seed. A submission that brings its
worker down, or on which the grader fails, is tried once more when nothing else is graded, and then has a row that says so.
"""

import contextlib
import functools
import json
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from lxmls_day1.errors import InputError
from lxmls_day1.grading.finding_submissions import Found, find_submissions
from lxmls_day1.grading.gradebook import CRASHED, TIMEOUT, CheckGrade, Gradebook, SubmissionGrade, from_plain, to_plain
from lxmls_day1.grading.one_submission import Graded, unfinished
from lxmls_day1.grading.plan import Plan
from lxmls_day1.grading.report_files import files_of_class, write_files
from lxmls_day1.grading.run_folders import run_folder
from lxmls_day1.grading.similarity import alike
from lxmls_day1.grading.worker_process import WorkerDied, WorkerProcess
from lxmls_day1.whole_files import held

ROWS = ".rows"
LOOK_SECONDS = 1.0  # between two looks at which workers of a cluster there are


@dataclass(frozen=True)
class Progress:
    """Progress of a run: submissions done, all submissions, and how many were done before it began."""

    done: int
    total: int
    kept: int


class NotTried(Exception):
    """A worker cannot be used any more; another one gets its submission."""


class Slot(Protocol):
    """Grades one submission at a time."""

    def grade(self, found: Found, kept: str | None) -> Graded | None:
        """Grade a submission; None if its digest is that of the row that is kept.

        Raises
        ------
        WorkerDied, NotTried
        """


class Workers(Protocol):
    """Where slots come from.

    Attributes
    ----------
    checks : tuple of CheckGrade
        All checks, none of them run; known when one of the slots has been given work.
    """

    @property
    def checks(self) -> tuple[CheckGrade, ...]: ...

    def slots(self) -> Sequence[Slot]:
        """The slots that can be used now. Called repeatedly: slots may go, and new ones may come."""

    def stop(self) -> None:
        """End what is being graded: it ends in `WorkerDied`. From any thread."""

    def close(self) -> None:
        """End all workers, when none of them grades."""


class LocalSlot:
    """A worker on this machine."""

    def __init__(self, plan: Plan):
        self.worker = WorkerProcess(plan)

    def grade(self, found: Found, kept: str | None) -> Graded | None:
        """Have the worker grade a submission; as `Slot` says."""
        graded: Graded | None = self.worker.ask("grade", (found, kept))[1]
        return graded


class LocalWorkers:
    """So many workers on this machine."""

    def __init__(self, plan: Plan, jobs: int):
        self._slots = [LocalSlot(plan) for _ in range(jobs)]

    @property
    def checks(self) -> tuple[CheckGrade, ...]:
        """All checks, none of them run."""
        return next((slot.worker.checks for slot in self._slots if slot.worker.checks), ())

    def slots(self) -> Sequence[Slot]:
        """All of them."""
        return self._slots

    def stop(self) -> None:
        """End what is being graded."""
        for slot in self._slots:
            slot.worker.stop()

    def close(self) -> None:
        """End the workers."""
        for slot in self._slots:
            slot.worker.close()


def number_of_jobs(jobs: int) -> int:
    """The number of workers that `jobs` stands for.

    Examples
    --------
    >>> number_of_jobs(3)
    3
    """
    if jobs == 0:
        raise InputError("the number of jobs must not be 0; -1 is for as many as there are cores.")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return jobs if jobs > 0 else max(1, cores + 1 + jobs)


def grade(
    submissions: Sequence[Path | Found],
    out: Path,
    plan: Plan,
    jobs: int = -1,
    progressed: Callable[[Progress], None] = lambda progress: None,
    workers: Callable[[Plan], Workers] | None = None,
    again: bool = True,
) -> Gradebook:
    """Grade submissions, and write marks and feedback to `out`; the files of a student as soon as they are known.

    Parameters
    ----------
    submissions : sequence of Path or of Found
        Folders, zip files, or folders and zip files of many; or the submissions that were found in them.
    out : Path
    plan : Plan
    jobs : int
        How many at the same time on this machine: −1 for all cores.
    progressed : function from Progress
    workers : function from Plan, optional
        Who grades instead, such as `lxmls_day1.grading.cluster.Cluster`.
    again : bool
        Whether a submission that could not be graded is tried again, unchanged.

    Returns
    -------
    Gradebook
        With a row for every submission, in the order of the students.

    Raises
    ------
    InputError
        If there is no submission, another process grades into `out`, or grading as such is not possible. What a submission
        does is never a reason.
    """
    with held(out, "grading into"), run_folder():
        known = [one for one in submissions if isinstance(one, Found)]
        others = [path for path in submissions if not isinstance(path, Found)]
        found = [*known, *(find_submissions(others) if others or not known else ())]
        found = [replace(one, path=one.path.absolute()) for one in found]  # workers are elsewhere
        rows: dict[str, SubmissionGrade] = {}
        kept = {row.student: row for row in kept_rows(out) if row.key == plan.key and not (row.failed and again)}
        digests = {student: row.digest for student, row in kept.items()}
        local = functools.partial(LocalWorkers, jobs=min(number_of_jobs(jobs), len(found)))
        crew: Workers = (workers or local)(plan)
        n_graded = 0
        with contextlib.closing(_graded(plan, found, digests, crew)) as results:
            for one, graded in results:
                if graded is None:
                    rows[one.student] = kept[one.student]
                else:
                    keep(out, graded)
                    rows[one.student] = graded.row
                    n_graded += 1
                progressed(Progress(len(rows), len(found), len(rows) - n_graded))
        book = plan.gradebook(rows.values())
        write_files(out, files_of_class(book, alike(book.rows)))
        return book


@dataclass(frozen=True)
class _Task:
    """A submission that is to be graded; `again` if that has failed once."""

    found: Found
    again: bool = False


def _graded(
    plan: Plan, found: Sequence[Found], kept: Mapping[str, str], crew: Workers
) -> Generator[tuple[Found, Graded | None], None, None]:
    """Each submission with what came of it, as they are done; None for what is kept.

    A submission on which grading fails is graded once more at the end, alone: no other submission can be the reason then.
    """
    waiting, aside = deque(map(_Task, found)), deque[_Task]()
    running: dict[Future[Graded | None], tuple[_Task, Slot]] = {}
    pool = ThreadPoolExecutor(max_workers=1024)

    def give(task: _Task, slot: Slot) -> None:
        running[pool.submit(slot.grade, task.found, kept.get(task.found.student))] = task, slot

    def give_all() -> None:
        busy = [slot for _, slot in running.values()]
        for slot in crew.slots():
            if waiting and slot not in busy:
                give(waiting.popleft(), slot)
        if not running and not waiting and aside and (slots := crew.slots()):
            give(aside.popleft(), slots[0])

    try:
        give_all()
        while running or waiting or aside:
            done, _ = wait(running, LOOK_SECONDS, FIRST_COMPLETED)
            if not running:
                time.sleep(LOOK_SECONDS)  # no worker is there
            results = []
            for future in done:
                task, _ = running.pop(future)
                try:
                    graded = future.result()
                except NotTried:
                    (aside if task.again else waiting).appendleft(task)
                    continue
                except WorkerDied as death:
                    graded = _of_death(plan, crew, task.found, death) if task.again else None
                    failed = not task.again
                else:
                    failed = graded is not None and graded.row.failed and not task.again
                if failed:
                    aside.append(_Task(task.found, again=True))
                else:
                    results.append((task.found, graded))
            give_all()  # before the results are written: no worker waits for the disk
            yield from results
    except BaseException:
        crew.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        crew.close()


def _of_death(plan: Plan, crew: Workers, found: Found, death: WorkerDied) -> Graded:
    """The row of a submission over which two workers ended."""
    why = "it took the grader too long, twice" if death.timed_out else "it ended the grader's worker twice"
    return unfinished(plan, crew.checks, found, TIMEOUT if death.timed_out else CRASHED, why, str(death))


def keep(out: Path, graded: Graded) -> None:
    """Write the files of one student, the row last: a row that exists has all its files."""
    write_files(out, graded.files)
    write_files(out, {PurePosixPath(ROWS, f"{graded.row.student}.json"): json.dumps(to_plain(graded.row)).encode()})


def kept_rows(out: Path) -> Iterator[SubmissionGrade]:
    """The rows that earlier runs have finished; one that cannot be read is graded again."""
    for path in sorted((out / ROWS).glob("*.json")):
        try:
            yield from_plain(SubmissionGrade, json.loads(path.read_text(encoding="utf-8")))
        except (InputError, ValueError, OSError):
            continue
