"""``python -m lxmls_day1.exercises.record``: write down what the reference and the known mistakes answer in the checks.

The answers go to ``tests/exercises/recorded.json``, which students receive: it holds numbers and the sentences of the
mistakes, no code. ``--check`` only says whether that file is current.
"""

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeVar

from lxmls_day1.errors import InputError
from lxmls_day1.exercises.answers import Answer, Expectation, RecordedAnswers
from lxmls_day1.exercises.dry_run import DryOutcome, DryRun, dry_run
from lxmls_day1.exercises.mistakes import Mistake, Program, read_mistakes
from lxmls_day1.exercises.registry import FOLDER, RECORDED, Exercise, Registry, check_files, exercise_of_check
from lxmls_day1.lab import PACKAGES, reference_folder
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
    return recorded(*dry_run_everything(ids, hidden, seed, reference), hidden=hidden)


def dry_run_everything(
    ids: Collection[str] | None, hidden: bool, seed: int, reference: Path | None = None
) -> tuple[list[Mistake], dict[str, dict[str, DryOutcome]]]:
    """Run the checks on the reference, and those of each exercise on each of its known mistakes.

    Returns
    -------
    mistakes : list of Mistake
    outcomes : dict
        label -> check -> `DryOutcome`; the labels are `REFERENCE` and the mistakes as texts.
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
        runs = [DryRun(REFERENCE, reference, all_files)]
        folder_of_labs = stack.enter_context(temporary_folder("lxmls-day1-mistakes-"))
        plain = uncompiled_lab(reference, folder_of_labs / "plain")
        for exercise, known in mistakes.items():
            for mistake in known:
                lab_folder = mistaken_lab(plain, exercise, mistake.programs[0], folder_of_labs / str(len(runs)))
                runs.append(DryRun(str(mistake), lab_folder, tuple(check_files(folder, exercise))))
        outcomes = dry_run(runs, hidden, seed)
    for check, found in outcomes[REFERENCE].items():
        if found.outcome not in ("passed", "skipped"):
            raise InputError(f"the reference fails {check}: {found.text}")
    return [mistake for known in mistakes.values() for mistake in known], outcomes


def recorded(mistakes: Sequence[Mistake], outcomes: dict[str, dict[str, DryOutcome]], hidden: bool) -> RecordedAnswers:
    """The answers of dry runs, with those of the mistakes where they differ from the reference's."""
    result = RecordedAnswers()
    for check, found in outcomes[REFERENCE].items():
        exercise = exercise_of_check(check.partition("::")[0]) or ""
        if found.hidden:
            result.hidden[exercise] = result.hidden.get(exercise, 0) + 1
        if found.hidden and not hidden:
            continue
        result.checks[check] = {what: Expectation(answer) for what, answer in found.answers.items()}
    for mistake in mistakes:
        result.sentences.setdefault(mistake.exercise, {})[mistake.name] = mistake.sentence
        if mistake.question:
            result.questions.setdefault(mistake.exercise, {})[mistake.name] = mistake.question
        for check, found in outcomes[str(mistake)].items():
            for what, answer in found.answers.items():
                expectation = result.checks.get(check, {}).get(what)
                tolerances = outcomes[REFERENCE][check].tolerances
                if expectation is not None and not expectation.expected.agrees(answer, *tolerances[what]):
                    expectation.mistakes[mistake.name] = answer
    return result


def uncompiled_lab(reference: Path, folder: Path) -> Path:
    """A copy of the reference lab whose rules are plain Python."""
    for package in PACKAGES:
        shutil.copytree(reference / package, folder / package, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    for path in folder.glob("classifiers/*.py"):
        source = path.read_text(encoding="utf-8")
        if source != (plain := uncompiled(source)):  # what stays as it is has its byte code beside it
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


def differences(old: RecordedAnswers, new: RecordedAnswers) -> list[str]:
    """In what two recordings differ, numbers within the tolerance that checks have; empty if in nothing."""
    found = []
    if old.sentences != new.sentences:
        found.append("the sentences of the mistakes")
    if old.questions != new.questions:
        found.append("the questions on the mistakes")
    if old.hidden != new.hidden:
        found.append("how many checks are hidden")
    for check in [*new.checks, *(check for check in old.checks if check not in new.checks)]:
        if check not in old.checks or check not in new.checks:
            found.append(f"{check}, which is {'new' if check in new.checks else 'gone'}")
            continue
        before, after = (_flat(answers.checks[check]) for answers in (old, new))
        if before.keys() != after.keys() or not all(before[key].agrees(after[key], 1e-6, 1e-9) for key in before):
            found.append(check)
    return found


def _flat(expectations: dict[str, Expectation]) -> dict[tuple[str, str], Answer]:
    return {
        (what, name): answer
        for what, expectation in expectations.items()
        for name, answer in {"": expectation.expected, **expectation.mistakes}.items()
    }


def main(arguments: Sequence[str]) -> int:
    """Write the file, or with ``--check`` say whether it is current; the exit status."""
    reference = reference_folder()
    path = reference / RECORDED
    ids = [argument for argument in arguments if not argument.startswith("-")] or None
    try:
        new = recorded(*dry_run_everything(ids, hidden=True, seed=1), hidden=False)
        old = RecordedAnswers.read(path) if path.is_file() else RecordedAnswers()
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
        )
    new = in_order(new, Registry.of(reference))
    found = differences(old, new)
    if "--check" in arguments:
        print("\n".join(["recorded.json is not current:", *found]) if found else "recorded.json is current")
        return int(bool(found))
    replace_files({path: new.to_json().encode()})
    print(
        f"{path}: {len(new.checks)} checks, {sum(map(len, new.sentences.values()))} known mistakes, {len(found)} changes"
    )
    return 0


def in_order(answers: RecordedAnswers, registry: Registry) -> RecordedAnswers:
    """The same answers in the order of the registry, so that recording one exercise moves none of the others."""
    place = {id: i for i, id in enumerate(registry.ids)}

    def ordered(part: dict[str, Part]) -> dict[str, Part]:
        by_exercise = {key: place.get(exercise_of_check(key.partition("::")[0]) or key, len(place)) for key in part}
        return {key: part[key] for key in sorted(part, key=by_exercise.__getitem__)}

    return RecordedAnswers(
        ordered(answers.checks), ordered(answers.sentences), ordered(answers.hidden), ordered(answers.questions)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
