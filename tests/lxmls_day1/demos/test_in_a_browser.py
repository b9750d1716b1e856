"""The demonstrations as they are served, in a real browser: they load, and do what their controls say."""

from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest

from lxmls_day1.demos import recording, serving
from lxmls_day1.demos.gaussian_playground import LIMITS as PLAYGROUND
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
class TestPlayground:
    def test_a_slider_moves_the_optimal_line_a_click_adds_a_point_and_windows_do_not_disturb_each_other(
        self, open_demo
    ):
        window, other = open_demo("gaussian_playground"), open_demo("gaussian_playground")
        before = window.state()
        assert before["boundaries"]["Bayes-optimal"] == [[[-6.0, 6.0], [6.0, -6.0]]]

        window.page.locator(".demo-class-0 .noUi-handle").first.press("ArrowRight")
        state = window.wait(lambda state: state["means"] != before["means"])
        assert state["means"] == [[-0.9, -1.0], [1.0, 1.0]]
        for x in np.array(state["boundaries"]["Bayes-optimal"]).reshape(-1, 2):  # equal distance from both means
            assert np.hypot(*(x - [-0.9, -1])) == pytest.approx(np.hypot(*(x - [1, 1])))

        window.click_at(4.0, -3.0, PLAYGROUND)
        state = window.wait(lambda state: state["nr_mine"] == 1)
        assert state["mine"] == [[pytest.approx(4.0, abs=0.05), pytest.approx(-3.0, abs=0.05)]]
        assert state["nr_points"] == before["nr_points"] + 1
        assert state["counts"] == [before["counts"][0] + 1, before["counts"][1]]
        window.page.get_by_text("delete", exact=True).click()
        window.click_at(4.0, -3.0, PLAYGROUND)
        window.wait(lambda state: state["nr_points"] == before["nr_points"])

        window.page.get_by_text("3", exact=True).first.click()
        window.wait(lambda state: len(state["means"]) == 3)
        window.screenshot("_three_classes")
        assert other.state() == before

    def test_a_point_is_dragged(self, open_demo):
        window = open_demo("gaussian_playground")
        window.click_at(4.0, -3.0, PLAYGROUND)
        before = window.wait(lambda state: state["nr_mine"] == 1)["boundaries"]
        window.page.get_by_text("move", exact=True).click()
        window.page.mouse.move(*window.place(4.0, -3.0, PLAYGROUND))
        window.page.mouse.down()
        window.page.mouse.move(*window.place(-4.0, -3.0, PLAYGROUND), steps=5)
        window.page.mouse.up()
        after = window.wait(lambda state: state["boundaries"] != before)
        assert after["nr_mine"] == 1 and after["boundaries"]["Bayes-optimal"] == before["Bayes-optimal"]


@pytest.mark.campaign
class TestOnlineSteps:
    def test_step_and_back_return_to_the_same_weights(self, open_demo):
        window = open_demo("online_steps")
        seen = [window.state()["weights"]]
        for step in range(1, 5):
            window.page.click(".demo-forth")
            seen.append(window.wait(lambda state, step=step: state["step"] == step)["weights"])
        assert seen[0] != seen[4]
        for step in range(3, -1, -1):
            window.page.click(".demo-back")
            assert window.wait(lambda state, step=step: state["step"] == step)["weights"] == seen[step]

    def test_it_plays_and_pauses_and_shows_all_four(self, open_demo):
        window = open_demo("online_steps")
        play = window.page.locator(".widget-play button").first
        play.click()
        window.wait(lambda state: state["step"] >= 2)
        play.click()
        window.page.wait_for_timeout(1500)
        step = window.state()["step"]
        window.page.wait_for_timeout(1500)
        assert window.state()["step"] == step
        window.page.get_by_text("all four", exact=True).click()
        state = window.wait(lambda state: len(state["boundaries"]) == 4)
        assert state["step"] == step
        window.page.wait_for_timeout(1000)
        window.screenshot("_all_four")

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
        restored = other.wait(lambda state: state["example"] == [asked["x1"], asked["x2"]])
        assert restored["regularizer"] == pytest.approx(asked["regularizer"], rel=1e-4)
        other.page.click(".demo-home")
        other.page.wait_for_selector("text=Demonstrations")

    def test_lambda_holds_the_step_back_and_a_click_moves_the_example(self, open_demo):
        window = open_demo("mira_step")
        before = window.state()
        assert before["tau"] == pytest.approx(min(before["cap"], before["wanted"]))
        handle = window.page.locator(".noUi-handle").first  # λ
        handle.press("End")
        state = window.wait(lambda state: state["regularizer"] > 30)
        assert state["tau"] == pytest.approx(1 / state["regularizer"]) and state["tau"] < state["wanted"]
        window.click_at(-2.0, 1.0, PLANE)
        state = window.wait(lambda state: state["example"] != before["example"])
        assert state["example"] == pytest.approx([-2.0, 1.0], abs=0.11)


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
