"""What runs in boxes: a class that is named, made anew in the process of each box or of the server that forks them."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol


class Answer(NamedTuple):
    """What a handler has to say to a request: plain data, and whether the code has changed its arguments."""

    value: Any
    changed: bool = False


Handler = Callable[[dict[str, Any]], Answer]


class RunningProgram(Protocol):
    """A program inside a box, or in the server that forks boxes. Whatever code it runs may be an enemy's."""

    def warm_up(self) -> None:
        """Import and run what nearly every box needs; called once where boxes are forked, before the first of them."""
        ...

    def handlers(self, folder: Path) -> Mapping[str, Handler]:
        """What answers the requests, by their verb; `folder` is where the files of the box are."""
        ...

    def traceback_of(self, error: BaseException, folder: Path) -> str:
        """What is told of an exception besides its text."""
        ...


@dataclass(frozen=True)
class Program:
    """A program as it is named from outside, and what it must not see.

    Attributes
    ----------
    name : str
        The class, as ``package.module:Class``.
    cache : Path
        A folder of the grader's where compiled code is kept from run to run; no box can write there.
    arguments : mapping from str
        Plain data with which the class is called.
    hidden : tuple of Path
        Files and folders that no box may see.
    """

    name: str
    cache: Path
    arguments: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[Path, ...] = ()


def made_program(name: str, arguments: Mapping[str, Any]) -> RunningProgram:
    """The program of that name."""
    module, _, class_name = name.partition(":")
    made: RunningProgram = getattr(importlib.import_module(module), class_name)(**arguments)
    return made
