"""The limits on CPU time, memory and output of untrusted code, and how they are enforced on a process.

To add a limit, add a field to `Limits`, a field to `ProcessLimits` and a line to `ProcessLimits.apply`; the command-line option and
the request that makes a box are derived from these.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import PurePosixPath
from typing import Any

from lxmls_day1.base.errors import InputError

MEBIBYTE = 1 << 20
MAX_OPEN_FILES = 64

# The verdicts on a box that sends no reply.
TIMEOUT, MEMORY, CRASHED, REFUSED = "timeout", "memory", "crashed", "refused"


def _limit(default: float, meaning: str) -> Any:
    """Return a field of `Limits` with its default and its description in ``lxmls-day1 grade --help``."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class Limits:
    """The limits of one submission, for all its boxes together. Each is an option of ``lxmls-day1 grade``: ``--limit memory=512``.

    The limits on CPU time decide, because CPU time is nearly the same on a busy machine. The limits on wall-clock time are ten times as
    long, and stop code that sleeps; on Linux, time spent waiting for a processor does not count. Both are measured only while the
    student's code runs.
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
    def from_options(cls, options: list[str] | tuple[str, ...]) -> "Limits":
        """Return the default limits, changed by options of the form ``name=number``.

        Examples
        --------
        >>> Limits.from_options(["memory=512", "check_seconds=5"]).memory
        512.0
        """
        known = {one.name: one.type for one in fields(cls)}
        chosen: dict[str, Any] = {}
        for text in options:
            name, equals, number = text.partition("=")
            if name not in known or not equals:
                raise InputError(f"{text!r} is not a limit; expected one of {', '.join(known)}, as in memory=512.")
            try:
                chosen[name] = int(number) if known[name] is int else float(number)
            except ValueError:
                raise InputError(f"the limit {name} must be a number; got {number!r}.") from None
        return cls(**chosen)

    def in_bytes(self, name: str) -> int:
        """Return a limit in bytes whose field is in MiB."""
        return int(getattr(self, name) * MEBIBYTE)

    def for_process(self, files: Mapping[PurePosixPath, bytes], cpu_seconds: float | None = None) -> "ProcessLimits":
        """Return the limits of a box that gets these files; the files do not count against the limits.

        Parameters
        ----------
        files : mapping from path to content
        cpu_seconds : float, optional
            The remaining CPU time. Default: all of it.
        """
        folders = {folder for path in files for folder in path.parents}
        # Python may add a bytecode file per file and a folder per folder.
        most_files = 2 * len(files) + 2 * len(folders) + 40
        own_space = 4 * sum(map(len, files.values())) + MEBIBYTE
        return ProcessLimits(
            cpu_seconds=self.cpu_seconds if cpu_seconds is None else cpu_seconds,
            memory_bytes=self.in_bytes("memory"),
            max_file_bytes=max(self.in_bytes("written"), *map(len, files.values()), 0),
            disk_bytes=self.in_bytes("written") + own_space,
            max_files=self.files + most_files,
            max_processes=self.processes,
            reply_bytes=self.in_bytes("reply"),
        )


@dataclass(frozen=True)
class ProcessLimits:
    """The limits of one box, as plain numbers that are sent to it.

    Attributes
    ----------
    cpu_seconds : float
        Seconds of CPU time.
    memory_bytes, max_file_bytes, disk_bytes, reply_bytes : int
        Bytes: of address space in addition to that of Python and the libraries, of one file, of all files, and of one reply.
    max_files : int
        The maximum number of files and folders.
    max_processes : int
        The maximum number of processes.
    """

    cpu_seconds: float
    memory_bytes: int
    max_file_bytes: int
    disk_bytes: int
    max_files: int
    max_processes: int
    reply_bytes: int

    @property
    def may_start_processes(self) -> bool:
        """True if the box may start other processes."""
        return self.max_processes > 1

    def apply(self, used_bytes: int) -> None:
        """Apply the limits to this process, on Linux.

        `max_files` and `disk_bytes` are not applied here: the file system of the box has them.

        Parameters
        ----------
        used_bytes : int
            Bytes of address space that the process already uses.
        """
        import resource

        memory = self.memory_bytes + used_bytes
        cpu = max(1, int(self.cpu_seconds + 0.999))
        limits = {
            resource.RLIMIT_CPU: (cpu, cpu + 1),
            resource.RLIMIT_AS: (memory, memory),
            resource.RLIMIT_FSIZE: (self.max_file_bytes, self.max_file_bytes),
            resource.RLIMIT_NOFILE: (MAX_OPEN_FILES, MAX_OPEN_FILES),
            resource.RLIMIT_CORE: (0, 0),
            resource.RLIMIT_MEMLOCK: (0, 0),
            resource.RLIMIT_MSGQUEUE: (0, 0),
        }
        if self.may_start_processes:
            limits[resource.RLIMIT_NPROC] = (self.max_processes, self.max_processes)
        for what, pair in limits.items():
            resource.setrlimit(what, pair)
