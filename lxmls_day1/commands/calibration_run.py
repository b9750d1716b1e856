"""How far the classifiers' probabilities can be trusted: what ``lxmls-day1 run --task calibration`` does.

Every classifier learns the training part. Its probabilities on the test part are compared with how often it is right there: as they
are, and after Platt's sigmoid or isotonic regression, which are fitted to the development part.
"""

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import softmax

from lxmls_day1.commands.output import ReportProgress, not_written_yet, png, shown_progress, with_notes, write_results
from lxmls_day1.errors import InputError
from lxmls_day1.figures.reliability import Reliability, plot_reliability, reliability
from lxmls_day1.text_table import aligned, as_csv

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

SPLIT = (0.6, 0.2, 0.2)  # a development part as large as the test part
WAYS = {"Platt": "sigmoid", "isotonic": "isotonic"}
AS_IT_IS = "as it is"


class CalibrationRow(NamedTuple):
    """One classifier: how often it is right on the test part, and its expected calibration errors there."""

    classifier: str
    accuracy: float
    as_it_is: float
    """Of its own probabilities; of a classifier that has none, of exp(s_y) / Σ exp(s_k)."""
    platt: float
    isotonic: float


def run(folder: "Path", dataset: Any, classifiers: Mapping[str, Any], notes: list[str]) -> None:
    """Measure, print the table, write the figure and the table into a folder.

    Parameters
    ----------
    folder : Path
        Where files can be written to.
    dataset
        With a training, a development and a test part.
    classifiers : mapping of str to classifier
    notes : list of str
        Sentences below the table.
    """
    with shown_progress() as progress:
        rows, diagrams, more = measure(dataset, classifiers, progress)
        contents = {
            "reliability.png": png(draw(diagrams)),
            "calibration.csv": as_csv(CalibrationRow._fields, rows).encode(),
        }
    text = f"{dataset.get_name()}, test part: accuracy, and expected calibration error\n\n{as_text(rows)}"
    write_results(folder, contents, with_notes(text, [*notes, *more]))


def measure(
    dataset: Any, classifiers: Mapping[str, Any], progress: ReportProgress | None = None
) -> tuple[list[CalibrationRow], dict[str, dict[str, Reliability]], list[str]]:
    """Train every classifier, calibrate it on the development part, and look at its probabilities on the test part.

    Parameters
    ----------
    dataset
        With a training, a development and a test part.
    classifiers : mapping of str to classifier
    progress : function (done, total, name), optional

    Returns
    -------
    rows : list of CalibrationRow
    diagrams : dict
        Classifier -> way of calibration -> its bins.
    notes : list of str
        What classifiers warned of, and which are not written yet.

    Raises
    ------
    InputError
        If scikit-learn is not installed, or the development part has not two examples of each class.
    """
    try:
        from lxmls_day1.sklearn_adapter import as_estimator, calibrated, check_two_of_each  # an optional extra
    except ImportError as error:
        raise InputError(str(error)) from error
    train_y, dev_y, test_y = (np.asarray(y) for y in (dataset.train_y, dataset.dev_y, dataset.test_y))
    check_two_of_each(np.unique(train_y).tolist(), dev_y, getattr(dataset, "label_names", None))
    rows, diagrams, notes = [], {}, []
    for done, (name, classifier) in enumerate(classifiers.items()):
        if progress:
            progress(done, len(classifiers), name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                estimator = as_estimator(classifier).fit(dataset.train_X, train_y)
            except NotImplementedError as error:
                notes.append(not_written_yet(name, error))
                continue
            columns = np.searchsorted(estimator.classes_, test_y)
            bins = {AS_IT_IS: reliability(own_probabilities(estimator, dataset.test_X), columns)}
            for way, method in WAYS.items():
                model = calibrated(estimator, dataset.dev_X, dev_y, method)
                bins[way] = reliability(model.predict_proba(dataset.test_X), columns)
            accuracy = float(np.mean(estimator.predict(dataset.test_X) == test_y))
        rows.append(CalibrationRow(name, accuracy, *(of_way.error for of_way in bins.values())))
        diagrams[name] = bins
        notes += [f"{name}: {warning.message}" for warning in caught]
    if progress:
        progress(len(classifiers), len(classifiers), "")
    return rows, diagrams, notes


def own_probabilities(estimator: Any, X: Any) -> np.ndarray:
    """p(y | x) of each row (M, K): the classifier's own, or what its scores say if they are taken for logarithms."""
    if hasattr(estimator, "predict_proba"):
        probabilities: np.ndarray = estimator.predict_proba(X)
        return probabilities
    scores = estimator.decision_function(X)
    if scores.ndim == 1:
        scores = np.stack([np.zeros(len(scores)), scores], axis=1)
    of_scores: np.ndarray = softmax(scores, axis=1)
    return of_scores


def draw(diagrams: Mapping[str, Mapping[str, Reliability]]) -> "Figure":
    """A reliability diagram for each classifier; the figure is unknown to pyplot.

    Raises
    ------
    InputError
        If there is no classifier.
    """
    from matplotlib.figure import Figure  # here, as `measure` needs no matplotlib

    if not diagrams:
        raise InputError("there is nothing to draw: no classifier of this lab is written yet")
    n_columns = min(4, len(diagrams))
    n_rows = -(-len(diagrams) // n_columns)
    fig = Figure(figsize=(4.4 * n_columns, 4.2 * n_rows), layout="constrained")
    axes = fig.subplots(n_rows, n_columns, squeeze=False).ravel()
    for ax, (name, bins) in zip(axes, diagrams.items(), strict=False):
        plot_reliability(bins, title=name, ax=ax)
    for ax in axes[len(diagrams) :]:
        ax.set_visible(False)
    return fig


def as_text(rows: Iterable[CalibrationRow]) -> str:
    """Rows under a heading.

    Examples
    --------
    >>> print(as_text([CalibrationRow("SVM", 0.82, 0.1, 0.031, 0.04)]))
    classifier  accuracy  as it is   Platt  isotonic
    ------------------------------------------------
    SVM           0.8200    0.1000  0.0310    0.0400
    """
    cells = [[row.classifier, *(f"{number:.4f}" for number in row[1:])] for row in rows]
    return aligned(["classifier", "accuracy", AS_IT_IS, *WAYS], cells)
