"""Accuracies in the long run against samples and the Bayes optimum; a sweep in its order, and its means."""

import itertools

import numpy as np
import pytest

from lxmls_day1.demos.accuracy_sweep import (
    MEANS,
    SWEPT,
    Measurement,
    Results,
    accuracies_of_classes,
    best_accuracies,
    measurements,
    sample,
    settings_of,
)
from lxmls_day1.demos.learners import EVERYWHERE, Attempts
from lxmls_day1.errors import InputError
from lxmls_day1.lab import Lab

SMALL = {"seeds": (1, 2), "quantities": ("balance",)}
ALL_OF_SMALL = 2 * len(EVERYWHERE) * len(SWEPT["balance"])


def test_accuracy_in_the_long_run_is_that_of_many_points():
    rng = np.random.default_rng(5)
    for _ in range(5):
        params, means, variances = rng.normal(size=(3, 2)), rng.normal(size=(2, 2)), rng.uniform(0.3, 3, (2, 2))
        right = accuracies_of_classes(params, means, variances)
        for k in range(2):
            x = means[k] + np.sqrt(variances[k]) * rng.normal(size=(200_000, 2))
            labels = np.argmax(x @ params[1:] + params[0], axis=1)
            assert np.mean(labels == k) == pytest.approx(right[k], abs=0.005)


@pytest.mark.parametrize(("intercepts", "right"), [([1.0, 0.0], (1, 0)), ([0.0, 1.0], (0, 1)), ([0.0, 0.0], (1, 0))])
def test_a_model_that_always_says_the_same_is_right_on_that_class(intercepts, right):
    params = np.array([intercepts, [2.0, 2.0], [0.0, 0.0]])
    assert accuracies_of_classes(params, np.array(MEANS), np.ones((2, 2))) == right


@pytest.mark.parametrize("params", [np.zeros((5, 2)), np.zeros((3, 3)), np.full((3, 2), np.nan)])
def test_what_is_not_linear_in_two_classes_is_refused(params):
    with pytest.raises(InputError, match="3 x 2"):
        accuracies_of_classes(params, np.array(MEANS), np.ones((2, 2)))


@pytest.mark.parametrize(("quantity", "value"), [(q, v) for q, values in SWEPT.items() for v in values])
def test_the_best_is_what_the_optimal_weights_reach(quantity, value):
    points = sample(Lab.open(), quantity, value, seed=1)
    right = accuracies_of_classes(points.get_bayes_optimal(), points.means, points.variances)
    best, *of_class = best_accuracies(quantity, value)
    assert of_class == pytest.approx(right) and best == pytest.approx(points.prior @ right)


def test_samples_have_the_size_and_the_balance_asked_for():
    for quantity, values in SWEPT.items():
        for value in values:
            points, settings = sample(Lab.open(), quantity, value, seed=3), settings_of(quantity, value)
            assert len(points.train_y) == settings["size"]
            assert np.mean(points.train_y == 0) == pytest.approx(settings["balance"])


def test_a_sweep_measures_everything_once_seed_after_seed_and_never_beats_the_best():
    found = list(measurements(Lab.open(), attempts=Attempts(), **SMALL))
    assert len(found) == ALL_OF_SMALL
    assert [m.seed for m in found] == sorted(m.seed for m in found)
    assert len({m[:4] for m in found}) == len(found)
    results = Results()
    for measurement in found:
        results.add(measurement)
    for learner, value in itertools.product([learner.label for learner in EVERYWHERE], SWEPT["balance"]):
        accuracies = results.accuracies("balance", learner, value)
        assert (accuracies <= best_accuracies("balance", value)[0] + 1e-12).all()


def test_a_sweep_that_is_stopped_early_has_the_first_measurements_of_a_whole_one():
    whole = list(measurements(Lab.open(), attempts=Attempts(), **SMALL))
    part = list(itertools.islice(measurements(Lab.open(), attempts=Attempts(), **SMALL), 5))
    assert part == whole[:5]


def test_means_and_deviations_against_numpy():
    results, rng = Results(), np.random.default_rng(0)
    rights = rng.uniform(size=(4, 2))
    for seed, right in enumerate(rights):
        results.add(Measurement("balance", 0.2, seed, "MIRA", tuple(right)))
    results.add(Measurement("balance", 0.1, 0, "MIRA", (0.5, 1.0)))
    means, deviations = (column[3:] for column in results.curve("balance", "MIRA"))
    overall = rights @ [0.2, 0.8]
    np.testing.assert_allclose(means, [overall.mean(), 0.95, np.nan])
    np.testing.assert_allclose(deviations, [overall.std(ddof=1), np.nan, np.nan])
    np.testing.assert_allclose(results.curve("balance", "MIRA", "rare")[0][3], rights[:, 0].mean())
    assert results.nr_measurements == 5


def test_a_learner_that_is_not_written_is_told_once_and_the_others_are_measured(monkeypatch):
    lab = Lab.open()
    make = lab.classifier

    def classifier(module, class_name, **settings):
        made = make(module, class_name, **settings)
        if module == "perceptron":
            made.train = lambda X, y: (_ for _ in ()).throw(NotImplementedError("Exercise 1.4: the perceptron"))
        return made

    monkeypatch.setattr(lab, "classifier", classifier)
    attempts = Attempts()
    found = list(measurements(lab, attempts=attempts, **SMALL))
    assert [item.exercise for item in attempts.left_out.values()] == ["1.4"] and len(found) == ALL_OF_SMALL * 5 // 6
