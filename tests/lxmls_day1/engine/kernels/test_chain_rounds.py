"""The compiled search, losses and updates of sequence tagging, compared with lists of all tag sequences of a sentence."""

from itertools import product

import numpy as np
import pytest

from classifiers import Mira, Perceptron, compiled
from classifiers.structured.joint_features import Layout
from lxmls_day1.engine.kernels import chain_rounds as kernels
from lxmls_day1.engine.kernels.chain_search import Sentences
from lxmls_day1.engine.kernels.primitives import COMPILES, as_read_only, frozen
from lxmls_day1.engine.kernels.row_steps import Weights, machine_code_of
from lxmls_day1.engine.loops.chains import Chains
from tests.made_data import encoded_sentences

N_FEATURES, MAX_TAGS = 5, 4


@compiled
def half_norm_rule(scores, label, sq_norm, step, cost):
    """Return d = (−sq_norm, sq_norm), so that the weights show the rule's argument."""
    return np.array([-sq_norm, sq_norm])


@compiled
def dividing_rule(scores, label, sq_norm, step, cost):
    return np.array([-1.0, 1.0]) / sq_norm


needs_machine_code = pytest.mark.skipif(not COMPILES, reason="without numba rounds run in Python")


def random_weights(rng, n_tags, chain=True):
    """Return small random integers: ties are common, and every sum is exact."""
    return rng.integers(-2, 3, (N_FEATURES + 1 + (n_tags + 2) * chain, n_tags)).astype(float)


def scored_sequences(sentences, m, W, chain):
    """Return every tag sequence of sentence m in lexicographic order, and its score w · Φ(x, y)."""
    layout, n_words = Layout(N_FEATURES, W.shape[1], chain), sentences.starts[m + 1] - sentences.starts[m]
    sequences = list(product(range(W.shape[1]), repeat=n_words))
    parts = [layout.parts(sentences, m, np.array(path)) for path in sequences]
    return sequences, np.array([(W.flat[entries] * amounts).sum() for entries, amounts in parts])


@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("n_tags", range(1, MAX_TAGS + 1))
@pytest.mark.parametrize("valued", [False, True], ids=["ones", "values"])
def test_best_paths_are_the_first_best_ones_of_all(n_tags, chain, valued):
    rng = np.random.default_rng(n_tags)
    sentences = encoded_sentences(rng, n_tags, rng.integers(1, 7 if n_tags < 4 else 6, 12), valued=valued)
    sentences = sentences._replace(values=np.round(4 * sentences.values) / 2)  # Sums of halves are exact, too.
    W = random_weights(rng, n_tags, chain)
    found = Chains((*sentences[:3], sentences.values), N_FEATURES, W.shape).best_paths(W)
    for m, (first, end) in enumerate(zip(sentences.starts[:-1], sentences.starts[1:], strict=True)):
        sequences, scores = scored_sequences(sentences, m, W, chain)
        assert tuple(found[first:end]) == sequences[np.argmax(scores)]


@pytest.mark.parametrize("chain", [True, False])
@pytest.mark.parametrize("valued", [False, True], ids=["ones", "values"])
def test_hinge_losses_are_the_largest_violation_of_all(chain, valued):
    rng, n_tags = np.random.default_rng(7), 3
    sentences = encoded_sentences(rng, n_tags, rng.integers(1, 7, 12), valued=valued)
    W, cost = random_weights(rng, n_tags, chain), rng.random((n_tags, n_tags))
    np.fill_diagonal(cost, 0.0)
    all_chains = Chains((*sentences[:3], sentences.values), N_FEATURES, W.shape, sentences.labels)
    losses, costs = all_chains.hinge_losses(np.ascontiguousarray(cost.T), W), np.ascontiguousarray(cost.T)
    np.testing.assert_allclose(kernels._viterbi_in_numpy(sentences, costs, W)[1], losses, rtol=0, atol=1e-12)
    for m, (first, end) in enumerate(zip(sentences.starts[:-1], sentences.starts[1:], strict=True)):
        truth = sentences.labels[first:end].tolist()
        sequences, scores = scored_sequences(sentences, m, W, chain)
        costs = np.array([cost[list(path), truth].sum() for path in sequences])
        assert losses[m] == pytest.approx((scores + costs).max() - scores[sequences.index(tuple(truth))], abs=1e-12)
        assert losses[m] >= 0


@needs_machine_code
@pytest.mark.parametrize("n_tags", [2, 17])
@pytest.mark.parametrize("valued", [False, True], ids=["ones", "values"])
def test_a_rule_receives_the_squared_norm_of_long_sentences(n_tags, valued):
    """Hundreds of words share features, so thousands of entries meet in the table and many cancel."""
    rng, n_words, n_features = np.random.default_rng(n_tags), 300, 2000
    features = [np.unique(rng.zipf(1.3, 30) % n_features) for _ in range(n_words)]
    indptr = np.concatenate([[0], np.cumsum([len(of_word) for of_word in features])]).astype(np.int64)
    labels = rng.integers(0, n_tags, n_words)
    starts = np.array([0, 100, n_words])
    values = rng.normal(size=indptr[-1]) if valued else np.empty(0)
    sentences = Sentences(starts, indptr, np.concatenate(features).astype(np.int32), labels, n_features, values)
    layout = Layout(n_features, n_tags, transitions=True)
    weights = Weights(*layout.shape, averaged=False)
    rule, costs = machine_code_of(half_norm_rule), 1.0 - np.eye(n_tags)
    for m in (1, 0, 1):
        found = Chains((*sentences[:3], values), n_features, layout.shape).best_paths(weights.current())
        words = slice(starts[m], starts[m + 1])
        _, difference = layout.difference(sentences, m, labels[words], found[words])
        before = weights.current()
        kernels.run_round(rule, sentences, costs, 0.0, False, weights, np.array([m]), np.ones(1))
        change, wanted = abs(weights.current() - before).max(), abs(difference).max() * 0.5 * (difference**2).sum()
        assert change == wanted > 0.0 if not valued else change == pytest.approx(wanted, rel=1e-9) and wanted > 0.0


@needs_machine_code
@pytest.mark.parametrize("averaged", [False, True])
def test_values_of_one_give_the_bits_of_features_without_values(averaged):
    rng = np.random.default_rng(3)
    sentences = encoded_sentences(rng, 3, [4, 1, 3, 6, 2])
    ones = sentences._replace(values=np.ones(len(sentences.indices)))
    W, costs, order = as_read_only(random_weights(rng, 3)), as_read_only(1.0 - np.eye(3)), np.arange(30) % 5
    found = [kernels.find_best_paths(frozen(each), costs, W) for each in (sentences, ones)]
    for without, of_ones in zip(*found, strict=True):
        np.testing.assert_array_equal(of_ones, without)
    for rule in (Mira.rule, Perceptron.rule):
        results = []
        for each in (sentences, ones):
            weights = Weights(*W.shape, averaged)
            kernels.run_round(machine_code_of(rule), each, costs, 0.1, True, weights, order, np.ones(30))
            results.append(weights.result())
        np.testing.assert_array_equal(*results)


@needs_machine_code
def test_rounding_errors_of_equal_sums_are_not_a_difference():
    """Both sequences have two words of each tag, and features that sum to 0.3; but 0.1 + 0.2 − 0.3 is not 0, and the rule divides by it."""
    values, truth, rival = np.array([0.1, 0.2, 0.3, 0.0]), np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    sentences = Sentences(np.array([0, 4]), np.arange(5), np.zeros(4, np.int32), truth, 1, values)
    layout, costs = Layout(1, 2, False), 1.0 - np.eye(2)
    assert [array.tolist() for array in layout.difference(sentences, 0, truth, rival)] == [[], []]
    assert layout.difference(sentences, 0, truth, np.array([0, 1, 0, 1]))[0].tolist() == [2, 3]
    weights, rule = Weights(*layout.shape, averaged=False), machine_code_of(dividing_rule)
    assert kernels.run_round(rule, sentences, costs, 0.0, True, weights, np.array([0]), np.ones(1)) == 0
    assert not weights.V.any()
