"""``lxmls-day1 check``: the public checks of the exercises, once or whenever a file is saved."""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import click

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.waiting import shows_progress
from lxmls_day1.commands.shared_options import lab_option

POLL_SECONDS = 0.5  # seconds


@click.command(name="check", short_help="Check what you have written.")
@click.argument("exercises", metavar="[EXERCISE]...", nargs=-1)
@click.option("-v", "--verbose", is_flag=True, help="Show every check, not only the first that fails.")
@click.option("--watch", is_flag=True, help="Check again whenever a file of the lab is saved; Ctrl-C ends it.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=8.0,
    show_default=True,
    help="Seconds of processor time that a single check may take.",
)
@click.option(
    "--because", metavar="TEXT", help="Answer the question that the last check of EXERCISE asked; nothing is checked."
)
@click.option(
    "--again",
    is_flag=True,
    help="Make EXERCISE, which you have solved, blank once more, and check it with other numbers; your answer is kept.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document for other programs (docs/reference/check_json.md)."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "lines", "json"]),
    default="text",
    show_default=True,
    help="With lines, a line for each problem follows the report, FILE:LINE: error: MESSAGE, which editors read; json is --json.",
)
@lab_option
def command(
    exercises: tuple[str, ...],
    verbose: bool,
    watch: bool,
    time_limit: float,
    because: str | None,
    again: bool,
    as_json: bool,
    form: str,
    lab_folder: str | None,
) -> None:
    """Run the public checks of one exercise, of several, or of all.

    Where an answer is wrong, you see it beside the expected one, and a known mistake is explained. The checks run in a
    separate process, so code that hangs or crashes is reported too. Grading runs more checks, on fresh inputs.

    After a known mistake you are asked one question. Answer it in one line with --because: explaining a mistake helps
    you more than correcting it. The answer goes to your instructor with your submission, and costs no points.

    The exit status is 0 if all checks pass and 1 if not.

    \b
    Examples:
      lxmls-day1 check 1.5
      lxmls-day1 check mira -v
      lxmls-day1 check
      lxmls-day1 check --watch 1.5
      lxmls-day1 check 1.5 --json
      lxmls-day1 check 1.5 --format lines
      lxmls-day1 check 1.5 --because "Two blocks of weights move."
      lxmls-day1 check --again 1.5
    """
    from lxmls_day1.course.explanations import explain
    from lxmls_day1.course.registry import Registry
    from lxmls_day1.course.reports.report_text import explanation_lines, practice_lines, workspace_lines
    from lxmls_day1.course.reports.terminal import echo_lines
    from lxmls_day1.course.workspaces.solve_reset_undo import reset_for_practice
    from lxmls_day1.course.workspaces.workspace import workspace_of
    from lxmls_day1.lab import Lab

    if as_json:
        form = "json"
    if form == "json" and (watch or again or because is not None):
        raise click.UsageError("--json prints one report; it cannot be combined with --watch, --again or --because.")
    if because is not None and (watch or len(exercises) != 1):
        raise click.UsageError('--because answers the question about one exercise: check 1.5 --because "…".')
    if again and (watch or because is not None or len(exercises) != 1):
        raise click.UsageError("--again is for one solved exercise: check --again 1.5.")
    folder = workspace_of(Lab(lab_folder) if lab_folder else Lab.open(), "check")
    if form != "json":  # JSON is all that is printed.
        echo_lines(workspace_lines(folder))
    if again:
        blank = reset_for_practice(folder, exercises[0])
        echo_lines(practice_lines(blank, Registry.from_folder(folder).named(exercises[0])))
        return
    if because is not None:
        echo_lines(explanation_lines(explain(folder, exercises[0], because)))
        return

    def run(ids: Collection[str] | None) -> bool:
        return check_and_show(folder, ids, time_limit, verbose, form)

    if not watch:
        raise click.exceptions.Exit(0 if run(exercises or None) else 1)
    try:
        watch_files(folder, exercises or None, run, clears=form != "lines")
    except KeyboardInterrupt:
        click.echo("\nNo longer watching.")


def check_and_show(
    folder: Path, ids: Collection[str] | None, time_limit: float, verbose: bool = False, form: str = "text"
) -> bool:
    """Run checks, keep the results, and show the report: as text with the questions on named mistakes and, if wanted, the lines for an
    editor, or as JSON.

    Return True if all checks have passed.
    """
    from lxmls_day1.course.explanations import check_and_save
    from lxmls_day1.course.reports.check_json import as_plain
    from lxmls_day1.course.reports.report_text import check_lines, question_lines
    from lxmls_day1.course.reports.room_link import send_verdicts
    from lxmls_day1.course.reports.terminal import echo_lines, in_this_encoding
    from lxmls_day1.course.workspaces.progress import status_of

    if form == "json":
        report, _, unsaved = check_and_save(folder, ids, time_limit)
        click.echo(json.dumps(as_plain(folder, report), ensure_ascii=False, indent=1))
    else:
        with check_progress() as progressed:
            report, questions, unsaved = check_and_save(folder, ids, time_limit, progressed)
        status = status_of(folder) if report.ends_with_progress else None
        echo_lines((*check_lines(report, status, verbose), *question_lines(questions)))
    if form == "lines":
        from lxmls_day1.course.reports.problem_lines import problem_lines

        for line in problem_lines(folder, report):
            click.echo(in_this_encoding(line))  # whole, whatever the width, because an editor reads it
    for sentence in filter(None, (*unsaved, send_verdicts(folder, report))):
        click.echo(sentence, err=True)
    return report.all_passed


@contextlib.contextmanager
def check_progress() -> Iterator[Callable[[str], None]]:
    """Show the title of the running check, cut to the terminal's width, until the report replaces it."""
    if not shows_progress():
        yield lambda title: None
        return
    from lxmls_day1.course.reports.terminal import fit_to_width

    def show(title: str) -> None:
        try:
            width = os.get_terminal_size(sys.stderr.fileno()).columns
        except (OSError, ValueError):
            width = 80
        # Some terminals begin a new line after the last column.
        click.echo(f"\r{fit_to_width(title, width - 1)}\r", nl=False, err=True)

    try:
        yield show
    finally:
        show("")


def watch_files(
    folder: Path, ids: Collection[str] | None, run: Callable[[Collection[str] | None], object], clears: bool = True
) -> None:
    """Run checks immediately, and again after each change, until interrupted.

    Without ``ids`` only the exercises of the saved files are checked, or all exercises if another file was saved. The files are polled
    twice a second, which also works on network drives, whose changes no system reports. A change counts when two polls give the same
    state, so that a half-written file is not checked. Unless ``clears``, the screen is not cleared before a run, because editors read it.
    """
    from lxmls_day1.course.registry import Registry
    from lxmls_day1.course.running.autoreload import file_states

    seen = file_states(folder)
    selected = ids
    while True:
        try:
            run(selected)
        except InputError as error:
            click.echo(f"Error: {error}", err=True)
        click.echo("Watching; Ctrl-C ends it.")
        now, before = file_states(folder), seen  # `seen` is older than the checks, so an edit during them is noticed
        while now == seen or now != before:
            time.sleep(POLL_SECONDS)
            now, before = file_states(folder), now
        changed = {
            path.relative_to(folder).as_posix() for path in now.keys() | seen.keys() if now.get(path) != seen.get(path)
        }
        seen = now
        selected = ids
        if ids is None:
            affected = [e for e in Registry.from_folder(folder).select(None) if e.files]
            touched = [e.id for e in affected if changed & set(e.files)]
            known = {name for e in affected for name in e.files}
            selected = touched if changed <= known else None
        if clears and os.environ.get("TERM") != "dumb":
            click.clear()
        click.echo(f"{time.strftime('%H:%M:%S')}  {', '.join(sorted(changed))} changed\n")
