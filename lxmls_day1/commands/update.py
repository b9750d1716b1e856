"""``lxmls-day1 update``: a workspace brought up to the installed version."""

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
    from lxmls_day1.course.terminal import shown_workspace
    from lxmls_day1.course.upgrade import update

    renewed = update(shown_workspace(lab_folder, "update"))
    if not renewed.place:
        click.echo("Every given file is up to date.")
        return
    for names, what in (
        (renewed.files, "Renewed"),
        (renewed.removed, "Removed, because they are no longer given or have moved into a folder"),
    ):
        if names:
            click.echo(f"{what}: {', '.join(names)}")
    for name in renewed.edited:
        click.echo(f"You had edited {name}, which is a given file; yours is now {renewed.place}/{name}")
    for name in renewed.kept:
        click.echo(f"{name} is yours and stays as it is; the new version is {renewed.place}/{name}.new")
    click.echo("`lxmls-day1 undo` brings back what was there.")
    if any(name.endswith(".ipynb") for name in (*renewed.files, *renewed.removed)):
        click.echo("If a notebook is open, reload it from disk before you save it.")
