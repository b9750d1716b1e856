"""Tables in three formats: plain text with aligned columns, HTML for a notebook, and CSV.

>>> print(format_table(["tag", "words"], [["NOUN", "4"], ["X", "12"]]))
tag   words
-----------
NOUN      4
X        12
"""

import csv
import html
import io
from collections.abc import Collection, Iterable, Sequence
from typing import Any


def format_table(heading: Sequence[str], rows: Iterable[Sequence[str]], text_columns: Collection[int] = (0,)) -> str:
    """Return a plain-text table with aligned columns: strings to the left, numbers to the right.

    Parameters
    ----------
    heading : sequence of str
    rows : sequences of str
        Each row has as many cells as the heading.
    text_columns : column indices
        The columns that hold strings; all other columns hold numbers.

    Returns
    -------
    str

    Examples
    --------
    >>> print(format_table(["tag", "words"], [["NOUN", "4"], ["X", "12"]]))
    tag   words
    -----------
    NOUN      4
    X        12
    """
    cells = [heading, *rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    pads = [str.ljust if i in text_columns else str.rjust for i in range(len(heading))]
    lines = ["  ".join(pad(cell, width) for pad, cell, width in zip(pads, row, widths, strict=True)) for row in cells]
    return "\n".join(line.rstrip() for line in [lines[0], "-" * len(lines[0]), *lines[1:]])


def as_html(heading: Sequence[str], rows: Iterable[Sequence[str]], text_columns: Collection[int] = (0,)) -> str:
    """Return the same table as HTML. All cells are escaped, because names come from students' files.

    Examples
    --------
    >>> as_html(["tag"], [["<num>"]])
    '<table><thead><tr><th>tag</th></tr></thead><tbody><tr><td style="text-align: left">&lt;num&gt;</td></tr></tbody></table>'
    """
    headings = "".join(f"<th>{html.escape(name)}</th>" for name in heading)
    sides = ["left" if i in text_columns else "right" for i in range(len(heading))]
    cells = [zip(sides, map(html.escape, row), strict=True) for row in rows]
    lines = ["".join(f'<td style="text-align: {side}">{text}</td>' for side, text in row) for row in cells]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{headings}</tr></thead><tbody>{body}</tbody></table>"


def as_csv(fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return the rows as CSV (RFC 4180) with a header line. Numbers keep full precision; None becomes an empty field.

    Examples
    --------
    >>> as_csv(["tag", "share"], [("NOUN", 0.25), ("X", None)]).splitlines()
    ['tag,share', 'NOUN,0.25', 'X,']
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(fields)
    writer.writerows(rows)
    return text.getvalue()
