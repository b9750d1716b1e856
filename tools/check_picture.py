"""The moving picture of README: `check` names a wrong line of exercise 1.5, the line is mended, and `check` passes.

    python -m tools.check_picture     write docs/check.svg

The text comes from two runs of `check` in a new workspace, so it is always what students see. `make docs` writes the picture, too. It has
a background of its own, so that it can be read on light and dark pages; if the reader prefers less motion, it shows the named mistake.
"""

import html
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

PICTURE = Path(__file__).resolve().parents[1] / "docs/check.svg"
EXERCISE, FILE = "1.5", "classifiers/mira.py"
WRONG, RIGHT = "/ sq_norm)", "/ (2 * sq_norm))"
_COLUMNS, _SIZE, _LINE, _LEFT = 66, 15, 21, 22  # characters in a line; pixels
_WIDTH = _LEFT * 2 + round(_COLUMNS * _SIZE * 0.602)
_COLOURS = {
    "": "#e6edf3",
    "title": "#ffffff",
    "good": "#56d364",
    "bad": "#ff9d6b",
    "known": "#f2cc60",
    "quiet": "#9da7b3",
}
#: The share of the loop from which each part is visible, and until which.
_SHOWN = {
    "wrong": (0, 62),
    "marked": (7, 62),
    "named": (7, 70),
    "right": (62, 100),
    "passed": (74, 100),
    "again": (70, 100),
    "typed": (3, 70),
}
_SECONDS = 16


def check_lines_of(solution: str) -> list[tuple[str, str]]:
    """Return what `check` reports about a solution of the exercise, as pairs of a style and a text.

    Parameters
    ----------
    solution : str
        The lines that replace the gap of the starter file, indented.
    """
    from lxmls_day1.course.explanations import check_and_save
    from lxmls_day1.course.reports.report_text import check_lines, question_lines
    from lxmls_day1.course.workspaces.progress import status_of
    from lxmls_day1.course.workspaces.workspace import start_workspace

    with tempfile.TemporaryDirectory() as folder:
        lab = start_workspace(Path(folder, "my-lab"), core_only=True)
        lines = (lab / FILE).read_text(encoding="utf-8").splitlines()
        gap = next(number for number, line in enumerate(lines) if "raise NotImplementedError" in line)
        (lab / FILE).write_text("\n".join([*lines[:gap], solution, *lines[gap + 1 :], ""]), encoding="utf-8")
        report, questions, _ = check_and_save(lab, [EXERCISE], 60.0)
        lines_of_check = (*check_lines(report, status_of(lab)), *question_lines(questions))
        # The temporary folder would change with each run.
        return [(style, text) for style, text in lines_of_check if folder not in text]


def solution_lines() -> list[str]:
    """Return the lines of the reference solution, indented as in its file."""
    from lxmls_day1.lab import reference_folder

    lines = (reference_folder() / FILE).read_text(encoding="utf-8").splitlines()
    begin, end = (
        next(n for n, line in enumerate(lines) if f"# exercise {EXERCISE}: {word}" in line)
        for word in ("solution", "end")
    )
    return lines[begin + 1 : end]


def picture() -> str:
    """Return the moving picture as SVG."""
    right = solution_lines()
    wrong = [line.replace(RIGHT, WRONG) for line in right]
    if wrong == right:
        raise ValueError(f"{FILE} no longer contains {RIGHT!r}; choose another wrong line")
    named, passed = (check_lines_of("\n".join(solution)) for solution in (wrong, right))
    texts, height = [], 46 + _LINE
    texts.append(_text(FILE, 34, "quiet"))
    for before, after in zip(wrong, right, strict=True):
        if before == after:
            texts.append(_text(before, height))
        else:
            for ground, state, line, marked in (
                ("#5c2b1a", "wrong", before, "marked"),
                ("#1c4a2b", "right", after, "right"),
            ):
                bar = f'<rect x="8" y="{height - 15}" width="{_WIDTH - 16}" height="{_LINE}" rx="4" fill="{ground}"/>'
                texts += [_group(marked, [bar]), _group(state, [_text(line, height)])]
        height += _LINE
    height += _LINE // 2
    texts.append(f'<path d="M0 {height - 12}H{_WIDTH}" stroke="#3d444d"/>')
    top = height + _LINE
    command = f"$ lxmls-day1 check {EXERCISE}"
    bottom = top
    for typed, answer, lines in (("typed", "named", named), ("again", "passed", passed)):
        texts.append(_group(typed, [_text(command, top, "title")]))
        wrapped = list(_wrapped(lines))
        rows = [_text(text, top + _LINE * row, style) for row, (style, text) in enumerate(wrapped, start=1)]
        texts.append(_group(answer, rows))
        bottom = max(bottom, top + _LINE * len(wrapped))
    frames = "".join(
        f"@keyframes {name}{{0%{{opacity:{int(begin == 0)}}}{begin}%{{opacity:1}}{end}%{{opacity:{int(end == 100)}}}}}"
        f".{name}{{animation:{name} {_SECONDS}s step-end infinite}}"
        for name, (begin, end) in _SHOWN.items()
    )
    still = "".join(
        f".{name}{{animation:none;opacity:{int(name in ('wrong', 'marked', 'named', 'typed'))}}}" for name in _SHOWN
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {bottom + 22}" width="{_WIDTH}" height="{bottom + 22}">\n'
        f"<title>A wrong line of exercise {EXERCISE} is named by check, and mended</title>\n"
        f"<style>text{{font:{_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}}"
        f"{frames}@media(prefers-reduced-motion:reduce){{{still}}}</style>\n"
        f'<rect x=".5" y=".5" width="{_WIDTH - 1}" height="{bottom + 21}" rx="10" fill="#0d1117" stroke="#6e7681"/>\n'
        + "\n".join(texts)
        + "\n</svg>\n"
    )


def write_picture() -> None:
    """Write the picture, unless it is up to date."""
    drawn = picture()
    if not PICTURE.is_file() or PICTURE.read_text(encoding="utf-8") != drawn:
        PICTURE.write_text(drawn, encoding="utf-8")


def _wrapped(lines: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    from lxmls_day1.course.reports.report_text import wrap_line

    for style, text in lines:
        yield from ((style, piece) for piece in wrap_line(text, _COLUMNS))


def _text(text: str, height: int, style: str = "") -> str:
    bold = ' font-weight="bold"' if style == "title" else ""
    return (
        f'<text x="{_LEFT}" y="{height}" fill="{_COLOURS[style]}"{bold} xml:space="preserve">{html.escape(text)}</text>'
    )


def _group(name: str, parts: Iterable[str]) -> str:
    return f'<g class="{name}">' + "".join(parts) + "</g>"


if __name__ == "__main__":
    write_picture()
