"""The system-call filter: the calls and arguments that a box may use, and how many threads it may start.

References
----------
The manual pages seccomp(2) and seccomp_unotify(2).
"""

import contextlib
import ctypes
import functools
import itertools
import os
import platform
import struct
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

from lxmls_day1.box.confinement import PR_SET_NO_NEW_PRIVS, check_result, libc, prctl

CLONE_THREAD = 0x10000

with Path(__file__).with_name("system_calls.toml").open("rb") as _file:
    _CALLS = {
        answer: {name: (*numbers, None)[:2] for name, numbers in calls.items()}
        for answer, calls in tomllib.load(_file).items()
    }
#: From the name of a call to its numbers on x86-64 and on 64-bit ARM; None if the machine lacks the call.
CALL_NUMBERS, MISSING_CALLS = _CALLS["allowed"], _CALLS["missing"]
SILENTLY_IGNORED, UNSUPPORTED_CALLS = _CALLS["silently_ignored"], _CALLS["unsupported"]
PROCESS_CALLS = ("fork", "vfork", "execve", "execveat", "setpgid", "setsid")
LAST_KNOWN_NUMBER = 452
O_ACCMODE, O_TRUNC = 3, 0x200
AF_UNIX = 1
# Allowed: duplicating a descriptor, reading and setting its flags. Refused: locks, leases, notifications, signal owners.
FCNTL = (0, 1, 2, 3, 4, 1030)
# Terminal settings and size (TCGETS, TCGETS2, TIOCGWINSZ), bytes available, non-blocking mode, close-on-exec.
IOCTL = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
PRCTL = (15, 16, 0x53564D41)  # the name of a thread or of a memory area
# New namespaces, CLONE_PARENT, CLONE_PTRACE, CLONE_UNTRACED, CLONE_PIDFD.
BAD_CLONE = 0x7E020000 | 0x8000 | 0x2000 | 0x800000 | 0x1000

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
DONE, EPERM, ENOSYS, EOPNOTSUPP = 0, 1, 38, 95
LOAD, AND, EQUAL, ANY_BIT, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x45, 0x35, 0x06
ALLOW, ASK, FAIL, KILL = 0x7FFF0000, 0x7FC00000, 0x00050000, 0x80000000


def allow_system_calls(may_start_processes: bool = False, may_start_threads: bool = True) -> None:
    """Restrict this process to the system calls that numerical Python needs; all others fail with "operation not permitted".

    The allowed calls cannot change the mode, owner, times or attributes of a file, nor truncate a file that is not open for writing.
    They cannot start, signal, trace or hamper other processes. They cannot create namespaces, mounts, keys, sockets that reach other
    processes, memory outside the limits, or anything that outlives the process. Landlock, above all in older versions, leaves some of
    these open. The filter blocks them all, so the version of Landlock does not matter.
    """
    column, architecture = _architecture()
    _install(seccomp_program(column, architecture, os.getpid(), may_start_processes, may_start_threads))


def install_clone_notifier() -> int | None:
    """Make each new thread wait for permission.

    Return a descriptor for `answer_clone_request`, or None if the kernel does not support this.
    """
    column, architecture = _architecture()
    clone = CALL_NUMBERS["clone"][column]
    assert clone is not None  # Both architectures have this call.
    ask = [_step(LOAD, 4), _step(EQUAL, architecture, 1, 0), _step(RETURN, KILL), _step(LOAD, 0)]
    ask += [_step(EQUAL, clone, 0, 3), _argument(0), _step(ANY_BIT, CLONE_THREAD, 0, 1), _step(RETURN, ASK)]
    try:
        return _install(b"".join([*ask, _step(RETURN, ALLOW)]), new_listener=True)
    except OSError:
        return None


def answer_clone_request(listener: int, proc: int, max_threads: int) -> None:
    """Let the waiting thread start if its process has at most `max_threads` threads; `proc` is an open descriptor of the folder /proc."""
    import fcntl  # Imported here because Windows lacks it, and this module must be importable there.

    notification = bytearray(80)
    with contextlib.suppress(OSError):  # The requesting thread may have exited.
        fcntl.ioctl(listener, 0xC0502100, notification)  # SECCOMP_IOCTL_NOTIF_RECV
        number, pid = struct.unpack_from("=QI", notification)
        tasks = os.open(f"{pid}/task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=proc)
        try:
            allowed = len(os.listdir(tasks)) <= max_threads
        finally:
            os.close(tasks)
        # continue, or fail with EAGAIN
        answer = struct.pack("=QqiI", number, 0, 0 if allowed else -11, 1 if allowed else 0)
        fcntl.ioctl(listener, 0xC0182101, answer)  # SECCOMP_IOCTL_NOTIF_SEND


def warm_up() -> None:
    """Compute the filters for PID 1 in advance, because each box is the first process of its PID namespace."""
    column, architecture = _architecture()
    for rights in itertools.product((False, True), repeat=2):
        seccomp_program(column, architecture, 1, *rights)


@functools.cache
def seccomp_program(
    column: int, architecture: int, pid: int, may_start_processes: bool, may_start_threads: bool = True
) -> bytes:
    """Return the filter in the kernel's format: 8-byte instructions (code, jump if true, jump if false, operand)."""
    steps = [_step(LOAD, 4), _step(EQUAL, architecture, 1, 0), _step(RETURN, KILL), _step(LOAD, 0)]
    if column == 0:  # Refuse the x32 system calls of x86-64.
        steps += [_step(AT_LEAST, 0x40000000, 0, 1), _REFUSE]
    checked = _checked_calls(pid, may_start_processes, may_start_threads)
    for name, numbers in CALL_NUMBERS.items():
        number = numbers[column]
        if number is None or (name in PROCESS_CALLS and not may_start_processes):
            continue
        body = checked.get(name, [_ALLOW])
        steps += [_step(EQUAL, number, 0, len(body)), *body]
    for calls, answer in ((MISSING_CALLS, ENOSYS), (SILENTLY_IGNORED, DONE), (UNSUPPORTED_CALLS, EOPNOTSUPP)):
        for numbers in calls.values():
            if (number := numbers[column]) is not None:
                steps += [_step(EQUAL, number, 0, 1), _step(RETURN, FAIL | answer)]
    return b"".join([*steps, _step(AT_LEAST, LAST_KNOWN_NUMBER + 1, 0, 1), _step(RETURN, FAIL | ENOSYS), _REFUSE])


def _checked_calls(pid: int, may_start_processes: bool, may_start_threads: bool) -> dict[str, list[bytes]]:
    """Return the instructions that check the arguments of some calls; each sequence ends with a verdict."""
    opening = [
        _step(AND, O_ACCMODE),
        _step(EQUAL, O_ACCMODE, 4, 0),  # Access mode 3 is neither reading nor writing, and Landlock does not check it.
        _step(EQUAL, os.O_RDONLY, 0, 2),
    ]
    # Old versions of Landlock allow O_TRUNC with read-only access.
    emptying = [_step(ANY_BIT, O_TRUNC, 1, 0), _ALLOW, _REFUSE]
    if may_start_processes:
        clone = [_ALLOW]
    elif may_start_threads:
        clone = [_step(ANY_BIT, CLONE_THREAD, 0, 1), _ALLOW, _REFUSE]
    else:
        clone = [_REFUSE]
    return {
        "open": [_argument(1), *opening, _argument(1), *emptying],
        "openat": [_argument(2), *opening, _argument(2), *emptying],
        "fcntl": _one_of(1, FCNTL),
        "ioctl": _one_of(1, IOCTL),
        "prctl": _one_of(0, PRCTL),
        "kill": _one_of(0, (pid,)),
        "tgkill": _one_of(0, (pid,)),
        "prlimit64": _one_of(0, (0, pid)),
        "socketpair": _one_of(0, (AF_UNIX,)),
        # Only sending without an address, that is to the other end of a socket pair, is allowed.
        "sendto": [
            _argument(4),
            _step(EQUAL, 0, 0, 3),
            _argument(4, upper=True),
            _step(EQUAL, 0, 0, 1),
            _ALLOW,
            _REFUSE,
        ],
        # A call without times is allowed, because Path.touch uses it to test whether a file exists. With times, it reports success.
        "utimensat": [_argument(2), _step(EQUAL, 0, 0, 1), _REFUSE, _step(RETURN, FAIL | DONE)],
        "clone": [_argument(0), _step(ANY_BIT, BAD_CLONE, 0, 1), _REFUSE, *clone],
    }


def _one_of(argument: int, values: Iterable[int]) -> list[bytes]:
    return [_argument(argument), *(step for value in values for step in (_step(EQUAL, value, 0, 1), _ALLOW)), _REFUSE]


def _argument(index: int, upper: bool = False) -> bytes:
    """Load the lower or upper 32 bits of an argument. The lower half suffices for C ints."""
    return _step(LOAD, 16 + 8 * index + 4 * upper)


def _step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)


_ALLOW, _REFUSE = _step(RETURN, ALLOW), _step(RETURN, FAIL | EPERM)


def _architecture() -> tuple[int, int]:
    if platform.machine() not in ARCHITECTURES or sys.byteorder != "little":
        raise OSError(f"no list of system calls for {platform.machine()}")
    return ARCHITECTURES[platform.machine()]


def _install(program: bytes, new_listener: bool = False) -> int:
    """Install this filter for all later system calls of this process."""
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    number = {"x86_64": 317, "aarch64": 277}[platform.machine()]
    return check_result(libc().syscall(number, 1, 8 if new_listener else 0, header), "seccomp")
