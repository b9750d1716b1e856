"""What must not be called while an exercise is checked, because it is the answer: see ``answered_by`` in ``exercises.toml``."""

import functools
from collections.abc import Iterable
from pathlib import PurePosixPath

from lxmls_day1.course.markers import find_solutions
from lxmls_day1.course.registry import Exercise
from lxmls_day1.lab import PACKAGES, reference_folder

PACKAGE = __name__.partition(".")[0]


def refusals(exercise: Exercise) -> dict[str, str]:
    """The functions that answer an exercise, and what each says when it is called: for `refused_calls.calls_refused`.

    Parameters
    ----------
    exercise : Exercise

    Returns
    -------
    dict of str to str
        The functions that the exercise names; one of a lab file under each name by which it can be imported. And the reference's
        solution under its name in this package, where the reference has one.
    """
    names = [alias for name in exercise.answered_by for alias in _aliases(name)]
    return {name: _message(name, exercise) for name in (*names, *_solutions(exercise.id, exercise.files))}


def refusals_of_package(exercises: Iterable[Exercise]) -> dict[str, str]:
    """Those of `refusals` that stand in this package."""
    found = {name: message for exercise in exercises for name, message in refusals(exercise).items()}
    reference = tuple(f"{PACKAGE}.{folder}." for folder in PACKAGES)
    return {n: m for n, m in found.items() if n.startswith(f"{PACKAGE}.") and not n.startswith(reference)}


def libraries_refused(exercises: Iterable[Exercise]) -> set[str]:
    """The installed libraries that hold an answer."""
    names = {name.partition(".")[0] for exercise in exercises for name in exercise.answered_by}
    return names - {PACKAGE, *PACKAGES}


def _message(name: str, exercise: Exercise) -> str:
    where = " and ".join(exercise.files)
    return (
        f"{name} answers exercise {exercise.id} and cannot be called while that is checked: "
        f"write what it does in {where}; what the exercise asks for takes numpy alone"
    )


def _aliases(name: str) -> Iterable[str]:
    package, _, rest = name.partition(".")
    return (name, f"{PACKAGE}.{name}", rest) if package in PACKAGES else (name,)


@functools.cache
def _solutions(id: str, files: tuple[str, ...]) -> tuple[str, ...]:
    """The functions of the reference lab that hold a solution."""
    found = []
    for name in files:
        path = reference_folder() / name
        source = path.read_text(encoding="utf-8") if name.endswith(".py") and path.is_file() else ""
        module = ".".join((PACKAGE, *PurePosixPath(name).with_suffix("").parts))
        found += [f"{module}.{s.function}" for s in find_solutions(source, name) if s.exercise == id and s.function]
    return tuple(dict.fromkeys(found))
