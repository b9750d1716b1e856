"""The least-change step: against the published scores, a general solver, the conditions of optimality, and PA-I."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from classifiers.column_squishing import NO_CAP, ColumnSquishing, multiclass_update, squishing_rule
from classifiers.mira import mira_rule
from lxmls_day1.errors import InputError

BEFORE = np.array([0.90085352, 2.25573249, 0.25974194])
PUBLISHED = {
    0: [2.078293, 1.078293, 0.25974194],
    1: [0.90085352, 2.25573249, 0.25974194],
    2: [0.80544265, 0.80544265, 1.80544265],
}


@pytest.mark.parametrize("label", PUBLISHED)
@pytest.mark.parametrize("seed", range(5))
def test_the_published_scores_after_the_update(label, seed):
    rng = np.random.default_rng(seed)  # the source prints scores only: whatever x and W give them will do
    x, W = rng.normal(size=5), rng.normal(size=(5, 3))
    W += np.outer(x, BEFORE - x @ W) / (x @ x)
    after = multiclass_update(W, x, label)
    np.testing.assert_allclose(x @ W, BEFORE, atol=1e-12)
    np.testing.assert_allclose(x @ after, PUBLISHED[label], atol=2e-8)


def random_case(rng, n_classes):
    """Scores with and without ties, labels in the lead and behind, 0/1 and general costs, caps of all sizes."""
    scores = rng.normal(size=n_classes) * 10 ** rng.uniform(-1, 1)
    if rng.random() < 0.4:
        scores = np.round(scores)
    if rng.random() < 0.1:
        scores[:] = scores[0]
    label = int(np.argmax(scores)) if rng.random() < 0.2 else int(rng.integers(n_classes))
    cost = np.ones(n_classes)
    if rng.random() < 0.5:
        cost = rng.uniform(0, 3, n_classes) * (rng.random(n_classes) < 0.8)
    cost[label] = 0.0
    cap = NO_CAP if rng.random() < 0.4 else 10 ** rng.uniform(-2, 1)
    return scores, label, 10 ** rng.uniform(-0.5, 1.5), cap, cost


def solve_by_slsqp(scores, label, sq_norm, cap, cost):
    """min ½ ‖x‖² Σ d_i² + C ξ  such that  s_y + ‖x‖² d_y ≥ s_i + ‖x‖² d_i + ρ_i − ξ, by a general solver.

    The unknowns are z = ‖x‖ d, and ξ where there is a cap.
    """
    n_classes, length, slack = len(scores), np.sqrt(sq_norm), int(cap < NO_CAP)
    rivals = np.delete(np.arange(n_classes), label)
    leads = np.zeros((n_classes - 1, n_classes + slack))  # the change of s_y − s_i per unit of each unknown
    leads[:, label] = length
    leads[np.arange(n_classes - 1), rivals] = -length
    if slack:
        leads[:, -1] = 1.0
    lacking = (scores - scores[label] + cost)[rivals]
    quadratic = np.append(np.ones(n_classes), np.zeros(slack))
    linear = np.append(np.zeros(n_classes), np.full(slack, cap))
    solved = minimize(
        lambda z: 0.5 * z @ (quadratic * z) + linear @ z,
        np.append(np.zeros(n_classes), np.full(slack, max(0.0, lacking.max()))),
        jac=lambda z: quadratic * z + linear,
        bounds=[(None, None)] * n_classes + [(0, None)] * slack,
        constraints={"type": "ineq", "fun": lambda z: leads @ z - lacking, "jac": lambda z: leads},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return solved.x[:n_classes] / length


@pytest.mark.slow
def test_a_thousand_random_cases_agree_with_a_quadratic_programming_solver():
    rng = np.random.default_rng(0)
    with threadpool_limits(1):  # such small matrices are three times slower with threads
        for case in range(1000):
            problem = random_case(rng, 2 + case % 19)
            difference = np.abs(squishing_rule(*problem) - solve_by_slsqp(*problem)).max()
            assert difference < 1e-6, f"case {case}: {problem}"


def assert_optimal(d, scores, label, sq_norm, cap, cost):
    """Karush, Kuhn and Tucker's conditions, which are also sufficient: the problem is convex.

    With multipliers α_i ≥ 0 the gradient vanishes for d_i = −α_i and d_y = Σ α_i ≤ C; the slack ξ is 0 unless
    d_y = C; and α_i > 0 only where the lead over class i is exactly ρ_i − ξ.
    """
    scale = max(1.0, np.abs(scores).max(), cost.max())
    rivals = np.delete(np.arange(len(scores)), label)
    alphas = -d[rivals]
    assert (alphas >= 0).all()
    assert d[label] == pytest.approx(alphas.sum())
    assert d[label] - cap <= 1e-12 * (d[label] + scale / sq_norm)
    after = scores + sq_norm * d
    missing = (after - after[label] + cost)[rivals]  # how much of its margin is missing, for each rival
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


@pytest.mark.parametrize("cap", [None, 0.3])
def test_the_least_change_lies_along_x(cap):
    """The source asserts it unproven. Here the solver is free to change all of W, and W' − W comes out as x dᵀ."""
    rng = np.random.default_rng(2)
    W, x, label = rng.normal(size=(3, 4)), rng.normal(size=3), 2
    price = 0.0 if cap is None else cap
    lead = np.eye(4)[label] - np.eye(4)[[0, 1, 3]]  # (3, K): s_y − s_i

    def objective(z):
        return 0.5 * (z[:-1] ** 2).sum() + price * z[-1]

    def margins(z):
        return lead @ (x @ (W + z[:-1].reshape(W.shape))) - 1 + z[-1]

    solved = minimize(
        objective, np.zeros(W.size + 1), method="SLSQP", constraints={"type": "ineq", "fun": margins},
        bounds=[(None, None)] * W.size + [(0, 0 if cap is None else None)], options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert objective(solved.x) > 0.01
    np.testing.assert_allclose(multiclass_update(W, x, label, cap=cap), W + solved.x[:-1].reshape(W.shape), atol=1e-6)


@given(st.floats(-50, 50), st.floats(-50, 50), st.integers(0, 1), st.floats(0.1, 100), st.floats(0.01, 10))
def test_two_classes_are_miras_step_on_a_mistake_and_passive_aggressive_one_on_every_example(a, b, label, sq_norm, cap):
    scores, cost = np.array([a, b]), 1.0 - np.eye(2)[label]
    d = squishing_rule(scores, label, sq_norm, cap, cost)
    if np.argmax(scores) != label:
        np.testing.assert_allclose(d, mira_rule(scores, label, sq_norm, cap, cost), rtol=1e-12, atol=1e-15)
    # Crammer et al. 2006, PA-I: τ = min(C, ℓ / ‖f(x, y) − f(x, ŷ)‖²) with the hinge loss ℓ.
    tau = min(cap, max(0.0, 1 - (scores[label] - scores[1 - label])) / (2 * sq_norm))
    np.testing.assert_allclose(d, [tau, -tau] if label == 0 else [-tau, tau], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("regularizer", [0.1, 20.0])
def test_on_the_mistakes_of_a_two_class_problem_the_weights_move_as_miras(regularizer):
    rng = np.random.default_rng(6)
    W, mistakes = np.zeros((4, 2)), 0
    for _ in range(200):
        g, label = np.append(1.0, rng.normal(size=3)), int(rng.integers(2))
        after = multiclass_update(W, g, label, cap=1 / regularizer)
        if np.argmax(g @ W) != label:
            mistakes += 1
            d = mira_rule(g @ W, label, g @ g, 1 / regularizer, 1.0 - np.eye(2)[label])
            np.testing.assert_allclose(after, W + np.outer(g, d), rtol=1e-12, atol=1e-12)
        W = after
    assert mistakes > 50


def test_with_two_classes_the_learner_is_passive_aggressive_one():
    """One vector v = w_1 − w_0, labels ±1: v ← v + min(2C, ℓ/‖g‖²) y g, on the same order of the examples."""
    rng = np.random.default_rng(3)
    X, labels, cap = rng.normal(size=(60, 4)), rng.integers(0, 2, 60), 0.07
    order = np.array([rng.permutation(60) for _ in range(3)])
    v, capped = np.zeros(5), 0
    for m in order.ravel():
        g, y = np.append(1.0, X[m]), 2 * labels[m] - 1
        wanted = max(0.0, 1 - y * (v @ g)) / (g @ g)
        capped += wanted > 2 * cap
        v += min(2 * cap, wanted) * y * g
    assert 0 < capped < 180
    learner = ColumnSquishing(cap=cap, order=order, nr_rounds=3, averaged=False)
    np.testing.assert_allclose(learner.train(X, labels), np.column_stack([-v / 2, v / 2]), atol=1e-12)


def test_it_moves_where_mira_does_not():
    scores, cost = np.array([0.5, 0.2]), np.array([0.0, 1.0])
    assert not mira_rule(scores, 0, 1.0, NO_CAP, cost).any()
    np.testing.assert_allclose(scores + squishing_rule(scores, 0, 1.0, NO_CAP, cost), [0.85, -0.15])


def test_the_learner_takes_the_same_steps_as_multiclass_update():
    rng = np.random.default_rng(4)
    X, labels = rng.normal(size=(30, 3)), np.arange(30) % 5
    cost = rng.uniform(0.5, 2, (5, 5))
    np.fill_diagonal(cost, 0)
    for settings in ({}, {"cap": 0.1}, {"cost": cost}, {"cap": 0.2, "cost": cost}):
        W = np.zeros((4, 5))
        for m in range(30):
            W = multiclass_update(W, np.append(1.0, X[m]), labels[m], **settings)
        learner = ColumnSquishing(order=np.arange(30), nr_rounds=1, averaged=False, **settings)
        np.testing.assert_allclose(learner.train(X, labels), W, atol=1e-10)


def test_separable_data_end_up_with_every_margin_met():
    rng = np.random.default_rng(5)
    centres = 10 * np.eye(4)
    labels = np.arange(80) % 4
    X = centres[labels] + rng.uniform(-1, 1, (80, 4))
    learner = ColumnSquishing(nr_rounds=50, averaged=False)
    params = learner.train(X, labels)
    scores = params[0] + X @ params[1:]
    rivals = scores + np.where(np.eye(4)[labels] == 1, -np.inf, 1)
    assert (scores[np.arange(80), labels] >= rivals.max(axis=1) - 1e-2).all()
    assert learner.get_name() == "Column squishing" and learner.objective(X, labels, params) is None


@pytest.mark.parametrize("cap", [None, 0.5])
def test_a_zero_vector_leaves_the_weights_as_they_are(cap):
    W = np.arange(6.0).reshape(2, 3)
    after = multiclass_update(W, np.zeros(2), 0, cap=cap)
    np.testing.assert_array_equal(after, W)
    assert after is not W
    np.testing.assert_array_equal(multiclass_update(W, [1e-200, 0.0], 0), W)


def test_ties_come_down_together_and_what_is_passed_in_stays():
    W, x = np.array([[0.0, 2.0, 2.0, 2.0]]), np.array([1.0])
    after = multiclass_update(W, x, 0)
    np.testing.assert_allclose(after, [[2.25, 1.25, 1.25, 1.25]])  # θ = 3 · 3/4
    np.testing.assert_array_equal(W, [[0.0, 2.0, 2.0, 2.0]])
    assert not np.shares_memory(after, W)


def test_margin_and_costs():
    W, x = np.array([[0.0, 0.0, 0.0]]), np.array([2.0])
    np.testing.assert_allclose(x @ multiclass_update(W, x, 2, margin=0), 0)
    np.testing.assert_allclose(x @ multiclass_update(W, x, 2, margin=3), [-1, -1, 2])
    cost = np.array([[0, 1, 6.0], [1, 0, 0], [1, 1, 0]])  # where class 2 is true: 6 for saying 0, nothing for 1
    by_matrix = multiclass_update(W, x, 2, cost=cost)
    np.testing.assert_allclose(x @ by_matrix, [-3, 0, 3])
    np.testing.assert_array_equal(multiclass_update(W, x, 2, cost=cost[:, 2]), by_matrix)
    np.testing.assert_allclose(x @ multiclass_update(W, x, 2, margin=0.5, cost=cost), [-1.5, 0, 1.5])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"W": np.zeros(3)}, r"W must be a matrix \(J, K\), but has the shape \(3,\)"),
        ({"x": np.zeros((1, 2))}, r"x must be a vector \(J,\)"),
        ({"x": np.zeros(3)}, r"W has the shape \(2, 3\) and x \(3,\)"),
        ({"x": [1.0, np.nan]}, "x must be finite"),
        ({"W": np.full((2, 3), np.inf)}, "W must be finite"),
        ({"label": 3}, "label .* at least 0 and at most 2, but is 3"),
        ({"label": -1}, "label .* but is -1"),
        ({"label": 0.5}, "label .* whole number"),
        ({"margin": -1}, "margin must be a number at least 0"),
        ({"cap": 0}, "cap must be a number above 0, but is 0"),
        ({"cost": [0, -1, 1]}, "not negative"),
        ({"cost": [1, 1, 1]}, "zero diagonal"),
        ({"cost": [0, 1]}, "must be 3 x 3"),
        ({"cost": np.ones((3, 3))}, "zero diagonal"),
    ],
)
def test_arguments_that_make_no_sense(arguments, says):
    with pytest.raises(InputError, match=says):
        multiclass_update(**({"W": np.zeros((2, 3)), "x": np.ones(2), "label": 0} | arguments))


@pytest.mark.parametrize("cap", [0, -1.0, float("nan"), float("inf"), "much"])
def test_a_cap_is_a_positive_number(cap):
    with pytest.raises(InputError, match="cap .* above 0, but is"):
        ColumnSquishing(cap=cap).train([[0.0], [1.0]], [0, 1])
