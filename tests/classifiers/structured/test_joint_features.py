"""Φ(x, y) as a list of entries compared with Φ written out as a matrix."""

import numpy as np
import pytest

from classifiers.structured.joint_features import Layout
from classifiers.structured.tag_features import TokenFeatures
from classifiers.structured.viterbi import path_score


def random_words(rng, n_features, lengths, valued):
    starts = np.concatenate([[0], np.cumsum(lengths)])
    has = (rng.random((starts[-1], n_features)) < 0.5) * (rng.normal(size=(starts[-1], n_features)) if valued else 1.0)
    indptr, values = np.concatenate([[0], np.cumsum((has != 0).sum(axis=1))]), has[has != 0] if valued else np.empty(0)
    return TokenFeatures(starts, indptr, np.nonzero(has)[1], values), has


def dense(layout, has, path):
    phi, n_flat = np.zeros(layout.shape), 1 + layout.n_features
    for t, tag in enumerate(path):
        phi[0, tag] += 1
        phi[1:n_flat, tag] += has[t]
        if layout.transitions:
            phi[n_flat + (layout.n_tags if t == 0 else path[t - 1]), tag] += 1
    if layout.transitions:
        phi[-1, path[-1]] += 1
    return phi


@pytest.mark.parametrize("transitions", [True, False])
@pytest.mark.parametrize("valued", [False, True], ids=["ones", "values"])
def test_parts_difference_and_scores(transitions, valued):
    rng, layout = np.random.default_rng(2), Layout(6, 3, transitions)
    words, has = random_words(rng, 6, [4, 1, 3, 6], valued)
    W = rng.normal(size=layout.shape)
    for m in range(4):
        first, end = words.starts[m : m + 2]
        truth, rival = rng.integers(0, 3, (2, end - first), dtype=np.intp)
        phi, phi_of_rival = dense(layout, has[first:end], truth), dense(layout, has[first:end], rival)
        listed = np.bincount(*layout.parts(words, m, truth), minlength=phi.size).reshape(layout.shape)
        np.testing.assert_allclose(listed, phi, rtol=0, atol=1e-12 if valued else 0)
        entries, values = layout.difference(words, m, truth, rival)
        built = np.zeros(phi.size)
        built[entries] = values
        np.testing.assert_allclose(built.reshape(layout.shape), phi - phi_of_rival, rtol=0, atol=1e-12 if valued else 0)
        assert len(np.unique(entries)) == len(entries) and values.all()
        assert path_score(layout.scores(words, m, W), truth) == pytest.approx((W * phi).sum())


def test_common_parts_of_two_sequences_cancel():
    """AABA and ABAA over four equal words: different sequences, the same Φ."""
    words = TokenFeatures(np.array([0, 4]), np.arange(5), np.zeros(4, dtype=int))
    entries, values = Layout(1, 2, True).difference(words, 0, np.array([0, 0, 1, 0]), np.array([0, 1, 0, 0]))
    assert len(entries) == len(values) == 0
