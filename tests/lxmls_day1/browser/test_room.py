"""The room: what is counted, what is refused, the board and six pages in a browser, and a class with hostile clients."""

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

from lxmls_day1.browser import room_server as serving
from lxmls_day1.browser.exercise_pages import exercise_pages
from lxmls_day1.browser.room import MAX_SESSIONS, FullRoom, RefusedMessage, Room
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.lab import reference_folder
from tests.wording import wording

ROOT = reference_folder()
DAY = [exercise for exercise in Registry.from_folder(ROOT) if exercise.is_core]
SENTENCES = RecordedAnswers.read_existing(ROOT / RECORDED, [exercise.id for exercise in DAY]).sentences
HALF = next(iter(SENTENCES["1.5"]))
HTML = "<img src=x onerror=alert(1)>"
MARKS = ("passed", "failed")


def verdict(session, exercise="1.5", verdict="failed", mistakes=(HALF,), tries=1):
    return {"session": session, "exercise": exercise, "verdict": verdict, "mistakes": list(mistakes), "tries": tries}


def row(counts, id="1.5"):
    return next(one for one in counts["exercises"] if one["id"] == id)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def room():
    return Room(DAY, SENTENCES, Clock())


def test_the_last_verdict_of_each_session_counts(room):
    a, b = secrets.token_hex(16), secrets.token_hex(16)
    assert [room.receive({"session": a}), room.receive(verdict(a)), room.receive(verdict(b, tries=4))] == [
        False,
        True,
        False,
    ]
    assert row(room.counts())["mistakes"] == [[HALF, SENTENCES["1.5"][HALF], 2]]
    room.receive(verdict(b, verdict="passed", mistakes=(), tries=5))
    found = row(room.counts())
    assert (found["trying"], found["solved"], found["tries"], found["mistakes"][0][2]) == (1, 1, 5, 1)
    assert row(room.summary())["mistakes"] == {HALF: 2}  # at any time
    room._clock.now += 1201
    assert (
        row(room.counts())["mistakes"] == [] and row(room.counts())["trying"] == 1
    )  # a mistake of half an hour ago is not one of now
    room.receive({"session": a, "leave": True})
    assert row(room.summary())["mistakes"] == {HALF: 1} and room.counts()["people"] == 1
    assert a not in json.dumps(room.summary()) and b not in json.dumps(room.summary())


REFUSED = [
    None, [], 5, {}, {"session": HTML}, {"session": "A" * 32}, {"session": "0" * 33}, {"session": "٣" * 32}, {"session": ["0" * 32]},
    *({**verdict("0" * 32), **changed} for changed in (
        {"exercise": HTML}, {"exercise": "1.9"}, {"exercise": 1.5}, {"exercise": []}, {"verdict": HTML}, {"verdict": None},
        {"mistakes": [HTML]}, {"mistakes": HALF}, {"mistakes": [HALF] * 4}, {"mistakes": [[HALF]]}, {"mistakes": {HALF: 1}},
        {"tries": 0}, {"tries": 10**300}, {"tries": 1e999}, {"tries": True}, {"tries": "1"}, {"name": HTML}, {"leave": True},
    )),
    {"session": "0" * 32, "leave": 1}, {"session": "0" * 32, "leave": HTML}, {"session": "0" * 32, "exercise": "1.5"},
]  # fmt: skip


@pytest.mark.parametrize("message", REFUSED, ids=repr)
def test_refuses_everything_that_is_not_known(room, message):
    with pytest.raises(RefusedMessage) as refused:
        room.receive(message)
    assert HTML not in str(refused.value) and room.counts()["people"] == 0


def test_one_source_keeps_nobody_out_of_a_full_room(room):
    flood = [secrets.token_hex(16) for _ in range(MAX_SESSIONS)]
    for session in flood:
        room.receive({"session": session}, source=1)
    with pytest.raises(FullRoom):
        room.receive({"session": "a" * 32}, source=1)
    room.receive(verdict("b" * 32), source=2)
    assert room.counts()["people"] == MAX_SESSIONS and row(room.counts())["trying"] == 1
    with pytest.raises(FullRoom):  # the oldest one of the flood has gone
        room.receive({"session": flood[0]}, source=1)


def test_the_history_keeps_its_length_and_ends_now(room):
    for room._clock.now in range(0, 36000, 10):
        room.history()
    room.receive(verdict("0" * 32))
    minutes = [sample[0] for sample in room.history()]
    assert (
        len(minutes) <= 362
        and minutes == sorted(minutes)
        and minutes[0] == 0
        and room.history()[-1][1:] == [1, [[int(e.id == "1.5"), 0] for e in DAY]]
    )


# ---- the server -------------------------------------------------------------------------------------------------------------


@contextmanager
def opened(folder=None, port=0, **settings):
    """A running room; a file of its book is `index.html`."""
    with serving.RoomServer("127.0.0.1", port, folder, **settings) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(port, path, body=None, **headers):
    """The status, the headers and the text of a reply."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(
            "GET" if body is None else "POST",
            path,
            body if isinstance(body, bytes | None) else json.dumps(body),
            headers,
        )
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read().decode()
    finally:
        connection.close()


def cookie(port, token):
    status, headers, _ = ask(port, f"/board?{token}")
    assert status == 303 and headers["Location"] == "/board" and "HttpOnly; SameSite=Strict" in headers["Set-Cookie"]
    return headers["Set-Cookie"].partition(";")[0]


@pytest.fixture
def book(tmp_path):
    (tmp_path / "book/_static").mkdir(parents=True)
    (tmp_path / "book/index.html").write_text("the book")
    (tmp_path / "book/.hidden").write_text("secret")
    (tmp_path / "book/_static/exercise.js").write_text("// lxmls-day1 verdict")
    (tmp_path / "secret").write_text("secret")
    return tmp_path / "book"


def test_what_is_served_and_to_whom(book):
    with opened(book) as server:
        port = server.server_port
        assert ask(port, "/")[2] == "the book" and "lxmls-day1 room" in ask(port, "/_static/exercise.js?v=1")[2]
        for path in (
            "/../secret",
            "/%2e%2e/secret",
            "/..%2fsecret",
            "/.hidden",
            "/_static/",
            "/%00",
            "/_static/../../secret",
            "/room/board.html",
        ):
            status, _, text = ask(port, path)
            assert status in (400, 404) and "secret" not in text.replace("secret'", ""), path
        for path in (
            "/board",
            "/board?wrong",
            "/board/counts",
            "/board/history",
            f"/board/mistakes/1.5/{HALF}",
            f"/board/counts?{server.token}",
        ):
            assert ask(port, path)[0] == ask(port, path, Cookie=f"room_{port}=é")[0] == 403
        own = {"Cookie": f"a=b; {cookie(port, server.token)}"}
        status, headers, _ = ask(port, "/board", **own)
        assert status == 200 and "script-src 'self'; style-src 'self'" in headers["Content-Security-Policy"]
        assert ask(port, "/board/mistakes/1.5/none", **own)[0] == ask(port, "/board/mistakes/../1.5", **own)[0] == 404
        drawn = json.loads(ask(port, f"/board/mistakes/1.5/{HALF}", **own)[2])
        assert drawn["sentence"] == SENTENCES["1.5"][HALF] and drawn["picture"].startswith("data:image/png;base64,")
        listed = json.loads(ask(port, f"/board/mistakes/1.2/{next(iter(SENTENCES['1.2']))}", **own)[2])
        assert not listed["picture"] and listed["lines"][-1][0].startswith("yours")
        for headers in (
            {"Host": "evil.example"},
            {"Host": f"evil.example:{port}"},
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
        ):
            assert ask(port, "/", **headers)[0] == ask(port, "/room", {"session": "0" * 32}, **headers)[0] == 403
        assert ask(port, "/room", {"session": "0" * 32}, Origin=f"http://127.0.0.1:{port}")[2] == '{"known": false}'
    with opened() as server:
        assert server.address.rstrip("/") in ask(server.server_port, "/anything")[2]


def test_messages_are_limited_in_size_number_and_time(monkeypatch, capfd):
    monkeypatch.setattr(serving, "REQUEST_SECONDS", 0.1)
    monkeypatch.setattr(serving, "MAX_CONNECTIONS", 20)
    with opened() as server:
        port, session = server.server_port, {"session": "0" * 32}
        assert (
            ask(port, "/room", b" " * 1001)[0] == 413
            and ask(port, "/room", b"[" * 900)[0] == 400
            and ask(port, "/other", session)[0] == 404
        )
        statuses = Counter(ask(port, "/room", session)[0] for _ in range(60))
        assert statuses[429] and statuses[200] >= 30
        assert ask(port, "/room", {"session": "1" * 32})[0] == 200  # the others are not held up
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        idle[-1].sendall(b"POST /room HTTP/1.0\r\nHost: localhost:%d\r\nContent-Length: 500\r\n\r\n{" % port)
        for one in idle:  # each is closed
            with suppress(ConnectionResetError):
                one.settimeout(60)
                assert one.recv(100) == b""
            one.close()
        assert ask(port, "/room")[0] == 200 and capfd.readouterr() == ("", "")


def test_the_counts_are_saved_and_a_full_disk_is_told_once(tmp_path, monkeypatch):
    told = []
    with opened(save=tmp_path / "counts.json", say=told.append) as server:
        server.room.receive(verdict("0" * 32))
        server.save()
        saved = json.loads((tmp_path / "counts.json").read_text())
        assert saved["people"] == 1 and row(saved)["mistakes"] == {HALF: 1} and saved["history"]
        server._save = tmp_path / "none/counts.json"
        server.save()
        server.save()
        assert len(told) == 1 and "counts.json" in told[0]


# ---- a board and six pages in a browser ------------------------------------------------------------------------------------------


def beside(name):
    spec = importlib.util.spec_from_file_location(f"browser_tests_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of exercises, whose Python answers with the mistake that is written into the gap."""
    use, folder = beside("test_exercise_page_use"), tmp_path_factory.mktemp("book")
    made = exercise_pages(ROOT)
    for path in (path for path in use.FILES.rglob("*.*") if path.is_file()):
        (to := folder / "_static" / path.relative_to(use.FILES)).parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(path.read_bytes())
    told = {name: json.dumps(answer) for name, answer in (("right", use.RIGHT), ("wrong", use.WRONG))}
    (folder / "_static/exercises").mkdir()
    (folder / "_static/exercises/exercise_worker.js").write_text(f"""self.postMessage({{ kind: "ready" }});
self.onmessage = ({{ data: {{ kind, exercise, written }} }}) => {{
  const text = written[exercise].join();
  const answer = text.includes("right") ? {{ ...{told["right"]}, verdict: "passed", mistakes: [] }} : {{ ...{told["wrong"]}, verdict: "failed", mistakes: [text.trim()] }};
  self.postMessage({{ ...answer, kind, exercise }});
}};""")
    (folder / "docs/exercises").mkdir(parents=True)
    for id in ("1.4", "1.5"):
        (folder / f"docs/exercises/{id}.html").write_text(use.PAGE.format(theme="light", cell=made[f"{id}.html"]))
    (folder / "index.html").write_text("")
    return folder


def check(page, text):
    page.get_by_label("Your lines").first.fill(text)
    page.get_by_role("button", name="Check", exact=True).click()


@pytest.mark.slow(15)
@pytest.mark.parametrize("seconds", [60, pytest.param(1, marks=pytest.mark.campaign)])
def test_a_board_and_six_pages_each_with_another_mistake(pages, chromium, serious, seconds):
    errors, names = [], list(SENTENCES["1.5"])[:6]
    contexts = [chromium.new_context(viewport={"width": 1920, "height": 1080}) for _ in range(7)]
    with opened(pages) as server:
        port = server.server_port
        board, *readers = [context.new_page() for context in contexts]
        for page in (board, *readers):
            page.on("pageerror", lambda error: errors.append(str(error)))
        board.goto(f"{server.address}board?{server.token}")
        board.get_by_text(wording("room.only_this_machine")).wait_for()
        assert server.token not in board.url
        board.keyboard.press("2")
        for page in readers:
            page.goto(f"{server.address}docs/exercises/1.5.html")
            page.wait_for_selector(".jar")
            page.get_by_role("button", name="Take part").click()
            page.get_by_role("button", name="Leave the room").wait_for()
        board.get_by_text(wording("room.take_part", 6)).wait_for()
        for n, (page, name) in enumerate(zip(readers, names, strict=True), 1):
            check(page, name)
            page.wait_for_selector(".report .headline")
            tried = board.locator(".now tbody tr:not(.mistake)").nth(4).locator("td").nth(2)
            tried.filter(has_text=re.compile(f"^{n}$")).wait_for(timeout=1000 * seconds)
        assert board.locator(".mistake").count() == 3  # of six; each was named once
        check(readers[5], names[0])
        board.locator(".mistake", has_text="2 ×").wait_for()
        assert serious(board) == [] and serious(readers[0]) == []
        board.keyboard.press("a")
        board.locator(".one img").wait_for()
        assert (
            SENTENCES["1.5"][names[0]].startswith(board.locator(".one .sentence").inner_text()) and serious(board) == []
        )
        board.keyboard.press("Escape")
        board.keyboard.press("3")
        board.locator(".time svg").first.wait_for()
        board.keyboard.press("4")
        assert serious(board) == []
        board.keyboard.press("2")
        readers[1].get_by_role("button", name="Leave the room").click()
        board.get_by_text(wording("room.take_part", 5)).wait_for()
        readers[2].goto(f"{server.address}docs/exercises/1.4.html")  # it is asked once
        readers[2].get_by_role("button", name="Leave the room").wait_for()
    # The room is gone: a page goes on, says so, and joins the next room at this address with its verdict.
    readers[0].wait_for_selector(".jar")
    check(readers[0], "right")
    readers[0].get_by_text(wording("room.does_not_answer")).wait_for()
    board.get_by_text(wording("room.does_not_answer")).wait_for()
    with opened(pages, port) as server:
        board.get_by_text(wording("room.opened_anew")).wait_for()
        while not row(server.room.counts())["solved"]:
            readers[0].wait_for_timeout(100)
        assert row(server.room.counts())["tries"] == 2 and errors == []
    for context in contexts:
        context.close()


# ---- a class with hostile clients --------------------------------------------------------------------------------------------------


def hostile(port, rng):
    """Attack the room in one of many ways."""
    kind = rng.randrange(9)
    head = f"POST /room HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: "
    with suppress(OSError, http.client.HTTPException):
        if kind == 0:
            ask(port, "/room", b"<script>" * 1_250_000)
        elif kind == 1:
            ask(port, "/room", rng.choice(REFUSED))
        elif kind == 2:
            ask(port, "/room", {key: HTML for key in verdict("")})
        elif kind == 3:
            ask(port, rng.choice(["/../" * 20 + "etc/passwd", f"/{HTML}", "/board/counts", "/" + "a" * 70_000]))
        elif kind == 4:
            ask(port, "/room", verdict(secrets.token_hex(16)), Host=HTML, Origin="http://evil.example")
        else:
            with socket.create_connection(("127.0.0.1", port)) as one:
                one.settimeout(20)
                one.sendall((head + {5: "9" * 5000, 6: "-1", 7: "500", 8: "١٢"}[kind] + "\r\n\r\n").encode())
                for _ in range(30 if kind == 7 else 1):  # a slow body
                    one.sendall(b"{")
                    time.sleep(0.5)
                one.recv(1000)


@pytest.mark.slow(15)
@pytest.mark.parametrize("seconds", [6, pytest.param(120, marks=pytest.mark.campaign)])
def test_a_class_with_hostile_clients(seconds, tmp_path):
    """300 sessions, ten verdicts a second, a tenth of them malformed or hostile."""
    rng, expected, delays = random.Random(seconds), {}, []
    command = [
        sys.executable,
        "-m",
        "lxmls_day1",
        "room",
        "--port",
        str(free_port()),
        "--no-browser",
        "--save",
        str(tmp_path / "counts.json"),
    ]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process,
        ThreadPoolExecutor(40) as pool,
    ):
        try:
            printed = next(line for line in process.stdout if "board?" in line)
            port, token = re.search(r":(\d+)/board\?([\w-]+)", printed).groups()
            port, own = int(port), {"Cookie": cookie(int(port), token)}
            sessions = [secrets.token_hex(16) for _ in range(300)]
            assert {each[0] for each in pool.map(lambda one: ask(port, "/room", {"session": one}), sessions)} == {200}
            start = time.monotonic()
            for n in range(10 * seconds):
                time.sleep(max(0.0, start + n / 10 - time.monotonic()))
                if n % 10 == 9:
                    pool.submit(hostile, port, rng)
                    continue
                exercise = rng.choice(list(SENTENCES))
                sent = verdict(
                    rng.choice(sessions),
                    exercise,
                    rng.choice(MARKS),
                    rng.sample(list(SENTENCES[exercise])[:9], rng.randrange(3)),
                )
                assert ask(port, "/room", sent)[0] == 200
                expected[sent["session"], exercise] = sent
                before = time.monotonic()
                status, _, text = ask(port, "/board/counts", **own)
                delays.append(time.monotonic() - before)
                assert status == 200 and HTML not in text and json.loads(text)["people"] == 300
            counts = json.loads(ask(port, "/board/counts", **own)[2])
            for exercise in DAY:
                its = [one for (_, id), one in expected.items() if id == exercise.id]
                named = Counter(name for one in its if one["verdict"] == "failed" for name in one["mistakes"])
                found = row(counts, exercise.id)
                assert [found["solved"], found["trying"]] == [
                    sum(one["verdict"] == mark for one in its) for mark in MARKS
                ]
                assert [n for *_, n in found["mistakes"]] == [n for _, n in named.most_common(3)]
                assert all(
                    SENTENCES[exercise.id][name] == text and named[name] == n for name, text, n in found["mistakes"]
                )
            assert ask(port, f"/board/mistakes/1.5/{HALF}", **own)[0] == 200
            assert psutil.Process(process.pid).memory_info().rss < 150e6
            if seconds > 60:
                assert max(delays) < 0.2
                print(
                    f"slowest reply {1000 * max(delays):.0f} ms, memory {psutil.Process(process.pid).memory_info().rss / 1e6:.0f} MB"
                )
        finally:
            process.terminate()
            rest = process.communicate(timeout=60)[0]
    assert wording("room.closed", 300) in rest and "Traceback" not in rest
    saved = (tmp_path / "counts.json").read_text()
    assert json.loads(saved)["people"] == 300 and HTML not in saved and not any(one in saved for one in sessions)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]
