"""The room of a class: the last verdict of each session on each exercise of the day, and the counts for the lecturer's board.

A session is the random number of a browser or of a workspace. Everything else that it may send is a known exercise, a known verdict, known
mistakes, and a number of tries. Therefore nothing that a student writes can appear on the board. Nothing is kept of a session that leaves.
"""

import re
import statistics
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from lxmls_day1.course.registry import Exercise

MAX_SESSIONS, MAX_TRIES = 500, 9999
MAX_SAMPLES = 600  # of the history, one in each period of the server
NOW_SECONDS = 1200.0  # the age of a verdict whose mistakes the board shows
SHOWN_MISTAKES = 3  # for each exercise
VERDICTS = ("passed", "failed", "to do", "missing")  # "to do": the stub is still there
SESSION = re.compile("[0-9a-f]{32}", re.ASCII)
INVALID = "send a session, of 32 hexadecimal digits, alone or with a verdict on an exercise of the day"
FULL = f"the room is full, it has {MAX_SESSIONS} sessions"


class Room:
    """The sessions of a class, and their counts.

    Parameters
    ----------
    exercises : iterable of Exercise
        The exercises of the day.
    sentences : mapping from exercise to mapping from mistake to its sentence
        The known mistakes.

    Examples
    --------
    >>> from lxmls_day1.course.registry import Registry
    >>> from lxmls_day1.lab import reference_folder
    >>> room = Room([Registry.from_folder(reference_folder())["1.5"]], {"1.5": {"half_the_norm": "It divides by the whole norm."}})
    >>> room.receive({"session": "0" * 32, "exercise": "1.5", "verdict": "failed", "mistakes": ["half_the_norm"], "tries": 2})
    (<HTTPStatus.OK: 200>, False)
    >>> room.counts()["exercises"][0]["mistakes"]
    [('half_the_norm', 'It divides by the whole norm.', 1)]
    """

    def __init__(self, exercises: Iterable[Exercise], sentences: Mapping[str, Any]):
        self.exercises, self.sentences = {exercise.id: exercise for exercise in exercises}, sentences
        self._opened, self._lock = time.monotonic(), threading.RLock()
        #: From each session to its exercises, to the last verdict with its time, and with the mistakes that were ever named.
        self._sessions: dict[str, dict[str, dict[str, Any]]] = {}
        self._history: deque[Any] = deque(maxlen=MAX_SAMPLES)

    def receive(self, message: Any) -> tuple[HTTPStatus, Any]:
        """Count a message.

        Parameters
        ----------
        message : object
            A dictionary, read from JSON: ``session``; for a verdict also ``exercise``, ``verdict``, ``mistakes`` and ``tries``; to leave
            the room, ``leave``, which is True. Everything else is refused.

        Returns
        -------
        HTTPStatus
        bool or str
            Whether the session was known before, because the room may have been restarted; or why the message is refused.
        """
        rest: dict[str, Any] = {**message} if type(message) is dict else {}
        session = rest.pop("session", None)
        if not (type(session) is str and SESSION.fullmatch(session) and self._is_known(rest)):
            return HTTPStatus.BAD_REQUEST, INVALID
        with self._lock:
            known = session in self._sessions
            if "leave" in rest:
                self._sessions.pop(session, None)
            elif not known and len(self._sessions) >= MAX_SESSIONS:
                return HTTPStatus.SERVICE_UNAVAILABLE, FULL
            else:
                verdicts = self._sessions.setdefault(session, {})
                if rest:
                    ever = verdicts.get(rest["exercise"], {}).get("ever", set()) | {*rest["mistakes"]}
                    verdicts[rest["exercise"]] = {**rest, "time": time.monotonic(), "ever": ever}
        return HTTPStatus.OK, known

    def _is_known(self, rest: dict[str, Any]) -> bool:
        """Return True for nothing, the wish to leave, or a verdict, of which every word is known."""
        match rest:
            case {"exercise": str(id), "verdict": str(verdict), "mistakes": [*mistakes], "tries": int(tries)}:
                known = [*self.sentences.get(id, ())]
                is_number = type(tries) is int and 1 <= tries <= MAX_TRIES
                is_verdict = len(rest) == 4 and id in self.sentences and verdict in VERDICTS
                return is_verdict and is_number and all(name in known for name in mistakes)
        return rest in ({}, {"leave": True})

    def counts(self) -> dict[str, Any]:
        """Return the number of sessions, the counts of each exercise, and the history, which ends now."""
        with self._lock:
            rows = [self._row(id, exercise.title) for id, exercise in self.exercises.items()]
            # Minutes since the opening, the number of sessions, and for each exercise (trying, solved).
            minutes = round((time.monotonic() - self._opened) / 60, 2)
            now = [minutes, len(self._sessions), [[row["trying"], row["solved"]] for row in rows]]
            return {"people": len(self._sessions), "exercises": rows, "history": [*self._history, now]}

    def add_to_history(self) -> None:
        """Keep the counts of now in the history."""
        self._history.append(self.counts()["history"][-1])

    def _row(self, id: str, title: str) -> dict[str, Any]:
        """Return the counts of an exercise: who tries and has solved it, the median of tries of the latter, and mistakes, now and ever."""
        verdicts = [own[id] for own in self._sessions.values() if id in own and own[id]["verdict"] != "to do"]
        tries = [one["tries"] for one in verdicts if one["verdict"] == "passed"]
        since = time.monotonic() - NOW_SECONDS
        recent = [one["mistakes"] for one in verdicts if one["verdict"] == "failed" and one["time"] >= since]
        now = Counter(name for names in recent for name in dict.fromkeys(names)).most_common(SHOWN_MISTAKES)
        row = {"id": id, "title": title, "trying": len(verdicts) - len(tries), "solved": len(tries)}
        row["tries"] = statistics.median_low(tries or [0])
        row["mistakes"] = [(name, self.sentences[id][name], n) for name, n in now]
        return row | {"ever": Counter(name for one in verdicts for name in one["ever"])}
