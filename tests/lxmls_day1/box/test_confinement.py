"""The filter of system calls, run by an interpreter written here: its verdict on each call, on both machine types."""

import re
import struct
from pathlib import Path

import pytest

from lxmls_day1.box import seccomp

PID = 4711
REFUSED, NO_SUCH_CALL = seccomp.FAIL | seccomp.EPERM, seccomp.FAIL | 38
ARGUMENTS_CHECKED = ["open", "openat", "fcntl", "ioctl", "prctl", "kill", "tgkill"]
ARGUMENTS_CHECKED += ["prlimit64", "socketpair", "sendto", "clone", "utimensat"]


def verdict(machine, number, *arguments, architecture=None, **settings):
    """Return the filter's verdict for a call, by the semantics of classic BPF (manual page seccomp(2))."""
    column, own = seccomp.ARCHITECTURES[machine]
    data = struct.pack("<iIQ6Q", number, architecture or own, 0, *(a % (1 << 64) for a in (*arguments, *[0] * 6)[:6]))
    program = seccomp.seccomp_program(column, own, PID, settings.get("processes", False), settings.get("threads", True))
    steps = list(struct.iter_unpack("=HBBI", program))
    at = accumulator = 0
    while True:
        code, if_true, if_false, operand = steps[at]
        at += 1
        if code == 0x20:  # Load a word.
            (accumulator,) = struct.unpack_from("<I", data, operand)
        elif code == 0x54:
            accumulator &= operand
        elif code == 0x06:
            return operand
        else:
            holds = {0x15: accumulator == operand, 0x45: accumulator & operand != 0, 0x35: accumulator >= operand}[code]
            at += if_true if holds else if_false


@pytest.fixture(params=seccomp.ARCHITECTURES)
def machine(request):
    return request.param


def number_of(machine, name):
    return seccomp.CALL_NUMBERS[name][seccomp.ARCHITECTURES[machine][0]]


ANSWERS = [
    (seccomp.MISSING_CALLS, NO_SUCH_CALL),
    (seccomp.SILENTLY_IGNORED, seccomp.FAIL),
    (seccomp.UNSUPPORTED_CALLS, seccomp.FAIL | 95),
]


@pytest.mark.slow
def test_unlisted_calls_are_refused_and_newer_calls_do_not_exist(machine):
    column = seccomp.ARCHITECTURES[machine][0]
    allowed = {numbers[column]: name for name, numbers in seccomp.CALL_NUMBERS.items()}
    answers = {numbers[column]: answer for calls, answer in ANSWERS for numbers in calls.values()}
    for number in range(600):
        name = allowed.get(number)
        if name in ARGUMENTS_CHECKED:
            continue
        expected = answers.get(number, NO_SUCH_CALL if number > 452 else REFUSED)
        if name is not None and name not in seccomp.PROCESS_CALLS:
            expected = seccomp.ALLOW
        assert verdict(machine, number) == expected, (number, name)


def test_other_architectures_and_32_bit_calls_are_blocked(machine):
    assert verdict(machine, number_of(machine, "read"), architecture=0x40000003) == seccomp.KILL  # i386
    if machine == "x86_64":
        assert verdict(machine, 0x40000000 | number_of(machine, "getpid")) == REFUSED


@pytest.mark.parametrize(
    ("name", "arguments", "allowed"),
    [
        ("openat", (-100, 0, 0o0), True),
        ("openat", (-100, 0, 0o1101), True),  # O_WRONLY | O_CREAT | O_TRUNC
        ("openat", (-100, 0, 0o1002), True),  # O_RDWR | O_TRUNC
        ("openat", (-100, 0, 0o1000), False),  # O_RDONLY | O_TRUNC: before Landlock 3 this empties a read-only file
        ("openat", (-100, 0, 0o3), False),  # neither reading nor writing: Landlock does not check this mode
        ("openat", (-100, 0, 0o1003), False),
        ("fcntl", (5, 1, 0), True),
        ("fcntl", (5, 1030, 0), True),
        *(("fcntl", (5, code, 0), False) for code in (5, 6, 7, 8, 10, 15, 36, 37, 38, 1024, 1026, 1031, 1033, 1036)),
        ("ioctl", (0, 0x5401), True),
        *(("ioctl", (0, code), False) for code in (0x5412, 0x541C, 0x5452, 0x8901, 0x8902, 0x40086602, 0x40049409)),
        ("prctl", (15,), True),
        *(("prctl", (option,), False) for option in (1, 4, 8, 22, 35, 36, 38, 0x59616D61)),
        ("kill", (PID, 9), True),
        *(("kill", (pid, 9), False) for pid in (0, -1, -PID, 1, PID + 1)),
        ("tgkill", (PID, 1, 9), True),
        ("tgkill", (PID - 1, 1, 9), False),
        ("prlimit64", (0, 0), True),
        ("prlimit64", (PID, 0), True),
        ("prlimit64", (1, 0), False),
        ("socketpair", (1, 1, 0), True),
        *(("socketpair", (family, 1, 0), False) for family in (2, 16, 30)),
        ("sendto", (3, 1, 1, 0, 0, 0), True),
        ("sendto", (3, 1, 1, 0, 1, 16), False),
        ("sendto", (3, 1, 1, 0, 1 << 32, 16), False),
        ("utimensat", (-100, 1, 0, 0), False),
        ("clone", (0x3D0F00,), True),  # a thread of glibc
        ("clone", (0x7D0F00,), True),  # a thread of musl
        ("clone", (0x1200011,), False),  # fork
        ("clone", (0x4111,), False),  # vfork
        *(("clone", (0x3D0F00 | bad,), False) for bad in (0x10000000, 0x20000, 0x40000000, 0x2000000, 0x8000, 0x2000)),
    ],
)
def test_arguments_of_calls_are_checked(machine, name, arguments, allowed):
    assert verdict(machine, number_of(machine, name), *arguments) == (seccomp.ALLOW if allowed else REFUSED)


def test_setting_times_does_nothing_and_reports_success(machine):
    assert verdict(machine, number_of(machine, "utimensat"), -100, 1, 1, 0) == seccomp.FAIL


def test_open_is_filtered_like_openat():
    for flags in (0, 0o1101, 0o1000, 0o3):
        expected = verdict("x86_64", number_of("x86_64", "openat"), -100, 0, flags)
        assert verdict("x86_64", number_of("x86_64", "open"), 0, flags) == expected


def test_processes_and_threads_start_only_if_allowed(machine):
    clone = number_of(machine, "clone")
    assert verdict(machine, clone, 0x1200011, processes=True) == seccomp.ALLOW
    assert verdict(machine, clone, 0x1200011 | 0x10000000, processes=True) == REFUSED  # in a new user namespace
    assert verdict(machine, number_of(machine, "execve"), processes=True) == seccomp.ALLOW
    assert verdict(machine, clone, 0x3D0F00, threads=False) == REFUSED


@pytest.mark.parametrize(
    ("header", "column", "pattern"),
    [
        ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", 0, r"#define __NR_(\w+)\s+(\d+)"),
        ("/usr/include/asm-generic/unistd.h", 1, r"#define __NR(?:3264)?_(\w+)\s+(\d+)"),
    ],
)
def test_call_numbers_match_the_kernel_headers(header, column, pattern):
    path = Path(header)
    if not path.is_file():
        pytest.skip(f"{header} is not installed")
    said = {name: int(number) for name, number in re.findall(pattern, path.read_text())}
    said.setdefault("newfstatat", said.get("fstatat"))
    others = seccomp.MISSING_CALLS | seccomp.SILENTLY_IGNORED | seccomp.UNSUPPORTED_CALLS
    for name, numbers in (seccomp.CALL_NUMBERS | others).items():
        if numbers[column] is None or numbers[column] < max(said.values()):  # newer ones are not in older headers
            assert numbers[column] == said.get(name), name
