"""A whole run: every submission gets its row, on as many cores or machines as there are, and a run can be taken up again.

A row that is finished is written at once, whole, into ``.rows`` in the output folder. Running again reads these and grades
what is left, and what has changed since: a submission, the checks, the limits or the seed.
"""

import contextlib
import functools
import gc
import hashlib
import itertools
import json
import secrets
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import lxmls_day1
from lxmls_day1.errors import InputError
from lxmls_day1.exercises.answers import RecordedAnswers
from lxmls_day1.exercises.generation import Files, student_files
from lxmls_day1.exercises.registry import FOLDER, RECORDED, Exercise, Registry, check_files
from lxmls_day1.grading.finding_submissions import find_submissions
from lxmls_day1.grading.gradebook import (
    MISSING,
    TIMEOUT,
    Boundary,
    CellFailure,
    CheckGrade,
    ExerciseGrade,
    Gradebook,
    Row,
    from_plain,
    to_plain,
)
from lxmls_day1.grading.lab_in_the_box import lab_in_the_box
from lxmls_day1.grading.limits import Limits
from lxmls_day1.grading.report_files import files_of_class
from lxmls_day1.grading.sandbox import BoxesUnavailable, Level, SpawnedStarter, Starter, starter_of
from lxmls_day1.grading.similarity import alike
from lxmls_day1.grading.submissions import Submission, read_submission
from lxmls_day1.lab import PACKAGES, Lab, reference_folder
from lxmls_day1.whole_files import replace_files, temporary_folder

ROWS, EXPECTED = ".rows", ".expected.json"
AT_ONCE = 10  # submissions that a worker takes at a time: so many may be lost to a crash, and have to be graded again
PICTURED_ROUNDS = 2
UNSAFE = (
    "hidden checks are not run at the sandbox level {level}, for it does not keep them from the code that is graded"
)


@dataclass(frozen=True)
class Plan:
    """All that grading a submission depends on; it goes to the workers, and never into a box.

    Attributes
    ----------
    exercises : tuple of Exercise
        Those that are graded.
    registry : Registry
        All there are, the graded ones as those assigned: the files of all of them are the student's.
    expected : RecordedAnswers
    given : dict from path to bytes
        What students were given, with stubs.
    seed : int
    limits : Limits
    level : Level
    refuse_hidden : str
        Why hidden checks are not run, if they are not.
    picture : Picture
        What boundaries are drawn beside.
    run_notebooks : bool
    key : str
        A digest of all this.
    graded : str
        When, as ISO 8601.
    """

    exercises: tuple[Exercise, ...]
    registry: Registry
    expected: RecordedAnswers
    given: Files
    seed: int
    limits: Limits
    level: Level
    refuse_hidden: str
    picture: "Picture"
    run_notebooks: bool = False
    key: str = ""
    graded: str = ""

    def with_key(self) -> "Plan":
        """The same plan, with the digest of what decides about marks."""
        parts = [
            lxmls_day1.__version__,
            self.expected.to_json(),
            json.dumps([asdict(exercise) for exercise in self.exercises], sort_keys=True),
            json.dumps([self.seed, asdict(self.limits), self.level.name, self.refuse_hidden, self.run_notebooks]),
            *(path.read_text(encoding="utf-8") for path in all_check_files(self.exercises)),
        ]
        return replace(self, key=hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20])

    def gradebook(self, rows: Iterable[Row] = ()) -> Gradebook:
        """What came of it: these rows, in the order of the students."""
        return Gradebook(
            tuple(sorted(rows, key=lambda row: row.student)),
            self.seed,
            self.level.name,
            self.level.text,
            asdict(self.limits),
            not self.refuse_hidden,
            self.graded,
            lxmls_day1.__version__,
        )


@dataclass(frozen=True)
class Picture:
    """The simple data set, the best boundary there is, and those that the reference's classifiers find.

    Attributes
    ----------
    X, y, bayes : arrays (M, 2), (M,) and (3, K)
    reference : dict from exercise to (class, weights)
    """

    X: Any
    y: Any
    bayes: Any
    reference: dict[str, tuple[str, Any]]

    @classmethod
    def of(cls, reference: Path, exercises: Iterable[Exercise]) -> "Picture":
        """Let the reference's classifiers learn."""
        lab = Lab(reference)
        data = lab.reader("simple_data_set", "SimpleDataSet", nr_examples=100, seed=1)
        found = {}
        for exercise in exercises:
            if exercise.boundary:
                module, class_name = exercise.boundary.split(".")
                learner = lab.classifier(module, class_name, nr_rounds=PICTURED_ROUNDS)
                found[exercise.id] = (class_name, learner.train(data.train_X, data.train_y))
        return cls(data.train_X, data.train_y, data.get_bayes_optimal(), found)


def all_check_files(exercises: Iterable[Exercise]) -> list[Path]:
    """The files with the checks of some exercises, public and hidden."""
    folder = reference_folder() / FOLDER
    return [path for exercise in exercises for path in check_files(folder, exercise)]


def make_plan(
    out: Path,
    level: Level,
    ids: Sequence[str] | None = None,
    seed: int | None = None,
    limits: Limits | None = None,
    trust: bool = False,
    run_notebooks: bool = False,
) -> Plan:
    """Decide how this run grades, and compute what its checks expect.

    Parameters
    ----------
    out : Path
        The folder of the run. The seed and the expected answers are kept there, for a run that is taken up again.
    level : Level
    ids : sequence of str, optional
        The exercises; all unless given.
    seed : int, optional
        Of the hidden checks. Unless given, that of the run in `out` if there is one, else a fresh one.
    limits : Limits, optional
    trust : bool
        Run hidden checks at a level that is not safe, too.
    run_notebooks : bool

    Raises
    ------
    InputError
        If there is no such exercise, this lab has no solutions, or the reference fails a check.
    """
    reference = reference_folder()
    registry = Registry.read(reference / FOLDER / "exercises.toml")
    if registry.assigned != registry.ids or not (reference / FOLDER / "mistakes").is_dir():
        raise InputError(
            "grading needs the reference solutions and the hidden checks, and this installation is one for students; "
            "grade from a checkout of the course."
        )
    exercises = tuple(registry.select(ids))
    kept = _kept_expectations(out)
    if seed is None:
        seed = kept["seed"] if kept else secrets.randbits(32)
    sources = _digest_of_checks(exercises)
    if kept and kept["seed"] == seed and kept["sources"] == sources:
        fresh = kept["answers"]
    else:
        from lxmls_day1.exercises.record import answers_of_reference

        fresh = answers_of_reference([exercise.id for exercise in exercises], hidden=True, seed=seed)
        content = {"seed": seed, "sources": sources, "answers": json.loads(fresh.to_json())}
        write_files(out, {PurePosixPath(EXPECTED): json.dumps(content).encode()})
    return Plan(
        exercises,
        Registry(registry, [exercise.id for exercise in exercises]),
        fresh,
        student_files(reference),
        seed,
        limits or Limits(),
        level,
        "" if level.safe or trust else UNSAFE.format(level=level.name),
        Picture.of(reference, exercises),
        run_notebooks,
        graded=datetime.now(UTC).replace(microsecond=0).isoformat(),
    ).with_key()


def _digest_of_checks(exercises: Sequence[Exercise]) -> str:
    reference = reference_folder()
    digest = hashlib.sha256(lxmls_day1.__version__.encode())
    mistakes = [path for e in exercises for path in sorted((reference / FOLDER / "mistakes").glob(f"{e.stem}_*.toml"))]
    sources = sorted((reference / "classifiers").glob("*.py"))
    for path in [*all_check_files(exercises), *mistakes, *sources, reference / RECORDED]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _kept_expectations(out: Path) -> dict[str, Any] | None:
    path = out / EXPECTED
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        answers = RecordedAnswers.from_plain(content["answers"])
        return {"seed": int(content["seed"]), "sources": str(content["sources"]), "answers": answers}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # not there, or damaged: computed anew


# One worker -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Graded:
    """A row, and the student's files that are made from it: path in the output folder -> content."""

    row: Row
    files: Files


def grade_some(plan: Plan, submissions: Sequence[Submission], place: str | None = None) -> list[Graded]:
    """Grade a few submissions in this process: one session of checks for all of them.

    Parameters
    ----------
    plan : Plan
    submissions : sequence of Submission
    place : str, optional
        A folder for the warm processes' files, if it is on this machine: whoever made it removes it, also when this
        process is killed.

    Returns
    -------
    list of Graded
        In the same order.
    """
    warm = functools.partial(_warm_starter, plan, place)
    for attempt in (1, 2):
        try:
            with _nothing_old_collected():
                return _grade_some(plan, submissions, warm, place)
        except BoxesUnavailable:
            close_starters()  # the process that makes boxes may have been killed: once more with a new one
            if attempt == 2:
                raise
    raise AssertionError


@contextlib.contextmanager
def _nothing_old_collected() -> Iterator[None]:
    """What is there already is not searched for garbage meanwhile: there is much of it, and it stays."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _grade_some(
    plan: Plan,
    submissions: Sequence[Submission],
    warm: Callable[..., Starter | SpawnedStarter],
    place: str | None,
) -> list[Graded]:
    graded: dict[int, Graded] = {}
    labs, warnings = zip(
        *(({}, ()) if submission.problem else _boxed_files(plan, submission) for submission in submissions), strict=True
    )
    began = time.monotonic()

    def show(number: int, checks: Sequence[CheckGrade], lab: Any) -> tuple[Any, Any]:
        """What a student's page shows is found out before the first hidden check begins."""
        boundaries = _boundaries(plan, lab, checks)
        lab.close()
        return boundaries, _run_notebooks(plan, submissions[number], warm) if plan.run_notebooks else ()

    def done(number: int, checked: Any) -> None:
        nonlocal began
        boundaries, failures = checked.shown
        row = _row(plan, submissions[number], checked.checks, warnings[number])
        seconds, began = round(time.monotonic() - began, 3), time.monotonic()
        row = replace(row, printed=checked.printed, boundaries=boundaries, notebook_failures=failures, seconds=seconds)
        graded[number] = _with_files(plan, row)

    gradable = [number for number, submission in enumerate(submissions) if not submission.problem]
    session = _session(plan)
    labs_to_run = [labs[number] for number in gradable]
    session.run_all(
        labs_to_run,
        warm(),
        lambda i, checked: done(gradable[i], checked),
        lambda i, checks, lab: show(gradable[i], checks, lab),
        place,
    )
    for number, submission in enumerate(submissions):
        if submission.problem:
            checks = session.checks_unrun(MISSING, submission.problem)
            graded[number] = _with_files(plan, _row(plan, submission, checks, warnings[number]))
    return [graded[number] for number in range(len(submissions))]


def _boxed_files(plan: Plan, submission: Submission, notebooks: bool = False) -> tuple[Files, tuple[str, ...]]:
    files, warnings = lab_in_the_box(submission, plan.given, plan.registry, notebooks)
    return {
        path: without_compiling(content) if path.suffix == ".py" else content for path, content in files.items()
    }, warnings


def _with_files(plan: Plan, row: Row) -> Graded:
    from lxmls_day1.grading.report_files import files_of_student

    pictures = _pictures(plan)
    picture = pictures.draw(row.boundaries) if pictures is not None and row.boundaries else None
    return Graded(row, files_of_student(row, plan.gradebook(), picture))


def without_compiling(source: bytes) -> bytes:
    """A rule runs as plain Python in a box: compiling it takes longer than checking it. Line numbers stay.

    Examples
    --------
    >>> without_compiling(b"@compiled\\ndef rule(scores): ...")
    b'\\ndef rule(scores): ...'
    """
    if b"@compiled" not in source:
        return source
    return b"".join(b"\n" if line.strip() == b"@compiled" else line for line in source.splitlines(keepends=True))


def _row(plan: Plan, submission: Submission, checks: Sequence[CheckGrade], warnings: Sequence[str]) -> Row:
    from lxmls_day1.grading.notebook_answers import free_answers
    from lxmls_day1.grading.similarity import fingerprints

    exercises = tuple(
        ExerciseGrade(
            exercise.id,
            exercise.title,
            exercise.kind,
            float(exercise.points),
            tuple(check for check in checks if check.exercise == exercise.id),
        )
        for exercise in plan.exercises
    )
    answers, remarks = ((), ()) if submission.problem else free_answers(submission.files, plan.registry, plan.given)
    sentences = [submission.problem, *submission.warnings, *warnings, *remarks]
    return Row(
        submission.student,
        submission.name,
        submission.source,
        submission.digest,
        exercises,
        warnings=tuple(dict.fromkeys(filter(None, sentences))),
        answers=tuple(answers),
        fingerprints=fingerprints(submission.files, plan.given, plan.exercises),
        key=plan.key,
    )


def _boundaries(plan: Plan, lab: Any, checks: Sequence[CheckGrade]) -> tuple[Boundary, ...]:
    """What the classifiers of this lab learn from the simple data set; nothing where one fails, or did not end before."""
    import numpy as np

    from lxmls_day1.grading.box import BoxFailure

    found = []
    X, y = plan.picture.X, plan.picture.y
    for exercise in plan.exercises:
        verdicts = {check.verdict for check in checks if check.exercise == exercise.id}
        if not exercise.boundary or verdicts <= {MISSING} or TIMEOUT in verdicts:
            continue
        module, class_name = exercise.boundary.split(".")
        lab.begin()
        try:
            learner = lab.classifier(module, class_name, nr_rounds=PICTURED_ROUNDS)
            params = np.asarray(learner.train(X, y), dtype=float)
        except BoxFailure:
            continue
        except (
            Exception
        ):  # whatever the student's code raises, and an answer that is no matrix: there is nothing to draw
            continue
        if params.ndim == 2 and params.size <= 100:
            rows = tuple(tuple(map(float, row)) for row in params)
            found.append(Boundary(exercise.id, class_name, rows))
    return tuple(found)


def _run_notebooks(
    plan: Plan, submission: Submission, warm: Callable[..., Starter | SpawnedStarter]
) -> tuple[CellFailure, ...]:
    """Run every notebook of a submission in a box of its own; the cells that fail."""
    from lxmls_day1.exercises.generation import exercises_of_cells
    from lxmls_day1.grading.box import BoxFailure, RefusedAnswer
    from lxmls_day1.grading.boxed_lab import BoxedLab
    from lxmls_day1.grading.notebook_cells import code_cells

    limits = replace(
        plan.limits,
        check_seconds=plan.limits.total_seconds,
        total_seconds=5 * plan.limits.total_seconds,
        check_cpu_seconds=plan.limits.cpu_seconds,
        cpu_seconds=5 * plan.limits.cpu_seconds,
        memory=2 * plan.limits.memory,
        files=4 * plan.limits.files,
    )
    failures: list[CellFailure] = []
    files, _ = _boxed_files(plan, submission, notebooks=True)
    for path, content in submission.files.items():
        if path.suffix != ".ipynb" or path.parts[0] != "notebooks" or len(path.parts) != 2:
            continue
        try:
            notebook = json.loads(content)
            cells = code_cells(notebook)
            owners = [
                owner
                for owner, cell in zip(exercises_of_cells(notebook), notebook["cells"], strict=True)
                if cell["cell_type"] == "code"
            ]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            failures.append(CellFailure(str(path), 0, None, "this is not a notebook"))
            continue
        lab = BoxedLab(warm(notebooks=True), files, limits)
        try:
            for number, source in enumerate(cells, 1):
                lab.begin()
                try:
                    error = lab.run_cell(source)
                except (BoxFailure, RefusedAnswer) as failure:
                    error = f"{failure}; the cells after this one were not run"
                except Exception as failure:
                    error = str(failure)
                if error:
                    failures.append(CellFailure(str(path), number, owners[number - 1], error[:1500]))
                if "were not run" in error:
                    break
        finally:
            lab.close()
    return tuple(failures)


@functools.cache
def _starters() -> dict[tuple[str, bool], Starter | SpawnedStarter]:
    """The warm processes of this process. They outlive a handful of submissions, which is what makes grading fast."""
    return {}


def _warm_starter(plan: Plan, place: str | None = None, notebooks: bool = False) -> Starter | SpawnedStarter:
    starters = _starters()
    level = plan.level
    if (level.name, notebooks) not in starters:
        given = {path: without_compiling(content) for path, content in plan.given.items() if path.parts[0] in PACKAGES}
        made = starter_of(level.name, given, notebooks, place, level.user, level.newest_landlock)
        starters[level.name, notebooks] = made
    return starters[level.name, notebooks]


@functools.lru_cache(maxsize=1)
def _made(key: str) -> dict[str, Any]:
    """What this process has made for the plan with this key; it serves every handful of submissions."""
    return {}


def _pictures(plan: Plan) -> Any:
    """What draws boundaries, set up once in a process; None where no exercise has any."""
    from lxmls_day1.grading.boundary_picture import BoundaryPictures

    if not plan.picture.reference:
        return None
    made, picture = _made(plan.key), plan.picture
    if "pictures" not in made:
        made["pictures"] = BoundaryPictures(picture.X, picture.y, picture.bayes, picture.reference)
    return made["pictures"]


def _session(plan: Plan) -> Any:
    """The checks, collected once in a process."""
    from lxmls_day1.grading.session import CheckSession

    made = _made(plan.key)
    if "session" not in made:
        files = all_check_files(plan.exercises)
        made["session"] = CheckSession(files, plan.expected, plan.seed, plan.limits, plan.refuse_hidden)
    return made["session"]


def close_starters() -> None:
    """End the warm processes of this process."""
    starters = _starters()
    while starters:
        starters.popitem()[1].close()


# All of them --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Progress:
    """How far a run is: how many are done of how many, and how many of them were before."""

    done: int
    total: int
    kept: int


def grade(
    paths: Sequence[Path],
    out: Path,
    plan: Plan,
    jobs: int = -1,
    progressed: Callable[[Progress], None] = lambda progress: None,
) -> Gradebook:
    """Grade submissions, and write marks and feedback to `out`: what is about one student as soon as it is known.

    Parameters
    ----------
    paths : sequence of Path
        Folders, zip files, or folders and zip files of many.
    out : Path
    plan : Plan
    jobs : int
        How many at the same time, as joblib counts: −1 for all cores. The backend is joblib's: set another one, such as
        dask's, by ``joblib.parallel_config``.
    progressed : function from Progress

    Returns
    -------
    Gradebook
        With a row for every submission, in the order of the students.
    """
    import joblib

    found = find_submissions(paths)
    if not found:
        raise InputError("there is no submission in what was given.")
    kept = {row.student: row for row in kept_rows(out)}
    rows: dict[str, Row] = {}

    def left_to_do() -> Iterator[Submission]:
        """Read one after the other, when a worker is ready for it: not all of them are in memory at once."""
        for one in found:
            submission = read_submission(one, plan.given)
            row = kept.get(submission.student)
            if row is not None and row.digest == submission.digest and row.key == plan.key:
                rows[row.student] = row
            else:
                yield submission

    n_jobs = joblib.effective_n_jobs(jobs)
    n_at_once = max(1, min(AT_ONCE, len(found) // (2 * n_jobs)))
    n_graded = 0
    with temporary_folder("lxmls-day1-boxes-") as folder:  # workers that are killed remove nothing
        place = str(folder)
        try:
            with (
                warnings.catch_warnings(),
                joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs") as parallel,
            ):
                warnings.filterwarnings("ignore", ".*tasks have been successfully executed")  # joblib's, after Ctrl-C
                parts = _in_parts(left_to_do(), n_at_once)
                first = list(itertools.islice(parts, 2 * n_jobs))
                with _deaf_to_interrupts():  # for a moment only: what is sent to workers first has been read
                    parts = itertools.chain(first, parts)
                    done = parallel(joblib.delayed(grade_some)(plan, some, place) for some in parts)
                for part in done:
                    for graded in part:
                        keep(out, graded)
                        rows[graded.row.student] = graded.row
                    n_graded += len(part)
                    progressed(Progress(len(rows), len(found), len(rows) - n_graded))
        finally:
            close_starters()
            close_workers()
    progressed(Progress(len(rows), len(found), len(rows) - n_graded))
    book = plan.gradebook(rows.values())
    write_files(out, files_of_class(book, alike(book.rows)))
    return book


def _in_parts(submissions: Iterator[Submission], size: int) -> Iterator[list[Submission]]:
    while part := list(itertools.islice(submissions, size)):
        yield part


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started in it never hear a terminal's Ctrl-C. It is for us to hear it, and to end them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def close_workers() -> None:
    """End joblib's worker processes now rather than after minutes, and with them their warm processes."""
    if "joblib.externals.loky" in sys.modules:
        from joblib.externals.loky import reusable_executor

        executor = reusable_executor._executor
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)


def keep(out: Path, graded: Graded) -> None:
    """Write what is about one student: the row last, so that one which is there has all its files."""
    write_files(out, graded.files)
    write_files(out, {PurePosixPath(ROWS, f"{graded.row.student}.json"): json.dumps(to_plain(graded.row)).encode()})


def write_files(out: Path, files: Files) -> None:
    """Write files below a folder, each whole or not at all."""
    for path in files:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
    replace_files({out / path: content for path, content in files.items()})


def kept_rows(out: Path) -> Iterator[Row]:
    """The rows that earlier runs have finished; one that cannot be read is graded again."""
    for path in sorted((out / ROWS).glob("*.json")):
        try:
            yield from_plain(Row, json.loads(path.read_text(encoding="utf-8")))
        except (InputError, ValueError, OSError):
            continue
