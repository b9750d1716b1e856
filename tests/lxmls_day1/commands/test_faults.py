"""Faults during long commands: repeated afterwards, each command gives the result of an undisturbed run and leaves no extra files.

    make faults ARGS="--seed 3 --rounds 50"
    make faults ARGS="--only grade,release"

The moment is chosen by progress, never by time: after a number of changes to files and processes (counted by an audit
hook), or after some CPU time. A fault ends the command by a signal, kills one of its workers or
a worker's child (a box), fills its disk, limits it to a tenth of a core, or sets its clock back by a day, so that older files have
a date in the future. The tests have one fault of each kind; the campaign draws commands, faults and moments, and prints a table.
"""

import argparse
import contextlib
import csv
import ctypes
import functools
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lxmls_day1.course.workspaces.generation import solved_files
from lxmls_day1.course.workspaces.workspace import start_workspace, write_files
from lxmls_day1.engine.corpus.corpus_builder import make_corpus
from lxmls_day1.engine.text.toy_stream import toy_documents
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.small_disk import small_disk
from tests.wording import wording

psutil = pytest.importorskip("psutil", exc_type=ImportError)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="faults are those of Linux")]
DAY = 86_400
UNLIKE = re.compile(rb'\d{4}-\d\d-\d\d \d\d:\d\d UTC|"mtime_ns": \d+')  # these differ between any two runs
SET_SUBREAPER = 36  # An option of prctl: orphans become children of this process, which can then find them.

#: Runs a command with one fault. The command's progress at its end is written to the file `progress`.
LAUNCHER = r"""
import atexit, glob, json, os, random, signal, sys, time
import psutil
plan = json.loads(os.environ.pop("FAULT"))
kind, here, pid, changes = plan["kind"], os.path.realpath("."), os.getpid(), 0
struck = kind is None
begun, real, ahead = 0.0, time.time, plan["day"] if kind == "clock" else 0
time.time = lambda: real() + ahead
time.time_ns = lambda: int(1e9 * (real() + ahead))
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "subprocess.Popen"}

def strike():
    global struck, ahead
    if struck or os.getpid() != pid:
        return
    struck = True
    if kind in ("worker", "box"):
        children = psutil.Process().children()
        below = [process for child in children for process in child.children(recursive=True)]
        aims = children if kind == "worker" else below
        if not aims:
            struck = False  # at the next change
            return
        random.Random(str(plan["at"])).choice(aims).kill()
    elif kind == "disk":
        with open(os.path.join(plan["folder"], "ballast"), "wb", buffering=0) as file:
            for size in (1 << 16, 1):
                try:
                    while file.write(bytes(size)):
                        pass
                except OSError:
                    pass
    elif kind == "slow":
        for tasks in plan["groups"]:
            with open(tasks, "w") as file:
                file.write(str(pid))
    elif kind == "clock":
        for folder, _, names in os.walk(here):
            for name in names:
                path = os.path.join(folder, name)
                if not os.path.islink(path) and os.stat(path).st_mtime < real() + plan["day"] / 2:
                    os.utime(path, (real() + plan["day"],) * 2)
        ahead = 0
    elif kind == "SIGINT":
        os.killpg(0, signal.SIGINT)  # as a terminal does
    else:
        os.kill(pid, signal.Signals[kind])

def look(event, arguments):
    global changes
    if event == "open":
        path, _, flags = arguments
        if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or not isinstance(path, (str, bytes)):
            return
        if not os.path.abspath(os.fsdecode(path)).startswith(here):
            return
    elif event not in CHANGES:
        return
    if os.getpid() == pid:
        changes += 1
        if changes >= plan["at"] if plan["by"] == "changes" else plan["by"] == "file" and glob.glob(plan["at"]):
            strike()

sys.addaudithook(look)
def tell():
    global struck
    so_far, struck = [changes, time.process_time() - begun, struck], True
    signal.setitimer(signal.ITIMER_PROF, 0)
    try:
        with open(plan["progress"], "w") as file:
            json.dump(so_far, file)
    except OSError:  # the disk is full
        pass

from lxmls_day1.engine.text import text_blocks
text_blocks.PIECE_BYTES = 5000  # small files, and many pieces
from lxmls_day1.commands.command_line import main
atexit.register(tell)
begun, changes = time.process_time(), 0
if plan["by"] == "seconds":
    signal.signal(signal.SIGPROF, lambda *_: strike())
    signal.setitimer(signal.ITIMER_PROF, plan["at"], 0.02)
main(sys.argv[1:])
"""


@dataclass(frozen=True)
class Command:
    """A long command: its input, and the results that are compared byte for byte (of the other files, only the names).

    Attributes
    ----------
    words : tuple of str
    inputs : function of a folder
        Writes the command's input into the folder.
    same : tuple of str
        Patterns of names.
    again : tuple of str
        Arguments that are added when the command is repeated.
    once : bool
        Whether the command refuses to run again after it has succeeded.
    keeps : str
        A pattern of names: files that exist when the first run ends are not written again.
    """

    words: tuple[str, ...]
    inputs: Callable[[Path], object]
    same: tuple[str, ...]
    again: tuple[str, ...] = ()
    once: bool = False
    keeps: str = ""


def documents(folder: Path) -> Path:
    path = folder / "mails.tsv"
    rows = (row for block in toy_documents(700, seed=2, n_classes=3, n_words=30) for row in block)
    path.write_text("label\ttext\n" + "".join(f"{label}\t{text}\n" for label, text in rows))
    return path


def corpus(folder: Path) -> None:
    make_corpus([documents(folder)], folder / "mails.bags", hash_bits=10, rows_a_shard=100)


def submissions(folder: Path) -> None:
    """Write four submissions: two correct, one that ends Python, and one that is wrong in another way."""
    path = "classifiers/mira.py"
    files = {str(name): content for name, content in solved_files(reference_folder()).items() if name.suffix == ".py"}
    for student, mira in {"ada": files[path], "ben": b"raise SystemExit", "eve": b"", "kay": files[path]}.items():
        write_files(folder / "class" / student, {**files, path: mira})


COMMANDS = {
    "grade": Command(
        ("grade", "class", "--out", "marks", "--exercises", "1.5", "--seed", "3", "--jobs", "1"),
        submissions, ("marks/grades.csv", "marks/.expected.json", "marks/feedback/*"), keeps="marks/.rows/*.json",
    ),
    "cache": Command(
        ("cache", "mails.tsv", "--out", "x.bags", "--hash", "10", "--shard-rows", "100"),
        documents, ("x.bags/*",),
    ),
    "vocabulary": Command(
        ("cache", "mails.tsv", "--out", "x.bags", "--shard-rows", "100"), documents, ("x.bags/*",)
    ),
    "train": Command(
        ("train", "--classifier", "mira", "--set", "nr_rounds=5", "--corpus", "mails.bags", "--checkpoint", "kept", "--every", "150"),
        corpus, ("model.npz",), again=("--resume",),
    ),
    "run": Command(("run", "--domain", "toy", "--out", "out"), lambda folder: None, ("out/results.csv", "out/accuracies.png")),
    "submit": Command(
        ("submit", "--lab", "lab", "--out", "packed"), lambda folder: start_workspace(folder / "lab"), ("packed/*", "lab/*")
    ),
    "release": Command(("release", "out"), lambda folder: None, ("out/*",), once=True),
}  # fmt: skip
SIGNALS = ("SIGINT", "SIGTERM", "SIGKILL")
ENDED = (*SIGNALS, "disk")  # These faults may end a command.
FAULTS = (*SIGNALS, "worker", "box", "disk", "slow", "clock")


@dataclass(frozen=True)
class Moment:
    """A number of ``"changes"`` or of CPU ``"seconds"`` of the main process, or the appearance of a ``"file"``."""

    by: str
    at: float | str


@contextlib.contextmanager
def tenth_of_a_core() -> Iterator[list[str]]:
    """Yield the files to which a process number is written to limit that process to a tenth of a core."""
    older, newer = ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "10000"), ("/sys/fs/cgroup", "cpu.max", "10000 100000")
    for top, setting, value in (older, newer):
        group = Path(top, f"lxmls-day1-{os.getpid()}")
        try:
            group.mkdir()
            (group / setting).write_text(value)
        except OSError:
            with contextlib.suppress(OSError):
                group.rmdir()
            continue
        try:
            yield [str(group / "cgroup.procs")]
        finally:
            group.rmdir()
        return
    pytest.skip("no control group can be made here")


def results(folder: Path, command: Command) -> dict[str, object]:
    """Return the names below a folder, with the contents of the compared files; check that readable files are complete."""
    same = {path for pattern in command.same for found in folder.glob(pattern) for path in (found, *found.rglob("*"))}
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not path.is_file() or path.name in (".lock", "progress"):
            continue
        assert path.suffix != ".json" or json.loads(path.read_bytes()) is not None, f"{name} is not whole"
        assert path.suffix not in (".csv", ".html", ".md") or path.read_bytes().endswith(b"\n"), f"{name} is not whole"
        content: object = UNLIKE.sub(b"", path.read_bytes().replace(bytes(folder), b"")) if path in same else None
        if path.suffix in (".npz", ".zip"):
            with zipfile.ZipFile(path) as archive:
                content = {one: archive.read(one) for one in sorted(archive.namelist())}
        if path.name == "results.csv":
            rows = csv.DictReader(path.read_text().splitlines())
            content = [{name: cell for name, cell in row.items() if name != "seconds"} for row in rows]
        found[name] = content
    return found


def start(
    command: Command, folder: Path, fault: str | None, moment: Moment, more=(), groups=()
) -> tuple[int, str, list]:
    """Run a command to its end; return its status, its output and its progress (empty if the command was killed)."""
    (folder / "tmp").mkdir(exist_ok=True)
    plan = {"kind": fault, "by": moment.by, "at": moment.at, "day": DAY, "groups": groups}
    plan |= {"folder": str(folder), "progress": str(folder / "progress")}
    own = {"FAULT": json.dumps(plan), "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(reference_folder())}
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", LAUNCHER, *command.words, *more],
        cwd=folder, env=os.environ | own, start_new_session=True, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    progress = folder / "progress"
    came = json.loads(progress.read_text()) if progress.is_file() and progress.stat().st_size else []
    progress.unlink(missing_ok=True)
    return done.returncode, done.stdout + done.stderr, came


def undisturbed(command: Command, folder: Path) -> tuple[dict[str, object], list]:
    """Return the results of an undisturbed command, and its number of changes and seconds."""
    command.inputs(folder)
    status, said, came = start(command, folder, None, Moment("changes", 0))
    assert status == 0, said
    return results(folder, command), came


@contextlib.contextmanager
def left_processes() -> Iterator[Callable[[], list[str]]]:
    """Yield a function that returns the processes started in the meantime that still run after a time to end."""
    before = set(psutil.Process().children(recursive=True))
    ctypes.CDLL(None).prctl(SET_SUBREAPER, 1)

    def left() -> list[str]:
        processes = set(psutil.Process().children(recursive=True)) - before
        _, alive = psutil.wait_procs(processes, timeout=120)
        return [str(process) for process in alive]

    try:
        yield left
    finally:
        ctypes.CDLL(None).prctl(SET_SUBREAPER, 0)


def disturb(name: str, fault: str, moment: Moment, expected: dict[str, object], ready: Sequence[str] = ()) -> bool:
    """Run a command with a fault, repeat it and compare; return True if the fault happened. The files `ready` exist before."""
    command = COMMANDS[name]
    with contextlib.ExitStack() as stack:
        left = stack.enter_context(left_processes())
        place = small_disk(48) if fault == "disk" else tempfile.TemporaryDirectory()
        folder = Path(stack.enter_context(place))
        groups = stack.enter_context(tenth_of_a_core()) if fault == "slow" else ()
        command.inputs(folder)
        write_files(folder, {path: expected[path] for path in ready})
        if fault == "clock":
            for path in filter(Path.is_file, folder.rglob("*")):
                os.utime(path, (path.stat().st_mtime + DAY,) * 2)
        status, said, came = start(command, folder, fault, moment, groups=groups)
        # Destructors of libraries may print one.
        assert "Traceback" not in said or "Exception ignored in" in said, said
        (folder / "ballast").unlink(missing_ok=True)
        assert not left(), "processes are left"
        # The command had not begun yet.
        assert status == 0 or fault in ENDED or re.search(wording("commands.could_started_did_start"), said), said
        # Otherwise the signal may interrupt the removal of the folder.
        if status != -signal.SIGKILL and moment.by == "file":
            assert not list((folder / "tmp").iterdir()), f"left by the first run: {list((folder / 'tmp').iterdir())}"
            assert not list(folder.rglob(".*.part")), f"half-written: {list(folder.rglob('.*.part'))}"
        if fault in ("SIGINT", "SIGTERM") and status > 0:
            assert re.search("Stopped|Interrupted|Aborted", said), said
        kept = {path: path.stat().st_mtime_ns for path in folder.glob(command.keeps or "nothing")}
        if status or not command.once:
            status, again, _ = start(command, folder, None, Moment("changes", 0), more=command.again)
            assert status == 0, f"status {status}: {said}\n--- again:\n{again}"
        assert not left(), "processes are left"
        assert kept == {path: path.stat().st_mtime_ns for path in kept}, f"made again:\n{again}"
        found = results(folder, command)
        assert not [key for key in found if key.endswith(".part")], f"half-written: {sorted(found)}"
        assert not list((folder / "tmp").iterdir()), f"left: {list((folder / 'tmp').iterdir())}"
        differ = sorted(key for key in {*found, *expected} if found.get(key, 0) != expected.get(key, 0))
        assert not differ, f"other results: {differ}\n{said}"
        return not came or bool(came[2])


SHORT = {  # (command, fault) -> the file at whose appearance the fault happens
    ("cache", "SIGKILL"): "x.bags/lxmls-day1-corpus-*/*/shard-00002",
    ("grade", "worker"): "marks/.rows/*.json",
    ("grade", "box"): "marks/.rows/*.json",
    ("cache", "SIGINT"): "x.bags/lxmls-day1-corpus-*/*/shard-00002",
    ("vocabulary", "disk"): "x.bags/lxmls-day1-corpus-*/*/shard-00002",
    ("submit", "SIGTERM"): "packed",
    ("submit", "slow"): "packed",
    ("train", "clock"): "kept",
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return a function from a command's name to its undisturbed results, which are computed once."""

    @functools.cache
    def of(name: str) -> dict[str, object]:
        return undisturbed(COMMANDS[name], tmp_path_factory.mktemp(name))[0]

    return of


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("name", "fault"), SHORT)
def test_repeating_a_command_after_a_fault_gives_the_undisturbed_result(expected, name, fault):
    # The expected answers are computed once for all tests.
    ready = ("marks/.expected.json",) if name == "grade" else ()
    assert disturb(name, fault, Moment("file", SHORT[name, fault]), expected(name), ready), "the moment did not come"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--rounds", type=int, default=len(COMMANDS) * len(FAULTS), help="how many faults")
    options.add_argument("--only", default=",".join(COMMANDS), help="commands, such as grade,release")
    options.add_argument("--faults", default=",".join(FAULTS), help="such as SIGTERM,disk")
    chosen = options.parse_args()
    # Faults that take twice as long.
    COMMANDS["grade"] = replace(COMMANDS["grade"], words=(*COMMANDS["grade"].words[:-1], "2"))
    # A shell's background jobs ignore SIGINT, and all child processes inherit this.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    moments, names, expected = random.Random(chosen.seed), chosen.only.split(","), {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            expected[name] = undisturbed(COMMANDS[name], Path(folder))
            print(f"{name}: {expected[name][1][0]} changes, {expected[name][1][1]:.1f} s of the processor", flush=True)
    pairs = [(name, fault) for fault in chosen.faults.split(",") for name in names]
    pairs = [(name, fault) for name, fault in pairs if name in ("grade", "release") or fault not in ("worker", "box")]
    pairs.remove(("release", "box")) if ("release", "box") in pairs else None
    counts: Counter[tuple[str, str, str]] = Counter()
    for number in range(chosen.rounds):
        name, fault = pairs[number % len(pairs)]
        wanted, (changes, seconds, _) = expected[name]
        if moments.random() < 0.6:
            moment = Moment("changes", moments.randint(1, changes))
        else:
            moment = Moment("seconds", seconds * moments.uniform(0.02, 1))
        try:
            struck = disturb(name, fault, moment, wanted)
        except pytest.skip.Exception as reason:
            print(f"{name} × {fault}: skipped, {reason}", flush=True)
            continue
        except KeyboardInterrupt:
            break
        except (AssertionError, ValueError, OSError, zipfile.BadZipFile) as error:
            counts[name, fault, "wrong"] += 1
            print(f"{name} × {fault} at {moment}: {str(error)[-1500:]}", flush=True)
            struck = True
        counts[name, fault, "runs"] += 1
        counts[name, fault, "struck"] += struck
    print(f"{'command':<12}{'fault':<9}{'runs':>5}{'struck':>8}{'as undisturbed':>16}")
    for name, fault in pairs:
        if runs := counts[name, fault, "runs"]:
            struck, wrong = counts[name, fault, "struck"], counts[name, fault, "wrong"]
            print(f"{name:<12}{fault:<9}{runs:>5}{struck:>8}{runs - wrong:>16}")
    wrong = sum(number for (_, _, what), number in counts.items() if what == "wrong")
    print(f"{wrong} of {sum(number for (_, _, what), number in counts.items() if what == 'runs')} faults left a trace")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
