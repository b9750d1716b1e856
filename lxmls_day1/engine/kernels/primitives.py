"""Decides once whether kernels are compiled or replaced by their NumPy counterparts.

numba makes training fast but is optional. If it cannot be imported (in a browser, or in a Python that is too new for it),
every learner runs the same steps in NumPy and gets the same weights up to rounding. The same happens if numba's environment
variable NUMBA_DISABLE_JIT is set: training on a few points takes less time than importing numba.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

COMPILES = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
if COMPILES:
    try:
        import numba  # noqa: F401
    except (ImportError, OSError):  # not installed, or its library cannot be loaded
        COMPILES = False

Function = TypeVar("Function", bound=Callable[..., Any])
Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


def kernel(twin: Callable[..., Any] | None = None, **options: Any) -> Callable[[Function], Function]:
    """Decorate a function so that it is compiled if numba is available, and otherwise replaced by its twin.

    Parameters
    ----------
    twin : function of the same arguments, optional
        A version in plain NumPy with the same result. Default: the function itself, run as Python. The default suits short
        functions, and functions that only compiled functions call.
    **options
        The options of `lxmls_day1.engine.kernels.machine_code.cached_jit`.

    Examples
    --------
    >>> def sum_in_numpy(numbers):
    ...     return numbers.sum()
    >>> @kernel(sum_in_numpy)
    ... def total(numbers):
    ...     total = 0.0
    ...     for number in numbers:
    ...         total += number
    ...     return total
    >>> import numpy as np
    >>> float(total(np.array([1.0, 2.0])))
    3.0
    """

    def decorate(function: Function) -> Function:
        if not COMPILES:
            return twin or function  # type: ignore[return-value]  # A twin has the same arguments.
        from lxmls_day1.engine.kernels.machine_code import cached_jit  # imports numba

        compiled: Function = cached_jit(**options)(function)
        return compiled

    return decorate


def frozen(arrays: Arrays) -> Arrays:
    """Return a named tuple with read-only views of its arrays, as the signatures of the kernels require.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> import numpy as np
    >>> class Points(NamedTuple):
    ...     x: np.ndarray
    ...     n: int
    >>> frozen(Points(np.zeros(2), 2)).x.flags.writeable
    False
    """
    return type(arrays)(*(as_read_only(part) if isinstance(part, np.ndarray) else part for part in arrays))


def as_read_only(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of an array, or the array itself if it is read-only."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view
