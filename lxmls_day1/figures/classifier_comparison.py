"""Comparison of classifiers on a data set: train and measure each, collect a table, and draw the boundaries they have learnt."""

import contextlib
import copy
import math
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterable, Mapping
from textwrap import fill
from typing import Any

import numpy as np

from lxmls_day1.base.checks import as_list, check_attributes
from lxmls_day1.base.grouping import grouped
from lxmls_day1.base.settings import settings
from lxmls_day1.engine.models.result_table import ResultTable, Row
from lxmls_day1.figures.boundaries import discriminant_scores
from lxmls_day1.figures.plotting import LINE_COLOURS, axes_for, draw_legend, plot_accuracies
from lxmls_day1.figures.style import CONNECTOR, is_known, legible

_MAX_LINES = 5  # A reader cannot distinguish more lines.
_GRID_POINTS = 64  # per axis, at which two classifiers are compared
_TEXT_SIZE, _NOTE_WIDTH = 15, 100  # points, characters
_BOTTOM, _ROW_HEIGHT = 0.05, 0.118  # place and height of the bars, as shares of the plane


def compare(
    dataset: Any,
    classifiers: Callable[[Any], Iterable[Any]] | Iterable[Any] | Mapping[str, Any],
    bayes_classifier: Any,
    progress: Callable[[int, int, str], object] | None = None,
    ax: Any = None,
    memory: bool = False,
) -> tuple[ResultTable, tuple[Any, Any]]:
    """Train classifiers on the training part of a data set, measure them on both parts, and draw the comparison.

    Parameters
    ----------
    dataset, progress, ax, memory
        As in :func:`classifiers.run_all_classifiers.run_all_classifiers`.
    classifiers : list of classifiers, dict from name to classifier, or function (dataset) -> list
    bayes_classifier : LinearClassifier
        Classifier used to predict with externally supplied parameters, such as those of the Bayes-optimal boundary.

    Returns
    -------
    table : ResultTable
    (fig, axis) : Figure, Axes

    Raises
    ------
    InputError
        If a classifier cannot be trained on these data, the test part is empty, or an argument is not a data set or not a
        classifier.
    """
    check_attributes(
        dataset, "expected a data set such as SimpleDataSet()", ("train_X", "train_y", "test_X", "test_y", "get_name")
    )
    if callable(classifiers):
        classifiers = classifiers(dataset)
    named = dict(classifiers) if isinstance(classifiers, Mapping) else distinct_names(classifiers)
    for classifier in named.values():
        _check_classifier(classifier)
    rows, params_of, notes = [], {}, []
    for done, (name, classifier) in enumerate(named.items()):
        if progress:
            progress(done, len(named), name)
        warm_up(classifier, *_first_examples(dataset))
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                warnings.simplefilter("ignore", DeprecationWarning)
                row, params_of[name] = measure(classifier, name, dataset, memory)
        except NotImplementedError as error:
            notes.append(f"{name} is left out, because it is not written yet: {str(error) or 'NotImplementedError'}")
            continue
        rows.append(row)
        notes += [f"{name}: {warning.message}" for warning in caught]
    if progress:
        progress(len(named), len(named), "")
    table = ResultTable(rows, notes)
    return table, _draw(dataset, table, params_of, bayes_classifier, ax)


def _check_classifier(classifier: Any) -> None:
    methods = ("train", "test", "evaluate", "objective", "get_name")
    check_attributes(classifier, "expected a classifier such as SVM()", methods)


def memory_of_training(classifier: Any, dataset: Any) -> float:
    """Return the peak memory that a training needs in addition to its data.

    Parameters
    ----------
    classifier : classifier
        The classifier; a copy of it is trained.
    dataset
        A data set with ``train_X`` and ``train_y``.

    Returns
    -------
    megabytes : float
        The memory allocated by Python and NumPy, in 10⁶ bytes.

    Examples
    --------
    >>> from readers.simple_data_set import SimpleDataSet
    >>> from classifiers.perceptron import Perceptron
    >>> memory_of_training(Perceptron(), SimpleDataSet()) > 0
    True
    """
    warm_up(classifier, *_first_examples(dataset))  # so that importing libraries does not count as training
    learner, was_tracing = copy.deepcopy(classifier), tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the first training has already issued the warnings
            learner.train(dataset.train_X, dataset.train_y)
        return (tracemalloc.get_traced_memory()[1] - before) / 1e6
    finally:
        if not was_tracing:
            tracemalloc.stop()


def measure(classifier: Any, name: str, dataset: Any, memory: bool = False) -> tuple[Row, np.ndarray]:
    """Train one classifier and measure it on the training and the test part; with `memory`, also train a copy to measure memory.

    Parameters
    ----------
    classifier : classifier
    name : str
        The name of the classifier in the row.
    dataset
        A data set with ``train_X (M, J), train_y (M,), test_X, test_y`` and ``get_name()``.
    memory : bool
        Whether to measure also `memory_of_training`.

    Returns
    -------
    row : lxmls_day1.engine.models.result_table.Row
    params : array (J + 1, K), or (2J + 1, K) for a quadratic classifier

    Examples
    --------
    >>> from readers.simple_data_set import SimpleDataSet
    >>> from classifiers.perceptron import Perceptron
    >>> row, params = measure(Perceptron(), "Perceptron", SimpleDataSet(nr_examples=100))
    >>> row.classifier, row.data_set == SimpleDataSet(nr_examples=100).get_name(), params.shape
    ('Perceptron', True, (3, 2))
    """
    started = time.perf_counter()
    params = classifier.train(dataset.train_X, dataset.train_y)
    seconds = time.perf_counter() - started
    train_accuracy, test_accuracy = _accuracies(classifier, dataset, params)
    objective = classifier.objective(dataset.train_X, dataset.train_y, params)
    objective = None if objective is None else float(objective)
    megabytes = memory_of_training(classifier, dataset) if memory else None
    return Row(name, dataset.get_name(), train_accuracy, test_accuracy, seconds, objective, megabytes), params


def _accuracies(classifier: Any, dataset: Any, params: np.ndarray) -> list[float]:
    """Return the accuracy on the training and on the test part."""
    parts = (dataset.train_X, dataset.train_y), (dataset.test_X, dataset.test_y)
    return [float(classifier.evaluate(y, classifier.test(X, params))) for X, y in parts]


def distinct_names(classifiers: Iterable[Any]) -> dict[str, Any]:
    """Return classifiers by name; names that occur several times get the settings in which the classifiers differ.

    Parameters
    ----------
    classifiers : iterable of classifiers

    Returns
    -------
    dict from name to classifier, in the same order

    Raises
    ------
    InputError
        If one of them is not a classifier.

    Examples
    --------
    >>> from classifiers import Mira, Perceptron
    >>> list(distinct_names([Perceptron(), Mira(regularizer=0.1), Mira(regularizer=1), Mira(regularizer=1)]))
    ['Perceptron', 'MIRA (regularizer=0.1)', 'MIRA (regularizer=1)', 'MIRA (regularizer=1), no. 2']
    """
    classifiers = as_list(classifiers, "classifiers must be a list, or a dict with names")
    for classifier in classifiers:
        _check_classifier(classifier)
    namesakes = grouped((classifier.get_name(), classifier) for classifier in classifiers)
    named = {}
    for classifier in classifiers:
        name = classifier.get_name()
        others = [settings(namesake) for namesake in namesakes[name]]
        own = settings(classifier)
        differing = [f"{key}={own[key]}" for key in own if any(repr(o.get(key)) != repr(own[key]) for o in others)]
        if differing:
            name += f" ({', '.join(differing)})"
        unique, number = name, 1
        while unique in named:
            number += 1
            unique = f"{name}, no. {number}"
        named[unique] = classifier
    return named


def warm_up(classifier: Any, X: Any, y: Any) -> None:
    """Train a copy on a few examples and label them, so that all code that is compiled at its first use is compiled.

    Errors are ignored: this small training may fail when the real training does not, and the real training reports its own errors.

    Examples
    --------
    >>> from classifiers.perceptron import Perceptron
    >>> warm_up(Perceptron(), [[1.0], [2.0]], [0, 1])
    """
    learner = copy.deepcopy(classifier)
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        learner.test(X, learner.train(X, y))


def _first_examples(dataset: Any) -> tuple[Any, np.ndarray]:
    """Return an example of each class, with two features each."""
    _, firsts = np.unique(dataset.train_y, return_index=True)
    return dataset.train_X[firsts][:, :2], np.asarray(dataset.train_y)[firsts]


def _draw(
    dataset: Any, table: ResultTable, params_of: Mapping[str, Any], bayes_optimal: Any, ax: Any
) -> tuple[Any, Any]:
    if dataset.train_X.shape[1] != 2 or not hasattr(dataset, "plot_data"):
        return plot_accuracies([row[:4] for row in table], ax=ax)
    bayes_params = dataset.get_bayes_optimal()
    bayes_optimal.quadratic = len(bayes_params) > dataset.train_X.shape[1] + 1  # for the data set's own parameters
    train_accuracy, test_accuracy = _accuracies(bayes_optimal, dataset, bayes_params)
    fig, axis = dataset.plot_data(print_bayes_opt=False, ax=axes_for(ax, (14.0, 8.0))[1])
    accuracies = {"Bayes optimal": (train_accuracy, test_accuracy)}
    accuracies |= {row.classifier: (row.train_accuracy, row.test_accuracy) for row in table}
    drawn, note = choose_lines({"Bayes optimal": bayes_params, **params_of}, axis.get_xlim(), axis.get_ylim())
    lines: dict[str, Any] = {}
    for name, params in drawn.items():
        label = "{}: train {:.2f}, test {:.2f}".format(name, *accuracies[name])
        colour = None if is_known(name) else LINE_COLOURS[len(lines) % len(LINE_COLOURS)]
        fig, axis = dataset.add_line(fig, axis, params, label, colour)
        lines[name] = axis.lines[-1]
    _label_with_bars(axis, lines, {name: accuracies[name][1] for name in lines}, dataset.test_y, note)
    return fig, axis


def choose_lines(
    params_of: Mapping[str, Any], xlim: tuple[float, float], ylim: tuple[float, float]
) -> tuple[dict[str, Any], str]:
    """Choose at most five classifiers whose lines differ most, the first one always; describe the others in a sentence.

    Parameters
    ----------
    params_of : mapping from name to array (3, K) or (5, K)
    xlim, ylim : (float, float)
        The part of the plane in which they are compared.

    Returns
    -------
    chosen : dict from name to params, in the given order
    note : str
        The names of the others, and the largest share of the plane in which one of them disagrees with the most similar line. Empty if
        there are none.

    Examples
    --------
    >>> up, right = [[0, 0], [0, 0], [-1, 1]], [[0, 0], [-1, 1], [0, 0]]
    >>> chosen, note = choose_lines(dict(zip("abcdef", [up, right, up, right, up, up])), (-1, 1), (-1, 1))
    >>> list(chosen), note
    (['a', 'b', 'c', 'd', 'e'], 'Not drawn, because it differs from a drawn line in at most 0.0 % of the plane: f.')
    """
    grid = np.stack(np.meshgrid(np.linspace(*xlim, _GRID_POINTS), np.linspace(*ylim, _GRID_POINTS)), axis=-1)
    answers = {}
    for name, params in params_of.items():
        answers[name] = discriminant_scores(grid.reshape(-1, 2), params, quadratic=len(params) > 3).argmax(axis=1)
    # The share of the plane in which a classifier disagrees with the nearest line.
    nearest = dict.fromkeys(answers, math.inf)
    chosen: list[str] = []
    while len(chosen) < min(_MAX_LINES, len(answers)):
        chosen.append(max((name for name in answers if name not in chosen), key=nearest.__getitem__))
        for name, given in answers.items():
            nearest[name] = min(nearest[name], float(np.mean(given != answers[chosen[-1]])))
    others = [name for name in answers if name not in chosen]
    note = ""
    if others:
        differs, share = "it differs" if len(others) == 1 else "each differs", max(map(nearest.__getitem__, others))
        plane = f"{100 * share:.1f} % of the plane"
        note = f"Not drawn, because {differs} from a drawn line in at most {plane}: {'; '.join(others)}."
    return {name: params for name, params in params_of.items() if name in chosen}, note


def _label_with_bars(
    ax: Any, lines: Mapping[str, Any], accuracies: Mapping[str, float], test_y: Any, note: str
) -> None:
    """Write each line's name beside its end, with a bar of its accuracy, which begins at the accuracy of guessing."""
    from matplotlib.lines import Line2D

    markers = [line for line in ax.lines if line not in lines.values()]
    draw_legend(ax, markers, ncols=1 + (len(markers) > 6))
    ends: dict[str, Any] = {}
    for name, line in lines.items():
        points = ax.transLimits.transform(line.get_xydata())
        points = points[np.isfinite(points).all(axis=1)]
        ends[name] = points[points[:, 0].argmax()] if len(points) else None
    # From the bottom to the top of the column; ends at the lower edge the other way round, so that no connectors cross.
    order = sorted(lines, key=lambda name: _place_in_column(ends[name]))
    bars = ax.inset_axes([1.13, _BOTTOM, 0.5, _ROW_HEIGHT * len(order)])
    counts = np.unique(test_y, return_counts=True)[1]
    guessing = counts.max() / counts.sum()
    for row, name in enumerate(order):
        colour = lines[name].get_color()
        text = legible(colour)
        bars.barh(row - 0.2, accuracies[name] - guessing, left=guessing, height=0.3, color=colour)
        number = {"s": f" {accuracies[name]:.3f}", "va": "center", "size": _TEXT_SIZE, "color": text}
        bars.text(max(guessing, *accuracies.values()), row - 0.2, **number)
        bars.text(guessing, row + 0.02, name, va="bottom", size=_TEXT_SIZE, color=text)
        if ends[name] is not None:
            height = _BOTTOM + _ROW_HEIGHT * (row + 0.68)
            connector = Line2D(
                [ends[name][0], 1.06, 1.11], [ends[name][1], height, height], transform=ax.transAxes, clip_on=False
            )
            connector.set(color=colour, linewidth=0.8, label=CONNECTOR)
            ax.add_artist(connector)
    best, *_ = accuracies.values()
    bars.axvline(best, color="black", linewidth=0.8)
    bars.set(xlim=(min(guessing, *accuracies.values()), max(guessing + 0.01, *accuracies.values())), yticks=[])
    bars.set_ylim(-0.5, len(order) - 0.5)
    bars.set_xticks([guessing], [f"{guessing:.2f}, by guessing"], size=_TEXT_SIZE - 2, color="0.35", ha="left")
    bars.set_title(f"accuracy on {len(test_y)} test points", loc="left", size=_TEXT_SIZE)
    bars.tick_params(length=0)
    bars.spines[["top", "right", "bottom"]].set_visible(False)
    ax.text(0.0, -0.13, fill(note, _NOTE_WIDTH), transform=ax.transAxes, size=_TEXT_SIZE - 2, va="top", color="0.35")


def _place_in_column(end: np.ndarray | None) -> tuple[float, float]:
    if end is None:
        return -1.0, 0.0
    across, height = np.round(end, 9)
    return height, across if height > 0.5 else -across
