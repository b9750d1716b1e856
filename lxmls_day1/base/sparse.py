"""``scipy.sparse``, imported on first use, so that users of dense arrays never import it.

Write ``from lxmls_day1.base import sparse as sp`` instead of ``import scipy.sparse as sp``. Importing scipy takes as long as importing
numpy, and in a browser scipy is the largest part of the download.
"""

import sys
from typing import Any


def issparse(X: Any) -> bool:
    """Return True if `X` is a sparse matrix or array. While ``scipy.sparse`` is not imported, the result is always False.

    Examples
    --------
    >>> import scipy.sparse
    >>> issparse([[0.0]]), issparse(scipy.sparse.csr_array([[0.0]]))
    (False, True)
    """
    imported = sys.modules.get("scipy.sparse")
    return imported is not None and bool(imported.issparse(X))


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    import scipy.sparse

    return getattr(scipy.sparse, name)
