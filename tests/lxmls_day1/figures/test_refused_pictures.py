"""Refused input of pictures and the messages, in one table. ``test_fuzz.py`` looks for cases that the table lacks."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.comparison import plot_curves, plot_pairs
from lxmls_day1.figures.contributions import plot_contributions
from lxmls_day1.figures.descents import plot_descents
from lxmls_day1.figures.joint_feature_table import plot_joint_features
from lxmls_day1.figures.lattice import lattice
from lxmls_day1.figures.margins import street
from lxmls_day1.figures.moments import plot_moments
from lxmls_day1.figures.overlap import plot_overlap
from lxmls_day1.figures.plotting import plot_accuracies, plot_points
from lxmls_day1.figures.regions import class_margins, plot_regions
from lxmls_day1.figures.reliability import plot_reliability, reliability
from lxmls_day1.figures.squishing import levels, plot_squishing
from lxmls_day1.figures.tuning_curve import plot_tuning
from lxmls_day1.figures.updates import plot_envelopes
from lxmls_day1.figures.weight_paths import plot_path

X, Y = np.array([[-1.0, -1.0], [-2.0, 0.5], [1.0, 1.0], [2.0, -0.5]]), np.array([0, 0, 1, 1])
G, W = np.array([1.0, 1.0, 0.0, 1.0]), np.arange(12.0).reshape(4, 3)
DATA = np.array([[0.25, 0.75], [0.2, 0.0], [0.4, 0.1]])
UNIFORM = np.repeat(DATA.sum(axis=1, keepdims=True) / 2, 2, axis=1)
TAGS = ["ADJ", "DET", "NOUN", "VERB"]


def of_lattice(**changes):
    scores = np.ones((3, 4)), np.ones((4, 4)), np.ones(4), np.ones(4)
    return lattice(**{"words": ["the", "old", "man"], "tags": TAGS, "scores": scores, "best": [1, 0, 2]} | changes)


def of_descents(ax, paths):
    return plot_descents(lambda v: float(v @ v), paths, ax, xlim=(-1, 1), ylim=(-1, 1))


def of_street(y, params):
    return street([[0.0, 0.0], [1.0, 1.0]], y, params)


REFUSED = [
    (lambda ax: plot_curves([1, 2], {"SVM": [[1.0], [2.0]]}, ax), "at least two samples"),
    (lambda ax: plot_curves([1, 2], {"SVM": [[1.0, 2.0]]}, ax), "at least two samples"),
    (lambda ax: plot_curves([1, 2], {"oracle": [[1.0, 2.0], [1.0, 2.0]]}, ax), "no classifier is called"),
    (lambda ax: plot_pairs(["MIRA"], [[0.5]], 10, ax, ("default", "tuned")), "a pair of accuracies"),
    (lambda ax: plot_contributions([], [], ax, ["a", "b"]), "a name for each value"),
    (lambda ax: plot_contributions(["a"], [1.0, 2.0], ax, ["a", "b"]), "a name for each value"),
    (lambda ax: of_descents(ax, {}), "paths can be drawn"),
    (lambda ax: of_descents(ax, {"flat": [1.0, 2.0]}), "paths can be drawn"),
    (lambda ax: of_descents(ax, {str(i): [[0, 0]] for i in range(5)}), "paths can be drawn"),
    (lambda ax: plot_joint_features(G[:3], W, "abc", ax), "expected|must have as many features"),
    (lambda ax: plot_joint_features(G, W, "ab", ax), "expected|must have as many features"),
    (lambda ax: plot_joint_features(G, W[0], "abc", ax), "expected|must have as many features"),
    (lambda ax: of_lattice(words=[]), "must have the shapes"),
    (lambda ax: of_lattice(tags=TAGS[:3]), "must have the shapes"),
    (lambda ax: of_lattice(best=[0, 1]), "the best path must be 3 tag numbers from 0 to 3"),
    (lambda ax: of_lattice(true=[0, 1, 4]), "the true path must be 3 tag numbers"),
    (lambda ax: of_lattice(shown=["ADJ", "ADP"]), "no tag 'ADP'"),
    (lambda ax: of_lattice(shown=["ADJ", "DET"]), "NOUN is not"),
    (lambda ax: of_lattice(marginals=np.ones((2, 4))), "marginals must have the shape"),
    (lambda ax: of_street([0, 2], np.eye(3)[:, :2]), "two classes|no boundary"),
    (lambda ax: of_street([0, 1], np.zeros((3, 2))), "two classes|no boundary"),
    (lambda ax: of_street([0, 1], np.zeros((3, 3))), "two classes|no boundary"),
    (lambda ax: of_street([0], np.ones((3, 2))), "two classes|no boundary"),
    (lambda ax: plot_moments((DATA, UNIFORM), (DATA[:2], DATA[:2]), ax=ax), "same features"),
    (lambda ax: plot_moments((DATA, UNIFORM), (DATA + 1, DATA), ax=ax), "different data"),
    (lambda ax: plot_moments((DATA, UNIFORM), (DATA, DATA * np.nan), ax=ax), "NaN"),
    (lambda ax: plot_moments((DATA[0], UNIFORM[0]), (DATA[0], DATA[0]), ax=ax), "two matrices"),
    (lambda ax: plot_overlap([0.5, 0.5], 1.0, 1.0, None, None), "ax must be axes"),
    (lambda ax: plot_points(np.ones((4, 3)), Y, ax=ax), r"\(points, 2\)"),
    (lambda ax: plot_points(np.ones(4), Y, ax=ax), r"\(points, 2\)"),
    (lambda ax: plot_points(X, Y[:3], ax=ax), "each of the 4 points"),
    (lambda ax: plot_points(X, Y + 0.5, ax=ax), "one class 0, 1"),
    (lambda ax: plot_points(X, Y + np.nan, ax=ax), "one class 0, 1"),
    (lambda ax: plot_points(X, np.array(list("abba")), ax=ax), "one class 0, 1"),
    (lambda ax: plot_points(X * np.inf, Y, ax=ax), "NaN or infinite"),
    (lambda ax: plot_points(np.empty((0, 2)), Y[:0], ax=ax), "no points"),
    (lambda ax: plot_accuracies([], ax=ax), "rows is empty"),
    (lambda ax: plot_accuracies([("SVM", "books", 0.5)], ax=ax), "each row must be"),
    (lambda ax: plot_accuracies([("SVM", "books", "high", "low")], ax=ax), "each row must be"),
    (lambda ax: plot_accuracies([7], ax=ax), "each row must be"),
    (lambda ax: plot_accuracies([("SVM", "books", 98.0, 96.0)], ax=ax), "divide percentages by 100"),
    *((lambda ax, W=W: plot_regions(W, [ax] * 3), "K ≥ 3") for W in (np.zeros((3, 2)), np.zeros((4, 3)), np.zeros(3))),
    (lambda ax: class_margins(np.zeros((3, 2)), np.zeros((1, 5))), "K ≥ 2"),
    (lambda ax: reliability([[0.5, 0.6]], [0]), "sum 1"),
    (lambda ax: reliability([[1.5, -0.5]], [0]), "sum 1"),
    (lambda ax: reliability([[np.nan, 1.0]], [0]), "sum 1"),
    (lambda ax: reliability([], []), "M rows"),
    (lambda ax: reliability([0.5, 0.5], [0, 1]), "M rows"),
    (lambda ax: reliability([[0.5, 0.5]], [2]), "columns 0 … 1"),
    (lambda ax: reliability([[0.5, 0.5]], [0, 1]), "labels must be 1"),
    (lambda ax: reliability([["a", "b"]], [0]), "must be numbers"),
    (lambda ax: plot_reliability({}), "at least one curve"),
    (lambda ax: levels([-0.1, 0.0]), "violated"),
    (lambda ax: plot_squishing([1.0], ["y"], [ax] * 2), "names"),
    (lambda ax: plot_tuning([0.1], [], [0.1], [1.0], ax), "a training accuracy for each"),
    (lambda ax: plot_tuning([0.1], [0.5, 0.5], [0.1], [1.0], ax), "a training accuracy for each"),
    (lambda ax: plot_envelopes([1.0], [], 1.0, 3.0, ax), "after each of the same mistakes"),
    (lambda ax: plot_path([]), "at least one point"),
]


@pytest.mark.parametrize(("draw", "says"), REFUSED, ids=lambda value: value if isinstance(value, str) else "")
def test_bad_input_to_pictures_is_refused(draw, says):
    with pytest.raises(InputError, match=says):
        draw(Figure().add_subplot())
