"""The exercises of a lab, described in ``tests/exercises/exercises.toml``; the files with their checks are in the same folder.

    [[exercise]]
    id = "1.5"
    title = "MIRA"
    kind = "code"                          # or "experiment", "derivation"
    part = "core"                          # or "afternoon", the core's first three hours; default: "further"
    formerly = ["1.4a"]                    # optional: previous ids
    points = 10
    files = ["classifiers/mira.py"]        # the files that contain its solution
    answered_by = ["package.module:f"]     # optional: functions that cannot be called while this exercise is checked
    notebook = "notebooks/2_online.ipynb"
    prerequisites = ["1.4"]
    task = "What goes in, what comes out."
    stubs = { "Mira.steps" = "…" }         # optional: another text for the stub in that function
    counter_example = "steps"              # optional: how a notebook draws a probe input (lxmls_day1/figures/counter_examples.py)
    hints = ["the idea", "the equation", "a sketch of the code"]

In a workspace the file may begin with the keys ``assigned``, the ids of the assigned exercises, and ``is_part``. If ``is_part`` is true,
the file describes only the exercises that the workspace contains.

The checks of exercise 1.5 are the files ``test_1_05_*.py`` in the same folder. A letter marks an additional step of an exercise, such as
"1.4b", whose checks are ``test_1_04b_*.py``.
"""

import functools
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from string import ascii_lowercase
from typing import Any

from lxmls_day1.base.errors import InputError, did_you_mean
from lxmls_day1.lab import reference_folder

FOLDER = PurePosixPath("tests/exercises")
FILE = FOLDER / "exercises.toml"
RECORDED = FOLDER / "recorded"  # one file for each exercise, such as 1.5.json
MISTAKES = FOLDER / "mistakes"
PROBE_INPUTS_CHECK = "test_small_inputs"  # the check of the probe inputs; no function in the check file has this name
KINDS = ("code", "experiment", "derivation")
PARTS = ("afternoon", "core", "further")
HINT_STEPS = ("idea", "equation", "code sketch")
REMOVED_KEYS = {"boundary"}  # keys that occur in the files of older labs
ID = re.compile(r"[1-9]\d*\.[1-9]\d*[a-z]?", re.ASCII)
CHECK_FILE = re.compile(r"test_(\d+)_(\d\d)([a-z]?)_.*\.py")


@dataclass(frozen=True)
class Exercise:
    """One exercise of the registry. Paths are relative to the lab, with forward slashes."""

    id: str
    title: str
    kind: str
    points: float
    files: tuple[str, ...]
    notebook: str
    task: str
    hints: tuple[str, ...]
    prerequisites: tuple[str, ...] = ()
    stubs: dict[str, str] = field(default_factory=dict, hash=False)
    counter_example: str = ""
    answered_by: tuple[str, ...] = ()
    part: str = "further"
    formerly: tuple[str, ...] = ()
    minutes: int = 0

    def __str__(self) -> str:
        return f"Exercise {self.id}: {self.title}"

    @property
    def stem(self) -> str:
        """The beginning of the names of its files, such as ``1_05`` or ``1_04b``, so that they sort in the order of the exercises."""
        chapter, number = self.id.split(".")
        digits = number.rstrip(ascii_lowercase)
        return f"{chapter}_{int(digits):02d}{number[len(digits) :]}"

    @property
    def notebook_name(self) -> str:
        """The name of its notebook, such as ``2_online``, as `lxmls-day1 add` expects it."""
        return PurePosixPath(self.notebook).stem

    @property
    def is_core(self) -> bool:
        """True if it belongs to the core, the exercises of the guide with which a workspace begins."""
        return self.part != "further"

    @property
    def all_ids(self) -> tuple[str, ...]:
        """Its id and its previous ids."""
        return (self.id, *self.formerly)

    @property
    def has_code(self) -> bool:
        """True if a student writes code for it that checks test. A derivation may end in code, too."""
        return self.kind == "code" or any(name.endswith(".py") for name in self.files)

    def stub_task(self, function: str | None) -> str:
        """Return the task in the stub of a function."""
        return self.stubs.get(function or "", self.task)


class Registry:
    """The exercises of a lab, in the order of the file. ``registry["1.5"]`` is the exercise with that id.

    Parameters
    ----------
    exercises : iterable of Exercise
    assigned : collection of str, optional
        The ids of the exercises to be solved here. Default: all. The other exercises are in the lab with their solutions.
    is_part : bool
        True if this lab is a workspace with only some of the exercises.
    """

    def __init__(self, exercises: Iterable[Exercise], assigned: Iterable[str] | None = None, is_part: bool = False):
        self.is_part = is_part
        self._exercises = {exercise.id: exercise for exercise in exercises}
        self._renamed = {name: exercise.id for exercise in self for name in exercise.formerly}
        self.assigned = tuple(self._exercises) if assigned is None else tuple(assigned)

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self._exercises.values())

    def __len__(self) -> int:
        return len(self._exercises)

    def __contains__(self, id: object) -> bool:
        return id in self._exercises

    def __getitem__(self, id: str) -> Exercise:
        """Return the exercise with this id. For a previous id, warn with the current one.

        Raises
        ------
        InputError
            If the exercise does not exist; the message names the nearest ids.
        """
        if id in self._renamed and id not in self._exercises:
            warnings.warn(f"exercise {id} is now called {self._renamed[id]}.", stacklevel=2)
            return self._exercises[self._renamed[id]]
        try:
            return self._exercises[id]
        except KeyError:
            for exercise in self.missing_exercises():
                if exercise.id == id:
                    where = f"exercise {id} is not in this lab yet"
                    raise InputError(f"{where}: `lxmls-day1 add {exercise.notebook_name}` adds it.") from None
            close = did_you_mean(str(id), self._exercises, order="the order of the notebooks")
            raise InputError(f"there is no exercise {id!r}{close}") from None

    def named(self, name: str) -> Exercise:
        """Return the exercise that a name denotes: an id, the name of a file, or words of a title, as in ``mira`` and ``maximum entropy``.

        A file may be shortened: ``maxent`` means ``max_ent_online.py``. An exercise of the core comes before the others.

        Raises
        ------
        InputError
            If there is none, or there are several.

        Examples
        --------
        >>> registry = Registry.from_folder(reference_folder())
        >>> [registry.named(name).id for name in ("1.5", "mira", "Perceptron.py", "viterbi", "maxent", "Maximum entropy")]
        ['1.5', '1.5', '1.4', '1.13', '1.6', '1.6']
        """
        if name in self or name in self._renamed:
            return self[name]
        found, names = self._denoted(name)
        if len(found) > 1:
            titles = " or ".join(f"{e.id} ({e.title})" for e in found)
            raise InputError(f"{name!r} may mean exercise {titles}; name one of them.")
        if not found and get_close_matches(name.casefold(), names):
            raise InputError(f"there is no exercise {name!r}{did_you_mean(name.casefold(), names)}")
        return self[found[0].id if found else name]

    def _denoted(self, name: str) -> tuple[list[Exercise], set[str]]:
        """Return the exercises that a name denotes, and all words of this lab that denote some; see `named`."""
        word = PurePosixPath(name.replace("\\", "/")).name.removesuffix(".py").casefold()
        if not re.fullmatch(r"[^\W\d]\w+( \w+)*", word):
            return [], set()
        everything = [*self, *self.missing_exercises()]
        files = {e.id: [PurePosixPath(file).stem for file in e.files] for e in everything}
        words = {e.id: re.findall(r"\w+", e.title.casefold()) for e in everything}
        found = (
            [e for e in everything if word in files[e.id]]
            or [e for e in everything if set(word.split()) <= set(words[e.id])]
            or [
                e
                for e in everything
                if any(_run_together(file).startswith(_run_together(word)) for file in files[e.id])
            ]
        )
        found = [e for e in found if e.id in self] or found
        found = [e for e in found if e.is_core] or found
        return found, {one for e in self for one in (*files[e.id], *words[e.id]) if len(one) > 2}

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids, in the order of the file."""
        return tuple(self._exercises)

    def missing_exercises(self) -> list[Exercise]:
        """Return the exercises of the reference lab that this lab does not contain."""
        others = Registry.read(reference_folder() / FILE) if self.is_part else ()
        return [exercise for exercise in others if exercise.id not in self]

    def parse_ids(self, exercise: Any) -> list[str]:
        """Return the ids given as a string, a number, or a collection of these.

        Raises
        ------
        InputError
            If a number is ambiguous, because 1.1 and 1.10 are the same number.

        Examples
        --------
        >>> registry = Registry.from_folder(reference_folder())
        >>> registry.parse_ids("1.5"), registry.parse_ids(1.5), registry.parse_ids(["1.5", 1.7])
        (['1.5'], ['1.5'], ['1.5', '1.7'])
        """
        if isinstance(exercise, str):
            return [exercise.strip()]
        if isinstance(exercise, list | tuple | set | frozenset):
            return [id for one in exercise for id in self.parse_ids(one)]
        text = str(exercise)
        if len(text.partition(".")[2]) == 1 and f"{text}0" in self:
            raise InputError(
                f'the number {text} may mean exercise "{text}" or "{text}0"; put the one that you mean in quotes, as here.'
            )
        return [text]

    def select(self, ids: Iterable[str] | None) -> list[Exercise]:
        """Return the exercises with these ids in the order of the file. Default: all assigned exercises.

        The id ``core`` selects all exercises of the core, and ``afternoon`` those of its first three hours. Several words may be one name,
        because a shell separates the words of ``check maximum entropy``.

        Raises
        ------
        InputError
            If no exercise has one of the ids, or belongs to the part.
        """
        if ids is None:
            return [exercise for exercise in self if exercise.id in self.assigned]
        ids, selected = list(ids), set[str]()
        if len(ids) > 1 and self._denoted(" ".join(ids))[0]:
            ids = [" ".join(ids)]
        for id in ids:
            parts = {"core": ("core", "afternoon"), "afternoon": ("afternoon",)}.get(id)
            found = {self.named(id).id} if parts is None else {e.id for e in self if e.part in parts}
            if not found:
                raise InputError(f"no exercise of this lab belongs to {id!r}; there are: {', '.join(self.ids)}.")
            selected |= found
        return [exercise for exercise in self if exercise.id in selected]

    @classmethod
    def read(cls, path: Path) -> "Registry":
        """Read an ``exercises.toml``.

        Raises
        ------
        InputError
            If the file does not exist or is not TOML, or if the description of an exercise is invalid.
        """
        try:
            return _read_toml(path.read_bytes(), str(path))
        except FileNotFoundError:
            raise InputError(f"{path} does not exist: this lab has no exercises.") from None

    @classmethod
    def from_folder(cls, lab_folder: Path) -> "Registry":
        """Read the exercises of a lab folder; those of the reference lab if the folder has no ``exercises.toml``."""
        return cls.read(exercises_folder(lab_folder) / FILE.name)


def _run_together(name: str) -> str:
    return name.replace("_", "").replace(" ", "")


def exercises_folder(lab_folder: Path) -> Path:
    """Return the folder with the exercises and checks of a lab; that of the reference lab if a student has deleted it."""
    own = lab_folder / FOLDER
    return own if (own / FILE.name).is_file() else reference_folder() / FOLDER


def check_files(folder: Path, exercise: Exercise) -> list[Path]:
    """Return the check files of an exercise; an empty list if only a human can mark it."""
    return sorted(folder.glob(f"test_{exercise.stem}_*.py"))


def exercise_of_check(name: str) -> str | None:
    """Return the id of the exercise to which a check file belongs.

    Examples
    --------
    >>> exercise_of_check("tests/exercises/test_1_05_mira.py")
    '1.5'
    >>> exercise_of_check("test_1_04b_online_loop.py")
    '1.4b'
    """
    match = CHECK_FILE.fullmatch(PurePosixPath(name.replace("\\", "/")).name)
    return f"{match[1]}.{int(match[2])}{match[3]}" if match else None


@functools.lru_cache(maxsize=8)  # A command asks many times, about a lab and about the reference lab.
def _read_toml(content: bytes, name: str) -> Registry:
    try:
        return parse_registry(tomllib.loads(content.decode("utf-8-sig")), name)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: this is not TOML: {error}.") from error


def parse_registry(content: dict[str, Any], name: str) -> Registry:
    """Return the registry described by the content of a TOML file; see `Registry.read`."""
    unknown = set(content) - {"exercise", "assigned", "is_part"}
    if unknown:
        raise InputError(f"{name}: unknown key {min(unknown)!r}; expected [[exercise]] tables.")
    tables = enumerate(content.get("exercise", []), 1)
    exercises = [_parse_exercise(table, f"{name}, exercise {n}") for n, table in tables]
    ids = [exercise.id for exercise in exercises]
    for exercise in exercises:
        if ids.count(exercise.id) > 1:
            raise InputError(f"{name}: exercise {exercise.id} occurs twice.")
        for earlier in exercise.prerequisites:
            if earlier not in ids or ids.index(earlier) >= ids.index(exercise.id):
                raise InputError(f"{name}: exercise {exercise.id} requires {earlier}, which does not come before it.")
    assigned = content.get("assigned")
    if assigned is not None and not set(assigned) <= set(ids):
        raise InputError(f"{name}: assigned names {min(set(assigned) - set(ids))}, but there is no such exercise.")
    return Registry(exercises, assigned, content.get("is_part") is True)


def _is_string(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_function_names(value: Any) -> bool:
    return _are_strings(value) and all(name.count(":") == 1 for name in value)


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _are_paths(value: Any) -> bool:
    return _are_strings(value) and not any(".." in path or "\\" in path or path.startswith("/") for path in value)


#: For each key of an exercise: a description of valid values, a function that accepts them, and the default value.
KEYS: dict[str, tuple[str, Callable[[Any], Any], Any]] = {
    "id": ('a string such as "1.5"', lambda value: isinstance(value, str) and ID.fullmatch(value), None),
    "title": ("a string", _is_string, None),
    "kind": (f"one of {', '.join(KINDS)}", lambda value: value in KINDS, None),
    "points": ("a number ≥ 0", lambda value: type(value) in (int, float) and value >= 0, None),
    "files": ("a list of paths in the lab, with /", _are_paths, []),
    "notebook": ("the path of a notebook in the lab", lambda value: _is_string(value) and _are_paths([value]), None),
    "task": ("a string", _is_string, None),
    "hints": (
        f"three strings: {', '.join(HINT_STEPS)}",
        lambda value: _are_strings(value) and len(value) == 3 and all(map(str.strip, value)),
        None,
    ),
    "part": (f"one of {', '.join(PARTS)}", lambda value: value in PARTS, "further"),
    "formerly": ("a list of ids", _are_strings, []),
    "minutes": ("a whole number ≥ 0", lambda value: type(value) is int and value >= 0, 0),
    "prerequisites": ("a list of ids", _are_strings, []),
    "answered_by": ("a list of functions such as 'package.module:f'", _are_function_names, []),
    "counter_example": ("'steps', 'paths' or 'boundaries'", ("", "steps", "paths", "boundaries").__contains__, ""),
    "stubs": ("a table of function = string", lambda v: isinstance(v, dict) and _are_strings([*v.values()]), {}),
}


def _parse_exercise(table: dict[str, Any], location: str) -> Exercise:
    values: dict[str, Any] = {}
    for key, (expected, suits, default) in KEYS.items():
        value = table.get(key, default)
        if value is None or not suits(value):
            raise InputError(f"{location}: {key} must be {expected}, but is {value!r}.")
        values[key] = tuple(map(str.strip, value)) if isinstance(value, list) else value
        if key == "id":
            location = f"{location} ({value})"
            if unknown := set(table) - set(KEYS) - REMOVED_KEYS:
                raise InputError(f"{location}: unknown key {min(unknown)!r}{did_you_mean(min(unknown), KEYS)}")
    return Exercise(**values)
