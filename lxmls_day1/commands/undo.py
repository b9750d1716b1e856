"""``lxmls-day1 undo``: what the last ``solve``, ``reset`` or ``update`` has replaced."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="undo", short_help="Take back the last solve, reset or update.")
@lab_option
def command(lab_folder: str | None) -> None:
    """Bring back what the last `solve`, `reset` or `update` has replaced; called again, what the one before it has.

    If you have edited the file since then, your edited text is kept too, and where is said.
    """
    from lxmls_day1.course.solve_reset_undo import undo
    from lxmls_day1.course.terminal import shown_workspace

    undone = undo(shown_workspace(lab_folder, "undo"))
    click.echo(f"`{undone.what}` is undone: {', '.join(undone.files)}")
    for path in undone.kept:
        click.echo(f"What you had edited since then is kept in {path}")
    for path in undone.lost:
        click.echo(f"{path}, where a text before it was kept, is gone.")
