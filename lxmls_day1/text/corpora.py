"""Where the files of a corpus come from: given by the user, already on this machine, or downloaded once.

``CORPORA`` is the table of all corpora: a row names the files, their sha256 and their source. `find_corpus` looks, in
this order, at

1. ``data_dir=``: it is given on purpose, so the files must be there;
2. the environment variable ``LXMLS_DAY1_DATA``: a folder laid out as the table says; a corpus missing there is looked
   for further on;
3. the user's cache (``LXMLS_DAY1_CACHE``, or the usual place of this operating system): checked against the sha256;
4. a download into that cache, unless ``LXMLS_DAY1_OFFLINE=1``.

A downloaded file is written to a scratch folder, checked, and only then moved to its place in one step: what is in
its place is whole, also after a Ctrl-C and with several processes at work; what a killed process has left is removed at
the next use. Of an archive only the wanted members are read, by name, and nothing is ever unpacked by the archive's own
say; what breaks behind them is of no account. A server that drips is given up after ``Network.total_timeout``.
"""

import contextlib
import difflib
import gzip
import hashlib
import logging
import os
import re
import shutil
import tarfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Protocol, TypeVar

from lxmls_day1.errors import CorpusUnavailable, InputError
from lxmls_day1.whole_files import temporary_folder

DATA_VARIABLE = "LXMLS_DAY1_DATA"
CACHE_VARIABLE = "LXMLS_DAY1_CACHE"
OFFLINE_VARIABLE = "LXMLS_DAY1_OFFLINE"

_MEGABYTE = 1 << 20
_SCRATCH = ".download-"  # what the name of a scratch folder begins with
_IN_USE = "in-use"  # a file there that a download holds locked
_YOUNG = 60  # seconds that a scratch folder may be without that file, and that writing a small file may take
_PARTIAL = "partial"  # a file there: what had come of a download when it broke off
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class _Refused(Exception):
    """What a server sent cannot be used; the message is a clause that says why."""


@dataclass(frozen=True)
class CorpusFile:
    """One file of a corpus, as its publishers made it.

    Attributes
    ----------
    name : str
        File name, such as ``positive.review``.
    sha256 : str or None
        Checksum of the whole file, 64 hexadecimal digits; None for what comes with this package.
    max_bytes : int
        No download of it is read any further than this.
    """

    name: str
    sha256: str | None
    max_bytes: int = 32 * _MEGABYTE


@dataclass(frozen=True)
class Network:
    """How patient a download is.

    Attributes
    ----------
    connect_timeout, read_timeout : float
        Seconds to wait for the connection, and for the next piece of an answer.
    total_timeout : float
        Seconds that one file may take altogether: a server that sends a byte now and then is given up, too.
    retries : int
        How often to try again after a failure.
    """

    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    total_timeout: float = 600.0
    retries: int = 1


class Source(Protocol):
    """How the files of a corpus are had from the network."""

    @property
    def address(self) -> str:
        """The address that an error message names."""

    def fetch(
        self, wanted: "Sequence[tuple[Corpus, CorpusFile]]", scratch: Path, network: Network
    ) -> "Iterator[tuple[Corpus, CorpusFile, Path]]":
        """Download into `scratch`; yield each wanted file that came whole and with the right checksum."""


@dataclass(frozen=True)
class PlainFiles:
    """Files that stand beside each other on a web server, each at ``base_url`` + its name."""

    base_url: str

    @property
    def address(self) -> str:
        return self.base_url

    def fetch(self, wanted, scratch, network):
        for corpus, file in wanted:
            path = _download(self.base_url + file.name, scratch, file.max_bytes, network, sha256=file.sha256)
            yield corpus, file, path


@dataclass(frozen=True)
class TarArchive:
    """One ``.tar.gz`` with a folder for each corpus: the members ``<anything>/<corpus name>/<file name>``.

    Attributes
    ----------
    url : str
        Where the archive is.
    max_bytes : int
        The archive is read no further than this.
    max_unpacked_bytes : int
        Nor is what it unpacks to: a small archive may hold a huge one.
    """

    url: str
    max_bytes: int = 64 * _MEGABYTE
    max_unpacked_bytes: int = 512 * _MEGABYTE

    @property
    def address(self) -> str:
        return self.url

    def fetch(self, wanted, scratch, network):
        broken = None
        try:
            archive = _download(self.url, scratch, self.max_bytes, network)
        except _Refused as refusal:  # what is wanted may stand in the part that has come
            broken, archive = refusal, scratch / _PARTIAL
            if not archive.is_file():
                raise
        missing = {(corpus.name, file.name): (corpus, file) for corpus, file in wanted}
        try:
            with (
                gzip.open(archive) as unpacked,
                tarfile.open(fileobj=_Capped(unpacked, self.max_unpacked_bytes), mode="r|") as members,
            ):
                for member in members:
                    if members.offset > self.max_unpacked_bytes:  # to go on, tarfile would read up to there, or try to
                        raise _too_large(self.max_unpacked_bytes)
                    key = PurePosixPath(member.name).parts[-2:]
                    if key not in missing or not member.isreg():
                        continue
                    corpus, file = missing[key]
                    if member.size > file.max_bytes:
                        continue
                    content = members.extractfile(member).read()
                    if hashlib.sha256(content).hexdigest() == file.sha256:
                        path = scratch / f"{corpus.name}-{file.name}"
                        path.write_bytes(content)
                        del missing[key]
                        yield corpus, file, path
                    if not missing:
                        return
        except (_Refused, GeneratorExit):
            raise
        except OSError as error:
            if not isinstance(error, gzip.BadGzipFile):
                raise  # not the archive, but this machine
            raise broken or _Refused("the archive that came is damaged") from error
        except Exception as error:  # which one a damaged header ends with is anyone's guess
            raise broken or _Refused("the archive that came is damaged") from error
        if broken:
            raise broken


@dataclass(frozen=True)
class Packaged:
    """Files that lie inside this package, in the folder of that name."""

    folder: str


@dataclass(frozen=True)
class Corpus:
    """A row of the table: one corpus.

    Attributes
    ----------
    name : str
        What users call it.
    folder : str
        Where its files are under a data folder, with forward slashes; the first part is the kind of corpus.
    files : tuple of CorpusFile
    source : PlainFiles, TarArchive or Packaged
    """

    name: str
    folder: str
    files: tuple[CorpusFile, ...]
    source: PlainFiles | TarArchive | Packaged

    @property
    def kind(self) -> str:
        """``sentiment``, ``multiclass`` or ``pos``."""
        return self.folder.partition("/")[0]


def _reviews(name: str, source, *, positive: str | None, negative: str | None) -> Corpus:
    files = (CorpusFile("positive.review", positive), CorpusFile("negative.review", negative))
    return Corpus(name, f"sentiment/{name}", files, source)


_PROCESSED_ACL = TarArchive("https://www.cs.jhu.edu/~mdredze/datasets/sentiment/processed_acl.tar.gz")

CORPORA: Mapping[str, Corpus] = MappingProxyType(
    {
        corpus.name: corpus
        for corpus in (
            _reviews(
                "books",
                PlainFiles(
                    "https://raw.githubusercontent.com/LxMLS/lxmls-toolkit/"
                    "959a927aa3d808022782ea9bb9b08c8cd2234d58/data/sentiment/books/"
                ),
                positive="d27a35a59e99b2c2d56731cad8d63870f8a3b9063a70bf8c18862e0a107cdd02",
                negative="42e4d7e63f429e396de0db87b814f8c6a4b4948d34c94524725b0fe2944a0ff4",
            ),
            _reviews(
                "dvd",
                _PROCESSED_ACL,
                positive="7e3a2655f9afd141bba569d0df6a4444f6bfa3c28daf243f21125c757940b563",
                negative="9f0c977cf863f361f1f9961dc9e8c2b88630902da3eb5fd880146445144c355d",
            ),
            _reviews(
                "electronics",
                _PROCESSED_ACL,
                positive="38d0ee5fd4147cfaff427b7f8c1ea9aacbb1fd383d51676288b7af5947fe039f",
                negative="497d95c1ce079d2db672f9d2efa9cc02ba4ebd2a525f7b2495233305def11616",
            ),
            _reviews(
                "kitchen",
                _PROCESSED_ACL,
                positive="30fd84894433ee9dd7f7aa3da6f858811104e364528719be2d77372295c7d3b3",
                negative="674510d22f8f0b27790d323ef8633408777e92c122e801ee4ba02bb001d1d798",
            ),
            _reviews("toy", Packaged("toy_corpus"), positive=None, negative=None),
            Corpus(
                "trec6",
                "multiclass/trec6",
                (
                    CorpusFile("train_5500.label", "9e4c8bdcaffb96ed61041bd64b564183d52793a8e91d84fc3a8646885f466ec3"),
                    CorpusFile("TREC_10.label", "033f22c028c2bbba9ca682f68ffe204dc1aa6e1cf35dd6207f2d4ca67f0d0e8e"),
                ),
                PlainFiles("https://cogcomp.seas.upenn.edu/Data/QA/QC/"),
            ),
            Corpus(
                "UD_English-EWT",
                "pos/UD_English-EWT",
                (
                    CorpusFile(
                        "en_ewt-ud-train.conllu", "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b"
                    ),
                    CorpusFile(
                        "en_ewt-ud-dev.conllu", "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6"
                    ),
                    CorpusFile(
                        "en_ewt-ud-test.conllu", "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd"
                    ),
                ),
                PlainFiles(
                    "https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/"
                    "4c89b5833a70aa5ed3a00bad2f23f57992cc7df8/"
                ),
            ),
        )
    }
)
"""All corpora, by name."""


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
    verified : bool
        Whether the files were checked against the sha256 of the table: true for what was ever downloaded, false for a
        folder of the user's own.
    """

    folder: Path
    origin: str
    paths: Mapping[str, Path]
    verified: bool


def names(kind: str | None = None, table: Mapping[str, Corpus] = CORPORA) -> list[str]:
    """The names of the corpora, of all or of one kind.

    Parameters
    ----------
    kind : str, optional
        ``sentiment``, ``multiclass`` or ``pos``.
    table : mapping of str to Corpus
        The corpora there are.

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
    """The row of the table with this name.

    Parameters
    ----------
    name : str
    kind : str, optional
        Only corpora of this kind: ``sentiment``, ``multiclass`` or ``pos``.
    table : mapping of str to Corpus
        The corpora there are.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        If there is none; the message names the known ones, and the nearest.

    Examples
    --------
    >>> corpus_named("dvd").folder
    'sentiment/dvd'
    >>> corpus_named("bokos", "sentiment")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    lxmls_day1.errors.InputError: there is no corpus 'bokos'; known are books, dvd, electronics, kitchen, toy; ...
    """
    known = names(kind, table)
    if isinstance(name, str) and name in known:
        return table[name]
    nearest = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=0.5)
    hint = f"; perhaps {nearest[0]!r}?" if nearest else ""
    raise InputError(f"there is no corpus {name!r}; known are {', '.join(known)}{hint}")


def cache_folder() -> Path:
    """The folder in which this package keeps what it can make or fetch again.

    Returns
    -------
    Path
        ``LXMLS_DAY1_CACHE`` if that is set, otherwise the operating system's place for caches. It need not exist yet.

    Raises
    ------
    CorpusUnavailable
        If that place is in a home folder, and there is none.
    """
    import platformdirs  # imported here, and not through pooch, whose import takes longer than reading a corpus

    chosen = os.environ.get(CACHE_VARIABLE)
    try:
        folder = os.path.expanduser(chosen or platformdirs.user_cache_dir("lxmls-day1"))
    except RuntimeError:  # newer versions of platformdirs; older ones leave the ~
        folder = "~"
    if folder.startswith("~") or not (chosen or os.path.isabs(folder)):
        raise CorpusUnavailable(f"there is no home folder to keep files in; set {CACHE_VARIABLE} to a folder for them")
    return Path(folder)


def find_corpus(
    name: str,
    data_dir: str | os.PathLike | None = None,
    *,
    table: Mapping[str, Corpus] = CORPORA,
    cache_dir: str | os.PathLike | None = None,
    network: Network | None = None,
) -> FoundCorpus:
    """The files of a corpus, from wherever they can be had (see the top of this file for the order).

    Parameters
    ----------
    name : str
        Its name in the table.
    data_dir : path, optional
        A folder that holds the corpus: the root of a data folder (``sentiment/books`` under it), the root of that kind
        (``books`` under it), or the folder of the files itself. Then nothing else is tried.
    table : mapping of str to Corpus
        The corpora there are.
    cache_dir : path, optional
        The cache to use; `cache_folder` otherwise.
    network : Network, optional
        Timeouts and retries.

    Returns
    -------
    FoundCorpus

    Raises
    ------
    InputError
        If there is no corpus of that name, or its files are not in `data_dir`.
    CorpusUnavailable
        If the corpus is neither on this machine nor to be had from the network now.

    Examples
    --------
    >>> found = find_corpus("toy")
    >>> found.origin, sorted(found.paths)
    ('package', ['negative.review', 'positive.review'])
    """
    corpus = corpus_named(name, table=table)
    if data_dir is not None:
        return _in_data_dir(corpus, Path(os.path.expanduser(data_dir)), other_names=set(table) - {name})
    if isinstance(corpus.source, Packaged):
        folder = Path(__file__).parent / corpus.source.folder
        if found := _complete(corpus, folder, "package"):
            return found
        raise CorpusUnavailable(
            f"the {corpus.name} corpus is missing from this installation ({folder}); install it anew"
        )

    looked_in = []
    if root := os.environ.get(DATA_VARIABLE):
        for folder in _folders_under(corpus, Path(os.path.expanduser(root))):
            if found := _complete(corpus, folder, "environment"):
                return found
            looked_in.append(folder)
    cache = (Path(cache_dir) if cache_dir is not None else cache_folder()) / "corpora"
    cached = cache / corpus.folder
    _clear_leftovers(cache)
    if _verified(corpus, cached):
        return _complete(corpus, cached, "cache", verified=True)
    looked_in.append(cached)
    if os.environ.get(OFFLINE_VARIABLE, "").strip().lower() not in ("", "0", "false", "no"):
        raise _unavailable(corpus, looked_in, f"{OFFLINE_VARIABLE} is set, so nothing was downloaded")
    try:
        _fetch_into_cache(corpus, cached, table, network or Network())
    except _Refused as refusal:
        raise _unavailable(corpus, looked_in, f"{corpus.source.address} did not give it: {refusal}") from refusal
    except OSError as error:  # after the network's own errors: the disk is full, or the folder not ours to write to
        place, reason = error.filename or cache, error.strerror or str(error)
        raise _unavailable(
            corpus, looked_in, f"the cache cannot be written to ({place}: {reason}; {CACHE_VARIABLE} names another one)"
        ) from error
    return _complete(corpus, cached, "download", verified=True)


def sha256_of_files(paths: Iterable[Path]) -> list[str]:
    """The checksums of files, several read at the same time.

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
    """
    with ThreadPoolExecutor(max_workers=4) as readers:
        return list(readers.map(_sha256, paths))


def _complete(corpus: Corpus, folder: Path, origin: str, verified: bool = False) -> FoundCorpus | None:
    paths = {file.name: folder / file.name for file in corpus.files}
    if all(path.is_file() for path in paths.values()):
        return FoundCorpus(folder, origin, paths, verified)
    return None


def _folders_under(corpus: Corpus, root: Path) -> list[Path]:
    return [root / corpus.folder, root / corpus.name]


def _in_data_dir(corpus: Corpus, root: Path, other_names: AbstractSet[str]) -> FoundCorpus:
    folders = _folders_under(corpus, root)
    if root.name not in other_names:  # the folder of another corpus has files of the same names
        folders.append(root)
    for folder in folders:
        if found := _complete(corpus, folder, "data_dir"):
            return found
    raise InputError(
        f"data_dir={str(root)!r} does not hold the {corpus.name} corpus: "
        f"wanted {_list(file.name for file in corpus.files)} in one of {_list(folders, 'or')}"
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _intact(file: CorpusFile, path: Path) -> bool:
    try:
        return _sha256(path) == file.sha256
    except OSError:
        return False


def _verified(corpus: Corpus, folder: Path) -> bool:
    try:
        checksums = sha256_of_files(folder / file.name for file in corpus.files)
    except OSError:
        return False
    return checksums == [file.sha256 for file in corpus.files]


def _fetch_into_cache(corpus: Corpus, folder: Path, table: Mapping[str, Corpus], network: Network) -> None:
    """Download what is missing of `corpus` into `folder`, and what else of the table comes along with it."""
    cache = folder.parents[corpus.folder.count("/")]
    failure: Exception | None = None
    companions = [other for other in table.values() if other.source == corpus.source and other.name != corpus.name]
    wanted = [
        (member, file)
        for member in [corpus, *companions]
        for file in member.files
        if not _intact(file, cache / member.folder / file.name)
    ]
    cache.mkdir(parents=True, exist_ok=True)
    _log.info("downloading the %s corpus from %s", corpus.name, corpus.source.address)
    with temporary_folder(_SCRATCH, cache) as scratch, _held(scratch / _IN_USE):
        try:
            for member, file, path in corpus.source.fetch(wanted, scratch, network):
                _publish(file, path, cache / member.folder / file.name)
        except (_Refused, OSError) as error:
            failure = error  # of no account if all that was asked for had come before
    missing = [file.name for file in corpus.files if not _intact(file, folder / file.name)]
    if missing:
        raise failure or _Refused(f"what came does not hold {_list(missing)} with the right checksum")


@contextlib.contextmanager
def _held(path: Path) -> Iterator[None]:
    """Keep a file locked as long as the block runs; `_is_held` sees that, also after a ``kill -9``."""
    with path.open("wb") as file:
        with contextlib.suppress(ImportError, OSError):  # on Windows an open file cannot be deleted, which will do
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_held(path: Path) -> bool:
    """Whether another download has this file locked, or may be about to make it."""
    try:
        with path.open("rb") as file:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return time.time() - path.parent.stat().st_mtime < _YOUNG
    except ImportError:
        path.unlink()  # a PermissionError if it is open
    return False


def _clear_leftovers(cache: Path) -> None:
    """Remove what processes that were killed have left: scratch folders of downloads, half-written files."""
    for path in cache.parent.glob("*/.*.part"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _YOUNG:
                path.unlink()
    for outer in cache.glob(f"{_SCRATCH}*"):
        with contextlib.suppress(OSError):  # held, gone meanwhile, or not ours to remove
            if not any(_is_held(inner / _IN_USE) for inner in [*outer.iterdir()] or [outer]):
                shutil.rmtree(outer)


def _publish(file: CorpusFile, path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.replace(path, target)
    except PermissionError:  # Windows, while another process reads the very file that it has just put there
        if not _intact(file, target):
            raise


def _unavailable(corpus: Corpus, looked_in: Sequence[Path], reason: str) -> CorpusUnavailable:
    wanted = _list(f"{corpus.folder}/{file.name}" for file in corpus.files)
    return CorpusUnavailable(
        f"the {corpus.name} corpus is not on this machine (looked in {_list(looked_in, 'and')}) and {reason}; "
        f"set {DATA_VARIABLE} to a folder that holds {wanted}, or put these files into {looked_in[-1]}"
    )


def _list(things, word: str = "and") -> str:
    *most, last = [str(thing) for thing in things]
    return f"{', '.join(most)} {word} {last}" if most else last


def _download(url: str, scratch: Path, max_bytes: int, network: Network, sha256: str | None = None) -> Path:
    """Fetch one address into `scratch` and return the path; `_Refused` says in plain words why that failed."""
    import pooch
    import requests

    name = re.sub(r"[^\w.-]", "_", url.rpartition("/")[2]) or "download"
    fetcher = pooch.create(
        path=scratch,
        base_url="",
        registry={name: f"sha256:{sha256}" if sha256 else None},
        urls={name: url},
        retry_if_failed=network.retries,
    )
    timeouts = (network.connect_timeout, network.read_timeout)

    def transfer(url, path, _):
        try:
            with requests.get(url, stream=True, timeout=timeouts) as response, open(path, "wb") as file:
                response.raise_for_status()
                capped = _Capped(file, max_bytes)
                for piece in response.iter_content(chunk_size=1 << 12):  # less than that is lost when it breaks off
                    capped.write(piece)
        except requests.exceptions.RequestException:
            with contextlib.suppress(OSError):
                os.replace(path, scratch / _PARTIAL)
            raise

    try:
        with _quiet(pooch.get_logger()):
            return Path(_within(network.total_timeout, lambda: fetcher.fetch(name, downloader=transfer)))
    except requests.exceptions.HTTPError as error:
        raise _Refused(f"the server answered {error.response.status_code} for {url}") from error
    except requests.exceptions.RequestException as error:
        raise _Refused(_plain_reason(error)) from error
    except ValueError as error:
        if "does not match the known hash" not in str(error):
            raise _Refused(_plain_reason(error)) from error
        raise _Refused("the file that came has the wrong checksum") from error


def _within(seconds: float, action: Callable[[], _T]) -> _T:
    """What `action` returns or raises, if it ends in time. A thread waits for a server that drips; it ends with us."""
    ended: Future[_T] = Future()

    def act() -> None:
        try:
            ended.set_result(action())
        except BaseException as error:
            ended.set_exception(error)

    threading.Thread(target=act, daemon=True).start()
    end = time.monotonic() + seconds
    while not ended.done():
        if time.monotonic() > end:
            raise _Refused(f"the server had not sent all of it after {seconds:g} seconds")
        with contextlib.suppress(TimeoutError):  # in small steps: on Windows Ctrl-C does not end a long wait
            ended.exception(timeout=min(0.5, max(0.0, end - time.monotonic())))
    return ended.result()


def _plain_reason(error: Exception) -> str:
    """Why a download failed, as a clause; a server that has answered is not said to be out of reach."""
    names = {kind.__name__ for kind in type(error).__mro__}
    text = str(error)
    if "IncompleteRead" in text or "Connection broken" in text or "ChunkedEncodingError" in names:
        return "the connection broke off before the end"
    if "RemoteDisconnected" in text or "Connection aborted" in text or "ConnectionResetError" in text:
        return "the server closed the connection without an answer"
    if "timed out" in text or "Timeout" in names:
        return "the server did not answer in time"
    if "SSLError" in names:
        return "no secure connection could be made to the server; its certificate may not be trusted here"
    if "ProxyError" in names:
        return "the proxy refused the connection"
    if "TooManyRedirects" in names:
        return "the server sent us on and on to other addresses"
    if "NewConnectionError" in text or "NameResolutionError" in text:
        return "the server cannot be reached"
    return f"what the server answered cannot be understood ({type(error).__name__})"


@contextlib.contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Keep a library from printing its progress; errors still come, as exceptions."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _too_large(max_bytes: int) -> _Refused:
    return _Refused(f"what came is larger than {max_bytes} bytes, which it cannot be")


class _Capped:
    """A file that refuses to be read or written beyond so many bytes."""

    def __init__(self, file, max_bytes: int):
        self._file = file
        self._left = max_bytes
        self._max_bytes = max_bytes

    def _spend(self, nr_bytes: int) -> None:
        self._left -= nr_bytes
        if self._left < 0:
            raise _too_large(self._max_bytes)

    def read(self, size: int) -> bytes:
        content = self._file.read(min(size, self._left + 1))
        self._spend(len(content))
        return content

    def write(self, content: bytes) -> int:
        self._spend(len(content))
        return self._file.write(content)
