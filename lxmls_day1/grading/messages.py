"""What crosses the wall of the box: numbers, texts, arrays of them, and lists, tuples and dicts of these. Nothing else.

A message is a frame: its length in eight bytes, the length of a JSON text in eight, that text, and the raw bytes of the
arrays which the text describes. What comes out of the box is taken apart as if an enemy had written it: lengths are capped
before they are believed, an array's bytes must be exactly as many as its type and shape say, and nothing is ever executed
or unpickled.
"""

import json
import math
import select
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

HEAD = struct.Struct(">QQ")
KINDS = "biuf"
MOST_DIMENSIONS = 8
DEEPEST = 16
LONGEST_NUMBER = 1 << 256
ALIGNMENT = 16
PIECE = 1 << 18
TICK = 0.05
# The usual types of numbers, as they are in the memory of nearly every machine: these need not be looked at closely.
USUAL_TYPES = {name: np.dtype(name) for name in ("<f8", "<i8", "<f4", "<i4", "|b1", "|u1") if sys.byteorder == "little"}
NAMES_OF_USUAL = {dtype: name for name, dtype in USUAL_TYPES.items()}
JUST_SO = frozenset({float, int, str, bool, type(None)})  # in JSON as they are in a message


class NotPlain(TypeError):
    """A value that must not cross."""


class BadMessage(ValueError):
    """Bytes that are not a message of ours."""


class TooLong(BadMessage):
    """A message that is longer than allowed."""


class Hung(Exception):
    """Nothing came in time."""


class Ended(Exception):
    """Nobody is there any more."""


class Reference:
    """What stands for an object that stays in the box: a number.

    Examples
    --------
    >>> decoded(encoded(Reference(3))).number
    3
    """

    def __init__(self, number: int):
        self.number = number


def encoded(value: Any, most: int | None = None) -> bytes:
    """A value as a frame.

    Parameters
    ----------
    value : None, bool, int, float, str, array or sparse matrix of numbers, Reference, or tuple, list, dict of these
    most : int, optional
        Bytes that it may have.

    Raises
    ------
    NotPlain
        If there is something else in it.
    TooLong

    Examples
    --------
    >>> decoded(encoded({"scores": np.arange(3.0), "label": ("spam", 1)}))
    {'scores': array([0., 1., 2.]), 'label': ('spam', 1)}
    """
    parts: list[bytes] = []
    tree = _tree(value, parts, most, 0)
    text = _TO_JSON.encode(tree).encode()
    length = HEAD.size - 8 + len(text) + sum(map(len, parts))
    if most is not None and length > most:
        raise TooLong(f"{length / 1e6:.0f} MB")
    return b"".join([HEAD.pack(length, len(text)), text, *parts])


def decoded(frame: bytes | memoryview) -> Any:
    """The value in a frame, with arrays of its own.

    Raises
    ------
    BadMessage
    """
    frame = memoryview(frame)
    try:
        length, text_length = HEAD.unpack_from(frame)
        if length != len(frame) - 8 or text_length > len(frame) - HEAD.size:
            raise BadMessage("lengths that do not fit")
        start = HEAD.size + text_length
        tree = _FROM_JSON.decode(str(frame[HEAD.size : start], "utf-8"))
        reader = _Buffers(frame[start:])
        value = _value(tree, reader, 0)
    except BadMessage:
        raise
    except (ValueError, TypeError, KeyError, IndexError, struct.error, RecursionError, OverflowError) as error:
        raise BadMessage(f"not a message ({type(error).__name__})") from None
    if reader.left:
        raise BadMessage("bytes that belong to nothing")
    return value


def _tree(value: Any, parts: list[bytes], most: int | None, depth: int) -> Any:
    if depth > DEEPEST:
        raise NotPlain(f"lists in lists, more than {DEEPEST} deep")
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return value.encode().decode()  # half of a pair of code points is no text
    if kind is float:
        return value if math.isfinite(value) else {"x": repr(value)}
    if kind is np.ndarray:
        return {"a": _array_tree(value, parts, most)}
    if kind is int and -LONGEST_NUMBER <= value <= LONGEST_NUMBER:
        return value
    if kind is list or kind is tuple:
        return _list_tree(value, parts, most, depth)
    if kind is dict:
        return {"d": [[_key(key), _tree(entry, parts, most, depth + 1)] for key, entry in value.items()]}
    if isinstance(value, np.generic):
        return {"g": _array_tree(np.asarray(value), parts, most)}
    if isinstance(value, np.ndarray):
        return {"a": _array_tree(np.asarray(value), parts, most)}
    if isinstance(value, str):
        return str.encode(value).decode()
    if isinstance(value, int):
        if abs(int.__int__(value)) > LONGEST_NUMBER:
            raise NotPlain("an int of more than 256 bits")
        return int.__int__(value)
    if isinstance(value, float):
        number = float.__float__(value)
        return number if math.isfinite(number) else {"x": float.__repr__(number)}
    if isinstance(value, (tuple, list, range)):  # a NamedTuple too: what its parts are called stays inside
        return _list_tree(value, parts, most, depth)
    if kind is Reference:
        return {"o": value.number}
    if hasattr(value, "tocsr") and hasattr(value, "nnz"):
        matrix = value.tocsr()
        pieces = [_array_tree(np.asarray(getattr(matrix, name)), parts, most) for name in ("data", "indices", "indptr")]
        return {"s": [list(map(int, matrix.shape)), *pieces]}
    raise NotPlain(f"{'an' if kind.__name__[:1].lower() in 'aeiou' else 'a'} {kind.__name__}")


def _list_tree(value: Any, parts: list[bytes], most: int | None, depth: int) -> Any:
    """Of a list or a tuple. Those of plain floats, which are the long ones, need no closer look."""
    simple = set(map(type, value)) == {float} and all(map(math.isfinite, value))
    entries = list(value) if simple else [_tree(entry, parts, most, depth + 1) for entry in value]
    return {"t" if isinstance(value, tuple) else "l": entries}


def _key(key: Any) -> str:
    if type(key) is not str:
        raise NotPlain("a dict whose keys are not texts")
    return key


def _array_tree(array: np.ndarray, parts: list[bytes], most: int | None) -> list[Any]:
    if (usual := NAMES_OF_USUAL.get(array.dtype)) is not None and (most is None or array.nbytes <= most):
        raw = array.tobytes()
        parts.append(raw + b"\0" * (-len(raw) % ALIGNMENT))
        return [usual, list(array.shape), len(raw)]
    if array.dtype.kind == "U":
        return ["U", list(array.shape), [str(text) for text in array.ravel().tolist()]]
    if array.dtype.kind not in KINDS:
        raise NotPlain(f"an array of the type {array.dtype}")
    if most is not None and array.nbytes > most:
        raise TooLong(f"an array of {array.nbytes / 1e6:.0f} MB")
    if array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    dtype = array.dtype.newbyteorder("<")
    raw = np.ascontiguousarray(array, dtype=dtype).tobytes()
    parts.append(raw + b"\0" * (-len(raw) % ALIGNMENT))
    return [dtype.str, list(array.shape), len(raw)]


class _Buffers:
    """The raw part of a frame, taken piece by piece."""

    def __init__(self, raw: memoryview):
        self.left = raw

    def take(self, size: int) -> memoryview:
        padded = size + -size % ALIGNMENT
        if type(size) is not int or size < 0 or padded > len(self.left):
            raise BadMessage("an array of another length than it says")
        taken, self.left = self.left[:size], self.left[padded:]
        return taken


def _value(tree: Any, buffers: _Buffers, depth: int) -> Any:
    if depth > DEEPEST:
        raise BadMessage("lists in lists, too deep")
    if type(tree) is not dict:
        if type(tree) is list:
            raise BadMessage("a bare list")
        return tree
    ((kind, content),) = tree.items()
    if kind == "a":
        return _array(content, buffers)
    if kind == "x":
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[content]
    if kind in "lt":
        entries = [entry if type(entry) in JUST_SO else _value(entry, buffers, depth + 1) for entry in _list(content)]
        return entries if kind == "l" else tuple(entries)
    if kind == "d":
        pairs = [_list(pair) for pair in _list(content)]
        return {
            _text(key): entry if type(entry) in JUST_SO else _value(entry, buffers, depth + 1) for key, entry in pairs
        }
    if kind == "o":
        return Reference(_count(content))
    if kind == "g":
        array = _array(content, buffers)
        if array.ndim:
            raise BadMessage("a scalar with a shape")
        return array[()]
    if kind == "s":
        import scipy.sparse

        shape, *pieces = _list(content)
        arrays = [_array(piece, buffers) for piece in pieces]
        rows, columns = _shape(shape)
        matrix = scipy.sparse.csr_array(tuple(arrays), shape=(rows, columns))
        matrix.check_format(full_check=True)
        return matrix
    raise BadMessage(f"of an unknown kind: {kind!r:.20}")


def _array(content: Any, buffers: _Buffers) -> np.ndarray:
    name, shape, what = _list(content)
    shape = _shape(shape)
    if name == "U":
        texts = [_text(text) for text in _list(what)]
        if len(texts) != math.prod(shape):
            raise BadMessage("texts of another number than the shape says")
        return np.array(texts, dtype=np.str_).reshape(shape)
    usual = USUAL_TYPES.get(_text(name))
    if usual is not None:
        if math.prod(shape) * usual.itemsize != what:
            raise BadMessage("an array of another length than its shape says")
        return np.frombuffer(buffers.take(what), dtype=usual).reshape(shape).copy()
    dtype = np.dtype(name)
    if dtype.kind not in KINDS or dtype.itemsize > 8 or dtype.fields or dtype.subdtype:
        raise BadMessage(f"an array of the type {name!r:.20}")
    if math.prod(shape) * dtype.itemsize != what:
        raise BadMessage("an array of another length than its shape says")
    array = np.frombuffer(buffers.take(what), dtype=dtype).reshape(shape).copy()
    return array.astype(dtype.newbyteorder("="), copy=False)


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise BadMessage("no list where one should be")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise BadMessage("no text where one should be")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise BadMessage("no number where one should be")
    return value


def _shape(value: Any) -> tuple[int, ...]:
    shape = tuple(_count(size) for size in _list(value))
    if len(shape) > MOST_DIMENSIONS:
        raise BadMessage(f"an array of {len(shape)} dimensions")
    return shape


def _no_constant(name: str) -> Any:
    raise BadMessage(f"{name} as a number")


_TO_JSON = json.JSONEncoder(allow_nan=False, check_circular=False)
_FROM_JSON = json.JSONDecoder(parse_constant=_no_constant)


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
    """

    def __init__(self, sock: socket.socket, most: int, watch: Callable[[], None] | None = None):
        self._socket = sock
        self._most = most
        self._watch = watch
        self._came = b""
        sock.setblocking(watch is None)

    def send(self, value: Any, deadline: float | None = None, most: int | None = None) -> None:
        """Send a value; by `deadline`, a moment of ``time.monotonic``."""
        frame = memoryview(encoded(value, most))
        while frame:
            try:
                frame = frame[self._socket.send(frame[:PIECE]) :]
            except (BlockingIOError, InterruptedError):
                self._wait(writing=True, deadline=deadline)
            except OSError as error:
                raise Ended from error

    def receive(self, deadline: float | None = None) -> Any:
        """The next value.

        Raises
        ------
        Hung
            If it is not there by `deadline`.
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
            frame += self._piece(deadline)
        self._came = bytes(frame[length:])
        return decoded(memoryview(frame)[:length])

    def _piece(self, deadline: float | None) -> bytes:
        """What has come, some of it; waits until there is something."""
        while True:
            if self._watch is not None:
                self._wait(writing=False, deadline=deadline)
            try:
                piece = self._socket.recv(PIECE)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError as error:
                raise Ended from error
            if not piece:
                raise Ended
            return piece

    def _wait(self, writing: bool, deadline: float | None) -> None:
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise Hung
            pause = TICK if left is None else min(TICK, left)
            try:
                ready = select.select(*(([], [self._socket]) if writing else ([self._socket], [])), [], pause)
            except (OSError, ValueError) as error:
                raise Ended from error
            if any(ready):
                return
            if self._watch is not None:
                self._watch()

    def close(self) -> None:
        self._socket.close()
