import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers.max_ent_model import softmax
from classifiers.solvers.iterative_scaling import iterative_scaling, scale_max_ent, with_slack, without_slack


def noisy_counts(seed, n_examples=60, n_features=4, n_classes=3):
    """Return counts in which every word occurs with every class, so no class is excluded and nothing is separable."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, size=(n_examples, n_features)).astype(float)
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_examples - n_classes)])
    return X, labels


def joint_features(X, n_classes):
    """Return every f(x, y) with its slack feature, as a dense array (M, K, (J + 2) K)."""
    g = np.hstack([np.ones((len(X), 1)), X])
    total = g.sum(axis=1).max()
    g = np.hstack([g, total - g.sum(axis=1, keepdims=True)])
    features = np.zeros((len(X), n_classes, g.shape[1] * n_classes))
    for y in range(n_classes):
        features[:, y, y::n_classes] = g
    return features, total


def multiplicative(X, labels, n_classes, n_iterations):
    """Scale factors as in the textbook: they start at 1, and each is multiplied by the V-th root of the ratio of expectations.

    Yields the probabilities (M, K) before each iteration.
    """
    features, total = joint_features(X, n_classes)
    empirical = features[np.arange(len(X)), labels].mean(axis=0)
    factors = np.ones(features.shape[2])
    for _ in range(n_iterations):
        p = np.prod(factors**features, axis=2)
        p /= p.sum(axis=1, keepdims=True)
        yield p
        expected = np.einsum("my,myi->i", p, features) / len(X)
        seen = empirical > 0
        factors[seen] *= (empirical[seen] / expected[seen]) ** (1 / total)


def probabilities(X, params):
    return softmax(X @ params[1:] + params[0])


@pytest.mark.parametrize("sparse", [False, True])
def test_iterations_match_the_textbooks_multiplications(sparse):
    X, labels = noisy_counts(0)
    X[labels == 1, 2] = 0  # One word never occurs with class 1.
    data = sp.csr_array(X) if sparse else X
    for theirs, ours in zip(multiplicative(X, labels, 3, 20), scale_max_ent(data, labels, 3), strict=False):
        np.testing.assert_allclose(probabilities(X, ours.weights), theirs, atol=1e-10)
        assert ours.objective == pytest.approx(-np.log(theirs[np.arange(len(X)), labels]).mean())


def test_the_guides_dice():
    """The result is 1/12 for each of 1, 2, 3 and 1/4 for each of 4, 5, 6: the guide, section 1.5.1 (which prints 1, 2, 3 twice)."""
    groups = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]).T  # (6 faces, 2 features)

    def face_probabilities(weights):
        return softmax((groups @ weights)[None, :])[0]

    def model(weights):
        return 0.0, groups.T @ face_probabilities(weights)

    iterations = itertools.islice(iterative_scaling(np.array([10 / 40, 30 / 40]), model, total=1.0), 10)
    *_, last = iterations
    np.testing.assert_allclose(face_probabilities(last.weights), [1 / 12] * 3 + [1 / 4] * 3)
    assert last.mismatch < 1e-12


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_weights_without_the_slack_feature_give_the_same_scores(seed):
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(7, 3))
    features, total = with_slack(X)
    np.testing.assert_allclose(features.sum(axis=1), total)
    assert (features >= 0).all()
    weights = rng.normal(size=(5, 4))
    params = without_slack(weights, total)
    np.testing.assert_allclose(X @ params[1:] + params[0], features @ weights)
