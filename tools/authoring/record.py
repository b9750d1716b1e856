"""``python -m tools.authoring.record``: record the answers of the reference and the known mistakes in the checks.

The answers to the checks of an exercise are written to a file such as ``tests/exercises/recorded/1.5.json``, which students receive: it
contains numbers and the sentences of the mistakes, but no code. The authors' check reports files that are not current.
"""

import argparse
import ast
import functools
import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.waiting import report_waits
from lxmls_day1.course.diagnosis.recorded_answers import Pool, RecordedAnswers, exercise_of
from lxmls_day1.course.markers import find_solutions
from lxmls_day1.course.registry import FILE, FOLDER, RECORDED, Exercise, Registry
from lxmls_day1.course.running.snapshot import CheckOutcome, reference_snapshot, snapshot_answers
from lxmls_day1.lab import reference_folder
from tools.authoring.functions_as_answers import problems_of_functions
from tools.authoring.mistakes import Mistake, read_mistakes
from tools.authoring.pool_builder import pools_of

COMPARED_FIELDS = {
    "sentences": "the sentences of the mistakes",
    "questions": "the questions on the mistakes",
    "mistake_arguments": "what the wrong lines are about",
    "hidden": "how many checks are hidden",
}


def record_answers(
    reference: Path, ids: Collection[str] | None, outcomes: Mapping[str, CheckOutcome]
) -> RecordedAnswers:
    """Return the answers of a snapshot in public checks, with the texts about the known mistakes."""
    hidden = Counter(exercise_of(check) for check, found in outcomes.items() if found.hidden)
    result = RecordedAnswers(snapshot_answers(outcomes), hidden=dict(hidden))
    folder = reference / FOLDER
    for one in Registry.read(reference / FILE).select(ids):
        arguments = arguments_of(reference, one)
        for mistake in read_mistakes(folder, one):
            result.sentences.setdefault(one.id, {})[mistake.name] = mistake.sentence
            if mistake.question:
                result.questions.setdefault(one.id, {})[mistake.name] = mistake.question
            if places := mistake_arguments(mistake, arguments):
                result.mistake_arguments.setdefault(one.id, {})[mistake.name] = places
    return result


def arguments_of(reference: Path, exercise: Exercise) -> set[str]:
    """Return the argument names of the functions that a student writes, because these names are also in the student's code."""
    names: set[str] = set()
    for file in exercise.files if exercise.kind != "experiment" else ():
        source = (reference / file).read_text(encoding="utf-8") if file.endswith(".py") else ""
        own = {place.function for place in find_solutions(source, file) if place.exercise == exercise.id}
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and node.name in own:
                names |= {argument.arg for argument in node.args.args} - {"self"}
    return names


def mistake_arguments(mistake: Mistake, arguments: Collection[str]) -> list[str]:
    """Return those of the arguments that are in the text changed by the most common program of a mistake."""
    changed = " ".join(old for old, _ in mistake.programs[0].swaps) if mistake.programs else ""
    return [name for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", changed)) if name in arguments]


def differences(old: RecordedAnswers, new: RecordedAnswers) -> list[str]:
    """Return the differences between two recordings; numbers may differ within the tolerance of the checks."""
    found = [what for name, what in COMPARED_FIELDS.items() if vars(old)[name] != vars(new)[name]]
    found += [
        f"the small inputs of exercise {exercise}"
        for exercise in sorted(old.pools.keys() | new.pools.keys())
        if not _same_pools(old.pools.get(exercise), new.pools.get(exercise))
    ]
    for check in [*new.checks, *(check for check in old.checks if check not in new.checks)]:
        if check not in old.checks or check not in new.checks:
            found.append(f"{check}, which is {'new' if check in new.checks else 'gone'}")
            continue
        before, after = old.checks[check], new.checks[check]
        if before.keys() != after.keys() or not all(before[what].is_close(after[what]) for what in before):
            found.append(check)
    return found


def _same_pools(old: Pool | None, new: Pool | None) -> bool:
    """Return True if two pools are equal. Two NaN answers count as equal here, unlike with ==."""
    if old is None or new is None:
        return old is new
    if (old.all_inputs, old.programs) != (new.all_inputs, new.programs):
        return False
    answers = [
        chain(chain.from_iterable(pool.answers), (answer for _, answer in pool.practice_inputs)) for pool in (old, new)
    ]
    return [len(answers) for answers in old.answers] == [len(answers) for answers in new.answers] and all(
        mine.is_close(its) for mine, its in zip(*answers, strict=True)
    )


def main(arguments: Sequence[str]) -> int:
    """Write the files; return the exit status."""
    reference = reference_folder()
    folder, known = reference / RECORDED, list(Registry.from_folder(reference).ids)
    parser = argparse.ArgumentParser(
        prog="python -m tools.authoring.record", description="Record what the checks expect."
    )
    parser.add_argument("ids", nargs="*", metavar="exercise", help=f"of: {', '.join(known)} (all unless given)")
    options = parser.parse_args(arguments)
    if unknown := [id for id in options.ids if id not in known]:
        parser.error(f"no exercise {', '.join(unknown)}; there are {', '.join(known)}")
    ids = options.ids or None
    try:
        new = record_answers(reference, ids, reference_snapshot(reference, ids))
        new.pools = pools_of(reference, known_mistakes(reference, ids))
        old = _previous_recording(folder, ids or known)
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    found = differences(old, new)
    parts = {id: new.for_exercise(id) for id in ids or known}
    folder.mkdir(exist_ok=True)
    write_files_atomically(
        {folder / f"{id}.json": part.to_json().encode() for id, part in parts.items() if any(vars(part).values())}
    )
    for path in folder.glob("*.json"):
        if path.stem not in known:
            path.unlink()
    print(
        f"{folder}: {len(new.checks)} checks, {sum(map(len, new.sentences.values()))} known mistakes, {len(found)} changes"
    )
    if options.ids and hasattr(os, "fork"):  # Each function is tried in a separate process.
        for problem in problems_of_functions(options.ids):
            print(f"Note: {problem}", file=sys.stderr)
    return 0


def _previous_recording(folder: Path, ids: Collection[str]) -> RecordedAnswers:
    """Return the previous recording of these exercises, or an empty one if it cannot be read, because it will be replaced."""
    try:
        return RecordedAnswers.read_existing(folder, ids)
    except InputError:
        return RecordedAnswers()


def known_mistakes(reference: Path, ids: Collection[str] | None = None) -> dict[Exercise, list[Mistake]]:
    """Return the mistakes of each exercise that has any."""
    exercises = Registry.read(reference / FILE).select(ids)
    found = {exercise: read_mistakes(reference / FOLDER, exercise) for exercise in exercises}
    return {exercise: mistakes for exercise, mistakes in found.items() if mistakes}


if __name__ == "__main__":
    with report_waits(functools.partial(print, file=sys.stderr, flush=True)):
        sys.exit(main(sys.argv[1:]))
