"""Plain English in docstrings and comments: phrases that readers had to read twice do not come back."""

import ast
import io
import re
import tokenize

from tests.test_wording import ROOT, python_files

#: A name, a pattern of a sentence, and what to write instead. Matches can be good English, so a few are allowed for.
PHRASES = (
    ("question word", r"^(What|Whatever|Where|Whoever|Whose|Who|How|Why|Which)\b(?!.*\?)", "name the thing"),
    ("bare genitive", r"^(Of|of|Those|That of|The ones?)\b", "say of what: a noun comes first"),
    (
        "reporting verb",
        r"\b(?:is|are|was|were|been|be) (?:\w+ly |also |not |so )?(?:told|said|asked|meant|put down|spoken of)\b",
        "programs return, raise, print or report",
    ),
    ("negated noun", r"(?<!there )\b(?:is|are|was|were) (?:no|none)\b(?! longer| more)", "is not a; an invalid"),
    ("quantity", r"\bso (?:many|often|few|long as)\b|\bas many as\b", "name the quantity"),
    (
        "stand",
        r"\b(?:stands?|stood) (?:in|for|at|on|by|under|behind|beside|there|below|above|before)\b",
        "is in; is next to",
    ),
    ("where", r"\bwhere (?:it|they|that|this|there|one|nothing|none|no|an?|the|its|both|all|some|any)\b", "if; when"),
    (
        "old adverb",
        r"\b(?:anew|once more|beforehand|at hand|by now|of today|of before|meanwhile|besides)\b",
        "again; in advance",
    ),
    ("nobody", r"\b(?:nobody|somebody|whoever|whomever)\b", "name the student, the instructor or the command"),
    (
        "home-made term",
        r"\b(?:truth value|whole number|superuser|processor time|name spaces?|on the clock|by hand)\b",
        "see below",
    ),
)
INSTEAD = "Boolean, integer, root, CPU time, namespace, wall-clock, manual"
MAX_MATCHES = 105
FOLDERS = ("readers", "classifiers", "lxmls_day1", "tests", "tools", "docs")


def prose(source):
    """(line, sentence) of the docstrings of a module, without examples and sections, and of its comments."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (ast.get_docstring(node) or "").splitlines()
            text = "\n".join(line for line in lines if not re.match(r"\s*(>>>|\.\.\.|\||---|===|\$\$)", line))
            for block in re.split(r"\n\s*\n", text):
                for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`*])", " ".join(block.split())):
                    yield getattr(node, "lineno", 1), sentence
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#: ")


def test_phrases_that_are_read_twice_do_not_come_back():
    found = []
    for path in python_files(*FOLDERS):
        for line, sentence in prose(path.read_text("utf-8")):
            for name, pattern, advice in PHRASES if len(sentence.split()) > 2 else ():
                if re.search(pattern, sentence):
                    found.append(f"{path.relative_to(ROOT)}:{line}: {name} ({advice}): {sentence[:120]}")
    assert len(found) <= MAX_MATCHES, f"more than {MAX_MATCHES}; instead: {INSTEAD}\n" + "\n".join(sorted(found))


def test_docstrings_name_functions_and_classes_that_exist():
    code = "\n".join(path.read_text("utf-8") for path in python_files("readers", "classifiers", "lxmls_day1", "tools"))
    named = re.findall(r":(?:func|class|meth):`~?(?:\w+\.)*(\w+)`", code)
    assert len(named) > 100
    assert set(named) <= set(re.findall(r"^ *(?:def|class) (\w+)", code, re.MULTILINE))
