"""The conditional random field compared with readable sums over tag sequences, and with maximum entropy if both are equal."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad, minimize

from classifiers import MaxEntBatch, MaxEntOnline
from classifiers.structured.crf import CRF, CRFObjective
from classifiers.structured.forward_backward import log_partition, marginals
from classifiers.structured.tag_features import FeatureIndex
from classifiers.structured.viterbi import path_score, viterbi

X_SAW = [("I", "saw", "it"), ("a", "saw", "cut", "it"), ("I", "cut", "a", "cut"), ("it",)]
Y_SAW = [("PRON", "VERB", "PRON"), ("DET", "NOUN", "VERB", "PRON"), ("PRON", "VERB", "DET", "NOUN"), ("PRON",)]
TEMPLATES = ["word", "suffix1", "word[-1]"]
EXACT = {"tolerance": 1e-14, "max_iterations": 2000}


def quietly_trained(learner, X, y):
    """Return the parameters without the warning; a tolerance below rounding is never reached."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learner.train(X, y)


@pytest.mark.parametrize("chain", [False, True])
def test_objective_and_marginals_match_the_readable_sums(chain):
    tagger = CRF(templates=TEMPLATES, transitions=chain, regularizer=0.3, solver="online", nr_rounds=2)
    params = 3 * tagger.train(X_SAW, Y_SAW)
    total = 0.0
    of_each = zip(Y_SAW, tagger.get_scores(X_SAW, params), tagger.get_marginals(X_SAW, params), strict=True)
    for tags, scores, found in of_each:
        np.testing.assert_allclose(found, marginals(scores), rtol=0, atol=1e-8)
        total += log_partition(scores) - path_score(scores, np.searchsorted(tagger.classes, tags))
    wanted = total / len(X_SAW) + 0.15 * (params**2).sum()
    assert tagger.objective(X_SAW, Y_SAW, params) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("chain", [False, True])
def test_training_reaches_the_optimum(chain):
    """Another optimiser, with slopes by differences of F, finds no better point; and the gradient is zero there."""
    tagger = CRF(templates=["word"], transitions=chain, regularizer=0.05, **EXACT)
    params = quietly_trained(tagger, X_SAW, Y_SAW)
    F = CRFObjective(tagger.sentences_of(X_SAW, Y_SAW), 0.05)
    value, gradient = F(params.ravel())
    assert value == pytest.approx(tagger.objective(X_SAW, Y_SAW, params), rel=1e-12)
    assert np.linalg.norm(gradient) < 1e-7
    x = np.random.default_rng(0).normal(size=params.size)
    assert check_grad(lambda x: F(x)[0], lambda x: F(x)[1], x) < 1e-5
    other = minimize(F, x, jac=True, method="BFGS", options={"gtol": 1e-9})
    assert value <= other.fun + 1e-9
    np.testing.assert_allclose(params.ravel(), other.x, atol=1e-4)


def one_word_sentences(n_tags):
    rng = np.random.default_rng(n_tags)
    words = ["".join(rng.choice(list("abc"), rng.integers(1, 5))) for _ in range(60)]
    y = np.concatenate([np.arange(n_tags), rng.integers(0, n_tags, 60 - n_tags)])
    templates = ["word", "prefix1", "suffix1", "suffix2"]
    index, (_, indptr, indices, _) = FeatureIndex.learn([[word] for word in words], templates)
    X = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(60, len(index)))
    return [[word] for word in words], [[tag] for tag in y], X, y, templates


@pytest.mark.parametrize("n_tags", [2, 3, 5])
def test_one_word_without_transitions_is_maximum_entropy(n_tags):
    sentences, tags, X, y, templates = one_word_sentences(n_tags)
    tagger = CRF(0.02, templates=templates, transitions=False, **EXACT)
    params = quietly_trained(tagger, sentences, tags)
    flat = MaxEntBatch(0.02, **EXACT)
    wanted = quietly_trained(flat, X, y)
    np.testing.assert_allclose(params, wanted, rtol=0, atol=1e-6)
    p = np.concatenate(tagger.get_marginals(sentences, params))
    np.testing.assert_allclose(p, flat.get_probabilities(X, params), rtol=0, atol=1e-12)
    assert tagger.objective(sentences, tags, params) == pytest.approx(flat.objective(X, y, params), rel=1e-12)


@pytest.mark.parametrize("averaged", ["steps", "last round", "rounds", False])
@pytest.mark.parametrize("n_tags", [2, 3])
def test_online_one_word_without_transitions_is_maximum_entropy_step_for_step(n_tags, averaged):
    sentences, tags, X, y, templates = one_word_sentences(n_tags)
    order = np.array([np.random.default_rng(1).permutation(60) for _ in range(3)])
    settings = {"nr_rounds": 3, "averaged": averaged, "order": order, "initial_step": 0.7, "alpha": 0.8}
    tagger = CRF(0.1, "online", templates=templates, transitions=False, delay=1, track_objective=True, **settings)
    flat = MaxEntOnline(0.1, track_objective=True, **settings)
    np.testing.assert_allclose(tagger.train(sentences, tags), flat.train(X, y), rtol=0, atol=1e-12)
    for mine, theirs in zip(tagger.history, flat.history, strict=True):
        assert mine.objective == pytest.approx(theirs.objective)


def test_both_solvers_lead_to_the_same_optimum():
    optimum = CRF(0.1, templates=TEMPLATES, **EXACT)
    best = optimum.objective(X_SAW, Y_SAW, quietly_trained(optimum, X_SAW, Y_SAW))
    online = CRF(0.1, "online", templates=TEMPLATES, nr_rounds=2000, averaged="last round", initial_step=0.5)
    reached = online.objective(X_SAW, Y_SAW, online.train(X_SAW, Y_SAW))
    assert best <= reached <= best * 1.001
    values = [iteration.objective for iteration in optimum.history]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("chain", [False, True])
def test_it_tags_by_the_best_sequence(chain):
    tagger = CRF(0.01, templates=TEMPLATES, transitions=chain)
    params = tagger.train(X_SAW, Y_SAW)
    paths = [viterbi(scores) for scores in tagger.get_scores(X_SAW, params)]
    assert tagger.test(X_SAW, params) == [tagger.classes[path].tolist() for path in paths]
