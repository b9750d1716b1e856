"""Curves compared with the optimisers' own results, closed forms and bounds."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from lxmls_day1.demos import objective_curves
from lxmls_day1.demos.objective_curves import Curve, Data, Settings
from lxmls_day1.lab import Lab

pytestmark = pytest.mark.usefixtures("measured_once")


@pytest.fixture(scope="module")
def points():
    sd = Lab.open().reader("simple_data_set", "SimpleDataSet", nr_examples=60, split=[1, 0, 0])
    return Data(sd.train_X, sd.train_y)


def test_every_method_starts_at_log_2_and_none_gets_below_the_optimum(found, points):
    by_name, optimum, missing = found(points, regularizer=0.0, nr_passes=40)
    assert list(by_name)[:3] == ["L-BFGS", "Gradient descent", "Iterative scaling"] and not missing
    for curve in by_name.values():
        assert curve.objective[0] == pytest.approx(math.log(2)) and curve.passes[0] == curve.seconds[0] == 0
        assert curve.objective.min() >= optimum * (1 - 1e-9)
        assert (np.diff(curve.passes) > 0).all() and (np.diff(curve.seconds) >= 0).all()
        assert curve.role != "batch" or (np.diff(curve.objective) <= 1e-12).all()


@pytest.mark.parametrize("λ", [0.0, 2.0])
def test_the_perceptron_s_loss_is_least_at_zero_weights_and_where_its_mistakes_end(found, λ):
    """Two points on a line: both scores are 0 and class 0 is predicted, so the first step is for the example of class 1."""
    data = Data(np.array([[2.0], [-1.0]]), np.array([0, 1]))
    lab = Lab.open()
    of_learner = lab.classifier("perceptron", "Perceptron", nr_rounds=20)
    way = []
    of_learner.train(data.X, data.y, lambda _, *both: way.append(both))
    by_name, optimum, missing = found(data, loss="perceptron", regularizer=λ, nr_passes=20)
    assert list(by_name) == ["Perceptron, last weights", "Perceptron, averaged"]
    assert optimum == 0.0 and not missing
    for curve, weights in zip(by_name.values(), zip(*way, strict=True), strict=True):
        leads = [(W[0] + W[1] * data.X) @ [1.0, -1.0] * [1.0, -1.0] for W in weights]  # The score of the true class.
        losses = [np.maximum(0, -lead).mean() + λ / 2 * (W**2).sum() for lead, W in zip(leads, weights, strict=True)]
        np.testing.assert_allclose(curve.objective[1:], losses, atol=1e-12)
        assert curve.objective[0] == 0.0 and curve.passes.tolist() == list(range(21))
    assert λ or by_name["Perceptron, last weights"].objective[-1] == 0.0  # A line separates the points.


@pytest.mark.parametrize("solver", ["lbfgs", "gradient_descent"])
def test_the_curves_match_the_learner(found, points, solver):
    learner = Lab.open().classifier("max_ent_batch", "MaxEntBatch", regularizer=0.1, solver=solver, tolerance=1e-12)
    params = learner.train(points.X, points.y)
    by_name, optimum, _ = found(points, regularizer=0.1, nr_passes=300)
    curve = by_name[{"lbfgs": "L-BFGS", "gradient_descent": "Gradient descent"}[solver]]
    steps = min(len(curve.objective) - 1, len(learner.history))
    history = [iteration.objective for iteration in learner.history[:steps]]
    np.testing.assert_allclose(curve.objective[1 : steps + 1], history, rtol=1e-12)
    assert optimum == pytest.approx(learner.objective(points.X, points.y, params), rel=1e-9)


def test_a_pass_is_an_evaluation_and_no_method_takes_many_more_than_allowed(found, points):
    by_name, *_ = found(points, regularizer=0.0, nr_passes=20)
    descent = by_name["Gradient descent"]
    assert descent.passes[-1] > len(descent.passes) - 1  # Armijo's rule sometimes tries more than one step.
    assert all(curve.passes[-1] <= 20 + 50 for curve in by_name.values())  # A line search is not interrupted.
    assert by_name["Iterative scaling"].passes[-1] == by_name["SGD"].passes[-1] == 20


def test_one_feature_against_the_closed_form(found):
    """Two examples ±1 of two classes: F(v) = log(1 + e^{−v}) + (λ/4) v² along the slope, the intercept is 0."""
    data = Data(np.array([[-1.0], [1.0]]), np.array([0, 1]))
    best = minimize_scalar(lambda v: math.log1p(math.exp(-v)) + 0.1 / 4 * v * v, bracket=(0, 10), tol=1e-12).fun
    by_name, optimum, _ = found(data, regularizer=0.1, nr_passes=50)
    assert optimum == pytest.approx(best, rel=1e-9)
    assert by_name["L-BFGS"].objective[-1] == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("regularizer", [0.01, 0.1, 1.0])
def test_the_dual_never_exceeds_the_primal_and_the_optimum_lies_between(found, points, regularizer):
    by_name, optimum, missing = found(points, loss="hinge", regularizer=regularizer, nr_passes=50)
    primal, dual = by_name["Primal P(W)"], by_name["Dual D(α)"]
    assert not missing and primal.objective[0] == 1 and dual.objective[0] == 0
    assert (dual.objective <= primal.objective + 1e-12).all()
    assert (dual.objective <= optimum + 1e-12).all()
    lowest = min(curve.objective.min() for curve in by_name.values() if curve.role != "dual")
    assert optimum <= lowest + 1e-12
    np.testing.assert_array_equal(primal.passes, dual.passes)


def test_a_stochastic_curve_is_the_history_of_its_learner(points):
    asked = {"regularizer": 0.1, "initial_step": 0.5, "alpha": 0.7}
    look = {"nr_rounds": 4, "averaged": False, "track_objective": True}
    learner = Lab.open().classifier("max_ent_online", "MaxEntOnline", **asked, **look)
    learner.train(points.X, points.y)
    curve = objective_curves.stochastic_curve(Lab.open(), points, Settings(**asked, nr_passes=4))
    np.testing.assert_array_equal(curve.objective[1:], [round.objective for round in learner.history])


def test_methods_that_need_another_regularizer_report_it(found, points):
    _, _, missing = found(points, loss="hinge", regularizer=0.0, nr_passes=2)
    assert [item.label for item in missing] == ["The dual solver"] and "λ above 0" in missing[0].sentence


def test_words_that_separate_the_classes_have_no_optimum_but_zero(found, corpus):
    by_name, optimum, missing = found(Data(corpus.train_X, corpus.train_y), regularizer=0.0, nr_passes=60)
    assert not missing and 0 <= optimum < 1e-9
    assert by_name["L-BFGS"].objective[-1] < 1e-3 < by_name["Iterative scaling"].objective[-1] < math.log(2)


def test_seconds_of_several_runs_are_the_least_of_each_step():
    seconds = np.array([[0, 1, 5], [0, 3, 4], [0, 2, 9], [0, 9, 19], [0, 9, 18.5]])
    runs = iter([[Curve("x", "batch", np.arange(3.0), row, np.ones(3), 0.0)] for row in seconds])
    (curve,) = objective_curves.time_repeatedly(lambda: next(runs), 5)
    assert curve.seconds.tolist() == [0.0, 1.0, 2.0]
