"""What compiled loops must never see ends in an InputError, for every classifier that reads matrices."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers.binary_perceptron import BinaryPerceptron
from classifiers.gaussian_naive_bayes import GaussianNaiveBayes
from classifiers.linear_classifier import LinearClassifier
from classifiers.max_ent_batch import MaxEntBatch
from classifiers.max_ent_online import MaxEntOnline
from classifiers.mira import Mira
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from classifiers.naive_bayes import NaiveBayes
from classifiers.perceptron import Perceptron
from classifiers.svm import SVM
from lxmls_day1.checks import as_matrix, check_params
from lxmls_day1.compiled.sparse_rows import as_examples
from lxmls_day1.errors import InputError

CLASSIFIERS = {
    "online": lambda: Perceptron(nr_rounds=1),
    "MIRA": lambda: Mira(nr_rounds=1),
    "batch": lambda: MaxEntBatch(regularizer=1.0),
    "scaling": lambda: MaxEntBatch(regularizer=0, solver="gis", max_iterations=2),
    "dual": lambda: SVM(solver="dual", regularizer=1.0),
    "binary": lambda: BinaryPerceptron(max_rounds=2),
    "stochastic": lambda: MaxEntOnline(nr_rounds=1),
    "Gaussian": GaussianNaiveBayes,
    "quadratic": lambda: GaussianNaiveBayes(variance="per_class"),
    "multinomial": MultinomialNaiveBayes,
    "unsmoothed": lambda: MultinomialNaiveBayes(smooth=False),
    "naive Bayes": lambda: NaiveBayes("gaussian", variance="per_class"),
}

X, Y = np.array([[1.0, 0, 2], [0, 3, 1], [2, 0, 0], [1, 1, 1]]), np.array([0, 1, 0, 1])


def csr(indices=(0, 2, 1, 2, 0, 0, 1, 2), indptr=(0, 2, 4, 5, 8), data=None, dtype=np.int32, kind=sp.csr_array):
    """The matrix X as CSR (or its like as CSC), with parts that scipy itself would not have let in."""
    matrix = kind(X if kind is not sp.csc_array else X[:, :3])
    matrix.data = np.ones(len(indices)) if data is None else np.asarray(data)
    matrix.indices, matrix.indptr = np.array(indices, dtype=dtype), np.array(indptr, dtype=dtype)
    return matrix


def coo(row, column):
    matrix = sp.coo_array(X)
    matrix.coords = (np.array(row), np.array(column))
    matrix.data = np.ones(len(row))
    return matrix


def lil(columns):
    matrix = sp.lil_array(X)
    matrix.rows[0], matrix.data[0] = list(columns), [1.0] * 2
    return matrix


def bsr(indices):
    matrix = sp.bsr_array(np.ones((4, 4)), blocksize=(2, 2))
    matrix.indices = np.array(indices, dtype=np.int32)
    return matrix


BROKEN = {
    "a column too far": lambda: csr((0, 3, 1, 2, 0, 0, 1, 2)),
    "a column far away": lambda: csr((0, 2**31 - 1, 1, 2, 0, 0, 1, 2)),
    "a negative column": lambda: csr((0, -1, 1, 2, 0, 0, 1, 2)),
    "a huge int64": lambda: csr((0, 2**40, 1, 2, 0, 0, 1, 2), dtype=np.int64),
    "an int64 that int32 wraps to 0": lambda: csr((0, 2**32, 1, 2, 0, 0, 1, 2), dtype=np.int64),
    "a negative int64": lambda: csr((0, -(2**40), 1, 2, 0, 0, 1, 2), dtype=np.int64),
    "indptr decreases": lambda: csr(indptr=(0, 4, 2, 5, 8)),
    "indptr is negative": lambda: csr(indptr=(0, -2, 4, 5, 8)),
    "indptr begins late": lambda: csr(indptr=(1, 2, 4, 5, 8)),
    "indptr goes on": lambda: csr(indptr=(0, 2, 4, 5, 80)),
    "indptr is short": lambda: csr(indptr=(0, 2, 8)),
    "indptr of floats": lambda: csr(indptr=(0, 2, 4, 5, 8), dtype=np.float64),
    "data is short": lambda: csr(data=np.ones(3)),
    "data is a matrix": lambda: csr(data=np.ones((8, 2))),
    "CSC, a row too far": lambda: csr((0, 4, 1, 2, 0, 0, 1), (0, 2, 4, 7), kind=sp.csc_array),
    "CSC, a negative row": lambda: csr((0, -3, 1, 2, 0, 0, 1), (0, 2, 4, 7), kind=sp.csc_array),
    "CSC, indptr decreases": lambda: csr((0, 3, 1, 2, 0, 0, 1), (0, 4, 2, 7), kind=sp.csc_array),
    "COO, a row too far": lambda: coo([0, 4], [0, 1]),
    "COO, a column too far": lambda: coo([0, 1], [0, 3]),
    "COO, a negative column": lambda: coo([0, 1], [0, -1]),
    "COO, too few columns": lambda: coo([0, 1], [0]),
    "LIL, a column too far": lambda: lil([0, 7]),
    "LIL, a column without a number": lambda: lil([0, 1, 2]),
    "BSR, a block too far": lambda: bsr([0, 1, 0, 2]),
    "BSR, a negative block": lambda: bsr([0, 1, 0, -1]),
    "complex": lambda: sp.csr_array(X * 1j),
    "one row": lambda: sp.coo_array(X[0]),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_sparse_matrix_that_reaches_outside_of_itself(broken):
    with pytest.raises(InputError, match=r"X (is a sparse matrix|must be a matrix)"):
        as_matrix(broken())


@pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_no_classifier_trains_or_predicts_on_it(make):
    outside = csr((0, 2**31 - 1, 1, 2, 0, 0, 1, 2))
    with pytest.raises(InputError, match="a column index is 2147483647, but the matrix has the shape to hold 0 … 2"):
        make().train(outside, Y)
    classifier = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that were stopped early
        params = classifier.train(X, Y)
    for call in (classifier.test, classifier.get_scores, classifier.get_label):
        with pytest.raises(InputError, match="a column index is 2147483647"):
            call(outside, params)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, bool])
@pytest.mark.parametrize("interface", ["array", "matrix"])
def test_every_sound_format_is_the_same_matrix(kind, dtype, interface):
    numbers = X.astype(dtype)
    rows = as_matrix(getattr(sp, f"{kind}_{interface}")(numbers))
    assert isinstance(rows, sp.csr_array) and rows.dtype == np.float64
    np.testing.assert_array_equal(rows.toarray(), numbers)


def test_room_that_is_not_in_use_does_not_count():
    roomy = csr((0, 2, 1, 2, 0, 0, 1, 2, 99, -5), data=[1.0] * 8 + [np.nan] * 2)
    rows = as_matrix(roomy)
    assert rows.nnz == 8 and len(roomy.data) == 10
    classifier = Perceptron(nr_rounds=1)
    np.testing.assert_array_equal(classifier.train(roomy, Y), Perceptron(nr_rounds=1).train(rows, Y))


def test_empty_matrices():
    for shape in ((0, 3), (3, 0), (0, 0)):
        assert as_matrix(sp.csr_array(shape)).shape == as_matrix(np.empty(shape)).shape == shape


def test_dense_complex_numbers():
    with pytest.raises(InputError, match="complex"):
        as_matrix([[1j]])


def test_more_features_than_int32_numbers():
    with pytest.raises(InputError, match="number fewer than 2147483648"):
        as_examples(as_matrix(sp.csr_array((1, 2**31))))


# ----------------------------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_parameters_that_are_no_numbers(make, number, tmp_path):
    classifier = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        params = classifier.train(X, Y)
    params[1, 1] = number
    if number == -np.inf and classifier.rules_out:
        assert classifier.test(X[:1], params).tolist() == [0]
        return
    with_ones = classifier.add_intercept_term(X)
    save = lambda X, params: classifier.save(tmp_path / "model.npz", params)  # noqa: E731
    for call, inputs in [
        (classifier.test, X),
        (classifier.get_scores, with_ones),
        (classifier.get_label, with_ones),
        (save, X),
    ]:
        with pytest.raises(InputError, match=rf"params must be finite, but params\[1, 1\] is {number}"):
            call(inputs, params)


@pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_parameters_of_other_features(make):
    """2 J + 1 rows belong to a quadratic model of J features, or to a linear one of 2 J: the class says which."""
    counts = np.random.default_rng(0).integers(0, 4, (12, 6)).astype(float)
    counts[:, 5] = 14 - counts[:, :5].sum(axis=1)  # no word is alien to a class
    labels, classifier = np.arange(12) % 2, make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if classifier.quadratic:
            params, others = classifier.train(counts[:, :3], labels), counts
        else:
            params, others = classifier.train(counts, labels), counts[:, :3]
        classifier.test(counts[:, :3] if classifier.quadratic else counts, params)
    assert len(params) == 7
    for inputs in (others, sp.csr_array(others)):
        with pytest.raises(
            InputError, match=f"the inputs have {others.shape[1]} features, but the parameters belong to"
        ):
            classifier.test(inputs, params)
        with pytest.raises(InputError, match="features, but the parameters belong to"):
            classifier.get_label(classifier.add_intercept_term(inputs), params)


def test_scores_beyond_all_bounds():
    huge = 1e200 * np.ones((2, 2))
    for inputs in ([[1.0], [1e200]], sp.csr_array([[1.0], [1e200]])):
        with pytest.raises(InputError, match="scores of row 1 of X grow beyond all bounds"):
            LinearClassifier().test(inputs, huge)


@pytest.mark.parametrize("params", [np.ones(3), np.ones((0, 2)), np.ones((3, 0)), [["a"]], None, [[1.0], [1.0, 2.0]]])
def test_what_is_no_matrix_of_parameters(params):
    with pytest.raises(InputError, match="params must be a matrix"):
        check_params(params)
