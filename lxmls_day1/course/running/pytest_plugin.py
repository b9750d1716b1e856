"""The fixtures of the checks, as a pytest plugin: ``pytest tests/exercises --lab path/to/any/lab``.

A check is an ordinary test that uses three fixtures:

* ``lab``, a stand-in for the `Lab` under test (`GuardedLab`, `BoxedLab`);
* ``expect``: ``expect("what this is", value)`` compares a value with the recorded answer and names the mistake;
* ``rng``, a numpy Generator: the same in every run for public checks, with a new seed for hidden checks.

Checks marked ``@pytest.mark.hidden`` run at grading only, or with ``--hidden``. Their expected answers are computed first, from the
reference lab with the same seed. Programs that run checks do not use pytest's loop but `check_session`.
"""

import contextlib
import inspect
import secrets
import traceback
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.answer_shapes import MUST_RETURN, RequiredResults, describe_unusable_answer
from lxmls_day1.course.diagnosis.expect import Expect, RecordingExpect, describe_failure
from lxmls_day1.course.diagnosis.probe_inputs import ANSWERS_FUNCTION, ProbeInputs, run_on_some_inputs
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.lab_under_test import GuardedLab, LabUnderTest
from lxmls_day1.course.markers import STUB_MESSAGE
from lxmls_day1.course.registry import PROBE_INPUTS_CHECK, RECORDED, Exercise, Registry, exercise_of_check
from lxmls_day1.course.running.solution_blocking import block_solutions, functions_to_block
from lxmls_day1.course.running.tracebacks import trimmed_traceback
from lxmls_day1.lab import PACKAGES, Lab, is_within

PUBLIC_SEED = 1


@dataclass(eq=False, repr=False)
class ChecksRun:
    """The state of one run of checks.

    Attributes
    ----------
    lab_folder : Path or None
        The lab under test; if None, the lab that contains the check file.
    seed : int or None
        The seed of hidden checks; if None, it is drawn when the first hidden check needs it.
    item : pytest.Item or None
        The check that is running, if any, for its fixtures.
    guarded_lab : GuardedLab or None
        The lab that the check calls, if it is in this process.
    boxed_lab : bool
        True if the lab runs in a box, which makes the solutions inaccessible itself.
    expected : RecordedAnswers or None
        The answers of all checks; if None, those of public checks are read beside them, and those of hidden checks computed.
    recordings : dict or None
        If not None, answers are collected here instead of compared: from check to `RecordingExpect`.
    practised : collection of str
        Exercises for which the practice inputs are used, too.
    """

    boxed_lab: ClassVar[bool] = False

    lab_folder: Path | None = None
    seed: int | None = None
    hidden: bool = False
    expected: RecordedAnswers | None = None
    recordings: dict[str, RecordingExpect] | None = None
    practised: Collection[str] = ()
    item: Any = None
    guarded_lab: GuardedLab | None = None
    _answers: dict[Path, RecordedAnswers] = field(default_factory=dict)
    _hidden_answers: RecordedAnswers | None = None
    _registries: dict[Path, Registry] = field(default_factory=dict)

    def lab(self, item: pytest.Item) -> LabUnderTest:
        """Return the lab under test."""
        self.guarded_lab = GuardedLab(Lab(self.lab_folder) if self.lab_folder else Lab.open(item.path.parent))
        return self.guarded_lab

    def answers(self, item: pytest.Item) -> RecordedAnswers:
        """Return the answers with which a check is compared."""
        if self.expected is not None:
            return self.expected
        if is_hidden(item):
            assert self._hidden_answers is not None  # `compute_hidden_answers` was called before
            return self._hidden_answers
        return self.recorded_answers(item)

    def recorded_answers(self, item: pytest.Item) -> RecordedAnswers:
        """Return the recordings beside a check: answers to public checks, sentences on the mistakes, and probe inputs."""
        if item.path not in self._answers:
            exercise = exercise_of_check(item.path.name) or ""
            self._answers[item.path] = RecordedAnswers.read(item.path.parent / RECORDED.name, [exercise])
        return self._answers[item.path]

    def expect(self, item: pytest.Item) -> Expect | RecordingExpect:
        """Return the function with which a check compares a value with the reference's answer."""
        key = check_key(item)
        if self.recordings is not None:
            recording = self.recordings[key] = RecordingExpect()
            return recording
        return Expect(self.answers(item).checks.get(key, {}))

    def small_inputs(self, item: pytest.Item) -> Callable[[Any], None]:
        """Return the function that runs a lab on the probe inputs of an exercise and judges its answers."""
        module = item.getparent(pytest.Module)
        assert module is not None
        exercise = exercise_of_check(item.path.name) or ""
        if self.recordings is None:
            answers = self.recorded_answers(item)
            sentences, practised = answers.sentences.get(exercise, {}), exercise in self.practised
            return ProbeInputs(module.obj, answers.pools.get(exercise), sentences, practised).check
        return lambda lab: run_on_some_inputs(module.obj, lab)

    def rng(self, item: pytest.Item) -> Any:
        """Return the random generator of a check; for a hidden check it also depends on the seed of the run."""
        import numpy as np

        seed = self.seed if is_hidden(item) and self.seed is not None else PUBLIC_SEED
        return np.random.default_rng([seed, zlib.crc32(check_key(item).encode())])

    def call_check(self, check: pytest.Function) -> BaseException | None:
        """Call a check that `is_plain`; return the exception with which it failed, or None."""
        try:
            arguments = dict(check.callspec.params) if hasattr(check, "callspec") else {}
            arguments |= {name: getattr(self, name)(check) for name in FIXTURES if name in check.fixturenames}
            with self.solutions_blocked(check):
                check.obj(**arguments)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:  # including pytest's exceptions for a failed or skipped check
            return error
        return None

    def solutions_blocked(self, check: pytest.Item) -> contextlib.AbstractContextManager[None]:
        """Return a context in which functions that solve the exercise of a check cannot be called; a box ensures that itself."""
        exercise = None if self.boxed_lab else self.exercise_of(check)
        return block_solutions(functions_to_block(exercise)) if exercise else contextlib.nullcontext()

    def compute_hidden_answers(self, items: list[pytest.Item]) -> None:
        """Compute the expected answers of the hidden checks among ``items`` with the reference lab."""
        hidden = [item for item in items if is_hidden(item)]
        if hidden and self.expected is None and self._hidden_answers is None and self.recordings is None:
            # Imported here because students' checks never need it.
            from lxmls_day1.course.running.snapshot import reference_answers

            if self.seed is None:
                self.seed = secrets.randbits(32)
            exercises = sorted({exercise_of_check(item.path.name) or "" for item in hidden})
            self._hidden_answers = reference_answers(exercises, seed=self.seed)

    def files_of(self, item: pytest.Item) -> tuple[str, ...]:
        """Return the files in which a student solves the exercise of a check."""
        exercise = self.exercise_of(item)
        return exercise.files if exercise else ()

    def exercise_of(self, item: pytest.Item) -> Exercise | None:
        """Return the exercise of a check, or None if the registry beside the check does not contain it."""
        id, folder = exercise_of_check(item.path.name), item.path.parent
        if id is not None and folder not in self._registries:
            self._registries[folder] = Registry.read(folder / "exercises.toml")
        return next((exercise for exercise in self._registries.get(folder, ()) if exercise.id == id), None)


class Fixtures:
    """The fixtures. They know the run, and the run knows the check, because the fixture ``request`` would cost more than most checks."""

    def __init__(self, run: ChecksRun):
        self._run = run

    @pytest.fixture
    def lab(self) -> Any:
        """Return the lab under test, or its stand-in."""
        return self._run.lab(self._run.item)

    @pytest.fixture
    def expect(self) -> Expect | RecordingExpect:
        """``expect("what this is", value, rtol=1e-6, atol=1e-9)`` compares a value with what the reference answers."""
        return self._run.expect(self._run.item)

    @pytest.fixture
    def rng(self) -> Any:
        """Return a numpy Generator that depends on the check only, and for a hidden check also on the seed of the run."""
        return self._run.rng(self._run.item)

    @pytest.fixture
    def small_inputs(self) -> Callable[[Any], None]:
        """Return the function that runs a lab on the probe inputs of the exercise and judges its answers."""
        return self._run.small_inputs(self._run.item)


RUN = pytest.StashKey[ChecksRun]()
FIXTURES = ("lab", "expect", "rng", "small_inputs")  # methods of a `ChecksRun`


def is_plain(item: pytest.Item) -> bool:
    """Return True if a check is a plain function of our fixtures and its parameters, with nothing to set up or tear down.

    Such a check is called without pytest, because pytest's protocol costs more than most checks.
    """
    if not isinstance(item, pytest.Function):
        return False
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    marks = list(item.iter_markers())
    return (
        {*FIXTURES, *parameters}.issuperset(item.fixturenames)
        and {mark.name for mark in marks} <= {"hidden", "parametrize"}
        and not any("indirect" in mark.kwargs for mark in marks)
        and not inspect.isgeneratorfunction(item.obj)
        and not inspect.iscoroutinefunction(item.obj)
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the checks."""
    group = parser.getgroup("lxmls-day1", "exercises of the day-1 lab")
    group.addoption(
        "--lab", metavar="FOLDER", help="The lab folder that is checked; the one around the checks if not given."
    )
    group.addoption("--hidden", action="store_true", help="Run the hidden checks too (needs the reference solutions).")
    group.addoption("--seed", type=int, metavar="N", help="Seed of the hidden checks; drawn if not given, and shown.")


def pytest_configure(config: pytest.Config) -> None:
    """Register marker, fixtures and the run."""
    config.addinivalue_line("markers", "hidden: a check of an exercise that runs at grading only, on fresh inputs")
    if RUN not in config.stash:  # A snapshot has set its own run already.
        config.stash[RUN] = _run_of_options(config)
    config.pluginmanager.register(Fixtures(config.stash[RUN]))


def _run_of_options(config: pytest.Config) -> ChecksRun:
    option = config.getoption
    lab_folder = Path(option("--lab")).resolve() if option("--lab") else None
    return ChecksRun(lab_folder=lab_folder, seed=option("--seed"), hidden=option("--hidden"))


def check_small_inputs(lab: Lab, small_inputs: Callable[[Any], None]) -> None:
    """Small inputs, from the smallest on."""
    small_inputs(lab)


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> pytest.Function | None:
    """Add the check of the probe inputs to a check file that defines answers to them."""
    if name != ANSWERS_FUNCTION or exercise_of_check(collector.path.name) is None:
        return None
    return pytest.Function.from_parent(collector, name=PROBE_INPUTS_CHECK, callobj=check_small_inputs)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect checks that are not to run, and compute the expected answers of the hidden checks."""
    run = config.stash[RUN]
    leave_out = [item for item in items if is_hidden(item) and not run.hidden]
    if leave_out:
        items[:] = [item for item in items if item not in leave_out]
        config.hook.pytest_deselected(items=leave_out)
    run.compute_hidden_answers(items)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Name the lab under test."""
    run = config.stash[RUN]
    return f"lab: {run.lab_folder}" if run.lab_folder else None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name the seed of the hidden checks."""
    run = config.stash[RUN]
    if run.hidden and run.seed is not None:
        terminalreporter.write_line(f"hidden checks ran with --seed {run.seed}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Record the running check for its fixtures."""
    item.config.stash[RUN].item = item


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    """Block calls of functions that solve the exercise, while a check of a lab in this process runs."""
    with pyfuncitem.config.stash[RUN].solutions_blocked(pyfuncitem):
        return (yield)


def verdict(run: ChecksRun, item: pytest.Item, error: BaseException | None) -> tuple[str, str]:
    """Return the outcome of a check (``passed``, ``wrong``, ``to do``, ``error`` or ``skipped``) and the text to show."""
    if error is None:
        return "passed", ""
    if isinstance(error, pytest.skip.Exception):
        return "skipped", str(error)
    if isinstance(error, NotImplementedError) and STUB_MESSAGE.match(str(error)):
        return "to do", str(error)
    answers, required = run.guarded_lab.answers if run.guarded_lab is not None else [], required_results(item)
    folder = run.lab_folder or Lab.open(item.path.parent).folder
    if text := describe_failure(error, answers, required):
        cause = error.__cause__
        return "wrong", f"{text}\n{trimmed_traceback(cause, folder, run.files_of(item))}" if cause else text
    files = _files_of(error)
    if isinstance(error, AssertionError) and files[-1:] == [item.path]:
        return "wrong", str(error).strip() or "a property that the answer must have does not hold"
    of_the_answer = answers and answers[-1] and not isinstance(error, (AssertionError, InputError))
    if of_the_answer and not any(is_within(file, folder / name) for file in files for name in PACKAGES):
        return "wrong", describe_unusable_answer(answers, required, error)
    return "error", trimmed_traceback(error, folder, run.files_of(item), item.path)


def _files_of(error: BaseException) -> list[Path]:
    """Return the files of an exception's traceback; it was raised in the last one."""
    return [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]


def required_results(item: pytest.Item) -> RequiredResults:
    """Return the shapes that a check file requires of the functions it calls."""
    module = item.getparent(pytest.Module)
    return getattr(module.obj, MUST_RETURN, {}) if module is not None else {}


def is_hidden(item: pytest.Item) -> bool:
    """Return True if a check runs at grading only."""
    return item.get_closest_marker("hidden") is not None


def check_key(item: pytest.Item) -> str:
    """Return the key of a check, independent of its folder: ``test_1_05_mira.py::test_step[large]``."""
    return f"{item.path.name}::{item.nodeid.partition('::')[2]}"


def check_title(item: pytest.Item) -> str:
    """Return the title of a check for students: the first line of its docstring, or its name in words."""
    docstring = getattr(getattr(item, "function", None), "__doc__", None) or ""
    name, _, case = item.name.removesuffix("]").partition("[")
    title = docstring.strip().partition("\n")[0].strip() or name.removeprefix("test_").replace("_", " ")
    return f"{title.rstrip('.')} ({case})" if case else title.rstrip(".")
