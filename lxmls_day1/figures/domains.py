"""Accuracies from each domain to each other one, drawn as heat maps with one scale of colours."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lxmls_day1.checks import as_numbers
from lxmls_day1.errors import InputError
from lxmls_day1.figures.plotting import BLACK, CENTRED, detached_axes
from lxmls_day1.figures.style import luminance

_LABEL_SIZE, _CELL_SIZE = 13, 14  # points
_NO_FIGURE = "0.85"
_DARK = 0.179  # relative luminance, on which white and black text have the same contrast, 4.58


def plot_domains(
    accuracies: Mapping[str, Any],
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    title: str | None = None,
    figure: Any = None,
) -> tuple[Any, list[Any]]:
    """Draw a heat map for each way of learning: a row for each source, a column for each target.

    The maps share one scale, from dark to bright, on which equal steps look alike; the figure stays readable on a dark page, as it has a
    ground of its own.

    Parameters
    ----------
    accuracies : mapping of str to array (S, T)
        Way of learning -> accuracies in [0, 1], row the source, column the target; NaN where there is none.
    sources, targets : S str, T str
    title : str, optional
    figure : matplotlib Figure, optional
        Where to draw; a new one otherwise, which is unknown to pyplot.

    Returns
    -------
    (Figure, list of Axes)

    Raises
    ------
    InputError
        If a map has another shape, or holds what is no accuracy.

    Examples
    --------
    >>> fig, axes = plot_domains({"source only": [[float("nan"), 0.75], [0.8, float("nan")]]}, ["books", "dvd"], ["books", "dvd"])
    >>> axes[0].get_title(loc="left"), [text.get_text() for text in axes[0].texts]
    ('source only', ['75.0', '80.0'])
    """
    maps = {name: as_numbers(table, f"{name} must be numbers") for name, table in accuracies.items()}
    shape = (len(sources), len(targets))
    for name, table in maps.items():
        if table.shape != shape or not np.all(np.isnan(table) | ((table >= 0) & (table <= 1))):
            raise InputError(f"{name} must be {shape[0]} x {shape[1]} accuracies in [0, 1], NaN where there is none")
    known = [table[~np.isnan(table)] for table in maps.values()]
    if not known or not np.concatenate(known).size:
        raise InputError("there are no accuracies to draw")
    lowest, highest = (float(bound(np.concatenate(known))) for bound in (np.min, np.max))
    if lowest == highest:
        lowest, highest = lowest - 0.01, highest + 0.01
    if figure is None:
        figure = detached_axes(figsize=(3.3 * len(maps) + 1.6, 3.9))[0]
    figure.clear()
    figure.set_facecolor("white")
    figure.set_layout_engine("constrained")
    axes = list(np.atleast_1d(figure.subplots(1, len(maps), sharey=True)))
    for ax, (name, table) in zip(axes, maps.items(), strict=True):
        ax.set_facecolor(_NO_FIGURE)
        image = ax.imshow(np.ma.masked_invalid(table), cmap="cividis", vmin=lowest, vmax=highest, aspect="auto")
        ax.set_title(name, fontsize=_LABEL_SIZE, loc="left", color=BLACK)
        ax.set_xticks(range(len(targets)), targets, fontsize=_LABEL_SIZE, rotation=30, ha="right")
        ax.set_yticks(range(len(sources)), sources, fontsize=_LABEL_SIZE)
        ax.set_xlabel("tested on", fontsize=_LABEL_SIZE, color=BLACK)
        ax.tick_params(length=0, labelcolor=BLACK)
        ax.spines[:].set_visible(False)
        for row, column in np.argwhere(~np.isnan(table)):
            dark = luminance(image.cmap(image.norm(table[row, column]))) < _DARK
            colour = "white" if dark else BLACK
            ax.text(column, row, f"{100 * table[row, column]:.1f}", fontsize=_CELL_SIZE, color=colour, **CENTRED)
    axes[0].set_ylabel("learnt from", fontsize=_LABEL_SIZE, color=BLACK)
    bar = figure.colorbar(image, ax=axes, shrink=0.8, format=lambda share, _: f"{100 * share:.4g}")
    bar.set_label("accuracy, %", fontsize=_LABEL_SIZE, color=BLACK)
    bar.ax.tick_params(colors=BLACK)
    bar.outline.set_visible(False)
    if title is not None:
        figure.suptitle(title, fontsize=_LABEL_SIZE + 1, color=BLACK)
    return figure, axes
