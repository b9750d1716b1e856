"""A warm Python process that makes boxes: it has imported what its program needs, and forks once for each box.

Code in the boxes cannot reach this process, and this process never runs such code. Each box is one fork, at the level ``bubblewrap``
into its own namespaces; the fork gives up its rights and serves requests (`box_server`). When the box ends, or when the grader ends
it or exits, this process kills everything that remains of the box.

`lxmls_day1.box.sandbox` starts it as ``fork_server.main(control, level)``.
"""

import ast
import contextlib
import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lxmls_day1.box import confinement, seccomp
from lxmls_day1.box.box_server import MAX_REQUEST_BYTES, BoxServer, PrecompiledFile, prepare_parent, prepare_process
from lxmls_day1.box.channel import Channel, ConnectionClosed
from lxmls_day1.box.limits import ProcessLimits
from lxmls_day1.box.messages import decode_request
from lxmls_day1.box.programs import RunningProgram, load_program

PACKAGE = __name__.partition(".")[0]
BUBBLEWRAP, LANDLOCK, PROCESS = "bubblewrap", "landlock", "process"
BOX_FOLDER = "/box"  # With bubblewrap, each box mounts its own folder over the one of the fork server.
HIDDEN_MOUNTS = ("/proc", "/given")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
# Variables whose value is the folder of the box.
BOX_FOLDER_VARIABLES = ("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR")
GC_THRESHOLD = 20_000  # Garbage collection threshold in objects. A check makes fewer, and its box ends soon.
MAX_EXTRA_THREADS = 64  # in addition to the main thread, including threads that are ending


class SharedState(NamedTuple):
    """The state that all boxes share: their level, the compiled starter files, the program, the user of the boxes."""

    level: str
    compiled: dict[str, PrecompiledFile]
    program: RunningProgram
    user: tuple[int, int] | None


@dataclass
class _RunningBox:
    """A running box, as the fork server sees it.

    Attributes
    ----------
    pid : int
    pid_handle : int
        A descriptor that becomes readable when the process of the box has ended.
    report_handle : int
        A descriptor on which the fork server reports how the box ended, and on which the grader asks to end the box.
    thread_handles : list of int
        The socket over which the box sends a descriptor for requests of its threads, later that descriptor, or nothing if it sent none.
    is_listening : bool
        True if the box has sent it.
    """

    pid: int
    pid_handle: int
    report_handle: int
    thread_handles: list[int]
    is_listening: bool = False

    def handles(self) -> list[int]:
        """Return the descriptors to wait for."""
        return [self.pid_handle, self.report_handle, *self.thread_handles]

    def handle_events(self, ready: Collection[int], proc: int) -> bool:
        """Let a waiting thread of the box start, or refuse it. Return True if the box has ended or must end."""
        if self.pid_handle in ready or self.report_handle in ready:
            return True
        for handle in [handle for handle in self.thread_handles if handle in ready]:
            if self.is_listening:
                seccomp.answer_clone_request(handle, proc, MAX_EXTRA_THREADS)
            else:
                with socket.socket(fileno=handle) as thread_socket:
                    # Without a descriptor, threads do not ask for permission.
                    _, self.thread_handles, _, _ = socket.recv_fds(thread_socket, 1, 1)
                self.is_listening = True
        return False

    def end(self, level: str, other_pids: Sequence[int]) -> None:
        """Kill all remaining processes of the box, and report how it ended; `other_pids` are the PIDs of the other boxes."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        _, code, used = os.wait4(self.pid, 0)
        if level != BUBBLEWRAP:  # With bubblewrap, the kernel ends a PID namespace with its first process.
            confinement.kill_descendants(other_pids)
        _report(self.report_handle, status=code, cpu=used.ru_utime + used.ru_stime, memory=used.ru_maxrss * 1024)
        for handle in self.handles():
            os.close(handle)


def main(
    control: int,
    level: str,
    starter_folder: str,
    program: tuple[str, dict[str, Any]],
    user: tuple[int, int] | None = None,
) -> None:
    """Serve requests on a socket, one box for each, until the socket is closed.

    Parameters
    ----------
    control : int
        The descriptor of a socket that preserves message boundaries. A request consists of four descriptors: a file with the request as
        JSON, the socket on which the box is served, the pipe for its output, and the socket for the report on how it ended.
    level : str
    starter_folder : str
        A folder with the starter files, which most boxes have; requests contain only their names.
    program : (str, dict)
        Name and arguments of the program that runs in the boxes.
    user : (int, int), optional
        User id and group id of the boxes. Default: those of this process.
    """
    import resource  # noqa: F401  # for the limits of a box, which may find no file

    confinement.die_with_parent()
    variables = set(os.environ)
    running = load_program(*program)
    compiled = compile_files(Path(starter_folder))
    preload_imports(Path(starter_folder))
    running.warm_up()
    for name in set(os.environ) - variables:  # Libraries set some; a box must not differ from a new process.
        del os.environ[name]
    if level != PROCESS:
        seccomp.warm_up()
    if level == BUBBLEWRAP and user:  # A user namespace contains only the user who creates it.
        confinement.switch_user(*user)
        confinement.die_with_parent()
    confinement.become_subreaper()
    prepare_parent()
    gc.collect()
    use_huge_pages()
    gc.freeze()  # A box shares the memory of this process until it writes to it, and garbage collection would write.
    gc.set_threshold(GC_THRESHOLD)
    shared = SharedState(level, compiled, running, user)
    requests = socket.socket(fileno=control)
    requests.send(b"ready")
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    boxes: list[_RunningBox] = []
    while True:
        ready, _, _ = select.select([control, *(handle for box in boxes for handle in box.handles())], [], [])
        for box in [box for box in boxes if box.handle_events(ready, proc)]:
            boxes.remove(box)
            box.end(level, [other.pid for other in boxes])
        if control in ready:
            message, handles, _, _ = socket.recv_fds(requests, 16, 4)
            if not message:
                break
            with open(handles[0], "rb") as content:
                request = json.load(content)
            if made := _fork_box(request, shared, *handles[1:]):
                boxes.append(made)
    while boxes:
        boxes.pop().end(level, [other.pid for other in boxes])


def _fork_box(
    request: dict[str, Any], shared: SharedState, service_handle: int, output_handle: int, report_handle: int
) -> _RunningBox | None:
    """Make a box. If that fails, report the error and return None."""
    thread_socket, child_socket = socket.socketpair()
    try:
        pid = confinement.fork_into_namespaces() if shared.level == BUBBLEWRAP else os.fork()
        if pid == 0:
            _run_box(request, shared, service_handle, output_handle, child_socket)
        return _RunningBox(pid, os.pidfd_open(pid), report_handle, [thread_socket.detach()])
    except OSError as error:
        _report(report_handle, broken=str(error))
        os.close(report_handle)
        thread_socket.close()
        return None
    finally:
        os.close(service_handle)
        os.close(output_handle)
        child_socket.close()


def _report(report_handle: int, **content: float | str) -> None:
    with contextlib.suppress(OSError):  # The grader may have exited.
        os.write(report_handle, json.dumps(content).encode())


def _run_box(
    request: dict[str, Any], shared: SharedState, service_handle: int, output_handle: int, server: socket.socket
) -> None:
    """Drop all rights that a box must not have, and serve requests. This function does not return."""
    limits, folder = ProcessLimits(**request["limits"]), Path(request["folder"])
    channel = None
    try:
        os.setsid()
        service_handle, server = _redirect_standard_streams(service_handle, output_handle, server)
        channel = Channel(socket.socket(fileno=service_handle), MAX_REQUEST_BYTES, decode=decode_request)
        present_memory = confinement.address_space_in_use()
        if shared.level == BUBBLEWRAP:
            confinement.make_mounts_private()
            confinement.mount_tmpfs_over(BOX_FOLDER, limits.disk_bytes, limits.max_files, writable=True)
            for path in filter(os.path.isdir, HIDDEN_MOUNTS):
                confinement.mount_tmpfs_over(path)
            for path in DEVICES:
                confinement.make_read_only(path)
            folder.mkdir(parents=True)
        os.environ |= dict.fromkeys(BOX_FOLDER_VARIABLES, str(folder.parent))
        os.chdir(folder)
        tempfile.tempdir = None
        prepare_process()
        limits.apply(present_memory)
        _confine(request, shared, folder.parent, server, limits.may_start_processes)
        channel.send({"value": "ready"})
    except BaseException as error:
        if channel is not None:
            channel.send({"broken": f"{type(error).__name__}: {error}"})
        os._exit(70)
    try:
        BoxServer(folder, limits.reply_bytes, shared.program, shared.compiled).serve(channel)
    except ConnectionClosed:
        os._exit(0)
    except BaseException:
        os._exit(71)
    os._exit(0)


def _confine(
    request: dict[str, Any], shared: SharedState, private: Path, server: socket.socket, starts_processes: bool
) -> None:
    """Switch the user, and restrict files and system calls, at the two levels that contain hostile code."""
    readable = request["readable"]
    threads_are_counted = False
    if shared.level != PROCESS:
        keep_reading = False
        if shared.level == LANDLOCK and shared.user:
            confinement.switch_user(*shared.user, keep_capabilities=True)
            keep_reading = not all(os.access(path, os.R_OK) for path in (*readable, private))
        confinement.drop_capabilities(keep_reading)
        if shared.level == LANDLOCK:
            confinement.restrict_with_landlock(readable, [str(private), os.devnull], request["landlock"])
        listener = seccomp.install_clone_notifier()
        if listener is not None:
            threads_are_counted = True
            socket.send_fds(server, [b"+"], [listener])
            os.close(listener)
    server.close()
    confinement.die_with_parent()
    if shared.level != PROCESS:
        seccomp.allow_system_calls(starts_processes and shared.level == BUBBLEWRAP, threads_are_counted)


def _redirect_standard_streams(
    service_handle: int, output_handle: int, server: socket.socket
) -> tuple[int, socket.socket]:
    """Redirect the standard streams and close all other descriptors. The service socket becomes 3, the socket to the fork server 4."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    high, higher = os.dup2(service_handle, 100), os.dup2(server.detach(), 101)
    os.dup2(nothing, 0)
    os.dup2(output_handle, 1)
    os.dup2(output_handle, 2)
    os.dup2(high, 3)
    os.dup2(higher, 4)
    os.closerange(5, min(1 << 16, os.sysconf("SC_OPEN_MAX")))
    return 3, socket.socket(fileno=4)


def compile_files(folder: Path) -> dict[str, PrecompiledFile]:
    """Return the compiled Python files of a folder by relative path, compiled for the lab's path inside a bubblewrap box."""
    compiled = {}
    for path in folder.rglob("*.py"):
        name, source = path.relative_to(folder).as_posix(), path.read_bytes()
        compiled[name] = PrecompiledFile(source, compile(source, f"{BOX_FOLDER}/lab/{name}", "exec", dont_inherit=True))
    return compiled


def preload_imports(folder: Path) -> None:
    """Import the modules that the starter files import at module level, and modules of this package that they import anywhere.

    Boxes then need not import them. At the level ``landlock`` they could not, because a folder with a hidden file cannot be listed there.
    Imports between starter files are not preloaded.
    """
    # Module, name in it, and an attribute of that name if it is a module of this package.
    names: set[tuple[str, ...]] = set()
    own = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    for path in folder.rglob("*.py"):
        tree = ast.parse(path.read_bytes())
        nodes = list(ast.walk(tree))
        taken: dict[str, tuple[str, str]] = {}  # name in the file -> module of this package, and name in that module
        for node in nodes:
            if isinstance(node, ast.Import):
                names |= {(alias.name,) for alias in node.names if node in tree.body or _is_own_module(alias.name)}
            elif (
                isinstance(node, ast.ImportFrom) and node.module and (node in tree.body or _is_own_module(node.module))
            ):
                names |= {(node.module, alias.name) for alias in node.names}
                if _is_own_module(node.module):
                    taken |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        attributes = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
        names |= {(*taken[node.value.id], node.attr) for node in attributes if node.value.id in taken}  # type: ignore[attr-defined]
    for module, *rest in sorted(names):
        if module.partition(".")[0] not in own:
            # Some names are not modules; any other failure occurs again in the box.
            with contextlib.suppress(Exception):
                found = importlib.import_module(module)
                for name in rest:
                    with contextlib.suppress(ImportError):
                        importlib.import_module(f"{module}.{name}")
                    found = getattr(found, name)  # A package may import the name lazily.
                    module = getattr(found, "__name__", "")


def _is_own_module(module: str) -> bool:
    return module.partition(".")[0] == PACKAGE


def use_huge_pages() -> None:
    """Ask the kernel to move this process's memory into huge pages, because a fork copies one table entry for each page.

    References
    ----------
    MADV_COLLAPSE in the manual page madvise(2). Kernels before 6.1 do not support it; then nothing changes.
    """
    libc, advice, size = ctypes.CDLL(None), 25, 2 << 20
    with open("/proc/self/maps", encoding="utf-8") as file:
        for line in file:
            addresses, rights, _, _, _, *name = line.split(maxsplit=5)
            start, stop = (int(address, 16) for address in addresses.split("-"))
            start, stop = start + -start % size, stop - stop % size
            if rights == "rw-p" and start < stop and (not name or name[0].strip() == "[heap]"):
                libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(stop - start), advice)
