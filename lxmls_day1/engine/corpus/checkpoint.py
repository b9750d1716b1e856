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
_HELD_BACK = (signal.SIGINT, signal.SIGTERM)


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
    >>> from lxmls_day1.engine.corpus.corpus_making import make_corpus
    >>> from lxmls_day1.engine.corpus_training import train_corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mails, kept = Path(folder, "mails.csv"), Path(folder, "mira.checkpoint")
    ...     _ = mails.write_text("label,text\\nspam,Win a prize!\\nham,See you at noon.\\n")
    ...     shards = make_corpus([mails], Path(folder, "mails.bags"))
    ...     params = train_corpus(Mira(), shards.folder, checkpoint=Checkpoint(kept, every=1))
    ...     again = train_corpus(Mira(), shards.folder, checkpoint=Checkpoint(kept, every=1, resume=True))
    >>> np.array_equal(params, again)
    True
    """

    def __init__(self, path: str | os.PathLike[str], every: int = 1_000_000, resume: bool = False) -> None:
        self.path: Path = check_path("path", path)
        self.every: int = check_number(
            "every (the number of documents between checkpoints)", every, at_least=1, whole=True
        )
        self.resume = check_flag("resume", resume)
        self._belongs_to: dict[str, Any] = {}
        self._arrived: list[int] = []
        self._handlers: dict[int, Any] = {}

    def begin(self, belongs_to: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the saved state if resuming, or None if the checkpoint does not exist yet.

        Parameters
        ----------
        belongs_to : mapping of str to values
            Values that must be equal when training resumes; the keys name them in error messages.

        Raises
        ------
        InputError
            If the file belongs to another training run, exists although ``resume`` is False, or cannot store one of the values.
        """
        for name, value in belongs_to.items():
            try:
                check_storable(value, name)
            except TypeError as error:
                raise InputError(
                    f"{error}, which a checkpoint cannot hold; give a number, or train without a checkpoint"
                ) from error
        self._belongs_to = dict(belongs_to)
        check_writable(self.path)
        if not self.path.exists():
            return None
        if not self.resume:
            raise InputError(
                f"{self.path} exists already: continue from it with resume=True (--resume), remove it, or name another file"
            )
        content = read_file(self.path, KIND)
        kept = content.get("belongs_to")
        if not isinstance(kept, dict):
            raise InputError(f"{self.path} is damaged: it does not name its training; remove it, and start again")
        for name, value in self._belongs_to.items():
            if name not in kept or not _same(kept[name], value):
                raise InputError(
                    f"{self.path} is the checkpoint of another training: its {name} was {_shown(kept.get(name))}, but now it is "
                    f"{_shown(value)}; give the values of that training, or start again with another file"
                )
        return content

    def next_stop(self, n_documents: int) -> int:
        """Return the number of documents until the checkpoint is due."""
        return self.every - n_documents % self.every

    def after(self, before: int, now: int, content: Callable[[], Mapping[str, Any]]) -> None:
        """Write the checkpoint if it is due or a signal was delayed; then let the signal take effect.

        Parameters
        ----------
        before, now : int
            The number of documents at the previous stop and at this one.
        content : function () -> mapping of str to values
            Returns the values to save.
        """
        if self._arrived or before // self.every < now // self.every:
            self.write(content())
        if self._arrived:
            self._let_through()

    def write(self, content: Mapping[str, Any]) -> None:
        """Write the checkpoint now."""
        write_file(self.path, KIND, {"belongs_to": self._belongs_to, **content})

    def __enter__(self) -> Self:
        self._arrived, self._handlers = [], {}
        if threading.current_thread() is threading.main_thread():  # Python handles signals only there.
            for number in _HELD_BACK:
                self._handlers[number] = signal.signal(number, self._hold_back)
        return self

    def __exit__(self, *_error: object) -> None:
        self._let_through()

    def _hold_back(self, number: int, _frame: FrameType | None) -> None:
        self._arrived.append(number)
        if len(self._arrived) > 1:
            self._let_through()

    def _let_through(self) -> None:
        """Restore the signal handlers, and raise the delayed signal again."""
        handlers, self._handlers = self._handlers, {}
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        arrived, self._arrived = self._arrived, []
        for number in arrived[:1]:
            signal.raise_signal(number)


def _same(kept: Any, value: Any) -> bool:
    if isinstance(kept, np.ndarray) or isinstance(value, np.ndarray):
        with contextlib.suppress(TypeError, ValueError):
            return np.array_equal(kept, value)
    return bool(type(kept) is type(value) and kept == value)


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
