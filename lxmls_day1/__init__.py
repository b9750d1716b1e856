"""The machinery of the day-1 lab: it opens, runs and compares the files of a lab folder.

``make map`` prints what each module is for, from its first line; docs/dev/architecture.md names the parts.

The reference lab is part of the package: ``from lxmls_day1 import Lab``, ``from lxmls_day1.classifiers import Mira`` and
``from lxmls_day1.readers import SentimentCorpus`` work wherever the package is installed.

Importing this package takes no time: ``lxmls-day1 --help`` must not wait for numerical libraries.
"""

import sys

from lxmls_day1.library_path import PACKAGES, ReferenceFallbackFinder, ReferenceFinder, RenamedModuleFinder

TYPE_CHECKING = False  # Type checkers treat this name specially; importing `typing` would take time.
if TYPE_CHECKING:
    from lxmls_day1.lab import Lab

__all__ = ["Lab", "classifiers", "readers"]
__version__ = "0.3.0"

if not any(isinstance(finder, ReferenceFinder) for finder in sys.meta_path):
    sys.meta_path[:] = [ReferenceFinder(), RenamedModuleFinder(), *sys.meta_path, ReferenceFallbackFinder()]

if not TYPE_CHECKING:  # With __getattr__, a type checker would accept any name.

    def __getattr__(name: str) -> object:
        """Import a name of this package on first use."""
        if name != "Lab" and name not in PACKAGES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        # Imported here because at module level the search path may still have a student's files.
        from importlib import import_module

        return import_module(f"{__name__}.lab").Lab if name == "Lab" else import_module(f"{__name__}.{name}")

    def __dir__() -> list[str]:
        """Return the names to import from this package and those that are already imported."""
        return sorted({*globals(), *__all__})
