"""``python -m tools.authoring.functions_as_answers 1.10``: list functions of the package that solve an exercise and are not blocked.

Each function of the package and of the starter files is tried as a solution of an exercise, and of its hardest part. Its result and the
last entry, the maximum and the sum of the result are compared with the right answer. A function that matches belongs in the exercise's
``answered_by``.
"""

import faulthandler
import functools
import importlib
import inspect
import itertools
import os
import pkgutil
import signal
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

import lxmls_day1
from lxmls_day1.course.lab_under_test import deep_copy_plain
from lxmls_day1.course.markers import find_solutions
from lxmls_day1.course.registry import FOLDER, Registry, check_files
from lxmls_day1.course.running.check_session import CheckSession
from lxmls_day1.course.running.pytest_plugin import ChecksRun
from lxmls_day1.course.running.solution_blocking import functions_to_block
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.lab import PACKAGES, Lab, reference_folder


def solved_functions(ids: Collection[str] | None = None) -> list[tuple[str, str, str]]:
    """Return exercise, function and module of each solution in the files of some exercises. Default: all exercises."""
    return [
        (solution.exercise, solution.function, name.removesuffix(".py").replace("/", "."))
        for exercise in Registry.from_folder(reference_folder())
        if ids is None or exercise.id in ids
        for name in exercise.files
        if name.endswith(".py")
        for solution in find_solutions((reference_folder() / name).read_text(encoding="utf-8"), name)
        if solution.exercise == exercise.id
    ]


#: The hardest part of an exercise (the rest is arithmetic): some inputs and answers.
HARDEST_PARTS = {
    "squishing_rule": [  # gaps of the rivals -> rise of the true class: the mean of the active gaps and 0
        ({"gaps": np.array(gaps)}, [np.asarray(level)])
        for gaps, level in (([3.0, 2.0, -0.5], 5 / 3), ([2.0, 2.0, 2.0], 1.5), ([1.0, 2.0, 1.75], 1.25))
    ]
}


def parts_of(answer):
    """Return an answer as a list of arrays."""
    if isinstance(answer, (tuple, list)):
        return [part for entry in answer for part in parts_of(entry)]
    return [np.asarray(answer)]


def with_one_more_step(parts):
    """Return the parts, and the results of one further step on each."""
    arrays = [part for part in parts if part.ndim and part.size and part.dtype.kind in "biuf"]
    return [*parts, *(np.asarray(step(array)) for array in arrays for step in (lambda a: a[-1], np.max, np.sum))]


def is_answer(actual, expected):
    """Return True if every array of the answer is among the actual arrays."""
    return all(
        any(g.shape == w.shape and g.dtype.kind in "biuf" and np.allclose(g, w, atol=1e-9) for g in actual)
        for w in expected
    )


def ways_to_call(function, inputs, expected):
    """Yield argument lists that a student might try: in order, as one tuple, permuted, or by name with buffers."""
    values = list(inputs.values())
    yield lambda: values
    yield lambda: [tuple(values)]
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return
    names = [
        p.name for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    if not names:  # Such a function needs no input.
        return
    if len(names) <= 3:
        for chosen in itertools.permutations(values, len(names)):
            yield lambda chosen=chosen: list(chosen)
    known = inputs | {"sigma": 1.0, "scale": 1.0, "n_words": len(values[0]) if np.ndim(values[0]) else 0}
    if "transitions" in inputs:
        known["from_tag"] = np.ascontiguousarray(inputs["transitions"].T)
    unknown = [name for name in names if name not in known]
    if 0 < len(unknown) <= 2 and len(unknown) < len(names):
        shapes = {array.shape for array in [*expected, *map(np.asarray, values)]}
        for buffers in itertools.product(sorted(shapes), repeat=len(unknown)):
            for kind in (float, np.int64):

                def filled(buffers=buffers, kind=kind):
                    made = dict(zip(unknown, buffers, strict=True))
                    last = unknown[-1]
                    return [np.zeros(made[n], kind if n == last else float) if n in made else known[n] for n in names]

                yield filled
    elif not unknown:
        yield lambda: [known[name] for name in names]


def solves(function, inputs, expected):
    """Return True if some way to call the function gives the right answer, as the result or in an argument."""
    for arguments_of in ways_to_call(function, inputs, expected):
        arguments = [a.copy() if isinstance(a, (np.ndarray, list)) else a for a in arguments_of()]
        try:
            with np.errstate(all="ignore"):
                returned = function(*arguments)
            if is_answer(
                with_one_more_step([*parts_of(returned), *(a for a in arguments if isinstance(a, np.ndarray))]),
                expected,
            ):
                return True
        except Exception:
            continue
    return False


def functions_of(module):
    """Yield the functions defined in a module (compiled ones as Python) and the static methods of its classes."""
    owners = [module, *(c for c in vars(module).values() if inspect.isclass(c) and c.__module__ == module.__name__)]
    for owner in owners:
        for name, value in list(vars(owner).items()):
            value = getattr(value, "__func__", value)
            value = getattr(value, "py_func", value)
            is_method = owner is not module and inspect.isfunction(vars(owner)[name])
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not is_method:
                yield f"{owner.__name__}.{name}", value


def sample_calls(solutions):
    """Return three calls by the public checks for each (exercise, function): inputs, and the arrays of the right answer."""
    lab, made = Lab(reference_folder()), {}
    for exercise, function, module in solutions:
        kind, _, name = function.rpartition(".")
        owner = getattr(lab.load(module), kind) if kind else lab.load(module)
        calls = record_calls(
            lab, Registry.from_folder(lab.folder)[exercise], owner, "train" if name == "estimate" else name
        )
        calls.sort(key=lambda call: sum(len(np.unique(part)) for part in call[1]))
        made[exercise, name] = [calls[len(calls) // 3], calls[2 * len(calls) // 3], calls[-1]]
    return made


def record_calls(lab, exercise, owner, name):
    """Record how the public checks call a function of a module or class. Return inputs and the arrays of the answer for each call."""
    found, right = [], getattr(owner, name)

    @functools.wraps(right)
    def noted(*arguments, **settings):
        given = deep_copy_plain(inspect.signature(right).bind(*arguments, **settings).arguments)
        answer = right(*arguments, **settings)
        given.pop("self", None)
        for value in [value for value in given.values() if hasattr(value, "_fields")]:
            given = value._asdict()
        found.append((given, parts_of(deep_copy_plain(answer))))
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, noted)
        run = ChecksRun(lab.folder, recordings={})
        session = CheckSession(check_files(lab.folder / FOLDER, exercise), run)
        session.collect()
        assert set(map(run.call_check, session.items)) == {None}
    return found


def callable_functions(folder):
    """Return the functions that a student's code can call, with their full names; the starter files are written into a folder."""
    files = {path: text for path, text in student_files(reference_folder()).items() if path.parts[0] in PACKAGES}
    write_files(folder, files)
    lab = Lab(folder)
    names = [m.name for m in pkgutil.walk_packages(lxmls_day1.__path__, "lxmls_day1.", lambda _: None)]
    answers = tuple(f"lxmls_day1.{package}." for package in PACKAGES)
    modules = [
        importlib.import_module(name) for name in names if not name.startswith(answers) and "__main__" not in name
    ]
    modules += [lab.load(".".join(path.with_suffix("").parts)) for path in files if path.name[0] != "_"]
    return [found for module in modules for found in functions_of(module)]


def find_solving_functions(functions, samples):
    """Return the names of the functions that answer all samples. A hundred share a process; a suspect group is tried again in two halves."""

    def one_answers():
        return any(all(solves(function, *sample) for sample in samples) for _, function in functions)

    functions = list(functions)
    if len(functions) == 1:
        return [functions[0][0]] if is_true_in_child(one_answers) else []
    if not functions or (len(functions) <= 100 and is_true_in_child(lambda: not one_answers())):
        return []
    half = min(100, len(functions) // 2)
    return [*find_solving_functions(functions[:half], samples), *find_solving_functions(functions[half:], samples)]


def is_true_in_child(predicate):
    """Return True if `predicate` returns True in a child process, because compiled loops use wrong input as indices and may write anywhere."""
    child = os.fork()
    if not child:
        faulthandler.disable()
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(silent, stream)
        sys.addaudithook(refuse_harmful_event)
        try:
            for number, timer, seconds in (
                (signal.SIGPROF, signal.ITIMER_PROF, 5),
                (signal.SIGALRM, signal.ITIMER_REAL, 100),
            ):
                signal.signal(number, signal.SIG_DFL)
                signal.setitimer(timer, seconds)
            os._exit(0 if predicate() else 1)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def refuse_harmful_event(event, arguments):
    """Refuse harmful operations on files and processes, which some functions of commands and boxes would do."""
    writes = event == "open" and not str(arguments[1] or "r").startswith("r")
    if writes or event in HARMFUL_EVENTS or event.startswith(("os.exec", "os.spawn", "shutil.", "ctypes.", "socket.")):
        raise PermissionError(event)


HARMFUL_EVENTS = {
    *("os.fork", "os.forkpty", "os.kill", "os.killpg", "os.posix_spawn", "os.system"),
    *("os.remove", "os.rename", "os.rmdir", "os.truncate", "os.chmod", "os.link", "os.symlink", "os.mkdir"),
    *("signal.pthread_kill", "subprocess.Popen"),
}


def problems_of_functions(ids: Collection[str]) -> Iterator[str]:
    """Yield each function that solves one of some exercises and can be called."""
    solutions = solved_functions(ids)
    with tempfile.TemporaryDirectory() as folder:
        candidates = callable_functions(Path(folder))
        for (exercise, function), samples in sample_calls(solutions).items():
            refused = {
                name.replace(":", ".")
                for name in functions_to_block(Registry.from_folder(reference_folder())[exercise])
            }
            left = [(name, one) for name, one in candidates if name not in refused]
            for name in dict.fromkeys(
                [
                    *find_solving_functions(left, samples),
                    *(find_solving_functions(left, HARDEST_PARTS[function]) if function in HARDEST_PARTS else []),
                ]
            ):
                yield f"{name} answers `{function}` of exercise {exercise}, and can be called: list it under answered_by"


if __name__ == "__main__":
    found = list(problems_of_functions(sys.argv[1:] or Registry.from_folder(reference_folder()).ids))
    print(*found or ["No function that can be called is the answer."], sep="\n")
    sys.exit(bool(found))
