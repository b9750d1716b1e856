"""``lxmls-day1 demo``: its errors, its files and its server."""

import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from lxmls_day1.demos import server
from tests.command_runs import run
from tests.wording import wording

ROOT = Path(__file__).resolve().parents[3]


def demo(*arguments, status=0):
    return run("demo", ROOT, *arguments, status=status)


@pytest.fixture
def opened(monkeypatch):
    """Record the addresses opened in a browser with the server's replies; then end the server as Ctrl-C does."""
    found = []

    def serve(self):
        for address in list(found):
            self.handle_request_in_turn(address)
        raise KeyboardInterrupt

    def handle(self, address):
        with socket.create_connection(self.server_address) as asking:
            head = f"GET {urlsplit(address).path} HTTP/1.0\r\nHost: 127.0.0.1:{self.server_port}"
            asking.sendall(f"{head}\r\n\r\n".encode())
            self.handle_request()
            found.append(asking.makefile().read())

    monkeypatch.setattr(server.DemoServer, "handle_request_in_turn", handle, raising=False)
    monkeypatch.setattr(server.DemoServer, "serve_forever", serve)
    monkeypatch.setattr("webbrowser.open", found.append)
    return found


def test_it_opens_the_list_in_the_browser(opened):
    result = demo("--dark")
    address, page = opened
    assert address in result.output and "No longer served" in result.output
    assert " 200 " in page and '"dark":true' in page and 'href="mira_step"' in page


def test_it_opens_the_named_demonstration(opened):
    demo("--only", "mira_step", "--scale", "1.5")
    address, page = opened
    assert address.endswith("/mira_step") and "--demo-scale: 1.5" in page


def test_it_leaves_the_browser_alone(opened):
    result = demo("--no-browser", "--only", "mira_step")
    assert not opened and "/mira_step" in result.output


def test_an_unknown_name_and_a_taken_port_are_refused(opened):
    assert wording("commands.there_is_no_demonstration") in demo("--only", "mira", status=1).output
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = demo("--port", taken.getsockname()[1], status=1).output
    assert "cannot be used" in said and not opened


def test_demo_exports_pages(tmp_path, opened):
    result = demo("--export", tmp_path / "out", "--only", "confidence")
    assert result.stdout.split() == [str(tmp_path / "out" / name) for name in ("confidence.html", "index.html")]
    assert "1 of 1: confidence.html" in result.stderr and not opened
