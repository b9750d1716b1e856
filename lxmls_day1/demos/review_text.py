"""A review on the page of the review explorer: its words in colour, as HTML and as part of a picture."""

import html
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lxmls_day1.demos.review_decisions import MOST_CHARACTERS, Decision, Word, WordCounts
from lxmls_day1.engine.text.documents import printable
from lxmls_day1.engine.text.feature_contributions import lead
from lxmls_day1.figures.plotting import BLUE, ORANGE, SKY_BLUE, VERMILION

MOST_SHOWN = 400  # words of the review, in colour
LONGEST_SHOWN = 60  # characters of one word
_LONGEST_DRAWN = 22  # of one word in a figure


def with_text_above(picture: bytes, texts: Sequence[tuple[str, float]], stage: Any) -> bytes:
    """A picture of the figure with the text of the page above it.

    Parameters
    ----------
    picture : bytes
        PNG, of twice the page's dots.
    texts : sequence of (text, weight)
        Words; the ground of a word with a weight in [−1, 1] has the colour of what it speaks for.
    stage : Stage

    Returns
    -------
    bytes
        PNG.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    below = Image.open(io.BytesIO(picture)).convert("RGB")
    figure = Figure(figsize=(below.width / 200, 1.9 * stage.scale), dpi=200, facecolor=stage.look.background)
    canvas: Any = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()
    positive, negative = class_colours(stage.dark)
    x, line_height = 0.0, 44 * stage.scale * 1.6
    left, y = 30.0, figure.bbox.height - 20 - line_height / 2
    x = left
    for word, weight in texts:
        colour = positive if weight > 0 else negative
        ground = {"facecolor": colour, "alpha": min(0.8 * abs(weight), 0.8), "edgecolor": "none", "pad": 2.0}
        text = figure.text(0, 0, drawable(word), fontsize=stage.font(1.1), color=stage.look.foreground, va="center")
        if weight:
            text.set_bbox(ground)
        width = text.get_window_extent(renderer).width
        if x + width > figure.bbox.width - left:
            x, y = left, y - line_height
        if y < line_height / 2:
            text.remove()
            break
        text.set_position((x / figure.bbox.width, y / figure.bbox.height))
        x += width + 18 * stage.scale
    canvas.draw()
    used = math.ceil(figure.bbox.height - max(y - line_height, 0))
    above = Image.fromarray(np.asarray(canvas.buffer_rgba())[:used]).convert("RGB")
    whole = Image.new("RGB", (below.width, above.height + below.height), stage.look.background)
    whole.paste(above, (0, 0))
    whole.paste(below, (0, above.height))
    file = io.BytesIO()
    whole.save(file, format="PNG")
    return file.getvalue()


def class_colours(dark: bool) -> tuple[str, str]:
    """Of positive and negative; blue and orange are told apart by everybody."""
    return (SKY_BLUE, ORANGE) if dark else (BLUE, VERMILION)


def strongest_words(decision: Decision, nr_words: int) -> list[tuple[str, float]]:
    """The words that speak most for *positive*, then those that speak most against it, the strongest last."""
    leads = [
        (word, float(weight))
        for word, weight in zip(decision.explanation.words, lead(decision.explanation.contributions, 0, 1), strict=True)
        if weight != 0
    ]
    pros = sorted([item for item in leads if item[1] > 0], key=lambda item: -item[1])[:nr_words]
    cons = sorted([item for item in leads if item[1] < 0], key=lambda item: item[1])[:nr_words]
    return pros + cons[::-1]


def coloured_text(words: Sequence[Word], dark: bool, sentence: str = "") -> str:
    """The review as HTML, each word on a ground of the colour that it speaks for, and underlined in its own way.

    Parameters
    ----------
    words : sequence of Word
    dark : bool
    sentence : str
        Plain text that goes before.

    Returns
    -------
    str
        Nothing of the review is markup: it is escaped, and what has no form is written as an escape.
    """
    strongest = max((abs(word.weight) for word in words[:MOST_SHOWN]), default=0.0) or 1.0
    positive, negative = class_colours(dark)
    densest = 150 if dark else 200  # of 255: letters on it keep a contrast of 4.5
    parts = []
    for word in words[:MOST_SHOWN]:
        text = html.escape(printable(short(word.text)))
        if word.rules_out:
            border = positive if word.rules_out == {1} else negative
            parts.append(
                f'<span style="border:3px solid {border};font-weight:700" title="rules a class out">{text}</span>'
            )
        elif word.weight:
            colour, line = (positive, "solid") if word.weight > 0 else (negative, "dotted")
            ground = f"{colour}{round(densest * abs(word.weight) / strongest):02x}"
            style = f"background:{ground};border-bottom:3px {line} {colour}"
            parts.append(f'<span style="{style}" title="{word.weight:+.3g}">{text}</span>')
        else:
            parts.append(f'<span style="color:var(--demo-muted)">{text}</span>')
    legend = (
        f'<span style="border-bottom:3px solid {positive}">for positive</span> '
        f'<span style="border-bottom:3px dotted {negative}">for negative</span> '
        '<span style="color:var(--demo-muted)">unknown</span>'
    )
    more = " …" if len(words) > MOST_SHOWN else ""
    said = f"<div><i>{html.escape(sentence)}</i></div>" if sentence else ""
    return (
        f'<div style="float:right;font-size:0.85em">{legend}</div>{said}'
        '<div class="demo-words" style="font-size:1.25em;line-height:1.75;max-height:7.1em;overflow:auto;'
        f'overflow-wrap:anywhere;clear:both">{" ".join(parts)}{more}</div>'
    )


def picture_words(words: Sequence[Word]) -> list[tuple[str, float]]:
    """The words for `with_text_above`: weights as shares of the strongest, ±1 for what rules a class out."""
    shown = words[:MOST_SHOWN]
    strongest = max((abs(word.weight) for word in shown), default=0.0) or 1.0
    return [
        (word.text, (1.0 if word.rules_out == {1} else -1.0) if word.rules_out else word.weight / strongest)
        for word in shown
    ]


def about_the_text(text: str, nr_tokens: int, known: int, nr_words: int) -> str:
    """A sentence about a review that is empty, long, or of unknown words; empty for others."""
    if not text.strip():
        return "Nothing is typed yet, so there is no verdict: intercepts alone only say how often each class came up."
    if not known:
        return "None of this is a word that the classifiers know, so there is no verdict."
    parts = []
    if len(text) > MOST_CHARACTERS:
        parts.append(f"Of {len(text)} characters the first {MOST_CHARACTERS} are read.")
    if nr_words > MOST_SHOWN:
        parts.append(f"Shown are the first {MOST_SHOWN} of {nr_words} words; all of them count.")
    return " ".join(parts)


def about_the_word(found: WordCounts, alpha: float, decision: Decision | None, accuracy: float) -> str:
    """What smoothing with α does to a word, and to Naive Bayes: its decision, and its accuracy on the test reviews."""
    seen = [f"{count:g} times" if count != 1 else "once" for count in found.counts]
    text = f"“{printable(short(found.word))}” stands {seen[0]} in positive and {seen[1]} in negative training reviews. "
    added = float(found.lead(alpha))
    if math.isinf(added):
        text += "Without smoothing (α = 0) a class that has never shown it is impossible, whatever else a review says. "
    else:
        text += f"With α = {alpha:g} an occurrence adds {added:+.2f} to the lead of positive. "
    if decision is not None:
        text += f"Naive Bayes with this α: the review is {decision.decided}"
        text += f", and {accuracy:.1%} of the test reviews are labelled rightly."
    return text


def short(text: str) -> str:
    """A word as the page shows it: a very long one is cut."""
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def drawable(word: str) -> str:
    """A word for a figure: short, no mathematics between dollar signs, a box for what the font has no glyph for."""
    from matplotlib.font_manager import findfont, get_font

    font = get_font(findfont("DejaVu Sans"))
    text = printable(word if len(word) <= _LONGEST_DRAWN else word[: _LONGEST_DRAWN - 1] + "…")
    return "".join(c if font.get_char_index(ord(c)) else "□" for c in text).replace("$", r"\$")
