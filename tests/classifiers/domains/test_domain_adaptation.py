"""Feature augmentation and structural correspondences agree with their full formulas, and help on domains made for them."""

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers.domains import domain_adaptation
from classifiers.max_ent_batch import MaxEntBatch
from classifiers.nbsvm import NBSVM
from classifiers.perceptron import Perceptron
from classifiers.second_order.arow import AROW
from classifiers.svm import SVM
from lxmls_day1.base.errors import InputError


def two_domains(seed, n=40, n_features=6, n_classes=3):
    rng = np.random.default_rng(seed)
    X, y = rng.poisson(1.0, (2, n, n_features)).astype(float), rng.integers(0, n_classes, (2, n))
    y[:, :n_classes] = np.arange(n_classes)
    return X[0], y[0], X[1], y[1]


@pytest.mark.parametrize("domain", [0, 1, 2])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_matrix])
def test_augmented_features_match_daume(domain, form):
    X = np.arange(1.0, 7).reshape(2, 3)
    made = domain_adaptation.augment(form(X), domain, nr_domains=3).toarray()
    wanted = np.hstack([X, *(X * (d == domain) for d in range(3))])
    np.testing.assert_array_equal(made, wanted)


@pytest.mark.parametrize(
    "make", [lambda: SVM(0.1, "dual"), lambda: MaxEntBatch(0.1), Perceptron, AROW, NBSVM], ids=lambda make: make().name
)
def test_folded_weights_score_as_the_augmented_ones(make):
    X, y, target_X, target_y = two_domains(1)
    classifier, whole = make(), make()
    params = domain_adaptation.train_augmented(classifier, X, y, target_X, target_y)
    of_both = whole.train(
        sp.vstack([domain_adaptation.augment(X, 0), domain_adaptation.augment(target_X, 1)], format="csr"),
        np.concatenate([y, target_y]),
    )
    g = whole.add_intercept_term(domain_adaptation.augment(target_X, 1))
    np.testing.assert_allclose(
        classifier.get_scores(classifier.add_intercept_term(target_X), params), whole.get_scores(g, of_both), atol=1e-9
    )
    assert classifier.classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("make", [lambda: SVM(0.1, "dual"), lambda: MaxEntBatch(0.1), Perceptron, AROW])
@pytest.mark.parametrize("weight", [0.5, 2.0])
def test_weights_of_correspondences_match_those_on_x_and_theta_x(make, weight):
    X, y, _, _ = two_domains(2)
    theta = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 2)))[0].T
    classifier, whole = make(), make()
    params = domain_adaptation.train_with_correspondences(classifier, X, y, theta, weight)
    projected = X @ theta.T
    projected *= np.sqrt(weight * (X**2).sum() / (projected**2).sum())
    both = np.hstack([X, projected])
    of_both = whole.train(sp.csr_array(both), y)
    scores = classifier.get_scores(classifier.add_intercept_term(X), params)
    np.testing.assert_allclose(scores, whole.get_scores(whole.add_intercept_term(both), of_both), atol=1e-9)


def naive_information(present, y):
    total = 0.0
    for value in (0, 1):
        for label in set(y):
            joint = np.mean([f == value and k == label for f, k in zip(present, y, strict=True)])
            if joint:
                total += joint * np.log(joint / (np.mean(present == value) * np.mean(np.array(y) == label)))
    return total


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_mutual_information_by_counting(form):
    X, y, _, _ = two_domains(4)
    X[:, 0], X[:, 1] = 0.0, 1.0  # Never present, and always present.
    found = domain_adaptation.mutual_information(form(X), y)
    np.testing.assert_allclose(found, [naive_information(X[:, j] > 0, y.tolist()) for j in range(6)], atol=1e-12)
    assert found[:2].tolist() == [0.0, 0.0]
    scikit = pytest.importorskip("sklearn.metrics")
    np.testing.assert_allclose(found, [scikit.mutual_info_score(X[:, j] > 0, y) for j in range(6)], atol=1e-12)


def test_pivots_are_frequent_in_both_and_sorted_by_information():
    X, y, target_X, _ = two_domains(5)
    target_X[:, 2] = 0.0
    pivots = domain_adaptation.choose_pivots(X, y, target_X, nr_pivots=4, min_documents=5)
    information = domain_adaptation.mutual_information(X, y)
    assert 2 not in pivots
    assert np.all(np.diff(information[pivots]) <= 0)
    assert pivots.tolist() == [j for j in np.argsort(-information, kind="stable") if j != 2][:4]
    with pytest.raises(InputError, match="min_documents=41"):
        domain_adaptation.choose_pivots(X, y, target_X, min_documents=41)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_theta_spans_the_main_directions_of_ridge_regressions(form):
    """Each predictor comes from the normal equations with J unknowns, followed by a singular value decomposition of their matrix."""
    X, _, target_X, _ = two_domains(6)
    texts, pivots = np.vstack([X, target_X]), [4, 1, 0]
    theta = domain_adaptation.correspondences(form(texts), pivots, nr_dimensions=2, regularizer=0.7)
    f = (texts > 0).astype(float)
    Z = f.copy()
    Z[:, pivots] = 0.0
    weights = []
    for pivot in pivots:
        p = 2 * f[:, pivot] - 1
        weights.append(np.linalg.solve(Z.T @ Z + 0.7 * np.eye(6), Z.T @ (p - p.mean())))
    U, _, _ = np.linalg.svd(np.stack(weights, axis=1))
    np.testing.assert_allclose(theta.T @ theta, U[:, :2] @ U[:, :2].T, atol=1e-8)
    np.testing.assert_allclose(theta @ theta.T, np.eye(2), atol=1e-8)
    assert not theta[:, pivots].any()
    # There are at most as many directions as predictors.
    assert len(domain_adaptation.correspondences(form(texts), pivots, nr_dimensions=50)) == 3
