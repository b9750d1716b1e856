"""The plan of a run of grading: checks, expected answers, seed, limits, level. All workers of a run have the same plan."""

import contextlib
import functools
import hashlib
import json
import os
import platform
import secrets
import stat
from collections.abc import Iterable, Mapping, Sequence
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
from lxmls_day1.engine.cluster.workers import digest_of, installation_fingerprint
from lxmls_day1.engine.text.corpora import cache_folder
from lxmls_day1.grading.gradebook import Gradebook, SubmissionGrade
from lxmls_day1.grading.reports.report_files import write_files
from lxmls_day1.lab import reference_folder
from lxmls_day1.library_path import PACKAGES

EXPECTED = ".expected.json"
KEPT = "expected-answers"  # a folder in the cache folder; boxes see neither
GRADER_SECONDS = 30.0  # for the grader's own work on one submission: reading it, judging answers, making pages
UNSAFE = "hidden checks are not run at the sandbox level {level}, because the graded code could read them there"


@dataclass(frozen=True)
class Plan:
    """Everything that grading a submission depends on. It is sent to the workers, and never to a box.

    Attributes
    ----------
    exercises : tuple of Exercise
        The exercises to be graded.
    registry : Registry
        All exercises, with the graded ones as the assigned ones. The student's versions of the files of all exercises are used.
    expected : RecordedAnswers
        The answers of the reference lab in the checks, without those to probe inputs, which each check reads from a recording.
    given : dict from path to bytes
        The starter files, with stubs.
    seed : int
    limits : Limits
    level : Level
    hidden_refused_reason : str
        The reason why hidden checks are not run; empty if they are run.
    key : str
        Digests of everything above that decides about verdicts.
    graded : str
        The time of the run, as ISO 8601.
    grader : str
        The `grader_version` of the installation that made this plan. A worker with another version must not grade by it.
    sources : str
        A digest of the inputs of `expected`, except the seed.
    """

    exercises: tuple[Exercise, ...]
    registry: Registry
    expected: RecordedAnswers
    given: Files
    seed: int
    limits: Limits
    level: Level
    hidden_refused_reason: str
    key: str = ""
    graded: str = ""
    grader: str = ""
    sources: str = ""

    def with_key(self) -> "Plan":
        """Return the same plan with its `key`.

        The key covers everything that decides about verdicts. Points do not, because `with_points` applies them.
        """
        exercises = [asdict(exercise) | {"points": 0} for exercise in self.exercises]
        parts = {
            "the seed": self.seed,
            "the limits": asdict(self.limits),
            "the sandbox": [self.level.name, self.hidden_refused_reason],
            "the exercises": exercises,
            "the checks": [path.read_text(encoding="utf-8") for path in all_check_files(self.exercises)],
            "the grader": self.grader,
            "what is expected": self.sources,
        }
        digests = {name: hashlib.sha256(json.dumps(part, sort_keys=True).encode()) for name, part in parts.items()}
        return replace(self, key=";".join(f"{name}={digest.hexdigest()[:12]}" for name, digest in digests.items()))

    def differences_from(self, key: str) -> str:
        """Return the names of the settings that differ from those of a row with that key."""
        before = set(key.split(";"))
        parts = [part.partition("=")[0] for part in self.key.split(";") if part not in before]
        causes = [part for part in parts if part != "what is expected"]  # It follows from the other changes.
        return ", ".join(causes or parts)

    def with_points(self, row: SubmissionGrade) -> SubmissionGrade:
        """Return the row with the current points of the exercises. Its verdicts stay the same."""
        points = {exercise.id: float(exercise.points) for exercise in self.exercises}
        exercises = tuple(replace(one, out_of=points.get(one.id, one.out_of)) for one in row.exercises)
        return replace(row, exercises=exercises)

    def changed_points(self, row: SubmissionGrade) -> list[str]:
        """Return a description of each exercise of the row whose points have changed."""
        pairs = zip(row.exercises, self.with_points(row).exercises, strict=True)
        return [f"{new.id} {new.out_of:g} instead of {old.out_of:g}" for old, new in pairs if old.out_of != new.out_of]

    @property
    def worker_timeout(self) -> float:
        """Seconds, as `lxmls_day1.base.waiting` counts them, after which a worker is killed: two runs of all checks, and our own work."""
        return 2 * self.limits.total_seconds + GRADER_SECONDS

    def gradebook(self, rows: Iterable[SubmissionGrade] = ()) -> Gradebook:
        """Return a gradebook of these rows, in the order of the students."""
        return Gradebook(
            tuple(sorted(rows, key=lambda row: row.student)),
            self.seed,
            self.level.name,
            self.level.description,
            asdict(self.limits),
            not self.hidden_refused_reason,
            self.graded,
            lxmls_day1.__version__,
        )


def all_check_files(exercises: Iterable[Exercise]) -> list[Path]:
    """Return the files with the checks of some exercises, public and hidden."""
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
    """Decide how this run grades, and compute the expected answers of its checks.

    Parameters
    ----------
    out : Path
        The folder of the run. The seed and the expected answers are saved there, so that the run can be resumed.
    level : Level
    ids : sequence of str, optional
        The ids of the exercises. Default: all.
    seed : int, optional
        The seed of the hidden checks. Default: the seed of an earlier run in `out`, else the one that this machine drew for this
        version of lab, checks and libraries, whose answers are kept. A seed that is given is not kept.
    limits : Limits, optional
    trust : bool
        If True, hidden checks also run at a level that does not keep them secret.

    Raises
    ------
    InputError
        If an exercise does not exist, this lab has no solutions, or the reference lab fails a check.
    """
    reference = reference_folder()
    registry = Registry.read(reference / FOLDER / "exercises.toml")
    if registry.assigned != registry.ids or not (reference / FOLDER / "mistakes").is_dir():
        raise InputError(
            "grading needs the reference solutions and the hidden checks, but this installation is one for students; "
            "grade from a checkout of the course."
        )
    exercises = tuple(registry.select(ids))
    saved, sources = _saved_expectations(out), _digest_of_checks(exercises)
    kept_folder = _kept_folder(sources)
    kept = _saved_expectations(kept_folder) if _belongs_to_us(kept_folder) else None
    draws = seed is None and not saved
    if seed is None:
        seed = next((found["seed"] for found in (saved, kept) if found), secrets.randbits(32))
    usable = [found for found in (saved, kept) if found and found["seed"] == seed and found["sources"] == sources]
    if usable:
        fresh = usable[0]["answers"]
    else:
        from lxmls_day1.course.running.snapshot import reference_answers  # not needed if the answers were saved

        fresh = reference_answers([exercise.id for exercise in exercises], seed=seed)
    if not usable or usable[0] is kept:
        content = {"seed": seed, "sources": sources, "answers": json.loads(fresh.to_json())}
        content["digest"] = _digest_of_content(content)
        text = json.dumps(content).encode()
        write_files(out, {PurePosixPath(EXPECTED): text})
        if draws and not usable:
            _keep(kept_folder, text)
    return Plan(
        exercises,
        Registry(registry, [exercise.id for exercise in exercises]),
        fresh,
        _starter_files(reference),
        seed,
        limits or Limits(),
        level,
        "" if level.is_safe or trust else UNSAFE.format(level=level.name),
        graded=datetime.now(UTC).replace(microsecond=0).isoformat(),
        grader=grader_version(),
        sources=sources,
    ).with_key()


def prepare_plan() -> None:
    """Do the part of `make_plan` that depends on nothing else, while something else is waited for."""
    _starter_files(reference_folder())
    grader_version()


_starter_files = functools.cache(student_files)


@functools.cache
def grader_version() -> str:
    """Return the version of this installation, and digests of the package, the reference lab and the checks.

    The file of exercises is not included, so that a change of points keeps the verdicts. A plan holds the exercises itself.
    """
    reference = reference_folder()
    checks = [path for path in (reference / FOLDER).rglob("*") if path.suffix in (".py", ".toml", ".json")]
    return f"{installation_fingerprint()}, checks {digest_of([path for path in checks if path != reference / FILE], reference)}"


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


def _saved_expectations(folder: Path) -> dict[str, Any] | None:
    path = folder / EXPECTED
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("digest") != _digest_of_content(content):
            return None
        answers = RecordedAnswers.from_plain(content["answers"])
        return {"seed": int(content["seed"]), "sources": str(content["sources"]), "answers": answers}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # missing or damaged; the caller computes the answers again


def _digest_of_content(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


# The answers take as long to compute as all other preparations together, so those to a seed that was drawn here are kept. A file is
# used only if it has the digest of its content, and the digest of everything that the answers depend on, and if only this user can
# have written it. It is JSON, so it can hold wrong answers but no code.


def _kept_folder(sources: str) -> Path:
    """Return the folder of the kept answers for these sources and this grader."""
    return cache_folder() / KEPT / hashlib.sha256(f"{sources} {grader_version()}".encode()).hexdigest()[:32]


def _belongs_to_us(folder: Path) -> bool:
    """Return True if a folder and the folder around it can be written by this user only."""
    try:
        stats = [path.lstat() for path in (folder, folder.parent)]
    except OSError:
        return False
    if not hasattr(os, "geteuid"):
        return True
    return all(s.st_uid == os.geteuid() and stat.S_ISDIR(s.st_mode) and not s.st_mode & 0o022 for s in stats)


def _keep(folder: Path, text: bytes) -> None:
    with contextlib.suppress(OSError):  # Nothing is lost but time.
        for path in (folder.parent, folder):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _belongs_to_us(folder):
            write_files(folder, {PurePosixPath(EXPECTED): text})
