"""A workspace that takes part in a room: after each check it sends what a page sends (``lxmls_day1/browser/page/room.js``).

The session and the last verdicts are in ``.lab-room.json``; a room that was restarted gets them again.
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
MAX_REPLY_BYTES = 100_000
ADDRESS = re.compile(r"(?:http://)?([\w.-]+(?::\d{1,5})?)(?:[/?#].*)?", re.ASCII)
#: Errors if the room does not answer, another program does, or the file is damaged.
FAILURES = (OSError, ValueError, KeyError, TypeError, AttributeError)


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
    place, before = f"http://{match[1]}", _saved(folder)
    stays = before.get("address") == place
    link = before if stays else {"address": place, "session": secrets.token_hex(16), "verdicts": {}}
    try:
        link["exercises"] = _ask(place)
        _send(link)
    except FAILURES as error:
        hint = "Is this the address on the board, and is this machine in the same network?"
        raise InputError(f"no room answers at {place} ({_reason(error)}). {hint}") from error
    if not stays:
        leave(folder)
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
        _ask(link["address"], session=link["session"], leave=True)
    except FAILURES as error:
        return f"This lab has left the room, which does not answer ({_reason(error)}) and forgets everything when it closes."
    return "This lab has left the room, and what it had sent is withdrawn."


def send_verdicts(folder: Path, report: CheckReport) -> str:
    """Send the verdicts of a report if the workspace takes part in a room; return a sentence if they did not arrive."""
    link = _saved(folder)
    if not link:
        return ""
    try:
        for one in report.reports:
            id = one.exercise.id
            if one.results and (known := link["exercises"].get(id)) is not None:
                tries = link["verdicts"].get(id, {}).get("tries", 0) + 1
                mistakes = [name for name in one.known_mistakes if name in known][:3]
                link["verdicts"][id] = {"verdict": verdict_of(one), "mistakes": mistakes, "tries": tries, "sent": False}
        _save(folder, link)
        _send(link)
        _save(folder, link)
    except FAILURES as error:
        return f"The room at {link.get('address')} does not answer ({_reason(error)}); the next check sends this verdict, too."
    return ""


def _send(link: dict[str, Any]) -> None:
    """Send the session, and all verdicts that the room does not know."""
    is_known = _ask(link["address"], session=link["session"])
    for id, one in link["verdicts"].items():
        if not one["sent"] or not is_known:
            verdict = {key: one[key] for key in ("verdict", "mistakes", "tries")}
            _ask(link["address"], session=link["session"], exercise=id, **verdict)
            one["sent"] = True


def _ask(place: str, **message: Any) -> Any:
    """Return whether the room knew the session of a message; without a message, its exercises with their known mistakes."""
    from http.client import HTTPException  # imported here because few workspaces take part in a room
    from urllib.request import ProxyHandler, Request, build_opener

    request = Request(f"{place}/room", json.dumps(message).encode() if message else None)
    try:
        # Without the proxy of the environment, because the room is in the same network.
        with build_opener(ProxyHandler({})).open(request, timeout=WAIT_SECONDS) as reply:
            return json.loads(reply.read(MAX_REPLY_BYTES))["known" if message else "exercises"]
    except (HTTPException, ValueError, KeyError, TypeError) as error:
        raise ValueError("another program answers") from error


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return str(getattr(reason, "strerror", None) or reason).lower()


def _saved(folder: Path) -> dict[str, Any]:
    """Return what was saved; empty if the workspace takes part in no room, or the file is damaged."""
    try:
        link = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return {key: link[key] for key in ("address", "session", "exercises", "verdicts")}
    except FAILURES:
        return {}


def _save(folder: Path, link: dict[str, Any]) -> None:
    write_files_atomically({folder / FILE: json.dumps(link, indent=1).encode()})
