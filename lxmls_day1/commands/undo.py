"""``lxmls-day1 undo``: restore the files that the last ``solve``, ``reset`` or ``update`` has replaced."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="undo", short_help="Undo the last solve, reset or update.")
@lab_option
def command(lab_folder: str | None) -> None:
    """Bring back what the last `solve`, `reset` or `update` replaced; called again, what the one before it replaced.

    If you have edited the file since then, your edited text is kept too, and the command says where.
    """
    from lxmls_day1.course.reports.report_text import undo_lines
    from lxmls_day1.course.reports.terminal import echo_lines, find_workspace
    from lxmls_day1.course.workspaces.solve_reset_undo import undo

    echo_lines(undo_lines(undo(find_workspace(lab_folder, "undo"))))
