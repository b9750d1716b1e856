"""What all pages of a grading run share: the frame of the document, its style, bars, and how verdicts look.

A page stands in one file. It holds no script and asks for nothing outside itself, and its head forbids both, so that
nothing in a student's name or output could change that. Light and dark follow the reader's setting; colours are of Okabe
and Ito's kind, and each is joined by a sign and a word.
"""

from datetime import datetime

from lxmls_day1.grading.gradebook import (
    CRASHED,
    ERROR,
    MEMORY,
    MISSING,
    OK,
    PUBLIC_SHARE,
    REFUSED,
    TIMEOUT,
    WRONG,
    Gradebook,
    Row,
)
from lxmls_day1.grading.safe_text import html_text, one_line

#: Verdict -> (sign, words for students).
VERDICT_WORDS = {
    OK: ("✓", "right"),
    WRONG: ("✗", "wrong"),
    ERROR: ("!", "error"),
    TIMEOUT: ("◷", "time limit"),
    MEMORY: ("▣", "memory limit"),
    CRASHED: ("↯", "crashed"),
    REFUSED: ("⊘", "refused"),
    MISSING: ("○", "missing"),
}

STYLE = """
:root { color-scheme: light dark;
  --page: #ffffff; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0; --soft: #f4f6f8;
  --good: #00734f; --bad: #b23c00; --known: #005a96; --known-soft: #e8f2fb; --track: #e4e8ec; --fill: #0072b2; }
@media (prefers-color-scheme: dark) { :root {
  --page: #14171b; --text: #e6e9ec; --quiet: #9ba5b0; --line: #363d45; --soft: #1d2228;
  --good: #4fd1a5; --bad: #ff9a5c; --known: #7cc4f7; --known-soft: #14283a; --track: #2b323a; --fill: #56b4e9; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 54rem; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  overflow-wrap: anywhere; }
body.wide { max-width: 78rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0; }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; }
p { margin: .4rem 0; }
a { color: var(--known); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--known); outline-offset: 2px; }
code, pre { font: .86em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { margin: .4rem 0 .2rem; padding: .6rem .8rem; background: var(--soft); border: 1px solid var(--line);
  border-radius: .4rem; white-space: pre-wrap; overflow: hidden; }
.quiet { color: var(--quiet); }
.small { font-size: .9rem; }
.eyebrow { margin: 0 0 .2rem; color: var(--quiet); font-size: .85rem; letter-spacing: .04em; text-transform: uppercase; }
section { margin-top: 1.6rem; padding-top: 1.1rem; border-top: 1px solid var(--line); }
.heading { display: flex; flex-wrap: wrap; gap: .2rem 1rem; justify-content: space-between; align-items: baseline; }
.points { font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
.total { font-size: 1.35rem; margin: .6rem 0 .4rem; }
.total b { font-size: 2.2rem; line-height: 1.1; }
.bar { display: block; height: .7rem; min-width: 4rem; background: var(--track); border: 1px solid var(--line);
  border-radius: .35rem; overflow: hidden; }
.bar > span { display: block; height: 100%; background: var(--fill); }
.bar, .bar > span, svg { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); font-size: .9rem; padding-bottom: .3rem; }
th, td { padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-size: .85rem; font-weight: 600; }
tbody th { font-weight: 500; min-width: 8rem; }
td, th { overflow-wrap: break-word; }
td.number, th.number { text-align: right; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
td.barred { width: 26%; min-width: 5rem; }
.barred .bar { margin-top: .42rem; }
.mistake { margin: .8rem 0; padding: .7rem .9rem; background: var(--known-soft); border-left: .35rem solid var(--known);
  border-radius: 0 .4rem .4rem 0; }
.mistake strong { color: var(--known); }
.mistake p, .mistake ul { margin: .2rem 0 0; font-size: 1.05rem; }
ul.checks { list-style: none; margin: .7rem 0 0; padding: 0; }
ul.checks > li { padding: .4rem 0 .4rem 1.9rem; position: relative; }
ul.checks > li + li { border-top: 1px dashed var(--line); }
.sign { position: absolute; left: 0; top: .4rem; width: 1.4rem; text-align: center; font-weight: 700; }
.ok .sign, .ok .verdict { color: var(--good); }
.failed .sign, .failed .verdict { color: var(--bad); }
.missing .sign, .missing .verdict { color: var(--quiet); }
.verdict { font-weight: 600; font-size: .9rem; white-space: nowrap; }
.tag { display: inline-block; padding: 0 .45rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--quiet);
  font-size: .78rem; white-space: nowrap; }
details > summary { cursor: pointer; color: var(--quiet); font-size: .9rem; }
figure { margin: .6rem 0 0; }
figure img { display: block; width: 100%; max-width: 40rem; height: auto; padding: .4rem; background: #ffffff;
  border: 1px solid var(--line); border-radius: .4rem; }
figcaption { margin-top: .4rem; color: var(--quiet); font-size: .9rem; }
blockquote { margin: .4rem 0; padding: .1rem 0 .1rem .9rem; border-left: .25rem solid var(--line); white-space: pre-wrap; }
.answer { margin: .3rem 0 1rem; padding: .5rem .8rem; background: var(--soft); border: 1px solid var(--line);
  border-radius: .4rem; white-space: pre-wrap; overflow: hidden; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .8rem 0 0; padding: 0; list-style: none; }
svg text { fill: var(--text); font-size: 13px; }
svg .quiet { fill: var(--quiet); }
svg .fill { fill: var(--fill); }
svg line { stroke: var(--line); }
.mark { display: inline-block; min-width: 5.5rem; padding: .1rem .5rem; border: 1px solid var(--line); border-radius: .3rem;
  text-align: right; color: var(--quiet); }
@media (max-width: 34rem) {
  body { padding: 1rem .8rem 2rem; } h1 { font-size: 1.45rem; } dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .4rem; } td.barred, th.barred { display: none; } td.number, th.number { white-space: normal; } }
@media print {
  :root { --page: #fff; --text: #000; --quiet: #444; --line: #bbb; --soft: #fff; --good: #00553a; --bad: #8a2e00;
    --known: #00457a; --known-soft: #fff; --track: #fff; --fill: #0072b2; }
  body, body.wide { max-width: none; padding: 0; font-size: 10.5pt; } nav { display: none; }
  pre, .mistake, figure, ul.checks > li, tr { break-inside: avoid; } h2, h3, .heading { break-after: avoid; }
  details:not([open]) { display: none; } a { color: inherit; text-decoration: none; } }
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def page(title: str, body: str, wide: bool = False) -> str:
    """A whole document around a body of HTML.

    Examples
    --------
    >>> text = page("<Marks>", "<p>all fine</p>")
    >>> text.startswith("<!DOCTYPE html>"), "&lt;Marks&gt;" in text
    (True, True)
    """
    kind = ' class="wide"' if wide else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html_text(one_line(title))}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body{kind}>\n{body}\n</body>\n</html>\n"
    )


def bar(share: float, words: str) -> str:
    """How much of something there is, as a bar; `words` say it to those who do not see it.

    Examples
    --------
    >>> bar(0.5, "5 of 10")
    '<span class="bar" role="img" aria-label="5 of 10"><span style="width:50.0%"></span></span>'
    """
    percent = 100 * min(max(share, 0.0), 1.0)
    return f'<span class="bar" role="img" aria-label="{html_text(words)}"><span style="width:{percent:.1f}%"></span></span>'


def table(heads: list[str], rows: list[list[str]], caption: str = "", numbers: tuple[int, ...] = ()) -> str:
    """A table of HTML cells whose first column heads its rows; `numbers` are the columns that stand to the right.

    Examples
    --------
    >>> print(table(["exercise", "points"], [["1.5", "10"]], numbers=(1,)))
    <div class="scroll"><table>
    <thead><tr><th scope="col">exercise</th><th scope="col" class="number">points</th></tr></thead>
    <tbody>
    <tr><th scope="row">1.5</th><td class="number">10</td></tr>
    </tbody></table></div>
    """
    barred = {i for row in rows for i, cell in enumerate(row) if 'class="bar"' in cell}

    def attributes(column: int) -> str:
        return ' class="number"' if column in numbers else ' class="barred"' if column in barred else ""

    head = "".join(f'<th scope="col"{attributes(i)}>{name}</th>' for i, name in enumerate(heads))
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>'
        + "".join(f"<td{attributes(i)}>{cell}</td>" for i, cell in enumerate(row[1:], 1))
        + "</tr>\n"
        for row in rows
    )
    caption = f"<caption>{caption}</caption>\n" if caption else ""
    return (
        f'<div class="scroll"><table>\n{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>'
    )


def facts(pairs: list[tuple[str, str]]) -> str:
    """Names and values, both HTML, as a list."""
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in pairs if value) + "</dl>"


def how_graded(gradebook: Gradebook) -> list[tuple[str, str]]:
    """How a run kept submissions apart, with which seed and limits, when: names and values as plain text."""
    return [
        ("graded", date_text(gradebook.graded)),
        ("sandbox level", " – ".join(filter(None, (one_line(gradebook.level), one_line(gradebook.level_text, 400))))),
        ("hidden checks", f"run with seed {gradebook.seed}" if gradebook.hidden else "not run"),
        ("points", f"of each exercise {PUBLIC_SHARE:.0%} for its public checks and the rest for its hidden ones"),
        ("limits", ", ".join(f"{one_line(name).replace('_', ' ')} {v:g}" for name, v in gradebook.limits.items())),
        ("version", f"lxmls-day1 {one_line(gradebook.version)}" if gradebook.version else ""),
    ]


def name_of(row: Row) -> str:
    """A student's name as plain text; the file name where it is empty.

    Examples
    --------
    >>> name_of(Row("ada", " \\n", "", "", ()))
    'ada'
    """
    return one_line(row.name, 100) or one_line(row.student, 100)


def points_text(points: float) -> str:
    """Points with as many decimals as they need, at most two.

    Examples
    --------
    >>> points_text(10.0), points_text(20 / 3), points_text(2.5)
    ('10', '6.67', '2.5')
    """
    text = f"{points:.2f}"
    return text.rstrip("0").rstrip(".")


def date_text(iso: str) -> str:
    """A time in ISO 8601 as one reads it; what is none stays as it is.

    Examples
    --------
    >>> date_text("2026-07-19T12:30:05+00:00")
    '2026-07-19 12:30 UTC'
    """
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return one_line(iso)
    zone = " UTC" if moment.utcoffset() is not None and not moment.utcoffset() else ""
    return f"{moment:%Y-%m-%d %H:%M}{zone}"


def joined(texts: list[str]) -> str:
    """Texts as one says them.

    Examples
    --------
    >>> joined(["1.1", "1.3", "1.8"])
    '1.1, 1.3 and 1.8'
    """
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""
