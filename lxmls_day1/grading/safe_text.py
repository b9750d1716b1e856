"""Strings of students, cleaned so that a page, a table or a terminal can show them safely.

A name or an output may hold anything: markup, spreadsheet formulas, terminal control sequences, characters that
change the direction of writing. `sanitize` removes active characters and keeps readable text. The other functions
prepare its result for one kind of file each.
"""

import re
from html import escape

MAX_TEXT_CHARS, MAX_TEXT_LINES = 6000, 120

_TERMINAL_SEQUENCES = re.compile(
    "\x1b\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?"  # titles, links, clipboards: ESC ] … BEL
    "|\x1b[PX^_][^\x1b\n]*(?:\x1b\\\\)?"  # ESC P … ESC \
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours and cursor: ESC [ …
    "|\x1b[ -/]*[0-~]"
)

_DIRECTIONS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_INVISIBLE = (0x00AD, 0x200B, 0x2060, 0xFEFF, *range(0xE0000, 0xE0080))
_NOT_CHARACTERS = (
    *range(0xD800, 0xE000),
    *range(0xFDD0, 0xFDF0),
    *(16**4 * p + e for p in range(17) for e in (0xFFFE, 0xFFFF)),
)

_REPLACEMENTS = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},  # ␀ ␁ … ␛ …
    0x7F: "␡",
    **{code: "�" for code in (*range(0x80, 0xA0), *_NOT_CHARACTERS)},
    **{code: f"⟨U+{code:04X}⟩" for code in _DIRECTIONS},
    **{code: "" for code in _INVISIBLE},
    0x2028: "\n",
    0x2029: "\n",
}

_COMBINING_MARKS = (
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
# More than four marks on one letter overlap the lines around it.
_STACKED_MARKS = re.compile(f"({_COMBINING_MARKS}{{4}}){_COMBINING_MARKS}+")
_FORMULA = re.compile(r"(^\s*|[;,\t|\n\"']\s*)(?=[=+\-@＝＋－＠﹣﹢﹦﹫])")


def sanitize(text: str) -> str:
    """Return the text without active characters: a visible sign replaces each one that cannot be read.

    Control sequences for terminals are removed. Control characters become their pictures; marks that change the direction of
    writing become their numbers. Line ends become newlines; tabs stay.

    Examples
    --------
    >>> sanitize("\\x1b[31mred\\x1b[0m\\x00")
    'red␀'
    >>> sanitize("gnp.\\u202epy")
    'gnp.⟨U+202E⟩py'
    """
    if not text.isprintable() and not text.replace("\n", "").replace("\t", "").isprintable():
        text = _TERMINAL_SEQUENCES.sub("", text.replace("\r\n", "\n"))
        text = text.replace("\r", "\n").translate(_REPLACEMENTS)
    return text if text.isascii() else _STACKED_MARKS.sub(r"\1", text)


def one_line(text: str, max_chars: int = 200) -> str:
    """Return the text as one line of at most `max_chars` characters.

    Examples
    --------
    >>> one_line("Ada\\nLovelace", max_chars=9)
    'Ada Love…'
    """
    text = " ".join(sanitize(text[: 4 * max_chars + 100]).split())
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


def truncate_lines(text: str, max_chars: int = MAX_TEXT_CHARS, max_lines: int = MAX_TEXT_LINES) -> str:
    """Return the text cut off at `max_chars` characters and `max_lines` lines; a last line then reports how much is missing.

    Examples
    --------
    >>> truncate_lines("a\\nb\\nc\\n", max_lines=2)
    'a\\nb\\n… (1 more line)'
    """
    text = sanitize(text).rstrip()
    cut = text[:max_chars]
    kept = cut.split("\n")[:max_lines]
    cut = "\n".join(kept)
    if len(cut) == len(text):
        return cut
    rest = text[len(cut) :].strip("\n")
    more = rest.count("\n") + 1
    left = f"{more} more line{'s' * (more > 1)}" if text[len(cut)] == "\n" else f"{len(rest)} more characters"
    return f"{cut}\n… ({left})"


def html_text(text: str) -> str:
    """Escape a text for the inside of an HTML element or of a quoted attribute.

    Examples
    --------
    >>> html_text('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(sanitize(text))


def html_prose(text: str) -> str:
    """Convert a sentence of this project to HTML: only ``code`` in backticks and *emphasis* in stars become markup.

    Examples
    --------
    >>> html_prose("*One* of `<b>`")
    '<em>One</em> of <code>&lt;b&gt;</code>'
    """
    parts = html_text(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:  # a backtick is not closed
        return "`".join(parts)
    for i, part in enumerate(parts):
        parts[i] = f"<code>{part}</code>" if i % 2 else re.sub(r"(?<!\w)\*([^*\s][^*]*)\*(?!\w)", r"<em>\1</em>", part)
    return "".join(parts)


def table_cell(text: str) -> str:
    """Return a cell that a spreadsheet reads as text: an apostrophe is inserted before anything that would begin a formula.

    It is also inserted after characters that separate cells in some countries, such as the semicolon.

    Examples
    --------
    >>> table_cell("=1+1"), table_cell("Ada;@SUM(A1)"), table_cell("Jean-Luc")
    ("'=1+1", "Ada;'@SUM(A1)", 'Jean-Luc')
    """
    return _FORMULA.sub(r"\1'", one_line(text))


def table_lines(text: str, max_chars: int) -> str:
    """Return a cell of several lines that a spreadsheet reads as text, as in `table_cell`.

    Examples
    --------
    >>> table_lines("Two things:\\n- the mean", 100)
    "Two things:\\n'- the mean"
    """
    return _FORMULA.sub(r"\1'", truncate_lines(text, max_chars, max_chars))
