"""``lxmls-day1 demo``: what it refuses, what it writes, what it starts."""

from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from lxmls_day1.commands.command_line import command_group
from lxmls_day1.demos import serving

pytestmark = pytest.mark.skipif(
    find_spec("ipywidgets") is None or find_spec("ipympl") is None, reason="ipywidgets and ipympl are not installed"
)
ROOT = Path(__file__).resolve().parents[3]


def run(*arguments):
    return CliRunner().invoke(command_group, ["demo", str(ROOT), *arguments])


@pytest.fixture
def started(monkeypatch):
    """What the server would have been asked for, instead of a server."""
    asked = []

    @contextmanager
    def served(folder, port=None, **look):
        asked.append((folder, port, look))
        yield "http://127.0.0.1:1234", SimpleNamespace(wait=lambda: 0)

    monkeypatch.setattr(serving, "served", served)
    monkeypatch.setattr("webbrowser.open", asked.append)
    monkeypatch.setattr("signal.signal", lambda *arguments: None)
    return asked


def test_it_opens_the_list_in_the_browser(started):
    result = run("--dark", "--port", "1234")
    assert result.exit_code == 0, result.output
    assert started == [(ROOT / "notebooks" / "demos", 1234, {"dark": True, "scale": None}), "http://127.0.0.1:1234"]
    assert "http://127.0.0.1:1234" in result.output


def test_it_opens_the_one_that_is_wanted(started):
    assert run("--only", "mira_step").exit_code == 0
    assert started[1] == "http://127.0.0.1:1234/voila/render/3_mira_step.ipynb"


def test_it_leaves_the_browser_alone(started):
    result = run("--no-browser", "--only", "mira_step")
    assert len(started) == 1 and "3_mira_step.ipynb" in result.output


def test_an_unknown_name_is_refused(started):
    result = run("--only", "mira")
    assert result.exit_code == 1 and "there is no demonstration 'mira'" in result.output and not started


@pytest.mark.slow
def test_it_exports(tmp_path, started):
    result = run("--export", str(tmp_path / "out"), "--only", "gaussian_playground")
    assert result.exit_code == 0, result.output
    assert "This takes about ten seconds" in result.stderr
    assert result.stdout.split() == [str(tmp_path / "out" / name) for name in ("gaussian_playground.png", "index.html")]
    assert (tmp_path / "out" / "gaussian_playground.png").read_bytes().startswith(b"\x89PNG") and not started
