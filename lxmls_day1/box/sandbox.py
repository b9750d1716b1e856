"""Fork servers as seen from outside: start one at a level, request boxes, close it.

A fork server runs `lxmls_day1.box.fork_server`. At the level ``bubblewrap`` the fork server itself runs in a sandbox.
"""

import contextlib
import functools
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import cache_from_source
from pathlib import Path, PurePosixPath

import lxmls_day1
from lxmls_day1.base.atomic_files import remove_folder, temporary_folder
from lxmls_day1.base.errors import InputError, NoAnswer
from lxmls_day1.base.waiting import Deadline
from lxmls_day1.box.channel import MEAN_POLL_SECONDS
from lxmls_day1.box.fork_server import BOX_FOLDER, BOX_FOLDER_VARIABLES, BUBBLEWRAP, DEVICES, LANDLOCK
from lxmls_day1.box.limits import ProcessLimits
from lxmls_day1.box.programs import Program
from lxmls_day1.box.visible_folders import SYSTEM_FOLDERS, isolated_package_folder, numba_cache_folder, python_folders

START_SECONDS = 180.0  # Sleep only: compiling numba's kernels has no bound on CPU time.
END_SECONDS = 60.0  # Sleep limit for the report on how a box ended. It is long because a verdict depends on the report.
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
NOT_STARTED_MESSAGE = "the process that makes boxes did not start"
PACKAGE_MOUNT, STARTER_FILES_MOUNT, NUMBA_CACHE_MOUNT = "/machinery", "/given", f"{BOX_FOLDER}/numba"


class BoxesUnavailable(InputError, NoAnswer):
    """Boxes of a level cannot be made on this machine. The message has the reason."""


def _wait_until_readable(sock: socket.socket, wait: Deadline) -> bool:
    """Wait until a socket has data or is closed at the other end. Return False on timeout."""
    while not select.select([sock], [], [], MEAN_POLL_SECONDS)[0]:
        if wait.expired():
            return False
    return True


class ForkServer:
    """A warm process that makes boxes; see `lxmls_day1.box.fork_server`.

    Parameters
    ----------
    program : Program
    level : str
    starter_files : mapping from path to bytes, optional
        Starter files: files that most boxes have.
    user, max_landlock_version : optional
        As in `Level`.

    Raises
    ------
    BoxesUnavailable
        If the process does not start. The message is the last line that the process printed.
    """

    def __init__(
        self,
        program: Program,
        level: str,
        starter_files: Mapping[PurePosixPath, bytes] | None = None,
        user: tuple[int, int] | None = None,
        max_landlock_version: int | None = None,
    ):
        if not sys.platform.startswith("linux"):
            raise BoxesUnavailable(
                "submissions are graded on Linux, which can shut their code off; elsewhere, grade in a container "
                "(docs/how-to/grade-in-docker.md has the commands)"
            )
        self.program, self.level = program, level
        self.max_landlock_version = max_landlock_version
        self._user = user
        self._temporary = contextlib.ExitStack()
        self._folder = self._temporary.enter_context(temporary_folder("lxmls-day1-boxes-"))
        if user is not None:
            _allow_passage(self._folder)
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        errors = self._folder / "errors.txt"
        self.starter_files = {path: content for path, content in (starter_files or {}).items() if path.suffix == ".py"}
        for path, content in self.starter_files.items():
            (self._folder / "given" / path).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / "given" / path).write_bytes(content)
        given_folder = STARTER_FILES_MOUNT if level == BUBBLEWRAP else str(self._folder / "given")
        named = program.name, dict(program.arguments)
        call = f"from lxmls_day1.box.fork_server import main; main({theirs.fileno()}, {level!r}, {given_folder!r}, {named!r}, {user!r})"
        try:
            with theirs, errors.open("wb") as file:
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
        except BaseException as error:
            self._requests.close()
            self._temporary.close()
            if isinstance(error, OSError):
                raise BoxesUnavailable(f"{error}") from error
            raise
        wait = Deadline("the process that makes boxes", self._process.pid, START_SECONDS, sleep_only=True)
        try:
            readable = _wait_until_readable(self._requests, wait)
        except KeyboardInterrupt:
            self.close()
            raise
        if not readable or self._requests.recv(100) != b"ready":
            why = str(wait.timeout_error(NOT_STARTED_MESSAGE)) if not readable else NOT_STARTED_MESSAGE
            messages = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            self.close()
            raise BoxesUnavailable(messages[-1] if messages else why)

    def _command(self) -> list[str]:
        program = shutil.which("bwrap")
        if program is None:
            raise BoxesUnavailable("bubblewrap (the command bwrap) is not installed")
        numba_cache = numba_cache_folder(self.program.cache)
        options = ["--die-with-parent", "--new-session", "--clearenv"]
        if self._user is None:
            options += ["--unshare-all"]
        else:  # A user namespace would contain only one user.
            options += [f"--unshare-{what}" for what in ("pid", "net", "ipc", "uts", "cgroup-try")]
            options += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        for name, value in self.environment().items():
            options += ["--setenv", name, value]
        mounted = (*python_folders(), f"{PACKAGE_MOUNT}/lxmls_day1", DEVICES[0])
        above = {parent for path in mounted for parent in Path(path).parents}
        # Otherwise bubblewrap would make these folders inaccessible to other users.
        for parent in sorted(above - {Path("/")}):
            options += ["--perms", "0755", "--dir", str(parent)]
        for path in SYSTEM_FOLDERS:
            options += _bwrap_bind_options(path)
        for path in python_folders():
            options += ["--ro-bind", path, path]
        options += ["--ro-bind", str(Path(lxmls_day1.__file__).parent), f"{PACKAGE_MOUNT}/lxmls_day1"]
        if (self._folder / "given").is_dir():
            options += ["--ro-bind", str(self._folder / "given"), STARTER_FILES_MOUNT]
        options += ["--proc", "/proc"]
        # Bind the machine's own devices, because only root could create new ones; each box makes them read-only.
        for path in DEVICES:
            options += ["--dev-bind", path, path]
        options += ["--tmpfs", BOX_FOLDER, "--bind", str(numba_cache), NUMBA_CACHE_MOUNT]
        options += self._bwrap_hide_options([*python_folders(), "/usr"])
        options += ["--remount-ro", "/"]
        return [program, *options, "--chdir", BOX_FOLDER, "--", sys.executable, "-s", "-P"]

    def _bwrap_hide_options(self, visible: Sequence[str]) -> list[str]:
        """Return the bubblewrap options that cover hidden files and folders with empty ones."""
        options = []
        package = Path(lxmls_day1.__file__).parent
        for path in self.program.hidden:
            covered = [path] if any(path.is_relative_to(folder) for folder in visible) else []
            if path.is_relative_to(package):
                covered.append(Path(PACKAGE_MOUNT, "lxmls_day1", path.relative_to(package)))
            for target in covered:
                options += ["--tmpfs", str(target)] if path.is_dir() else ["--ro-bind", os.devnull, str(target)]
        return options

    def environment(self) -> dict[str, str]:
        """Return the complete environment of a box."""
        boxed = self.level == BUBBLEWRAP
        package = PACKAGE_MOUNT if boxed else str(isolated_package_folder(self.program.cache))
        variables = {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PYTHONPATH": package,
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
            **dict.fromkeys(THREAD_VARIABLES, "1"),
            "NUMBA_CACHE_DIR": NUMBA_CACHE_MOUNT if boxed else str(numba_cache_folder(self.program.cache)),
            "MPLBACKEND": "Agg",
            **dict.fromkeys(BOX_FOLDER_VARIABLES, BOX_FOLDER if boxed else str(self._folder)),
            "MPLCONFIGDIR": NUMBA_CACHE_MOUNT if boxed else str(numba_cache_folder(self.program.cache)),
        }
        # Make the C library return memory to the kernel only in large amounts, because a box would soon need it again.
        variables |= {"MALLOC_TRIM_THRESHOLD_": str(64 << 20), "MALLOC_MMAP_THRESHOLD_": str(4 << 20)}
        return variables

    @functools.cached_property
    def readable_paths(self) -> list[str]:
        """The paths that boxes of the level ``landlock`` may read; no hidden file is below any of them.

        The value is cached because it takes following the links of some hundred paths. The bytecode path of a hidden file is hidden even
        before the bytecode exists.
        """
        package = Path(lxmls_day1.__file__).parent
        folders = [path for path in (*SYSTEM_FOLDERS, *DEVICES, *python_folders()) if os.path.exists(path)]
        cache = self.program.cache
        allowed = [str(isolated_package_folder(cache)), str(numba_cache_folder(cache))]
        hidden = [*self.program.hidden]
        hidden += [Path(cache_from_source(path)) for path in hidden if path.suffix == ".py"]
        hidden_paths = {Path(os.path.realpath(path)) for path in hidden}
        above = {parent for path in hidden_paths for parent in path.parents}
        pending = [*map(Path, folders), package]
        while pending:
            # For example, ``lib64`` of a virtual environment is a link to ``lib``.
            path = Path(os.path.realpath(pending.pop()))
            if not hidden_paths.isdisjoint((path, *path.parents)):
                continue
            if path in above:
                pending.extend(path.iterdir())
            else:
                allowed.append(str(path))
        return allowed

    def start_box(self, limits: ProcessLimits) -> "ForkedBox":
        """Make one box."""
        in_memory = self.level == BUBBLEWRAP
        folder = Path(BOX_FOLDER if in_memory else tempfile.mkdtemp(dir=self._folder), "lab")
        request = {
            "limits": asdict(limits),
            "folder": str(folder),
            "landlock": self.max_landlock_version,
            "readable": self.readable_paths if self.level == LANDLOCK else [],
        }
        if not in_memory:
            folder.mkdir()
            if self._user is not None:
                # The inner folder comes first: once its parent is theirs, they could replace it by a link.
                for theirs in (folder, folder.parent):
                    os.chown(theirs, *self._user, follow_symlinks=False)
        served, their_served = socket.socketpair()
        printed, their_printed = os.pipe()
        reported, their_reported = socket.socketpair()
        os.set_blocking(printed, False)
        # In a file, because messages on a socket have a maximum length, but a request lists any number of files of the installation.
        with their_served, their_reported, open(os.memfd_create("request"), "w+b") as content:
            content.write(json.dumps(request).encode())
            content.seek(0)
            handles = [content.fileno(), their_served.fileno(), their_printed, their_reported.fileno()]
            try:
                socket.send_fds(self._requests, [b"box"], handles)
            except OSError as error:
                served.close()
                reported.close()
                os.close(printed)
                raise BoxesUnavailable("the process that makes boxes has ended") from error
            finally:
                os.close(their_printed)
        return ForkedBox(served, printed, reported, None if in_memory else folder.parent, self._process.pid)

    def close(self) -> None:
        """End the process and all its boxes."""
        self._requests.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._process.kill()
        self._process.wait()
        remove_folder(self._folder)
        self._temporary.close()


@dataclass
class ForkedBox:
    """A box as seen from outside: its service socket, its output pipe, the socket for the final report, its folder (None if in memory),
    and the PID of its fork server.
    """

    service_socket: socket.socket
    output_handle: int
    report_socket: socket.socket
    folder: Path | None
    server_pid: int

    def read_output(self) -> bytes:
        """Return some of the printed output, or nothing if there is none at the moment."""
        try:
            return os.read(self.output_handle, 1 << 16)
        except (BlockingIOError, OSError):
            return b""

    def end(self) -> dict[str, float | str]:
        """Have everything in the box killed, and return the report on how it ended."""
        with contextlib.suppress(OSError):
            self.service_socket.shutdown(socket.SHUT_RDWR)
        self.service_socket.close()
        report: dict[str, float | str] = {}
        with contextlib.suppress(OSError):  # If the report was sent already, this socket may be closed.
            self.report_socket.send(b"end")
        with contextlib.suppress(OSError):
            if _wait_until_readable(
                self.report_socket, Deadline("the end of a box", self.server_pid, END_SECONDS, sleep_only=True)
            ):
                content = self.report_socket.recv(1 << 16)
                report = json.loads(content) if content else {}
        self.report_socket.close()
        os.close(self.output_handle)
        if self.folder is not None:
            remove_folder(self.folder)
        return report


def _allow_passage(folder: Path) -> None:
    """Let other users pass through this temporary folder to their own folders in it, without listing its contents."""
    top = Path(tempfile.gettempdir())
    for path in (folder, *folder.parents):
        if path == top or not path.is_relative_to(top) or path.stat().st_uid != os.geteuid():
            return
        path.chmod(path.stat().st_mode | 0o011)


def _bwrap_bind_options(path: str) -> Sequence[str]:
    """Return the bubblewrap options that show a system folder, or a copy of the link if it is one."""
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path] if os.path.exists(path) else []
