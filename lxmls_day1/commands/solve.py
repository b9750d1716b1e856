"""``lxmls-day1 solve``: put in the reference solution of one exercise, so that a student can go on."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="solve", short_help="Put in the reference solution of an exercise.")
@click.argument("exercise")
@lab_option
def command(exercise: str, lab_folder: str | None) -> None:
    """Put the reference solution of an exercise into your workspace, so that you can go on.

    What you had written is kept, and `lxmls-day1 undo` brings it back. Installations for students may come without
    solutions.

    \b
    Example:
      lxmls-day1 solve 1.5
    """
    from lxmls_day1.course.reports.report_text import replaced_lines
    from lxmls_day1.course.reports.terminal import echo_lines, find_workspace
    from lxmls_day1.course.workspaces.solve_reset_undo import solve

    replaced = solve(find_workspace(lab_folder, "solve"), exercise)
    echo_lines(replaced_lines(replaced, f"The solution of exercise {exercise}"))
