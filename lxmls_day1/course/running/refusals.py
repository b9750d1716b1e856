"""What answers an exercise cannot be called while the exercise is checked: see ``answered_by`` in ``exercises.toml``.

`answers_refused` replaces the code that a function runs, not the name under which somebody finds it. So a reference that was kept from
before refuses too, and so does one in another module. It tells students at their own check what grading will refuse; it is no wall, since
their code runs in the same process. Boxes of grading cannot import the modules of these functions at all (`refuse_modules`), and in a
sandbox their files are out of reach.
"""

import contextlib
import functools
import inspect
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.machinery import ModuleSpec
from pathlib import PurePosixPath
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from lxmls_day1.course.markers import functions_of
from lxmls_day1.lab import PACKAGES, reference_folder

if TYPE_CHECKING:
    from lxmls_day1.course.registry import Exercise

PACKAGE = __name__.partition(".")[0]
LIBRARY = "sklearn"  # an installed library with the learners of several exercises
INSIDE = (
    "__func__",
    "__wrapped__",
    "py_func",
)  # where a method, a decorated and a compiled function keep what they call


def answers_of(exercise: "Exercise") -> dict[str, str]:
    """The functions that answer an exercise, as ``module:function``, and what each says when it is called.

    They are those that the exercise names, and the reference's solution under its name in this package.
    """
    names = [*exercise.answered_by, *_solutions(exercise.id, exercise.files)]
    message = "{} answers exercise {} and cannot be called while that is checked: write what it does in {}; numpy is all that you need"
    return {name: message.format(name.replace(":", "."), exercise.id, " and ".join(exercise.files)) for name in names}


def modules_with_answers(exercises: Iterable["Exercise"]) -> dict[str, str]:
    """The modules that boxes of grading cannot import, and what is said to who imports them."""
    reference = "{} holds the solutions and cannot be imported while exercises are graded"
    library = "{} holds answers and cannot be imported while exercises are checked; numpy and scipy are there"
    modules = {f"{PACKAGE}.{name}": reference.format(f"{PACKAGE}.{name}") for name in PACKAGES}
    modules[LIBRARY] = library.format(LIBRARY)
    answer = "{} answers exercise {} and cannot be imported while exercises are graded: write what it does in {}"
    for exercise in exercises:
        for name in exercise.answered_by:
            module = name.partition(":")[0]
            modules[module] = answer.format(module, exercise.id, " and ".join(exercise.files))
    return modules


def refuse_modules(modules: Mapping[str, str]) -> None:
    """From now on these modules, imported by nobody yet, cannot be imported in this process: each has its message."""
    sys.meta_path.insert(0, _Finder(modules, (), lambda _: None))


@contextlib.contextmanager
def answers_refused(messages: Mapping[str, str]) -> Iterator[None]:
    """Within this context functions raise a `RuntimeError` when they are called, and scikit-learn cannot be imported.

    Parameters
    ----------
    messages : mapping from ``module:function`` or ``module:Class.method`` to str
        What each says. Functions of a module that is first imported within the context refuse too; others do not have to exist.

    Examples
    --------
    >>> import textwrap
    >>> kept = textwrap.dedent
    >>> with answers_refused({"textwrap:dedent": "Take the blanks away yourself."}):
    ...     kept("  a")
    Traceback (most recent call last):
    ...
    RuntimeError: Take the blanks away yourself.
    >>> kept("  a")
    'a'
    """
    changed: list[tuple[Any, str, Any]] = []
    functions = defaultdict(list)
    for name, message in messages.items():
        module, _, path = name.partition(":")
        functions[module].append((path.split("."), message))

    def change(module: ModuleType) -> None:
        for path, message in functions[module.__name__]:
            found = functools.reduce(lambda owner, part: inspect.getattr_static(owner, part, None), path, module)
            for one in _called_by(found):
                if attribute := _refusing(one, message):
                    changed.append((one, attribute[0], getattr(one, attribute[0])))
                    setattr(one, *attribute)

    finder = _Finder({LIBRARY: modules_with_answers([])[LIBRARY]}, functions, change)
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


def _called_by(found: Any) -> Iterator[Any]:
    """A function, and the functions that it calls by way of decorators."""
    while found is not None:
        yield found
        found = next((inner for key in INSIDE if (inner := getattr(found, key, None)) is not None), None)


def _refusing(found: Any, message: str) -> tuple[str, Any] | None:
    """What to set on a function to have it refuse: an attribute and its value."""
    code = _raising(message)
    if isinstance(found, FunctionType):
        return "__code__", code.replace(co_freevars=found.__code__.co_freevars)
    if hasattr(found, "cache_clear"):  # what it has found out before must not be had either
        found.cache_clear()
    if hasattr(found, "py_func"):  # compiled by numba: what is compiled with it goes on using it
        return "__class__", type("Refused", (type(found),), {"__call__": FunctionType(code, {})})
    return None


@functools.cache
def _raising(message: str) -> CodeType:
    """The code of a function that raises this, whatever it is called with."""
    names: dict[str, Any] = {}
    exec(f"def refused(*_, **__): raise RuntimeError({message!r})", names)
    code: CodeType = names["refused"].__code__
    return code


class _Finder:
    """Comes before the other finders: it refuses some modules, and has a function called with some others after they are loaded."""

    def __init__(self, refused: Mapping[str, str], loaded: Iterable[str], call: Callable[[ModuleType], None]):
        self._refused, self._loaded, self._call = refused, loaded, call

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """What the other finders find."""
        if name in self._refused:  # the name is not told: `from package import module` would pass over the message
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
    """The functions of the reference lab that hold a solution."""
    found: list[str] = []
    for name in files:
        path = reference_folder() / name
        if path.suffix == ".py" and path.is_file():
            module = ".".join((PACKAGE, *PurePosixPath(name).with_suffix("").parts))
            found += [
                f"{module}:{function}" for function in functions_of(path.read_text(encoding="utf-8"), exercise, name)
            ]
    return tuple(found)
