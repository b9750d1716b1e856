"""The server of a room: the built book with a script that offers to take part, the verdicts of a class, and the lecturer's board.

Students need only its address. The board needs the token in the printed address; a cookie replaces it, so that a projector does not show
it. Addresses of clients are used for limits only.
"""

import base64
import json
import re
import secrets
import socket
import time
from collections import Counter
from contextlib import suppress
from functools import partial
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
PERIOD_SECONDS = 30.0  # between two points of the history; the limits are for this time
MAX_OF_SESSION, MAX_OF_ADDRESS = 90, 3000  # messages
PAGE = Path(__file__).parent / "page"
FILES = (PAGE / "board.js", PAGE / "board.css", Path(__file__).parents[1] / "demos/page/lean_qr.js")
BOOK_SCRIPT = "_static/exercise.js"  # The room appends its own script to this script of the book.
POLICY = "default-src 'self'; img-src data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"


class RoomServer(QuietServer):
    """The server of a room.

    Parameters
    ----------
    host : str
        The address on which it listens.
    port : int
    book : Path
        The folder of the built book.
    file : Path, optional
        The file in which the counts are saved.
    """

    def __init__(self, host: str, port: int, book: Path, file: Path | None = None):
        self.recorded = reference_folder() / RECORDED
        # Exercises without checks have no verdicts.
        day = [one for one in Registry.from_folder(reference_folder()) if one.is_core and one.has_code]
        # One exercise after the other, because only the sentences are kept.
        known = [RecordedAnswers.read_existing(self.recorded, [exercise.id]).sentences for exercise in day]
        self.room = Room(day, {id: sentences for each in known for id, sentences in each.items()})
        self.file, self.token, self.due = file, secrets.token_urlsafe(16), 0.0
        self.messages: Counter[str] = Counter()  # The messages from each session and each address in this period.
        #: The contents of paths that the book does not have, or has in part.
        self.contents = {f"/room/{file.name}": file.read_bytes() for file in FILES}
        self.contents[f"/{BOOK_SCRIPT}"] = (book / BOOK_SCRIPT).read_bytes() + b"\n" + (PAGE / "room.js").read_bytes()
        super().__init__((host, port), partial(_Handler, directory=str(book)))
        #: The address for students.
        self.address = f"http://{own_address() if host == '0.0.0.0' else host}:{self.server_port}"
        closed = f"Only this machine can open it; “lxmls-day1 room --host {own_address()}” opens it to your network."
        is_closed = str(self.server_address[0]).startswith("127.")
        #: How to take part, or how to open the room.
        self.invitation = closed if is_closed else "Open it in a browser, choose an exercise, and press “Take part”."

    def service_actions(self) -> None:
        """After each period, add to the history, forget the numbers of messages, and save."""
        super().service_actions()
        if time.monotonic() > self.due:
            self.due = time.monotonic() + PERIOD_SECONDS
            self.messages.clear()
            self.room.add_to_history()
            self.save()

    def save(self) -> str:
        """Write the counts to the file, if there is one, and return a sentence on that."""
        if self.file is None:
            return "Nothing is kept."
        content = json.dumps({"format": 1, **self.room.counts()}, ensure_ascii=False, indent=1) + "\n"
        try:
            write_files_atomically({self.file: content.encode()})
        except (OSError, InputError) as error:
            return f"{self.file} cannot be written: {getattr(error, 'strerror', '') or error}."
        return f"The counts are in {self.file}."

    def example(self, exercise: str, mistake: str) -> dict[str, Any]:
        """Return the smallest input with the wrong answer of a mistake: a picture, or lines if it cannot be drawn."""
        from lxmls_day1.figures.counter_examples import render_png  # imported here because it imports matplotlib

        pool = RecordedAnswers.read(self.recorded, [exercise]).pools[exercise]
        kind, (program, *_) = self.room.exercises[exercise].counter_example, pool.programs[mistake]
        rows = zip(pool.inputs, pool.answers, program, strict=True)
        found = [CounterExample(given, answers[0], answers[place]) for given, answers, place in rows if place]
        drawn = (render_png(kind, one.given, one.wanted.array, one.got.array, dpi=250) for one in found if kind)
        picture = next(filter(None, drawn), b"")
        return {"picture": base64.b64encode(picture).decode(), "text": "\n".join(map(": ".join, found[0].lines()))}


def own_address() -> str:
    """Return the address of this machine in its network; that of loopback if it is in none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("10.255.255.255", 1))
        return str(probe.getsockname()[0])
    return "127.0.0.1"


class _Handler(QuietHandler):
    """A handler of one request."""

    server: RoomServer
    referrer_policy = "same-origin"  # with "no-referrer", some browsers hide the origin of a message, too

    def parse_request(self) -> bool:
        """Read the head of a request; refuse it if it comes from a page of another site."""
        if not super().parse_request():
            return False
        host, address = self.headers.get("Host", ""), self.server.address
        # Another site can lead a name to this machine, but not a number.
        is_ours = host == address.removeprefix("http://") or re.fullmatch(r"(localhost|[\d.]+)(:\d+)?", host, re.ASCII)
        if is_ours and self.headers.get("Origin") in (None, f"http://{host}"):
            return True
        self.send_error(HTTPStatus.FORBIDDEN, f"open {address}")
        return False

    def send_head(self) -> Any:
        """Send what the room adds to the book, or the headers of a file of the book."""
        path, _, query = self.path.partition("?")
        if path in self.server.contents:
            return self.send_content(self.server.contents[path], self.guess_type(path))
        board = re.fullmatch("/board(?:/(.*))?", path)
        return self._send_board(board[1] or "", query) if board else super().send_head()

    def do_POST(self) -> None:
        """Count a message, whatever its path."""
        message = self.read_json(MAX_BYTES, MAX_BYTES, "a message")
        if message is NotImplemented:
            return
        address, counted = self.client_address[0], self.server.messages
        session = str(message.get("session"))[:32] if type(message) is dict else ""
        counted.update((address, session))
        if counted[address] > MAX_OF_ADDRESS or counted[session] > MAX_OF_SESSION:
            self.send_error(HTTPStatus.TOO_MANY_REQUESTS)
        else:
            status, reply = self.server.room.receive(message)
            if status == HTTPStatus.OK:
                self._send_json({"known": reply})
            else:
                self.send_error(status, reply)

    def _send_board(self, name: str, query: str) -> None:
        """Send the board or its data to the lecturer's browser, which has the token in a cookie after its first request."""
        server, own = self.server, f"room_{self.server.server_port}={self.server.token}"
        cookies = self.headers.get("Cookie", "").split("; ")
        exercise, _, mistake = name.partition("/")
        if not name and secrets.compare_digest(query.encode(), server.token.encode()):
            cookie = f"{own}; Path=/board; HttpOnly; SameSite=Strict"
            self.send_content("", status=HTTPStatus.SEE_OTHER, Location="/board", Set_Cookie=cookie)
        elif not any(secrets.compare_digest(cookie.encode(), own.encode()) for cookie in cookies):
            self.send_error(HTTPStatus.FORBIDDEN, "open the printed address of the board, with cookies")
        elif not name:
            page = (PAGE / "board.html").read_text("utf-8").format(address=server.address, how=server.invitation)
            self.send_content(page, Content_Security_Policy=POLICY)
        elif name == "counts":
            self._send_json(server.room.counts())
        elif mistake in server.room.sentences.get(exercise, ()):
            self._send_json(server.example(exercise, mistake))
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send_json(self, content: Any) -> None:
        self.send_content(json.dumps(content, ensure_ascii=False), "application/json")
