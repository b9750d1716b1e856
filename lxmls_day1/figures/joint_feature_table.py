"""The joint feature vector f(x, y), drawn as blocks: how one long weight vector relates to a matrix with one column per class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.base.checks import as_numbers
from lxmls_day1.base.errors import InputError
from lxmls_day1.figures.plotting import BLACK, CENTRED, CLASS_COLOURS, check_axes


def plot_joint_features(g: ArrayLike, params: ArrayLike, classes: Sequence[str], ax: Any) -> tuple[Any, Any]:
    """Draw f(x, y) = e_y ⊗ g(x) for each class y below the weight columns joined in one row, with the scores w · f(x, y).

    Parameters
    ----------
    g : J + 1 numbers
        The features of x with the leading 1.
    params : array (J + 1, K)
    classes : K str
    ax : matplotlib Axes

    Returns
    -------
    (Figure, Axes)

    Raises
    ------
    InputError
        If the shapes do not fit together.

    Examples
    --------
    >>> from lxmls_day1.figures.plotting import detached_axes
    >>> fig, axis = plot_joint_features([1, 2], [[0, 0], [3, 1]], ["a", "b"], detached_axes()[1])
    >>> [text.get_text() for text in axis.texts if text.get_text().startswith("w ·")]
    ['w · f = 6', 'w · f = 2']
    """
    g, W = as_numbers(g, "g must be numbers"), as_numbers(params, "params must be a matrix of numbers")
    if W.ndim != 2:
        raise InputError(f"expected params of shape (J + 1, K), but got {W.shape}")
    length, n_classes = W.shape
    if g.shape != (length,) or len(classes) != n_classes:
        raise InputError(
            f"g must have as many features as params has rows, {length}, and classes a name for each of its {n_classes} columns, "
            f"but got {g.size} features and {len(classes)} names"
        )
    check_axes(ax)
    rows: list[tuple[str, np.ndarray, list[int]]] = [("w", W.T.ravel(), list(range(n_classes)))]
    rows += [(f"f(x, {name})", np.kron(np.eye(n_classes)[k], g), [k]) for k, name in enumerate(classes)]
    for down, (name, values, blocks) in enumerate(rows):
        ax.text(-0.4, down, name, ha="right", va="center")
        for across, value in enumerate(values):
            k = across // length
            inside = k in blocks
            ground, alpha, ink = (CLASS_COLOURS[k], 0.35, BLACK) if inside else ("0.93", 1.0, "0.6")
            ax.bar(across + 0.5, 0.8, width=0.94, bottom=down - 0.4, color=ground, alpha=alpha)
            ax.text(across + 0.5, down, f"{value:g}", color=ink, fontsize=12, **CENTRED)
        if down:
            ax.text(length * n_classes + 0.4, down, f"w · f = {W.T.ravel() @ values:g}", va="center")
    for k, name in enumerate(classes):
        ax.text(length * (k + 0.5), -0.75, f"block of {name}", ha="center", va="center", fontsize=12)
        ax.plot([length * k] * 2, [-0.5, n_classes + 0.5], color=BLACK, linewidth=1.5)
    ax.plot([length * n_classes] * 2, [-0.5, n_classes + 0.5], color=BLACK, linewidth=1.5)
    ax.set(xlim=(-0.1, length * n_classes + 0.1), ylim=(n_classes + 0.6, -1.1))
    ax.axis("off")
    return ax.figure, ax
