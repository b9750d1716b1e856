"""``lxmls-day1 grade``: marks and feedback for many untrusted submissions."""

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from lxmls_day1.base.errors import InputError, pluralize
from lxmls_day1.base.waiting import shows_progress
from lxmls_day1.commands.output import writable_folder
from lxmls_day1.commands.shared_options import ExerciseList
from lxmls_day1.library_path import library_path

NOT_ALL_GRADED = 3  # the exit status if the grader failed on some submissions of the class
MAX_NOTES = 20


class _ShowsLimits(click.Command):
    """A command whose help ends with the limits of a submission."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from dataclasses import fields

        from lxmls_day1.box.limits import Limits

        with formatter.section("Limits, for each submission"):
            formatter.write_dl([(f"{one.name} {one.default:g}", one.metadata["meaning"]) for one in fields(Limits)])


@click.command(name="grade", cls=_ShowsLimits, short_help="For instructors: grade submissions in a sandbox.")
@click.argument("submissions", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("--out", required=True, type=click.Path(), help="Where marks and feedback go.")
@click.option(
    "--exercises",
    type=ExerciseList(),
    help="Only these exercises, such as 1.2,1.5 or core or afternoon. Default: those given out.",
)
@click.option(
    "--seed", type=click.IntRange(0), help="Seed of the hidden checks. Default: one for this version and machine."
)
@click.option(
    "--jobs", type=int, default=-1, help="How many submissions to grade in parallel. Default: the number of cores."
)
@click.option("--limit", "limits", multiple=True, metavar="NAME=NUMBER", help="Change a limit, such as memory=512.")
@click.option("--sandbox", metavar="LEVEL", help="bubblewrap, landlock or process. Default: the strongest that works.")
@click.option("--as-user", metavar="USER", help="The user that sandboxes run as, if root grades. Default: nobody.")
@click.option(
    "--trust-submissions", is_flag=True, help="Run hidden checks even where the sandbox cannot keep them secret."
)
@click.option(
    "--roster", metavar="FILE", type=click.Path(), help="The grade book to fill in, from Canvas, Moodle or Blackboard."
)
@click.option("--marks-column", metavar="NAME", help="The column of --roster for the marks. Default: a new one.")
@click.option("--id-column", metavar="NAME", help="The column of --roster with the students' ids.")
@click.option("--group-column", metavar="NAME", help="The column of --roster that names each student's group.")
@click.option("--again", multiple=True, metavar="STUDENT", help="Grade this student again even if nothing has changed.")
def command(
    submissions: tuple[str, ...],
    out: str,
    exercises: list[str] | None,
    seed: int | None,
    jobs: int,
    roster: str | None,
    **options: Any,
) -> None:
    """Run the public and hidden checks on submissions, and write marks and feedback.

    SUBMISSIONS are folders and zip files, of one student or of many: what `lxmls-day1 submit` has packed, or a whole
    download of a learning platform. Each submission runs in its own sandbox and can harm neither other submissions nor
    this machine. Marked are the exercises that `start` or the release gave to most of the students; the first line names
    them. Run the command again to continue where it stopped; it grades only what is new or has changed. The
    exit status is 3 if the grader failed on a submission; all others are graded. One that cannot be read gets no points and is
    reported, but does not change the exit status.

    \b
    Examples:
      lxmls-day1 grade download.zip --out marks
      lxmls-day1 grade download.zip --out marks --exercises 1.2,1.5,1.7
      lxmls-day1 grade alan.zip ada.zip --out marks --seed 4711
      lxmls-day1 grade class.zip --out marks --limit memory=512 --jobs 4
      lxmls-day1 grade class.zip --out marks --roster canvas.csv
                       --marks-column "Day 1"
    """
    limits, sandbox, as_user, trust_submissions, again = (
        options.pop(name) for name in ("limits", "sandbox", "as_user", "trust_submissions", "again")
    )
    for name, value in options.items():  # those of the roster are left
        if value is not None and roster is None:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --roster.")
    forget_python_path()
    from concurrent.futures import ThreadPoolExecutor

    from lxmls_day1.base.atomic_files import locked_folder
    from lxmls_day1.box.levels import strongest_level
    from lxmls_day1.box.limits import Limits
    from lxmls_day1.commands.roster_options import fill_in, read_roster, remove_stale
    from lxmls_day1.course.registry import FILE, Registry
    from lxmls_day1.grading.gradebook import PUBLIC_SHARE
    from lxmls_day1.grading.grading_run import Run, grade
    from lxmls_day1.grading.intake.released_exercises import released_exercises
    from lxmls_day1.grading.reports.report_files import ROWS
    from lxmls_day1.grading.running.lab_boxes import lab_program
    from lxmls_day1.grading.running.plan import make_plan, prepare_plan
    from lxmls_day1.grading.running.run_folders import run_folder
    from lxmls_day1.lab import reference_folder

    chosen, here = Limits.from_options(limits), Path.cwd()
    paths = without_marks([Path(path) for path in submissions], Path(out))
    folder = writable_folder(out)
    (folder / ROWS).mkdir(exist_ok=True)  # shows that the folder holds marks, if it lies among submissions
    students = read_roster(folder, roster, **options) if roster else None
    run = Run(paths, folder, jobs, again, report=lambda text: click.echo(text, err=True))

    try:
        with locked_folder(folder, "grading into"), run_folder() as place:
            if not exercises:
                exercises, sentence = released_exercises(run.found, Registry.read(reference_folder() / FILE))
                click.echo(sentence, err=True)
            with contextlib.chdir(place):  # numba and matplotlib read settings from the current folder
                with ThreadPoolExecutor(1) as pool:  # The self-test of the sandbox waits for other processes.
                    tested = pool.submit(strongest_level, lab_program(), sandbox, as_user)
                    prepare_plan()
                    level = tested.result()
                whose = f" They belong to the user {level.user[0]}." if level.user else ""
                click.echo(f"Sandbox: {level.name}. {level.description}{whose}", err=True)
                for name, reason in level.rejected:
                    click.echo(f"  {name} is not available here: {reason}.", err=True)
                plan = make_plan(here / folder, level, exercises or None, seed, chosen, trust_submissions)
            if plan.hidden_refused_reason:
                click.echo(
                    f"Hidden checks are refused: {plan.hidden_refused_reason}. They bring {1 - PUBLIC_SHARE:.0%} of the points, so "
                    "nobody gets full marks. Grade on a machine with a stronger sandbox, or take --trust-submissions if "
                    "you trust whoever has written these.",
                    err=True,
                )
            click.echo(f"Hidden checks draw from --seed {plan.seed}.", err=True)
            with _ProgressBar() as bar:
                run.on_progress = bar.show
                book = grade(run, plan)
            if bar.kept:
                click.echo(f"{bar.kept} of {len(book.rows)} were graded before and have not changed.", err=True)
            _conclude(book, folder)
            if students is not None:
                fill_in(students, run.identified, book, folder)
            remove_stale(folder)
    except KeyboardInterrupt:
        click.echo(
            f"Stopped. What is graded is kept in {folder}; the same command, given again, does the rest.", err=True
        )
        raise click.exceptions.Exit(1) from None
    if any(row.failed for row in book.rows):
        raise click.exceptions.Exit(NOT_ALL_GRADED)


def without_marks(paths: Sequence[Path], out: Path) -> list[Path]:
    """Return the paths without folders that `grade` has filled, such as ``*`` may name, and report these folders.

    Raises
    ------
    InputError
        If the output folder is one of the other paths, or the only path.
    """
    from lxmls_day1.grading.reports.report_files import ROWS

    left = [path for path in paths if os.path.isdir(path / ROWS)]
    kept = [path for path in paths if path not in left]
    if out.exists() and any(path.samefile(out) for path in kept or paths):
        raise InputError(
            f"--out {out} is the folder of the submissions, but marks need a folder of their own; write --out {out.resolve()}-marks."
        )
    for path in left:
        click.echo(f"{path} holds marks of an earlier run, and is left out.", err=True)
    return kept


def forget_python_path() -> None:
    """Remove the folders of ``PYTHONPATH`` from the import path of this process and of all processes that it starts."""
    named = {os.path.realpath(entry) for entry in os.environ.pop("PYTHONPATH", "").split(os.pathsep)}
    sys.path[:] = [entry for entry in library_path() if os.path.realpath(entry) not in named]


class _ProgressBar:
    """A progress bar that each result advances; it is shown on a terminal only."""

    def __enter__(self) -> "_ProgressBar":
        from tqdm import tqdm

        self.kept = 0
        self._bar = tqdm(unit="submission", desc="Grading", disable=not shows_progress())
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, done: int, total: int, kept: int) -> None:
        if self._bar.total is None:
            self._bar.reset(total=total)
        self._bar.update(done - self._bar.n)
        self.kept = kept


def _conclude(book: Any, folder: Path) -> None:
    from statistics import median

    from lxmls_day1.grading.reports.page_frame import points_text

    points = [row.points for row in book.rows]
    out_of = max(row.out_of for row in book.rows)
    prefix = "the median is " if len(points) > 1 else ""
    reached = f"{prefix}{points_text(median(points))} of {points_text(out_of)} points"
    click.echo(f"{pluralize(len(book.rows), 'submission')}: {reached}")
    paths = [folder / name for name in ("summary.html", "feedback", "grades.csv")]
    click.echo("  {} for you, {} for them, {} for the office".format(*paths))
    by_hand = [exercise for row in book.rows for exercise in row.exercises if exercise.is_manual]
    if by_hand:
        marked = sum(exercise.points is not None for exercise in by_hand)
        click.echo(
            f"  {folder / 'hand-marks.csv'}: {marked} of {len(by_hand)} answers are marked by hand; fill it in, and grade again"
        )
    noted = [(row.student, row.problem or row.notes[0]) for row in book.rows if row.problem or row.notes]
    _list(f"Needs a look, {'it' if len(noted) == 1 else 'they'} could not be graded in full:", noted)
    doubts = [(row.student, doubt) for row in book.rows for doubt in row.doubts]
    _list("Needs a look, because the owner is in doubt:", doubts)


def _list(head: str, sentences: Sequence[tuple[str, str]]) -> None:
    """Print sentences about students below a heading; print nothing for an empty list."""
    lines = [head, *(f"  {student}: {sentence}" for student, sentence in sentences[:MAX_NOTES])] if sentences else []
    if len(sentences) > MAX_NOTES:
        lines.append(f"  and {len(sentences) - MAX_NOTES} more; summary.html lists them")
    for line in lines:
        click.echo(line, err=True)
