"""The workers of a Dask cluster: found through the scheduler, asked who they are, and refused by name if they are others than we.

What may stop at any time is a worker, what must not is the scheduler: when it has not been heard of for a while, the run ends.
"""

import contextlib
import hashlib
import logging
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import lxmls_day1
from lxmls_day1.errors import InputError, how_to_install
from lxmls_day1.library_path import PACKAGES, reference_place
from lxmls_day1.waiting import SLOWER, VARIABLE, patience

# Another machine tells nothing of its processor. So these are seconds on the clock, and they grow with what an answer has taken.
ASK_SECONDS = 60.0
LOST_SECONDS = 10.0  # without word from the scheduler
_LOGGERS = ("distributed", "tornado", "asyncio")


def installation() -> str:
    """The version of this installation, and digests of the package and the reference lab."""
    package, reference = Path(lxmls_day1.__file__).resolve().parent, Path(reference_place())
    ours = [
        path
        for path in package.rglob("*")
        if path.suffix in (".py", ".j2", ".css") and not path.is_relative_to(package / "reference_lab")
    ]
    lab = [path for name in PACKAGES for path in (reference / name).rglob("*.py")]
    return f"{lxmls_day1.__version__}, package {digest_of(ours, package)}, reference {digest_of(lab, reference)}"


def digest_of(paths: Iterable[Path], root: Path) -> str:
    """Twelve digits that tell files apart by name and content."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:12]


@contextlib.contextmanager
def connected(scheduler: str, option: str) -> Iterator[Any]:
    """A client of a scheduler, for the length of a ``with``; what Dask would log is said by us.

    Parameters
    ----------
    scheduler : str
        Its address.
    option : str
        What needs Dask, for a message.

    Raises
    ------
    InputError
        If Dask is not installed, or there is no scheduler.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InputError(f"{option} needs dask; install it with {how_to_install('cluster')}.") from None
    levels = {}
    for name in (*_LOGGERS, *logging.root.manager.loggerDict):
        if name.partition(".")[0] in _LOGGERS:
            logger = logging.getLogger(name)
            levels[logger] = logger.level
            logger.setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        try:
            try:
                client: Any = Client(scheduler, timeout=LOST_SECONDS * patience(), set_as_default=False)  # type: ignore[no-untyped-call]  # dask says no types
            except (OSError, ValueError) as error:
                raise InputError(
                    f"there is no dask scheduler at {scheduler}: {error} ({VARIABLE}=10 waits ten times as long)."
                ) from error
            try:
                yield client
            finally:
                with contextlib.suppress(Exception):  # the scheduler may be gone
                    client.close(timeout=5)
        finally:
            for logger, level in levels.items():
                logger.setLevel(level)


class ClusterWorkers:
    """The workers of a cluster that may be given work.

    Parameters
    ----------
    client : distributed.Client
    identity : str
        What a worker must say that it is.
    say : function from str
        Takes sentences for whoever waits, such as which workers are left out and why.
    """

    kept = "what is finished is kept, run the same command again"

    def __init__(self, client: Any, identity: str, say: Callable[[str], None] = lambda text: None):
        self.client, self.say = client, say
        #: The address of the scheduler; the client forgets it when it is lost.
        self.scheduler = str(client.scheduler.address) if client.scheduler else "?"
        self._identity = identity
        self._refused: dict[str, str] = {}
        self._heard = time.monotonic()
        self._slowest, self._silent = 0.0, False

    def patience(self, seconds: float) -> float:
        """A limit on the clock: it is longer where the scheduler has taken long to answer, or the user says so."""
        return max(seconds * patience(), SLOWER * self._slowest)

    def refuse(self, address: str, why: str) -> None:
        """Give a worker no more work."""
        if address not in self._refused:
            self._refused[address] = why
            self.say(f"The worker {address} is left out: {why}.")

    def known(self, before: Iterable[str]) -> dict[str, int]:
        """The scheduler's workers: address -> threads; those of before while it does not answer.

        Raises
        ------
        InputError
            If the scheduler is gone.
        """
        asked, most = time.monotonic(), self.patience(LOST_SECONDS)
        try:
            if self.client.status != "running":
                raise OSError
            found: dict[str, int] = self.client.sync(self.client.scheduler.ncores, workers=None, callback_timeout=most)
            self._heard = time.monotonic()
            self._slowest, self._silent = max(self._slowest, self._heard - asked), False
        except Exception:  # of many kinds, whatever of the connection breaks first
            if self.client.status in ("closed", "closing") or time.monotonic() - self._heard > 2 * most:
                raise self.lost() from None
            if not self._silent:
                self.say(f"The scheduler at {self.scheduler} does not answer; waiting for it.")
            self._silent = True
            return dict.fromkeys(before, 1)
        self._refused = {address: why for address, why in self._refused.items() if address in found}
        return found

    def lost(self) -> InputError:
        """What to say when the scheduler is gone."""
        return InputError(
            f"the dask scheduler is lost, or too busy to answer ({VARIABLE}=10 waits ten times as long); {self.kept}."
        )

    def answers(self, function: Callable[..., Any], addresses: Sequence[str], *arguments: Any) -> dict[str, Any]:
        """What a function returns on each of some workers; an exception from one that fails. Empty if one is gone meanwhile."""
        if not addresses:
            return {}
        asked = {"workers": list(addresses), "on_error": "return"}
        try:
            found: dict[str, Any] = self.client.sync(
                self.client._run, function, *arguments, **asked, callback_timeout=self.patience(ASK_SECONDS)
            )
        except Exception:
            return {}  # those that are left are asked again
        return found

    def why_other(self, said: Any) -> str | None:
        """Why a worker that answers so must not work with us: it is of another version. None if it is not."""
        if isinstance(said, BaseException) or not isinstance(said, str):
            return f"it has another version of lxmls-day1, or none ({type(said).__name__}: {said})"
        if said != self._identity:
            return f"it has lxmls-day1 {said}, and here is {self._identity}"
        return None
