"""Feature vectors given as dictionaries, {"amazing": 1, "tag": "noun"}, as the rows of a sparse matrix with named columns.

A feature vector is a set of key-value pairs (A. Haghighi's explanation of MIRA). A number is the value of the feature of that name. A
string is a feature of its own, ``tag=noun``, whose value is 1. The training examples determine the set of features; new features
in other examples are ignored. scikit-learn's `DictVectorizer` makes the same matrix, with its columns sorted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from lxmls_day1.base import sparse as sp
from lxmls_day1.base.errors import InputError


def are_dictionaries(X: Any) -> bool:
    """Return True if the examples are a sequence of feature vectors given as dictionaries, judged by the first one.

    Examples
    --------
    >>> are_dictionaries([{"amazing": 1}, {"tag": "noun"}]), are_dictionaries([[1.0, 0.0]]), are_dictionaries([])
    (True, False, False)
    """
    is_sequence = isinstance(X, (list, tuple)) or (isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1)
    return is_sequence and len(X) > 0 and isinstance(X[0], Mapping)


def names_of(X: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of all features, in the order of their first occurrence.

    Parameters
    ----------
    X : M mappings of names to numbers or strings

    Returns
    -------
    J names

    Raises
    ------
    InputError
        If an example is not such a mapping.

    Examples
    --------
    >>> names_of([{"amazing": 2, "tag": "noun"}, {"tag": "verb", "amazing": 1}])
    ['amazing', 'tag=noun', 'tag=verb']
    """
    return list(dict.fromkeys(name for m, features in enumerate(X) for name, _ in _features(m, features)))


def column_names(X: Any) -> list[str] | None:
    """Return the column names of a data frame if they are distinct strings; otherwise, and for any other matrix, None.

    Examples
    --------
    >>> import pandas as pd
    >>> column_names(pd.DataFrame({"age": [31.0], "height": [1.7]})), column_names(pd.DataFrame([[31.0, 1.7]]))
    (['age', 'height'], None)
    """
    columns = getattr(X, "columns", None)
    names = list(columns) if isinstance(columns, Iterable) else []
    named = names and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return [str(name) for name in names] if named else None


def as_rows(X: Sequence[Mapping[str, Any]], names: Sequence[str]) -> "sp.csr_array":
    """Return the matrix of these examples; features that are not in ``names`` are ignored.

    Parameters
    ----------
    X : M mappings of names to numbers or strings
    names : J names

    Returns
    -------
    csr_array (M, J)

    Examples
    --------
    >>> as_rows([{"amazing": 2, "tag": "noun"}, {"tag": "adverb"}], ["amazing", "tag=noun", "tag=verb"]).toarray()
    array([[2., 1., 0.],
           [0., 0., 0.]])
    """
    column_of = {name: column for column, name in enumerate(names)}
    return rows_of_pairs([_features(m, features) for m, features in enumerate(X)], column_of)


def rows_of_pairs(examples: Sequence[Iterable[tuple[str, float]]], column_of: Mapping[str, int]) -> "sp.csr_array":
    """Return the matrix of examples given as pairs (name, number), each name once; names without a column are ignored.

    Examples
    --------
    >>> rows_of_pairs([{"dull": 2, "book": 1}.items(), [("new", 1.0)]], {"book": 0, "dull": 1}).toarray()
    array([[1., 2.],
           [0., 0.]])
    """
    rows, columns, numbers = [], [], []
    for m, pairs in enumerate(examples):
        for name, number in pairs:
            if name in column_of:
                rows.append(m)
                columns.append(column_of[name])
                numbers.append(number)
    entries = (np.array(numbers, dtype=np.float64), (np.array(rows, dtype=np.int32), np.array(columns, dtype=np.int32)))
    return sp.csr_array(entries, shape=(len(examples), len(column_of)))


def _features(m: int, features: Any) -> Iterator[tuple[str, float]]:
    """Yield name and value of each feature of example m."""
    wanted = "a feature vector is a dictionary from names (strings) to numbers or strings"
    if not isinstance(features, Mapping):
        raise InputError(f"{wanted}, as the first example is, but X[{m}] is {features!r}")
    for name, value in features.items():
        if not isinstance(name, str):
            raise InputError(f"{wanted}, but X[{m}] has the name {name!r}; use str(name)")
        if isinstance(value, str):
            yield f"{name}={value}", 1.0
        elif isinstance(value, (Real, np.bool_)) and np.isfinite(float(value)):
            yield name, float(value)
        else:
            raise InputError(
                f"{wanted} that are finite, but X[{m}][{name!r}] is {value!r}; leave out features whose values are unknown"
            )
