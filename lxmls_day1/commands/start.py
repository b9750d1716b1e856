"""``lxmls-day1 start``: a workspace of one's own."""

import click


@click.command(name="start", short_help="Make a workspace to solve the exercises in.")
@click.argument("folder", metavar="DIR", type=click.Path())
def command(folder: str) -> None:
    """Make the folder DIR, with readers, classifiers in which the exercises are left open, notebooks and checks.

    DIR must not be there yet, or be empty: nothing is ever overwritten. `start .` fills the folder that you are in.

    \b
    Example:
      lxmls-day1 start my-lab
    """
    from pathlib import Path

    from lxmls_day1.course.registry import Registry
    from lxmls_day1.course.workspace import as_typed, start_workspace
    from lxmls_day1.errors import counted

    made = start_workspace(folder)
    typed = str(made) if folder.startswith("~") else folder
    elsewhere = made != Path.cwd()
    click.echo(f"Next: {as_typed('lxmls-day1', 'lab', *[typed] * elsewhere)}    (opens the notebooks)")
    click.echo(
        f"{made} is your lab, with {counted(len(Registry.of(made).assigned), 'exercise')}. All commands work in it:"
    )
    if elsewhere:
        click.echo(f"  {as_typed('cd', typed)}")
    click.echo("  lxmls-day1 status    (how far you are)")
