"""Fixtures of the tests of demonstrations: a lab, a student's workspace, and a browser on the served pages."""

from pathlib import Path

import pytest

from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.demos import objective_curves
from lxmls_day1.demos.lab_learners import FailureCollector, SkippedLearner
from lxmls_day1.demos.objective_curves import Curve, Settings, curves
from lxmls_day1.demos.review_decisions import train_all
from lxmls_day1.demos.server import DemoServer
from lxmls_day1.lab import Lab
from tests.serving import running

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 60  # Seconds; a loaded machine is not a failure.


@pytest.fixture(scope="session")
def lab() -> Lab:
    """Return the reference lab."""
    return Lab(ROOT)


@pytest.fixture(scope="session")
def workspace(tmp_path_factory) -> Lab:
    """Return the lab of a student who has not begun."""
    return Lab(start_workspace(tmp_path_factory.mktemp("student") / "my-lab"))


@pytest.fixture(scope="module")
def measured_once():
    """Measure the time of one run only, because these tests do not concern times."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objective_curves, "_MAX_RUNS", 1)
        yield


@pytest.fixture(scope="session")
def found(lab):
    """Return a function from data and settings to objective curves by name, the optimum, and left-out methods."""

    def run(data, **settings):
        items = list(curves(lab, data, Settings(**settings), {}))
        by_name = {item.name: item for item in items if isinstance(item, Curve)}
        optimum = next((item for item in items if isinstance(item, float)), None)
        return by_name, optimum, [item for item in items if isinstance(item, SkippedLearner)]

    return run


@pytest.fixture(scope="session")
def corpus(lab):
    """Return the toy reviews."""
    return lab.reader("sentiment_reader", "SentimentCorpus", domain="toy")


@pytest.fixture(scope="session")
def models(lab, corpus):
    """Return every classifier of the review explorer, by its label, trained on the toy reviews."""
    attempts = FailureCollector()
    found = {model.label: model for model in train_all(lab, corpus, attempts)}
    assert not attempts.skipped
    return found


@pytest.fixture(scope="session")
def server(lab):
    """Yield a server of the reference lab's demonstrations on any port."""
    with running(DemoServer(lab, 0)) as server:
        yield server


@pytest.fixture
def open_page(chromium):
    """Yield a function that opens an address in a new window; at the end, the console must have no ``errors``."""
    contexts, errors = [], []

    def heard(message):
        # The tests read pixels of the canvas.
        if message.type in ("error", "warning") and "readback" not in message.text:
            errors.append(message.text)

    def open_one(address, width=1280, height=720, bypass_csp=True, **settings):  # Playwright waits with `eval`.
        size = {"width": width, "height": height}
        contexts.append(chromium.new_context(viewport=size, bypass_csp=bypass_csp, **settings))
        page = contexts[-1].new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("console", heard)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        is_drawn = "() => Boolean(document.querySelector('[data-demo]').demo?.scene)"
        assert any(page.evaluate(is_drawn) or page.wait_for_timeout(50) for _ in range(int(20 * PATIENCE)))
        return page

    open_one.errors = errors
    yield open_one
    for context in contexts:
        context.close()
    assert not errors
