"""A lab is a folder. This module opens a lab and loads its files.

The reference lab, a student's workspace and a submission are folders of the same kind, with ``readers/`` and ``classifiers/`` in them.
Other modules of this package never import those two packages directly; they get a `Lab` and load from it.
"""

import contextlib
import importlib
import inspect
import os
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.machinery import FileFinder, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from lxmls_day1.base.errors import InputError, NotInLab, current_folder, did_you_mean
from lxmls_day1.base.settings import known_settings
from lxmls_day1.library_path import PACKAGES as PACKAGES
from lxmls_day1.library_path import is_lab_folder as is_lab_folder
from lxmls_day1.library_path import library_path, module_name_in_lab, reference_path, uses_reference_file

Calls = Iterable[tuple[Any, ...]]  # the argument tuple of each call
ResultTable = Mapping[Any, Any]  # an entry of an argument -> a tuple of results; or all entries -> the result
#: Function -> for each call, a table of its results and the expected other arguments.
StubbedResults = Mapping[str, Sequence[tuple[ResultTable, Sequence[Any]]]]

STUDENT_MODULE_FOLDERS = (".", "notebooks")  # folders of a lab that may hold a student's own modules
_IMPORT_LOCK = threading.RLock()  # held while importing a lab's modules or changing sys.modules


class Lab:
    """An open lab folder: it gives access to modules, data sets and classifiers by name.

    Parameters
    ----------
    folder : str or path-like
        A folder that holds ``readers/`` and ``classifiers/``.

    Attributes
    ----------
    folder : pathlib.Path
        The absolute path with symbolic links resolved.
    is_explicit : bool
        True if the caller named the folder; False if `open` found it.

    Raises
    ------
    InputError
        If the folder does not exist or lacks one of the two packages.

    Notes
    -----
    Files of a lab import one another absolutely (``from classifiers.online_classifier import OnlineClassifier``), and Python can hold only
    one package named ``classifiers`` at a time. So `load` makes this folder the one in which Python searches for the two packages, and
    removes modules of other labs from ``sys.modules``. Other files of this folder can be imported too, but never replace a library of
    the same name. Files that this folder lacks are imported from the reference lab.

    Objects made by another lab keep working; only a *new* import uses this folder. So two labs can be used in turn in one thread. To
    isolate them completely, use one process for each. Several threads can use one lab.

    Examples
    --------
    >>> Lab.open().load("classifiers.mira").__name__
    'classifiers.mira'
    """

    def __init__(self, folder: str | os.PathLike[str]):
        path = Path(os.path.expanduser(folder))
        self.folder = (path if path.is_absolute() else current_folder() / path).resolve()
        self.is_explicit = True
        if not self.folder.is_dir():
            raise InputError(f"{self.folder} is not a folder; a lab is a folder that holds readers/ and classifiers/.")
        self._loaded: dict[str, ModuleType] = {}
        self.autoreload: Any = None  # in a notebook: the object that reloads edited files (`Autoreload`)
        lacking = [name for name in PACKAGES if not (self.folder / name).is_dir()]
        if lacking:
            raise InputError(
                f"{self.folder} is not a lab: it has no {'/ and no '.join(lacking)}/. "
                "A lab is a folder that holds readers/ and classifiers/."
            )

    def __repr__(self) -> str:
        return f"Lab({str(self.folder)!r})"

    @classmethod
    def open(cls, start: str | os.PathLike[str] | None = None) -> Self:
        """Open the nearest lab folder at or above `start`, or else the reference lab.

        From then on ``from classifiers.mira import Mira`` imports that lab's files.

        Parameters
        ----------
        start : str or path-like, optional
            The folder where the search starts. Default: the current folder.

        Returns
        -------
        Lab
        """
        start = current_folder() if start is None else Path(os.path.expanduser(start)).resolve()
        lab = cls(next(filter(is_lab_folder, (start, *start.parents)), None) or reference_folder())
        lab.is_explicit = False
        lab._take_precedence()
        return lab

    def load(self, name: str) -> ModuleType:
        """Import one module of this lab, even if another module was imported under its name before.

        See the notes of `Lab` for the effects on imports. A module that is already imported from this folder is returned as it is, as
        ``import`` does.

        Parameters
        ----------
        name : str
            The name with its package and without ``.py``: ``"classifiers.mira"``. The folder of a topic is optional: ``"classifiers.crf"``.

        Returns
        -------
        module

        Raises
        ------
        InputError
            If there is no such file (the message names the nearest ones), or if the import fails: a syntax error or any other exception of
            the file is reported with file and line.
        """
        package, _, stem = name.partition(".")
        if package not in PACKAGES or not stem.replace(".", "_").isidentifier():
            raise InputError(f"{name!r} is not a module of a lab; expected a name such as 'classifiers.mira'.")
        known, requested = self._loaded.get(name), name
        if known is not None and known is sys.modules.get(known.__name__) and _finder().folder == str(self.folder):
            return known  # No other lab was used since then; skipping the search makes thousands of calls fast.
        name = module_name_in_lab(self.folder, name) or module_name_in_lab(reference_path(), name) or name
        path = self.folder.joinpath(*name.split(".")).with_suffix(".py")
        if not self.folder.is_dir():
            raise InputError(f"the lab's folder {self.folder} is gone; put it back, or open a lab that is there")
        if not uses_reference_file(str(self.folder), name):
            self._require_module(name, path)
        try:
            with _IMPORT_LOCK:
                self._take_precedence()
                module = importlib.import_module(name)
                # Something other than an import put this module into sys.modules.
                if not self._owns_module(name, module):
                    self._remove_modules(own=False)
                    module = importlib.import_module(name)
        except SyntaxError as error:
            where = Path(error.filename or path)
            raise InputError(f"{self._source_location(where, error.lineno)}: {describe_syntax_error(error)}") from error
        except (Exception, SystemExit) as error:
            where, line = self._last_line_in_lab(error, path)
            of_ours = isinstance(error, ImportError) and (error.name or "").startswith("lxmls_day1.")
            remedy = "; if this file is from another version of lxmls-day1, `lxmls-day1 update` replaces it" * of_ours
            raise InputError(
                f"{self._source_location(where, line)}: importing this file ends with {describe_exception(error)}{remedy}"
            ) from error
        if not self._owns_module(name, module):
            raise InputError(f"{name} was found in {module.__file__} rather than in {self.folder}.")
        self._loaded[requested] = module
        return module

    def forget(self) -> None:
        """Remove the modules of this folder from ``sys.modules``, so that the next import reads the files again.

        Objects made by the removed modules keep working.
        """
        with _IMPORT_LOCK:
            self._remove_modules(own=True)
            importlib.invalidate_caches()

    def classifier(self, module: str, class_name: str, **settings: Any) -> Any:
        """Make a classifier of this lab: ``lab.classifier("mira", "Mira", regularizer=0.5)``.

        Parameters
        ----------
        module : str
            The file in ``classifiers/``, without ``.py``.
        class_name : str
        **settings
            The keyword arguments of the class.

        Returns
        -------
        object

        Raises
        ------
        InputError
            If the file, its class or a setting does not exist; the message names the nearest ones.

        Examples
        --------
        >>> Lab.open().classifier("mira", "Mira", regularizer=0.5).regularizer
        0.5
        """
        return self._make_object("classifiers", module, class_name, settings)

    def reader(self, module: str, class_name: str, **settings: Any) -> Any:
        """Make a data set of this lab: ``lab.reader("simple_data_set", "SimpleDataSet", nr_examples=100)``.

        Parameters, return value and errors are those of `classifier`, for files in ``readers/``.
        """
        return self._make_object("readers", module, class_name, settings)

    def function(self, module: str, name: str, *arguments: Any, **settings: Any) -> Any:
        """Call a function of this lab: ``lab.function("mira", "mira_rule", scores, label, sq_norm, step, cost)``.

        Parameters
        ----------
        module : str
            The file in ``classifiers/``, without ``.py``; ``"readers.vocabulary"`` is a file in ``readers/``.
        name : str
        *arguments, **settings
            The arguments of the call.

        Returns
        -------
        The return value of the function.

        Raises
        ------
        InputError
            If the file, or the function in it, does not exist.

        Examples
        --------
        >>> Lab.open().function("mira", "mira_rule", [-1.0, 2.0], 0, 5.0, 0.25, [0.0, 1.0])
        array([ 0.25, -0.25])
        """
        return self._function(module, name)(*arguments, **settings)

    def each(
        self, module: str, name: str, calls: Calls, first_as: str = "", given: StubbedResults | None = None
    ) -> list[Any]:
        """Call a function of this lab several times: ``lab.each("mira", "mira_rule", [(scores, label, …), …])``.

        Parameters
        ----------
        module, name : str
            As for `function`.
        calls : iterable of tuple
            The arguments of each call.
        first_as : str, optional
            A class of the same file. The first argument of each call is then a tuple of constructor arguments, and the function
            receives the object made from them.
        given : mapping from function to tables, optional
            Results that replace those of other functions of the same file during the calls. For each call it has a table and a
            sequence of arguments. The table maps each entry of the function's first argument to its results. Alternatively, it maps the
            tuple of all entries to the return value. The sequence has the expected further arguments; None matches any value. Calls
            that do not match are passed to the real function.

        Returns
        -------
        list
            The return values of the calls, in their order.

        Raises
        ------
        InputError
            As `function` does.

        Examples
        --------
        >>> Lab.open().each("mira", "mira_rule", [([-1.0, 2.0], 0, 5.0, cap, [0.0, 1.0]) for cap in (0.25, 0.5)])
        [array([ 0.25, -0.25]), array([ 0.4, -0.4])]
        >>> import numpy as np
        >>> parts = [[1.0, 0.0], [0.0, 2.0]], [[0.0, -9.0], [0.0, 0.0]], [0.0, 0.0], [0.0, 0.0]
        >>> Lab.open().each("viterbi", "path_score", [(tuple(map(np.array, parts)), [1, 1])], first_as="ChainScores")
        [2.0]
        """
        function = self._function(module, name)
        if given is not None:
            names, found = vars(self._file(module)), []
            for number, arguments in enumerate(calls):
                own = {other: names[other] for other in given if other in names}
                names.update({other: _table_lookup(*given[other][number], own[other]) for other in own})
                try:
                    found.append(function(*arguments))
                finally:
                    names.update(own)
            return found
        if not first_as:
            return [function(*arguments) for arguments in calls]
        make = self._function(module, first_as)
        return [function(make(*parts), *others) for parts, *others in calls]

    def each_made(
        self, module: str, class_name: str, method: str, calls: Calls, attributes: Sequence[str] = ()
    ) -> list[list[Any]]:
        """Make a classifier for each call, and call its method: ``lab.each_made("mira", "Mira", "train", [(settings, X, y), …])``.

        Parameters
        ----------
        module, class_name : str
            As for `classifier`.
        method : str
        calls : iterable of (settings, argument, …)
            The settings (a dict) of each classifier, and the arguments of its method.
        attributes : sequence of str
            The attributes of each classifier to return after the call.

        Returns
        -------
        list of lists
            For each call the return value of the method, followed by the attributes.

        Raises
        ------
        InputError
            As `classifier` does.

        Examples
        --------
        >>> calls = [({"nr_rounds": rounds}, [[-1.0], [2.0]], [0, 1]) for rounds in (1, 2)]
        >>> [classes for _, classes in Lab.open().each_made("mira", "Mira", "train", calls, ["classes"])]
        [array([0, 1]), array([0, 1])]
        """
        found = []
        for settings, *arguments in calls:
            made = self.classifier(module, class_name, **settings)
            returned = getattr(made, method)(*arguments)
            found.append([returned, *(getattr(made, attribute) for attribute in attributes)])
        return found

    def _file(self, module: str) -> ModuleType:
        return self.load(module if module.partition(".")[0] in PACKAGES else f"classifiers.{module}")

    def _function(self, module: str, name: str) -> Any:
        loaded = self._file(module)
        found = getattr(loaded, name, None)
        if not callable(found):
            functions = [key for key, value in vars(loaded).items() if inspect.isfunction(value)]
            where = loaded.__name__.replace(".", "/")
            raise NotInLab(f"{where}.py has no function {name}{did_you_mean(name, functions)}")
        return found

    def _make_object(self, package: str, module: str, class_name: str, settings: dict[str, Any]) -> Any:
        loaded = self.load(f"{package}.{module}")
        found = getattr(loaded, class_name, None)
        where = f"{loaded.__name__.replace('.', '/')}.py"
        if not inspect.isclass(found):
            classes = [name for name, value in vars(loaded).items() if inspect.isclass(value)]
            raise NotInLab(f"{where} has no class {class_name}{did_you_mean(class_name, classes)}")
        try:
            return found(**settings)
        except TypeError as failure:
            signature, known = inspect.signature(found), known_settings(found)
            unknown = next((name for name in settings if name not in known and repr(name) in str(failure)), None)
            if unknown is not None:
                close = did_you_mean(unknown, known)
                raise InputError(f"{class_name} in {where} has no setting {unknown!r}{close}") from None
            try:
                signature.bind(**settings)
            except TypeError as error:
                raise InputError(f"{class_name} in {where}: {error}; it takes {signature}.") from error
            raise  # The arguments fit, so the error comes from inside the class.

    def _require_module(self, name: str, path: Path) -> None:
        """Raise an error unless the module and the package's ``__init__.py`` exist; without that, another folder's package would win."""
        package = name.partition(".")[0]
        if not module_name_in_lab(self.folder, name):
            stems = [file.stem for file in (self.folder / package).rglob("*.py") if file.stem != "__init__"]
            close = did_you_mean(path.stem, stems, suffix=".py")
            raise NotInLab(f"{self.folder} has no {self._source_location(path)}{close}")
        if not (self.folder / package / "__init__.py").is_file():
            raise InputError(f"{self.folder / package} has no __init__.py; make an empty file of that name there.")

    def _take_precedence(self) -> None:
        """Make this folder the one in which Python searches for ``readers`` and ``classifiers``."""
        own = [str(self.folder / name) for name in STUDENT_MODULE_FOLDERS]
        with _IMPORT_LOCK:
            finder = _finder()
            came_before, finder.folder = finder.folder == own[0], own[0]
            if sys.path[-len(own) :] != own:  # The lab's folders and the current folder come after the libraries.
                current = [entry for entry in sys.path if not entry]
                sys.path[:] = [*(entry for entry in sys.path if entry and entry not in own), *current[:1], *own]
            if not came_before:
                self._remove_modules(own=False)
            # A file of the lab may be new, so clear its caches; those of libraries stay.
            for place, cache in list(sys.path_importer_cache.items()):
                if isinstance(cache, FileFinder) and place.startswith(own[0]):
                    cache.invalidate_caches()

    def _remove_modules(self, own: bool) -> None:
        """Remove the modules of this lab, or those of other labs, from ``sys.modules``."""
        for name in _loaded_lab_modules():
            if self._owns_module(name, sys.modules[name]) is own:
                del sys.modules[name]

    def _owns_module(self, name: str, module: ModuleType) -> bool:
        """Return True if `module`, imported as `name`, is a file of this lab, or a reference file that was loaded for this lab."""
        origin = getattr(module, "__file__", None)
        taken_for = getattr(getattr(module, "__spec__", None), "loader_state", None)
        if isinstance(taken_for, str):
            return Path(taken_for).resolve() == self.folder and uses_reference_file(str(self.folder), name)
        package = self.folder / name.partition(".")[0]
        return origin is not None and is_within(Path(origin), package)

    def _source_location(self, path: Path, line: int | None = None) -> str:
        """Return a location such as ``classifiers/mira.py:12``, relative to the lab if the file is in it."""
        shown = path.relative_to(self.folder) if path.is_relative_to(self.folder) else path
        return shown.as_posix() if line is None else f"{shown.as_posix()}:{line}"

    def _last_line_in_lab(self, error: BaseException, default: Path) -> tuple[Path, int | None]:
        """Return file and line of the innermost frame of the traceback that is in a file of this lab."""
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            path = Path(frame.filename)
            if path.is_absolute() and any(is_within(path, self.folder / package) for package in PACKAGES):
                return path, frame.lineno
        return default, None


def _table_lookup(table: ResultTable, expected_arguments: Sequence[Any], fallback: Any) -> Any:
    """Return a function that looks its results up in `table`, by all entries or entry by entry of its first argument.

    If the other arguments differ from `expected_arguments`, or the table lacks an entry, it calls `fallback` instead.
    """
    import numpy as np

    def function(*arguments: Any, **named: Any) -> Any:
        try:
            bound = inspect.signature(fallback).bind(*arguments, **named)
            bound.apply_defaults()
            first, *others = bound.args
            entries = tuple(np.ravel(first).tolist())
            same = [it is None or np.array_equal(its, it) for its, it in zip(others, expected_arguments, strict=False)]
            same_others = len(same) == len(expected_arguments) and all(same)
            is_known = same_others and (entries in table or table.keys() >= set(entries))
        except (TypeError, ValueError):  # The function has no signature, or the arguments are wrong.
            is_known = False
        if not is_known:
            return fallback(*arguments, **named)
        if entries in table:
            return np.array(table[entries])
        return tuple(np.array(part).reshape(np.shape(first)) for part in zip(*map(table.get, entries), strict=True))

    return function


@contextlib.contextmanager
def isolated_imports(folder: Path) -> Iterator[None]:
    """Hide all modules of labs, as a context manager: inside, only libraries can be imported; afterwards, all imports are restored.

    Parameters
    ----------
    folder : Path
        The lab that will be opened inside. Modules that were imported from its files under other names are hidden, too.

    Examples
    --------
    >>> folder = reference_folder()
    >>> mira = Lab.open(folder).load("classifiers.mira")
    >>> with isolated_imports(folder):
    ...     "classifiers.mira" in sys.modules
    False
    >>> sys.modules["classifiers.mira"] is mira
    True
    """
    finder = _finder()
    with _IMPORT_LOCK:
        inside, path = finder.folder, sys.path[:]
        modules = {name: sys.modules.pop(name) for name in _lab_modules(folder)}
        sys.path[:] = library_path()
    try:
        yield
    finally:
        with _IMPORT_LOCK:
            for name in _lab_modules(folder):
                del sys.modules[name]
            sys.modules.update(modules)
            sys.path[:], finder.folder = path, inside
            importlib.invalidate_caches()


def delete_bytecode(lab_folder: Path) -> None:
    """Delete the cached bytecode of a lab's files.

    Python detects outdated bytecode by the size and the modification second of the source, and two versions of an exercise are sometimes
    saved within one second.
    """
    for package in PACKAGES:
        for path in (lab_folder / package).glob("**/__pycache__/*.pyc"):
            with contextlib.suppress(OSError):
                path.unlink()


def _lab_modules(folder: Path) -> list[str]:
    """Return the names of loaded modules that belong to any lab by their names, or to this lab by their files."""
    places = tuple(f"{folder / package}{os.sep}" for package in PACKAGES)
    files = [(name, str(getattr(module, "__file__", ""))) for name, module in list(sys.modules.items())]
    by_file = [name for name, file in files if file.startswith(places)]
    return [*dict.fromkeys([*_loaded_lab_modules(), *by_file])]


def _loaded_lab_modules() -> list[str]:
    """Return the names of all loaded modules that are a package of a lab or inside one."""
    if not any(package in sys.modules for package in PACKAGES):
        return []  # A module cannot be loaded without its package. Scanning a thousand names would take longer than a check.
    return [name for name in list(sys.modules) if name.startswith(PACKAGES) and name.partition(".")[0] in PACKAGES]


class _LabFinder:
    """A finder for ``readers`` and ``classifiers`` in the folder of the most recently used lab, while it is on ``sys.path``."""

    folder: str | None = None

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in PACKAGES or self.folder is None or self.folder not in sys.path:
            return None
        return PathFinder.find_spec(name, [self.folder])


def _finder() -> _LabFinder:
    """Return the `_LabFinder` of this process; install it as the first finder if there is none yet."""
    for finder in sys.meta_path:
        if isinstance(finder, _LabFinder):
            return finder
    first = _LabFinder()
    sys.meta_path.insert(0, first)
    return first


def is_within(path: Path, folder: Path) -> bool:
    """Return True if `path` is below `folder`, either as spelled or after resolving symbolic links.

    Examples
    --------
    >>> is_within(Path("my-lab/readers/mine.py"), Path("my-lab")), is_within(Path("elsewhere.py"), Path("my-lab").resolve())
    (True, False)
    """
    return folder in path.parents or path.resolve().is_relative_to(folder)


def reference_folder() -> Path:
    """Return the folder of the reference lab: inside the installed package, or its parent folder in a checkout.

    Examples
    --------
    >>> (reference_folder() / "classifiers" / "mira.py").is_file()
    True
    """
    return Path(reference_path())


def describe_syntax_error(error: SyntaxError | ValueError) -> str:
    """Return the sentence about a file that Python cannot compile; an encoding other than UTF-8 is a common cause.

    Examples
    --------
    >>> describe_syntax_error(SyntaxError("'(' was never closed"))
    "SyntaxError: '(' was never closed."
    >>> describe_syntax_error(SyntaxError("source code string cannot contain null bytes"))
    'this is not text in UTF-8; save the file as UTF-8.'
    """
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    if isinstance(error, UnicodeError) or any(sign in message for sign in ("null byte", "unicode error", "Non-UTF-8")):
        return "this is not text in UTF-8; save the file as UTF-8."
    return f"SyntaxError: {message}{'' if message.endswith('?') else '.'}"


def describe_exception(error: BaseException) -> str:
    """Describe an exception in one line: ``NameError: name 'np' is not defined``.

    Examples
    --------
    >>> describe_exception(ValueError("one line,\\nand another")), describe_exception(KeyboardInterrupt())
    ('ValueError: one line, and another', 'KeyboardInterrupt')
    """
    try:
        text = " ".join(str(error).split())
    except Exception as other:  # in the class of a student
        text = f"its text cannot be made ({type(other).__name__})"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
