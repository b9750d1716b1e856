"""What makes boxes, in whichever way: what `lxmls_day1.box.box.Box` asks of it."""

import socket
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Protocol

from lxmls_day1.box.limits import ProcessLimits
from lxmls_day1.box.programs import Program
from lxmls_day1.errors import InputError, NoAnswer

START_SECONDS = 180.0  # of sleep: compiling the kernels of numba takes as long as it takes
END_SECONDS = 60.0  # of sleep, for how a box ended: long, for a verdict depends on it


class BoxesUnavailable(InputError, NoAnswer):
    """Boxes of a level cannot be made on this machine; the message says why."""


class BoxProcess(Protocol):
    """The process of a box, seen from outside.

    Attributes
    ----------
    served : socket
        Where the box takes requests and answers them.
    private : Path, optional
        Its folder, if that is on the disk.
    watched : int
        The process that it is, or by which it was started.
    """

    @property
    def served(self) -> socket.socket: ...  # noqa: D102

    @property
    def private(self) -> Path | None: ...  # noqa: D102

    @property
    def watched(self) -> int: ...  # noqa: D102

    def take_output(self) -> bytes:
        """Some of what was printed; nothing if there is no more at the moment."""
        ...

    def end(self, by_itself: bool = False) -> Mapping[str, float | str]:
        """Kill everything in it, and say how it ended; it is waited for if it ends by itself."""
        ...


class BoxMaker(Protocol):
    """A `ForkServer` on Linux, a `SpawningServer` elsewhere.

    Attributes
    ----------
    level : str
        How well its boxes are shut off: ``bubblewrap``, ``landlock`` or ``process``.
    program : Program
        What runs in its boxes.
    given : mapping from path to bytes
        The files that its boxes have already: their names are enough.
    """

    level: str
    program: Program
    given: Mapping[PurePosixPath, bytes]

    def start(self, limits: ProcessLimits) -> BoxProcess:
        """Make one box."""
        ...

    def environment(self) -> dict[str, str]:
        """The environment variables that a box sees."""
        ...

    def close(self) -> None:
        """End it, and with it every box."""
        ...
