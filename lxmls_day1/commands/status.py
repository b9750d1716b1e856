"""``lxmls-day1 status``: how far one is."""

import click


@click.command(name="status", short_help="Show how far you are.")
@click.option("--lab", "lab_folder", type=click.Path(), help="The lab folder; the one that you are in unless given.")
def command(lab_folder: str | None) -> None:
    """Show the progress over all exercises: a bar, and for each exercise where it stands.

    An exercise counts as done when its public checks have passed on the files as they are now, or its answer stands in
    the notebook.
    """
    from lxmls_day1.exercises.report_text import status_lines
    from lxmls_day1.exercises.status import status_of
    from lxmls_day1.exercises.terminal import echo_lines, shown_workspace

    echo_lines(status_lines(status_of(shown_workspace(lab_folder, "status"))))
