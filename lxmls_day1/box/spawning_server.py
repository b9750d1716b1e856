"""Boxes where a process cannot be forked, as on macOS and Windows: a new Python for each box."""

import contextlib
import io
import json
import os
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from lxmls_day1.box.fork_server import PROCESS
from lxmls_day1.box.limits import ProcessLimits
from lxmls_day1.box.makers import END_SECONDS, START_SECONDS, BoxesUnavailable
from lxmls_day1.box.programs import Program
from lxmls_day1.library_path import command_of
from lxmls_day1.processes import end_group
from lxmls_day1.waiting import LOOK_SECONDS, Wait, WaitedTooLong, tried_again
from lxmls_day1.whole_files import remove_folder, temporary_folder

SPAWNED_BOX = "lxmls_day1.box.spawned_box"
_GRACE = 0.2  # seconds in which a box that is ended may end by itself


class SpawningServer:
    """What takes the place of a `ForkServer` where a process cannot be forked: a new Python for each box.

    Its boxes are of the level ``process``.

    Parameters
    ----------
    program : Program
    """

    level = PROCESS
    given: Mapping[PurePosixPath, bytes] = MappingProxyType({})

    def __init__(self, program: Program):
        self.program = program

    def start(self, limits: ProcessLimits) -> "SpawnedBox":
        """Make one box: slower than with a `ForkServer`, for Python starts anew."""
        try:
            return tried_again(lambda: self._started(limits))
        except WaitedTooLong as error:
            raise BoxesUnavailable(str(error)) from error

    def _started(self, limits: ProcessLimits) -> "SpawnedBox":
        temporary = contextlib.ExitStack()
        folder = temporary.enter_context(temporary_folder("lxmls-day1-box-"))
        lab_folder = folder / "lab"
        lab_folder.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            token = os.urandom(16)
            program = [self.program.name, self.program.arguments]
            request = json.dumps({"limits": asdict(limits), "program": program, "folder": str(lab_folder)})
            port = listener.getsockname()[1]
            command = command_of(SPAWNED_BOX, [str(port), token.hex(), request])
            output = (folder / "printed.txt").open("wb+", buffering=0)
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=_environment_of_spawned(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # on Windows
            )
            listener.settimeout(LOOK_SECONDS)
            wait = Wait("a process for a submission", process.pid, START_SECONDS, asleep=True)
            while True:
                with contextlib.suppress(TimeoutError):
                    connection, _ = listener.accept()
                    connection.settimeout(END_SECONDS)
                    with contextlib.suppress(OSError):
                        if _received(connection, len(token)) == token:
                            return SpawnedBox(connection, output, process, folder, temporary)
                    connection.close()
                is_late = wait.is_over()
                if process.poll() is not None or is_late:
                    end_group(process)
                    output.close()
                    messages = (
                        (folder / "printed.txt").read_text(encoding="utf-8", errors="replace").strip().splitlines()
                    )
                    temporary.close()
                    why = "a process for a submission did not start"
                    raise wait.too_long(why) if is_late else BoxesUnavailable(messages[-1] if messages else why)

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


def _environment_of_spawned() -> dict[str, str]:
    names = ("PATH", "SYSTEMROOT", "WINDIR", "TEMP", "TMP", "LANG", "LC_ALL", "NUMBA_CACHE_DIR", "USERPROFILE", "HOME")
    variables = {name: os.environ[name] for name in names if name in os.environ}
    variables |= {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"}
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        variables[name] = "1"
    return variables


@dataclass
class SpawnedBox:
    """A box of a `SpawningServer`; see `ForkedBox`."""

    served: socket.socket
    output: io.FileIO
    process: subprocess.Popen[bytes]
    folder: Path
    temporary: contextlib.ExitStack
    taken: int = 0

    @property
    def private(self) -> Path:
        """The folder of its files."""
        return self.folder / "lab"

    @property
    def watched(self) -> int:
        """The process itself."""
        return self.process.pid

    def take_output(self) -> bytes:
        """Some of what was printed; nothing if there is no more at the moment."""
        with (self.folder / "printed.txt").open("rb") as file:
            file.seek(self.taken)
            piece = file.read(1 << 16)
        self.taken += len(piece)
        return piece

    def end(self, by_itself: bool = False) -> dict[str, float | str]:
        """Have it killed, with all of its group, and hear how it ended."""
        self.served.close()
        wait = Wait("the end of a box", self.process.pid, END_SECONDS if by_itself else _GRACE, asleep=by_itself)
        while self.process.poll() is None and not wait.is_over():
            time.sleep(_GRACE / 20)
        status = self.process.returncode
        end_group(self.process)
        self.output.close()
        remove_folder(self.folder)
        self.temporary.close()
        return {} if status is None else {"status": status << 8 if status >= 0 else -status, "cpu": 0.0}
