"""Labs of our own in which a known mistake is made: copies of the reference lab. For authors.

Their rules are plain Python, because compiling a rule takes longer than checking it.
"""

import os
import re
import shutil
from pathlib import Path

from lxmls_day1.course.mistakes import Program
from lxmls_day1.course.registry import Exercise
from lxmls_day1.lab import PACKAGES


def uncompiled_lab(reference: Path, folder: Path) -> Path:
    """A copy of the reference lab whose rules are plain Python."""
    for package in PACKAGES:
        shutil.copytree(reference / package, folder / package, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    for path in folder.glob("classifiers/**/*.py"):
        source = path.read_text(encoding="utf-8")
        if source != (plain := uncompiled(source)):  # unchanged files bring their bytecode along
            path.write_text(plain, encoding="utf-8")
    return folder.resolve()


def mistaken_lab(plain: Path, exercise: Exercise, program: Program, folder: Path) -> Path:
    """A copy, in a new folder, of the lab of `uncompiled_lab` with this program instead of the solution."""
    sources = {
        name: (plain / name).read_text(encoding="utf-8").replace("\r\n", "\n")
        for name in exercise.files
        if name.endswith(".py")
    }
    made = program.made_in(sources)
    for package in PACKAGES:
        shutil.copytree(plain / package, folder / package, copy_function=linked)
    for name, source in made.items():
        (folder / name).unlink()  # the others go on having what it was
        (folder / name).write_text(source, encoding="utf-8")
    return folder.resolve()


def linked(source: str, target: str) -> str:
    """Let the same file have another name; where that cannot be, it is copied."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target


def uncompiled(source: str) -> str:
    """The source with its rules as plain Python: compiling one takes longer than checking it.

    Examples
    --------
    >>> uncompiled("@compiled\\ndef rule(scores): ...")
    'def rule(scores): ...'
    """
    return re.sub(r"^@compiled[ \t]*\r?\n", "", source, flags=re.MULTILINE)
