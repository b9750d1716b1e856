"""Pairs of submissions that are alike, for a human to compare. Likeness proves nothing.

A student's text for an exercise becomes a row of tokens without names, numbers and comments. Each run of `GRAM` tokens is
hashed, and the smallest of every `WINDOW` hashes in a row is kept. So every passage of ``GRAM + WINDOW − 1`` tokens that two
texts share is found, also if it was moved or its names were changed. The share of two submissions is Dice's coefficient:
twice the number of hashes in both, divided by the sum of the numbers in each.

Short solutions are alike by nature. So the hashes of the given files do not count, nor do hashes that many submissions have;
two submissions are compared only if `LEAST_HASHES` are left of each. Texts that are identical, comments and blanks included,
are stronger evidence. They are listed separately, with the number of others that have the same text, unless they have fewer
than `LEAST_WORDS` words of their own or more than half of all submissions have that text.

Source: S. Schleimer, D. Wilkerson, A. Aiken, Winnowing: local algorithms for document fingerprinting, SIGMOD 2003.
"""

import ast
import builtins
import functools
import keyword
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import blake2b
from itertools import combinations
from pathlib import PurePosixPath

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from lxmls_day1.course.generation import Files
from lxmls_day1.course.markers import functions_of, stubs_left
from lxmls_day1.course.registry import Exercise
from lxmls_day1.course.source_functions import function_lines
from lxmls_day1.grading.gradebook import SubmissionGrade

GRAM, WINDOW = 6, 4
LEAST_HASHES = 8
LEAST_WORDS = 25
MANY, MANY_SHARE = 4, 0.1  # a hash that more submissions than this have, of all that solved the exercise, tells nothing
MOST_SHARE = 0.5  # a text that more than this have, to the letter, was not copied from one another
LONGEST = 60_000  # characters of a file or a cell; what comes after them is not compared
MOST_BRACES = 3000  # in them: Python 3.11 reads an f-string in quadratic time
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, and without a pattern in its bits
MOST_HASHES = 2000  # of one exercise; the smallest, so that two long texts keep the same ones

_TOKEN = re.compile(  # never fails in the middle: a text without an end goes on to that of the line or the file
    r"""(?P<comment>\#[^\n]*)
    |(?P<string>(?:\b[rbfuRBFU]{1,2})?(?:
        \"""(?:[^"\\]|\\.|"(?!""))*+(?:\"""|\\?\Z)
        |'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\\?\Z)
        |"(?:[^"\\\n]|\\.)*+(?:"|(?=\n)|\\?\Z)
        |'(?:[^'\\\n]|\\.)*+(?:'|(?=\n)|\\?\Z)))
    |(?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)
    |(?P<name>[^\W\d]\w*)
    |(?P<operator>\*\*=?|//=?|>>=?|<<=?|->|:=|[-+*/%&|^@=!<>]=|[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)
_KEPT = frozenset(keyword.kwlist) | frozenset(name for name in dir(builtins) if name.islower())


@dataclass(frozen=True)
class Alike:
    """Two submissions that are alike in one exercise.

    Attributes
    ----------
    exercise : str
        ``"1.5"``
    first, second : str
        `SubmissionGrade.student` of both, in alphabetical order.
    share : float
        In [0, 1]: how much of what is left after everything common they share; 1 if they are identical.
    identical : bool
        Whether what they wrote is the same to the letter, comments and blanks included; only line ends may differ.
    others : int
        How many further submissions have that same text.
    """

    exercise: str
    first: str
    second: str
    share: float
    identical: bool
    others: int = 0


def fingerprints(files: Files, given: Files, exercises: Iterable[Exercise]) -> dict[str, tuple[int, ...]]:
    """The numbers by which a submission is compared with others.

    Parameters
    ----------
    files : dict from path to content
        Of the submission.
    given : dict from path to content
        What students were given: `student_files` of the reference lab.
    exercises : iterable of Exercise

    Returns
    -------
    dict from exercise to numbers
        First a hash of the text as it is, then how many tokens and words of comments the student's own lines have, then the
        hashes of the runs. Exercises that are not begun are left out. Every number is less than 2⁴⁸, so that every reader
        of JSON keeps it exactly.

    Examples
    --------
    >>> exercise = Exercise("1.1", "Double", "code", 1, ("classifiers/double.py",), "notebooks/1.ipynb", "", ("", "", ""))
    >>> stub = b"def double(x):\\n    raise NotImplementedError('Exercise 1.1: Double')\\n"
    >>> def lab(content): return {PurePosixPath("classifiers/double.py"): content}
    >>> one = fingerprints(lab(b"def double(x):\\n    y = x + x\\n    return y\\n"), lab(stub), [exercise])
    >>> other = fingerprints(lab(b"def double(a):\\n    b = a + a  # twice\\n    return b\\n"), lab(stub), [exercise])
    >>> one["1.1"][2:] == other["1.1"][2:], one["1.1"][0] == other["1.1"][0]
    (True, False)
    >>> fingerprints(lab(stub), lab(stub), [exercise])
    {}
    """
    found = {}
    for exercise in exercises:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python says about their escape sequences
            try:
                text = "\n".join(written(files, given, exercise))
            except (RecursionError, MemoryError, SystemError):  # expressions that are nested too deeply for the parser
                text = "\n".join(_text_of(files, name) for name in exercise.files)
        if not text.strip():
            continue
        base, known = _base("\n".join(_text_of(given, name) for name in exercise.files))
        hashes = _winnowed(_grams(_tokens(text)[0])) - base
        own, words = _tokens("\n".join(line for line in text.split("\n") if line.strip() not in known))
        found[exercise.id] = (_hash(text), len(own) + words, *sorted(hashes)[:MOST_HASHES])
    return found


def alike(
    rows: Sequence[SubmissionGrade],
    least: float = 0.8,
    at_most: int = 500,
) -> list[Alike]:
    """The pairs of submissions that a human should compare.

    Parameters
    ----------
    rows : sequence of SubmissionGrade
        With `SubmissionGrade.fingerprints` as `fingerprints` makes them.
    least : float in (0, 1]
        The smallest share that is listed.
    at_most : int
        How many pairs; the strongest are kept.

    Returns
    -------
    list of Alike
        First identical texts that few submissions have, then the others by falling share, last identical texts that more
        than `MANY` have.

    Examples
    --------
    >>> def row(student, *numbers): return SubmissionGrade(student, student, "", "", (), fingerprints={"1.5": numbers})
    >>> rows = [row("ada", 1, 90, *range(10)), row("bob", 2, 90, *range(1, 11)), row("eve", 1, 90, *range(10))]
    >>> for pair in alike(rows): print(pair.first, pair.second, pair.share, pair.identical)
    ada eve 1.0 True
    ada bob 0.9 False
    bob eve 0.9 False
    """
    now = _by_exercise({row.student: row.fingerprints for row in sorted(rows, key=lambda row: row.student)})
    found = [pair for exercise, theirs in now.items() for pair in _alike_in(exercise, theirs, least)]
    return sorted(found, key=_strength)[:at_most]


def _by_exercise(prints: Mapping[str, Mapping[str, tuple[int, ...]]]) -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    found: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    for name, theirs in prints.items():
        for exercise, numbers in theirs.items():
            if len(numbers) >= 2:
                found.setdefault(exercise, []).append((name, numbers))
    return found


@dataclass(frozen=True)
class Cluster:
    """Submissions of which each is alike another one in an exercise.

    Attributes
    ----------
    exercise : str
    members : tuple of str
        The names of the submissions, in alphabetical order.
    share : float
        In [0, 1]: the largest `Alike.share` of two of them.
    identical : bool
        Whether all wrote the same to the letter.
    right : tuple of str
        Those who have the exercise right. A wrong answer that several share says more than a right one.
    """

    exercise: str
    members: tuple[str, ...]
    share: float
    identical: bool
    right: tuple[str, ...] = ()


def clusters(pairs: Iterable[Alike], right: Mapping[str, Collection[str]]) -> list[Cluster]:
    """Pairs of alike submissions as groups, one for all that are connected in an exercise; identical texts are groups of their own.

    Parameters
    ----------
    pairs : iterable of Alike
        As from `alike`.
    right : mapping from exercise to names
        The submissions that passed all its checks.

    Returns
    -------
    list of Cluster
        Wrong answers first, then identical texts, then the others by falling share.

    Examples
    --------
    >>> pairs = [Alike("1.5", "ada", "bob", 0.9, False), Alike("1.5", "bob", "eve", 0.8, False), Alike("1.2", "ada", "eve", 1.0, True)]
    >>> [(cluster.exercise, cluster.members, cluster.right) for cluster in clusters(pairs, {"1.2": ["ada", "eve"]})]
    [('1.5', ('ada', 'bob', 'eve'), ()), ('1.2', ('ada', 'eve'), ('ada', 'eve'))]
    """
    found: list[tuple[str, set[str], list[Alike]]] = []
    for pair in pairs:
        both = {pair.first, pair.second}
        joined = [
            one for one in found if one[0] == pair.exercise and one[1] & both and one[2][0].identical == pair.identical
        ]
        found = [one for one in found if one not in joined]
        members = both.union(*(one[1] for one in joined))
        found.append((pair.exercise, members, [pair, *(old for one in joined for old in one[2])]))
    made = [
        Cluster(
            exercise,
            tuple(sorted(members)),
            max(pair.share for pair in theirs),
            theirs[0].identical,
            tuple(sorted(members & set(right.get(exercise, ())))),
        )
        for exercise, members, theirs in found
    ]
    return sorted(made, key=lambda one: (bool(one.right), not one.identical, -one.share, one.exercise, one.members))


def side_by_side(texts: Sequence[str]) -> list[list[tuple[str, bool]]]:
    """The lines of several texts, each with whether it is one that the first text shares with the others, names and numbers aside.

    Parameters
    ----------
    texts : sequence of str

    Returns
    -------
    list of list of (line, is shared)
        One list for each text. Of the first, a line is shared if any other text has it.

    Examples
    --------
    >>> side_by_side(["y = x + x\\nreturn y", "total = a + a  # twice\\nprint(total)"])
    [[('y = x + x', True), ('return y', False)], [('total = a + a  # twice', True), ('print(total)', False)]]
    """
    lines = [text.split("\n") for text in texts]
    tokens = [[tuple(_tokens(line)[0]) for line in its] for its in lines]
    shared: list[set[int]] = [set() for _ in texts]
    for number in range(1, len(texts)):
        for match in SequenceMatcher(None, tokens[0], tokens[number], autojunk=False).get_matching_blocks():
            shared[0].update(range(match.a, match.a + match.size))
            shared[number].update(range(match.b, match.b + match.size))
    return [
        [(line, i in shared[number] and bool(tokens[number][i])) for i, line in enumerate(its)]
        for number, its in enumerate(lines)
    ]


def _strength(pair: Alike) -> tuple[bool, bool, int, float, str, str, str]:
    """The key to sort by: a text that many wrote is the weakest evidence, since it may be the obvious one."""
    is_common = pair.others + 2 > MANY
    return is_common, not pair.identical, pair.others, -pair.share, pair.first, pair.second, pair.exercise


def _alike_in(exercise: str, theirs: list[tuple[str, tuple[int, ...]]], least: float) -> Iterator[Alike]:
    many = max(MANY, MANY_SHARE * len(theirs))
    counts = Counter(number for _, numbers in theirs for number in set(numbers[2:]))
    kept = [{number for number in numbers[2:] if counts[number] <= many} for _, numbers in theirs]
    same: dict[int, list[int]] = {}
    having: dict[int, list[int]] = {}
    for i, (_, (text, *_)) in enumerate(theirs):
        same.setdefault(text, []).append(i)
        if len(kept[i]) >= LEAST_HASHES:
            for number in kept[i]:
                having.setdefault(number, []).append(i)
    identical = set()
    for group in same.values():
        words = theirs[group[0]][1][1]
        is_everybodys = len(group) > max(MANY, MOST_SHARE * len(theirs))
        if len(group) > 1 and not is_everybodys and words >= LEAST_WORDS:
            for pair in combinations(group, 2):
                identical.add(pair)
                yield Alike(exercise, theirs[pair[0]][0], theirs[pair[1]][0], 1.0, True, len(group) - 2)
    shared: Counter[tuple[int, int]] = Counter()
    for having_it in having.values():
        shared.update(combinations(having_it, 2))
    for pair, count in shared.items():
        share = 2 * count / (len(kept[pair[0]]) + len(kept[pair[1]]))
        if share >= least and pair not in identical:
            yield Alike(exercise, theirs[pair[0]][0], theirs[pair[1]][0], share, False)


def written(files: Files, given: Files, exercise: Exercise) -> Iterator[str]:
    """A student's texts for an exercise: the functions that were stubs, and new ones; the whole file if they are not found."""
    for name in exercise.files:
        path = PurePosixPath(name)
        if path not in files:
            continue
        source, stub = _text_of(files, name), _text_of(given, name)
        if source.count("{") > MOST_BRACES:
            yield source
            continue
        wanted = _stub_functions(stub, exercise.id)
        functions = _functions(source)
        searched = {name: functions.get(name) or function_lines(source, name) for name in wanted}
        places = {name: place for name, place in searched.items() if place is not None}
        if not wanted or len(places) < len(searched):
            if source.strip() != stub.strip():
                yield source
            continue
        given_out = _functions(stub)
        places.update((name, place) for name, place in functions.items() if name not in given_out)
        lines = source.split("\n")
        for place in places.values():
            text = "\n".join(lines[place])
            if not _is_stub(text, exercise.id):
                yield text


@functools.lru_cache(maxsize=64)
def _base(given: str) -> tuple[frozenset[int], frozenset[str]]:
    """The hashes and lines of a given file; they are no student's own work."""
    return frozenset(_grams(_tokens(given)[0]).tolist()), frozenset(line.strip() for line in given.split("\n"))


@functools.lru_cache(maxsize=64)
def _stub_functions(given: str, exercise: str) -> tuple[str, ...]:
    return tuple(functions_of(given, exercise)) if given else ()


@functools.lru_cache(maxsize=64)
def _functions(source: str) -> Mapping[str, slice]:
    """The lines of functions and methods, as `function_lines` gives them; empty if the source is not Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found: dict[str, slice] = {}
    for node in tree.body:
        inner = [(f"{node.name}.", part) for part in node.body] if isinstance(node, ast.ClassDef) else [("", node)]
        for prefix, part in inner:
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([part.lineno, *(decorator.lineno for decorator in part.decorator_list)])
                found.setdefault(prefix + part.name, slice(first - 1, part.end_lineno))
    return found


def _is_stub(text: str, exercise: str) -> bool:
    """Whether the exercise is still to be done there; the text of a method may be indented."""
    if "NotImplementedError" not in text:
        return False
    return exercise in stubs_left("class _:\n" + text if text[:1].isspace() else text)


def _text_of(files: Mapping[PurePosixPath, bytes], name: str) -> str:
    """A file's text with "\\n" for line ends, whatever its encoding; empty if it is not there or a notebook."""
    content = files.get(PurePosixPath(name), b"")[:LONGEST] if name.endswith(".py") else b""
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _tokens(source: str) -> tuple[list[str], int]:
    """The tokens of a source, names, texts and numbers each as one, and how many words its comments have.

    Names after a dot stay as they are, since nobody renames ``np.argmax``; so do keywords and builtin functions. A string that
    stands alone, such as a docstring, counts as a comment. Files that are not Python have tokens too.

    Examples
    --------
    >>> _tokens("total = max(x.sum(), 3.5)  # not less")
    (['N', '=', 'max', '(', 'N', '.', 'sum', '(', ')', ',', '0', ')'], 2)
    """
    tokens: list[str] = []
    words = end = 0
    begins_line = True  # whether there was nothing but blanks before this token in its line
    for match in _TOKEN.finditer(source):
        kind, text = match.lastgroup, match[0]
        begins_line = "\n" in source[end : match.start()] or not end
        end = match.end()
        if kind == "comment":
            words += len(text[1:].split())
        elif kind == "string":
            if not begins_line or source[end : end + 1] not in ("\n", ""):
                tokens.append("S")
            else:
                words += len(text.split())
        elif kind == "number":
            tokens.append("0")
        elif kind == "name":
            keep = text in _KEPT or (tokens and tokens[-1] == ".")
            tokens.append(text if keep else "N")
        else:
            tokens.append(text)
    return tokens, words


def _grams(tokens: Sequence[str]) -> np.ndarray:
    """The hashes of all runs of `GRAM` tokens, as polynomials in the tokens' own; of all tokens if there are fewer."""
    hash_of = {token: _hash(token) for token in set(tokens)}
    numbers = np.array([hash_of[token] for token in tokens], dtype=np.uint64)
    n = max(1, len(tokens) - GRAM + 1) if tokens else 0
    hashes = np.zeros(n, dtype=np.uint64)
    for i in range(min(GRAM, len(tokens))):
        hashes = hashes * _BASE + numbers[i : i + n]  # modulo 2⁶⁴
    return hashes >> np.uint64(16)  # the upper bits, which every token has had a say in


def _winnowed(hashes: np.ndarray) -> set[int]:
    """The smallest of every `WINDOW` hashes in a row."""
    if not len(hashes):
        return set()
    return set(sliding_window_view(hashes, min(WINDOW, len(hashes))).min(axis=1).tolist())


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=6).digest(), "big")
