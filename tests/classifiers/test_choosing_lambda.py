import numpy as np

from classifiers.choosing_lambda import choose_for_max_ent, choose_regularizer
from classifiers.max_ent_batch import MaxEntBatch
from lxmls_day1.sklearn.tuning import tune


class Threshold:
    """A classifier that predicts 1 above λ and records its training data."""

    trained_on = ()

    def __init__(self, value):
        self.value = value

    def train(self, X, y):
        Threshold.trained_on = (*Threshold.trained_on, (self.value, tuple(X)))
        return self.value

    def test(self, X, params):
        return [int(x > params) for x in X]

    def evaluate(self, y, predicted):
        return float(np.mean(np.equal(y, predicted)))


def test_accuracies_decide_and_of_equal_ones_the_largest_value():
    dev_X, dev_y = [1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1]
    chosen, accuracies = choose_regularizer(Threshold, [2.5, 2.0, 0.5, 2.9, 3.5], [7.0], [1], dev_X, dev_y)
    assert chosen == 2.9 and accuracies.tolist() == [1.0, 1.0, 0.5, 1.0, 0.75]
    assert Threshold.trained_on == tuple((value, (7.0,)) for value in [2.5, 2.0, 0.5, 2.9, 3.5])


def test_it_measures_what_tuning_measures():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) + y[:, None]
    parts = type("Parts", (), {"train_X": X[:30], "train_y": y[:30], "dev_X": X[30:], "dev_y": y[30:]})()
    values = [0.01, 0.1, 1.0, 10.0]
    _, accuracies = choose_for_max_ent(values, parts.train_X, parts.train_y, parts.dev_X, parts.dev_y)
    found = tune(MaxEntBatch(), parts, {"regularizer": values})
    by_value = {trial.settings["regularizer"]: trial.accuracy for trial in found.trials}
    np.testing.assert_allclose(accuracies, [by_value[value] for value in values])
