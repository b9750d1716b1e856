"""Functions that refuse to be called for a while, however they were imported.

What is replaced is the code that a function runs, not the name under which somebody finds it. So a reference that was saved before
refuses too, and so does one in another module. This is no wall: code in the same process can get around it.
"""

import contextlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import ModuleSpec
from types import CodeType, FunctionType, ModuleType
from typing import Any


@contextlib.contextmanager
def calls_refused(messages: Mapping[str, str]) -> Iterator[None]:
    """Within this context some functions raise a `RuntimeError` whenever they are called.

    Parameters
    ----------
    messages : mapping of str to str
        The full name of each function, ``package.module.function`` or ``package.module.Class.method``, and what its error says.
        A function whose module is first imported within the context refuses too; a name that leads nowhere is left out.

    Examples
    --------
    >>> import textwrap
    >>> saved = textwrap.dedent
    >>> with calls_refused({"textwrap.dedent": "Take the blanks away yourself."}):
    ...     saved("  a")
    Traceback (most recent call last):
    ...
    RuntimeError: Take the blanks away yourself.
    >>> saved("  a")
    'a'
    """
    refusals = _Refusals(messages)
    sys.meta_path.insert(0, refusals)
    try:
        for name in refusals.modules.keys() & sys.modules.keys():
            refusals.apply(sys.modules[name])
        yield
    finally:
        if refusals in sys.meta_path:
            sys.meta_path.remove(refusals)
        refusals.undo()


class _Refusals:
    """The functions that refuse; and a finder that has those refuse whose modules are imported later."""

    def __init__(self, messages: Mapping[str, str]):
        self._changed: list[tuple[Any, str, Any]] = []
        self.modules: dict[str, list[tuple[list[str], str]]] = {}
        for name, message in messages.items():
            parts = name.split(".")
            for n in range(1, len(parts)):  # which of them are modules is known when these are imported
                self.modules.setdefault(".".join(parts[:n]), []).append((parts[n:], message))

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """What the other finders find, with a loader that calls `apply` in the end."""
        if name not in self.modules:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is None:  # out of sight, as in a sandbox
            raise ModuleNotFoundError(self.message(name), name=name)
        if spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)  # type: ignore[assignment]  # a loader by its methods
        return spec

    def message(self, name: str) -> str:
        """What is said about a module."""
        return self.modules[name][0][1]

    def apply(self, module: ModuleType) -> None:
        """Have the functions of a module refuse."""
        for path, message in self.modules[module.__name__]:
            found: Any = module
            for part in path:
                found = inspect.getattr_static(found, part, None)
            while found is not None:
                self._refuse(found, message)
                found = next(
                    filter(None, (getattr(found, key, None) for key in ("__func__", "__wrapped__", "py_func"))), None
                )

    def _refuse(self, found: Any, message: str) -> None:
        code = compile(f"def refused(*_, **__): raise RuntimeError({message!r})", "<refused>", "exec").co_consts[0]
        assert isinstance(code, CodeType)
        if isinstance(found, FunctionType):
            self._set(found, "__code__", code.replace(co_freevars=found.__code__.co_freevars))
        elif hasattr(found, "cache_clear"):  # what it has found out before must not be had either
            found.cache_clear()
        elif hasattr(found, "py_func"):  # compiled by numba: those that are compiled with it go on using it
            self._set(found, "__class__", type("Refused", (type(found),), {"__call__": FunctionType(code, {})}))

    def _set(self, found: Any, name: str, value: Any) -> None:
        self._changed.append((found, name, getattr(found, name)))
        setattr(found, name, value)

    def undo(self) -> None:
        """Have all of them work again."""
        while self._changed:
            setattr(*self._changed.pop())


class _Loader:
    """Loads a module as its own loader does; then some of its functions refuse."""

    def __init__(self, loader: Any, refusals: _Refusals):
        self._loader, self._refusals = loader, refusals

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to the loader."""
        created: ModuleType | None = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        """Run it, and have its functions refuse."""
        try:
            self._loader.exec_module(module)
        except PermissionError as error:  # as in a sandbox
            raise ImportError(self._refusals.message(module.__name__), name=module.__name__) from error
        self._refusals.apply(module)
