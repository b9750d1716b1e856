"""The built book in a real browser: every page by keyboard alone, and verdicts on a processor that is six times slower.

`make docs PYODIDE=FOLDER` builds the book with the runtime beside it; without, the tests of verdicts are skipped. Their wall-clock and CPU times are
printed (`pytest -rP`), and no test depends on them. `tests/lxmls_day1/commands/test_docs.py` asks axe about every page.
"""

import contextlib
import os
import signal
import sys
import threading
import time

import pytest

from tests.lxmls_day1.commands.test_docs import BOOK, in_the_book, pages
from tests.wording import wording

RUNTIME = BOOK / "_static/exercises/pyodide"
has_runtime = (RUNTIME / "pyodide.js").is_file()
with_runtime = pytest.mark.skipif(not has_runtime, reason="no runtime is in the book: make docs PYODIDE=FOLDER")
SIZES = ((390, 844), (1280, 900))
SCHEMES = ("light", "dark")
SLOWER = 6
SLICE = 0.01  # seconds in which a slowed process may run
#: The parts of a page that Tab must reach. A group of radio buttons is one stop.
STOPS = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter(part => part.tabIndex >= 0 && !part.disabled && part.checkVisibility({ visibilityProperty: true })
        && !part.closest('[inert]') && !(part.type === 'radio' && !part.checked) && part.getClientRects().length)"""
#: Note each stop, and those that do not show that they are focused.
WATCH = """() => { window.unseen = []; document.addEventListener('focusin', ({ target }) => {
    target.dataset.reached = '';
    const isPlain = ({ outlineStyle, boxShadow }) => outlineStyle === 'none' && boxShadow === 'none';
    if ([target, target.parentElement, ...target.children].every(part => isPlain(getComputedStyle(part)))) unseen.push(target.outerHTML.slice(0, 120)); }); }"""
#: The stops from the beginning that Tab has not reached; scrolling shows a button more.
LEFT = "() => stops.filter(part => part.isConnected && !('reached' in part.dataset)).map(part => part.outerHTML.slice(0, 120))"
#: Right answers to 1.4 and 1.5, as they are typed: the editor indents. Without the last line they are wrong.
ANSWERS = {
    "perceptron_rule": "y = np.argmax(scores)\nif y != label:\nd[label] = step\nd[y] = -step",
    "mira_rule": "y = np.argmax(scores)\nif y != label:\nd[label] = min(step, (scores[y] - scores[label] + cost[y]) / (2 * sq_norm))\nd[y] = -d[label]",
}


@pytest.mark.slow
@in_the_book
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("which", ["telling", pytest.param("all", marks=pytest.mark.campaign)])
def test_every_page_by_keyboard_alone(which, size, new_page):
    """Tab reaches everything that can be used, in a bounded number of steps, and each stop shows that it is focused."""
    page, faults = new_page(viewport={"width": size[0], "height": size[1]}), []
    for name in pages(which):
        page.goto((BOOK / name).as_uri(), wait_until="load")
        page.wait_for_timeout(200)
        page.evaluate(WATCH)
        n_stops = page.evaluate(f"(window.stops = ({STOPS})()).length")
        frames = page.locator("iframe").count()
        for _ in range(n_stops + 10 + 100 * frames):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement === document.body"):
                break
        faults += [f"{name}: not reached: {part}" for part in page.evaluate(LEFT)]
        faults += [f"{name}: focus is not seen: {part}" for part in page.evaluate("unseen")]
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@in_the_book
@pytest.mark.parametrize("name", ["docs/exercises/1.4.html", "docs/exercises/1.8.html", "docs/demonstrations.html"])
def test_no_button_of_the_theme_lies_on_a_page_s_own(name, new_page):
    """Scrolling up shows the theme's "Back to top" where nothing else is used."""
    page = new_page(viewport={"width": 390, "height": 844})
    for address, is_seen in ((name, False), ("docs/project.html", True)):
        page.goto((BOOK / address).as_uri())
        page.evaluate("document.body.style.minHeight = '9000px'")
        page.mouse.wheel(0, 6000)
        page.wait_for_function("scrollY > 2000")
        page.mouse.wheel(0, -600)
        page.wait_for_timeout(500)
        assert page.locator("#pst-back-to-top").is_visible() == is_seen


def renderers(browser):
    """Return the processes of pages and their workers, and the CPU seconds that they have used."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    used = {one["id"]: one["cpuTime"] for one in found if one["type"] == "renderer"}
    return list(used), sum(used.values())


@contextlib.contextmanager
def slowed(browser, factor):
    """Let the processes of pages run only one slice in ``factor``: Chromium's own throttling excludes workers."""
    pids, over = renderers(browser)[0], threading.Event()

    def send(number):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def alternate():
        while not over.is_set():
            began = time.monotonic()
            time.sleep(SLICE)
            send(signal.SIGSTOP)
            # On a busy machine a slice is longer than it should be.
            time.sleep((factor - 1) * (time.monotonic() - began))
            send(signal.SIGCONT)

    thread = threading.Thread(target=alternate)
    if factor > 1:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if factor > 1:
            thread.join()


def verdicts(page, address, name, factor):
    """Open a page, write wrong and right answers by keyboard alone, and return the wall-clock and CPU seconds of each verdict."""

    def now():
        return time.monotonic(), renderers(page.context.browser)[1]

    began = now()
    page.goto(f"{address}/{name}")
    page.wait_for_selector(".jar")
    with slowed(page.context.browser, factor):  # No earlier, because the address may be opened by another process.
        while not page.evaluate("document.activeElement.ariaLabel?.startsWith('Your lines')"):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent.startsWith('Skip to the exercise')"):
                page.keyboard.press("Enter")
        rule = page.evaluate("document.activeElement.ariaLabel.split(' ').at(-1)")
        taken, right = [], wording("browser.public_checks_pass", "6", "6")
        for text in (ANSWERS[rule].rpartition("\n")[0], ANSWERS[rule], ANSWERS[rule].rpartition("\n")[0]):
            page.keyboard.press("Control+a")
            page.keyboard.type(text)
            page.locator(".report").evaluate("report => report.replaceChildren()")
            began = now() if taken else began
            page.keyboard.press("Control+Enter")
            # `wait_for_selector` would look only every half second.
            page.wait_for_function("document.querySelector('.report .headline')")
            taken.append([after - before for before, after in zip(began, now(), strict=True)])
            report = page.locator(".report").inner_text()
            assert ("A known mistake" in report) != (right in report) and (right in report) == (text == ANSWERS[rule])
    return taken


@pytest.mark.campaign
@pytest.mark.skipif(sys.platform != "linux", reason="processes are slowed by signals")
@with_runtime
@pytest.mark.parametrize("name", ["index.html", "docs/exercises/1.5.html"])
def test_first_and_later_verdicts_by_keyboard_also_on_a_slow_processor(name, chromium, served, serious):
    times = {}
    with served(BOOK) as address:
        for factor, size, scheme in [(1, SIZES[1], "light"), (SLOWER, SIZES[1], "dark"), (1, SIZES[0], "dark")]:
            context = chromium.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
            page = context.new_page()
            page.set_default_timeout(300_000)
            times.setdefault(factor, verdicts(page, address, name, factor))
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert serious(page) == []
            context.close()
    for factor, taken in times.items():
        told = ", ".join(f"{clock:.1f} s ({processor:.1f} CPU s)" for clock, processor in taken)
        print(f"{name}, processor {factor} times slower: first and later verdicts after {told}")
    print(f"ratio of the first verdicts: {times[SLOWER][0][0] / times[1][0][0]:.1f}")
