"""What a check asks of a lab, wherever its code runs: the one protocol of all that stands in for a `Lab`.

A stand-in says how a call is done (`CheckedLab.perform`), and has the methods of `Lab` that checks use from here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lxmls_day1.lab import Calls, Given, Lab

MAKING = ("classifier", "reader")
#: What each call of a check returned: the name of what was called, and its answers; None of one that failed or still runs.
Answers = list[tuple[str, Sequence[Any]] | None]


@dataclass(frozen=True)
class LabCall:
    """A call of a method of `Lab`, as plain data that can be copied, written down and sent to another process.

    Attributes
    ----------
    method : str
        ``classifier``, ``reader``, ``function``, ``each`` or ``each_made``.
    target : tuple of str
        What is called: a module and a name in it; for ``each_made`` a module, a class and its method.
    arguments : tuple
        Those of the method after the target.
    settings : mapping from str
        Its keyword arguments.
    """

    method: str
    target: tuple[str, ...]
    arguments: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of the function, class or method that is called."""
        return self.target[-1]

    @property
    def makes_object(self) -> bool:
        """Whether a classifier or a data set comes of it, which stays where the lab is."""
        return self.method in MAKING

    def of(self, lab: Lab) -> Any:
        """What the method returns for a lab in this process."""
        return getattr(lab, self.method)(*self.target, *self.arguments, **self.settings)

    def single_answers(self, answer: Any) -> list[Any]:
        """Of what comes of this call the answers to its single calls."""
        if self.method == "each_made":
            return [returned for returned, *_ in answer]
        return list(answer) if self.method == "each" else [answer]

    def single_calls(self) -> Iterator[tuple[str, tuple[Any, ...], Mapping[str, Any]]]:
        """The calls of the lab's own code for which it stands: the name, the arguments and the settings of each."""
        if self.method == "each":
            for arguments in self.arguments[0]:
                yield self.name, arguments, {}
        elif self.method == "each_made":
            for settings, *arguments in self.arguments[0]:
                yield self.target[1], (), settings
                yield self.name, tuple(arguments), {}
        else:
            yield self.name, self.arguments, self.settings


class CheckedLab(Protocol):
    """What stands in for a `Lab` in a check: `GuardedLab` in this process, `BoxedLab` in a box.

    Attributes
    ----------
    changes : list of str
        The functions and methods that have changed an argument.
    answers : list of (str, answers) or None
        Of each call what was called and what it returned; None of one that runs or has failed, and of one that made an object.
    """

    changes: list[str]
    answers: Answers

    def perform(self, call: LabCall) -> Any:
        """What comes of a call; for one that makes an object, a stand-in whose methods can be called."""
        ...

    def classifier(self, module: str, class_name: str, **settings: Any) -> Any:
        """As `Lab.classifier`."""
        return self.perform(LabCall("classifier", (module, class_name), (), settings))

    def reader(self, module: str, class_name: str, **settings: Any) -> Any:
        """As `Lab.reader`."""
        return self.perform(LabCall("reader", (module, class_name), (), settings))

    def function(self, module: str, name: str, *arguments: Any, **settings: Any) -> Any:
        """As `Lab.function`."""
        return self.perform(LabCall("function", (module, name), arguments, settings))

    def each(self, module: str, name: str, calls: Calls, first_as: str = "", given: Given | None = None) -> list[Any]:
        """As `Lab.each`."""
        found: list[Any] = self.perform(LabCall("each", (module, name), (tuple(map(tuple, calls)), first_as, given)))
        return found

    def each_made(
        self, module: str, class_name: str, method: str, calls: Calls, attributes: Sequence[str] = ()
    ) -> list[list[Any]]:
        """As `Lab.each_made`."""
        arguments = tuple(map(tuple, calls)), tuple(attributes)
        found: list[list[Any]] = self.perform(LabCall("each_made", (module, class_name, method), arguments))
        return found
