"""Measure how quickly the demonstrations respond: ``python tools/benchmarks/demonstrations.py``, in Chromium, from the local server.

Each demonstration gets 100 inputs to a slider, one after the other. *picture*: the time from the input to the picture that shows it,
which does not need Python if the slider moves through frames. *Python*: the time from the input to the picture of the scene that Python
computed for it. Times are wall-clock milliseconds, median and worst, so the machine must be idle.
"""

import threading

from playwright.sync_api import sync_playwright

from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS
from lxmls_day1.demos.server import DemoServer
from lxmls_day1.lab import Lab

INPUTS = 100
TIMES = """async ([selector, inputs, python]) => {
    const root = document.querySelector('[data-demo]'), { demo } = root, slider = root.querySelector(selector);
    const drawn = () => new Promise(done => root.addEventListener('drawn', done, { once: true }));
    const values = +slider.max + 1, times = [];
    for (let i = 0; i < inputs; i += 1) {
        await new Promise(done => setTimeout(done, 30));  // a screen shows the last picture before anybody moves on
        const before = demo.scene, begun = performance.now(), next = drawn();
        slider.value = (+slider.value + 1) % values;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await next;
        while (python && demo.scene === before) await drawn();
        times.push(performance.now() - begun);
        while (demo.asking) await new Promise(done => setTimeout(done, 5));
    }
    return times.sort((a, b) => a - b); }"""


def main() -> None:
    """Print the table."""
    with DemoServer(Lab.open(), 0) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        print(f"{'':24}{'picture':>18}{'Python':>18}")
        for name in DEMONSTRATIONS:
            # Waiting evaluates a string, which a content security policy forbids.
            page = browser.new_page(viewport={"width": 1920, "height": 1080}, bypass_csp=True)
            page.set_default_timeout(300_000)
            page.goto(server.address + name)
            page.wait_for_function("(demo => demo?.scene && !demo.asking)(document.querySelector('[data-demo]').demo)")
            controls = ".demo-controls input[type=range]"
            steps = ".demo-player:not([hidden]) input[type=range]"
            columns = [
                page.evaluate(TIMES, [steps if page.locator(steps).count() else controls, INPUTS, False]),
                page.evaluate(TIMES, [controls, 10 if name in ("comparison", "optimisation") else INPUTS, True])
                if page.locator(controls).count()
                else [],
            ]
            cells = (f"{times[len(times) // 2]:8.1f} /{times[-1]:7.1f}" if times else "" for times in columns)
            print(f"{name:24}" + "".join(f"{cell:>18}" for cell in cells))
            page.close()
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
