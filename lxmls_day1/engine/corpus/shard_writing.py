"""Writing a corpus on disk: the shards, then the words, and last the manifest; `shards` describes the format."""

import hashlib
import io
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from lxmls_day1 import __version__
from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.checks import as_canonical, as_matrix, as_numbers, check_number
from lxmls_day1.base.errors import InputError, check_path, pluralize
from lxmls_day1.engine.corpus.shards import FORMAT, MANIFEST, VERSION, WORDS, Shards, shard_name

ROWS_PER_SHARD = 1 << 18
NONZEROS_PER_SHARD = 1 << 22
MAX_VALUE = float(np.finfo(np.float32).max)


def write_shard(folder: Path, number: int, X: csr_array, labels: np.ndarray, dtype: str) -> dict[str, Any]:
    """Write one shard, and return its entry in the manifest.

    The shard may be incomplete after an error: a corpus counts only once its manifest is written, and that comes last.

    Parameters
    ----------
    folder : Path
        The folder of the corpus; it must exist.
    number : int
        The index of the shard, which must not exist yet.
    X : csr_array (m, J)
        The indices must ascend in each row.
    labels : int array (m,)
    dtype : {"uint8", "float32"}

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    name = shard_name(number)
    (folder / name).mkdir()
    arrays = {
        "indptr.npy": X.indptr.astype(np.int64, copy=False),
        "indices.npy": X.indices.astype(np.uint32, copy=False),
        "data.npy": X.data.astype(dtype, copy=False),
        "labels.npy": labels.astype(np.int32, copy=False),
    }
    files = {file: write_array(folder / name / file, array) for file, array in arrays.items()}
    return {"name": name, "rows": len(labels), "nonzeros": len(X.indices), "files": files}


def write_array(path: Path, array: np.ndarray) -> dict[str, Any]:
    """Write an array as an ``.npy`` file, and return its size and fingerprint for the manifest."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    content = np.ascontiguousarray(array).view(np.uint8).data
    digest = hashlib.sha256(head.getvalue())
    digest.update(content)
    try:
        with path.open("wb") as file:
            file.write(head.getvalue())
            file.write(content)
    except OSError as error:  # The error of a full disk lacks the file name.
        raise type(error)(error.errno, error.strerror, str(path)) from error
    entry: dict[str, Any] = {"bytes": len(head.getvalue()) + array.nbytes, "fingerprint": digest.hexdigest()}
    return entry if array.size else {**entry, "empty": True}


def write_manifest(folder: Path, **entries: Any) -> None:
    """Complete a corpus by writing its manifest atomically.

    Parameters
    ----------
    folder : Path
    n_features : int
    classes : list of str
    dtype : {"uint8", "float32"}
    words : dict, optional
        The entry that `write_words` returned.
    shards : list of dict
        The entries that `write_shard` returned.
    **entries
        How the corpus was made, stored unchanged. This includes ``hash_bits``, and ``sources`` with ``path``, ``bytes``, ``mtime_ns``
        and ``sha256`` of each source file.
    """
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "made_by": __version__,
        "hash_bits": None,
        "sources": [],
        **entries,
    }
    write_files_atomically({folder / MANIFEST: (json.dumps(manifest, indent=1) + "\n").encode()})


def write_words(folder: Path, words: Iterable[str]) -> dict[str, Any]:
    """Write the words of a corpus, and return their entry in the manifest."""
    lines = [json.dumps(word) if word.startswith('"') or "\n" in word else word for word in words]
    content, number = "".join(f"{line}\n" for line in lines).encode(), len(lines)
    write_files_atomically({folder / WORDS: content})
    return {"number": number, "bytes": len(content), "fingerprint": hashlib.sha256(content).hexdigest()}


def write_shards(
    folder: str | os.PathLike[str],
    X: ArrayLike | csr_array,
    labels: ArrayLike,
    classes: Sequence[str],
    rows_a_shard: int = ROWS_PER_SHARD,
    *,
    words: Sequence[str] | None = None,
) -> Shards:
    """Write a matrix in memory as a corpus on disk.

    Parameters
    ----------
    folder : path
        A new or empty folder.
    X : sparse matrix or array, (M, J)
        Stored as uint8 if all values are counts up to 255, otherwise as float32.
    labels : int array (M,)
        The index of each row's class.
    classes : sequence of str
    rows_a_shard : int
        The number of rows in each shard; the last one may have fewer.
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
            f"labels must name one of {pluralize(len(classes), 'class')}, counted from 0, for each of the {rows.shape[0]} rows of X; got "
            f"an array of shape {codes.shape}"
        )
    rows_a_shard = check_number("rows_a_shard", rows_a_shard, at_least=1, whole=True)
    if np.any(np.abs(rows.data) > MAX_VALUE):  # A maximum would be NaN if X has a NaN.
        raise InputError(
            f"X has a value beyond ±{MAX_VALUE:.2g}, the largest that a corpus on disk keeps (float32); scale this "
            "feature down"
        )
    dtype = "uint8" if are_small_counts(rows.data) else "float32"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{place} is a file; name a folder for the corpus") from None
    if any(place.iterdir()):
        raise InputError(f"{place} is not empty; name a new folder for the corpus")
    parts = [slice(start, start + rows_a_shard) for start in range(0, rows.shape[0], rows_a_shard)]
    shards = [write_shard(place, number, rows[part], codes[part], dtype) for number, part in enumerate(parts)]
    words_entry = None if words is None else write_words(place, words)
    features = {"n_features": rows.shape[1], "dtype": dtype, "words": words_entry}
    write_manifest(place, classes=list(classes), **features, shards=shards)
    return Shards(place)


def are_small_counts(values: np.ndarray) -> bool:
    """Return True if all values are integers from 0 to 255."""
    return bool(np.all((values >= 0) & (values <= 255)) and np.array_equal(np.floor(values), values))
