"""The servers of demonstrations, of the book and of the room, in short: quiet, and careful with every request."""

import json
import math
import os
import socket
import sys
import time
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any

MAX_CONNECTIONS = 300
REQUEST_SECONDS = 10.0  # until a request, with its body, has arrived
SEND_SECONDS = 60.0  # without progress of a reply
HTML = "text/html; charset=utf-8"


class QuietServer(ThreadingHTTPServer):
    """A server that prints nothing if a browser closes its connection.

    A connection that has not sent its request in time is closed, and so is the oldest of the address with the most if there are too many.
    """

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # on Windows, two servers could use the same port
    request_queue_size = 512  # If more connections wait, their clients try again after a second or more.

    def __init__(self, *settings: Any):
        #: From each connection to its address, and to the time until which its request must be here.
        self.connections: dict[socket.socket, tuple[str, float]] = {}
        super().__init__(*settings)

    def server_bind(self) -> None:
        """Bind the address without a search for its name, which takes seconds in a network without a name server."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def get_request(self) -> Any:
        """Accept a connection."""
        connection, address = super().get_request()
        others = [(each[0], other) for other, each in list(self.connections.items())]
        if len(others) >= MAX_CONNECTIONS:
            ((largest, _),) = Counter(each for each, _ in others).most_common(1)
            _end(dict(reversed(others))[largest])
        self.connections[connection] = address[0], time.monotonic() + REQUEST_SECONDS
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        """End a connection."""
        self.connections.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Twice a second: end the connections whose requests are late."""
        for connection, (_, due) in list(self.connections.items()):
            if time.monotonic() > due:
                _end(connection)

    def handle_error(self, *request: Any) -> None:
        """Print only errors that are not the connection's."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(*request)


def _end(connection: socket.socket) -> None:
    """End what a connection sends and receives; its thread then closes it."""
    with suppress(OSError):  # it is closed already
        connection.shutdown(socket.SHUT_RDWR)


class QuietHandler(SimpleHTTPRequestHandler):
    """A handler that prints nothing, lists no folder and sends files of a folder, except those whose name begins with a dot."""

    server: QuietServer
    timeout = SEND_SECONDS
    referrer_policy = "no-referrer"  # the address of a page may hold a token
    #: The registry of Windows may name other types, which browsers refuse for scripts.
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        **dict.fromkeys((".js", ".mjs"), "text/javascript"),
        ".css": "text/css", ".html": HTML, ".json": "application/json", ".svg": "image/svg+xml", ".wasm": "application/wasm",
    }  # fmt: skip

    def parse_request(self) -> bool:
        """Read the head of a request."""
        is_valid = super().parse_request()
        if self.command != "POST":  # otherwise the body is still to come
            self._has_arrived()
        return is_valid

    def _has_arrived(self) -> None:
        """Let the reply take as long as the network needs, because the request is here."""
        if self.connection in self.server.connections:
            self.server.connections[self.connection] = self.client_address[0], math.inf

    def has_host(self, *names: str) -> bool:
        """Return True if the Host header is one of these names with this server's port: no page of another site has sent the request."""
        port = f":{self.server.server_port}".removesuffix(":80")  # which browsers leave out
        return self.headers.get("Host", "") in [name + port for name in names]

    def read_json(self, max_bytes: int, drained: int, subject: str) -> Any:
        """Return the body of a request, or send an error and return `NotImplemented`.

        Parameters
        ----------
        max_bytes : int
        drained : int
            The maximum number of bytes to read, because a browser reads no reply before it has sent everything.
        subject : str
            The subject of the sentence on an error, such as ``"the settings"``.
        """
        text = self.headers.get("Content-Length", "")
        length = int(text[:16]) if text.isdecimal() else 0  # Python rejects a number with thousands of digits
        body = self.rfile.read(min(length, drained))
        self._has_arrived()
        if length > max_bytes:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{subject} must have at most {max_bytes} bytes")
            return NotImplemented
        try:
            return json.loads(body)
        except (ValueError, RecursionError):  # RecursionError: lists are nested too deeply
            self.send_error(HTTPStatus.BAD_REQUEST, f"{subject} must be JSON")
            return NotImplemented

    def send_content(self, content: str | bytes, media_type: str = HTML, status: int = 200, **headers: str) -> None:
        """Send a reply that is not to be stored, with further headers, such as ``Set_Cookie="…"``."""
        body = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        usual = {"Content-Type": media_type, "Content-Length": str(len(body)), "Cache-Control": "no-store"}
        for name, value in {**usual, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def end_headers(self) -> None:
        """Send the headers of every reply, including errors."""
        self.send_header("Referrer-Policy", self.referrer_policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def send_head(self) -> Any:
        """Send the headers of a file, and return the open file."""
        inside = Path(self.translate_path(self.path)).relative_to(self.directory)
        if "\0" in str(inside) or any(part.startswith(".") for part in inside.parts):
            return self.send_error(HTTPStatus.NOT_FOUND)
        return super().send_head()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Send a file without a copy in this process, because many slow readers of large files would keep it busy."""
        self.connection.sendfile(source)

    def list_directory(self, path: str | os.PathLike[str]) -> None:
        """Refuse to list a folder."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *_: Any) -> None:
        """Print nothing for a request."""
