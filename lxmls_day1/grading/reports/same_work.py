"""Find submissions whose answers are equal except for white space, comments and names of variables.

Equal answers are a fact, not an accusation: ``solve`` gives everyone the same answer. The student's code is neither parsed nor run.
An answer is split into tokens, and a worker saves a digest of them.
"""

import functools
import hashlib
import io
import keyword
import textwrap
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lxmls_day1.base.grouping import grouped
from lxmls_day1.grading.gradebook import SubmissionGrade

#: Minimum number of tokens in addition to the starter code. Shorter answers are often equal by chance.
MIN_ANSWER_TOKENS = 40
MAX_FUNCTION_CHARACTERS = 10_000  # some versions of Python are slow on a longer line
_IGNORED = (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER)
_LAYOUT = {tokenize.NEWLINE: "end", tokenize.INDENT: "deeper", tokenize.DEDENT: "back"}
_ASSIGNMENTS = {"=", ":=", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="}
_STUB_TOKENS = 5  # tokens of the line in a stub: raise NotImplementedError("…")


@dataclass(frozen=True)
class SameWork:
    """Submissions with equal answers, and the exercises of these answers."""

    rows: tuple[SubmissionGrade, ...]
    exercises: tuple[str, ...]


def same_work(rows: Sequence[SubmissionGrade]) -> list[SameWork]:
    """Return the groups of submissions with equal answers, ordered by the number of exercises, largest first.

    Examples
    --------
    >>> rows = [SubmissionGrade(name, name, "", "", (), answered={"1.5": name[0]}) for name in ("ada", "alan", "bob")]
    >>> [([row.student for row in one.rows], one.exercises) for one in same_work(rows)]
    [(['ada', 'alan'], ('1.5',))]
    """
    equal = grouped((answer, row) for row in rows for answer in row.answered.items())
    groups: dict[tuple[str, ...], tuple[list[SubmissionGrade], list[str]]] = {}
    for (exercise, _), theirs in equal.items():
        if len(theirs) > 1:
            groups.setdefault(tuple(row.student for row in theirs), (theirs, []))[1].append(exercise)
    found = [SameWork(tuple(theirs), tuple(exercises)) for theirs, exercises in groups.values()]
    return sorted(found, key=lambda one: (-len(one.exercises), -len(one.rows)))


def digest_of_answer(functions: Iterable[tuple[str, str]]) -> str:
    """Return a digest of an answer. Answers that differ only in white space, comments and names of variables have the same digest.

    Parameters
    ----------
    functions : iterable of (str, str)
        The functions of an exercise without docstrings, each in the submitted and in the starter version.

    Returns
    -------
    str
        Empty for an answer that is too short, too long, or cannot be tokenised.

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
    return max(0, len(_plain_tokens(stub)) - _STUB_TOKENS) if stub else 0


def _plain_tokens(source: str) -> list[str]:
    """Split a function into tokens, with numbers in place of the names of its variables."""
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
    """Return the names of variables: parameters, and names that are assigned, looped over or defined.

    Returns
    -------
    names : set of str
    kept : set of int
        The positions of tokens that are never variables: attributes, and names of keyword arguments.
    """
    names: set[str] = set()
    kept: set[int] = set()
    line: list[str] = []  # names in this statement that become variables if `=` follows
    head, level = "", 0  # the open keyword def, lambda or for; the number of open brackets
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
