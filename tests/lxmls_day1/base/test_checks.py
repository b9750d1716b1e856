"""Invalid data that compiled loops must never receive raise an `InputError`."""

import numpy as np
import pytest
import scipy.sparse as sp

from classifiers.linear_classifier import LinearClassifier
from classifiers.perceptron import Perceptron
from lxmls_day1.base.checks import as_matrix
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.kernels.sparse_rows import as_examples
from tests.wording import wording

X, Y = np.array([[1.0, 0, 2], [0, 3, 1], [2, 0, 0], [1, 1, 1]]), np.array([0, 1, 0, 1])


def csr(indices=(0, 2, 1, 2, 0, 0, 1, 2), indptr=(0, 2, 4, 5, 8), data=None, dtype=np.int32, kind=sp.csr_array):
    """Return the matrix X as CSR (or the same arrays as CSC), with invalid parts that scipy's constructor would refuse."""
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
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_sparse_matrix_with_indices_out_of_range_is_refused(broken):
    with pytest.raises(InputError, match=wording("base.x_sparse_matrix_matrix")):
        as_matrix(broken())


def test_unused_array_entries_are_ignored():
    roomy = csr((0, 2, 1, 2, 0, 0, 1, 2, 99, -5), data=[1.0] * 8 + [np.nan] * 2)
    rows = as_matrix(roomy)
    assert rows.nnz == 8 and len(roomy.data) == 10
    classifier = Perceptron(nr_rounds=1)
    np.testing.assert_array_equal(classifier.train(roomy, Y), Perceptron(nr_rounds=1).train(rows, Y))


def test_empty_matrices_are_accepted():
    for shape in ((0, 3), (3, 0), (0, 0)):
        assert as_matrix(sp.csr_array(shape)).shape == as_matrix(np.empty(shape)).shape == shape


def test_more_features_than_int32_numbers():
    with pytest.raises(InputError, match=wording("base.take_fewer_than")):
        as_examples(as_matrix(sp.csr_array((1, 2**31))))


# ----------------------------------------------------------------------------------------------------------- parameters


def test_overflowing_scores_are_refused():
    huge = 1e200 * np.ones((2, 2))
    for inputs in ([[1.0], [1e200]], sp.csr_array([[1.0], [1e200]])):
        with pytest.raises(InputError, match=wording("base.scores_row_x_overflow")):
            LinearClassifier().test(inputs, huge)
