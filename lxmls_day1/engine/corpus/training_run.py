"""Progressive validation, checkpoints and a progress bar for training on a corpus on disk."""

import contextlib
import copy
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.base.checks import random_generator
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.settings import settings
from lxmls_day1.engine.corpus.checkpoint import Checkpoint
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.corpus.streamed_steps import TrainingInterrupted, checked_count
from lxmls_day1.engine.kernels.row_steps import OnlineState, Reals, Weights


class ProgressiveValidation(NamedTuple):
    """A line of progressive validation, in which every document is classified before it is learnt from.

    From the second round on, the documents are already known, and the error rate is that of a classifier on its training data.
    """

    documents: int  # number of documents so far, over all rounds
    error: float  # fraction of these documents that were misclassified
    recent_error: float  # the same for the documents since the previous line


class TrainingRun:
    """A training run on a corpus on disk, with progressive validation, checkpoints and a progress bar.

    Parameters
    ----------
    checkpoint : Checkpoint, optional
    report : function (ProgressiveValidation), optional
        Called with each line of progressive validation.
    n_documents : int
        The total number of visits to documents, over all rounds.
    position_of : function (mapping) -> position
        Builds the position of an interrupted round from its plain values.

    Attributes
    ----------
    history : list of tuples
        The fields of each completed `Round`, if training is resumed.
    position : Position, MixedPosition or None
        The position in the current round, if training is resumed within one.
    """

    def __init__(
        self,
        checkpoint: Checkpoint | None,
        report: Callable[[ProgressiveValidation], None] | None,
        n_documents: int,
        position_of: Callable[[Mapping[str, Any]], Any],
    ) -> None:
        self._checkpoint, self._report = checkpoint, report
        self._n_documents, self._position_of = n_documents, position_of
        self.history: list[tuple[Any, ...]] = []
        self.position: Any = None
        self._lines: list[ProgressiveValidation] = []  # lines of this round
        self._n_seen = self._errors = 0  # number of documents and errors so far
        self._at_line = (0, 0)  # the same counts at the previous line

    def begin(
        self, learner: Any, shards: Shards, state: OnlineState | None, **settings_beside: Any
    ) -> OnlineState | None:
        """Return the initial state: the state in the checkpoint if training is resumed, otherwise ``state``."""
        self._learner = learner
        if self._checkpoint is None:
            return state
        belongs_to = {"learner": type(learner).__name__, "corpus": _fingerprint(shards)}
        belongs_to |= {f"setting {name}": value for name, value in settings(learner).items() if name != "progress"}
        belongs_to |= {f"setting {name}": value for name, value in settings_beside.items()}
        content = self._checkpoint.begin(belongs_to)
        if content is None:
            return state
        try:
            return self._restore(content, shards)
        except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise InputError(
                f"{self._checkpoint.path} is damaged: {type(error).__name__} in what it holds ({error}); remove it, and start again"
            ) from error

    def _restore(self, content: Mapping[str, Any], shards: Shards) -> OnlineState:
        """Restore the content of a checkpoint and return its state; invalid content raises a built-in exception."""
        self.position = self._position_of(content["position"])
        self.history = [_round_of(*values) for values in content["history"]]
        self._n_seen, self._errors = checked_count(content["documents"]), checked_count(content["errors"])
        documents, errors = content["at_line"]
        self._at_line = checked_count(documents), checked_count(errors)
        self._lines = _lines_of(content["lines"])
        rng = random_generator(self._learner.seed)
        for rng_state in self.position.rng_states():
            copy.deepcopy(rng).bit_generator.state = rng_state  # Raises an error if the state is invalid.
        return _state_of(content["state"], shards.n_features + 1, rng)

    def _content(self) -> dict[str, Any]:
        """Return the content of a checkpoint."""
        return {
            "state": _values_of(self._state),
            "position": self.position.values(),
            "history": [[*round[:-1], [list(line) for line in round[-1]]] for round in self._learner.history],
            "documents": self._n_seen,
            "errors": self._errors,
            "at_line": self._at_line,
            "lines": [list(line) for line in self._lines],
        }

    @contextlib.contextmanager
    def rounds(
        self, steps: Any, state: OnlineState, sizes: Callable[[int, int], Reals], title: str | None
    ) -> Iterator[Callable[[int, int], Iterable[tuple[int, int, tuple[ProgressiveValidation, ...]]]]]:
        """Yield a function that runs the steps of rounds, for use in a ``with`` statement.

        Parameters
        ----------
        steps : StreamedSteps or MixedSteps
        state : OnlineState
        sizes : function
            See :meth:`StreamedSteps.rounds`.
        title : str, optional
            The title of a progress bar. Default: no progress bar.
        """
        from tqdm.auto import tqdm

        self._state = state
        n_rounds = self._n_documents // steps.n_rows - len(self.history)
        with contextlib.ExitStack() as stack:
            if self._checkpoint is not None:
                stack.enter_context(self._checkpoint)
            bar = stack.enter_context(
                tqdm(
                    desc=title,
                    unit="document",
                    unit_scale=True,
                    initial=self._n_seen,
                    total=self._n_documents,
                    disable=not title,
                )
            )

            def on_stop(position: Any, *counts: tuple[int, int]) -> None:
                self.position, before = position, self._n_seen
                for count, errors in counts:
                    self._n_seen += count
                    self._errors += errors
                    self._add_line(count)
                    bar.update(count)
                if self._checkpoint is not None:
                    at_end = self._n_seen == self._n_documents
                    if at_end and self._checkpoint.next_stop(self._n_seen) < self._checkpoint.every:
                        # Saved early, because the work after the last step may fail.
                        self._checkpoint.write(self._content())
                    self._checkpoint.write_if_due(before, self._n_seen, self._content)

            def on_poll() -> None:
                if self._checkpoint is not None and self.position is not None:
                    self._checkpoint.write_if_due(self._n_seen, self._n_seen, self._content)

            rounds = steps.rounds(state, n_rounds, sizes, self._next_stop, on_stop, self.position, on_poll)
            stack.callback(rounds.close)

            def run_rounds_between(
                first: int, last: int
            ) -> Iterator[tuple[int, int, tuple[ProgressiveValidation, ...]]]:
                for updates, errors in islice(rounds, last - first):
                    lines, self._lines = tuple(self._lines), []
                    yield updates, errors, lines

            try:
                yield run_rounds_between
            except TrainingInterrupted as error:
                if self._checkpoint is None or self.position is None:
                    raise
                self._checkpoint.write(self._content())
                raise InputError(
                    f"{error}. The state after {self._n_seen} documents is kept in {self._checkpoint.path}: {error.remedy}, and "
                    "continue with resume=True (--resume)"
                ) from error

    def _next_stop(self, ahead: int = 0) -> int:
        """Return the number of documents from a point ``ahead`` documents after now until the next stop."""
        seen = self._n_seen + ahead
        to_line = (1 << seen.bit_length()) - seen
        return to_line if self._checkpoint is None else min(to_line, self._checkpoint.next_stop(seen))

    def _add_line(self, count: int) -> None:
        """Add a line of progressive validation if the number of documents has doubled since the previous line."""
        if self._n_seen < 1 << (self._n_seen - count).bit_length():
            return
        documents, errors = self._n_seen - self._at_line[0], self._errors - self._at_line[1]
        line = ProgressiveValidation(self._n_seen, self._errors / self._n_seen, errors / documents)
        self._at_line = self._n_seen, self._errors
        self._lines.append(line)
        if self._report:
            self._report(line)


def _fingerprint(shards: Shards) -> str:
    """Return a digest that is equal for two corpora only if they hold the same rows."""
    files = [[file["fingerprint"] for file in shard["files"].values()] for shard in shards.manifest["shards"]]
    return hashlib.sha256(json.dumps([shards.n_features, list(shards.classes), files]).encode()).hexdigest()


def _values_of(state: OnlineState) -> dict[str, Any]:
    """Return a state as plain values, without its generator."""
    plain = {name: value for name, value in vars(state).items() if name not in ("weights", "seed", "rng")}
    return {**plain, "weights": vars(state.weights)}


def _round_of(number: Any, updates: Any, seconds: Any, objective: Any, errors: Any, lines: Any) -> tuple[Any, ...]:
    """Build the fields of a `Round` from their plain values."""
    times = [None if value is None else float(value) for value in (seconds, objective)]
    n_errors = None if errors is None else checked_count(errors)
    return checked_count(number), checked_count(updates), *times, n_errors, tuple(_lines_of(lines))


def _lines_of(lines: Iterable[tuple[Any, Any, Any]]) -> list[ProgressiveValidation]:
    return [ProgressiveValidation(checked_count(n), float(error), float(recent)) for n, error, recent in lines]


def _state_of(values: dict[str, Any], n_rows: int, rng: np.random.Generator) -> OnlineState:
    """Build a state from its plain values; raise a ValueError if its arrays lack the sizes that compiled code requires."""
    values = dict(values)
    saved_weights = values.pop("weights")
    n_columns = 1 if saved_weights["paired"] is True else len(values["classes"])
    shape = (n_rows, n_columns)
    expected: dict[str, Any] = {"V": [shape, (n_rows, 2, n_columns)], "U": [shape, (0, n_columns)], "state": [(2,)]}
    for name, shapes in expected.items():
        if saved_weights[name].shape not in shapes or saved_weights[name].dtype != np.float64:
            raise ValueError(f"{name} is an array {saved_weights[name].shape} of {saved_weights[name].dtype}")
    mean, norms = values["mean_of_rounds"], values["sq_norms"]
    if not (isinstance(mean, float) or (mean.dtype == np.float64 and mean.shape == (n_rows, len(values["classes"])))):
        raise ValueError("the mean of the rounds has another type or shape")
    if norms is not None and (norms.dtype != np.float64 or norms.ndim != 1):
        raise ValueError("the lengths of rows have another type or shape")
    for count in (values["n_rounds"], values["n_steps"], values["n_examples"] or 0):
        checked_count(count)
    weights = Weights(0, 0, averaged=False)
    weights.V, weights.U, weights.state = saved_weights["V"], saved_weights["U"], saved_weights["state"]
    weights.paired, weights.n_steps = saved_weights["paired"] is True, checked_count(saved_weights["n_steps"])
    return OnlineState(weights=weights.copy(), seed=rng, **values)
