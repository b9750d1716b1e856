"""Answers of checks, and the recorded ones with which they are compared.

Answers are numbers, texts, or arrays of one of them: plain data, which can cross from one process into another.
`lxmls_day1.course.diagnosis.expect` compares them; `lxmls_day1.course.diagnosis.naming` finds which known mistakes wrong answers speak for.
"""

import functools
import json
import math
import operator
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import exercise_of_check

RTOL, ATOL = 1e-6, 1e-9
POOL_RTOL, POOL_ATOL = 1e-4, 1e-5  # small inputs are round, mistakes far from the right answer; single precision passes
MOST_SHOWN = 12
MOST_DESCRIBED = 4  # entries of a tuple whose forms are told
RETURNS = "returns "  # the beginning of an answer that is none, and is described
LONGEST_SHOWN = 200  # characters of one text
DEEPEST = 32
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

Form = tuple[tuple[int, ...], type]  # the shape of a value, and what its entries are: float, str or NoneType


@dataclass(frozen=True)
class Answer:
    """A value as plain data: its shape, and its entries in C order: floats, or texts, or nothing at all.

    Examples
    --------
    >>> Answer.of([[1, 2.5]])
    Answer(shape=(1, 2), values=(1.0, 2.5))
    >>> Answer.of("spam"), Answer.of(None).values
    (Answer(shape=(), values=('spam',)), (None,))
    """

    shape: tuple[int, ...]
    values: tuple[float | str | None, ...]

    @classmethod
    def of(cls, value: Any) -> "Answer":
        """The answer that a value is.

        Raises
        ------
        TypeError
            If it is neither a number, a text, None nor an array or nested list of one kind; the message says what it is.
            None of its entries is converted then.
        """
        shape, _ = form_of(value)
        return cls(shape, tuple(entries_of(value)))

    @property
    def kind(self) -> type:
        """float, str or NoneType; float for an array without entries."""
        return type(self.values[0]) if self.values else float

    @property
    def array(self) -> Any:
        """The entries as a numpy array."""
        import numpy as np

        return np.array(self.values).reshape(self.shape)

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON can hold it. JSON has no infinities and no NaN: they become texts, under a key of their own."""
        key = "texts" if self.kind is str else "numbers"
        values = [repr(v) if isinstance(v, float) and not math.isfinite(v) else v for v in self.values]
        return {"shape": list(self.shape), key: values}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Answer":
        """The inverse of `to_json`."""
        shape = tuple(content["shape"])
        if "texts" in content:
            return cls(shape, tuple(content["texts"]))
        return cls(shape, tuple(None if value is None else float(value) for value in content["numbers"]))

    def agrees(self, other: "Answer", rtol: float = RTOL, atol: float = ATOL) -> bool:
        """Whether two answers have the same shape and entries, numbers within tolerances of this answer's."""
        return self.shape == other.shape and not self.differing(other, rtol, atol)

    def differing(self, other: "Answer", rtol: float = RTOL, atol: float = ATOL) -> list[int]:
        """The positions in C order at which an answer of the same shape differs from this one."""
        pairs = zip(self.values, other.values, strict=True)
        return [i for i, (mine, its) in enumerate(pairs) if mine != its and not _same(mine, its, rtol, atol)]


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


def form_of(value: Any) -> Form:
    """The shape and the kind of an answer, found without converting it: a sparse array stays sparse, a list a list.

    Raises
    ------
    TypeError
        As `Answer.of` does.

    Examples
    --------
    >>> form_of([[1, 2.5]]), form_of(["spam"] * 3)
    (((1, 2), <class 'float'>), ((3,), <class 'str'>))
    """
    shape, kinds = _form(value, value, 0)
    if len(kinds) > 1 or (kinds == {type(None)} and shape):
        mixed = "is partly numbers and partly texts" if kinds == {float, str} else "is neither numbers nor texts"
        raise TypeError(f"{_description(value)}, which {mixed}")
    return shape, kinds.pop() if kinds else float


def _form(value: Any, whole: Any, depth: int) -> tuple[tuple[int, ...], set[type]]:
    """Shape and kinds of a value within a whole one."""
    if value is None:
        return (), {type(None)}
    if isinstance(value, str):
        return (), {str}
    if isinstance(value, (bool, int, float)):
        return (), {float}
    if isinstance(value, (list, tuple, range)):
        if depth >= DEEPEST:
            raise TypeError(f"a {type(whole).__name__} of lists in lists, more than {DEEPEST} deep")
        scalars = set(map(type, value))
        if scalars <= {float, int, bool}:
            return (len(value),), {float} if scalars else set()
        if scalars == {str}:
            return (len(value),), {str}
        shapes, kinds = set(), set()
        for entry in value:
            shape, its_kinds = _form(entry, whole, depth + 1)
            shapes.add(shape)
            kinds |= its_kinds
            if len(shapes) > 1:
                raise TypeError(f"{_description(whole)}, a {type(whole).__name__} whose rows differ in length")
        return (len(value), *shapes.pop()), kinds
    if depth and hasattr(value, "toarray"):
        raise TypeError(f"a {type(whole).__name__} of sparse arrays")
    array = _as_array(value)
    kind = {**dict.fromkeys("biuf", float), "U": str}.get(array.dtype.kind)
    if kind is None:
        raise TypeError(f"{_description(whole)}, which is neither numbers nor texts")
    return tuple(map(int, array.shape)), {kind} if math.prod(array.shape) else set()


def _as_array(value: Any) -> Any:
    """An array or a sparse array as it is; anything else as an array."""
    import numpy as np

    if hasattr(value, "toarray") and hasattr(value, "dtype"):
        return value
    try:
        return np.asarray(value)
    except ValueError as error:
        raise TypeError(f"{_description(value)}, which is not an array") from error


def entries_of(value: Any) -> Iterator[float | str | None]:
    """The entries of a value in C order, one after another, each converted when it is wanted."""
    if value is None:
        yield None
    elif isinstance(value, str):
        yield str(value)
    elif isinstance(value, (bool, int, float)):
        yield _number(value)
    elif isinstance(value, (list, tuple, range)):
        kinds = set(map(type, value))
        if kinds == {float}:
            yield from value
        elif kinds <= {float, int, bool}:
            yield from map(_number, value)
        else:
            for entry in value:
                yield from entries_of(entry)
    else:
        array = _as_array(value)
        if hasattr(array, "toarray"):
            array = array.toarray()
        yield from (
            array.ravel().tolist()
            if array.dtype == float
            else map(str if array.dtype.kind == "U" else float, array.flat)
        )


def _number(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise TypeError("an int that is larger than any float") from None


class _Description(reprlib.Repr):
    """The ``repr`` of a value by its first entries alone."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxdict = MOST_SHOWN
        self.maxstring = self.maxother = self.maxlong = LONGEST_SHOWN

    def repr_instance(self, x: Any, level: int) -> str:
        """The ``repr`` of any other object, without its address: that is another one in each run."""
        return shortened(ADDRESS.sub("", repr(x)), self.maxother)


def shape_text(answer: Answer) -> str:
    """The form of an answer in words: ``one number``, ``an array of shape (2, 3)``."""
    return form_text((answer.shape, answer.kind))


def form_text(form: Form) -> str:
    """A form in words."""
    shape, kind = form
    if not shape:
        return {float: "one number", str: "a text"}.get(kind, "None")
    return f"an array of shape {shape}" + " of texts" * (kind is str)


def in_words(value: Any) -> str:
    """What a tuple or list is made of, where it is no array; nothing for other values.

    Examples
    --------
    >>> in_words(([0.5, 1.0], 3)), in_words([[1.0], [2.0, 3.0]])
    ('a pair: an array of shape (2,) and one number', 'a list of 2: an array of shape (1,) and an array of shape (2,)')
    """
    if not isinstance(value, (list, tuple)) or not value:
        return ""
    words = []
    for entry in value[:MOST_DESCRIBED]:
        try:
            words.append(form_text(form_of(entry)))
        except TypeError:
            words.append(f"a {type(entry).__name__}")
    more = ", …" if len(value) > MOST_DESCRIBED else ""
    kind = "a pair" if type(value) is tuple and len(value) == 2 else f"a {type(value).__name__} of {len(value)}"
    return f"{kind}: {' and '.join([', '.join(words[:-1])] * (len(words) > 1) + words[-1:])}{more}"


def results(value: Any, *words: str) -> tuple[Any, ...]:
    """The results of a function that has several; if it returned something else, for each of them a text that says what.

    Examples
    --------
    >>> results((1.0, 2.0), "W", "the mean"), results(1.0, "W", "the mean")[0]
    ((1.0, 2.0), 'returns one number, but must return 2 results: W and the mean')
    """
    is_several = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 2  # matrices, stacked
    if is_several and len(value) == len(words):
        return tuple(value)
    wanted = f"{len(words)} results: {', '.join(words[:-1])} and {words[-1]}"
    return (described(value, wanted),) * len(words)


def described(value: Any, wanted: str) -> str:
    """What an answer that cannot be compared is, and what is wanted.

    Examples
    --------
    >>> described((1.0, 2.0), "one number")
    'returns an array of shape (2,), but must return one number'
    """
    try:
        what = form_text(form_of(value))
    except TypeError as error:
        what = in_words(value) or str(error)
    return f"{RETURNS}{shortened(what)}, but must return {wanted}"


def _description(value: Any) -> str:
    """A value of any kind in some words."""
    try:
        text = shortened(_Description().repr(value))
    except Exception:  # its own code, or a number of too many digits
        text = ""
    kind = type(value).__name__
    return f"a {kind}" if text.startswith("<") else f"{kind} {text}".strip()  # <generator object …> tells no more


def shortened(text: str, most: int = 200) -> str:
    """A text in one line that is not longer than `most`."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _same(expected: float | str | None, got: float | str | None, rtol: float, atol: float) -> bool:
    if not (isinstance(expected, float) and isinstance(got, float)):
        return expected == got
    if math.isfinite(expected) and math.isfinite(got):
        return abs(expected - got) <= atol + rtol * abs(expected)
    return expected == got or (math.isnan(expected) and math.isnan(got))


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
