"""Hidden checks under many seeds: which wrong programs escape them, and which right ones fail. For authors.

A check is a plain function of ``lab``, ``expect`` and ``rng``. Here it is called without pytest, hundreds of times in one process,
on one program after the other. What the reference answers under a seed is asked once. A wrong program is asked until
one answer is wrong, which for most of them is the first one; the check that found it out is asked first under the next seed.
One that does not end is wrong, and is asked no more after some seeds under which it did not.
"""

import contextlib
import io
import itertools
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.course.expect import RecordingExpect
from lxmls_day1.course.markers import without_markers
from lxmls_day1.course.mistaken_labs import uncompiled, uncompiled_lab
from lxmls_day1.course.mutation_guard import GuardedLab
from lxmls_day1.course.pool_making import checks_of_file
from lxmls_day1.course.recorded_answers import ATOL, RTOL
from lxmls_day1.course.registry import FOLDER, Exercise, check_files
from lxmls_day1.course.time_limit import OutOfTime, TimeLimit
from lxmls_day1.errors import InputError
from lxmls_day1.lab import Lab

Sources = Mapping[str, str]  # path in the lab -> text
PATIENCE, SLOWER = 1.0, 20.0  # a program may take so many seconds of processor time and so many times the reference's
ENDLESS = 3  # seeds one after the other under which a program does not end; under the others it would not, either


@dataclass(frozen=True)
class Check:
    """One check with its parameters."""

    name: str
    function: Callable[..., None]
    arguments: Mapping[str, Any]
    hidden: bool

    def call(self, lab: Lab, seed: int, expect: RecordingExpect | None = None) -> RecordingExpect:
        """Let it run on a lab: the answers that it got. An exception of the lab's, or of the check, comes through."""
        given = {
            "lab": GuardedLab(lab),
            "expect": (recording := RecordingExpect() if expect is None else expect),
            "rng": np.random.default_rng([seed, zlib.crc32(self.name.encode())]),
        }
        code = self.function.__code__
        wanted = code.co_varnames[: code.co_argcount]
        self.function(**{name: value for name, value in (given | dict(self.arguments)).items() if name in wanted})
        return recording


@dataclass
class Trial:
    """What came of one program.

    Attributes
    ----------
    passed : list of int
        The seeds under which it passed all hidden checks.
    failed : dict from seed to str
        The other ones under which it was tried, with the check that it failed first.
    """

    passed: list[int] = field(default_factory=list)
    failed: dict[int, str] = field(default_factory=dict)


class Expected(NamedTuple):
    """What a check wants to hear under a seed."""

    recording: RecordingExpect
    seconds: float  # of processor time, which the reference took


class _ComparingExpect(RecordingExpect):
    """It ends the check at the first wrong answer."""

    def __init__(self, wanted: RecordingExpect):
        super().__init__()
        self._wanted = wanted

    def __call__(self, what: str, value: Any, rtol: float = RTOL, atol: float = ATOL) -> None:
        """Compare a value with the one that is wanted."""
        super().__call__(what, value, rtol, atol)
        wanted = self._wanted.answers.get(what)
        assert wanted is not None and wanted.agrees(self.answers[what], *self._wanted.tolerances[what]), what


def checks_in(module: ModuleType) -> list[Check]:
    """The checks of a file, each case of a parametrized one by itself."""
    found = []
    for name, function in vars(module).items():
        if not name.startswith("test"):
            continue
        marks = getattr(function, "pytestmark", [])
        hidden = any(mark.name == "hidden" for mark in marks)
        cases = [list(_cases(*mark.args[:2])) for mark in marks if mark.name == "parametrize"]
        for case in itertools.product(*cases):
            arguments = {key: value for part in case for key, value in part.items()}
            said = "-".join(map(str, arguments.values()))
            found.append(Check(f"{name}[{said}]" if said else name, function, arguments, hidden))
    return found


def _cases(names: str | Sequence[str], values: Sequence[Any]) -> Iterator[dict[str, Any]]:
    keys = [key.strip() for key in names.split(",")] if isinstance(names, str) else list(names)
    for value in values:
        yield dict(zip(keys, [value] if len(keys) == 1 else value, strict=True))


def trials(
    reference: Path, exercise: Exercise, programs: Mapping[str, Sources], seeds: Sequence[int], folder: Path
) -> dict[str, Trial]:
    """Try the hidden checks of an exercise on programs, under each seed.

    Parameters
    ----------
    reference : Path
        A lab with the solutions.
    exercise : Exercise
    programs : mapping from label to files
        Files of the lab that differ from the reference's: path -> text.
    seeds : sequence of int
    folder : Path
        A new one, for the lab in which one program after the other stands. No byte code is written from now on in this
        process: it would be taken for that of the next program.

    Returns
    -------
    dict from label to Trial

    Raises
    ------
    InputError
        If the reference fails.
    """
    sys.dont_write_bytecode = True
    modules = map(checks_of_file, check_files(reference / FOLDER, exercise))
    checks = [check for module in modules for check in checks_in(module) if check.hidden]
    lab = Lab(uncompiled_lab(reference, folder))
    right = {
        name: uncompiled(without_markers((reference / name).read_text(encoding="utf-8").replace("\r\n", "\n")))
        for name in exercise.files
        if name.endswith(".py")
    }
    with _stands_in(lab, right):
        expected = {(check.name, seed): _reference_answer(check, lab, seed) for seed in seeds for check in checks}
    found = {}
    for label, files in programs.items():
        plain = {name: uncompiled(text) for name, text in files.items()}
        with _stands_in(lab, right | plain, restored=right):
            found[label] = _trial(lab, checks, seeds, expected)
    return found


def _trial(
    lab: Lab, checks: Sequence[Check], seeds: Sequence[int], expected: Mapping[tuple[str, int], Expected]
) -> Trial:
    trial, order, n_endless = Trial(), list(checks), 0
    for seed in seeds:
        outcomes = ((check, _holds(check, lab, seed, expected[check.name, seed])) for check in order)
        wrong, held = next(((check, held) for check, held in outcomes if not held), (None, True))
        if wrong is None:
            trial.passed.append(seed)
        else:
            trial.failed[seed] = wrong.name
            order.remove(wrong)
            order.insert(0, wrong)
        n_endless = n_endless + 1 if held is None else 0
        if n_endless == ENDLESS:
            break
    return trial


def _holds(check: Check, lab: Lab, seed: int, expected: Expected) -> bool | None:
    """Whether all answers are right; None if it did not end."""
    try:
        with _quiet(), TimeLimit(lab.folder) as limit, limit.of(PATIENCE + SLOWER * expected.seconds):
            got = check.call(lab, seed, _ComparingExpect(expected.recording)).answers
    except OutOfTime:
        return None
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # whatever a program may raise
        return False
    return got.keys() == expected.recording.answers.keys()


def _reference_answer(check: Check, lab: Lab, seed: int) -> Expected:
    begun = time.process_time()
    try:
        return Expected(check.call(lab, seed), time.process_time() - begun)
    except Exception as error:
        raise InputError(f"the reference fails {check.name} under the seed {seed}: {error}") from error


@contextlib.contextmanager
def _stands_in(lab: Lab, files: Sources, restored: Sources | None = None) -> Iterator[None]:
    """Put these files into the lab for a while; afterwards put back those of `restored`, and remove new ones."""
    new = [name for name in files if not (lab.folder / name).exists()]
    for name, text in files.items():
        (lab.folder / name).write_text(text, encoding="utf-8")
    lab.forget()
    try:
        yield
    finally:
        for name, text in (restored or {}).items():
            (lab.folder / name).write_text(text, encoding="utf-8")
        for name in new:
            (lab.folder / name).unlink()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hide what a program prints, and its warnings."""
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield
