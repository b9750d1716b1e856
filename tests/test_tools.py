"""The tools of maintainers: which tests concern a file, and what each module is for."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tests_of_a_file_are_those_that_import_it_by_any_way():
    near = load_tool("near").tests_near(["classifiers/second_order/arow.py"], None)
    distances = {path.relative_to(ROOT).as_posix(): distance for path, distance in near.items()}
    assert distances["tests/classifiers/second_order/test_second_order.py"] == 1
    assert distances["tests/test_refusals.py"] > 1  # by way of tests/every_learner.py and the package
    assert "tests/readers/test_splitting.py" not in distances
    assert list(distances.values()) == sorted(distances.values())


def test_every_module_says_in_its_first_line_what_it_is_for(capsys):
    assert load_tool("map").main([]) == 0
    assert "perceptron.py" in capsys.readouterr().out
