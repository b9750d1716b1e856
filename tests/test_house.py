"""The rules of CONTRIBUTING: imports go one way and in no circle, and every map names the files that are there."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("lxmls_day1", "readers", "classifiers")
WINGS = ("compiled", "text", "streaming", "cluster", "figures", "commands", "exercises", "grading", "demos", "browser")
MACHINERY = (
    "commands",
    "exercises",
    "grading",
    "demos",
    "browser",
)  # the wings that reach readers and classifiers, through a Lab

#: Which groups of modules a group may import, besides itself and the leaves; imports inside functions count. A group is
#: a wing, `readers`, `classifiers`, or a module of `lxmls_day1` that stands in no wing. A group that is not listed here
#: is a leaf.
ALLOWED: dict[str, set[str]] = {
    "readers": set(),
    "classifiers": set(),
    "lab": set(),
    "notebook_lab": {"lab", "exercises"},
    "exercises": {"lab"},
    "grading": {"lab", "exercises"},
    "demos": {"lab", "exercises", "notebook_lab"},
    "browser": {"lab", "exercises"},
    "commands": {"lab", "exercises", "grading", "demos", "browser"},
    "__main__": {"commands"},
    "lxmls_day1": {"lab"},
}
WITH_ANSWERS = {"exercises", "grading", "commands", "demos", "browser"}


@cache
def modules() -> dict[str, Path]:
    """Every module by its name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if "reference_lab" not in parts:
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(name: str) -> Iterator[tuple[str, int]]:
    """The modules of ours that a module imports, with the line; not those that only type checkers import."""
    nodes = list(ast.walk(ast.parse(modules()[name].read_text(encoding="utf-8"))))
    for_types = {
        id(node)
        for test in nodes
        if isinstance(test, ast.If)
        and "TYPE_CHECKING" in (getattr(test.test, "id", ""), getattr(test.test, "attr", ""))
        for statement in test.body
        for node in ast.walk(statement)
    }
    for node in nodes:
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            candidates = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno} imports relatively"
            candidates = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for candidate in candidates:
            while candidate and candidate not in modules():
                candidate = candidate.rpartition(".")[0]
            if candidate and candidate != name:
                yield candidate, node.lineno


@cache
def graph() -> dict[str, dict[str, int]]:
    """Module -> module that it imports -> line of the import."""
    return {name: dict(imports_of(name)) for name in modules()}


def group_of(name: str) -> str:
    """The wing, the package, or the module in no wing that a module belongs to."""
    package, _, rest = name.partition(".")
    return package if package != "lxmls_day1" or not rest else rest.partition(".")[0]


def allowed(name: str, other: str) -> bool:
    """Whether the rules let a module import another one."""
    ours, theirs = group_of(name), group_of(other)
    if theirs == ours or theirs in ALLOWED.get(ours, ()):
        return True
    return theirs not in ALLOWED or theirs == "lxmls_day1"


def circle_from(start: str) -> list[str]:
    """A circle of imports through a module; empty if there is none."""
    before: dict[str, str] = {}
    waiting = [start]
    while waiting:
        at = waiting.pop()
        for following in graph()[at]:
            if following == start:
                path = [start, at]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if following not in before:
                before[following] = at
                waiting.append(following)
    return []


@pytest.mark.slow
def test_no_circle():
    circles = [circle for name in modules() if (circle := circle_from(name))]
    assert not circles, "\n".join(" -> ".join(circle) for circle in circles)


def test_imports_go_one_way():
    wrong = [
        f"{name}:{line} imports {other}"
        for name, others in graph().items()
        for other, line in others.items()
        if not allowed(name, other)
    ]
    assert not wrong, "\n".join(wrong)


def test_what_runs_in_a_box_imports_nothing_that_runs_outside():
    row = re.search(r"^\| inside the box[^|]*\|([^|]*)\|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M)
    inside = {f"lxmls_day1.grading.{name}" for name in re.findall(r"`(\w+)`", row[1])}
    inside |= {
        "lxmls_day1.grading",
        "lxmls_day1.grading.messages",
        "lxmls_day1.grading.channel",
        "lxmls_day1.grading.notebook_cells",
    }
    assert len(inside) > 5 and inside <= set(modules())
    without_answers = inside | {f"lxmls_day1.exercises.{name}" for name in ("importable", "tracebacks", "watched_lab")}
    wrong = [
        f"{name}:{line} imports {other}"
        for name in sorted(without_answers)
        for other, line in graph()[name].items()
        if group_of(other) in WITH_ANSWERS and other not in without_answers
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "folder",
    [
        "lxmls_day1",
        "lxmls_day1/compiled",
        "lxmls_day1/text",
        "lxmls_day1/streaming",
        "lxmls_day1/cluster",
        "lxmls_day1/figures",
        "lxmls_day1/commands",
        "lxmls_day1/exercises",
        "lxmls_day1/grading",
        "lxmls_day1/demos",
        "lxmls_day1/browser",
        "readers",
        "classifiers",
    ],
)
def test_a_folder_s_docstring_is_its_map(folder):
    """The docstring of ``__init__`` names every module of its folder, and lists none that is not there."""
    docstring = ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    named = {name.removesuffix(".py") for name in re.findall(r"``(\w+(?:\.py)?)/?``", docstring)}
    there = {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__", "__main__"}
    if folder == "lxmls_day1":
        there |= set(WINGS)
    assert there <= named, f"not on the map of {folder}: {sorted(there - named)}"
    listed = {name.removesuffix(".py") for name in re.findall(r"^[*| ]*``([\w/]+(?:\.py)?)``  ", docstring, re.M)}
    unknown = {name for name in listed if name not in there and not (ROOT / folder / name).exists()}
    assert not unknown, f"the map of {folder} lists what is not there: {sorted(unknown)}"


def test_a_module_of_more_than_400_lines_says_why():
    """By a sentence in its docstring, which goes when the module has become shorter."""
    long = {name for name, path in modules().items() if path.read_text(encoding="utf-8").count("\n") > 400}
    said = {name for name, path in modules().items() if "(More than 400 lines: " in path.read_text(encoding="utf-8")}
    assert long == said


#: What an import inside a function may name without a word of why: it is slow to load, is not installed everywhere, or is one
#: system's only. The wings among them need such libraries.
LOADED_LATE = (
    *("IPython", "PIL", "contourpy", "distributed", "ipympl", "ipywidgets", "jupytext", "matplotlib", "nbclient"),
    *(
        "nbformat",
        "numba",
        "numpy",
        "pooch",
        "pyarrow",
        "requests",
        "rich",
        "scipy",
        "threadpoolctl",
        "tqdm",
        "traitlets",
    ),
    *("fcntl", "msvcrt", "pwd", "resource"),
    *("lxmls_day1.compiled", "lxmls_day1.cluster", "lxmls_day1.figures", "lxmls_day1.demos"),
)


def imports_inside_functions(path: Path) -> Iterator[tuple[int, list[str], bool]]:
    """Line, what is imported, and whether a comment stands on the line or above it, or above the block that it is in."""
    lines = path.read_text(encoding="utf-8").split("\n")
    tree = ast.parse("\n".join(lines))
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    found = {
        node.lineno: node
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    explained = {0}
    for line, node in sorted(found.items()):
        own = "".join(lines[line - 1 : node.end_lineno])
        if "#" in own or lines[line - 2].lstrip().startswith("#") or line - 1 in explained:
            explained.add(node.end_lineno or line)
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        yield line, names, node.end_lineno in explained


def test_an_import_inside_a_function_says_why():
    """In a comment; or one comment of the module does, for all. The commands load what they need when they run: CONTRIBUTING."""
    silent = []
    for name, path in modules().items():
        of_all = "\n# Imports inside the " in path.read_text(encoding="utf-8")
        if of_all or group_of(name) in ("commands", "__main__"):
            continue
        for line, names, is_explained in imports_inside_functions(path):
            late = all(f"{other}.".startswith(tuple(f"{known}." for known in LOADED_LATE)) for other in names)
            if not (is_explained or late):
                silent.append(f"{path.relative_to(ROOT)}:{line} imports {', '.join(names)}")
    assert silent == []


def functions_without_types(body: list[ast.stmt], within: str = "") -> Iterator[str]:
    """The public functions and methods among some statements that do not say the type of each argument and of the answer."""
    for node in body:
        name = f"{within}.{getattr(node, 'name', '')}"
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions_without_types(node.body, name)
        elif isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name.endswith("__")):
            arguments = node.args
            named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            said = [argument.annotation for argument in named if argument and argument.arg not in ("self", "cls")]
            if not all([*said, node.returns]):
                yield name


def test_public_functions_of_readers_and_classifiers_say_their_types():
    missing = {
        name + function
        for name, path in modules().items()
        if group_of(name) in ("readers", "classifiers")
        for function in functions_without_types(ast.parse(path.read_text(encoding="utf-8")).body)
    }
    assert not missing


PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/figures.md",
    *sorted(
        p.relative_to(ROOT).as_posix()
        for f in ("start", "how-to", "explanations", "reference")
        for p in (ROOT / "docs" / f).glob("*.md")
    ),
    "docs/grading.md",
    "docs/install.md",
    "docs/performance.md",
    "docs/scale.md",
)


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:lxmls_day1|readers|classifiers|notebooks|tests|docs)/[\w./-]*)`", text)
    missing = [path for path in paths if not (ROOT / path).exists() and "NAME" not in path]
    missing += [
        link
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text)
        if ":" not in link and not (ROOT / page).parent.joinpath(_source_of(link)).exists()
    ]
    assert not missing, f"{page} names {missing}"


def _source_of(link: str) -> str:
    """What a page of the gallery, or that of the commands, is made from when the book is built; other links as they are."""
    if link.endswith("reference/commands.md"):
        return link.removesuffix("reference/commands.md") + "conf.py"
    made = re.fullmatch(r"(.*)gallery_pages/(\w+)\.rst", link)
    if made is None:
        return link
    return f"{made[1]}gallery/{'README.rst' if made[2] == 'index' else made[2] + '.py'}"


def test_contributing_lists_every_module_that_stands_in_no_wing():
    said = set(re.findall(r"`(?:lxmls_day1/)?(\w+)\.py`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    said |= set(re.findall(r"lxmls_day1/(\w+)\.py", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    flat = {path.stem for path in (ROOT / "lxmls_day1").glob("*.py")} - {"__init__", "__main__"}
    assert flat <= said, f"not in CONTRIBUTING: {sorted(flat - said)}"
    assert len(flat) <= 15


def files_that_test_others() -> dict[str, list[str]]:
    """Module -> files with its tests, from CONTRIBUTING's table; a row lists modules of one folder."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/]+)/`: ([^|]+) \| ([^|]+) \|$", text.partition("## Tested elsewhere")[2], re.M)
    return {
        f"{folder.replace('/', '.')}.{name}": re.findall(r"`([^`]+)`", files)
        for folder, names, files in rows
        for name in re.findall(r"`(\w+)`", names)
    }


def test_every_module_is_tested_where_one_looks_for_it():
    """``classifiers/mira.py`` ↔ ``tests/classifiers/test_mira.py``; CONTRIBUTING's table lists the exceptions."""
    without = set()
    for name, path in modules().items():
        folder = ROOT / "tests" / path.relative_to(ROOT).parent
        if path.stem not in ("__init__", "__main__") and not (folder / f"test_{path.stem}.py").is_file():
            without.add(name)
    elsewhere = files_that_test_others()
    assert without <= set(elsewhere), f"no test file, nor in CONTRIBUTING's table: {sorted(without - set(elsewhere))}"
    gone = set(elsewhere) - set(modules())
    assert not gone, f"CONTRIBUTING's table of what is tested elsewhere names {sorted(gone)}"
    assert all(elsewhere.values())  # that those files are there, the test of the page's names says


@pytest.mark.slow
def test_importing_a_student_s_module_needs_no_threads_processes_or_network():
    """Every module that a student imports can be imported on a Python without them, and without numba."""
    blocked = ("numba", "llvmlite", "fcntl", "resource", "_posixsubprocess", "subprocess", "multiprocessing", "pooch")
    names = [
        name
        for name in modules()
        if group_of(name) in ("readers", "classifiers", "compiled", "text", "streaming", "cluster", "figures")
    ]
    names = [
        name for name in names if name.rpartition(".")[2] not in ("intrinsics", "machine_code")
    ]  # numba's own parts
    names += [name for name in ("lxmls_day1.lab", "lxmls_day1.notebook_lab") if name in modules()]
    code = f"""
import importlib, sys
sys.path.insert(0, {str(ROOT)!r})
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError("blocked: " + name, name=name)
import numpy, scipy.sparse, scipy.optimize, scipy.special, matplotlib.figure
for name in list(sys.modules):
    if name.partition(".")[0] in {blocked!r}:
        del sys.modules[name]
sys.meta_path.insert(0, Blocked())
for name in {names!r}:
    importlib.import_module(name)
"""
    ended = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
