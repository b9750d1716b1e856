"""``lxmls-day1 submit``: one zip file for the instructor."""

from pathlib import Path

import click

from lxmls_day1.base.errors import InputError
from lxmls_day1.commands.output import writable_folder
from lxmls_day1.commands.shared_options import lab_option


@click.command(name="submit", short_help="Pack your work into one file to hand in.")
@click.option("--name", help="Your name, or what your instructor asks for. Default: the name of the folder.")
@click.option("--out", type=click.Path(), help="A folder, or a file name that ends in .zip. Default: the workspace.")
@click.option("--force", is_flag=True, help="Pack even if a file is missing or is not valid Python.")
@lab_option
def command(name: str | None, out: str | None, force: bool, lab_folder: str | None) -> None:
    """Check that everything is there, and pack readers, classifiers and notebooks into one zip file.

    You can submit with unsolved exercises, but not with a file that is missing or that Python cannot parse.

    The receipt is printed: the SHA-256 of the zip file. The feedback page that you get back shows it again.

    \b
    Examples:
      lxmls-day1 submit --name "Ada Lovelace"
      lxmls-day1 submit --name "Ada Lovelace" --out ada.zip
    """
    from lxmls_day1.base.atomic_files import write_files_atomically
    from lxmls_day1.course.reports.report_text import packed_lines
    from lxmls_day1.course.reports.terminal import echo_lines, echo_status, find_workspace
    from lxmls_day1.course.workspaces.packed_work import collect_submission, pack_submission
    from lxmls_day1.course.workspaces.progress import status_of
    from lxmls_day1.course.workspaces.workspace import workspace_folder

    folder = workspace_folder(find_workspace(lab_folder, "submit"), "submit")
    submission = collect_submission(folder)
    if submission.faults:
        for sentence in submission.faults:
            click.echo(sentence, err=True)
        if not force:
            raise InputError("nothing was packed; correct this first, or use --force.")
    echo_status(status_of(folder))
    file_name, content = pack_submission(folder, submission, name or folder.name)
    if out and out.casefold().endswith(".zip") and not Path(out).is_dir():
        path = writable_folder(str(Path(out).parent)) / Path(out).name
    else:
        path = writable_folder(out or str(folder)) / file_name
    was_there = path.is_file()
    write_files_atomically({path: content})
    click.echo()
    echo_lines(packed_lines(submission, path, content, was_there))
