"""Forward-backward compared with a list of all tag sequences."""

from itertools import product

import numpy as np
import pytest

from classifiers.structured.forward_backward import backward, forward, log_partition, marginals, pair_marginals
from classifiers.structured.viterbi import ChainScores, path_score


def random_scores(rng, n_words, n_tags, size=1.0):
    shapes = [(n_words, n_tags), (n_tags, n_tags), n_tags, n_tags]
    return ChainScores(*(size * rng.normal(size=shape) for shape in shapes))


@pytest.mark.parametrize("size", [1.0, 40.0, 1000.0])
@pytest.mark.parametrize(("n_words", "n_tags"), [(1, 2), (2, 3), (3, 2), (4, 4), (5, 3)])
def test_sums_and_marginals_match_a_list_of_all_sequences(n_words, n_tags, size):
    scores = random_scores(np.random.default_rng(n_words), n_words, n_tags, size)
    paths = np.array(list(product(range(n_tags), repeat=n_words)))
    total = np.array([path_score(scores, path) for path in paths])
    log_z = np.logaddexp.reduce(total)
    p = np.exp(total - log_z)
    assert log_partition(scores) == pytest.approx(log_z, rel=1e-12, abs=1e-8)
    of_tags, of_pairs = np.zeros((n_words, n_tags)), np.zeros((n_words - 1, n_tags, n_tags))
    for path, share in zip(paths, p, strict=True):
        of_tags[np.arange(n_words), path] += share
        of_pairs[np.arange(n_words - 1), path[:-1], path[1:]] += share
    np.testing.assert_allclose(marginals(scores), of_tags, rtol=0, atol=1e-8)
    np.testing.assert_allclose(pair_marginals(scores), of_pairs, rtol=0, atol=1e-8)
    np.testing.assert_allclose(marginals(scores).sum(axis=1), 1.0, rtol=0, atol=1e-8)


def test_forward_and_backward_meet_at_every_word_and_leave_the_scores_alone():
    scores = random_scores(np.random.default_rng(0), 30, 5)
    before = ChainScores(*(part.copy() for part in scores))
    log_z = np.logaddexp.reduce(forward(scores) + backward(scores), axis=1)
    np.testing.assert_allclose(log_z, log_partition(scores), rtol=1e-12)
    assert all(map(np.array_equal, scores, before))
