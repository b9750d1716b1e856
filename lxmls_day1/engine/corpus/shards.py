"""A corpus on disk: a folder of *shards*, each a few memory-mapped arrays, and a manifest of all of them.

::

    big.bags/
      manifest.json      written last: a folder without it is unfinished
      shard-00000/       indptr.npy int64 (m + 1,), indices.npy uint32 (nnz,), data.npy uint8 or float32 (nnz,),
      shard-00001/       labels.npy int32 (m,)
      words.txt          column -> feature, one a line; with hashing, the saved words in their order of appearance, or no file

The four arrays of a shard are the rows of a sparse matrix (CSR) with ascending indices, and the column of each row's class. The
manifest records how the corpus was made, names the classes, and holds size and SHA-256 of every file, so that damage is detected.
"""

import hashlib
import json
import os
import stat
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1 import __version__
from lxmls_day1.base import sparse as sp
from lxmls_day1.base.atomic_files import FOLDER_PREFIX, check_readable
from lxmls_day1.base.checks import MAX_CLASSES, check_finite
from lxmls_day1.base.errors import InputError, check_path, pluralize

FORMAT = "lxmls-day1 bags"
VERSION = 1
MANIFEST = "manifest.json"
WORDS = "words.txt"

#: The files of a shard and their types; `data.npy` may also hold float32.
ARRAYS = {"indptr.npy": "int64", "indices.npy": "uint32", "data.npy": "uint8", "labels.npy": "int32"}
MAX_FEATURES = (1 << 31) - 1  # Compiled loops read indices as int32.
#: Held while np.load parses the header of a file: in Python 3.11, concurrent parsing may raise a SystemError.
_HEADER_LOCK = threading.Lock()
_MAX_MANIFEST_BYTES = 1 << 30  # bytes; each shard takes about 600
_REBUILD_HINT = "make it again with `lxmls-day1 cache`"


class Shard(NamedTuple):
    """Some rows of a corpus.

    Examples
    --------
    >>> import tempfile
    >>> from lxmls_day1.engine.corpus.shard_writing import write_shards
    >>> with tempfile.TemporaryDirectory() as place:
    ...     shard = write_shards(Path(place, "small.bags"), [[2, 0], [0, 1]], [0, 1], ("ham", "spam")).open(0)
    ...     shard.X.toarray().tolist(), shard.labels.tolist()
    ([[2, 0], [0, 1]], [0, 1])
    """

    X: "sp.csr_array"  # (m, J): counts or values; memory-mapped, so rows that are not read take no memory
    labels: np.ndarray  # (m,) int32: the index of each row's class in ``Shards.classes``


class Shards:
    """A corpus on disk: the manifest is read and checked at once, the arrays are opened shard by shard.

    Parameters
    ----------
    folder : path
    partial : bool
        Whether files of shards may be missing, as on a worker of a cluster that has only some of them. A missing file then
        raises an error when its shard is opened.

    Attributes
    ----------
    folder : Path
    manifest : dict
    n_rows, n_features : int
    dtype : {"uint8", "float32"}
        The type of the values.
    classes : tuple of str
        Column of the weights -> name of the class.
    rows : int64 array of shape (n_shards,)
        The number of rows of each shard.

    Raises
    ------
    InputError
        If the folder does not hold a corpus, or the corpus is unfinished, has another format version, has a file that is
        missing or of another size, or was made from sources that have changed since.

    Examples
    --------
    >>> import tempfile
    >>> from lxmls_day1.engine.corpus.shard_writing import write_shards
    >>> X = sp.csr_array(np.array([[2, 0, 1], [0, 1, 0], [0, 0, 3]]))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     shards = write_shards(Path(place, "small.bags"), X, [0, 1, 1], ("ham", "spam"), rows_a_shard=2)
    ...     [shards.open(i).X.shape for i in range(len(shards))], shards.rows, shards.classes
    ([(2, 3), (1, 3)], array([2, 1]), ('ham', 'spam'))
    """

    def __init__(self, folder: str | os.PathLike[str], partial: bool = False):
        self.folder = check_path("folder", folder)
        self.manifest = _read_manifest(self.folder)
        self.classes: tuple[str, ...] = tuple(self.manifest["classes"])
        self.n_features: int = self.manifest["n_features"]
        self.dtype: str = self.manifest["dtype"]
        self.rows = np.array([shard["rows"] for shard in self.manifest["shards"]], dtype=np.int64)
        self.n_rows = int(self.rows.sum())
        self._checked: set[int] = set()
        for shard in () if partial else self.manifest["shards"]:
            for name, file in shard["files"].items():
                _check_size(self.folder / shard["name"] / name, file["bytes"])
        if self.manifest["words"] is not None and not partial:
            _check_size(self.folder / WORDS, self.manifest["words"]["bytes"])
        for source in self.manifest["sources"]:
            _check_source(self.folder, source)

    def __len__(self) -> int:
        return len(self.rows)

    def open(self, i: int) -> Shard:
        """Return the i-th shard. Check every index and label in it when it is opened for the first time.

        Raises
        ------
        InputError
            If one of its files is missing, damaged, or different from its entry in the manifest.
        """
        entry = self.manifest["shards"][i]
        place = self.folder / entry["name"]
        indptr, indices, data, labels = (self._open_array(place / name, entry["files"]) for name in ARRAYS)
        n_rows, n_nonzeros = entry["rows"], entry["nonzeros"]
        if not (len(indptr) == n_rows + 1 and len(labels) == n_rows and len(indices) == len(data) == n_nonzeros):
            raise InputError(f"{place}: its files do not have the {n_rows} rows that {MANIFEST} names; {_REBUILD_HINT}")
        if i not in self._checked:  # A wrong index would make compiled code read out of bounds.
            if indptr[0] != 0 or indptr[-1] != n_nonzeros or np.any(indptr[1:] < indptr[:-1]):
                raise InputError(f"{place / 'indptr.npy'} is damaged: its rows overlap; {_REBUILD_HINT}")
            if n_nonzeros and indices.max() >= self.n_features:
                raise InputError(
                    f"{place / 'indices.npy'} is damaged: it holds the feature {indices.max()}, but the corpus has "
                    f"{pluralize(self.n_features, 'feature')}; {_REBUILD_HINT}"
                )
            if n_rows and not 0 <= labels.min() <= labels.max() < len(self.classes):
                raise InputError(
                    f"{place / 'labels.npy'} is damaged: it holds a class that does not exist; {_REBUILD_HINT}"
                )
            self._checked.add(i)
        X = sp.csr_array((n_rows, self.n_features), dtype=data.dtype)
        X.data, X.indices, X.indptr = data, indices, indptr  # The constructor would copy these arrays.
        X.has_sorted_indices = X.has_canonical_format = True
        return Shard(X, labels)

    def verify(self, progress: bool = False) -> None:
        """Read every file of the corpus and every available source, and compare them with their fingerprints.

        Parameters
        ----------
        progress : bool
            Whether to show a progress bar.

        Raises
        ------
        InputError
            If a file differs; the message names the first one.
        """
        from tqdm.auto import tqdm

        for entry in tqdm(self.manifest["shards"], "Verifying", unit="shard", disable=not progress):
            for name, file in entry["files"].items():
                path = self.folder / entry["name"] / name
                _check_size(path, file["bytes"])
                if fingerprint(path) != file["fingerprint"]:
                    raise InputError(
                        f"{path} has changed since it was written: its fingerprint differs; {_REBUILD_HINT}"
                    )
        if (words := self.manifest.get("words")) and fingerprint(self.folder / WORDS) != words["fingerprint"]:
            raise InputError(f"{self.folder / WORDS} has changed since it was written; {_REBUILD_HINT}")
        for source in self.manifest["sources"]:
            _check_source(self.folder, source, by_content=True)

    def words(self) -> list[str] | None:
        """Return the features by column, or with hashing the saved words; None if no words were saved.

        Raises
        ------
        InputError
            If the file of words is missing or damaged.
        """
        entry = self.manifest.get("words")
        if entry is None:
            return None
        words = read_words(self.folder / WORDS)
        if len(words) != entry["number"]:
            raise InputError(
                f"{self.folder / WORDS} has {pluralize(len(words), 'word')} instead of {entry['number']}; {_REBUILD_HINT}"
            )
        return words

    def _open_array(self, path: Path, files: Mapping[str, Any]) -> np.ndarray:
        """Return an array as a memory-mapped file, after checking its size and type."""
        _check_size(path, files[path.name]["bytes"])
        try:
            empty = files[path.name].get("empty", False)  # An empty file cannot be memory-mapped.
            with _HEADER_LOCK:
                array = np.load(path, mmap_mode=None if empty else "r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise InputError(f"{path} cannot be read as an array ({error}); {_REBUILD_HINT}") from error
        expected_dtype = self.manifest["dtype"] if path.name == "data.npy" else ARRAYS[path.name]
        if array.dtype != expected_dtype or array.ndim != 1:
            raise InputError(
                f"{path} holds {array.dtype} in {pluralize(array.ndim, 'dimension')} instead of {expected_dtype}; {_REBUILD_HINT}"
            )
        # Slicing a plain array over the same file is faster than slicing a memmap.
        return np.asarray(array)


def check_finite_shard(shards: Shards, i: int) -> None:
    """Raise an InputError that names the i-th shard and a value if a value of this shard is not finite."""
    try:
        check_finite(shards.open(i).X)
    except InputError as error:
        raise InputError(f"{shards.folder}, shard {i}: {error}") from error


def shard_name(number: int) -> str:
    """Return the folder name of a shard.

    Examples
    --------
    >>> shard_name(12)
    'shard-00012'
    """
    return f"shard-{number:05d}"


def fingerprint(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file in hexadecimal digits.

    Raises
    ------
    InputError
        If the file cannot be read, or is a pipe or a device, which may never end.

    Examples
    --------
    The first digits of the SHA-256 of "abc", as given in the standard FIPS 180:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "abc.txt").write_bytes(b"abc")
    ...     fingerprint(Path(place, "abc.txt"))[:16]
    'ba7816bf8f01cfea'
    """
    try:
        check_readable(path, _REBUILD_HINT)
        # Path refuses an integer, which `open` would treat as the descriptor of an open file.
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def read_words(path: Path) -> list[str]:
    """Read a file of words, one a line; a line that begins with a quotation mark is a JSON string.

    Raises
    ------
    InputError
        If the file cannot be read or is damaged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "words.txt").write_bytes(b'fine\\n"a b"\\n')
    ...     read_words(Path(place, "words.txt"))
    ['fine', 'a b']
    """
    try:
        check_readable(path, _REBUILD_HINT)
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; {_REBUILD_HINT}") from error
    try:
        lines = content.decode().split("\n")[:-1]
        return [json.loads(line) if line.startswith('"') else line for line in lines]
    except ValueError as error:
        raise InputError(f"{path} is damaged ({error}); {_REBUILD_HINT}") from error


def _read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a corpus, after checking that this version of the package can read it."""
    path = folder / MANIFEST
    try:
        if check_readable(path, _REBUILD_HINT).st_size > _MAX_MANIFEST_BYTES:
            raise InputError(f"{path} is damaged: it is larger than {_MAX_MANIFEST_BYTES} bytes; {_REBUILD_HINT}")
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(_missing_manifest_message(folder)) from None
    except OSError as error:
        raise InputError(
            f"{folder} is not the folder of a corpus: {path} cannot be read ({error.strerror}); name the folder that "
            "`lxmls-day1 cache … --out FOLDER` has made"
        ) from error
    try:
        manifest = json.loads(content)
        foreign = not isinstance(manifest, dict) or manifest.get("format") != FORMAT
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is damaged: it is not JSON ({error}); {_REBUILD_HINT}") from None
    if foreign:
        raise InputError(
            f"{path} belongs to something else: it does not name the format {FORMAT!r}; name the folder that "
            "`lxmls-day1 cache … --out FOLDER` has made"
        )
    version = manifest.get("version")
    if version != VERSION:
        raise InputError(
            f"{path} has version {version!r} of the format, written by lxmls-day1 {manifest.get('made_by')}; this one, "
            f"{__version__}, reads version {VERSION}: update this package, or {_REBUILD_HINT} of this version"
        )
    _check_entries(manifest, path)
    return manifest  # type: ignore[no-any-return]  # It was checked to be a dictionary.


def _missing_manifest_message(folder: Path) -> str:
    if not folder.exists():
        return f"there is no folder {folder}; make the corpus with `lxmls-day1 cache FILE --out {folder}`"
    if any(path.name.startswith((FOLDER_PREFIX, "shard-")) for path in folder.glob("*")):
        return (
            f"{folder} is unfinished: it has no {MANIFEST}, because the run that makes it has not ended or was interrupted; wait, "
            "or give the same `lxmls-day1 cache` command again"
        )
    return f"{folder} is not a corpus on disk: it has no {MANIFEST}; name a folder that `lxmls-day1 cache … --out FOLDER` has made"


def _check_entries(manifest: dict[str, Any], path: Path) -> None:
    """Raise an InputError if an entry of the manifest is missing or has the wrong type."""
    try:
        if not all(isinstance(manifest[name], list) for name in ("classes", "shards", "sources")):
            raise TypeError("classes, shards or sources is not a list")
        _check_counts_and_strings(manifest)
        _check_columns(manifest)
        for number, shard in enumerate(manifest["shards"]):
            if shard["name"] != shard_name(number):  # The name must not point outside the folder.
                raise ValueError(f"shard {number} is called {shard['name']!r}")
            sizes = [shard["files"][name]["bytes"] for name in ARRAYS]
            if 8 * shard["rows"] >= sizes[0] or 4 * shard["nonzeros"] > sizes[1]:
                raise ValueError(f"the files of shard {number} are too small for its rows")
        for source in manifest["sources"]:
            if ".." in Path(source["path"]).parts:
                raise ValueError(f"{source['path']!r} is not the full path of a source")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{path} is damaged: {what}; {_REBUILD_HINT}") from None


def _check_counts_and_strings(manifest: dict[str, Any]) -> None:
    """Raise a ValueError if a size is not a count, or a name is not a string."""
    counts = [manifest["n_features"]]
    texts = [*manifest["classes"], *(source["path"] for source in manifest["sources"])]
    for shard in manifest["shards"]:
        counts += [shard["rows"], shard["nonzeros"], *(shard["files"][name]["bytes"] for name in ARRAYS)]
        texts += [shard["files"][name]["fingerprint"] for name in ARRAYS]
    if manifest["words"] is not None:
        counts += [manifest["words"]["number"], manifest["words"]["bytes"]]
        texts.append(manifest["words"]["fingerprint"])
    if not all(type(count) is int and count >= 0 for count in counts):
        raise ValueError("a size is not a whole number")
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a name is not a string")


def _check_columns(manifest: dict[str, Any]) -> None:
    """Raise a ValueError if the features, classes or value types are not possible for a corpus."""
    if manifest["dtype"] not in ("uint8", "float32"):
        raise ValueError(f"dtype is {manifest['dtype']!r}")
    if not (manifest["hash_bits"] is None or type(manifest["hash_bits"]) is int):
        raise ValueError(f"hash_bits is {manifest['hash_bits']!r}")
    if not isinstance(manifest.get("tokenizer", {}), dict):
        raise ValueError("its tokenizer is not an object")
    if manifest["n_features"] > MAX_FEATURES or len(manifest["classes"]) > MAX_CLASSES:
        raise ValueError(f"it has more than {MAX_FEATURES} features, or more than {MAX_CLASSES} classes")
    if len(set(manifest["classes"])) < len(manifest["classes"]):
        raise ValueError("two classes have the same name")


def _check_size(path: Path, expected: int) -> None:
    """Raise an InputError if a file is missing, is not a regular file, or has another size than in the manifest."""
    try:
        size = check_readable(path, _REBUILD_HINT).st_size
    except OSError as error:
        raise InputError(f"{path} is missing ({error.strerror}); bring it back, or {_REBUILD_HINT}") from error
    if size != expected:
        raise InputError(f"{path} has {size} bytes instead of {expected}: it was cut off or changed; {_REBUILD_HINT}")


def _check_source(folder: Path, source: Mapping[str, Any], by_content: bool = False) -> None:
    """Raise an InputError if a source of the corpus has changed since; ignore a source that is not on this machine."""
    path = Path(source["path"])
    try:
        found = path.stat()
    except (OSError, ValueError):
        return
    same = stat.S_ISREG(found.st_mode) and found.st_size == source.get("bytes")
    if same and (by_content or found.st_mtime_ns != source.get("mtime_ns")):
        same = fingerprint(path) == source.get("sha256")
    if not same:
        raise InputError(
            f"{folder} is stale: {path} has changed since the corpus was made from it; {_REBUILD_HINT}, or move the file away if the "
            "corpus is to stay as it is"
        )
