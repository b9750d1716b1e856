from html.parser import HTMLParser

import pytest

from lxmls_day1.exercises.notebook_display import hinted, status_shown
from lxmls_day1.lab import Lab

pytestmark = pytest.mark.usefixtures("imports_as_before")


class Balanced(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def text_of(html):
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    return parser.text


@pytest.mark.slow
def test_a_check(edit):
    folder = edit("2 * sq_norm", "sq_norm")
    shown = Lab(folder).check("1.1")
    assert repr(shown).splitlines()[-1] == "  1 of 3 public checks pass; 2 more run at grading"
    text = text_of(shown._repr_html_())
    for part in (
        "Exercise 1.1: Half steps",
        "expected  0.4",
        "A known mistake: It divides by",
        "2 more run at grading",
    ):
        assert part in text
    assert not shown.report.all_passed
    everything = Lab(folder).check()
    assert [one.exercise.id for one in everything.report.reports] == ["1.1", "1.2"]
    assert "Still to be written: classifiers/means.py" in text_of(everything.html)


def test_a_hint_and_its_characters(workspace):
    path = workspace / "tests/exercises/exercises.toml"
    path.write_text(path.read_text().replace("Think of two blocks.", "Think <b>of & two."))
    shown = hinted(Lab(workspace), "1.1")
    assert "Think <b>of & two." in text_of(shown.html)
    assert "Think <b>of & two." in shown.text
    assert "tau = l" in repr(Lab(workspace).hint("1.1"))


def test_the_status(workspace):
    shown = status_shown(Lab(workspace))
    assert "0 of 3 exercises done" in text_of(shown.html)
    assert repr(Lab(workspace).status()) == shown.text
    assert 'aria-valuenow="0"' in shown.html
