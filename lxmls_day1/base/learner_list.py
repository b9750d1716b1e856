"""The list of learners, read from the files of a lab. Every table, figure and demonstration of learners uses it. A leaf module.

A learner is declared only in its own file. Every class of ``classifiers/`` with a ``name`` is a learner, and ``listed`` defines how it
is shown::

    class AROW(OnlineClassifier):
        name = "AROW"
        listed = {"AROW": {"colours": ("#1B3A8A", "#7F93FF"), "dash": (8, 1.5, 2, 1.5), "order": 100}}

``order`` is the learner's position in the comparison of all learners; without it, the learner is not compared. ``colours`` are its line
colours on a light and on a dark background. They must contrast with the background and with the colours of the classes, and differ by
at least 14 in CIE Lab from every other learner's; each ``dash`` must be unique. ``tests/lxmls_day1/figures/test_style.py`` measures
this. A learner that is not in any figure does not need colours.

A class with several ways to train lists each of them under its own row name, as `SVM` does. The files are read as text, not imported:
this is fast, and a file with a syntax error does no harm.
"""

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from lxmls_day1.base.lazy_names import class_texts, class_values
from lxmls_day1.library_path import TOPICS, reference_path


@dataclass(frozen=True)
class Listing:
    """One row of the list of learners.

    Attributes
    ----------
    name : str
        The learner's name in tables and figures.
    class_name, module : str
        The class and its module, such as ``AROW`` and ``second_order.arow``.
    colours : (str, str)
        Line colours on a light and on a dark background; empty if the learner has no colours of its own.
    dash : tuple of float
        Lengths of dashes and gaps in line widths; empty for a solid line.
    order : int or None
        Position in the comparison of all learners; None if it is not compared.
    settings : dict
        Settings in that comparison that differ from the defaults. A ``regularizer`` is divided by the number of training examples.
    counts_only : bool
        True if the features must be counts.
    """

    name: str
    class_name: str
    module: str
    colours: tuple[str, str] | tuple[()] = ()
    dash: tuple[float, ...] = ()
    order: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    counts_only: bool = False


def class_modules(folder: str | os.PathLike[str]) -> dict[str, str]:
    """Return the module of each learner in a folder of classifiers, keyed by class name.

    Examples
    --------
    >>> class_modules(Path(reference_path()) / "classifiers")["AROW"]
    'second_order.arow'
    """
    return {name: module for name, (module, _) in _learner_classes(os.fspath(folder)).items()}


@functools.lru_cache(maxsize=1)
def reference_listings() -> tuple[Listing, ...]:
    """Return the listings of the reference lab: first the compared learners in their order, then the others.

    Examples
    --------
    >>> [listing.name for listing in reference_listings()][:2]
    ['Gaussian naive Bayes', 'Multinomial naive Bayes']
    """
    found = []
    for name, (module, text) in _learner_classes(os.path.join(reference_path(), "classifiers")).items():
        rows = cast(dict[str, dict[str, Any]], class_values(text, "listed").get("listed", {}))
        found += [Listing(row, name, module, **values) for row, values in rows.items()]
    return tuple(sorted(found, key=lambda listing: (listing.order is None, listing.order or 0)))


def _learner_classes(folder: str) -> dict[str, tuple[str, str]]:
    """Return the module and the source text of each learner class in a folder.

    If several files define the same class, as in ``mira.py`` and a student's ``mira_backup.py``, use the file with the same name as the
    class, or else the first one.
    """
    found: dict[str, tuple[str, str]] = {}
    for topic in ("", *TOPICS):
        for path in sorted(path for path in Path(folder, topic).glob("*.py") if path.is_file()):
            for name, text in class_texts(path):
                if '\n    name = "' in text and (name not in found or path.stem.replace("_", "") == name.lower()):
                    found[name] = (".".join(filter(None, (topic, path.stem))), text)
    return found


def offered_names(
    package: str, file: str, others: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the ``__getattr__`` and ``__dir__`` of a package of classifiers or readers, which import each name on first use.

    Parameters
    ----------
    package, file : str
        ``__name__`` and ``__file__`` of the package.
    others : mapping of str to str
        The module of each offered name that is not a learner. All learners of the reference lab and further learners of this lab are
        offered, too.

    Examples
    --------
    >>> from lxmls_day1 import classifiers
    >>> classifiers.Mira.__module__, "AROW" in dir(classifiers)
    ('lxmls_day1.classifiers.mira', True)
    """
    folders = [Path(reference_path()) / package.rpartition(".")[2], Path(file).parent]

    @functools.cache
    def modules() -> dict[str, str]:
        reference, own = map(class_modules, folders)
        # A file of an older lab lies elsewhere, under the same name.
        older = {name: place for name, place in own.items() if place == reference.get(name, "").rpartition(".")[2]}
        return dict(sorted({**own, **reference, **older, **others}.items()))

    def offered(name: str) -> Any:
        if name == "__all__":
            return list(modules())
        if name.startswith("_") or name not in modules():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules()[name]}"), name)

    return offered, lambda: sorted({*modules(), "__all__"})
