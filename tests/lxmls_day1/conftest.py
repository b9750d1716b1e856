import contextlib
import gc
import importlib
import shutil
import sys
import warnings
from importlib.util import find_spec

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Chromium makes two pages for the popup of its address bar in each window, which take three quarters of the time of a new window.
POPUPS = "WebUIOmniboxPopup,WebUIOmniboxAimPopup"
#: Features that Playwright switches off and these tests need off, because Chromium obeys the last switch of a name only.
OFF = """AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,
HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,
PreconnectToSearch,ThirdPartyStoragePartitioning""".replace("\n", "")
SWITCHES = (
    f"--disable-features={POPUPS},{OFF}",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def lab_modules():
    return [name for name in sys.modules if name.partition(".")[0] in ("readers", "classifiers")]


@contextlib.contextmanager
def imports_kept():
    """Restore the imported modules at the end, because opening a lab changes them."""
    path, modules = list(sys.path), {name: sys.modules[name] for name in lab_modules()}
    yield
    sys.path[:] = path
    for name in lab_modules():
        del sys.modules[name]
    sys.modules.update(modules)
    importlib.invalidate_caches()


@pytest.fixture
def imports_as_before():
    with imports_kept():
        yield


@pytest.fixture(scope="module")
def imports_as_before_the_module():
    with imports_kept():
        yield


def collect_what_others_left_open():
    """Collect sockets that a library did not close; otherwise a later test would report them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="module")
def chromium():
    """Yield a running browser for one file of tests, because its event loop runs as long as the browser."""
    if find_spec("playwright") is None:
        pytest.skip("Playwright is not installed: pip install playwright")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"no browser is installed (looked for {', '.join(BROWSERS)})")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield browser
        browser.close()
    collect_what_others_left_open()


@pytest.fixture
def new_page(chromium):
    """Return a function that opens a page of the browser; the pages are closed after the test."""
    pages = []

    def opened(**settings):
        pages.append(chromium.new_page(**settings))
        return pages[-1]

    yield opened
    for page in pages:
        page.close()


@pytest.fixture(scope="session")
def serious():
    """Return a function from a page in the browser to axe's findings, except minor ones."""
    if find_spec("axe_playwright_python") is None:
        pytest.skip("axe is not installed: pip install axe-playwright-python")
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe()
    # The content of a frame is a page by itself.
    options = {"resultTypes": ["violations"], "preload": False, "iframes": False}

    def found(page):
        violations = axe.run(page, options=options).response["violations"]
        bad = [each for each in violations if each["impact"] != "minor"]
        return [f"{each['id']}: {node['html'][:200]}" for each in bad for node in each["nodes"][:3]]

    return found
