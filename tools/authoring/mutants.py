"""Mutants of a solution: the reference with one small change, like a slip of the pen.

The changes: a sign, an index, a number that is off by one, another axis, exchanged operands, a missing term, min for max, another
variable, a missing log, a comparison with or without "equal", a missing statement.
The authors' check tests whether each mutant that behaves unlike the reference matches a known mistake. Students never receive mutants.
"""

import ast
import copy
import textwrap
from collections.abc import Iterator, Sequence

from lxmls_day1.course.markers import Solution, find_solutions
from lxmls_day1.course.source_functions import definitions
from tools.authoring.mistakes import Program

MAX_LOOP_ROUNDS = 10_000  # maximum rounds of one loop of a mutant; no probe input needs a hundredth of this
ENDLESS_LOOP_ERROR = "EndlessLoop"

OTHER_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.Pow: (ast.Mult,),
}
OTHER_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
OTHER_FUNCTIONS = {
    **{"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "minimum": "maximum", "maximum": "minimum"},
    **{"sum": "mean", "mean": "sum", "zeros": "ones", "any": "all"},
}
OMITTED_FUNCTIONS = {"log", "exp", "sqrt", "square", "abs", "copy", "sort", "len", "float"}
INDEX_FUNCTIONS = {"argmin", "argmax"}
MODULES = {"np", "sp", "self"}


def mutants_of(source: str, exercise: str, name: str = "source") -> list[Program]:
    """Return the first-order mutants of an exercise's solution in a file.

    Parameters
    ----------
    source : str
        The reference's file, with its marked solutions.
    exercise : str
    name : str
        The name of the file in error messages.

    Returns
    -------
    list of Program
        Each is the whole solution of one function with one change, which its label describes. All texts differ from one another
        and from the reference. Many mutants may behave like the reference. A loop with more
        than `MAX_LOOP_ROUNDS` rounds raises an error named `EndlessLoop`.

    Examples
    --------
    >>> source = '''def double(x):
    ...     # exercise 1.1: solution (1 line)
    ...     return 2 * x
    ...     # exercise 1.1: end
    ... '''
    >>> [mutant.solution for mutant in mutants_of(source, "1.1")]
    ['return 2 / x', 'return x', 'return 2', 'return 3 * x', 'return 1 * x', 'return -(2 * x)', 'pass']
    """
    found = []
    for solution in find_solutions(source, name):
        if solution.exercise == exercise:
            found += list(_mutants_of_region(source, solution))
    return found


def _mutants_of_region(source: str, solution: Solution) -> Iterator[Program]:
    lines = source.split("\n")[solution.first : solution.last - 1]
    region = ast.parse(textwrap.dedent("\n".join(lines)))
    names = _variables(ast.parse(source), solution)
    seen = {ast.unparse(region)}
    for what, mutated in _variants(region, names):
        text = ast.unparse(ast.fix_missing_locations(mutated))
        if text in seen:
            continue
        seen.add(text)
        bounded = ast.unparse(ast.fix_missing_locations(_LoopLimiter().visit(ast.parse(text))))
        label = f"mutant of {solution.function} in exercise {solution.exercise}: {what}"
        yield Program(label, solution.exercise, solution=bounded, function=solution.function)


class _LoopLimiter(ast.NodeTransformer):
    """A transformer that makes endless ``while`` loops raise an error; other loops end by themselves."""

    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        (count,) = ast.parse(f"for _ in range({MAX_LOOP_ROUNDS}):\n    if not (0):\n        break").body
        assert isinstance(count, ast.For) and isinstance(count.body[0], ast.If)
        assert isinstance(count.body[0].test, ast.UnaryOp)
        count.body[0].test.operand = node.test
        count.body += node.body
        count.orelse = ast.parse(
            f"raise type('{ENDLESS_LOOP_ERROR}', (RuntimeError,), {{}})('the loop does not end')"
        ).body
        return count


def _variants(node: ast.AST, names: Sequence[str]) -> Iterator[tuple[str, ast.AST]]:
    """Yield copies of a tree, each with one change, and a description of the change."""
    if isinstance(node, ast.expr):
        for other in _other_expressions(node, names):
            yield f"{_text(other)} for {_text(node)}", other
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            for what, new in _variants(value, names):
                yield what, _with_field(node, name, new)
        elif isinstance(value, list):
            for i, entry in enumerate(value):
                for what, new in _variants(entry, names) if isinstance(entry, ast.AST) else ():
                    if isinstance(entry, ast.stmt) and not hasattr(entry, "body"):
                        what += f" in {_text(entry)}"
                    yield what, _with_field(node, name, [*value[:i], new, *value[i + 1 :]])
                for statements in _other_statements(entry) if isinstance(entry, ast.stmt) else ():
                    what = f"{'; '.join(map(_text, statements))} for {_text(entry)}"
                    yield what, _with_field(node, name, [*value[:i], *statements, *value[i + 1 :]])


def _text(node: ast.AST) -> str:
    """Return the source of a node in one line."""
    return " ".join(ast.unparse(ast.fix_missing_locations(node)).split())


def _with_field(node: ast.AST, name: str, value: object) -> ast.AST:
    changed = copy.copy(node)
    setattr(changed, name, value)
    return changed


def _other_expressions(node: ast.expr, names: Sequence[str]) -> Iterator[ast.expr]:
    """Yield expressions that a student might write by mistake instead of this one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        for value in (node.value + 1, node.value - 1):
            yield ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from (ast.Name(other, ast.Load()) for other in names if other != node.id)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.BinOp):
        for operator in OTHER_OPERATORS.get(type(node.op), ()):
            yield ast.BinOp(node.left, operator(), node.right)
        if not isinstance(node.op, ast.Add | ast.Mult):
            yield ast.BinOp(node.right, node.op, node.left)
        yield from (node.left, node.right)[:: 1 if isinstance(node.op, ast.Sub | ast.Div | ast.Pow) else -1]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for comparison in OTHER_COMPARISONS.get(type(node.ops[0]), ()):
            yield ast.Compare(node.left, [comparison()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        yield from node.values
    elif isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
        yield type(node)(node.elts[::-1], ast.Load())
    elif isinstance(node, ast.Attribute) and node.attr == "T":
        yield node.value
    elif isinstance(node, ast.Slice):
        yield from _other_slices(node)
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)


def _other_slices(node: ast.Slice) -> Iterator[ast.expr]:
    for name in ("lower", "upper", "step"):
        if getattr(node, name) is not None:
            changed = copy.copy(node)
            setattr(changed, name, None)
            yield changed


def _function_called(node: ast.AST) -> str | None:
    """Return ``log`` for ``np.log(…)``, ``sum`` for ``x.sum()``, and None if the node is not a call."""
    if not isinstance(node, ast.Call):
        return None
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)


def _other_calls(node: ast.Call) -> Iterator[ast.expr]:
    """Yield calls with another function, another axis, or missing or exchanged arguments, or the argument alone."""
    function = _function_called(node)
    if function in OTHER_FUNCTIONS:
        other = OTHER_FUNCTIONS[function]
        func = _with_field(node.func, "attr" if isinstance(node.func, ast.Attribute) else "id", other)
        if isinstance(func, ast.expr):
            yield ast.Call(func, node.args, node.keywords)
    if function in OMITTED_FUNCTIONS:
        if node.args:
            yield node.args[0]
        elif isinstance(node.func, ast.Attribute):
            yield node.func.value
    for i, keyword in enumerate(node.keywords):
        others = node.keywords[:i], node.keywords[i + 1 :]
        yield ast.Call(node.func, node.args, [*others[0], *others[1]])
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg == "axis" and isinstance(value, int):
            axis = ast.keyword("axis", ast.Constant(1 - value))
            yield ast.Call(node.func, node.args, [*others[0], axis, *others[1]])
    if len(node.args) == 2 and function not in OTHER_FUNCTIONS and function != "range":
        yield ast.Call(node.func, node.args[::-1], node.keywords)
    if len(node.args) == 2 and function in ("min", "max", "minimum", "maximum"):
        yield from node.args
    if function in ("range", "len"):
        for operator in (ast.Add, ast.Sub):
            bound = node.args[min(1, len(node.args) - 1)] if function == "range" else node
            moved = ast.BinOp(bound, operator(), ast.Constant(1))
            yield moved if function == "len" else _with_bound(node, moved)


def _with_bound(node: ast.Call, bound: ast.expr) -> ast.Call:
    last = min(1, len(node.args) - 1)
    return ast.Call(node.func, [*node.args[:last], bound, *node.args[last + 1 :]], node.keywords)


def _other_statements(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield statements that a student might write by mistake instead of this one: none, another sign, only its body."""
    if isinstance(node, ast.AugAssign):
        for operator in OTHER_OPERATORS.get(type(node.op), ()):
            yield [ast.AugAssign(node.target, operator(), node.value)]
        yield [ast.Assign([node.target], node.value)]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name | ast.Subscript):
        if not isinstance(node.value, ast.List | ast.Tuple) and _function_called(node.value) not in INDEX_FUNCTIONS:
            yield [_with_value(node, ast.UnaryOp(ast.USub(), node.value))]
        if isinstance(node.targets[0], ast.Subscript):
            yield [ast.AugAssign(node.targets[0], ast.Add(), node.value)]
            yield [ast.AugAssign(node.targets[0], ast.Sub(), node.value)]
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.BinOp):
        yield [_with_value(node, ast.UnaryOp(ast.USub(), node.value))]
    elif isinstance(node, ast.If) and not node.orelse:
        yield node.body
    elif isinstance(node, ast.If):
        yield node.body
        yield node.orelse
    if not isinstance(node, ast.Pass | ast.FunctionDef):
        yield [ast.Pass()]


def _with_value(node: ast.stmt, value: ast.expr) -> ast.stmt:
    changed = _with_field(node, "value", value)
    assert isinstance(changed, ast.stmt)
    return changed


def _variables(tree: ast.Module, solution: Solution) -> list[str]:
    """Return the parameters of the function with the solution, and other names in the solution that are not called."""
    function = next((node for node, name in definitions(tree) if name == solution.function), None)
    if not isinstance(function, ast.FunctionDef):
        return []
    parts = [part for part in ast.walk(function) if solution.first < getattr(part, "lineno", 0) < solution.last]
    names = [argument.arg for argument in function.args.args] + [
        part.id for part in parts if isinstance(part, ast.Name)
    ]
    left_out = MODULES | {_function_called(part) for part in parts}
    return [name for name in dict.fromkeys(names) if name not in left_out]
