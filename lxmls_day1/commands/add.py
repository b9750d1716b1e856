"""``lxmls-day1 add``: further notebooks for a workspace."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="add", short_help="Add a further notebook to your lab.")
@click.argument("notebooks", metavar="[NOTEBOOK]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Add every notebook.")
@lab_option
def command(notebooks: tuple[str, ...], everything: bool, lab_folder: str | None) -> None:
    """Add the exercises of further notebooks to your lab, with their files, checks and data sets.

    NOTEBOOK is the name or number of a notebook, or the number of one of its exercises; then only this exercise is
    added, with those that it builds on. What you have written stays; other given files are brought up to date, as by
    `lxmls-day1 update`. Without NOTEBOOK the command lists the notebooks.

    \b
    Examples:
      lxmls-day1 add 5_structured
      lxmls-day1 add 1.9
      lxmls-day1 add --all
    """
    from lxmls_day1.course.registry import Registry
    from lxmls_day1.course.reports.terminal import find_workspace
    from lxmls_day1.course.workspaces.upgrade import add

    if notebooks and everything:
        raise click.UsageError("--all adds every notebook; do not name one as well.")
    folder = find_workspace(lab_folder, "add")
    if not notebooks and not everything:
        left = Registry.from_folder(folder).missing_exercises()
        for exercise in left:
            click.echo(f"{exercise.notebook_name:18} {exercise.id:5} {exercise.title}")
        click.echo("`lxmls-day1 add NOTEBOOK` adds them." if left else "Every exercise is here.")
        return
    added = add(folder, notebooks)
    for exercise in added:
        click.echo(f"{exercise}: {', '.join((*exercise.files, exercise.notebook))}")
    click.echo("`lxmls-day1 undo` undoes this." if added else "Every exercise that you name is here already.")
