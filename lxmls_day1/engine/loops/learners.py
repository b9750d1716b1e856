"""What the engine asks of a learner and its rule, and the record of a round that it gives back."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.base.checks import as_numbers, random_numbers
from lxmls_day1.base.errors import InputError

Reals = NDArray[np.float64]


class Round(NamedTuple):
    """What one round of training did; the ``history`` of an online learner keeps one of these for each round.

    ``objective`` is the true one, over all training data, at the parameters that ``train`` would return if it stopped
    here; None where the learner minimises nothing, and without ``track_objective=True``.

    Examples
    --------
    The first example that is visited, x = −1, is a mistake, since of equal scores the first class is taken. No other is:

    >>> from lxmls_day1.classifiers import Perceptron
    >>> perceptron = Perceptron(nr_rounds=2, order=[1, 0])
    >>> params = perceptron.train([[2.0], [-1.0]], [0, 1])
    >>> [(round.number, round.updates, round.errors) for round in perceptron.history]
    [(1, 1, 1), (2, 0, 0)]
    """

    number: int  # 1, 2, …
    updates: int  # steps of this round that changed the weights beyond shrinking them
    seconds: float | None  # of training so far, without the objective; None where all rounds ran in one go
    objective: float | None
    errors: int | None = None  # labelled wrongly right before their step; None of structured learners
    validation: tuple[Any, ...] = ()  # of a corpus on disk: the lines of progressive validation (`Validation`)


class Learner(Protocol):
    """A linear classifier that can be trained."""

    classes: Any  # (K,): labels in ascending order, or None before training
    vector_names: list[str] | None  # the names of the columns
    trained: bool
    quadratic: bool  # whether the parameters hold rows for x² as well

    def get_name(self) -> str:
        """Its name in messages."""

    def check_settings(self) -> None:
        """Raise an InputError for settings that make no sense."""

    def scores_of_rows(self, X: Any, params: Reals) -> Reals:
        """The scores (M, K) of rows (M, J) without their column of ones."""


class Minimiser(Learner, Protocol):
    """A learner that minimises a mean loss plus a penalty."""

    def losses(self, scores: Reals, labels: NDArray[np.intp]) -> Reals | None:
        """The loss of each example (M,) from scores (M, K) and true columns (M,); None for a learner without one."""

    def penalty_of(self, params: Reals) -> float:
        """What its objective adds to the mean loss."""


class OnlineLearner(Minimiser, Protocol):
    """A rule with its settings, which the engine applies to one example after the other.

    A learner may have a method ``plan_steps(sq_norms, n_examples=None)`` as well, which looks at the training data before the first
    step: at ‖g(x)‖² of each example, or of a sample of ``n_examples``.
    """

    rule: ClassVar[Callable[..., Any]]  # see :class:`classifiers.online_classifier.OnlineClassifier`
    shrinks: bool  # whether a step shrinks the weights, by 1 − step · regularizer
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
        """The sizes of the steps t = first, …, first + count − 1."""

    def row_costs(self) -> Reals:
        """What the rule is told of the costs (K, K): row y is ρ(·, y)."""

    def finish(self, rows: Any, params: Reals, errors: int) -> Reals:
        """The parameters that ``train`` returns.

        Parameters
        ----------
        rows : lxmls_day1.engine.loops.objectives.MatrixRows, or the ShardRows of a corpus on disk
            All training examples, for another look at them.
        params : array (J + 1, K)
            The average of the weights.
        errors : int
            How many examples of the last round were labelled wrongly before their step.
        """


class BatchLearner(Minimiser, Protocol):
    """A learner that asks for the loss of all examples and its gradient, again and again."""

    solver: str
    n_jobs: int

    def minimise(self, log_loss: Any) -> Reals:
        """The parameters (J + 1, K) of least objective.

        Parameters
        ----------
        log_loss : lxmls_day1.engine.kernels.batch.LogLoss, StreamedLogLoss or ClusterLogLoss
            Computes the sum of the losses of all examples, and its gradient.
        """


class CountingLearner(Learner, Protocol):
    """A learner that needs the counts of words by class, and nothing else."""

    def estimate(self, X: Any, labels: NDArray[np.intp], word_counts: Reals, weights: Reals | None = None) -> Reals:
        """The parameters (J + 1, K).

        Parameters
        ----------
        X : array or csr_array (M, J)
            The documents, whose words are counted already; of a corpus on disk an empty one for each class.
        labels : int array (M,)
            The class of each document.
        word_counts : array (J, K)
            How often each word occurs in the documents of each class.
        weights : array (M,), optional
            How often each document counts.
        """


def shrinkage_of(learner: Any) -> float:
    """λ for a learner whose weights shrink, else 0."""
    return float(learner.regularizer) if learner.shrinks else 0.0


def average_of(learner: Any) -> str | bool:
    """Which average a learner returns, with True in words."""
    average: str | bool = "steps" if learner.averaged is True else learner.averaged
    return average


def can_resume(learner: Any) -> bool:
    """Whether :func:`lxmls_day1.engine.corpus_training.resume` goes on with the training of a learner.

    Examples
    --------
    >>> from lxmls_day1.classifiers import SVM
    >>> can_resume(SVM()), can_resume(SVM(solver="dual"))
    (True, False)
    """
    return hasattr(learner, "rule") and getattr(learner, "solver", None) != "dual"


def orders_of(learner: Any, n_examples: int, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
    """The examples of each round (R, M): shuffled by ``rng``, or by the learner's seed, unless its ``order`` names them."""
    nr_rounds = int(learner.nr_rounds)
    if learner.order is None:
        rng = random_numbers(learner.seed) if rng is None else rng
        orders = np.tile(np.arange(n_examples, dtype=np.int64), (nr_rounds, 1))
        for order in orders:
            rng.shuffle(order)
        return orders
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
    return order.astype(np.int64, copy=False)
