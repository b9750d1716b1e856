"""``make near FILE=…``: run the tests that depend on some files, as found from the imports, the nearest first.

    make near FILE=classifiers/mira.py
    make near FILE='lxmls_day1/grading/running/plan.py docs/reference/threats.md' ARGS='--steps 2 -x'

A test depends on a file if it imports it directly or indirectly, at module level or inside a function. A name that a package imports
on first use counts as an import of its module. A module whose strings name a file, such as a template or a page, depends on it, too, and
so does one that names a folder around it; the folder counts as one more import, and each folder further up as another one. A module that
lists the Python files of its own folder depends on each of them.
"""

import argparse
import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("lxmls_day1", "classifiers", "readers", "tests", "tools")
#: Functions whose arguments are parts of a path.
PATH_FUNCTIONS = ("Path", "PurePosixPath", "with_name", "joinpath", "glob", "rglob")
#: Tests that read the file of each learner through `lxmls_day1.base.learner_list`. Half of all tests import that module indirectly, so
#: its imports do not count.
TESTS_OF_LEARNERS = ("tests.lxmls_day1.base.test_learner_list", "tests.lxmls_day1.figures.test_style")
sys.path.insert(0, str(ROOT))

from lxmls_day1.base.lazy_names import class_texts, read_stub  # sys.path must be set first.


def module_name(path: Path) -> str:
    """Return the dotted name of a file of the repository."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def modules() -> dict[str, Path]:
    """Return the file of each module of the repository."""
    return {module_name(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}


@functools.cache
def lazy_name_targets() -> dict[str, str]:
    """Return the module behind each name that a package imports on first use."""
    found = {
        f"{module_name(stub)}.{name}": f"{place[0]}.{place[1]}"
        for stub in (ROOT / "lxmls_day1").rglob("*.pyi")
        for name, place in read_stub(stub).items()
    }
    for package in ("classifiers", "readers"):
        for path in sorted((ROOT / package).rglob("*.py")):
            found |= {f"{package}.{name}": module_name(path) for name, _ in class_texts(path)}
    return found


def imported_modules(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the modules of the repository that a file imports anywhere, or uses through a package that offers them."""
    packages: dict[str, str] = {}  # name in the file -> package
    names = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
            packages |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    for node in nodes if packages else ():
        if isinstance(node, ast.Attribute) and (package := packages.get(_dotted(node.value))):
            every = [name for name in lazy_name_targets() if name.startswith(f"{package}.")]
            names += every if every and node.attr == "__all__" else [f"{package}.{node.attr}"]
    for name in names:
        if name.startswith(("lxmls_day1.classifiers", "lxmls_day1.readers")):
            name = name.removeprefix("lxmls_day1.")
        name = lazy_name_targets().get(name, name)
        while name and name not in modules():
            name = name.rpartition(".")[0]
        if name:
            yield name


def _dotted(node: ast.AST) -> str:
    """Return the dotted name that an expression is; of another expression only the end, which is no name."""
    attribute = f".{node.attr}" if isinstance(node, ast.Attribute) else ""
    return f"{_dotted(node.value)}{attribute}" if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def named_paths(nodes: list[ast.AST]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a module's strings, and the strings that are parts of paths."""
    words, parts = set(), set()
    for node in nodes:
        some: list[ast.expr] = []
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words |= {word.strip("/") for word in node.value.split()}
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            some = [node.left, node.right]
        elif isinstance(node, ast.Call) and _dotted(node.func).rpartition(".")[2] in PATH_FUNCTIONS:
            some = node.args
        parts |= {one.value for one in some if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return frozenset(words), frozenset(parts)


@functools.cache
def read_module(path: Path) -> tuple[frozenset[str], tuple[frozenset[str], frozenset[str]]]:
    """Return the modules that a file imports, and the paths that it names; see `named_paths`."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return frozenset(imported_modules(nodes)), named_paths(nodes)


def steps_to_name(module: Path, file: str) -> int | None:
    """Return 1 if the strings of a module name a file, one more for each folder up to the one that they name, None if they name none.

    The folders of a file end at its package. A name without a folder in front of it means the file of that name anywhere, but a folder
    only as a part of a path, and a folder of a package only in the modules beside it.
    """
    path, (words, parts) = PurePosixPath(file), read_module(module)[1]
    inside = path.parts[0] in PACKAGES[:3]
    if path.suffix == ".py" and module.parent == ROOT / path.parent and "*.py" in parts:
        return 1  # It lists the files of its own folder, as the list of demonstrations does.
    if modules().get(module_name(ROOT / path)) == ROOT / path:
        places = [path]
    else:
        places = [path, *(up for up in path.parents[:-1] if not (ROOT / up / "__init__.py").is_file())]
    if module.with_suffix("") == (ROOT / path).with_suffix(""):
        return 1  # Its name is that of the module, with another suffix.
    for steps, place in enumerate(places, 1):
        ends = {"/".join(place.parts[-n:]) for n in range(2, len(place.parts) + 1)}
        is_near = steps == 1 or not inside or module.parent == ROOT / place.parent
        if (
            not ends.isdisjoint(words)
            or (is_near and place.name in parts and len(places) > 1)
            or (steps == 1 and place.suffix and place.name in words and len(places) > 1)
        ):
            return steps
    return None


@functools.cache
def importers() -> dict[str, set[str]]:
    """Return the modules that import each module."""
    found: dict[str, set[str]] = {}
    for name, path in modules().items():
        for imported in read_module(path)[0]:
            found.setdefault(imported, set()).add(name)
    return found


def tests_near(files: list[str], steps: int | None) -> dict[Path, int]:
    """Return the test files that depend on some files, with the number of imports between them, the nearest first."""
    at: dict[int, set[str]] = {0: {module_name(ROOT / file) for file in files if file.endswith((".py", ".pyi"))}}
    for name, path in modules().items():
        named = [steps_to_name(path, file) for file in files]
        if any(Path(file).stem == path.stem.removeprefix("test_") and file.endswith(".py") for file in files):
            named.append(1)
        if name in TESTS_OF_LEARNERS and any(file.startswith("classifiers/") for file in files):
            named.append(2)
        if known := [number for number in named if number]:
            at.setdefault(min(known), set()).add(name)
    found: dict[str, int] = {}
    for distance in range(len(modules()) if steps is None else steps + 1):
        level = at.get(distance, set()) - set(found)
        found |= dict.fromkeys(level, distance)
        at.setdefault(distance + 1, set()).update(*(importers().get(name, ()) for name in level))
    return {modules()[name]: n for name, n in found.items() if name.rpartition(".")[2].startswith("test_")}


def main() -> int:
    """Find the tests, print their number at each distance, and run them."""
    parser = argparse.ArgumentParser(
        prog="make near", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="+", help="paths from the root of the repository")
    parser.add_argument(
        "--steps", type=int, help="at most so many imports between a test and a file; default: any number"
    )
    parser.add_argument("--list", action="store_true", help="print the test files and run nothing")
    known, of_pytest = parser.parse_known_args()
    if missing := [file for file in known.files if not (ROOT / file).is_file()]:
        parser.error(f"there is no file {', '.join(missing)} in {ROOT}")
    lonely = [file for file in known.files if not tests_near([file], known.steps)]
    if lonely:
        print(
            f"No test was found that depends on {', '.join(lonely)}: no import, and no string of a module that names it. "
            "Run `make test`, or `make check` for a file that only tools read."
        )
    tests = tests_near(known.files, known.steps)
    counts = {distance: list(tests.values()).count(distance) for distance in sorted(set(tests.values()))}
    shown = ", ".join(f"{n} at {distance} import{'s' * (distance != 1)}" for distance, n in counts.items())
    print(f"{len(tests)} files of tests depend on {', '.join(known.files)}: {shown or 'none'}.", flush=True)
    if known.list or not tests:
        print(*(path.relative_to(ROOT) for path in tests), sep="\n")
        return int(bool(lonely))
    # The doctests of these files run, too, and the cells of notebooks.
    own = [file for file in known.files if file.endswith((".py", ".ipynb")) and not Path(file).match("test_*.py")]
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", *of_pytest]
    return subprocess.run([*command, *own, *map(str, tests)], cwd=ROOT).returncode or bool(lonely)


if __name__ == "__main__":
    sys.exit(main())
