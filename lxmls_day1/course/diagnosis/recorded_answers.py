"""The recorded answers: the expected answers of all checks, and the answers of the known mistakes to the probe inputs.

`lxmls_day1.course.diagnosis.expect` compares a student's answers with them; `mistake_matching` finds the known mistakes
that explain wrong answers.
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
    """The probe inputs of an exercise, the smallest first, with the answers of the reference and of the known mistakes to each.

    Attributes
    ----------
    inputs : tuple of dict
        From words that a student understands to numbers, strings, or nested lists of them.
    answers : tuple of tuple of Answer
        The different answers to each input: the right answer first, then the answers of mistakes.
    programs : dict from mistake to tuple of tuple of int
        For each program of the mistake's family, the index of its answer to each input.
    practice_inputs : tuple of (dict, Answer)
        Further inputs with the right answer, for practising an exercise that was solved before.
    """

    inputs: tuple[dict[str, Any], ...]
    answers: tuple[tuple[Answer, ...], ...]
    programs: dict[str, tuple[tuple[int, ...], ...]]
    practice_inputs: tuple[tuple[dict[str, Any], Answer], ...] = ()

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> "Pool":
        """Make a pool from the result of `to_plain`."""
        return cls(
            tuple(dict(entry["input"]) for entry in content["inputs"]),
            tuple(tuple(map(_from_compact, entry["answers"])) for entry in content["inputs"]),
            {name: tuple(map(tuple, rows)) for name, rows in content["mistakes"].items()},
            tuple((dict(entry["input"]), _from_compact(entry["answer"])) for entry in content.get("reserve", ())),
        )

    @property
    def all_inputs(self) -> tuple[dict[str, Any], ...]:
        """The inputs, then the practice inputs."""
        return (*self.inputs, *(given for given, _ in self.practice_inputs))

    def to_plain(self) -> dict[str, Any]:
        """Return the pool as JSON can represent it."""
        return {
            "inputs": [
                {"input": given, "answers": list(map(_to_compact, answers))}
                for given, answers in zip(self.inputs, self.answers, strict=True)
            ],
            "mistakes": self.programs,
            "reserve": [{"input": given, "answer": _to_compact(answer)} for given, answer in self.practice_inputs],
        }

    def answer_indices(self, actual: Sequence[Answer]) -> tuple[int, ...]:
        """Return the index of each answer among the known ones: 0 for the right answer, −1 for an answer that no mistake gives."""
        return tuple(
            next((n for n, known in enumerate(answers) if known.is_close(answer, POOL_RTOL, POOL_ATOL)), -1)
            for answers, answer in zip(self.answers, actual, strict=True)
        )

    def wrong_practice_inputs(self, actual: Sequence[Answer]) -> list[int]:
        """Return the indices of the practice inputs whose answers are wrong."""
        pairs = zip(self.practice_inputs, actual, strict=True)
        return [i for i, ((_, right), its) in enumerate(pairs) if not right.is_close(its, POOL_RTOL, POOL_ATOL)]


@dataclass
class RecordedAnswers:
    """The answers of the reference in every check, and the pools of probe inputs with the answers of known mistakes.

    Attributes
    ----------
    checks : dict from check ("test_1_05_mira.py::test_step") to dict from description to expected `Answer`
    sentences : dict from exercise to dict from mistake to its sentence
    questions : dict from exercise to dict from mistake to its question, for mistakes that have a question
    hidden : dict from exercise to the number of checks that run at grading only
    pools : dict from exercise to `Pool`
    mistake_arguments : dict from exercise to dict from mistake to the arguments in its wrong line, for mistakes that have such arguments
    """

    checks: dict[str, dict[str, Answer]] = field(default_factory=dict)
    sentences: dict[str, dict[str, str]] = field(default_factory=dict)
    hidden: dict[str, int] = field(default_factory=dict)
    questions: dict[str, dict[str, str]] = field(default_factory=dict)
    pools: dict[str, Pool] = field(default_factory=dict)
    mistake_arguments: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, exercises: Iterable[str] | None = None) -> "RecordedAnswers":
        """Read the files of some exercises (default: all); raise an `InputError` that explains the fault in a file."""
        names = exercises if exercises is not None else sorted(path.stem for path in folder.glob("*.json"))
        return functools.reduce(operator.or_, (cls._of_file(folder / f"{name}.json") for name in names), cls())

    @classmethod
    def read_existing(cls, folder: Path, exercises: Iterable[str]) -> "RecordedAnswers":
        """Read the files of some exercises, like `read`, but skip exercises without a file: experiments, or exercises not recorded yet."""
        return cls.read(folder, [name for name in exercises if (folder / f"{name}.json").is_file()])

    @classmethod
    def _of_file(cls, path: Path) -> "RecordedAnswers":
        try:
            changed = path.stat()
            return _parsed(path, changed.st_mtime_ns, changed.st_size)
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
        """Make recorded answers from the parsed text of `to_json`."""
        checks = {
            check: {description: Answer.from_json(entry["expected"]) for description, entry in entries.items()}
            for check, entries in content["checks"].items()
        }
        pools = {exercise: Pool.from_plain(pool) for exercise, pool in content.get("pools", {}).items()}
        questions, places = content.get("questions", {}), content.get("places", {})
        return cls(checks, content["sentences"], content["hidden"], questions, pools, places)

    def to_json(self) -> str:
        """Return the text of a file of recorded answers, with one line for each answer, so that a diff is readable."""
        lines = ["{", f'"hidden": {_compact(self.hidden)},']
        for name, part in (("sentences", "sentences"), ("questions", "questions"), ("places", "mistake_arguments")):
            rows = (f"{_compact(exercise)}: {_compact(its)}" for exercise, its in vars(self)[part].items())
            lines += [f'"{name}": {{', *_joined(rows), "},"]
        lines += ['"pools": {', *_joined(map(_pool_text, self.pools, self.pools.values())), "},", '"checks": {']
        blocks = []
        for check, answers in self.checks.items():
            entries = [
                f"  {_compact(description)}: {_compact({'expected': a.to_json()})}"
                for description, a in answers.items()
            ]
            blocks.append("\n".join([f" {_compact(check)}: {{", *_joined(entries), " }"]))
        return "\n".join([*lines, *_joined(blocks), "}", "}", ""])

    def for_exercise(self, exercise: str) -> "RecordedAnswers":
        """Return the recorded answers of one exercise."""
        parts = vars(self).items()
        return RecordedAnswers(
            **{name: {key: part[key] for key in part if exercise_of(key) == exercise} for name, part in parts}
        )

    def __or__(self, other: "RecordedAnswers") -> "RecordedAnswers":
        """Merge two recordings; ``other`` wins if both have an entry."""
        return RecordedAnswers(**{name: part | vars(other)[name] for name, part in vars(self).items()})


@functools.lru_cache(maxsize=4)  # One check reads a file four times, which took a quarter of a verdict in a page.
def _parsed(path: Path, _changed: int, _size: int) -> RecordedAnswers:
    return RecordedAnswers.from_plain(json.loads(path.read_text(encoding="utf-8")))


def exercise_of(key: str) -> str:
    """Return the exercise of a key: the exercise of a check, or the key itself if it is an exercise."""
    return exercise_of_check(key.partition("::")[0]) or key


_compact = functools.partial(json.dumps, ensure_ascii=False, allow_nan=False)
_dense = functools.partial(_compact, separators=(",", ":"))


def _to_compact(answer: Answer) -> Any:
    """Return an answer as nested lists if that loses nothing; otherwise as `Answer.to_json` writes it."""
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
    # `Answer.from_value`, which checks each entry, is too slow for twenty thousand answers.
    while isinstance(entries[0], list):
        shape.append(len(entries[0]))
        entries = [entry for row in entries for entry in row]
    return Answer(tuple(shape), tuple(map(float, entries)))


def _pool_text(exercise: str, pool: Pool) -> str:
    """Return the JSON text of a pool: a line for each input with its answers, for each mistake, and for each practice input."""
    content = pool.to_plain()
    inputs = _joined(f"  {_dense(entry)}" for entry in content["inputs"])
    mistakes = _joined(f"  {_dense(name)}: {_dense(rows)}" for name, rows in content["mistakes"].items())
    reserve = _joined(f"  {_dense(entry)}" for entry in content["reserve"])
    end = [' }, "reserve": [', *reserve, " ]}"] if reserve else [" }}"]
    return "\n".join([f' {_compact(exercise)}: {{"inputs": [', *inputs, ' ], "mistakes": {', *mistakes, *end])


def _joined(lines: Iterable[str]) -> list[str]:
    """Return the lines with a comma after each but the last."""
    lines = list(lines)
    return [line + "," for line in lines[:-1]] + lines[-1:]
