"""No function that a student's code can call returns the answer of an exercise, except functions that refuse to be called."""

import functools
import os

import pytest

from lxmls_day1.course.registry import Registry
from lxmls_day1.course.running.solution_blocking import functions_to_block
from lxmls_day1.lab import Lab, reference_folder
from tools.authoring import functions_as_answers
from tools.authoring.functions_as_answers import find_solving_functions, functions_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each function is tried in a process of its own")
SOLUTIONS = functions_as_answers.solved_functions()


@pytest.fixture(scope="module")
def asked(imports_as_before_the_module):
    """Return a function from a solution to its sample calls."""
    return functools.cache(lambda *solution: next(iter(functions_as_answers.sample_calls([solution]).values())))


@pytest.fixture(scope="module")
def candidates(tmp_path_factory, asked):
    return functions_as_answers.callable_functions(tmp_path_factory.mktemp("given"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("solution", SOLUTIONS, ids=" ".join)
@pytest.mark.one_in(24)
def test_no_other_function_is_the_answer(solution, asked, candidates, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LXMLS_DAY1_OFFLINE", "1")
    blocked = functions_to_block(Registry.from_folder(reference_folder())[solution[0]])
    names = {name.replace(":", ".") for name in blocked}
    left = [(name, function) for name, function in candidates if name not in names]
    assert len(left) > 1000
    assert find_solving_functions(left, asked(*solution)) == []
    if samples := functions_as_answers.HARDEST_PARTS.get(solution[1].rpartition(".")[2]):
        assert find_solving_functions(left, samples) == []
        assert find_solving_functions([one for one in candidates if one[0] in names], samples) != []


@pytest.mark.slow
@pytest.mark.one_in(4)
@pytest.mark.parametrize("solution", SOLUTIONS, ids=" ".join)
def test_the_trial_finds_the_reference(solution, asked):
    """A method needs its object and is not tried."""
    _, name, module = solution
    if "." in name:
        pytest.skip("a method")
    functions = functions_of(Lab(reference_folder()).load(module))
    assert f"{module}.{name}" in find_solving_functions(functions, asked(*solution))
