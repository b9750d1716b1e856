"""Probe inputs: some dozens of small inputs on which the code of an exercise is run, the smallest first.

The check file of an exercise defines the first two of these functions, and may define the others:

    def small_inputs():
        '''Return the inputs, the smallest first, as dicts from words that a student understands to numbers, strings or nested lists.'''

    def small_answers(lab, inputs):
        '''Return the answers of the lab to these inputs.'''

    def small_properties(given, answer):
        '''Yield the properties that a wrong answer lacks: pairs of a name and a sentence.'''

    def small_parts(given, answer):
        '''Yield the parts of an answer of the right shape and type: pairs of a word and the part.'''

    def small_terms(given, answer, right):
        '''Yield the parts of an answer, each with the terms of which it may be composed; see `lxmls_day1.course.diagnosis.formulas`.'''

    MAY_CHANGE = {"mira_rule"}      the functions that may change their arguments
    TOLD_AS = "d, then b"           the contents of an answer, in order, if the inputs do not show it; or a dict from function to text

`tools.authoring.record` selects inputs on which the answers of the known mistakes differ, and records them with all answers. Together they
are one public check of the exercise. It shows the smallest input with a wrong answer. Only this check names mistakes, so that
a student gets the same message wherever the check runs. `small_parts` helps to find two mistakes that affect different parts of an
answer. If no known mistake explains the answers, the check describes symptoms (`lxmls_day1.course.diagnosis.symptoms`).
"""

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from lxmls_day1.base.errors import InputError, NoAnswer
from lxmls_day1.course.diagnosis.answer_shapes import (
    MUST_RETURN,
    POOL_ATOL,
    POOL_RTOL,
    RAISES,
    RETURNS,
    Answer,
    ProbeResult,
    describe_tuple,
    describe_wrong_shape,
    entries_of,
    format_answer,
    shape_and_type,
    shortened,
)
from lxmls_day1.course.diagnosis.expect import WrongAnswer, labelled_lines
from lxmls_day1.course.diagnosis.mistake_matching import PROPERTY, diagnose
from lxmls_day1.course.diagnosis.recorded_answers import Pool
from lxmls_day1.course.diagnosis.symptoms import WRONG_FORM, describe_symptoms, flattened
from lxmls_day1.course.markers import STUB_MESSAGE

INPUTS_FUNCTION, ANSWERS_FUNCTION = "small_inputs", "small_answers"  # names of functions in a check file
PROPERTIES_FUNCTION, PARTS_FUNCTION, TERMS_FUNCTION = "small_properties", "small_parts", "small_terms"
MAY_CHANGE, TOLD_AS = "MAY_CHANGE", "TOLD_AS"
REQUESTED_RESULT = "asked for"  # the label of the line that lists the contents of an answer
MAX_ENTRIES = 2000  # entries of an answer that is compared entry by entry
MAX_PRINTED_LINES, MAX_PRINTED_BYTES = 10, 20_000
MAX_PRINTED_LINE = 200  # characters
#: The folders before a path in a lab. Each character is tried once, because the text may be hostile.
_FOLDER_OF_LAB = re.compile(r"""(?<![^\s"'(])[^\s"'(]*[/\\](?=(classifiers|readers)[/\\]\w+\.py\b)""")
N_SNAPSHOT_INPUTS = 20  # approximate number of inputs in a snapshot
CHANGED_INPUT = (
    "changes_its_input",
    "The code changes an array that it is given, and the caller still needs the old values. Work on a copy, or on an array of "
    "your own.",
)

STUB_ANSWER = Answer.from_value("still to be written")  # the answer of a function that is not written yet

AnswersFunction = Callable[[Any, Sequence[dict[str, Any]]], Sequence[Any]]


@dataclass(frozen=True)
class CounterExample:
    """An input with a wrong answer, the expected and the actual answer, and the number of inputs with a wrong answer and of all inputs."""

    given: dict[str, Any]
    wanted: Answer
    got: Answer
    wrong_inputs: int = 0
    small_inputs: int = 0
    parts: tuple[tuple[str, Answer, Answer], ...] = ()  # parts of a flat answer: word, expected, actual

    def lines(self) -> list[tuple[str, str]]:
        """Return the lines to show, as pairs of a label and a text."""
        yours = answer_text(self.got)
        if self.got.values == (None,) and REQUESTED_RESULT in self.given:
            yours = "None"  # It may be an attribute that was never set, so no advice on `return`.
        answers = [("expected", format_answer(self.wanted)), ("yours", yours)]
        if self.parts:
            answers = [(f"expected, {word}", format_answer(expected)) for word, expected, _ in self.parts]
            answers += [(f"yours, {word}", format_answer(actual)) for word, _, actual in self.parts]
        return [*((word, input_text(value)) for word, value in self.given.items()), *answers]


class ProbeInputs:
    """The check of the probe inputs of an exercise.

    Parameters
    ----------
    module : module
        The check file.
    pool : Pool or None
        None if no answers are recorded yet.
    sentences : mapping from mistake to sentence
    practised : bool
        If True, the practice inputs are used, too.
    """

    def __init__(self, module: ModuleType, pool: Pool | None, sentences: Mapping[str, str], practised: bool = False):
        self._module, self._pool, self._sentences, self._practised = module, pool, sentences, practised

    def check(self, lab: Any) -> None:
        """Compare the answers of a lab with the recorded ones.

        Raises
        ------
        WrongAnswer
            If an answer is wrong. The message shows the smallest input with a wrong answer.
        """
        pool = self._pool
        if pool is None:
            raise InputError(
                f"no small inputs are recorded for {self._module.__name__}; run `python -m tools.authoring.record`"
            )
        ask = getattr(self._module, ANSWERS_FUNCTION)
        with CaughtOutput(lab) as printed:
            try:
                actual = run_on_inputs(lab, ask, pool.inputs)
            except Exception as error:
                if printed.lines() and not isinstance(error, NoAnswer):
                    self._keep_printed(lab, pool.inputs[0])
                raise
        to_do = [its == STUB_ANSWER for its in actual]
        actual = [answers[0] if empty else its for answers, its, empty in zip(pool.answers, actual, to_do, strict=True)]
        row = pool.answer_indices(actual)
        wrong = [i for i, place in enumerate(row) if place]
        allowed = getattr(self._module, MAY_CHANGE, ())
        changed = [name for name in dict.fromkeys(getattr(lab, "changes", [])) if name not in allowed]
        if printed.lines():  # Ask again: only what belongs to the shown input is kept.
            self._keep_printed(lab, pool.inputs[wrong[0] if wrong else 0])
        if not wrong:
            if any(to_do):
                run_on_inputs(lab, ask, [pool.inputs[to_do.index(True)]])  # raises the error of the stub
            if changed:
                raise WrongAnswer(f"{changed[0]} changes an array that it is given", [CHANGED_INPUT], PROPERTY)
            if self._practised:
                self._check_practice_inputs(lab, pool)
            return
        first = wrong[0]
        example = self._example(pool.inputs[first], pool.answers[first][0], actual[first], len(wrong), len(row))
        split = getattr(self._module, PARTS_FUNCTION, None)
        found = diagnose(pool, row, actual, split)
        mistakes = [(name, self._sentences[name]) for name in found.names if name in self._sentences]
        kind = found.kind
        if not mistakes:
            of_form = describe_wrong_shape(getattr(lab, "answers", []), getattr(self._module, MUST_RETURN, {}))
            asked = zip(pool.inputs, pool.answers, actual, row, to_do, strict=True)
            seen = [ProbeResult(given, right, its, n != 0) for given, (right, *_), its, n, empty in asked if not empty]
            names = (PROPERTIES_FUNCTION, PARTS_FUNCTION, TERMS_FUNCTION)
            functions = (getattr(self._module, name, None) for name in names)
            mistakes, kind = describe_symptoms(seen, *functions), PROPERTY
            if of_form and (actual[first].kind is not float or not mistakes):
                mistakes = [(WRONG_FORM, of_form)]
        if not mistakes and changed:
            mistakes = [CHANGED_INPUT]
        raise WrongAnswer(
            _message(example), mistakes, kind if mistakes else "", example, [(pool.inputs[i], actual[i]) for i in wrong]
        ) from _original_error(lab, ask, pool.inputs[first], actual[first])

    def _keep_printed(self, lab: Any, given: dict[str, Any]) -> None:
        """Call the code with one input, and keep what it prints for that."""
        with CaughtOutput(lab) as printed:
            with suppress(Exception):
                _run(lab, getattr(self._module, ANSWERS_FUNCTION), [given])
            lab.printed = printed.lines()

    def _check_practice_inputs(self, lab: Any, pool: Pool) -> None:
        """Compare a lab's answers to the practice inputs with the expected ones."""
        inputs = [given for given, _ in pool.practice_inputs]
        actual = run_on_inputs(lab, getattr(self._module, ANSWERS_FUNCTION), inputs)
        wrong = pool.wrong_practice_inputs(actual)
        if wrong:
            example = self._example(*pool.practice_inputs[wrong[0]], actual[wrong[0]], len(wrong), len(actual))
            raise WrongAnswer(_message(example, "new inputs"), example=example)

    def _example(
        self, given: dict[str, Any], expected: Answer, actual: Answer, n_wrong: int, n_inputs: int
    ) -> CounterExample:
        text = getattr(self._module, TOLD_AS, "")
        text = text.get(given["function"], "") if isinstance(text, dict) else text
        told_as = {REQUESTED_RESULT: text} if text else {}
        parts = self._named_parts(given, expected, actual) if told_as else ()
        return CounterExample(given | ({} if parts else told_as), expected, actual, n_wrong, n_inputs, parts)

    def _named_parts(
        self, given: dict[str, Any], expected: Answer, actual: Answer
    ) -> tuple[tuple[str, Answer, Answer], ...]:
        """Return the parts of a flat answer with the right shape and type; empty if it has only one part."""
        split = getattr(self._module, PARTS_FUNCTION, None)
        forms = {(answer.shape, answer.kind) for answer in (expected, actual)}
        if split is None or len(forms) > 1 or len(expected.shape) != 1 or expected.kind is not float:
            return ()
        pairs = zip(split(given, expected.array), split(given, actual.array), strict=True)
        parts = tuple((word, Answer.from_value(right), Answer.from_value(its)) for (word, right), (_, its) in pairs)
        return parts if len(parts) > 1 else ()


class CaughtOutput(redirect_stdout[io.TextIOWrapper]):
    """Catch what a student's code prints, up to `MAX_PRINTED_BYTES`: in this process, or in the box of a lab that has ``take_output``."""

    def __init__(self, lab: Any = None) -> None:
        self._bytes, self._take_output = _LimitedBytes(), getattr(lab, "take_output", None)
        super().__init__(_OpenText(self._bytes, "utf-8", "backslashreplace", newline="\n", write_through=True))

    def __enter__(self) -> "CaughtOutput":  # type: ignore[override]
        super().__enter__()
        if self._take_output:
            self._take_output()  # The output before is of other calls.
        return self

    def lines(self) -> tuple[str, ...]:
        """Return the first lines, without blank ones at either end, and with control characters as escapes."""
        text = self._take_output() if self._take_output else self._bytes.getvalue().decode(errors="replace")
        text = _FOLDER_OF_LAB.sub("", text[:MAX_PRINTED_BYTES])  # A debugger prints whole paths.
        lines = [
            "".join(c if c.isprintable() else repr(c)[1:-1] for c in line.expandtabs().rstrip())
            for line in re.sub(r"\A(\s*\n)+", "", text).rstrip().split("\n")
        ]
        lines = [] if lines == [""] else lines
        more = [f"… {len(lines) - MAX_PRINTED_LINES} more lines"] if len(lines) > MAX_PRINTED_LINES else []
        shown = lines[:MAX_PRINTED_LINES]
        shown = [line if len(line) <= MAX_PRINTED_LINE else line[: MAX_PRINTED_LINE - 1] + "…" for line in shown]
        return (*shown, *more)


class _LimitedBytes(io.BytesIO):
    def write(self, content: Any) -> int:
        super().write(memoryview(content).tobytes()[: max(0, MAX_PRINTED_BYTES - self.tell())])
        return len(content)

    def close(self) -> None:
        """Stay open, because the check still reads what was printed."""


class _OpenText(io.TextIOWrapper):
    def close(self) -> None:
        """Stay open, because the next call of the code may print, too."""


def run_on_some_inputs(module: ModuleType, lab: Any) -> None:
    """Run a lab on some of the inputs that a check file proposes, without judging the answers: for a snapshot."""
    proposed = list(getattr(module, INPUTS_FUNCTION)())
    run_on_inputs(lab, getattr(module, ANSWERS_FUNCTION), proposed[:: max(1, len(proposed) // N_SNAPSHOT_INPUTS)])


def is_nontrivial(wrong: Sequence[tuple[dict[str, Any], Answer]]) -> bool:
    """Return True if more than half of these answers are neither one number all over nor a part of their input.

    Numbers are compared with twice the tolerances of the pool, because a known mistake explains numbers within the tolerance on either
    side. Entries that are not finite do not count.

    Examples
    --------
    >>> wrong = [({"x": [1.0, 2.0]}, Answer.from_value(answer)) for answer in ([0.0, 1e-9], [1.0, math.nan], [2.0, 4.0])]
    >>> is_nontrivial(wrong), is_nontrivial(wrong[2:])
    (False, True)
    """
    single = [value for _, answer in wrong if not answer.shape for value in answer.values]

    def is_made(given: dict[str, Any], answer: Answer) -> bool:
        varies = answer.kind is float and _vary(answer.values if answer.shape else single)
        return varies and not any(_are_close(answer.values, flattened(part)) for part in given.values())

    return 2 * sum(is_made(given, answer) for given, answer in wrong) > len(wrong)


def _vary(values: Sequence[Any]) -> bool:
    """Return True if the finite numbers among the values are not all equal."""
    numbers = [value for value in values if isinstance(value, float) and math.isfinite(value)]
    return bool(numbers) and not _are_close([min(numbers)], [max(numbers)])


def _are_close(values: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return True if two lists have the same length and their entries are close; entries that are not finite are ignored."""
    return len(values) == len(others) and all(
        isinstance(other, (int, float)) and abs(value - other) <= 2 * (POOL_ATOL + POOL_RTOL * abs(other))
        for value, other in zip(values, others, strict=True)
        if math.isfinite(value)
    )


def run_on_inputs(lab: Any, answers_function: AnswersFunction, inputs: Sequence[dict[str, Any]]) -> list[Answer]:
    """Return the answers of a lab to these inputs.

    An exception counts as an answer, too. The answer of a function that is not written yet is `STUB_ANSWER`.

    Raises
    ------
    Exception
        The first exception of the lab, if it raises one for every input.
    """
    try:
        return [to_answer(value) for value in _run(lab, answers_function, inputs)]
    except NoAnswer:
        raise
    except Exception as error:
        if _exception_name(error) == "MemoryError":  # It would take as long for each single input.
            raise
    found: list[Answer] = []
    failures: list[Exception] = []
    for given in inputs:
        try:
            (value,) = _run(lab, answers_function, [given])
            found.append(to_answer(value))
        except NoAnswer:
            raise
        except Exception as error:
            failures.append(error)
            is_stub = isinstance(error, NotImplementedError) and STUB_MESSAGE.match(str(error))
            found.append(STUB_ANSWER if is_stub else Answer.from_value(f"{RAISES}{_exception_name(error)}"))
    if len(failures) == len(inputs):
        raise failures[0]
    return found


def _original_error(
    lab: Any, answers_function: AnswersFunction, given: dict[str, Any], actual: Answer
) -> Exception | None:
    """Repeat a call that raised an exception, and return the exception, so that its traceback can be shown; None for other answers."""
    if str(next(iter(actual.values), "")).startswith(RAISES):
        try:
            _run(lab, answers_function, [given])
        except NoAnswer:  # not an error in the student's code
            return None
        except Exception as error:
            return error
    return None


def to_answer(value: Any) -> Answer:
    """Convert a value to an answer; a value that cannot be an answer is described by a string."""
    try:
        shape, _ = shape_and_type(value)
        if math.prod(shape) > MAX_ENTRIES:
            return Answer.from_value(f"{RETURNS}an array of the shape {shape}")
        return Answer(shape, tuple(entries_of(value)))
    except TypeError as error:
        return Answer.from_value(f"{RETURNS}{shortened(describe_tuple(value) or str(error))}")


def answer_text(answer: Answer) -> str:
    """Return a student's answer as one line of text."""
    if answer.kind is str and answer.values and str(answer.values[0]).startswith((RAISES, RETURNS)):
        return str(answer.values[0])
    return "None; is a `return` missing?" if answer.values == (None,) else format_answer(answer)


def input_text(value: Any) -> str:
    """Return an input as one line of text.

    Examples
    --------
    >>> input_text([[0.5, 1.0], [2.0, 0]]), input_text("art"), input_text(3.0)
    ('[[0.5, 1], [2, 0]]', 'art', '3')
    """
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(input_text, value))}]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _run(lab: Any, answers_function: AnswersFunction, inputs: Sequence[dict[str, Any]]) -> list[Any]:
    answers = list(answers_function(lab, inputs))
    if len(answers) != len(inputs):
        raise NoAnswer(f"{ANSWERS_FUNCTION} gave {len(answers)} answers to {len(inputs)} inputs")
    return answers


def _exception_name(error: Exception) -> str:
    """Return the class name of an exception in the student's code; an exception from a box carries the name of the original one."""
    kinds = getattr(getattr(error, "boxed", None), "kinds", ()) or (type(error).__name__,)
    return kinds[0] if re.fullmatch(r"[A-Za-z_]\w{0,60}", kinds[0], re.ASCII) else "Exception"


def _message(example: CounterExample, kind: str = "small inputs") -> str:
    head = f"{example.wrong_inputs} of {example.small_inputs} {kind} get a wrong answer. The smallest of them:"
    return labelled_lines(head, example.lines())
