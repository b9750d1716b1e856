"""Whether kernels are compiled or replaced by their NumPy twins: decided here, once.

numba makes training fast; nothing depends on it. Where it cannot be imported (a browser, a Python that is too new for it) every
learner does the same steps in NumPy, and gets the same weights up to rounding. The same holds where numba's own variable
NUMBA_DISABLE_JIT is set: training on a few points takes less time than importing numba.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

COMPILES = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
if COMPILES:
    try:
        import numba  # noqa: F401
    except (ImportError, OSError):  # it is not there, or its library cannot be loaded
        COMPILES = False

Function = TypeVar("Function", bound=Callable[..., Any])
Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


def kernel(twin: Callable[..., Any] | None = None, **options: Any) -> Callable[[Function], Function]:
    """Decorate a function that is compiled where numba is, and elsewhere is replaced by its twin.

    Parameters
    ----------
    twin : function of the same arguments, optional
        The same result in plain NumPy. Without one the function itself runs as Python: right where it is short, or where only
        compiled functions call it.
    **options
        Those of `lxmls_day1.engine.kernels.machine_code.cached_jit`.

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
            return twin or function  # type: ignore[return-value]  # a twin takes the same arguments
        from lxmls_day1.engine.kernels.machine_code import cached_jit  # it imports numba

        compiled: Function = cached_jit(**options)(function)
        return compiled

    return decorate


def frozen(arrays: Arrays) -> Arrays:
    """A named tuple whose arrays cannot be written to: the type that the kernels' signatures have.

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
    """A view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
