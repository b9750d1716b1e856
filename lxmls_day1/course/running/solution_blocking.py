"""Block calls of functions that solve an exercise while it is checked: see ``answered_by`` in ``exercises.toml``.

`block_solutions` replaces the code of a function, not a name that refers to it. So the function is blocked even if a reference to it was
saved earlier, or exists in another module. This shows students at their own check what grading will refuse. It is not a security barrier,
because the student's code runs in the same process. Boxes of grading cannot import the modules of these functions at all
(`block_modules`), and in a sandbox the files of these modules are inaccessible.
"""

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.machinery import ModuleSpec
from pathlib import PurePosixPath
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, cast

from lxmls_day1.base.grouping import grouped
from lxmls_day1.course.markers import functions_with_exercise
from lxmls_day1.lab import PACKAGES, reference_folder

if TYPE_CHECKING:
    from lxmls_day1.course.registry import Exercise

PACKAGE = __name__.partition(".")[0]
BLOCKED_LIBRARY = "sklearn"  # an installed library that solves several exercises
# Attributes of a method, a decorated and a compiled function with the function that they call.
WRAPPED_ATTRIBUTES = ("__func__", "__wrapped__", "py_func")


def functions_to_block(exercise: "Exercise") -> dict[str, str]:
    """Return the functions that solve an exercise, as ``module:function``, each with the message of its error.

    They are the functions in the exercise's list ``answered_by``, and the solutions in this package's own copy of the exercise's files.
    """
    names = [*exercise.answered_by, *_solutions(exercise.id, exercise.files)]
    message = "{} answers exercise {} and cannot be called while that is checked: write what it does in {}; numpy is all that you need"
    return {name: message.format(name.replace(":", "."), exercise.id, " and ".join(exercise.files)) for name in names}


def solution_modules(exercises: Iterable["Exercise"]) -> dict[str, str]:
    """Return the modules that a box of grading cannot import, each with the message of the error."""
    reference = "{} holds the solutions and cannot be imported while exercises are graded"
    library = "{} holds answers and cannot be imported while exercises are checked; numpy is all that you need"
    modules = {f"{PACKAGE}.{name}": reference.format(f"{PACKAGE}.{name}") for name in PACKAGES}
    modules[BLOCKED_LIBRARY] = library.format(BLOCKED_LIBRARY)
    answer = "{} answers exercise {} and cannot be imported while exercises are graded: write what it does in {}"
    for exercise in exercises:
        for name in exercise.answered_by:
            module = name.partition(":")[0]
            modules[module] = answer.format(module, exercise.id, " and ".join(exercise.files))
    return modules


def block_modules(modules: Mapping[str, str]) -> None:
    """Block the import of these modules in this process from now on; each has its own message. They must not be imported yet."""
    sys.meta_path.insert(0, _BlockingFinder(modules, (), lambda _: None))


@contextlib.contextmanager
def block_solutions(messages: Mapping[str, str]) -> Iterator[None]:
    """Block functions within this context: they raise a `RuntimeError` when called. Importing scikit-learn is blocked, too.

    Parameters
    ----------
    messages : mapping from ``module:function`` or ``module:Class.method`` to str
        The message of each. A function in a module that is first imported within the context is blocked, too. It need not exist.

    Examples
    --------
    >>> import textwrap
    >>> kept = textwrap.dedent
    >>> with block_solutions({"textwrap:dedent": "Take the blanks away yourself."}):
    ...     kept("  a")
    Traceback (most recent call last):
    ...
    RuntimeError: Take the blanks away yourself.
    >>> kept("  a")
    'a'
    """
    changed: list[tuple[Any, str, Any]] = []
    places = ((*name.partition(":"), message) for name, message in messages.items())
    functions = grouped((module, (path.split("."), message)) for module, _, path, message in places)

    def change(module: ModuleType) -> None:
        for path, message in functions[module.__name__]:
            found = functools.reduce(lambda owner, part: inspect.getattr_static(owner, part, None), path, module)
            for one in _wrapped_functions(found):
                if attribute := _blocking_attribute(one, message):
                    changed.append((one, attribute[0], getattr(one, attribute[0])))
                    setattr(one, *attribute)

    finder = _BlockingFinder({BLOCKED_LIBRARY: solution_modules([])[BLOCKED_LIBRARY]}, functions, change)
    sys.meta_path.insert(0, finder)
    try:
        for name in functions.keys() & sys.modules.keys():
            change(sys.modules[name])
        yield
    finally:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)
        while changed:
            setattr(*changed.pop())


def _wrapped_functions(found: Any) -> Iterator[Any]:
    """Yield a function, and the functions that it wraps."""
    while found is not None:
        yield found
        found = next((inner for key in WRAPPED_ATTRIBUTES if (inner := getattr(found, key, None)) is not None), None)


def _blocking_attribute(found: Any, message: str) -> tuple[str, Any] | None:
    """Return the attribute of a function, and the value to set, so that it raises an error when called."""
    code = _raising_code(message)
    if isinstance(found, FunctionType):
        return "__code__", code.replace(co_freevars=found.__code__.co_freevars)
    if hasattr(found, "cache_clear"):  # Cached results must not be available either.
        found.cache_clear()
    if hasattr(found, "py_func"):  # compiled by numba; functions that were compiled with it still use it
        return "__class__", type("Refused", (type(found),), {"__call__": FunctionType(code, {})})
    return None


@functools.cache
def _raising_code(message: str) -> CodeType:
    """Return the code of a function that raises this error for any arguments."""
    names: dict[str, Any] = {}
    exec(f"def refused(*_, **__): raise RuntimeError({message!r})", names)
    return cast(CodeType, names["refused"].__code__)


class _BlockingFinder:
    """A finder at the front of ``sys.meta_path``. It blocks the modules `refused`, and calls a function with each of the modules `loaded`
    once that module is imported.
    """

    def __init__(self, refused: Mapping[str, str], loaded: Iterable[str], call: Callable[[ModuleType], None]):
        self._refused, self._loaded, self._call = refused, loaded, call

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec that the other finders return; raise an error for a blocked module."""
        if name in self._refused:  # with a name, `from package import module` would hide the message
            raise ModuleNotFoundError(self._refused[name])
        if name not in self._loaded:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_call(module: ModuleType) -> None:
                run(module)
                self._call(module)

            spec.loader.exec_module = run_and_call  # type: ignore[method-assign]
        return spec


@functools.cache
def _solutions(exercise: str, files: tuple[str, ...]) -> tuple[str, ...]:
    """Return the functions of the reference lab that contain a solution."""
    found: list[str] = []
    for name in files:
        path = reference_folder() / name
        if path.suffix == ".py" and path.is_file():
            module = ".".join((PACKAGE, *PurePosixPath(name).with_suffix("").parts))
            functions = functions_with_exercise(path.read_text(encoding="utf-8"), exercise, name)
            found += [f"{module}:{function}" for function in functions]
    return tuple(found)
