"""``lxmls-day1 status``: show the progress of a student."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="status", short_help="Show how far you are.")
@lab_option
def command(lab_folder: str | None) -> None:
    """Show your progress through the exercises: a bar, and the state of each exercise.

    An exercise counts as done when its public checks have passed on the files as they are now, or when its answer is in
    the notebook.
    """
    from lxmls_day1.course.reports.terminal import echo_status, find_workspace
    from lxmls_day1.course.workspaces.progress import status_of

    echo_status(status_of(find_workspace(lab_folder, "status")))
