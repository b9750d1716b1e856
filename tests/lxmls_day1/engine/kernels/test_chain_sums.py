"""Sums over tag sequences compared with lists of all sequences and finite differences, and the twins compared with each other."""

from itertools import product

import numpy as np
import pytest

from classifiers.structured.joint_features import Layout
from lxmls_day1.engine.kernels import chain_sums
from lxmls_day1.engine.kernels.chain_search import Sentences
from lxmls_day1.engine.kernels.primitives import as_read_only, frozen
from lxmls_day1.engine.kernels.row_steps import Weights
from lxmls_day1.engine.loops.chains import Chains
from tests.made_data import encoded_sentences


def chains_of(sentences, W):
    return Chains((*sentences[:3], sentences.values), sentences.n_features, W.shape, sentences.labels)


def some_weights(rng, chain, n_tags, n_features=5, size=1.0):
    return size * rng.normal(size=(1 + n_features + (n_tags + 2) * chain, n_tags))


def phi(sentences, m, path, shape):
    """Return Φ(x, y) as a matrix of the shape of W."""
    layout = Layout(sentences.n_features, shape[1], shape[0] > 1 + sentences.n_features)
    return np.bincount(*layout.parts(sentences, m, np.array(path)), minlength=shape[0] * shape[1]).reshape(shape)


def by_listing(sentences, W):
    """Return the loss of each sentence, the gradient of their sum, and all marginals, by listing all sequences."""
    losses, gradient, marginals = [], np.zeros(W.shape), []
    for m, (begin, end) in enumerate(zip(sentences.starts[:-1], sentences.starts[1:], strict=True)):
        paths = list(product(range(W.shape[1]), repeat=end - begin))
        features = [phi(sentences, m, path, W.shape) for path in paths]
        scores = np.array([(W * counts).sum() for counts in features])
        log_z = np.logaddexp.reduce(scores)
        p = np.exp(scores - log_z)
        truth = paths.index(tuple(sentences.labels[begin:end].tolist()))
        losses.append(log_z - scores[truth])
        gradient += sum(share * counts for share, counts in zip(p, features, strict=True)) - features[truth]
        tags = np.eye(W.shape[1])[np.array(paths)]  # (paths, T, K)
        marginals.append(np.tensordot(p, tags, axes=1))
    return np.array(losses), gradient, np.concatenate(marginals)


@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("size", [1.0, 30.0, 900.0])
@pytest.mark.parametrize("twin", [False, True], ids=["compiled", "NumPy"])
@pytest.mark.parametrize("valued", [False, True], ids=["ones", "values"])
def test_sums_match_a_list_of_all_sequences(chain, size, twin, valued):
    """Loss, gradient and marginals agree within 1e-8, for sentences of one to five words with scores of any size."""
    rng = np.random.default_rng(int(chain))
    compute = chain_sums._log_partition_in_numpy if twin else chain_sums.sum_over_paths
    for n_tags in (2, 3, 4):
        sentences = encoded_sentences(rng, n_tags, [1, 2, 3, 1, 4, 5 if n_tags < 4 else 4, 2], valued=valued)
        W = some_weights(rng, chain, n_tags, size=size)
        losses, gradient, marginals = by_listing(sentences, W)
        G, P = np.zeros(W.shape), np.empty(marginals.shape)
        found = compute(frozen(sentences), as_read_only(W), G, np.empty((0, n_tags)))
        assert np.allclose(found, losses, rtol=1e-11, atol=1e-8)
        assert np.allclose(G, gradient, rtol=0, atol=1e-8)
        unlabelled = frozen(sentences._replace(labels=np.empty(0, np.int64)))
        compute(unlabelled, as_read_only(W), np.empty((0, n_tags)), P)
        assert np.allclose(P, marginals, rtol=0, atol=1e-8)


def test_sums_are_right_where_the_fast_sum_underflows():
    """A tag is hopeless after the words before it, but the only tag that fits those after it: exp(a − a_max) is 0 for it."""
    sentences = Sentences(np.array([0, 3]), np.array([0, 1, 1, 1]), np.array([0], np.int32), np.array([1, 1, 1]), 1)
    W = np.zeros((2 + 4, 2))
    W[1] = [2000.0, 0.0]  # The first word prefers tag 0.
    W[2:4] = [[0.0, -5000.0], [0.0, 0.0]]  # Tag 1 cannot follow tag 0.
    W[5] = [-9000.0, 0.0]  # The last tag must be 1.
    losses, gradient, marginals = by_listing(sentences, W)
    G = np.zeros(W.shape)
    assert np.allclose(chains_of(sentences, W).log_losses(W), losses, atol=1e-8)
    chain_sums.sum_over_paths(frozen(sentences), as_read_only(W), G, np.empty((0, 2)))
    assert np.allclose(G, gradient, atol=1e-8)
    found = Chains(sentences[:3], 1, W.shape).marginals(W)  # Words of an older lab have no values.
    assert np.allclose(found, marginals, atol=1e-8)
    assert np.allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("averages", [True, False])
@pytest.mark.parametrize("valued", [False, True], ids=["ones", "values"])
def test_a_round_of_descent_matches_the_naive_one(chain, averages, valued):
    """W after each step is computed from its definition, with all of Φ and W; the factors 1 − η λ include 0 and a negative one."""
    rng = np.random.default_rng(5)
    sentences = encoded_sentences(rng, 3, [1, 3, 2, 4, 1, 2], valued=valued)
    order, steps, shrinkage = rng.permutation(12) % 6, 0.3 + rng.random(12), 0.7
    steps[4], steps[8] = 1 / 0.7, 2.0
    W, mean = np.zeros(some_weights(rng, chain, 3).shape), 0.0
    for m, step in zip(order, steps, strict=True):
        begin, end = sentences.starts[m], sentences.starts[m + 1]
        one = Sentences(
            np.array([0, end - begin]),
            sentences.indptr[begin : end + 1] - sentences.indptr[begin],
            sentences.indices[sentences.indptr[begin] : sentences.indptr[end]],
            sentences.labels[begin:end],
            sentences.n_features,
            sentences.values[sentences.indptr[begin] : sentences.indptr[end]],
        )
        W = (1 - step * shrinkage) * W - step * by_listing(one, W)[1]
        mean = mean + W / len(order)
    order, steps = as_read_only(order), as_read_only(steps)
    for descent in (chain_sums._sgd_round, chain_sums._sgd_round_in_numpy):
        weights = Weights(*W.shape, averages)
        descent(frozen(sentences), order, steps, shrinkage, weights.V, weights.U, weights.state)
        weights.n_steps += len(order)
        assert np.allclose(weights.current(), W, atol=1e-10)
        assert np.allclose(weights.result(), mean if averages else W, atol=1e-10)


@pytest.mark.parametrize("chain", [False, True])
def test_values_of_one_give_the_bits_of_features_without_values(chain):
    rng = np.random.default_rng(8)
    sentences = encoded_sentences(rng, 3, [4, 1, 3, 6, 2])
    ones = sentences._replace(values=np.ones(len(sentences.indices)))
    W, order, steps = as_read_only(some_weights(rng, chain, 3)), rng.permutation(10) % 5, 0.3 + rng.random(10)
    for compute in (chain_sums._log_partition_in_numpy, chain_sums.sum_over_paths):
        found = []
        for each in (sentences, ones):
            G, P = np.zeros(W.shape), np.empty((16, 3))
            losses = compute(frozen(each), W, G, np.empty((0, 3)))
            compute(frozen(each._replace(labels=np.empty(0, np.int64))), W, np.empty((0, 3)), P)
            found.append((losses, G, P))
        for without, of_ones in zip(*found, strict=True):
            np.testing.assert_array_equal(of_ones, without)
    for descent in (chain_sums._sgd_round, chain_sums._sgd_round_in_numpy):
        one, other = Weights(*W.shape, True), Weights(*W.shape, True)
        descent(frozen(sentences), order, steps, 0.7, one.V, one.U, one.state)
        descent(frozen(ones), order, steps, 0.7, other.V, other.U, other.state)
        np.testing.assert_array_equal(other.V, one.V)
        np.testing.assert_array_equal(other.U, one.U)
