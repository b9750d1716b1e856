"""``python -m lxmls_day1.course.record``: write down what the reference and the known mistakes answer in the checks.

The answers go to ``tests/exercises/recorded.json``, which students receive: it holds numbers and the sentences of the
mistakes, no code. ``--check`` only says whether that file is current.
"""

import argparse
import contextlib
import functools
import sys
from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from lxmls_day1.course.mistaken_labs import mistaken_lab, uncompiled_lab
from lxmls_day1.course.mistakes import Mistake, read_mistakes, read_taught
from lxmls_day1.course.pool_making import pool_file, pools_of
from lxmls_day1.course.recorded_answers import Answer, Expectation, Pool, RecordedAnswers
from lxmls_day1.course.registry import (
    FOLDER,
    RECORDED,
    SMALL_INPUTS,
    Exercise,
    Registry,
    check_files,
    exercise_of_check,
)
from lxmls_day1.course.snapshot import CheckOutcome, SnapshotRun, take_snapshot
from lxmls_day1.errors import InputError
from lxmls_day1.lab import reference_folder
from lxmls_day1.waiting import announced
from lxmls_day1.whole_files import replace_files, temporary_folder

REFERENCE = "the reference"
Part = TypeVar("Part")


def answers_of_reference(
    ids: Collection[str] | None = None, hidden: bool = False, seed: int = 1, reference: Path | None = None
) -> RecordedAnswers:
    """What the reference and the known mistakes answer in the checks of some exercises.

    Parameters
    ----------
    ids : collection of str, optional
        The exercises; all unless given.
    hidden : bool
        Whether the hidden checks are asked too.
    seed : int
        Of the hidden ones.
    reference : Path, optional
        A lab with the solutions; the reference lab unless given.

    Returns
    -------
    RecordedAnswers

    Raises
    ------
    InputError
        If the reference fails one of its checks, or a check cannot be run.
    """
    reference = reference_folder() if reference is None else reference
    result = recorded(*snapshot_of_everything(ids, hidden, seed, reference), hidden=hidden)
    add_taught(result, reference, ids)
    kept = reference / RECORDED
    if kept.is_file():  # small inputs are public: those that students have are the ones
        result.pools = {id: p for id, p in RecordedAnswers.read(kept).pools.items() if id in result.sentences}
    return result


def snapshot_of_everything(
    ids: Collection[str] | None, hidden: bool, seed: int, reference: Path | None = None, every_mistake: bool = False
) -> tuple[list[Mistake], dict[str, dict[str, CheckOutcome]]]:
    """Run the checks on the reference and on known mistakes: on all of them, or on those of exercises without small inputs.

    Returns
    -------
    mistakes : list of Mistake
    outcomes : dict
        label -> check -> `CheckOutcome`; the labels are `REFERENCE` and the mistakes as texts.
    """
    reference = reference_folder() if reference is None else reference
    folder = reference / FOLDER
    checked = [
        exercise for exercise in Registry.read(folder / "exercises.toml").select(ids) if check_files(folder, exercise)
    ]
    if not checked:
        return [], {REFERENCE: {}}
    mistakes = {exercise: read_mistakes(folder, exercise) for exercise in checked}
    all_files = tuple(file for exercise in checked for file in check_files(folder, exercise))
    with contextlib.ExitStack() as stack:
        runs = [SnapshotRun(REFERENCE, reference, all_files)]
        folder_of_labs = stack.enter_context(temporary_folder("lxmls-day1-mistakes-"))
        plain = uncompiled_lab(reference, folder_of_labs / "plain")
        for exercise, known in mistakes.items():
            for mistake in known if every_mistake or not pool_file(reference, exercise) else ():
                lab_folder = mistaken_lab(plain, exercise, mistake.programs[0], folder_of_labs / str(len(runs)))
                runs.append(SnapshotRun(str(mistake), lab_folder, tuple(check_files(folder, exercise))))
        outcomes = take_snapshot(runs, hidden, seed)
    for check, found in outcomes[REFERENCE].items():
        if found.outcome not in ("passed", "skipped"):
            raise InputError(f"the reference fails {check}: {found.text}")
    return [mistake for known in mistakes.values() for mistake in known], outcomes


def recorded(
    mistakes: Sequence[Mistake],
    outcomes: dict[str, dict[str, CheckOutcome]],
    hidden: bool,
    pooled: Collection[str] = (),
) -> RecordedAnswers:
    """The answers of snapshots, with those of the mistakes where they differ from the reference's; not in `pooled` exercises."""
    result = RecordedAnswers()
    for check, found in outcomes[REFERENCE].items():
        exercise = exercise_of_check(check.partition("::")[0]) or ""
        if found.hidden:
            result.hidden[exercise] = result.hidden.get(exercise, 0) + 1
        if (found.hidden and not hidden) or check.endswith(
            f"::{SMALL_INPUTS}"
        ):  # the pool holds the answers to small inputs
            continue
        result.checks[check] = {what: Expectation(answer) for what, answer in found.answers.items()}
    for mistake in mistakes:
        result.sentences.setdefault(mistake.exercise, {})[mistake.name] = mistake.sentence
        if mistake.question:
            result.questions.setdefault(mistake.exercise, {})[mistake.name] = mistake.question
        for check, found in outcomes.get(str(mistake), {}).items() if mistake.exercise not in pooled else ():
            for what, answer in found.answers.items():
                expectation = result.checks.get(check, {}).get(what)
                tolerances = outcomes[REFERENCE][check].tolerances
                if expectation is not None and not expectation.expected.agrees(answer, *tolerances[what]):
                    expectation.mistakes[mistake.name] = answer
    return result


def add_taught(answers: RecordedAnswers, reference: Path, ids: Collection[str] | None = None) -> None:
    """Put in the sentences and questions of the mistakes that a class has taught; what they answer is in the pools."""
    for exercise in Registry.read(reference / FOLDER / "exercises.toml").select(ids):
        for mistake in read_taught(reference / FOLDER, exercise):
            answers.sentences.setdefault(exercise.id, {})[mistake.name] = mistake.sentence
            if mistake.question:
                answers.questions.setdefault(exercise.id, {})[mistake.name] = mistake.question


def differences(old: RecordedAnswers, new: RecordedAnswers) -> list[str]:
    """The differences between two recordings; numbers may differ within the tolerance of the checks."""
    found = []
    if old.sentences != new.sentences:
        found.append("the sentences of the mistakes")
    if old.questions != new.questions:
        found.append("the questions on the mistakes")
    if old.hidden != new.hidden:
        found.append("how many checks are hidden")
    found += [
        f"the small inputs of exercise {exercise}"
        for exercise in sorted(old.pools.keys() | new.pools.keys())
        if not _same_pools(old.pools.get(exercise), new.pools.get(exercise))
    ]
    for check in [*new.checks, *(check for check in old.checks if check not in new.checks)]:
        if check not in old.checks or check not in new.checks:
            found.append(f"{check}, which is {'new' if check in new.checks else 'gone'}")
            continue
        before, after = (_flat(answers.checks[check]) for answers in (old, new))
        if before.keys() != after.keys() or not all(before[key].agrees(after[key], 1e-6, 1e-9) for key in before):
            found.append(check)
    return found


def _same_pools(old: Pool | None, new: Pool | None) -> bool:
    """Whether two pools hold the same; an answer that is no number agrees with itself here, which == denies."""
    if old is None or new is None:
        return old is new
    if (old.inputs, old.programs) != (new.inputs, new.programs):
        return False
    of_old, of_new = chain.from_iterable(old.answers), chain.from_iterable(new.answers)
    return [len(answers) for answers in old.answers] == [len(answers) for answers in new.answers] and all(
        mine.agrees(its, 1e-6, 1e-9) for mine, its in zip(of_old, of_new, strict=True)
    )


def _flat(expectations: dict[str, Expectation]) -> dict[tuple[str, str], Answer]:
    return {
        (what, name): answer
        for what, expectation in expectations.items()
        for name, answer in {"": expectation.expected, **expectation.mistakes}.items()
    }


def main(arguments: Sequence[str]) -> int:
    """Write the file, or with ``--check`` say whether it is current; the exit status."""
    reference = reference_folder()
    path, known = reference / RECORDED, list(Registry.of(reference).ids)
    parser = argparse.ArgumentParser(
        prog="python -m lxmls_day1.course.record", description="Record what the checks expect."
    )
    parser.add_argument("ids", nargs="*", metavar="exercise", help=f"of: {', '.join(known)} (all unless given)")
    parser.add_argument("--check", action="store_true", help="only say whether the file is current")
    asked = parser.parse_args(arguments)
    if unknown := [id for id in asked.ids if id not in known]:
        parser.error(f"no exercise {', '.join(unknown)}; there are {', '.join(known)}")
    ids = asked.ids or None
    try:
        mistakes, outcomes = snapshot_of_everything(ids, hidden=True, seed=1)
        new = recorded(mistakes, outcomes, hidden=False)
        add_taught(new, reference, ids)
        new.pools = pools_of(reference, by_exercise(reference, mistakes))
        old = _kept(path, ids is None)
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if ids is not None:  # what is known of the other exercises stays
        others = [exercise.id for exercise in Registry.of(reference) if exercise.id not in ids]
        kept = old.only(others, exercise_of_check)
        new = RecordedAnswers(
            kept.checks | new.checks,
            kept.sentences | new.sentences,
            kept.hidden | new.hidden,
            kept.questions | new.questions,
            kept.pools | new.pools,
        )
    new = in_order(new, Registry.of(reference))
    found = differences(old, new)
    if asked.check:
        print("\n".join(["recorded.json is not current:", *found]) if found else "recorded.json is current")
        return int(bool(found))
    replace_files({path: new.to_json().encode()})
    print(
        f"{path}: {len(new.checks)} checks, {sum(map(len, new.sentences.values()))} known mistakes, {len(found)} changes"
    )
    return 0


def _kept(path: Path, all_is_new: bool) -> RecordedAnswers:
    """What was recorded before; nothing if it cannot be read and all of it will be replaced."""
    try:
        return RecordedAnswers.read(path) if path.is_file() else RecordedAnswers()
    except InputError:
        if not all_is_new:
            raise
        return RecordedAnswers()


def by_exercise(reference: Path, mistakes: Sequence[Mistake]) -> dict[Exercise, list[Mistake]]:
    """The mistakes of each exercise that has some."""
    found: dict[Exercise, list[Mistake]] = {}
    for mistake in mistakes:
        found.setdefault(Registry.of(reference)[mistake.exercise], []).append(mistake)
    return found


def in_order(answers: RecordedAnswers, registry: Registry) -> RecordedAnswers:
    """The same answers in the order of the registry, so that recording one exercise moves none of the others."""
    place = {id: i for i, id in enumerate(registry.ids)}

    def ordered(part: dict[str, Part]) -> dict[str, Part]:
        by_exercise = {key: place.get(exercise_of_check(key.partition("::")[0]) or key, len(place)) for key in part}
        return {key: part[key] for key in sorted(part, key=by_exercise.__getitem__)}

    return RecordedAnswers(
        ordered(answers.checks),
        ordered(answers.sentences),
        ordered(answers.hidden),
        ordered(answers.questions),
        ordered(answers.pools),
    )


if __name__ == "__main__":
    with announced(functools.partial(print, file=sys.stderr, flush=True)):
        sys.exit(main(sys.argv[1:]))
