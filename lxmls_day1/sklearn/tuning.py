"""The choice of hyper-parameters on the development part of a data set. The test part is never used."""

import copy
import itertools
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lxmls_day1.base.checks import as_list, as_matrix, check_attributes, check_labels, check_number, random_generator
from lxmls_day1.base.errors import InputError, UnknownSetting, did_you_mean
from lxmls_day1.base.settings import known_settings
from lxmls_day1.engine.loops.penalties import LargePenaltyWarning

#: The default grids: `tune` uses the first of these settings that a classifier has.
DEFAULT_GRIDS: dict[str, tuple[float, ...]] = {
    "regularizer": (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
    "smooth_param": (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01),
}


@dataclass(frozen=True)
class Trial:
    """One combination of settings and its accuracies.

    Attributes
    ----------
    settings : dict of str to value
    accuracy : float
        The share of correct labels on the development part.
    training_accuracy : float

    Examples
    --------
    >>> trial = Trial({"regularizer": 0.1}, accuracy=0.8, training_accuracy=1.0)
    >>> trial.settings["regularizer"], trial.accuracy
    (0.1, 0.8)
    """

    settings: dict[str, Any]
    accuracy: float
    training_accuracy: float


@dataclass(frozen=True)
class TuningResult:
    """The result of `tune`.

    Attributes
    ----------
    trials : list of Trial
        All trials, in the order of the grid.
    best : Trial
        The trial with the highest accuracy on the development part; the first one if several are equal.
    classifier : object
        A copy of the classifier with the settings of the best trial, trained.
    params : array
        The parameters that its training returned.
    n_examples : int
        The number of examples in the development part; for tagged sentences the number of words.

    Examples
    --------
    With 100 examples, an accuracy of 0.8 has a standard error of 0.04, so 0.77 is within one standard error, and 0.7 is not:

    >>> trials = [Trial({"regularizer": 10.0**-i}, accuracy, 1.0) for i, accuracy in enumerate([0.7, 0.77, 0.8])]
    >>> found = TuningResult(trials, best=trials[2], classifier=None, params=np.zeros((3, 2)), n_examples=100)
    >>> round(found.standard_error(found.best), 6), [trial.settings for trial in found.within_one_standard_error()]
    (0.04, [{'regularizer': 0.1}, {'regularizer': 0.01}])
    """

    trials: list[Trial]
    best: Trial
    classifier: Any
    params: np.ndarray
    n_examples: int

    def standard_error(self, trial: Trial) -> float:
        """Return the standard error of an accuracy p, √(p (1 − p) / n) for n examples. Smaller differences are not significant."""
        return math.sqrt(trial.accuracy * (1.0 - trial.accuracy) / self.n_examples)

    def within_one_standard_error(self) -> list[Trial]:
        """Return the trials whose accuracy is within one standard error of the best."""
        least = self.best.accuracy - self.standard_error(self.best)
        return [trial for trial in self.trials if trial.accuracy >= least]


def tune(
    classifier: Any, data: Any, grid: Mapping[str, Sequence[Any]] | None = None, progress: bool = False
) -> TuningResult:
    """Train with each combination of settings, and select the one with the highest accuracy on the development part.

    Parameters
    ----------
    classifier : a classifier of a lab
        It is not changed; copies of it are trained.
    data : a data set of a lab
        It needs ``train_X, train_y`` and a non-empty development part ``dev_X, dev_y``.
    grid : mapping from setting to the values to try, optional
        All combinations are tried. Default: seven values of λ (``regularizer``) or of the smoothing (``smooth_param``). If several
        combinations are equally good, the first is selected, so put preferred values first.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    TuningResult

    Raises
    ------
    InputError
        If there is no development part, the classifier has no such setting, the grid is empty, or an argument is not a classifier, a
        data set or a grid.

    Examples
    --------
    >>> from lxmls_day1 import Lab
    >>> lab = Lab.open()
    >>> data = lab.reader("simple_data_set", "SimpleDataSet", nr_examples=300, split=[0.4, 0.4, 0.2])
    >>> found = tune(lab.classifier("svm", "SVM"), data, {"regularizer": [1.0, 0.1]})
    >>> [trial.settings for trial in found.trials]
    [{'regularizer': 1.0}, {'regularizer': 0.1}]
    >>> found.best.accuracy == max(trial.accuracy for trial in found.trials)
    True
    """
    choices: Iterable[dict[str, Any]] = _combinations(classifier, default_grid(classifier) if grid is None else grid)
    _check_parts(data)
    n_examples = sum(len(y) if isinstance(y, (tuple, list)) else 1 for y in _labels(data, "dev_y"))
    if n_examples == 0:
        raise InputError(
            "tuning needs a development part, but this data set has none: split it, as in split=[0.6, 0.2, 0.2]; the test part "
            "must not be used for choosing"
        )
    trials: list[Trial] = []
    best: tuple[Any, ...] = ()  # the best trial, its learner and its parameters
    if progress:
        from tqdm.auto import tqdm  # Imported only if the progress bar is shown.

        choices = tqdm(choices, desc="tuning", unit="choice", leave=False)
    for choice in choices:
        learner = copy.deepcopy(classifier)
        for name, value in choice.items():
            setattr(learner, name, value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LargePenaltyWarning)  # The grid may contain a λ that is too large.
            params = learner.train(data.train_X, data.train_y)
        accuracies = [
            float(learner.evaluate(y, learner.test(X, params)))
            for X, y in ((data.dev_X, data.dev_y), (data.train_X, data.train_y))
        ]
        trials.append(Trial(choice, *accuracies))
        if not best or trials[-1].accuracy > best[0].accuracy:
            best = trials[-1], learner, params
    return TuningResult(trials, best[0], best[1], best[2], n_examples)


@dataclass(frozen=True)
class DataSplit:
    """The two parts of a data set that `tune` uses.

    Examples
    --------
    >>> parts = DataSplit([[1.0], [2.0]], [0, 1], [[3.0]], [1])
    >>> len(parts.train_y), len(parts.dev_y)
    (2, 1)
    """

    train_X: Any
    train_y: Any
    dev_X: Any
    dev_y: Any


def with_development_part(data: Any, share: float = 0.2, seed: int = 1) -> Any:
    """Return the data set itself if it has a development part. Otherwise hold out a random share of its training part.

    Parameters
    ----------
    data : a data set of a lab
    share : float in (0, 1)
        The share to hold out.
    seed : int

    Returns
    -------
    object with ``train_X, train_y, dev_X, dev_y``

    Raises
    ------
    InputError
        If there are too few training examples for two parts, or `data` is not a data set.

    Examples
    --------
    >>> from lxmls_day1 import Lab
    >>> data = Lab.open().reader("simple_data_set", "SimpleDataSet", nr_examples=100, split=[0.5, 0, 0.5])
    >>> parts = with_development_part(data)
    >>> len(parts.train_y), len(parts.dev_y)
    (40, 10)
    """
    _check_parts(data)
    if len(_labels(data, "dev_y")):
        return data
    share = check_number("the share of the development part", share, above=0, at_most=1)
    n_examples = len(_labels(data, "train_y"))
    n_held_out = round(share * n_examples)
    if not 0 < n_held_out < n_examples:
        raise InputError(f"{n_examples} training examples cannot be split so that {share:g} of them are held out")
    order = random_generator(seed).permutation(n_examples)
    held_out, rest = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    X = data.train_X if _is_list(data.train_X) else as_matrix(data.train_X)
    y = data.train_y if _is_list(data.train_y) else check_labels(data.train_y)
    n_rows = len(X) if _is_list(X) else X.shape[0]
    if n_rows != n_examples:
        raise InputError(
            f"train_X has {n_rows} examples, but train_y has {n_examples} labels; each example needs its label"
        )
    return DataSplit(*(_select_rows(part, rows) for rows in (rest, held_out) for part in (X, y)))


def _check_parts(data: Any) -> None:
    check_attributes(data, "data must be a data set such as SimpleDataSet()", ("train_X", "train_y", "dev_X", "dev_y"))


def _check_classifier(classifier: Any) -> None:
    check_attributes(classifier, "wanted a classifier such as SVM()", ("train", "test", "evaluate", "get_name"))


def _labels(data: Any, name: str) -> list[Any]:
    return as_list(getattr(data, name), f"{name} must hold labels, one for each example")


def _is_list(part: Any) -> bool:
    """Return True if a part is a list or tuple (of sentences or rows), which is not converted to an array."""
    return isinstance(part, (list, tuple))


def _select_rows(part: Any, rows: np.ndarray) -> Any:
    return [part[row] for row in rows] if _is_list(part) else part[rows]


def default_grid(classifier: Any) -> dict[str, tuple[float, ...]]:
    """Return the default grid of `tune`: values of λ, or of the smoothing.

    Raises
    ------
    InputError
        If the classifier has neither of the two settings, or is not a classifier.

    Examples
    --------
    >>> from lxmls_day1 import Lab
    >>> lab = Lab.open()
    >>> [list(default_grid(lab.classifier(*name))) for name in (("svm", "SVM"), ("naive_bayes", "MultinomialNaiveBayes"))]
    [['regularizer'], ['smooth_param']]
    """
    _check_classifier(classifier)
    known = known_settings(type(classifier))
    for name, values in DEFAULT_GRIDS.items():
        if name in known:
            return {name: values}
    raise InputError(
        f"{classifier.get_name()} has no {' and no '.join(DEFAULT_GRIDS)}: name a setting and the values to try (--grid NAME=VALUES); "
        f"its settings are: {', '.join(known) or 'none'}"
    )


def _combinations(classifier: Any, grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of the values in a grid."""
    _check_classifier(classifier)
    known = known_settings(type(classifier))
    if not isinstance(grid, Mapping):
        raise InputError(f"the grid must be a dict from setting to values, such as {{'seed': [1, 2]}}, but is {grid!r}")
    for name in grid:
        if name not in known:
            raise UnknownSetting(
                f"{classifier.get_name()} has no setting {name!r}{did_you_mean(str(name), list(known))}"
            )
    if not grid:
        raise InputError("the grid is empty: name a setting and the values to try")
    values_of = {name: as_list(values, f"the values of {name} must be a list") for name, values in grid.items()}
    for name, values in values_of.items():
        if not values:
            raise InputError(f"the values of {name} must be a list of at least one, but are {grid[name]!r}")
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*values_of.values())]
