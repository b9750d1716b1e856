"""Measure how long a reader of the book waits: ``python tools/benchmarks/exercise_page.py``, after ``make docs PYODIDE=FOLDER``.

The book is served on loopback and opened in Chromium. Times are wall-clock times, so the machine must be idle and have two cores.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

BOOK = Path(__file__).resolve().parents[2] / "out/docs"
RIGHT = "y_hat = np.argmax(scores)\nif y_hat != label:\n    d[label] = step\n    d[y_hat] = -step"
WRONG = RIGHT.rpartition("\n")[0]
DONE = "() => !document.querySelector('.check').disabled && document.querySelector('.report').childElementCount"
CACHE_MILLISECONDS = 25_000  # milliseconds until the browser has cached the compiled code


def verdict(page: Page, text: str) -> float:
    """Return the seconds from the click on Check to the verdict."""
    page.locator("textarea").fill(text)
    page.locator(".report").evaluate("report => report.replaceChildren()")
    begun = time.perf_counter()
    page.get_by_role("button", name="Check").click()
    page.wait_for_function(DONE)
    return time.perf_counter() - begun


def first_verdict(page: Page, address: str) -> float:
    """Return the seconds from the first click into the gap to the verdict."""
    page.goto(address)
    page.wait_for_timeout(500)
    begun = time.perf_counter()
    page.locator("textarea").click()
    verdict(page, WRONG)
    return time.perf_counter() - begun


def open_browser(playwright: Playwright, profile: str) -> BrowserContext:
    """Open a browser with a persistent profile, unlike a private window."""
    return playwright.chromium.launch_persistent_context(
        profile, executable_path="/usr/bin/chromium", args=["--no-sandbox"], viewport={"width": 1280, "height": 900}
    )


def main() -> None:
    """Print the table."""
    if not (BOOK / "_static/exercises/pyodide").is_dir():
        sys.exit(f"{BOOK} has no Python in it: make docs PYODIDE=FOLDER, the folder of an unpacked release of Pyodide")
    server = subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(BOOK)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    port = re.search(r"port (\d+)", server.stdout.readline())[1]
    address = f"http://127.0.0.1:{port}/index.html"
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        context = open_browser(playwright, profile)
        page, sizes = context.pages[0], []
        page.set_default_timeout(300_000)
        page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
        page.goto(address)
        page.wait_for_timeout(1500)
        painted = page.evaluate("performance.getEntriesByType('paint').at(-1).startTime") / 1000
        print(f"front page readable           {painted:8.2f} s   {sum(sizes) / 1e3:8.0f} kB")
        before = sum(sizes)
        seconds = first_verdict(page, address)
        print(f"first touch to first verdict  {seconds:8.2f} s   {(sum(sizes) - before) / 1e6:8.1f} MB")
        later = sorted(verdict(page, text) for text in [RIGHT, WRONG] * 5)
        print(f"later verdicts, median, worst {later[5]:8.2f} s   {later[-1]:8.2f} s")
        page.wait_for_timeout(CACHE_MILLISECONDS)
        context.close()
        context = open_browser(playwright, profile)
        print(f"first verdict on another day  {first_verdict(context.pages[0], address):8.2f} s")
        context.close()
    server.terminate()


if __name__ == "__main__":
    main()
