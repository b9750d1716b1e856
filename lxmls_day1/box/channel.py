"""Messages through a socket: sent and received in time, and of limited length."""

import select
import socket
from collections.abc import Callable
from typing import Any

from lxmls_day1.box.messages import TooLong, decoded, encoded

PIECE = 1 << 18
TICK = 0.05


def never() -> bool:
    """What is never late."""
    return False


class Hung(Exception):
    """Nothing came in time."""


class Ended(Exception):
    """Nobody is there any more."""


class Channel:
    """One end of a socket over which frames go, one there for each one back.

    Parameters
    ----------
    sock : socket
        Of the stream kind.
    most : int
        Bytes that a frame which comes in may have.
    watch : function, optional
        Called twenty times a second while waiting; what it raises ends the waiting. Without it one waits for ever.
    encode, decode : functions, optional
        What makes a frame of a value that is sent, and a value of a frame that came; those for what nobody trusts unless given.
    """

    def __init__(
        self,
        sock: socket.socket,
        most: int,
        watch: Callable[[], None] | None = None,
        encode: Callable[[Any, int | None], bytes] = encoded,
        decode: Callable[[memoryview, int], Any] = decoded,
    ):
        self._encode, self._decode = encode, decode
        self._socket = sock
        self._most = most
        self._watch = watch
        self._came = b""
        self.n_received = 0  # bytes of all frames that came in
        sock.setblocking(watch is None)

    def send(self, value: Any, is_late: Callable[[], bool] = never, most: int | None = None) -> None:
        """Send a value, unless `is_late` says that it took too long; that is asked twenty times a second."""
        frame = memoryview(self._encode(value, most))
        while frame:
            try:
                frame = frame[self._socket.send(frame[:PIECE]) :]
            except (BlockingIOError, InterruptedError):
                self._wait(writing=True, is_late=is_late)
            except OSError as error:
                raise Ended from error

    def receive(self, is_late: Callable[[], bool] = never) -> Any:
        """The next value.

        Raises
        ------
        Hung
            If `is_late` says that it took too long; that is asked twenty times a second.
        Ended
            If the other end is closed.
        BadMessage
            If it is none; after that the channel is of no use any more.
        """
        frame = bytearray(self._came)
        length = 8
        while len(frame) < length or length == 8:
            if len(frame) >= 8:
                length = 8 + int.from_bytes(frame[:8], "big")
                if length > self._most:
                    raise TooLong(f"{length / 1e6:.0f} MB")
                if len(frame) >= length:
                    break
            frame += self._piece(is_late)
        self._came = bytes(frame[length:])
        self.n_received += length
        return self._decode(memoryview(frame)[:length], self._most)

    def _piece(self, is_late: Callable[[], bool]) -> bytes:
        """What has come, some of it; waits until there is something."""
        while True:
            if self._watch is not None:
                self._wait(writing=False, is_late=is_late)
            try:
                piece = self._socket.recv(PIECE)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError as error:
                raise Ended from error
            if not piece:
                raise Ended
            return piece

    def _wait(self, writing: bool, is_late: Callable[[], bool]) -> None:
        while True:
            try:
                ready = select.select(*(([], [self._socket]) if writing else ([self._socket], [])), [], TICK)
            except (OSError, ValueError) as error:
                raise Ended from error
            if any(ready):
                return
            if self._watch is not None:
                self._watch()
            if is_late():
                raise Hung

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
