"""Known mistakes: real misreadings of an exercise, each with a sentence that explains it.

``tests/exercises/mistakes/1_05_mira.toml`` has the mistakes of exercise 1.5. Students never receive it:

    [[mistake]]
    name = "half_the_norm"
    sentence = "The step divides by ‖g(x)‖², but ‖f(x, y) − f(x, ŷ)‖² is 2‖g(x)‖²."
    question = "Why does the factor 2 belong there?"
    swap = [["2 * sq_norm", "sq_norm"]]      # the first string must occur once in the reference's solution
    variants = [
        [["loss / (2 * sq_norm)", "2 * loss / (2 * sq_norm)"]],
    ]

Instead of ``swap`` there may be a whole ``solution``; if an exercise has several solution regions, ``function`` names the one that it
replaces. A mistake is a family: each of its ``variants`` is one more program that a student might write. A variant is a list of swaps, a
table with the same keys, or a list of strings: ``["2 * sq_norm", "sq_norm / 2", "4 * sq_norm"]`` makes a program for each string after
the first, in which that string replaces the first one. If the family's sentence does not fit a variant, the variant's table has its own
``name`` and ``sentence``, and a ``question`` if the family's does not fit: then the variant is a separate mistake.

Students solve an exercise in different ways. ``[[style]]`` tables before the mistakes hold alternative solutions, each with a ``name``.
Swaps change every right solution that contains all their strings, and at least one: the reference's is tried first, then the styles
in their order. A table ``{ style = "clipped", swap = … }`` names the only style to change; "reference" names the reference's solution.
"""

import itertools
import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.markers import Solution, find_solutions, replace_with_stubs
from lxmls_day1.course.registry import MISTAKES, Exercise
from lxmls_day1.course.source_functions import indented

PROGRAM_KEYS = {"swap", "solution", "function", "style"}
STRING_KEYS = ("name", "sentence", "question")


REFERENCE = "reference"  # the name of the reference's solution as a style
Regions = dict[tuple[str, Solution], str]  # path and region of each solution -> its text


@dataclass(frozen=True)
class AlternativeSolution:
    """An alternative solution, to which mistakes are applied as well.

    Attributes
    ----------
    name, solution : str
    function : str or None
        As in `Program`.
    """

    name: str
    solution: str
    function: str | None = None


@dataclass(frozen=True)
class Program:
    """One wrong solution of an exercise, as a change of a right one.

    Attributes
    ----------
    label : str
        The name of the program in messages.
    exercise : str
    swaps : tuple of (string in a right solution, its replacement)
    solution : str or None
        A whole solution instead of swaps.
    function : str or None
        The function with the region to change, if there are several regions.
    bases : tuple of AlternativeSolution or None
        The right solutions to which the swaps may be applied; None is the reference's. The first one that has all strings is used.
    """

    label: str
    exercise: str
    swaps: tuple[tuple[str, str], ...] = ()
    solution: str | None = None
    function: str | None = None
    bases: tuple[AlternativeSolution | None, ...] = (None,)

    def apply_to(self, sources: Mapping[str, str]) -> dict[str, str]:
        """Return the files of the reference with this program in place of the solution, without markers.

        Parameters
        ----------
        sources : dict from path to source text
            The files of the exercise, with their solutions.

        Returns
        -------
        dict
            Only the files that change.

        Raises
        ------
        InputError
            If a string to swap does not occur exactly once, or there is not exactly one region to replace.
        """
        texts = {
            (path, solution): "\n".join(source.split("\n")[solution.first : solution.last - 1])
            for path, source in sources.items()
            for solution in find_solutions(source, path)
        }
        own = {place: text for place, text in texts.items() if place[1].exercise == self.exercise}
        changed = (
            self._apply_swaps(own) if self.solution is None else self._replace_region(own, self.solution, self.function)
        )
        made = {}
        for path in dict.fromkeys(path for path, _ in changed):

            def written(solution: Solution, path: str = path) -> str:
                return textwrap.dedent(changed.get((path, solution), texts[path, solution]))

            made[path] = replace_with_stubs(sources[path], written, path)
        return made

    @property
    def other_bases(self) -> list[AlternativeSolution]:
        """The styles to which the same swaps can also be applied; empty if a swap contains a line break."""
        single = all("\n" not in old + new for old, new in self.swaps) and len(self.bases) > 1 and self.swaps
        return [
            style
            for style in self.bases
            if single and style is not None and style.function in (None, self.function)
            if all(style.solution.count(old) == 1 for old, _ in self.swaps)
        ]

    def _replace_region(self, texts: Regions, solution: str, function: str | None) -> Regions:
        """Return the region of a function, or the only region, with this solution in it."""
        places = [place for place in texts if function in (None, place[1].function)]
        if len(places) != 1:
            found = ", ".join(f"{path}: {place.function}" for path, place in places) or "none"
            raise InputError(
                f"{self}: there must be one region, but there are {len(places)} ({found}); name a function"
            )
        return {places[0]: "\n".join(indented(textwrap.dedent(solution).strip("\n"), places[0][1].indent))}

    def _apply_swaps(self, texts: Regions) -> Regions:
        """Return the changed regions after applying the swaps to the first right solution that has all their strings."""
        problems = []
        for style in self.bases:
            restyled = {} if style is None else self._replace_region(texts, style.solution, style.function)
            right = {p: text for p, text in (texts | restyled).items() if self.function in (None, p[1].function)}
            changed = dict(restyled)
            for old, new in self.swaps:
                found = [place for place, text in right.items() for _ in range(text.count(old))]
                if len(found) != 1:
                    problems.append(f"{old!r} occurs {len(found)} times in the solution; it must occur once")
                    break
                text = changed.get(found[0], right[found[0]])
                if old not in text:
                    problems.append(f"{old!r} no longer occurs after the swaps before it")
                    break
                changed[found[0]] = text.replace(old, new)
            else:
                return changed
        raise InputError(f"{self}: {problems[0]}")

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Mistake:
    """A family of wrong solutions of an exercise with the same cause.

    Attributes
    ----------
    exercise, name : str
    sentence : str
        The explanation of what is wrong, and why.
    programs : tuple of Program
        Programs that students would write; the first one is the most common.
    question : str
        The question to a student after the mistake was named; may be empty.
    """

    exercise: str
    name: str
    sentence: str
    programs: tuple[Program, ...] = ()
    question: str = ""

    def __str__(self) -> str:
        return f"mistake {self.name} of exercise {self.exercise}"


def read_mistakes(folder: Path, exercise: Exercise) -> list[Mistake]:
    """Read the known mistakes of an exercise.

    Parameters
    ----------
    folder : Path
        The folder of the checks, ``tests/exercises``.
    exercise : Exercise

    Returns
    -------
    list of Mistake
        Empty if the folder has no mistakes, as in a student's lab.

    Raises
    ------
    InputError
        If a file is invalid.
    """
    tables = _tables(folder, exercise)
    return [_parse(table, exercise.id, path, styles) for path, table, styles in tables]


def _tables(folder: Path, exercise: Exercise) -> list[tuple[Path, dict[str, Any], tuple[AlternativeSolution, ...]]]:
    """Return all tables of mistakes of an exercise, with their files and the styles in these files."""
    tables = []
    for path in sorted((folder / MISTAKES.name).glob(f"{exercise.stem}_*.toml")):
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: this is not TOML: {error}.") from error
        if unknown := set(content) - {"mistake", "style"}:
            raise InputError(f"{path}: unknown key {min(unknown)!r}; expected [[mistake]] and [[style]] tables.")
        try:
            styles = tuple(AlternativeSolution(**table) for table in content.get("style", []))
        except TypeError as error:
            raise InputError(f"{path}: a style needs a name and a solution ({error}).") from error
        for family in content.get("mistake", []):
            for table in _split_family(family):
                _check_texts(table, path)
                tables.append((path, table, styles))
    names = [table["name"] for _, table, _ in tables]
    if len(set(names)) < len(names):
        raise InputError(f"exercise {exercise.id}: two known mistakes have the same name.")
    return tables


def _split_family(family: dict[str, Any]) -> list[dict[str, Any]]:
    """Split the table of a mistake: the family without its named variants, and each named variant as a table of its own."""
    variants = family.get("variants", [])
    if not isinstance(variants, list):
        return [family]
    own = [variant for variant in variants if isinstance(variant, dict) and "name" in variant]
    rest = {"variants": [variant for variant in variants if variant not in own]} if variants else {}
    return [family | rest, *({"question": family.get("question", "")} | variant for variant in own)]


def _check_texts(table: dict[str, Any], path: Path) -> None:
    where = f"{path}, mistake {table.get('name', '?')}"
    for key in ("name", "sentence"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise InputError(f"{where}: {key} must be a string.")
    if not isinstance(table.get("question", ""), str):
        raise InputError(f"{where}: question must be a string.")


def _parse(table: dict[str, Any], exercise: str, path: Path, styles: tuple[AlternativeSolution, ...]) -> Mistake:
    where = f"{path}, mistake {table['name']}"
    own = {key: value for key, value in table.items() if key not in STRING_KEYS}
    sentence, question = (" ".join(table.get(key, "").split()) for key in ("sentence", "question"))
    mistake = Mistake(exercise, table["name"], sentence, question=question)
    return replace(mistake, programs=_parse_programs(own, mistake, where, styles))


def _parse_programs(
    table: dict[str, Any], mistake: Mistake, where: str, styles: tuple[AlternativeSolution, ...]
) -> tuple[Program, ...]:
    variants = table.get("variants", [])
    if not isinstance(variants, list):
        raise InputError(f"{where}: variants must be a list.")
    first = {key: value for key, value in table.items() if key != "variants"}
    programs = [_parse_program(first, mistake.exercise, str(mistake), where, styles)]
    for number, variant in enumerate(itertools.chain.from_iterable(map(_expand_variant, variants)), start=1):
        entry = variant if isinstance(variant, dict) else {"swap": variant}
        which = f", variant {number}"
        programs.append(_parse_program(entry, mistake.exercise, f"{mistake}{which}", f"{where}{which}", styles))
    return (*programs, *(replace(one, bases=(style,)) for one in programs for style in one.other_bases))


def _expand_variant(variant: Any) -> list[Any]:
    """Expand a list of strings: each string after the first is a variant that replaces the first. Keep other variants unchanged."""
    if isinstance(variant, list) and len(variant) > 1 and all(isinstance(text, str) for text in variant):
        return [[[variant[0], text]] for text in variant[1:]]
    return [variant]


def _parse_program(
    table: dict[str, Any], exercise: str, label: str, where: str, styles: tuple[AlternativeSolution, ...]
) -> Program:
    if unknown := set(table) - PROGRAM_KEYS:
        raise InputError(f"{where}: unknown key {min(unknown)!r}.")
    if ("swap" in table) == ("solution" in table):
        raise InputError(f"{where}: give either swap or solution.")
    swaps = table.get("swap", [])
    if not isinstance(swaps, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(t, str) for t in pair) for pair in swaps
    ):
        raise InputError(f"{where}: swap must be a list of pairs of strings.")
    bases = (None, *styles)
    if "style" in table:
        bases = tuple(style for style in bases if (style.name if style else REFERENCE) == table["style"])
        if not bases:
            raise InputError(f"{where}: there is no style {table['style']!r}.")
    return Program(
        label, exercise, tuple((old, new) for old, new in swaps), table.get("solution"), table.get("function"), bases
    )
