"""The server of the demonstrations, for browsers on this machine: it sends pages, and computes scenes.

It listens only on the loopback interface. Every address begins with a token that is known only from the printed address, and
the Host header of a request must be this machine. Therefore no page of another site can use the server. Each page has its
own demonstration, which reads the lab's files at the page's first request. Computations run one at a time. If a page has
gone, or requests something else, its computation ends at the next report of progress, or within the lab's own code if another
page is waiting.
"""

import ctypes
import json
import secrets
import select
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from lxmls_day1.base.web_server import QuietHandler, QuietServer
from lxmls_day1.demos.demonstration import Demonstration, demonstration_class
from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS
from lxmls_day1.demos.pages import index_page, page, page_description, script_hash

HOST = "127.0.0.1"
PORT = 8417  # the usual port, so that a link to a demonstration stays valid
_MAX_REQUEST_BYTES = 1_000_000  # bytes
_POLL_SECONDS = 0.5  # seconds between two checks whether the previous page still exists
_MAX_SESSIONS = 40  # pages whose demonstrations are kept
#: Sent with every reply. A page contains its script and styles, and contacts only this server.
_POLICY = (
    "default-src 'none'; script-src '{script}'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


Send = Callable[[dict[str, Any]], None]  # sends a message to a page


class _Cancelled(GeneratorExit):
    """Raised in code of a lab whose result is no longer needed, such as an endless loop, to end it."""


class DemoServer(QuietServer):
    """A server of the demonstrations of a lab.

    Parameters
    ----------
    lab : lxmls_day1.lab.Lab
    port : int, optional
        Default: 8417, or any free port if it is in use.
    dark : bool, optional
        True for dark mode. Default: the browser's preference.
    scale : float, optional
        The scale of letters and lines.
    """

    def __init__(self, lab: Any, port: int | None = None, *, dark: bool | None = None, scale: float | None = None):
        try:
            super().__init__((HOST, PORT if port is None else port), _Handler)
        except OSError:
            if port is not None:
                raise
            super().__init__((HOST, 0), _Handler)
        self.lab, self.dark, self.scale = lab, dark, scale
        self.token = secrets.token_urlsafe(12)
        self.sessions: dict[str, Demonstration | None] = {}  # None before the first request
        self.turn = threading.Lock()
        self.computing: tuple[int, Callable[[], bool]] | None = None  # its thread; whether its page has gone

    @property
    def address(self) -> str:
        """The address of the index. With a name appended, it is the address of a demonstration."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def index(self) -> str:
        """Return the index. Its small pictures come from demonstrations of their own."""
        descriptions = {name: page_description(demonstration_class(name), dark=self.dark) for name in DEMONSTRATIONS}
        questions = {name: self.session(name) for name in DEMONSTRATIONS}
        return index_page(descriptions, questions, self.dark, "")

    def page_of(self, name: str) -> str:
        """Return the page of one demonstration."""
        description = page_description(demonstration_class(name), dark=self.dark)
        return page(description, scene_address=self.session(name), scale=self.scale)

    def session(self, name: str) -> str:
        """Return the address at which a new page requests its scenes."""
        key = f"{name}.{secrets.token_urlsafe(6)}"
        self.sessions[key] = None
        for oldest in list(self.sessions)[:-_MAX_SESSIONS]:
            self.sessions.pop(oldest, None)
        return f"scene/{key}"

    def answer(self, key: str, request: Any, send: Send, is_gone: Callable[[], bool] = lambda: False) -> None:
        """Compute a scene when it is this page's turn, and send it after its progress. If the page has gone, send nothing."""
        while not self.turn.acquire(timeout=_POLL_SECONDS):
            self._cancel_abandoned()
        try:
            self.computing = threading.get_ident(), is_gone
            if not is_gone():
                demonstration = self.sessions.pop(key, None) or demonstration_class(key.partition(".")[0])(self.lab)
                # appended last, because the page with the oldest request is discarded first
                self.sessions[key] = demonstration
                for message in demonstration.messages(request):
                    send(message)
        except _Cancelled:
            self.sessions[key] = None  # an incomplete demonstration starts again
        finally:
            self.computing = None
            self.turn.release()

    def _cancel_abandoned(self) -> None:
        """End the computation of a page that has gone, but only in the lab's own code, because other code might be left inconsistent."""
        thread, gone = self.computing or (0, lambda: False)
        frame = sys._current_frames().get(thread)
        file = frame.f_code.co_filename if frame else ""
        if gone() and file.startswith(str(self.lab.folder)) and "site-packages" not in file:  # a checkout holds them
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Cancelled))


class _Handler(QuietHandler):
    """A handler of one connection of a browser."""

    server: DemoServer

    def do_GET(self) -> None:
        name = self._authorized_path()
        if name == "":
            self.send_content(self.server.index())
        elif name in DEMONSTRATIONS:
            self.send_content(self.server.page_of(name))
        elif name is not None:
            self.send_error(HTTPStatus.NOT_FOUND, "there is no such demonstration")

    do_HEAD = do_GET

    def do_POST(self) -> None:
        name = self._authorized_path()
        if name is None:
            return
        key = name.removeprefix("scene/")
        if key not in self.server.sessions or self.headers.get("Content-Length", "0") == "0":
            self.send_error(HTTPStatus.NOT_FOUND, "reload the page from the address that lxmls-day1 demo printed")
            return
        question = self.read_json(_MAX_REQUEST_BYTES, 10 * _MAX_REQUEST_BYTES, "the settings")
        if question is NotImplemented:
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/x-ndjson")
        self.end_headers()
        with suppress(OSError):  # the page has gone, or requests something else
            self.server.answer(key, question, self._send_line, self._is_disconnected)

    def _is_disconnected(self) -> bool:
        """Return True if the browser has closed the connection."""
        try:
            return bool(select.select([self.connection], [], [], 0)[0]) and not self.connection.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):  # ValueError: the connection is closed on our side
            return True

    def _send_line(self, message: dict[str, Any]) -> None:
        self.wfile.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.wfile.flush()

    def _authorized_path(self) -> str | None:
        """Return the path after the token. If token or host are wrong, send an error and return None."""
        path = self.path.partition("?")[0].lstrip("/")
        token, slash, rest = path.partition("/")
        is_known = secrets.compare_digest(token.encode(), self.server.token.encode())
        if not is_known or not self.has_host(HOST, "localhost"):
            self.send_error(HTTPStatus.FORBIDDEN, "open the address that lxmls-day1 demo has printed")
            return None
        if not slash:  # without it the links of the list would lead nowhere
            self.send_response(HTTPStatus.MOVED_PERMANENTLY)
            self.send_header("Location", f"/{token}/")
            self.end_headers()
            return None
        return rest

    def end_headers(self) -> None:
        """Send the policy with every reply, including errors."""
        self.send_header("Content-Security-Policy", _POLICY.format(script=script_hash()))
        super().end_headers()
