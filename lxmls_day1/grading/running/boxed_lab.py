"""A lab whose code runs in a box; it is the ``lab`` fixture of the checks during grading.

A check calls ``lab.classifier("mira", "Mira", regularizer=0.5).train(X, y)`` as with a `Lab`. Each call is sent to the box,
and its answer is sent back. A classifier stays in the box, and the check holds a proxy for it.
"""

import builtins
import contextlib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.box.box import TIMEOUT_MESSAGE, Box, BoxFailure, RaisedInBox
from lxmls_day1.box.limits import CRASHED, REFUSED, TIMEOUT, Limits
from lxmls_day1.box.messages import ObjectHandle
from lxmls_day1.box.sandbox import ForkServer
from lxmls_day1.course.lab_under_test import Answers, LabCall, LabUnderTest

MAX_CALLS = 12
MAX_CALL_CHARS = 160
MAX_LITERAL_CHARS = 60
MAX_METHODS = 1000
#: These exceptions would silently end a loop of the check. Python replaces them by RuntimeError in a generator, so we do, too.
EXCEPTION_SUBSTITUTES = {"StopIteration": RuntimeError, "StopAsyncIteration": RuntimeError}


class BoxedLab(LabUnderTest):
    """A proxy for a `Lab` in a box.

    Parameters
    ----------
    fork_server : ForkServer
    files : mapping from path in the lab to bytes
    limits : Limits

    Attributes
    ----------
    calls : list of str
        The calls since `begin`, if calls are recorded.
    changes : list of str
        The functions and methods that have changed an argument since `begin`, as reported by the box. Code that hides a
        change goes unnoticed, which does no harm, because only the code in the box used that argument.
    """

    def __init__(self, fork_server: ForkServer, files: Mapping[PurePosixPath, bytes], limits: Limits):
        self._fork_server = fork_server
        self._files = files
        self._limits = limits
        self._box: Box | None = None
        self._cpu_left = limits.cpu_seconds
        self._seconds_left = limits.total_seconds
        # The method names of each class that was instantiated in this box.
        self._methods: dict[tuple[str, ...], frozenset[str]] = {}
        self.begin()

    def begin(self, record_calls: bool = False) -> None:
        """Start a new check with its own time limit. Record its calls if `record_calls` is True, because students may see them."""
        self.calls: list[str] = []
        self.changes: list[str] = []
        self.answers: Answers = []
        self.printed = ()
        self._output = ""  # the output of this check that has been read
        self._noting = record_calls
        self._first_call = True
        self._check_seconds_left = self._limits.check_seconds

    def take_output(self) -> str:
        """Return the output of the code since the last call of this method."""
        text = self._box.read_output() if self._box is not None else ""
        self._output += text
        return text

    def read_output(self) -> str:
        """Return the output of the code in this check."""
        self.take_output()
        return self._output

    def close(self) -> None:
        """End the box, if there is one."""
        if self._box is not None:
            self._box.close()
            self.discard_box()

    def perform(self, call: LabCall) -> Any:
        """Run a call in the box, as one request, and return its result."""
        if self._noting:
            for name, arguments, settings in call.individual_calls():
                self.record_call(name, arguments, settings)
        return self._make_object(call) if call.returns_object else self._return_value(call)

    def _return_value(self, call: LabCall) -> Any:
        answer = self.request("perform", call.name, **vars(call))
        if call.method in ("each", "each_made"):
            n_expected = len(call.arguments[0])
            if not isinstance(answer, list) or len(answer) != n_expected:
                raise BoxFailure(REFUSED, f"what came out of the box is not {n_expected} answers")
        if call.method == "each_made":
            parts = 1 + len(call.arguments[1])
            if not all(isinstance(one, list) and len(one) == parts for one in answer):
                raise BoxFailure(REFUSED, f"what came out of the box is not what was asked of {call.target[1]}")
        self.answers[-1] = call.name, call.individual_results(answer)
        return answer

    def _make_object(self, call: LabCall) -> "BoxedObject":
        kind = (call.method, *call.target)
        methods = self._methods.get(kind)
        answer = self.request("make", call.name, **vars(call), methods=methods is None)
        made, names = (answer.get("made"), answer.get("methods")) if isinstance(answer, dict) else (None, None)
        if methods is None and isinstance(names, list) and len(names) <= MAX_METHODS:
            methods = self._methods[kind] = frozenset(map(str, names))
        if not isinstance(made, ObjectHandle) or methods is None:
            raise BoxFailure(REFUSED, f"what came out of the box is not a {call.name}")
        return BoxedObject(self, self._box, made, call.name, methods)

    def record_call(self, name: str, arguments: tuple[Any, ...], settings: Mapping[str, Any]) -> None:
        """Record a call, if the calls of this check are recorded."""
        if self._noting and len(self.calls) <= MAX_CALLS:
            self.calls.append(call_text(name, arguments, settings) if len(self.calls) < MAX_CALLS else "…")

    def request(self, verb: str, name: str, /, **content: Any) -> Any:
        """Send a request to the program in the box and return its answer; `name` is the name of the called function."""
        box = self._open()
        self.answers.append(None)
        if self._first_call:
            content["cpu"] = self._limits.check_cpu_seconds
            self._first_call = False
        left, limit = min(
            (self._check_seconds_left, self._limits.check_seconds), (self._seconds_left, self._limits.total_seconds)
        )
        try:
            answer = box.call({"do": verb, **content}, left, limit)
            if box.arguments_changed:
                self.changes.append(name)
            self.answers[-1] = name, [answer]
            return answer
        except RaisedInBox as error:
            raise to_builtin_exception(error) from None
        except BoxFailure:
            self.discard_box()
            raise
        finally:
            self._check_seconds_left -= box.seconds_used
            self._seconds_left -= box.seconds_used

    def discard_box(self) -> None:
        """Discard a box that has ended. The next call opens a new one."""
        if self._box is not None:
            self.take_output()
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
            raise BoxFailure(TIMEOUT, TIMEOUT_MESSAGE.format(limits.check_seconds))
        if self._box is None:
            self._box = Box(self._fork_server, self._files, limits, self._cpu_left)
            self._first_call = True
        return self._box


class BoxedObject:
    """A proxy for a classifier or a data set in a box. Its methods run in the box."""

    def __init__(self, lab: BoxedLab, box: Box | None, reference: ObjectHandle, name: str, methods: frozenset[str]):
        self._lab, self._box, self._reference, self._name, self._methods = lab, box, reference, name, methods

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._check_alive()
        if name in self._methods:
            return self._method(name)
        answer = self._lab.request("get", name, object=self._reference.number, name=name)
        if not isinstance(answer, dict) or len(answer) != 1:
            raise BoxFailure(REFUSED, f"what came out of the box is not {name}")
        return self._method(name) if "method" in answer else answer.get("attribute")

    def _method(self, name: str) -> Callable[..., Any]:
        def method(*arguments: Any, **settings: Any) -> Any:
            self._check_alive()
            self._lab.record_call(name, arguments, settings)
            crossing = [ObjectHandle(a._reference.number) if isinstance(a, BoxedObject) else a for a in arguments]
            number = self._reference.number
            return self._lab.request("call", name, object=number, name=name, arguments=crossing, settings=settings)

        return method

    def _check_alive(self) -> None:
        if self._lab._box is not self._box:
            raise BoxFailure(CRASHED, f"the {self._name} is gone with its box")


def to_builtin_exception(error: RaisedInBox) -> Exception:
    """Return an exception for one that student code raised: of the nearest built-in class, with the original as its attribute `boxed`.

    A check can thus use ``except ValueError``. The class is always a subclass of `Exception`. Some classes,
    such as ExceptionGroup and UnicodeDecodeError, cannot be made from a message alone; their nearest base class is used.

    Examples
    --------
    >>> to_builtin_exception(RaisedInBox(("ExceptionGroup", "BaseExceptionGroup", "Exception"), "two at once", ""))
    Exception('two at once')
    """
    made = Exception(str(error))
    for kind in error.kinds:
        found = InputError if kind == "InputError" else EXCEPTION_SUBSTITUTES.get(kind, getattr(builtins, kind, None))
        if isinstance(found, type) and issubclass(found, Exception):
            with contextlib.suppress(TypeError):
                made = found(str(error))
                break
    made.boxed = error  # type: ignore[attr-defined]  # `session` reads this attribute
    return made


def call_text(name: str, arguments: tuple[Any, ...], settings: Mapping[str, Any]) -> str:
    """Return a call as a student would write it.

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
    return text if len(text) <= MAX_CALL_CHARS else text[: MAX_CALL_CHARS - 2] + "…)"


def _literal(value: Any) -> str:
    if isinstance(value, BoxedObject):
        return value._name
    if isinstance(value, np.ndarray) and value.size > MAX_LITERAL_CHARS:
        return f"array {value.shape}"
    if isinstance(value, (list, tuple, str)) and len(value) > MAX_LITERAL_CHARS:
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, np.ndarray):
        text = repr(np.round(value, 6).tolist()) if value.dtype.kind == "f" else repr(value.tolist())
        return text if len(text) <= MAX_LITERAL_CHARS else f"array {value.shape}"
    if hasattr(value, "nnz"):
        return f"sparse array {value.shape}"
    if isinstance(value, np.generic):
        value = value.item()
    text = repr(value)
    if len(text) <= MAX_LITERAL_CHARS or not hasattr(value, "__len__"):
        return text
    return f"{type(value).__name__} of {len(value)}"
