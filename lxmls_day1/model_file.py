"""Trained classifiers as files: one ``.npz`` of plain arrays with a header in JSON, and no pickle.

Such a file can be given to others: reading it runs no code that it brings along. Inside are

==================  ====================================================================================
``header``          JSON in UTF-8, as bytes: format, versions, what kind of model it is, and the content
``params``          the weights, and further arrays under the names by which the header refers to them
==================  ====================================================================================

so that ``numpy.load("model.npz")["params"]`` works without this package. Two layers write and read it:

* `write_file` and `read_file` keep any content made of numbers, text, arrays, lists, tuples and dictionaries;
* `save_model` and `load_model` keep a classifier with its parameters and the names of its features and labels.

A classifier is kept as its class name and its attributes. Which class a name stands for is never up to the file: it is
looked up among the classes that the caller knows, such as those that `declared_classes` finds in a lab's folder.
"""

import ast
import contextlib
import io
import json
import math
import os
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1 import __version__
from lxmls_day1.checks import check_finite_params, shown
from lxmls_day1.errors import InputError, counted
from lxmls_day1.settings import known_settings, required_settings
from lxmls_day1.whole_files import replace_files

FORMAT = "lxmls-day1 model"
FORMAT_VERSION = 1
KIND = "linear classifier"
ROOT_CLASS = "LinearClassifier"
_HEADER = "header"
_ZIP_MAGIC = b"PK\x03\x04"
_NON_FINITE = ("inf", "-inf", "nan")

FindClass = Callable[[str, str], type]


class SavedModel(NamedTuple):
    """What a file holds: all that is needed to predict, and the names to speak of it."""

    classifier: Any
    """Of the class that was saved, with its classes, its hyper-parameters and what else it learnt."""
    params: np.ndarray
    """(J + 1, K), or (2J + 1, K) of a quadratic classifier."""
    feature_names: list[str] | None
    """J names, column -> name."""
    label_names: list[str] | None
    """Names of the labels 0, 1, …"""
    notes: dict[str, Any]
    """Whatever else was put down."""

    @property
    def class_names(self) -> list[str]:
        """The K classes as text, in the order of the columns of ``params``."""
        return class_names(self.classifier.classes, self.params.shape[1], self.label_names)


# ------------------------------------------------------------------------------------------------------ any content


class _NotStorable(TypeError):
    """A value that has no place in such a file."""


def write_file(path: str | os.PathLike[str], kind: str, content: Mapping[str, Any]) -> None:
    """Keep `content` in a file that is written completely or not at all.

    Parameters
    ----------
    path : path
        Used as it is, whatever its ending.
    kind : str
        What the file holds; `read_file` asks for the same kind.
    content : mapping of str to values
        None, truth values, numbers, text, arrays, and lists, tuples and dictionaries of these.

    Raises
    ------
    InputError
        If a value is of another type.
    OSError
        If the file cannot be written; what was there before is still there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "chain.npz")
    ...     write_file(path, "linear chain", {"tags": ["NOUN", "VERB"], "transitions": np.eye(2)})
    ...     read_file(path, "linear chain")
    {'tags': ['NOUN', 'VERB'], 'transitions': array([[1., 0.],
           [0., 1.]])}
    """
    arrays: dict[str, np.ndarray] = {}
    try:
        packed = {name: _pack(value, name, arrays) for name, value in content.items()}
    except _NotStorable as error:
        raise InputError(
            f"{error}, which a model file cannot hold; wanted numbers, text, arrays, or lists of these"
        ) from error
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": __version__,
        "kind": kind,
        "content": packed,
    }
    text = json.dumps(header, allow_nan=False).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:  # as numpy.savez does, but for any name of an array
        for name, array in {_HEADER: np.frombuffer(text, dtype=np.uint8), **arrays}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    replace_files({path: file.getvalue()})


def read_file(
    path: str | os.PathLike[str], kind: str, build: Callable[[dict[str, Any]], Any] | None = None
) -> dict[str, Any]:
    """What `write_file` kept.

    Parameters
    ----------
    path : path
    kind : str
        As it was written.
    build : function, optional
        Makes a classifier from its description; without it, a file that holds one is refused.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        If the file is damaged or cut off, was not written by `write_file`, holds Python objects, is of another kind,
        or of a format that is newer than this package; the message says which.
    OSError
        If there is no such file, or it cannot be read.
    """
    data = Path(path).read_bytes()
    if not data:
        raise InputError(f"{path} is empty, where a saved model was expected; save it again")
    if not data.startswith(_ZIP_MAGIC):
        raise InputError(f"{path} is no model of lxmls-day1: it does not begin as an .npz file does")
    with _damage_told(path), zipfile.ZipFile(io.BytesIO(data)) as archive:
        _check_table(path, archive.infolist(), len(data))
        header = _read_header(path, archive)
        if header["format_version"] > FORMAT_VERSION:
            raise InputError(
                f"{path} was saved by lxmls-day1 {header['package_version']} in format {header['format_version']}, but "
                f"this is lxmls-day1 {__version__}, which reads formats up to {FORMAT_VERSION}; install a newer one"
            )
        if header["kind"] != kind:
            raise InputError(f"{path} holds a {header['kind']}, where a {kind} was expected")
        arrays = {
            info.filename.removesuffix(".npy"): _read_array(path, archive, info)
            for info in archive.infolist()
            if info.filename != f"{_HEADER}.npy"
        }
    try:
        return {name: _unpack(value, arrays, build) for name, value in header["content"].items()}
    except InputError:
        raise
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise InputError(f"{path} is no model of lxmls-day1: its header and its arrays do not fit together") from error


def _check_table(path, infos: Sequence[zipfile.ZipInfo], n_bytes: int) -> None:
    """Whether each array stands there once: a table may name the same bytes again and again."""
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED:  # ours never are; what is not inflated cannot be a bomb
            raise InputError(f"{path} is no model of lxmls-day1: {info.filename} in it is compressed")
    if len({info.filename for info in infos}) < len(infos) or sum(info.file_size for info in infos) > n_bytes:
        raise InputError(f"{path} is no model of lxmls-day1: the table of its arrays lists some bytes twice")


def _read_header(path, archive: zipfile.ZipFile) -> dict[str, Any]:
    """The header of a file that is ours, whatever its version."""
    foreign = InputError(f"{path} is no model of lxmls-day1: it is an archive, but has none of our headers in it")
    try:
        info = archive.getinfo(f"{_HEADER}.npy")
    except KeyError:
        raise foreign from None
    try:
        header = json.loads(_read_array(path, archive, info).tobytes())
        known = header["format"] == FORMAT and isinstance(header["kind"], str) and isinstance(header["content"], dict)
        versions = type(header["format_version"]) is int and isinstance(header["package_version"], str)
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise foreign from error
    if not (known and versions):
        raise foreign
    return header


def _read_array(path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> np.ndarray:
    """One array. Its bytes are read to their end first, so that their checksum is compared, and are all that it has."""
    content = archive.read(info)
    try:
        if content.startswith(np.lib.format.MAGIC_PREFIX):
            _check_length(content, info.filename)
        return np.load(io.BytesIO(content), allow_pickle=False)
    except ValueError as error:
        if "pickle" in str(error):
            raise InputError(
                f"{path} is no model of lxmls-day1: {info.filename} in it holds Python objects (a pickle), which could "
                "run any code and are never loaded"
            ) from error
        raise


def _check_length(content: bytes, name: str) -> None:
    """Whether an array has as many bytes as its shape and its type say: numpy makes room for it before it reads any."""
    file = io.BytesIO(content)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    version = np.lib.format.read_magic(file)
    if version not in read_header:
        raise ValueError(f"{name} is of the format {version}")
    shape, _, dtype = read_header[version](file)
    if not dtype.hasobject and math.prod(shape) * max(1, dtype.itemsize) != len(content) - file.tell():
        raise ValueError(f"{name} is of another length than it says")


@contextlib.contextmanager
def _damage_told(path) -> Iterator[None]:
    """Any failure to take the bytes apart means that they are damaged; zipfile and numpy have a dozen kinds of it."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"{path} is damaged or incomplete ({reason}); copy it anew, or save the model again"
        ) from error


def _pack(value: Any, name: str, arrays: dict[str, np.ndarray]) -> Any:
    """A value as JSON; the arrays in it go into `arrays`, under names that begin with `name`."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if type(value) is list:
        return [_pack(item, f"{name}.{i}", arrays) for i, item in enumerate(value)]
    if type(value) is tuple:
        return {"tuple": _pack(list(value), name, arrays)}
    if type(value) is dict:
        return {"dict": [_pack(list(item), f"{name}.{i}", arrays) for i, item in enumerate(value.items())]}
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return {"objects": _pack(value.ravel().tolist(), name, arrays), "shape": list(value.shape)}
        arrays[name] = np.asarray(value)
        return {"array": name}
    if _is_classifier(value):
        return {"classifier": _describe(value, name, arrays)}
    raise _NotStorable(f"{name} is of the type {type(value).__name__}")


def _unpack(value: Any, arrays: Mapping[str, np.ndarray], build: Callable[[dict[str, Any]], Any] | None) -> Any:
    if isinstance(value, list):
        return [_unpack(item, arrays, build) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"float": str(number)} if number in _NON_FINITE:
            return float(number)
        case {"tuple": list(items)}:
            return tuple(_unpack(items, arrays, build))
        case {"dict": list(pairs)}:
            return {key: item for key, item in _unpack(pairs, arrays, build)}
        case {"objects": list(items), "shape": list(shape)}:
            flat = np.empty(len(items), dtype=object)
            flat[:] = _unpack(items, arrays, build)
            return flat.reshape(shape)
        case {"array": str(name)}:
            return arrays[name]
        case {"classifier": dict(description)} if build:
            attributes = {str(k): _unpack(v, arrays, build) for k, v in description["attributes"].items()}
            return build({**description, "attributes": attributes})
    raise ValueError("neither a value nor a reference to one")


# -------------------------------------------------------------------------------------------------------- classifiers


def save_model(
    path: str | os.PathLike[str],
    classifier: Any,
    params: np.ndarray,
    feature_names: Iterable[str] | None = None,
    label_names: Iterable[str] | None = None,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Keep a classifier and its parameters.

    Parameters
    ----------
    path : path
        Used as it is; ``.npz`` is the usual ending.
    classifier : classifier
        Its attributes are kept, but not what training leaves behind for a look at it, such as a history of named
        tuples. A hyper-parameter of a kind that cannot be kept (a function, a random generator) is left out with a
        warning, and has its default after loading; predictions do not depend on it.
    params : array (J + 1, K), or (2J + 1, K) of a quadratic classifier
    feature_names : J different str, optional
        Without them the file serves for predicting from vectors, but not from text.
    label_names : iterable of str, optional
        What the labels 0, 1, … are called, such as `SentimentCorpus.label_names`; for labels that are numbers.
    notes : mapping of str to values, optional
        Whatever else is worth keeping, such as the name of the training data.

    Raises
    ------
    InputError
        If the parameters, the classes and the names do not fit together, or the labels are of a kind that cannot be
        kept.
    OSError
        If the file cannot be written; what was there before is still there.
    """
    params = _checked(params, classifier)
    feature_names = None if feature_names is None else [_plain_text(name, "feature") for name in feature_names]
    label_names = None if label_names is None else [_plain_text(name, "label") for name in label_names]
    model = SavedModel(classifier, params, feature_names, label_names, dict(notes or {}))
    _check_fit(model)
    write_file(path, KIND, model._asdict())


def load_model(path: str | os.PathLike[str], find_class: FindClass) -> SavedModel:
    """What `save_model` kept.

    Parameters
    ----------
    path : path
    find_class : function (class name, module name) -> class
        The class that the names stand for; an InputError if none does. The module's name is without its package.

    Returns
    -------
    SavedModel

    Raises
    ------
    InputError
        As `read_file` and `find_class` do, and if the class cannot be made.
    OSError
        If there is no such file, or it cannot be read.
    """
    content = read_file(path, KIND, build=lambda description: _build(path, description, find_class))
    try:
        model = SavedModel(**content)
        _check_fit(model)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"{path} is no model of lxmls-day1: its parts do not fit together ({error})") from error
    return model


def class_names(classes: np.ndarray | None, n_classes: int, label_names: Sequence[str] | None = None) -> list[str]:
    """The classes as text, in the order of their columns.

    Examples
    --------
    >>> class_names(np.array([0, 2]), 2, label_names=["red", "green", "blue"])
    ['red', 'blue']
    >>> class_names(None, 2), class_names(np.array([False, True]), 2)
    (['0', '1'], ['False', 'True'])
    """
    labels = range(n_classes) if classes is None else classes.tolist()
    return [str(label) if label_names is None else label_names[int(label)] for label in labels]


def declared_classes(folder: str | os.PathLike[str], root: str = ROOT_CLASS) -> dict[str, str]:
    """The classes that the files of a folder derive from `root`, found by reading the files without running them.

    Parameters
    ----------
    folder : path
        Its files ``*.py`` are read; those that are not Python are passed over.
    root : str
        The class that all of them derive from, directly or by way of others.

    Returns
    -------
    dict of str to str
        Class -> file, without ``.py``; `root` itself included if a file declares it.

    Examples
    --------
    >>> from lxmls_day1.lab import Lab
    >>> declared_classes(Lab.open().folder / "classifiers")["Mira"]
    'mira'
    """
    bases, file_of = {}, {}
    for file in sorted(Path(folder).glob("*.py")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(file.read_bytes())
        except (OSError, RecursionError, SyntaxError, ValueError):
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                file_of.setdefault(node.name, file.stem)
                bases.setdefault(node.name, [ast.unparse(base).rpartition(".")[2] for base in node.bases])
    derived = {root}
    while more := {name for name in bases if name not in derived and derived.intersection(bases[name])}:
        derived |= more
    return {name: file_of[name] for name in file_of if name in derived}


def class_finder(wanted: type, folder: str | os.PathLike[str], import_module: Callable[[str], ModuleType]) -> FindClass:
    """How ``SomeClass.load`` finds the classes of a file: a function for `load_model`.

    Known are `wanted` itself, the classes that the files of `folder` declare, and those derived from `wanted` elsewhere
    that are imported already, as in a notebook.

    Parameters
    ----------
    wanted : type
        The class whose ``load`` was called.
    folder : path
        The folder of the lab's classifiers.
    import_module : function (file name without ``.py``) -> module

    Returns
    -------
    function (class name, module name) -> class
    """

    def find_class(class_name: str, module_name: str) -> type:
        if class_name == wanted.__name__:
            return wanted
        if declared_classes(folder).get(class_name) == module_name:
            return getattr(import_module(module_name), class_name)
        for known in reversed(list(_all_subclasses(wanted))):
            if (known.__name__, _module_name(known)) == (class_name, module_name):
                return known
        raise InputError(
            f"the class {class_name} of {module_name}.py is not among the classifiers in {folder}; if it is yours, "
            f"import it and call {class_name}.load"
        )

    return find_class


def _all_subclasses(cls: type) -> Iterator[type]:
    for derived in cls.__subclasses__():
        yield derived
        yield from _all_subclasses(derived)


def _module_name(cls: type) -> str:
    """``mira`` for a class of classifiers.mira, and after a flat ``import mira`` too."""
    return cls.__module__.rpartition(".")[2]


def _is_classifier(value: Any) -> bool:
    return not isinstance(value, type) and all(callable(getattr(value, name, None)) for name in ("train", "test"))


def _describe(classifier: Any, name: str, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Class and attributes of a classifier, in JSON."""
    attributes, known = {}, known_settings(type(classifier))
    for key, value in vars(classifier).items():
        own_arrays: dict[str, np.ndarray] = {}
        try:
            attributes[key] = _pack(value, f"{name}.{key}", own_arrays)
            arrays.update(own_arrays)
        except _NotStorable as error:
            if key == "classes":
                raise InputError(f"the labels cannot be saved ({error}); take numbers or strings") from error
            if key in known:
                warnings.warn(
                    f"{key} of {type(classifier).__name__} cannot be saved, as it is of the type "
                    f"{type(value).__name__}; after loading it has its default",
                    stacklevel=2,
                )
    return {"class": type(classifier).__name__, "module": _module_name(type(classifier)), "attributes": attributes}


def _build(path, description: Mapping[str, Any], find_class: FindClass) -> Any:
    """A classifier as it was described: made with its defaults, then given the attributes that were kept."""
    names = description["class"], description["module"]
    if not all(isinstance(name, str) and name.isidentifier() for name in names):
        raise InputError(f"{path} is no model of lxmls-day1: it names no class")
    cls, attributes = find_class(*names), description["attributes"]
    try:
        classifier = cls(**{key: attributes[key] for key in required_settings(cls) if key in attributes})
    except Exception as error:
        raise InputError(
            f"{path} holds a {names[0]}, which cannot be made here: {type(error).__name__}: {error}"
        ) from error
    vars(classifier).update({key: value for key, value in attributes.items() if not callable(getattr(cls, key, None))})
    return classifier


def _plain_text(name: Any, of_what: str) -> str:
    if not isinstance(name, str):
        raise InputError(f"a {of_what} name must be text, but one is {shown(name)}")
    return str(name)


def _checked(params: Any, classifier: Any) -> np.ndarray:
    return check_finite_params(params, getattr(classifier, "rules_out", False))


def _check_fit(model: SavedModel) -> None:
    """Whether parameters, classes and names belong together."""
    n_rows, n_classes = _checked(model.params, model.classifier).shape
    classes = model.classifier.classes
    if classes is not None and len(classes) != n_classes:
        raise InputError(
            f"the parameters have {counted(n_classes, 'column')}, but the classifier has {counted(len(classes), 'class')}; pass the "
            "parameters that its own train returned"
        )
    if model.feature_names is not None:
        n_names = len(model.feature_names)
        quadratic = getattr(model.classifier, "quadratic", False)
        if n_rows != 1 + n_names * (2 if quadratic else 1):
            raise InputError(
                f"got {counted(n_names, 'feature name')}, but the parameters have {counted(n_rows, 'row')}; expected a name for "
                f"each {'two rows' if quadratic else 'row'} but the first, which holds the intercepts"
            )
        if len(set(model.feature_names)) < n_names:
            raise InputError("feature names must differ from one another, but some stand there twice")
    if model.label_names is not None:
        labels = range(n_classes) if classes is None else classes.tolist()
        for label in labels:
            if label not in range(len(model.label_names)):
                raise InputError(
                    f"there are {len(model.label_names)} label names, for the labels from 0 on, but {label!r} is "
                    "a label"
                )
