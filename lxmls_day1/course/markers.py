"""Find the solutions in source text, and replace them with stubs.

A solution is a region of whole lines inside a function. Two comments at the indentation of the region mark it:

    # exercise 1.5: solution (2 lines)
    first line of the solution
    second line of the solution
    # exercise 1.5: end

The markers are read from the tokens, so that a marker in a string does not count. Every fault in a marker raises a `MarkerError` with
its line, because a solution that a typing mistake left in a student's file could not be taken back. All other text stays as it is,
byte for byte.
"""

import ast
import functools
import io
import re
import textwrap
import tokenize
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.source_functions import Definition, definitions, first_line, indented

if TYPE_CHECKING:
    from lxmls_day1.course.registry import Exercise

EXERCISE_ID = r"\d+\.\d+[a-z]?"  # "1.5"; "1.4b" is an additional step of 1.4
MARKER = re.compile(rf"# exercise (?P<id>{EXERCISE_ID}): (?:solution \((?P<count>\d+) lines?\)|(?P<end>end))$")
LIKELY_MARKER = re.compile(
    r"#+[ \t]*exercise\b[ \t]*(?:[\d.][\w.]*)?[ \t]*:?[ \t]*(solution[ \t]*(\(|$)|end[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
STUB_MESSAGE = re.compile(rf"Exercise ({EXERCISE_ID}): ")
STUB_WIDTH = 110
Comment = tokenize.TokenInfo
Stub = tuple[int, str, str | None]  # its line, its exercise, and the function that holds it


class MarkerError(InputError):
    """An invalid marker; the message gives the file, the line and the expected form."""


@dataclass(frozen=True)
class Solution:
    """A marked region: ``lines[first : last]`` between the lines of its markers, if lines are counted from 1."""

    exercise: str
    first: int  # the line of the opening marker
    last: int  # the line of the closing marker
    indent: str
    function: str | None  # "Mira.steps"; None at the top level
    n_lines: int  # number of lines of code, without blank lines and comments


def find_solutions(source: str, name: str = "source", exercises: Collection[str] | None = None) -> list[Solution]:
    """Return the marked solutions of a source text, from top to bottom.

    Parameters
    ----------
    source : str
        The text, with "\\n" for line ends.
    name : str
        The name of the source in error messages.
    exercises : collection of str, optional
        The existing ids; a marker with any other id is an error.

    Raises
    ------
    MarkerError
        If a marker is mistyped, unbalanced, nested, of an unknown exercise, or not indented like its statements; if the
        region does not consist of statements, contains the docstring, or has another number of code lines than its
        marker says; if a function contains solutions of two exercises; or if a source with markers is not valid Python.

    Examples
    --------
    >>> source = '''def double(x):
    ...     # exercise 1.1: solution (1 line)
    ...     return 2 * x
    ...     # exercise 1.1: end
    ... '''
    >>> (solution,) = find_solutions(source)
    >>> solution.exercise, solution.function, solution.first, solution.last
    ('1.1', 'double', 2, 4)
    """
    if not LIKELY_MARKER.search(source):
        return []
    return list(_parse_solutions(source, name, None if exercises is None else tuple(exercises)))


@functools.lru_cache(maxsize=256)  # Many known mistakes are made in the same file.
def _parse_solutions(source: str, name: str, exercises: tuple[str, ...] | None) -> tuple[Solution, ...]:
    try:
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        comments = [token for token in tokens if token.type == tokenize.COMMENT]
        tree = ast.parse(source)
    except (SyntaxError, tokenize.TokenError) as error:
        line = getattr(error, "lineno", None) or (error.args[1][0] if isinstance(error, tokenize.TokenError) else 1)
        raise MarkerError(f"{name}:{line}: this holds solution markers but is not Python: {error.args[0]}") from error
    lines = source.split("\n")
    solutions = [
        _solution(tree, lines, name, opening, closing) for opening, closing in _pairs(comments, lines, name, exercises)
    ]
    owners: dict[str, Solution] = {}
    for solution in solutions:
        other = owners.setdefault(solution.function or "", solution)
        if solution.function and other.exercise != solution.exercise:
            raise MarkerError(
                f"{name}:{solution.first}: {solution.function} holds a solution of exercise {other.exercise} already; "
                "each exercise needs a function of its own"
            )
    return tuple(solutions)


def replace_with_stubs(
    source: str,
    stub_text: Callable[[Solution], str],
    name: str = "source",
    keep: Collection[str] = (),
    exercises: Collection[str] | None = None,
) -> str:
    """Return the source as a student receives it: with a stub in place of every solution, and without markers.

    Parameters
    ----------
    source : str
    stub_text : function from Solution to str
        Return the lines that replace a solution, without indentation; see `stub`.
    name : str
    keep : collection of str
        Exercises whose solutions stay, without their markers.
    exercises : collection of str, optional
        The existing ids, as for `find_solutions`.

    Returns
    -------
    str
        Valid Python; everything outside the regions is unchanged.
    """
    solutions = find_solutions(source, name, exercises)
    lines = source.split("\n")
    for solution in reversed(solutions):
        region = slice(solution.first - 1, solution.last)
        if solution.exercise in keep:
            lines[region] = lines[solution.first : solution.last - 1]
        else:
            lines[region] = indented(stub_text(solution), solution.indent)
    result = "\n".join(lines)
    try:
        if solutions:
            ast.parse(result)
    except SyntaxError as error:
        raise MarkerError(
            f"{name}:{error.lineno}: without the solutions this is a SyntaxError; a solution must be whole statements"
        ) from None
    return result


def remove_markers(source: str, name: str = "source") -> str:
    """Return the source with its solutions, but without the lines that mark them."""
    keep = {solution.exercise for solution in find_solutions(source, name)}
    return replace_with_stubs(source, lambda solution: "", name, keep)


def stub(exercise: str, title: str, task: str, n_lines: int) -> str:
    """Return the lines that replace a solution: the task as a comment, and a `NotImplementedError` that names the exercise.

    Examples
    --------
    >>> print(stub("1.5", "MIRA", "From the scores (K,) make d (K,).", 5))
    # Exercise 1.5: From the scores (K,) make d (K,).
    # The reference takes 5 lines.
    raise NotImplementedError("Exercise 1.5: MIRA; `lxmls-day1 hint 1.5` helps")
    """
    paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", task.strip())]
    paragraphs[0] = f"Exercise {exercise}: {paragraphs[0]}"
    paragraphs.append(f"The reference takes {n_lines} line{'s' * (n_lines != 1)}.")
    comment = []
    for paragraph in paragraphs:
        comment += textwrap.wrap(paragraph, STUB_WIDTH, break_long_words=False, break_on_hyphens=False)
    message = f"Exercise {exercise}: {title}; `lxmls-day1 hint {exercise}` helps"
    message = message.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join([*(f"# {line}" for line in comment), f'raise NotImplementedError("{message}")'])


def remaining_stubs(source: str) -> set[str]:
    """Return the exercises whose stub is still in the source, even below code; empty if the source is not valid Python."""
    return {exercise for _, exercise, _ in _stubs(source)}


def functions_with_exercise(source: str, exercise: str, name: str = "source") -> list[str]:
    """Return the functions that contain solutions of an exercise, from top to bottom; without any solution, those with its stubs."""
    marked = [s.function for s in find_solutions(source, name) if s.exercise == exercise and s.function]
    stubs = (function for _, found, function in _stubs(source) if found == exercise and function)
    return list(dict.fromkeys(marked or stubs))


def _pairs(
    comments: list[Comment], lines: list[str], name: str, exercises: Collection[str] | None
) -> Iterator[tuple[Comment, Comment]]:
    """Yield the opening and the closing comment of each region."""
    opening: Comment | None = None
    id = ""  # of the open region
    for comment in comments:
        line = comment.start[0]
        match = MARKER.fullmatch(comment.string.rstrip())
        if match is None:
            if LIKELY_MARKER.match(comment.string):
                raise MarkerError(
                    f"{name}:{line}: {comment.string!r} looks like a marker; expected '# exercise 1.5: solution (5 lines)' "
                    "or '# exercise 1.5: end'"
                )
            continue
        if lines[line - 1].strip() != comment.string.rstrip():
            raise MarkerError(f"{name}:{line}: a marker needs a line of its own")
        if exercises is not None and match["id"] not in exercises:
            raise MarkerError(f"{name}:{line}: there is no exercise {match['id']} (there are {', '.join(exercises)})")
        if not match["end"]:
            if opening is not None:
                raise MarkerError(f"{name}:{line}: a solution begins inside the one from line {opening.start[0]}")
            opening, id = comment, match["id"]
            continue
        if opening is None:
            raise MarkerError(f"{name}:{line}: a solution ends here, but none has begun")
        if id != match["id"]:
            raise MarkerError(
                f"{name}:{line}: the solution that began in line {opening.start[0]} belongs to another exercise"
            )
        if opening.start[1] != comment.start[1]:
            raise MarkerError(f"{name}:{line}: this marker is not indented like the one in line {opening.start[0]}")
        yield opening, comment
        opening = None
    if opening is not None:
        raise MarkerError(f"{name}:{opening.start[0]}: the solution that begins here has no end")


def _solution(tree: ast.Module, lines: list[str], name: str, opening: Comment, closing: Comment) -> Solution:
    first, last, column = opening.start[0], closing.start[0], opening.start[1]
    match = MARKER.fullmatch(opening.string.rstrip())
    assert match is not None  # `_pairs` has found it
    where = f"{name}:{first}"
    between = lines[first : last - 1]
    code = [n for n, line in enumerate(between, first + 1) if line.strip() and not line.lstrip().startswith("#")]
    if len(code) != int(match["count"]):
        raise MarkerError(f"{where}: the marker says {match['count']} lines, but there are {len(code)} lines of code")
    try:
        body = ast.parse(textwrap.dedent("\n".join(between))).body
    except SyntaxError:
        body = []
    if not body:
        raise MarkerError(f"{where}: the region does not consist of whole statements")
    if len(lines[code[0] - 1]) - len(lines[code[0] - 1].lstrip()) != column:
        raise MarkerError(f"{where}: the markers are not indented like the statements between them")
    function, owner = _innermost_function(tree, first, code[-1])
    if owner is not None and ast.get_docstring(owner) is not None and first < owner.body[0].lineno:
        raise MarkerError(f"{where}: the docstring of {function} belongs before the solution: it stays in the stub")
    return Solution(match["id"], first, last, " " * column, function, len(code))


def _innermost_function(tree: ast.Module, first: int, last: int) -> tuple[str | None, Definition | None]:
    """Return the innermost function around these lines, with its qualified name."""
    functions = [(name, node) for node, name in definitions(tree) if not isinstance(node, ast.ClassDef)]
    around = [own for own in functions if first_line(own[1]) <= first and last <= (own[1].end_lineno or first)]
    return around[-1] if around else (None, None)


@functools.lru_cache(maxsize=256)  # A command asks several times about all files of a workspace.
def _stubs(source: str) -> tuple[Stub, ...]:
    """Return every stub, which is recognised by the message of its error."""
    if "NotImplementedError" not in source:  # Most files have no stub, and parsing all of them takes long.
        return ()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    found = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args):
            continue
        message = node.exc.args[0]
        if isinstance(message, ast.Constant) and isinstance(message.value, str):
            match = STUB_MESSAGE.match(message.value)
            if match and getattr(node.exc.func, "id", None) == "NotImplementedError":
                found.append((node.lineno, match[1], _innermost_function(tree, node.lineno, node.lineno)[0]))
    return tuple(sorted(found, key=lambda stub: stub[0]))


def cell_source(cell: dict[str, Any]) -> str:
    """Return the source of a notebook's cell, which the file holds as a string or as a list of lines."""
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def find_stub(folder: Path, exercise: "Exercise") -> tuple[str, int]:
    """Return the file that still contains the ``raise`` of an exercise's stub, and its line; an empty name if no file does."""
    stubs = ((name, *stub) for name in exercise.files for stub in _stubs_in(folder / name))
    return next(((name, line) for name, line, id, _ in stubs if id in exercise.all_ids), ("", 1))


def stub_functions(folder: Path, exercise: "Exercise") -> tuple[str, ...]:
    """Return the functions and methods of an exercise that still hold the stub, without the names of their classes."""
    stubs = (stub for name in exercise.files for stub in _stubs_in(folder / name))
    found = [function.rpartition(".")[2] for _, id, function in stubs if id in exercise.all_ids and function]
    return tuple(dict.fromkeys(found))


def _stubs_in(path: Path) -> tuple[Stub, ...]:
    """Return the stubs in a file; none if it is missing or cannot be read."""
    try:
        return _stubs(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return ()
