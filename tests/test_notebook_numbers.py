"""Every number in a notebook's prose comes from a recorded output, and every question has a model answer.

`notebooks/README.md`, "Numbers in the text", explains how authors name the cells to which a text refers.
"""

import ast
import re
from pathlib import Path

import pytest

from lxmls_day1.course.registry import Registry
from tests.test_notebooks import read, tags
from tools.authoring import notebook_times

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NAMES = [path.stem for path in sorted(FOLDER.glob("[0-9]_*.ipynb"))]

NAMED = re.compile(r"<!-- (numbers|given): (.*?) -->", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.,/])[-−+]?\d+(?:[.,]\d+)*(?:e[-−]?\d+)?(?![\w/])(?: ?%)?")
NO_PROSE = re.compile(
    r"<!--.*?-->|`[^`]*`|\]\([^)]*\)|\b[Ee]xercises? \d+\.\d+[a-z]?(?:(?:, | and )\d+\.\d+[a-z]?)*|\b[Nn]otebooks? \d|^ *\d+\. |\(\d\)",
    re.DOTALL | re.MULTILINE,
)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.DOTALL)


def printed(cell):
    """Return all texts that a cell has printed."""
    outputs = cell.get("outputs", [])
    return "\n".join(one.get("text", "") or one.get("data", {}).get("text/plain", "") for one in outputs)


def numbers_in(text):
    """Return the numbers of a text as written: signs as in code, no commas or spaces between thousands, ``"5%"`` for 5 %."""
    text = re.sub(r"(?<=\d)[ \u202f,](?=\d{3}\b)", "", text.replace("−", "-").replace("{,}", ","))
    return [match.lstrip("+").replace(" ", "") for match in NUMBER.findall(text)]


def prose_numbers(source):
    """Return the numbers in the prose of a markdown cell; in formulas only numbers with a decimal point, and numbers from 10 on."""
    text = NO_PROSE.sub(" ", source)
    formulae = [formula.replace("{,}", "") for formula in FORMULA.findall(text)]
    in_formulae = [n for formula in formulae for n in numbers_in(re.sub(r"[{}\\^_~]", " ", formula))]
    large = [n for n in in_formulae if "." in n or abs(float(n.rstrip("%"))) >= 10]
    return numbers_in(FORMULA.sub(" ", text)) + large


def agrees(number, known):
    """Return True if a number equals one of the known numbers, rounded to its own digits, or as a percentage.

    The sign may be missing: "lower by 0.02" may express -0.02. A percentage never matches a count: 20 % is not found in "20 classes".
    """
    digits = len(number.rstrip("%").partition(".")[2])
    value, half = float(number.rstrip("%")), 0.5 * 10.0**-digits + 1e-9
    for other in known:
        if number.endswith("%") and other.isdigit():
            continue
        found = float(other.rstrip("%"))
        if any(abs(abs(value) - abs(scale * found)) <= half for scale in (1, 100)):
            return True
    return False


def unfounded(cell, cells):
    """Return the numbers of a markdown cell that are neither printed by the named cells, nor in their programs, nor given."""
    named = NAMED.findall(cell.source)
    known = [n for kind, what in named if kind == "given" for n in numbers_in(what)]
    for name in (name.strip() for kind, what in named if kind == "numbers" for name in what.split(",")):
        found = [other for other in cells if f"cell-{name}" in tags(other)]
        assert len(found) == 1, f"{len(found)} cells are tagged cell-{name}"
        known += numbers_in(printed(found[0])) + numbers_in(found[0].source.replace("_", ""))
    return [number for number in prose_numbers(cell.source) if not agrees(number, known)]


def explains(cell):
    """Return True if a cell explains the result of an experiment."""
    return cell.cell_type == "markdown" and ({"solution", "shows"} & set(tags(cell)) or bool(NAMED.search(cell.source)))


@pytest.mark.parametrize("name", NAMES)
def test_every_number_in_the_prose_comes_from_an_output(name):
    cells = read(name).cells
    wrong = {cell.source[:60]: numbers for cell in cells if explains(cell) and (numbers := unfounded(cell, cells))}
    assert not wrong


@pytest.mark.parametrize("name", NAMES)
def test_outputs_fit_a_narrow_page(name):
    outputs = [output for cell in read(name).cells for output in cell.get("outputs", [])]
    lines = [line for output in outputs if output.output_type == "stream" for line in output.text.splitlines()]
    assert lines and not [line for line in lines if len(line) > 86]


@pytest.mark.parametrize("name", NAMES)
def test_every_question_is_asked_before_it_is_answered(name):
    """The order is: run, explain, then the model answer and how to open it."""
    cells = read(name).cells
    for i, cell in enumerate(cells):
        if "answer" not in tags(cell):
            continue
        assert "**Explain.**" in cell.source or "derivation" in cell.source, cell.source
        assert "solution" in tags(cells[i + 1]), cell.source
        if "**Explain.**" in cell.source:
            assert "lab.reveal(" in cells[i + 2].source, cell.source
            last = max((j for j, other in enumerate(cells[:i]) if "answer" in tags(other)), default=0)
            assert any(other.cell_type == "code" for other in cells[last:i]), cell.source


def test_stated_times_match_the_estimate():
    registry = Registry.from_folder(notebook_times.reference_folder())
    for name in NAMES:
        text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        assert notebook_times.with_time(text, registry) == text, "run: python -m tools.authoring.notebook_times"


@pytest.mark.parametrize("name", NAMES)
def test_functions_in_the_text_match_the_files(name):
    """The signature that an exercise shows has the argument names of the function, in their order."""
    cells = read(name).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    shown = [node for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.FunctionDef)]
    sources = [path.read_text(encoding="utf-8") for path in (FOLDER.parent / "classifiers").rglob("*.py")]
    for function in shown:
        trees = [ast.parse(source) for source in sources if f"def {function.name}(" in source]
        heads = [node for tree in trees for node in ast.walk(tree)]
        wanted = [argument.arg for argument in function.args.args]
        found = [node for node in heads if isinstance(node, ast.FunctionDef) and node.name == function.name]
        assert wanted in [[argument.arg for argument in node.args.args] for node in found], function.name


def test_the_core_is_a_day():
    *_, afternoon, core, _, together = notebook_times.table(notebook_times.reference_folder())
    words, formulas, predictions, questions, _, _, minutes = map(int, core.split()[2:])
    assert words <= 8000 and formulas <= 30 and predictions + questions <= 35 and minutes <= 360
    assert int(afternoon.split()[-1]) <= 185 and int(together.split()[2]) <= 17_000
