"""What the surroundings say to a demonstration: environment variables, installed packages, a running kernel."""

import os
import sys
from importlib.util import find_spec

from lxmls_day1.errors import InputError, how_to_install

DARK_VARIABLE, SCALE_VARIABLE = "LXMLS_DAY1_DEMO_DARK", "LXMLS_DAY1_DEMO_SCALE"
WINDOW_VARIABLE = "LXMLS_DAY1_DEMO_WINDOW"  # set where a demonstration has a window of its own: `lxmls-day1 demo`


def require_widgets() -> None:
    """Raise an `InputError` that says how to get what demonstrations need if it is not there."""
    if lacking := [name for name in ("ipywidgets", "ipympl") if find_spec(name) is None]:
        raise InputError(
            f"demonstrations need {' and '.join(lacking)}, which is not installed here. Install what they need with "
            f"{how_to_install('demo')} (in a checkout `make demo` does it)."
        )


def dark_wanted() -> bool:
    """Whether the environment asks for light on dark."""
    return os.environ.get(DARK_VARIABLE, "") not in ("", "0")


def scale_wanted() -> float:
    """The scale of letters and lines that the environment asks for; 1 unless it does."""
    try:
        scale = float(os.environ.get(SCALE_VARIABLE) or 1)
    except ValueError:
        scale = 0.0
    if not 0.5 <= scale <= 3:
        raise InputError(f"{SCALE_VARIABLE} must be a number from 0.5 to 3, but is {os.environ[SCALE_VARIABLE]!r}.")
    return scale


def has_own_window() -> bool:
    """Whether a demonstration has the whole window of a browser, rather than a cell's output in a notebook."""
    return os.environ.get(WINDOW_VARIABLE, "") not in ("", "0")


def in_a_kernel() -> bool:
    """Whether a notebook runs this; not so in a terminal's IPython."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None
