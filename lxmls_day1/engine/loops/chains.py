"""Sentences in the format of the compiled loops for sequence tagging: search, sums, losses and rounds of learning."""

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.kernels import chain_rounds, chain_search, chain_sums
from lxmls_day1.engine.kernels.primitives import as_read_only, frozen
from lxmls_day1.engine.kernels.row_steps import Integers, Reals, Weights, check_rule, machine_code_of
from lxmls_day1.engine.loops.learners import average_of, orders_of, shrinkage_of


class Chains:
    """M sentences with a total of N words, J features and K tags, optionally with their true tags.

    Parameters
    ----------
    words : classifiers.structured.tag_features.TokenFeatures
        Token features from an older lab folder have no values.
    shape : (int, int)
        The shape of the parameters W: 1 + J rows (with transitions K + 2 more) and K columns; see ``joint_features.py``.
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
        """Return the tag sequence with the highest score of each sentence, concatenated (N,); needs no true tags."""
        no_costs = as_read_only(np.empty((0, 0)))
        return chain_rounds.find_best_paths(self.sentences, no_costs, as_read_only(W))[0]

    def hinge_losses(self, costs: Reals, W: Reals) -> Reals:
        """Return max_y' [s(y') + ρ(y', y)] − s(y) of each sentence (M,); row y of the costs (K, K) is ρ(·, y)."""
        costs = as_read_only(costs)
        return chain_rounds.find_best_paths(self.sentences, costs, as_read_only(W))[1]

    def log_losses(self, W: Reals) -> Reals:
        """Return −log p(y | x) of each sentence (M,)."""
        return chain_sums.sum_over_paths(self.sentences, as_read_only(W), _no_rows(W), _no_rows(W))

    def loss_and_gradient(self, W: Reals) -> tuple[float, Reals]:
        """Return Σ_m −log p(y | x), and its gradient, in the shape of W: expected minus true counts."""
        gradient = np.zeros(W.shape)
        return float(chain_sums.sum_over_paths(self.sentences, as_read_only(W), gradient, _no_rows(W)).sum()), gradient

    def marginals(self, W: Reals) -> Reals:
        """Return p(y_t = k | x) of each word and tag, (N, K); needs no true tags."""
        marginals = np.empty((len(self.indptr) - 1, W.shape[1]))
        chain_sums.sum_over_paths(self.sentences, as_read_only(W), _no_rows(W), marginals)
        return marginals

    def after_descent(self, learner: Any, n_rounds: int) -> Reals:
        """Return W after up to ``n_rounds`` rounds of a learner's stochastic gradient descent on the log loss."""
        weights, shrinkage = Weights(*self.shape, averaged=False), shrinkage_of(learner)
        for number, order in enumerate(itertools.islice(orders_of(learner, len(self)), n_rounds)):
            sizes = learner.steps(1 + number * len(order), len(order))
            chain_sums.run_sgd_round(self.sentences, shrinkage, weights, order, sizes)  # type: ignore[no-untyped-call]
        return weights.result()


def _no_rows(W: Reals) -> Reals:
    return np.empty((0, W.shape[1]))


class ChainSteps:
    """The rule of a structured learner applied to sentences; the counterpart of `RowSteps` for rows.

    Parameters
    ----------
    learner : classifiers.structured.structured_classifier.StructuredClassifier
    sentences : Chains
        Sentences with their true tags.
    weights : Weights, optional
        The weights to start from; default: zeros.
    """

    errors = None  # Wrongly tagged sentences are not counted.
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
            take = functools.partial(chain_sums.run_sgd_round, sentences.sentences, shrinkage, self.weights)
        elif learner.compiles() and (rule := machine_code_of(learner.rule, stacklevel=7)) is not None:
            take = functools.partial(
                chain_rounds.run_round, rule, sentences.sentences, costs, shrinkage, learner.augmented, self.weights
            )
        else:
            take = functools.partial(learner.take_round, sentences, costs, shrinkage, self.weights)
        self._take_round: Callable[[Integers, Reals], int] = take

    def run(self, orders: Integers, steps: Reals) -> Integers:
        """Run R rounds over the sentences, in the orders (R, M), with step sizes (R·M,); return the updates per round (R,)."""
        sizes = steps.reshape(orders.shape)
        return np.array([self._take_round(order, of_round) for order, of_round in zip(orders, sizes, strict=True)])
