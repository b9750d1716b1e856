"""Colours of the demonstrations, light and dark, and the style sheet of their pages."""

from dataclasses import dataclass
from pathlib import Path
from string import Template

from lxmls_day1.figures import plotting


@dataclass(frozen=True)
class Look:
    """Colours of one kind of projection; all are told apart by colour-blind people."""

    background: str
    panel: str
    foreground: str
    muted: str
    grid: str
    classes: tuple[str, ...]
    lines: tuple[str, ...]


LIGHT = Look(
    background="#FFFFFF",
    panel="#F3F4F6",
    foreground="#111111",
    muted="#5F6368",
    grid="#D9DCE0",
    classes=plotting.CLASS_COLOURS,
    lines=plotting.LINE_COLOURS,
)
DARK = Look(
    background="#101318",
    panel="#1B2028",
    foreground="#F5F5F5",
    muted="#B4BAC4",
    grid="#3A414D",
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
    lines=(
        "#FFFFFF",
        "#1FC79A",
        plotting.PURPLE,
        plotting.YELLOW,
        plotting.SKY_BLUE,
        "#A6ACB6",
        plotting.ORANGE,
        plotting.VERMILION,
    ),
)


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
    values = {"size": f"{17 * scale:.0f}", "height": f"{30 * scale:.0f}"}
    for name, look in (("light", LIGHT), ("dark", DARK)):
        for key in ("background", "panel", "foreground", "muted", "grid"):
            values[f"{key}_{name}"] = getattr(look, key)
    values["class_handles"] = "\n".join(
        f".demo-page{theme} .demo-class-{label} {{ --demo-accent: {colour}; }}"
        for theme, look in (("", LIGHT), (".demo-dark", DARK))
        for label, colour in enumerate(look.classes)
    )
    sheet = Template(Path(__file__).with_name("stage.css").read_text(encoding="utf-8"))
    return f"<style>\n{sheet.substitute(values)}</style>"
