"""The street: margins, slacks and support vectors compared with their definitions, and the drawing."""

import numpy as np
import pytest

from classifiers.svm import SVM
from lxmls_day1.figures.margins import plot_street, street
from lxmls_day1.figures.plotting import detached_axes
from readers.simple_data_set import SimpleDataSet


@pytest.fixture(scope="module")
def trained():
    data = SimpleDataSet(nr_examples=60, split=[1, 0, 0])
    svm = SVM(regularizer=0.05, solver="dual", tolerance=1e-6)
    return data.train_X, data.train_y, svm.train(data.train_X, data.train_y)


def test_margins_and_slacks_are_those_of_the_hinge_loss(trained):
    X, y, params = trained
    found = street(X, y, params)
    scores = np.hstack([np.ones((len(X), 1)), X]) @ params
    np.testing.assert_allclose(found.margins, [s[label] - s[1 - label] for s, label in zip(scores, y, strict=True)])
    np.testing.assert_allclose(found.slacks, SVM().losses(scores, y))


def test_only_removing_support_vectors_changes_the_solution(trained):
    X, y, params = trained
    found = street(X, y, params)
    assert 0 < found.supports.sum() < len(X)
    svm = SVM(regularizer=0.05 * len(X) / found.supports.sum(), solver="dual", tolerance=1e-6)  # The same λM.
    np.testing.assert_allclose(svm.train(X[found.supports], y[found.supports]), params, atol=5e-3)


def test_a_bar_leads_to_where_the_margin_is_one(trained):
    X, y, params = trained
    _, axis = plot_street(X, y, params, ax=detached_axes()[1])
    lines = {line.get_label(): np.array(line.get_xydata()) for line in axis.lines}
    difference = params[:, 1] - params[:, 0]
    ends = lines["slack ξ"][1::3]
    np.testing.assert_allclose(np.abs(ends @ difference[1:] + difference[0]), 1, atol=1e-9)
    edges = lines["margin 1"][np.isfinite(lines["margin 1"][:, 0])]
    np.testing.assert_allclose(np.abs(edges @ difference[1:] + difference[0]), 1, atol=1e-9)
    assert len(lines["support vectors"]) == street(X, y, params).supports.sum()
