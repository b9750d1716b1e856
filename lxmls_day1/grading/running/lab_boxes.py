"""The settings of boxes for grading: the program that runs in them, and the files on this machine that are hidden from them."""

import contextlib
import os
import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path

import lxmls_day1
from lxmls_day1.box.programs import Program
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.running.solution_blocking import BLOCKED_LIBRARY, solution_modules
from lxmls_day1.engine.text.corpora import cache_folder
from lxmls_day1.lab import PACKAGES, reference_folder

LAB_PROGRAM = "lxmls_day1.grading.running.lab_program:LabProgram"


def lab_program() -> Program:
    """Return the program of boxes that hold a lab."""
    refused = solution_modules(Registry.from_folder(reference_folder()))
    hidden = [*secret_folders(), *_files_of(refused)]
    return Program(LAB_PROGRAM, cache_folder(), {"refused": refused}, tuple(hidden))


def _files_of(modules: Iterable[str]) -> list[Path]:
    """Return the files and folders on this machine from which these modules could be imported or read, also as machine code.

    The folders of compiled code are hidden whole, because a training of the instructor may add a file to them at any time.
    """
    found = [Path(place) for place in (sys.pycache_prefix, os.environ.get("NUMBA_CACHE_DIR")) if place]
    for name in modules:
        if name == BLOCKED_LIBRARY:
            spec = PathFinder.find_spec(name, [entry for entry in sys.path if Path(entry).name.endswith("-packages")])
            found += map(Path, spec.submodule_search_locations or () if spec else ())
        else:
            source = Path(lxmls_day1.__file__).parents[1].joinpath(*name.split(".")).with_suffix(".py")
            compiled = source.with_name("__pycache__")
            with contextlib.suppress(OSError):  # It cannot be made later either.
                compiled.mkdir(exist_ok=True)
            found += [source, compiled]
    return [path for path in dict.fromkeys(found) if path.exists()]


def secret_folders() -> list[Path]:
    """Return the folders that contain solutions and hidden checks."""
    reference, package = reference_folder(), Path(lxmls_day1.__file__).parent
    inside = package / "reference_lab"
    if (reference / "__init__.py").is_file() or reference.name == inside.name:
        folders = [reference]
    else:
        parts = (*PACKAGES, "notebooks", "tests")
        folders = [path for path in reference.iterdir() if path.name in parts]
    folders += [path for path in (inside, *map(package.joinpath, PACKAGES)) if path.is_dir() and path != reference]
    return folders
