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

    from lxmls_day1.errors import counted
    from lxmls_day1.exercises.registry import Registry
    from lxmls_day1.exercises.workspace import as_typed, start_workspace

    made = start_workspace(folder)
    click.echo(f"{made} is your lab, with {counted(len(Registry.of(made).assigned), 'exercise')}. Go on with:")
    if made != Path.cwd():
        click.echo(f"  {as_typed('cd', str(made) if folder.startswith('~') else folder)}")
    click.echo("  lxmls-day1 lab       (the notebooks)    or    lxmls-day1 status")
