"""``make near FILE=…``: run the tests that depend on some files, as found from the imports, the nearest first.

    make near FILE=classifiers/mira.py
    make near FILE='lxmls_day1/grading/running/plan.py docs/reference/threats.md' ARGS='--steps 2 -x'

A test depends on a file if it imports it directly or indirectly, at module level or inside a function. A name that a package imports
on first use counts as an import of its module. A test file that contains the file's path as a string depends on it, too.
"""

import argparse
import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("lxmls_day1", "classifiers", "readers", "tests", "tools")
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


def imported_modules(path: Path) -> Iterator[str]:
    """Yield the modules of the repository that a file imports anywhere, or uses through a package that offers them."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    packages: dict[str, str] = {}  # name in the file -> package
    names = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
            packages |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    for node in nodes:
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in packages:
            package = packages[ast.unparse(node.value)]
            every = (
                [name for name in lazy_name_targets() if name.startswith(f"{package}.")]
                if node.attr == "__all__"
                else []
            )
            names += every or [f"{package}.{node.attr}"]
    for name in names:
        name = (
            name.removeprefix("lxmls_day1.")
            if name.startswith(("lxmls_day1.classifiers", "lxmls_day1.readers"))
            else name
        )
        name = lazy_name_targets().get(name, name)
        while name and name not in modules():
            name = name.rpartition(".")[0]
        if name:
            yield name


def tests_near(files: list[str], steps: int | None) -> dict[Path, int]:
    """Return the test files that depend on some files, with the number of imports between them, the nearest first."""
    importers: dict[str, set[str]] = {}
    for name, path in modules().items():
        for imported in imported_modules(path):
            importers.setdefault(imported, set()).add(name)
    found: dict[str, int] = {}
    start = {module_name(ROOT / file) for file in files if file.endswith(".py")}
    for name, path in modules().items():
        is_test = path.name.startswith("test_") or path.name == "conftest.py"
        if is_test and any(
            file in path.read_text(encoding="utf-8") or Path(file).stem == path.stem.removeprefix("test_")
            for file in files
        ):
            found[name] = 1
    level, distance = start | set(found), 0
    found |= dict.fromkeys(start, 0)
    while level and (steps is None or distance < steps):
        distance += 1
        level = {name for near in level for name in importers.get(near, ())} - set(found)
        found |= dict.fromkeys(level, distance)
    paths = {modules()[name]: distance for name, distance in found.items() if name in modules()}
    return {path: paths[path] for path in sorted(paths, key=lambda path: paths[path]) if path.name.startswith("test_")}


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
    tests = tests_near(known.files, known.steps)
    counts = {distance: list(tests.values()).count(distance) for distance in sorted(set(tests.values()))}
    shown = ", ".join(f"{n} at {distance} import{'s' * (distance != 1)}" for distance, n in counts.items())
    print(f"{len(tests)} files of tests depend on {', '.join(known.files)}: {shown or 'none'}.", flush=True)
    if known.list or not tests:
        print(*(path.relative_to(ROOT) for path in tests), sep="\n")
        return 0
    own = [
        file for file in known.files if file.endswith(".py") and not Path(file).name.startswith("test_")
    ]  # These files' doctests run, too.
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", *of_pytest]
    return subprocess.run([*command, *own, *map(str, tests)], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
