"""The interface that the engine expects of a learner and its rule, and the record of a training round."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.base.checks import as_numbers, random_generator
from lxmls_day1.base.errors import InputError

Reals = NDArray[np.float64]


class Round(NamedTuple):
    """The record of one training round; the ``history`` of an online learner has one record per round.

    ``objective`` is the objective over all training data, at the parameters that ``train`` would return if it stopped
    after this round. It is None if the learner has no objective, and without ``track_objective=True``.

    Examples
    --------
    The first visited example, x = −1, is misclassified, because a tie goes to the first class. The others are correct:

    >>> from lxmls_day1.classifiers import Perceptron
    >>> perceptron = Perceptron(nr_rounds=2, order=[1, 0])
    >>> params = perceptron.train([[2.0], [-1.0]], [0, 1])
    >>> [(round.number, round.updates, round.errors) for round in perceptron.history]
    [(1, 1, 1), (2, 0, 0)]
    """

    number: int  # 1, 2, …
    updates: int  # number of steps that changed the weights, apart from shrinking them
    seconds: float | None  # training time up to this round, without the objective; None if all rounds ran in one call
    objective: float | None
    errors: int | None = None  # examples misclassified right before their step; None for structured learners
    # For a corpus on disk, the lines of progressive validation (`ProgressiveValidation`).
    validation: tuple[Any, ...] = ()


class Learner(Protocol):
    """A linear classifier that can be trained."""

    classes: Any  # (K,): labels in ascending order, or None before training
    vector_names: list[str] | None  # the names of the columns
    trained: bool
    quadratic: bool  # True if the parameters have rows for x², too

    def get_name(self) -> str:
        """Return the name of the learner in messages."""

    def check_settings(self) -> None:
        """Raise an InputError for invalid settings."""

    def scores_of_rows(self, X: Any, params: Reals) -> Reals:
        """Return the scores (M, K) of rows (M, J) without a column of ones."""


class Minimiser(Learner, Protocol):
    """A learner that minimises a mean loss plus a penalty."""

    def losses(self, scores: Reals, labels: NDArray[np.intp]) -> Reals | None:
        """Return the loss of each example (M,) from scores (M, K) and true columns (M,); None for a learner without a loss."""

    def penalty_of(self, params: Reals) -> float:
        """Return the penalty that the objective adds to the mean loss."""


class OnlineLearner(Minimiser, Protocol):
    """A rule with its settings, which the engine applies to one example after another.

    A learner may also have a method ``plan_steps(sq_norms, n_examples=None)``, which the engine calls before the first
    step, with ‖g(x)‖² of each example, or of a sample of ``n_examples`` examples.
    """

    rule: ClassVar[Callable[..., Any]]  # see :class:`classifiers.online_classifier.OnlineClassifier`
    shrinks: bool  # True if each step multiplies the weights by 1 − step · regularizer
    nr_rounds: int
    averaged: bool | str
    seed: Any
    order: Any
    track_objective: bool
    progress: bool
    n_jobs: int
    history: list[Any]
    nr_updates: int
    variances: Reals | None

    def steps(self, first: int, count: int) -> Reals:
        """Return the sizes of the steps t = first, …, first + count − 1."""

    def row_costs(self) -> Reals:
        """Return the costs (K, K) that the rule receives: row y is ρ(·, y)."""

    def finish(self, rows: Any, params: Reals, errors: int) -> Reals:
        """Return the parameters that ``train`` returns.

        Parameters
        ----------
        rows : lxmls_day1.engine.loops.objectives.MatrixRows, or the ShardRows of a corpus on disk
            All training examples, for example to evaluate the objective.
        params : array (J + 1, K)
            The averaged weights.
        errors : int
            The number of examples of the last round that were misclassified before their step.
        """


class BatchLearner(Minimiser, Protocol):
    """A learner that repeatedly evaluates the loss of all examples and its gradient."""

    solver: str
    n_jobs: int

    def minimise(self, log_loss: Any) -> Reals:
        """Return the parameters (J + 1, K) that minimise the objective.

        Parameters
        ----------
        log_loss : lxmls_day1.engine.kernels.batch.LogLoss, StreamedLogLoss or ClusterLogLoss
            Computes the sum of the losses of all examples, and its gradient.
        """


class CountingLearner(Learner, Protocol):
    """A learner that needs only the word counts of each class."""

    def estimate(self, X: Any, labels: NDArray[np.intp], word_counts: Reals, weights: Reals | None = None) -> Reals:
        """Return the parameters (J + 1, K).

        Parameters
        ----------
        X : array or csr_array (M, J)
            The documents; for a corpus on disk one empty document per class, because the words are already counted.
        labels : int array (M,)
            The class of each document.
        word_counts : array (J, K)
            The number of occurrences of each word in the documents of each class.
        weights : array (M,), optional
            The weight of each document.
        """


def shrinkage_of(learner: Any) -> float:
    """Return λ for a learner whose weights shrink, else 0."""
    return float(learner.regularizer) if learner.shrinks else 0.0


def average_of(learner: Any) -> str | bool:
    """Return the kind of average that a learner returns; True is returned as "steps"."""
    average: str | bool = "steps" if learner.averaged is True else learner.averaged
    return average


def can_resume(learner: Any) -> bool:
    """Return True if :func:`lxmls_day1.engine.corpus_training.resume` can continue the training of a learner.

    Examples
    --------
    >>> from lxmls_day1.classifiers import SVM
    >>> can_resume(SVM()), can_resume(SVM(solver="dual"))
    (True, False)
    """
    return hasattr(learner, "rule") and getattr(learner, "solver", None) != "dual"


def _shuffled(n_examples: int, rng: "np.random.Generator") -> NDArray[np.int64]:
    order = np.arange(n_examples, dtype=np.int64)
    rng.shuffle(order)
    return order


def orders_of(learner: Any, n_examples: int, rng: "np.random.Generator | None" = None) -> Iterator[NDArray[np.int64]]:
    """Return the examples (M,) of each round: the learner's ``order``, or orders drawn by ``rng`` or by its seed, one after the other."""
    nr_rounds = int(learner.nr_rounds)
    if learner.order is None:
        rng = random_generator(learner.seed) if rng is None else rng
        return (_shuffled(n_examples, rng) for _ in range(nr_rounds))
    as_numbers(learner.order, "order must hold example numbers")
    order = np.asarray(learner.order)
    if order.ndim == 1:
        order = np.broadcast_to(order, (nr_rounds, *order.shape))
    if order.shape != (nr_rounds, n_examples) or order.dtype.kind not in "iu":
        raise InputError(
            f"order must hold {n_examples} example numbers, for all rounds or for each of the {nr_rounds}: shape ({n_examples},) or "
            f"({nr_rounds}, {n_examples}), but has the shape {np.shape(learner.order)} and the type {order.dtype}"
        )
    if order.min() < 0 or order.max() >= n_examples:
        raise InputError(
            f"order must number the examples from 0 to {n_examples - 1}, but holds {order.min()} … {order.max()}"
        )
    return iter(order.astype(np.int64, copy=False))
