"""A lab that finds out whose code changes its arguments.

Grading sends a student's code copies of its inputs. In a check that runs in one process with that code it is the same: the
code gets copies, and a check's own arrays stay as they are. So both tell a student the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import isfunction
from typing import Any

import numpy as np

from lxmls_day1.course.checked_lab import CheckedLab, LabCall
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

    def perform(self, call: LabCall) -> Any:
        """What comes of a call with copies of its arguments."""
        if call.makes_object:
            return GuardedObject(self, call.of(self._lab))
        return self.called(
            call.name,
            lambda given, named: replace(call, arguments=given, settings=named).of(self._lab),
            call.arguments,
            call.settings,
        )

    def called(
        self,
        name: str,
        function: Callable[[tuple[Any, ...], Mapping[str, Any]], Any],
        arguments: tuple[Any, ...],
        settings: Mapping[str, Any],
    ) -> Any:
        """What a function makes of copies of these arguments; if it changes one, its name is put down."""
        given, named = copied(arguments), copied(dict(settings))
        try:
            return function(given, named)
        finally:
            if not (alike(arguments, given) and alike(dict(settings), named)):
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
    >>> given, alike(given, other)
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


def alike(one: Any, other: Any) -> bool:
    """Whether a value that `copied` made, and that somebody had since, is still what it was."""
    if type(one) in SINGLE:
        return one is other or (type(other) in SINGLE and bool(one == other))
    if isinstance(one, np.ndarray):
        return (
            isinstance(other, np.ndarray)
            and (one.shape, one.dtype) == (other.shape, other.dtype)
            and (one.tobytes() == other.tobytes() if one.dtype != object else bool(np.array_equal(one, other)))
        )
    if hasattr(one, "tocsr"):
        if not hasattr(other, "tocsr"):
            return False
        parts = ((matrix.data, matrix.indices, matrix.indptr) for matrix in (one.tocsr(), other.tocsr()))
        return one.shape == other.shape and all(map(np.array_equal, *parts))
    if isinstance(one, (list, tuple)):
        same_length = isinstance(other, (list, tuple)) and len(one) == len(other)
        return same_length and all(a is b or alike(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(alike(entry, other[key]) for key, entry in one.items())
        )
    return True
