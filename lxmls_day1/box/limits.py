"""How much processor time, memory and output untrusted code may use: what is allowed, and how a process is held to it.

Another limit is a field of `Limits`, one of `ProcessLimits` and a line of `ProcessLimits.apply`; the options of the command line
and the request that makes a box follow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import PurePosixPath
from typing import Any

from lxmls_day1.base.errors import InputError

MEBIBYTE = 1 << 20
OPEN_FILES = 64

# Why there is no reply from a box.
TIMEOUT, MEMORY, CRASHED, REFUSED = "timeout", "memory", "crashed", "refused"


def _limit(default: float, meaning: str) -> Any:
    """A field of `Limits`: its usual value, and what ``lxmls-day1 grade --help`` says of it."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class Limits:
    """The limits of one submission, all its boxes together. Each is an option of ``lxmls-day1 grade``: ``--limit memory=512``.

    Processor time decides: it is the same on a busy machine. The limits on the clock are ten times as long, and stop code
    that sleeps: where the system tells it, the clock stands still while the code waits for a processor. Both are counted only
    while the student's code runs.
    """

    check_cpu_seconds: float = _limit(10.0, "seconds of processor time for one check; the kernel counts whole seconds")
    cpu_seconds: float = _limit(60.0, "seconds of processor time for all checks together")
    check_seconds: float = _limit(
        100.0, "seconds on the clock for one check; on Linux, waiting for a processor does not count"
    )
    total_seconds: float = _limit(600.0, "seconds on the clock for all checks together")
    memory: float = _limit(1024.0, "MiB beyond what Python and the libraries use")
    processes: int = _limit(1, "that of the code itself: it may start no other; the kernel counts any more per user")
    files: int = _limit(256, "files and folders that the code may create")
    written: float = _limit(16.0, "MiB written to files")
    printed: float = _limit(1.0, "MiB printed")
    reply: float = _limit(
        16.0, "MiB in one answer, with sparse and empty arrays counted as dense; four times that in all from one box"
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not value > 0:
                raise InputError(f"the limit {one.name} must be greater than 0; got {value}.")

    @classmethod
    def of_texts(cls, texts: list[str] | tuple[str, ...]) -> "Limits":
        """Limits that differ from the usual ones in what these texts say.

        Examples
        --------
        >>> Limits.of_texts(["memory=512", "check_seconds=5"]).memory
        512.0
        """
        known = {one.name: one.type for one in fields(cls)}
        chosen: dict[str, Any] = {}
        for text in texts:
            name, equals, number = text.partition("=")
            if name not in known or not equals:
                raise InputError(f"{text!r} is not a limit; expected one of {', '.join(known)}, as in memory=512.")
            try:
                chosen[name] = int(number) if known[name] is int else float(number)
            except ValueError:
                raise InputError(f"the limit {name} must be a number; got {number!r}.") from None
        return cls(**chosen)

    def bytes_of(self, name: str) -> int:
        """A limit that is given in MiB, in bytes."""
        return int(getattr(self, name) * MEBIBYTE)

    def of_process(self, files: Mapping[PurePosixPath, bytes], cpu_seconds: float | None = None) -> "ProcessLimits":
        """The limits of a box into which these files are put, which do not count.

        Parameters
        ----------
        files : mapping from path to content
        cpu_seconds : float, optional
            What is left of the processor time; all of it unless given.
        """
        folders = {folder for path in files for folder in path.parents}
        own_space = 4 * sum(map(len, files.values())) + MEBIBYTE
        return ProcessLimits(
            cpu=self.cpu_seconds if cpu_seconds is None else cpu_seconds,
            memory=self.bytes_of("memory"),
            written=max(self.bytes_of("written"), *map(len, files.values()), 0),
            space=self.bytes_of("written") + own_space,
            files=self.files
            + 2 * len(files)
            + 2 * len(folders)
            + 40,  # each with its bytecode, for which there is a folder
            processes=self.processes,
            reply=self.bytes_of("reply"),
        )


@dataclass(frozen=True)
class ProcessLimits:
    """The limits of one box, as plain numbers that are sent to it.

    Attributes
    ----------
    cpu : float
        Seconds of processor time.
    memory, written, space, reply : int
        Bytes of address space beside what Python and the libraries have, of one file, of all files, and of an answer.
    files : int
    processes : int
    """

    cpu: float
    memory: int
    written: int
    space: int
    files: int
    processes: int
    reply: int

    @property
    def starts_processes(self) -> bool:
        """Whether it may start others."""
        return self.processes > 1

    def apply(self, present_memory: int) -> None:
        """Hold this process to them, on Linux; files and space are those of the file system that a box is given.

        Parameters
        ----------
        present_memory : int
            Bytes of address space that it has.
        """
        import resource

        memory = self.memory + present_memory
        cpu = max(1, int(self.cpu + 0.999))
        limits = {
            resource.RLIMIT_CPU: (cpu, cpu + 1),
            resource.RLIMIT_AS: (memory, memory),
            resource.RLIMIT_FSIZE: (self.written, self.written),
            resource.RLIMIT_NOFILE: (OPEN_FILES, OPEN_FILES),
            resource.RLIMIT_CORE: (0, 0),
            resource.RLIMIT_MEMLOCK: (0, 0),
            resource.RLIMIT_MSGQUEUE: (0, 0),
        }
        if self.starts_processes:
            limits[resource.RLIMIT_NPROC] = (self.processes, self.processes)
        for what, pair in limits.items():
            resource.setrlimit(what, pair)
