"""``lxmls-day1 start``: make a workspace."""

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

    from lxmls_day1.base.errors import pluralize
    from lxmls_day1.base.installation import how_to_keep, own_command, temporary_runner
    from lxmls_day1.course.registry import Registry
    from lxmls_day1.course.workspaces.workspace import shell_quoted, start_workspace

    made = start_workspace(folder, core_only=not everything, editor_files=editor_files)
    typed = str(made) if folder.startswith("~") else folder
    elsewhere = made != Path.cwd()
    click.echo(f"{made} is your lab, with {pluralize(len(Registry.from_folder(made).assigned), 'exercise')}.")
    click.echo(f"Next: {shell_quoted(*own_command(), 'lab', *[typed] * elsewhere)}    (opens the notebooks)")
    click.echo("All commands work in it:")
    if elsewhere:
        click.echo(f"  {shell_quoted('cd', typed)}")
    click.echo("  lxmls-day1 status    (how far you are)")
    if not everything:
        click.echo("  lxmls-day1 add       (which further notebooks there are)")
    if temporary_runner():
        click.echo(f"Here `lxmls-day1` stands for `{shell_quoted(*own_command())}`.")
        click.echo(f"To keep it as a command: {how_to_keep()}")
