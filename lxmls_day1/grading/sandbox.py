"""How submissions are kept apart from us and from each other: three levels, the strongest that works here first.

==============  ============================================================================================================
``bubblewrap``  own mount, pid, network, ipc and user name spaces in which nothing but Python and its libraries can be seen,
                all of it read-only, and a private folder in memory; no capabilities, a filter of system calls, limits
``landlock``    files other than Python, its libraries and a private folder are out of reach, and so are the network and
                other processes; no capabilities, the same filter, limits. For kernels where bubblewrap may not work
``process``     a process of its own with limits: keeps accidents in, not malice. macOS, Windows, old kernels
==============  ============================================================================================================

A level counts only after it has been tried: `self_test` starts a box that attempts what must not be possible.
"""

import contextlib
import hashlib
import io
import json
import os
import select
import shutil
import site
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import lxmls_day1
from lxmls_day1.errors import InputError
from lxmls_day1.exercises.importable import answer_paths
from lxmls_day1.grading.fork_server import BUBBLEWRAP, DEVICES, LANDLOCK, PRIVATE, PROCESS
from lxmls_day1.lab import reference_folder
from lxmls_day1.whole_files import remove_folder

LEVELS = {
    BUBBLEWRAP: "each in name spaces of its own (bubblewrap), with limits and a filter of system calls",
    LANDLOCK: "each shut off from files, network and other processes (Landlock and seccomp), with limits",
    PROCESS: "each in a process of its own with limits, which keeps accidents in but not malice",
}
SAFE_LEVELS = (BUBBLEWRAP, LANDLOCK)
START_SECONDS = 180.0  # the first time the kernels of numba are compiled
MACHINERY, GIVEN, NUMBA_CACHE = "/machinery", "/given", f"{PRIVATE}/numba"
SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
NOBODY = (65534, 65534)


class BoxesUnavailable(InputError):
    """Boxes of a level cannot be made on this machine; the message says why."""


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
        """Whether code that means harm is kept in."""
        return self.name in SAFE_LEVELS


def strongest_level(wanted: str | None = None, as_user: str | None = None) -> Level:
    """The strongest level that passes its self-test here.

    Parameters
    ----------
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
    require_cache()
    users = users_of_boxes(as_user)
    rejected: list[tuple[str, str]] = []
    for name in LEVELS if wanted is None else (wanted,):
        if name == PROCESS and as_user is not None:
            rejected.append((name, "its boxes belong to whoever grades, and --as-user names another user"))
            continue
        for user in users if name in SAFE_LEVELS else (None,):
            why = why_not(name, user)
            if why is None:
                return Level(name, tuple(rejected), user)
            rejected.append((name if user is None else f"{name} as user {user[0]}", why))
    raise BoxesUnavailable(f"the sandbox level {rejected[-1][0]} does not work here: {rejected[-1][1]}.")


def users_of_boxes(as_user: str | None = None) -> list[tuple[int, int] | None]:
    """Whom boxes may belong to, the best one first: numbers of user and group, or None for whoever grades."""
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
        raise InputError("--as-user wants a user without rights of its own, such as nobody.")
    return [user] if as_user is not None else [user, None]


def why_not(level: str, user: tuple[int, int] | None = None, newest_landlock: int | None = None) -> str | None:
    """What is in the way of a level on this machine, or None."""
    try:
        return self_test(level, user, newest_landlock)
    except (BoxesUnavailable, OSError) as error:
        return str(error).rstrip(".")


def self_test(level: str, user: tuple[int, int] | None = None, newest_landlock: int | None = None) -> str | None:
    """Start a box and let it attempt what must not be possible there; what was possible, or None."""
    from lxmls_day1.grading.box import Box
    from lxmls_day1.grading.limits import Limits

    with contextlib.closing(fork_server_of(level, user=user, newest_landlock=newest_landlock)) as fork_server:
        if level != PROCESS:
            return "; ".join(possible_in_a_box(fork_server)) or None
        Box(fork_server, {}, Limits()).close()  # nearly all of it is possible there: only whether a box starts
        return None


def possible_in_a_box(fork_server: "ForkServer | SpawningServer") -> list[str]:
    """What must not be possible in a box, and is: each in words."""
    from lxmls_day1.grading.box import Box
    from lxmls_day1.grading.limits import Limits

    limits = Limits()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lxmls-day1-probe-")))
        secret = folder / "secret.txt"
        secret.write_text("secret", encoding="utf-8")
        before = _look_of(secret)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        bystander = stack.enter_context(_bystander())
        box = stack.enter_context(contextlib.closing(Box(fork_server, {}, limits)))
        found = box.ask(
            {
                "do": "probe",
                "secret": str(secret),
                "unreadable": [str(secret), str(folder), str(reference_folder() / "tests")],
                "unwritable": [str(folder), np_folder(), str(numba_cache_folder()), "/", "/tmp", MACHINERY],
                "port": listener.getsockname()[1],
                "pid": bystander.pid,
                "grader": os.getpid(),
                "variables": sorted(set(os.environ) - set(fork_server.environment()) - {"PWD"}),
            },
            limits.check_seconds,
        )
        if _look_of(secret) != before:
            found.append("a file of the grader has changed")
        if bystander.poll() is not None:
            found.append("another process was ended")
    return found


def _look_of(path: Path) -> tuple[Any, ...]:
    about = path.stat()
    return path.read_bytes(), about.st_mode, about.st_uid, about.st_gid, about.st_mtime_ns, about.st_nlink


@contextlib.contextmanager
def _bystander() -> Iterator[subprocess.Popen]:
    """A process that waits: what a box should not do to the one that grades is attempted on this one."""
    call = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(call, stdin=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def np_folder() -> str:
    """Where numpy is installed: readable in a box, and not to be written to."""
    import numpy

    return os.path.dirname(numpy.__file__)


class ForkServer:
    """A warm process that makes boxes, as `lxmls_day1.grading.fork_server` describes it.

    Parameters
    ----------
    level : str
    given : mapping from path to bytes, optional
        The files that students were given.
    notebooks : bool
        Whether its boxes are for notebooks.
    place : str, optional
        Where its folder is made if that is there; among the temporary files unless given.
    user, newest_landlock : optional
        As in `Level`.

    Raises
    ------
    BoxesUnavailable
        If it cannot be started; the message holds what it said.
    """

    def __init__(
        self,
        level: str,
        given: Mapping[PurePosixPath, bytes] | None = None,
        notebooks: bool = False,
        place: str | None = None,
        user: tuple[int, int] | None = None,
        newest_landlock: int | None = None,
    ):
        self.level, self._notebooks = level, notebooks
        self.newest_landlock = newest_landlock
        self._user = user
        place = place if place is not None and os.path.isdir(place) else None
        self._folder = Path(tempfile.mkdtemp(prefix="lxmls-day1-boxes-", dir=place))
        if user is not None:
            _let_through(self._folder)
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        errors = self._folder / "errors.txt"
        for path, content in (given or {}).items():
            if path.suffix == ".py":
                (self._folder / "given" / path).parent.mkdir(parents=True, exist_ok=True)
                (self._folder / "given" / path).write_bytes(content)
        seen = GIVEN if level == BUBBLEWRAP else str(self._folder / "given")
        call = f"from lxmls_day1.grading.fork_server import main; main({theirs.fileno()}, {level!r}, {seen!r}, {notebooks})"
        try:
            with errors.open("wb") as file:
                self._process = subprocess.Popen(
                    [*self._command(), "-c", call] if level == BUBBLEWRAP else [sys.executable, "-s", "-P", "-c", call],
                    env=self.environment(),
                    cwd=self._folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=file,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
        except OSError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise BoxesUnavailable(f"{error}") from error
        finally:
            theirs.close()
        try:
            readable, _, _ = select.select([self._requests], [], [], START_SECONDS)
        except KeyboardInterrupt:
            self.close()
            raise
        if not readable or self._requests.recv(100) != b"ready":
            said = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            self.close()
            raise BoxesUnavailable(said[-1] if said else "the process that makes boxes did not start")

    def _command(self) -> list[str]:
        program = shutil.which("bwrap")
        if program is None:
            raise BoxesUnavailable("bubblewrap (the command bwrap) is not installed")
        numba_cache = numba_cache_folder()
        options = ["--die-with-parent", "--new-session", "--clearenv"]
        if self._user is None:
            options += ["--unshare-all"]
        else:  # a user name space would know one user only
            options += [f"--unshare-{what}" for what in ("pid", "net", "ipc", "uts", "cgroup-try")]
            options += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        for name, value in self.environment().items():
            options += ["--setenv", name, value]
        above = {
            parent
            for path in (*python_folders(), f"{MACHINERY}/lxmls_day1", DEVICES[0])
            for parent in Path(path).parents
        }
        for path in sorted(above - {Path("/")}):  # bubblewrap would keep them from other users
            options += ["--perms", "0755", "--dir", str(path)]
        for path in SYSTEM_FOLDERS:
            options += _seen(path)
        for path in python_folders():
            options += ["--ro-bind", path, path]
        options += ["--ro-bind", str(Path(lxmls_day1.__file__).parent), f"{MACHINERY}/lxmls_day1"]
        if (self._folder / "given").is_dir():
            options += ["--ro-bind", str(self._folder / "given"), GIVEN]
        options += ["--proc", "/proc"]
        for (
            path
        ) in DEVICES:  # the machine's own, for only its superuser could make others; each box makes them read-only
            options += ["--dev-bind", path, path]
        options += ["--tmpfs", PRIVATE, "--bind", str(numba_cache), NUMBA_CACHE]
        visible = [*python_folders(), "/usr"]
        for path in secret_folders():
            if any(Path(path).is_relative_to(folder) for folder in visible):
                options += ["--tmpfs", path]
        options += self._answers_hidden(visible)
        inside = Path(lxmls_day1.__file__).parent / "reference_lab"
        if inside.is_dir():
            options += ["--tmpfs", f"{MACHINERY}/lxmls_day1/reference_lab"]
        options += ["--remount-ro", "/"]
        return [program, *options, "--chdir", PRIVATE, "--", sys.executable, "-s", "-P"]

    def _answers_hidden(self, visible: Sequence[str]) -> list[str]:
        """The options of bubblewrap that lay nothing over what computes an answer; notebooks may train with it."""
        options = []
        package = Path(lxmls_day1.__file__).parent
        for path in [] if self._notebooks else answer_paths():
            places = [path] if any(path.is_relative_to(folder) for folder in visible) else []
            if path.is_relative_to(package):
                places.append(Path(MACHINERY, "lxmls_day1", path.relative_to(package)))
            for place in places:
                options += ["--tmpfs", str(place)] if path.is_dir() else ["--ro-bind", os.devnull, str(place)]
        return options

    def environment(self) -> dict[str, str]:
        """All that a box finds in its environment."""
        boxed = self.level == BUBBLEWRAP
        package = MACHINERY if boxed else str(machinery_folder())
        variables = {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": PRIVATE if boxed else str(self._folder),
            "TMPDIR": PRIVATE if boxed else str(self._folder),
            "PYTHONPATH": package,
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
            "NUMBA_CACHE_DIR": NUMBA_CACHE if boxed else str(numba_cache_folder()),
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": NUMBA_CACHE if boxed else str(numba_cache_folder()),
        }
        for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
            variables[name] = "1"
        return variables

    def readable(self) -> list[str]:
        """What a box of the level ``landlock`` may read: no folder that holds solutions is beneath any of these."""
        package = Path(lxmls_day1.__file__).parent
        folders = [path for path in (*SYSTEM_FOLDERS, *DEVICES, *python_folders()) if os.path.exists(path)]
        allowed: list[str] = [str(machinery_folder()), str(numba_cache_folder())]
        hidden = [*map(Path, secret_folders()), *([] if self._notebooks else answer_paths())]
        pending = [*map(Path, folders), package]
        while pending:
            path = pending.pop()
            if any(path == other or path.is_relative_to(other) for other in hidden):
                continue
            if any(other.is_relative_to(path) for other in hidden):
                pending.extend(path.iterdir())
            else:
                allowed.append(str(path))
        return allowed

    def start(self, limits: dict[str, float]) -> "ForkedBox":
        """Make one box.

        Parameters
        ----------
        limits : dict
            As `fork_server` reads them.
        """
        folder = Path(PRIVATE, "lab") if self.level == BUBBLEWRAP else Path(tempfile.mkdtemp(dir=self._folder)) / "lab"
        request = {"limits": limits, "folder": str(folder), "user": self._user, "landlock": self.newest_landlock}
        if self.level != BUBBLEWRAP:
            folder.mkdir()
            if self._user is not None:
                os.chown(folder.parent, *self._user)
                os.chown(folder, *self._user)
        if self.level == LANDLOCK:
            request["readable"] = self.readable()
        served, their_served = socket.socketpair()
        printed, their_printed = os.pipe()
        reported, their_reported = socket.socketpair()
        os.set_blocking(printed, False)
        handles = [their_served.fileno(), their_printed, their_reported.fileno()]
        try:
            socket.send_fds(self._requests, [json.dumps(request).encode()], handles)
        except OSError as error:
            served.close(), reported.close(), os.close(printed)
            raise BoxesUnavailable("the process that makes boxes has ended") from error
        finally:
            their_served.close(), their_reported.close(), os.close(their_printed)
        private = None if self.level == BUBBLEWRAP else folder.parent
        return ForkedBox(served, printed, reported, private)

    def close(self) -> None:
        """End it, and with it every box."""
        self._requests.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._process.kill()
        self._process.wait()
        remove_folder(self._folder)


@dataclass
class ForkedBox:
    """A box, seen from outside: where it is served, what it prints to, where its supervisor reports, its folder if on disk."""

    served: socket.socket
    printed: int
    reported: socket.socket
    private: Path | None

    def take_output(self) -> bytes:
        """Some of what was printed; nothing if there is no more at the moment."""
        try:
            return os.read(self.printed, 1 << 16)
        except (BlockingIOError, OSError):
            return b""

    def end(self, patience: float = 10.0) -> dict[str, float | str]:
        """Have everything in it killed, and hear how it ended."""
        with contextlib.suppress(OSError):
            self.served.shutdown(socket.SHUT_RDWR)
        self.served.close()
        report: dict[str, float | str] = {}
        with contextlib.suppress(OSError):  # the supervisor may have reported already, and ended
            self.reported.send(b"end")
        with contextlib.suppress(OSError):
            self.reported.settimeout(patience)
            content = self.reported.recv(1 << 16)
            report = json.loads(content) if content else {}
        self.reported.close()
        os.close(self.printed)
        if self.private is not None:
            remove_folder(self.private)
        return report


class SpawningServer:
    """What takes the place of a `ForkServer` where a process cannot be forked: a new Python for each box.

    Its boxes are of the level ``process``.

    Parameters
    ----------
    place : str, optional
        Where the folders of its boxes are made if that is there; among the temporary files unless given.
    """

    level = PROCESS

    def __init__(self, place: str | None = None):
        self._place = place if place is not None and os.path.isdir(place) else None

    def start(self, limits: dict[str, float]) -> "SpawnedBox":
        """Make one box: slower than with a `ForkServer`, for Python starts anew."""
        folder = Path(tempfile.mkdtemp(prefix="lxmls-day1-box-", dir=self._place))
        lab_folder = folder / "lab"
        lab_folder.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            token = os.urandom(16)
            request = json.dumps({"limits": limits, "folder": str(lab_folder)})
            port = listener.getsockname()[1]
            call = "import sys; from lxmls_day1.grading.fork_server import spawned; "
            call += f"spawned({port}, {token.hex()!r}, {request!r})"
            output = (folder / "printed.txt").open("wb+", buffering=0)
            own_group = (
                {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
                if os.name == "nt"
                else {"start_new_session": True}
            )
            process = subprocess.Popen(
                [sys.executable, "-c", call],
                cwd=folder,
                env=_environment_of_spawned(folder),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                **own_group,
            )
            listener.settimeout(1.0)
            deadline = time.monotonic() + START_SECONDS
            while True:
                with contextlib.suppress(TimeoutError):
                    connection, _ = listener.accept()
                    connection.settimeout(5.0)
                    with contextlib.suppress(OSError):
                        if _received(connection, len(token)) == token:
                            return SpawnedBox(connection, output, process, folder)
                    connection.close()
                if process.poll() is not None or time.monotonic() > deadline:
                    output.close()
                    said = (folder / "printed.txt").read_text(encoding="utf-8", errors="replace").strip().splitlines()
                    shutil.rmtree(folder, ignore_errors=True)
                    raise BoxesUnavailable(said[-1] if said else "a process for a submission did not start")

    def environment(self) -> dict[str, str]:
        """What a box finds in its environment: at this level it may be as large as ours."""
        return dict(os.environ)

    def close(self) -> None:
        """Nothing is kept between boxes."""


def _received(connection: socket.socket, size: int) -> bytes:
    pieces = b""
    while len(pieces) < size and (piece := connection.recv(size - len(pieces))):
        pieces += piece
    return pieces


def _environment_of_spawned(folder: Path) -> dict[str, str]:
    kept = ("PATH", "SYSTEMROOT", "WINDIR", "TEMP", "TMP", "LANG", "LC_ALL", "NUMBA_CACHE_DIR", "USERPROFILE", "HOME")
    variables = {name: os.environ[name] for name in kept if name in os.environ}
    package = str(Path(lxmls_day1.__file__).resolve().parents[1])
    variables |= {"PYTHONPATH": package, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"}
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        variables[name] = "1"
    return variables


@dataclass
class SpawnedBox:
    """A box of a `SpawningServer`; see `ForkedBox`."""

    served: socket.socket
    output: io.FileIO
    process: subprocess.Popen
    folder: Path
    taken: int = 0

    @property
    def private(self) -> Path:
        return self.folder / "lab"

    def take_output(self) -> bytes:
        """Some of what was printed; nothing if there is no more at the moment."""
        with (self.folder / "printed.txt").open("rb") as file:
            file.seek(self.taken)
            piece = file.read(1 << 16)
        self.taken += len(piece)
        return piece

    def end(self, patience: float = 10.0) -> dict[str, float | str]:
        """Have it killed, with all of its group, and hear how it ended."""
        from lxmls_day1.exercises import check_process

        self.served.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.2)
        status = self.process.returncode
        check_process.end(self.process)
        self.output.close()
        remove_folder(self.folder)
        return {} if status is None else {"status": status << 8 if status >= 0 else -status, "cpu": 0.0}


def fork_server_of(
    level: str,
    given: Mapping[PurePosixPath, bytes] | None = None,
    notebooks: bool = False,
    place: str | None = None,
    user: tuple[int, int] | None = None,
    newest_landlock: int | None = None,
) -> ForkServer | SpawningServer:
    """What makes boxes of a level here; only Linux has fork servers."""
    if level == PROCESS and not sys.platform.startswith("linux"):
        return SpawningServer(place)
    if not sys.platform.startswith("linux"):
        raise BoxesUnavailable(f"{level} is for Linux")
    return ForkServer(level, given, notebooks, place, user, newest_landlock)


def python_folders() -> list[str]:
    """The folders of this Python and its libraries, without any that holds another one of them."""
    places = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, os.path.dirname(sys.executable)}
    places |= {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {os.path.dirname(os.path.realpath(sys.executable))}
    places |= {path for path in [*site.getsitepackages(), site.getusersitepackages()] if path in sys.path}
    real = sorted({path for place in places for path in (place, os.path.realpath(place)) if os.path.isdir(path)})
    return [
        path
        for path in real
        if path not in ("/", "/usr") and not any(path != other and Path(path).is_relative_to(other) for other in real)
    ]


def secret_folders() -> list[str]:
    """The folders that hold solutions and hidden checks."""
    reference = reference_folder()
    if (reference / "__init__.py").is_file() or reference.name == "reference_lab":
        return [str(reference)]
    return [str(path) for path in reference.iterdir() if path.name in ("classifiers", "notebooks", "readers", "tests")]


def numba_cache_folder() -> Path:
    """Where the fork servers keep compiled kernels: a folder that no box can write to."""
    from lxmls_day1.text.corpora import cache_folder

    folder = cache_folder() / "numba-of-boxes"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def require_cache() -> None:
    """Say so where that folder cannot be written to: numba would, later and in other words.

    Raises
    ------
    InputError
    """
    from lxmls_day1.text.corpora import cache_folder

    try:
        with tempfile.TemporaryFile(dir=numba_cache_folder()) as file:
            file.write(b"room for a little")
    except OSError as error:
        raise InputError(
            f"the cache folder {cache_folder()} cannot be written to ({error.strerror}); name another one in the "
            "environment variable LXMLS_DAY1_CACHE."
        ) from error


def machinery_folder() -> Path:
    """A folder with this package in it and nothing else: its own would show the reference lab around it.

    It is the same one every time, for numba's cache goes by the paths of source files.
    """
    package = Path(lxmls_day1.__file__).parent
    name = hashlib.sha256(os.fsencode(package)).hexdigest()[:12]
    folder = numba_cache_folder().with_name("machinery-of-boxes") / name
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (folder / "lxmls_day1").symlink_to(package, target_is_directory=True)
    return folder


def _let_through(folder: Path) -> None:
    """Let other users through this temporary folder, to those in it that are theirs; what is in it they cannot list."""
    top = Path(tempfile.gettempdir())
    for place in (folder, *folder.parents):
        if place == top or not place.is_relative_to(top) or place.stat().st_uid != os.geteuid():
            return
        place.chmod(place.stat().st_mode | 0o011)


def _seen(path: str) -> Sequence[str]:
    """The options by which bubblewrap shows a folder of the system, or the link that it is."""
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path] if os.path.exists(path) else []
