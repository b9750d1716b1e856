"""A workspace that takes part in a room: after each check it sends what a page sends (``lxmls_day1/browser/page/room.js``).

The choice, the session and the last verdicts are in ``.lab-room.json``. They are sent again to a room that was restarted.
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
from lxmls_day1.course.workspace_state import save_or_explain

FILE = ".lab-room.json"
WAIT_SECONDS = 3.0
MAX_REPLY_BYTES = 10_000
ADDRESS = re.compile(r"(?:http://)?([\w.-]+(?::\d{1,5})?)(?:[/?#].*)?", re.ASCII)


def join(folder: Path, address: str) -> str:
    """Make a workspace take part in the room at an address, and return a sentence.

    Raises
    ------
    InputError
        If this is no address, or no room answers there.
    OSError
        If the choice cannot be saved.
    """
    match = ADDRESS.fullmatch(address.strip()) if isinstance(address, str) else None
    if match is None:
        raise InputError(
            f"the address of the room must be as its board shows it, such as http://192.168.1.17:8418, but got {address!r}."
        )
    place = f"http://{match[1]}"
    before = _saved(folder)
    if before and before["address"] != place:
        leave(folder)
        before = {}
    try:
        exercises = _ask(place)["exercises"]
        link = before or {"address": place, "session": secrets.token_hex(16), "verdicts": {}}
        _send(link)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no room answers at {place} ({_reason(error)}). Is the address that of the board, and is this machine in the same network?"
        ) from error
    _save(folder, link | {"exercises": [id for id in exercises if isinstance(id, str)]})
    return (
        f"This lab takes part in the room at {place}: each check sends exercise, verdict, name of the mistake and number of tries, "
        "but no code, no text and no name. `lxmls-day1 leave` ends that."
    )


def leave(folder: Path) -> str:
    """Leave the room, in which everything that was sent is forgotten, and return a sentence."""
    link = _saved(folder)
    (folder / FILE).unlink(missing_ok=True)
    if not link:
        return "This lab takes part in no room."
    try:
        _ask(link["address"], {"session": link["session"], "leave": True})
    except (OSError, ValueError) as error:
        return f"This lab has left the room, which does not answer ({_reason(error)}); it forgets everything when it closes."
    return "This lab has left the room, and what it had sent is withdrawn."


def send_verdicts(folder: Path, report: CheckReport) -> str:
    """Send the verdicts of a report if the workspace takes part in a room; return a sentence if they did not arrive."""
    link = _saved(folder)
    changed = [one for one in report.reports if link and one.exercise.id in link["exercises"] and one.results]
    for one in changed:
        tries = link["verdicts"].get(one.exercise.id, {}).get("tries", 0) + 1
        verdict = {"verdict": verdict_of(one), "mistakes": list(one.known_mistakes)[:3], "tries": min(tries, 9999)}
        link["verdicts"][one.exercise.id] = verdict | {"sent": False}
    if not changed:
        return ""
    problem = ""
    try:
        _send(link)
    except (OSError, ValueError) as error:
        problem = (
            f"The room at {link['address']} does not answer ({_reason(error)}); the next check sends this verdict, too."
        )
    return " ".join(filter(None, (problem, save_or_explain(lambda: _save(folder, link), "The verdict for the room"))))


def _send(link: dict[str, Any]) -> None:
    """Send the session, and all verdicts that the room does not know."""
    if not _ask(link["address"], {"session": link["session"]})["known"]:
        link["verdicts"] = {id: one | {"sent": False} for id, one in link["verdicts"].items()}
    for id, one in link["verdicts"].items():
        if not one["sent"]:
            message = {
                "session": link["session"],
                "exercise": id,
                **{key: one[key] for key in ("verdict", "mistakes", "tries")},
            }
            try:
                _ask(link["address"], message)
            except OSError as error:
                if getattr(error, "code", 0) != 400 or not one["mistakes"]:
                    raise
                _ask(
                    link["address"], message | {"mistakes": []}
                )  # the room is of another version, and does not know this mistake
            one["sent"] = True


def _ask(place: str, message: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the reply of a room to a message, or its description if there is no message; raise an OSError or a ValueError otherwise."""
    from http.client import HTTPException  # imported here because few workspaces take part in a room
    from urllib.request import ProxyHandler, Request, build_opener

    request = Request(
        f"{place}/room", None if message is None else json.dumps(message).encode(), {"Content-Type": "application/json"}
    )
    try:
        # Without the proxy of the environment, because the room is in the same network.
        with build_opener(ProxyHandler({})).open(request, timeout=WAIT_SECONDS) as reply:
            content = json.loads(reply.read(MAX_REPLY_BYTES))
    except HTTPException as error:
        raise ValueError("another program answers") from error
    kind = {"exercises": list} if message is None else {"known": bool}
    if not isinstance(content, dict) or not all(isinstance(content.get(key), its) for key, its in kind.items()):
        raise ValueError("another program answers")
    return content


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return str(getattr(reason, "strerror", None) or reason or type(error).__name__).lower()


def _saved(folder: Path) -> dict[str, Any]:
    """Return what was saved; empty if the workspace takes part in no room, or the file is damaged."""
    try:
        link = json.loads((folder / FILE).read_text(encoding="utf-8"))
        kinds = {"address": str, "session": str, "exercises": list, "verdicts": dict}
        return link if all(isinstance(link[key], kind) for key, kind in kinds.items()) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _save(folder: Path, link: dict[str, Any]) -> None:
    write_files_atomically({folder / FILE: json.dumps(link, indent=1).encode()})
