"""Names that a package offers and imports only when they are first used. A leaf.

A stub beside the module is the one list of these names. Type checkers and editors read it as usual, and the module reads it when it
is imported::

    # lxmls_day1/lab_api.pyi
    from lxmls_day1.errors import InputError as InputError

    # lxmls_day1/lab_api.py
    __getattr__, __dir__, __all__ = lazy_names(__file__)

So ``from lxmls_day1.lab_api import InputError`` imports `lxmls_day1.errors` and nothing else.
"""

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def read_stub(stub: Path) -> dict[str, tuple[str, str]]:
    """Read which names a stub declares.

    Parameters
    ----------
    stub : Path
        A ``.pyi`` of lines such as ``from package.module import name as name``, and ``other_name = name``.

    Returns
    -------
    dict of str to (str, str)
        Each name, with the module that it is imported from and its name there.
    """
    names: dict[str, tuple[str, str]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Assign):
            names[ast.unparse(node.targets[0])] = names.pop(ast.unparse(node.value))
    return names


def lazy_names(file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Make ``__getattr__``, ``__dir__`` and ``__all__`` of a module from the stub beside it.

    Parameters
    ----------
    file : str
        The module's ``__file__``.

    Examples
    --------
    >>> from lxmls_day1 import lab_api
    >>> lab_api.InputError
    <class 'lxmls_day1.errors.InputError'>
    >>> lab_api.OutputError
    Traceback (most recent call last):
    ...
    AttributeError: lab_api.py has no name 'OutputError'
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
