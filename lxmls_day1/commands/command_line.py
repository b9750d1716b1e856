"""The ``lxmls-day1`` command: the list of its commands, and the handling of their errors.

Each command is a module of this package with a click command named ``command``; `COMMANDS` lists them. Such a module imports only click
at its head and everything else inside its function, because ``--help`` imports all of them.
"""

import contextlib
import errno
import functools
import importlib
import io
import os
import re
import shutil
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, cast

import click

import lxmls_day1
from lxmls_day1.base import waiting
from lxmls_day1.base.errors import InputError, current_folder, did_you_mean
from lxmls_day1.commands import first_compilation

#: The commands in the order of the help; each is a module of this package.
COMMANDS = (
    *("run", "train", "predict", "explain", "cache", "toy", "doctor"),
    *("start", "add", "lab", "demo", "docs", "check", "hint", "status", "solve", "reset", "undo", "update", "submit"),
    *("join", "leave", "room", "release", "browser", "grade", "autograder"),
)
STANDARD_OUTPUT = "standard output"  # its name in an error message
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class CommandGroup(click.Group):
    """Commands that are imported when they are called, and whose errors are reported in one sentence.

    Exit codes: 0 done; 1 an error that the user can correct, or Ctrl-C; 2 an invalid command line; 3 from
    `grade`: done, except for submissions on which the grader failed.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import the module of a command."""
        if name not in COMMANDS:
            return None
        return cast(click.Command, importlib.import_module(f"lxmls_day1.commands.{name}").command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that an argument names; suggest the nearest for a mistyped one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; report an error that the user can correct in one sentence."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE or error.filename == STANDARD_OUTPUT:
                # Either the reader of our output has closed it, as `head` does, and click ends quietly; or the device is full, which
                # `main` reports once.
                raise
            raise click.ClickException(describe_os_error(error)) from error
        except MemoryError as error:
            raise click.ClickException(
                "there is not enough memory for this; use less data at a time, or a corpus on disk (`lxmls-day1 cache`)."
            ) from error


@click.command(
    cls=CommandGroup,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`lxmls-day1 COMMAND --help` explains a command and its options.",
)
@click.version_option(lxmls_day1.__version__, prog_name="lxmls-day1")
def command_group() -> None:
    """Learn and use linear classifiers, from naive Bayes to support vector machines, on real reviews.

    A lab is a folder with readers/ (data sets) and classifiers/ (one file per algorithm). Every command works on the
    lab that contains the current folder. Outside a lab, run, train, predict, explain and demo use the reference
    lab, in which all exercises are solved; the commands for exercises need a lab of your own.

    \b
    Examples:
      lxmls-day1 run                   every classifier on the simple data set and
                                       on book reviews; table, figures in out/
      lxmls-day1 run --domain dvd      the same on another kind of reviews
      lxmls-day1 run --domain toy      needs neither data nor network
      lxmls-day1 run --file mine.csv   your own labelled text instead of reviews
      lxmls-day1 run --lab my-lab      with the classifiers of that folder

    \b
      lxmls-day1 train --classifier svm --tune
      lxmls-day1 train --classifier mira --out mira.npz
      lxmls-day1 predict mira.npz review.txt
      lxmls-day1 explain mira.npz review.txt

    \b
      lxmls-day1 cache big.csv.gz --hash 20 --out big.bags
                                       text that does not fit into memory
      lxmls-day1 toy --documents 1e6   any number of made-up reviews

    \b
      lxmls-day1 docs                  the book of the lab
      lxmls-day1 doctor                what works here, and how to fix the rest
      lxmls-day1 start my-lab          a workspace for the exercises; in it:
      lxmls-day1 lab                   the notebooks
      lxmls-day1 demo                  demonstrations in the browser
      lxmls-day1 check 1.5             is it right? (--watch: check at every save)
      lxmls-day1 hint 1.5              the next of three hints
      lxmls-day1 status                how far you are
      lxmls-day1 solve 1.5             put in the solution, so that you can go on
      lxmls-day1 reset 1.5             the empty exercise again
      lxmls-day1 undo                  bring back what solve or reset replaced
      lxmls-day1 add 5_structured      a further notebook, with what it needs
      lxmls-day1 update                after an update of this package
      lxmls-day1 submit                one zip file for the instructor
      lxmls-day1 room                  for lecturers: the mistakes of a class, now
      lxmls-day1 join ADDRESS          count your checks on its board
      lxmls-day1 leave                 and withdraw them
      lxmls-day1 release out           for instructors: the bundle for students
      lxmls-day1 browser site          the lab as a web site; nothing to install
      lxmls-day1 grade all.zip --out marks   for instructors: grade submissions
      lxmls-day1 autograder --for gradescope --out autograder.zip
                                       the grader for a platform that runs it

    The reviews are those of Blitzer et al. (2007). They are downloaded once and kept; if you have them already, set
    LXMLS_DAY1_DATA to the folder that holds them.
    """


def describe_os_error(error: OSError) -> str:
    """Return a sentence on an error, such as ``results: no space left on device.``, without its class and number.

    Examples
    --------
    >>> describe_os_error(FileNotFoundError(2, "No such file or directory", "out/results.csv"))
    'out/results.csv: no such file or directory.'

    If several files could not be copied, the first one is named:

    >>> describe_os_error(shutil.Error([("lab/a.py", "copy/a.py", "[Errno 13] Permission denied: 'copy/a.py'")]))
    'copy/a.py: permission denied.'
    """
    from lxmls_day1.base.atomic_files import FOLDER_PREFIX

    if isinstance(error, shutil.Error) and isinstance(error.args[0], list):
        _, place, message = error.args[0][0]
        number, reason = re.fullmatch(r"(?:\[Errno (\d+)\] )?(.*?)(?:: '.*)?", str(message), re.DOTALL).groups()  # type: ignore[union-attr]  # always matches
        return describe_os_error(OSError(int(number or 0), reason, place))
    reason = error.strerror or str(error) or type(error).__name__
    reason = reason[0].lower() + reason[1:]
    if isinstance(error, FileNotFoundError) and not error.filename:
        try:
            current_folder()
        except InputError as gone:
            return f"{gone}."
    temporary = not error.filename or f"{os.sep}{FOLDER_PREFIX}" in str(error.filename)
    if "no usable temporary directory" in reason or (error.errno in (errno.ENOSPC, errno.EDQUOT) and temporary):
        reason += "; free some space, or set TMPDIR to a folder that has some"
    return f"{error.filename}: {reason}." if error.filename else f"{reason}."


@contextlib.contextmanager
def caches_without_home() -> Iterator[None]:
    """Use temporary folders for the caches of libraries if the home folder is missing; numba would create a folder ``~`` otherwise."""
    if os.path.expanduser("~") != "~":
        yield
        return
    from lxmls_day1.base.atomic_files import temporary_folder

    with temporary_folder("lxmls-day1-caches-") as place:
        for variable in ("NUMBA_CACHE_DIR", "MPLCONFIGDIR"):
            os.environ.setdefault(variable, str(place))
        yield


@contextlib.contextmanager
def terminate_cleanly() -> Iterator[None]:
    """Handle SIGTERM and SIGHUP like Ctrl-C, so that the process cleans up; a signal that ``nohup`` ignores stays ignored."""

    def end(number: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():  # Signals can be handled in the main thread only.
        numbers = []
    ours = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


class _Stream(io.FileIO):
    """Standard output, whose errors name it, or standard error, whose errors are ignored so that no command fails."""

    def write(self, content: Any) -> int:
        """Write the content; ignore an error on standard error."""
        try:
            return super().write(content)
        except OSError as error:
            if self.fileno() == 2:
                return len(content)
            error.filename = STANDARD_OUTPUT
            raise


def open_streams() -> None:
    """Replace closed standard streams by the null device, so that no other file gets their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                null = os.open(os.devnull, os.O_RDWR)
                if null != number:
                    os.dup2(null, number)
                    os.close(null)
            mode = "w" if number else "r"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8", errors="backslashreplace"))  # noqa: SIM115
        elif number and os.name == "posix" and (old := getattr(sys, name)) is getattr(sys, f"__{name}__"):
            old.flush()
            buffer = io.BufferedWriter(_Stream(old.fileno(), "w", closefd=False))
            line_buffering = number == 2 or old.line_buffering or old.write_through
            setattr(sys, name, io.TextIOWrapper(buffer, old.encoding, old.errors, line_buffering=line_buffering))


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status. Linear algebra runs on one thread in this process.

    Our matrices are sparse and our vectors short, so threads of a linear algebra library have almost nothing to do,
    and keep the processor busy while they wait. On two cores they double the time of `lxmls-day1 run`.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: the arguments of the process.
    """
    for variable in THREAD_VARIABLES:
        os.environ.setdefault(variable, "1")  # read at the import of numpy, which happens later
    status: str | int | None = None
    open_streams()
    stdout = sys.stdout  # click puts another stream in its place after a broken pipe.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a word may contain characters that the terminal's encoding lacks
            stream.reconfigure(errors="backslashreplace")
    shown_before = warnings.formatwarning

    def formatwarning(message: Warning | str, category: type[Warning], *arguments: Any, **settings: Any) -> str:
        if category is UserWarning:
            return f"Warning: {message}\n"  # without file and line, which do not help the user of a command
        return shown_before(message, category, *arguments, **settings)

    warnings.formatwarning = formatwarning
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    try:
        say = functools.partial(click.echo, err=True)
        try:
            with (
                terminate_cleanly(),
                caches_without_home(),
                first_compilation.report_compilation(),
                waiting.report_waits(say),
            ):
                command_group.main(args=arguments, prog_name="lxmls-day1", color=False if plain else None)
        except SystemExit as end:
            status = end.code
        stdout.flush()
    except OSError as error:  # an error of standard output; other errors were reported by `CommandGroup.invoke`
        # Otherwise Python would write again when it exits, and report the error again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
        if error.errno != errno.EPIPE:
            click.echo(f"Error: {describe_os_error(error)}", err=True)
        status = status or 1
    sys.exit(status)
