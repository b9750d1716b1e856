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
from typing import Any

from lxmls_day1.course.registry import Exercise

FORMAT = 1
MAX_SESSIONS = 500
MAX_TRIES = 9999
MAX_MISTAKES = 3  # of one verdict
NOW_SECONDS = 1200.0  # the age of a verdict whose mistakes the board shows
MAX_SAMPLES = 360  # of the history; if there are more, every second one is dropped
SHOWN_MISTAKES = 3  # of each exercise
VERDICTS = ("passed", "failed", "to do", "missing")
SESSION = re.compile("[0-9a-f]{32}", re.ASCII)
KEYS = {"session", "exercise", "verdict", "mistakes", "tries"}


class RefusedMessage(Exception):
    """A message that is not counted; its text is a sentence for the sender."""


class FullRoom(RefusedMessage):
    """A message of a new session, for which the room has no place."""


@dataclass(frozen=True)
class _Verdict:
    verdict: str
    mistakes: tuple[str, ...]
    tries: int
    time: float


@dataclass
class _Session:
    """The last verdict on each exercise; all mistakes that were named; the source, a number that stands for an address."""

    source: int
    verdicts: dict[str, _Verdict] = field(default_factory=dict)
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
    >>> room.receive({"session": "0" * 32, "exercise": "1.5", "verdict": "failed", "mistakes": ["half_the_norm"], "tries": 2})
    False
    >>> room.counts()["exercises"][0]["mistakes"]
    [['half_the_norm', 'It divides by the whole norm.', 1]]
    """

    def __init__(
        self,
        exercises: Iterable[Exercise],
        sentences: Mapping[str, Mapping[str, str]],
        clock: Callable[[], float] = time.monotonic,
    ):
        self.exercises = {exercise.id: exercise for exercise in exercises}
        self.sentences = {id: sentences.get(id, {}) for id in self.exercises}
        self._clock, self._opened = clock, clock()
        self._lock = threading.RLock()
        self._sessions: dict[str, _Session] = {}
        self._samples: list[list[Any]] = []
        self._interval = 10.0  # seconds between two samples of the history

    def receive(self, message: Any, source: int = 0) -> bool:
        """Count a message, and return True if its session was known before: the room may have been restarted.

        Parameters
        ----------
        message : object
            A dictionary, read from JSON: ``session``; for a verdict also ``exercise``, ``verdict``, ``mistakes`` and ``tries``; to leave
            the room, ``leave``, which is True.
        source : int
            A number that stands for the sender's address.

        Raises
        ------
        RefusedMessage
            If it is anything else, or the room is full.
        """
        keys = set(message) if type(message) is dict else set()
        session = message["session"] if "session" in keys else None
        if type(session) is not str or not SESSION.fullmatch(session):
            raise RefusedMessage("the session must be 32 hexadecimal digits")
        leaves = keys == {"session", "leave"} and message["leave"] is True
        verdict = self._verdict(message) if keys == KEYS else None
        if not leaves and verdict is None and keys != {"session"}:
            raise RefusedMessage(
                "a message is a session alone, or a verdict on an exercise of the day with known mistakes"
            )
        with self._lock:
            known = session in self._sessions
            if leaves:
                self._sessions.pop(session, None)
                return known
            if not known:
                self._make_place(source)
            its = self._sessions.setdefault(session, _Session(source))
            if verdict:
                its.verdicts[message["exercise"]] = verdict
                its.named |= {(message["exercise"], name) for name in verdict.mistakes}
        return known

    def _verdict(self, message: dict[str, Any]) -> _Verdict | None:
        """Return the verdict in a message, or None if something in it is unknown."""
        exercise, verdict, mistakes, tries = (message[key] for key in ("exercise", "verdict", "mistakes", "tries"))
        if type(exercise) is not str or exercise not in self.exercises or verdict not in VERDICTS:
            return None
        if (
            type(tries) is not int
            or not 1 <= tries <= MAX_TRIES
            or type(mistakes) is not list
            or len(mistakes) > MAX_MISTAKES
        ):
            return None
        if not all(type(name) is str and name in self.sentences[exercise] for name in mistakes):
            return None
        return _Verdict(verdict, tuple(dict.fromkeys(mistakes)) if verdict == "failed" else (), tries, self._clock())

    def _make_place(self, source: int) -> None:
        """In a full room, the oldest session of the source with the most sessions goes, so that no source keeps the others out."""
        if len(self._sessions) < MAX_SESSIONS:
            return
        sources = Counter(one.source for one in self._sessions.values())
        largest, n = sources.most_common(1)[0]
        if n <= sources[source] + 1:
            raise FullRoom(f"the room is full: it has {MAX_SESSIONS} sessions")
        del self._sessions[next(key for key, one in self._sessions.items() if one.source == largest)]

    def counts(self) -> dict[str, Any]:
        """Return the number of sessions, and for each exercise how many try and have solved it, with the most frequent mistakes now."""
        with self._lock:
            recent, rows = self._clock() - NOW_SECONDS, []
            for id, exercise in self.exercises.items():
                verdicts = [one.verdicts[id] for one in self._sessions.values() if id in one.verdicts]
                solved = [one.tries for one in verdicts if one.verdict == "passed"]
                now = Counter(name for one in verdicts if one.time >= recent for name in one.mistakes)
                rows.append({
                    "id": id, "title": exercise.title, "trying": len(verdicts) - len(solved), "solved": len(solved),
                    "tries": statistics.median_low(solved) if solved else 0,
                    "mistakes": [[name, self.sentences[id][name], n] for name, n in now.most_common(SHOWN_MISTAKES)],
                })  # fmt: skip
            return {"people": len(self._sessions), "exercises": rows}

    def history(self) -> list[list[Any]]:
        """Return the counts over time: minutes since the opening, the number of sessions, and for each exercise (trying, solved)."""
        with self._lock:
            counts, minutes = self.counts(), (self._clock() - self._opened) / 60
            now = [round(minutes, 2), counts["people"], [[row["trying"], row["solved"]] for row in counts["exercises"]]]
            if not self._samples or now[0] >= self._samples[-1][0] + self._interval / 60:
                self._samples.append(now)
            if len(self._samples) > MAX_SAMPLES:
                self._samples, self._interval = self._samples[::2], 2 * self._interval
            return self._samples if self._samples[-1] is now else [*self._samples, now]

    def summary(self) -> dict[str, Any]:
        """Return the counts as they are saved: of mistakes, in how many sessions they were named at any time."""
        counts = self.counts()
        with self._lock:
            named = Counter(pair for one in self._sessions.values() for pair in one.named)
        for row in counts["exercises"]:
            row["mistakes"] = {name: n for (id, name), n in named.most_common() if id == row["id"]}
        return {"format": FORMAT, **counts, "history": self.history()}
