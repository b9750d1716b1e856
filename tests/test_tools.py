"""The maintainers' tools: the tests that concern a file, and the purpose of each module."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tests_of_a_file_import_it_directly_or_indirectly():
    near = load_tool("near").tests_near(["classifiers/second_order/arow.py"], None)
    distances = {path.relative_to(ROOT).as_posix(): distance for path, distance in near.items()}
    assert distances["tests/classifiers/second_order/test_second_order.py"] == 1
    assert distances["tests/test_refusals.py"] > 1  # Through tests/every_learner.py and the package.
    assert "tests/readers/test_splitting.py" not in distances
    assert list(distances.values()) == sorted(distances.values())


def test_every_module_describes_itself_in_its_first_line(capsys):
    assert load_tool("map").main([]) == 0
    assert "perceptron.py" in capsys.readouterr().out


def test_files_named_in_the_docstring_of_a_folder_exist():
    """A map that is generated from first lines cannot become stale, but other names in a docstring can."""
    for path in [
        path for package in ("readers", "classifiers", "lxmls_day1") for path in (ROOT / package).rglob("__init__.py")
    ]:
        names = re.findall(
            r"``([\w/]+\.py)``", path.read_text(encoding="utf-8").partition('"""')[2].partition('"""')[0]
        )
        lost = [
            name for name in names if not any((folder / name).is_file() for folder in (path.parent, path.parent.parent))
        ]
        assert not lost, f"{path.relative_to(ROOT)} names {', '.join(lost)}"
