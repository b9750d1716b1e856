"""Heat maps over domains: one scale for all, numbers that can be read, a ground of its own."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from lxmls_day1.errors import InputError
from lxmls_day1.figures.domains import plot_domains

NAN = float("nan")
MAPS = {"source only": [[NAN, 0.7], [0.65, NAN]], "pooled": [[NAN, 0.9], [0.8, NAN]]}


def luminance(colour):
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_all_maps_share_one_scale():
    fig, axes = plot_domains(MAPS, ["books", "dvd"], ["books", "dvd"])
    assert {ax.images[0].get_clim() for ax in axes} == {(0.65, 0.9)}
    assert [[text.get_text() for text in ax.texts] for ax in axes] == [["70.0", "65.0"], ["90.0", "80.0"]]
    assert [ax.get_title(loc="left") for ax in axes] == list(MAPS)
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["books", "dvd"]
    assert axes[0].texts[0].get_position() == (1, 0)  # learnt from books, tested on dvd
    assert len(fig.axes) == len(axes) + 1  # one bar of colours


@pytest.mark.parametrize("highest", [0.91, 0.88, 0.71])
def test_the_bar_of_colours_says_the_numbers_that_its_marks_stand_at(highest):
    fig, _ = plot_domains({"source only": [[0.7, highest]]}, ["books"], ["dvd", "electronics"])
    fig.canvas.draw()
    bar = fig.axes[-1]
    shown = [float(label.get_text()) for label in bar.get_yticklabels()]
    np.testing.assert_allclose(shown, 100 * bar.get_yticks(), atol=0.01)


@pytest.mark.parametrize("spread", [np.linspace(0.6, 0.9, 16), np.linspace(0.70, 0.71, 16), np.full(16, 0.8)])
def test_every_number_can_be_read_on_its_cell(spread):
    """Contrast 4.5, as the guidelines for accessible pages want of small text."""
    _, (ax,) = plot_domains({"all": spread.reshape(4, 4)}, list("abcd"), list("efgh"))
    image = ax.images[0]
    for text in ax.texts:
        column, row = (int(place) for place in text.get_position())
        cell = luminance(image.cmap(image.norm(spread.reshape(4, 4)[row, column]))[:3])
        lighter, darker = sorted([cell, luminance(text.get_color())], reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("maps", "says"),
    [
        ({"a": [[0.5]]}, "must be 2 x 2"),
        ({"a": [[0.5, 0.5]]}, "must be 2 x 2"),
        ({"a": [[0.5, 1.5], [0.5, 0.5]]}, r"accuracies in \[0, 1\]"),
        ({"a": [[NAN, NAN], [NAN, NAN]]}, "no accuracies"),
        ({}, "no accuracies"),
    ],
)
def test_mistakes_are_answered(maps, says):
    with pytest.raises(InputError, match=says):
        plot_domains(maps, ["books", "dvd"], ["books", "dvd"])
