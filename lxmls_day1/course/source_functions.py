"""Find and replace functions in source text, even if the text is not valid Python."""

import ast
import re
from collections.abc import Iterator

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def function_lines(source: str, function: str) -> slice | None:
    """Return the lines of a function, with its decorators, as a slice of ``source.split("\\n")``; None if the function is missing.

    A file that is not valid Python is searched by its indentation.

    Examples
    --------
    >>> function_lines("x = 1\\n@compiled\\ndef rule(s):\\n    return s\\ny = 2", "rule")
    slice(1, 4, None)
    >>> function_lines("def rule(s):\\n    return (s\\ny = 2", "rule")
    slice(0, 2, None)
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return function_lines_by_indent(source.split("\n"), function)
    for node, qualified in definitions(tree):
        if qualified == function and not isinstance(node, ast.ClassDef):
            return slice(first_line(node) - 1, node.end_lineno)
    return None


def function_text(source: str, function: str) -> str:
    """Return the lines of a function that is in a source text, with its decorators."""
    place = function_lines(source, function)
    assert place is not None, f"{function} was found in the same source before"
    return "\n".join(source.split("\n")[place])


def code_lines(source: str, function: str) -> range:
    """Return the line numbers (from 1) of a function's body without its docstring; an empty range if the source is not valid Python.

    Examples
    --------
    >>> code_lines("def rule(s):\\n    'A rule.'\\n    t = s\\n    return t", "rule")
    range(3, 5)
    """
    try:
        nodes = [node for node, name in definitions(ast.parse(source)) if name == function]
    except (SyntaxError, ValueError):
        return range(0)
    if not nodes or not isinstance(nodes[0], (ast.FunctionDef, ast.AsyncFunctionDef)):
        return range(0)
    body = nodes[0].body[ast.get_docstring(nodes[0]) is not None :]
    return range(body[0].lineno, (nodes[0].end_lineno or body[0].lineno) + 1) if body else range(0)


def replace_function(source: str, function: str, replacement: str) -> str | None:
    """Return the source with one function replaced by another version; None if the function is missing.

    The new lines get the line ends and the indentation of the source: "\\r\\n" in a file edited on Windows, and tabs in
    a class that is indented by tabs.
    """
    ends = "\r\n" if "\r\n" in source else "\n"
    lines = source.replace("\r\n", "\n").split("\n")
    place = function_lines("\n".join(lines), function)
    if place is None:
        return None
    new = replacement.split("\n")
    old_indent, indent = indent_of(new[0]), indent_of(lines[place.start])
    lines[place] = [
        indent + line[len(old_indent) :] if line.strip() and line.startswith(old_indent) else line for line in new
    ]
    return ends.join(lines)


def indent_of(line: str) -> str:
    """Return the blanks at the beginning of a line."""
    return line[: len(line) - len(line.lstrip())]


def indented(text: str, indent: str) -> list[str]:
    """Return the lines of a text with an indentation put before each; blank lines become empty."""
    return [indent + line if line.strip() else "" for line in text.split("\n")]


def definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[Definition, str]]:
    """Yield every function and class with its qualified name, an outer one before those inside it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield node, prefix + node.name
            yield from definitions(node, f"{prefix}{node.name}.")
        else:
            yield from definitions(node, prefix)


def first_line(node: ast.stmt | ast.excepthandler) -> int:
    """Return the number of the line at which a statement begins, with its decorators."""
    decorators = node.decorator_list if isinstance(node, Definition) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def function_lines_by_indent(lines: list[str], function: str) -> slice | None:
    """Return the lines of a function in source that is not valid Python: from its ``def`` to the next line that is not indented deeper."""
    begin, end = 0, len(lines)
    *classes, name = function.split(".")
    for keyword, expected_name in [*(("class", c) for c in classes), (r"(?:async\s+)?def", name)]:
        pattern = re.compile(rf"\s*{keyword}\s+{re.escape(expected_name)}\b")
        begin = next((i for i in range(begin, end) if pattern.match(lines[i])), end)
        if begin == end:
            return None
        indent, header_open = len(indent_of(lines[begin])), True
        for i in range(begin + 1, end):
            line = lines[i]
            header_open = header_open and not lines[i - 1].rstrip().endswith(":")
            closes_header = header_open and line.strip().startswith(")")
            if line.strip() and len(indent_of(line)) <= indent and not closes_header:
                end = i
                break
        if keyword == "class":
            begin += 1
    while end > begin + 1 and not lines[end - 1].strip():
        end -= 1
    while begin > 0 and lines[begin - 1].strip().startswith("@"):
        begin -= 1
    return slice(begin, end)
