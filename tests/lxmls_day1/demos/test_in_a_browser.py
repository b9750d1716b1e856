"""The demonstrations in a real browser, from the server and from a file: they load, fit and react."""

import itertools
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from lxmls_day1.demos.demonstration import demonstration_class
from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS
from lxmls_day1.demos.pages import export

pytestmark = pytest.mark.slow
SIZES = ((1920, 1080), (1280, 720), (390, 844))
#: The share of each panel's canvas that differs from its background.
DRAWN = """() => [...document.querySelectorAll('.demo-canvas canvas')].map(canvas => {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    return data.filter((value, i) => i % 4 === 3 && value).length / (data.length / 4); })"""
#: Tables of numbers that are wider than their container.
CUT_OFF = """() => [...document.querySelectorAll('.demo-numbers')].filter(box => box.scrollWidth > box.clientWidth)
    .map(box => [box.scrollWidth, box.clientWidth, box.innerText])"""
#: The least height of a letter for the last row, on the canvas and beside it, and of the axes of a panel; in pixels.
SMALLEST = """() => { const { demo } = document.querySelector('[data-demo]'), { fillText } = CanvasRenderingContext2D.prototype, sizes = [];
    CanvasRenderingContext2D.prototype.fillText = function (...given) { sizes.push(parseFloat(/[\\d.]+px/.exec(this.font))); fillText.apply(this, given); };
    demo.anew = true;
    demo.draw();
    CanvasRenderingContext2D.prototype.fillText = fillText;
    const texts = document.querySelectorAll('.demo-about, .demo-try button, figcaption, .demo-legend li, .demo-says, .demo label, .demo td, .demo-words');
    return [Math.min(...sizes, ...[...texts].map(text => parseFloat(getComputedStyle(text).fontSize))), Math.min(...demo.panels.map(({ box }) => box.h))]; }"""
#: The names on axes that are not drawn, and the texts of which a line is hidden.
UNNAMED = """() => { const { demo } = document.querySelector('[data-demo]'), { fillText } = CanvasRenderingContext2D.prototype, drawn = new Set();
    CanvasRenderingContext2D.prototype.fillText = function (...given) { drawn.add(given[0]); fillText.apply(this, given); };
    demo.anew = true;
    demo.draw();
    CanvasRenderingContext2D.prototype.fillText = fillText;
    const names = demo.panels.flatMap(({ panel, ticksX, ticksY }) => [...(panel.x.ticks ? ticksX : []), ...(panel.y.ticks ? ticksY : [])]);
    const cut = [...document.querySelectorAll('textarea')].filter(box => box.scrollHeight > box.clientHeight).map(box => box.value);
    return [...names.map(([, text]) => text).filter(text => !drawn.has(text)), ...cut]; }"""
#: Whether controls are cut, and the choices whose buttons are on more than one line.
CONTROLS_CUT = """() => [...document.querySelectorAll('.demo-controls')].map(box => box.scrollHeight > box.clientHeight).concat(
    [...document.querySelectorAll('.demo-choice div')].map(row => new Set([...row.children].map(label => label.offsetTop)).size > 1))"""
#: The height of the window that the picture takes with its buttons, and the lower edge of the buttons.
PICTURE = """() => [...document.querySelectorAll('.demo-player:not([hidden])')].concat(document.querySelector('.demo-stage'))
    .map(part => part.getBoundingClientRect()).reduce(([height, bottom], box) => [height + box.height, Math.max(bottom, box.height < 99 ? box.bottom : 0)], [0, 0])"""
#: The visible controls without a visible name in words: beside a control, or on a menu itself.
NAMELESS = """() => [...document.querySelectorAll('.demo :is(input, select, textarea)')].filter(control => control.checkVisibility()).filter(control => {
    const names = [control.closest('label')?.querySelector('span'), control.closest('fieldset')?.querySelector('legend')];
    const shown = names.map(name => name?.checkVisibility() && name.textContent).concat(control.selectedOptions?.[0].text);
    return !shown.some(text => /[a-z]{3}/.test(text || '')); }).map(control => control.parentNode.outerHTML)"""
FRAME = "document.querySelector('[data-demo]').demo.frame"
SETTINGS = "document.querySelector('[data-demo]').demo.settings"
SHORTEST = "mira_step"  # These are tested in every run, the others in campaigns.
OTHERS = [pytest.param(name, marks=pytest.mark.campaign) for name in DEMONSTRATIONS if name != SHORTEST]


#: The pixels by which the page exceeds the window: to the right, and down.
OVERFLOW = "(page => [page.scrollWidth - innerWidth, page.scrollHeight - innerHeight])(document.documentElement)"


def drag(page, place, by):
    """Press at a place, move to the right, and release."""
    page.mouse.move(*place)
    page.mouse.down()
    page.mouse.move(place[0] + by, place[1], steps=5)
    page.mouse.up()


def middle_of(canvas):
    box = canvas.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("name", [SHORTEST, *OTHERS])
def test_it_fills_a_projector_and_fits_on_a_phone(open_page, serious, server, name):
    page = open_page(server.address + name)
    assert page.title() == page.locator("h1").inner_text() and page.locator(".demo-alert:visible").count() == 0
    for (width, height), dark in itertools.product(SIZES, (False, True)):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.wait_for_timeout(200)
        right, down = page.evaluate(OVERFLOW)
        assert right <= 0 and (width == 390 or down <= 0), (width, right, down)
        assert min(page.evaluate(DRAWN)) > 0.002
        assert page.evaluate(CUT_OFF) == page.evaluate(UNNAMED) == page.evaluate(NAMELESS) == [], width
        assert width == 390 or not any(page.evaluate(CONTROLS_CUT)), width
        if width == 390:
            assert max(page.evaluate(PICTURE)) <= height
        if width != 1280:
            assert serious(page) == []


@pytest.mark.parametrize("name", [SHORTEST, *OTHERS])
@pytest.mark.parametrize("scale", [1, 1.3])
def test_the_last_row_can_read_it(open_page, server, name, scale):
    page = open_page(server.address + name, 1920, 1080)
    page.evaluate(f"document.body.style.setProperty('--demo-scale', {scale})")
    page.wait_for_timeout(200)
    letters, axes = page.evaluate(SMALLEST)
    assert letters >= scale * 1080 / 45 and axes >= 110


def test_keys_bring_the_things_to_try(open_page, server):
    page = open_page(server.address + "gaussian_playground", 1920, 1080)
    settings = demonstration_class("gaussian_playground").description()["to_try"]
    current = "[...document.querySelectorAll('.demo-try button')].findIndex(button => button.ariaCurrent === 'step')"
    opening = page.evaluate(SETTINGS)
    for key, number in (("n", 0), ("PageDown", 1), ("n", 2), ("n", 2), ("p", 1)):
        page.keyboard.press(key)
        assert page.evaluate(current) == number
        assert page.evaluate(SETTINGS) == opening | settings[number]["settings"]
    page.wait_for_function("location.hash.includes('try=2')")
    other = open_page(page.url, 1920, 1080)
    assert other.evaluate(current) == 1 and other.evaluate(SETTINGS) == page.evaluate(SETTINGS)
    page.keyboard.press("PageUp")
    page.keyboard.press("p")
    assert page.evaluate(current) == -1 and page.evaluate(SETTINGS) == opening


def test_more_controls_are_reached_by_keys_and_stay_open(open_page, server):
    page = open_page(server.address + "gaussian_playground", 1920, 1080)
    more = page.locator(".demo-controls details")
    assert not more.evaluate("it => it.open")
    more.locator("summary").focus()
    page.keyboard.press(" ")
    page.keyboard.press("Tab")
    assert more.evaluate("it => it.open && it.contains(document.activeElement)")
    page.wait_for_function("location.hash.includes('more=1')")
    page.reload()
    page.wait_for_function("document.querySelector('[data-demo]').demo?.scene")
    assert more.evaluate("it => it.open")


def test_a_code_holds_the_address_and_says_that_a_phone_cannot_reach_this_machine(open_page, server):
    page = open_page(server.address + "mira_step", bypass_csp=False)
    page.keyboard.press("n")
    page.wait_for_url("**try=1")
    page.keyboard.press("q")
    dialog = page.locator("dialog")
    assert page.url.endswith("try=1") and page.url in dialog.inner_text()
    assert f"mira_step.html#{urlsplit(page.url).fragment}" in dialog.locator(".demo-alert").inner_text()
    assert dialog.locator("canvas").evaluate("it => it.width") >= 21 + 2 * 4  # The smallest code, and its margin.
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert all(key in dialog.inner_text() for key in ("space", "PageDown", "q: "))
    page.keyboard.press("?")
    assert not dialog.is_visible()


def test_the_policy_of_the_server_hinders_no_page(open_page, server):
    """A refused request would appear in the console."""
    page = open_page(server.address + SHORTEST, bypass_csp=False)
    page.locator(".demo-canvas canvas").first.wait_for()
    assert page.locator(".demo-alert:visible").count() == 0 and min(page.evaluate(DRAWN)) > 0.002
    page = open_page(server.address, bypass_csp=False)
    page.locator("section canvas").last.wait_for()


def test_keys_step_and_a_link_restores_the_page(open_page, server):
    page = open_page(server.address + "mira_step")
    start = page.evaluate(FRAME)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(FRAME) == start + 1
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    page.wait_for_function(f"{FRAME} > 1")
    page.keyboard.press(" ")
    page.locator(".demo-choice label").nth(1).click()
    page.get_by_role("slider", name="class y").fill("2")
    page.wait_for_function("location.hash.includes('label=2')")
    link = dict(parse_qsl(urlsplit(page.url).fragment))
    other = open_page(page.url)
    assert other.evaluate(FRAME) == int(link["step"]) and other.evaluate(SETTINGS)["label"] == 2


@pytest.mark.parametrize(
    "link",
    [
        "step=1.5&example=1,2,1.5",
        "step=NaN&example=1,2,99&nr_classes=1e9",
        "step=-5&example=9e9,1,0&label=<img>&try=99",
        "try=x&more",
    ],
)
def test_an_edited_link_shows_a_scene(open_page, server, link):
    page = open_page(f"{server.address}mira_step#{link}")
    page.keyboard.press("p")
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    opening = demonstration_class("mira_step").controls[0].value
    assert page.evaluate(f"Number.isInteger({FRAME})") and page.evaluate(SETTINGS)["example"] == opening
    assert page.locator(".demo-alert:visible").count() == 0


def test_the_example_is_dragged_and_moved_by_keys(open_page, server):
    page = open_page(server.address + "mira_step")
    canvas = page.locator(".demo-canvas canvas").first
    drag(page, middle_of(canvas), 60)
    x, y, _ = page.evaluate(SETTINGS)["example"][0]
    assert x > 0.3 and abs(y) < 1
    page.wait_for_function("!document.querySelector('[data-demo]').demo.asking")
    canvas.focus()
    page.keyboard.press("ArrowUp")
    assert page.evaluate(SETTINGS)["example"][0][1] == pytest.approx(y + 0.1)


def test_points_are_added_dragged_and_deleted(open_page, server):
    page = open_page(server.address + "gaussian_playground")
    canvas = page.locator(".demo-canvas canvas").first
    place = np.add(middle_of(canvas), (40, -60)).tolist()
    added, opening = f"{SETTINGS}.added.length", page.evaluate(SETTINGS)["added"]
    page.mouse.click(*place)
    assert page.evaluate(added) == len(opening) + 1
    drag(page, place, 50)
    assert page.evaluate(added) == len(opening) + 1
    page.mouse.click(place[0] + 50, place[1])
    assert page.evaluate(SETTINGS)["added"] == opening
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate(SETTINGS)["added"] == [*opening, [0.2, 0, 0]]
    page.get_by_role("button", name="delete mine").click()
    assert page.evaluate(added) == 0


def test_a_dark_page_is_printed_light_and_forced_colours_show_what_is_chosen(open_page, server):
    page = open_page(server.address + "mira_step", color_scheme="dark", forced_colors="active")
    dark = "document.querySelector('.demo-dark') !== null"
    ground = "getComputedStyle(document.querySelector('.demo-choice input{}').nextElementSibling).backgroundColor"
    assert page.evaluate(ground.format(":checked")) != page.evaluate(ground.format(":not(:checked)"))
    page.evaluate(f"for (const on of ['beforeprint', 'afterprint']) addEventListener(on, () => (window[on] = {dark}))")
    page.pdf()
    assert [page.evaluate(state) for state in ("beforeprint", "afterprint", dark)] == [False, True, True]


def test_if_python_ends_the_last_picture_stays_with_a_sentence(open_page, server):
    page = open_page(server.address + "confidence")
    page.route("**/scene/*", lambda route: route.abort())
    page.get_by_label("λ").first.fill("7")
    page.wait_for_selector(".demo-alert:visible")
    assert all("ERR_FAILED" in error for error in open_page.errors)
    open_page.errors.clear()
    assert "lxmls-day1 demo" in page.locator(".demo-alert").inner_text() and min(page.evaluate(DRAWN)) > 0.002


def test_a_file_shows_its_scenes_without_a_server(open_page, lab, tmp_path):
    requests = []
    *_, index = export(lab, tmp_path, ["beyond_a_line"])
    page = open_page((tmp_path / "beyond_a_line.html").as_uri())
    page.on("request", lambda request: requests.append(request.url))
    pictures = "[...document.querySelectorAll('.demo-canvas canvas')].map(canvas => canvas.toDataURL())"
    before = page.evaluate(pictures)
    page.get_by_text("ring", exact=True).click()
    page.wait_for_timeout(100)
    ring = page.evaluate(pictures)
    assert page.evaluate(SETTINGS)["shape"] == "ring" and ring != before and not requests
    page.keyboard.press(" ")  # The space key plays, even if a choice has the focus.
    page.wait_for_function(f"{FRAME} > 5")
    page.get_by_label("to the start").click()  # Before the first round of the kernel perceptron.
    page.wait_for_timeout(100)
    assert [one == other for one, other in zip(ring, page.evaluate(pictures), strict=True)] == [True, False, True]
    page.goto(index.as_uri())
    assert page.locator("section h2 a").get_attribute("href") == "beyond_a_line.html"
