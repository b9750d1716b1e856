"""Find submissions whose answers are equal apart from white space, comments and the names of variables.

A fact, not an accusation: ``solve`` gives everyone the same answer. Nothing of a student's is parsed or run; answers are cut into
words and signs, and a worker keeps a digest of these.
"""

import functools
import hashlib
import io
import keyword
import textwrap
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lxmls_day1.grading.gradebook import SubmissionGrade

#: The words and signs that an answer must have beyond what was given out: shorter ones are alike by themselves.
MIN_ANSWER_TOKENS = 40
MAX_FUNCTION_CHARACTERS = 10_000  # some versions of Python take long for a line of many more
_IGNORED = (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER)
_LAYOUT = {tokenize.NEWLINE: "end", tokenize.INDENT: "deeper", tokenize.DEDENT: "back"}
_ASSIGNMENTS = {"=", ":=", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="}
_RAISE = 5  # words and signs of the line that stands in a stub: raise NotImplementedError("…")


@dataclass(frozen=True)
class SameWork:
    """Submissions with equal answers, and the exercises that these answer."""

    rows: tuple[SubmissionGrade, ...]
    exercises: tuple[str, ...]


def same_work(rows: Sequence[SubmissionGrade]) -> list[SameWork]:
    """List the groups of submissions with equal answers, those with the most exercises first.

    Examples
    --------
    >>> rows = [SubmissionGrade(name, name, "", "", (), answered={"1.5": name[0]}) for name in ("ada", "alan", "bob")]
    >>> [([row.student for row in one.rows], one.exercises) for one in same_work(rows)]
    [(['ada', 'alan'], ('1.5',))]
    """
    equal: dict[tuple[str, str], list[SubmissionGrade]] = {}
    for row in rows:
        for exercise, digest in row.answered.items():
            equal.setdefault((exercise, digest), []).append(row)
    groups: dict[tuple[str, ...], tuple[list[SubmissionGrade], list[str]]] = {}
    for (exercise, _), theirs in equal.items():
        if len(theirs) > 1:
            groups.setdefault(tuple(row.student for row in theirs), (theirs, []))[1].append(exercise)
    found = [SameWork(tuple(theirs), tuple(exercises)) for theirs, exercises in groups.values()]
    return sorted(found, key=lambda one: (-len(one.exercises), -len(one.rows)))


def digest_of_answer(functions: Iterable[tuple[str, str]]) -> str:
    """Return a digest of an answer, equal for answers that differ in white space, comments and names of variables only.

    Parameters
    ----------
    functions : iterable of (str, str)
        The functions of an exercise without docstrings, each as it was handed in and as it was given out.

    Returns
    -------
    str
        Empty for an answer that is too short, too long, or cannot be cut into words and signs.

    Examples
    --------
    >>> one, other = ("def f(x):\\n" + f"    {name} = x + 1  # {name}\\n" * 12 + f"    return {name}" for name in ("y", "longer"))
    >>> digest_of_answer([(one, "")]) == digest_of_answer([(other, "")]) != digest_of_answer([(one.replace("1", "2"), "")])
    True
    """
    plain, size = [], 0
    for written, stub in functions:
        if len(written) > MAX_FUNCTION_CHARACTERS:
            return ""
        try:
            tokens = _plain_tokens(written)
        except (tokenize.TokenError, SyntaxError, ValueError, RecursionError, MemoryError):
            return ""
        plain += ["", *tokens]
        size += len(tokens) - _number_of_tokens(stub)
    if size < MIN_ANSWER_TOKENS:
        return ""
    return hashlib.sha256("\n".join(plain).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@functools.lru_cache(maxsize=256)
def _number_of_tokens(stub: str) -> int:
    return max(0, len(_plain_tokens(stub)) - _RAISE) if stub else 0


def _plain_tokens(source: str) -> list[str]:
    """Cut a function into words and signs, with numbers for its variables."""
    text = textwrap.dedent(source) + "\n"
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in _IGNORED]
    variables, kept = _variables(tokens)
    numbers: dict[str, str] = {}
    plain = []
    for n, token in enumerate(tokens):
        if token.type == tokenize.NAME and token.string in variables and n not in kept:
            plain.append(numbers.setdefault(token.string, f"name {len(numbers)}"))
        else:
            plain.append(_LAYOUT.get(token.type, token.string))
    return plain


def _variables(tokens: Sequence[tokenize.TokenInfo]) -> tuple[set[str], set[int]]:
    """Return the names of variables: of parameters, and of what is assigned, looped over or defined.

    Returns
    -------
    names : set of str
    kept : set of int
        The numbers of tokens that are no variable whatever their name: attributes, and names of keyword arguments.
    """
    names: set[str] = set()
    kept: set[int] = set()
    line: list[str] = []  # the names in this statement that an assignment may follow
    head, level = "", 0  # the word that began what stands before a colon or an `in`; how many brackets are open
    for n, token in enumerate(tokens):
        word, before = token.string, tokens[n - 1].string if n else ""
        after = tokens[n + 1].string if n + 1 < len(tokens) else ""
        if token.type == tokenize.OP and word in "([{)]}":
            level += 1 if word in "([{" else -1
        elif token.type == tokenize.NEWLINE:
            line, head = [], ""
        elif word in ("def", "lambda", "for"):
            head = word
        elif (head == "for" and word == "in") or (word == ":" and (head == "lambda" or level == 0)):
            head = ""
        elif word == ":=":
            names.add(before)
        elif word in _ASSIGNMENTS and level == 0:
            names.update(line)
            line = []
        elif token.type == tokenize.NAME and not keyword.iskeyword(word):
            is_parameter = head in ("def", "lambda") and before in ("def", "lambda", "(", ",", "*", "**")
            if before == "." or (after == "=" and level > 0 and not is_parameter):
                kept.add(n)
            elif is_parameter or head == "for" or before == "as":
                names.add(word)
            elif after not in (".", "(", "["):
                line.append(word)
    return names, kept
