"""Exercises in a web page: the code that a reader writes into the gaps is put into a lab, checked, and run on a few points.

The page calls `handle_request` with a request in JSON; see ``lxmls_day1/browser/page/exercise_worker.js``.
"""

import base64
import functools
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from lxmls_day1.base.plain_data import from_plain, to_plain
from lxmls_day1.course.diagnosis.counterexamples import CounterExample
from lxmls_day1.course.explanations import check_and_save
from lxmls_day1.course.markers import functions_with_exercise
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.reports import report_text
from lxmls_day1.course.workspaces import model_answers
from lxmls_day1.course.workspaces.generation import Files, notebook_bytes, set_cell_source, student_source
from lxmls_day1.course.workspaces.packed_work import collect_submission, pack_submission
from lxmls_day1.lab import Lab, reference_folder
from lxmls_day1.library_path import find_lab_file

TIME_LIMIT = 10.0  # seconds for each check
N_POINTS, STEP = 18, 0.5
#: Points and first weights (intercept and two coordinates, of three classes), from which right rules end without a mistake, and wrong
#: ones elsewhere: a test tries the known mistakes.
POINTS_SEED = 57
START = ((0.74, -5.64, -4.04), (-2.79, -0.04, -3.38), (-1.17, 1.79, 0.5))
OUTCOMES_WITH_TRACE = ("passed", "wrong", "skipped")  # outcomes of checks after which the rule can be called
ANSWER_LABEL = "*Your answer:*"  # in a cell of a notebook that asks
HINT_COMMAND = re.compile(r"`lxmls-day1 hint [\w.]+` helps")


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
    pieces, end = [], 0
    for gap, text in zip(find_gaps(source, exercise), texts, strict=True):
        lines = textwrap.dedent(text.expandtabs(4)).strip("\n").rstrip()
        written = textwrap.indent(lines, gap["indent"]) + "\n" if lines else gap[0]
        pieces += [source[end : gap.start()], written]
        end = gap.end()
    return "".join([*pieces, source[end:]])


def starter_source(exercise: str) -> tuple[str, str]:
    """Return the name and the text of an exercise's file as students receive it."""
    reference, registry = reference_folder(), _registry()
    (name,) = registry[exercise].files
    text = (reference / find_lab_file(reference, name)).read_text(encoding="utf-8").replace("\r\n", "\n")
    return name, student_source(text, registry, [exercise], name)


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
        JSON with the keys ``kind`` (``check``, ``picture`` or ``pack``), ``exercise``, and ``written``: from each exercise that the reader
        has worked on to the texts in its gaps. ``picture`` also needs the ``example`` of the check. ``pack`` also needs ``answers``: from
        the notebook cells with questions about experiments to the reader's answers.

    Returns
    -------
    str
        JSON. For ``check``: ``first``, the lines to show at once, and ``lines``, the whole report, each line with its style; ``passed``;
        ``example``, the smallest input with a wrong answer, if ``picture`` can draw it; and ``trace``, the movement of the boundaries. For
        ``picture``: an ``image``. For ``pack``: a ``name``, a ``content``, and the ``notebook`` of the exercise. Image and content are in
        base 64.
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
    if asked["kind"] == "picture":
        return json.dumps(_picture(asked["exercise"], asked["example"]))
    if asked["kind"] == "pack":
        work = _pack(Path(folder), packed | _notebooks_with_answers(Path(folder), asked["answers"]))
        return json.dumps({**work, "notebook": _registry()[asked["exercise"]].notebook})
    return json.dumps(_check(Path(folder), asked["exercise"]))


def _check(folder: Path, exercise: str) -> dict[str, Any]:
    report, questions, _ = check_and_save(folder, [exercise], TIME_LIMIT)
    (one,) = report.reports
    lines = [
        (style, HINT_COMMAND.sub("the button Hint helps", text)) for style, text in report_text.check_lines(report)
    ]
    named = [("known", text) for text in report_text.diagnosis_lines(one.diagnosis_kind, one.mistakes)]
    asked = [("known", question.question) for question in questions]
    failed = [result for result in one.not_skipped if not result.passed]
    of_first = report_text.result_lines(failed[0], {}) if failed else ()
    shown = [] if one.to_do else [*named, *of_first, *asked]
    example = one.probe_inputs_result.example if one.probe_inputs_result is not None else None
    return {
        "first": shown or lines[1:],
        "lines": lines if shown else [],
        "passed": one.all_passed,
        "example": to_plain(example) if example is not None and one.exercise.counter_example else None,
        "trace": trace(folder, exercise)
        if all(result.outcome in OUTCOMES_WITH_TRACE for result in one.results)
        else None,
    }


def _picture(exercise: str, plain: dict[str, Any]) -> dict[str, Any]:
    from lxmls_day1.figures.counter_examples import render_png  # needs matplotlib, which the page fetches on demand

    example, kind = from_plain(CounterExample, plain), _registry()[exercise].counter_example
    drawn = render_png(kind, example.given, example.wanted.array, example.got.array)
    return {"image": base64.b64encode(drawn).decode() if drawn else ""}


def _notebooks_with_answers(folder: Path, answers: Mapping[str, str]) -> Files:
    """Return the notebooks with the reader's answers below their questions."""
    notebooks: dict[str, Any] = {}
    for asked in model_answers.decode_answers((folder / model_answers.FILE).read_bytes()):
        if text := answers.get(asked.cell, "").strip():
            if asked.notebook not in notebooks:
                notebooks[asked.notebook] = json.loads((folder / asked.notebook).read_bytes())
            (cell,) = (cell for cell in notebooks[asked.notebook]["cells"] if cell["id"] == asked.cell)
            set_cell_source(cell, f"{''.join(asked.question.partition(ANSWER_LABEL)[:2])}\n\n{text}")
    return {PurePosixPath(name): notebook_bytes(notebook) for name, notebook in notebooks.items()}


def _pack(folder: Path, files: Files) -> dict[str, Any]:
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
    return {
        "points": points,
        "start": np.array(START).T.ravel().tolist(),
        "wanted": trace(reference_folder(), exercise),
    }


def _points() -> tuple[np.ndarray, np.ndarray]:
    labels = np.arange(N_POINTS) % 3
    angles = np.deg2rad([90.0, 210.0, 330.0])[labels]
    centres = 1.5 * np.column_stack([np.cos(angles), np.sin(angles)]) - [0.0, 0.3]
    return np.random.default_rng(POINTS_SEED).normal(size=(N_POINTS, 2)) * 0.5 + centres, labels
