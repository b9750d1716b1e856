"""Writing a corpus on disk: shards, each whole or not at all, the words, and at last the manifest; `shards` says what is in them."""

import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from lxmls_day1 import __version__
from lxmls_day1.base.atomic_files import remove_folder, replace_files
from lxmls_day1.base.checks import as_canonical, as_matrix, as_numbers, check_number
from lxmls_day1.base.errors import InputError, check_path, counted
from lxmls_day1.engine.corpus.shards import FORMAT, MANIFEST, VERSION, WORDS, Shards, shard_name

ROWS_A_SHARD = 1 << 18
NONZEROS_A_SHARD = 1 << 22
LARGEST_VALUE = float(np.finfo(np.float32).max)


def write_shard(folder: Path, number: int, X: csr_array, labels: np.ndarray, dtype: str) -> dict[str, Any]:
    """Write one shard, whole or not at all, and return what the manifest says of it.

    Parameters
    ----------
    folder : Path
        Of the corpus; it exists.
    number : int
        Which shard it is. One that is there already is replaced.
    X : csr_array (m, J)
        Its indices ascend in each row.
    labels : int array (m,)
    dtype : {"uint8", "float32"}

    Raises
    ------
    OSError
        As from writing a file.
    """
    name = shard_name(number)
    files = write_arrays(folder / name, {**arrays_of(X, dtype), "labels.npy": labels.astype(np.int32, copy=False)})
    return {"name": name, "rows": len(labels), "nonzeros": len(X.indices), "files": files}


def arrays_of(X: csr_array, dtype: str) -> dict[str, np.ndarray]:
    """The arrays of a matrix by the names of their files."""
    return {
        "indptr.npy": X.indptr.astype(np.int64, copy=False),
        "indices.npy": X.indices.astype(np.uint32, copy=False),
        "data.npy": X.data.astype(dtype, copy=False),
    }


def write_arrays(folder: Path, arrays: Mapping[str, np.ndarray]) -> dict[str, dict[str, Any]]:
    """Write a folder of arrays, whole or not at all; what was there before is replaced.

    Returns
    -------
    files : dict
        Name of each array's file -> its size and fingerprint.
    """
    part = folder.with_name(f"{folder.name}.part")
    remove_folder(part)
    try:
        part.mkdir()
        files = {name: write_array(part / name, array) for name, array in arrays.items()}
        if folder.exists():
            remove_folder(folder)
        os.replace(part, folder)
    except BaseException:
        remove_folder(part)
        raise
    return files


def write_array(path: Path, array: np.ndarray) -> dict[str, Any]:
    """Write an array as an ``.npy`` file, and return its size and its fingerprint for the manifest."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    content = np.ascontiguousarray(array).view(np.uint8).data
    digest = hashlib.sha256(head.getvalue())
    digest.update(content)
    try:
        with path.open("wb") as file:
            file.write(head.getvalue())
            file.write(content)
    except OSError as error:  # of a full disk it names no file
        raise type(error)(error.errno, error.strerror, str(path)) from error
    entry: dict[str, Any] = {"bytes": len(head.getvalue()) + array.nbytes, "fingerprint": digest.hexdigest()}
    return entry if array.size else {**entry, "empty": True}


def write_manifest(
    folder: Path,
    *,
    shards: Sequence[Mapping[str, Any]],
    classes: Sequence[str],
    n_features: int,
    dtype: str,
    words: Mapping[str, Any] | None = None,
    **settings: Any,
) -> None:
    """Finish a corpus: write its manifest, whole or not at all.

    Parameters
    ----------
    folder : Path
    shards : sequence of mappings
        What `write_shard` has returned.
    classes : sequence of str
    n_features : int
    dtype : {"uint8", "float32"}
    words : mapping, optional
        What `write_words` has returned.
    **settings
        How it was made: kept in the manifest as they are. Among them are ``hash_bits`` and ``sources``: ``path``, ``bytes``,
        ``mtime_ns`` and ``sha256`` of the files that it was made of.
    """
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "made_by": __version__,
        "n_features": n_features,
        "hash_bits": None,
        "sources": [],
        **settings,
        "classes": list(classes),
        "dtype": dtype,
        "words": None if words is None else dict(words),
        "shards": list(shards),
    }
    replace_files({folder / MANIFEST: (json.dumps(manifest, indent=1) + "\n").encode()})


def write_words(folder: Path, words: Iterable[str]) -> dict[str, Any]:
    """Write the words of a corpus, and return what the manifest says of them."""
    lines = [json.dumps(word) if word.startswith('"') or "\n" in word else word for word in words]
    content, number = "".join(f"{line}\n" for line in lines).encode(), len(lines)
    replace_files({folder / WORDS: content})
    return {"number": number, "bytes": len(content), "fingerprint": hashlib.sha256(content).hexdigest()}


def write_shards(
    folder: str | os.PathLike[str],
    X: ArrayLike | csr_array,
    labels: ArrayLike,
    classes: Sequence[str],
    rows_a_shard: int = ROWS_A_SHARD,
    *,
    words: Sequence[str] | None = None,
) -> Shards:
    """Write a matrix in memory as a corpus on disk.

    Parameters
    ----------
    folder : path
        A new or an empty one.
    X : sparse matrix or array, (M, J)
        Counts up to 255 are kept as uint8, other values as float32.
    labels : int array (M,)
        Which class each row belongs to.
    classes : sequence of str
    rows_a_shard : int
        The rows of each shard but the last.
    words : sequence of J str, optional
        The names of the features.

    Returns
    -------
    Shards
    """
    place = check_path("folder", folder)
    rows = as_canonical(csr_array(as_matrix(X)))
    codes = as_numbers(labels, "labels must be the numbers of classes, one for each row of X")
    if codes.shape != rows.shape[:1] or not np.all(np.isin(codes, np.arange(len(classes)))):
        raise InputError(
            f"labels must name one of {counted(len(classes), 'class')}, counted from 0, for each of the {rows.shape[0]} rows of X; got "
            f"an array of shape {codes.shape}"
        )
    rows_a_shard = check_number("rows_a_shard", rows_a_shard, at_least=1, whole=True)
    if np.any(np.abs(rows.data) > LARGEST_VALUE):  # (a maximum would be that of NaN)
        raise InputError(
            f"X has a value beyond ±{LARGEST_VALUE:.2g}, the largest that a corpus on disk keeps (float32); scale this "
            "feature down"
        )
    dtype = "uint8" if are_small_counts(rows.data) else "float32"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{place} is a file; name a folder for the corpus") from None
    if any(place.iterdir()):
        raise InputError(f"{place} is not empty; name a new folder for the corpus")
    starts = range(0, rows.shape[0], rows_a_shard)
    shards = []
    for number, start in enumerate(starts):
        first, last = rows.indptr[start], rows.indptr[min(start + rows_a_shard, rows.shape[0])]
        part = csr_array((min(rows_a_shard, rows.shape[0] - start), rows.shape[1]), dtype=rows.dtype)
        part.data, part.indices = rows.data[first:last], rows.indices[first:last]
        part.indptr = rows.indptr[start : start + rows_a_shard + 1] - first
        shards.append(write_shard(place, number, part, codes[start : start + rows_a_shard], dtype))
    kept = None if words is None else write_words(place, words)
    write_manifest(place, shards=shards, classes=classes, n_features=rows.shape[1], dtype=dtype, words=kept)
    return Shards(place)


def are_small_counts(values: np.ndarray) -> bool:
    """Whether all values are whole and fit into a byte."""
    return bool(np.all((values >= 0) & (values <= 255)) and np.array_equal(np.floor(values), values))
