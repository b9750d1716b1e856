"""The autograder as a zip file for a platform: its scripts, a wheel of this package, and the settings.

==================  =================================================================================================
``gradescope``      the whole grader, with the hidden checks; the students' code runs in boxes
``prairielearn``    the whole grader as a question of a course, and the files to build an image with the libraries
``classroom50``     only the public checks. Classroom 50 publishes the autograder for jobs in the students' own
                    repositories, which students can change, so the autograder must not contain secrets
==================  =================================================================================================

The scripts are in ``autograder_files``, in one folder for each platform. In the container they call
`lxmls_day1.grading.autograder_entry`.

References
----------
Gradescope, *Autograder Specifications*, https://gradescope-autograders.readthedocs.io/en/latest/specs/

PrairieLearn, *External Grading*, https://prairielearn.readthedocs.io/en/latest/externalGrading/

Classroom 50, *Advanced Autograding*, https://github.com/foundation50/classroom50/wiki/Advanced-Autograding
"""

import json
import secrets
import tomllib
import uuid
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import FILE, Registry
from lxmls_day1.course.workspaces.archives import zipped
from lxmls_day1.course.workspaces.generation import Files, reference_files
from lxmls_day1.course.workspaces.student_bundle import build_wheel, find_checkout, require_no_leaks, student_lab

PLATFORMS = ("gradescope", "classroom50", "prairielearn")
SCRIPTS = Path(__file__).with_name("autograder_files")
PROGRAMS = ("setup.sh", "run_autograder", "run.sh")
QUESTION = "day-1"  # the folder of the question at PrairieLearn


@dataclass(frozen=True)
class Settings:
    """The settings of an autograder.

    Attributes
    ----------
    exercises : tuple of str
        The ids of the graded exercises.
    seed : int
        The seed of the hidden checks, the same for all students.
    trust : bool
        If True, hidden checks also run at a sandbox level that does not keep them secret.
    """

    exercises: tuple[str, ...]
    seed: int
    trust: bool = False

    @classmethod
    def read(cls, path: Path) -> "Settings":
        """Read the settings from the file in the autograder's zip file."""
        content = json.loads(path.read_text(encoding="utf-8"))
        return cls(tuple(content["exercises"]), content["seed"], content["trust"])


@dataclass(frozen=True)
class Autograder:
    """An autograder: the content of the zip file, its settings, and whether it contains the hidden checks."""

    archive: bytes
    settings: Settings
    hidden: bool


def autograder(
    platform: str, ids: Collection[str] | None = None, seed: int | None = None, trust: bool = False
) -> Autograder:
    """Make the autograder for a platform.

    Parameters
    ----------
    platform : str
        One of `PLATFORMS`.
    ids : collection of str, optional
        The ids of the exercises. Default: all.
    seed : int, optional
        The seed of the hidden checks. Default: a random seed.
    trust : bool
        If True, hidden checks also run at a sandbox level that does not keep them secret.

    Raises
    ------
    InputError
        If the platform or an exercise does not exist, this is not a checkout with solutions, or hatchling is not installed.
    """
    if platform not in PLATFORMS:
        raise InputError(f"there is no autograder for {platform!r}; the platforms are: {', '.join(PLATFORMS)}.")
    reference = find_checkout()
    if not (reference / FILE).with_name("mistakes").is_dir():
        raise InputError(
            "an autograder needs the solutions and the hidden checks, but this checkout is one for students."
        )
    exercises = tuple(exercise.id for exercise in Registry.read(reference / FILE).select(ids))
    settings = Settings(exercises, secrets.randbits(32) if seed is None else seed, trust)
    hidden = platform != "classroom50"
    if hidden:
        name, wheel = build_wheel(reference, reference_files(reference))
    else:
        lab = student_lab(exercises)
        name, wheel = lab.wheel_name, lab.wheel
        require_no_leaks({PurePosixPath(name): wheel}, lab.stubbed)
    files = _scripts(platform)
    place = PurePosixPath(QUESTION, "tests") if platform == "prairielearn" else PurePosixPath()
    files[place / name] = wheel
    files[place / "settings.json"] = _json(asdict(settings))
    files[PurePosixPath("constraints.txt")] = (reference / "constraints.txt").read_bytes().replace(b"\r\n", b"\n")
    if platform == "prairielearn":
        files[PurePosixPath("requirements.txt")] = "".join(f"{line}\n" for line in _requirements(reference)).encode()
        # The same exercises give the same UUID of the question.
        question = {"uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"lxmls-day1 {' '.join(exercises)}"))}
        place = PurePosixPath(QUESTION, "info.json")  # its time limit is the maximum that PrairieLearn allows
        files[place] = _json(question | json.loads(files[place]))
    elif platform == "classroom50":
        files[PurePosixPath("runtime.json")] = _json({"runs-on": "ubuntu-latest", "python": "3.12"})
    return Autograder(zipped(files, "", [path for path in files if path.name in PROGRAMS]), settings, hidden)


def _scripts(platform: str) -> Files:
    """Return the scripts of a platform.

    A Python script is stored here with the suffix ``.txt``, so that it does not count as a module of this package.
    """
    folder = SCRIPTS / platform
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [path.relative_to(folder).as_posix().removesuffix(".txt") for path in files]
    contents = [path.read_bytes().replace(b"\r\n", b"\n") for path in files]
    return dict(zip(map(PurePosixPath, names), contents, strict=True))


def _requirements(reference: Path) -> list[str]:
    """Return the dependencies of grading, for an image that does not contain this package."""
    project = tomllib.loads((reference / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    required = [*project["dependencies"], *extras["fast"], *extras["grading"]]
    return sorted(line.partition(";")[0] for line in required)  # A marker leaves out other systems; the image is Linux.


def _json(content: object) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()
