import re
from html.parser import HTMLParser

import pytest

from lxmls_day1.grading.gradebook import VERDICTS, Gradebook
from lxmls_day1.grading.page_frame import (
    STYLE,
    VERDICT_WORDS,
    bar,
    date_text,
    how_graded,
    joined,
    page,
    points_text,
    table,
)


def luminance(colour):
    """Relative luminance; WCAG 2.2, definition."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_in_both_themes(theme):
    """At least 4.5 to 1, what WCAG asks of text."""
    block = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)[theme]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    for text in ("text", "quiet", "good", "bad", "known"):
        assert contrast(colours[text], colours["page"]) >= 4.5
    for text in ("text", "quiet"):
        assert contrast(colours[text], colours["soft"]) >= 4.5
    for text in ("text", "known"):
        assert contrast(colours[text], colours["known-soft"]) >= 4.5


def test_every_verdict_has_a_sign_and_words_of_its_own():
    assert list(VERDICT_WORDS) == list(VERDICTS)
    for column in zip(*VERDICT_WORDS.values(), strict=True):
        assert len(set(column)) == len(VERDICTS)


def test_a_page_allows_no_script_and_no_resource():
    text = page("<title>", "<p>body</p>")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy and "script" not in policy
    assert '<html lang="en">' in text and "<title>&lt;title&gt;</title>" in text
    assert "prefers-color-scheme: dark" in text and "@media print" in text
    assert "url(" not in STYLE and "@import" not in STYLE


class Cells(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.cells = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag in ("th", "td"):
            self.cells.append((tag, dict(attributes)))


def test_headings_of_tables_say_what_they_head():
    cells = Cells(table(["a", "b", "c"], [["x", bar(0.5, "half"), "1"], ["y", "", "2"]], numbers=(2,))).cells
    assert [attributes.get("scope") for tag, attributes in cells if tag == "th"] == ["col", "col", "col", "row", "row"]
    assert [attributes.get("class") for _, attributes in cells[1:3]] == ["barred", "number"]
    assert [attributes.get("class") for _, attributes in cells[7:9]] == ["barred", "number"]  # also without a bar


@pytest.mark.parametrize(("share", "width"), [(-1.0, 0.0), (0.25, 25.0), (7.0, 100.0)])
def test_a_bar_stays_in_its_frame(share, width):
    assert f"width:{width:.1f}%" in bar(share, "words")


def test_small_words():
    assert [points_text(p) for p in (0.0, 0.5, 10 / 3, 59.999999999, 100.0)] == ["0", "0.5", "3.33", "60", "100"]
    assert [joined(list(t)) for t in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert date_text("") == "" and date_text("yesterday\x1b[1m") == "yesterday"
    assert date_text("2026-01-02T03:04:05") == "2026-01-02 03:04"


def test_how_a_run_was_graded():
    gradebook = Gradebook((), 42, "process", "no box", {"wall_seconds": 10.0, "memory": float("inf")}, False, "", "1.0")
    said = dict(how_graded(gradebook))
    assert said["hidden checks"] == "not run"
    assert said["limits"] == "wall seconds 10, memory inf"
    assert said["sandbox level"] == "process – no box"
