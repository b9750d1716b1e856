"""Downloads of corpus files: plain files and members of archives, verified before use.

`fetch_files` downloads into a scratch folder, verifies each file, and only then moves it to its target atomically. So a file at its
target is always complete, also after a Ctrl-C and with several concurrent processes. The next download removes the files that a
killed process left. Only the wanted members of an archive are read, by name. Nothing is unpacked to a path that the archive names,
and damage behind the wanted members does not matter.
"""

import gzip
import hashlib
import os
import re
import tarfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from lxmls_day1.base.atomic_files import FOLDER_PREFIX, temporary_folder
from lxmls_day1.base.waiting import shows_progress

if TYPE_CHECKING:
    import requests

_MEGABYTE = 1 << 20


class DownloadFailed(Exception):
    """Raised when a server's response cannot be used; the message is a clause that gives the reason."""


@dataclass(frozen=True)
class CorpusFile:
    """One file of a corpus, as published.

    Attributes
    ----------
    name : str
        File name, such as ``positive.review``.
    sha256 : str or None
        Checksum of the whole file, 64 hexadecimal digits; None for files of this package.
    max_bytes : int
        The maximum number of bytes to download.
    """

    name: str
    sha256: str | None
    max_bytes: int = 32 * _MEGABYTE


@dataclass(frozen=True)
class Network:
    """The timeouts and retries of a download.

    Attributes
    ----------
    connect_timeout, read_timeout : float
        Seconds to wait for the connection, and for the next bytes of a response. A slow server that keeps sending never times out.
    retries : int
        The number of retries after a failure.
    """

    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    retries: int = 1


class RequiredFile(NamedTuple):
    """A file to download."""

    corpus: str  # the name of the corpus, which is also the name of its folder in an archive
    file: CorpusFile
    target: Path  # the path to save it at


@dataclass(frozen=True)
class PlainFiles:
    """Files in the same folder of a web server, each at ``address`` + its name."""

    address: str

    def fetch(
        self, wanted: Sequence[RequiredFile], scratch: Path, network: Network
    ) -> Iterator[tuple[RequiredFile, Path]]:
        """Download into `scratch`; yield each wanted file that is complete and has the right checksum."""
        for one in wanted:
            file = one.file
            yield one, _download(self.address + file.name, scratch, file.max_bytes, network, sha256=file.sha256)


@dataclass(frozen=True)
class TarArchive:
    """A ``.tar.gz`` with a folder for each corpus: the members ``<anything>/<corpus name>/<file name>``.

    Attributes
    ----------
    address : str
    max_bytes : int
        The maximum number of bytes to download. Members that exceed the ``max_bytes`` of their `CorpusFile` are skipped.
    """

    address: str
    max_bytes: int = 64_000_000

    def fetch(
        self, wanted: Sequence[RequiredFile], scratch: Path, network: Network
    ) -> Iterator[tuple[RequiredFile, Path]]:
        """Download into `scratch`; yield each wanted member that is complete and has the right checksum."""
        archive = _download(self.address, scratch, self.max_bytes, network)
        missing = {f"{one.corpus}/{one.file.name}": one for one in wanted}
        try:
            with tarfile.open(archive) as members:
                for member in members:
                    one = missing.get(key := "/".join(PurePosixPath(member.name).parts[-2:]))
                    if one is None or not member.isreg() or member.size > one.file.max_bytes:
                        continue
                    path = scratch / f"{one.corpus}-{one.file.name}"
                    path.write_bytes(members.extractfile(member).read())  # type: ignore[union-attr]  # It is a regular file.
                    if sha256_of(path) == one.file.sha256:
                        del missing[key]
                        yield one, path
                    if not missing:
                        return
        except Exception as error:  # tarfile raises many kinds of errors for a damaged header
            if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
                raise  # A local I/O error, not a damaged archive.
            raise DownloadFailed("the downloaded archive is damaged") from error


def sha256_of(path: Path) -> str:
    """Return the checksum of a file, 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def has_valid_checksum(file: CorpusFile, path: Path) -> bool:
    """Return True if a file exists and has the right checksum."""
    try:
        return sha256_of(path) == file.sha256
    except OSError:
        return False


def fetch_files(source: PlainFiles | TarArchive, wanted: Sequence[RequiredFile], cache: Path, network: Network) -> None:
    """Download files, and move each to its target as soon as it is verified.

    Parameters
    ----------
    source : PlainFiles or TarArchive
    wanted : sequence of RequiredFile
    cache : Path
        The folder above all targets, in which the scratch folder is created; created if missing.
    network : Network

    Raises
    ------
    DownloadFailed, OSError
        Files completed before the error are at their targets, so the caller decides whether the error matters.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with temporary_folder(f"{FOLDER_PREFIX}download-", cache) as scratch:
        for one, path in source.fetch(wanted, scratch, network):
            _publish(one, path)


def _publish(wanted: RequiredFile, path: Path) -> None:
    wanted.target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.replace(path, wanted.target)
    except PermissionError:  # On Windows, another process may be reading the same file that it has just put there.
        if not has_valid_checksum(wanted.file, wanted.target):
            raise


def _download(url: str, scratch: Path, max_bytes: int, network: Network, sha256: str | None = None) -> Path:
    """Fetch one address into `scratch` and return the path; raise `DownloadFailed` with a readable reason on failure."""
    try:
        import requests  # Imported here because it is slow to import and absent in a browser.
    except ImportError as error:
        raise DownloadFailed(f"this Python cannot download files ({error})") from error
    path = scratch / (re.sub(r"[^\w.-]", "_", url.rpartition("/")[2]) or "download")
    for attempt in range(network.retries + 1):
        time.sleep(min(attempt, 10))
        try:
            with requests.get(url, stream=True, timeout=(network.connect_timeout, network.read_timeout)) as answer:
                if answer.ok:
                    _save(answer, path, max_bytes)
            if answer.ok and sha256 in (None, sha256_of(path)):
                return path
            wrong = "the downloaded file has the wrong checksum"
            failure = DownloadFailed(wrong if answer.ok else f"the server answered {answer.status_code} for {url}")
        except (requests.exceptions.RequestException, ValueError) as error:
            failure = DownloadFailed(_describe_error(error))
            failure.__cause__ = error
    raise failure


def _save(answer: "requests.Response", path: Path, max_bytes: int) -> None:
    """Write a server's response into a file, with a progress bar on a terminal."""
    from tqdm import tqdm  # Imported here because only downloads need it.

    size = int(answer.headers.get("Content-Length", 0)) or None
    with (
        path.open("wb") as file,
        tqdm(total=size, unit="B", unit_scale=True, leave=False, disable=not shows_progress()) as bar,
    ):
        for content in answer.iter_content(1 << 16):
            if file.tell() + len(content) > max_bytes:
                raise DownloadFailed(f"the download is larger than {max_bytes} bytes, the most that was expected")
            bar.update(file.write(content))


#: Pattern in the message or class of an error -> reason why a download failed, as a clause. The first match is used.
_REASONS = {
    r"IncompleteRead|Connection broken|ChunkedEncodingError": "the connection was lost before the end",
    r"RemoteDisconnected|Connection aborted|ConnectionResetError": "the server closed the connection without an answer",
    r"timed out|Timeout": "the server did not answer in time",
    r"SSLError": "no secure connection could be made to the server; its certificate may not be trusted here",
    r"ProxyError": "the proxy refused the connection",
    r"TooManyRedirects": "the server redirected the request too many times",
    r"NewConnectionError|NameResolutionError": "the server cannot be reached",
}


def _describe_error(error: Exception) -> str:
    """Return the reason why a download failed, as a clause; distinguish an unreachable server from an invalid response."""
    text = " ".join([str(error), *(kind.__name__ for kind in type(error).__mro__)])
    found = next((reason for pattern, reason in _REASONS.items() if re.search(pattern, text)), None)
    return found or f"the server's answer cannot be understood ({type(error).__name__})"
