"""``lxmls-day1 hint``: show the next hint on an exercise."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="hint", short_help="Show the next hint on an exercise.")
@click.argument("exercise", metavar="EXERCISE", nargs=-1, required=True)
@click.option("--again", is_flag=True, help="Show the hints that you have already seen.")
@lab_option
def command(exercise: tuple[str, ...], again: bool, lab_folder: str | None) -> None:
    """Show the next of three hints on an exercise: the idea, the equation, a sketch of the code.

    The workspace remembers which hints you have seen.

    \b
    Example:
      lxmls-day1 hint 1.5
    """
    from lxmls_day1.course.reports.hints import next_hint, save_shown_hints
    from lxmls_day1.course.reports.report_text import hint_lines
    from lxmls_day1.course.reports.terminal import echo_lines, find_workspace, terminal_columns
    from lxmls_day1.course.workspace_state import save_or_explain

    folder = find_workspace(lab_folder, "hint")
    hints = next_hint(folder, " ".join(exercise), again)
    echo_lines(hint_lines(hints, terminal_columns()))
    if problem := save_or_explain(lambda: save_shown_hints(folder, hints), "That this hint was shown"):
        click.echo(problem, err=True)
