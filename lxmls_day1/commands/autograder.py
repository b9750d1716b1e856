"""``lxmls-day1 autograder``: the grader as a zip file for a platform that runs it."""

import click

from lxmls_day1.commands.shared_options import ExerciseList


@click.command(name="autograder", short_help="For instructors: the grader for Gradescope and others.")
@click.option(
    "--for",
    "platform",
    required=True,
    type=click.Choice(["gradescope", "classroom50", "prairielearn"]),
    help="The platform that runs it.",
)
@click.option("--out", required=True, type=click.Path(), help="The zip file, such as autograder.zip.")
@click.option(
    "--exercises", type=ExerciseList(), help="Only these exercises, such as 1.2,1.5 or core or afternoon. Default: all."
)
@click.option("--seed", type=click.IntRange(0), help="Seed of the hidden checks, one for all. Default: fresh.")
@click.option(
    "--trust-submissions",
    is_flag=True,
    help="Run hidden checks in the platform's container even where the sandbox cannot keep them secret.",
)
def command(platform: str, out: str, exercises: list[str] | None, seed: int | None, trust_submissions: bool) -> None:
    """Make the grader as a zip file that a platform runs on each submission.

    This needs a checkout of the repository. docs/how-to/autograde-PLATFORM.md has the next steps.

    \b
    gradescope     upload it as the autograder of a programming assignment
    prairielearn   a question, and the Dockerfile of its image
    classroom50    public checks only: what Classroom 50 runs is published

    \b
    Examples:
      lxmls-day1 autograder --for gradescope --out autograder.zip
      lxmls-day1 autograder --for gradescope --out autograder.zip
                            --exercises 1.2,1.5
    """
    from pathlib import Path

    from lxmls_day1.base.atomic_files import write_files_atomically
    from lxmls_day1.base.errors import InputError
    from lxmls_day1.commands.output import writable_folder
    from lxmls_day1.grading.autograder_kit import autograder

    path = Path(out)
    if path.is_dir() or path.suffix.lower() != ".zip":
        raise InputError(f"--out must be the name of a zip file, such as autograder.zip; got {out}.")
    writable_folder(str(path.parent))
    made = autograder(platform, exercises or None, seed, trust_submissions)
    write_files_atomically({path: made.archive})
    click.echo(f"{path} ({len(made.archive) / 1e6:.1f} MB), for {platform}: {', '.join(made.settings.exercises)}")
    if made.hidden:
        click.echo(f"Hidden checks draw from --seed {made.settings.seed}. With all solutions: not for students.")
    else:
        click.echo("Public checks only, and no line of a solution: what this platform runs is no secret from students.")
