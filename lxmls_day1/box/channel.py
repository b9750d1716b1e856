"""A channel for messages over a socket, with timeouts and a maximum message size."""

import random
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from lxmls_day1.box.messages import LENGTH_BYTES, MessageTooLong, decode_message, encode_message

CHUNK_BYTES = 1 << 18
MEAN_POLL_SECONDS = 0.05  # average seconds between two polls
_random = random.SystemRandom()


def no_timeout() -> bool:
    """Return False: a timeout function that never times out."""
    return False


class ReceiveTimeout(Exception):
    """No message arrived before the timeout."""


class ConnectionClosed(Exception):
    """The other end of the channel is closed."""


class Channel:
    """One end of a stream socket that carries frames: each request gets one reply.

    Parameters
    ----------
    sock : socket
        A stream socket.
    max_bytes : int
        Maximum bytes of an incoming frame.
    watch : function, optional
        Called about twenty times a second until a frame is complete, even while bytes arrive; an exception that it raises ends the wait.
        Without it, waiting has no timeout.
    encode, decode : functions, optional
        Convert a value to a frame and a frame to a value. Default: the functions for untrusted data.
    """

    def __init__(
        self,
        sock: socket.socket,
        max_bytes: int,
        watch: Callable[[], None] | None = None,
        encode: Callable[[Any, int | None], bytes] = encode_message,
        decode: Callable[[memoryview, int], Any] = decode_message,
    ):
        self._encode, self._decode = encode, decode
        self._socket = sock
        self._max_bytes = max_bytes
        self._watch = watch
        self._buffer = b""
        self._next_poll = 0.0
        self.n_received = 0  # total bytes of all received frames
        sock.setblocking(watch is None)

    def send(self, value: Any, is_late: Callable[[], bool] = no_timeout, max_bytes: int | None = None) -> None:
        """Send a value.

        While it waits, it calls `is_late` about twenty times a second, and gives up with a `ReceiveTimeout` if that returns True.
        """
        frame = memoryview(self._encode(value, max_bytes))
        self._schedule_poll()
        while frame:
            self._poll(is_late)
            try:
                frame = frame[self._socket.send(frame[:CHUNK_BYTES]) :]
            except (BlockingIOError, InterruptedError):
                self._wait([], [self._socket])
            except OSError as error:
                raise ConnectionClosed from error

    def receive(self, is_late: Callable[[], bool] = no_timeout) -> Any:
        """Return the next value.

        Raises
        ------
        ReceiveTimeout
            If `is_late` returns True; it is called about twenty times a second.
        ConnectionClosed
            If the other end is closed.
        BadMessage
            If the frame is invalid; the channel cannot be used afterwards.
        """
        frame = bytearray(self._buffer)
        self._schedule_poll()
        while len(frame) < LENGTH_BYTES:
            frame += self._read_chunk(is_late)
        length = LENGTH_BYTES + int.from_bytes(frame[:LENGTH_BYTES], "big")
        if length > self._max_bytes:
            raise MessageTooLong(f"{length / 1e6:.0f} MB")
        while len(frame) < length:
            frame += self._read_chunk(is_late)
        self._buffer = bytes(frame[length:])
        self.n_received += length
        return self._decode(memoryview(frame)[:length], self._max_bytes)

    def _read_chunk(self, is_late: Callable[[], bool]) -> bytes:
        """Wait for bytes and return them; they may be only a part of a frame."""
        while True:
            self._poll(is_late)
            if self._watch is not None:
                self._wait([self._socket], [])
            try:
                piece = self._socket.recv(CHUNK_BYTES)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError as error:
                raise ConnectionClosed from error
            if not piece:
                raise ConnectionClosed
            return piece

    def _schedule_poll(self) -> None:
        """Choose the time of the next poll at random, so that the other end cannot know when it is watched."""
        self._next_poll = time.monotonic() + MEAN_POLL_SECONDS * _random.uniform(0.5, 1.5)

    def _poll(self, is_late: Callable[[], bool]) -> None:
        """Call `watch` and `is_late` if the next poll is due, even if a few bytes keep arriving."""
        if self._watch is None or time.monotonic() < self._next_poll:
            return
        self._watch()
        if is_late():
            raise ReceiveTimeout
        self._schedule_poll()

    def _wait(self, readers: list[socket.socket], writers: list[socket.socket]) -> None:
        """Wait until a socket is ready or the next poll is due."""
        try:
            select.select(readers, writers, [], max(0.0, self._next_poll - time.monotonic()))
        except (OSError, ValueError) as error:
            raise ConnectionClosed from error
