"""The kernel perceptron and nearest neighbours against other forms of them, and the page that shows them."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from lxmls_day1.demos.beyond_a_line import DemoBeyondALine, examples, kernel, kernel_perceptron, nearest


def test_with_the_product_as_kernel_it_is_the_perceptron():
    X, y = examples("two heaps", 60, 1.0, seed=3)
    g = np.hstack([np.ones((60, 1)), X])
    alpha, w = kernel_perceptron(g @ g.T, y, 4), np.zeros(3)
    for r in range(1, 5):
        for x, sign in zip(g, y, strict=True):
            if sign * (w @ x) <= 0:
                w = w + sign * x
        np.testing.assert_allclose((alpha[r] * y) @ g, w)


def test_the_kernel_is_that_of_the_formula():
    A, B = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 1.0]])
    np.testing.assert_allclose(kernel(A, B, 2.0), np.exp([[-1 / 8], [-18 / 8]]))


@pytest.mark.parametrize("k", [1, 3, 9])
def test_neighbours_are_those_of_scikit_learn(k):
    X, y = examples("ring", 70, 0.4, seed=1)
    new, _ = examples("ring", 200, 0.4, seed=2)
    theirs = KNeighborsClassifier(k, algorithm="brute").fit(X, y).predict(new)
    np.testing.assert_array_equal(nearest(X, y, new, k), theirs)


def test_a_line_fails_where_the_others_do_not(lab):
    demo = DemoBeyondALine(lab)
    demo.go_to(10)
    demo.noise.value = 0.1  # the classes do not overlap
    shares = {}
    for shape in ("crossed corners", "ring", "two heaps"):
        demo.shape.value = shape
        shares[shape] = right_of(demo)
    for shape in ("crossed corners", "ring"):
        assert shares[shape]["line"] < 70
        assert min(shares[shape]["kernel perceptron"], shares[shape]["nearest neighbours"]) > 90
    assert shares["two heaps"]["line"] > 95


def right_of(demo):
    """The table of the page: name -> percent."""
    rows = demo.table.value.split("<tr><td>")[1:]
    return {row.split("</td>")[0]: int(row.split("<td>")[1].split(" ")[0]) for row in rows}


def test_before_the_first_round_the_kernel_perceptron_says_nothing(lab):
    demo = DemoBeyondALine(lab)
    assert demo.current() == 0
    assert not demo.regions[1].get_array().any()
    demo.go_to(1)
    assert set(np.unique(demo.regions[1].get_array())) == {-1.0, 1.0}
    assert len(demo.points[0][0].get_xdata()) == 40


def test_without_the_rule_the_others_go_on(workspace):
    demo = DemoBeyondALine(workspace)
    demo.noise.value = 0.1
    demo.go_to(10)
    right = right_of(demo)
    assert right["nearest neighbours"] > 90
    assert not demo.regions[0].get_array().any()
