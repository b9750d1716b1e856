"""A box as seen from outside: send it a request; get a reply, or the reason why there is none, within limits on time and size."""

import contextlib
import errno
import itertools
import os
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.base.errors import InputError, NoAnswer
from lxmls_day1.base.waiting import ActivityClock, Deadline
from lxmls_day1.box.box_server import OUT_OF_TIME_STATUS
from lxmls_day1.box.channel import Channel, ConnectionClosed, ReceiveTimeout
from lxmls_day1.box.limits import CRASHED, MEMORY, REFUSED, TIMEOUT, Limits
from lxmls_day1.box.messages import BadMessage, MessageTooLong, encode_request
from lxmls_day1.box.sandbox import BoxesUnavailable, ForkServer

MAX_OUTPUT_BYTES = 4000
MAX_REQUEST_FILE_BYTES = 16 << 20  # maximum bytes of files in one request
MAX_REPLIES_FACTOR = 4  # limit on all replies of one box, as a multiple of the limit on one reply
OPEN_SECONDS = 60.0  # sleep limit for starting a box and for each request with files
TIMEOUT_MESSAGE = "did not end within {:g} s on the clock; is there a loop that never ends, or a long wait?"
DISK_CHECK_SECONDS = 0.5  # seconds between two measurements of the files written, if the kernel does not limit them
SIGNAL_DESCRIPTIONS: dict[int, str] = {signal.SIGSEGV: "a segmentation fault", signal.SIGABRT: "an abort"}


class BoxFailure(NoAnswer):
    """The box sent no valid reply and has been closed.

    Attributes
    ----------
    verdict : str
        ``timeout``, ``memory``, ``crashed`` or ``refused``.
    """

    def __init__(self, verdict: str, text: str):
        super().__init__(text)
        self.verdict = verdict


class Box:
    """One box with files in it.

    Parameters
    ----------
    server : ForkServer
    files : mapping from path to bytes
    limits : Limits
    cpu_seconds : float, optional
        The remaining CPU time. Default: all of it.

    Raises
    ------
    BoxesUnavailable
        If the box could not be made, for a reason independent of its files.
    BoxFailure
        If the box was made, but these files cannot be written into it.
    """

    def __init__(
        self, server: ForkServer, files: Mapping[PurePosixPath, bytes], limits: Limits, cpu_seconds: float | None = None
    ):
        self._limits = limits
        self._process_limits = limits.for_process(files, cpu_seconds)
        self._process = server.start_box(self._process_limits)
        self.printed = b""
        self.arguments_changed = False
        self.cpu_used = self.seconds_used = 0.0
        self._n_printed = 0
        self._next_disk_check = 0.0
        socket, max_bytes = self._process.service_socket, limits.in_bytes("reply")
        self._channel = Channel(socket, max_bytes, self._watch, encode=encode_request)
        self._closed = False
        try:
            reply = self._channel.receive(self._open_deadline().expired)
            if "broken" in reply:
                raise BoxesUnavailable(str(reply["broken"]))
            given = [str(path) for path, content in files.items() if server.starter_files.get(path) == content]
            others = {path: content for path, content in files.items() if server.starter_files.get(path) != content}
            for part in _in_batches(others):
                is_late = self._open_deadline().expired
                self._channel.send({"do": "files", "files": part, "given": given}, is_late)
                given = []
                reply = self._channel.receive(is_late)
                if "value" not in reply:
                    raised = RaisedInBox.from_reply(reply)
                    text = f"its files cannot be put into a box ({raised.kinds[0]}: {raised})"
                    is_full = f"[Errno {errno.ENOSPC}]" in text and self._process.folder is not None
                    raise BoxesUnavailable(text) if is_full else BoxFailure(REFUSED, text)
        except (BoxFailure, BoxesUnavailable):
            self.close()
            raise
        except (ReceiveTimeout, ConnectionClosed, BadMessage) as error:
            report = self.close()
            raise BoxesUnavailable(f"{report.get('broken') or f'a box ended while starting ({error!r})'}") from error

    def _open_deadline(self) -> Deadline:
        return Deadline("a box", self._process.server_pid, OPEN_SECONDS, sleep_only=True)

    def call(self, request: Mapping[str, Any], seconds: float, limit: float | None = None) -> Any:
        """Send a request and return the value of the reply. Afterwards, `seconds_used` is the time used.

        Parameters
        ----------
        request : mapping
            A request to the program: ``do``, the verb, and its arguments. ``cpu`` limits the CPU time from now on, in seconds.
        seconds : float
            Time limit in seconds of `ActivityClock`. An immediate reply costs nothing.
        limit : float, optional
            The total time limit, for the error message, if `seconds` is only the remaining time. Default: `seconds`.

        Returns
        -------
        The value.

        Raises
        ------
        BoxFailure
            If there is no valid reply. The box is closed then.
        RaisedInBox
            If the code in the box raised an exception. The box remains usable.
        InvalidReply
            If the code returned a value that is not plain data. The box remains usable.
        """
        if self._closed:
            raise InputError("this box is closed")
        clock = ActivityClock(self._process.server_pid)

        def is_late() -> bool:
            self.seconds_used = clock.poll()
            return self.seconds_used > seconds

        self.seconds_used = 0.0
        try:
            self._channel.send(request, is_late)
            reply = self._channel.receive(is_late)
            self._watch()
            if self._channel.n_received > MAX_REPLIES_FACTOR * self._limits.in_bytes("reply"):
                raise MessageTooLong(f"{self._channel.n_received / 1e6:.0f} MB in all")
            if not isinstance(reply, dict):
                raise BadMessage("no reply")
        except BoxFailure:
            self.close()
            raise
        except ReceiveTimeout:
            self.close()
            raise BoxFailure(TIMEOUT, TIMEOUT_MESSAGE.format(seconds if limit is None else limit)) from None
        except MessageTooLong as error:
            self.close()
            raise BoxFailure(REFUSED, f"an answer of {error}; {self._limits.reply:g} MiB are allowed") from None
        except BadMessage as error:
            self.close()
            raise BoxFailure(REFUSED, f"what came out of the box is not a valid answer: {error}") from None
        except ConnectionClosed:
            raise self._exit_failure(self.close()) from None
        if "value" in reply:
            self.arguments_changed = reply.get("changed") is True
            return reply["value"]
        if "refused" in reply:
            raise InvalidReply(_line(reply["refused"]))
        if "raised" in reply:
            raise RaisedInBox.from_reply(reply)
        self.close()
        raise BoxFailure(REFUSED, "what came out of the box is not a valid answer")

    def close(self) -> Mapping[str, Any]:
        """End everything in the box. Return the report on how it ended, maybe by itself before."""
        if self._closed:
            return {}
        self._closed = True
        self._drain()
        report = self._process.end()
        self.cpu_used = float(report.get("cpu", 0.0))
        return report

    def read_output(self) -> str:
        """Return the beginning of the output printed since the last call. A box that prints too much is closed."""
        if not self._closed:
            self._drain()
        text, self.printed = self.printed.decode("utf-8", "replace"), b""
        return text

    def _exit_failure(self, report: Mapping[str, Any]) -> BoxFailure:
        """Return the failure for a box that has ended by itself."""
        status, cpu = int(report.get("status", 0)), float(report.get("cpu", 0.0))
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            is_used_up = cpu >= self._process_limits.cpu_seconds - 1
            if number == signal.SIGXCPU and not is_used_up:
                return self._out_of_time()
            if number in (signal.SIGXCPU, signal.SIGKILL) and is_used_up:
                allowed = f"{self._limits.cpu_seconds:g} s of processor time for a whole submission"
                return BoxFailure(TIMEOUT, f"used up the {allowed}")
            if number == signal.SIGKILL and report.get("memory", 0) > self._limits.in_bytes("memory"):
                return BoxFailure(MEMORY, f"more than {self._limits.memory:g} MiB of memory")
            if number == signal.SIGXFSZ:
                return BoxFailure(REFUSED, f"a file of more than {self._limits.written:g} MiB")
            what = SIGNAL_DESCRIPTIONS.get(number) or f"signal {number}"
            return BoxFailure(CRASHED, f"the code crashed Python ({what})")
        code = os.waitstatus_to_exitcode(status) if report else 0
        if code == OUT_OF_TIME_STATUS:
            return self._out_of_time()
        return BoxFailure(CRASHED, f"the code ended Python (exit status {code}); a classifier must return instead")

    def _out_of_time(self) -> BoxFailure:
        return BoxFailure(TIMEOUT, f"took more than {self._limits.check_cpu_seconds:g} s of processor time")

    def _watch(self) -> None:
        """Read the output, and raise an error if the box has printed or written too much."""
        self._drain()
        if self._n_printed > self._limits.in_bytes("printed"):
            raise BoxFailure(REFUSED, f"more than {self._limits.printed:g} MiB printed")
        private, now = self._process.folder, time.monotonic()
        if private is not None and now >= self._next_disk_check:
            self._next_disk_check = now + DISK_CHECK_SECONDS
            files, written = _usage(private, self._process_limits.max_files)
            if files > self._process_limits.max_files or written > self._process_limits.disk_bytes:
                raise BoxFailure(
                    REFUSED, f"more than {self._limits.files} files or {self._limits.written:g} MiB written"
                )

    def _drain(self) -> None:
        for _ in range(64):
            piece = self._process.read_output()
            if not piece:
                return
            self._n_printed += len(piece)
            self.printed += piece[: MAX_OUTPUT_BYTES - len(self.printed)]


class RaisedInBox(Exception):
    """An exception that the code in a box raised, as the box reported it.

    Attributes
    ----------
    kinds : tuple of str
        The names of its class and of the base classes.
    trace : str
        The program's text about the traceback.
    """

    def __init__(self, kinds: tuple[str, ...], text: str, trace: str):
        super().__init__(text)
        self.kinds, self.trace = kinds, trace

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "RaisedInBox":
        """Build the exception from a reply, which may contain anything."""
        kinds = tuple(_line(kind, 80) for kind in _strings(reply.get("raised"))[:20]) or ("Exception",)
        return cls(kinds, _string(reply.get("text")), _string(reply.get("trace")))


class InvalidReply(Exception):
    """A value that a box must not return."""


def _strings(value: Any) -> list[Any]:
    return [entry for entry in value[:100] if isinstance(entry, str)] if isinstance(value, list) else []


def _string(value: Any) -> str:
    return value[:8000] if isinstance(value, str) else ""


def _line(value: Any, max_chars: int = 300) -> str:
    return " ".join(_string(value).split())[:max_chars]


def _in_batches(files: Mapping[PurePosixPath, bytes]) -> Iterator[dict[str, bytes]]:
    """Yield the files of a box in groups that fit into one request each; one empty group if there are no files."""
    part: dict[str, bytes] = {}
    size = 0
    for path, content in files.items():
        if part and size + len(content) > MAX_REQUEST_FILE_BYTES:
            yield part
            part, size = {}, 0
        part[str(path)] = content
        size += len(content)
    yield part


def _usage(folder: Path, max_files: int) -> tuple[int, int]:
    """Count the files and bytes below a folder. Stop counting soon after more than `max_files` files."""
    files = size = 0
    waiting = [str(folder)]
    while waiting and files <= max_files:
        # The code in the box may delete entries during the scan.
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in itertools.islice(entries, max_files + 1):
                files += 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    size += entry.stat(follow_symlinks=False).st_size
    return files, size
