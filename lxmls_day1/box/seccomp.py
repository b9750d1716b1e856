"""The filter of system calls: which of them a box may make, with which arguments, and how many threads it may start.

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

from lxmls_day1.box.confinement import PR_SET_NO_NEW_PRIVS, checked, libc, prctl

CLONE_THREAD = 0x10000

# The calls that a box may make, with their numbers on x86-64 and on 64-bit ARM; None where a machine has no such call.
# `_checked_calls` looks at the arguments of some. All others are refused.
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # memory of its own
    "brk": (12, 214), "mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226),
    "madvise": (28, 233), "msync": (26, 227), "membarrier": (324, 283), "get_mempolicy": (239, 236),
    # files that are open
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67), "pwrite64": (18, 68),
    "preadv": (295, 69), "pwritev": (296, 70), "preadv2": (327, 286), "pwritev2": (328, 287), "lseek": (8, 62),
    "close": (3, 57), "close_range": (436, 436), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
    "fcntl": (72, 25), "ioctl": (16, 29), "fstat": (5, 80), "fstatfs": (138, 44), "fsync": (74, 82),
    "fdatasync": (75, 83), "ftruncate": (77, 46), "getdents": (78, None), "getdents64": (217, 61), "sendfile": (40, 71),
    "copy_file_range": (326, 285), "fadvise64": (221, 223),
    # files by name, as far as Landlock or the mounts let it
    "open": (2, None), "openat": (257, 56), "stat": (4, None), "lstat": (6, None), "newfstatat": (262, 79),
    "statx": (332, 291), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
    "readlink": (89, None), "readlinkat": (267, 78), "statfs": (137, 43), "getcwd": (79, 17), "chdir": (80, 49),
    "fchdir": (81, 50), "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None),
    "unlinkat": (263, 35), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276), "umask": (95, 166),
    "utimensat": (280, 88),
    # waiting, and talking to itself
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
    # what it may know of itself and of the machine
    "getpid": (39, 172), "getppid": (110, 173), "getpgid": (121, 155), "getpgrp": (111, None), "getsid": (124, 156),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "getresuid": (118, 148),
    "getresgid": (120, 150), "getgroups": (115, 158), "getrusage": (98, 165), "getrlimit": (97, 163),
    "prlimit64": (302, 261), "getrandom": (318, 278), "uname": (63, 160), "sysinfo": (99, 179), "wait4": (61, 260),
    "waitid": (247, 95),
    # processes of its own, where they are allowed
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "setpgid": (109, 154),
    "setsid": (112, 157),
}  # fmt: skip
NEEDED_TO_START_PROCESSES = ("fork", "vfork", "execve", "execveat", "setpgid", "setsid")
# A C library falls back to older calls where it is told that there is no such call: the arguments of these two are in
# memory, out of the filter's sight, and those after fchmodat2 are newer than this list.
NOT_THERE: dict[str, tuple[int | None, int | None]] = {"clone3": (435, 435), "openat2": (437, 437)}
LAST_KNOWN = 452
# What Python's shutil does after it has copied a file. It is told that the mode is set (`_checked_calls`: the times, too), and
# that no attributes are supported; none of it is done.
PRETENDED: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
}  # fmt: skip
UNSUPPORTED: dict[str, tuple[int | None, int | None]] = {
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
}

O_ACCMODE, O_TRUNC = 3, 0x200
AF_UNIX = 1
# To duplicate a descriptor, to read and set its flags; no locks, leases, notifications, and no owner for its signals.
FCNTL = (0, 1, 2, 3, 4, 1030)
# Is it a terminal, how large is it (TCGETS, TCGETS2, TIOCGWINSZ); how much can be read, do not wait, close at exec.
IOCTL = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
PRCTL = (15, 16, 0x53564D41)  # a name for a thread, or for some of its memory
# New name spaces (all of them), a sibling instead of a child, one that is traced or cannot be, a descriptor of it.
BAD_CLONE = 0x7E020000 | 0x8000 | 0x2000 | 0x800000 | 0x1000

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
DONE, EPERM, ENOSYS, EOPNOTSUPP = 0, 1, 38, 95
LOAD, AND, EQUAL, ANY_BIT, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x45, 0x35, 0x06
ALLOW, ASK, FAIL, KILL = 0x7FFF0000, 0x7FC00000, 0x00050000, 0x80000000


def allow_system_calls(may_start_processes: bool = False, may_start_threads: bool = True) -> None:
    """Leave the system calls that numerical Python needs; each other one fails with "operation not permitted".

    What is left cannot change the mode, owner, times or attributes of a file, nor the length of one that is not open for
    writing; start, signal, trace or hamper other processes; make name spaces, mounts, keys, sockets that reach anybody,
    memory that no limit counts, or anything that outlives the process. Landlock leaves some of these open, more of them in
    its older versions: they are all closed here, so that the version does not matter.
    """
    column, architecture = _architecture()
    _install(seccomp_program(column, architecture, os.getpid(), may_start_processes, may_start_threads))


def ask_for_threads() -> int | None:
    """Have each new thread wait for leave; a descriptor for `answer_thread`, or None where the kernel has no such thing."""
    column, architecture = _architecture()
    clone = NUMBERS["clone"][column]
    assert clone is not None  # every machine has it
    ask = [_step(LOAD, 4), _step(EQUAL, architecture, 1, 0), _step(RETURN, KILL), _step(LOAD, 0)]
    ask += [_step(EQUAL, clone, 0, 3), _argument(0), _step(ANY_BIT, CLONE_THREAD, 0, 1), _step(RETURN, ASK)]
    try:
        return _install(b"".join([*ask, _step(RETURN, ALLOW)]), new_listener=True)
    except OSError:
        return None


def answer_thread(listener: int, proc: int, most: int) -> None:
    """Let the thread that waits begin if its process has fewer than so many; `proc` is the open folder /proc."""
    import fcntl  # not on Windows, where this module can be imported all the same

    notification = bytearray(80)
    with contextlib.suppress(OSError):  # whoever has asked may be gone
        fcntl.ioctl(listener, 0xC0502100, notification)  # SECCOMP_IOCTL_NOTIF_RECV
        number, pid = struct.unpack_from("=QI", notification)
        tasks = os.open(f"{pid}/task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=proc)
        try:
            allowed = len(os.listdir(tasks)) <= most
        finally:
            os.close(tasks)
        answer = struct.pack("=QqiI", number, 0, 0 if allowed else -11, 1 if allowed else 0)  # go on, or EAGAIN
        fcntl.ioctl(listener, 0xC0182101, answer)  # SECCOMP_IOCTL_NOTIF_SEND


def warm_up() -> None:
    """Make the filters of the first process of a pid name space beforehand: each box is one."""
    column, architecture = _architecture()
    for rights in itertools.product((False, True), repeat=2):
        seccomp_program(column, architecture, 1, *rights)


@functools.cache
def seccomp_program(
    column: int, architecture: int, pid: int, may_start_processes: bool, may_start_threads: bool = True
) -> bytes:
    """The filter as the kernel reads it: instructions (code, jump if true, jump if false, operand) of eight bytes."""
    steps = [_step(LOAD, 4), _step(EQUAL, architecture, 1, 0), _step(RETURN, KILL), _step(LOAD, 0)]
    if column == 0:  # the 32-bit calls that x86-64 offers beside its own
        steps += [_step(AT_LEAST, 0x40000000, 0, 1), _REFUSE]
    checked = _checked_calls(pid, may_start_processes, may_start_threads)
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        if number is None or (name in NEEDED_TO_START_PROCESSES and not may_start_processes):
            continue
        body = checked.get(name, [_ALLOW])
        steps += [_step(EQUAL, number, 0, len(body)), *body]
    for calls, answer in ((NOT_THERE, ENOSYS), (PRETENDED, DONE), (UNSUPPORTED, EOPNOTSUPP)):
        for numbers in calls.values():
            if (number := numbers[column]) is not None:
                steps += [_step(EQUAL, number, 0, 1), _step(RETURN, FAIL | answer)]
    return b"".join([*steps, _step(AT_LEAST, LAST_KNOWN + 1, 0, 1), _step(RETURN, FAIL | ENOSYS), _REFUSE])


def _checked_calls(pid: int, may_start_processes: bool, may_start_threads: bool) -> dict[str, list[bytes]]:
    """The calls whose arguments are looked at, and how; each piece ends with a verdict."""
    opening = [
        _step(AND, O_ACCMODE),
        _step(EQUAL, O_ACCMODE, 4, 0),  # neither reading nor writing: Landlock does not look at that
        _step(EQUAL, os.O_RDONLY, 0, 2),
    ]
    emptying = [_step(ANY_BIT, O_TRUNC, 1, 0), _ALLOW, _REFUSE]  # while it asks to read only: old Landlocks allow it
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
        # to the other end only, for such a socket can be sent to an address as well
        "sendto": [
            _argument(4),
            _step(EQUAL, 0, 0, 3),
            _argument(4, upper=True),
            _step(EQUAL, 0, 0, 1),
            _ALLOW,
            _REFUSE,
        ],
        # without times it is a question for a file, by which Path.touch finds out whether it has to make one
        "utimensat": [_argument(2), _step(EQUAL, 0, 0, 1), _REFUSE, _step(RETURN, FAIL | DONE)],
        "clone": [_argument(0), _step(ANY_BIT, BAD_CLONE, 0, 1), _REFUSE, *clone],
    }


def _one_of(argument: int, values: Iterable[int]) -> list[bytes]:
    return [_argument(argument), *(step for value in values for step in (_step(EQUAL, value, 0, 1), _ALLOW)), _REFUSE]


def _argument(which: int, upper: bool = False) -> bytes:
    """Load half of an argument: the lower one, which is all that the kernel takes of numbers that are ints."""
    return _step(LOAD, 16 + 8 * which + 4 * upper)


def _step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)


_ALLOW, _REFUSE = _step(RETURN, ALLOW), _step(RETURN, FAIL | EPERM)


def _architecture() -> tuple[int, int]:
    if platform.machine() not in ARCHITECTURES or sys.byteorder != "little":
        raise OSError(f"no list of system calls for {platform.machine()}")
    return ARCHITECTURES[platform.machine()]


def _install(program: bytes, new_listener: bool = False) -> int:
    """Have the kernel ask this filter before each system call from now on."""
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    number = {"x86_64": 317, "aarch64": 277}[platform.machine()]
    return checked(libc().syscall(number, 1, 8 if new_listener else 0, header), "seccomp")
