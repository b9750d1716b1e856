"""The interface through which checks call a lab, and its implementation in this process.

A check does not call a `Lab` itself but a `LabUnderTest`, which has the methods of `Lab` that checks use. A subclass defines how a
call is performed (`LabUnderTest.perform`). `GuardedLab` performs it in this process, and detects functions that change their arguments.
A box of grading gives a student's code copies of the inputs. `GuardedLab` does the same, so that a check's own arrays never change and
a student gets the same feedback in both.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isfunction
from typing import Any, Protocol, cast

import numpy as np

from lxmls_day1.lab import Calls, Lab, StubbedResults

OBJECT_METHODS = ("classifier", "reader")
#: For each call of a check the name of the function, class or method and its answers; None if the call failed or still runs.
Answers = list[tuple[str, Sequence[Any]] | None]
#: Immutable types. An argument of such a type is recognised at once, because a check makes hundreds of calls.
PYTHON_TYPES = frozenset({float, int, bool, str, type(None)})
IMMUTABLE_TYPES = PYTHON_TYPES | {np.float64, np.int64}


@dataclass(frozen=True)
class LabCall:
    """A call of a method of `Lab`, as plain data that can be copied, stored and sent to another process.

    Attributes
    ----------
    method : str
        ``classifier``, ``reader``, ``function``, ``each`` or ``each_made``.
    target : tuple of str
        The callee: a module and a name in it; for ``each_made`` a module, a class and its method.
    arguments : tuple
        The arguments of the method that follow the target.
    settings : mapping from str
        The keyword arguments of the method.
    """

    method: str
    target: tuple[str, ...]
    arguments: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the function, class or method that is called."""
        return self.target[-1]

    @property
    def returns_object(self) -> bool:
        """True if the call returns an object (a classifier or a data set), which stays in the process of the lab."""
        return self.method in OBJECT_METHODS

    def perform_on(self, lab: Lab) -> Any:
        """Perform the call on a lab in this process, and return its result."""
        return getattr(lab, self.method)(*self.target, *self.arguments, **self.settings)

    def individual_results(self, answer: Any) -> list[Any]:
        """Return the list of the answers to the individual calls, extracted from the result of this call."""
        if self.method == "each_made":
            return [returned for returned, *_ in answer]
        return list(answer) if self.method == "each" else [answer]

    def individual_calls(self) -> Iterator[tuple[str, tuple[Any, ...], Mapping[str, Any]]]:
        """Yield the name, the arguments and the settings of each individual call of the lab's own code."""
        if self.method == "each":
            for arguments in self.arguments[0]:
                yield self.name, arguments, {}
        elif self.method == "each_made":
            for settings, *arguments in self.arguments[0]:
                yield self.target[1], (), settings
                yield self.name, tuple(arguments), {}
        else:
            yield self.name, self.arguments, self.settings


class LabUnderTest(Protocol):
    """A substitute for a `Lab` in a check: `GuardedLab` in this process, `BoxedLab` in a box.

    Attributes
    ----------
    changes : list of str
        The functions and methods that have changed an argument.
    answers : list of (str, answers) or None
        Of each call what was called and what it returned; None of one that runs or has failed, and of one that made an object.
    printed : tuple of str
        The first lines that the code printed for the input that is shown.
    """

    changes: list[str]
    answers: Answers
    printed: tuple[str, ...] = ()

    def perform(self, call: LabCall) -> Any:
        """Return the result of a call; if it is an object, return a stand-in whose methods can be called."""
        ...

    def classifier(self, module: str, class_name: str, **settings: Any) -> Any:
        """Make a classifier, like `Lab.classifier`."""
        return self.perform(LabCall("classifier", (module, class_name), (), settings))

    def reader(self, module: str, class_name: str, **settings: Any) -> Any:
        """Make a reader, like `Lab.reader`."""
        return self.perform(LabCall("reader", (module, class_name), (), settings))

    def function(self, module: str, name: str, *arguments: Any, **settings: Any) -> Any:
        """Call a function, like `Lab.function`."""
        return self.perform(LabCall("function", (module, name), arguments, settings))

    def each(
        self, module: str, name: str, calls: Calls, first_as: str = "", given: StubbedResults | None = None
    ) -> list[Any]:
        """Call a function on each entry of ``calls``, like `Lab.each`."""
        return cast(
            list[Any], self.perform(LabCall("each", (module, name), (tuple(map(tuple, calls)), first_as, given)))
        )

    def each_made(
        self, module: str, class_name: str, method: str, calls: Calls, attributes: Sequence[str] = ()
    ) -> list[list[Any]]:
        """Call a method of a new object for each entry of ``calls``, like `Lab.each_made`."""
        arguments = tuple(map(tuple, calls)), tuple(attributes)
        return cast(list[list[Any]], self.perform(LabCall("each_made", (module, class_name, method), arguments)))


class GuardedLab(LabUnderTest):
    """A `LabUnderTest` in this process, which detects functions that change their arguments.

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
        self.last_called = ""  # also if the call failed

    def perform(self, call: LabCall) -> Any:
        """Perform a call with copies of its arguments, and return its result."""
        if call.returns_object:
            self.answers.append(None)
            return GuardedObject(self, call.perform_on(self._lab))

        def repeat(*given: Any, **named: Any) -> Any:
            return replace(call, arguments=given, settings=named).perform_on(self._lab)

        answer = self.call_on_copies(call.name, repeat, call.arguments, call.settings)
        self.answers[-1] = call.name, call.individual_results(answer)
        return answer

    def call_on_copies(
        self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], settings: Mapping[str, Any]
    ) -> Any:
        """Call a function with copies of the arguments; if it changes one of them, add its name to ``changes``."""
        given, named = deep_copy_plain(arguments), deep_copy_plain(dict(settings))
        before = mutable_content([given, named])
        self.answers.append(None)
        self.last_called = name
        try:
            answer = function(*given, **named)
            self.answers[-1] = name, [answer]
            return answer
        finally:
            if mutable_content([given, named]) != before:
                self.changes.append(name)


class GuardedObject:
    """A stand-in for a classifier or a data set whose methods get copies of their arguments."""

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
            return self._lab.call_on_copies(name, found, own, settings)

        return method


def method_names(stand_in: GuardedObject) -> list[str]:
    """Return the names of an object's public methods, except those that an instance attribute of the same name hides."""
    guarded = stand_in._guarded
    own = getattr(guarded, "__dict__", {})
    functions = {name for kind in type(guarded).__mro__ for name, value in vars(kind).items() if isfunction(value)}
    return [name for name in functions if name[0] != "_" and name not in own]


def deep_copy_plain(value: Any) -> Any:
    """Copy a value with its lists, tuples, dictionaries and arrays; return other objects as they are.

    Examples
    --------
    >>> given = [np.zeros(2), "art"]
    >>> other = deep_copy_plain(given)
    >>> other[0][0] = 1.0
    >>> given, mutable_content(given) == mutable_content(other)
    ([array([0., 0.]), 'art'], False)
    """
    if type(value) in IMMUTABLE_TYPES:
        return value
    if isinstance(value, np.ndarray) or hasattr(value, "tocsr"):
        return value.copy()
    if isinstance(value, (tuple, list)):
        entries = [entry if type(entry) in IMMUTABLE_TYPES else deep_copy_plain(entry) for entry in value]
        if isinstance(value, list):
            return entries
        return type(value)(*entries) if hasattr(value, "_fields") else tuple(entries)
    if isinstance(value, dict):
        return {key: deep_copy_plain(entry) for key, entry in value.items()}
    return value


def mutable_content(value: Any) -> Any:
    """Return the mutable content of a value as plain data that can be compared; None for objects that `deep_copy_plain` does not copy."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype, value.tolist() if value.dtype.kind == "O" else value.tobytes()
    if isinstance(value, (list, tuple)):
        return [entry if type(entry) in PYTHON_TYPES else mutable_content(entry) for entry in value]
    if type(value) in PYTHON_TYPES:
        return value
    if isinstance(value, np.generic):
        return value.dtype, value.tobytes()
    if hasattr(value, "tocsr"):
        rows = value.tocsr()
        return rows.shape, [mutable_content(part) for part in (rows.data, rows.indices, rows.indptr)]
    if isinstance(value, dict):
        return {key: mutable_content(entry) for key, entry in value.items()}
    return None
