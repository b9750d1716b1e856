"""Messages through a socket: sent and received in time, and of limited length."""

import random
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from lxmls_day1.box.messages import TooLong, decoded, encoded

PIECE = 1 << 18
TICK = 0.05  # seconds between two looks, on average
_random = random.SystemRandom()


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
        Called about twenty times a second until a frame is complete, also while bytes come; what it raises ends the waiting.
        Without it one waits for ever.
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
        self._next_look = 0.0
        self.n_received = 0  # bytes of all frames that came in
        sock.setblocking(watch is None)

    def send(self, value: Any, is_late: Callable[[], bool] = never, most: int | None = None) -> None:
        """Send a value, unless `is_late` says that it took too long; that is asked about twenty times a second."""
        frame = memoryview(self._encode(value, most))
        self._plan_look()
        while frame:
            self._look(is_late)
            try:
                frame = frame[self._socket.send(frame[:PIECE]) :]
            except (BlockingIOError, InterruptedError):
                self._wait([], [self._socket])
            except OSError as error:
                raise Ended from error

    def receive(self, is_late: Callable[[], bool] = never) -> Any:
        """The next value.

        Raises
        ------
        Hung
            If `is_late` says that it took too long; that is asked about twenty times a second.
        Ended
            If the other end is closed.
        BadMessage
            If it is none; after that the channel is of no use any more.
        """
        frame = bytearray(self._came)
        length = 8
        self._plan_look()
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
            self._look(is_late)
            if self._watch is not None:
                self._wait([self._socket], [])
            try:
                piece = self._socket.recv(PIECE)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError as error:
                raise Ended from error
            if not piece:
                raise Ended
            return piece

    def _plan_look(self) -> None:
        """Choose the moment of the next look: at random, so that the other end cannot be at work in just these moments."""
        self._next_look = time.monotonic() + TICK * _random.uniform(0.5, 1.5)

    def _look(self, is_late: Callable[[], bool]) -> None:
        """Watch and ask `is_late` when the moment has come, because a byte now and then must not put that off."""
        if self._watch is None or time.monotonic() < self._next_look:
            return
        self._watch()
        if is_late():
            raise Hung
        self._plan_look()

    def _wait(self, readers: list[socket.socket], writers: list[socket.socket]) -> None:
        """Wait until a socket is ready, or the moment of the next look has come."""
        try:
            select.select(readers, writers, [], max(0.0, self._next_look - time.monotonic()))
        except (OSError, ValueError) as error:
            raise Ended from error

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
