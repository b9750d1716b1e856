"""A connection to the scheduler of a Dask cluster, and the fingerprint of the installation, which must be equal on all workers."""

import contextlib
import hashlib
import logging
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import lxmls_day1
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.installation import how_to_install
from lxmls_day1.base.waiting import TIMEOUT_FACTOR_VARIABLE, timeout_factor
from lxmls_day1.library_path import PACKAGES, reference_path

# Seconds without a response from the scheduler. This is wall-clock time, because the CPU time of another machine is unknown.
LOST_AFTER_SECONDS = 10.0
_LOGGERS = ("distributed", "tornado", "asyncio")


def installation_fingerprint() -> str:
    """Return the version of this installation, and digests of the package and the reference lab."""
    package, reference = Path(lxmls_day1.__file__).resolve().parent, Path(reference_path())
    ours = [
        path
        for path in package.rglob("*")
        if path.suffix in (".py", ".j2", ".css", ".toml")
        and path.relative_to(package).parts[0] not in (*PACKAGES, "reference_lab")
    ]
    lab = [path for name in PACKAGES for path in (reference / name).rglob("*.py")]
    return f"{lxmls_day1.__version__}, package {digest_of(ours, package)}, reference {digest_of(lab, reference)}"


def digest_of(paths: Iterable[Path], root: Path) -> str:
    """Return twelve hexadecimal digits that identify the names and contents of files."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:12]


@contextlib.contextmanager
def dask_client(scheduler: str) -> Iterator[Any]:
    """Yield a client of a scheduler for use in a ``with`` statement; Dask's log messages are suppressed.

    Parameters
    ----------
    scheduler : str
        The address of the scheduler.

    Raises
    ------
    InputError
        If Dask is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InputError(f"scheduler= needs Dask; install it with {how_to_install('cluster')}.") from None
    with warnings.catch_warnings(), contextlib.ExitStack() as silenced:
        warnings.filterwarnings("ignore", "Sending large graph")
        for name in (*_LOGGERS, *logging.root.manager.loggerDict):
            if name.partition(".")[0] in _LOGGERS:
                logger = logging.getLogger(name)
                silenced.callback(logger.setLevel, logger.level)
                logger.setLevel(logging.CRITICAL + 1)
        try:
            client: Any = Client(scheduler, timeout=LOST_AFTER_SECONDS * timeout_factor(), set_as_default=False)  # type: ignore[no-untyped-call]  # Dask is untyped.
        except (OSError, ValueError) as error:
            raise InputError(
                f"no Dask scheduler answers at {scheduler}: {error} ({TIMEOUT_FACTOR_VARIABLE}=10 waits ten times as long)."
            ) from error
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):  # The scheduler may be lost.
                client.close(timeout=5)
