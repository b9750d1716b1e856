"""A workspace that takes part in a room: after each check it sends what a page sends (``lxmls_day1/browser/page/room.js``).

The address, the session and the numbers of tries are in ``.lab-room.json``. A room that was restarted gets the verdicts from then on.
"""

import json
import re
import secrets
from pathlib import Path
from typing import Any

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.errors import InputError
from lxmls_day1.course.reports.check_json import verdict_of
from lxmls_day1.course.running.checking import CheckReport

FILE = ".lab-room.json"
WAIT_SECONDS = 3.0
ADDRESS = re.compile(r"(?:http://)?([\w.-]+(?::\d{1,5})?)(?:[/?#].*)?", re.ASCII)


def join(folder: Path, address: str) -> str:
    """Make a workspace take part in the room at an address, and return a sentence.

    Raises
    ------
    InputError
        If the address is invalid, or no room answers there.
    OSError
        If the choice cannot be saved.
    """
    match = ADDRESS.fullmatch(str(address).strip())
    if match is None:
        raise InputError(f"the room's address is on its board, such as http://192.168.1.17:8418, but got {address!r}.")
    link = _saved(folder)
    if link.get("address") != (place := f"http://{match[1]}"):
        leave(folder)
        link = {"address": place, "session": secrets.token_hex(16), "tries": {}}
    _send(link)
    _save(folder, link)
    return (
        f"This lab takes part in the room at {place}: each check sends exercise, verdict, name of the mistake and number of "
        "tries, but no code, no text and no name. `lxmls-day1 leave` ends that."
    )


def leave(folder: Path) -> str:
    """Leave the room, which then forgets what was sent, and return a sentence."""
    link = _saved(folder)
    (folder / FILE).unlink(missing_ok=True)
    if not link:
        return "This lab takes part in no room."
    try:
        _send(link, leave=True)
    except InputError as error:
        return f"This lab has left the room, which forgets everything when it closes: {error}"
    return "This lab has left the room, and what it had sent is withdrawn."


def send_verdicts(folder: Path, report: CheckReport) -> str:
    """Send the verdicts of a report if the workspace takes part in a room; return a sentence if they did not arrive."""
    link = _saved(folder)
    try:
        for one in report.reports if link else ():
            id = one.exercise.id
            if one.results and one.exercise.is_core:
                tries = link["tries"][id] = link["tries"].get(id, 0) + 1
                _save(folder, link)
                _send(link, exercise=id, verdict=verdict_of(one), mistakes=one.known_mistakes, tries=tries)
    except (InputError, OSError) as error:
        return f"This check is not counted: {error}"
    return ""


def _send(link: dict[str, Any], **message: Any) -> None:
    """Send a message of the session, and raise an `InputError` unless a room has counted it."""
    from http.client import HTTPException  # imported here because few workspaces take part in a room
    from urllib.request import HTTPError, ProxyHandler, build_opener

    body = json.dumps({"session": link["session"], **message}).encode()
    try:
        # Without the proxy of the environment, because the room is in the same network.
        with build_opener(ProxyHandler({})).open(f"{link['address']}/room", body, WAIT_SECONDS) as reply:
            json.load(reply)["known"]
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        if isinstance(error, HTTPError):
            error.close()  # It is the answer, too, and holds the connection.
        reason = getattr(error, "reason", "another program answers")
        hint = "Is this the address on the board, and is this machine in the same network?"
        raise InputError(f"no room answers at {link['address']} ({reason}). {hint}") from error


def _saved(folder: Path) -> dict[str, Any]:
    """Return what was saved; empty if the workspace takes part in no room, or the file is damaged."""
    try:
        link = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return {key: link[key] for key in ("address", "session", "tries")}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _save(folder: Path, link: dict[str, Any]) -> None:
    write_files_atomically({folder / FILE: json.dumps(link, indent=1).encode()})
