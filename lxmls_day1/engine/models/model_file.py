"""Trained classifiers as files: class name, attributes, parameters and names in the format of `npz_file`.

Loading never executes code from the file. The file only names the class of the classifier; the caller passes a function
to `load_model` that returns the class. `class_finder` creates such a function for the classes of a lab.
"""

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from lxmls_day1.base.checks import as_list, check_finite_params, format_label
from lxmls_day1.base.errors import InputError, pluralize
from lxmls_day1.base.settings import known_settings, required_settings
from lxmls_day1.engine.models.npz_file import NotStorable, check_storable, read_file, write_file
from lxmls_day1.library_path import TOPICS

KIND = "linear classifier"
ROOT_CLASS = "LinearClassifier"
_CLASS_STATEMENT = re.compile(r"^class (\w+)(?:\(([^)]*)\))?:", re.MULTILINE)

FindClass = Callable[[str, str], type]


class SavedModel(NamedTuple):
    """The content of a model file: everything needed to predict, and the names of features and labels.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> mira = Lab.open().classifier("mira", "Mira")
    >>> model = SavedModel(mira, np.zeros((3, 2)), ["dull", "fine"], ["bad", "good"], {"corpus": "films"})
    >>> model.class_names
    ['bad', 'good']
    """

    classifier: Any
    """The classifier, with its classes, hyper-parameters and other learned attributes."""
    params: np.ndarray
    """(J + 1, K), or (2J + 1, K) for a quadratic classifier."""
    feature_names: list[str] | None
    """Name of each of the J columns."""
    label_names: list[str] | None
    """Names of the labels 0, 1, …"""
    notes: dict[str, Any]
    """Additional values that the caller saved."""

    @property
    def class_names(self) -> list[str]:
        """The names of the K classes, in the order of the columns of ``params``."""
        return class_names(self.classifier.classes, self.params.shape[1], self.label_names)


def save_model(
    path: str | os.PathLike[str],
    classifier: Any,
    params: ArrayLike,
    feature_names: Iterable[str] | None = None,
    label_names: Iterable[str] | None = None,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Save a classifier and its parameters.

    Parameters
    ----------
    path : path
        Used unchanged; the usual extension is ``.npz``.
    classifier : classifier
        Its attributes are saved, except training records such as a history of named tuples. A hyper-parameter of a
        type that cannot be saved (a function, a random generator) is omitted with a warning and has its default value
        after loading; predictions do not depend on it.
    params : array (J + 1, K), or (2J + 1, K) for a quadratic classifier
    feature_names : J different str, optional
        Without feature names the loaded model can predict from vectors, but not from text.
    label_names : iterable of str, optional
        The names of the labels 0, 1, …, such as `SentimentCorpus.label_names`; only for integer labels.
    notes : mapping of str to values, optional
        Additional values to save, such as the name of the training data.

    Raises
    ------
    InputError
        If the parameters, the classes and the names do not match, or the labels have a type that cannot be saved.
    OSError
        If the file cannot be written; an existing file remains unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from lxmls_day1.lab import Lab
    >>> mira = Lab.open().classifier("mira", "Mira", regularizer=0.5)
    >>> params = mira.train([[1.0], [-1.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(Path(folder, "mira.npz"), mira, params, ["x"], label_names=["right", "left"])
    ...     model = load_model(Path(folder, "mira.npz"), lambda class_name, module_name: type(mira))
    >>> model.classifier.regularizer, model.class_names, np.array_equal(model.params, params)
    (0.5, ['right', 'left'], True)
    """
    params = _check_params(params, classifier)
    feature_names, label_names = _names(feature_names, "feature"), _names(label_names, "label")
    if not (notes is None or isinstance(notes, Mapping)):
        raise InputError(f"notes must be a mapping of names to values, but is {notes!r}")
    model = SavedModel(classifier, params, feature_names, label_names, dict(notes or {}))
    _check_fit(model)
    write_file(path, KIND, model._asdict(), _describe)


def load_model(path: str | os.PathLike[str], find_class: FindClass) -> SavedModel:
    """Read a model that `save_model` wrote.

    Parameters
    ----------
    path : path
    find_class : function (class name, module name) -> class
        Returns the class with this name, or raises an InputError. The module name is given without its package.

    Returns
    -------
    SavedModel

    Raises
    ------
    InputError
        If `read_file` or `find_class` raises it, or if the classifier cannot be created.
    OSError
        If the file does not exist or cannot be read.

    Examples
    --------
    The function decides which classes may be created; a file that names any other class is refused:

    >>> import tempfile
    >>> from lxmls_day1.lab import Lab
    >>> lab = Lab.open()
    >>> mira = lab.classifier("mira", "Mira")
    >>> find_class = class_finder(type(mira), lab.folder / "classifiers", lambda name: lab.load(f"classifiers.{name}"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(Path(folder, "mira.npz"), mira, [[0.0, 0.0], [-1.0, 1.0]])
    ...     model = load_model(Path(folder, "mira.npz"), find_class)
    >>> model.classifier.get_name(), model.params.tolist(), model.class_names
    ('MIRA', [[0.0, 0.0], [-1.0, 1.0]], ['0', '1'])
    """
    content = read_file(path, KIND, build=lambda description: _build(path, description, find_class))
    try:
        model = SavedModel(**content)
        _check_fit(model)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"{path} is not a model of lxmls-day1: its parts do not fit together ({error})") from error
    return model


def class_names(classes: np.ndarray | None, n_classes: int, label_names: Sequence[str] | None = None) -> list[str]:
    """Return the names of the classes, in the order of their columns.

    Parameters
    ----------
    classes : K labels, or None for 0, 1, …
    n_classes : int
        K.
    label_names : sequence of str, optional
        The names of the labels 0, 1, ….

    Examples
    --------
    >>> class_names(np.array([0, 2]), 2, label_names=["red", "green", "blue"])
    ['red', 'blue']
    >>> class_names(None, 2), class_names(np.array([False, True]), 2)
    (['0', '1'], ['False', 'True'])
    """
    labels = range(n_classes) if classes is None else classes.tolist()
    return [str(label) if label_names is None else label_names[int(label)] for label in labels]


class ClassDeclaration(NamedTuple):
    """The class statement of a classifier: the name of its file without ``.py``, and the names of its base classes.

    Examples
    --------
    >>> ClassDeclaration("mira", ("OnlineClassifier",)).file
    'mira'
    """

    file: str
    bases: tuple[str, ...]


def declared_classes(folder: str | os.PathLike[str], root: str = ROOT_CLASS) -> dict[str, ClassDeclaration]:
    """Return the classes that the files of a folder derive from `root`, found by parsing the files, not running them.

    Parameters
    ----------
    folder : path
        The files ``*.py`` in it and in its topic subfolders are read.
    root : str
        The common direct or indirect base class.

    Returns
    -------
    dict of str to Declared
        Includes `root` itself if a file declares it. If several classes have the same name, the first is returned.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> declared_classes(Lab.open().folder / "classifiers")["Mira"]
    ClassDeclaration(file='mira', bases=('OnlineClassifier',))
    """
    found: dict[str, ClassDeclaration] = {}
    for file in sorted(file for topic in ("", *TOPICS) for file in Path(folder, topic).glob("*.py")):
        for name, bases in _CLASS_STATEMENT.findall(file.read_text(encoding="utf-8", errors="replace")):
            names = tuple(base.strip().rpartition(".")[2] for base in bases.split(","))
            found.setdefault(name, ClassDeclaration(file.stem, names))
    derived = {root}
    while more := {name for name in found if name not in derived and derived.intersection(found[name].bases)}:
        derived |= more
    return {name: one for name, one in found.items() if name in derived}


def load_classifier(path: str | os.PathLike[str], expected_class: type, file: str, module: str) -> SavedModel:
    """Read a model for ``SomeClass.load``.

    Parameters
    ----------
    path : path
    expected_class : type
        The class whose ``load`` was called; a model of another class is refused.
    file, module : str
        The path and the name of any module in the folder of the lab's classifiers.

    Raises
    ------
    InputError
        See `load_model`; also if the class of the model is not derived from `expected_class`.

    Examples
    --------
    >>> import tempfile
    >>> from lxmls_day1.classifiers import LinearClassifier, mira
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mira.Mira().save(f"{folder}/mira.npz", [[0.5, 0.0], [0.0, 1.0]])
    ...     load_classifier(f"{folder}/mira.npz", LinearClassifier, mira.__file__, mira.__name__).classifier.get_name()
    'MIRA'
    """
    package = module.rpartition(".")[0]
    find_class = class_finder(
        expected_class, Path(file).parent, lambda name: import_module(f"{package}.{name}".strip("."))
    )
    model = load_model(path, find_class)
    if expected_class.__name__ not in [base.__name__ for base in type(model.classifier).__mro__]:
        raise InputError(
            f"{path} holds a {type(model.classifier).__name__}, not a {expected_class.__name__}; LinearClassifier.load takes every kind"
        )
    return model


def class_finder(
    expected_class: type, folder: str | os.PathLike[str], import_module: Callable[[str], ModuleType]
) -> FindClass:
    """Return the `find_class` function that ``SomeClass.load`` passes to `load_model`.

    The function finds `expected_class` itself, the classes that the files of `folder` declare, and imported subclasses of
    `expected_class` that are defined elsewhere, for example in a notebook.

    Parameters
    ----------
    expected_class : type
        The class whose ``load`` was called.
    folder : path
        The folder of the lab's classifiers.
    import_module : function (file name without ``.py``) -> module

    Returns
    -------
    function (class name, module name) -> class
        Raises an `InputError` for any other class.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> lab = Lab.open()
    >>> linear = type(lab.classifier("linear_classifier", "LinearClassifier"))
    >>> find_class = class_finder(linear, lab.folder / "classifiers", lambda name: lab.load(f"classifiers.{name}"))
    >>> find_class("Mira", "mira").__name__
    'Mira'
    """

    def find_class(class_name: str, module_name: str) -> type:
        if class_name == expected_class.__name__:
            return expected_class
        declared = declared_classes(folder).get(class_name)
        if declared is not None and declared.file == module_name:
            return cast(type, getattr(import_module(module_name), class_name))
        for known in reversed(list(_all_subclasses(expected_class))):
            if (known.__name__, _module_name(known)) == (class_name, module_name):
                return known
        raise InputError(
            f"the class {class_name} of {module_name}.py is not among the classifiers in {folder}; if it is yours, "
            f"import it and call {class_name}.load"
        )

    return find_class


def _all_subclasses(cls: type) -> Iterator[type]:
    subclasses: list[type] = cls.__subclasses__()
    for subclass in subclasses:
        yield subclass
        yield from _all_subclasses(subclass)


def _module_name(cls: type) -> str:
    """Return the module's name without packages: ``mira`` for ``classifiers.mira`` and for a flat ``import mira``."""
    return cls.__module__.rpartition(".")[2]


def _describe(value: Any, name: str) -> dict[str, Any] | None:
    """Return the class of a classifier and its storable attributes; None for any other value."""
    if isinstance(value, type) or not all(callable(getattr(value, method, None)) for method in ("train", "test")):
        return None
    attributes, cls = {}, type(value)
    known = known_settings(cls)
    for key, attribute in vars(value).items():
        try:
            check_storable(attribute, f"{name}.{key}", _describe)
        except NotStorable as error:
            if key == "classes":
                raise InputError(f"the labels cannot be saved ({error}); use numbers or strings") from error
            if key in known:
                warnings.warn(
                    f"{key} of {cls.__name__} cannot be saved, because its type is {type(attribute).__name__}; "
                    "after loading it has its default value",
                    stacklevel=2,
                )
        else:
            attributes[key] = attribute
    return {"class": cls.__name__, "module": _module_name(cls), "attributes": attributes}


def _build(path: str | os.PathLike[str], description: Mapping[str, Any], find_class: FindClass) -> Any:
    """Create a classifier from its description: with default settings, then with the saved attributes."""
    names = description["class"], description["module"]
    if not all(isinstance(name, str) and name.isidentifier() for name in names):
        raise InputError(f"{path} is not a model of lxmls-day1: it names no class")
    cls, attributes = find_class(*names), description["attributes"]
    try:
        classifier = cls(**{key: attributes[key] for key in required_settings(cls) if key in attributes})
    except Exception as error:
        raise InputError(
            f"{path} holds a {names[0]}, which cannot be created here: {type(error).__name__}: {error}"
        ) from error
    vars(classifier).update({key: value for key, value in attributes.items() if not callable(getattr(cls, key, None))})
    if hasattr(classifier, "check_settings"):
        try:
            classifier.check_settings()
        except InputError as error:  # The file may be from another version.
            raise InputError(f"{path} holds a {names[0]} that cannot be used here: {error}") from error
    return classifier


def _names(names: Any, kind: str) -> list[str] | None:
    if names is None:
        return None
    return [_check_name(name, kind) for name in as_list(names, f"{kind}_names must be a list of strings")]


def _check_name(name: Any, kind: str) -> str:
    if not isinstance(name, str):
        raise InputError(f"a {kind} name must be a string, but one is {format_label(name)}")
    return str(name)


def _check_params(params: Any, classifier: Any) -> np.ndarray:
    return check_finite_params(params, getattr(classifier, "rules_out", False))


def _check_fit(model: SavedModel) -> None:
    """Raise an InputError unless parameters, classes and names match."""
    n_rows, n_classes = _check_params(model.params, model.classifier).shape
    classes = model.classifier.classes
    if classes is not None and not (isinstance(classes, np.ndarray) and classes.ndim == 1):
        raise InputError(f"the classes must be an array with a label for each column, but are {format_label(classes)}")
    if classes is not None and len(classes) != n_classes:
        raise InputError(
            f"the parameters have {pluralize(n_classes, 'column')}, but the classifier has {pluralize(len(classes), 'class')}; pass the "
            "parameters that its own train returned"
        )
    if model.feature_names is not None:
        n_names = len(model.feature_names)
        quadratic = getattr(model.classifier, "quadratic", False)
        if n_rows != 1 + n_names * (2 if quadratic else 1):
            raise InputError(
                f"got {pluralize(n_names, 'feature name')}, but the parameters have {pluralize(n_rows, 'row')}; expected a name for "
                f"each {'two rows' if quadratic else 'row'} but the first, which holds the intercepts"
            )
        if len(set(model.feature_names)) < n_names:
            raise InputError("feature names must be unique, but some occur twice")
    if model.label_names is not None:
        labels = range(n_classes) if classes is None else classes.tolist()
        for label in labels:
            if label not in range(len(model.label_names)):
                raise InputError(
                    f"there are {len(model.label_names)} label names, for the labels 0, 1, …, but {label!r} is a label"
                )
