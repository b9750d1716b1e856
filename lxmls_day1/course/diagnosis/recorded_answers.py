"""The recorded answers with which those of a check are compared: the expected ones, and those of known mistakes to small inputs.

`lxmls_day1.course.diagnosis.expect` compares them; `lxmls_day1.course.diagnosis.naming` finds which known mistakes wrong answers speak for.
"""

import functools
import json
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.answer_shapes import POOL_ATOL, POOL_RTOL, Answer
from lxmls_day1.course.registry import exercise_of_check


@dataclass(frozen=True)
class Pool:
    """Small inputs of an exercise, from the smallest on, with what the reference and the known mistakes answer to each.

    Attributes
    ----------
    inputs : tuple of dict
        What is given, in words that a student understands -> numbers, texts, or nested lists of them.
    answers : tuple of tuple of Answer
        The different answers to each input: the right one first, then those of mistakes.
    programs : dict from mistake to tuple of tuple of int
        For each program of the mistake's family: which of the answers it gives to each input.
    reserve : tuple of (dict, Answer)
        Other inputs with the right answer: they are asked when a solved exercise is practised.
    """

    inputs: tuple[dict[str, Any], ...]
    answers: tuple[tuple[Answer, ...], ...]
    programs: dict[str, tuple[tuple[int, ...], ...]]
    reserve: tuple[tuple[dict[str, Any], Answer], ...] = ()

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> "Pool":
        """The inverse of `to_plain`."""
        return cls(
            tuple(dict(entry["input"]) for entry in content["inputs"]),
            tuple(tuple(map(_from_compact, entry["answers"])) for entry in content["inputs"]),
            {name: tuple(map(tuple, rows)) for name, rows in content["mistakes"].items()},
            tuple((dict(entry["input"]), _from_compact(entry["answer"])) for entry in content.get("reserve", ())),
        )

    @property
    def all_inputs(self) -> tuple[dict[str, Any], ...]:
        """The inputs, then those of the reserve."""
        return (*self.inputs, *(given for given, _ in self.reserve))

    def to_plain(self) -> dict[str, Any]:
        """The pool as JSON can hold it."""
        return {
            "inputs": [
                {"input": given, "answers": list(map(_in_compact, answers))}
                for given, answers in zip(self.inputs, self.answers, strict=True)
            ],
            "mistakes": self.programs,
            "reserve": [{"input": given, "answer": _in_compact(answer)} for given, answer in self.reserve],
        }

    def places(self, got: Sequence[Answer]) -> tuple[int, ...]:
        """The place of each answer among the known ones: 0 for the right one, −1 for one that no mistake gives."""
        return tuple(
            next((n for n, known in enumerate(answers) if known.agrees(answer, POOL_RTOL, POOL_ATOL)), -1)
            for answers, answer in zip(self.answers, got, strict=True)
        )

    def wrong_of_reserve(self, got: Sequence[Answer]) -> list[int]:
        """The inputs of the reserve to which the answers are wrong."""
        pairs = zip(self.reserve, got, strict=True)
        return [i for i, ((_, right), its) in enumerate(pairs) if not right.agrees(its, POOL_RTOL, POOL_ATOL)]


@dataclass
class RecordedAnswers:
    """What the reference answers in every check, and the pools of small inputs with the answers of known mistakes.

    Attributes
    ----------
    checks : dict from check ("test_1_05_mira.py::test_step") to dict from what is expected to `Answer`
    sentences : dict from exercise to dict from mistake to its sentence
    questions : dict from exercise to dict from mistake to its question, where it has one
    hidden : dict from exercise to how many checks run at grading only
    pools : dict from exercise to `Pool`
    places : dict from exercise to dict from mistake to the arguments that the wrong line is about, where there are some
    """

    checks: dict[str, dict[str, Answer]] = field(default_factory=dict)
    sentences: dict[str, dict[str, str]] = field(default_factory=dict)
    hidden: dict[str, int] = field(default_factory=dict)
    questions: dict[str, dict[str, str]] = field(default_factory=dict)
    pools: dict[str, Pool] = field(default_factory=dict)
    places: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, exercises: Iterable[str] | None = None) -> "RecordedAnswers":
        """Read the files of some exercises, or of all; an `InputError` says what is wrong with a file."""
        names = exercises if exercises is not None else sorted(path.stem for path in folder.glob("*.json"))
        return functools.reduce(operator.or_, (cls._of_file(folder / f"{name}.json") for name in names), cls())

    @classmethod
    def read_if_there(cls, folder: Path, exercises: Iterable[str]) -> "RecordedAnswers":
        """As `read`, for exercises of which some may have no file: experiments, and those that are not recorded yet."""
        return cls.read(folder, [name for name in exercises if (folder / f"{name}.json").is_file()])

    @classmethod
    def _of_file(cls, path: Path) -> "RecordedAnswers":
        try:
            return cls.from_plain(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise InputError(
                f"{path} is not there; it holds the answers with which the checks compare. In a workspace `lxmls-day1 update` "
                f"brings it; in a checkout of the course `python -m tools.authoring.record {path.stem}` writes it."
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{path} does not hold recorded answers that this version of lxmls-day1 can read ({error}): it is from another "
                "version, or damaged; `lxmls-day1 update` replaces it."
            ) from error

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> "RecordedAnswers":
        """The inverse of `to_json`, given its parsed text."""
        checks = {
            check: {what: Answer.from_json(entry["expected"]) for what, entry in entries.items()}
            for check, entries in content["checks"].items()
        }
        pools = {exercise: Pool.from_plain(pool) for exercise, pool in content.get("pools", {}).items()}
        questions, places = content.get("questions", {}), content.get("places", {})
        return cls(checks, content["sentences"], content["hidden"], questions, pools, places)

    def to_json(self) -> str:
        """The text of a file of recorded answers: one line for each place, so that a change can be read."""
        lines = ["{", f'"hidden": {_compact(self.hidden)},', '"sentences": {']
        lines += _joined(f"{_compact(exercise)}: {_compact(named)}" for exercise, named in self.sentences.items())
        lines += ["},", '"questions": {']
        lines += _joined(f"{_compact(exercise)}: {_compact(asked)}" for exercise, asked in self.questions.items())
        lines += ["},", '"places": {', *_joined(f"{_compact(id)}: {_compact(its)}" for id, its in self.places.items())]
        lines += ["},", '"pools": {', *_joined(map(_pool_text, self.pools, self.pools.values()))]
        lines += ["},", '"checks": {']
        blocks = []
        for check, answers in self.checks.items():
            entries = [f"  {_compact(what)}: {_compact({'expected': a.to_json()})}" for what, a in answers.items()]
            blocks.append("\n".join([f" {_compact(check)}: {{", *_joined(entries), " }"]))
        return "\n".join([*lines, *_joined(blocks), "}", "}", ""])

    def only(self, exercise: str) -> "RecordedAnswers":
        """The part about one exercise."""
        parts = vars(self).items()
        return RecordedAnswers(
            **{name: {key: part[key] for key in part if exercise_of(key) == exercise} for name, part in parts}
        )

    def __or__(self, other: "RecordedAnswers") -> "RecordedAnswers":
        """What one of them has, or both; of both it is the other's."""
        return RecordedAnswers(**{name: part | vars(other)[name] for name, part in vars(self).items()})


def exercise_of(key: str) -> str:
    """The exercise of a check, or the exercise itself."""
    return exercise_of_check(key.partition("::")[0]) or key


def _compact(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _dense(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _in_compact(answer: Answer) -> Any:
    """An answer as nested lists if these lose nothing; otherwise as `Answer.to_json` writes it."""
    if 0 in answer.shape or not all(isinstance(value, float) and math.isfinite(value) for value in answer.values):
        return answer.to_json()
    entries: list[Any] = [int(v) if isinstance(v, float) and v.is_integer() else v for v in answer.values]
    for size in reversed(answer.shape):
        entries = [entries[i : i + size] for i in range(0, len(entries), size)]
    return entries[0]


def _from_compact(content: Any) -> Answer:
    if isinstance(content, dict):
        return Answer.from_json(content)
    shape, entries = [], [content]
    while isinstance(
        entries[0], list
    ):  # there are twenty thousand of them: `Answer.of` would look at each more closely
        shape.append(len(entries[0]))
        entries = [entry for row in entries for entry in row]
    return Answer(tuple(shape), tuple(map(float, entries)))


def _pool_text(exercise: str, pool: Pool) -> str:
    """A line for each input with its answers, one for each mistake, and one for each input of the reserve."""
    content = pool.to_plain()
    inputs = _joined(f"  {_dense(entry)}" for entry in content["inputs"])
    mistakes = _joined(f"  {_dense(name)}: {_dense(rows)}" for name, rows in content["mistakes"].items())
    reserve = _joined(f"  {_dense(entry)}" for entry in content["reserve"])
    end = [' }, "reserve": [', *reserve, " ]}"] if reserve else [" }}"]
    return "\n".join([f' {_compact(exercise)}: {{"inputs": [', *inputs, ' ], "mistakes": {', *mistakes, *end])


def _joined(lines: Iterable[str]) -> list[str]:
    """With a comma after each but the last."""
    lines = list(lines)
    return [line + "," for line in lines[:-1]] + lines[-1:]
