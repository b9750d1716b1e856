"""A bank of right solutions: `right/1_05_mira.toml` and so on, as different students would write them.

    [[variant]]
    name = "plain_loop"
    solution = '''…'''                 # the code that replaces the stub
    above = '''…'''                    # optional: lines inserted above the function or class of the solution
    swap = [["def f(x):", "def f(x: float):"]]   # optional: replacements elsewhere in the file; each text occurs once
    files = { "classifiers/mine.py" = '''…''' }  # optional: additional files of the student
    crlf = true                        # optional: line ends as on Windows
    bom = true                         # optional: a byte order mark

If an exercise has several functions, the solution is a table [variant.solution] of function = text; functions that are not in
the table get the reference solution.
"""

import ast
import hashlib
import json
import os
import textwrap
import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pytest

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.box import levels
from lxmls_day1.box.programs import Program
from lxmls_day1.box.sandbox import BoxesUnavailable
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.markers import Solution, find_solutions, replace_with_stubs
from lxmls_day1.course.registry import FILE, Exercise, Registry
from lxmls_day1.course.running import snapshot
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.grading.grading_run import Workers
from lxmls_day1.grading.running.run_folders import run_folder
from lxmls_day1.lab import reference_folder

BANK = Path(__file__).parent / "right"
collect_ignore = ["teach_report.py"]  # The program imports this file as a module of its own folder.

compute_answers = snapshot.reference_answers
try_level = levels.self_test


@dataclass(frozen=True)
class RightVariant:
    """A right solution of one exercise."""

    exercise: Exercise
    name: str
    solution: str | dict[str, str] = field(hash=False)
    above: str = ""
    swap: tuple[tuple[str, str], ...] = ()
    files: dict[str, str] = field(default_factory=dict, hash=False)
    crlf: bool = False
    bom: bool = False

    def __str__(self) -> str:
        return f"{self.exercise.id} {self.name}"

    def source(self, reference: str) -> str:
        """Return the exercise's file with this solution and without markers, made from the reference's file."""
        (path,) = self.exercise.files
        places = [s for s in find_solutions(reference, path) if s.exercise == self.exercise.id]
        texts = self.solution if isinstance(self.solution, dict) else {places[0].function: self.solution}
        functions = {place.function for place in places}
        assert set(texts) <= functions, f"{self}: {path} has no solution in {set(texts) - functions}"
        assert isinstance(self.solution, dict) or len(places) == 1, f"{self}: which of {functions}?"

        def text_of(place: Solution) -> str:
            if place.exercise == self.exercise.id and place.function in texts:
                return textwrap.dedent(texts[place.function]).strip("\n")
            return textwrap.dedent("\n".join(reference.split("\n")[place.first : place.last - 1]))

        made = replace_with_stubs(reference, text_of, path)
        if self.above:
            made = put_above(made, places[0].function.partition(".")[0], self.above.strip("\n"))
        for old, new in self.swap:
            assert made.count(old) == 1, f"{self}: {old!r} stands {made.count(old)} times in {path}"
            made = made.replace(old, new)
        return made

    def lab_files(self, given: dict[PurePosixPath, bytes] | None = None) -> dict[PurePosixPath, bytes]:
        """Return a student's workspace in which only this exercise is solved, with this solution.

        Parameters
        ----------
        given : dict from path to content, optional
            The starter files, which are not changed. Default: `student_files`.
        """
        reference = reference_folder()
        (path,) = self.exercise.files
        text = self.source((reference / path).read_text(encoding="utf-8").replace("\r\n", "\n"))
        content = (text.replace("\n", "\r\n") if self.crlf else text).encode("utf-8-sig" if self.bom else "utf-8")
        own = {PurePosixPath(name): text.lstrip("\n").encode() for name, text in self.files.items()}
        return {**(student_files(reference) if given is None else given), PurePosixPath(path): content, **own}


def put_above(source: str, name: str, text: str) -> str:
    """Return the source with lines inserted above the function or class of that name."""
    definitions = (ast.FunctionDef, ast.ClassDef)
    (found,) = (node for node in ast.parse(source).body if isinstance(node, definitions) and node.name == name)
    first = min(node.lineno for node in (found, *found.decorator_list))
    lines = source.split("\n")
    return "\n".join([*lines[: first - 1], text, "", "", *lines[first - 1 :]])


def read_right_variants() -> list[RightVariant]:
    """Return all variants, in the order of the registry."""
    variants = []
    for exercise in Registry.read(reference_folder() / FILE):
        for path in sorted(BANK.glob(f"{exercise.stem}_*.toml")):
            for table in tomllib.loads(path.read_text(encoding="utf-8"))["variant"]:
                swap = tuple((old, new) for old, new in table.pop("swap", []))
                variants.append(RightVariant(exercise, swap=swap, **table))
    return variants


@pytest.fixture(scope="session")
def folder_of_the_run(tmp_path_factory) -> Path:
    """Return a folder that all processes of this pytest run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def right_variants() -> list[RightVariant]:
    """Return the bank; ``variant.lab_files(student_files(reference))`` is a submission that solves ``variant.exercise``."""
    return read_right_variants()


@pytest.fixture(scope="module", autouse=True)
def answers_computed_once(folder_of_the_run):
    """Compute the expected answers of the hidden checks once per exercise and seed, for all tests.

    Most runs of these tests grade a few submissions, which takes less time than the snapshot of the reference and of all
    known mistakes. A test of the computation itself uses `answers_computed_anew`.
    """

    def answers(ids: Collection[str], seed: int) -> RecordedAnswers:
        files = {id: folder_of_the_run / f"answers-{id}-{seed}.json" for id in ids}
        missing = [id for id, file in files.items() if not file.is_file()]
        if missing:
            fresh = compute_answers(missing, seed)
            write_files_atomically({files[id]: fresh.for_exercise(id).to_json().encode() for id in missing})
        together = RecordedAnswers()
        for file in files.values():
            together |= RecordedAnswers.from_plain(json.loads(file.read_text(encoding="utf-8")))
        return together

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "reference_answers", answers)
        yield answers


@pytest.fixture
def answers_computed_anew(monkeypatch):
    """Compute the expected answers in this test, every time that they are needed."""
    monkeypatch.setattr(snapshot, "reference_answers", compute_answers)


@pytest.fixture(scope="session", autouse=True)
def levels_tested_once(folder_of_the_run):
    """Try each level of the sandbox once per run, user and set of environment variables, because each trial starts a fork server.

    The results are saved in a file for all processes of the run. Processes that a test starts try their level themselves.
    """

    def self_test(program: Program, level: str, user: tuple[int, int] | None = None) -> str | None:
        key = json.dumps([level, user, sorted(set(os.environ) - {"PYTEST_CURRENT_TEST"})])
        file = folder_of_the_run / f"level-{hashlib.sha256(key.encode()).hexdigest()}.json"
        if not file.is_file():
            try:
                found = [try_level(program, level, user), None]
            except BoxesUnavailable as error:
                found = [None, str(error)]
            write_files_atomically({file: json.dumps(found).encode()})
        found, unavailable = json.loads(file.read_text(encoding="utf-8"))
        if unavailable is not None:
            raise BoxesUnavailable(unavailable)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "self_test", self_test)
        yield


class KeptWorker(Workers):
    """One worker that outlives a run: the next run prepares its plan in it and uses its warm fork server."""

    def __init__(self):
        self.processes, self._stopped = [], False

    def __call__(self, plan):
        if not self.processes:
            super().__init__(plan, 1, 1)
        worker = self.processes[0]
        worker.start()
        worker._plan, worker._is_prepared = plan, False
        worker._request_during_startup("plan", plan)
        return self

    def stop(self):
        self._stopped = True
        super().stop()

    def close(self):
        """End a run; after a run that was stopped, the next run starts another worker."""
        if self._stopped:
            self.end()

    def end(self):
        super().close()
        self.__init__()


@pytest.fixture(scope="module")
def one_worker():
    """Yield the `workers` of `grade` for all tests of a file: one process and one fork server for all runs."""
    worker = KeptWorker()
    with run_folder():  # one folder for all these runs
        yield worker
        worker.end()
