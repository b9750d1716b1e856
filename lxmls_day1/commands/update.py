"""``lxmls-day1 update``: a workspace brought up to the installed version."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="update", short_help="Renew the given files of your lab.")
@lab_option
def command(lab_folder: str | None) -> None:
    """Renew what you were given, after another version of this package was installed, and keep what you have written.

    Where you have edited the functions of an exercise only, they move into the new file. Where you have edited more,
    and in notebooks, your file stays as it is, and the new one is put aside for you to compare. Given files that you
    have deleted come back. What was replaced is kept, and `lxmls-day1 undo` brings it back.

    \b
    Example:
      lxmls-day1 update
    """
    from lxmls_day1.course.report_text import renewed_lines
    from lxmls_day1.course.terminal import echo_lines, shown_workspace
    from lxmls_day1.course.upgrade import update

    echo_lines(renewed_lines(update(shown_workspace(lab_folder, "update"))))
