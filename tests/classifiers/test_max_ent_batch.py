import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from classifiers.max_ent_batch import Iteration, MaxEntBatch, MaxEntObjective
from lxmls_day1.engine.kernels import threads
from lxmls_day1.engine.kernels.primitives import COMPILES
from tests.wording import wording

pytestmark = pytest.mark.bits

DESCENTS = ("lbfgs", "conjugate_gradient", "gradient_descent")
SOLVERS = (*DESCENTS, "gis")


def noisy_data(n_classes, n_examples=80, n_features=5, seed=0):
    """Return features of different scales, and labels that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_examples, n_features)) * rng.uniform(0.2, 3, n_features)
    scores = X @ rng.normal(size=(n_features, n_classes)) + rng.gumbel(size=(n_examples, n_classes)) * 2
    return X, np.argmax(scores, axis=1)


def naive_objective(X, y, params, regularizer, regularize_intercept=True):
    """Return F, computed example by example as the guide writes it."""
    total = 0.0
    for x, label in zip(X, y, strict=True):
        scores = params[0] + x @ params[1:]
        total -= scores[label] - np.log(np.exp(scores).sum())
    penalized = params if regularize_intercept else params[1:]
    return total / len(y) + regularizer / 2 * (penalized**2).sum()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("regularize_intercept", [True, False])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_gradient_matches_finite_differences(n_classes, regularize_intercept, sparse):
    X, y = noisy_data(n_classes)
    problem = MaxEntObjective(sp.csr_array(X) if sparse else X, y, n_classes, 0.3, regularize_intercept)
    x = np.random.default_rng(1).normal(size=problem.size)
    value, gradient = problem(x)
    assert value == pytest.approx(naive_objective(X, y, problem.params(x), 0.3, regularize_intercept))
    np.testing.assert_allclose(gradient, approx_fprime(x, lambda x: problem(x)[0], 1e-7), atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("regularize_intercept", [True, False])
def test_the_objective_matches_the_guide(n_classes, regularize_intercept):
    X, y = noisy_data(n_classes)
    maxent = MaxEntBatch(0.3, regularize_intercept=regularize_intercept)
    params = maxent.train(X, y)
    expected = naive_objective(X, y, params, 0.3, regularize_intercept)
    assert maxent.objective(X, y, params) == pytest.approx(expected)
    assert maxent.history[-1].objective == pytest.approx(expected)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("regularizer", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("regularize_intercept", [True, False])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_optimum_matches_scikit_learn(n_classes, regularizer, regularize_intercept, sparse):
    X, y = noisy_data(n_classes)
    maxent = MaxEntBatch(regularizer, tolerance=1e-12, regularize_intercept=regularize_intercept)
    params = maxent.train(sp.csr_array(X) if sparse else X, y)
    # scikit-learn penalises the one vector v = w_1 - w_0 of two classes, (λ/4) ‖v‖², and never its own intercept.
    C = (2 if n_classes == 2 else 1) / (regularizer * len(y))
    theirs = LogisticRegression(C=C, fit_intercept=not regularize_intercept, tol=1e-10, max_iter=10_000)
    theirs.fit(np.hstack([np.ones((len(X), 1)), X]) if regularize_intercept else X, y)
    weights = theirs.coef_.T if regularize_intercept else np.vstack([theirs.intercept_, theirs.coef_.T])
    if n_classes == 2:
        weights = np.hstack([-weights / 2, weights / 2])
    np.testing.assert_allclose(params, weights, atol=2e-4)
    ours, expected = (naive_objective(X, y, W, regularizer, regularize_intercept) for W in (params, weights))
    assert ours <= expected * (1 + 1e-9)


@pytest.mark.parametrize("solver", [*DESCENTS, "dual"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_training_ends_within_its_tolerance_of_the_optimum(solver, n_classes):
    X, y = noisy_data(n_classes)
    exact = MaxEntBatch(0.05, tolerance=1e-13)
    optimum = exact.objective(X, y, exact.train(X, y))
    for tolerance in (1e-1, 1e-3, 1e-6):
        maxent = MaxEntBatch(0.05, tolerance=tolerance, solver=solver)
        value = maxent.objective(X, y, maxent.train(X, y))
        assert optimum * (1 - 1e-12) <= value <= optimum * (1 + tolerance)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_history_records_each_iteration_and_solvers_agree(solver):
    X, y = noisy_data(3, n_examples=200, n_features=2)
    X = np.abs(X)
    maxent = MaxEntBatch(0, solver=solver, tolerance=1e-4, max_iterations=20_000)
    params = maxent.train(X, y)
    history = maxent.history
    assert all(isinstance(iteration, Iteration) for iteration in history)
    assert [iteration.number for iteration in history] == list(range(1, len(history) + 1))
    assert all(0 < a.seconds <= b.seconds for a, b in itertools.pairwise(history))
    assert history[0].objective < np.log(3)
    if solver not in ("lbfgs", "conjugate_gradient"):  # These may rise by rounding.
        assert all(b.objective <= a.objective + 1e-13 for a, b in itertools.pairwise(history))
    assert history[-1].objective == pytest.approx(maxent.objective(X, y, params))
    exact = MaxEntBatch(0)
    p = exact.get_probabilities(X, exact.train(X, y))
    np.testing.assert_allclose(maxent.get_probabilities(X, params), p, atol=1e-3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_inputs_without_features_leave_the_shares_of_the_classes(solver):
    maxent = MaxEntBatch(0, solver=solver, tolerance=1e-8)
    params = maxent.train(np.zeros((4, 0)), ["a", "b", "b", "b"])
    np.testing.assert_allclose(maxent.get_probabilities(np.zeros((1, 0)), params), [[0.25, 0.75]], atol=1e-6)


def test_the_regularizer_is_1_unless_the_solver_knows_none():
    assert MaxEntBatch().regularizer == 1.0
    assert MaxEntBatch(solver="gradient_descent").regularizer == 1.0
    assert MaxEntBatch(solver="conjugate_gradient").regularizer == 1.0
    assert MaxEntBatch(solver="gis").regularizer == 0.0
    assert MaxEntBatch(0.5).regularizer == 0.5


def test_the_default_solver_is_dual_for_sparse_rows_and_else_lbfgs():
    X, y = noisy_data(3)
    weights = np.arange(len(y)) % 3 + 1.0
    for form, settings, expected in (
        (X, {}, "lbfgs"),
        (sp.csr_array(X), {}, "dual" if COMPILES else "lbfgs"),
        (sp.csr_array(X), {"regularize_intercept": False}, "lbfgs"),
        (sp.csr_array(X), {"penalty": "l1"}, "lbfgs"),
    ):
        chosen, named = (MaxEntBatch(0.1, **settings, **solver) for solver in ({}, {"solver": expected}))
        np.testing.assert_array_equal(chosen.train(form, y, sample_weight=weights), named.train(form, y, weights))
        assert [step[0::2] for step in chosen.history] == [step[0::2] for step in named.history]
    without = MaxEntBatch(0.0, tolerance=1e-2)
    without.train(sp.csr_array(X), y)
    assert without.history[-1].objective < np.log(3)


def test_after_too_many_sweeps_the_default_solver_restarts_with_lbfgs():
    X, y = noisy_data(3, n_examples=300)
    settings = {"regularizer": 1e-6, "tolerance": 1e-9}
    chosen, descent = MaxEntBatch(**settings), MaxEntBatch(solver="lbfgs", **settings)
    params = chosen.train(sp.csr_array(X), y)
    np.testing.assert_array_equal(params, descent.train(sp.csr_array(X), y))
    numbers = [iteration.number for iteration in chosen.history]
    assert numbers == sorted(set(numbers)) and chosen.history[-1].objective == descent.history[-1].objective
    few = MaxEntBatch(1e-6, tolerance=1e-9, max_iterations=12)
    with pytest.warns(UserWarning, match="stopped after 12 iterations"):
        few.train(sp.csr_array(X), y)
    assert few.history[-1].number == 12


@pytest.mark.slow
@pytest.mark.parametrize("solver", DESCENTS)
def test_two_threads_lead_to_the_same_optimum_and_always_to_the_same_bits(solver):
    X, y = noisy_data(3)
    one, two = (MaxEntBatch(0.1, solver=solver, tolerance=1e-9, n_jobs=n_jobs) for n_jobs in (1, 2))
    for form in (X, sp.csr_array(X)):
        np.testing.assert_allclose(two.train(form, y), one.train(form, y), atol=1e-4)
        np.testing.assert_array_equal(two.train(form, y), two.train(form, y))


def test_too_few_iterations_cause_a_warning():
    maxent = MaxEntBatch(1e-6, max_iterations=2)
    with pytest.warns(UserWarning, match=wording("classifiers.stopped_after_iterations_raise")):
        maxent.train(*noisy_data(3))
    assert len(maxent.history) == 2


def test_training_is_the_same_if_loaded_libraries_cannot_be_listed(monkeypatch):
    """A sandbox without /proc cannot list them; there training uses one thread."""

    def out_of_reach():
        raise PermissionError(13, "Permission denied", "/proc/self/maps")

    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), [0, 1, 1]
    wanted = MaxEntBatch(0.1).train(X, y)
    threads._blas_controller.cache_clear()
    monkeypatch.setattr("threadpoolctl.ThreadpoolController", out_of_reach)
    np.testing.assert_array_equal(MaxEntBatch(0.1).train(X, y), wanted)
    threads._blas_controller.cache_clear()
