"""The server of a room: the built book with a script that offers to take part, the verdicts of a class, and the lecturer's board.

Students need only its address. The board needs the token in the printed address; a cookie replaces it, so that a projector does not show
it. Addresses of clients are used for limits only.
"""

import base64
import ipaddress
import json
import re
import secrets
import socket
import sys
import time
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.web_server import QuietHandler, QuietServer
from lxmls_day1.browser.room import Room
from lxmls_day1.course.diagnosis.probe_inputs import CounterExample
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.lab import reference_folder

MAX_BYTES = 1000  # bytes in a message
PERIOD_SECONDS = 10.0  # between two writes of the counts; the limits are for this time
MAX_OF_SESSION, MAX_OF_ADDRESS = 30, 1000  # messages
PAGE = Path(__file__).parent / "page"
OWN_FILES = (PAGE / "board.js", PAGE / "board.css", Path(__file__).parents[1] / "demos/page/lean_qr.js")
BOOK_SCRIPT = "_static/exercise.js"  # The room appends its own script to this script of the book.
POLICY = (
    "default-src 'self'; img-src data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
WITHOUT_BOOK = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>The room</title><p>This room has no pages. Take part from your lab: <code>lxmls-day1 join {0}</code>."""


class RoomServer(QuietServer):
    """The server of a room.

    Parameters
    ----------
    host : str
        The address on which it listens.
    port : int
    book : Path, optional
        The folder of the built book. Default: no pages, only verdicts of workspaces.
    file : Path, optional
        The file in which the counts are saved.
    """

    def __init__(self, host: str, port: int, book: Path | None = None, file: Path | None = None):
        self.recorded = reference_folder() / RECORDED
        day = [exercise for exercise in Registry.from_folder(reference_folder()) if exercise.is_core]
        # One exercise after the other, because only the sentences are kept.
        known = [RecordedAnswers.read_existing(self.recorded, [exercise.id]).sentences for exercise in day]
        self.room = Room(day, {id: sentences for each in known for id, sentences in each.items()})
        self.book, self.host, self.file, self.problem, self.due = book, host, file, "", 0.0
        self.token, self.secret = secrets.token_urlsafe(16), secrets.randbits(60)
        self.messages: Counter[str] = Counter()  # The messages from each session and each address in this period.
        super().__init__((host, port), _Handler)
        self.is_open = not ipaddress.ip_address(str(self.server_address[0])).is_loopback  # to other machines

    @property
    def address(self) -> str:
        """The address for students."""
        return f"http://{own_address() or 'localhost' if self.host == '0.0.0.0' else self.host}:{self.server_port}"

    @property
    def invitation(self) -> str:
        """The sentence on how to take part, or on how to open the room."""
        if self.is_open:
            return "Open it in a browser, choose an exercise, and press “Take part”." if self.book else ""
        opens = f"`lxmls-day1 room --host {own_address()}` opens it to your network."
        return f"Only this machine can open it. {opens if own_address() else 'It is in no network: connect it, then use --host.'}"

    def service_actions(self) -> None:
        """After each period, add to the history, forget the numbers of messages, and save."""
        super().service_actions()
        if time.monotonic() > self.due:
            self.due = time.monotonic() + PERIOD_SECONDS
            self.messages.clear()
            self.save()

    def save(self) -> None:
        """Write the counts, which become part of the history, to the file; print an error once."""
        before, self.problem = self.problem, ""
        content = json.dumps({"format": 1, **self.room.counts(ever=True)}, ensure_ascii=False, indent=1) + "\n"
        try:
            write_files_atomically({self.file: content.encode()} if self.file else {})
        except (OSError, InputError) as error:
            self.problem = f"{self.file} could not be written: {getattr(error, 'strerror', '') or error}."
            if self.problem != before:
                print(self.problem, file=sys.stderr)

    def example(self, exercise: str, mistake: str) -> dict[str, Any]:
        """Return the smallest input with the wrong answer of a mistake: a picture, or lines if it cannot be drawn."""
        from lxmls_day1.figures.counter_examples import render_png  # imported here because it imports matplotlib

        pool = RecordedAnswers.read(self.recorded, [exercise]).pools[exercise]
        kind, (program, *_) = self.room.exercises[exercise].counter_example, pool.programs[mistake]
        rows = zip(pool.inputs, pool.answers, program, strict=True)
        found = [CounterExample(given, answers[0], answers[place]) for given, answers, place in rows if place]
        drawn = (render_png(kind, one.given, one.wanted.array, one.got.array, dpi=250) for one in found if kind)
        picture = next(filter(None, drawn), b"")
        return {"picture": base64.b64encode(picture).decode(), "lines": found[0].lines()}


def own_address() -> str:
    """Return the address of this machine in its network; empty if it is in none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("10.255.255.255", 1))
        return str(probe.getsockname()[0])
    return ""


class _Handler(QuietHandler):
    """A handler of one request."""

    server: RoomServer
    referrer_policy = "same-origin"  # with "no-referrer", some browsers hide the origin of a message, too

    def __init__(self, request: Any, address: Any, server: RoomServer):
        super().__init__(request, address, server, directory=str(server.book or PAGE))

    def parse_request(self) -> bool:
        """Read the head of a request; refuse it if it comes from a page of another site."""
        if not super().parse_request():
            return False
        host = self.headers.get("Host", "")
        # Another site can lead a name to this machine, but not a number.
        number = re.fullmatch(r"([\d.]+)(:\d+)?", host, re.ASCII)
        ours = self.has_host(self.server.host, "localhost", number[1] if number else "localhost")
        if not ours or self.headers.get("Origin") not in (None, f"http://{host}"):
            self.send_error(HTTPStatus.FORBIDDEN, f"open {self.server.address}")
        return ours and self.headers.get("Origin") in (None, f"http://{host}")

    def do_GET(self) -> None:
        server, (path, _, query) = self.server, self.path.partition("?")
        own = next((file for file in OWN_FILES if path == f"/room/{file.name}"), None)
        if path == "/room":
            self._send_json({"exercises": {id: [*known] for id, known in server.room.sentences.items()}})
        elif own:
            self.send_content(own.read_bytes(), self.guess_type(own))
        elif re.match("/board(/|$)", path):
            self._send_board(path[7:], query)
        elif server.book is None:
            self.send_content(WITHOUT_BOOK.format(server.address))
        elif path == f"/{BOOK_SCRIPT}":
            script = (server.book / BOOK_SCRIPT).read_bytes() + b"\n" + (PAGE / "room.js").read_bytes()
            self.send_content(script, self.guess_type(path))
        else:
            (super().do_HEAD if self.command == "HEAD" else super().do_GET)()

    do_HEAD = do_GET

    def do_POST(self) -> None:
        message = self.read_json(MAX_BYTES, MAX_BYTES, "a message")
        if message is NotImplemented:
            return
        address, counted = self.client_address[0], self.server.messages
        session = str(message.get("session"))[:32] if type(message) is dict else ""
        counted.update((address, session))
        if self.path != "/room":
            self.send_error(HTTPStatus.NOT_FOUND)
        elif counted[address] > MAX_OF_ADDRESS or counted[session] > MAX_OF_SESSION:
            self.send_error(HTTPStatus.TOO_MANY_REQUESTS)
        else:
            status, reply = self.server.room.receive(message, hash((self.server.secret, address)))
            self._send_json(reply, status)

    def _send_board(self, name: str, query: str) -> None:
        """Send the board or its data to the lecturer's browser, which has the token in a cookie after its first request."""
        server, own = self.server, f"room_{self.server.server_port}={self.server.token}"
        cookies = self.headers.get("Cookie", "").split("; ")
        exercise, _, mistake = name.partition("/")
        if not name and secrets.compare_digest(query.encode(), server.token.encode()):
            cookie = f"{own}; Path=/board; HttpOnly; SameSite=Strict"
            self.send_content("", status=HTTPStatus.SEE_OTHER, Location="/board", Set_Cookie=cookie)
        elif not any(secrets.compare_digest(cookie.encode(), own.encode()) for cookie in cookies):
            self.send_error(
                HTTPStatus.FORBIDDEN, "open the board's address that was printed, in a browser with cookies"
            )
        elif not name:
            self.send_content((PAGE / "board.html").read_bytes(), Content_Security_Policy=POLICY)
        elif name == "counts":
            here = {"address": server.address, "open": server.is_open, "how": server.invitation}
            self._send_json(server.room.counts() | here)
        elif mistake in server.room.sentences.get(exercise, ()):
            self._send_json(server.example(exercise, mistake))
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send_json(self, content: Any, status: int = HTTPStatus.OK) -> None:
        self.send_content(json.dumps(content, ensure_ascii=False), "application/json", status)
