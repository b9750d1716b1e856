"""Programs for boxes: a class is sent by its name, and instantiated in the process of each box or of its fork server."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast


class HandlerReply(NamedTuple):
    """A handler's reply to a request: plain data, and whether the code changed its arguments."""

    value: Any
    arguments_changed: bool = False


Handler = Callable[[dict[str, Any]], HandlerReply]


class RunningProgram(Protocol):
    """A program inside a box or in its fork server. The code that it runs may be hostile."""

    def warm_up(self) -> None:
        """Import and run what most boxes need. The fork server calls this once, before the first box."""
        ...

    def handlers(self, folder: Path) -> Mapping[str, Handler]:
        """Return the handlers of requests by their verb; `folder` contains the files of the box."""
        ...

    def traceback_of(self, error: BaseException, folder: Path) -> str:
        """Return the text that is reported of an exception in addition to its message."""
        ...


@dataclass(frozen=True)
class Program:
    """A program as described outside a box, and the files that it must not see.

    Attributes
    ----------
    name : str
        The class, as ``package.module:Class``.
    cache : Path
        A folder of the grader that caches compiled code between runs; no box can write to it.
    arguments : mapping from str
        Plain data: the arguments of the class.
    hidden : tuple of Path
        Files and folders that no box may see.
    """

    name: str
    cache: Path
    arguments: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[Path, ...] = ()


def load_program(name: str, arguments: Mapping[str, Any]) -> RunningProgram:
    """Import the class of that name and return an instance."""
    module, _, class_name = name.partition(":")
    return cast(RunningProgram, getattr(importlib.import_module(module), class_name)(**arguments))
