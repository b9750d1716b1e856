import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.special import log_softmax

from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.boundaries import discriminant_scores
from readers.simple_data_set import SimpleDataSet
from tests.made_data import log_joint

GUIDE = {"nr_examples": 100, "g1": [[-1, -1], 1], "g2": [[1, 1], 1], "balance": 0.5, "split": [0.5, 0, 0.5]}
THREE = {"g1": [[-2, 0], 1], "g2": [[2, 0], [0.5, 3]], "g3": [[0, 3], 2]}


def test_the_guides_points():
    """The points are drawn again here: class 0's first coordinates, its second ones, class 1's likewise, then one permutation."""
    rng = np.random.RandomState(1)
    class_0 = np.column_stack([rng.normal(-1, 1, 50), rng.normal(-1, 1, 50)])
    class_1 = np.column_stack([rng.normal(1, 1, 50), rng.normal(1, 1, 50)])
    order = rng.permutation(100)
    sd = SimpleDataSet(**GUIDE)
    np.testing.assert_array_equal(sd.X, np.vstack([class_0, class_1])[order])
    np.testing.assert_array_equal(sd.y, np.repeat([0, 1], 50)[order])
    np.testing.assert_array_equal(sd.train_X, sd.X[:50])
    np.testing.assert_array_equal(sd.test_y, sd.y[50:])
    assert sd.dev_X.shape == (0, 2)
    assert sd.y.dtype.kind == "i"


def test_a_variance_for_each_coordinate():
    sd = SimpleDataSet(20000, g1=[[0, 5], [0.25, 9]], g2=[[100, 100], 1])
    points = sd.X[sd.y == 0]
    np.testing.assert_allclose(points.mean(axis=0), [0, 5], atol=0.15)
    np.testing.assert_allclose(points.var(axis=0), [0.25, 9], rtol=0.05)
    np.testing.assert_array_equal(sd.variance1, [0.25, 9])
    assert sd.variance2 == 1.0


def test_another_seed_gives_other_points_and_the_global_generator_is_left_alone():
    np.random.seed(7)
    expected = np.random.RandomState(7).uniform()
    assert not np.array_equal(SimpleDataSet(seed=2).X, SimpleDataSet(seed=1).X)
    assert np.random.uniform() == expected


@pytest.mark.parametrize(
    ("nr_examples", "balance", "sizes"),
    [
        (100, 0.5, [50, 50]),
        (100, 0.29, [29, 71]),  # 100 * 0.29 is 28.999999999999996
        (100, 0.57, [57, 43]),  # 100 * 0.57 is 56.99999999999999
        (101, 0.5, [50, 51]),
        (10, 0.19, [1, 9]),
        (10, [0.3, 0.7], [3, 7]),
        (1000, 1 / 3, [333, 667]),
    ],
)
def test_class_sizes_follow_the_balance(nr_examples, balance, sizes):
    sd = SimpleDataSet(nr_examples, balance=balance, split=(1, 0, 0))
    assert np.bincount(sd.y).tolist() == sizes


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"balance": 0.2}, id="shared variance"),
        pytest.param({"g1": [[-1, -1], [1, 2]], "g2": [[1, 1], [1, 2]]}, id="shared variances"),
        pytest.param({"g2": [[1, 1], 4], "balance": 0.3}, id="unequal variances"),
        pytest.param({**THREE, "balance": [0.2, 0.3, 0.5]}, id="three classes"),
        pytest.param({"g1": [np.zeros(5), 1], "g2": [np.ones(5), 2]}, id="five dimensions"),
    ],
)
def test_optimal_params_give_the_true_log_posteriors(arguments):
    sd = SimpleDataSet(200, **arguments)
    X = 2 * np.random.default_rng(0).normal(size=(100, sd.nr_features))
    params = sd.get_bayes_optimal()
    scores = discriminant_scores(X, params, quadratic=len(params) > X.shape[1] + 1)
    joint = log_joint(X, sd.prior, sd.means, sd.variances)
    np.testing.assert_allclose(log_softmax(scores, axis=1), log_softmax(joint, axis=1), atol=1e-10)


@pytest.mark.parametrize("arguments", [{}, {"balance": 0.3, "seed": 9}, THREE])
def test_the_representation_makes_the_same_data_again(arguments):
    sd = SimpleDataSet(**arguments)
    np.testing.assert_array_equal(eval(repr(sd)).X, sd.X)


def test_the_guides_plotting_calls():
    sd = SimpleDataSet(**GUIDE)
    fig, axis = sd.plot_data()
    fig, axis = sd.add_line(fig, axis, np.array([[0.5, -0.5], [-1, 1], [0, 0]]), "Naive Bayes", "red")
    assert fig.axes == [axis]
    *points, optimal, line = axis.lines
    assert [line.get_marker() for line in points] == ["s", "^", "s", "^"]
    assert (optimal.get_label(), optimal.get_color()) == ("Bayes optimal", "#000000")
    assert (line.get_label(), line.get_color()) == ("Naive Bayes", "red")
    np.testing.assert_allclose(line.get_xdata(), [0.5, 0.5])
    np.testing.assert_allclose(sorted(line.get_ydata()), axis.get_ylim())
    np.testing.assert_allclose(optimal.get_xydata().sum(axis=1), 0, atol=1e-12)  # The line x1 + x2 = 0.
    plt.close(fig)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nr_examples": 0}, "nr_examples must be a positive whole number, but is 0"),
        ({"nr_examples": 10.5}, "nr_examples"),
        ({"nr_examples": "many"}, "nr_examples"),
        ({"nr_examples": True}, "nr_examples"),
        ({"balance": 0}, "between 0 and 1"),
        ({"balance": 1}, "between 0 and 1"),
        ({"balance": float("nan")}, "between 0 and 1"),
        ({"balance": "half"}, "between 0 and 1"),
        ({"balance": [0.2, 0.3, 0.5]}, "2 positive shares"),
        ({"balance": [0.2, 0.3]}, "sum to 1"),
        ({**THREE, "balance": 0.4}, "3 positive shares"),
        ({**THREE, "balance": [0.5, 0.5, 0]}, "3 positive shares"),
        ({"nr_examples": 10, "balance": 0.05}, "class 0, 0.05 of 10 examples, would have none"),
        ({"nr_examples": 1}, "every class needs an example"),
        ({"g1": [[0, 0], 0]}, "variance of g1 must be positive"),
        ({"g2": [[0, 0], -1]}, "variance of g2 must be positive"),
        ({"g2": [[0, 0], float("nan")]}, "variance of g2 must be positive"),
        ({"g2": [[0, 0], [1, float("inf")]]}, "variance of g2 must be positive"),
        ({"g2": [[0, 0], [1, 2, 3]]}, "one number, or 2"),
        ({"g1": [[0, float("nan")], 1]}, "mean of g1"),
        ({"g1": [[], 1]}, "mean of g1"),
        ({"g1": [[[0, 1]], 1]}, "mean of g1"),
        ({"g1": [0, 0, 1]}, r"g1 must be \[mean, variance\]"),
        ({"g1": 5}, r"g1 must be \[mean, variance\]"),
        ({"g1": [["a", "b"], 1]}, r"g1 must be \[mean, variance\]"),
        ({"g1": [[0, 0, 0], 1]}, "they have 3, 2"),
        ({"g4": [[0, 0], 1]}, r"does not know g4; it accepts .* g1, g2, g3, … without a gap"),
        ({"ballance": 0.5}, "does not know ballance"),
        ({"split": [0.5, 0, 0.6]}, "sum"),
        ({"split": [0.5, -0.1, 0.5]}, "share"),
        ({"split": [0, 0.5, 0.5]}, "train"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": None}, "seed must be a whole number"),
        (
            {"nr_examples": 4, "balance": 0.25, "split": [0.25, 0, 0.75]},
            "the training part must have examples of all 2",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        SimpleDataSet(**arguments)


@pytest.mark.parametrize("whole", [np.int64(10), np.uint8(10), np.array(10)])
def test_any_whole_number_counts_the_examples(whole):
    assert SimpleDataSet(nr_examples=whole).nr_points == 10
