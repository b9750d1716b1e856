"""A lab whose code runs in a box: what the ``lab`` fixture of the checks is while grading.

A check says ``lab.classifier("mira", "Mira", regularizer=0.5).train(X, y)`` as it does with a `Lab`. Here each call is
carried into the box and its answer out of it. A classifier stays in the box; the check holds a stand-in.
"""

import builtins
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from lxmls_day1.box.box import NO_END, Box, BoxFailure, RaisedInBox
from lxmls_day1.box.limits import Limits
from lxmls_day1.box.makers import BoxMaker
from lxmls_day1.box.messages import Reference
from lxmls_day1.errors import InputError
from lxmls_day1.grading.gradebook import TIMEOUT

MOST_CALLS = 12
LONGEST_CALL = 160
LONGEST_LITERAL = 60
MOST_METHODS = 1000
#: What would end a check's own loop without a sound is of the class that Python makes of it in a generator.
STANDS_FOR = {"StopIteration": RuntimeError, "StopAsyncIteration": RuntimeError}


class BoxedLab:
    """The stand-in for a `Lab`.

    Parameters
    ----------
    fork_server : BoxMaker
    files : mapping from path in the lab to bytes
    limits : Limits

    Attributes
    ----------
    calls : list of str
        What was called since `begin`, if that is noted.
    changes : list of str
        The functions and methods that have changed an argument since `begin`, as the box says. Code that hides it is marked
        as if it changed nothing: nobody but the code in the box had that argument.
    """

    def __init__(self, fork_server: BoxMaker, files: Mapping[PurePosixPath, bytes], limits: Limits):
        self._fork_server = fork_server
        self._files = files
        self._limits = limits
        self._box: Box | None = None
        self._cpu_left = limits.cpu_seconds
        self._seconds_left = limits.total_seconds
        self._check_seconds_left = limits.check_seconds
        self._noting = False
        self._first_call = True
        self._methods: dict[
            tuple[str, str, str], frozenset[str]
        ] = {}  # of classes of which this box has made an object
        self.calls: list[str] = []
        self.changes: list[str] = []

    def begin(self, noting: bool = False) -> None:
        """A new check begins, with its own time; its calls are noted if they may be told."""
        self.calls = []
        self.changes = []
        self._noting = noting
        self._first_call = True
        self._check_seconds_left = self._limits.check_seconds

    def take_printed(self) -> str:
        """What the code has printed since the last time."""
        return self._box.take_printed() if self._box is not None else ""

    def close(self) -> None:
        """Nothing is left of the box after this."""
        if self._box is not None:
            self._box.close()
            self.close_failed()

    def classifier(self, module: str, class_name: str, **settings: Any) -> "BoxedObject":
        """As `Lab.classifier`."""
        return self._make("classifiers", module, class_name, settings)

    def reader(self, module: str, class_name: str, **settings: Any) -> "BoxedObject":
        """As `Lab.reader`."""
        return self._make("readers", module, class_name, settings)

    def function(self, module: str, name: str, *arguments: Any, **settings: Any) -> Any:
        """As `Lab.function`."""
        self._note(name, arguments, settings)
        return self._ask("function", module=module, name=name, arguments=list(arguments), settings=settings)

    def each(self, module: str, name: str, calls: Iterable[tuple[Any, ...]], first_as: str | None = None) -> list[Any]:
        """As `Lab.each`; all calls go into the box at once, and their answers come out at once."""
        sent = [list(arguments) for arguments in calls]
        for arguments in sent:
            self._note(name, tuple(arguments), {})
        answers = self._ask("each", module=module, name=name, calls=sent, first_as=first_as)
        if not isinstance(answers, list) or len(answers) != len(sent):
            raise BoxFailure("refused", f"what came out of the box is not {len(sent)} answers")
        return answers

    def each_made(
        self,
        module: str,
        class_name: str,
        method: str,
        calls: Iterable[tuple[Any, ...]],
        attributes: Sequence[str] = (),
    ) -> list[list[Any]]:
        """As `Lab.each_made`; all calls go into the box at once, and all that is wanted comes out at once."""
        sent = [list(call) for call in calls]
        for settings, *arguments in sent:
            self._note(class_name, (), settings)
            self._note(method, tuple(arguments), {})
        wanted = list(attributes)
        answers = self._ask(
            "each_made", module=module, class_name=class_name, name=method, calls=sent, attributes=wanted
        )
        if not isinstance(answers, list) or len(answers) != len(sent):
            raise BoxFailure("refused", f"what came out of the box is not {len(sent)} answers")
        if not all(isinstance(answer, list) and len(answer) == 1 + len(wanted) for answer in answers):
            raise BoxFailure("refused", f"what came out of the box is not what was asked of {class_name}")
        return answers

    def run_cell(self, source: str) -> str:
        """Run a code cell of a notebook after those before it: what went wrong, or nothing."""
        return str(self._ask("cell", source=source))

    def _make(self, package: str, module: str, class_name: str, settings: dict[str, Any]) -> "BoxedObject":
        self._note(class_name, (), settings)
        known = self._methods.get((package, module, class_name))
        answer = self._ask(
            "make", package=package, module=module, name=class_name, settings=settings, methods=known is None
        )
        made, methods = (answer.get("made"), answer.get("methods")) if isinstance(answer, dict) else (None, None)
        if known is None and isinstance(methods, list) and len(methods) <= MOST_METHODS:
            known = self._methods[package, module, class_name] = frozenset(map(str, methods))
        if not isinstance(made, Reference) or known is None:
            raise BoxFailure("refused", f"what came out of the box is no {class_name}")
        return BoxedObject(self, self._box, made, class_name, known)

    def _note(self, name: str, arguments: tuple[Any, ...], settings: Mapping[str, Any]) -> None:
        if self._noting and len(self.calls) <= MOST_CALLS:
            self.calls.append(call_text(name, arguments, settings) if len(self.calls) < MOST_CALLS else "…")

    def _ask(self, verb: str, **content: Any) -> Any:
        box = self._open()
        if self._first_call:
            content["cpu"] = self._limits.check_cpu_seconds
            self._first_call = False
        left, limit = min(
            (self._check_seconds_left, self._limits.check_seconds), (self._seconds_left, self._limits.total_seconds)
        )
        try:
            answer = box.ask({"do": verb, **content}, left, limit)
            if box.changed:
                self.changes.append(str(content.get("name", "")))
            return answer
        except RaisedInBox as error:
            raise exception_of(error) from None
        except BoxFailure:
            self.close_failed()
            raise
        finally:
            self._check_seconds_left -= box.spent
            self._seconds_left -= box.spent

    def close_failed(self) -> None:
        """Forget a box that went down; the next call opens another one."""
        if self._box is not None:
            self._cpu_left -= self._box.cpu_used
            self._box = None
            self._methods = {}

    def _open(self) -> Box:
        limits = self._limits
        if self._seconds_left <= 0:
            raise BoxFailure(TIMEOUT, f"the {limits.total_seconds:g} s for a whole submission were used up before")
        if self._cpu_left <= 0:
            raise BoxFailure(TIMEOUT, f"the {limits.cpu_seconds:g} s of processor time were used up before")
        if self._check_seconds_left <= 0:
            raise BoxFailure(TIMEOUT, NO_END.format(limits.check_seconds))
        if self._box is None:
            self._box = Box(self._fork_server, self._files, limits, self._cpu_left)
            self._first_call = True
        return self._box


class BoxedObject:
    """The stand-in for a classifier or a data set that lives in a box: its methods are called there."""

    def __init__(self, lab: BoxedLab, box: Box | None, reference: Reference, name: str, methods: frozenset[str]):
        self._lab, self._box, self._reference, self._name, self._methods = lab, box, reference, name, methods

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._check_alive()
        if name in self._methods:
            return self._method(name)
        answer = self._lab._ask("get", object=self._reference.number, name=name)
        if not isinstance(answer, dict) or len(answer) != 1:
            raise BoxFailure("refused", f"what came out of the box is not {name}")
        return self._method(name) if "method" in answer else answer.get("attribute")

    def _method(self, name: str) -> Callable[..., Any]:
        def method(*arguments: Any, **settings: Any) -> Any:
            self._check_alive()
            self._lab._note(name, arguments, settings)
            crossing = [Reference(a._reference.number) if isinstance(a, BoxedObject) else a for a in arguments]
            number = self._reference.number
            return self._lab._ask("call", object=number, name=name, arguments=crossing, settings=settings)

        return method

    def _check_alive(self) -> None:
        if self._lab._box is not self._box:
            raise BoxFailure("crashed", f"the {self._name} is gone with its box")


def exception_of(error: RaisedInBox) -> Exception:
    """An exception of ours for one of a student: of the nearest built-in class, with `boxed` telling about it.

    A check can thus say ``except ValueError``. Nothing that is not an ordinary exception comes out of a box. Some classes,
    such as ExceptionGroup and UnicodeDecodeError, are not made of a text alone: the nearest one above them is taken.

    Examples
    --------
    >>> exception_of(RaisedInBox(("ExceptionGroup", "BaseExceptionGroup", "Exception"), "two at once", ""))
    Exception('two at once')
    """
    made = Exception(str(error))
    for kind in error.kinds:
        found = InputError if kind == "InputError" else STANDS_FOR.get(kind, getattr(builtins, kind, None))
        if isinstance(found, type) and issubclass(found, Exception):
            with contextlib.suppress(TypeError):
                made = found(str(error))
                break
    made.boxed = error  # type: ignore[attr-defined]  # `session` looks for it on an exception of whatever class
    return made


def call_text(name: str, arguments: tuple[Any, ...], settings: Mapping[str, Any]) -> str:
    """A call as a student would write it.

    Examples
    --------
    >>> call_text("mira_rule", (np.array([0.5, 2.5]), 0, 6.0), {})
    'mira_rule([0.5, 2.5], 0, 6.0)'
    >>> call_text("train", (np.zeros((100, 2)),), {"order": [2, 1]})
    'train(array (100, 2), order=[2, 1])'
    """
    parts = [_literal(argument) for argument in arguments]
    parts += [f"{key}={_literal(value)}" for key, value in settings.items()]
    text = f"{name}({', '.join(parts)})"
    return text if len(text) <= LONGEST_CALL else text[: LONGEST_CALL - 2] + "…)"


def _literal(value: Any) -> str:
    if isinstance(value, BoxedObject):
        return value._name
    if isinstance(value, np.ndarray) and value.size > LONGEST_LITERAL:
        return f"array {value.shape}"
    if isinstance(value, (list, tuple, str)) and len(value) > LONGEST_LITERAL:
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, np.ndarray):
        text = repr(np.round(value, 6).tolist()) if value.dtype.kind == "f" else repr(value.tolist())
        return text if len(text) <= LONGEST_LITERAL else f"array {value.shape}"
    if hasattr(value, "nnz"):
        return f"sparse array {value.shape}"
    if isinstance(value, np.generic):
        value = value.item()
    text = repr(value)
    return (
        text
        if len(text) <= LONGEST_LITERAL
        else f"{type(value).__name__} of {len(value)}"
        if hasattr(value, "__len__")
        else text
    )
