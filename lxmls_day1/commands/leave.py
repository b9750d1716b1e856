"""``lxmls-day1 leave``: leave the room of a class."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="leave", short_help="Leave the room of your class.")
@lab_option
def command(lab_folder: str | None) -> None:
    """Send nothing more to the room that you have joined, and withdraw what was sent."""
    from lxmls_day1.course.reports.room_link import leave
    from lxmls_day1.course.reports.terminal import find_workspace

    click.echo(leave(find_workspace(lab_folder, "leave")))
