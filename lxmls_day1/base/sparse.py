"""``scipy.sparse``, imported when something of it is first used: who has dense arrays only does without it.

``from lxmls_day1 import sparse as sp`` takes the place of ``import scipy.sparse as sp``. The import costs as much as that of numpy,
and in a browser scipy is most of what has to be fetched.
"""

import sys
from typing import Any


def issparse(X: Any) -> bool:
    """Whether something is a sparse matrix or array. Nothing is while ``scipy.sparse`` is not imported.

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
