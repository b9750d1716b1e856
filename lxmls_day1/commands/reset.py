"""``lxmls-day1 reset``: the empty exercise again."""

import click

from lxmls_day1.commands.shared_options import lab_option


@click.command(name="reset", short_help="Put back the empty exercise.")
@click.argument("exercise")
@click.option("--whole-file", is_flag=True, help="Replace the whole files of the exercise, not its functions alone.")
@lab_option
def command(exercise: str, whole_file: bool, lab_folder: str | None) -> None:
    """Put back an exercise as it was at the start.

    What you had written is kept, and `lxmls-day1 undo` brings it back.

    \b
    Example:
      lxmls-day1 reset 1.5
    """
    from lxmls_day1.commands.solve import tell
    from lxmls_day1.course.solve_reset_undo import reset
    from lxmls_day1.course.terminal import shown_workspace

    tell(reset(shown_workspace(lab_folder, "reset"), exercise, whole_file), f"The empty exercise {exercise}")
