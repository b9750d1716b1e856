"""``lxmls-day1 release``: make the bundle that an instructor distributes."""

import click

from lxmls_day1.commands.shared_options import solved_exercises_option


@click.command(name="release", short_help="For instructors: make the bundle for students.")
@click.argument("out", type=click.Path())
@solved_exercises_option
@click.option(
    "--with-solutions", is_flag=True, help="Include all solutions, hidden checks and known mistakes: not for students."
)
@click.option(
    "--course", default="", metavar="ADDRESS", help="The address from which notebooks on Colab will clone the bundle."
)
def command(out: str, exercises: list[str] | None, with_solutions: bool, course: str) -> None:
    """Make the bundle for students in the folder OUT: a workspace and a wheel without solutions, as a folder and as a zip file.

    This needs a checkout of the repository. The same checkout always gives the same bytes.

    \b
    Examples:
      lxmls-day1 release out
      lxmls-day1 release out --exercises 1.2,1.5,1.7
      lxmls-day1 release out --course https://example.org/day-1.git
      lxmls-day1 release out --with-solutions
    """
    from lxmls_day1.base.errors import InputError, pluralize
    from lxmls_day1.course.workspaces.student_bundle import release

    if exercises is not None and with_solutions:
        raise InputError("--with-solutions leaves no exercise open, so it cannot be combined with --exercises.")
    made = release(out, exercises, with_solutions, course)
    click.echo(f"{made.folder} ({pluralize(made.n_files, 'file')})")
    click.echo(f"{made.archive}")
    if with_solutions:
        click.echo("With all solutions: not for students.")
    else:
        click.echo(f"To be solved: {', '.join(made.stubbed)}. No line of their solutions is in it, the wheel included.")
