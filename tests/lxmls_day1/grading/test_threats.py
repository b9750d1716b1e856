"""The table of threats in docs/reference/threats.md names tests that exist."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "threats.md"


def test_every_threat_names_a_test_that_exists():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("|") and not line.startswith(("| **", "|---"))][1:]
    assert len(rows) >= 40
    for row in rows:
        named = re.search(r"\| `(test_\w+)::(test_\w+)`( [*†‡§])? \|$", row)
        assert named, f"no test is named: {row}"
        folder = TESTS / {None: "grading", " *": "course", " †": "", " ‡": "commands", " §": "box"}[named[3]]
        (path,) = folder.rglob(f"{named[1]}.py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert named[2] in names, f"{named[1]}.py has no {named[2]}"
