"""While an exercise is checked, functions that answer it refuse calls, however they were imported; starter files may call other answers."""

import functools
import importlib
import sys

import pytest

from lxmls_day1.course.registry import Registry
from lxmls_day1.course.running.checking import run_checks
from lxmls_day1.course.running.solution_blocking import BLOCKED_LIBRARY, block_solutions, functions_to_block
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.lab import reference_folder
from tests.wording import wording

EXERCISES = [exercise for exercise in Registry.from_folder(reference_folder()) if functions_to_block(exercise)]
#: Ways in which a lab file gets a function: {module} and {path}, whose first part is {head}; {package} holds the module {stem}.
WAYS = {
    "import": "import {module}\nfound = {module}.{path}",
    "import as": "import {module} as mine\nfound = mine.{path}",
    "from import": "from {module} import {head}\nfound = {path}",
    "from the package": "from {package} import {stem}\nfound = {stem}.{path}",
    "importlib": "import importlib\nfound = importlib.import_module('{module}').{path}",
    "getattr": "import {module}, {package}\nfound = getattr({package}, '{stem}').{path}",
    "sys.modules": "import sys, {module}\nfound = sys.modules['{module}'].{path}",
    "anew": "import importlib, sys\nsys.modules.pop('{module}', 0)\nfound = importlib.import_module('{module}').{path}",
    "copied": "import types\nfrom {module} import {head}\nfound = {path}\n"
    "if isinstance(found, types.FunctionType):\n    found = types.FunctionType(found.__code__, {{}}, closure=found.__closure__)",
}


def called(function):
    """Return the error of a function that is called without arguments."""
    try:
        function()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_every_answer_refuses_to_be_called_in_every_way(exercise, monkeypatch):
    """Also through references from before; after the check, all functions work again."""
    messages = functions_to_block(exercise)
    kept = {}
    for name in messages:
        module, _, path = name.partition(":")
        kept[name] = functools.reduce(getattr, path.split("."), importlib.import_module(module))
    before = {name: called(function) for name, function in kept.items()}
    refused = {name: f"RuntimeError: {message}" for name, message in messages.items()}
    assert not refused.items() & before.items()
    with block_solutions(messages):
        assert {name: called(function) for name, function in kept.items()} == refused
        for name in messages:
            module, _, path = name.partition(":")
            package, _, stem = module.rpartition(".")
            words = {"module": module, "path": path, "head": path.partition(".")[0], "package": package, "stem": stem}
            monkeypatch.setitem(sys.modules, module, sys.modules[module])
            monkeypatch.setattr(sys.modules[package], stem, sys.modules[module])
            for way, code in WAYS.items():
                lab_file = {"__name__": "classifiers.mine"}
                exec(code.format(**words), lab_file)
                assert (way, called(lab_file["found"])) == (way, refused[name])
    monkeypatch.undo()
    for function in kept.values():  # Forget values that were computed with a module that was imported again.
        getattr(function, "cache_clear", str)()
    assert {name: called(function) for name, function in kept.items()} == before


@pytest.mark.slow
def test_a_check_reports_a_refused_call_and_starter_files_still_run(tmp_path):
    write_files(tmp_path, student_files(reference_folder(), ["1.2", "1.3", "1.13"]))

    def answered(file, code, exercise):
        path = tmp_path / "classifiers" / file
        text = path.read_text(encoding="utf-8")
        stub = next(line for line in text.split("\n") if "raise NotImplementedError" in line)
        path.write_text(text.replace(stub.strip(), code), encoding="utf-8")
        return run_checks(tmp_path, [exercise]).reports[0].results

    calls_k_best = "from classifiers.structured.k_best import k_best_paths; return k_best_paths(scores, 1)[0]"
    refused = "k_best answers exercise 1.13 and cannot be called while that is checked: write what it does in "
    results = answered("structured/viterbi.py", calls_k_best, "1.13")
    assert {result.outcome for result in results} == {"error"}
    assert all(f"chain_search.{refused}classifiers/structured/viterbi.py" in result.text for result in results)
    with_sklearn = f"from {BLOCKED_LIBRARY}.naive_bayes import MultinomialNB"
    results = answered("multinomial_naive_bayes.py", with_sklearn, "1.2")
    assert all(wording("course.holds_answers_cannot_imported", BLOCKED_LIBRARY) in result.text for result in results)
    calls_best_path = "from classifiers.structured.k_best import ChainScores, k_best_paths; import numpy as np; "
    calls_best_path += "k_best_paths(ChainScores(np.eye(2), np.eye(2), np.ones(2), np.ones(2)), 1); "
    calls_best_path += "raise KeyError('it went on')"
    results = answered("gaussian_weights.py", calls_best_path, "1.3")  # These functions answer another exercise.
    assert all("it went on" in result.text for result in results)
