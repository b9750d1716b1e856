"""The demonstrations for the browsers of this machine: files, and a Python process that answers with scenes.

It listens on the loopback interface only. Every address begins with a token that only the printed address tells, and the
Host of a request has to be this machine: so no page of another site can ask it for anything. A page has a demonstration of
its own, which reads the lab's files at the page's first question; computations take turns, and one whose page has gone, or
asks for something else, ends at its next report of progress, or in the lab's own code where another page waits for it.
"""

import ctypes
import json
import os
import secrets
import select
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lxmls_day1.demos.demonstration import Demonstration, demonstration_class
from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS
from lxmls_day1.demos.pages import described, index_page, page, script_hash

HOST = "127.0.0.1"
PORT = 8417  # unless something listens there: a link to a demonstration then works tomorrow, too
_LONGEST_QUESTION = 1_000_000  # bytes
_LOOK_AGAIN = 0.5  # seconds after which a page that waits looks whether the one before it is still there
_MOST_PAGES = 40  # whose demonstrations are kept
#: Sent with every answer. A page holds its own script and styles, and asks this server alone. The token in its address stays here.
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src '{script}'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class _GivenUp(GeneratorExit):
    """Ends code of a lab whose result nobody waits for, such as a loop without an end."""


class DemoServer(ThreadingHTTPServer):
    """Serves the demonstrations of a lab.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
    port : int, optional
        8417 unless given, or any free one if that is taken.
    dark : bool, optional
        Light on dark; as the browser prefers unless given.
    scale : float, optional
        Of letters and lines.
    """

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # on Windows it would let two servers have one port

    def __init__(self, lab: Any, port: int | None = None, *, dark: bool | None = None, scale: float | None = None):
        try:
            super().__init__((HOST, PORT if port is None else port), _Handler)
        except OSError:
            if port is not None:
                raise
            super().__init__((HOST, 0), _Handler)
        self.lab, self.dark, self.scale = lab, dark, scale
        self.token = secrets.token_urlsafe(12)
        self.sessions: dict[str, Demonstration | None] = {}  # None: nothing asked yet
        self.turn = threading.Lock()
        self.computing: tuple[int, Callable[[], bool]] | None = None  # the thread, and whether its page has gone

    @property
    def address(self) -> str:
        """Of the list of demonstrations; a name behind it is a demonstration's page."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def index(self) -> str:
        """The list, whose small pictures come from demonstrations of their own."""
        descriptions = {name: described(demonstration_class(name), dark=self.dark) for name in DEMONSTRATIONS}
        questions = {name: self.session(name) for name in DEMONSTRATIONS}
        return index_page(descriptions, {name: name for name in DEMONSTRATIONS}, questions, self.dark)

    def page_of(self, name: str) -> str:
        """The page of one demonstration."""
        return page(described(demonstration_class(name), dark=self.dark), ask=self.session(name), scale=self.scale)

    def session(self, name: str) -> str:
        """The address at which a new page asks for its scenes."""
        key = f"{name}.{secrets.token_urlsafe(6)}"
        self.sessions[key] = None
        for oldest in list(self.sessions)[:-_MOST_PAGES]:
            self.sessions.pop(oldest, None)
        return f"scene/{key}"

    def answer(
        self, key: str, question: Any, send: Callable[[dict[str, Any]], None], gone: Callable[[], bool] = lambda: False
    ) -> None:
        """Compute a scene, in turn, and send it with the progress before it; nothing for a page that has gone meanwhile."""
        while not self.turn.acquire(timeout=_LOOK_AGAIN):
            self._give_up()
        try:
            self.computing = threading.get_ident(), gone
            if not gone():
                demonstration = self.sessions.pop(key, None) or demonstration_class(key.partition(".")[0])(self.lab)
                # at the end: of many pages the one that asked longest ago is forgotten
                self.sessions[key] = demonstration
                for message in demonstration.answers(question):
                    send(message)
        except _GivenUp:
            self.sessions[key] = None  # what was half-done is begun anew
        finally:
            self.computing = None
            self.turn.release()

    def _give_up(self) -> None:
        """End the computation of a page that has gone, if it is in the lab's own code; elsewhere something might be left half-done."""
        thread, gone = self.computing or (0, lambda: False)
        frame = sys._current_frames().get(thread)
        if frame and gone() and frame.f_code.co_filename.startswith(str(self.lab.folder)):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_GivenUp))

    def handle_error(self, *request: Any) -> None:
        """Nothing is printed for a browser that closes its connection."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(*request)


class _Handler(BaseHTTPRequestHandler):
    """Answers one browser."""

    server: DemoServer

    def do_GET(self) -> None:
        name = self._asked_for()
        if name == "":
            self._send(self.server.index())
        elif name in DEMONSTRATIONS:
            self._send(self.server.page_of(name))
        elif name is not None:
            self.send_error(HTTPStatus.NOT_FOUND, "there is no such demonstration")

    do_HEAD = do_GET

    def do_POST(self) -> None:
        name = self._asked_for()
        if name is None:
            return
        key = name.removeprefix("scene/")
        text = self.headers.get("Content-Length", "")
        length = int(text[:16]) if text.isdecimal() else 0  # Python reads no number of thousands of digits
        if key not in self.server.sessions or not length:
            self.send_error(HTTPStatus.NOT_FOUND, "reload the page from the address that lxmls-day1 demo printed")
            return
        # A browser hears no answer before it has sent everything.
        question = self.rfile.read(min(length, 10 * _LONGEST_QUESTION))
        if length > _LONGEST_QUESTION:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the settings are longer than a million bytes")
            return
        try:
            question = json.loads(question)
        except (ValueError, RecursionError):  # lists in lists, too deep
            self.send_error(HTTPStatus.BAD_REQUEST, "the settings are no JSON")
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/x-ndjson")
        self.end_headers()
        with suppress(OSError):  # the page has gone, or asks for something else
            self.server.answer(key, question, self._send_line, self._gone)

    def _gone(self) -> bool:
        """Whether the browser has closed the connection."""
        try:
            return bool(select.select([self.connection], [], [], 0)[0]) and not self.connection.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):  # ValueError: closed on our side
            return True

    def _send_line(self, message: dict[str, Any]) -> None:
        self.wfile.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.wfile.flush()

    def _asked_for(self) -> str | None:
        """The address behind the token; None, and a refusal, for whoever does not know it."""
        path = self.path.partition("?")[0].lstrip("/")
        token, slash, rest = path.partition("/")
        host = self.headers.get("Host", "")
        ours = f"{HOST}:{self.server.server_port}", f"localhost:{self.server.server_port}"
        if host not in ours or not secrets.compare_digest(token.encode(), self.server.token.encode()):
            self.send_error(HTTPStatus.FORBIDDEN, "open the address that lxmls-day1 demo has printed")
            return None
        if not slash:  # without it the links of the list would lead nowhere
            self.send_response(HTTPStatus.MOVED_PERMANENTLY)
            self.send_header("Location", f"/{token}/")
            self.end_headers()
            return None
        return rest

    def end_headers(self) -> None:
        """Send the head of an answer, a refusal too."""
        for name, value in _HEADERS.items():
            self.send_header(name, value.format(script=script_hash()))
        super().end_headers()

    def _send(self, text: str) -> None:
        content = text.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nothing is printed for a request."""
