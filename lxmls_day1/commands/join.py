"""``lxmls-day1 join``: take part in the room of a class."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="join", short_help="Take part in the room of your class.")
@click.argument("address")
@lab_option
def command(address: str, lab_folder: str | None) -> None:
    """Count your checks on the board of the class, whose first screen shows the ADDRESS.

    From now on each check sends exercise, verdict, name of the mistake and number of tries, with a random number: no
    code, no text, no name. `lxmls-day1 leave` ends that, and withdraws what was sent.

    \b
    Example:
      lxmls-day1 join http://192.168.1.17:8418
    """
    from lxmls_day1.course.reports.room_link import join
    from lxmls_day1.course.reports.terminal import find_workspace

    click.echo(join(find_workspace(lab_folder, "join"), address))
