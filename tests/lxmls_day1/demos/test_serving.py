"""How the server is started: for this machine only, with our template, and ended again."""

import socket
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest

from lxmls_day1.demos import serving
from lxmls_day1.errors import InputError

ROOT = Path(__file__).resolve().parents[3]


def test_only_this_machine_can_ask(tmp_path):
    command = serving.command_of(tmp_path, 8123)
    assert "--Voila.ip=127.0.0.1" in command and "--port=8123" in command and "--no-browser" in command


def test_the_template_is_found_and_asks_nothing_of_the_network(monkeypatch, tmp_path):
    monkeypatch.setenv("JUPYTER_PATH", "/elsewhere")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    serving.write_templates(tmp_path, ROOT / serving.FOLDER)
    environment = serving.environment_of(tmp_path, dark=True, scale=1.25)
    own, others = environment["JUPYTER_PATH"].split(serving.os.pathsep)
    assert others == "/elsewhere" and "MPLBACKEND" not in environment
    assert environment["LXMLS_DAY1_DEMO_DARK"] == "1" and environment["LXMLS_DAY1_DEMO_SCALE"] == "1.25"
    assert environment["LXMLS_DAY1_DEMO_WINDOW"] == "1"
    files = [path for path in Path(own, "voila", "templates", "lxmls-day1").iterdir() if path.is_file()]
    assert {path.name for path in files} == {"conf.json", "index.html.j2", "page.js", "tree.html"}
    assert not [path for path in files if "://" in path.read_text(encoding="utf-8")]


def test_the_list_shows_what_a_folder_has_each_with_its_line(tmp_path):
    (tmp_path / "1_mira_step.ipynb").touch()
    (tmp_path / "2_my_{{own}}.ipynb").touch()
    serving.write_templates(tmp_path / "templates", tmp_path, dark=True)
    page = (tmp_path / "templates/voila/templates/lxmls-day1/tree.html").read_text(encoding="utf-8")
    assert page.startswith("{% raw %}") and page.endswith("{% endraw %}")
    assert "MIRA&#x27;s step, and column squishing" in page and "One example: its margin" in page
    assert (
        page.count("<section>") == 2
        and page.count("data:image/png") == 1
        and 'href="/voila/render/2_my_{{own}}.ipynb"' in page
    )
    assert "prefers-color-scheme" not in page


def test_a_taken_port_is_not_preferred(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(serving, "PORT", listener.getsockname()[1])
        assert serving.preferred_port() != serving.PORT


def test_a_lab_without_demonstrations_is_told(tmp_path):
    with pytest.raises(InputError, match="has no demonstrations in notebooks/demos/"):
        serving.demos_folder(tmp_path)


def test_without_voila_the_way_to_it_is_told(monkeypatch):
    monkeypatch.setattr(serving, "find_spec", lambda name: None if name == "voila" else object())
    with pytest.raises(InputError, match=r"pip install \"lxmls-day1\[demo\]\""):
        serving.require_voila()


@pytest.mark.skipif(find_spec("voila") is None, reason="Voilà is not installed")
class TestServed:
    def test_a_port_in_use_is_told(self, tmp_path):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            with pytest.raises(InputError, match=f"something listens at port {port} already"):
                serving.served(tmp_path, port).__enter__()

    @pytest.mark.slow
    def test_the_server_ends_with_the_block(self, tmp_path):
        with serving.served(tmp_path) as (address, process), urllib.request.urlopen(address) as answer:
            assert answer.status == 200
        assert process.poll() is not None
