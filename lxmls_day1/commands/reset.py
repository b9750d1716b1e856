"""``lxmls-day1 reset``: put back the empty exercise."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="reset", short_help="Put back the empty exercise.")
@click.argument("exercise")
@lab_option
def command(exercise: str, lab_folder: str | None) -> None:
    """Put back an exercise as it was at the start.

    What you had written is kept, and `lxmls-day1 undo` brings it back.

    \b
    Example:
      lxmls-day1 reset 1.5
    """
    from lxmls_day1.course.reports.report_text import replaced_lines
    from lxmls_day1.course.reports.terminal import echo_lines, find_workspace
    from lxmls_day1.course.workspaces.solve_reset_undo import reset

    replaced = reset(find_workspace(lab_folder, "reset"), exercise)
    echo_lines(replaced_lines(replaced, f"The empty exercise {exercise}"))
