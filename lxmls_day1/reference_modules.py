"""The reference lab under importable names: ``lxmls_day1.classifiers`` and ``lxmls_day1.readers``.

The top-level names ``classifiers`` and ``readers`` belong to whoever has a lab folder, so an installed package does not
take them. It offers the same files a second time, as packages of its own:

>>> from lxmls_day1.classifiers import Mira
>>> Mira.__module__
'lxmls_day1.classifiers.mira'

Files of a lab import one another absolutely (``from classifiers.online_classifier import OnlineClassifier``). A file that
is imported under its second name is compiled with these imports renamed, so that no other lab's file can get in between.
(``import classifiers.mira`` without ``as`` binds the name ``classifiers``; files of the lab do without it.)
"""

import ast
import os
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import TYPE_CHECKING

from lxmls_day1.library_path import PACKAGES, reference_place

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_PACKAGE = __name__.partition(".")[0]


def find_module(name: str) -> ModuleSpec | None:
    """Where a module of ``lxmls_day1.classifiers`` or ``lxmls_day1.readers`` stands, and how it is loaded.

    Parameters
    ----------
    name : str
        ``"lxmls_day1.classifiers.mira"``

    Returns
    -------
    ModuleSpec or None
        None if the reference lab does not have it.
    """
    _, *folders, _ = name.split(".")
    spec = PathFinder.find_spec(name, [os.path.join(reference_place(), *folders)])
    if spec is None or not isinstance(spec.loader, SourceFileLoader):
        return None
    spec.loader = _RenamingLoader(name, spec.loader.path)
    spec.cached = None
    return spec


class _RenamingLoader(SourceFileLoader):
    """Loads a file of a lab with its imports of ``classifiers`` and ``readers`` renamed."""

    def get_code(self, fullname: str) -> CodeType:
        """Always from the source: the bytecode in ``__pycache__`` has the imports as they were written."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def source_to_code(  # type: ignore[override]  # narrower types than those of the base class
        self, data: "ReadableBuffer", path: str, *, _optimize: int = -1
    ) -> CodeType:
        tree = ast.parse(bytes(data), path)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                node.module = _renamed(node.module)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname:
                        alias.name = _renamed(alias.name)
        code: CodeType = compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)
        return code


def _renamed(module: str) -> str:
    return f"{_PACKAGE}.{module}" if module.partition(".")[0] in PACKAGES else module
