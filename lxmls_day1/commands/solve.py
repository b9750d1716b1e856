"""``lxmls-day1 solve``: the reference solution of one exercise, so that one can go on."""

from typing import TYPE_CHECKING

import click

from lxmls_day1.commands.shared_options import lab_option

if TYPE_CHECKING:
    from lxmls_day1.course.solve_reset_undo import Replaced


@click.command(name="solve", short_help="Put in the reference solution of an exercise.")
@click.argument("exercise")
@lab_option
def command(exercise: str, lab_folder: str | None) -> None:
    """Put the reference solution of an exercise into your workspace, so that you can go on.

    What you had written is kept, and `lxmls-day1 undo` brings it back. A student's installation may hold no solutions.

    \b
    Example:
      lxmls-day1 solve 1.5
    """
    from lxmls_day1.course.solve_reset_undo import solve
    from lxmls_day1.course.terminal import shown_workspace

    tell(solve(shown_workspace(lab_folder, "solve"), exercise), f"The solution of exercise {exercise}")


def tell(replaced: "Replaced", what: str) -> None:
    """Say what was replaced, and how to get it back."""
    if not replaced.files:
        click.echo(f"{what} was in place already.")
        return
    click.echo(f"{what} is now in {', '.join(replaced.files)}; `lxmls-day1 undo` brings back what was there.")
    if any(name.endswith(".ipynb") for name in replaced.files):
        click.echo("If a notebook is open, reload it from disk before you save it.")
