"""A warm Python that makes boxes: it has imported what every lab needs, and forks once for each submission.

It runs outside of the student's reach and never runs a student's code itself. On Linux each box is made of two forks: a
supervisor, which moves into new name spaces and waits, and in there the process that gives up its rights and serves
(`box_server`). When that ends, or the grader says so or is gone, the supervisor ends all that is left of it.

`lxmls_day1.grading.sandbox` starts it as ``fork_server.main(control, level)``. Systems without fork have `spawned_box`.
"""

import ast
import contextlib
import ctypes
import gc
import importlib
import itertools
import json
import os
import select
import signal
import socket
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from lxmls_day1.exercises.importable import imported_modules
from lxmls_day1.grading import confinement, seccomp
from lxmls_day1.grading.box_server import MOST_REQUEST, BoxServer, Compiled, make_ready, prepare_process
from lxmls_day1.grading.channel import Channel, Ended
from lxmls_day1.grading.messages import decoded_request
from lxmls_day1.library_path import PACKAGES

BUBBLEWRAP, LANDLOCK, PROCESS = "bubblewrap", "landlock", "process"
PRIVATE = "/box"  # with bubblewrap: each box lays a folder of its own over that of the fork server
COVERED = ("/proc", "/given")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
OF_THE_BOX = ("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR")  # variables that name the folder of the box
FEW_COLLECTIONS = 20_000  # new objects between two searches for garbage: a check makes fewer, and its box ends soon
MOST_THREADS = 64  # beside the first one; those that are just ending count, too


class Warm(NamedTuple):
    """What is made once for all boxes: the given files compiled, and which modules of ours are imported."""

    compiled: dict[str, Compiled]
    imported: list[str]


def main(control: int, level: str, given: str, notebooks: bool = False) -> None:
    """Wait for requests on a socket; one box for each, until the socket is closed.

    Parameters
    ----------
    control : int
        The file descriptor of a socket that keeps messages apart. A request is JSON, with three descriptors: where the box
        is served, what it prints to, and where its supervisor reports.
    level : str
    given : str
        A folder with the files that students were given: most files of most submissions are the same.
    notebooks : bool
        Whether the boxes are for notebooks, which draw figures.
    """
    confinement.die_with_parent()
    warm_up()
    if notebooks:
        from lxmls_day1.grading.notebook_cells import warm_up_for_notebooks

        warm_up_for_notebooks()
    compiled = compiled_files(Path(given))
    import_heads(Path(given))
    if level != PROCESS:
        seccomp.warm_up()
    make_ready()
    gc.collect()
    use_huge_pages()
    gc.freeze()  # a box shares the memory of this process until it writes to it, and looking for garbage writes
    gc.set_threshold(FEW_COLLECTIONS)
    warm = Warm(compiled, imported_modules())
    requests = socket.socket(fileno=control)
    requests.send(b"ready")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors are buried by the kernel
    while True:
        message, handles, _, _ = socket.recv_fds(requests, 1 << 16, 3)
        if not message:
            return
        if os.fork() == 0:
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _supervise(json.loads(message), level, warm, *handles)
        for handle in handles:
            os.close(handle)


def _supervise(request: dict[str, Any], level: str, warm: Warm, served: int, printed: int, reported: int) -> None:
    """The supervisor: make the box, give leave to its threads, wait for its end or for the word to end it, report, end."""
    status = 1
    try:
        proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)  # before the box lays something over it
        if level == BUBBLEWRAP:
            if request["user"]:
                confinement.become(*request["user"])
            confinement.enter_name_spaces()
        else:
            confinement.adopt_orphans()
        confinement.die_with_parent()
        hears, says = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            os.close(reported)
            _be_the_box(request, level, warm, served, printed, says)
        for handle in (served, printed):
            os.close(handle)
        says.close()
        watched = os.pidfd_open(pid)
        _wait(watched, reported, hears, proc)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, code, used = os.wait4(pid, 0)
        if level != BUBBLEWRAP:  # there the kernel ends a pid name space with its first process
            confinement.kill_descendants()
        report = {"status": code, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024}
        os.write(reported, json.dumps(report).encode())
        status = 0
    except OSError as error:
        os.write(reported, json.dumps({"broken": str(error)}).encode())
    finally:
        os._exit(status)


def _wait(watched: int, reported: int, hears: socket.socket, proc: int) -> None:
    """Until the box has ended or is to end; meanwhile its threads ask for leave, if it has sent what they ask by."""
    listener: int | None = None
    while True:
        asked = hears.fileno() if listener is None else listener
        ready, _, _ = select.select([watched, reported, asked], [], [])
        if watched in ready or reported in ready:
            return
        if listener is not None:
            seccomp.answer_thread(listener, proc, MOST_THREADS)
        else:
            _, handles, _, _ = socket.recv_fds(hears, 1, 1)
            listener = handles[0] if handles else watched  # no thread asks, and there is nothing more to hear


def _be_the_box(
    request: dict[str, Any],
    level: str,
    warm: Warm,
    served: int,
    printed: int,
    supervisor: socket.socket,
) -> None:
    """Give up all that a box must not have, and serve. Does not return."""
    limits, folder = request["limits"], Path(request["folder"])
    channel = None
    try:
        os.setsid()
        served, supervisor = _take_standard_places(served, printed, supervisor)
        channel = Channel(socket.socket(fileno=served), MOST_REQUEST, decode=decoded_request)
        limits["memory"] += confinement.present_memory()
        if level == BUBBLEWRAP:
            confinement.keep_mounts_private()
            confinement.cover(PRIVATE, limits["space"], limits["files"], writable=True)
            for path in filter(os.path.isdir, COVERED):
                confinement.cover(path)
            for path in DEVICES:
                confinement.make_read_only(path)
            folder.mkdir(parents=True)
        os.environ |= dict.fromkeys(OF_THE_BOX, str(folder.parent))
        os.chdir(folder)
        tempfile.tempdir = None
        prepare_process(made_ready=True)
        _confine(request, level, folder.parent, supervisor)
        channel.send({"value": "ready"})
    except BaseException as error:
        if channel is not None:
            channel.send({"broken": f"{type(error).__name__}: {error}"})
        os._exit(70)
    try:
        BoxServer(folder, limits["reply"], warm.compiled, warm.imported).serve(channel)
    except Ended:
        os._exit(0)
    except BaseException:
        os._exit(71)
    os._exit(0)


def _confine(request: dict[str, Any], level: str, private: Path, supervisor: socket.socket) -> None:
    """Limits at every level; nobody's rights, few sights, few system calls at the two that keep hostile code in."""
    limits, user, readable = request["limits"], request["user"], request.get("readable", ())
    several = limits["processes"] > 1
    confinement.limit_resources(
        limits["cpu"], limits["memory"], limits["written"], limits["processes"] if several else None
    )
    threads_are_counted = False
    if level != PROCESS:
        keep_reading = False
        if level == LANDLOCK and user:
            confinement.become(user[0], user[1], keep_capabilities=True)
            keep_reading = not all(os.access(path, os.R_OK) for path in (*readable, private))
        confinement.drop_capabilities(keep_reading)
        if level == LANDLOCK:
            confinement.allow_only(readable, [str(private), os.devnull], request["landlock"])
        listener = seccomp.ask_for_threads()
        if listener is not None:
            threads_are_counted = True
            socket.send_fds(supervisor, [b"+"], [listener])
            os.close(listener)
    supervisor.close()
    confinement.die_with_parent()
    if level != PROCESS:
        seccomp.allow_system_calls(several and level == BUBBLEWRAP, threads_are_counted)


def _take_standard_places(served: int, printed: int, supervisor: socket.socket) -> tuple[int, socket.socket]:
    """Nothing to read, what is printed to its place, the socket at 3, that to the supervisor at 4, no other descriptor at all."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    high, higher = os.dup2(served, 100), os.dup2(supervisor.detach(), 101)
    os.dup2(nothing, 0)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    os.dup2(high, 3)
    os.dup2(higher, 4)
    os.closerange(5, min(1 << 16, os.sysconf("SC_OPEN_MAX")))
    return 3, socket.socket(fileno=4)


def compiled_files(folder: Path) -> dict[str, Compiled]:
    """The Python files in a folder by their names in it, compiled for the place where a box of bubblewrap has its lab."""
    compiled = {}
    for path in folder.rglob("*.py"):
        name, source = path.relative_to(folder).as_posix(), path.read_bytes()
        compiled[name] = Compiled(source, compile(source, f"{PRIVATE}/lab/{name}", "exec", dont_inherit=True))
    return compiled


def import_heads(folder: Path) -> None:
    """Import what the given files import at their heads, so that no box has to; one another they are left to import."""
    names = set()
    for path in folder.rglob("*.py"):
        for statement in ast.parse(path.read_bytes()).body:
            if isinstance(statement, ast.Import):
                names |= {alias.name for alias in statement.names}
            elif isinstance(statement, ast.ImportFrom) and statement.module:
                names |= {statement.module, *(f"{statement.module}.{alias.name}" for alias in statement.names)}
    for name in sorted(names):
        if name.partition(".")[0] not in PACKAGES:
            # Most of the names that a file takes from a module are no modules; what else fails, fails again in the box.
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def use_huge_pages() -> None:
    """Have the kernel keep this process's memory in huge pages where it can: a fork copies an entry for each page.

    References
    ----------
    MADV_COLLAPSE in the manual page madvise(2); kernels before 6.1 do not know it, and nothing changes.
    """
    libc, advice, size = ctypes.CDLL(None), 25, 2 << 20
    with open("/proc/self/maps", encoding="utf-8") as file:
        for line in file:
            addresses, rights, _, _, _, *name = line.split(maxsplit=5)
            start, stop = (int(address, 16) for address in addresses.split("-"))
            start, stop = start + -start % size, stop - stop % size
            if rights == "rw-p" and start < stop and (not name or name[0].strip() == "[heap]"):
                libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(stop - start), advice)


def warm_up() -> None:
    """Import and run what nearly every lab needs, so that no box has to."""
    import resource  # noqa: F401

    import numpy as np
    import scipy.sparse
    import scipy.special

    from lxmls_day1.compiled import sparse_rows
    from lxmls_day1.exercises.importable import importable_modules
    from lxmls_day1.figures import boundaries  # noqa: F401

    for name in sorted(importable_modules()):  # in a box the folder of a module that is out of reach cannot be listed
        importlib.import_module(name)
    X = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 0.0]])
    for n_classes, of_matrix in itertools.product((2, 3), (X, scipy.sparse.csr_array(X))):
        examples = sparse_rows.as_online_examples(of_matrix)
        rows = (examples.indptr, examples.indices, examples.data)
        V, state = np.zeros((3, n_classes)), np.array([1.0, 0.0])
        scores = sparse_rows.scores_of(*rows, 0, V, state)
        for U in (np.zeros((3, n_classes)), np.zeros((0, n_classes))):
            sparse_rows.apply_update(*rows, 1, scores + 1.0, 0.5, V, U, state)
