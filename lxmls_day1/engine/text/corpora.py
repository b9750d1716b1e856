"""Locations of the files of a corpus: given by the user, already on this machine, or downloaded once.

``CORPORA`` is the table of all corpora, read from ``corpora.toml``: each row names the files, their sha256 and their source.
`find_corpus` tries, in this order:

1. ``data_dir=``: the caller chose it explicitly, so the files must be there;
2. the environment variable ``LXMLS_DAY1_DATA``: a folder with the layout of the table, in which corpora may be missing;
3. the user's cache (``LXMLS_DAY1_CACHE``, or the default of this operating system), checked against the sha256;
4. a download into that cache, unless ``LXMLS_DAY1_OFFLINE=1``.
"""

import difflib
import logging
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from lxmls_day1.base.atomic_files import remove_stale_folders
from lxmls_day1.base.errors import CorpusUnavailable, InputError, check_path
from lxmls_day1.engine.kernels.threads import map_in_order
from lxmls_day1.engine.text import downloads
from lxmls_day1.engine.text.downloads import CorpusFile, DownloadFailed, Network, PlainFiles, RequiredFile, TarArchive

DATA_VARIABLE = "LXMLS_DAY1_DATA"
CACHE_VARIABLE = "LXMLS_DAY1_CACHE"
OFFLINE_VARIABLE = "LXMLS_DAY1_OFFLINE"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PackageData:
    """Files in the folder ``folder`` of this package.

    Examples
    --------
    >>> corpus_named("toy").source
    PackageData(folder='toy_corpus')
    """

    folder: str


@dataclass(frozen=True)
class Corpus:
    """A row of the table: one corpus.

    Attributes
    ----------
    name : str
        The name used in calls and options.
    folder : str
        The path of its files relative to a data folder, with forward slashes; the first component is the kind of corpus.
    files : tuple of CorpusFile
    source : PlainFiles, TarArchive or PackageData

    Examples
    --------
    >>> books = corpus_named("books")
    >>> books.kind, books.folder, [file.name for file in books.files]
    ('sentiment', 'sentiment/books', ['positive.review', 'negative.review'])
    """

    name: str
    folder: str
    files: tuple[CorpusFile, ...]
    source: PlainFiles | TarArchive | PackageData

    @property
    def kind(self) -> str:
        """``sentiment``, ``multiclass`` or ``pos``."""
        return self.folder.partition("/")[0]


_SOURCES = {"web_folder": PlainFiles, "archive": TarArchive, "package": PackageData}


def _read_table() -> dict[str, Corpus]:
    table = {}
    for name, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items():
        files = tuple(CorpusFile(file, sha256 or None) for file, sha256 in row["sha256"].items())
        (source,) = (kind(row[key]) for key, kind in _SOURCES.items() if key in row)
        table[name] = Corpus(name, row["folder"], files, source)
    return table


#: All corpora, by name.
#:
#: :meta hide-value:
CORPORA: Mapping[str, Corpus] = MappingProxyType(_read_table())


@dataclass(frozen=True)
class FoundCorpus:
    """The files of a corpus on this machine.

    Attributes
    ----------
    folder : Path
        The folder that holds them.
    origin : str
        ``data_dir``, ``package``, ``environment``, ``cache`` or ``download``.
    paths : dict of str to Path
        File name -> path.

    Examples
    --------
    >>> found = find_corpus("toy")
    >>> found.origin, found.paths["positive.review"] == found.folder / "positive.review"
    ('package', True)
    """

    folder: Path
    origin: str
    paths: Mapping[str, Path]


def names(kind: str | None = None, table: Mapping[str, Corpus] = CORPORA) -> list[str]:
    """Return the names of all corpora, or of one kind.

    Parameters
    ----------
    kind : str, optional
        ``sentiment``, ``multiclass`` or ``pos``.
    table : mapping of str to Corpus
        The table of known corpora.

    Returns
    -------
    list of str

    Examples
    --------
    >>> names("sentiment")
    ['books', 'dvd', 'electronics', 'kitchen', 'toy']
    """
    return [corpus.name for corpus in table.values() if kind in (None, corpus.kind)]


def corpus_named(name: str, kind: str | None = None, table: Mapping[str, Corpus] = CORPORA) -> Corpus:
    """Return the row of the table with this name.

    Parameters
    ----------
    name : str
    kind : str, optional
        Only corpora of this kind: ``sentiment``, ``multiclass`` or ``pos``.
    table : mapping of str to Corpus
        The table of known corpora.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        If the name is unknown; the message lists the known names and suggests the closest one.

    Examples
    --------
    >>> corpus_named("dvd").folder
    'sentiment/dvd'
    >>> corpus_named("bokos", "sentiment")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    lxmls_day1.base.errors.InputError: there is no corpus 'bokos'; there are books, dvd, electronics, kitchen, toy; ...
    """
    known = names(kind, table)
    if isinstance(name, str) and name in known:
        return table[name]
    nearest = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=0.5)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    raise InputError(f"there is no corpus {name!r}; there are {', '.join(known)}{hint}")


def cache_folder() -> Path:
    """Return the folder in which this package caches files that it can rebuild or download again.

    Returns
    -------
    Path
        ``LXMLS_DAY1_CACHE`` if set, otherwise the operating system's cache folder. It need not exist yet.

    Raises
    ------
    CorpusUnavailable
        If the cache folder is in a home folder that does not exist.

    Examples
    --------
    >>> from unittest import mock
    >>> with mock.patch.dict(os.environ, {CACHE_VARIABLE: "here"}):
    ...     cache_folder() == Path("here")
    True
    """
    import platformdirs  # Imported here because most callers do not need it.

    chosen = os.environ.get(CACHE_VARIABLE)
    try:
        folder = os.path.expanduser(chosen or platformdirs.user_cache_dir("lxmls-day1"))
    except RuntimeError:  # Newer versions of platformdirs raise it; older ones keep the ~.
        folder = "~"
    if folder.startswith("~") or not (chosen or os.path.isabs(folder)):
        raise CorpusUnavailable(f"there is no home folder to keep files in; set {CACHE_VARIABLE} to a folder for them")
    return Path(folder)


def find_corpus(
    name: str,
    data_dir: str | os.PathLike[str] | None = None,
    kind: str | None = None,
    *,
    table: Mapping[str, Corpus] = CORPORA,
    cache_dir: str | os.PathLike[str] | None = None,
    network: Network | None = None,
) -> FoundCorpus:
    """Find the files of a corpus, or download them; the head of this file lists the places in their order.

    Parameters
    ----------
    name : str
        The name of the corpus in the table.
    data_dir : path, optional
        A folder that holds the corpus: the root of a data folder (``sentiment/books`` under it), the root of that kind
        (``books`` under it), or the folder of the files itself. No other place is tried.
    table : mapping of str to Corpus
        The table of known corpora.
    cache_dir : path, optional
        The cache to use. Default: `cache_folder`.
    network : Network, optional
        Timeouts and retries.

    Returns
    -------
    FoundCorpus

    Raises
    ------
    InputError
        If the name is unknown, or the files are not in `data_dir`.
    CorpusUnavailable
        If the corpus is not on this machine and cannot be downloaded now.

    Examples
    --------
    >>> found = find_corpus("toy")
    >>> found.origin, sorted(found.paths)
    ('package', ['negative.review', 'positive.review'])
    """
    corpus = corpus_named(name, kind, table=table)
    if data_dir is not None:
        folder = check_path("data_dir", data_dir).expanduser()
        return _in_data_dir(corpus, folder, other_names=set(table) - {name})
    found, searched_folders = _find_local_files(corpus, cache_dir)
    if found is not None:
        return found
    if isinstance(corpus.source, PackageData):
        raise CorpusUnavailable(
            f"the {corpus.name} corpus is missing from this installation ({searched_folders[0]}); install the package again"
        )
    if os.environ.get(OFFLINE_VARIABLE, "").strip().lower() not in ("", "0", "false", "no"):
        raise _unavailable(corpus, searched_folders, f"{OFFLINE_VARIABLE} is set, so nothing was downloaded")
    cache = _corpora_in(cache_dir)
    try:
        _fetch_into_cache(corpus, corpus.source, cache, table, network or Network())
    except DownloadFailed as failure:
        reason = f"{corpus.source.address} did not deliver it: {failure}"
        raise _unavailable(corpus, searched_folders, reason) from failure
    except OSError as error:  # Not a network error: the disk is full, or the folder not writable.
        problem = f"{error.filename or cache}: {error.strerror or error}"
        reason = f"the cache cannot be written to ({problem}; {CACHE_VARIABLE} names another one)"
        raise _unavailable(corpus, searched_folders, reason) from error
    folder = cache / corpus.folder
    return FoundCorpus(folder, "download", _paths(corpus, folder))


def find_local_corpus(name: str, table: Mapping[str, Corpus] = CORPORA) -> FoundCorpus | None:
    """Find the files of a corpus on this machine, like `find_corpus` but without a download; None if they are missing.

    Examples
    --------
    >>> find_local_corpus("toy").origin
    'package'
    """
    return _find_local_files(corpus_named(name, table=table), None)[0]


def _corpora_in(cache_dir: str | os.PathLike[str] | None) -> Path:
    return (Path(cache_dir) if cache_dir is not None else cache_folder()) / "corpora"


def _find_local_files(
    corpus: Corpus, cache_dir: str | os.PathLike[str] | None
) -> tuple[FoundCorpus | None, list[Path]]:
    """Return the files of a corpus on this machine, or None, and the folders that were searched."""
    if isinstance(corpus.source, PackageData):
        folder = Path(__file__).parent / corpus.source.folder
        return _corpus_if_complete(corpus, folder, "package"), [folder]
    searched_folders: list[Path] = []
    if root := os.environ.get(DATA_VARIABLE):
        for folder in _folders_under(corpus, Path(os.path.expanduser(root))):
            if found := _corpus_if_complete(corpus, folder, "environment"):
                return found, searched_folders
            searched_folders.append(folder)
    cache = _corpora_in(cache_dir)
    remove_stale_folders(cache)  # Killed downloads leave scratch folders.
    cached = cache / corpus.folder
    searched_folders.append(cached)
    if _has_valid_files(corpus, cached):
        return FoundCorpus(cached, "cache", _paths(corpus, cached)), searched_folders
    return None, searched_folders


def sha256_of_files(paths: Iterable[Path]) -> list[str]:
    """Return the checksums of files, reading several files at the same time.

    Parameters
    ----------
    paths : iterable of Path

    Returns
    -------
    list of str
        64 hexadecimal digits each.

    Raises
    ------
    OSError
        If a file cannot be read.

    Examples
    --------
    The first digits of the checksums of "abc" and of an empty file:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     files = [Path(place, name) for name in ("abc", "empty")]
    ...     for file, content in zip(files, (b"abc", b""), strict=True):
    ...         _ = file.write_bytes(content)
    ...     [digits[:16] for digits in sha256_of_files(files)]
    ['ba7816bf8f01cfea', 'e3b0c44298fc1c14']
    """
    return list(map_in_order(downloads.sha256_of, paths, 4))


def _paths(corpus: Corpus, folder: Path) -> dict[str, Path]:
    return {file.name: folder / file.name for file in corpus.files}


def _corpus_if_complete(corpus: Corpus, folder: Path, origin: str) -> FoundCorpus | None:
    """Return the corpus in a folder of the user or of this package if all its files exist, otherwise None; do not verify them."""
    paths = _paths(corpus, folder)
    if all(os.path.isfile(path) for path in paths.values()):  # Also False if access is denied or the path is too long.
        return FoundCorpus(folder, origin, paths)
    return None


def _folders_under(corpus: Corpus, root: Path) -> list[Path]:
    return [root / corpus.folder, root / corpus.name]


def _in_data_dir(corpus: Corpus, root: Path, other_names: set[str]) -> FoundCorpus:
    folders = _folders_under(corpus, root)
    if root.name not in other_names:  # The folder of another corpus has files with the same names.
        folders.append(root)
    for folder in folders:
        if found := _corpus_if_complete(corpus, folder, "data_dir"):
            return found
    raise InputError(
        f"data_dir={str(root)!r} does not hold the {corpus.name} corpus: "
        f"expected {_join_words(file.name for file in corpus.files)} in {_join_words(folders, 'or')}"
    )


def _has_valid_files(corpus: Corpus, folder: Path) -> bool:
    try:
        checksums = sha256_of_files(folder / file.name for file in corpus.files)
    except OSError:
        return False
    return checksums == [file.sha256 for file in corpus.files]


def _fetch_into_cache(
    corpus: Corpus, source: PlainFiles | TarArchive, cache: Path, table: Mapping[str, Corpus], network: Network
) -> None:
    """Download the missing files of `corpus`, and of the other corpora in the table that have the same source."""
    companions = [other for other in table.values() if other.source == source and other.name != corpus.name]
    wanted = [
        RequiredFile(member.name, file, cache / member.folder / file.name)
        for member in [corpus, *companions]
        for file in member.files
    ]
    _log.info("downloading the %s corpus from %s", corpus.name, source.address)
    wanted = [one for one in wanted if not downloads.has_valid_checksum(one.file, one.target)]
    failure: DownloadFailed | OSError | None = None
    try:
        downloads.fetch_files(source, wanted, cache, network)
    except (DownloadFailed, OSError) as error:
        failure = error
    places = _paths(corpus, cache / corpus.folder)
    missing = [file.name for file in corpus.files if not downloads.has_valid_checksum(file, places[file.name])]
    if missing:
        raise failure or DownloadFailed(f"the download does not hold {_join_words(missing)} with the right checksum")


def _unavailable(corpus: Corpus, searched_folders: Sequence[Path], reason: str) -> CorpusUnavailable:
    wanted = _join_words(f"{corpus.folder}/{file.name}" for file in corpus.files)
    return CorpusUnavailable(
        f"the {corpus.name} corpus is not on this machine (looked in {_join_words(searched_folders, 'and')}) and {reason}; "
        f"set {DATA_VARIABLE} to a folder that holds {wanted}, or put these files into {searched_folders[-1]}"
    )


def _join_words(items: Iterable[object], word: str = "and") -> str:
    *most, last = [str(thing) for thing in items]
    return f"{', '.join(most)} {word} {last}" if most else last
