"""Find the file of each exercise in a submission, even if students, browsers or platforms have changed its name.

    ==========================================  ===============================================================
    a file for ``classifiers/perceptron.py``    rule
    ==========================================  ===============================================================
    ``classifiers/perceptron.py``               the exact path counts
    ``perceptron.py``, ``code/perceptron.py``   the name matches, but not the folder
    ``Perceptron.PY``, ``Per-ceptron.py``       … except for capital letters, hyphens, blanks
    ``perceptron (1).py``, ``perceptron2.py``   … except for the marks of a copy, and numbers of platforms
    ``JSmith_perceptron_final.py``              … except for words before or after it
    ``perceptron.py.txt``, ``perceptron.html``  … except for suffixes, if the text is Python
    ==========================================  ===============================================================

Unless its name is right, a file must define the functions of an exercise, and a notebook must contain cells of the starter
notebook. If several files match, none of them is used, because a guess might grade the wrong attempt.
"""

import functools
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from lxmls_day1.course.markers import functions_with_exercise, remaining_stubs
from lxmls_day1.course.source_functions import function_lines_by_indent

#: Suffixes that browsers, mail programs and editors add or substitute.
FOREIGN_SUFFIXES = ("txt", "text", "html", "htm", "json", "bak", "old", "orig", "download")
_SUFFIX_WORDS = {".py": {"py", *FOREIGN_SUFFIXES}, ".ipynb": {"ipynb", *FOREIGN_SUFFIXES}}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COPY_MARKS = re.compile(r"(?:copy|kopie|copie|copia|final|new|fixed|v?\d{1,6})*")
_CELL_ID = re.compile(rb'"id"\s*:\s*"([\w-]{1,64})"')
_HEADING = re.compile(rb"## Exercise (\d[\w.]{0,8})")
MAX_NAME_CHARS = 300  # characters
MIN_SHARED_CELLS = 3  # a starter notebook has dozens

Defines = Callable[[PurePosixPath, PurePosixPath], bool]


@dataclass(frozen=True)
class FileSearch:
    """The result of `find_exercise_files`; keys are paths in the lab.

    Attributes
    ----------
    matches : dict from path to path
        The matching file in the submission.
    ambiguous : dict from path to list of path
        Several matching files, so that none is used.
    similar : dict from path to list of path
        Files that match by name only.
    unused : dict from path to list of path
        Further matching files, in addition to the one that is used.
    """

    matches: dict[PurePosixPath, PurePosixPath] = field(default_factory=dict)
    ambiguous: dict[PurePosixPath, list[PurePosixPath]] = field(default_factory=dict)
    similar: dict[PurePosixPath, list[PurePosixPath]] = field(default_factory=dict)
    unused: dict[PurePosixPath, list[PurePosixPath]] = field(default_factory=dict)


def find_exercise_files(
    lab_files: Collection[PurePosixPath],
    placed: Mapping[PurePosixPath, PurePosixPath],
    names: Sequence[PurePosixPath],
    defines: Defines,
) -> FileSearch:
    """Find the files of a lab that are not in their usual folders.

    Parameters
    ----------
    lab_files : collection of path
        The files of a lab, with different names.
    placed : mapping from path to path
        The files in their usual folders, as path in the lab -> path in the submission.
    names : sequence of path
        All files of the submission.
    defines : function of (path in the submission, path in the lab)
        Return True if the content of a file is an answer to the exercises of that file of the lab.

    Examples
    --------
    >>> stem, names = [PurePosixPath("classifiers/mira.py")], [PurePosixPath("mira (1).py"), PurePosixPath("Mira.py")]
    >>> find_exercise_files(stem, {}, names[:1], lambda name, path: True).matches
    {PurePosixPath('classifiers/mira.py'): PurePosixPath('mira (1).py')}
    >>> len(find_exercise_files(stem, {}, names, lambda name, path: True).ambiguous)
    1
    """
    homes = {path.name: path for path in lab_files}
    taken_names = set(placed.values())
    exact: dict[PurePosixPath, list[PurePosixPath]] = {}
    fitting: dict[PurePosixPath, list[PurePosixPath]] = {}
    for name in names:
        if name in taken_names and name.name in homes:
            continue
        if "tests" in name.parts[:-1] or name.name.startswith("test_"):
            continue
        if home := homes.get(name.name):
            exact.setdefault(home, []).append(name)
        elif home := matching_lab_file(name.name, homes):
            fitting.setdefault(home, []).append(name)
    search = FileSearch()
    for home in sorted({*exact, *fitting}):
        same = sorted(exact.get(home, []), key=lambda name: (len(name.parts), str(name)))
        good = [name for name in fitting.get(home, []) if defines(name, home)]
        if home in placed:
            search.unused[home] = [*same, *good]
            continue
        nearest = [name for name in same if len(name.parts) == min(len(one.parts) for one in [*same, *good])]
        if len(nearest) == 1:
            search.matches[home] = nearest[0]
            search.unused[home] = [name for name in [*same, *good] if name != nearest[0]]
        elif len(same) + len(good) == 1:
            search.matches[home] = (same + good)[0]
        elif same or good:
            search.ambiguous[home] = same + good
        else:
            search.similar[home] = fitting[home]
    return search


def matching_lab_file(name: str, homes: Mapping[str, PurePosixPath]) -> PurePosixPath | None:
    """Return the file of the lab that a name matches (the longest if several match), or None.

    Examples
    --------
    >>> homes = {name: PurePosixPath("classifiers", name) for name in ("mira.py", "structured_mira.py")}
    >>> [str(matching_lab_file(name, homes)) for name in ("Copy of MIRA-2 (1).py.txt", "structured mira_JSmith.py", "admiral.py")]
    ['classifiers/mira.py', 'classifiers/structured_mira.py', 'None']
    """
    if len(name) > MAX_NAME_CHARS:
        return None
    words, suffix_words = _words_of_file(name)
    suffixes = {home: _SUFFIX_WORDS.get(home.suffix, set()) for home in homes.values()}
    of_kind = [home for home in suffixes if not suffix_words or suffix_words & suffixes[home]]
    fitting = [home for home in of_kind if _contains(words, _joined_words(home.stem))]
    return max(fitting, key=lambda home: len(home.stem), default=None)


def _words_of_file(name: str) -> tuple[list[str], set[str]]:
    """Split a file name into the words of its stem, and the words of its suffixes."""
    stem, *suffixes = unicodedata.normalize("NFKC", name).strip().split(".")
    foreign = set().union(*_SUFFIX_WORDS.values())
    kinds: set[str] = set()
    while suffixes and (ending := _words(suffixes[-1])) and ending[0] in foreign:
        kinds.add(ending[0])
        suffixes.pop()
    words = [word for part in (stem, *suffixes) for word in _words(part)]
    return words, kinds or set(suffixes)  # an unknown suffix indicates another type of file


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", _CAMEL.sub("_", text).casefold()) if word]


@functools.lru_cache(maxsize=256)
def _joined_words(stem: str) -> str:
    return "".join(_words(stem))


def _contains(words: Sequence[str], stem: str) -> bool:
    """Return True if consecutive words spell a name; marks of a copy may follow the last word directly."""
    for first in range(len(words)):
        spelled = ""
        for word in words[first:]:
            spelled += word
            if spelled.startswith(stem) and _COPY_MARKS.fullmatch(spelled[len(stem) :]):
                return True
            if not stem.startswith(spelled):
                break
    return False


def is_answer(content: bytes, given: bytes, path: PurePosixPath) -> bool:
    """Return True if a file defines all functions of an exercise of a starter file, or is a notebook with its cells.

    The student's file is never parsed: functions are found by their indentation.

    Examples
    --------
    >>> given = b"def rule(x):\\n    raise NotImplementedError('Exercise 1.5: a rule')"
    >>> [is_answer(text, given, PurePosixPath("a.py")) for text in (b"def rule(x): return x", b"<p>def rule(x):")]
    [True, False]
    """
    if path.suffix == ".ipynb":
        ids, headings = _notebook_marks(given)
        return any(heading in headings for heading in _HEADING.findall(content)) or (
            len(ids.intersection(_CELL_ID.findall(content))) >= MIN_SHARED_CELLS
        )
    text = content.decode("utf-8-sig", "replace")
    if "\0" in text or text.lstrip().startswith(("<", "{")):
        return False
    lines = text.replace("\r\n", "\n").split("\n")
    return any(
        all(function_lines_by_indent(lines, function) is not None for function in functions)
        for functions in functions_to_write(given)
    )


@functools.lru_cache(maxsize=64)
def functions_to_write(given: bytes) -> tuple[tuple[str, ...], ...]:
    """Return the functions of each exercise in a starter file."""
    source = given.decode("utf-8-sig", "replace")
    return tuple(tuple(functions_with_exercise(source, exercise)) for exercise in sorted(remaining_stubs(source)))


@functools.lru_cache(maxsize=32)
def _notebook_marks(notebook: bytes) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Return the cell ids of a notebook, and the exercises in its headings."""
    return frozenset(_CELL_ID.findall(notebook)), frozenset(_HEADING.findall(notebook))
