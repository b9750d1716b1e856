"""The server: which requests it answers, what they may ask, and how closed pages are cleaned up."""

import base64
import hashlib
import json
import re
import socket
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor, wait
from unittest.mock import Mock

import pytest

from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.demos import server as serving
from lxmls_day1.demos.demonstration import Demonstration
from lxmls_day1.demos.server import HOST, DemoServer
from lxmls_day1.lab import Lab


def get(address, data=None, **headers):
    """Return status and text of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data, headers)) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def session_of(server, name):
    """Return the address to which a new page sends its requests."""
    return server.address + get(server.address + name)[1].partition('data-ask="')[2].partition('"')[0]


def test_a_page_asks_for_scenes_and_gets_lines_of_json(server):
    address = session_of(server, "confidence")
    lines = [json.loads(text) for text in get(address, b'{"rare": 1}')[1].splitlines()]
    assert list(lines[-1]) == ["scene"] and lines[-1]["scene"]["steps"]["label"] == "documents"
    seen = lines[-1]["scene"]["table"]["rows"]["frames"][-1]
    assert [row[1] for row in seen] == [60, 60]  # The rare word is in all documents.


def test_the_list_links_every_demonstration(server):
    status, text = get(server.address)
    assert status == 200 and all(f'href="{name}"' in text for name in serving.DEMONSTRATIONS)
    with socket.create_connection((HOST, server.server_port)) as asking:
        asking.sendall(f"HEAD /{server.token}/ HTTP/1.0\r\nHost: {HOST}:{server.server_port}\r\n\r\n".encode())
        head, _, body = asking.makefile(newline="").read().partition("\r\n\r\n")
    assert f"Content-Length: {len(text.encode())}" in head and not body
    with urllib.request.urlopen(server.address.rstrip("/")) as answer:  # the links of the list need the last slash
        assert answer.url == server.address


@pytest.mark.parametrize("path", ["", "confidence", "none", "../wrong-token/"])
def test_every_answer_forbids_other_scripts_and_keeps_the_address_to_itself(server, path):
    try:
        with urllib.request.urlopen(server.address + path) as answer:
            headers, text = answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            headers, text = error.headers, ""
    policy = dict(rule.split(" ", 1) for rule in headers["Content-Security-Policy"].split("; "))
    assert headers["Referrer-Policy"] == "no-referrer" and policy["default-src"] == "'none'"
    for script in re.findall('<script type="module">(.*?)</script>', text, re.DOTALL):
        digest = hashlib.sha256(script.encode()).digest()
        assert policy["script-src"] == f"'sha256-{base64.b64encode(digest).decode()}'"


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Host": f"{HOST}:1"}])
def test_another_host_is_refused(server, headers):
    assert get(server.address, **headers)[0] == 403
    assert get(session_of(server, "confidence"), b"{}", **headers)[0] == 403


@pytest.mark.parametrize("path", ["", "confidence", "wrong-token/", "wrong-token/confidence", "%2e%2e/"])
def test_without_the_token_there_is_nothing_and_with_it_only_demonstrations(server, path):
    assert get(f"http://{HOST}:{server.server_port}/{path}")[0] == 403
    assert get(f"{server.address}x{path}")[0] == get(f"{server.address}scene/{path}", b"{}")[0] == 404


BAD = [(b"{", 400), (b"", 404), (b"\xff", 400), (b"[" * 90_000, 400), (b"1" * 1_000_001, 413)]


@pytest.mark.parametrize(("data", "status"), BAD)
def test_invalid_or_too_long_requests_are_refused(server, data, status):
    assert get(session_of(server, "confidence"), data)[0] == status


def test_connections_that_break_print_nothing(server, capfd):
    here = f"{HOST}:{server.server_port}"
    address, start = session_of(server, "confidence").partition(here)[2], f"Host: {here}\r\n"
    lengths = ("one", "-1", "٣", "1" * 5000, "0" * 5000 + "9", "9")
    for rest in (f"Content-Length: {length}\r\n\r\n{{" for length in lengths):
        with socket.create_connection((HOST, server.server_port)) as asking:
            asking.sendall(f"POST {address} HTTP/1.0\r\n{start}{rest}".encode())
            asking.shutdown(socket.SHUT_WR)
            assert asking.makefile().readline().split()[1] in ("400", "404", "413")
    assert capfd.readouterr().err == ""


def test_closing_a_page_ends_its_computation(lab, monkeypatch):
    ended = []

    class Endless(Demonstration):
        def scene(self, settings):
            try:
                while True:
                    yield 0.5
            finally:
                ended.append(settings)

    with DemoServer(lab, 0) as server:
        monkeypatch.setattr(serving, "demonstration_class", lambda name: Endless)
        with pytest.raises(BrokenPipeError):
            server.answer("endless.key", {}, Mock(side_effect=[None, BrokenPipeError]))
        assert ended == [{}] and not server.turn.locked()


def test_endless_student_code_does_not_block_others_after_its_page_closed(tmp_path):
    folder = start_workspace(tmp_path / "my-lab")
    (folder / "classifiers" / "mira.py").write_text("while True:\n    pass\n")
    with DemoServer(Lab(folder), 0) as server, ThreadPoolExecutor(1) as pool:
        keys = [server.session(name).removeprefix("scene/") for name in ("mira_step", "beyond_a_line")]
        sent, left = [], threading.Event()
        endless = pool.submit(server.answer, keys[0], {}, sent.append, left.is_set)
        while server.computing is None:
            assert not wait([endless], 0.05).done
        left.set()
        server.answer(keys[1], {}, sent.append)
        assert endless.result() is None and server.sessions[keys[0]] is None
        assert [list(message) for message in sent] == [["scene"]]
        server.answer(keys[0], {}, sent.append, lambda: True)  # The page closed while its request waited.
        assert len(sent) == 1


def test_if_a_port_is_in_use_another_is_chosen(lab, monkeypatch):
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(serving, "PORT", port)
        with DemoServer(lab) as server:
            assert server.server_port != port


def test_the_pages_that_asked_longest_ago_are_forgotten(lab, monkeypatch):
    monkeypatch.setattr(serving, "_MAX_SESSIONS", 2)
    with DemoServer(lab, 0) as server:
        first, second = (server.session("confidence").removeprefix("scene/") for _ in range(2))
        server.answer(first, {}, lambda message: None)
        third = server.session("confidence").removeprefix("scene/")
        assert list(server.sessions) == [first, third]
        answers = []
        server.answer(second, {}, answers.append)  # It had a request before it was forgotten.
        assert "scene" in answers[-1] and list(server.sessions) != [first, third]
