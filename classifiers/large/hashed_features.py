"""Hashed features: a word's column is computed from its name, so no vocabulary is stored. Plain NumPy, written for reading.

A hash function maps every name to a signed 32-bit integer h, from −2³¹ to 2³¹ − 1. This number gives the column and the sign,

    column = |h| mod B,    sign = +1 if h ≥ 0, else −1

and the row of a document is the sum over its words of sign · count, each in its column. Two words with the same column *collide*:
their terms are added, as often with equal signs as with different signs. So the inner product of two hashed rows equals, on average
over hash functions, the inner product of the rows over words, for any B.

`lxmls-day1 cache --hash b` uses B = 2ᵇ and computes the same rows in machine code.

Sources: K. Weinberger, A. Dasgupta, J. Langford, A. Smola, J. Attenberg, Feature hashing for large scale multitask learning, 2009;
scikit-learn's ``FeatureHasher``, whose columns and signs these are.
"""

import numpy as np


def columns_and_signs(hashes: np.ndarray, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the column and the sign of each feature, computed from its hash.

    Parameters
    ----------
    hashes : int32 array (n,)
        h of each feature.
    n_columns : int
        At least 1.

    Returns
    -------
    columns : int array (n,)
        |h| mod n_columns: from 0 to n_columns − 1.
    signs : array (n,)
        −1 if h is negative, else +1.

    Examples
    --------
    >>> columns, signs = columns_and_signs(np.array([5, -5, 8], dtype=np.int32), 4)
    >>> columns.tolist(), signs.tolist()
    ([1, 1, 0], [1.0, -1.0, 1.0])
    """
    # exercise 1.14: solution (3 lines)
    sizes = np.abs(hashes.astype(np.int64))  # 2³¹ has no place in 32 bits
    signs = np.where(hashes < 0, -1.0, 1.0)
    return sizes % n_columns, signs
    # exercise 1.14: end


def hashed_row(hashes: np.ndarray, counts: np.ndarray, n_columns: int) -> np.ndarray:
    """Return the row of one document: in each column the sum of sign · count over the features with this column.

    Parameters
    ----------
    hashes : int32 array (n,)
        h of each of the document's features.
    counts : array (n,)
        The number of occurrences of each feature in the document.
    n_columns : int

    Returns
    -------
    array (n_columns,)

    Examples
    --------
    The first two features collide, with different signs:

    >>> hashed_row(np.array([5, -5, 8], dtype=np.int32), np.array([3.0, 1.0, 2.0]), 4)
    array([2., 2., 0., 0.])
    """
    # exercise 1.14: solution (4 lines)
    columns, signs = columns_and_signs(hashes, n_columns)
    row = np.zeros(n_columns)
    np.add.at(row, columns, signs * counts)  # row[columns] += … would keep only one of those that collide
    return row
    # exercise 1.14: end
