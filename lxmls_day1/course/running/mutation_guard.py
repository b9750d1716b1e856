"""A lab that finds out whose code changes its arguments.

Grading sends a student's code copies of its inputs. In a check that runs in one process with that code it is the same: the
code gets copies, and a check's own arrays stay as they are. So both tell a student the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import isfunction
from typing import Any

import numpy as np

from lxmls_day1.course.checked_lab import Answers, CheckedLab, LabCall
from lxmls_day1.lab import Lab

#: Of most entries of an argument: told by their types at once, for calls come by the hundred.
SINGLE = frozenset({float, int, bool, str, type(None), np.float64, np.int64})


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
