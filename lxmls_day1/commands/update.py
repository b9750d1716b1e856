"""``lxmls-day1 update``: update a workspace to the installed version."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="update", short_help="Bring the given files of your lab up to date.")
@lab_option
def command(lab_folder: str | None) -> None:
    """Bring the given files up to date after you have installed another version of this package, and keep what you have written.

    If you have edited only the functions of an exercise in a file, they move into the new file. If you have edited
    more, or if the file is a notebook, your file stays as it is, and the new one is put beside it for you to compare.
    Given files that you have deleted are restored. What was replaced is kept, and `lxmls-day1 undo` brings it back.

    \b
    Example:
      lxmls-day1 update
    """
    from lxmls_day1.course.reports.report_text import update_lines
    from lxmls_day1.course.reports.terminal import echo_lines, find_workspace
    from lxmls_day1.course.workspaces.upgrade import update

    echo_lines(update_lines(update(find_workspace(lab_folder, "update"))))
