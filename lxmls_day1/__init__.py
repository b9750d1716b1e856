"""The machinery of the day-1 lab: it opens, runs and compares what stands in a lab folder.

===================  =====================================================================
``lab``              opens a lab folder and loads its ``readers`` and ``classifiers``
``notebook_lab``     the lab as a notebook opens it: with checks, hints and status
``lab_api``          all that the files of a workspace import of this package
``learner_list``     the list of learners, read from the files of a lab
``lazy_names``       names that a package offers and imports when they are first used
``library_path``     where libraries are imported from: never the current folder or a lab; what a lab lacks
``errors``           the errors that a user's mistake raises
``checks``           the checks of what a caller passes in
``settings``         the settings of a class: found, read and checked
``whole_files``      files that are either written completely or left as they were; locked folders
``processes``        how a process ends together with all that it has started
``waiting``          waiting for processes on a busy machine: limits on what they do, not on the clock
``gaussians``        scores and Bayes error of Gaussian classes
``result_table``     what a comparison of classifiers ends with, and its files
``plain_data``       dataclasses as plain data, and back
``npz_file``         values and arrays in one file that runs no code when it is read
``model_file``       trained classifiers as files
``tuning``           hyper-parameters chosen on the development part
``estimators``       the classifiers as classes of scikit-learn
``sklearn_adapter``  what these share; any classifier as an estimator; calibration
``engine/``          compiled loops, text into matrices, corpora on disk, a cluster
``figures/``         decision boundaries and other figures: computed, and drawn
``commands/``        the command line ``lxmls-day1``, a module for each command
``course/``          markers, hints, checks, workspaces: what students and instructors use
``box/``             runs untrusted code and hands plain data back
``grading/``         untrusted submissions: run in a box, judged outside of it
``demos/``           demonstrations for the projector
``browser/``         the lab as a web site, with Python in the page
===================  =====================================================================

The reference lab is part of the package: ``from lxmls_day1 import Lab``, ``from lxmls_day1.classifiers import Mira`` and
``from lxmls_day1.readers import SentimentCorpus`` work wherever the package is installed.

Importing this package takes no time: ``lxmls-day1 --help`` must not wait for numerical libraries.
"""

import sys

from lxmls_day1.library_path import PACKAGES, MissingFinder, MovedFinder, ReferenceFinder

TYPE_CHECKING = False  # for type checkers: the module `typing` takes time
if TYPE_CHECKING:
    from lxmls_day1.lab import Lab

__all__ = ["Lab", "classifiers", "readers"]
__version__ = "0.2.0"

if not any(isinstance(finder, ReferenceFinder) for finder in sys.meta_path):
    sys.meta_path[:] = [ReferenceFinder(), MovedFinder(), *sys.meta_path, MissingFinder()]

if not TYPE_CHECKING:  # a type checker would take any name for one of this module

    def __getattr__(name: str) -> object:
        """What is imported when it is first asked for."""
        if name != "Lab" and name not in PACKAGES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # at the head it would have to be found before the search path is in order

        return import_module(f"{__name__}.lab").Lab if name == "Lab" else import_module(f"{__name__}.{name}")

    def __dir__() -> list[str]:
        """These names, and what is there already."""
        return sorted({*globals(), *__all__})
