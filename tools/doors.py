"""The three pictures of the front page, photographed from real pages in Chromium: an exercise, a class, a demonstration.

    make docs && python -m tools.doors     write docs/site_files/door-….png

The exercise is a page of the book in out/docs, in which Python runs and checks a wrong answer, so this needs the runtime that
`make pyodide` fetches. The class page is written by `grade`, of an invented class. Build the book again afterwards.
"""

import functools
import io
import random
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.base.errors import InputError

ROOT = Path(__file__).resolve().parents[1]
BOOK, PICTURES = ROOT / "out/docs", ROOT / "docs/site_files"
SIZE = (640, 400)  # CSS pixels of a picture, which has twice as many
PATIENCE_MS = 300_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NAMES = ("Ada", "Amir", "Bea", "Chen", "Dora", "Emil", "Femi", "Gina", "Hugo", "Iris", "Jan", "Kofi", "Lena", "Mia")
EXERCISES = [f"1.{number}" for number in range(2, 12)]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing for a request."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def photograph_exercise(page: Any, address: str) -> None:
    """Check the wrong line of README's picture in the page of exercise 1.5, and show the verdict."""
    from tools.check_picture import EXERCISE, RIGHT, WRONG, solution_lines

    page.goto(f"{address}/docs/exercises/{EXERCISE}.html")
    lines = [line.removeprefix("    ").replace(RIGHT, WRONG) for line in solution_lines()]
    page.get_by_label("Your lines").first.fill("\n".join(lines))
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_function("() => document.querySelector('.report').childElementCount", timeout=PATIENCE_MS)
    page.wait_for_function("() => !document.querySelector('button.check').disabled", timeout=PATIENCE_MS)
    page.add_style_tag(content="header { display: none !important; }")
    page.evaluate("scrollTo(0, document.querySelector('button.check').getBoundingClientRect().top + scrollY - 112)")


def photograph_class(page: Any, address: str) -> None:
    """Show the class page of an invented class."""
    from lxmls_day1.grading.reports.class_page import summary_html

    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as file:
        file.write(summary_html(invented_class()))
        file.flush()
        page.goto(Path(file.name).as_uri())
        page.evaluate("document.querySelector('.matrix').scrollIntoView()")


def photograph_demonstration(page: Any, address: str) -> dict[str, float]:
    """Show a demonstration five steps after its opening; return the place of its panels in the page."""
    page.set_viewport_size({"width": 960, "height": 515})
    page.goto(f"{address}/demonstrations/online_steps.html")
    page.wait_for_selector(".demo-player input")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    box = page.locator(".demo-main").bounding_box()
    return box | {"height": box["width"] * SIZE[1] / SIZE[0]}


def invented_class() -> Any:
    """Return the gradebook of an invented class, the same each time."""
    from lxmls_day1.course.diagnosis.mistake_matching import PROBE_INPUTS_CHECK
    from lxmls_day1.grading import gradebook
    from lxmls_day1.grading.verdicts import MISSING, OK, TIMEOUT, WRONG

    chance = random.Random(4)
    mistake = ("twice_as_long", "The step is twice as long as it should be.")
    rows = []
    for name in NAMES:
        grades = []
        for id in EXERCISES:
            n_right = chance.choice([4, 4, 4, 4, 3, 2, 0, -1])
            verdicts = [OK if number < n_right else WRONG for number in range(4)]
            if n_right < 0:
                verdicts = [chance.choice([MISSING, TIMEOUT])] * 4
            checks = [
                gradebook.CheckGrade(f"test.py::test_{number}", id, "", number > 1, verdict)
                for number, verdict in enumerate(verdicts)
            ]
            mistakes = (mistake,) if 0 <= n_right < 3 else ()
            check = f"test.py::{PROBE_INPUTS_CHECK}"
            checks.append(gradebook.CheckGrade(check, id, "", False, verdicts[-1], mistakes=mistakes))
            grades.append(gradebook.ExerciseGrade(id, id, "code", 10.0, tuple(checks)))
        rows.append(gradebook.SubmissionGrade(name.lower(), name, f"in/{name.lower()}.zip", "", tuple(grades)))
    return gradebook.Gradebook(tuple(rows), 1, "process", "")


def main() -> None:
    """Write the three pictures."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    from lxmls_day1.course.workspaces.workspace import write_files
    from tools.exercise_pages import runtime_files

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    runtime = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if program is None or runtime is None or not (BOOK / "index.html").is_file():
        raise InputError(
            f"needed: a browser ({', '.join(BROWSERS)}), the book in {BOOK}, and as argument the folder of `make pyodide`"
        )
    files: dict[PurePosixPath, bytes] = runtime_files(runtime)
    write_files(BOOK, files)
    doors = {"student": photograph_exercise, "instructor": photograph_class, "lecturer": photograph_demonstration}
    with sync_playwright() as playwright, served(BOOK) as address:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, photograph in doors.items():
            page = browser.new_page(viewport=dict(zip(("width", "height"), SIZE, strict=True)), device_scale_factor=2)
            place = photograph(page, address)
            page.wait_for_timeout(500)
            drawn = Image.open(io.BytesIO(page.screenshot(clip=place, timeout=PATIENCE_MS))).convert("RGB")
            drawn.quantize(64).save(PICTURES / f"door-{name}.png", optimize=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
