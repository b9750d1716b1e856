"""Hashed features: a word's column is computed from its name, and no vocabulary is kept. Plain NumPy, for reading.

A hash function makes a number of 32 bits of every name: h, read with its sign, from −2³¹ to 2³¹ − 1. Of this number the column and
the sign are taken,

    column = |h| mod B,    sign = +1 if h ≥ 0, else −1

and the row of a document is the sum over its words of sign · count, each in its column. Two words that fall into one column
*collide*: their terms are added, with equal signs as often as with different ones. So the inner product of two hashed rows is that of
the rows over words on average over hash functions, whatever B is.

`lxmls-day1 cache --hash b` has B = 2ᵇ and hashes in machine code; the rows are the same.

Sources: K. Weinberger, A. Dasgupta, J. Langford, A. Smola, J. Attenberg, Feature hashing for large scale multitask learning, 2009;
scikit-learn's ``FeatureHasher``, whose columns and signs these are.
"""

import numpy as np


def columns_and_signs(hashes: np.ndarray, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The column and the sign of each feature, from its hash.

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
        −1 where h is negative, else +1.

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
    """The row of one document: in each column the sum of sign · count over the features that fall into it.

    Parameters
    ----------
    hashes : int32 array (n,)
        h of each of the document's features.
    counts : array (n,)
        How often each of them occurs in the document.
    n_columns : int

    Returns
    -------
    array (n_columns,)

    Examples
    --------
    The first two features collide, and have different signs:

    >>> hashed_row(np.array([5, -5, 8], dtype=np.int32), np.array([3.0, 1.0, 2.0]), 4)
    array([2., 2., 0., 0.])
    """
    # exercise 1.14: solution (4 lines)
    columns, signs = columns_and_signs(hashes, n_columns)
    row = np.zeros(n_columns)
    np.add.at(row, columns, signs * counts)  # row[columns] += … would keep only one of those that collide
    return row
    # exercise 1.14: end
