"""Viterbi's search compared with a list of every tag sequence, including ties."""

from itertools import product

import numpy as np
import pytest

from classifiers.structured.viterbi import ChainScores, cost_augmented, path_score, viterbi


def all_sequences(n_words, n_tags):
    """Return every tag sequence, in lexicographic order: (K^T, T)."""
    return np.array(list(product(range(n_tags), repeat=n_words)))


def all_scores(scores, sequences):
    """Return s(y) by its definition, for many sequences at once."""
    totals = scores.start[sequences[:, 0]] + scores.stop[sequences[:, -1]]
    for t in range(sequences.shape[1]):
        totals = totals + scores.emissions[t, sequences[:, t]]
        if t:
            totals = totals + scores.transitions[sequences[:, t - 1], sequences[:, t]]
    return totals


def random_scores(rng, n_words, n_tags, whole):
    def draw(*shape):
        return rng.integers(-2, 3, shape).astype(float) if whole else rng.normal(size=shape)

    return ChainScores(draw(n_words, n_tags), draw(n_tags, n_tags), draw(n_tags), draw(n_tags))


@pytest.mark.parametrize("n_words", range(1, 7))
@pytest.mark.parametrize("n_tags", range(1, 5))
def test_viterbi_matches_the_argmax_over_all_sequences(n_words, n_tags):
    """With small integers ties are common and exact: in most of these cases several sequences are best."""
    rng, sequences, nr_ties = np.random.default_rng(n_words * 10 + n_tags), all_sequences(n_words, n_tags), 0
    for _ in range(30):
        scores = random_scores(rng, n_words, n_tags, whole=True)
        totals = all_scores(scores, sequences)
        nr_ties += (totals == totals.max()).sum() > 1
        np.testing.assert_array_equal(viterbi(scores), sequences[np.argmax(totals)])
    assert nr_ties > 0 or n_tags == 1 or n_words == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_score_of_a_path_is_the_sum_of_its_parts(seed):
    rng = np.random.default_rng(seed)
    scores, sequences = random_scores(rng, 4, 3, whole=True), all_sequences(4, 3)
    assert [path_score(scores, sequence) for sequence in sequences] == all_scores(scores, sequences).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("hamming", [True, False])
@pytest.mark.parametrize(("n_words", "n_tags"), [(1, 3), (3, 2), (5, 3), (6, 4)])
def test_the_cost_augmented_search_maximises_score_plus_cost(n_words, n_tags, hamming):
    rng, sequences = np.random.default_rng(n_words), all_sequences(n_words, n_tags)
    for _ in range(20):
        scores, truth = random_scores(rng, n_words, n_tags, whole=True), rng.integers(0, n_tags, n_words)
        cost = np.ones((n_tags, n_tags)) if hamming else rng.integers(0, 5, (n_tags, n_tags)).astype(float)
        np.fill_diagonal(cost, 0.0)
        costs = np.array([sum(cost[tag, true] for tag, true in zip(s, truth, strict=True)) for s in sequences])
        if hamming:
            np.testing.assert_array_equal(costs, (sequences != truth).sum(axis=1))
        best = sequences[np.argmax(all_scores(scores, sequences) + costs)]
        np.testing.assert_array_equal(viterbi(cost_augmented(scores, truth, cost)), best)
