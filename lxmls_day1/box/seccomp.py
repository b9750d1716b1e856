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
from collections.abc import Iterable

from lxmls_day1.box.confinement import PR_SET_NO_NEW_PRIVS, check_result, libc, prctl

CLONE_THREAD = 0x10000

# The calls that a box may make, with their numbers on x86-64 and on 64-bit ARM; None if the machine lacks the call.
# `_checked_calls` checks the arguments of some of them. All other calls are refused.
CALL_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # its own memory
    "brk": (12, 214), "mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226),
    "madvise": (28, 233), "msync": (26, 227), "membarrier": (324, 283), "get_mempolicy": (239, 236),
    # open files
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67), "pwrite64": (18, 68),
    "preadv": (295, 69), "pwritev": (296, 70), "preadv2": (327, 286), "pwritev2": (328, 287), "lseek": (8, 62),
    "close": (3, 57), "close_range": (436, 436), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
    "fcntl": (72, 25), "ioctl": (16, 29), "fstat": (5, 80), "fstatfs": (138, 44), "fsync": (74, 82),
    "fdatasync": (75, 83), "ftruncate": (77, 46), "getdents": (78, None), "getdents64": (217, 61), "sendfile": (40, 71),
    "copy_file_range": (326, 285), "fadvise64": (221, 223),
    # files by name; Landlock or the mounts restrict these further
    "open": (2, None), "openat": (257, 56), "stat": (4, None), "lstat": (6, None), "newfstatat": (262, 79),
    "statx": (332, 291), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
    "readlink": (89, None), "readlinkat": (267, 78), "statfs": (137, 43), "getcwd": (79, 17), "chdir": (80, 49),
    "fchdir": (81, 50), "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None),
    "unlinkat": (263, 35), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276), "umask": (95, 166),
    "utimensat": (280, 88),
    # waiting, and communication within the process
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72), "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21), "epoll_wait": (232, None), "epoll_pwait": (281, 22), "epoll_pwait2": (441, 441),
    "eventfd2": (290, 19), "pipe": (22, None), "pipe2": (293, 59), "socketpair": (53, 199), "sendto": (44, 206),
    "recvfrom": (45, 207), "recvmsg": (47, 212), "shutdown": (48, 210), "getsockname": (51, 204),
    "getpeername": (52, 205), "getsockopt": (55, 209),
    # time
    "time": (201, None), "gettimeofday": (96, 169), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115), "nanosleep": (35, 101), "getitimer": (36, 102), "setitimer": (38, 103),
    "alarm": (37, None), "pause": (34, None), "times": (100, 153),
    # signals
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136),
    "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137), "sigaltstack": (131, 132),
    "restart_syscall": (219, 128), "kill": (62, 129), "tgkill": (234, 131),
    # threads
    "clone": (56, 220), "futex": (202, 98), "futex_waitv": (449, 449), "set_robust_list": (273, 99),
    "set_tid_address": (218, 96), "rseq": (334, 293), "sched_yield": (24, 124), "sched_getaffinity": (204, 123),
    "getcpu": (309, 168), "gettid": (186, 178), "arch_prctl": (158, None), "prctl": (157, 167), "exit": (60, 93),
    "exit_group": (231, 94),
    # information on the process and the machine
    "getpid": (39, 172), "getppid": (110, 173), "getpgid": (121, 155), "getpgrp": (111, None), "getsid": (124, 156),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "getresuid": (118, 148),
    "getresgid": (120, 150), "getgroups": (115, 158), "getrusage": (98, 165), "getrlimit": (97, 163),
    "prlimit64": (302, 261), "getrandom": (318, 278), "uname": (63, 160), "sysinfo": (99, 179), "wait4": (61, 260),
    "waitid": (247, 95),
    # starting processes, if that is allowed
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "setpgid": (109, 154),
    "setsid": (112, 157),
}  # fmt: skip
PROCESS_CALLS = ("fork", "vfork", "execve", "execveat", "setpgid", "setsid")
# These calls fail with ENOSYS, so that the C library falls back to older calls. The arguments of these two are in
# memory, where the filter cannot read them; calls numbered above fchmodat2 are newer than this list.
MISSING_CALLS: dict[str, tuple[int | None, int | None]] = {"clone3": (435, 435), "openat2": (437, 437)}
LAST_KNOWN_NUMBER = 452
# Python's shutil makes these calls after copying a file. Setting the mode reports success (as do times, in `_checked_calls`),
# and attributes are reported as unsupported; nothing is changed.
SILENTLY_IGNORED: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
}  # fmt: skip
UNSUPPORTED_CALLS: dict[str, tuple[int | None, int | None]] = {
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
}

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
