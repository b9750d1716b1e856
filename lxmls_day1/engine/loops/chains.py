"""Sentences as the compiled loops of sequence tagging read them: searches, sums and losses over all of them, and rounds of learning."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.kernels import chain_rounds, chain_search, chain_sums
from lxmls_day1.engine.kernels.primitives import frozen
from lxmls_day1.engine.kernels.row_steps import Integers, Reals, Weights, check_rule, machine_code_of
from lxmls_day1.engine.loops.learners import average_of, orders_of, shrinkage_of


class Chains:
    """M sentences with N words in all, J features and K tags, perhaps with their true tags.

    Parameters
    ----------
    words : classifiers.structured.tag_features.TokenFeatures
        Of an older lab they have no values.
    shape : (int, int)
        Of the parameters W: 1 + J rows, K + 2 more with transitions, and K columns; see ``joint_features.py``.
    labels : int array (N,), optional
        The true tags.
    """

    def __init__(
        self, words: Any, n_features: int, shape: tuple[int, int], labels: NDArray[np.intp] | None = None
    ) -> None:
        labels = np.empty(0, np.int64) if labels is None else labels
        starts, indptr, indices, *values = words
        self.sentences = frozen(chain_search.Sentences(starts, indptr, indices, labels, n_features, *values))
        self.starts, self.indptr, self.indices, self.labels, self.n_features, self.values = self.sentences
        self.shape = shape

    def __len__(self) -> int:
        return len(self.starts) - 1

    def best_paths(self, W: Reals) -> Integers:
        """The tag sequence with the highest score, of each sentence, one behind the other (N,); without true tags."""
        return chain_rounds.search_of_kernels()(self.sentences, np.empty((0, 0)), W)[0]  # type: ignore[no-any-return]

    def hinge_losses(self, costs: Reals, W: Reals) -> Reals:
        """max_y' [s(y') + ρ(y', y)] − s(y) of each sentence (M,); row y of the costs (K, K) is ρ(·, y)."""
        return chain_rounds.search_of_kernels()(self.sentences, costs, W)[1]  # type: ignore[no-any-return]

    def log_losses(self, W: Reals) -> Reals:
        """−log p(y | x) of each sentence (M,)."""
        return chain_sums.sums_of_kernels()(self.sentences, W, _none(W), _none(W))  # type: ignore[no-any-return]

    def loss_and_gradient(self, W: Reals) -> tuple[float, Reals]:
        """Σ_m −log p(y | x), and its gradient of the shape of W: expected minus true counts."""
        gradient = np.zeros(W.shape)
        return float(chain_sums.sums_of_kernels()(self.sentences, W, gradient, _none(W)).sum()), gradient

    def marginals(self, W: Reals) -> Reals:
        """p(y_t = k | x) of each word and tag, (N, K); without true tags."""
        marginals = np.empty((len(self.indptr) - 1, W.shape[1]))
        chain_sums.sums_of_kernels()(self.sentences, W, _none(W), marginals)
        return marginals

    def after_descent(self, learner: Any, n_rounds: int) -> Reals:
        """W after the first rounds of a learner's stochastic gradient descent on the log loss, at most so many."""
        weights, shrinkage = Weights(*self.shape, averaged=False), shrinkage_of(learner)
        for number, order in enumerate(orders_of(learner, len(self))[:n_rounds]):
            sizes = learner.steps(1 + number * len(order), len(order))
            chain_sums.take_round_of_descent(self.sentences, shrinkage, weights, order, sizes)  # type: ignore[no-untyped-call]
        return weights.result()


def _none(W: Reals) -> Reals:
    return np.empty((0, W.shape[1]))


class ChainSteps:
    """The rule of a structured learner at work on sentences, as `RowSteps` is on rows.

    Parameters
    ----------
    learner : classifiers.structured.structured_classifier.StructuredClassifier
    sentences : Chains
        With their true tags.
    weights : Weights, optional
        To go on with; else they begin at 0.
    """

    errors = None  # nobody counts the sentences that were tagged wrongly
    sq_norms = None

    def __init__(self, learner: Any, sentences: Chains, weights: Weights | None = None) -> None:
        if getattr(learner.rule, "second_order", False):
            raise InputError(
                "second-order rules are for single examples; for tag sequences give a rule that takes only scores"
            )
        check_rule(learner.rule, 2, 1.0 - np.eye(2))
        self.weights = weights or Weights(*sentences.shape, average_of(learner) == "steps")
        costs, shrinkage = learner.row_costs(), shrinkage_of(learner)
        if learner.descends:
            take = functools.partial(chain_sums.take_round_of_descent, sentences.sentences, shrinkage, self.weights)
        elif learner.compiles() and (rule := machine_code_of(learner.rule, stacklevel=7)) is not None:
            take = functools.partial(
                chain_rounds.take_round, rule, sentences.sentences, costs, shrinkage, learner.augmented, self.weights
            )
        else:
            take = functools.partial(learner.take_round, sentences, costs, shrinkage, self.weights)
        self._take_round: Callable[[Integers, Reals], int] = take

    def take(self, orders: Integers, steps: Reals) -> Integers:
        """Go through the sentences for R rounds, in the orders (R, M) by steps (R·M,); how many of each changed the weights."""
        sizes = steps.reshape(orders.shape)
        return np.array([self._take_round(order, of_round) for order, of_round in zip(orders, sizes, strict=True)])
