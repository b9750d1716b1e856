"""How untrusted code is isolated from the rest of the machine: three levels, the strongest first.

==============  ============================================================================================================
``bubblewrap``  own mount, pid, network, ipc and user name spaces in which nothing but Python and its libraries can be seen,
                all of it read-only, and a private folder in memory; no capabilities, a filter of system calls, limits
``landlock``    files other than Python, its libraries and a private folder are out of reach, and so are the network and
                other processes; no capabilities, the same filter, limits. For kernels where bubblewrap may not work
``process``     a process of its own with limits: keeps accidents in, not malice. Old kernels
==============  ============================================================================================================

A level counts only after it has been tried: `self_test` starts a box that attempts what must not be possible.
"""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lxmls_day1.base.atomic_files import temporary_folder
from lxmls_day1.base.errors import InputError
from lxmls_day1.box.box import Box
from lxmls_day1.box.fork_server import BUBBLEWRAP, LANDLOCK, PROCESS
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.probe import PROBED_PROGRAM
from lxmls_day1.box.programs import Program
from lxmls_day1.box.sandbox import MACHINERY, BoxesUnavailable, ForkServer
from lxmls_day1.box.visible_folders import numba_cache_folder, require_cache

LEVELS = {
    BUBBLEWRAP: "each in its own namespaces (bubblewrap), with limits and a system-call filter",
    LANDLOCK: "each isolated from files, network and other processes (Landlock and seccomp), with limits",
    PROCESS: "each in a process of its own with limits, which contains accidents but not malice",
}
SAFE_LEVELS = (BUBBLEWRAP, LANDLOCK)
NOBODY = (65534, 65534)


@dataclass(frozen=True)
class Level:
    """A level that works here, and why the stronger ones do not.

    Attributes
    ----------
    name : str
    rejected : tuple of (str, str)
        Levels, and what is in their way.
    user : (int, int), optional
        The numbers of the user and of the group that its boxes belong to; those of the grader unless given.
    newest_landlock : int, optional
        The version of Landlock to go by at most, as on a kernel that has no newer one; the kernel's own unless given.
    """

    name: str
    rejected: tuple[tuple[str, str], ...] = ()
    user: tuple[int, int] | None = None
    newest_landlock: int | None = None

    @property
    def text(self) -> str:
        """In a sentence, for reports."""
        return f"Submissions were run {LEVELS[self.name]}."

    @property
    def safe(self) -> bool:
        """Whether the level holds hostile code."""
        return self.name in SAFE_LEVELS


def strongest_level(program: Program, wanted: str | None = None, as_user: str | None = None) -> Level:
    """The strongest level that passes its self-test here.

    Parameters
    ----------
    program : Program
        What will run in the boxes.
    wanted : str, optional
        Take this one, or fail.
    as_user : str, optional
        The user whom the boxes of a safe level belong to, by name or number; only the superuser can choose one. Unless
        given, the superuser's boxes belong to ``nobody`` where that passes the self-test, all others to whoever grades.

    Raises
    ------
    BoxesUnavailable
        If `wanted` does not work here.
    InputError
        If there is no such level or user, or the cache cannot be written to.
    """
    if wanted is not None and wanted not in LEVELS:
        raise InputError(f"there is no sandbox level {wanted!r}; there are {', '.join(LEVELS)}.")
    require_cache(program.cache)
    users = users_of_boxes(as_user)
    rejected: list[tuple[str, str]] = []
    for name in LEVELS if wanted is None else (wanted,):
        if name == PROCESS and as_user is not None:
            rejected.append((name, "its boxes belong to the user who grades, but --as-user names another user"))
            continue
        for user in users if name in SAFE_LEVELS else (None,):
            why = why_not(program, name, user)
            if why is None:
                return Level(name, tuple(rejected), user)
            rejected.append((name if user is None else f"{name} as user {user[0]}", why))
    raise BoxesUnavailable(f"the sandbox level {rejected[-1][0]} does not work here: {rejected[-1][1]}.")


def users_of_boxes(as_user: str | None = None) -> list[tuple[int, int] | None]:
    """The users that boxes may belong to, the best one first: numbers of user and group, or None for the user who grades."""
    superuser = hasattr(os, "geteuid") and os.geteuid() == 0
    if as_user is None and not superuser:
        return [None]
    if not superuser:
        raise InputError("--as-user is for the superuser; without it, boxes belong to you.")
    import pwd

    try:
        entry = pwd.getpwuid(int(as_user)) if as_user and as_user.isdigit() else pwd.getpwnam(as_user or "nobody")
    except KeyError:
        if as_user is not None and not as_user.isdigit():
            raise InputError(f"there is no user {as_user!r} on this machine.") from None
        user = (int(as_user), int(as_user)) if as_user else NOBODY
    else:
        user = (entry.pw_uid, entry.pw_gid)
    if user[0] == 0:
        raise InputError("--as-user must name a user without special rights, such as nobody.")
    return [user] if as_user is not None else [user, None]


def why_not(
    program: Program, level: str, user: tuple[int, int] | None = None, newest_landlock: int | None = None
) -> str | None:
    """Why a level does not work on this machine, or None."""
    try:
        return self_test(program, level, user, newest_landlock)
    except (BoxesUnavailable, OSError) as error:
        return str(error).rstrip(".")


def self_test(
    program: Program, level: str, user: tuple[int, int] | None = None, newest_landlock: int | None = None
) -> str | None:
    """Start a box that sees what those of the program see, and try it; what was possible, or None.

    The program itself is not started, which takes longer than all attempts; whoever has started it tries its boxes.
    """
    probed = replace(program, name=PROBED_PROGRAM, arguments={})
    with contextlib.closing(ForkServer(probed, level, user=user, newest_landlock=newest_landlock)) as maker:
        return try_box(maker)


def try_box(maker: ForkServer) -> str | None:
    """Let a box attempt what must not be possible in it; what was possible, or None."""
    if maker.level in SAFE_LEVELS:
        return "; ".join(possible_in_a_box(maker)) or None
    Box(maker, {}, Limits()).close()  # nearly all of it is possible there: only whether a box starts
    return None


def possible_in_a_box(maker: ForkServer) -> list[str]:
    """What is possible in a box and must not be: each in words."""
    limits = Limits()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(temporary_folder("lxmls-day1-probe-"))
        secret = folder / "secret.txt"
        secret.write_text("secret", encoding="utf-8")
        before = _look_of(secret)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        bystander = stack.enter_context(_bystander())
        box = stack.enter_context(contextlib.closing(Box(maker, {}, limits)))
        found: list[str] = box.ask(
            {
                "do": "probe",
                "secret": str(secret),
                "unreadable": [str(secret), str(folder), *map(str, maker.program.hidden)],
                "unwritable": [
                    str(folder),
                    os.path.dirname(np.__file__),
                    str(numba_cache_folder(maker.program.cache)),
                    "/",
                    "/tmp",
                    MACHINERY,
                ],
                "port": listener.getsockname()[1],
                "pid": bystander.pid,
                "grader": os.getpid(),
                "variables": sorted(set(os.environ) - set(maker.environment()) - {"PWD"}),
            },
            limits.check_seconds,
        )
        if _look_of(secret) != before:
            found.append("a file of the grader has changed")
        if bystander.poll() is not None:
            found.append("another process was killed")
    return found


def _look_of(path: Path) -> tuple[Any, ...]:
    about = path.stat()
    return path.read_bytes(), about.st_mode, about.st_uid, about.st_gid, about.st_mtime_ns, about.st_nlink


@contextlib.contextmanager
def _bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that only waits. The box attempts on it what it must not do to the process that grades."""
    call = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(call, stdin=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()
