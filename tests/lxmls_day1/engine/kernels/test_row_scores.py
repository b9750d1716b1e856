"""The scores of all rows, compiled and in NumPy, compared with exact sums of integers and with dense products."""

import numpy as np
import pytest
import scipy.sparse as sp

from lxmls_day1.engine.kernels import row_scores
from lxmls_day1.engine.kernels.row_scores import scores_of_all_rows

pytestmark = pytest.mark.bits


@pytest.fixture(params=["compiled", "in NumPy"], autouse=True)
def way(request, monkeypatch):
    if request.param == "in NumPy":
        for name in ("_score_rows", "_score_column"):
            monkeypatch.setattr(row_scores, name, getattr(row_scores, f"{name}_in_numpy"))


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 21])
@pytest.mark.parametrize("integers", [np.int32, np.int64])
def test_scores_match_the_products_of_rows_and_weights(n_classes, integers):
    rng = np.random.default_rng(n_classes)
    X, W = rng.poisson(0.7, (23, 9)) * rng.integers(-3, 4, (23, 9)), rng.integers(-50, 50, (10, n_classes))
    X[4] = 0
    rows = sp.csr_array(X.astype(np.float64))
    rows.indices, rows.indptr = rows.indices.astype(integers), rows.indptr.astype(integers)
    for weights in (W.astype(np.float64), np.asfortranarray(W.astype(np.float64))):
        np.testing.assert_array_equal(scores_of_all_rows(rows, weights), X @ W[1:] + W[0])
    real = rng.normal(size=(10, n_classes))
    bound = 20 * np.finfo(float).eps * (np.abs(X) @ np.abs(real[1:]) + np.abs(real[0]))
    assert (np.abs(scores_of_all_rows(rows, real) - (X @ real[1:] + real[0])) <= bound).all()


def test_two_opposite_classes_have_opposite_scores():
    rng = np.random.default_rng(0)
    v, X = rng.normal(size=(8, 1)), rng.poisson(1.0, (30, 7)).astype(np.float64)
    scores = scores_of_all_rows(sp.csr_array(X), np.hstack([-v, v]))
    np.testing.assert_array_equal(scores[:, 0], -scores[:, 1])
    np.testing.assert_allclose(scores[:, 1], X @ v[1:, 0] + v[0, 0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0, 0), (2, 3)])
def test_rows_without_entries_have_the_intercepts(shape):
    W = np.arange(5.0 * (shape[1] + 1)).reshape(shape[1] + 1, 5)
    np.testing.assert_array_equal(scores_of_all_rows(sp.csr_array(shape), W), np.tile(W[0], (shape[0], 1)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_show_in_the_scores_of_their_row(bad):
    X, W = sp.csr_array([[1.0, 0.0], [0.0, 1.0]]), np.ones((3, 4))
    W[2] = bad
    finite = np.isfinite(scores_of_all_rows(X, W)).all(axis=1)
    np.testing.assert_array_equal(finite, [True, False])
