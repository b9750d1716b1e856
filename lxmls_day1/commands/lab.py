"""``lxmls-day1 lab``: JupyterLab, at the first exercise that is not solved."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import click

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.installation import COMPLETE, how_to_install, own_command, temporary_runner
from lxmls_day1.library_path import safe_environment

#: The environment variable of a `lab` that another one, without JupyterLab, has started in a larger environment.
RUN_AGAIN = "LXMLS_DAY1_LAB_AGAIN"


@click.command(name="lab", short_help="Open the notebooks.", context_settings={"ignore_unknown_options": True})
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path())
@click.option("--start", is_flag=True, help="Make the workspace DIR first if it does not exist.")
@click.option("--print", "only_print", is_flag=True, help="Print the command instead of running it.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser; JupyterLab shows its address.")
@click.pass_context
def command(context: click.Context, folder: str | None, start: bool, only_print: bool, no_browser: bool) -> None:
    """Open JupyterLab in the workspace DIR, or in the one that you are in, at the first exercise that is not solved.

    \b
    Examples:
      lxmls-day1 lab
      lxmls-day1 lab my-lab --start
    """
    from lxmls_day1.course.reports.terminal import find_workspace
    from lxmls_day1.course.workspaces.progress import status_of
    from lxmls_day1.course.workspaces.workspace import shell_quoted, start_workspace

    if start and folder and not (Path(folder).is_dir() and any(Path(folder).iterdir())):
        click.echo(f"{start_workspace(folder, core_only=True)} is your new lab.")
    lab_folder = find_workspace(folder, "lab")
    status = status_of(lab_folder)
    standing = status.next or next(iter(status.exercise_statuses), None)
    notebook = standing.exercise.notebook if standing else ""
    if status.next:
        click.echo(f"Exercise {status.next.exercise.id}, {status.next.exercise.title}: {notebook}")
    arguments = jupyter_arguments(lab_folder, notebook, no_browser)
    if only_print:
        click.echo(shell_quoted(*arguments))
        return
    is_installed = find_spec("jupyterlab") is not None
    if not is_installed and temporary_runner() and not os.environ.get(RUN_AGAIN):
        click.echo("Fetching JupyterLab and numba (about 120 MB, once) ...")
        options = ["--no-browser"] * no_browser
        os.environ[RUN_AGAIN] = "1"
        context.exit(run_until_it_ends([*own_command(COMPLETE), "lab", str(lab_folder), *options], lab_folder))
    if not is_installed:
        raise InputError(
            f"JupyterLab is not installed here. Install it with {how_to_install('notebook')} (in a checkout "
            f"`make lab` does it), or open {notebook or 'the notebooks'} in any other program for notebooks."
        )
    context.exit(run_until_it_ends(arguments, lab_folder))


def jupyter_arguments(folder: Path, notebook: str, no_browser: bool = False) -> list[str]:
    """Return the command that starts JupyterLab in a folder, with a notebook open if it exists."""
    arguments = [sys.executable, "-P", "-m", "jupyterlab", f"--ServerApp.root_dir={folder}"]
    if notebook and (folder / notebook).is_file():
        arguments.append(f"--LabApp.default_url=/lab/tree/{quote(notebook)}")
    return arguments + ["--no-browser"] * no_browser


def run_until_it_ends(arguments: list[str], folder: Path) -> int:
    """Run a program that handles Ctrl-C itself; return its exit status."""
    process = subprocess.Popen(arguments, cwd=folder, env=safe_environment())
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # The terminal sends Ctrl-C to the program, too, which asks before it ends.
