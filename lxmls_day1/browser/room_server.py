"""The server of a room: the built book with a script that offers to take part, the verdicts of a class, and the lecturer's board.

Students need only its address. The board needs the token in the printed address; a cookie replaces it, so that a projector does not show
it. A connection that has not sent its request in time is closed, and so is the oldest of the address with the most if there are too
many. Addresses are used for these limits only.
"""

import base64
import ipaddress
import json
import math
import re
import secrets
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.web_server import QuietHandler, QuietServer
from lxmls_day1.browser.room import FORMAT, FullRoom, RefusedMessage, Room
from lxmls_day1.course.diagnosis.counterexamples import CounterExample
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.lab import reference_folder

PORT = 8418  # the usual port, at which pages look for a room that was restarted
MAX_BYTES = 1000  # of a message
REQUEST_SECONDS = 10.0  # until a request, with its body, has arrived
SEND_SECONDS = 30.0  # without progress
SAVE_SECONDS = 10.0  # between two writes of the file
MAX_CONNECTIONS = 300
SESSION_LIMIT, ADDRESS_LIMIT = (1.0, 30), (50.0, 1000)  # messages a second over time, and at once
PAGE = Path(__file__).parent / "page"
QR_CODE = Path(__file__).parents[1] / "demos" / "page" / "lean_qr.js"
FILES = {path.name: path for path in (PAGE / "board.js", PAGE / "board.css", QR_CODE)}
BOOK_SCRIPT = "_static/exercise.js"  # of the book's pages with exercises; the room's own script is appended to it
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
WITHOUT_BOOK = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>The room</title>
<p>This room has no pages. Take part from your lab: <code>lxmls-day1 join {0}</code>, or in a notebook <code>lab.join("{0}")</code>."""


class _Allowance:
    """How many messages each sender may still send."""

    def __init__(self, rate: float, at_once: float):
        self._rate, self._at_once = rate, at_once
        self._left: dict[Any, tuple[float, float]] = {}

    def take(self, sender: Any) -> bool:
        """Return True, and count a message, if the sender has not used up its allowance."""
        now = time.monotonic()
        if len(self._left) > 2000:  # the senders that have their whole allowance again are forgotten
            self._left = {
                key: row for key, row in list(self._left.items()) if now - row[1] < self._at_once / self._rate
            }
        left, before = self._left.get(sender, (self._at_once, now))
        left = min(self._at_once, left + self._rate * (now - before))
        self._left[sender] = max(left - 1, 0), now
        return left >= 1


class RoomServer(QuietServer):
    """The server of a room.

    Parameters
    ----------
    host : str
        The address on which it listens.
    port : int
    book : Path, optional
        The folder of the built book. Default: no pages, only verdicts of workspaces.
    save : Path, optional
        The file of the counts.
    say : callable
        Print a sentence for the lecturer.
    """

    request_queue_size = 128

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = PORT,
        book: Path | None = None,
        save: Path | None = None,
        say: Callable[[str], None] = print,
    ):
        registry = Registry.from_folder(reference_folder())
        self._recorded = reference_folder() / RECORDED
        day = [exercise for exercise in registry if exercise.is_core]
        sentences: dict[str, Any] = {}
        for exercise in day:  # one after the other, because only the sentences are kept
            sentences |= RecordedAnswers.read_existing(self._recorded, [exercise.id]).sentences
        self.room, self.book, self.host, self._save, self._say = Room(day, sentences), book, host, save, say
        self.token, self._secret = secrets.token_urlsafe(16), secrets.randbits(60)
        self.of_session, self.of_address = _Allowance(*SESSION_LIMIT), _Allowance(*ADDRESS_LIMIT)
        self.connections: dict[
            socket.socket, tuple[str, float]
        ] = {}  # from each to its address, and when its request must be here
        self._saved = (0.0, "")  # when, and the sentence on an error
        super().__init__((host, port), _Handler)
        self.is_open = not ipaddress.ip_address(str(self.server_address[0])).is_loopback  # to other machines

    @property
    def address(self) -> str:
        """The address for students."""
        name = own_address() or "127.0.0.1" if self.host == "0.0.0.0" else self.host
        return f"http://{name}:{self.server_port}/"

    def source(self, address: str) -> int:
        """Return a number that stands for an address until the room closes."""
        return hash((self._secret, address))

    def arrived(self, connection: socket.socket) -> None:
        """Record that a request is here, so that its reply may take as long as the network needs."""
        if connection in self.connections:
            self.connections[connection] = self.connections[connection][0], math.inf

    def save(self) -> None:
        """Write the counts to the file; report an error once."""
        if self._save is None:
            return
        try:
            write_files_atomically(
                {self._save: json.dumps(self.room.summary(), ensure_ascii=False, indent=1).encode() + b"\n"}
            )
            problem = ""
        except (OSError, InputError) as error:
            problem = (
                f"{self._save} could not be written: {getattr(error, 'strerror', None) or error}. The room goes on."
            )
        if problem and problem != self._saved[1]:
            self._say(problem)
        self._saved = time.monotonic(), problem

    def get_request(self) -> Any:
        """Accept a connection; close the oldest of the address with the most if there are too many."""
        connection, address = super().get_request()
        if len(self.connections) >= MAX_CONNECTIONS:
            most = Counter(each for each, _ in list(self.connections.values())).most_common(1)[0][0]
            _close(next(one for one, (each, _) in list(self.connections.items()) if each == most))
        self.connections[connection] = address[0], time.monotonic() + REQUEST_SECONDS
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        """End a connection."""
        self.connections.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Twice a second: close connections whose requests are late, add to the history, and save."""
        now = time.monotonic()
        for connection, (_, until) in list(self.connections.items()):
            if now > until:
                _close(connection)
        self.room.history()
        if now > self._saved[0] + SAVE_SECONDS:
            self.save()

    def warm_up(self) -> None:
        """Draw a picture, so that the first one on the board does not wait for matplotlib."""
        id = next(id for id, exercise in self.room.exercises.items() if exercise.counter_example)
        self.example(id, next(iter(self.room.sentences[id])))

    def example(self, exercise: str, mistake: str) -> dict[str, Any]:
        """Return the sentence of a mistake, and the smallest input with its wrong answer: a picture, or lines if it cannot be drawn."""
        from lxmls_day1.figures.counter_examples import (
            render_png,
        )  # imports matplotlib, which most requests do not need

        pool, kind = (
            RecordedAnswers.read(self._recorded, [exercise]).pools[exercise],
            self.room.exercises[exercise].counter_example,
        )
        found = [
            CounterExample(given, answers[0], answers[place])
            for program in pool.programs[mistake]
            for given, answers, place in zip(pool.inputs, pool.answers, program, strict=True)
            if place
        ]
        drawn = (render_png(kind, one.given, one.wanted.array, one.got.array, dpi=250) for one in found if kind)
        png = next(filter(None, drawn), None)
        lines = [] if png or not found else found[0].lines()
        picture = f"data:image/png;base64,{base64.b64encode(png).decode()}" if png else ""
        return {"sentence": self.room.sentences[exercise][mistake], "picture": picture, "lines": lines}


def _close(connection: socket.socket) -> None:
    """End what a connection sends and receives; its thread then closes it."""
    with suppress(OSError):  # it is closed already
        connection.shutdown(socket.SHUT_RDWR)


def own_address() -> str:
    """Return the address of this machine in its network; empty if it is in none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 1))
        except OSError:
            return ""
        return str(probe.getsockname()[0])


class _Handler(QuietHandler):
    """A handler of one request."""

    server: RoomServer
    timeout = SEND_SECONDS
    referrer_policy = "same-origin"  # with "no-referrer", some browsers hide the origin of a message, too

    def __init__(self, request: Any, address: Any, server: RoomServer):
        super().__init__(request, address, server, directory=str(server.book or PAGE))

    def parse_request(self) -> bool:
        """Read the head of a request; refuse it if it comes from a page of another site."""
        if not super().parse_request():
            return False
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        # A number is no name that another site could lead to this machine.
        is_number = re.fullmatch(r"[\d.]+", name := host.partition(":")[0], re.ASCII) is not None
        ours = self.has_host(self.server.host, "localhost", *[name] * is_number)
        if not ours or origin not in (None, f"http://{host}"):
            self.send_error(HTTPStatus.FORBIDDEN, f"open {self.server.address}")
            return False

        if self.command != "POST":  # otherwise the body is still to come
            self.server.arrived(self.connection)
        return True

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        book = self.server.book
        if path == "/room":
            self._send_json({"format": FORMAT, "exercises": [*self.server.room.exercises]})
        elif path.startswith("/room/") and (file := FILES.get(path.removeprefix("/room/"))):
            self.send_content(file.read_bytes(), self.guess_type(file))
        elif path == "/board" or path.startswith("/board/"):
            self._send_board(path.removeprefix("/board").strip("/"), query)
        elif book is None:
            self.send_content(WITHOUT_BOOK.format(self.server.address.rstrip("/")))
        elif path == f"/{BOOK_SCRIPT}" and (book / BOOK_SCRIPT).is_file():
            script = (book / BOOK_SCRIPT).read_bytes() + b"\n" + (PAGE / "room.js").read_bytes()
            self.send_content(script, self.guess_type(BOOK_SCRIPT))
        else:
            (super().do_HEAD if self.command == "HEAD" else super().do_GET)()

    do_HEAD = do_GET

    def do_POST(self) -> None:
        message = self.read_json(MAX_BYTES, MAX_BYTES, "a message")
        self.server.arrived(self.connection)
        if message is NotImplemented:
            return
        source = self.server.source(self.client_address[0])
        session = message.get("session") if type(message) is dict else None
        if self.path != "/room":
            self.send_error(HTTPStatus.NOT_FOUND)
        elif not self.server.of_address.take(source) or not self.server.of_session.take(str(session)[:40]):
            self.send_error(HTTPStatus.TOO_MANY_REQUESTS, "wait a few seconds")
        else:
            try:
                self._send_json({"known": self.server.room.receive(message, source)})
            except RefusedMessage as refused:
                status = HTTPStatus.SERVICE_UNAVAILABLE if isinstance(refused, FullRoom) else HTTPStatus.BAD_REQUEST
                self.send_error(status, str(refused))

    def _send_board(self, name: str, query: str) -> None:
        """Send the board or its data to the lecturer's browser, which has the token in a cookie after its first request."""
        server, cookie = self.server, f"room_{self.port}"
        given = re.search(rf"(?:^|; ){cookie}=([\w-]+)", self.headers.get("Cookie", ""), re.ASCII)
        has_cookie, has_token = (
            secrets.compare_digest(text.encode(), server.token.encode()) for text in (given[1] if given else "", query)
        )
        exercise, _, mistake = name.removeprefix("mistakes/").partition("/")
        if has_token and not name:
            header = {
                "Set-Cookie": f"{cookie}={server.token}; Path=/board; HttpOnly; SameSite=Strict",
                "Location": "/board",
            }
            self.send_content("", status=HTTPStatus.SEE_OTHER, headers=header)
        elif not has_cookie:
            self.send_error(
                HTTPStatus.FORBIDDEN, "open the board's address that lxmls-day1 room has printed; it sets a cookie"
            )
        elif not name:
            self.send_content((PAGE / "board.html").read_bytes(), headers={"Content-Security-Policy": POLICY})
        elif name == "counts":
            here = {
                "address": server.address,
                "open": server.is_open,
                "own": own_address(),
                "book": server.book is not None,
            }
            self._send_json(server.room.counts() | here)
        elif name == "history":
            self._send_json(server.room.history())
        elif mistake in server.room.sentences.get(exercise, ()):
            self._send_json(server.example(exercise, mistake))
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send_json(self, content: Any) -> None:
        self.send_content(json.dumps(content, ensure_ascii=False), "application/json")
