"""The list of learners, read from the files of a lab: what every table, figure and demonstration of learners shows. A leaf.

A learner declares itself in its own file, and nowhere else. A class of ``classifiers/`` with a ``name`` is a learner, and ``listed``
says how it is shown::

    class AROW(OnlineClassifier):
        name = "AROW"
        listed = {"AROW": {"colours": ("#1B3A8A", "#7F93FF"), "dash": (8, 1.5, 2, 1.5), "order": 100}}

``order`` places the learner in the comparison; a row without it is not compared. ``colours`` are those of its lines on a light ground
and on a dark one. They must stand out from the ground, from the classes, and by 14 in CIE Lab from every other learner's, and the
``dash`` must differ: ``tests/lxmls_day1/figures/test_style.py`` measures that. A learner that no figure draws needs none.

A class with several ways to train lists each of them by the name of the row, as `SVM` does. The files are read as text, not
imported: that is fast, and a file that a student has broken does not matter.
"""

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from lxmls_day1.base.lazy_names import class_texts, class_values
from lxmls_day1.library_path import TOPICS, reference_place


@dataclass(frozen=True)
class Listing:
    """One row of a list of learners.

    Attributes
    ----------
    name : str
        The learner's, as tables and figures show it.
    class_name, module : str
        Where it is: ``AROW`` in ``second_order.arow``.
    colours : (str, str)
        Of its lines on a light ground and on a dark one; empty if it has no colour of its own.
    dash : tuple of float
        On and off lengths of its lines in line widths; solid if there are none.
    order : int or None
        Its place in the comparison of all learners; None if it is not compared.
    settings : dict
        Its settings there, if they are not the defaults. A ``regularizer`` is divided by the number of training examples.
    counts_only : bool
        Whether its features must be counts.
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
    """Return the module of each learner of a folder of classifiers, by the name of its class.

    Examples
    --------
    >>> class_modules(Path(reference_place()) / "classifiers")["AROW"]
    'second_order.arow'
    """
    return {name: module for name, (module, _) in _learner_classes(os.fspath(folder)).items()}


@functools.lru_cache(maxsize=1)
def reference_listings() -> tuple[Listing, ...]:
    """Return the listings of the reference lab: those of the comparison in their order, then the others.

    Examples
    --------
    >>> [listing.name for listing in reference_listings()][:2]
    ['Gaussian naive Bayes', 'Multinomial naive Bayes']
    """
    found = []
    for name, (module, text) in _learner_classes(os.path.join(reference_place(), "classifiers")).items():
        rows = cast(dict[str, dict[str, Any]], class_values(text, "listed").get("listed", {}))
        found += [Listing(row, name, module, **values) for row, values in rows.items()]
    return tuple(sorted(found, key=lambda listing: (listing.order is None, listing.order or 0)))


def _learner_classes(folder: str) -> dict[str, tuple[str, str]]:
    """Return the module and the text of each class of a folder that is a learner.

    A class that stands in several files, as in ``mira.py`` and a student's ``mira_backup.py``, is that of the file called like it, else of
    the first.
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
    """Make ``__getattr__`` and ``__dir__`` of a package of classifiers or readers: each name is imported when it is first used.

    Parameters
    ----------
    package, file : str
        ``__name__`` and ``__file__`` of the package.
    others : mapping of str to str
        The names that are no learners -> the module of each. In classifiers every learner is offered, too: those of the
        reference lab, and further ones of the lab.

    Examples
    --------
    >>> from lxmls_day1 import classifiers
    >>> classifiers.Mira.__module__, "AROW" in dir(classifiers)
    ('lxmls_day1.classifiers.mira', True)
    """
    folders = [Path(reference_place()) / package.rpartition(".")[2], Path(file).parent]

    @functools.cache
    def modules() -> dict[str, str]:
        return dict(sorted({**class_modules(folders[1]), **class_modules(folders[0]), **others}.items()))

    def offered(name: str) -> Any:
        if name == "__all__":
            return list(modules())
        if name.startswith("_") or name not in modules():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules()[name]}"), name)

    return offered, lambda: sorted({*modules(), "__all__"})
