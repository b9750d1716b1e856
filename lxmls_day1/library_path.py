"""Which folders libraries are imported from: neither the current folder nor a lab's.

A student's ``numpy.py`` or ``random.py`` at the top of a workspace must not take the place of the library, neither in
this process nor in one that it starts. So the command line calls `use_library_path` before it imports anything else,
other programs start as `command_of` and `environment` say, and a `Lab` serves its own packages by a finder.

The top-level names ``classifiers`` and ``readers`` belong to whoever has a lab folder, so an installed package does not
take them. It offers the files of the reference lab under names of its own. In a wheel these are files of the package (``hatch_build.py``);
in a checkout `ReferenceFinder` makes them:

>>> from lxmls_day1.classifiers import Mira
>>> Mira.__module__
'lxmls_day1.classifiers.mira'

Only what Python has frozen is imported here: no folder can put another file in its place.
"""

import os
import sys

TYPE_CHECKING = False  # for type checkers: the module `typing` is not frozen
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

PACKAGES = ("readers", "classifiers")
#: Folders of ``classifiers/``, one for each topic beyond the day. Their modules are found without the folder too, as in older labs.
TOPICS = ("domains", "large", "second_order", "solvers", "structured")
#: Packages and modules of this package that older workspaces and programs import -> where they are now.
MOVED = {
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
#: Whether this Python can start another one. In a browser it cannot.
STARTS_PROCESSES = os.name == "nt" or hasattr(os, "posix_spawn")
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
        if moved := MOVED.get(".".join(parts[:n])):
            return ".".join([moved, *parts[n:]])
    return module


def is_lab_folder(folder: str | os.PathLike[str]) -> bool:
    """Whether `folder` holds all that makes a lab; a folder of tests, which mirrors it, has no packages."""
    return all(os.path.isfile(os.path.join(folder, name, "__init__.py")) for name in PACKAGES)


def reference_place() -> str:
    """Where the reference lab stands: inside the installed package, or around it in a checkout."""
    package = os.path.dirname(os.path.realpath(__file__))
    installed = os.path.join(package, "reference_lab")
    return installed if is_lab_folder(installed) else os.path.dirname(package)


def library_path(entries: list[str] | None = None) -> list[str]:
    """A search path without the current folder, relative entries, and folders of a lab.

    Parameters
    ----------
    entries : list of str, optional
        ``sys.path`` unless given.

    Returns
    -------
    list of str
        What is left, in the same order.

    Examples
    --------
    >>> library_path(["", "classifiers/", os.getcwd(), os.path.dirname(os.__file__)]) == [os.path.dirname(os.__file__)]
    True
    """
    return [entry for entry in (sys.path if entries is None else entries) if _may_hold_libraries(entry)]


def use_library_path() -> None:
    """Take the current folder and those of labs off ``sys.path``: for the start of a program that is ours.

    The ``""`` or the folder that ``python -m`` puts there goes, and so does what ``PYTHONPATH`` names by mistake.
    """
    sys.path[:] = library_path()


def command_of(
    module: str, arguments: tuple[str, ...] | list[str] = (), options: tuple[str, ...] | list[str] = ()
) -> list[str]:
    """The command that runs a module as ``python -m`` does, with the libraries and the package of this process.

    Parameters
    ----------
    module : str
    arguments : sequence of str
        Of the program.
    options : sequence of str
        Of Python itself.

    Returns
    -------
    list of str
        For `subprocess`. Neither the folder that it starts in nor ``PYTHONPATH`` nor a ``usercustomize`` counts.
    """
    code = (
        f"import sys; sys.path[:] = [{_package_parent()!r}]; import lxmls_day1; sys.path[:] = {library_path()!r}; "
        f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-P", "-s", *options, "-c", code, *arguments]


def environment(variables: dict[str, str] | None = None) -> dict[str, str]:
    """The environment for a program that starts Pythons of its own, such as JupyterLab its kernels.

    Parameters
    ----------
    variables : dict of str to str, optional
        Those of this process unless given.

    Returns
    -------
    dict of str to str
        With ``PYTHONSAFEPATH``, and with only those entries of ``PYTHONPATH`` that `library_path` leaves.
    """
    variables = dict(os.environ if variables is None else variables)
    variable = variables.pop("PYTHONPATH", "")
    if entries := library_path(variable.split(os.pathsep)):
        variables["PYTHONPATH"] = os.pathsep.join(entries)
    variables["PYTHONSAFEPATH"] = "1"
    return variables


def name_in(lab: str | os.PathLike[str], name: str) -> str:
    """The name under which a lab has a module: with the folder of its topic, or, in an older lab, without one.

    Parameters
    ----------
    lab : path
        Its folder.
    name : str
        With or without the topic: ``"classifiers.crf"``.

    Returns
    -------
    str
        Empty if the lab has no such file.

    Examples
    --------
    >>> name_in(reference_place(), "classifiers.crf"), name_in(reference_place(), "classifiers.my_own")
    ('classifiers.structured.crf', '')
    """
    for other in _names_of(name):
        place = os.path.join(lab, *other.split("."))
        if os.path.isfile(f"{place}.py") or os.path.isfile(os.path.join(place, "__init__.py")):
            return other
    return ""


def file_in(lab: str | os.PathLike[str], path: str) -> str:
    """Where a lab has a file, which other versions may have in another folder; `path` itself if it has none.

    Examples
    --------
    >>> file_in(reference_place(), "classifiers/crf.py"), file_in(reference_place(), "classifiers/my_own.py")
    ('classifiers/structured/crf.py', 'classifiers/my_own.py')
    """
    stem, suffix = os.path.splitext(path)
    found = name_in(lab, stem.replace("/", ".")) if suffix == ".py" else ""
    return found.replace(".", "/") + suffix if found else path


def _names_of(name: str) -> list[str]:
    """The name as it is given, then without and with each topic; of anything else than a module of a lab the name alone."""
    package, *topic, stem = name.rsplit(".", 2) if "." in name else ("", name)
    if package not in PACKAGES or not set(topic) <= set(TOPICS) or stem == "__init__":
        return [name]
    return [name, f"{package}.{stem}", *(f"{package}.{other}.{stem}" for other in TOPICS)]


class ReferenceFinder:
    """Finds ``lxmls_day1.classifiers``, ``lxmls_day1.readers`` and their modules in the reference lab."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        """Nothing for any other module, nor for one that the reference lab does not have."""
        package, *folders = name.split(".")
        if package != _PACKAGE or not folders or folders[0] not in PACKAGES:
            return None
        from importlib.machinery import PathFinder  # needed here only, where the search path is in order

        place = os.path.dirname(os.path.realpath(__file__))
        in_wheel = is_lab_folder(place)  # where these modules are files of the package
        spec = PathFinder.find_spec(name, [os.path.join(place if in_wheel else reference_place(), *folders[:-1])])
        if spec is None or spec.origin is None:
            today = f"{_PACKAGE}.{name_in(reference_place(), '.'.join(folders))}"
            return None if today in (f"{_PACKAGE}.", name) else _alias(name, today)
        if not in_wheel:
            spec.loader = _RenamingLoader(spec.origin)  # type: ignore[assignment]  # a loader by its methods
            spec.cached = None
        return spec


class MovedFinder:
    """Finds modules under the names that they had when older workspaces were made: a student's functions still import them."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        """Nothing for a module that has not moved."""
        package, _, module = name.partition(".")
        today = present_name(module)
        return None if package != _PACKAGE or today == module else _alias(name, f"{_PACKAGE}.{today}", module in MOVED)


def _alias(name: str, today: str, is_package: bool = False) -> "ModuleSpec":
    """How to load a module under another name than it has today."""
    from importlib.machinery import ModuleSpec  # needed here only, where the search path is in order

    return ModuleSpec(name, _AliasLoader(today), is_package=is_package)  # type: ignore[arg-type]  # a loader by its methods


class _AliasLoader:
    """Loads a module that has another name by now: it is the same one."""

    def __init__(self, name: str):
        self._name = name

    def create_module(self, spec: object) -> "ModuleType":
        """The module, imported under its name of today."""
        from importlib import import_module

        module = import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: "ModuleType") -> None:
        """Leave the module as it was: it has been run."""
        module.__spec__ = self._spec


class MissingFinder:
    """Finds a file of the reference lab where a student's lab has none of its name; it comes after all other finders.

    ``from classifiers.crf import CRF`` works in a workspace that has the day's files alone, and so does ``import crf`` where its
    folder ``classifiers`` is on ``sys.path``. The module has the name that it would have in the workspace, and imports the
    workspace's own files: there is one of each. A file of an exercise that the workspace has is never taken from elsewhere.

    What stands in the folder of a topic is found without it as well, and with it where an older workspace has none:
    ``classifiers.crf`` and ``classifiers.structured.crf`` are the same module.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        """Nothing for what is no file of a lab."""
        first, dot, _ = name.partition(".")
        if not dot:
            return self._flat(name)
        file = getattr(sys.modules.get(first), "__file__", None) if first in PACKAGES else None
        if not file:
            return None
        lab = os.path.dirname(os.path.dirname(file))
        today = name_in(lab, name) or name_in(reference_place(), name)
        if today not in ("", name):
            return _alias(name, today)
        return _of_reference(lab, name, name)

    def _flat(self, name: str) -> "ModuleSpec | None":
        for entry in sys.path:
            lab, package = os.path.split(os.path.abspath(entry))
            if package in PACKAGES and is_lab_folder(lab):
                own = name_in(lab, f"{package}.{name}")
                if own:
                    return _found_in(lab, name, own)
                if spec := _of_reference(lab, name, name_in(reference_place(), f"{package}.{name}")):
                    return spec
        return None


def is_taken_from_reference(lab: str, name: str) -> bool:
    """Whether a lab has no file of a module, and may take that of the reference lab.

    Parameters
    ----------
    lab : str
        Its folder.
    name : str
        Of the module: ``"classifiers.crf"``.
    """
    if not any(isinstance(finder, MissingFinder) for finder in sys.meta_path):
        return False
    if name_in(lab, name) or not name_in(reference_place(), name):
        return False
    try:
        with open(os.path.join(lab, "tests", "exercises", "exercises.toml"), encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError):
        return True
    return not any(f'"{other.replace(".", "/")}.py"' in text for other in _names_of(name))


def _of_reference(lab: str, name: str, place: str) -> "ModuleSpec | None":
    """How to load the reference lab's module of this place for a lab that lacks it, under a name."""
    if not place or not is_taken_from_reference(lab, place):
        return None
    spec = _found_in(reference_place(), name, place)
    if spec is not None:
        spec.loader_state = lab
        if spec.submodule_search_locations is not None:  # a topic: its modules are looked for in the lab first
            spec.submodule_search_locations = [os.path.join(lab, *place.split("."))]
    return spec


def _found_in(lab: str, name: str, place: str) -> "ModuleSpec | None":
    from importlib.machinery import PathFinder  # needed here only, where the search path is in order

    return PathFinder.find_spec(name, [os.path.join(lab, *place.split(".")[:-1])])


class _RenamingLoader:
    """Loads a file of a lab as a module of the package, in a checkout.

    The bytecode in ``__pycache__`` has the imports as they were written, and is not used.
    """

    def __init__(self, path: str):
        self._path = path

    def create_module(self, spec: object) -> None:
        """Leave it to Python to make the module."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run the file in its module."""
        with open(self._path, encoding="utf-8") as file:
            code = compile(as_module_of_package(file.read()), self._path, "exec", dont_inherit=True)
        exec(code, vars(module))


def as_module_of_package(text: str) -> str:
    """A file of the reference lab with its imports of ``classifiers`` and ``readers`` renamed, those of its examples included.

    Files of a lab import one another absolutely. Renamed, these imports lead to the reference lab again, and never to another lab.

    Examples
    --------
    >>> as_module_of_package("from classifiers.mira import Mira\\nimport classifiers.mira as mira")
    'from lxmls_day1.classifiers.mira import Mira\\nimport lxmls_day1.classifiers.mira as mira'
    """
    import re  # takes time, and most programs need no module of the reference lab

    packages = "|".join(PACKAGES)
    statement = rf"(?:from (?=(?:{packages})[\w.]* import )|import (?=(?:{packages})[\w.]* as ))"
    return re.sub(rf"^([ \t]*(?:(?:>>>|\.\.\.) )?{statement})", rf"\1{_PACKAGE}.", text, flags=re.MULTILINE)


def _may_hold_libraries(entry: str) -> bool:
    if not os.path.isabs(entry):
        return False
    standard = os.path.dirname(os.__file__)
    if entry in (standard, os.path.join(standard, "lib-dynload")) or os.path.basename(entry) in (
        "site-packages",
        "dist-packages",
    ):
        return True
    try:
        is_current = os.path.samefile(entry, os.curdir)
    except OSError:  # one of them is not there
        is_current = False
    if is_current:
        return False
    parent = os.path.dirname(entry)
    return not any(is_lab_folder(folder) for folder in (entry, parent, os.path.dirname(parent)))


def _package_parent() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
