"""The class pages in Chromium: the only script searches and sorts, and no student's text has an effect."""

import pytest

from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, FreeAnswer
from lxmls_day1.grading.reports.class_page import answers_html, summary_html
from lxmls_day1.grading.reports.student_page import student_html
from tests.lxmls_day1.grading.grades import LOOK, book_of, mira, submission

pytestmark = pytest.mark.slow
HOSTILE = (
    "<script>document.title='canary'</script><img src=x onerror=\"document.title='canary'\"> $\\text{<script>document.title='canary'</script>}$ "
    "[x](javascript:document.title='canary') ![y](http://canary.example/y.png) $x^2$"
)


def row_of(student, name, verdict):
    check = CheckGrade("t.py::a", "1.5", "A", False, verdict)
    answers = (FreeAnswer("1.1", "n.ipynb", "Why?", HOSTILE),)
    return submission(student, LOOK, mira(check), name=name, source=f"in/{student}.zip", answers=answers)


@pytest.fixture(scope="module")
def book():
    ada, soren = row_of("ada", "Ada Łukasz", "ok"), row_of("soren", "Søren O'Neil", "wrong")
    return book_of(ada, soren, row_of("eve", HOSTILE, "missing"))


@pytest.fixture
def opened(chromium, tmp_path):
    """Yield a function that opens a page as a file; at the end, check its requests and its console messages."""
    window = chromium.new_page()
    asked, said = [], []
    window.on("request", lambda request: asked.append(request.url))
    window.on("console", lambda message: said.append(message.text))
    window.on("pageerror", lambda error: said.append(str(error)))

    def open(html):
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        window.goto(file.as_uri(), timeout=60_000)
        return window

    yield open
    assert [url for url in asked if not url.startswith("file:")] == []
    assert said == []
    assert "canary" not in window.title()
    window.close()


def names(page, section="all"):
    return page.eval_on_selector_all(
        f"section[aria-labelledby={section}] tr[data-student]:not([hidden]) th",
        "cells => cells.map(cell => cell.innerText.split(' ')[0])",
    )


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_serious_and_a_phone_is_wide_enough(opened, book, serious, width, scheme):
    page = opened("")
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    pages = {"student": student_html(book.rows[1], book), "summary": summary_html(book), "answers": answers_html(book)}
    for name, html in pages.items():
        opened(html)
        page.eval_on_selector_all("details", "all => all.forEach(each => { each.open = true; })")
        assert (name, serious(page)) == (name, [])
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name


def test_search_and_sorting(opened, book):
    page = opened(summary_html(book))
    assert names(page)[:2] == ["Ada", "Søren"]
    search = page.get_by_label("Search by name or file")
    for sought, found in (("noether", []), ("soren oneil", ["Søren"]), ("lukasz ada", ["Ada"])):
        search.fill(sought)
        assert names(page) == found and page.locator("output").inner_text() == f"{len(found)} of 3"
    search.fill("")
    points = page.locator("section[aria-labelledby=all] thead button", has_text="points")
    points.click()
    assert names(page)[-1] == "Ada" and page.locator("th[aria-sort=ascending]").inner_text().startswith("points")
    points.click()
    assert names(page)[0] == "Ada"
    share = page.locator("section[aria-labelledby=all] thead button", has_text="share")
    share.click()
    assert names(page)[-1] == "Ada"  # Sorted by the lengths of the bars.


def test_long_names_leave_room_for_the_last_column(opened):
    """The window is 1024 pixels wide, as on a projector or on half a screen."""
    name, file = "Søren Aabye Wolfeschlegelsteinhausenbergerdorff", "014-submission-wolfeschlegelsteinhausenbergerdorff"
    page = opened(summary_html(book_of(row_of(file, name, "wrong"), row_of("ada", "Ada", "ok"))))
    page.set_viewport_size({"width": 1024, "height": 768})
    room = "all => all.map(each => [each.scrollWidth, each.clientWidth])"
    assert all(wide <= shown for wide, shown in page.eval_on_selector_all(".scroll", room))


def test_answers_are_typeset_and_searched(opened, book):
    page = opened(answers_html(book))
    power = page.locator("article msup").first.bounding_box()
    assert power["height"] > 5 and page.locator("article").count() == 3
    page.get_by_label("Search by student").fill("ada")
    assert page.locator("article:visible").count() == 1


def test_the_matrix_is_sorted_by_name_and_then_as_asked(opened, book):
    page = opened(summary_html(book))
    assert names(page, "matrix")[1:] == ["Ada", "Søren"]
    page.locator("section[aria-labelledby=matrix] thead button", has_text="1.5").click()
    assert names(page, "matrix")[-1] == "Ada"
    page.get_by_label("Search by name or file").fill("soren")
    assert names(page, "matrix") == names(page) == ["Søren"]


def test_a_long_matrix_keeps_its_heads_apart_and_prints_on_two_pages(opened):
    checks = [CheckGrade("t.py::a", f"1.{n}", "A", False, "ok") for n in range(21)]
    exercises = [ExerciseGrade(check.exercise, "A", "code", 10.0, (check,)) for check in checks]
    rows = [submission(f"s{n:03}", *exercises, name=f"Student {n:03}") for n in range(300)]
    page = opened(summary_html(book_of(*rows)))
    page.locator("section[aria-labelledby=matrix] thead button", has_text="student").dblclick()
    assert names(page, "matrix")[0] == "Student" and page.locator(".matrix .again").count() == 11
    for paper, landscape in (("A4", b"[0 0 842"), ("Letter", b"[0 0 792")):
        assert page.pdf(prefer_css_page_size=True, format=paper).count(landscape) == 2
