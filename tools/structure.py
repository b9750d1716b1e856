"""``python tools/structure.py``: print the parts of a package, the imports between them, import cycles, and the longest signatures.

    python tools/structure.py lxmls_day1 lxmls_day1/course lxmls_day1/grading

A part is a module or package at the top level of the package. Several imports between the same two parts count once.
"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MIN_PARAMETERS = 8  # parameters


def imports_between(package: Path) -> dict[str, set[str]]:
    """Return the parts of a package, each with the parts that it imports."""
    base = ".".join(package.relative_to(ROOT).parts)
    parts = {
        path.name.removesuffix(".py") for path in package.iterdir() if path.suffix == ".py" or list(path.glob("*.py"))
    }
    found: dict[str, set[str]] = {part: set() for part in parts - {"__init__"}}
    for path in package.rglob("*.py"):
        own = path.relative_to(package).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if own in found else ():
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{base}."):
                names = [f"{node.module}.{alias.name}"[len(base) + 1 :].partition(".")[0] for alias in node.names]
                found[own] |= {name for name in names if name in found} - {own}
    return found


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return all parts that a part imports directly or indirectly."""
    seen, todo = set(), [start]
    while todo:
        new = graph[todo.pop()] - seen
        seen |= new
        todo += new
    return seen


def long_signatures() -> list[tuple[int, str]]:
    """Return the functions outside compiled kernels with at least `MIN_PARAMETERS` parameters, the longest first."""
    found = []
    for package in ("lxmls_day1", "readers", "classifiers"):
        for path in (ROOT / package).rglob("*.py"):
            if "kernels" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                    count = len([each for each in arguments if each.arg not in ("self", "cls")])
                    if count >= MIN_PARAMETERS:
                        found.append((count, f"{path.relative_to(ROOT)}:{node.name}"))
    return sorted(found, reverse=True)


def main(packages: list[str]) -> None:
    """Print the counts."""
    for name in packages or ["lxmls_day1", "lxmls_day1/engine", "lxmls_day1/course", "lxmls_day1/grading"]:
        graph = imports_between(ROOT / name)
        circles = defaultdict(list)
        for part, imported in graph.items():
            for other in imported:
                if part in reachable(graph, other):
                    circles[part].append(other)
        print(
            f"{name}: {len(graph)} parts, {sum(map(len, graph.values()))} imports between them, circles: {dict(circles) or 'none'}"
        )
    signatures = long_signatures()
    print(f"functions with {MIN_PARAMETERS} or more parameters, compiled kernels apart: {len(signatures)}")
    for count, place in signatures:
        print(f"  {count:3} {place}")


if __name__ == "__main__":
    main(sys.argv[1:])
