"""The bounds hold: on data drawn with a known margin, in any order, no perceptron makes more updates."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from classifiers.binary_perceptron import BinaryPerceptron
from classifiers.mistake_bounds import mistake_bound
from lxmls_day1.base.errors import InputError


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(0.02, 0.5))
def test_the_binary_perceptron_never_makes_more_updates_and_converges(seed, n_features, margin):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n_features + 1)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(5000, n_features)) * 2
    X = X[np.abs(u[0] + X @ u[1:]) >= margin][:60]
    signs = np.sign(u[0] + X @ u[1:])
    if len(np.unique(signs)) < 2:
        return
    bound = mistake_bound(X, signs, u)
    assert bound.margin >= margin * (1 - 1e-12)
    # Every pass except the last has a mistake, so the bound on mistakes also limits the passes.
    perceptron = BinaryPerceptron(max_rounds=int(bound.updates) + 2, order=rng.permutation(len(X)))
    perceptron.train(X, signs)
    assert perceptron.converged
    assert 0 < perceptron.nr_updates <= bound.updates


@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_radius_and_margin_match_their_definitions(seed, scale):
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(4, 3))
    U /= np.linalg.norm(U, axis=0)
    X = rng.normal(size=(12, 3))
    g = [np.append(1.0, x) for x in X]
    labels = np.array([np.argmax(row @ U) for row in g])
    if len(np.unique(labels)) < 3:
        return
    radius = max(np.sqrt(row @ row) for row in g)
    rivals = [(row, label, k) for row, label in zip(g, labels, strict=True) for k in range(3) if k != label]
    margin = min((U[:, label] - U[:, k]) @ row for row, label, k in rivals)
    for form in (np.asarray, sp.csr_array):
        bound = mistake_bound(form(X), labels, scale * U)  # The length of the separator does not matter.
        assert bound.radius == pytest.approx(radius)
        assert bound.margin == pytest.approx(margin)
        assert bound.updates == pytest.approx(2 * 3 * radius**2 / margin**2)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"separator": [0, -1]}, "does not part the classes: example 1 of class 1 has the margin -4"),
        ({"separator": [[0, 0], [1, -1]]}, "does not part the classes: example 1 of class 1"),
        ({"separator": [-4.0, 1.0]}, "has the margin 0, which must be above 0"),
        ({"separator": [0, 0]}, "the separator is zero"),
        ({"separator": [1, 2, 3]}, r"with J = 1, but has the shape \(3,\)"),
        ({"separator": [0, np.nan]}, "must be finite"),
        ({"separator": [[0.0, 1, 2], [0, 1, 2]]}, "is for 3 classes, but the data has 2: -1, 1"),
        ({"separator": [[1], [1]]}, "is for 1 classes"),
        ({"y": [1, 1]}, "at least two classes"),
        ({"y": [1]}, "every example needs one label"),
        ({"X": np.zeros((0, 1)), "y": []}, "training needs examples"),
    ],
)
def test_data_without_a_bound_are_refused(changes, says):
    with pytest.raises(InputError, match=says):
        mistake_bound(**({"X": [[-3.0], [4.0]], "y": [-1, 1], "separator": [0.0, 1.0]} | changes))
