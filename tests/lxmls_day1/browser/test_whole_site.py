"""The site of `make site`, served below a path: front page, verdict, demonstration and browser lab work, and nothing is loaded from other hosts."""

from pathlib import Path

import pytest

from tests.lxmls_day1.browser.lab_page import LabPage

ROOT = Path(__file__).resolve().parents[3]
SITE = ROOT / "out/site"
BELOW = "courses/2026/day-1"
RIGHT = "y_hat = np.argmax(scores)\nif y_hat != label:\n    d[label] = step\n    d[y_hat] = -step"
BUILT = pytest.mark.skipif(not (SITE / "robots.txt").is_file(), reason="the site is not built: make site")
pytestmark = [pytest.mark.slow(60), BUILT]


@pytest.fixture(scope="module")
def window(chromium, served, tmp_path_factory):
    folder = tmp_path_factory.mktemp("host")
    (folder / BELOW).parent.mkdir(parents=True)
    (folder / BELOW).symlink_to(SITE)
    with served(folder) as address:
        opened = LabPage(chromium.new_context(), f"{address}/{BELOW}/")
        yield opened
        opened.context.close()


@pytest.fixture(autouse=True)
def only_from_the_site(window):
    yield
    assert not window.foreign and not window.errors and not window.unfitting


def test_the_front_page_shows_what_the_site_is(window):
    window.page.goto(window.address)
    assert "linear classifiers" in window.page.title()
    for name, text in (("title", "linear classifiers"), ("description", "smallest input")):
        assert text in window.page.locator(f'meta[property="og:{name}"]').get_attribute("content")
    window.page.get_by_role("link", name="Browser lab").first.click()
    window.page.wait_for_selector("a.begin")


def test_a_missing_address_leads_back(window):
    window.page.goto(f"{window.address}404.html")
    based = window.page.locator("base").count()
    if not based:  # The script has found the folder of the site.
        window.page.wait_for_function("() => document.links[0].href.endsWith('/day-1/index.html')")


def test_an_exercise_answers_and_goes_on_in_the_browser_lab(window):
    page = window.page
    page.goto(f"{window.address}docs/exercises/1.4.html")
    page.get_by_label("Your lines of perceptron_rule").fill(RIGHT)
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector(".exercise.passed")
    page.get_by_role("button", name="Open in the browser lab").click()
    page.wait_for_url("**/browser-lab/lab/index.html**")
    window.wait_for_lab()


def test_a_demonstration_draws(window):
    window.page.goto(f"{window.address}demonstrations/mira_step.html")
    window.page.wait_for_selector("canvas, svg")
    assert window.page.locator(".demo-alert:visible").count() == 0


def test_the_browser_lab_runs_a_cell_with_the_python_of_the_book(window):
    window.page.goto(f"{window.address}browser-lab/index.html")
    window.page.click("a.begin")
    assert window.run("import lxmls_day1, sys; print(sys.platform)").strip() == "emscripten"
    assert not list((SITE / "browser-lab").rglob("pyodide.asm.wasm"))
