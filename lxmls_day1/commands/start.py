"""``lxmls-day1 start``: a workspace of one's own."""

import click


@click.command(name="start", short_help="Make a workspace for the exercises.")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.option(
    "--all", "everything", is_flag=True, help="Include the exercises of all notebooks, and every file of the lab."
)
@click.option(
    "--editor-files/--no-editor-files",
    default=True,
    help="Include .vscode/tasks.json, the commands for VS Code.",
    show_default=True,
)
def command(folder: str, everything: bool, editor_files: bool) -> None:
    """Make the folder DIR with the exercises of the day, 1.1 to 1.8: their notebooks, the files that you complete, and the checks.

    `lxmls-day1 add NOTEBOOK` adds further exercises. Files that are not in DIR are imported from the installed package.

    DIR must be new or empty: nothing is ever overwritten. `start .` fills the folder that you are in.

    \b
    Examples:
      lxmls-day1 start my-lab
      lxmls-day1 start --all my-lab
    """
    from pathlib import Path

    from lxmls_day1.base.errors import counted
    from lxmls_day1.course.registry import Registry
    from lxmls_day1.course.workspaces.workspace import as_typed, start_workspace

    made = start_workspace(folder, day=not everything, editor_files=editor_files)
    typed = str(made) if folder.startswith("~") else folder
    elsewhere = made != Path.cwd()
    click.echo(f"{made} is your lab, with {counted(len(Registry.of(made).assigned), 'exercise')}.")
    click.echo(f"Next: {as_typed('lxmls-day1', 'lab', *[typed] * elsewhere)}    (opens the notebooks)")
    click.echo("All commands work in it:")
    if elsewhere:
        click.echo(f"  {as_typed('cd', typed)}")
    click.echo("  lxmls-day1 status    (how far you are)")
    if not everything:
        click.echo("  lxmls-day1 add       (which further notebooks there are)")
