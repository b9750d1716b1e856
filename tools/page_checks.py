"""Exercises in a web page: the code that a reader writes into the gaps is put into a lab, checked, and run on a few points.

The page calls `handle_request` with a request in JSON; see ``exercise_worker.js``. `exercise_pages` puts this module into a page,
beside the package.
"""

import base64
import functools
import json
import random
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from lxmls_day1.course.diagnosis.answer_shapes import shortened
from lxmls_day1.course.diagnosis.mistake_matching import diagnosis_heading
from lxmls_day1.course.diagnosis.probe_inputs import CounterExample
from lxmls_day1.course.explanations import check_and_save, explain, merge_explanations, valid_explanations
from lxmls_day1.course.markers import functions_with_exercise
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.reports import report_text
from lxmls_day1.course.reports.check_json import verdict_of
from lxmls_day1.course.reports.hints import mistake_hint
from lxmls_day1.course.reports.report_text import Line
from lxmls_day1.course.running.checking import ExerciseReport
from lxmls_day1.course.source_functions import function_lines
from lxmls_day1.course.workspace_state import changed_state
from lxmls_day1.course.workspaces import generation, model_answers
from lxmls_day1.course.workspaces.packed_work import collect_submission, pack_submission
from lxmls_day1.lab import Lab, reference_folder

TIME_LIMIT = 10.0  # seconds for each check
N_POINTS, STEP = 18, 0.5
#: Points and first weights (intercept and two coordinates, of three classes), from which right rules end without a mistake, and wrong
#: ones elsewhere: a test tries the known mistakes.
POINTS_SEED = 89
START = ((-1.03, 1.42, -1.95), (-1.51, 4.85, -2.61), (3.02, -1.45, 0.65))
OUTCOMES_WITH_TRACE = ("passed", "wrong", "skipped")  # outcomes of checks after which the rule can be called
ANSWER_LABEL = "*Your answer:*"  # in a cell of a notebook that asks
HINT_COMMAND = re.compile(r"`lxmls-day1 hint [\w.]+` helps")
MAX_CELL_CHARS = 200  # of the table of a wrong answer, characters
MAX_BARS = 16  # of each colour


def find_gaps(source: str, exercise: str) -> list[re.Match[str]]:
    """Return a match for each stub of an exercise in a source text: the comment with the task and the ``raise`` below it.

    Examples
    --------
    >>> [gap] = find_gaps('def f(x):\\n    # Exercise 1.1: Double it.\\n    raise NotImplementedError("Exercise 1.1: ...")\\n', "1.1")
    >>> gap["indent"], gap.start()
    ('    ', 10)
    """
    task = rf"^(?P<indent> *)# Exercise {re.escape(exercise)}: .*\n(?:(?P=indent)#.*\n)*"
    return list(re.finditer(task + r"(?P=indent)raise NotImplementedError\(.*\n?", source, re.MULTILINE))


def fill_gaps(source: str, exercise: str, texts: Sequence[str]) -> str:
    """Return the source with a text in each gap, at the indentation of the gap; an empty text leaves the stub.

    Examples
    --------
    >>> stub = 'def f(x):\\n    # Exercise 1.1: Double it.\\n    raise NotImplementedError("Exercise 1.1: ...")\\n'
    >>> print(fill_gaps(stub, "1.1", ["return 2 * x"]), end="")
    def f(x):
        return 2 * x
    """
    return "".join(_pieces(source, exercise, texts))


def _pieces(source: str, exercise: str, texts: Sequence[str]) -> list[str]:
    """Return the fill_gaps source in pieces: every second one is the text of a gap."""
    pieces, end = [], 0
    for gap, text in zip(find_gaps(source, exercise), texts, strict=True):
        lines = textwrap.dedent(text.expandtabs(4)).strip("\n").rstrip()
        written = textwrap.indent(lines, gap["indent"]) + "\n" if lines else gap[0]
        pieces += [source[end : gap.start()], written]
        end = gap.end()
    return [*pieces, source[end:]]


class OwnLines:
    """The lines that a reader wrote, whose places in a file become ``your line 3``.

    Parameters
    ----------
    exercise : str
    texts : sequence of str
        The texts of the gaps.

    Attributes
    ----------
    marked : list of (gap, line)
        The reader's lines that `in_words` has met.

    Examples
    --------
    >>> own = OwnLines("1.4", ["\\nd[0] = 1"])
    >>> first = own.name + ":" + str(own.places[0].start)
    >>> own.in_words(f"{first}, in perceptron_rule"), own.marked
    ('your line 2', [(0, 2)])
    """

    def __init__(self, exercise: str, texts: Sequence[str]):
        self.name, source = starter_source(exercise)
        self.marked: list[tuple[int, int]] = []
        self.places: list[range] = []  # in the file, of each gap
        lines = source.split("\n")
        self._functions = [  # of each gap
            function
            for function in functions_with_exercise(source, exercise, self.name)
            for _ in find_gaps("\n".join(lines[function_lines(source, function) or slice(0)]) + "\n", exercise)
        ]
        self._before = [len(text) - len(text.lstrip("\n")) for text in texts]  # empty lines, which are not in the file
        line = 1
        for place, piece in enumerate(_pieces(source, exercise, texts)):
            if place % 2:
                self.places.append(range(line, line + piece.count("\n")))
            line += piece.count("\n")
        name = re.escape(self.name)
        self._told = re.compile(rf"{name}:(?P<line>\d+)(?:, in [\w.<>]+)?|lines? (?P<lines>[\d, ]+) of {name}")

    def in_words(self, text: str) -> str:
        """Return a text in which the reader's lines are counted as the page counts them."""
        return self._told.sub(self._own, text)

    def _own(self, told: re.Match[str]) -> str:
        numbers = map(int, (told["line"] or told["lines"]).split(","))
        places = [(n, gap, lines) for n in numbers for gap, lines in enumerate(self.places) if n in lines]
        own = [(gap, n - lines.start + 1 + self._before[gap]) for n, gap, lines in places]
        self.marked += own
        if not own:
            return "a given line"
        where = f" of {self._functions[own[0][0]]}" if len(self.places) > 1 else ""
        return f"your line{'s' * (len(own) > 1)} {', '.join(str(line) for _, line in own)}{where}"


def line_in_words(request: str, place: str) -> str:
    """Return a place such as ``classifiers/mira.py:40`` as the page that asked `handle_request` counts its lines."""
    asked = json.loads(request)
    return OwnLines(asked["exercise"], asked["written"][asked["exercise"]]).in_words(place)


def starter_source(exercise: str) -> tuple[str, str]:
    """Return the name and the text of an exercise's file as students receive it."""
    (name,) = _registry()[exercise].files
    return name, generation.student_source(generation.reference_text(name), _registry(), [exercise], name)


@functools.cache
def _registry() -> Registry:
    """Return the exercises of the package, which do not change while a page is open."""
    return Registry.from_folder(reference_folder())


def handle_request(folder: str, request: str) -> str:
    """Answer a request of the page.

    Parameters
    ----------
    folder : str
        A lab, into which the exercises' files are written.
    request : str
        JSON: ``kind``, which is ``check``, ``because`` or ``pack``; ``exercise``; ``written``, from each exercise that the reader has
        worked on to the texts in its gaps; ``explained``, the reader's answers to questions about mistakes, as earlier answers to
        ``because`` have them; for ``because`` also the ``question``, as ``check`` has returned it, and a ``text``; for ``pack`` also
        ``answers``, from the cells of the notebooks in which the lab asks about experiments to what the reader has answered.

    Returns
    -------
    str
        JSON. For ``check``: the result of `_check`. For ``because``: the ``lines`` to show, and the answer as it was ``kept``.
        For ``pack``: a ``name``, its ``content`` in base 64, and the ``notebook`` of the exercise.
    """
    asked, packed = json.loads(request), {}
    known = _registry().ids
    for exercise, texts in asked["written"].items():
        # Texts that were written for another version of the page are left out.
        name, source = starter_source(exercise) if exercise in known else ("", "")
        if len(find_gaps(source, exercise)) == len(texts) > 0:
            text = fill_gaps(source, exercise, texts)
            Path(folder, name).write_text(text, encoding="utf-8")
            if text != source:
                packed[PurePosixPath(name)] = text.encode()
    lab = Path(folder)
    question = asked.get("question")  # A Python that was started again has not asked it.
    if rows := [*asked.get("explained", []), *([question] if question else [])]:
        _add_explanations(lab, rows)
    if asked["kind"] == "because":
        kept = explain(lab, asked["exercise"], asked["text"], question["question"])
        lines = [text.strip() for _, text in report_text.explanation_lines(kept)][1:]
        return json.dumps({"lines": lines[-1:], "kept": vars(kept) if kept.text else None})
    if asked["kind"] == "pack":
        work = _pack(lab, packed | _notebooks_with_answers(lab, asked["answers"]))
        return json.dumps({**work, "notebook": _registry()[asked["exercise"]].notebook})
    return json.dumps(_check(lab, asked["exercise"], asked["written"][asked["exercise"]]))


def _add_explanations(folder: Path, rows: Any) -> None:
    """Give the lab what the browser has kept: a page that was opened again starts with a new lab."""
    more = valid_explanations(rows, _registry().ids)
    with changed_state(folder) as state:
        state.explanations = merge_explanations(state.explanations, more)


def _check(folder: Path, exercise: str, texts: Sequence[str]) -> dict[str, Any]:
    """Check an exercise.

    Returns
    -------
    dict
        ``passed``, and ``todo`` if nothing is written yet. ``verdict``, as in `check --json`, and the names of known ``mistakes``.
        ``label``, ``headline`` and ``about``, what the mistake is called, and the sentences about it. ``lines``, each with its style, below
        the table. ``caption`` and
        ``rows`` of the table of the smallest wrong input and both answers, and its ``bars``. ``all``, the lines of every check.
        ``question`` on the mistake, with the attempt. ``hint``, where to look for the mistake. ``marked``, pairs of a gap and the
        number of a line in it. ``trace``, how the boundaries move.
    """
    report, questions, _ = check_and_save(folder, [exercise], TIME_LIMIT)
    (one,) = report.reports
    own = OwnLines(exercise, texts)
    example = one.shown.example if one.shown is not None and not one.to_do else None
    lines = [*report_text.verdict_lines(one, "below", with_example=False), *report_text.compared_lines(report)]
    caption = one.shown.text.partition("\n")[0] if one.shown is not None and example is not None else ""
    label, headline, about, below = _headline(one, lines, caption)
    shown = [_laid_out(style, own.in_words(HINT_COMMAND.sub("the button Hint helps", text))) for style, text in below]
    every = report_text.exercise_lines(one) if not one.all_passed and not one.to_do else ()
    hints = [text for name, _ in one.mistakes[:1] if (text := mistake_hint(folder, one.exercise, name))]
    return {
        "passed": one.all_passed,
        "verdict": verdict_of(one),
        "mistakes": one.known_mistakes,
        "label": label,
        "headline": re.sub("^your", "Your", own.in_words(headline)),
        "about": about,
        "todo": one.to_do,
        "lines": shown,
        "marked": [*own.marked],
        "caption": caption,
        "rows": [(word, shortened(text, MAX_CELL_CHARS)) for word, text in example.lines()] if example else [],
        "bars": _bars(example, one.exercise.counter_example) if example else None,
        "all": [(style, own.in_words(text)) for style, text in every],
        "question": vars(questions[0]) if questions else None,
        "hint": own.in_words(hints[0]) if hints else "",
        "trace": trace(folder, exercise)
        if all(result.outcome in OUTCOMES_WITH_TRACE for result in one.results)
        else None,
    }


def _headline(one: ExerciseReport, lines: list[Line], caption: str) -> tuple[str, str, list[str], list[Line]]:
    """Return the kind of a mistake, its name, the sentences about it, and the lines that follow.

    A verdict without a named mistake has its first line as name.
    """
    if one.all_passed or one.to_do or not one.failed:
        return "", lines[0][1], [], lines[1:]
    sentences = [sentence for _, sentence in one.mistakes]
    below = lines[1 + len([*report_text.diagnosis_lines(one.diagnosis_kind, one.mistakes)]) :]
    if len(sentences) == 1:
        name, *about = re.split(r"(?<=[.?]) ", sentences[0], maxsplit=1)
        return diagnosis_heading(one.diagnosis_kind), name, about, below
    if sentences:
        return "", diagnosis_heading(one.diagnosis_kind), sentences, below
    if caption:
        return "", caption.partition(". ")[0] + ".", [], below
    return "", below[0][1].strip(), [], below[1:]


def _laid_out(style: str, text: str) -> Line:
    """Return a line of a verdict; one that is indented twice is code, or what code has printed."""
    depth = len(text) - len(text.lstrip())
    return ("source", text[min(depth, 8) :]) if depth > 4 and not style else (style, text.strip())


def _bars(example: CounterExample, kind: str) -> dict[str, Any] | None:
    """Both answers as bars: of a rule the scores before and after the step, otherwise the numbers of the first part that differs.

    None if the answers are not arrays of the same shape, or too long or too large to be drawn.
    """
    for word, wanted, got in example.parts or [("", example.wanted, example.got)]:
        if wanted.shape != got.shape or not {wanted.kind, got.kind} <= {float, int}:
            return None
        right, yours = (np.asarray(answer.array, float).ravel() for answer in (wanted, got))
        if not 0 < right.size <= MAX_BARS or np.allclose(right, yours):
            continue
        names = [", ".join(map(str, place)) for place in np.ndindex(wanted.shape)]
        series, what = [("expected", right), ("yours", yours)], f"{word or 'answer'}, entry by entry"
        scores = np.asarray(example.given.get("scores", []), float)
        is_rule = example.given.get("function", "_rule").endswith("_rule")
        if kind == "steps" and scores.shape == wanted.shape and is_rule:
            sq_norm = next((float(value) for name, value in example.given.items() if name.startswith("‖g")), 1.0)
            answers = (("expected", right), ("yours", yours))
            after = [(f"{which} after the step", scores + sq_norm * d) for which, d in answers]
            series, what = [("before", scores), *after], "score"
            names = [f"class {k}{' (true)' * (k == example.given.get('true class'))}" for k in range(len(scores))]
        if all(np.all(np.abs(values) < 1e300) for _, values in series):
            return {"what": what, "names": names, "series": [(name, values.tolist()) for name, values in series]}
    return None


def _notebooks_with_answers(folder: Path, answers: Mapping[str, str]) -> generation.Files:
    """Return the notebooks with the reader's answers below their questions."""
    notebooks: dict[str, Any] = {}
    for asked in model_answers.decode_answers((folder / model_answers.FILE).read_bytes()):
        if text := answers.get(asked.cell, "").strip():
            if asked.notebook not in notebooks:
                notebooks[asked.notebook] = json.loads((folder / asked.notebook).read_bytes())
            (cell,) = (cell for cell in notebooks[asked.notebook]["cells"] if cell["id"] == asked.cell)
            cell["source"] = f"{''.join(asked.question.partition(ANSWER_LABEL)[:2])}\n\n{text}".splitlines(
                keepends=True
            )
    return {PurePosixPath(name): generation.notebook_bytes(notebook) for name, notebook in notebooks.items()}


def _pack(folder: Path, files: generation.Files) -> dict[str, Any]:
    """Pack only the files written in the page, because the lab may contain further solutions."""
    name, content = pack_submission(folder, replace(collect_submission(folder), files=files), "from-the-book")
    return {"name": name, "content": base64.b64encode(content).decode()}


def trace(folder: Path, exercise: str) -> list[list[float]] | None:
    """Return the steps of a rule on the points that the page draws; None if the exercise has no rule, or the rule fails.

    Returns
    -------
    list of steps, or None
        Each step is the number of its point, and the weights after it: intercept and two coordinates, class by class.
    """
    name, source = starter_source(exercise)
    rules = [function for function in functions_with_exercise(source, exercise) if function.endswith("_rule")]
    if not rules:
        return None
    X, labels = _points()
    W, steps = np.array(START), []
    lab = Lab(folder)
    lab.forget()  # The file differs from the one of the last check.
    try:
        rule = getattr(lab.load(name.removesuffix(".py").replace("/", ".")), rules[0])
        for m, label in enumerate(labels.tolist()):
            g = np.array([1.0, *X[m]])
            W = W + np.outer(g, rule(W.T @ g, label, float(g @ g), STEP, 1.0 - np.eye(3)[label]))
            steps.append([m, *np.round(W.T.ravel(), 3).tolist()])
    except Exception:  # The report describes the error.
        return None
    return steps if np.all(np.isfinite(W)) else None


def drawn(exercise: str) -> dict[str, Any]:
    """Return what the page draws before an answer: points with their classes, the first weights, and the steps of the right rule."""
    X, labels = _points()
    points = [[*x, label] for x, label in zip(np.round(X, 3).tolist(), labels.tolist(), strict=True)]
    start = np.array(START).T.ravel().tolist()
    return {"points": points, "start": start, "wanted": trace(reference_folder(), exercise)}


def _points() -> tuple[np.ndarray, np.ndarray]:
    labels = np.arange(N_POINTS) % 3
    angles = np.deg2rad([90.0, 210.0, 330.0])[labels]
    centres = 1.5 * np.column_stack([np.cos(angles), np.sin(angles)]) - [0.0, 0.3]
    # Loading NumPy's generators would take a twelfth of the time until the first verdict.
    gauss = random.Random(POINTS_SEED).gauss
    noise = [[gauss(0.0, 1.0), gauss(0.0, 1.0)] for _ in labels]
    return 0.5 * np.array(noise) + centres, labels
