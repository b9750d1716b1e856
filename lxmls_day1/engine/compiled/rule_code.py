"""An update rule as machine code that makes its answer where the loop has room for it, instead of in new memory for every step.

A rule is a pure function that returns a new array. To get memory for one and to give it back takes as long as all else that a rule
does with few classes. So where its first statement is one of

    d = np.zeros(len(scores))
    d = scores + cost                   (or another sum, difference, product or quotient of scores)
    d = np.exp(scores - scores.max())   (of such a one)

the twin that is compiled has ``d`` in the room behind the scores, with the same numbers in it. Any other rule is compiled as it is.
"""

import ast
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

import numpy as np

_ROOM = "room_behind_the_scores"
_OPERATIONS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}


def in_room(rule: Callable[..., Any], room_behind: Any) -> Any:
    """The twin of a rule, as above; the rule itself where it begins with something else, or its source is not known.

    Parameters
    ----------
    rule : function (scores, …) -> d
    room_behind : function (array) -> the room behind it, of as many numbers

    Examples
    --------
    >>> from lxmls_day1.classifiers.svm import svm_rule
    >>> room = np.empty(2)
    >>> twin = in_room(svm_rule, lambda scores: room)
    >>> twin(np.array([2.5, 2.0]), 0, 1.0, 0.5, np.array([0.0, 1.0])) is room, room
    (True, array([ 0.5, -0.5]))
    """
    if rule.__closure__ or rule.__globals__.get("np") is not np or "len" in rule.__globals__:
        return rule
    try:
        (function,) = ast.parse(textwrap.dedent(inspect.getsource(rule))).body
    except (OSError, TypeError, SyntaxError, ValueError):  # no source, or more than a function: a lambda in its line
        return rule
    if not isinstance(function, ast.FunctionDef) or not function.args.args:
        return rule
    first = 1 if ast.get_docstring(function, clean=False) is not None else 0
    made = [new for old in function.body[first : first + 1] for new in _made_in_room(old, function.args.args[0].arg)]
    if not made:
        return rule
    function.body[first : first + 1] = made
    function.decorator_list, function.returns = [], None
    for argument in function.args.args:
        argument.annotation = None
    ast.increment_lineno(function, rule.__code__.co_firstlineno - 1)
    module = compile(
        ast.fix_missing_locations(ast.Module([function], [])), rule.__code__.co_filename, "exec", dont_inherit=True
    )
    (code,) = (constant for constant in module.co_consts if isinstance(constant, types.CodeType))
    twin = types.FunctionType(code, {**rule.__globals__, _ROOM: room_behind}, rule.__name__, rule.__defaults__)
    twin.__qualname__, twin.__module__ = rule.__qualname__, rule.__module__
    return twin


def _made_in_room(statement: ast.stmt, scores: str) -> list[ast.stmt]:
    """The statements that do in the room what one does in new memory; none if it does something else."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    (target,) = statement.targets
    fill = _filling(statement.value, scores, _ROOM + "_")
    if not isinstance(target, ast.Name) or not fill:
        return []
    room, name = f"{_ROOM}_ = {_ROOM}({scores})", f"{target.id} = {_ROOM}_"
    made = ast.parse("\n".join([room, *fill, name])).body
    for new in made:
        for node in ast.walk(new):
            ast.copy_location(node, statement)
    return made


def _filling(value: ast.expr, scores: str, room: str) -> list[str]:
    """What fills the room with the numbers of an expression."""
    match value:
        case ast.BinOp(ast.Name(name), operation, other) if name == scores and type(operation) in _OPERATIONS:
            return [f"np.{_OPERATIONS[type(operation)]}({scores}, {ast.unparse(other)}, {room})"]
        case ast.Call(ast.Attribute(ast.Name("np"), "exp"), [exponent], []):
            inner = _filling(exponent, scores, room)
            return [*inner, f"np.exp({room}, {room})"] if inner else []
    return [f"{room}[:] = 0.0"] if ast.unparse(value) == f"np.zeros(len({scores}))" else []
