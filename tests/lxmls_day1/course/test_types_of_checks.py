"""Every check passes the types that a function's docstring promises, and no others."""

import functools
import inspect
import re

import numpy as np
import pytest
import scipy.sparse as sp

from lxmls_day1.course.markers import find_solutions
from lxmls_day1.course.registry import FOLDER, Registry, check_files
from lxmls_day1.course.running.check_session import CheckSession
from lxmls_day1.course.running.pytest_plugin import ChecksRun
from lxmls_day1.lab import Lab, reference_folder

# The arguments of every rule, as documented in `classifiers/online_classifier.py`.
RULE = {"scores": "array", "label": "int", "sq_norm": "float", "step": "float", "cost": "array"}
SECTION = re.compile(r"Parameters\n\s*-+\n(.*?)(?:\n\s*\n\s*\w+\n\s*-+\n|\Z)", re.DOTALL)
REGISTRY = Registry.read(reference_folder() / FOLDER / "exercises.toml")
EXERCISES = [exercise for exercise in REGISTRY if check_files(reference_folder() / FOLDER, exercise)]


def promised(function):
    """Return the type of each parameter in the docstring."""
    if list(inspect.signature(function).parameters) == list(RULE):
        return RULE
    section = SECTION.search(inspect.getdoc(function) or "")
    lines = re.findall(r"^(\w[\w, ]*) : (.+)$", section[1], re.MULTILINE) if section else []
    return {name.strip(): kind for names, kind in lines for name in names.split(",")}


def keeps(kind, value):
    """Return True if a value has the type in a docstring; types in other words accept every value."""
    if kind.startswith("array or sparse"):
        return isinstance(value, np.ndarray) or sp.issparse(value)
    if kind.startswith(("int array", "array", "float array")):
        return isinstance(value, np.ndarray) and (not kind.startswith("int") or value.dtype.kind in "iu")
    if kind.startswith("ChainScores"):
        return type(value).__name__ == "ChainScores" and all(isinstance(part, np.ndarray) for part in value)
    if re.match(r"int\b", kind):
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if re.match(r"float\b", kind):
        return isinstance(value, (float, np.floating))
    return True


@pytest.mark.one_in(3)
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_arguments_are_of_the_promised_types(exercise, monkeypatch):
    lab = Lab.open(reference_folder())
    broken, n_calls, n_functions = set(), 0, 0
    for file in exercise.files:
        source = (reference_folder() / file).read_text(encoding="utf-8")
        module = lab.load(file.removesuffix(".py").replace("/", "."))
        solutions = find_solutions(source, file)
        for name in {solution.function for solution in solutions if solution.exercise == exercise.id}:
            function = getattr(module, name, None)
            if function is None:
                continue  # Methods such as `train` accept everything that `checks.py` can read.
            n_functions += 1
            kinds, signature = promised(function), inspect.signature(function)
            assert set(kinds) <= set(signature.parameters), f"{name}: the docstring tells of other parameters"

            @functools.wraps(function)
            def noted(*arguments, function=function, kinds=kinds, signature=signature, **settings):
                nonlocal n_calls
                n_calls += 1
                given = signature.bind(*arguments, **settings).arguments
                broken.update(
                    f"{function.__name__}: {key} is to be {kinds[key]}, but is {type(value).__name__} {value!r:.60}"
                    for key, value in given.items()
                    if key in kinds and not keeps(kinds[key], value)
                )
                return function(*arguments, **settings)

            monkeypatch.setattr(module, name, noted)
    run = ChecksRun(lab.folder, seed=1, hidden=True, recordings={})
    session = CheckSession(check_files(reference_folder() / FOLDER, exercise), run)
    session.collect()
    assert set(map(run.call_check, session.items)) == {None}
    assert n_calls or not n_functions, "no check calls it"
    assert not broken, "\n".join(sorted(broken))
