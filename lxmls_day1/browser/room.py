"""The room of a class: the last verdict of each session on each exercise of the day, and the counts for the lecturer's board.

A session is the random number of a browser or of a workspace. Everything else that it may send is a known exercise, a known verdict, known
mistakes, and a number of tries. Therefore nothing that a student writes can appear on the board. Nothing is kept of a session that leaves.
"""

import re
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from lxmls_day1.course.registry import Exercise

MAX_SESSIONS, MAX_MISTAKES, MAX_TRIES = 500, 3, 9999  # MAX_MISTAKES: in one verdict
NOW_SECONDS = 1200.0  # the age of a verdict whose mistakes the board shows
MAX_SAMPLES = 360  # The history drops every second sample if there are more.
SHOWN_MISTAKES = 3  # for each exercise
NOT_BEGUN = "to do"  # the stub is still there
VERDICTS = ("passed", "failed", NOT_BEGUN, "missing")
SESSION = re.compile("[0-9a-f]{32}", re.ASCII)
Clock = Callable[[], float]
INVALID = {"error": "send a session, of 32 hexadecimal digits, alone or with a verdict on an exercise of the day"}


@dataclass
class _Session:
    """A session: the number of its address, the last verdict on each exercise, and all mistakes that were named."""

    source: int
    verdicts: dict[str, tuple[str, list[str], int, float]] = field(
        default_factory=dict
    )  # verdict, mistakes, tries, time
    named: set[tuple[str, str]] = field(default_factory=set)


class Room:
    """The sessions of a class, and their counts.

    Parameters
    ----------
    exercises : iterable of Exercise
        The exercises of the day.
    sentences : mapping from exercise to mapping from mistake to its sentence
        The known mistakes.
    clock : callable
        Return a time in seconds.

    Examples
    --------
    >>> from lxmls_day1.course.registry import Registry
    >>> from lxmls_day1.lab import reference_folder
    >>> room = Room([Registry.from_folder(reference_folder())["1.5"]], {"1.5": {"half_the_norm": "It divides by the whole norm."}})
    >>> room.receive({"session": "0" * 32, "exercise": "1.5", "verdict": "failed", "mistakes": ["half_the_norm"], "tries": 2})[1]
    {'known': False}
    >>> room.counts()["exercises"][0]["mistakes"]
    [['half_the_norm', 'It divides by the whole norm.', 1]]
    """

    def __init__(self, exercises: Iterable[Exercise], sentences: Mapping[str, Any], clock: Clock = time.monotonic):
        self.exercises = {exercise.id: exercise for exercise in exercises}
        self.sentences = {id: sentences.get(id, {}) for id in self.exercises}
        self._clock, self._opened, self._lock = clock, clock(), threading.RLock()
        self._sessions: dict[str, _Session] = {}
        self._samples: list[Any] = []
        self._interval = 1 / 6  # minutes between two samples of the history

    def receive(self, message: Any, source: int = 0) -> tuple[int, dict[str, Any]]:
        """Count a message, and return a status and a reply: whether the session was known before, because the room may have been restarted.

        Parameters
        ----------
        message : object
            A dictionary, read from JSON: ``session``; for a verdict also ``exercise``, ``verdict``, ``mistakes`` and ``tries``; to leave
            the room, ``leave``, which is True. Everything else is refused.
        source : int
            The number of the sender's address.
        """
        keys = set(message) if type(message) is dict else set()
        session: Any = message["session"] if "session" in keys else None
        is_verdict = keys == {"session", "exercise", "verdict", "mistakes", "tries"} and self._is_known(**message)
        leaves = keys == {"session", "leave"} and message["leave"] is True
        is_session = type(session) is str and SESSION.fullmatch(session)
        if not is_session or not (keys == {"session"} or is_verdict or leaves):
            return HTTPStatus.BAD_REQUEST, INVALID
        with self._lock:
            known = session in self._sessions
            if leaves:
                self._sessions.pop(session, None)
            elif known or self._has_place(source):
                one = self._sessions.setdefault(session, _Session(source))
                if is_verdict:
                    mistakes = [*dict.fromkeys(message["mistakes"])] if message["verdict"] == "failed" else []
                    one.verdicts[message["exercise"]] = message["verdict"], mistakes, message["tries"], self._clock()
                    one.named |= {(message["exercise"], name) for name in mistakes}
            else:
                return HTTPStatus.SERVICE_UNAVAILABLE, {"error": f"the room is full: it has {MAX_SESSIONS} sessions"}
        return HTTPStatus.OK, {"known": known}

    def _is_known(self, session: Any, exercise: Any, verdict: Any, mistakes: Any, tries: Any) -> bool:
        is_verdict = type(exercise) is str and exercise in self.sentences and verdict in VERDICTS
        is_number = type(tries) is int and 1 <= tries <= MAX_TRIES
        is_list = type(mistakes) is list and len(mistakes) <= MAX_MISTAKES and {*map(type, mistakes)} <= {str}
        return is_verdict and is_number and is_list and {*mistakes} <= self.sentences[exercise].keys()

    def _has_place(self, source: int) -> bool:
        """Return True if a session may come. In a full room the oldest of the source with the most goes, so that none keeps others out."""
        if len(self._sessions) < MAX_SESSIONS:
            return True
        sources = Counter(one.source for one in self._sessions.values())
        largest, n = sources.most_common(1)[0]
        if n > sources[source] + 1:
            del self._sessions[next(key for key, one in self._sessions.items() if one.source == largest)]
        return n > sources[source] + 1

    def counts(self, ever: bool = False) -> dict[str, Any]:
        """Return the number of sessions, the counts of each exercise, and the history.

        Parameters
        ----------
        ever : bool
            True for all mistakes that were named at any time, in the sessions that are here. Default: the most frequent ones now.
        """
        with self._lock:
            rows = [self._row(id, exercise.title, ever) for id, exercise in self.exercises.items()]
            # The history: minutes since the opening, the number of sessions, and for each exercise (trying, solved).
            minutes = round((self._clock() - self._opened) / 60, 2)
            history = [*self._samples, [minutes, len(self._sessions), [[row["trying"], row["solved"]] for row in rows]]]
            if not self._samples or minutes >= self._samples[-1][0] + self._interval:
                self._samples = history
            if len(self._samples) > MAX_SAMPLES:
                self._samples, self._interval = self._samples[::2], 2 * self._interval
            return {"people": len(self._sessions), "exercises": rows, "history": history}

    def _row(self, id: str, title: str, ever: bool) -> dict[str, Any]:
        """Return how many try an exercise and have solved it, after how many tries (the median), and the mistakes with their counts."""
        verdicts = [one.verdicts[id] for one in self._sessions.values() if id in one.verdicts]
        verdicts = [one for one in verdicts if one[0] != NOT_BEGUN]
        solved = [tries for verdict, _, tries, _ in verdicts if verdict == "passed"]
        recent = self._clock() - NOW_SECONDS
        named = Counter(name for _, names, _, at in verdicts if at >= recent for name in names)
        if ever:
            named = Counter(name for one in self._sessions.values() for key, name in one.named if key == id)
        mistakes = named.most_common(None if ever else SHOWN_MISTAKES)
        row = {"id": id, "title": title, "trying": len(verdicts) - len(solved), "solved": len(solved)}
        row["tries"] = statistics.median_low(solved or [0])
        return row | {"mistakes": [[name, self.sentences[id][name], n] for name, n in mistakes]}
