"""Markdown and TeX of students, converted to passive HTML.

A text may contain anything. Three measures make the result safe:

- markdown-it-py parses Markdown without HTML, links, pictures and references; these stay as they were written.
- TeX becomes MathML, which browsers typeset themselves. latex2mathml builds a tree, and only the elements and attributes listed
  here are written from it, with escaped texts. A formula that defines commands is not converted, because a few definitions
  can expand to more output than fits into memory.
- A text that is long, deeply nested, or cannot be parsed is shown as it was written. The output is limited, too.

In addition, the policy of the pages (`templates/page.html.j2`) forbids scripts and addresses.
"""

import contextlib
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

from lxmls_day1.grading.safe_text import sanitize, truncate_lines

MAX_CHARS, MAX_LINES = 8000, 400  # limits on a rendered text; a longer text is shown as it was written
MAX_PLAIN_CHARS = 20_000
MAX_TABLE_CELLS = 5000
MAX_FORMULA_CHARS = 1500
MAX_NESTING = 40  # nested elements in a formula
MAX_HTML_CHARS = 300_000
CACHE_SIZE = 20_000  # size of the cache of rendered texts, because several pages show the same answers

_RULES = (
    "blockquote", "code", "emphasis", "entity", "escape", "fence", "heading", "hr", "list", "newline", "backticks", "strikethrough",
    "table",
)  # fmt: skip
_DEFINES = re.compile(r"\\(?:[a-zA-Z]*(?:command|environment)|[egx]?def|let|DeclareMathOperator)(?![a-z])")
_NUMBERED = re.compile(r"\\(begin|end)\s*\{(align|alignat|equation|gather|multline)\}")

_CHOICES = re.compile("true|false")
# Too short to move anything over its neighbours.
_SHORT_LENGTH = re.compile(r"(?:-?0?\.\d{1,3}|\d(?:\.\d{1,3})?)(?:em|ex|mu|pt)?")
_SCRIPT_LEVEL = re.compile(r"[+-]?[0-3]")
#: MathML Core: element -> attribute -> a pattern of the allowed values.
_MATHML: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    **{
        name: {}
        for name in (
            "mmultiscripts", "mn", "mphantom", "mprescripts", "mroot", "mrow", "msqrt", "msub", "msubsup", "msup", "mtable",
            "mtd", "mtext", "mtr",
        )
    },
    "mfrac": {"linethickness": _SHORT_LENGTH},
    "mi": {"mathvariant": re.compile("normal")},
    "mo": {
        **dict.fromkeys(("fence", "largeop", "movablelimits", "separator", "stretchy", "symmetric"), _CHOICES),
        **dict.fromkeys(("lspace", "maxsize", "minsize", "rspace"), _SHORT_LENGTH),
        "form": re.compile("prefix|infix|postfix"),
    },
    "mover": {"accent": _CHOICES},
    "mspace": {"width": _SHORT_LENGTH},
    "mstyle": {"displaystyle": _CHOICES, "scriptlevel": _SCRIPT_LEVEL},
    "munder": {"accentunder": _CHOICES},
    "munderover": {"accent": _CHOICES, "accentunder": _CHOICES},
}  # fmt: skip
_BARS = frozenset("|‖∣∥")  # as high as a letter, unless \left and \right stretch them
# Commands of our lessons that the converter does not know.
_FUNCTIONS = {r"\arg": "arg", r"\Pr": "Pr", r"\argmax": "arg max", r"\argmin": "arg min"}


@functools.lru_cache(maxsize=CACHE_SIZE)
def html_of_markdown(text: str) -> str:
    r"""Convert a student's text to HTML: Markdown is laid out, TeX is typeset, everything else is plain text.

    Parameters
    ----------
    text : str
        Markdown, with formulas in ``$…$`` and ``$$…$$``, or in an environment such as ``align``.

    Returns
    -------
    str
        HTML with the elements of Markdown and MathML. No element has an address, a handler or an id.

    Examples
    --------
    >>> print(html_of_markdown("**Why?** <b> [x](javascript:y)"))
    <p><strong>Why?</strong> &lt;b&gt; [x](javascript:y)</p>
    >>> "<msup><mi>x</mi><mn>2</mn></msup>" in html_of_markdown("$x^2$")
    True
    """
    text = sanitize(text).strip()
    rows = text.split("\n")
    # The maximum number of cells of a table in this text, because the parser fills up short rows.
    cells = max(row.count("|") for row in rows) * len(rows)
    if len(text) > MAX_CHARS or len(rows) > MAX_LINES or cells > MAX_TABLE_CELLS:
        return _plain(text)
    try:
        html: str = _markdown().render(text)
    except Exception:  # no failure is known, but a student's text must never prevent the pages
        return _plain(text)
    if len(html) > MAX_HTML_CHARS:
        return _plain(text)
    return sanitize(html).strip()  # cleaned again, because a character may have been written as &#8238;


def _plain(text: str) -> str:
    return f'<p class="written">{escape(truncate_lines(text, MAX_PLAIN_CHARS, MAX_LINES))}</p>'


@functools.cache
def _markdown() -> MarkdownIt:
    made = MarkdownIt("zero", {"html": False, "linkify": False, "typographer": False, "maxNesting": 20})
    made.enable(list(_RULES))
    dollarmath_plugin(
        made, allow_labels=False, double_inline=True, renderer=lambda tex, how: _formula(tex, bool(how["display_mode"]))
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
    """Give every heading of an answer the same level, below the headings of the page."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h4"


def _code(_: Any, tokens: Sequence[Any], number: int, *__: Any) -> str:
    return f'<pre tabindex="0"><code>{escape(tokens[number].content)}</code></pre>\n'


def _formula(tex: str, is_block: bool) -> str:
    """Return a formula as MathML, or as it was written if it cannot be converted."""
    tex, mathml = tex.strip(), ""
    if len(tex) <= MAX_FORMULA_CHARS and not _DEFINES.search(tex):
        # The converter raises many kinds of errors for invalid TeX, even RecursionError.
        with contextlib.suppress(Exception):
            mathml = _mathml(convert_to_element(_NUMBERED.sub(r"\\\1{\2*}", tex)))
    if not mathml:
        return f"<code>{escape(tex)}</code>"
    return f'<math display="{"block" if is_block else "inline"}">{mathml}</math>'


def _mathml(element: Element, depth: int = 0) -> str:
    """Return the content of an element as markup. An element that is not in `_MATHML` becomes an ``mrow`` with its children."""
    if depth > MAX_NESTING:
        raise ValueError("elements are nested too deeply")
    text = unescape(element.text or "")  # the converter writes signs as &#x0003D;
    parts = [escape(_FUNCTIONS.get(text, text))]
    for child in element:
        tag = child.tag if child.tag in _MATHML else "mrow"
        allowed = _MATHML[tag]
        attributes = "".join(
            f' {name}="{escape(value)}"'
            for name, value in child.items()
            if name in allowed and allowed[name].fullmatch(value)
        )
        if child.text and unescape(child.text) in _BARS and "stretchy" not in child.attrib:
            attributes += ' stretchy="false"'
        parts.append(f"<{tag}{attributes}>{_mathml(child, depth + 1)}</{tag}>")
    return "".join(parts)
