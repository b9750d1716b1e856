"""Expected accuracies compared with samples and with the Bayes optimum, and the order of a sweep."""

import numpy as np
import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.demos import accuracy_sweep as sweep
from lxmls_day1.demos.lab_learners import GENERAL_LEARNERS


def test_expected_accuracy_matches_many_points():
    rng = np.random.default_rng(5)
    for _ in range(5):
        params, means, variances = rng.normal(size=(3, 2)), rng.normal(size=(2, 2)), rng.uniform(0.3, 3, (2, 2))
        right = sweep.accuracies_of_classes(params, means, variances)
        for k in range(2):
            x = means[k] + np.sqrt(variances[k]) * rng.normal(size=(200_000, 2))
            labels = np.argmax(x @ params[1:] + params[0], axis=1)
            assert np.mean(labels == k) == pytest.approx(right[k], abs=0.005)


@pytest.mark.parametrize(("intercepts", "right"), [([1.0, 0.0], (1, 0)), ([0.0, 1.0], (0, 1)), ([0.0, 0.0], (1, 0))])
def test_a_constant_model_is_right_on_its_class(intercepts, right):
    params = np.array([intercepts, [2.0, 2.0], [0.0, 0.0]])
    assert sweep.accuracies_of_classes(params, np.array(sweep.MEANS), np.ones((2, 2))) == right


@pytest.mark.parametrize("params", [np.zeros((5, 2)), np.zeros((3, 3)), np.full((3, 2), np.nan)])
def test_parameters_that_are_not_linear_in_two_classes_are_refused(params):
    with pytest.raises(InputError, match="3 x 2"):
        sweep.accuracies_of_classes(params, np.array(sweep.MEANS), np.ones((2, 2)))


@pytest.mark.parametrize(("quantity", "value"), [(q, v) for q, values in sweep.SWEEP_VALUES.items() for v in values])
def test_a_sample_is_as_asked_for_and_the_best_is_what_its_optimal_weights_reach(lab, quantity, value):
    points, wanted = sweep.sample(lab, quantity, value, seed=1), sweep.DEFAULT_SETTINGS | {quantity: value}
    assert len(points.train_y) == wanted["size"] and (points.variances == wanted["variance"]).all()
    assert np.mean(points.train_y == 0) == pytest.approx(wanted["balance"])
    right = sweep.accuracies_of_classes(points.get_bayes_optimal(), points.means, points.variances)
    assert sweep.best_accuracies(quantity, value) == pytest.approx(right)


@pytest.mark.parametrize("learner", GENERAL_LEARNERS, ids=[learner.label for learner in GENERAL_LEARNERS])
def test_no_learner_beats_the_best_and_the_means_are_those_of_the_seeds(lab, learner):
    measured = np.array([sweep.measure(lab, learner, "balance", seed) for seed in (1, 2, 3)])
    assert measured.shape == (3, len(sweep.SWEEP_VALUES["balance"]), 2)
    for n, value in enumerate(sweep.SWEEP_VALUES["balance"]):
        rights = measured[:, n] @ [value, 1 - value]
        assert (rights <= sweep.best_accuracies("balance", value) @ np.array([value, 1 - value]) + 1e-12).all()
        mean, deviation = (each[n] for each in sweep.curve(measured, "balance", "all"))
        assert (mean, deviation) == (pytest.approx(rights.mean()), pytest.approx(rights.std(ddof=1)))
        assert sweep.curve(measured, "balance", "rare")[0][n] == pytest.approx(measured[:, n, 0].mean())
    assert not sweep.curve(measured[:1], "balance", "all")[1].any()  # A single seed has no deviation.
