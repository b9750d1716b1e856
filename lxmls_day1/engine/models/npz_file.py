"""Plain values and arrays in one file: an ``.npz`` with a JSON header and without pickles.

Such a file is safe to share, because reading it never executes code from the file. It contains

==================  ====================================================================================
``header``          JSON in UTF-8, as bytes: format, versions, the kind of content, and the content
``params`` …        the arrays, under the names by which the header refers to them
==================  ====================================================================================

so that ``numpy.load("model.npz")["params"]`` works without this package. `write_file` and `read_file` store any content
made of numbers, strings, arrays, lists, tuples and dictionaries. `model_file` adds classifiers.
"""

import errno
import io
import json
import math
import os
import zipfile
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np

from lxmls_day1 import __version__
from lxmls_day1.base.atomic_files import atomic_write
from lxmls_day1.base.errors import InputError, check_path
from lxmls_day1.engine.models.packed_texts import PackedTexts

FORMAT = "lxmls-day1 model"
FORMAT_VERSION = 1
_HEADER = "header"
_NO_HEADER = "it is an archive, but without a header of lxmls-day1"
_ZIP_MAGIC = b"PK\x03\x04"
_MAGIC_LENGTH: int = np.lib.format.MAGIC_LEN
_BLOCK_BYTES = 2**20  # bytes
_NON_FINITE = ("inf", "-inf", "nan")

#: Returns the class, the module and the attributes of a classifier; None for a value that is not a classifier.
Describe = Callable[[Any, str], dict[str, Any] | None]
#: Creates a classifier from such a description.
Build = Callable[[dict[str, Any]], Any]


class NotStorable(TypeError):
    """A value has a type that such a file cannot hold."""


class _NotOurFormat(ValueError):
    """The file was not written by `write_file`; the message is a clause that gives the reason."""


def write_file(
    path: str | os.PathLike[str], kind: str, content: Mapping[str, Any], describe: Describe | None = None
) -> None:
    """Write `content` to a file atomically.

    Parameters
    ----------
    path : path
        Used unchanged; no extension is added.
    kind : str
        The kind of content; `read_file` must be called with the same kind.
    content : mapping of str to values
        None, Booleans, numbers, strings, arrays, and lists, tuples and dictionaries of these.
    describe : function (value, its name in the file), optional
        Describes a classifier. Without it, content that includes a classifier is refused.

    Raises
    ------
    InputError
        If a value has another type.
    OSError
        If the file cannot be written; an existing file remains unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "chain.npz")
    ...     write_file(path, "linear chain", {"tags": ["NOUN", "VERB"], "transitions": np.eye(2)})
    ...     read_file(path, "linear chain")
    {'tags': ['NOUN', 'VERB'], 'transitions': array([[1., 0.],
           [0., 1.]])}
    """
    check_path("path", path)
    arrays: dict[str, np.ndarray] = {}
    try:
        packed = {name: _pack(value, name, arrays, describe) for name, value in content.items()}
    except NotStorable as error:
        raise InputError(
            f"{error}, which a model file cannot hold; expected numbers, text, arrays, or lists of these"
        ) from error
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": __version__,
        "kind": kind,
        "content": packed,
    }
    arrays[_HEADER] = np.frombuffer(json.dumps(header, allow_nan=False).encode(), dtype=np.uint8)
    # numpy.savez refuses some array names, such as "file". The arrays are not compressed or copied, because they may
    # fill half the memory.
    with atomic_write(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def read_file(path: str | os.PathLike[str], kind: str, build: Build | None = None) -> dict[str, Any]:
    """Read content that `write_file` wrote.

    Parameters
    ----------
    path : path
    kind : str
        The kind with which the file was written.
    build : function, optional
        Creates a classifier from its description. Without it, a file that contains a classifier is refused.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        If the file is damaged or truncated, was not written by `write_file`, contains Python objects, has another kind,
        or has a format that is newer than this package; the message gives the reason.
    OSError
        If the file does not exist or cannot be read.
    """
    try:
        with check_path("path", path).open("rb") as opened:
            file = opened if opened.seekable() else io.BytesIO(opened.read())
            size = file.seek(0, os.SEEK_END)
            if not size:
                raise InputError(f"{path} is empty, but a saved model was expected; save the model again")
            arrays = _read_arrays(file, size)
        header = _read_header(arrays.pop(_HEADER))
    except _NotOurFormat as error:
        raise InputError(f"{path} is not a model of lxmls-day1: {error}") from error
    except Exception as error:
        # zipfile and numpy raise a dozen types of errors for damaged bytes. One of them is the OSError EINVAL, for a
        # seek before the start of the file; all other OSErrors are real I/O errors.
        if isinstance(error, (InputError, OSError)) and getattr(error, "errno", None) != errno.EINVAL:
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"{path} is damaged or incomplete ({reason}); copy it again, or save the model again"
        ) from error
    if header["format_version"] > FORMAT_VERSION:
        raise InputError(
            f"{path} was saved by lxmls-day1 {header['package_version']} in format {header['format_version']}, but "
            f"this is lxmls-day1 {__version__}, which reads formats up to {FORMAT_VERSION}; install a newer one"
        )
    if header["kind"] != kind:
        raise InputError(f"{path} holds a {header['kind']}, but a {kind} was expected")
    try:
        return {name: _unpack(value, arrays, build) for name, value in header["content"].items()}
    except InputError:
        raise
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} is not a model of lxmls-day1: its header and its arrays do not fit together"
        ) from error


def kind_of_file(path: str | os.PathLike[str]) -> str | None:
    """Return the kind of content of a file that `write_file` wrote, or None for any other file; only the header is read."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(f"{_HEADER}.npy") as member:
            return str(_read_header(np.lib.format.read_array(member, allow_pickle=False))["kind"])
    except Exception:  # zipfile and numpy raise a dozen types of errors.
        return None


def _read_arrays(file: IO[bytes], size: int) -> dict[str, np.ndarray]:
    """Read all arrays of a file, without allocating more memory than the file is long."""
    file.seek(0)
    if file.read(len(_ZIP_MAGIC)) != _ZIP_MAGIC:
        raise _NotOurFormat("it does not begin like an .npz file")
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED:  # `write_file` never compresses; a zip bomb must.
                raise _NotOurFormat(f"{member.filename} in it is compressed")
        names = {member.filename for member in members}
        # In a manipulated archive several directory entries can refer to the same bytes.
        if len(names) < len(members) or sum(member.file_size for member in members) > size:
            raise _NotOurFormat("the table of its arrays lists some bytes twice")
        if f"{_HEADER}.npy" not in names:
            raise _NotOurFormat(_NO_HEADER)
        arrays = {}
        for name in sorted(names):
            with archive.open(name) as content:
                arrays[name.removesuffix(".npy")] = _read_array(content, archive.getinfo(name).file_size, name)
        return arrays


def _read_array(file: IO[bytes], size: int, name: str) -> np.ndarray:
    """Read one array up to the end of its member, so that zipfile verifies the checksum; check its length first."""
    pickled = f"{name} in it holds Python objects (a pickle), which could run any code and are never loaded"
    magic = file.read(_MAGIC_LENGTH)
    if not magic.startswith(np.lib.format.MAGIC_PREFIX):
        raise _NotOurFormat(pickled)
    version = np.lib.format.read_magic(io.BytesIO(magic))
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in read_header:
        raise ValueError(f"{name} has the format {version}")
    shape, by_columns, dtype = read_header[version](file)
    if dtype.hasobject:
        raise _NotOurFormat(pickled)
    length = math.prod(shape) * max(1, dtype.itemsize)
    if length != size - file.tell():
        raise ValueError(f"{name} does not have the length that it states")
    content = bytearray(length)
    with memoryview(content) as view:
        for start in range(0, length + 1, _BLOCK_BYTES):  # (The last read returns nothing but verifies the checksum.)
            chunk = file.read(_BLOCK_BYTES)
            view[start : start + len(chunk)] = chunk
    return np.ndarray(shape, dtype, buffer=content, order="F" if by_columns else "C")


def _read_header(array: np.ndarray) -> dict[str, Any]:
    """Return the header of a model file of any version."""
    try:
        header: dict[str, Any] = json.loads(array.tobytes())
        expected = {"format_version": int, "package_version": str, "kind": str, "content": dict}
        if header["format"] == FORMAT and all(type(header[name]) is expected[name] for name in expected):
            return header
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise _NotOurFormat(_NO_HEADER) from error
    raise _NotOurFormat(_NO_HEADER)


def check_storable(value: Any, name: str, describe: Describe | None = None) -> None:
    """Raise a `NotStorable` that names the value if `write_file` cannot store it."""
    _pack(value, name, {}, describe)


def _pack(value: Any, name: str, arrays: dict[str, np.ndarray], describe: Describe | None) -> Any:
    """Convert a value to JSON, moving its arrays to `arrays` under names that begin with `name`."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if type(value) in (list, PackedTexts):
        return [_pack(item, f"{name}.{i}", arrays, describe) for i, item in enumerate(value)]
    if type(value) is tuple:
        return {"tuple": _pack(list(value), name, arrays, describe)}
    if type(value) is dict:
        return {"dict": [_pack(list(item), f"{name}.{i}", arrays, describe) for i, item in enumerate(value.items())]}
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return {"objects": _pack(value.ravel().tolist(), name, arrays, describe), "shape": list(value.shape)}
        arrays[name] = np.asarray(value)
        return {"array": name}
    if describe and (description := describe(value, name)) is not None:
        attributes = description["attributes"].items()
        packed = {key: _pack(item, f"{name}.{key}", arrays, describe) for key, item in attributes}
        return {"classifier": {**description, "attributes": packed}}
    raise NotStorable(f"{name} has the type {type(value).__name__}")


def _unpack(value: Any, arrays: Mapping[str, np.ndarray], build: Build | None) -> Any:
    """Restore the value that `_pack` converted to JSON."""
    if isinstance(value, list):
        return [_unpack(item, arrays, build) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"float": str(number)} if number in _NON_FINITE:
            return float(number)
        case {"tuple": list(items)}:
            return tuple(_unpack(items, arrays, build))
        case {"dict": list(pairs)}:
            return {key: item for key, item in _unpack(pairs, arrays, build)}
        case {"objects": list(items), "shape": list(shape)}:
            flat = np.empty(len(items), dtype=object)
            flat[:] = _unpack(items, arrays, build)
            return flat.reshape(shape)
        case {"array": str(name)}:
            return arrays[name]
        case {"classifier": dict(description)} if build:
            attributes = {str(k): _unpack(v, arrays, build) for k, v in description["attributes"].items()}
            return build({**description, "attributes": attributes})
    raise ValueError("neither a value nor a reference to one")
