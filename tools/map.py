"""``make map``: print the purpose of each module of the project, the first line of its docstring.

make map
make map ARGS='lxmls_day1/grading classifiers'
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def first_line(path: Path) -> str:
    """Return the first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def main(folders: list[str]) -> int:
    """Print the modules of some folders with their first lines. Return 1 if a module has no docstring."""
    lacking = []
    for folder in folders or ["readers", "classifiers", "lxmls_day1", "tools"]:
        for path in sorted(
            (ROOT / folder).rglob("*.py"), key=lambda path: (path.parent, path.name != "__init__.py", path.name)
        ):
            name, line = path.relative_to(ROOT), first_line(path)
            if path.name == "__init__.py":
                print(f"\n{name.parent}/  {line}")
            else:
                print(f"    {path.name:28} {line}")
            lacking += [] if line or not path.stat().st_size else [str(name)]
    if lacking:
        print(f"without a docstring: {', '.join(lacking)}", file=sys.stderr)
    return bool(lacking)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
