"""Names that a package imports on first use, and class listings without importing the file. A leaf module.

The stub beside the module is the only list of these names. Type checkers and editors read the stub as usual, and the module reads it
when it is imported::

    # lxmls_day1/lab_api.pyi
    from lxmls_day1.base.errors import InputError as InputError

    # lxmls_day1/lab_api.py
    __getattr__, __dir__, __all__ = lazy_names(__file__)

So ``from lxmls_day1.lab_api import InputError`` imports `lxmls_day1.base.errors` and nothing else.
"""

import ast
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path


def read_stub(stub: Path) -> dict[str, tuple[str, str]]:
    """Read the names that a stub declares.

    Parameters
    ----------
    stub : Path
        A ``.pyi`` file of lines such as ``from package.module import name as name`` and ``other_name = name``.

    Returns
    -------
    dict of str to (str, str)
        For each name, the module that defines it and its name in that module.
    """
    names: dict[str, tuple[str, str]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Assign):
            names[ast.unparse(node.targets[0])] = names.pop(ast.unparse(node.value))
    return names


def lazy_names(file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Make ``__getattr__``, ``__dir__`` and ``__all__`` of a module from its stub.

    Parameters
    ----------
    file : str
        The module's ``__file__``.

    Examples
    --------
    >>> from lxmls_day1 import lab_api
    >>> lab_api.InputError
    <class 'lxmls_day1.base.errors.InputError'>
    >>> lab_api.Missing
    Traceback (most recent call last):
    ...
    AttributeError: lab_api.py has no name 'Missing'
    """
    path = Path(file)
    names = read_stub(path.with_suffix(".pyi"))
    short = path.parent.name if path.stem == "__init__" else path.name

    def getattr_lazily(name: str) -> object:
        if name not in names:
            raise AttributeError(f"{short} has no name {name!r}")
        module, attribute = names[name]
        value = getattr(import_module(module), attribute, None)
        return import_module(f"{module}.{attribute}") if value is None else value

    return getattr_lazily, lambda: sorted(names), sorted(names)


def class_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the source text of each class in a file, without importing the file."""
    try:
        source = path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # An unreadable file has no classes to list; importing it reports the reason.
        return
    for text in re.split(r"^(?=class \w)", source, flags=re.MULTILINE)[1:]:
        text = re.split(r"^(?=\S)", text, maxsplit=2, flags=re.MULTILINE)[1]
        yield text.removeprefix("class ").partition(":")[0].partition("(")[0], text


def class_values(text: str, *names: str) -> dict[str, object]:
    """Return the values of class attributes that the source text sets to literals.

    Examples
    --------
    >>> class_values("class Coin:\\n    name, sides = 'coin', 2\\n    title = 'A coin'", "title")
    {'title': 'A coin'}
    """
    (node,) = ast.parse(text).body
    statements = node.body if isinstance(node, ast.ClassDef) else []
    assigned = {ast.unparse(each.targets[0]): each.value for each in statements if isinstance(each, ast.Assign)}
    return {name: ast.literal_eval(assigned[name]) for name in names if name in assigned}
