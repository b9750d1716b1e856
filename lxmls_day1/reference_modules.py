"""The reference lab under importable names: ``lxmls_day1.classifiers`` and ``lxmls_day1.readers``.

The top-level names ``classifiers`` and ``readers`` belong to whoever has a lab folder, so an installed package does not
take them. It offers the same files a second time, as packages of its own:

>>> from lxmls_day1.classifiers import Mira
>>> Mira.__module__
'lxmls_day1.classifiers.mira'

Files of a lab import one another absolutely (``from classifiers.online_classifier import OnlineClassifier``). A file that
is imported under its second name is compiled with these imports renamed, so that no other lab's file can get in between.

The package imports this module first of all. So it imports only what Python has frozen, as ``library_path`` does.
"""

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader

from lxmls_day1.library_path import PACKAGES, reference_place

TYPE_CHECKING = False  # for type checkers; the module `typing` is not frozen
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

    from _typeshed import ReadableBuffer

_PACKAGE = __name__.partition(".")[0]
_NAMES = tuple(f"{_PACKAGE}.{name}" for name in PACKAGES)


class ReferenceFinder:
    """Finds the modules of ``lxmls_day1.classifiers`` and ``lxmls_day1.readers`` in the reference lab."""

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> ModuleSpec | None:
        """Nothing for any other module."""
        if not name.startswith(_NAMES) or name.split(".")[1] not in PACKAGES:
            return None
        folder = os.path.join(reference_place(), *name.split(".")[1:-1])
        spec = PathFinder.find_spec(name, [folder])
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return None
        spec.loader = _RenamingLoader(name, spec.loader.path)
        spec.cached = None
        return spec


class _RenamingLoader(SourceFileLoader):
    """Loads a file of a lab with its imports of ``classifiers`` and ``readers`` renamed."""

    def get_code(self, fullname: str) -> "CodeType":
        """Always from the source: the bytecode in ``__pycache__`` has the imports as they were written."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def source_to_code(  # type: ignore[override]  # narrower types than those of the base class
        self, data: "ReadableBuffer", path: str, *, _optimize: int = -1
    ) -> "CodeType":
        import ast  # takes time, and most programs that import this package need none of this

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


def serve() -> None:
    """Let imports find these modules from now on; the package calls it when it is imported."""
    if not any(isinstance(finder, ReferenceFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, ReferenceFinder())
