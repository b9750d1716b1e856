import numpy as np
import pytest
from scipy.optimize import approx_fprime

from classifiers.batch_gradient import batch_gradient
from classifiers.max_ent_batch import MaxEntBatch


@pytest.mark.parametrize("regularizer", [0.0, 0.7])
def test_the_gradient_is_the_slope_of_the_objective(regularizer):
    """The slope comes from differences of F as `MaxEntBatch` computes it."""
    rng = np.random.default_rng(0)
    X, labels, W = rng.normal(size=(8, 2)), np.arange(8) % 3, rng.normal(size=(3, 3))
    maxent = MaxEntBatch(regularizer=regularizer, max_iterations=1000)
    maxent.classes = np.arange(3)
    slopes = approx_fprime(W.ravel(), lambda flat: maxent.objective(X, labels, flat.reshape(3, 3)), 1e-7)
    np.testing.assert_allclose(batch_gradient(W, X, labels, regularizer).ravel(), slopes, atol=1e-5)
