import json
import threading
import urllib.request
import webbrowser
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

import lxmls_day1.library_path
from tests.command_runs import run
from tests.wording import wording


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Return a checkout whose path has a space, and whose documentation is not built yet."""
    folder = tmp_path / "day 1"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/conf.py").touch()
    monkeypatch.setattr(lxmls_day1.library_path, "reference_path", lambda: str(folder))
    return folder


@pytest.fixture
def opened(monkeypatch):
    addresses = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or len(addresses) == 1)
    return addresses


def test_the_built_book_is_served_and_opened(checkout, opened, monkeypatch):
    (checkout / "out/docs").mkdir(parents=True)
    (checkout / "out/docs/index.html").write_text("the book")
    read = []

    def serve(server):
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        read.append(urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/").read())
        thread.join()
        raise KeyboardInterrupt

    monkeypatch.setattr(ThreadingHTTPServer, "serve_forever", serve)
    done = run("docs")
    assert read == [b"the book"]
    assert done.output == f"{opened[0]} until Ctrl-C\n\nNo longer served.\n"
    assert "open this address" in run("docs").output  # No browser is installed.
    assert "until Ctrl-C" in run("docs", "--no-browser").output and len(opened) == 2


def test_an_unbuilt_book_is_reported_with_the_build_command(checkout, opened):
    said = run("docs", status=1).output
    assert not opened and "`make docs`" in said and str(checkout) in said


def test_an_installation_reports_that_it_has_no_book(tmp_path, monkeypatch, opened):
    monkeypatch.setattr(lxmls_day1.library_path, "reference_path", lambda: str(tmp_path))
    said = run("docs", status=1).output
    assert not opened and "checkout" in said and "`make docs`" in said


ROOT = Path(__file__).resolve().parents[3]
BOOK = ROOT / "out/docs"
in_the_book = pytest.mark.skipif(not (BOOK / "docs/index.html").is_file(), reason="the book is not built: make docs")
TELLING = [f"{name}.html" for name in ("index", "404", "demonstrations/index", "demonstrations/mira_step")]
TELLING += [f"docs/{name}.html" for name in ("gallery_pages/plot_moments", "exercises/1.7", "exercises/1.8")]
TELLING += ["notebooks/4_comparison.html", "docs/reference/generated/classifiers.structured.structured_mira.html"]
WINDOWS = ((1280, "light"), (390, "dark"), (1280, "dark"), (390, "light"))
#: Wait in the page's own time, because the theme lets keys reach a region that scrolls only 300 ms after the last change of the window.
SETTLED = "new Promise(done => requestAnimationFrame(() => setTimeout(done, 400)))"
#: Find texts that exceed their right edge; elements with a table, a program or a formula may scroll.
CUT_OFF = """() => [...document.querySelectorAll('.bd-article :is(h1, h2, h3, p, li, dt, dd)')]
    .filter(part => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== 'inline'
        && !part.closest('table, pre, .math, mjx-container') && !part.querySelector('table, pre, .math, mjx-container'))
    .map(part => part.textContent.slice(0, 80))"""
#: Leave three of the equal tokens of programs, and of the lines of an index, because axe needs seconds for thousands of them.
THIN = """() => { const seen = {};
    for (const part of document.querySelectorAll('pre:not(:has(a)) span[class]:not(:has(*)), .viewcode-block span[class]:not(:has(*)), .genindextable li, .indextable tr[class^=cg]')) {
        const key = part.tagName + part.className;
        if ((seen[key] = (seen[key] ?? 0) + 1) > 3) part.replaceWith(...(part.matches('span') ? [part.textContent] : [])); } }"""


def pages(which):
    built = sorted(page.relative_to(BOOK).as_posix() for page in BOOK.rglob("*.html") if "_static" not in page.parts)
    return built if which == "all" else TELLING


@pytest.mark.slow
@in_the_book
@pytest.mark.parametrize("which", ["telling", pytest.param("all", marks=pytest.mark.campaign)])
def test_the_book_in_a_browser(which, new_page, serious):
    """Opened from a folder: no requests to other hosts, no page wider than the window, no cut text, and axe finds nothing."""
    asked, faults = [], []
    page = new_page()
    page.on("request", lambda request: asked.append(request.url))
    for name in pages(which):
        page.goto((BOOK / name).as_uri(), wait_until="load")
        # Stops transitions of colours when the scheme changes.
        page.add_style_tag(content="* { transition: none !important }")
        page.wait_for_timeout(500)  # Waits until the formulas are typeset.
        page.evaluate(THIN)
        for width, scheme in WINDOWS if which == "all" else WINDOWS[:2]:
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            page.evaluate(SETTLED)
            if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
                faults.append(f"{name}, {width}: wider than the window")
            faults += [f"{name}, {width}: cut off: {text}" for text in page.evaluate(CUT_OFF)]
            faults += [f"{name}, {width} {scheme}: {found}" for found in serious(page)]
    assert not faults
    assert asked and [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_the_parts_of_a_lesson_hold_its_notebook():
    pytest.importorskip("docutils", reason="make docs installs docutils, by which the book names its places")
    from docs import lesson_parts  # It imports docutils.

    pages = lesson_parts.parts(ROOT, {"1.4"})
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        shown = [page for name, page in pages.items() if Path(name).name.partition("-")[0] == path.stem]
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [(cell["id"], "".join(cell["source"]), cell["outputs"]) for cell in cells if cell["cell_type"] == "code"]
        in_parts = [cell for page in shown for cell in page["cells"]]
        assert code == [(cell["id"], cell["source"], cell["outputs"]) for cell in in_parts if "outputs" in cell]
        assert all(page["cells"][0]["source"].startswith("# ") for page in shown)
        assert len(shown) > 1 or path.stem == "7_second_order"
    texts = {name: "".join(cell["source"] for cell in page["cells"]) for name, page in pages.items()}
    assert wording("commands.c_mira_size_step") in texts["docs/lessons/2_online-2"]
    assert wording("commands.solve_this_exercise_in") in texts["notebooks/2_online"]


@pytest.mark.slow
@in_the_book
class TestReadingTheBook:
    @pytest.mark.parametrize("query", ["perceptron", "MIRA", "naive Bayes", "SVM"])
    def test_a_search_finds_lessons_exercises_and_explanations_before_the_reference(self, query, new_page):
        page = new_page()
        page.goto(f"{(BOOK / 'search.html').as_uri()}?q={query}")
        page.wait_for_function("document.querySelector('.search-summary')?.textContent.includes('finished')")
        found = page.evaluate("[...document.querySelectorAll('ul.search a')].map(link => link.getAttribute('href'))")
        first = next(place for place, link in enumerate(found) if "/reference/" in link)
        for kind in ("docs/exercises/", "docs/explanations/", ("notebooks/", "docs/lessons/")):
            assert any(link.startswith(kind) for link in found[:first]), (kind, found[:10])

    def test_the_name_of_a_class_leads_to_its_reference(self, new_page):
        page = new_page()
        page.goto(f"{(BOOK / 'search.html').as_uri()}?q=SentimentCorpus")
        assert "readers.sentiment_reader" in page.locator("ul.search a").first.get_attribute("href")

    def test_moved_anchors_redirect_from_the_lessons_address(self, new_page):
        page = new_page()
        page.goto(f"{(BOOK / 'notebooks/2_online.html').as_uri()}#exercise-1-12-the-mistake-bound")
        page.wait_for_url("**/docs/lessons/2_online-*.html#exercise-1-12-the-mistake-bound")

    @pytest.mark.campaign
    def test_lessons_stand_alone_in_the_side_bar_and_none_is_too_long(self, new_page):
        page = new_page(viewport={"width": 1280, "height": 800})
        page.goto((BOOK / "docs/lessons.html").as_uri())
        listed = page.evaluate("[...document.querySelectorAll('.bd-sidebar nav > div > ul > li > a')].map(a => a.href)")
        assert [Path(link).stem for link in listed] == sorted(one.stem for one in (ROOT / "notebooks").glob("*.ipynb"))
        heights = {}
        for path in [*(BOOK / "notebooks").glob("[0-9]*.html"), *(BOOK / "docs/lessons").glob("*.html")]:
            page.goto(path.as_uri())
            heights[path.name] = page.evaluate("document.documentElement.scrollHeight")
        assert max(heights.values()) < 12_500, heights
