"""The inside of the box: it takes files, has its program answer the requests that it is sent, and replies with plain data.

Whatever runs here may be an enemy's. What it answers is a claim, which is judged outside.
"""

import ctypes
import functools
import importlib
import io
import math
import os
import signal
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from lxmls_day1.box.channel import Channel
from lxmls_day1.box.messages import NotPlain, TooLong
from lxmls_day1.box.programs import Answer, Handler, RunningProgram

LONGEST_TEXT = 4000
MOST_REQUEST = 64 << 20
OUT_OF_TIME = 24  # the exit status of a box that has used up the processor time of a check: the number of SIGXCPU


class Compiled(NamedTuple):
    """A file that was given beforehand: its text, and the code that Python makes of it."""

    source: bytes
    code: CodeType


class _Loader(SourceFileLoader):
    """Loads the files of a box: those that were given beforehand without compiling them again, which takes longer than a check."""

    def __init__(self, compiled: Mapping[str, CodeType], fullname: str, path: str):
        super().__init__(fullname, path)
        self._compiled = compiled

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of a module."""
        known = self._compiled.get(self.path)
        return relocated(known, self.path) if known else super().get_code(fullname)


class BoxServer:
    """Does what it is asked, one request after another.

    Parameters
    ----------
    folder : Path
        Where the files are put.
    most_reply : int
        Bytes that an answer may have.
    program : RunningProgram
    compiled : mapping from name of a file to Compiled, optional
        Those that were given beforehand: requests name them only, and they need not be compiled again.
    """

    def __init__(
        self,
        folder: Path,
        most_reply: int,
        program: RunningProgram,
        compiled: Mapping[str, Compiled] | None = None,
    ):
        self._folder = folder
        self._most_reply = most_reply
        self._program = program
        self._compiled = compiled or {}
        self._codes: dict[str, CodeType] = {}  # by path, as far as a request has named them
        if compiled:
            sys.path_hooks.insert(0, self._finder)

    def serve(self, channel: Channel) -> None:
        """Answer requests until there are no more."""
        handlers: dict[str, Handler] = {
            "files": self._files,
            "probe": self._probe,
            **self._program.handlers(self._folder),
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

    def _answer(self, handler: Handler, request: dict[str, Any]) -> dict[str, Any]:
        try:
            try:
                value, changed = handler(request)
                return {"value": value, "changed": True} if changed else {"value": value}
            finally:
                _flush()
        except BaseException as error:  # KeyboardInterrupt and SystemExit too: the code in the box has raised it
            return self._raised(error)

    def _raised(self, error: BaseException) -> dict[str, Any]:
        kinds = [kind.__name__ for kind in type(error).__mro__][:20]
        if isinstance(error, (MemoryError, RecursionError)):
            error = error.with_traceback(None)
        try:
            text, trace = (
                part.replace(f"{self._folder} ", "the lab ")
                for part in (str(error), self._program.traceback_of(error, self._folder))
            )
        except BaseException as another:
            text, trace = "", f"{kinds[0]}, whose message cannot be read ({type(another).__name__})"
        return {"raised": kinds, "text": text[:LONGEST_TEXT], "trace": trace[-LONGEST_TEXT:]}

    def _files(self, request: dict[str, Any]) -> Answer:
        given = {os.path.join(self._folder, name): self._compiled[name] for name in request["given"]}
        self._codes |= {path: known.code for path, known in given.items()}
        contents = {path: known.source for path, known in given.items()}
        contents |= {os.path.join(self._folder, name): content for name, content in request["files"].items()}
        for folder in sorted({os.path.dirname(path) for path in contents}):
            os.makedirs(folder, exist_ok=True)
        for path, content in contents.items():
            with open(path, "wb") as file:
                file.write(content)
        os.chdir(self._folder)
        return Answer(None)

    def _finder(self, path: str) -> FileFinder:
        """What looks for modules in a folder of the box, and in no other."""
        if not path.startswith(str(self._folder)):
            raise ImportError(path)
        loader: Any = functools.partial(_Loader, self._codes)
        return FileFinder(path, (loader, SOURCE_SUFFIXES))

    def _probe(self, request: dict[str, Any]) -> Answer:
        from lxmls_day1.box.probe import possible  # of the box in which a level is tried

        return Answer(possible(request))


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
    """What the code in the box finds: no arguments, no input, no bytecode files, text output that never fails."""
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
