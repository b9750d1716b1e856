"""The inside of the box: it loads a submission, does the calls that it is sent, and answers with plain data.

Whatever runs here may be the student's. Nothing in this process, and nothing that it can see, says what is expected. What
it answers is a claim, which is judged outside.
"""

import ctypes
import functools
import importlib
import io
import math
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from inspect import isfunction
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar, NamedTuple

from lxmls_day1.box.channel import Channel
from lxmls_day1.box.messages import NotPlain, Reference, TooLong
from lxmls_day1.course.importable import only_what_labs_need
from lxmls_day1.course.mutation_guard import alike, copied
from lxmls_day1.course.tracebacks import trimmed_traceback
from lxmls_day1.lab import Lab

LONGEST_TEXT = 4000
MOST_REQUEST = 64 << 20
OUT_OF_TIME = 24  # the exit status of a box that has used up the processor time of a check: the number of SIGXCPU


class Compiled(NamedTuple):
    """A file that was given out: its text, and the code that Python makes of it."""

    source: bytes
    code: CodeType


class _Loader(SourceFileLoader):
    """Loads the files of a lab: those that were given out without compiling them again, which takes longer than a check."""

    compiled: ClassVar[dict[str, CodeType]] = {}

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of a module."""
        known = self.compiled.get(self.path)
        return relocated(known, self.path) if known else super().get_code(fullname)


class BoxServer:
    """Does what it is asked, one request after another.

    Parameters
    ----------
    folder : Path
        Where the lab is put.
    most_reply : int
        Bytes that an answer may have.
    compiled : mapping from name in the lab to Compiled, optional
        Those that were given out: requests name them only, and they need not be compiled again.
    imported : sequence of str, optional
        The modules of this package that this process has; looked for unless given.
    """

    def __init__(
        self,
        folder: Path,
        most_reply: int,
        compiled: Mapping[str, Compiled] | None = None,
        imported: Sequence[str] | None = None,
    ):
        self._folder = folder
        self._most_reply = most_reply
        self._compiled = compiled or {}
        self._imported = imported
        if compiled:
            sys.path_hooks.insert(0, self._finder)
        self._lab: Any = None
        self._objects: dict[int, Any] = {}
        self._refused: Any = None
        self._notebook: Any = None
        self._changed = False

    def serve(self, channel: Channel) -> None:
        """Answer requests until there are no more."""
        handlers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "files": self._files,
            "make": self._make,
            "function": self._function,
            "each": self._each,
            "each_made": self._each_made,
            "get": self._get,
            "call": self._call,
            "cell": self._cell,
            "probe": self._probe,
        }
        while True:
            request = channel.receive()
            if "cpu" in request:
                limit_processor_time(request["cpu"])
            reply = self._answer(handlers[request["do"]], request)
            try:
                channel.send(reply, most=self._most_reply)
            except TooLong as error:
                channel.send({"refused": f"an answer of {error}; {self._most_reply / 1e6:.0f} MB are allowed"})
            except NotPlain as error:
                channel.send(
                    {"refused": f"an answer must be numbers, texts, or arrays or lists of them; this is {error}"}
                )
            except (Exception, SystemExit) as error:  # an answer that cannot even be looked at
                channel.send({"refused": f"an answer that cannot be read ({type(error).__name__})"})

    def _answer(self, handler: Callable[[dict[str, Any]], Any], request: dict[str, Any]) -> dict[str, Any]:
        try:
            try:
                self._changed = False
                value = handler(request)
                return {"value": value, "changed": True} if self._changed else {"value": value}
            finally:
                _flush()
        except BaseException as error:  # KeyboardInterrupt and SystemExit too: the student's code has raised it
            return self._raised(error)

    def _raised(self, error: BaseException) -> dict[str, Any]:
        kinds = [kind.__name__ for kind in type(error).__mro__][:20]
        if isinstance(error, (MemoryError, RecursionError)):
            error = error.with_traceback(None)
        try:
            text, trace = (
                said.replace(f"{self._folder} ", "the lab ")
                for said in (str(error), trimmed_traceback(error, self._folder))
            )
        except BaseException as another:
            text, trace = "", f"{kinds[0]}, and its text cannot be had ({type(another).__name__})"
        return {"raised": kinds, "text": text[:LONGEST_TEXT], "trace": trace[-LONGEST_TEXT:]}

    def _files(self, request: dict[str, Any]) -> None:
        given = {os.path.join(self._folder, name): self._compiled[name] for name in request["given"]}
        _Loader.compiled |= {path: known.code for path, known in given.items()}
        contents = {path: known.source for path, known in given.items()}
        contents |= {os.path.join(self._folder, name): content for name, content in request["files"].items()}
        for folder in sorted({os.path.dirname(path) for path in contents}):
            os.makedirs(folder, exist_ok=True)
        for path, content in contents.items():
            with open(path, "wb") as file:
                file.write(content)
        os.chdir(self._folder)

    def _finder(self, path: str) -> FileFinder:
        """What looks for modules in a folder of the lab, and in no other."""
        if not path.startswith(str(self._folder)):
            raise ImportError(path)
        return FileFinder(path, (_Loader, SOURCE_SUFFIXES))

    @property
    def lab(self) -> Any:
        """The lab in the box; opened when it is first needed."""
        if self._lab is None:
            self._lab = Lab(self._folder)
            self._refused = only_what_labs_need(self._imported)
            self._refused.__enter__()  # for as long as there is this process: none of our own imports comes after it
        return self._lab

    def _make(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make an object. With the first of its kind go the names of its methods, for which one need not ask then."""
        make = {"classifiers": self.lab.classifier, "readers": self.lab.reader}[request["package"]]
        number = len(self._objects)
        made = make(request["module"], request["name"], **request["settings"])
        self._objects[number] = made
        if not request["methods"]:
            return {"made": Reference(number)}
        own = getattr(made, "__dict__", {})
        functions = {name for kind in type(made).__mro__ for name, value in vars(kind).items() if isfunction(value)}
        return {
            "made": Reference(number),
            "methods": [name for name in functions if name[0] != "_" and name not in own],
        }

    def _function(self, request: dict[str, Any]) -> Any:
        function = functools.partial(self.lab.function, request["module"], request["name"])
        return self._called(function, request["arguments"], request["settings"])

    def _each(self, request: dict[str, Any]) -> list[Any]:
        calls = request["calls"]
        before = copied(calls)
        answers: list[Any] = self.lab.each(request["module"], request["name"], calls, request["first_as"])
        self._changed = not alike(before, calls)
        return answers

    def _each_made(self, request: dict[str, Any]) -> list[list[Any]]:
        calls = request["calls"]
        before = copied(calls)
        answers: list[list[Any]] = self.lab.each_made(
            request["module"], request["class_name"], request["name"], calls, request["attributes"]
        )
        self._changed = not alike(before, calls)
        return answers

    def _get(self, request: dict[str, Any]) -> Any:
        value = getattr(self._objects[request["object"]], request["name"])
        return {"method": True} if callable(value) else {"attribute": value}

    def _call(self, request: dict[str, Any]) -> Any:
        method = getattr(self._objects[request["object"]], request["name"])
        arguments = [self._objects[a.number] if isinstance(a, Reference) else a for a in request["arguments"]]
        return self._called(method, arguments, request["settings"])

    def _called(self, function: Callable[..., Any], arguments: list[Any], settings: dict[str, Any]) -> Any:
        """What a function makes of its arguments; whether it has changed them is told with the answer."""
        before = copied([arguments, settings])
        value = function(*arguments, **settings)
        self._changed = not alike(before, [arguments, settings])
        return value

    def _cell(self, request: dict[str, Any]) -> str:
        """Run one code cell after those before it; what went wrong, or nothing."""
        from lxmls_day1.grading.notebook_cells import CellRunner  # of the few boxes that run cells

        if self._notebook is None:
            self._notebook = CellRunner(self._folder)
        said: str = self._notebook.run(request["source"])
        return said

    def _probe(self, request: dict[str, Any]) -> list[str]:
        from lxmls_day1.box.probe import possible  # of the box in which a level is tried

        return possible(request)


def relocated(code: CodeType, path: str) -> CodeType:
    """The same code for a file in another place."""
    if code.co_filename == path:
        return code
    constants = (relocated(each, path) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=path, co_consts=tuple(constants))


def limit_processor_time(seconds: float) -> None:
    """From now on so much more of it, up to what was allowed from the start; where the system has such a limit."""
    if os.name == "posix":
        import resource

        _exit_when_out_of_time()
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        allowed = math.ceil(used.ru_utime + used.ru_stime + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (allowed if most < 0 else min(allowed, most), most))


def _exit_when_out_of_time() -> None:
    """Have SIGXCPU call ``_exit(24)``.

    The first process of a pid name space is not ended by a signal that it does not handle. And a handler in Python would
    have to wait for a long computation in C to return, as ``9**9**9`` is one.
    """
    handle, exit_at_once = _functions_of_c()
    handle(signal.SIGXCPU, exit_at_once)


@functools.cache
def _functions_of_c() -> tuple[Callable[[int, Any], Any], ctypes.c_void_p]:
    """C's ``signal``, and where its ``_exit`` is."""
    libc = ctypes.CDLL(None)
    libc.signal.argtypes, libc.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    return libc.signal, ctypes.cast(libc._exit, ctypes.c_void_p)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue


def prepare_process(made_ready: bool = False) -> None:
    """What the student's code finds: no arguments, no input, no bytecode files, text output that never fails."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever has started this process may be deaf to it
    if not made_ready:
        make_ready()
    importlib.import_module("random").seed(0)  # Python's own generator begins anew in each process that is forked


def make_ready() -> None:
    """The part of `prepare_process` that a process hands on to those which are forked from it."""
    sys.argv = ["lab"]
    sys.dont_write_bytecode = True
    sys.stdin = io.StringIO()
    for number, name in ((1, "stdout"), (2, "stderr")):
        setattr(sys, name, io.TextIOWrapper(open(number, "wb", closefd=False), "utf-8", "backslashreplace"))  # noqa: SIM115
    sys.setrecursionlimit(1000)
    importlib.import_module("numpy.random").seed(0)
