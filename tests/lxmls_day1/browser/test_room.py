"""The room: what is counted, what is refused, a board and six pages in a browser, and a class with hostile clients."""

import http.client
import importlib.util
import json
import random
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from lxmls_day1.base import web_server
from lxmls_day1.browser.exercise_pages import exercise_pages
from lxmls_day1.browser.room import MAX_SESSIONS, Room
from lxmls_day1.browser.room_server import RoomServer
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.lab import reference_folder
from tests.wording import wording

ROOT = reference_folder()
DAY = [exercise for exercise in Registry.from_folder(ROOT) if exercise.is_core]
SENTENCES = RecordedAnswers.read_existing(ROOT / RECORDED, [exercise.id for exercise in DAY]).sentences
NAMES = list(SENTENCES["1.5"])
ONE, TWO = "1" * 32, "2" * 32
OUTSIDE = "/../private /%2e%2e/private /..%2fprivate /.hidden /_static/ /%00 /room/board.html x"
HTML = "<img src=x onerror=alert(1)>"


def verdict(session=ONE, exercise="1.5", verdict="failed", mistakes=NAMES[:1], tries=1):
    return {"session": session, "exercise": exercise, "verdict": verdict, "mistakes": list(mistakes), "tries": tries}


def row(counts, id="1.5"):
    """The counts of an exercise: trying, solved, tries, and the number of each mistake."""
    found = next(one for one in counts["exercises"] if one["id"] == id)
    return found["trying"], found["solved"], found["tries"], {name: n for name, _, n in found["mistakes"]}


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def room():
    return Room(DAY, SENTENCES, Clock())


def test_the_last_verdict_of_each_session_counts(room):
    for message in ({"session": ONE}, verdict(), verdict(TWO, tries=4), verdict(TWO, "1.4", "to do", ())):
        assert room.receive(message)[0] == 200
    assert row(room.counts()) == (2, 0, 0, {NAMES[0]: 2}) and row(room.counts(), "1.4") == (0, 0, 0, {})
    room.receive(verdict(TWO, verdict="passed", tries=5))
    assert row(room.counts()) == (1, 1, 5, {NAMES[0]: 1}) and row(room.counts(ever=True))[3] == {NAMES[0]: 2}
    room._clock.now += 1201  # A mistake is not one of now for long.
    assert row(room.counts()) == (1, 1, 5, {}) and ONE not in json.dumps(room.counts(ever=True))
    assert room.receive({"session": ONE, "leave": True})[1] == {"known": True}
    assert row(room.counts(ever=True)) == (0, 1, 5, {NAMES[0]: 1}) and room.counts()["people"] == 1


REFUSED = [
    None, [], 5, {}, {"session": HTML}, {"session": "A" * 32}, {"session": "0" * 33}, {"session": "٣" * 32}, {"session": [ONE]},
    {"session": ONE, "leave": 1}, {"session": ONE, "leave": HTML}, {"session": ONE, "exercise": "1.5"},
    *({**verdict(), **changed} for changed in (
        {"exercise": HTML}, {"exercise": "1.9"}, {"exercise": 1.5}, {"exercise": []}, {"verdict": HTML}, {"verdict": None}, {"verdict": []},
        {"mistakes": [HTML]}, {"mistakes": NAMES[0]}, {"mistakes": NAMES[:1] * 4}, {"mistakes": [NAMES]}, {"mistakes": {NAMES[0]: 1}},
        {"tries": 0}, {"tries": 10**300}, {"tries": 1e999}, {"tries": True}, {"tries": "1"}, {"name": HTML}, {"leave": True},
    )),
]  # fmt: skip


@pytest.mark.parametrize("message", REFUSED, ids=repr)
def test_refuses_everything_that_is_not_known(room, message):
    status, reply = room.receive(message)
    assert status == 400 and HTML not in str(reply) and room.counts()["people"] == 0


def test_one_address_keeps_no_other_out_of_a_full_room(room):
    assert {room.receive({"session": f"{n:032}"}, 1)[0] for n in range(MAX_SESSIONS)} == {200}
    assert room.receive({"session": "a" * 32}, 1)[0] == 503
    assert room.receive(verdict("b" * 32), 2)[0] == 200 and room.counts()["people"] == MAX_SESSIONS
    assert row(room.counts())[0] == 1 and room.receive({"session": f"{0:032}"}, 1)[0] == 503  # The oldest has gone.


def test_the_history_keeps_its_length_and_ends_now(room):
    for room._clock.now in range(0, 36000, 10):
        room.counts()
    room.receive(verdict())
    minutes = [sample[0] for sample in room.counts()["history"]]
    assert len(minutes) <= 362 and minutes == sorted(minutes) and minutes[0] == 0
    assert room.counts()["history"][-1][1:] == [1, [[int(exercise.id == "1.5"), 0] for exercise in DAY]]


@contextmanager
def opened(folder=None, port=0, **settings):
    with RoomServer("127.0.0.1", port, folder, **settings) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(port, path, body=None, **headers):
    """The status, the headers and the text of a reply."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    sent = body if isinstance(body, bytes | None) else json.dumps(body)
    try:
        connection.request("GET" if body is None else "POST", path, sent, headers)
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read().decode()
    finally:
        connection.close()


def cookie(port, token):
    status, headers, _ = ask(port, f"/board?{token}")
    assert status == 303 and headers["Location"] == "/board" and "HttpOnly; SameSite=Strict" in headers["Set-Cookie"]
    return {"Cookie": f"a=b; {headers['Set-Cookie'].partition(';')[0]}"}


def test_what_is_served_and_to_whom(tmp_path):
    for name in ("book/index.html", "book/.hidden", "book/_static/exercise.js", "private"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"text of {name}")
    with opened(tmp_path / "book") as server:
        port = server.server_port
        own = cookie(port, server.token)
        assert ask(port, "/")[2] == "text of book/index.html"
        assert "lxmls-day1 room" in ask(port, "/_static/exercise.js?v=1")[2]
        for path in OUTSIDE.split():
            assert ask(port, path)[0] in (400, 404), path
        assert ask(port, "/board/1.5/none", **own)[0] == ask(port, "/board/../1.5", **own)[0] == 404
        for path in f"/board /board?x /board/counts /board/1.5/{NAMES[0]} /board/counts?{server.token}".split():
            assert ask(port, path)[0] == ask(port, path, Cookie=f"room_{port}=é")[0] == 403
        assert "default-src 'self'" in ask(port, "/board", **own)[1]["Content-Security-Policy"]
        examples = (ask(port, f"/board/{id}/{next(iter(SENTENCES[id]))}", **own)[2] for id in ("1.5", "1.2"))
        drawn, listed = map(json.loads, examples)
        assert drawn["picture"].startswith("iVBOR") and not listed["picture"]
        assert listed["lines"][-1][0].startswith("yours")
        for line in f"Host:evil.example Host:evil.example:{port} Origin:http://evil.example Origin:null".split():
            header = dict([line.split(":", 1)])
            assert ask(port, "/", **header)[0] == ask(port, "/room", {"session": ONE}, **header)[0] == 403
        assert ask(port, "/room", {"session": ONE}, Origin=f"http://127.0.0.1:{port}")[2] == '{"known": false}'
    with opened() as server:
        assert server.address in ask(server.server_port, "/anything")[2]


def test_messages_are_limited_in_size_number_and_time(monkeypatch, capfd):
    monkeypatch.setattr(web_server, "REQUEST_SECONDS", 0.1)
    monkeypatch.setattr(web_server, "MAX_CONNECTIONS", 20)
    with opened() as server:
        port = server.server_port
        for body, status in ((b" " * 1001, 413), (b"[" * 900, 400), (b"{", 400)):
            assert ask(port, "/room", body)[0] == status and ask(port, "/other", {"session": ONE})[0] == 404
        assert Counter(ask(port, "/room", {"session": ONE})[0] for _ in range(60))[429] >= 20
        assert ask(port, "/room", {"session": TWO})[0] == 200
        idle = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(40)]
        idle[-1].sendall(b"POST /room HTTP/1.0\r\nHost: localhost:%d\r\nContent-Length: 500\r\n\r\n{" % port)
        for one in idle:
            with one, suppress(ConnectionResetError):
                assert one.recv(100) == b""  # It is closed.
        assert ask(port, "/room")[0] == 200 and capfd.readouterr() == ("", "")


def test_the_counts_are_saved_and_a_failure_is_reported_once(tmp_path, capsys):
    with opened(file=tmp_path / "counts.json") as server:
        server.room.receive(verdict())
        server.save()
        saved = server.file.read_text()
        assert row(json.loads(saved)) == (1, 0, 0, {NAMES[0]: 1}) and ONE not in saved
        server.file = tmp_path / "none/counts.json"
        server.save()
        server.save()
    assert capsys.readouterr().err.count("counts.json") == 1


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of exercises, whose Python answers with the mistake that is written into the gap."""
    spec = importlib.util.spec_from_file_location("page_use", Path(__file__).with_name("test_exercise_page_use.py"))
    use = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(use)
    made, folder = exercise_pages(ROOT), tmp_path_factory.mktemp("book")
    files = {f"_static/{path.relative_to(use.FILES)}": path.read_text() for path in use.FILES.rglob("*.*s")}
    for id in ("1.4", "1.5"):
        files[f"docs/exercises/{id}.html"] = use.PAGE.format(theme="light", cell=made[f"{id}.html"])
    files["_static/exercises/exercise_worker.js"] = f"""self.postMessage({{ kind: "ready" }});
self.onmessage = ({{ data: {{ kind, exercise, written }} }}) => {{
  const [right, wrong, text] = [{json.dumps(use.RIGHT)}, {json.dumps(use.WRONG)}, written[exercise].join().trim()];
  const answer = text === "right" ? {{ ...right, verdict: "passed", mistakes: [] }} : {{ ...wrong, verdict: "failed", mistakes: [text] }};
  self.postMessage({{ ...answer, kind, exercise }});
}};"""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.slow(15)
@pytest.mark.parametrize("seconds", [60, pytest.param(1, marks=pytest.mark.campaign)])
def test_a_board_and_six_pages_each_with_another_mistake(pages, chromium, serious, seconds):
    errors, contexts = [], [chromium.new_context(viewport={"width": 1920, "height": 1080}) for _ in range(7)]
    board, *readers = [context.new_page() for context in contexts]
    for page in (board, *readers):
        page.on("pageerror", lambda error: errors.append(str(error)))

    def check(page, text):
        page.wait_for_selector(".jar")
        page.get_by_label("Your lines").first.fill(text)
        page.get_by_role("button", name="Check", exact=True).click()
        page.wait_for_selector(".report .headline")

    with opened(pages) as server:
        port, address = server.server_port, f"{server.address}/docs/exercises"
        board.goto(f"{server.address}/board?{server.token}")
        board.get_by_text(wording("room.only_this_machine")).wait_for()
        assert server.token not in board.url and serious(board) == []
        board.keyboard.press("2")
        for page in readers:
            page.goto(f"{address}/1.5.html")
            page.get_by_role("button", name="Take part").click()
        board.get_by_text(wording("room.take_part", 6)).wait_for()
        tried = board.locator(".now tbody tr:not(.mistake)").nth(4).locator("td").nth(2)
        for n, (page, name) in enumerate(zip(readers, NAMES, strict=False), 1):
            check(page, name)
            tried.filter(has_text=re.compile(f"^{n}$")).wait_for(timeout=1000 * seconds)
        assert board.locator(".mistake").count() == 3  # Six were named once.
        check(readers[5], NAMES[0])
        board.locator(".mistake", has_text="2 ×").wait_for()
        assert serious(board) == [] and serious(readers[0]) == []
        board.keyboard.press("a")
        board.locator(".one img").wait_for()
        assert SENTENCES["1.5"][NAMES[0]].startswith(board.locator(".one .sentence").inner_text())
        assert serious(board) == []
        board.keyboard.press("Escape")
        board.keyboard.press("3")
        board.locator(".time svg").first.wait_for()
        board.keyboard.press("4")
        assert serious(board) == []
        readers[1].get_by_role("button", name="Leave the room").click()
        board.get_by_text(wording("room.take_part", 5)).wait_for()
        readers[2].goto(f"{address}/1.4.html")  # The question comes once.
        readers[2].get_by_role("button", name="Leave the room").wait_for()
    # Without the room a page goes on; it joins the next room at this address, with its verdict.
    check(readers[0], "right")
    for page in (readers[0], board):
        page.get_by_text(wording("room.does_not_answer")).wait_for()
    with opened(pages, port) as server:
        board.get_by_text(wording("room.opened_anew")).wait_for()
        while row(server.room.counts())[1:3] != (1, 2):
            readers[0].wait_for_timeout(100)
    for context in contexts:
        context.close()
    assert errors == []


def attack(port, rng):
    """Attack the room in one of many ways."""
    length = rng.choice(["9" * 5000, "-1", "500", "١٢"])
    head = f"POST /room HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n\r\n"
    paths = ["/../" * 20 + "etc/passwd", "/board/counts", "/" + "a" * 70_000, "x"]
    with suppress(OSError, http.client.HTTPException), socket.create_connection(("127.0.0.1", port), timeout=20) as one:
        rng.choice([
            lambda: ask(port, "/room", b"<script>" * 1_250_000),
            lambda: ask(port, "/room", rng.choice([*REFUSED, dict.fromkeys(verdict(), HTML)])),
            lambda: ask(port, rng.choice(paths)),
            lambda: ask(port, "/room", verdict(secrets.token_hex(16)), Host=HTML, Origin="http://evil.example"),
            lambda: [one.sendall(piece) or time.sleep(0.5) for piece in [head.encode(), *[b"{"] * 30]],  # a slow body
        ])()  # fmt: skip


@pytest.mark.slow(15)
@pytest.mark.parametrize("seconds", [6, pytest.param(120, marks=pytest.mark.campaign)])
def test_a_class_with_hostile_clients(seconds, tmp_path):
    """300 sessions, ten verdicts in a second, a tenth of them malformed or hostile."""
    rng, last, delays, sessions = random.Random(seconds), {}, [], [secrets.token_hex(16) for _ in range(300)]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = f"-m lxmls_day1 room --port={port} --no-browser --save".split()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen([sys.executable, *command, str(tmp_path / "counts.json")], **streams)
    with process, ThreadPoolExecutor(40) as pool:
        try:
            printed = next(line for line in process.stdout if "board?" in line)
            own = cookie(port, re.search(r"board\?([\w-]+)", printed)[1])
            assert {each[0] for each in pool.map(lambda one: ask(port, "/room", {"session": one}), sessions)} == {200}
            start = time.monotonic()
            for n in range(10 * seconds):
                time.sleep(max(0.0, start + n / 10 - time.monotonic()))
                if n % 10 == 9:
                    pool.submit(attack, port, rng)
                    continue
                id = rng.choice(list(SENTENCES))
                mistakes = rng.sample(list(SENTENCES[id])[:9], rng.randrange(3))
                sent = verdict(rng.choice(sessions), id, rng.choice(["passed", "failed"]), mistakes)
                assert ask(port, "/room", sent)[0] == 200
                last[sent["session"], id] = sent
                before = time.monotonic()
                status, _, text = ask(port, "/board/counts", **own)
                delays.append(time.monotonic() - before)
                assert status == 200 and HTML not in text and json.loads(text)["people"] == 300
            for exercise in DAY:
                its = [one for (_, id), one in last.items() if id == exercise.id]
                named = Counter(name for one in its if one["verdict"] == "failed" for name in one["mistakes"])
                trying, solved, _, shown = row(json.loads(text), exercise.id)
                verdicts = [one["verdict"] for one in its]
                assert (trying, solved) == (verdicts.count("failed"), verdicts.count("passed"))
                assert [*shown.values()] == [n for _, n in named.most_common(3)] and shown.items() <= named.items()
            assert ask(port, f"/board/1.5/{NAMES[0]}", **own)[0] == 200
            memory = psutil.Process(process.pid).memory_info().rss
            assert memory < 150e6
            slow = sorted(delays)[len(delays) * 99 // 100]
            print(f"99 % of replies in {1e3 * slow:.0f} ms, all in {1e3 * max(delays):.0f} ms; {memory / 1e6:.0f} MB")
            assert slow < 0.2 or seconds < 60  # A busy machine may keep one reply waiting.
        finally:
            process.terminate()
            rest = process.communicate(timeout=60)[0]
    assert wording("room.closed", 300) in rest and "Traceback" not in rest
    saved = (tmp_path / "counts.json").read_text()
    assert json.loads(saved)["people"] == 300 and HTML not in saved and not any(one in saved for one in sessions)
