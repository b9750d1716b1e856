"""Checkpoints: the state of training on a corpus on disk, saved at intervals, from which training can resume.

A checkpoint is one file in the format of `npz_file`, written atomically. It holds the weights, their running sum, the number of
steps, the state of the random generator and the position in the corpus. Training resumed from it on the same processor is
bit-identical to uninterrupted training.

During training with a checkpoint, the first Ctrl-C or SIGTERM is delayed until the current steps are done and the checkpoint
is written. Then the signal has its usual effect. A second signal takes effect immediately.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Self

import numpy as np

from lxmls_day1.base.atomic_files import check_writable
from lxmls_day1.base.checks import check_flag, check_number
from lxmls_day1.base.errors import InputError, check_path
from lxmls_day1.engine.models.npz_file import check_storable, read_file, write_file

KIND = "checkpoint of a training"
_DELAYED_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Checkpoint:
    """The file in which the state of training is saved, and how often it is written.

    Parameters
    ----------
    path : path
        The path of the file, such as ``"mira.checkpoint"``.
    every : int ≥ 1
        The file is written after every ``every`` documents, and at the end. (Threads that share a shard finish it first.)
    resume : bool
        Resume from the file; if it does not exist yet, training starts from the beginning. Without ``resume``, an existing
        file is never overwritten.

    Examples
    --------
    To resume interrupted training, repeat the call with the same settings and ``resume=True``. If training was
    already complete, the call returns the learnt parameters:

    >>> import tempfile
    >>> from lxmls_day1.classifiers import Mira
    >>> from lxmls_day1.engine.corpus.corpus_builder import make_corpus
    >>> from lxmls_day1.engine.corpus_training import train_corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mails, saved = Path(folder, "mails.csv"), Path(folder, "mira.checkpoint")
    ...     _ = mails.write_text("label,text\\nspam,Win a prize!\\nham,See you at noon.\\n")
    ...     shards = make_corpus([mails], Path(folder, "mails.bags"))
    ...     params = train_corpus(Mira(), shards.folder, checkpoint=Checkpoint(saved, every=1))
    ...     again = train_corpus(Mira(), shards.folder, checkpoint=Checkpoint(saved, every=1, resume=True))
    >>> np.array_equal(params, again)
    True
    """

    def __init__(self, path: str | os.PathLike[str], every: int = 1_000_000, resume: bool = False) -> None:
        self.path: Path = check_path("path", path)
        self.every: int = check_number(
            "every (the number of documents between checkpoints)", every, at_least=1, whole=True
        )
        self.resume = check_flag("resume", resume)
        self._fingerprint: dict[str, Any] = {}
        self._pending_signals: list[int] = []
        self._handlers: dict[int, Any] = {}

    def begin(self, fingerprint: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the saved state if resuming, or None if the checkpoint does not exist yet.

        Parameters
        ----------
        fingerprint : mapping of str to values
            Values that must be equal when training resumes; the keys name them in error messages.

        Raises
        ------
        InputError
            If the file belongs to another training run, exists although ``resume`` is False, or cannot store one of the values.
        """
        for name, value in fingerprint.items():
            try:
                check_storable(value, name)
            except TypeError as error:
                raise InputError(
                    f"{error}, which a checkpoint cannot hold; give a number, or train without a checkpoint"
                ) from error
        self._fingerprint = dict(fingerprint)
        check_writable(self.path)
        if not self.path.exists():
            return None
        if not self.resume:
            raise InputError(
                f"{self.path} exists already: continue from it with resume=True (--resume), remove it, or name another file"
            )
        content = read_file(self.path, KIND)
        saved = content.get("belongs_to")
        if not isinstance(saved, dict):
            raise InputError(f"{self.path} is damaged: it does not name its training; remove it, and start again")
        for name, value in self._fingerprint.items():
            if name not in saved or not _is_equal(saved[name], value):
                raise InputError(
                    f"{self.path} is the checkpoint of another training: its {name} was {_short_repr(saved.get(name))}, but now it is "
                    f"{_short_repr(value)}; give the values of that training, or start again with another file"
                )
        return content

    def next_stop(self, n_documents: int) -> int:
        """Return the number of documents until the checkpoint is due."""
        return self.every - n_documents % self.every

    def write_if_due(self, n_before: int, n_now: int, content: Callable[[], Mapping[str, Any]]) -> None:
        """Write the checkpoint if it is due or a signal was delayed; then let the signal take effect.

        Parameters
        ----------
        n_before, n_now : int
            The number of documents at the previous stop and at this one.
        content : function () -> mapping of str to values
            Returns the values to save.
        """
        if self._pending_signals or n_before // self.every < n_now // self.every:
            self.write(content())
        if self._pending_signals:
            self._deliver_signal()

    def write(self, content: Mapping[str, Any]) -> None:
        """Write the checkpoint now."""
        write_file(self.path, KIND, {"belongs_to": self._fingerprint, **content})

    def __enter__(self) -> Self:
        self._pending_signals, self._handlers = [], {}
        if threading.current_thread() is threading.main_thread():  # Python handles signals only there.
            for number in _DELAYED_SIGNALS:
                self._handlers[number] = signal.signal(number, self._delay_signal)
        return self

    def __exit__(self, *_error: object) -> None:
        self._deliver_signal()

    def _delay_signal(self, number: int, _frame: FrameType | None) -> None:
        self._pending_signals.append(number)
        if len(self._pending_signals) > 1:
            self._deliver_signal()

    def _deliver_signal(self) -> None:
        """Restore the signal handlers, and raise the delayed signal again."""
        handlers, self._handlers = self._handlers, {}
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        arrived, self._pending_signals = self._pending_signals, []
        for number in arrived[:1]:
            signal.raise_signal(number)


def _is_equal(saved: Any, value: Any) -> bool:
    if isinstance(saved, np.ndarray) or isinstance(value, np.ndarray):
        with contextlib.suppress(TypeError, ValueError):
            return np.array_equal(saved, value)
    return bool(type(saved) is type(value) and saved == value)


def _short_repr(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
