"""The server inside a box: it receives files, lets its program handle requests, and replies with plain data.

The code that runs here may be hostile. Its replies are claims, which are verified outside the box.
"""

import contextlib
import ctypes
import functools
import io
import math
import os
import random
import signal
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.box.channel import Channel
from lxmls_day1.box.messages import MessageTooLong, NotSerializable
from lxmls_day1.box.programs import Handler, HandlerReply, RunningProgram

MAX_TEXT_CHARS = 4000
MAX_REQUEST_BYTES = 64 << 20
OUT_OF_TIME_STATUS = 24  # exit status of a box that exceeded the CPU time of a check: the number of SIGXCPU


class PrecompiledFile(NamedTuple):
    """A starter file: its source, and the code object compiled from it."""

    source: bytes
    code: CodeType


class _Loader(SourceFileLoader):
    """The loader for the files of a box. It does not compile starter files again, because that takes longer than a check."""

    def __init__(self, compiled: Mapping[str, CodeType], fullname: str, path: str):
        super().__init__(fullname, path)
        self._compiled = compiled

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module. If the fork server has already compiled it, reuse that code."""
        known = self._compiled.get(self.path)
        return relocate_code(known, self.path) if known else super().get_code(fullname)


class BoxServer:
    """A server that handles one request after another.

    Parameters
    ----------
    folder : Path
        The folder for the files.
    max_reply_bytes : int
        Maximum bytes of a reply.
    program : RunningProgram
    precompiled : mapping from name of a file to PrecompiledFile
        The starter files: requests contain only their names, and they are not compiled again.
    """

    def __init__(
        self,
        folder: Path,
        max_reply_bytes: int,
        program: RunningProgram,
        precompiled: Mapping[str, PrecompiledFile],
    ):
        self._folder = folder
        self._max_reply_bytes = max_reply_bytes
        self._program = program
        self._precompiled = precompiled
        self._codes: dict[str, CodeType] = {}  # code by path, for the starter files that a request has named
        if precompiled:
            sys.path_hooks.insert(0, self._finder)

    def serve(self, channel: Channel) -> None:
        """Handle requests until the channel is closed."""
        handlers: dict[str, Handler] = {"files": self._files, "probe": self._probe}
        handlers |= self._program.handlers(self._folder)
        while True:
            request = channel.receive()
            if "cpu" in request:
                limit_cpu_time(request["cpu"])
            self._send(channel, self._answer(handlers[request["do"]], request))

    def _send(self, channel: Channel, reply: dict[str, Any]) -> None:
        """Send a reply, and keep nothing of it: its memory would count against the limit of the next call."""
        try:
            channel.send(reply, max_bytes=self._max_reply_bytes)
        except MessageTooLong as error:
            channel.send({"refused": f"an answer of {error}; {self._max_reply_bytes / 1e6:.0f} MB are allowed"})
        except NotSerializable as error:
            channel.send({"refused": f"an answer must be numbers, texts, or arrays or lists of them; this is {error}"})
        except (Exception, SystemExit) as error:  # Even inspecting the answer may raise an exception.
            channel.send({"refused": f"an answer that cannot be read ({type(error).__name__})"})

    def _answer(self, handler: Handler, request: dict[str, Any]) -> dict[str, Any]:
        try:
            try:
                value, changed = handler(request)
                return {"value": value, "changed": True} if changed else {"value": value}
            finally:
                _flush()
        # KeyboardInterrupt and SystemExit as well, because the code in the box may raise them.
        except BaseException as error:
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
        return {"raised": kinds, "text": text[:MAX_TEXT_CHARS], "trace": trace[-MAX_TEXT_CHARS:]}

    def _files(self, request: dict[str, Any]) -> HandlerReply:
        given = {os.path.join(self._folder, name): self._precompiled[name] for name in request["given"]}
        self._codes |= {path: known.code for path, known in given.items()}
        contents = {path: known.source for path, known in given.items()}
        contents |= {os.path.join(self._folder, name): content for name, content in request["files"].items()}
        for folder in sorted({os.path.dirname(path) for path in contents}):
            os.makedirs(folder, exist_ok=True)
        for path, content in contents.items():
            Path(path).write_bytes(content)
        os.chdir(self._folder)
        return HandlerReply(None)

    def _finder(self, path: str) -> FileFinder:
        """Return a finder for modules in folders of the box; refuse all other folders."""
        if not path.startswith(str(self._folder)):
            raise ImportError(path)
        loader: Any = functools.partial(_Loader, self._codes)
        return FileFinder(path, (loader, SOURCE_SUFFIXES))

    def _probe(self, request: dict[str, Any]) -> HandlerReply:
        from lxmls_day1.box.probe import attempt_all  # Only the self-test of a level needs it.

        return HandlerReply(attempt_all(request))


def relocate_code(code: CodeType, path: str) -> CodeType:
    """Return the same code object for a file at another path."""
    if code.co_filename == path:
        return code
    constants = (relocate_code(each, path) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=path, co_consts=tuple(constants))


def limit_cpu_time(seconds: float) -> None:
    """Allow `seconds` of CPU time from now on, up to the limit for the whole box. Then SIGXCPU calls ``_exit(24)``.

    Signals without a handler do not end the first process of a PID namespace. And a handler in Python would only run after a long
    computation in C, such as ``9**9**9``.
    """
    import resource

    handle, exit_at_once = _c_functions()
    handle(signal.SIGXCPU, exit_at_once)
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    allowed = math.ceil(used.ru_utime + used.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed if most < 0 else min(allowed, most), most))


@functools.cache
def _c_functions() -> tuple[Callable[[int, Any], Any], ctypes.c_void_p]:
    """Return C's ``signal`` and the address of C's ``_exit``."""
    libc = ctypes.CDLL(None)
    libc.signal.argtypes, libc.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    return libc.signal, ctypes.cast(libc._exit, ctypes.c_void_p)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()


def prepare_process() -> None:
    """Do what a box does not inherit of `prepare_parent`."""
    # The parent may have ignored SIGINT, and this process inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random.seed(0)  # Python reseeds its own generator in each forked process.


def prepare_parent() -> None:
    """Set up the environment for the code in the boxes: no arguments, no input, no bytecode files, text output that never fails."""
    sys.argv = ["lab"]
    sys.dont_write_bytecode = True
    sys.stdin = io.StringIO()
    for number, name in ((1, "stdout"), (2, "stderr")):
        setattr(sys, name, io.TextIOWrapper(open(number, "wb", closefd=False), "utf-8", "backslashreplace"))  # noqa: SIM115
    sys.setrecursionlimit(1000)
    np.random.seed(0)
