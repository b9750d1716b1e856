"""The three levels of isolation for untrusted code, the strongest first.

==============  ============================================================================================================
``bubblewrap``  its own mount, PID, network, IPC and user namespaces, in which only Python and its libraries are visible, all
                read-only, with a private folder in memory; no capabilities, a system-call filter, limits
``landlock``    no access to files other than Python, its libraries and a private folder, nor to the network and other
                processes; no capabilities, the same filter, limits. For kernels that do not allow bubblewrap
``process``     a separate process with limits: protects against accidents, not against attacks. For old kernels
==============  ============================================================================================================

A level is used only after a test: `self_test` starts a box that attempts what must be impossible.
"""

import contextlib
import os
import socket
import subprocess
import sys
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
from lxmls_day1.box.sandbox import PACKAGE_MOUNT, BoxesUnavailable, ForkServer
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
    """A level that works on this machine, and the reasons why stronger levels do not.

    Attributes
    ----------
    name : str
    rejected : tuple of (str, str)
        The rejected levels, each with the reason.
    user : (int, int), optional
        The user id and group id of its boxes. Default: those of the grader.
    max_landlock_version : int, optional
        The maximum version of Landlock to use, to imitate an older kernel. Default: the kernel's version.
    """

    name: str
    rejected: tuple[tuple[str, str], ...] = ()
    user: tuple[int, int] | None = None
    max_landlock_version: int | None = None

    @property
    def description(self) -> str:
        """The level as a sentence for reports."""
        return f"Submissions were run {LEVELS[self.name]}."

    @property
    def is_safe(self) -> bool:
        """True if the level contains hostile code."""
        return self.name in SAFE_LEVELS


def strongest_level(program: Program, required: str | None = None, as_user: str | None = None) -> Level:
    """Return the strongest level that passes its self-test on this machine.

    Parameters
    ----------
    program : Program
        The program that will run in the boxes.
    required : str, optional
        Use this level, or raise an error.
    as_user : str, optional
        The user that runs the boxes of a safe level, by name or number; only root can choose one. Default: for root, ``nobody`` if that
        passes the self-test; otherwise the user who grades.

    Raises
    ------
    BoxesUnavailable
        If `required` does not work here.
    InputError
        If there is no such level or user, or the cache cannot be written to.
    """
    if required is not None and required not in LEVELS:
        raise InputError(f"there is no sandbox level {required!r}; there are {', '.join(LEVELS)}.")
    require_cache(program.cache)
    users = candidate_users(as_user)
    rejected: list[tuple[str, str]] = []
    for name in LEVELS if required is None else (required,):
        if name == PROCESS and as_user is not None:
            rejected.append((name, "its boxes belong to the user who grades, but --as-user names another user"))
            continue
        for user in users if name in SAFE_LEVELS else (None,):
            why = reason_unavailable(program, name, user)
            if why is None:
                return Level(name, tuple(rejected), user)
            rejected.append((name if user is None else f"{name} as user {user[0]}", why))
    raise BoxesUnavailable(f"the sandbox level {rejected[-1][0]} does not work here: {rejected[-1][1]}.")


def candidate_users(as_user: str | None = None) -> list[tuple[int, int] | None]:
    """Return the users that boxes may belong to, the best one first: (user id, group id), or None for the user who grades."""
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


def reason_unavailable(program: Program, level: str, user: tuple[int, int] | None = None) -> str | None:
    """Return the reason why a level does not work on this machine, or None if it works."""
    try:
        return self_test(program, level, user)
    except (BoxesUnavailable, OSError) as error:
        return str(error).rstrip(".")


def self_test(program: Program, level: str, user: tuple[int, int] | None = None) -> str | None:
    """Start a box that sees the same files as the program's boxes, and test it. Return what it could do but must not, or None.

    The program itself is not started, because that takes longer than the whole test; its own fork server tests its boxes later.
    """
    probed = replace(program, name=PROBED_PROGRAM, arguments={})
    with contextlib.closing(ForkServer(probed, level, user=user)) as maker:
        return try_box(maker)


def try_box(server: ForkServer) -> str | None:
    """Let a box attempt what its level forbids. Return a description of what succeeded, or None."""
    if server.level in SAFE_LEVELS:
        return "; ".join(find_escapes(server)) or None
    Box(server, {}, Limits()).close()  # The level "process" allows nearly everything, so only test that a box starts.
    return None


def find_escapes(server: ForkServer) -> list[str]:
    """Return descriptions of everything that is possible in a box but must not be."""
    limits = Limits()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(temporary_folder("lxmls-day1-probe-"))
        secret = folder / "secret.txt"
        secret.write_text("secret", encoding="utf-8")
        before = _file_snapshot(secret)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        # The box attempts to attack this process, which only waits, in place of the process that grades.
        call = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"]
        bystander = stack.enter_context(subprocess.Popen(call, stdin=subprocess.PIPE))
        stack.callback(bystander.kill)
        box = stack.enter_context(contextlib.closing(Box(server, {}, limits)))
        found: list[str] = box.call(
            {
                "do": "probe",
                "secret": str(secret),
                "unreadable": [str(secret), str(folder), *map(str, server.program.hidden)],
                "unwritable": [
                    str(folder),
                    os.path.dirname(np.__file__),
                    str(numba_cache_folder(server.program.cache)),
                    "/",
                    "/tmp",
                    PACKAGE_MOUNT,
                ],
                "port": listener.getsockname()[1],
                "pid": bystander.pid,
                "grader": os.getpid(),
                "variables": sorted(set(os.environ) - set(server.environment()) - {"PWD"}),
            },
            limits.check_seconds,
        )
        if _file_snapshot(secret) != before:
            found.append("a file of the grader has changed")
        if bystander.poll() is not None:
            found.append("another process was killed")
    return found


def _file_snapshot(path: Path) -> tuple[Any, ...]:
    about = path.stat()
    return path.read_bytes(), about.st_mode, about.st_uid, about.st_gid, about.st_mtime_ns, about.st_nlink
