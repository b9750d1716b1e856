"""The maintainers' tools: the tests that concern a file, and the purpose of each module."""

import re
from pathlib import Path

import pytest

from tests.wording import wording
from tools import map as tools_map
from tools import near

ROOT = Path(__file__).resolve().parents[1]


def distances_to(*files):
    return {path.relative_to(ROOT).as_posix(): distance for path, distance in near.tests_near(files, None).items()}


def test_the_tests_of_a_file_import_it_directly_or_indirectly():
    distances = distances_to("classifiers/second_order/arow.py")
    assert distances["tests/classifiers/second_order/test_second_order.py"] == 1
    assert distances["tests/test_refusals.py"] > 1  # Through tests/every_learner.py and the package.
    assert "tests/readers/test_splitting.py" not in distances
    assert list(distances.values()) == sorted(distances.values())


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("lxmls_day1/browser/page/board.js", "lxmls_day1/browser/test_room.py"),
        ("tools/exercise_worker.js", "tools/test_exercise_pages.py"),
        ("lxmls_day1/demos/page/demo.css", "lxmls_day1/demos/test_in_a_browser.py"),
        ("lxmls_day1/grading/reports/templates/student.html.j2", "lxmls_day1/grading/reports/test_student_page.py"),
        ("lxmls_day1/lab_api.pyi", "lxmls_day1/test_lab_api.py"),
        ("docs/index.md", "test_docs.py"),
        ("notebooks/2_online.ipynb", "test_notebooks.py"),
        ("tests/exercises/mistakes/1_05_mira.toml", "tools/test_authors_check.py"),
        ("tests/wording.toml", "test_refusals.py"),
    ],
)
def test_a_file_that_is_read_as_text_is_found_from_the_strings_that_name_it(file, test):
    assert (ROOT / file).is_file()
    assert 1 <= distances_to(file)[f"tests/{test}"] <= 4


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("lxmls_day1/demos/mira_step.py", "demos/test_every_demonstration.py"),
        ("classifiers/second_order/arow.py", "figures/test_style.py"),
    ],
)
def test_tests_that_list_a_folder_depend_on_its_files(file, test):
    assert 1 < distances_to(file)[f"tests/lxmls_day1/{test}"] <= 3
    assert set(near.TESTS_OF_LEARNERS) <= set(near.modules())


def test_a_file_on_which_no_test_depends_is_reported(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["near", "LICENSE", "--steps", "0"])
    assert near.main() == 1
    assert wording("tools.near_found_nothing", "LICENSE") in capsys.readouterr().out


def test_every_module_describes_itself_in_its_first_line(capsys):
    assert tools_map.main([]) == 0
    assert "perceptron.py" in capsys.readouterr().out


def test_files_named_in_the_docstring_of_a_folder_exist():
    """A map that is generated from first lines cannot become stale, but other names in a docstring can."""
    files = {path for package in ("readers", "classifiers", "lxmls_day1") for path in (ROOT / package).rglob("*.py")}
    for path in [path for path in files if path.name == "__init__.py"]:
        docstring = path.read_text(encoding="utf-8").split('"""')[1]
        names = re.findall(r"``([\w/]+\.py)``", docstring)
        lost = [name for name in names if not {path.parent / name, path.parents[1] / name} & files]
        assert not lost, f"{path.relative_to(ROOT)} names {', '.join(lost)}"
