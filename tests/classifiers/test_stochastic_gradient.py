"""The step sizes of the stochastic learners: their formula, and that the default steps are good for every λ."""

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers import SVM, MaxEntBatch, MaxEntOnline
from lxmls_day1.engine.corpus_training import resume

pytestmark = pytest.mark.bits

LAMBDAS = [1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]
LEARNERS = [MaxEntOnline, SVM]


def clouds(n_features, n_classes=2, n_examples=1000):
    """Return overlapping Gaussians: examples for training, and ten times as many for testing."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=11 * n_examples)
    means = np.arange(2.0)[:, None] if n_classes == 2 else 2.0 * rng.normal(size=(n_classes, n_features))
    X = rng.normal(size=(len(y), n_features)) + means[y]
    return X[:n_examples], y[:n_examples], X[n_examples:], y[n_examples:]


def optimum(learner, regularizer):
    if learner is SVM:
        return SVM(regularizer, solver="dual", tolerance=1e-4, max_epochs=300)
    return MaxEntBatch(regularizer)


def excess(learner, regularizer, X, y, test_X, test_y):
    """Return how far ten rounds are from the optimum: relative objective, test accuracy, and the objective at W = 0."""
    best = optimum(learner, regularizer)
    best_params = best.train(X, y)
    trained = learner(regularizer, nr_rounds=10)
    params = trained.train(X, y)
    reached, least, at_zero = (trained.objective(X, y, W) for W in (params, best_params, 0.0 * params))
    accuracies = [c.evaluate(test_y, c.test(test_X, W)) for c, W in ((best, best_params), (trained, params))]
    return reached / least - 1.0, accuracies[0] - accuracies[1], reached / at_zero


@pytest.mark.one_in(4)
@pytest.mark.filterwarnings("ignore:the dual solver was stopped")  # A tolerance of 1e-6 is close enough.
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("regularizer", LAMBDAS)
@pytest.mark.parametrize(
    ("scale", "cloud"),
    [
        *((scale, (n_features,)) for scale in (0.3, 1.0, 3.0) for n_features in (2, 20)),
        (1.0, (10, 3, 300)),
        (1.0, (10, 30, 3000)),
    ],
    ids=str,
)
def test_the_default_steps_are_right_at_every_regularizer(learner, regularizer, scale, cloud):
    X, y, test_X, test_y = clouds(*cloud)
    too_much, lost, of_zero = excess(learner, regularizer, scale * X, y, scale * test_X, test_y)
    assert too_much <= 0.01 or lost <= 0.005
    assert of_zero <= 1.0


def odd_data(n_classes, n_examples):
    """Return unusual data for a schedule, by name: X and y."""
    rng = np.random.default_rng(0)
    y = np.arange(n_examples) % n_classes
    X = rng.normal(size=(n_classes, 20))[y] + rng.normal(size=(n_examples, 20))
    mostly_one = np.where(rng.random(n_examples) < 0.9, 0, y)
    mostly_one[:n_classes] = np.arange(n_classes)
    column, rows, one_row = X.copy(), X.copy(), X.copy()
    column[:, 0] *= 1000.0
    rows[::50] *= 1000.0
    one_row[-1] *= 1e6
    return {
        "plain": (X, y),
        "counts": (sp.csr_array(rng.poisson(0.05, size=(n_examples, 300)).astype(float)), y),
        "large": (1000.0 * X, y),
        "small": (X / 1000.0, y),
        "mean 100": (X + 100.0, y),
        "a large column": (column, y),
        "large rows": (rows, y),
        "one large row": (one_row, y),
        "an example a class": (X[:n_classes], y[:n_classes]),
        "nearly all of one class": (X, mostly_one),
        "one feature": (X[:, :1], y),
        "random labels": (X, rng.permutation(y)),
        "zeros": (np.zeros((n_examples, 3)), y),
    }


@pytest.mark.one_in(3, by="regularizer")
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("regularizer", [1.0, 1e-3, 1e-6])
@pytest.mark.parametrize("n_classes", [2, 3, 20])
@pytest.mark.parametrize("n_examples", [200, 2000])
def test_the_default_steps_never_end_above_the_objective_of_no_weights(learner, regularizer, n_classes, n_examples):
    for name, (X, y) in odd_data(n_classes, n_examples).items():
        trained = learner(regularizer, nr_rounds=10)
        params = trained.train(X, y)
        assert trained.objective(X, y, params) <= trained.objective(X, y, 0.0 * params), name


@pytest.mark.parametrize(("share", "separation", "n_examples", "n_classes"), [(0.005, 2, 2000, 3), (0.01, 4, 1000, 2)])
def test_a_few_wrong_examples_that_a_sample_may_miss_do_not_leave_it_above(share, separation, n_examples, n_classes):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = np.arange(n_examples) % n_classes
        X = separation * rng.normal(size=(n_classes, 5))[y] + rng.normal(size=(n_examples, 5))
        far = rng.random(n_examples) < share
        X[far] *= 30.0
        y[far] = rng.integers(n_classes, size=far.sum())
        svm = SVM(1e-6, nr_rounds=5)
        params = svm.train(X, y)
        assert svm.objective(X, y, params) <= svm.objective(X, y, 0.0 * params), seed


@pytest.mark.parametrize(
    "settings", [{"n_jobs": 2}, {"averaged": False}, {"averaged": "rounds"}, {"averaged": "steps"}]
)
def test_weights_are_shortened_whatever_the_average_and_keep_their_labels(settings):
    X, y = odd_data(20, 200)["random labels"]
    trained = SVM(0.01, nr_rounds=5, track_objective=True, **settings)
    rng = np.random.default_rng(1)
    weight, cost = rng.random(len(y)), rng.random((20, 20)) * (1 - np.eye(20))
    params, as_they_were = trained.train(X, y), resume(trained, None, X, y)[0]
    np.testing.assert_array_equal(trained.test(X, params), trained.test(X, as_they_were))
    params = trained.train(X, y)
    assert trained.history[-1].objective == trained.objective(X, y, params) <= 1.0
    assert trained.objective(X, y, as_they_were) > 1.0

    weighted = SVM(0.01, nr_rounds=5, cost=cost, **settings)
    params = weighted.train(X, y, sample_weight=weight)
    loss = [np.average(weighted.losses(X @ W[1:] + W[0], y), weights=weight) for W in (params, 0.0 * params)]
    assert loss[0] + 0.005 * (params**2).sum() <= loss[1] + 1e-15


def test_the_default_steps_by_their_formula():
    """η_t = 1/(λ' (t + t_0)): the first step is just below e = 2/median ‖g(x)‖², here 2/5."""
    X, y = np.array([[2.0], [0.0], [2.0], [3.0], [1.0]]), [0, 1, 0, 1, 0]  # ‖g(x)‖² = 5, 1, 5, 10, 2.
    for regularizer, slowest in ((0.3, 0.3), (0.0, 0.3 / (5 * 0.4)), (1e-6, 0.3 / (5 * 0.4))):
        svm = SVM(regularizer)
        svm.train(X, y)
        t_0 = 1.0 / (slowest * 0.4)
        np.testing.assert_allclose(svm.steps(1, 7), 1.0 / (slowest * (np.arange(1, 8) + t_0)), rtol=1e-12)
        np.testing.assert_array_equal(svm.steps(3, 4), svm.steps(1, 6)[2:])


@pytest.mark.parametrize(
    ("learner", "n_classes", "first"),
    [(MaxEntOnline, 2, 0.4), (MaxEntOnline, 3, 0.8), (MaxEntOnline, 6, 0.4 * np.log2(6)), (SVM, 3, 0.4), (SVM, 6, 0.4)],
)
def test_a_smooth_loss_of_several_classes_begins_with_longer_steps(learner, n_classes, first):
    X, y = np.full((6, 1), 2.0), np.arange(6) % n_classes  # ‖g(x)‖² = 5
    trained = learner(0.3)
    trained.train(X, y)
    np.testing.assert_allclose(trained.steps(1, 3), first / (1 + 0.3 * first * np.arange(1, 4)), rtol=1e-12)


def test_the_longer_steps_of_many_classes_pass_continuously_into_those_of_a_small_penalty():
    """4/median ‖g(x)‖² is 0.8 here, so the steps shrink at the slowest rate, 0.05/6, if λ is 0.05/(6 · 0.8)."""
    X, y = np.full((6, 1), 2.0), np.arange(6)
    least = 0.05 / (6 * 0.8)
    for factor, first in ((0.5, 0.8), (1.0, 0.8), (1.1, 0.8 * 1.1), (1.25, 0.8 * 1.25), (1.3, 0.4 * np.log2(6))):
        trained = MaxEntOnline(factor * least)
        trained.train(X, y)
        assert trained.first_step == pytest.approx(first, rel=1e-12)
        rate = 0.05 / 6 if factor < 1 else factor * least * first
        np.testing.assert_allclose(trained.steps(1, 9), first / (1 + rate * np.arange(1, 10)), rtol=1e-12)


def test_the_hinge_loss_of_several_classes_halves_its_steps_during_the_first_round():
    X, y = np.full((6, 1), 2.0), np.arange(6) % 3  # ‖g(x)‖² = 5
    rounds = np.arange(1, 10) / 6
    for regularizer in (0.0, 0.124):  # 0.3 / (6 * 0.4) = 0.125.
        svm = SVM(regularizer)
        svm.train(X, y)
        np.testing.assert_allclose(svm.steps(1, 9), 0.4 / (1 + 0.3 * rounds + np.minimum(rounds, 1)), rtol=1e-12)
        np.testing.assert_array_equal(svm.steps(4, 6), svm.steps(1, 9)[3:])
    larger = SVM(0.126)
    larger.train(X, y)
    np.testing.assert_allclose(larger.steps(1, 9), 0.4 / (1 + 0.126 * 0.4 * 6 * rounds), rtol=1e-12)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_given_step_or_alpha_means_the_steps_of_the_guide(learner):
    t = np.arange(3.0, 8.0)
    np.testing.assert_allclose(learner(initial_step=0.5).steps(3, 5), 0.5 / t, rtol=1e-12)
    np.testing.assert_allclose(learner(alpha=0.75).steps(3, 5), t**-0.75, rtol=1e-12)
    np.testing.assert_allclose(learner(initial_step=2.0, alpha=0.6).steps(3, 5), 2.0 * t**-0.6, rtol=1e-12)
