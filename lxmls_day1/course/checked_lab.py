"""What a check asks of a lab, wherever its code runs: the one protocol of all that stands in for a `Lab`, and the stand-in in this process.

A stand-in says how a call is done (`CheckedLab.perform`), and has the methods of `Lab` that checks use from here. `GuardedLab` finds out
whose code changes its arguments. Grading sends a student's code copies of its inputs. In a check that runs in one process with that code it
is the same: the code gets copies, and a check's own arrays stay as they are. So both tell a student the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isfunction
from typing import Any, Protocol

import numpy as np

from lxmls_day1.lab import Calls, Given, Lab

MAKING = ("classifier", "reader")
#: What each call of a check returned: the name of what was called, and its answers; None of one that failed or still runs.
Answers = list[tuple[str, Sequence[Any]] | None]
#: Of most entries of an argument: told by their types at once, for calls come by the hundred.
SINGLE = frozenset({float, int, bool, str, type(None), np.float64, np.int64})


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
    printed : tuple of str
        The first lines that the code printed for the input that is shown, if it ran in this process.
    """

    changes: list[str]
    answers: Answers
    printed: tuple[str, ...] = ()

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


class GuardedLab(CheckedLab):
    """The stand-in for a `Lab` in a check in this process.

    Parameters
    ----------
    lab : Lab

    Attributes
    ----------
    changes : list of str
        The functions and methods that have changed an argument.

    Examples
    --------
    >>> lab = GuardedLab(Lab.open())
    >>> lab.function("mira", "mira_rule", np.array([-1.0, 2.0]), 0, 5.0, 0.25, np.array([0.0, 1.0])), lab.changes
    (array([ 0.25, -0.25]), [])
    """

    def __init__(self, lab: Lab):
        self._lab = lab
        self.changes: list[str] = []
        self.answers: Answers = []

    def perform(self, call: LabCall) -> Any:
        """What comes of a call with copies of its arguments."""
        if call.makes_object:
            self.answers.append(None)
            return GuardedObject(self, call.of(self._lab))
        answer = self.called(
            call.name,
            lambda given, named: replace(call, arguments=given, settings=named).of(self._lab),
            call.arguments,
            call.settings,
        )
        self.answers[-1] = call.name, call.single_answers(answer)
        return answer

    def called(
        self,
        name: str,
        function: Callable[[tuple[Any, ...], Mapping[str, Any]], Any],
        arguments: tuple[Any, ...],
        settings: Mapping[str, Any],
    ) -> Any:
        """What a function makes of copies of these arguments; if it changes one, its name is put down."""
        given, named = copied(arguments), copied(dict(settings))
        before = content_of([given, named])
        self.answers.append(None)
        try:
            answer = function(given, named)
            self.answers[-1] = name, [answer]
            return answer
        finally:
            if content_of([given, named]) != before:
                self.changes.append(name)


class GuardedObject:
    """The stand-in for a classifier or a data set: its methods get copies."""

    def __init__(self, lab: GuardedLab, guarded: Any):
        self._lab, self._guarded = lab, guarded

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._guarded, name)
        if not callable(found):
            return found

        def method(*arguments: Any, **settings: Any) -> Any:
            own = tuple(a._guarded if isinstance(a, GuardedObject) else a for a in arguments)
            return self._lab.called(name, lambda given, named: found(*given, **named), own, settings)

        return method


def method_names(made: GuardedObject) -> list[str]:
    """The names of the methods of an object, but for private ones and those that an attribute hides."""
    guarded = made._guarded
    own = getattr(guarded, "__dict__", {})
    functions = {name for kind in type(guarded).__mro__ for name, value in vars(kind).items() if isfunction(value)}
    return [name for name in functions if name[0] != "_" and name not in own]


def copied(value: Any) -> Any:
    """The same lists and arrays again; what is neither is not copied.

    Examples
    --------
    >>> given = [np.zeros(2), "art"]
    >>> other = copied(given)
    >>> other[0][0] = 1.0
    >>> given, content_of(given) == content_of(other)
    ([array([0., 0.]), 'art'], False)
    """
    if type(value) in SINGLE:
        return value
    if isinstance(value, np.ndarray) or hasattr(value, "tocsr"):
        return value.copy()
    if isinstance(value, (tuple, list)):
        entries = [entry if type(entry) in SINGLE else copied(entry) for entry in value]
        if isinstance(value, list):
            return entries
        return type(value)(*entries) if hasattr(value, "_fields") else tuple(entries)
    if isinstance(value, dict):
        return {key: copied(entry) for key, entry in value.items()}
    return value


def content_of(value: Any) -> Any:
    """What can be changed in a value, as plain data that can be compared; nothing of what `copied` does not copy."""
    if isinstance(value, np.generic):
        return value.dtype, value.tobytes()
    if type(value) in SINGLE:
        return value
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype, value.tolist() if value.dtype == object else value.tobytes()
    if hasattr(value, "tocsr"):
        rows = value.tocsr()
        return rows.shape, [content_of(part) for part in (rows.data, rows.indices, rows.indptr)]
    if isinstance(value, (list, tuple)):
        return [content_of(entry) for entry in value]
    if isinstance(value, dict):
        return {key: content_of(entry) for key, entry in value.items()}
    return None
