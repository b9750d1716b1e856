"""What a run of grading depends on: checks, expected answers, seed, limits, level. All workers of a run have the same plan."""

import functools
import hashlib
import json
import platform
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

import lxmls_day1
from lxmls_day1.base.errors import InputError
from lxmls_day1.box.levels import Level
from lxmls_day1.box.limits import Limits
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import FILE, FOLDER, RECORDED, Exercise, Registry, check_files
from lxmls_day1.course.workspaces.generation import Files, student_files
from lxmls_day1.engine.cluster.workers import digest_of, installation
from lxmls_day1.grading.gradebook import Gradebook, SubmissionGrade
from lxmls_day1.grading.reports.report_files import write_files
from lxmls_day1.lab import reference_folder
from lxmls_day1.library_path import PACKAGES

EXPECTED = ".expected.json"
OWN_SECONDS = 30.0  # for the grader's own work on one submission: reading it, judging answers, pages
UNSAFE = "hidden checks are not run at the sandbox level {level}, because the graded code could read them there"


@dataclass(frozen=True)
class Plan:
    """All that grading a submission depends on; it goes to the workers, and never into a box.

    Attributes
    ----------
    exercises : tuple of Exercise
        Those that are graded.
    registry : Registry
        All there are, the graded ones as those assigned: the files of all of them are the student's.
    expected : RecordedAnswers
        What the reference answers in the checks. The small inputs are not in it: each check reads those that are recorded beside it.
    given : dict from path to bytes
        What students were given, with stubs.
    seed : int
    limits : Limits
    level : Level
    refuse_hidden : str
        Why hidden checks are not run, if they are not.
    key : str
        A digest of all this.
    graded : str
        When, as ISO 8601.
    grader : str
        The `grader_version` of the installation that has made this plan; a worker with another version must not grade by it.
    sources : str
        A digest of what `expected` was computed from, beside the seed.
    """

    exercises: tuple[Exercise, ...]
    registry: Registry
    expected: RecordedAnswers
    given: Files
    seed: int
    limits: Limits
    level: Level
    refuse_hidden: str
    key: str = ""
    graded: str = ""
    grader: str = ""
    sources: str = ""

    def with_key(self) -> "Plan":
        """The same plan, with digests of what decides about verdicts. Points do not: `with_points` applies them."""
        exercises = [asdict(exercise) | {"points": 0} for exercise in self.exercises]
        parts = {
            "the seed": self.seed,
            "the limits": asdict(self.limits),
            "the sandbox": [self.level.name, self.refuse_hidden],
            "the exercises": exercises,
            "the checks": [path.read_text(encoding="utf-8") for path in all_check_files(self.exercises)],
            "the grader": self.grader,
            "what is expected": self.sources,
        }
        digests = {name: hashlib.sha256(json.dumps(part, sort_keys=True).encode()) for name, part in parts.items()}
        return replace(self, key=";".join(f"{name}={digest.hexdigest()[:12]}" for name, digest in digests.items()))

    def changed_since(self, key: str) -> str:
        """What is not as it was when a row with that key was made."""
        before = set(key.split(";"))
        parts = [part.partition("=")[0] for part in self.key.split(";") if part not in before]
        causes = [part for part in parts if part != "what is expected"]  # which follows from the others
        return ", ".join(causes or parts)

    def with_points(self, row: SubmissionGrade) -> SubmissionGrade:
        """A row with the points that the exercises bring now; its verdicts stay."""
        points = {exercise.id: float(exercise.points) for exercise in self.exercises}
        return replace(
            row, exercises=tuple(replace(one, out_of=points.get(one.id, one.out_of)) for one in row.exercises)
        )

    def new_points(self, row: SubmissionGrade) -> list[str]:
        """The exercises of a row that bring other points now, and which."""
        return [
            f"{new.id} {new.out_of:g} instead of {old.out_of:g}"
            for old, new in zip(row.exercises, self.with_points(row).exercises, strict=True)
            if old.out_of != new.out_of
        ]

    @property
    def patience(self) -> float:
        """Seconds on the clock after which the worker that has a submission is killed: two tries of its code, and our own work."""
        return 2 * self.limits.total_seconds + OWN_SECONDS

    def gradebook(self, rows: Iterable[SubmissionGrade] = ()) -> Gradebook:
        """What came of it: these rows, in the order of the students."""
        return Gradebook(
            tuple(sorted(rows, key=lambda row: row.student)),
            self.seed,
            self.level.name,
            self.level.text,
            asdict(self.limits),
            not self.refuse_hidden,
            self.graded,
            lxmls_day1.__version__,
        )


def all_check_files(exercises: Iterable[Exercise]) -> list[Path]:
    """The files with the checks of some exercises, public and hidden."""
    folder = reference_folder() / FOLDER
    return [path for exercise in exercises for path in check_files(folder, exercise)]


def make_plan(
    out: Path,
    level: Level,
    ids: Sequence[str] | None = None,
    seed: int | None = None,
    limits: Limits | None = None,
    trust: bool = False,
) -> Plan:
    """Decide how this run grades, and compute what its checks expect.

    Parameters
    ----------
    out : Path
        The folder of the run. The seed and the expected answers are kept there, for a run that is taken up again.
    level : Level
    ids : sequence of str, optional
        The exercises; all unless given.
    seed : int, optional
        Of the hidden checks. Unless given, that of the run in `out` if there is one, else a fresh one.
    limits : Limits, optional
    trust : bool
        Run hidden checks at a level that is not safe, too.

    Raises
    ------
    InputError
        If there is no such exercise, this lab has no solutions, or the reference fails a check.
    """
    reference = reference_folder()
    registry = Registry.read(reference / FOLDER / "exercises.toml")
    if registry.assigned != registry.ids or not (reference / FOLDER / "mistakes").is_dir():
        raise InputError(
            "grading needs the reference solutions and the hidden checks, but this installation is one for students; "
            "grade from a checkout of the course."
        )
    exercises = tuple(registry.select(ids))
    saved = _saved_expectations(out)
    if seed is None:
        seed = saved["seed"] if saved else secrets.randbits(32)
    sources = _digest_of_checks(exercises)
    if saved and saved["seed"] == seed and saved["sources"] == sources:
        fresh = saved["answers"]
    else:
        from lxmls_day1.course.running.snapshot import answers_of_reference  # not needed where the answers are kept

        fresh = answers_of_reference([exercise.id for exercise in exercises], hidden=True, seed=seed)
        content = {"seed": seed, "sources": sources, "answers": json.loads(fresh.to_json())}
        write_files(out, {PurePosixPath(EXPECTED): json.dumps(content).encode()})
    return Plan(
        exercises,
        Registry(registry, [exercise.id for exercise in exercises]),
        fresh,
        student_files(reference),
        seed,
        limits or Limits(),
        level,
        "" if level.safe or trust else UNSAFE.format(level=level.name),
        graded=datetime.now(UTC).replace(microsecond=0).isoformat(),
        grader=grader_version(),
        sources=sources,
    ).with_key()


@functools.cache
def grader_version() -> str:
    """Return the version of this installation, and digests of the package, the reference lab and the checks.

    A plan holds the exercises themselves: their file is no part of this, so that other points need no other verdicts.
    """
    reference = reference_folder()
    checks = [path for path in (reference / FOLDER).rglob("*") if path.suffix in (".py", ".toml", ".json")]
    return f"{installation()}, checks {digest_of([path for path in checks if path != reference / FILE], reference)}"


def _digest_of_checks(exercises: Sequence[Exercise]) -> str:
    reference = reference_folder()
    versions = [lxmls_day1.__version__, platform.python_version(), *map(version, ("numpy", "scipy"))]
    digest = hashlib.sha256(" ".join(versions).encode())
    mistakes = [path for e in exercises for path in sorted((reference / FOLDER / "mistakes").glob(f"{e.stem}_*.toml"))]
    recorded = sorted((reference / RECORDED).glob("*.json"))
    sources = sorted(path for name in PACKAGES for path in (reference / name).rglob("*.py"))
    for path in [*all_check_files(exercises), *mistakes, *sources, *recorded]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _saved_expectations(out: Path) -> dict[str, Any] | None:
    path = out / EXPECTED
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        answers = RecordedAnswers.from_plain(content["answers"])
        return {"seed": int(content["seed"]), "sources": str(content["sources"]), "answers": answers}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # not there, or damaged: computed anew
