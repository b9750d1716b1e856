"""A lab, a student's workspace, and a browser on the served pages: what the tests of demonstrations share.

``open_demo("mira_step")`` gives a page of a real, headless Chromium on the real server, with what it plots as data; at the
end of the test nothing may have gone wrong in its console. Without Chromium, Voilà or Playwright such tests are skipped.
"""

import json
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from lxmls_day1.course.workspace import start_workspace
from lxmls_day1.demos import serving
from lxmls_day1.lab import Lab

ROOT = Path(__file__).resolve().parents[3]
SCREENSHOTS = ROOT / "out" / "demos"
PATIENCE = 60  # seconds: a loaded machine is no mistake
FOREIGN = ("favicon",)  # complaints of the browser that are none of ours

if find_spec("ipywidgets") is None or find_spec("ipympl") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def lab() -> Lab:
    """The reference lab."""
    return Lab(ROOT)


@pytest.fixture(scope="session")
def workspace(tmp_path_factory) -> Lab:
    """The lab of a student who has not begun."""
    return Lab(start_workspace(tmp_path_factory.mktemp("student") / "my-lab"))


@pytest.fixture(scope="session")
def demos_address(tmp_path_factory) -> str:
    """The address of the demonstrations of the reference lab, served."""
    if find_spec("voila") is None:
        pytest.skip("Voilà is not installed: pip install voila")
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            patch.setenv(variable, str(tmp_path_factory.mktemp(variable.lower())))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep))
        with serving.served(ROOT / serving.FOLDER) as (address, _):
            yield address


class DemoPage:
    """One window with one demonstration.

    Attributes
    ----------
    page : playwright Page
    errors : list of str
        What went wrong in its console so far.
    """

    def __init__(self, browser, address: str, name: str, script: str = ""):
        self.name, self.errors = name, []
        self.context = browser.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.add_init_script(script)
        self.page.goto(address)

    def _heard(self, message) -> None:
        if message.type == "error" and not any(word in message.text for word in FOREIGN):
            self.errors.append(message.text)

    def state(self) -> dict:
        """What is plotted: the numbers that the page holds."""
        return json.loads(self.page.locator(".demo-state").text_content())

    def wait(self, wanted: Callable[[dict], bool] = lambda state: True) -> dict:
        """Wait until the state is as it is wanted, and return it."""
        self.page.wait_for_selector(".demo-state", state="attached")
        for _ in range(10 * PATIENCE):
            state = self.state()
            if wanted(state):
                return state
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{self.name} did not come to the state that was waited for; it is {state}")

    def wait_for_picture(self) -> None:
        """Wait until the canvas shows something."""
        script = """() => [...document.querySelectorAll('.jupyter-matplotlib canvas')].some(canvas => {
            const data = canvas.width && canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return data && new Set(data).size > 20; })"""
        self.page.wait_for_function(script)

    def place(self, x: float, y: float, limits: tuple[float, float] = (-1.0, 1.0)) -> tuple[float, float]:
        """Where in the window a point of the axes lies whose place on the canvas the state tells as ``axes``."""
        left, top, right, bottom = self.state()["axes"]
        canvas, box = self.page.locator(".jupyter-matplotlib canvas").last, None
        while box is None or box != canvas.bounding_box():  # it takes its size while the page comes into being
            box = canvas.bounding_box()
            self.page.wait_for_timeout(500)
        across, up = ((value - limits[0]) / (limits[1] - limits[0]) for value in (x, y))
        return (
            box["x"] + box["width"] * (left + across * (right - left)),
            box["y"] + box["height"] * (bottom - up * (bottom - top)),
        )

    def click_at(self, x: float, y: float, limits: tuple[float, float] = (-1.0, 1.0)) -> None:
        """Click into those axes, at a point in their units."""
        self.page.mouse.click(*self.place(x, y, limits))

    def resize(self, width: int, height: int) -> None:
        """Give the window another size, and wait until the figure fills its place."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.wait_for_figure()
        self.wait_for_picture()

    def wait_for_figure(self) -> None:
        """Wait until the figure is as large as its place, which reaches to the bottom of the window."""
        script = """() => { const box = document.querySelector('.demo-figure'), canvas = box && box.querySelector('canvas');
            if (!canvas) return false;
            const [place, figure] = [box.getBoundingClientRect(), canvas.getBoundingClientRect()];
            return Math.abs(place.width - figure.width) < 9 && Math.abs(innerHeight - figure.bottom) < 30; }"""
        self.page.wait_for_function(script)

    def share_of_the_figure(self) -> float:
        """How much of the window the figure takes."""
        script = """() => { const box = document.querySelector('.demo-figure canvas').getBoundingClientRect();
            return box.width * box.height / (innerWidth * innerHeight); }"""
        return self.page.evaluate(script)

    def fits(self) -> bool:
        """Whether nothing hangs out of the window, which is a projector's."""
        inside = "elements => elements.every(element => element.scrollWidth <= element.clientWidth)"
        cells = """cells => cells.every(cell => cell.getBoundingClientRect().right - parseFloat(getComputedStyle(cell).paddingRight)
            <= cell.closest('.demo-controls').getBoundingClientRect().right)"""
        size = self.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        room = self.page.viewport_size
        return (
            size[0] <= room["width"]
            and size[1] <= room["height"]
            and self.page.locator(".demo-page, .demo-controls .widget-html-content").evaluate_all(inside)
            and self.page.locator(".demo-controls :is(th, td)").evaluate_all(cells)
        )

    def screenshot(self, suffix: str = "") -> None:
        """Keep a picture of the window in ``out/demos``."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.wait_for_timeout(300)
        self.page.screenshot(path=str(SCREENSHOTS / f"{self.name}{suffix}.png"))


@pytest.fixture
def open_demo(request):
    """A function that opens a demonstration, by its notebook's name without the number, in a window of its own."""
    chromium, address = request.getfixturevalue("chromium"), request.getfixturevalue("demos_address")
    files = serving.names(ROOT / serving.FOLDER)
    opened = []

    def open_one(name: str, link: str = "", script: str = "") -> DemoPage:
        """``script`` runs in the page before its own."""
        opened.append(DemoPage(chromium, serving.page_of(address, files[name]) + link, name, script))
        opened[-1].wait()
        opened[-1].wait_for_picture()
        return opened[-1]

    yield open_one
    errors = [error for window in opened for error in window.errors]
    for window in opened:
        window.page.close(run_before_unload=True)
        window.context.close()
    assert not errors
