"""The compiled search, losses and updates of sequence tagging against all tag sequences of a sentence."""

from itertools import product

import numpy as np
import pytest

from classifiers.online_classifier import compiled
from classifiers.structured.joint_features import Layout
from lxmls_day1.engine.chains import Chains
from lxmls_day1.engine.compiled import chains as kernels
from lxmls_day1.engine.compiled.chain_search import Sentences
from lxmls_day1.engine.compiled.online_steps import Weights, machine_code_of
from lxmls_day1.engine.compiled.primitives import COMPILES
from tests.made_data import encoded_sentences

N_FEATURES, MAX_TAGS = 5, 4


@compiled
def half_norm_rule(scores, label, sq_norm, step, cost):
    """τ = sq_norm: the weights show what the rule was told."""
    return np.array([-sq_norm, sq_norm])


needs_machine_code = pytest.mark.skipif(not COMPILES, reason="without numba rounds run in Python")


def random_weights(rng, n_tags, chain=True):
    """Small whole numbers: ties are common, and every sum is exact."""
    return rng.integers(-2, 3, (N_FEATURES + 1 + (n_tags + 2) * chain, n_tags)).astype(float)


def scored_sequences(sentences, m, W, chain):
    """Every tag sequence of sentence m in lexicographic order, and its score w · Φ(x, y)."""
    layout, n_words = Layout(N_FEATURES, W.shape[1], chain), sentences.starts[m + 1] - sentences.starts[m]
    sequences = list(product(range(W.shape[1]), repeat=n_words))
    return sequences, np.array([W.flat[layout.parts(sentences, m, np.array(path))].sum() for path in sequences])


@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("n_tags", range(1, MAX_TAGS + 1))
def test_best_paths_are_the_first_best_ones_of_all(n_tags, chain):
    rng = np.random.default_rng(n_tags)
    sentences = encoded_sentences(rng, n_tags, rng.integers(1, 7 if n_tags < 4 else 6, 12))
    W = random_weights(rng, n_tags, chain)
    found = Chains(sentences[:3], N_FEATURES, W.shape).best_paths(W)
    for m, (first, end) in enumerate(zip(sentences.starts[:-1], sentences.starts[1:], strict=True)):
        sequences, scores = scored_sequences(sentences, m, W, chain)
        assert tuple(found[first:end]) == sequences[np.argmax(scores)]


@pytest.mark.parametrize("chain", [True, False])
def test_hinge_losses_are_the_largest_violation_of_all(chain):
    rng, n_tags = np.random.default_rng(7), 3
    sentences, W = encoded_sentences(rng, n_tags, rng.integers(1, 7, 12)), random_weights(rng, n_tags, chain)
    cost = rng.random((n_tags, n_tags))
    np.fill_diagonal(cost, 0.0)
    losses = Chains(sentences[:3], N_FEATURES, W.shape, sentences.labels).hinge_losses(np.ascontiguousarray(cost.T), W)
    for m, (first, end) in enumerate(zip(sentences.starts[:-1], sentences.starts[1:], strict=True)):
        truth = sentences.labels[first:end].tolist()
        sequences, scores = scored_sequences(sentences, m, W, chain)
        costs = np.array([cost[list(path), truth].sum() for path in sequences])
        assert losses[m] == pytest.approx((scores + costs).max() - scores[sequences.index(tuple(truth))], abs=1e-12)
        assert losses[m] >= 0


@needs_machine_code
@pytest.mark.parametrize("n_tags", [2, 17])
def test_a_rule_is_told_the_squared_norm_of_long_sentences(n_tags):
    """Hundreds of words that share features, so that thousands of entries meet in the table and many cancel."""
    rng, n_words, n_features = np.random.default_rng(n_tags), 300, 2000
    features = [np.unique(rng.zipf(1.3, 30) % n_features) for _ in range(n_words)]
    indptr = np.concatenate([[0], np.cumsum([len(of_word) for of_word in features])]).astype(np.int64)
    labels = rng.integers(0, n_tags, n_words)
    starts = np.array([0, 100, n_words])
    sentences = Sentences(starts, indptr, np.concatenate(features).astype(np.int32), labels, n_features)
    layout = Layout(n_features, n_tags, transitions=True)
    weights = Weights(*layout.shape, averaged=False)
    rule, costs = machine_code_of(half_norm_rule), 1.0 - np.eye(n_tags)
    for m in (1, 0, 1):
        path = Chains(sentences[:3], n_features, layout.shape).best_paths(weights.current())[starts[m] : starts[m + 1]]
        _, values = layout.difference(sentences, m, labels[starts[m] : starts[m + 1]], path)
        before = weights.current()
        kernels.take_round(rule, sentences, costs, 0.0, False, weights, np.array([m]), np.ones(1))
        step = 0.5 * (values**2).sum()
        assert abs(weights.current() - before).max() == abs(values).max() * step > 0.0
