"""A reference lab of two exercises, small enough to read: the steps of a rule, and the mean of a list."""

import functools
import importlib
import json
import pkgutil
import sys
import textwrap
from pathlib import Path

import pytest

import lxmls_day1.course
import tools.authoring
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.markers import remove_markers
from lxmls_day1.course.registry import FOLDER, check_files
from lxmls_day1.course.running.check_session import CheckSession
from lxmls_day1.course.running.pytest_plugin import ChecksRun, check_key, is_hidden, verdict
from lxmls_day1.course.running.time_limit import TimeLimit, TimeLimitExceeded
from lxmls_day1.course.workspaces.solve_reset_undo import solve
from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.lab import Lab, delete_bytecode, reference_folder
from tools.authoring.pool_builder import uncompiled_lab

FILES = {
    "readers/__init__.py": "",
    "readers/points.py": "class Points:\n    def __init__(self, n=2):\n        self.n = n\n",
    "classifiers/__init__.py": "",
    "classifiers/steps.py": '''
        """Steps of a rule."""

        import numpy as np


        def half_step(loss, sq_norm, cap):
            """τ = min(cap, loss / (2 sq_norm)), a float."""
            loss = float(loss)
            # exercise 1.1: solution (2 lines)
            # the joint features differ in two blocks
            tau = loss / (2 * sq_norm)
            tau = min(cap, tau)
            # exercise 1.1: end
            return tau


        class Stepper:
            """Adds up steps."""

            def __init__(self, cap=1.0):
                self.cap = cap

            def total(self, losses):  # the sum of the steps
                return float(np.sum([half_step(loss, 1.0, self.cap) for loss in losses]))
    ''',
    "classifiers/means.py": '''
        """Means."""


        def mean(values):
            """The mean of a list."""
            # exercise 1.2: solution (2 lines)
            total_of_all = sum(values)
            return total_of_all / len(values)
            # exercise 1.2: end


        def untouched(x):   # the spacing stays
            return  x
    ''',
    "tests/exercises/exercises.toml": """
        [[exercise]]
        id = "1.1"
        title = "Half steps"
        kind = "code"
        points = 4
        files = ["classifiers/steps.py"]
        notebook = "notebooks/1_first.ipynb"
        task = "From loss, sq_norm and cap (floats) make the step tau (float)."
        hints = ["Think of two blocks.", "tau = l / (2 n)", "tau = loss / (twice ...)"]

        [[exercise]]
        id = "1.2"
        title = "Means"
        kind = "code"
        points = 2.5
        files = ["classifiers/means.py"]
        notebook = "notebooks/2_second.ipynb"
        prerequisites = ["1.1"]
        task = "The mean of a list of numbers."
        hints = ["Add and divide.", "m = (1/n) sum", "sum(...) / ..."]

        [[exercise]]
        id = "1.3"
        title = "Look at it"
        kind = "experiment"
        points = 1
        files = []
        notebook = "notebooks/2_second.ipynb"
        task = "What do you observe?"
        hints = ["Look.", "Look again.", "Write."]
    """,
    "tests/exercises/test_1_01_steps.py": '''
        import pytest


        def test_step(lab, expect):
            """A step that the cap does not touch."""
            expect("the step for a loss of 4 and a squared norm of 5", lab.function("steps", "half_step", 4.0, 5.0, 1.0))


        def test_cap(lab, expect):
            """A step that is capped."""
            expect("the capped step", lab.function("steps", "half_step", 40.0, 5.0, 1.0))


        def small_inputs():
            for loss, sq_norm in [(1.0, 1.0), (4.0, 5.0), (40.0, 5.0)]:
                yield {"loss": loss, "squared norm": sq_norm, "cap": 1.0}


        def small_answers(lab, inputs):
            return lab.each("steps", "half_step", [tuple(given.values()) for given in inputs])


        # what only the grader sees
        @pytest.mark.hidden
        @pytest.mark.parametrize("size", [3, 30])
        def test_fresh(lab, expect, rng, size):
            expect("the sum of fresh steps", lab.classifier("steps", "Stepper").total(rng.random(size).tolist()))
    ''',
    "tests/exercises/test_1_02_means.py": """
        def small_inputs():
            return [{"values": [1.0]}, {"values": [1.0, 2.0]}, {"values": [1.0, 2.0, 6.0]}]


        def small_answers(lab, inputs):
            return lab.each("means", "mean", [(given["values"],) for given in inputs])
    """,
    "tests/exercises/mistakes/1_01_steps.toml": """
        [[mistake]]
        name = "whole_norm"
        sentence = "It divides by the squared norm, not by twice of it."
        swap = [["2 * sq_norm", "sq_norm"]]

        [[mistake]]
        name = "no_cap"
        sentence = "The step is not capped."
        solution = '''
        tau = loss / (2 * sq_norm)
        '''
    """,
    "tests/exercises/mistakes/1_02_means.toml": """
        [[mistake]]
        name = "one_too_many"
        sentence = "It divides by one more than there are."
        swap = [["len(values)", "(len(values) + 1)"]]
    """,
}

# The answers: 4/10, the cap, 9/3; with the mistakes 4/5 and so on.
RECORDED = """{
"hidden": {"1.1": 2},
"sentences": {
"1.1": {"whole_norm": "It divides by the squared norm, not by twice of it.", "no_cap": "The step is not capped."},
"1.2": {"one_too_many": "It divides by one more than there are."}
},
"questions": {
},
"places": {
"1.1": {"whole_norm": ["sq_norm"]},
"1.2": {"one_too_many": ["values"]}
},
"pools": {
 "1.1": {"inputs": [
  {"input":{"loss":1.0,"squared norm":1.0,"cap":1.0},"answers":[0.5,1]},
  {"input":{"loss":4.0,"squared norm":5.0,"cap":1.0},"answers":[0.4,0.8]},
  {"input":{"loss":40.0,"squared norm":5.0,"cap":1.0},"answers":[1,4]}
 ], "mistakes": {
  "whole_norm": [[1,1,0]],
  "no_cap": [[0,0,1]]
 }},
 "1.2": {"inputs": [
  {"input":{"values":[1.0]},"answers":[1,0.5]},
  {"input":{"values":[1.0,2.0]},"answers":[1.5,1]},
  {"input":{"values":[1.0,2.0,6.0]},"answers":[3,2.25]}
 ], "mistakes": {
  "one_too_many": [[1,1,1]]
 }}
},
"checks": {
 "test_1_01_steps.py::test_step": {
  "the step for a loss of 4 and a squared norm of 5": {"expected": {"shape": [], "numbers": [0.4]}}
 },
 "test_1_01_steps.py::test_cap": {
  "the capped step": {"expected": {"shape": [], "numbers": [1.0]}}
 }
}
}
"""


def code(source, **metadata):
    return {
        "cell_type": "code",
        "id": f"c{abs(hash(source)) % 10**8:08d}",
        "metadata": metadata,
        "source": source.splitlines(keepends=True),
        "execution_count": 3,
        "outputs": [{"output_type": "stream", "name": "stdout", "text": ["0.4\n"]}],
    }


def markdown(source, **metadata):
    return {"cell_type": "markdown", "id": "m1", "metadata": metadata, "source": source.splitlines(keepends=True)}


def notebook(*cells):
    content = {
        "cells": list(cells),
        "metadata": {"jupytext": {"formats": "ipynb,py"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content)


NOTEBOOKS = {
    "notebooks/1_first.ipynb": notebook(
        code("from lxmls_day1.lab_api import open_lab\nlab = open_lab()\n"),
        code(
            'with lab.exercise("1.1"):\n    # exercise 1.1: solution (1 line)\n    curve = [lab.function("steps", "half_step", l, 1.0, 9.0) for l in range(3)]\n    # exercise 1.1: end\n'
        ),
    ),
    "notebooks/2_second.ipynb": notebook(
        code("secret_of_the_cell = 42\n", tags=["solution", "exercise-1.2"]),
        markdown("*Your answer*", tags=["answer", "exercise-1.3"]),
    ),
    "notebooks/2_second.py": "# %%\nsecret_of_the_cell = 42\n",
}


def write_lab(folder: Path, **changed: str) -> Path:
    """Write the tiny reference lab into a new folder; ``changed`` replaces files by their path."""
    for name, text in {**FILES, **NOTEBOOKS, **changed}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((textwrap.dedent(text).lstrip("\n") if not name.endswith(".ipynb") else text).encode())
    return folder


@pytest.fixture
def reference(tmp_path, monkeypatch):
    """Return the tiny lab, which the whole package uses as the reference lab; its answers are recorded."""
    folder = write_lab(tmp_path / "reference").resolve()
    recorded = RecordedAnswers.from_plain(json.loads(RECORDED))
    (folder / "tests/exercises/recorded").mkdir()
    for id in recorded.pools:
        (folder / f"tests/exercises/recorded/{id}.json").write_text(
            recorded.for_exercise(id).to_json(), encoding="utf-8"
        )
    take_for_reference(folder, monkeypatch)
    return folder


def take_for_reference(folder, monkeypatch):
    for package in (lxmls_day1.course, tools.authoring):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name, module in list(sys.modules.items()):
        if name.startswith(("lxmls_day1.", "tools.")) and hasattr(module, "reference_folder"):
            monkeypatch.setattr(module, "reference_folder", lambda: folder)


@pytest.fixture
def workspace(reference, tmp_path):
    """Return a workspace that was started from the tiny lab."""
    return start_workspace(tmp_path / "mine")


@pytest.fixture
def edit(workspace):
    """Return a function that solves exercise 1.1 in the workspace and then replaces a text in its file."""
    solve(workspace, "1.1")

    def edit(old, new):
        path = workspace / "classifiers/steps.py"
        source = path.read_text(encoding="utf-8")
        assert source.count(old) == 1
        path.write_text(source.replace(old, new), encoding="utf-8")
        return workspace

    return edit


SEEDS = (1, 2, 3)
SECONDS = 10.0  # seconds per check


class Checked:
    """The checks of an exercise, and the reference lab with other programs in place of its solution."""

    def __init__(self, exercise, folder):
        reference = reference_folder()
        self.exercise, self.folder = exercise, uncompiled_lab(reference, folder)
        self.sources = {f: (self.folder / f).read_text("utf-8") for f in exercise.files if f.endswith(".py")}
        self.run = ChecksRun(self.folder, hidden=True, answers=RecordedAnswers())
        self.session = CheckSession(check_files(reference / FOLDER, exercise), self.run)
        self.session.collect()
        self.expected = {}
        for self.run.seed in SEEDS:
            self.run.recordings = {}
            assert set(map(self.error_of, self.session.items)) == {None}
            recorded = {check: its.answers for check, its in self.run.recordings.items()}
            self.expected[self.run.seed] = RecordedAnswers(recorded)
        self.run.recordings = None

    def error_of(self, item):
        self.run.item = item
        return self.session.error_of(item)

    def ended(self, made=None, seed=SEEDS[0], public=True):
        """Run the public or the hidden checks on these files; return check -> outcome, text and sentences on mistakes."""
        for name, source in self.sources.items():
            (self.folder / name).write_text((made or {}).get(name, remove_markers(source)), encoding="utf-8")
        delete_bytecode(self.folder)  # Bytecode is compared by the second, and several programs are written per second.
        Lab(self.folder).forget()
        self.run.seed, self.run._fixed_answers = seed, self.expected[seed]
        found, self.errors = {}, []
        with TimeLimit(self.folder) as limit:
            for item in self.session.items:
                if is_hidden(item) != public:
                    try:
                        with limit.limit_to(SECONDS):
                            error = self.error_of(item)
                        ending = verdict(self.run, item, error)
                    except TimeLimitExceeded:
                        error, ending = None, ("timeout", "")
                    self.errors.append(error)
                    sentences = [sentence for _, sentence in getattr(error, "mistakes", ())]
                    found[check_key(item)] = *ending, sentences
        return found


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Return a function from an exercise to its `Checked`, which is made once."""
    return functools.cache(lambda exercise: Checked(exercise, tmp_path_factory.mktemp("lab") / "lab"))
