"""A reference lab of two exercises, small enough to read: the steps of a rule, and the mean of a list."""

import functools
import importlib
import pkgutil
import sys
import tomllib
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
from lxmls_day1.course.workspaces.workspace import start_workspace, write_files
from lxmls_day1.lab import Lab, delete_bytecode, reference_folder
from tools.authoring.pool_builder import uncompiled_lab

FILES = tomllib.loads((Path(__file__).parent / "tiny_lab.toml").read_text(encoding="utf-8"))


@pytest.fixture
def reference(tmp_path, monkeypatch):
    """Return the tiny lab, which the whole package uses as the reference lab; its answers are recorded."""
    folder = (tmp_path / "reference").resolve()
    write_files(folder, {name: text.encode() for name, text in FILES.items()})
    for package in (lxmls_day1.course, tools.authoring):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name, module in list(sys.modules.items()):
        if name.startswith(("lxmls_day1.", "tools.")) and hasattr(module, "reference_folder"):
            monkeypatch.setattr(module, "reference_folder", lambda: folder)
    return folder


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
        self.run = ChecksRun(self.folder, hidden=True, expected=RecordedAnswers())
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
        return self.run.call_check(item)

    def ended(self, made=None, seed=SEEDS[0], public=True):
        """Run the public or the hidden checks on these files; return check -> outcome, text and sentences on mistakes."""
        for name, source in self.sources.items():
            (self.folder / name).write_text((made or {}).get(name, remove_markers(source)), encoding="utf-8")
        delete_bytecode(self.folder)  # Bytecode is compared by the second, and several programs are written per second.
        Lab(self.folder).forget()
        self.run.seed, self.run.expected = seed, self.expected[seed]
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
