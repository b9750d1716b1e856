"""The format of messages between a box and the grader: numbers, strings, arrays of them, and lists, tuples and dicts of these.

A message is a frame: its length (8 bytes), the length of a JSON text (8 bytes), that text, and the raw bytes of the arrays that the
text describes. The grader treats everything from a box as hostile input: lengths are checked against limits before they are used, an
array must have exactly the bytes that its type and shape require, and nothing is executed or unpickled.

Requests into a box come from the grader, so they are a length and a pickle, which is read four times as fast.

A small frame must not expand to a large value, neither here nor when a check converts the value to an array. So the number of lists
and the number and length of strings are limited, and a sparse array counts as a dense one. Both ends apply the same limits, so the
receiver accepts whatever the sender could send.
"""

import io
import json
import math
import pickle
import struct
from typing import Any

import numpy as np

HEAD = struct.Struct(">QQ")
LENGTH = 8  # bytes of the length field
KINDS = "biuf"
MOST_DIMENSIONS = 8
DEEPEST = 16
LONGEST_NUMBER = 1 << 256
ALIGNMENT = 16
MOST_TEXT = 4 << 20  # Bytes of the JSON text. Millions of numbers belong in an array.
MOST_LISTS = 100_000  # Brackets of the JSON text. A list can take 40 times its bytes in memory.
TOO_MANY_LISTS = f"more than {MOST_LISTS // 2} lists; an array holds numbers in rows"
# Limit on the bytes of a string array: 1 MiB, plus 16 bytes per byte of the frame.
TEXTS_FREE, TEXTS_SHARE = 1 << 20, 16
TYPES = {
    name: np.dtype(name)
    for name in ["|b1", "|i1", "|u1", "<i2", "<u2", "<f2", "<i4", "<u4", "<f4", "<i8", "<u8", "<f8"]
}
NAMES = {dtype: name for name, dtype in TYPES.items()}
JUST_SO = frozenset({float, int, bool, type(None)})  # These types are the same in JSON and in a message.


class NotPlain(TypeError):
    """A value that a message cannot contain."""


class BadMessage(ValueError):
    """Bytes that are not a valid message."""


class TooLong(BadMessage):
    """A message that exceeds the maximum length."""


class Reference:
    """A number that represents an object inside the box.

    Examples
    --------
    >>> decoded(encoded(Reference(3))).number
    3
    """

    def __init__(self, number: int):
        self.number = number


def encoded(value: Any, most: int | None = None) -> bytes:
    """Encode a value as a frame.

    Parameters
    ----------
    value : None, bool, int, float, str, array or sparse matrix of numbers, Reference, or tuple, list, dict of these
    most : int, optional
        Maximum bytes of the frame, and of each sparse array in its dense form.

    Raises
    ------
    NotPlain
        If the value contains another type, or if its lists and strings would take too much memory at the receiver.
    TooLong

    Examples
    --------
    >>> decoded(encoded({"scores": np.arange(3.0), "label": ("spam", 1)}))
    {'scores': array([0., 1., 2.]), 'label': ('spam', 1)}
    """
    parts = _Parts(most)
    text = _TO_JSON.encode(_tree(value, parts, 0))
    length = HEAD.size - 8 + len(text) + sum(map(len, parts.raw))
    if most is not None and length > most:
        raise TooLong(f"{length / 1e6:.0f} MB")
    if fault := _fault_of_text(text) or parts.size.fault(length):
        raise NotPlain(fault)
    return b"".join([HEAD.pack(length, len(text)), text.encode(), *parts.raw])


def decoded(frame: bytes | memoryview, most: int | None = None) -> Any:
    """Decode the value of a frame. Its arrays are copies.

    Parameters
    ----------
    frame : bytes
    most : int, optional
        Maximum bytes of a sparse array in its dense form, and of an array of size 0 if its empty dimensions had length 1.

    Raises
    ------
    BadMessage
    """
    frame = memoryview(frame)
    try:
        length, text_length = HEAD.unpack_from(frame)
        if length != len(frame) - 8 or text_length > len(frame) - HEAD.size:
            raise BadMessage("lengths that do not match")
        start = HEAD.size + text_length
        text = str(frame[HEAD.size : start], "ascii")
        if fault := _fault_of_text(text):
            raise BadMessage(fault)
        reader = _Buffers(frame[start:], len(frame), most)
        value = _value(json.loads(text), reader, 0)
        if fault := reader.size.fault(len(frame)):
            raise BadMessage(fault)
    except BadMessage:
        raise
    except (ValueError, TypeError, KeyError, IndexError, struct.error, RecursionError, OverflowError) as error:
        raise BadMessage(f"not a message ({type(error).__name__})") from None
    if reader.left:
        raise BadMessage("bytes beyond its end")
    return value


def encoded_request(value: Any, most: int | None = None) -> bytes:
    """Encode a request of the grader as a frame with a pickle. Instances of subclasses of plain types are converted to the plain types.

    Raises
    ------
    NotPlain
        If an array contains anything but numbers and strings.
    TooLong

    Examples
    --------
    >>> decoded_request(encoded_request({"scores": np.arange(3.0), "label": ("spam", 1)}))
    {'scores': array([0., 1., 2.]), 'label': ('spam', 1)}
    """
    stream = io.BytesIO(b"\0" * LENGTH)
    stream.seek(LENGTH)
    pickler = _RequestPickler(stream, pickle.HIGHEST_PROTOCOL)
    pickler.fast = True  # An array that is in two calls becomes two arrays in the box.
    pickler.dump(value)
    length = stream.tell() - LENGTH
    if most is not None and length > most:
        raise TooLong(f"{length / 1e6:.0f} MB")
    stream.getbuffer()[:LENGTH] = length.to_bytes(LENGTH, "big")
    return stream.getvalue()


def decoded_request(frame: bytes | memoryview, most: int | None = None) -> Any:
    """Decode a frame of `encoded_request`. Its arrays are copies.

    Use this only inside a box, where the grader is the sender. The grader itself reads with `decoded`, which unpickles nothing.
    `most` is not used; it is a parameter because `Channel` passes it to every decoder.
    """
    return pickle.loads(memoryview(frame)[LENGTH:])


class _RequestPickler(pickle.Pickler):
    """Pickles arrays as writable copies, and subclass instances as plain types, because a box may not have their classes."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in f"{KINDS}U":
                raise NotPlain(f"an array of the type {value.dtype}")
            array = value.astype(value.dtype.newbyteorder("="), copy=False)
            return _made_array, (array.tobytes(), array.dtype.str, array.shape)
        if isinstance(value, range):
            return list, (list(value),)
        plain: Any
        for plain in (str, int, float, list, tuple):
            if isinstance(value, plain) and not isinstance(value, np.generic):
                return plain, (plain(value),)
        return NotImplemented


def _made_array(raw: bytes, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.frombuffer(raw, kind).reshape(shape).copy()


def _fault_of_text(text: str) -> str:
    """Return why a JSON text would take too much memory, or an empty string; called before the text is parsed."""
    if len(text) > MOST_TEXT:
        return f"{len(text) / 1e6:.0f} MB of lists and texts; at most {MOST_TEXT / 1e6:.0f} MB may be outside arrays"
    if text.count("[") + text.count("{") > MOST_LISTS:
        return TOO_MANY_LISTS
    return ""


class _Size:
    """The number of entries in the lists and string arrays of a message, and the length of its longest string.

    If a check converts a list to an array, every entry takes the space of the longest string.
    """

    def __init__(self) -> None:
        self.entries = self.longest = 0

    def add(self, entries: int, longest: int = 0) -> None:
        self.entries += entries
        self.longest = max(self.longest, longest)

    def fault(self, n_bytes: int) -> str:
        """Return why this is too much for a message of `n_bytes` bytes; empty if it is not."""
        if 4 * self.entries * self.longest <= TEXTS_FREE + TEXTS_SHARE * n_bytes:
            return ""
        return f"a list of {self.entries} entries with strings of up to {self.longest} characters"


def _fault_of_shape(shape: tuple[int, ...], item_size: int, most: int | None) -> str:
    """Return why an array with items of `item_size` bytes is too large, or an empty string. Empty dimensions count as 1."""
    if most is None:
        return ""
    size = math.prod([length or 1 for length in shape]) * item_size
    return "" if size <= most else f"an array of the shape {shape}, which would take {size / 1e6:.3g} MB"


class _Parts:
    """The raw parts of a frame that is being encoded."""

    def __init__(self, most: int | None):
        self.raw: list[bytes] = []
        self.lists = 0
        self.size = _Size()
        self.most = most


def _tree(value: Any, parts: _Parts, depth: int) -> Any:
    if depth > DEEPEST:
        raise NotPlain(f"lists nested more than {DEEPEST} deep")
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return value.encode().decode()  # An unpaired surrogate raises an error here.
    if kind is float:
        return value
    if kind is np.ndarray:
        return {"a": _array_tree(value, parts)}
    if kind is int and -LONGEST_NUMBER <= value <= LONGEST_NUMBER:
        return value
    if kind is list or kind is tuple:
        return _list_tree(value, parts, depth)
    if kind is dict:
        return {"d": [[_key(key), _tree(entry, parts, depth + 1)] for key, entry in value.items()]}
    return _tree_of_unusual(value, parts, depth)


def _tree_of_unusual(value: Any, parts: _Parts, depth: int) -> Any:
    """Return the tree of a value that is not itself a plain type but can represent one: subclasses, NumPy scalars, sparse arrays."""
    if isinstance(value, (np.generic, np.ndarray)):
        return {"a": _array_tree(np.asarray(value), parts)}
    if isinstance(value, str):
        return str.encode(value).decode()
    if isinstance(value, int):
        if abs(int.__int__(value)) > LONGEST_NUMBER:
            raise NotPlain("an int of more than 256 bits")
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, (tuple, list, range)):  # A NamedTuple is sent as a tuple, without its field names.
        return _list_tree(value, parts, depth)
    kind = type(value)
    if kind is Reference:
        return {"o": value.number}
    if hasattr(value, "tocsr") and hasattr(value, "nnz"):
        return {"s": _sparse_tree(value, parts)}
    raise NotPlain(f"{'an' if kind.__name__[:1].lower() in 'aeiou' else 'a'} {kind.__name__}")


def _sparse_tree(value: Any, parts: _Parts) -> list[Any]:
    """Return the tree of a sparse array. Its shape is checked before the conversion to CSR, which needs memory for each row."""
    shape = tuple(map(int, value.shape))
    if len(shape) != 2:
        raise NotPlain(f"a sparse array of the shape {shape}; it must have two dimensions")
    if fault := _fault_of_shape(shape, 8, parts.most):
        raise NotPlain(f"{fault} if it were not sparse")
    matrix = value.tocsr()
    if matrix.data.dtype.kind not in KINDS:
        raise NotPlain(f"a sparse array of the type {matrix.data.dtype}")
    arrays = [np.asarray(getattr(matrix, name)) for name in ("data", "indices", "indptr")]
    return [list(shape), *(_array_tree(array, parts) for array in arrays)]


def _list_tree(value: Any, parts: _Parts, depth: int) -> Any:
    """Return the tree of a list or a tuple. Lists of floats, which are the long ones, are copied without looking at the entries."""
    if parts.most is not None and 2 * len(value) > MOST_TEXT:
        raise NotPlain(f"a list of {len(value)} entries, which is too long; put numbers into an array")
    parts.lists += 2  # Each list is inside an object that names its type.
    if parts.lists > MOST_LISTS:
        raise NotPlain(TOO_MANY_LISTS)
    parts.size.add(len(value), max((len(entry) for entry in value if isinstance(entry, str)), default=0))
    entries = list(value) if set(map(type, value)) == {float} else [_tree(entry, parts, depth + 1) for entry in value]
    return {"t" if isinstance(value, tuple) else "l": entries}


def _key(key: Any) -> str:
    if type(key) is not str:
        raise NotPlain("a dict whose keys are not strings")
    return key


def _array_tree(array: np.ndarray, parts: _Parts) -> list[Any]:
    if parts.most is not None and array.nbytes > parts.most:
        raise TooLong(f"an array of {array.nbytes / 1e6:.0f} MB")
    if not array.size and (fault := _fault_of_shape(array.shape, array.dtype.itemsize, parts.most)):
        raise NotPlain(fault)
    if array.ndim > MOST_DIMENSIONS:
        raise NotPlain(f"an array of {array.ndim} dimensions")
    if array.dtype.kind == "U":
        texts = array.ravel().tolist()
        parts.size.add(len(texts), max(map(len, texts), default=0))
        return ["U", list(array.shape), [text.encode().decode() for text in texts]]
    if array.dtype.kind not in KINDS:
        raise NotPlain(f"an array of the type {array.dtype}")
    if array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    name = NAMES.get(array.dtype)
    if name is None:
        name = array.dtype.newbyteorder("<").str
        array = array.astype(name)
    raw = array.tobytes()
    parts.raw.append(raw.ljust(len(raw) + -len(raw) % ALIGNMENT, b"\0"))
    return [name, array.shape, len(raw)]


class _Buffers:
    """The raw bytes of a frame, consumed array by array."""

    def __init__(self, raw: memoryview, n_bytes: int, most: int | None):
        self.left = raw
        self.n_bytes = n_bytes  # size of the whole frame
        self.most = most
        self.size = _Size()

    def take(self, size: int) -> memoryview:
        padded = size + -size % ALIGNMENT
        if type(size) is not int or size < 0 or padded > len(self.left):
            raise BadMessage("an array of another length than it states")
        taken, self.left = self.left[:size], self.left[padded:]
        return taken


def _value(tree: Any, buffers: _Buffers, depth: int) -> Any:
    if depth > DEEPEST:
        raise BadMessage("lists nested too deeply")
    if type(tree) is not dict:
        if type(tree) is list:
            raise BadMessage("a bare list")
        return _text(tree) if type(tree) is str else tree
    ((kind, content),) = tree.items()
    if kind == "a":
        array = _array(content, buffers)
        return array if array.ndim else array[()]  # a NumPy scalar
    if kind in "lt":
        kinds = set(map(type, _list(content)))
        entries = (
            content
            if kinds <= JUST_SO
            else [entry if type(entry) in JUST_SO else _value(entry, buffers, depth + 1) for entry in content]
        )
        longest = max((len(entry) for entry in entries if type(entry) is str), default=0) if str in kinds else 0
        buffers.size.add(len(entries), longest)
        return entries if kind == "l" else tuple(entries)
    if kind == "d":
        pairs = [_list(pair) for pair in _list(content)]
        return {
            _text(key): entry if type(entry) in JUST_SO else _value(entry, buffers, depth + 1) for key, entry in pairs
        }
    if kind == "o":
        if type(content) is not int or content < 0:
            raise BadMessage("no number where one is required")
        return Reference(content)
    if kind == "s":
        return _sparse(content, buffers)
    raise BadMessage(f"a value of an unknown kind: {kind!r:.20}")


def _sparse(content: Any, buffers: _Buffers) -> Any:
    import scipy.sparse

    shape, *pieces = _list(content)
    rows, columns = _shape(shape)
    if fault := _fault_of_shape((rows, columns), 8, buffers.most):
        raise BadMessage(f"{fault} if it were not sparse")
    data, indices, indptr = (_array(piece, buffers) for piece in pieces)
    one_dimensional = data.ndim == indices.ndim == indptr.ndim == 1
    if not one_dimensional or indices.dtype.kind != "i" or indptr.dtype.kind != "i" or data.dtype.kind not in KINDS:
        raise BadMessage("a sparse array with the wrong parts")
    if len(indptr) != rows + 1 or len(data) != len(indices) or indptr[-1] != len(data):
        raise BadMessage("a sparse array whose parts are inconsistent")
    matrix = scipy.sparse.csr_array((data, indices, indptr), shape=(rows, columns))
    matrix.check_format(full_check=True)
    return matrix


def _array(content: Any, buffers: _Buffers) -> np.ndarray:
    name, sizes, what = _list(content)
    shape = _shape(sizes)
    if name == "U":
        texts = [_text(text) for text in _list(what)]
        if len(texts) != math.prod(shape):
            raise BadMessage("strings whose number differs from the shape")
        if fault := _fault_of_shape(shape, 4 * max(map(len, texts), default=1), buffers.most):
            raise BadMessage(fault)
        buffers.size.add(len(texts), max(map(len, texts), default=0))
        if fault := buffers.size.fault(buffers.n_bytes):
            raise BadMessage(fault)
        return np.array(texts, dtype=np.str_).reshape(shape)
    dtype = TYPES.get(_text(name))
    if dtype is None:
        raise BadMessage(f"an array of the type {name!r:.20}")
    if math.prod(shape) * dtype.itemsize != what:
        raise BadMessage("an array whose length differs from its shape")
    if not 0 < what <= (buffers.most or what) and (fault := _fault_of_shape(shape, dtype.itemsize, buffers.most)):
        raise BadMessage(fault)
    array = np.frombuffer(buffers.take(what), dtype=dtype).reshape(shape).copy()
    return array if dtype.isnative else array.astype(dtype.newbyteorder("="))


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise BadMessage("no list where one is required")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise BadMessage("no string where one is required")
    if not value.isascii():
        value.encode()  # An unpaired surrogate raises an error here, because it cannot be written to a file.
    return value


def _shape(value: Any) -> tuple[int, ...]:
    shape = tuple(_list(value))
    for size in shape:
        if type(size) is not int or size < 0:
            raise BadMessage("no number where one is required")
    if len(shape) > MOST_DIMENSIONS:
        raise BadMessage(f"an array of {len(shape)} dimensions")
    return shape


_TO_JSON = json.JSONEncoder(check_circular=False)
