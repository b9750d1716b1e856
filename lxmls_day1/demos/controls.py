"""The controls of a demonstration: sliders, choices, ticks, texts and points, and the things to try with them, as plain data."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lxmls_day1.demos.scene import plain_data


@dataclass(frozen=True)
class Suggestion:
    """A thing to try. A click on it, or the keys n and p, bring its settings.

    Attributes
    ----------
    text : str
    settings : mapping
        The settings that differ from those in which the page opens.
    play : bool
        True if the frames play at once.
    """

    text: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    play: bool = False


@dataclass(frozen=True)
class Control:
    """One setting.

    Attributes
    ----------
    name : str
        The name of the setting in requests and links.
    label : str
    tip : str
        A short explanation of its effect.
    value
        The default value.
    when : (name, value), optional
        Shown only while another setting has this value.
    more : bool
        True for a control under *More*, which is closed when the page opens. At most five controls are outside it.
    """

    name: str
    label: str
    tip: str
    value: Any = None
    when: tuple[str, Any] | None = None
    more: bool = False

    def accepts(self, value: Any) -> bool:
        """Return True if a value, which comes from a page, is valid for this control."""
        raise NotImplementedError

    def data(self) -> dict[str, Any]:
        """Return the control as data for JSON."""
        return {**plain_data(self), "kind": type(self).__name__.lower()}


@dataclass(frozen=True)
class Slider(Control):
    """A number out of a list of values.

    Attributes
    ----------
    values : sequence of numbers
        The values in order; see `inclusive_range` and `decades`.
    of_class : int, optional
        The class whose colour the slider has.
    """

    values: Sequence[float] = ()
    of_class: int | None = None

    def accepts(self, value: Any) -> bool:
        """Return True if the value is in the list."""
        return value in self.values


@dataclass(frozen=True)
class Choice(Control):
    """One of a few options: a row of buttons, or a list if there are many.

    Attributes
    ----------
    options : sequence of (text, value)
    """

    options: Sequence[tuple[str, Any]] = ()

    def accepts(self, value: Any) -> bool:
        """Return True if the value is an option."""
        return any(value == option and type(value) is type(option) for _, option in self.options)


@dataclass(frozen=True)
class Ticks(Control):
    """Any of several options.

    Attributes
    ----------
    options : sequence of str
    """

    options: Sequence[str] = ()

    def accepts(self, value: Any) -> bool:
        """Return True if the value is a list of options."""
        return isinstance(value, list) and all(item in self.options for item in value)


@dataclass(frozen=True)
class Text(Control):
    """A text field.

    Attributes
    ----------
    lines : int
        The number of visible lines.
    suggestions : sequence of (name of the suggestion, inserted text)
    """

    lines: int = 1
    suggestions: Sequence[tuple[str, str]] = ()

    def accepts(self, value: Any) -> bool:
        """Return True if the value is a string."""
        return isinstance(value, str)


@dataclass(frozen=True)
class Points(Control):
    """Points that a reader adds to a panel by a click, drags, and deletes by another click.

    Attributes
    ----------
    panel : str
        The panel's name.
    class_from : str
        The setting that gives a new point its class. A single point always has the class of the setting.
    least, most : int
        The minimum and the maximum number of points.
    reach : float
        The maximum absolute value of a coordinate.
    """

    panel: str = ""
    class_from: str = ""
    least: int = 0
    most: int = 60
    reach: float = 10.0

    def accepts(self, value: Any) -> bool:
        """Return True if the value is a list of such points, [x, y, class]."""
        if not isinstance(value, list) or not self.least <= len(value) <= self.most:
            return False
        return all(isinstance(point, list) and len(point) == 3 and all(map(_is_number, point)) and point[2] in range(8)
                   and max(abs(point[0]), abs(point[1])) <= self.reach for point in value)  # fmt: skip


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def inclusive_range(first: float, last: float, by: float) -> list[float]:
    """Return equally spaced values of a slider, including both ends.

    Examples
    --------
    >>> inclusive_range(1, 1.5, 0.1)
    [1, 1.1, 1.2, 1.3, 1.4, 1.5]
    """
    count = round((last - first) / by)
    values = [round(first + number * by, 9) for number in range(count + 1)]
    return [int(value) if value == int(value) else value for value in values]


def decades(first: float, last: float, per_decade: int) -> list[float]:
    """Return the values of a logarithmic slider, with two significant digits.

    Examples
    --------
    >>> decades(0.1, 10, 2)
    [0.1, 0.32, 1, 3.2, 10]
    """
    count = round(math.log10(last / first) * per_decade)
    values = [float(f"{value:.2g}") for value in np.geomspace(first, last, count + 1)]
    return [int(value) if value == int(value) else value for value in values]


def settings_from(controls: Sequence[Control], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings for a page: the requested value if the control accepts it, else the default.

    Examples
    --------
    >>> controls = [Slider("seed", "seed", "another sample", 1, values=[1, 2, 3]), Text("text", "text", "type", "")]
    >>> settings_from(controls, {"seed": 2, "text": None, "other": 1})
    {'seed': 2, 'text': ''}
    """
    accepted = {one.name for one in controls if one.name in values and one.accepts(values[one.name])}
    return {one.name: values[one.name] if one.name in accepted else one.value for one in controls}
