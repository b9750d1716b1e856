"""Markdown and TeX as students write them, made into HTML that does nothing by itself.

A text may hold anything. Three things keep it from acting:

- Markdown is read by markdown-it-py without HTML, links, pictures and references: these stay as they were written.
- TeX becomes MathML, which browsers typeset by themselves. latex2mathml builds a tree; only elements and attributes that are
  listed here are written from it, with their texts escaped. A formula that defines commands is not converted: a few definitions
  can stand for more output than fits into memory.
- What is long, nested deeply, or cannot be read is shown as it was written. The output has a limit, too.

The policy of the pages (`templates/page.html.j2`) forbids scripts and addresses besides.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from html import escape, unescape
from typing import Any
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from lxmls_day1.grading.safe_text import lines, visible

LONGEST, MOST_LINES = 8000, 400  # of a text that is rendered; a longer one is shown as it is written
LONGEST_PLAIN = 20_000
MOST_CELLS = 5000
LONGEST_FORMULA = 1500
DEEPEST = 40  # elements in one another, in a formula
LONGEST_HTML = 300_000
KEPT = 20_000  # rendered texts that a process remembers: several pages have the same answers

_RULES = (
    "blockquote", "code", "emphasis", "entity", "escape", "fence", "heading", "hr", "list", "newline", "backticks", "strikethrough",
    "table",
)  # fmt: skip
_DEFINES = re.compile(r"\\(?:[a-zA-Z]*(?:command|environment)|[egx]?def|let|DeclareMathOperator)(?![a-z])")
_NUMBERED = re.compile(r"\\(begin|end)\s*\{(align|alignat|equation|gather|multline)\}")

_CHOICES = {"true": "true", "false": "false"}
_SHORT_LENGTH = re.compile(
    r"(?:-?0?\.\d{1,3}|\d(?:\.\d{1,3})?)(?:em|ex|mu|pt)?"
)  # nothing is moved over what stands beside it
_SCRIPT_LEVEL = re.compile(r"[+-]?[0-3]")
#: MathML Core: element -> attribute -> what its value may be.
_MATHML: Mapping[str, Mapping[str, re.Pattern[str] | Mapping[str, str]]] = {
    **{
        name: {}
        for name in (
            "mmultiscripts", "mn", "mphantom", "mprescripts", "mroot", "mrow", "msqrt", "msub", "msubsup", "msup", "mtable",
            "mtd", "mtext", "mtr",
        )
    },
    "mfrac": {"linethickness": _SHORT_LENGTH},
    "mi": {"mathvariant": {"normal": "normal"}},
    "mo": {
        **dict.fromkeys(("fence", "largeop", "movablelimits", "separator", "stretchy", "symmetric"), _CHOICES),
        **dict.fromkeys(("lspace", "maxsize", "minsize", "rspace"), _SHORT_LENGTH),
        "form": {"prefix": "prefix", "infix": "infix", "postfix": "postfix"},
    },
    "mover": {"accent": _CHOICES},
    "mspace": {"width": _SHORT_LENGTH},
    "mstyle": {"displaystyle": _CHOICES, "scriptlevel": _SCRIPT_LEVEL},
    "munder": {"accentunder": _CHOICES},
    "munderover": {"accent": _CHOICES, "accentunder": _CHOICES},
}  # fmt: skip
_BARS = frozenset("|‖∣∥")  # as high as a letter, unless \left and \right ask for more
_FUNCTIONS = {
    r"\arg": "arg",
    r"\Pr": "Pr",
    r"\argmax": "arg max",
    r"\argmin": "arg min",
}  # the converter's gaps that lessons have


@functools.lru_cache(maxsize=KEPT)
def html_of_markdown(text: str) -> str:
    r"""A student's text as HTML: Markdown laid out, TeX typeset, everything else as text.

    Parameters
    ----------
    text : str
        With formulas in ``$…$`` and ``$$…$$``, or in an environment such as ``align``.

    Returns
    -------
    str
        Elements of Markdown and of MathML. None of them has an address, a handler or an id.

    Examples
    --------
    >>> print(html_of_markdown("**Why?** <b> [x](javascript:y)"))
    <p><strong>Why?</strong> &lt;b&gt; [x](javascript:y)</p>
    >>> "<msup><mi>x</mi><mn>2</mn></msup>" in html_of_markdown("$x^2$")
    True
    """
    text = visible(text).strip()
    rows = text.split("\n")
    cells = max(row.count("|") for row in rows) * len(rows)  # as many as a table of this text can be filled up to
    if len(text) > LONGEST or len(rows) > MOST_LINES or cells > MOST_CELLS:
        return _plain(text)
    try:
        html: str = _markdown().render(text)
    except Exception:  # none is known; a text of a student's shall not be the reason that there are no pages
        return _plain(text)
    if len(html) > LONGEST_HTML:
        return _plain(text)
    return visible(html).strip()  # once more: a character may have been written as a number, &#8238;


def _plain(text: str) -> str:
    return f'<p class="written">{escape(lines(text, LONGEST_PLAIN, MOST_LINES))}</p>'


@functools.cache
def _markdown() -> MarkdownIt:
    made = MarkdownIt("zero", {"html": False, "linkify": False, "typographer": False, "maxNesting": 20})
    made.enable(list(_RULES))
    dollarmath_plugin(
        made,
        allow_labels=False,
        double_inline=True,
        renderer=lambda tex, how: _formula(tex, bool(how["display_mode"])),
    )
    amsmath_plugin(made, renderer=lambda tex: _formula(tex, True))
    made.core.ruler.push("headings", _lower_headings)
    for name, rule in (
        ("fence", _code),
        ("code_block", _code),
        ("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>\n'),
        ("table_close", lambda *_: "</table></div>\n"),
        ("th_open", lambda *_: '<th scope="col">'),
        ("td_open", lambda *_: "<td>"),
    ):
        made.add_render_rule(name, rule)
    return made


def _lower_headings(state: Any) -> None:
    """A heading in an answer stands below those of the page, however large the student made it."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h4"


def _code(_: Any, tokens: Sequence[Any], number: int, *__: Any) -> str:
    return f'<pre tabindex="0"><code>{escape(tokens[number].content)}</code></pre>\n'


def _formula(tex: str, is_block: bool) -> str:
    """A formula as MathML; as it was written where it cannot be converted."""
    tex, mathml = tex.strip(), ""
    if len(tex) <= LONGEST_FORMULA and not _DEFINES.search(tex):
        try:
            mathml = _written(convert_to_element(_NUMBERED.sub(r"\\\1{\2*}", tex)))
        except Exception:  # the converter raises errors of many kinds, RecursionError among them, for what is no TeX
            mathml = ""
    if not mathml:
        return f"<code>{escape(tex)}</code>"
    return f'<math display="{"block" if is_block else "inline"}">{mathml}</math>'


def _written(element: Element, depth: int = 0) -> str:
    """What is inside an element, from the list alone: an element that is not on it becomes a row of its parts."""
    if depth > DEEPEST:
        raise ValueError("elements are nested too deeply")
    text = unescape(element.text or "")  # the converter writes signs as numbers, &#x0003D;
    parts = [escape(_FUNCTIONS.get(text, text))]
    for child in element:
        tag = child.tag if child.tag in _MATHML else "mrow"
        allowed = _MATHML[tag]
        attributes = "".join(
            f' {name}="{escape(value)}"' for name, value in child.items() if _is_allowed(allowed.get(name), value)
        )
        if child.text and unescape(child.text) in _BARS and "stretchy" not in child.attrib:
            attributes += ' stretchy="false"'
        parts.append(f"<{tag}{attributes}>{_written(child, depth + 1)}</{tag}>")
    return "".join(parts)


def _is_allowed(values: re.Pattern[str] | Mapping[str, str] | None, value: str) -> bool:
    if values is None:
        return False
    return value in values if isinstance(values, Mapping) else values.fullmatch(value) is not None
