from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import MultinomialNB

from classifiers import multinomial_naive_bayes
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.loops import word_counting
from tests.wording import wording

# Manning, Raghavan, Schütze, Introduction to Information Retrieval, example 13.1: columns Chinese, Beijing, Shanghai,
# Macao, Tokyo, Japan; is the document about China?
TEXTBOOK_X = np.array([[2, 1, 0, 0, 0, 0], [2, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 1]])
TEXTBOOK_Y = np.array(["China", "China", "China", "not"])
TEXTBOOK_TEST = np.array([[3, 0, 0, 0, 1, 1]])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_textbook_example(form):
    mnb = MultinomialNaiveBayes(smooth_param=1)
    params = mnb.train(form(TEXTBOOK_X), TEXTBOOK_Y)
    np.testing.assert_allclose(mnb.prior, [3 / 4, 1 / 4])
    np.testing.assert_allclose(mnb.likelihood[0], [(5 + 1) / (8 + 6), (1 + 1) / (3 + 6)])
    np.testing.assert_allclose(mnb.likelihood[4], [(0 + 1) / (8 + 6), (1 + 1) / (3 + 6)])
    np.testing.assert_allclose(mnb.likelihood.sum(axis=0), 1)
    scores = mnb.get_scores(mnb.add_intercept_term(form(TEXTBOOK_TEST)), params)
    np.testing.assert_allclose(np.exp(scores), [[0.0003, 0.0001]], atol=6e-5)  # As printed in the book.
    assert mnb.test(form(TEXTBOOK_TEST), params) == ["China"]


@pytest.mark.parametrize("alpha", [0.01, 1.0, 10.0])
def test_agrees_with_scikit_learn(alpha):
    rng = np.random.default_rng(3)
    X, y = sp.csr_array(rng.poisson(0.3, (80, 30))), rng.integers(0, 4, 80)
    theirs = MultinomialNB(alpha=alpha).fit(X, y)
    ours = MultinomialNaiveBayes(smooth_param=alpha)
    params = ours.train(X, y)
    np.testing.assert_allclose(params[1:].T, theirs.feature_log_prob_)
    np.testing.assert_allclose(params[0], theirs.class_log_prior_)
    np.testing.assert_array_equal(ours.test(X, params), theirs.predict(X))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_an_unseen_word_rules_a_class_out_and_no_score_is_nan(form):
    mnb = MultinomialNaiveBayes(smooth=False)
    params = mnb.train(form([[2, 1, 0, 0], [1, 0, 1, 0]]), [0, 1])
    assert np.isneginf(params[2:4]).sum() == 2 and np.isneginf(params[4]).all()
    documents = form([[1, 1, 0, 0], [1, 0, 1, 0], [9, 0, 0, 0]])
    scores = mnb.get_scores(mnb.add_intercept_term(documents), params)
    p = [[1 / 2 * 2 / 3 * 1 / 3, 0], [0, 1 / 2 * (1 / 2) ** 2], [1 / 2 * (2 / 3) ** 9, 1 / 2 * (1 / 2) ** 9]]
    with np.errstate(divide="ignore"):  # log 0 = −∞
        np.testing.assert_allclose(scores, np.log(p))
    assert mnb.test(documents, params).tolist() == [0, 1, 0]
    assert mnb.n_ruled_out == 0


def test_documents_that_no_class_allows_fall_back_on_the_prior_with_one_warning():
    mnb = MultinomialNaiveBayes(smooth=False)
    params = mnb.train([[1, 0, 0], [0, 1, 0], [0, 1, 0]], ["a", "b", "b"])
    with pytest.warns(UserWarning, match=wording("classifiers.words_documents_rule_every")) as caught:
        y_hat = mnb.test([[1, 1, 0], [0, 0, 1], [5, 0, 0]], params)
    assert len(caught) == 1
    assert y_hat.tolist() == ["b", "b", "a"]
    assert mnb.n_ruled_out == 2
    mnb.test([[1, 0, 0]], params)
    assert mnb.n_ruled_out == 0


def test_documents_without_features_are_refused():
    with pytest.raises(InputError, match=wording("classifiers.documents_have_no_features")):
        MultinomialNaiveBayes().train(np.zeros((2, 0)), [0, 1])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_negative_counts_are_refused(form):
    counts = form([[1.0, 0.0], [0.0, -2.0]])
    with pytest.raises(InputError, match=wording("classifiers.not_negative_but_got")):
        MultinomialNaiveBayes().train(counts, [0, 1])
    mnb = MultinomialNaiveBayes()
    params = mnb.train(abs(counts), [0, 1])
    with pytest.raises(InputError, match=wording("classifiers.not_negative_but_got")):
        mnb.test(counts, params)


def test_poisson_lengths_are_weighted_by_the_formula():
    """The formula is log p(c) + log Poisson(|x|; μ_c) + log multinomial, up to a term that all classes share."""
    from scipy.stats import multinomial, poisson

    rng = np.random.default_rng(3)
    X, y = rng.poisson(rng.random((40, 6)) * 3), np.arange(40) % 3
    X[y == 1] *= 2
    for weights in (None, rng.random(40)):
        mnb = MultinomialNaiveBayes(length="poisson")
        params = mnb.train(X, y, weights)
        shares = np.ones(40) if weights is None else weights
        scores = []
        for k in range(3):
            length = np.average(X.sum(axis=1)[y == k], weights=shares[y == k])
            of_words = [multinomial.logpmf(x, x.sum(), mnb.likelihood[:, k]) for x in X]
            scores.append(np.log(mnb.prior[k]) + poisson.logpmf(X.sum(axis=1), length) + of_words)
        joint = np.array(scores).T
        p = np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])
        np.testing.assert_allclose(mnb.get_probabilities(X, params), p, atol=1e-10)
    same = MultinomialNaiveBayes().train(X, y)
    assert not np.allclose(same, params)


def test_lengths_are_those_of_the_documents_though_the_gap_adds_to_the_counts():
    source = Path(multinomial_naive_bayes.__file__).read_text(encoding="utf-8")
    in_place = source.replace("totals = alpha * X.shape[1] + word", "word_counts += alpha\n            totals = word")
    in_place = in_place.replace("(alpha + word_counts) / totals", "word_counts / totals")
    module = ModuleType("in_place")
    exec(compile(in_place, "in_place.py", "exec"), vars(module))
    X, y = np.array([[2.0, 1, 0], [2, 0, 1], [1, 0, 0], [1, 1, 2]]), list("cccj")
    for length in ("same", "poisson"):
        found, expected = (kind(length=length) for kind in (module.MultinomialNaiveBayes, MultinomialNaiveBayes))
        np.testing.assert_allclose(found.train(X, y), expected.train(X, y))
    assert in_place.count("word_counts += alpha") == in_place.count("= word_counts / totals") == 1


@pytest.mark.parametrize("settings", [{}, {"smooth": False}, {"smooth_param": 0.5, "length": "poisson"}])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_words_are_estimated_in_parts(monkeypatch, settings, weighted):
    rng = np.random.default_rng(3)
    X, y, weights = rng.poisson(0.8, (30, 23)), np.arange(30) % 3, rng.integers(1, 4, 30) if weighted else None
    whole, parts = MultinomialNaiveBayes(**settings), MultinomialNaiveBayes(**settings)
    expected = whole.train(X, y, weights)
    monkeypatch.setattr(word_counting, "_MAX_UNSPLIT_NUMBERS", 12)
    monkeypatch.setattr(word_counting, "_NUMBERS_PER_BLOCK", 12)
    np.testing.assert_allclose(parts.train(X, y, weights), expected, rtol=1e-14)
    np.testing.assert_allclose(parts.likelihood, whole.likelihood, rtol=1e-14)
    np.testing.assert_array_equal(parts.prior, whole.prior)
