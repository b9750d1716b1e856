import numpy as np
import pytest
import scipy.sparse as sp

from classifiers import LinearClassifier, Perceptron
from lxmls_day1.base.errors import InputError
from tests.wording import wording


@pytest.fixture
def separable():
    X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    return X, np.array([0, 0, 1, 1])


def test_scores_and_labels_of_inputs_with_their_column_of_ones():
    classifier = LinearClassifier()
    X = np.array([[1.0, 2.0], [0.0, -1.0]])
    params = np.array([[0.5, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    for inputs in (X, sp.csr_array(X)):
        x = classifier.add_intercept_term(inputs)
        assert sp.issparse(x) == sp.issparse(inputs)
        np.testing.assert_array_equal(classifier.get_scores(x, params), [[1.5, 2.0, 1.0], [0.5, -1.0, 1.0]])
        np.testing.assert_array_equal(classifier.get_label(x, params), [1, 2])
        np.testing.assert_array_equal(classifier.test(inputs, params), [1, 2])


def test_ties_go_to_the_first_class():
    np.testing.assert_array_equal(LinearClassifier().test(np.eye(3), np.ones((4, 3))), [0, 0, 0])


def test_quadratic_parameters_are_weights_of_x_and_of_its_squares():
    # Class 1 inside the unit circle: 1 − x² − y² > 0.
    params = np.array([[0.0, 1.0], [0, 0], [0, 0], [0, -1.0], [0, -1.0]])
    X = np.array([[0.5, 0.5], [0.9, 0.9], [0.0, -1.1]])
    classifier = LinearClassifier()
    classifier.quadratic = True
    for inputs in (X, sp.csr_array(X)):
        np.testing.assert_array_equal(classifier.test(inputs, params), [1, 0, 0])
        with pytest.raises(InputError, match=wording("classifiers.belong_those_linear_classifier")):
            LinearClassifier().test(inputs, params)


@pytest.mark.parametrize(
    ("X", "y", "says"),
    [
        ([[1.0, 0.0], [0.0, np.inf]], [0, 1], r"X\[1, 1\] is inf"),
        (sp.csr_array([[0.0, 1.0], [0.0, -np.inf]]), [0, 1], r"X\[1, 1\] is -inf"),
        ([[1.0], [2.0]], [0, 1, 1], "X has 2 rows, but y has 3 labels"),
        ([[1.0], [2.0]], [[0, 1], [1, 0]], r"vector \(M,\) or a column"),
        ([[1.0], [2.0]], [0.0, np.nan], "label 1 is nan"),
        ([[1.0], [2.0]], ["a", None], "label 1 is None"),
        ([[1.0], [2.0]], [4, 4], "at least two classes, but every example has the label 4"),
        (np.empty((0, 2)), [], "X has no rows"),
    ],
)
def test_training_data_that_cannot_be_used(X, y, says):
    with pytest.raises(InputError, match=says):
        Perceptron().train(X, y)


def test_shapes_that_disagree_at_test_time(separable):
    X, y = separable
    classifier = Perceptron(nr_rounds=1)
    params = classifier.train(X, y)
    with pytest.raises(InputError, match=wording("classifiers.features_parameters_belong")):
        classifier.test(np.ones((1, 3)), params)
    with pytest.raises(InputError, match="add_intercept_term"):
        classifier.get_scores(X, params)
    with pytest.raises(InputError, match=wording("classifiers.row_intercepts_shape")):
        classifier.test(X, params[:, 0])
    with pytest.raises(InputError, match=wording("classifiers.columns_classifier_trained")):
        classifier.test(X, np.ones((3, 4)))


def test_evaluate_refuses_what_would_mislead(separable):
    X, y = separable
    classifier = Perceptron(nr_rounds=1)
    y_hat = classifier.test(X, classifier.train(X, y))
    with pytest.raises(InputError, match=wording("classifiers.label_training_data_whose")):
        classifier.evaluate([0, 1, 2, 0], y_hat)
    with pytest.raises(InputError, match=wording("classifiers.true_and_predicted")):
        classifier.evaluate([0, 1, 0], y_hat)
    with pytest.raises(InputError, match=wording("classifiers.at_least_one_example")):
        classifier.evaluate([], [])


def test_the_base_class_says_that_it_cannot_train():
    with pytest.raises(NotImplementedError, match="LinearClassifier"):
        LinearClassifier().train([[1.0]], [0])
