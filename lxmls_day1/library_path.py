"""The search path for libraries: neither the current folder nor a lab's folder may be on it.

A student's ``numpy.py`` or ``random.py`` at the top of a workspace must not replace the library, neither in this process nor in the
processes that it starts. So the command line calls `use_library_path` before it imports anything else, other programs are started
with `python_command` and `safe_environment`, and a `Lab` imports its own packages through a finder.

The top-level names ``classifiers`` and ``readers`` belong to the lab folder of the user, so an installed package does not use them.
It offers the files of the reference lab under ``lxmls_day1``. In a wheel these are files of the package (``hatch_build.py``); in a
checkout `ReferenceFinder` creates them:

>>> from lxmls_day1.classifiers import Mira
>>> Mira.__module__
'lxmls_day1.classifiers.mira'

This module imports only modules that are frozen in Python, because no file in a folder can replace those.
"""

import os
import sys

TYPE_CHECKING = False  # Type checkers treat this name specially; the module `typing` is not frozen.
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

PACKAGES = ("readers", "classifiers")
STATE_FILE = ".lab-state.json"  # of a student's lab
#: Folders of ``classifiers/``, one per advanced topic. Their modules are also found without the folder name, as in older labs.
TOPICS = ("domains", "large", "second_order", "solvers", "structured")
#: Old names of packages and modules, which older workspaces and programs import -> their present names.
RENAMED_MODULES = {
    "checks": "base.checks",
    "cluster": "engine.cluster",
    "comparison": "figures.classifier_comparison",
    "compiled": "engine.kernels",
    "course.recorded_answers": "course.diagnosis.answer_shapes",
    "engine.chains": "engine.loops.chains",
    "engine.compiled": "engine.kernels",
    "engine.examples": "engine.loops.checked_data",
    "engine.online_training": "engine.loops.online_training",
    "engine.rows": "engine.loops.rows",
    "engine.streaming": "engine.corpus",
    "engine.text.packed_texts": "engine.models.packed_texts",
    "engine.training": "engine.corpus_training",
    "errors": "base.errors",
    "estimators": "sklearn.estimators",
    "gaussians": "engine.models.gaussians",
    "model_file": "engine.models.model_file",
    "npz_file": "engine.models.npz_file",
    "result_table": "engine.models.result_table",
    "settings": "base.settings",
    "sklearn_adapter": "sklearn.adapter",
    "streaming": "engine.corpus",
    "text": "engine.text",
    "text_table": "base.text_table",
    "tuning": "sklearn.tuning",
}
#: True if this Python can start another process. In a browser it cannot.
CAN_START_PROCESSES = os.name == "nt" or hasattr(os, "posix_spawn")
_PACKAGE = __name__.partition(".")[0]


def present_name(module: str) -> str:
    """Return the present name of a module of this package, which may have moved since an older workspace was made.

    Examples
    --------
    >>> present_name("text.tokens"), present_name("lab")
    ('engine.text.tokens', 'lab')
    """
    parts = module.split(".")
    for n in range(len(parts), 0, -1):
        if moved := RENAMED_MODULES.get(".".join(parts[:n])):
            return ".".join([moved, *parts[n:]])
    return module


def is_lab_folder(folder: str | os.PathLike[str]) -> bool:
    """Return True if `folder` holds both packages of a lab.

    A folder of tests that mirrors a lab has no ``__init__.py`` files, so it is not a lab. A student's lab from which one was deleted
    still has its state, and ``update`` restores the file.
    """
    packages = [os.path.join(folder, name) for name in PACKAGES]
    return all(os.path.isfile(os.path.join(package, "__init__.py")) for package in packages) or (
        os.path.isfile(os.path.join(folder, STATE_FILE)) and all(map(os.path.isdir, packages))
    )


def reference_path() -> str:
    """Return the folder of the reference lab: inside the installed package, or its parent folder in a checkout."""
    package = os.path.dirname(os.path.realpath(__file__))
    installed = os.path.join(package, "reference_lab")
    return installed if is_lab_folder(installed) else os.path.dirname(package)


def library_path(entries: list[str] | None = None) -> list[str]:
    """Return a search path without the current folder, relative entries, and folders of a lab.

    Parameters
    ----------
    entries : list of str, optional
        Default: ``sys.path``.

    Returns
    -------
    list of str
        The remaining entries in the same order.

    Examples
    --------
    >>> library_path(["", "classifiers/", os.getcwd(), os.path.dirname(os.__file__)]) == [os.path.dirname(os.__file__)]
    True
    """
    return [entry for entry in (sys.path if entries is None else entries) if _may_hold_libraries(entry)]


def use_library_path() -> None:
    """Remove the current folder and lab folders from ``sys.path``. Our own programs call this when they start.

    This removes the ``""`` or the folder that ``python -m`` adds, and such folders in ``PYTHONPATH``.
    """
    sys.path[:] = library_path()


def python_command(
    module: str, arguments: tuple[str, ...] | list[str] = (), options: tuple[str, ...] | list[str] = ()
) -> list[str]:
    """Return the command that runs a module like ``python -m``, with the libraries and the package of this process.

    Parameters
    ----------
    module : str
    arguments : sequence of str
        Arguments of the program.
    options : sequence of str
        Options of Python itself.

    Returns
    -------
    list of str
        The command for `subprocess`. It ignores the folder in which it starts, ``PYTHONPATH`` and ``usercustomize``.
    """
    code = (
        f"import sys; sys.path[:] = [{_package_parent()!r}]; import lxmls_day1; sys.path[:] = {library_path()!r}; "
        f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-P", "-s", *options, "-c", code, *arguments]


def safe_environment(variables: dict[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a program that itself starts Python processes, such as JupyterLab, which starts kernels.

    Parameters
    ----------
    variables : dict of str to str, optional
        Default: the environment of this process.

    Returns
    -------
    dict of str to str
        The variables with ``PYTHONSAFEPATH``, and with only those entries of ``PYTHONPATH`` that `library_path` keeps.
    """
    variables = dict(os.environ if variables is None else variables)
    variable = variables.pop("PYTHONPATH", "")
    if entries := library_path(variable.split(os.pathsep)):
        variables["PYTHONPATH"] = os.pathsep.join(entries)
    variables["PYTHONSAFEPATH"] = "1"
    return variables


def module_name_in_lab(lab: str | os.PathLike[str], name: str) -> str:
    """Return the name of a module in a lab: with the folder of its topic, or, in an older lab, without it.

    Parameters
    ----------
    lab : path
        The folder of the lab.
    name : str
        The name with or without the topic: ``"classifiers.crf"``.

    Returns
    -------
    str
        Empty if the lab has no such file.

    Examples
    --------
    >>> module_name_in_lab(reference_path(), "classifiers.crf"), module_name_in_lab(reference_path(), "classifiers.my_own")
    ('classifiers.structured.crf', '')
    """
    for other in _alternative_names(name):
        place = os.path.join(lab, *other.split("."))
        if os.path.isfile(f"{place}.py") or os.path.isfile(os.path.join(place, "__init__.py")):
            return other
    return ""


def find_lab_file(lab: str | os.PathLike[str], path: str) -> str:
    """Return the path of a file in a lab, which may be in another folder in other versions; `path` itself if the lab lacks the file.

    Examples
    --------
    >>> find_lab_file(reference_path(), "classifiers/crf.py"), find_lab_file(reference_path(), "classifiers/my_own.py")
    ('classifiers/structured/crf.py', 'classifiers/my_own.py')
    """
    stem, suffix = os.path.splitext(path)
    found = module_name_in_lab(lab, stem.replace("/", ".")) if suffix == ".py" else ""
    return found.replace(".", "/") + suffix if found else path


def _alternative_names(name: str) -> list[str]:
    """Return all names of a lab's module: `name`, then without a topic, then with each topic. Other names are returned alone."""
    package, *topic, stem = name.rsplit(".", 2) if "." in name else ("", name)
    if package not in PACKAGES or not set(topic) <= set(TOPICS) or stem == "__init__":
        return [name]
    return [name, f"{package}.{stem}", *(f"{package}.{other}.{stem}" for other in TOPICS)]


class ReferenceFinder:
    """A finder for ``lxmls_day1.classifiers``, ``lxmls_day1.readers`` and their modules in the reference lab."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        """Return the spec of a module of the reference lab, or None for any other module."""
        package, *folders = name.split(".")
        if package != _PACKAGE or not folders or folders[0] not in PACKAGES:
            return None
        from importlib.machinery import PathFinder  # Imported late, when the search path is safe.

        place = os.path.dirname(os.path.realpath(__file__))
        in_wheel = is_lab_folder(place)  # In a wheel, these modules are files of the package.
        spec = PathFinder.find_spec(name, [os.path.join(place if in_wheel else reference_path(), *folders[:-1])])
        if spec is None or spec.origin is None:
            today = f"{_PACKAGE}.{module_name_in_lab(reference_path(), '.'.join(folders))}"
            return None if today in (f"{_PACKAGE}.", name) else _alias(name, today)
        if not in_wheel:
            spec.loader = _RenamingLoader(spec.origin)  # type: ignore[assignment]  # a loader by its methods
            spec.cached = None
        return spec


class RenamedModuleFinder:
    """A finder for modules under their old names, which students' functions in older workspaces import."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        """Return the spec of a renamed module, or None if the module has no new name."""
        package, _, module = name.partition(".")
        today = present_name(module)
        if package != _PACKAGE or today == module:
            return None
        return _alias(name, f"{_PACKAGE}.{today}", module in RENAMED_MODULES)


def _alias(name: str, target: str, is_package: bool = False) -> "ModuleSpec":
    """Return a spec that loads a module under another name than its present one."""
    from importlib.machinery import ModuleSpec  # Imported late, when the search path is safe.

    return ModuleSpec(name, _AliasLoader(target), is_package=is_package)  # type: ignore[arg-type]  # a loader by its methods


class _AliasLoader:
    """A loader of a renamed module under its old name, as an alias of the new one."""

    def __init__(self, name: str):
        self._name = name

    def create_module(self, spec: object) -> "ModuleType":
        """Return the module, imported under its present name."""
        from importlib import import_module

        module = import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: "ModuleType") -> None:
        """Do not run the module again; only restore its spec."""
        module.__spec__ = self._spec


class ReferenceFallbackFinder:
    """A finder for files that a student's lab lacks, in the reference lab. It comes after all other finders.

    ``from classifiers.crf import CRF`` works in a workspace that has only the files of the day, and so does ``import crf`` if its folder
    ``classifiers`` is on ``sys.path``. The module gets the name that it would have in the workspace, and imports the workspace's own files,
    so no module exists twice. A file of an exercise of the workspace is never taken from the reference lab.

    A module in the folder of a topic is also found without the topic, and in an older workspace without such a folder also with the topic:
    ``classifiers.crf`` and ``classifiers.structured.crf`` are the same module.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        """Return the spec of a lab module, or None for any other module."""
        first, dot, _ = name.partition(".")
        if not dot:
            return self._flat(name)
        file = getattr(sys.modules.get(first), "__file__", None) if first in PACKAGES else None
        if not file:
            return None
        lab = os.path.dirname(os.path.dirname(file))
        today = module_name_in_lab(lab, name) or module_name_in_lab(reference_path(), name)
        if today not in ("", name):
            return _alias(name, today)
        return _reference_spec(lab, name, name)

    def _flat(self, name: str) -> "ModuleSpec | None":
        for entry in sys.path:
            lab, package = os.path.split(os.path.abspath(entry))
            if package in PACKAGES and is_lab_folder(lab):
                own = module_name_in_lab(lab, f"{package}.{name}")
                if own:
                    return _find_spec_in(lab, name, own)
                if spec := _reference_spec(lab, name, module_name_in_lab(reference_path(), f"{package}.{name}")):
                    return spec
        return None


def uses_reference_file(lab: str, name: str) -> bool:
    """Return True if a lab lacks the file of a module, and may use the file of the reference lab instead.

    Parameters
    ----------
    lab : str
        The folder of the lab.
    name : str
        The name of the module: ``"classifiers.crf"``.
    """
    if module_name_in_lab(lab, name) or not module_name_in_lab(reference_path(), name):
        return False
    try:
        with open(os.path.join(lab, "tests", "exercises", "exercises.toml"), encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError):
        return True
    return not any(f'"{other.replace(".", "/")}.py"' in text for other in _alternative_names(name))


def _reference_spec(lab: str, name: str, module: str) -> "ModuleSpec | None":
    """Return the spec of the reference lab's module `module` for a lab that lacks it, under the name `name`."""
    if not module or not uses_reference_file(lab, module):
        return None
    spec = _find_spec_in(reference_path(), name, module)
    if spec is not None:
        spec.loader_state = lab
        if spec.submodule_search_locations is not None:  # For a topic, search for its modules in the lab first.
            spec.submodule_search_locations = [os.path.join(lab, *module.split("."))]
    return spec


def _find_spec_in(lab: str, name: str, place: str) -> "ModuleSpec | None":
    from importlib.machinery import PathFinder  # Imported late, when the search path is safe.

    return PathFinder.find_spec(name, [os.path.join(lab, *place.split(".")[:-1])])


class _RenamingLoader:
    """A loader of a lab file as a module of the package, in a checkout.

    It does not use the bytecode in ``__pycache__``, which has the original imports.
    """

    def __init__(self, path: str):
        self._path = path

    def create_module(self, spec: object) -> None:
        """Return None, so that Python creates the module."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run the file in its module."""
        with open(self._path, encoding="utf-8") as file:
            code = compile(as_module_of_package(file.read()), self._path, "exec", dont_inherit=True)
        exec(code, vars(module))


def as_module_of_package(text: str) -> str:
    """Rename the imports of ``classifiers`` and ``readers`` in a file of the reference lab, also in its doctests.

    Files of a lab import one another absolutely. Renamed imports always lead to the reference lab, and never to another lab.

    Examples
    --------
    >>> as_module_of_package("from classifiers.mira import Mira\\nimport classifiers.mira as mira")
    'from lxmls_day1.classifiers.mira import Mira\\nimport lxmls_day1.classifiers.mira as mira'
    """
    import re  # Imported here because it takes time, and most programs do not need the reference lab.

    packages = "|".join(PACKAGES)
    statement = rf"(?:from (?=(?:{packages})[\w.]* import )|import (?=(?:{packages})[\w.]* as ))"
    return re.sub(rf"^([ \t]*(?:(?:>>>|\.\.\.) )?{statement})", rf"\1{_PACKAGE}.", text, flags=re.MULTILINE)


def _may_hold_libraries(entry: str) -> bool:
    if not os.path.isabs(entry):
        return False
    standard = os.path.dirname(os.__file__)
    if entry in (standard, os.path.join(standard, "lib-dynload")):
        return True
    if os.path.basename(entry) in ("site-packages", "dist-packages"):
        return True
    try:
        is_current = os.path.samefile(entry, os.curdir)
    except OSError:  # One of the folders does not exist.
        is_current = False
    if is_current:
        return False
    parent = os.path.dirname(entry)
    return not any(is_lab_folder(folder) for folder in (entry, parent, os.path.dirname(parent)))


def _package_parent() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
