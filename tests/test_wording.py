"""Tests expect messages through tests/wording.toml, so that rewording a message changes no test."""

import ast
import re
import subprocess
from pathlib import Path

from tests.wording import sentences

ROOT = Path(__file__).parents[1]


def python_files(*folders):
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split() if name.endswith(".py") and (ROOT / name).exists()]


def phrases(text):
    """Return all sequences of three words of a text."""
    words = re.findall(r"[^\W\d_]+(?:'[a-z]+)?", re.sub(r"\\(.)", r"\1", text).lower())
    return set(zip(words, words[1:], words[2:], strict=False))


def texts(tree):
    """Yield each text of a module except docstrings; f-strings without the inserted values."""
    nodes = list(ast.walk(tree))
    docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield " ".join(part.value for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


def expected_texts(tree):
    """Yield (line, text) of texts with at least five words in assertions, and of patterns `match=` with at least four."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            parts, least = list(ast.walk(node.test)), 5
        elif isinstance(node, ast.keyword) and node.arg == "match":
            parts, least = list(ast.walk(node.value)), 4
        else:
            continue
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and len(part.value.split()) >= least:
                yield part.lineno, part.value


def test_no_test_repeats_a_message():
    messages = set()
    for path in python_files("lxmls_day1", "classifiers", "readers", "tools"):
        messages |= {phrase for text in texts(ast.parse(path.read_text("utf-8"))) for phrase in phrases(text)}
    spelt_out = [
        f"{path.relative_to(ROOT)}:{line}: {text!r}"
        for path in python_files("tests")
        if "exercises" not in path.parts
        for line, text in expected_texts(ast.parse(path.read_text("utf-8")))
        if text.strip().count("\n") < 2 and phrases(text) & messages
    ]
    assert not spelt_out, "expect these by `wording` of tests/wording.py:\n" + "\n".join(spelt_out)


def test_every_sentence_is_expected_somewhere():
    sources = "".join(path.read_text("utf-8") for path in python_files("tests"))
    assert [key for key in sentences() if f'"{key}"' not in sources] == []
