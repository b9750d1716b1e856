"""``lxmls-day1 demo``: its errors, its files and its server."""

import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from lxmls_day1.commands.command_line import command_group
from lxmls_day1.demos import server
from tests.wording import wording

ROOT = Path(__file__).resolve().parents[3]


def run(*arguments):
    return CliRunner().invoke(command_group, ["demo", str(ROOT), *arguments])


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
            asking.sendall(
                f"GET {urlsplit(address).path} HTTP/1.0\r\nHost: 127.0.0.1:{self.server_port}\r\n\r\n".encode()
            )
            self.handle_request()
            found.append(asking.makefile().read())

    monkeypatch.setattr(server.DemoServer, "handle_request_in_turn", handle, raising=False)
    monkeypatch.setattr(server.DemoServer, "serve_forever", serve)
    monkeypatch.setattr("webbrowser.open", found.append)
    return found


def test_it_opens_the_list_in_the_browser(opened):
    result = run("--dark")
    address, page = opened
    assert result.exit_code == 0 and address in result.output and "No longer served" in result.output
    assert " 200 " in page and '"dark":true' in page and 'href="mira_step"' in page


def test_it_opens_the_named_demonstration(opened):
    assert run("--only", "mira_step", "--scale", "1.5").exit_code == 0
    address, page = opened
    assert address.endswith("/mira_step") and "--demo-scale: 1.5" in page


def test_it_leaves_the_browser_alone(opened):
    result = run("--no-browser", "--only", "mira_step")
    assert not opened and "/mira_step" in result.output


def test_an_unknown_name_and_a_taken_port_are_refused(opened):
    result = run("--only", "mira")
    assert result.exit_code == 1 and wording("commands.there_is_no_demonstration") in result.output
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run("--port", str(taken.getsockname()[1]))
    assert result.exit_code == 1 and "cannot be used" in result.output and not opened


def test_demo_exports_pages(tmp_path, opened):
    result = run("--export", str(tmp_path / "out"), "--only", "confidence")
    assert result.exit_code == 0, result.output
    assert result.stdout.split() == [str(tmp_path / "out" / name) for name in ("confidence.html", "index.html")]
    assert "1 of 1: confidence.html" in result.stderr and not opened
