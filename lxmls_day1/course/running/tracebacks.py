"""A student's error, with the part of its traceback that is in the student's own files."""

import ast
import builtins
import contextlib
import linecache
import re
import tomllib
import traceback
import warnings
from bdb import BdbQuit
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.lab import PACKAGES, describe_exception, describe_syntax_error, is_within

MAX_FRAMES = 5
MIN_SIMILARITY = 0.7  # two names need this, between 0 and 1: `score` means `scores`, but `softmax` does not mean `max`
#: Sentences of help: the type of an exception, a pattern of its message, and the sentence.
ADVICE = [
    (getattr(builtins, one["type"]), one["pattern"], one["help"])
    for one in tomllib.loads(Path(__file__).with_name("advice.toml").read_text(encoding="utf-8"))["advice"]
]
#: The syntax allowed in an expression whose shape is reported. Calls are excluded, because evaluating them again may have side effects.
SAFE_NODES = (
    ast.Name, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Slice, ast.Tuple, ast.Constant,
    ast.operator, ast.unaryop, ast.expr_context,
)  # fmt: skip


def trimmed_traceback(
    error: BaseException, lab_folder: Path, files: Collection[str] = (), check_file: Path | None = None
) -> str:
    """Return the frames in the student's files, and the error.

    Parameters
    ----------
    error : exception
    lab_folder : Path
    files : collection of str
        The files of the exercise; frames in other files of the lab are shown only if these files have no frames.
    check_file : Path, optional
        Its frame is shown if the student's files have none, because the call failed before it reached them.

    Returns
    -------
    str
        For an `InputError` only its message, which is sufficient.
    """
    if isinstance(error, InputError):
        return "\n".join([str(error), *_marked_line(error.__cause__)])
    if isinstance(error, SyntaxError) and error.filename:
        sentence = f"{_display_path(Path(error.filename), lab_folder)}:{error.lineno}: {describe_syntax_error(error)}"
        return "\n".join([sentence, *_marked_line(error)])
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SystemExit) and frames and Path(frames[-1].filename).name == "pdb.py":
        error = BdbQuit()  # From Python 3.14 on, a debugger without input ends Python.
    linecache.checkcache()
    mine = [f for f in frames if any(_is_file(f.filename, lab_folder / name) for name in files)]
    mine = mine or [f for f in frames if any(is_within(Path(f.filename), lab_folder / name) for name in PACKAGES)]
    mine = mine or [f for f in frames if check_file is not None and _is_file(f.filename, check_file)][-1:]
    lines = [f"… {len(mine) - MAX_FRAMES} more calls"] if len(mine) > MAX_FRAMES else []
    for frame in mine[-MAX_FRAMES:]:
        lines.append(f"{_display_path(Path(frame.filename), lab_folder)}:{frame.lineno}, in {frame.name}")
        if frame.line:
            lines.append(f"    {frame.line}")
    shapes = _shapes_at(mine[-1], error) if mine and isinstance(error, (ValueError, IndexError)) else ""
    return "\n".join([*lines, _described(error), *filter(None, [shapes, advice(error)])])


def _marked_line(error: BaseException | None) -> list[str]:
    """Return the line of a syntax error, and below it a caret at the place."""
    if not isinstance(error, SyntaxError) or not (error.text or "").strip() or "unicode error" in (error.msg or ""):
        return []  # The place of bytes outside UTF-8 is unknown.
    line = (error.text or "").rstrip("\n")
    column = max(0, min(len(line), (error.offset or 1) - 1) - (len(line) - len(line.lstrip())))
    return [f"    {line.strip()}", f"    {' ' * column}^"]


def _described(error: BaseException) -> str:
    """Describe an exception in one line, with the nearest name if one was mistyped."""
    text, known = describe_exception(error), set[str]()
    if isinstance(error, AttributeError):
        known = set(dir(error.obj))
    elif isinstance(error, NameError):
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        known = {name for frame in frames[-1:] for name in (*frame.f_locals, *frame.f_globals, *frame.f_builtins)}
    close = get_close_matches(getattr(error, "name", None) or "", known, 1, MIN_SIMILARITY)
    return f"{text}. Did you mean {close[0]!r}?" if close else text


def advice(error: BaseException) -> str:
    """Return one sentence of help with an exception that is common in exercises; empty if there is none.

    Examples
    --------
    >>> try:
    ...     np.zeros(3)[np.max([1.0, 2.0])]
    ... except IndexError as error:
    ...     print(advice(error))
    An index must be an integer: np.argmax gives the position of the highest value, np.max the value itself.
    >>> advice(ValueError("something else"))
    ''
    """
    text = describe_exception(error)
    return next((help for kind, pattern, help in ADVICE if isinstance(error, kind) and re.search(pattern, text)), "")


def _shapes_at(place: traceback.FrameSummary, error: BaseException) -> str:
    """Return the shapes of the arrays in the failed expression: ``X.T has the shape (3, 5), d (4,).``.

    The arrays are the operands of an operation or the arguments of a call. They are evaluated again in the process in which the student's
    code has run. Errors in this step are ignored.
    """
    found: dict[str, tuple[int, ...]] = {}
    frames = [frame for frame, line in traceback.walk_tb(error.__traceback__) if line == place.lineno]
    frames = [frame for frame in frames if frame.f_code.co_filename == place.filename]
    # The file may have changed, or an array cannot be computed again.
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")  # The warnings were shown when the line ran.
        tree = ast.parse("".join(linecache.getlines(place.filename)))
        for node in _operands(tree, place):
            if all(isinstance(part, SAFE_NODES) for part in ast.walk(node)):
                code = compile(ast.Expression(node), place.filename, "eval")
                value = eval(code, frames[-1].f_globals, frames[-1].f_locals)
                if isinstance(value, np.ndarray):
                    found[ast.unparse(node)] = value.shape
    if not found:
        return ""
    (first, shape), *others = found.items()
    return ", ".join([f"{first} has the shape {shape}", *(f"{text} {its}" for text, its in others)]) + "."


def _operands(tree: ast.AST, place: traceback.FrameSummary) -> Iterator[ast.expr]:
    """Yield the operands or arguments of the expression in which an exception was raised."""
    where = place.lineno, place.end_lineno, place.colno, place.end_colno
    for node in ast.walk(tree):
        names = ("lineno", "end_lineno", "col_offset", "end_col_offset")
        if where != tuple(getattr(node, name, None) for name in names):
            continue
        if isinstance(node, ast.BinOp):
            yield from (node.left, node.right)
        elif isinstance(node, ast.Call):
            yield from [node.func.value] if isinstance(node.func, ast.Attribute) else []
            for argument in node.args:
                yield from argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]


def _is_file(filename: str, path: Path) -> bool:
    return Path(filename).name == path.name and Path(filename).resolve() == path.resolve()


def _display_path(path: Path, folder: Path) -> str:
    for candidate in (path, path.resolve()):
        if candidate.is_relative_to(folder):
            return candidate.relative_to(folder).as_posix()
    return path.name
