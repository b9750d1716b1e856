"""How much processor time, memory and output a submission may use."""

from dataclasses import dataclass, fields
from typing import Any

from lxmls_day1.errors import InputError

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """The limits for one submission. Each is an option of ``lxmls-day1 grade``: ``--limit memory=512``.

    Processor time decides: it is the same on a busy machine. The limits on the clock are ten times as long, and stop code
    that sleeps: where the system tells it, the clock stands still while the code waits for a processor. Both are counted only
    while the student's code runs.

    Attributes
    ----------
    check_seconds : float
        Seconds on the clock that one check may take.
    total_seconds : float
        Seconds on the clock for all checks of a submission together.
    check_cpu_seconds : float
        Seconds of processor time that one check may take; counted by the kernel in whole seconds.
    cpu_seconds : float
        Seconds of processor time of all checks together.
    memory : float
        MiB that the student's code may take on top of what Python and the libraries have.
    processes : int
        1: it may start none. More are counted by the kernel per user, and not at all for the superuser.
    files : int
        Files and folders that it may make.
    written : float
        MiB that it may write to files.
    printed : float
        MiB that it may print.
    reply : float
        MiB that one answer may have.
    """

    check_seconds: float = 100.0
    total_seconds: float = 600.0
    check_cpu_seconds: float = 10.0
    cpu_seconds: float = 60.0
    memory: float = 1024.0
    processes: int = 1
    files: int = 256
    written: float = 16.0
    printed: float = 1.0
    reply: float = 16.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0:
                raise InputError(f"the limit {field.name} must be greater than 0; got {value}.")

    @classmethod
    def of_texts(cls, texts: list[str] | tuple[str, ...]) -> "Limits":
        """Limits that differ from the usual ones in what these texts say.

        Examples
        --------
        >>> Limits.of_texts(["memory=512", "check_seconds=5"]).memory
        512.0
        """
        known = {field.name: field.type for field in fields(cls)}
        chosen: dict[str, Any] = {}
        for text in texts:
            name, equals, number = text.partition("=")
            if name not in known or not equals:
                raise InputError(f"{text!r} is not a limit; wanted one of {', '.join(known)}, as in memory=512.")
            try:
                chosen[name] = int(number) if known[name] is int else float(number)
            except ValueError:
                raise InputError(f"the limit {name} must be a number; got {number!r}.") from None
        return cls(**chosen)

    def bytes_of(self, name: str) -> int:
        """A limit that is given in MiB, in bytes."""
        return int(getattr(self, name) * MEBIBYTE)
