"""The least-change step compared with published scores, a general solver, the conditions of optimality, and PA-I."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifiers.column_squishing import NO_CAP, multiclass_update, squishing_rule
from classifiers.mira import mira_rule

BEFORE = np.array([0.90085352, 2.25573249, 0.25974194])
PUBLISHED = {
    0: [2.078293, 1.078293, 0.25974194],
    1: [0.90085352, 2.25573249, 0.25974194],
    2: [0.80544265, 0.80544265, 1.80544265],
}


@pytest.mark.parametrize("label", PUBLISHED)
@pytest.mark.parametrize("seed", range(5))
def test_the_published_scores_after_the_update(label, seed):
    rng = np.random.default_rng(seed)  # The source prints only scores, so any x and W with these scores will do.
    x, W = rng.normal(size=5), rng.normal(size=(5, 3))
    W += np.outer(x, BEFORE - x @ W) / (x @ x)
    after = multiclass_update(W, x, label)
    np.testing.assert_allclose(x @ W, BEFORE, atol=1e-12)
    np.testing.assert_allclose(x @ after, PUBLISHED[label], atol=2e-8)


def assert_optimal(d, scores, label, sq_norm, cap, cost):
    """Check Karush, Kuhn and Tucker's conditions, which are also sufficient because the problem is convex.

    With multipliers α_i ≥ 0 the gradient vanishes for d_i = −α_i and d_y = Σ α_i ≤ C; the slack ξ is 0 unless
    d_y = C; and α_i > 0 only if the lead over class i is exactly ρ_i − ξ.
    """
    scale = max(1.0, np.abs(scores).max(), cost.max())
    rivals = np.delete(np.arange(len(scores)), label)
    alphas = -d[rivals]
    assert (alphas >= 0).all()
    assert d[label] == pytest.approx(alphas.sum())
    assert d[label] - cap <= 1e-12 * (d[label] + scale / sq_norm)
    after = scores + sq_norm * d
    missing = (after - after[label] + cost)[rivals]  # The missing part of the margin, for each rival.
    slack = max(0.0, missing.max())
    if slack > 1e-9 * scale:
        assert d[label] == pytest.approx(cap, rel=1e-9, abs=1e-12 * scale / sq_norm)
    np.testing.assert_allclose(missing[alphas > 0], slack, atol=1e-9 * scale)


@pytest.mark.slow
@given(
    st.lists(st.floats(-100, 100) | st.integers(-2, 2).map(float), min_size=2, max_size=20),
    st.integers(0, 19),
    st.floats(0.01, 1e4),
    st.just(NO_CAP) | st.floats(1e-3, 1e3),
    st.data(),
)
def test_every_step_fulfils_the_conditions_of_optimality(scores, label, sq_norm, cap, data):
    scores, label = np.array(scores), label % len(scores)
    n_classes = len(scores)
    cost = np.array(data.draw(st.lists(st.floats(0, 5) | st.just(1.0), min_size=n_classes, max_size=n_classes)))
    cost[label] = 0.0
    assert_optimal(squishing_rule(scores, label, sq_norm, cap, cost), scores, label, sq_norm, cap, cost)


@given(st.floats(-50, 50), st.floats(-50, 50), st.integers(0, 1), st.floats(0.1, 100), st.floats(0.01, 10))
def test_two_classes_are_miras_step_on_a_mistake_and_passive_aggressive_one_on_every_example(a, b, label, sq_norm, cap):
    scores, cost = np.array([a, b]), 1.0 - np.eye(2)[label]
    d = squishing_rule(scores, label, sq_norm, cap, cost)
    if np.argmax(scores) != label:
        np.testing.assert_allclose(d, mira_rule(scores, label, sq_norm, cap, cost), rtol=1e-12, atol=1e-15)
    # Crammer et al. 2006, PA-I: τ = min(C, ℓ / ‖f(x, y) − f(x, ŷ)‖²) with the hinge loss ℓ.
    tau = min(cap, max(0.0, 1 - (scores[label] - scores[1 - label])) / (2 * sq_norm))
    np.testing.assert_allclose(d, [tau, -tau] if label == 0 else [-tau, tau], rtol=1e-12, atol=1e-15)


def test_the_margin_is_scaled_by_costs():
    W, x = np.array([[0.0, 0.0, 0.0]]), np.array([2.0])
    np.testing.assert_allclose(x @ multiclass_update(W, x, 2, margin=0), 0)
    np.testing.assert_allclose(x @ multiclass_update(W, x, 2, margin=3), [-1, -1, 2])
    # If class 2 is true, predicting 0 costs 6 and predicting 1 costs nothing.
    cost = np.array([[0, 1, 6.0], [1, 0, 0], [1, 1, 0]])
    by_matrix = multiclass_update(W, x, 2, cost=cost)
    np.testing.assert_allclose(x @ by_matrix, [-3, 0, 3])
    np.testing.assert_array_equal(multiclass_update(W, x, 2, cost=cost[:, 2]), by_matrix)
    np.testing.assert_allclose(x @ multiclass_update(W, x, 2, margin=0.5, cost=cost), [-1.5, 0, 1.5])
