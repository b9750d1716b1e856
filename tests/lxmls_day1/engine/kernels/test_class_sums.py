"""The sums of the rows of each class, compiled and in NumPy, compared with a product with an indicator matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from lxmls_day1.engine.kernels import class_sums as module
from lxmls_day1.engine.kernels.class_sums import class_sums

pytestmark = pytest.mark.bits


@pytest.fixture(params=["compiled", "in NumPy"])
def way(request, monkeypatch):
    if request.param == "in NumPy":
        monkeypatch.setattr(module, "_add_rows", module._add_rows_in_numpy)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_class_sums_match_added_rows(weighted, form, n_classes):
    rng = np.random.default_rng(n_classes)
    X, labels = rng.poisson(0.4, (40, 7)) - 1.0 * (rng.random((40, 7)) < 0.1), rng.integers(0, n_classes, 40)
    weights = rng.integers(0, 4, 40) / 2 if weighted else None
    sums, lowest = class_sums(form(X), labels, n_classes, weights)
    members = np.eye(n_classes)[labels] * (1.0 if weights is None else weights[:, None])
    np.testing.assert_array_equal(sums, X.T @ members)  # Sums of halves are exact in any order.
    assert lowest == X.min() < 0


@pytest.mark.usefixtures("way")
def test_duplicate_entries_add_up_and_empty_matrices_have_zero_sums():
    twice = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
    for indices in (np.int32, np.int64):
        twice.indices, twice.indptr = twice.indices.astype(indices), twice.indptr.astype(indices)
        sums, lowest = class_sums(twice, np.array([0, 1]), 2)
        np.testing.assert_array_equal(sums, [[0, 4], [3, 0], [0, 0]])
        assert lowest == 0.0
    for nothing in (sp.csr_array((2, 3)), np.zeros((2, 3)), np.zeros((2, 0)), sp.csr_array((2, 0))):
        sums, lowest = class_sums(nothing, np.array([0, 1]), 2)
        np.testing.assert_array_equal(sums, np.zeros((nothing.shape[1], 2)))
        assert lowest == 0.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_values_that_are_not_finite_show_in_the_sums(bad, form):
    X = np.array([[1.0, 2.0], [bad, 1.0]])
    assert not np.isfinite(class_sums(form(X), np.array([0, 1]), 2, np.array([1.0, 0.0]))[0].sum())
