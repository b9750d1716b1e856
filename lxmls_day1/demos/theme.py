"""Colours of the demonstrations, light and dark, and the style sheet of their pages."""

from dataclasses import dataclass
from pathlib import Path
from string import Template

from lxmls_day1.figures import plotting


@dataclass(frozen=True)
class Look:
    """Colours of one kind of projection, but for those of classifiers, which are in `lxmls_day1.figures.style`."""

    background: str
    panel: str
    foreground: str
    muted: str
    grid: str
    accent: str
    alert: str
    classes: tuple[str, ...]


LIGHT = Look(
    background="#FFFFFF",
    panel="#F3F4F6",
    foreground="#111111",
    muted="#5F6368",
    grid="#D9DCE0",
    accent=plotting.BLUE,
    alert="#A33F00",
    classes=plotting.CLASS_COLOURS,
)
DARK = Look(
    background="#101318",
    panel="#1B2028",
    foreground="#F5F5F5",
    muted="#B4BAC4",
    grid="#3A414D",
    accent=plotting.SKY_BLUE,
    alert=plotting.ORANGE,
    classes=(
        plotting.ORANGE,
        plotting.SKY_BLUE,
        plotting.PURPLE,
        plotting.YELLOW,
        plotting.GREEN,
        plotting.VERMILION,
        "#FFFFFF",
        "#4C9FD9",
    ),
)


def page_pixels(number: float) -> str:
    """A length of the style sheet: so many pixels on a page of 1280 x 720, and more or less on others."""
    return f"calc({number:g} * var(--demo-px))"


def page_style(scale: float = 1.0) -> str:
    """The style sheet of a page, as an HTML element.

    Parameters
    ----------
    scale : float
        Of letters and controls.

    Returns
    -------
    str
        `stage.css` with the sizes and the colours of both looks filled in. The page has the class ``demo-dark`` while it is
        dark.
    """
    values = {"scale": f"{scale:g}"}
    for name, look in (("light", LIGHT), ("dark", DARK)):
        for key in ("background", "panel", "foreground", "muted", "grid", "accent", "alert"):
            values[f"{key}_{name}"] = getattr(look, key)
    values["class_handles"] = "\n".join(
        f".demo-page{theme} .demo-class-{label} {{ --demo-accent: {colour}; }}"
        for theme, look in (("", LIGHT), (".demo-dark", DARK))
        for label, colour in enumerate(look.classes)
    )
    sheet = Template(Path(__file__).with_name("stage.css").read_text(encoding="utf-8"))
    return f"<style>\n{sheet.substitute(values)}</style>"
