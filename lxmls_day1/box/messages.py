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
from collections.abc import Sequence
from typing import Any

import numpy as np

HEADER = struct.Struct(">QQ")
LENGTH_BYTES = 8  # bytes of the length field
DTYPE_KINDS = "biuf"
MAX_DIMENSIONS = 8
MAX_NESTING = 16
MAX_INT = 1 << 256
ALIGNMENT = 16
MAX_JSON_BYTES = 4 << 20  # Bytes of the JSON text. Millions of numbers belong in an array.
MAX_BRACKETS = 100_000  # Brackets of the JSON text. A list can take 40 times its bytes in memory.
TOO_MANY_LISTS_MESSAGE = f"more than {MAX_BRACKETS // 2} lists; an array holds numbers in rows"
# A list of at least this many arrays of one shape and type, each of so many bytes, is sent as the rows of one array.
MIN_ROWS, MIN_ROW_BYTES, MAX_ROW_BYTES = 4, 8, 1 << 10
# Limit on the bytes of a string array: 1 MiB, plus 16 bytes per byte of the frame.
STRING_ARRAY_BASE_BYTES, STRING_ARRAY_BYTES_PER_BYTE = 1 << 20, 16
_NAMES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<f2", "<i4", "<u4", "<f4", "<i8", "<u8", "<f8")
DTYPES = {name: np.dtype(name) for name in _NAMES}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}
JSON_NATIVE_TYPES = frozenset({float, int, bool, type(None)})  # These types are the same in JSON and in a message.


class NotSerializable(TypeError):
    """A value that a message cannot contain."""


class BadMessage(ValueError):
    """Bytes that are not a valid message."""


class MessageTooLong(BadMessage):
    """A message that exceeds the maximum length."""


class ObjectHandle:
    """A number that represents an object inside the box.

    Examples
    --------
    >>> decode_message(encode_message(ObjectHandle(3))).number
    3
    """

    def __init__(self, number: int):
        self.number = number


def encode_message(value: Any, max_bytes: int | None = None) -> bytes:
    """Encode a value as a frame.

    Parameters
    ----------
    value : None, bool, int, float, str, array or sparse matrix of numbers, ObjectHandle, or tuple, list, dict of these
    max_bytes : int, optional
        Maximum bytes of the frame, and of each sparse array in its dense form.

    Raises
    ------
    NotSerializable
        If the value contains another type, or if its lists and strings would take too much memory at the receiver.
    MessageTooLong

    Examples
    --------
    >>> decode_message(encode_message({"scores": np.arange(3.0), "label": ("spam", 1)}))
    {'scores': array([0., 1., 2.]), 'label': ('spam', 1)}
    """
    parts = _FrameParts(max_bytes)
    text = _TO_JSON.encode(_encode_value(value, parts, 0))
    length = HEADER.size - 8 + len(text) + sum(map(len, parts.raw))
    if max_bytes is not None and length > max_bytes:
        raise MessageTooLong(f"{length / 1e6:.0f} MB")
    if fault := _json_fault(text, parts.n_rows) or parts.size.fault(length):
        raise NotSerializable(fault)
    return b"".join([HEADER.pack(length, len(text)), text.encode(), *parts.raw])


def decode_message(frame: bytes | memoryview, max_bytes: int | None = None) -> Any:
    """Decode the value of a frame. Its arrays are copies.

    Parameters
    ----------
    frame : bytes
    max_bytes : int, optional
        Maximum bytes of a sparse array in its dense form, and of an array of size 0 if its empty dimensions had length 1.

    Raises
    ------
    BadMessage
    """
    frame = memoryview(frame)
    try:
        length, text_length = HEADER.unpack_from(frame)
        if length != len(frame) - 8 or text_length > len(frame) - HEADER.size:
            raise BadMessage("lengths that do not match")
        start = HEADER.size + text_length
        text = str(frame[HEADER.size : start], "ascii")
        if fault := _json_fault(text):
            raise BadMessage(fault)
        reader = _Buffers(frame[start:], len(frame), max_bytes, max_rows=(MAX_BRACKETS - _brackets(text)) // 2)
        value = _decode_value(json.loads(text), reader, 0)
        if fault := reader.size.fault(len(frame)):
            raise BadMessage(fault)
    except BadMessage:
        raise
    except (ValueError, TypeError, KeyError, IndexError, struct.error, RecursionError, OverflowError) as error:
        raise BadMessage(f"not a message ({type(error).__name__})") from None
    if reader.rest:
        raise BadMessage("bytes beyond its end")
    return value


def encode_request(value: Any, max_bytes: int | None = None) -> bytes:
    """Encode a request of the grader as a frame with a pickle. Instances of subclasses of plain types are converted to the plain types.

    An object that occurs twice in the request is one object in the box, which copies the arguments of each call.

    Raises
    ------
    NotSerializable
        If an array contains anything but numbers and strings.
    MessageTooLong

    Examples
    --------
    >>> decode_request(encode_request({"scores": np.arange(3.0), "label": ("spam", 1)}))
    {'scores': array([0., 1., 2.]), 'label': ('spam', 1)}
    """
    stream = io.BytesIO(b"\0" * LENGTH_BYTES)
    stream.seek(LENGTH_BYTES)
    _RequestPickler(stream, pickle.HIGHEST_PROTOCOL).dump(value)
    length = stream.tell() - LENGTH_BYTES
    if max_bytes is not None and length > max_bytes:
        raise MessageTooLong(f"{length / 1e6:.0f} MB")
    stream.getbuffer()[:LENGTH_BYTES] = length.to_bytes(LENGTH_BYTES, "big")
    return stream.getvalue()


def decode_request(frame: bytes | memoryview, max_bytes: int | None = None) -> Any:
    """Decode a frame of `encode_request`. Its arrays are copies.

    Use this only inside a box, where the grader is the sender. The grader itself reads with `decode_message`, which unpickles nothing.
    `max_bytes` is not used; it is a parameter because `Channel` passes it to every decoder.
    """
    return pickle.loads(memoryview(frame)[LENGTH_BYTES:])


class _RequestPickler(pickle.Pickler):
    """Pickles arrays as writable copies, and subclass instances as plain types, because a box may not have their classes."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            name = DTYPE_NAMES.get(value.dtype)
            if name is None:
                if value.dtype.kind not in f"{DTYPE_KINDS}U":
                    raise NotSerializable(f"an array of the type {value.dtype}")
                value = value.astype(value.dtype.newbyteorder("="), copy=False)
                name = value.dtype.str
            return _make_array, (value.tobytes(), name, value.shape)
        if isinstance(value, range):
            return list, (list(value),)
        plain: Any
        for plain in (str, int, float, list, tuple):
            if isinstance(value, plain) and not isinstance(value, np.generic):
                return plain, (plain(value),)
        return NotImplemented


def _make_array(raw: bytes, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.frombuffer(raw, kind).reshape(shape).copy()


def _json_fault(text: str, n_rows: int = 0) -> str:
    """Return why a JSON text, and the arrays that are sent as rows, would take too much memory; or an empty string."""
    if len(text) > MAX_JSON_BYTES:
        return (
            f"{len(text) / 1e6:.0f} MB of lists and texts; at most {MAX_JSON_BYTES / 1e6:.0f} MB may be outside arrays"
        )
    return TOO_MANY_LISTS_MESSAGE if _brackets(text) + 2 * n_rows > MAX_BRACKETS else ""


def _brackets(text: str) -> int:
    return text.count("[") + text.count("{")


class _StringSizes:
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
        if 4 * self.entries * self.longest <= STRING_ARRAY_BASE_BYTES + STRING_ARRAY_BYTES_PER_BYTE * n_bytes:
            return ""
        return f"a list of {self.entries} entries with strings of up to {self.longest} characters"


def _shape_fault(shape: tuple[int, ...], item_size: int, max_bytes: int | None) -> str:
    """Return why an array with items of `item_size` bytes is too large, or an empty string. Empty dimensions count as 1."""
    if max_bytes is None:
        return ""
    size = math.prod([length or 1 for length in shape]) * item_size
    return "" if size <= max_bytes else f"an array of the shape {shape}, which would take {size / 1e6:.3g} MB"


class _FrameParts:
    """The raw parts of a frame that is being encoded."""

    def __init__(self, max_bytes: int | None):
        self.raw: list[bytes] = []
        self.lists = 0
        self.n_rows = 0  # arrays that are sent as the rows of one array
        self.size = _StringSizes()
        self.max_bytes = max_bytes


def _encode_value(value: Any, parts: _FrameParts, depth: int) -> Any:
    if depth > MAX_NESTING:
        raise NotSerializable(f"lists nested more than {MAX_NESTING} deep")
    kind = type(value)
    if value is None or kind is bool or kind is float:
        return value
    if kind is str:
        return value.encode().decode()  # An unpaired surrogate raises an error here.
    if kind is np.ndarray:
        return {"a": _encode_array(value, parts)}
    if kind is int and -MAX_INT <= value <= MAX_INT:
        return value
    if kind is list or kind is tuple:
        return _encode_list(value, parts, depth)
    if kind is dict:
        if not all(type(key) is str for key in value):
            raise NotSerializable("a dict whose keys are not strings")
        return {"d": [[key, _encode_value(entry, parts, depth + 1)] for key, entry in value.items()]}
    return _encode_unusual(value, parts, depth)


def _encode_unusual(value: Any, parts: _FrameParts, depth: int) -> Any:
    """Return the tree of a value that is not itself a plain type but can represent one: subclasses, NumPy scalars, sparse arrays."""
    if isinstance(value, (np.generic, np.ndarray)):
        return {"a": _encode_array(np.asarray(value), parts)}
    if isinstance(value, str):
        return str.encode(value).decode()
    if isinstance(value, int):
        if abs(int.__int__(value)) > MAX_INT:
            raise NotSerializable("an int of more than 256 bits")
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, (tuple, list, range)):  # A NamedTuple is sent as a tuple, without its field names.
        return _encode_list(value, parts, depth)
    kind = type(value)
    if kind is ObjectHandle:
        return {"o": value.number}
    if hasattr(value, "tocsr") and hasattr(value, "nnz"):
        return {"s": _encode_sparse(value, parts)}
    raise NotSerializable(f"{'an' if kind.__name__[:1].lower() in 'aeiou' else 'a'} {kind.__name__}")


def _encode_sparse(value: Any, parts: _FrameParts) -> list[Any]:
    """Return the tree of a sparse array. Its shape is checked before the conversion to CSR, which needs memory for each row."""
    shape = tuple(map(int, value.shape))
    if len(shape) != 2:
        raise NotSerializable(f"a sparse array of the shape {shape}; it must have two dimensions")
    if fault := _shape_fault(shape, 8, parts.max_bytes):
        raise NotSerializable(f"{fault} if it were not sparse")
    matrix = value.tocsr()
    if matrix.data.dtype.kind not in DTYPE_KINDS:
        raise NotSerializable(f"a sparse array of the type {matrix.data.dtype}")
    arrays = [np.asarray(getattr(matrix, name)) for name in ("data", "indices", "indptr")]
    return [list(shape), *(_encode_array(array, parts) for array in arrays)]


def _encode_list(value: Any, parts: _FrameParts, depth: int) -> Any:
    """Return the tree of a list or a tuple. The long ones are lists of floats, copied without looking at the entries, and of arrays."""
    if parts.max_bytes is not None and 2 * len(value) > MAX_JSON_BYTES:
        raise NotSerializable(f"a list of {len(value)} entries, which is too long; put numbers into an array")
    kinds = set(map(type, value))
    are_rows = kinds == {np.ndarray} and _are_rows(value)
    parts.lists += 2  # Each list is inside an object that names its type.
    parts.n_rows += len(value) if are_rows else 0
    if parts.lists + 2 * parts.n_rows > MAX_BRACKETS:
        raise NotSerializable(TOO_MANY_LISTS_MESSAGE)
    parts.size.add(len(value), max((len(entry) for entry in value if isinstance(entry, str)), default=0))
    entries: Any
    if are_rows:
        entries = _encode_value(np.stack(value), parts, depth + 1)
    else:
        entries = list(value) if kinds == {float} else [_encode_value(entry, parts, depth + 1) for entry in value]
    return {"t" if isinstance(value, tuple) else "l": entries}


def _are_rows(arrays: Sequence[np.ndarray]) -> bool:
    """Return True if the arrays can be sent as the rows of one array, which takes a fraction of the time for many short ones."""
    first = arrays[0]
    if (
        len(arrays) < MIN_ROWS
        or not 0 < first.ndim < MAX_DIMENSIONS
        or not MIN_ROW_BYTES <= first.nbytes <= MAX_ROW_BYTES
    ):
        return False
    return (
        first.dtype.kind in DTYPE_KINDS
        and first.dtype in DTYPE_NAMES
        and len({(array.shape, array.dtype) for array in arrays}) == 1
    )


def _encode_array(array: np.ndarray, parts: _FrameParts) -> list[Any]:
    if parts.max_bytes is not None and array.nbytes > parts.max_bytes:
        raise MessageTooLong(f"an array of {array.nbytes / 1e6:.0f} MB")
    if not array.size and (fault := _shape_fault(array.shape, array.dtype.itemsize, parts.max_bytes)):
        raise NotSerializable(fault)
    if array.ndim > MAX_DIMENSIONS:
        raise NotSerializable(f"an array of {array.ndim} dimensions")
    if array.dtype.kind == "U":
        texts = array.ravel().tolist()
        parts.size.add(len(texts), max(map(len, texts), default=0))
        return ["U", list(array.shape), [text.encode().decode() for text in texts]]
    if array.dtype.kind not in DTYPE_KINDS:
        raise NotSerializable(f"an array of the type {array.dtype}")
    if array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    name = DTYPE_NAMES.get(array.dtype)
    if name is None:
        name = array.dtype.newbyteorder("<").str
        array = array.astype(name)
    raw = array.tobytes()
    parts.raw.append(raw.ljust(len(raw) + -len(raw) % ALIGNMENT, b"\0"))
    return [name, array.shape, len(raw)]


class _Buffers:
    """The raw bytes of a frame, consumed array by array."""

    def __init__(self, raw: memoryview, n_bytes: int, max_bytes: int | None, max_rows: int):
        self.rest = raw
        self.n_bytes = n_bytes  # size of the whole frame
        self.max_bytes = max_bytes
        self.size = _StringSizes()
        self.max_rows = max_rows  # arrays that may still come as the rows of one array

    def read(self, size: int) -> memoryview:
        padded = size + -size % ALIGNMENT
        if type(size) is not int or size < 0 or padded > len(self.rest):
            raise BadMessage("an array of another length than it states")
        taken, self.rest = self.rest[:size], self.rest[padded:]
        return taken


def _decode_value(tree: Any, buffers: _Buffers, depth: int) -> Any:
    if depth > MAX_NESTING:
        raise BadMessage("lists nested too deeply")
    if type(tree) is not dict:
        if type(tree) is list:
            raise BadMessage("a bare list")
        return _require_string(tree) if type(tree) is str else tree
    ((kind, content),) = tree.items()
    if kind == "a":
        array = _decode_array(content, buffers)
        return array if array.ndim else array[()]  # a NumPy scalar
    if kind in ("l", "t") and type(content) is dict:
        rows = _decode_rows(content, buffers, depth)
        return rows if kind == "l" else tuple(rows)
    if kind in ("l", "t"):
        kinds = set(map(type, _require_list(content)))
        entries = content
        if not kinds <= JSON_NATIVE_TYPES:
            entries = [e if type(e) in JSON_NATIVE_TYPES else _decode_value(e, buffers, depth + 1) for e in content]
        longest = max((len(entry) for entry in entries if type(entry) is str), default=0) if str in kinds else 0
        buffers.size.add(len(entries), longest)
        return entries if kind == "l" else tuple(entries)
    if kind == "d":
        found = {}
        for key, e in map(_require_list, _require_list(content)):
            found[_require_string(key)] = e if type(e) in JSON_NATIVE_TYPES else _decode_value(e, buffers, depth + 1)
        return found
    if kind == "o":
        return ObjectHandle(_require_number(content))
    if kind == "s":
        return _decode_sparse(content, buffers)
    raise BadMessage(f"a value of an unknown kind: {kind!r:.20}")


def _decode_rows(tree: dict[str, Any], buffers: _Buffers, depth: int) -> list[np.ndarray]:
    """Return the rows of an array as a list of arrays, whose number is limited, because each takes more memory than its bytes."""
    array = _decode_value(tree, buffers, depth + 1)
    is_matrix = isinstance(array, np.ndarray) and array.ndim > 1 and array.dtype in DTYPE_NAMES
    if not is_matrix or array.nbytes < MIN_ROW_BYTES * len(array):
        raise BadMessage("rows that are not those of an array of numbers, or too short")
    buffers.max_rows -= len(array)
    if buffers.max_rows < 0:
        raise BadMessage(TOO_MANY_LISTS_MESSAGE)
    buffers.size.add(len(array))
    return list(array)


def _decode_sparse(content: Any, buffers: _Buffers) -> Any:
    import scipy.sparse

    shape, *pieces = _require_list(content)
    rows, columns = _decode_shape(shape)
    if fault := _shape_fault((rows, columns), 8, buffers.max_bytes):
        raise BadMessage(f"{fault} if it were not sparse")
    data, indices, indptr = (_decode_array(piece, buffers) for piece in pieces)
    one_dimensional = data.ndim == indices.ndim == indptr.ndim == 1
    is_indexed = indices.dtype.kind == indptr.dtype.kind == "i"
    if not (one_dimensional and is_indexed and data.dtype.kind in DTYPE_KINDS):
        raise BadMessage("a sparse array with the wrong parts")
    if len(indptr) != rows + 1 or len(data) != len(indices) or indptr[-1] != len(data):
        raise BadMessage("a sparse array whose parts are inconsistent")
    matrix = scipy.sparse.csr_array((data, indices, indptr), shape=(rows, columns))
    matrix.check_format(full_check=True)
    return matrix


def _decode_array(content: Any, buffers: _Buffers) -> np.ndarray:
    name, sizes, what = _require_list(content)
    shape = _decode_shape(sizes)
    if name == "U":
        texts = [_require_string(text) for text in _require_list(what)]
        if len(texts) != math.prod(shape):
            raise BadMessage("strings whose number differs from the shape")
        if fault := _shape_fault(shape, 4 * max(map(len, texts), default=1), buffers.max_bytes):
            raise BadMessage(fault)
        buffers.size.add(len(texts), max(map(len, texts), default=0))
        if fault := buffers.size.fault(buffers.n_bytes):
            raise BadMessage(fault)
        return np.array(texts, dtype=np.str_).reshape(shape)
    dtype = DTYPES.get(_require_string(name))
    if dtype is None:
        raise BadMessage(f"an array of the type {name!r:.20}")
    if math.prod(shape) * dtype.itemsize != what:
        raise BadMessage("an array whose length differs from its shape")
    if not 0 < what <= (buffers.max_bytes or what) and (
        fault := _shape_fault(shape, dtype.itemsize, buffers.max_bytes)
    ):
        raise BadMessage(fault)
    array = np.frombuffer(buffers.read(what), dtype=dtype).reshape(shape).copy()
    return array if dtype.isnative else array.astype(dtype.newbyteorder("="))


def _require_list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise BadMessage("no list where one is required")
    return value


def _require_string(value: Any) -> str:
    if type(value) is not str:
        raise BadMessage("no string where one is required")
    if not value.isascii():
        value.encode()  # An unpaired surrogate raises an error here, because it cannot be written to a file.
    return value


def _require_number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise BadMessage("no number where one is required")
    return value


def _decode_shape(value: Any) -> tuple[int, ...]:
    shape = tuple(map(_require_number, _require_list(value)))
    if len(shape) > MAX_DIMENSIONS:
        raise BadMessage(f"an array of {len(shape)} dimensions")
    return shape


_TO_JSON = json.JSONEncoder(check_circular=False)
