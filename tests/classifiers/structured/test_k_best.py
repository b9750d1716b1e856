"""The k best tag sequences compared with a list of all, Hildreth's method with scipy, and k-best MIRA with its parts."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from classifiers.structured import StructuredMira
from classifiers.structured.k_best import hildreth, k_best_paths
from classifiers.structured.viterbi import ChainScores, path_score, viterbi
from lxmls_day1.engine.corpus_training import resume
from tests.made_data import random_sentences


def chain(rng, n_words, n_tags, whole):
    """Return scores of a sentence; integer scores often tie."""
    draw = (lambda *shape: rng.integers(-1, 2, shape).astype(float)) if whole else lambda *shape: rng.normal(size=shape)
    return ChainScores(draw(n_words, n_tags), draw(n_tags, n_tags), draw(n_tags), draw(n_tags))


@pytest.mark.parametrize("whole", [False, True])
def test_the_k_best_are_the_first_of_all_sequences_by_score(whole):
    rng = np.random.default_rng(0)
    for n_words, n_tags, k in itertools.product((1, 2, 4), (2, 3), (1, 2, 5, 200)):
        scores = chain(rng, n_words, n_tags, whole)
        every = list(itertools.product(range(n_tags), repeat=n_words))
        # A stable sort keeps ties in the order of the list.
        ordered = sorted(every, key=lambda path: -round(path_score(scores, path), 9))[:k]
        paths = k_best_paths(scores, k)
        assert paths.tolist() == [list(path) for path in ordered]
        np.testing.assert_array_equal(paths[0], viterbi(scores))


@pytest.mark.parametrize("cap", [0.05, 0.5, 50.0])
def test_hildreth_solves_the_quadratic_programme(cap):
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 6):
        deltas, lacking = rng.normal(size=(n, 8)), rng.normal(size=n) + 0.5
        gram = deltas @ deltas.T
        alpha = hildreth(gram, lacking, cap)

        def programme(a, gram=gram, lacking=lacking):
            return 0.5 * a @ gram @ a - lacking @ a, gram @ a - lacking

        settings = {"method": "L-BFGS-B", "bounds": [(0, cap)] * n, "options": {"ftol": 1e-15, "gtol": 1e-10}}
        solved = minimize(programme, np.zeros(n), jac=True, **settings)
        assert (alpha >= 0).all() and (alpha <= cap).all()
        np.testing.assert_allclose(alpha, solved.x, atol=1e-6)


@pytest.mark.parametrize("k", [2, 9])
def test_an_uncapped_step_makes_the_truth_lead_by_the_costs(k):
    X, y, _ = random_sentences(5)
    settings = {"regularizer": 1e-9, "k": k, "nr_rounds": 1, "averaged": False}
    tagger = StructuredMira(order=np.arange(9), **settings)
    params, state = resume(tagger, None, X, y)
    for sentence, tags in zip(X[3:], y[3:], strict=True):
        (before,) = tagger.get_scores([sentence], params)
        tagger.order = [0]
        params, state = resume(tagger, state, [sentence], [tags])
        (after,), truth = tagger.get_scores([sentence], params), np.array(tags)
        found = k_best_paths(before, k)
        assert len(found) == min(k, len(tagger.classes) ** len(truth))
        for path in found:
            lead = path_score(after, truth) - path_score(after, path)
            assert lead >= (path != truth).sum() - 1e-7
