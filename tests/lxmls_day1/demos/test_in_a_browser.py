"""The demonstrations as they are served, in a real browser: they load, and do what their controls say."""

from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from lxmls_day1.demos import recording, serving
from lxmls_day1.demos.mira_step import LIMITS as PLANE
from lxmls_day1.demos.online_steps import DemoOnlineSteps

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
SIZES = ((1024, 768), (1920, 1080), (1280, 720))  # an old projector, a new one, and the size that all is drawn for
LEAST_SHARE = 0.4  # of the window is the figure; the rest are the controls
#: What can be focused or is a picture, and has no name that a screen reader could say.
WITHOUT_A_NAME = """() => [...document.querySelectorAll(
    '.demo-page :is(button, input, select, textarea, canvas, a, .noUi-handle, [role=textbox])')]
    .filter(part => part.checkVisibility() && !part.getAttribute('aria-label') && !part.title && !part.textContent.trim()
        && !(part.labels && part.labels.length))
    .map(part => part.outerHTML.slice(0, 200))"""
#: Boxes to tick that a screen reader calls by one name.
OF_ONE_NAME = """() => [...document.querySelectorAll('.demo-page input[type=checkbox]')]
    .map(part => part.getAttribute('aria-label') || part.title || part.labels[0].textContent)
    .filter((name, number, names) => names.indexOf(name) < number)"""
#: What can be used and was not reached by the keyboard; of the choices of one question any of them counts.
NOT_REACHED = """() => [...document.querySelectorAll('.demo-page :is(button, input, select, textarea, a[href], .noUi-handle)')]
    .filter(part => part.checkVisibility({visibilityProperty: true}) && !part.disabled && part.type !== 'radio' && !window.reached.has(part))
    .map(part => part.outerHTML.slice(0, 200))"""
SHORTEST = "mira_step"  # in every run; the others are one of the campaigns
OTHERS = [name for name in serving.names(ROOT / serving.FOLDER) if name != SHORTEST]


@pytest.mark.parametrize("name", [SHORTEST, *(pytest.param(name, marks=pytest.mark.campaign) for name in OTHERS)])
def test_it_loads_without_an_error_and_fits_on_a_projector(open_demo, serious, name):
    window = open_demo(name)
    assert window.page.locator('[role="alert"]').count() == 0
    assert window.page.title() == window.page.locator(".demo-title").inner_text().removeprefix("☰ all").strip()
    assert not window.page.evaluate(WITHOUT_A_NAME) and not window.page.evaluate(OF_ONE_NAME)
    window.wait_for_figure()
    window.page.evaluate(
        "window.reached = new Set(); addEventListener('focusin', event => window.reached.add(event.target))"
    )
    for _ in range(150):
        window.page.keyboard.press("Tab")
    assert not window.page.evaluate(NOT_REACHED)
    assert window.fits()
    canvas = "document.querySelector('.jupyter-matplotlib canvas').getBoundingClientRect()"
    assert window.page.evaluate(f"{canvas}.left") > 220, "the figure belongs beside the controls"
    for size in SIZES:
        window.resize(*size)
        assert window.fits() and window.share_of_the_figure() > LEAST_SHARE, size
        window.screenshot(f"_light_{size[0]}")
    assert serious(window.page) == []
    background = "getComputedStyle(document.querySelector('.demo-page')).backgroundColor"
    assert window.page.evaluate(background) == "rgb(255, 255, 255)"
    window.page.click(".demo-colours")
    window.page.wait_for_selector(".demo-page.demo-dark")
    assert max(map(int, window.page.evaluate(background)[4:-1].split(","))) < 40
    for size in SIZES[:: -1 if name != SHORTEST else len(SIZES)]:
        window.resize(*size)
        window.page.wait_for_timeout(1500)
        window.screenshot(f"_dark_{size[0]}")
    assert serious(window.page) == []


@pytest.mark.campaign
def test_a_figure_gets_its_size_though_the_message_about_it_is_lost(open_demo):
    lost = """window.lost = false;
        addEventListener("input", event => {
            if (!window.lost && event.target.closest(".demo-window")) window.lost = true, event.stopImmediatePropagation();
        }, true);"""
    window = open_demo(SHORTEST, script=lost)
    window.wait_for_figure()
    assert window.page.evaluate("window.lost")
    assert window.fits()


@pytest.mark.campaign
class TestOnlineSteps:
    def test_a_saved_picture_is_downloaded(self, open_demo, tmp_path):
        window = open_demo("online_steps")
        window.page.click(".demo-save-png")
        window.page.wait_for_selector(".demo-download")
        with window.page.expect_download() as download:
            window.page.click(".demo-download")
        download.value.save_as(tmp_path / "saved.png")
        assert download.value.suggested_filename == "online_steps.png"
        assert (tmp_path / "saved.png").read_bytes().startswith(b"\x89PNG")


class TestMiraStep:
    def test_keys_step_and_play_and_a_link_restores_the_page(self, open_demo):
        window = open_demo("mira_step")
        window.wait_for_figure()
        before = window.state()["regularizer"]
        window.page.keyboard.press("ArrowRight")
        further = window.wait(lambda state: state["regularizer"] > before)["regularizer"]
        window.page.keyboard.press("ArrowLeft")
        window.wait(lambda state: state["regularizer"] < further)
        window.page.keyboard.press(" ")
        window.wait(lambda state: state["regularizer"] > 1.2 * before or state["regularizer"] < 0.8 * before)
        window.page.keyboard.press(" ")
        window.click_at(-2.0, 1.0, PLANE)
        window.wait(lambda state: state["example"] == pytest.approx([-2.0, 1.0], abs=0.11))
        # Steps that were asked for may still arrive on a busy machine: what counts is a link that agrees with the state.
        same = """() => { const state = JSON.parse(document.querySelector('.demo-state').textContent);
            const link = new URLSearchParams(location.hash.slice(1));
            return +link.get('regularizer') === state.regularizer && +link.get('x1') === state.example[0] && location.hash; }"""
        link = window.page.wait_for_function(same).json_value()
        asked = {key: float(value) for key, value in parse_qsl(link.lstrip("#")) if key in ("regularizer", "x1", "x2")}
        other = open_demo("mira_step", link)
        regularizer = pytest.approx(asked["regularizer"], rel=1e-4)
        other.wait(lambda state: state["example"] == [asked["x1"], asked["x2"]] and state["regularizer"] == regularizer)
        other.page.click(".demo-home")
        other.page.wait_for_selector("text=Demonstrations")


@pytest.mark.campaign
def test_the_exported_animation_steps_without_a_server(chromium, lab, tmp_path):
    demonstration = DemoOnlineSteps(lab, nr_points=6, nr_rounds=1)
    path = tmp_path / "steps.html"
    path.write_bytes(recording.animation(demonstration, "html"))
    page, errors, asked = chromium.new_page(), [], []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    first = page.get_attribute("#picture", "src")
    page.click("#step")
    assert page.text_content("#count") == "1 of 6" and page.get_attribute("#picture", "src") != first
    page.keyboard.press("ArrowLeft")
    assert page.text_content("#count") == "0 of 6" and page.get_attribute("#picture", "src") == first
    page.click("#play")
    page.wait_for_function("document.getElementById('count').textContent === '2 of 6'")
    page.click("#play")
    assert page.evaluate("document.getElementById('picture').naturalWidth") > 800
    assert not errors and not [url for url in asked if not url.startswith(("file:", "data:"))]
    page.close()


def test_the_list_of_demonstrations_links_each(chromium, demos_address):
    page = chromium.new_page()
    page.goto(demos_address)
    links = page.locator("h2 a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert page.locator("section img").evaluate_all("all => all.every(one => one.naturalWidth > 200)")
    assert page.locator("section p").evaluate_all("all => all.every(one => one.innerText.length > 20)")
    assert [link.rpartition("/")[2] for link in links] == list(serving.names(ROOT / serving.FOLDER).values())
    page.close()
