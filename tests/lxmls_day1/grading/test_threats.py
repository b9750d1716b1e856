"""The table of threats in docs/grading.md names tests that exist."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
GUIDE = Path(__file__).parents[3] / "docs" / "grading.md"


def test_every_threat_names_a_test_that_exists():
    section = GUIDE.read_text(encoding="utf-8").partition("## Threats, and what stops them\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|") and not line.startswith(("| **", "|---"))][1:]
    assert len(rows) >= 40
    for row in rows:
        named = re.search(r"\| `(test_\w+)::(test_\w+)`( [*†‡§])? \|$", row)
        assert named, f"no test is named: {row}"
        folder = TESTS / {None: "grading", " *": "course", " †": "", " ‡": "commands", " §": "box"}[named[3]]
        (path,) = folder.rglob(f"{named[1]}.py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert named[2] in names, f"{named[1]}.py has no {named[2]}"
