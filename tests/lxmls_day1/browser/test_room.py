"""The room: what is counted, what is refused, a board and six pages in a browser, and a class with hostile clients."""

import http.client
import json
import random
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import PurePosixPath

import psutil
import pytest

from lxmls_day1.browser.room import INVALID, MAX_SAMPLES, MAX_SESSIONS, Room
from lxmls_day1.browser.room_server import BOOK_SCRIPT, RoomServer
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.lab import reference_folder
from tests.serving import room_counts, running
from tests.tools.test_exercise_page_use import write_book
from tests.wording import wording
from tools.exercise_pages import exercise_pages

ROOT = reference_folder()
DAY = [exercise for exercise in Registry.from_folder(ROOT) if exercise.is_core and exercise.has_code]
SENTENCES = RecordedAnswers.read_existing(ROOT / RECORDED, [exercise.id for exercise in DAY]).sentences
NAMES = list(SENTENCES["1.5"])
ONE, TWO = "1" * 32, "2" * 32
NONE = (
    "/board/1.5/none /board/../1.5 /../private /%2e%2e/private /..%2fprivate /.hidden /_static/ /%00 /room/board.html x"
)
HTML = "<img src=x onerror=alert(1)>"


def verdict(session=ONE, exercise="1.5", verdict="failed", mistakes=NAMES[:1], tries=1):
    return {"session": session, "exercise": exercise, "verdict": verdict, "mistakes": list(mistakes), "tries": tries}


@pytest.fixture
def room():
    return Room(DAY, SENTENCES)


def test_the_last_verdict_of_each_session_counts(room, monkeypatch):
    for message in ({"session": ONE}, verdict(), verdict(TWO, tries=4), verdict(TWO, "1.4", "to do", ())):
        assert room.receive(message)[0] == 200
    assert room_counts(room) == (2, 0, 0, {NAMES[0]: 2}) and room_counts(room, "1.4") == (0, 0, 0, {})
    room.receive(verdict(TWO, verdict="passed", mistakes=(), tries=5))
    assert room_counts(room) == (1, 1, 5, {NAMES[0]: 1}) and room.counts()["exercises"][3]["ever"] == {NAMES[0]: 2}
    later = time.monotonic() + 1201  # A mistake is not one of now for long.
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert room_counts(room) == (1, 1, 5, {}) and ONE not in json.dumps(room.counts())
    assert room.receive({"session": ONE, "leave": True}) == (200, True)
    assert room_counts(room) == (0, 1, 5, {}) and room.counts()["people"] == 1


TEXTS = (HTML, "A" * 32, "0" * 33, "٣" * 32, "1.9", NAMES[0], "1")
ODD = (*TEXTS, None, 1.5, 0, 10**300, 1e999, True, [HTML], [NAMES], [None], {NAMES[0]: 1})
PARTS = (None, [], 5, {}, {"session": ONE, "leave": HTML}, {"session": ONE, "exercise": "1.5"})
REFUSED = [*PARTS, verdict() | {"leave": True}, *(verdict() | {key: value} for key in verdict() for value in ODD)]


@pytest.mark.parametrize("message", REFUSED, ids=repr)
def test_refuses_everything_that_is_not_known(room, message):
    assert room.receive(message) == (400, INVALID) and room.counts()["people"] == 0


def test_a_full_room_refuses_a_further_session(room):
    assert {room.receive({"session": f"{n:032}"})[0] for n in [*range(MAX_SESSIONS), 0]} == {200}
    assert room.receive(verdict("a" * 32)) == (503, wording("room.full"))


def test_the_history_keeps_its_length_and_ends_now(room):
    for _ in range(MAX_SAMPLES + 5):
        room.add_to_history()
    room.receive(verdict())
    history = room.counts()["history"]
    assert len(history) == MAX_SAMPLES + 1 and history == sorted(history)
    assert history[-1][1:] == [1, [[int(exercise.id == "1.5"), 0] for exercise in DAY]]


@pytest.fixture
def book(tmp_path):
    """A small book."""
    names = ("book/index.html", "book/.hidden", f"book/{BOOK_SCRIPT}", "private")
    write_files(tmp_path, {PurePosixPath(name): f"text of {name}; lxmls-day1 verdict".encode() for name in names})
    return tmp_path / "book"


def ask(port, path, body=None, **headers):
    """The status, the headers and the text of a reply."""
    sent = body if isinstance(body, bytes | None) else json.dumps(body)
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET" if body is None else "POST", path, sent, headers)
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read().decode()


def cookie(port, token):
    status, headers, _ = ask(port, f"/board?{token}")
    assert status == 303 and headers["Location"] == "/board" and "HttpOnly; SameSite=Strict" in headers["Set-Cookie"]
    return {"Cookie": f"a=b; {headers['Set-Cookie'].partition(';')[0]}"}


def test_what_is_served_and_to_whom(book):
    with running(RoomServer("127.0.0.1", 0, book, book / "none/counts.json")) as server:
        assert wording("room.cannot_be_written", server.file) in server.save()
        port = server.server_port
        own = cookie(port, server.token)
        assert ask(port, "/")[2].startswith("text of book/index.html")
        assert "lxmls-day1 room" in ask(port, "/_static/exercise.js?v=1")[2]
        assert {ask(port, path, **own)[0] for path in NONE.split()} == {404}
        for path in f"/board /board?x /board/counts /board/1.5/{NAMES[0]} /board/counts?{server.token}".split():
            assert ask(port, path)[0] == ask(port, path, Cookie=f"room_{port}=é")[0] == 403
        assert "default-src 'self'" in ask(port, "/board", **own)[1]["Content-Security-Policy"]
        examples = (f"/board/{id}/{next(iter(SENTENCES[id]))}" for id in ("1.5", "1.2"))
        drawn, listed = (json.loads(ask(port, path, **own)[2]) for path in examples)
        assert drawn["picture"].startswith("iVBOR") and not listed["picture"] and "yours" in listed["text"]
        for name, value in (("Host", "evil.example"), ("Host", f"evil.example:{port}"), ("Origin", "null")):
            assert ask(port, "/", **{name: value})[0] == ask(port, "/room", {"session": ONE}, **{name: value})[0] == 403
        assert ask(port, "/room", {"session": ONE}, Origin=f"http://127.0.0.1:{port}")[2] == '{"known": false}'


def test_messages_are_limited_in_size_number_and_time(book, monkeypatch, capfd):
    monkeypatch.setattr("lxmls_day1.base.web_server.REQUEST_SECONDS", 0.1)
    monkeypatch.setattr("lxmls_day1.base.web_server.MAX_CONNECTIONS", 20)
    with running(RoomServer("127.0.0.1", 0, book)) as server:
        port = server.server_port
        for body, status in ((b" " * 1001, 413), (b"[" * 900, 400), (b"{", 400), (b"5", 400)):
            assert ask(port, "/room", body)[0] == status
        assert [ask(port, "/room", {"session": ONE})[0] for _ in range(110)].count(429) >= 20
        assert ask(port, "/room", {"session": TWO})[0] == 200
        idle = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(40)]
        idle[-1].sendall(b"POST /room HTTP/1.0\r\nHost: localhost:%d\r\nContent-Length: 500\r\n\r\n{" % port)
        for one in idle:
            with one, suppress(ConnectionResetError):
                assert one.recv(100) == b""  # It is closed.
        assert ask(port, "/")[0] == 200 and capfd.readouterr() == ("", "")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of exercises, whose Python answers with the mistake that is written into the gap."""
    cells = {name.removesuffix(".html"): cell for name, cell in exercise_pages(ROOT).items()}
    return write_book(tmp_path_factory.mktemp("book"), cells)


@pytest.mark.slow(15)
@pytest.mark.parametrize("seconds", [60, pytest.param(1, marks=pytest.mark.campaign)])
def test_a_board_and_six_pages_each_with_another_mistake(pages, new_page, serious, seconds):
    errors, board = [], new_page(viewport={"width": 1920, "height": 1080})
    readers = [new_page() for _ in range(6)]
    for page in (board, *readers):
        page.on("pageerror", lambda error: errors.append(str(error)))

    def check(page, text):
        page.wait_for_selector(".jar")
        page.get_by_label("Your lines").first.fill(text)
        page.get_by_role("button", name="Check", exact=True).click()

    def shows(page, text):
        page.get_by_text(text).first.wait_for()
        assert serious(page) == []

    with running(RoomServer("127.0.0.1", 0, pages)) as server:
        board.goto(f"{server.address}/board?{server.token}")
        shows(board, wording("room.only_this_machine"))
        assert server.token not in board.url
        board.keyboard.press("2")
        for page in readers:
            page.goto(f"{server.address}/docs/exercises/1.5.html")
            page.get_by_role("button", name="Take part").click()
        shows(board, wording("room.take_part", 6))
        tried = board.locator(".now tbody tr:not(.mistake)").nth(3).locator("td").nth(2)
        for n, (page, name) in enumerate(zip(readers, NAMES, strict=False), 1):
            check(page, name)
            tried.filter(has_text=re.compile(f"^{n}$")).wait_for(timeout=1000 * seconds)
        assert board.locator(".mistake").count() == 3  # Six were named once.
        board.keyboard.press("a")
        board.locator(".one img").wait_for()
        assert SENTENCES["1.5"][NAMES[0]].startswith(board.locator(".one .sentence").inner_text())
        board.keyboard.press("3")
        shows(board, wording("room.over_time"))
        readers[1].get_by_role("button", name="Leave the room").click()
        shows(board, wording("room.take_part", 5))
        readers[2].goto(f"{server.address}/docs/exercises/1.4.html")  # The question comes once.
        readers[2].get_by_role("button", name="Leave the room").wait_for()
    # Without the room a page goes on; it joins the next room at this address, with its verdict.
    check(readers[0], "right")
    for page in (readers[0], board):
        shows(page, wording("room.does_not_answer"))
    with running(RoomServer("127.0.0.1", server.server_port, pages)) as server:
        shows(board, wording("room.opened_anew"))
        while room_counts(server.room)[1:3] != (1, 2):
            readers[0].wait_for_timeout(100)
    assert errors == []


PATHS = ("/room", "/room", "/../" * 20 + "etc/passwd", "/board/counts", "/" + "a" * 70_000, "x")
BODIES = (None, b"<script>" * 1_250_000, dict.fromkeys(verdict(), HTML), *REFUSED)
HEADERS = ({}, {"Host": HTML}, {"Origin": "http://evil.example"}, {"Content-Length": "9" * 5000})


@pytest.mark.slow(15)
@pytest.mark.parametrize("seconds", [3, pytest.param(120, marks=pytest.mark.campaign)])
def test_a_class_with_hostile_clients(seconds, book):
    """300 sessions, ten verdicts in a second, a tenth of them malformed or hostile."""
    rng, delays, expected = random.Random(seconds), [], Room(DAY, SENTENCES)
    sessions = [f"{n:032}" for n in range(300)]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = f"-m lxmls_day1 room --port={port} --no-browser --book={book} --save={book}/counts.json".split()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen([sys.executable, *command], **streams) as process, ThreadPoolExecutor(40) as pool:
        try:
            printed = next(line for line in process.stdout if "board?" in line)
            own = cookie(port, re.search(r"board\?([\w-]+)", printed)[1])
            for session in sessions:
                assert ask(port, "/room", {"session": session})[0] == expected.receive({"session": session})[0] == 200
            for n in range(10 * seconds):
                time.sleep(0.08)  # The rest of a tenth of a second is for the messages.
                if n % 10 == 9:
                    pool.submit(ask, port, rng.choice(PATHS), rng.choice(BODIES), **rng.choice(HEADERS))
                id = rng.choice(list(SENTENCES))
                mistakes = rng.sample(list(SENTENCES[id])[:9], rng.randrange(3))
                sent = verdict(rng.choice(sessions), id, rng.choice(["passed", "failed"]), mistakes)
                assert ask(port, "/room", sent)[0] == expected.receive(sent)[0] == 200
                before = time.monotonic()
                counts = json.loads(ask(port, "/board/counts", **own)[2])
                delays.append(time.monotonic() - before)
                assert counts["exercises"] == json.loads(json.dumps(expected.counts()["exercises"]))
            assert ask(port, f"/board/1.5/{NAMES[0]}", **own)[0] == 200
            memory, slow = psutil.Process(process.pid).memory_info().rss, sorted(delays)[len(delays) * 99 // 100]
            assert memory < 150e6 and (slow < 0.2 or seconds < 60), (memory, slow)  # Another program may slow it down.
        finally:
            process.terminate()
            rest = process.communicate(timeout=60)[0]
    texts = rest + (book / "counts.json").read_text()
    assert wording("room.closed", 300) in texts and not any(word in texts for word in (HTML, "Traceback", "0" * 29))
