"""The self-test of a sandbox level: it attempts, from inside a box, everything that must be impossible.

Each attempt is harmless if it succeeds. A system call counts as possible unless it fails with "forbidden" or "does not exist": an
error such as "bad address" comes from the kernel's own code, which the box must not reach.
"""

import contextlib
import ctypes
import errno
import os
import platform
import socket
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lxmls_day1.box.programs import Handler

REFUSED_ERRORS = (errno.EPERM, errno.EACCES, errno.ENOENT, errno.ENOSYS, errno.EROFS)
AT_FDCWD = -100  # AT_FDCWD: relative paths start at the current folder
MANY_THREADS = 200
PROBED_PROGRAM = f"{__name__}:ProbedProgram"


class ProbedProgram:
    """A program that does nothing, for boxes that are only tested. It starts at once."""

    def warm_up(self) -> None:
        """Import nothing."""

    def handlers(self, folder: Path) -> Mapping[str, Handler]:
        """Return no handlers, because the server of every box handles the probe itself."""
        return {}

    def traceback_of(self, error: BaseException, folder: Path) -> str:
        """Return an empty string, because the caller gets the exception."""
        return ""


def attempt_all(request: dict[str, Any]) -> list[str]:
    """Attempt everything; return descriptions of what was possible.

    Parameters
    ----------
    request : dict
        ``unreadable``, ``unwritable``: paths (an empty file or folder may be readable); ``secret``: a private file; ``pid``: a process
        that must not be signalled; ``grader``: another process, which must not be visible; ``port``: a port of this machine;
        ``variables``: names of environment variables.
    """
    return [*_files(request), *_metadata(request), *_others(request), *_system_calls(request), *_threads()]


def _files(request: dict[str, Any]) -> Iterator[str]:
    for path in request["unreadable"]:
        with contextlib.suppress(OSError):
            if os.listdir(path) if os.path.isdir(path) else Path(path).read_bytes():
                yield f"{path} can be read"
    for folder in (*request["unwritable"], "/dev/shm", "/dev/mqueue"):
        path = Path(folder, "lxmls-day1-probe")
        with contextlib.suppress(OSError):
            path.write_text("", encoding="utf-8")
            yield f"{folder} can be written to"
            path.unlink()
    for path in ("/proc/self/oom_score_adj", "/proc/self/mem", "/proc/self/uid_map", "/proc/sys/kernel/domainname"):
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_WRONLY))
            yield f"{path} can be written to"


def _metadata(request: dict[str, Any]) -> Iterator[str]:
    """Change modes and times. A call may report success, but the file must be unchanged."""
    for path in (request["secret"], os.__file__, "/dev/null", "/dev/zero", "/dev/urandom"):
        with contextlib.suppress(OSError):
            mode = os.stat(path).st_mode
            os.chmod(path, mode ^ 0o1)
            if os.stat(path).st_mode != mode:
                yield f"the mode of {path} can be changed"
                os.chmod(path, mode)
        with contextlib.suppress(OSError), open(path, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            os.fchmod(file.fileno(), mode ^ 0o1)
            if os.fstat(file.fileno()).st_mode != mode:
                yield f"the mode of {path} can be changed through an open file"
                os.fchmod(file.fileno(), mode)
    for path in (request["secret"], "/dev/null"):
        with contextlib.suppress(OSError):
            before = os.stat(path)
            os.utime(path, (1, 1))
            if os.stat(path).st_mtime_ns != before.st_mtime_ns:
                yield f"the times of {path} can be changed"
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _others(request: dict[str, Any]) -> Iterator[str]:
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", request["port"]), timeout=1).close()
        yield "a port of this machine can be reached"
    for who, pid in (("another process", request["pid"]), ("the process that grades", request["grader"])):
        with contextlib.suppress(OSError):
            os.kill(pid, 0)
            if pid != os.getpid():
                yield f"{who} can be signalled"
        with contextlib.suppress(OSError):
            Path(f"/proc/{pid}/status").read_bytes()
            yield f"{who} can be seen"
    with contextlib.suppress(OSError):
        if pid := os.fork():
            os.waitpid(pid, 0)
        else:
            os._exit(0)
        yield "processes can be started"
    for name in set(os.environ) & set(request["variables"]):
        yield f"the environment variable {name} can be seen"


def _system_calls(request: dict[str, Any]) -> Iterator[str]:
    column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
    libc = ctypes.CDLL(None, use_errno=True)
    with open(os.__file__, "rb") as library:
        for what, (*numbers, arguments) in _forbidden(request, library.fileno()).items():
            given = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
            if libc.syscall(numbers[column], *given) >= 0 or ctypes.get_errno() not in REFUSED_ERRORS:
                yield what


def _forbidden(request: dict[str, Any], fd: int) -> dict[str, tuple[int, int, tuple[Any, ...]]]:
    """Return the attempts by description: system-call numbers on x86-64 and 64-bit ARM, and arguments that do nothing or fail."""
    secret, library, pid = os.fsencode(request["secret"]), os.fsencode(os.__file__), request["pid"]
    room, none = ctypes.create_string_buffer(256), None
    return {
        "the owner of a file can be changed": (260, 54, (AT_FDCWD, secret, -1, -1, 0)),
        "the owner of a file that is open can be changed": (93, 55, (fd, -1, -1)),
        "an attribute of a file can be set": (188, 5, (secret, b"user.probe", b"x", 1, 0)),
        "an attribute of a file that is open can be set": (190, 7, (fd, b"none", b"x", 1, 0)),
        "an attribute of a file can be removed": (197, 14, (library, b"none")),
        "an attribute of a file can be read": (191, 8, (library, b"none", room, 1)),
        "a file can be truncated": (76, 45, (secret, 6)),
        "a file can be opened for neither reading nor writing": (257, 56, (AT_FDCWD, secret, 3)),
        "a file can be truncated while it is opened for reading": (257, 56, (AT_FDCWD, library, 0x200 | os.O_DIRECTORY)),
        "a file can be given a second name": (265, 37, (AT_FDCWD, library, AT_FDCWD, secret + b"-2", 0)),
        "a symbolic link can be made": (266, 36, (library, AT_FDCWD, b"probe-link")),
        "a named pipe can be made": (259, 33, (AT_FDCWD, b"probe-pipe", 0o10600, 0)),
        "a file can be opened by its handle": (304, 265, (-1, none, 0)),
        "the handle of a file can be obtained": (303, 264, (AT_FDCWD, none, none, none, -1)),
        "a folder can be watched (inotify)": (254, 27, (-1, none, 0)),
        "inotify can be initialized": (294, 26, (0,)),
        "fanotify can be initialized": (300, 262, (-1, 0)),
        "a disk can be flushed (syncfs)": (306, 267, (-1,)),
        "a file can be locked (flock)": (73, 32, (fd, 8)),
        "a file can be locked (F_SETLK)": (72, 25, (fd, 6, room)),
        "a file can be locked (F_OFD_SETLK)": (72, 25, (fd, 37, room)),
        "a lease on a file can be taken": (72, 25, (fd, 1024, 2)),
        "a folder can be watched (F_NOTIFY)": (72, 25, (fd, 1026, 0)),
        "signals of a file can be sent to another process (F_SETOWN)": (72, 25, (fd, 8, pid)),
        "signals of a file can be sent to another process (F_SETOWN_EX)": (72, 25, (fd, 15, room)),
        "the signal of a file can be chosen (F_SETSIG)": (72, 25, (fd, 10, 0)),
        "a pipe can be enlarged": (72, 25, (fd, 1031, 1 << 20)),
        "signals of a file can be sent to another process (FIOSETOWN)": (16, 29, (fd, 0x8901, room)),
        "signals of a file can be switched on (FIOASYNC)": (16, 29, (fd, 0x5452, room)),
        "input can be inserted into a terminal (TIOCSTI)": (16, 29, (fd, 0x5412, room)),
        "flags of a file can be set (FS_IOC_SETFLAGS)": (16, 29, (fd, 0x40086602, none)),
        "a descriptor of another process can be opened": (434, 434, (pid, 0)),
        "another process can be signalled through a descriptor": (424, 424, (-1, 0, none, 0)),
        "another process can be signalled (rt_sigqueueinfo)": (129, 138, (pid, 0, none)),
        "another process can be signalled (tkill)": (200, 130, (pid, 0)),
        "another process can be signalled (tgkill)": (234, 131, (pid, pid, 0)),
        "another process can be traced": (101, 117, (0x4206, pid, 0, 0)),
        "the memory of another process can be read": (310, 270, (pid, none, 0, none, 0, 0)),
        "the memory of another process can be written to": (311, 271, (pid, none, 0, none, 0, 0)),
        "processes can be compared": (312, 272, (pid, pid, 0, 0, 0)),
        "the limits of another process can be read": (302, 261, (pid, 7, none, room)),
        "the priority of another process can be changed": (141, 140, (0, pid, 0)),
        "the disk priority of another process can be changed": (251, 30, (1, pid, 0)),
        "the cores of another process can be chosen": (203, 122, (pid, 0, none)),
        "the scheduling of another process can be changed": (144, 119, (pid, -1, none)),
        "shared memory of System V can be used": (29, 194, (0, 0, 0o1600)),
        "shared memory of System V can be removed": (31, 195, (-1, 0, none)),
        "semaphores of System V can be used": (64, 190, (0, -1, 0o1600)),
        "semaphores of System V can be removed": (66, 191, (-1, 0, 0, none)),
        "queues of System V can be removed": (71, 187, (-1, 0, none)),
        "queues of System V can be read": (70, 188, (-1, room, 1, 0, 0)),
        "message queues can be used": (244, 184, (-1, none)),
        "the kernel's keys can be used": (250, 219, (0, -1, 0)),
        "a key can be given to the kernel": (248, 217, (none, none, none, 0, 0)),
        "io_uring can be set up": (425, 425, (0, none)),
        "io_uring can be used": (426, 426, (-1, 0, 0, 0, none, 0)),
        "page faults can be handled (userfaultfd)": (323, 282, (-1,)),
        "performance counters can be opened (perf_event_open)": (298, 241, (none, 0, -1, -1, 0)),
        "programs can be loaded into the kernel (bpf)": (321, 280, (-1, none, 0)),
        "another system-call filter can be set": (317, 277, (-1, 0, none)),
        "memory outside the limits can be allocated (memfd_create)": (319, 279, (none, 0)),
        "memory outside the limits can be allocated (memfd_secret)": (447, 447, (-1,)),
        "memory can be locked": (149, 228, (0, 0)),
        "an internet socket can be opened": (41, 198, (2, 1, 0)),
        "a local socket can be opened": (41, 198, (1, 2, 0)),
        "a socket to the kernel can be opened": (41, 198, (16, 3, 0)),
        "a pair of other sockets can be opened": (53, 199, (2, 1, 0, room)),
        "a socket can be given a name": (49, 200, (-1, none, 0)),
        "a socket can be connected": (42, 203, (-1, none, 0)),
        "data can be sent to an address": (44, 206, (-1, none, 0, 0, room, 16)),
        "data can be sent to an address (sendmsg)": (46, 211, (-1, none, 0)),
        "a namespace can be entered": (308, 268, (-1, 0)),
        "a namespace can be left": (272, 97, (0,)),
        "a process can be started in a new namespace": (56, 220, (0x10000200, 0, 0, 0, 0)),
        "something can be mounted": (165, 40, (none, none, none, 0, none)),
        "something can be unmounted": (166, 39, (none, -1)),
        "something can be mounted (open_tree)": (428, 428, (-1, none, -1)),
        "the root folder can be changed": (161, 51, (none,)),
        "another program can be run": (59, 221, (none, none, none)),
        "another program can be run (execveat)": (322, 281, (-1, none, none, none, -1)),
        "the user can be changed": (117, 147, (-1, -1, -1)),
        "limits can be changed (setrlimit)": (160, 164, (7, none)),
        "the death signal of the parent can be switched off": (157, 167, (1, -1, 0, 0, 0)),
        "another process can be asked to trace this one": (157, 167, (0x59616D61, -2, 0, 0, 0)),
        "the execution domain can be changed (personality)": (135, 92, (0xFFFFFFFF,)),
        "the name of this machine can be changed": (170, 161, (none, -1)),
        "the clock can be set": (227, 112, (0, none)),
        "timers can be created": (222, 107, (0, none, none)),
        "memory pages can be moved into a pipe": (278, 75, (-1, none, 0, 0)),
    }  # fmt: skip


def _threads() -> Iterator[str]:
    """Start many threads at once, with small stacks, because the memory limit allows few large ones."""
    end = threading.Event()
    before = threading.stack_size(1 << 16)
    started = []
    try:
        for _ in range(MANY_THREADS):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            started.append(thread)
        yield f"{MANY_THREADS} threads can be started"
    except RuntimeError:
        if not started:
            yield "no thread can be started, but some must be"
    finally:
        end.set()
        threading.stack_size(before)
        for thread in started:
            thread.join()
