import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from lxmls_day1.course import record
from lxmls_day1.course import snapshot as snapshots
from lxmls_day1.course.mistaken_labs import mistaken_lab, uncompiled, uncompiled_lab
from lxmls_day1.course.mistakes import read_mistakes
from lxmls_day1.course.recorded_answers import Answer, Pool, RecordedAnswers
from lxmls_day1.course.registry import FOLDER, RECORDED, Registry, check_files
from lxmls_day1.course.snapshot import SnapshotRun, take_snapshot
from lxmls_day1.errors import InputError
from lxmls_day1.lab import PACKAGES, reference_folder

pytestmark = pytest.mark.slow


def test_what_is_recorded_is_what_was_worked_out_by_hand(reference, capsys):
    path = reference / RECORDED
    by_hand = path.read_text(encoding="utf-8")
    path.unlink()
    assert record.main(["--check"]) == 1
    assert not path.exists()
    assert record.main([]) == 0
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(by_hand)
    assert path.read_text(encoding="utf-8") == by_hand
    assert record.main(["--check"]) == 0
    assert "recorded.json is current" in capsys.readouterr().out


def test_recording_one_exercise_leaves_the_others(reference, capsys):
    path = reference / RECORDED
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace("[0.4]", "[0.5]").replace("[3.0]", "[4.0]"), encoding="utf-8")
    assert record.main(["1.2"]) == 0
    assert path.read_text(encoding="utf-8") == before.replace("[0.4]", "[0.5]")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [(["--help"], 0, "1.2"), (["--chek"], 2, "--chek"), (["9.9"], 2, "no exercise 9.9")],
)
def test_what_cannot_be_meant_records_nothing(arguments, status, said, reference, capsys, monkeypatch):
    monkeypatch.setattr(record, "snapshot_of_everything", None)
    with pytest.raises(SystemExit) as ended:
        record.main(arguments)
    assert ended.value.code == status and said in "".join(capsys.readouterr())


def test_a_reference_that_fails_its_own_check_is_not_recorded(reference, capsys):
    path = reference / "tests/exercises/test_1_02_means.py"
    path.write_text(path.read_text() + "\n\ndef test_property(lab):\n    assert False, 'not so'\n")
    assert record.main([]) == 1
    assert "the reference fails test_1_02_means.py::test_property: not so" in capsys.readouterr().err


def test_hidden_answers_depend_on_the_seed_and_are_those_of_the_reference(reference):
    answers = [record.answers_of_reference(["1.1"], hidden=True, seed=seed, reference=reference) for seed in (1, 1, 2)]
    hidden = [a.checks["test_1_01_steps.py::test_fresh[30]"]["the sum of fresh steps"] for a in answers]
    assert hidden[0] == hidden[1] != hidden[2]
    # half of the losses, whose sum of 30 uniform numbers is 15 ± 1.6; the mistake gives twice of it
    assert 3 < hidden[0].expected.values[0] < 12
    assert np.isclose(hidden[0].mistakes["whole_norm"].values[0], 2 * hidden[0].expected.values[0])
    assert answers[0].checks.keys() == {key for key in answers[0].checks if key.startswith("test_1_01")}


def test_pools_with_answers_that_are_no_numbers_are_compared():
    def recorded(*values):
        answers = tuple(map(Answer.of, values))
        return RecordedAnswers(pools={"1.3": Pool(({"x": 1},), (answers,), {"halved": ((1,),)})})

    said = ["the small inputs of exercise 1.3"]
    assert record.differences(recorded([1.0, np.nan], 2.0), recorded([1.0, np.nan], 2.0)) == []
    assert record.differences(recorded([1.0, np.nan], 2.0), recorded([1.0, 3.0], 2.0)) == said
    assert record.differences(recorded([1.0, np.nan], 2.0), recorded([1.0, np.nan])) == said
    assert record.differences(RecordedAnswers(), recorded(1.0)) == said


def test_differences_name_the_check():
    old = RecordedAnswers({}, {}, {"1.1": 1})
    assert record.differences(old, RecordedAnswers({"a": {}}, {"1.1": {}}, {})) == [
        "the sentences of the mistakes",
        "how many checks are hidden",
        "a, which is new",
    ]


def test_a_check_file_that_is_no_python(reference):
    (reference / "tests/exercises/test_1_02_means.py").write_text("def (:\n")
    with pytest.raises(InputError, match="invalid syntax"):
        record.answers_of_reference(["1.2"], reference=reference)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("seed", "another"), [(1, 2), (2, 3), (3, 1)])
def test_the_same_seed_gives_the_same_answers_in_every_process(monkeypatch, tmp_path, seed, another):
    """To the last bit, with other hashes of texts and the checks in another order; another seed gives other answers."""
    for package in PACKAGES:
        shutil.copytree(reference_folder() / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    for path in tmp_path.glob("classifiers/*.py"):
        path.write_text(uncompiled(path.read_text(encoding="utf-8")), encoding="utf-8")
    folder = reference_folder() / FOLDER
    files = tuple(file for exercise in Registry.of(reference_folder()) for file in check_files(folder, exercise))

    def answered(seed, hash_seed, order):
        monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        return take_snapshot([SnapshotRun("reference", tmp_path, files[::order])], hidden=True, seed=seed)["reference"]

    first = {seed: answered(seed, "1", 1) for seed in (seed, another)}
    assert all(went.outcome == "passed" for checks in first.values() for went in checks.values())
    assert first[seed] == answered(seed, "2", -1)
    same = [check for check, went in first[seed].items() if went.answers == first[another][check].answers]
    fixed = "test_1_11_iterative_scaling.py::test_an_expectation_of_nothing"  # what a computer takes for zero
    assert set(same) == {fixed, *(check for check, went in first[seed].items() if not went.hidden)}


def test_the_runs_of_a_request_are_shared_out_by_their_check_files(monkeypatch):
    monkeypatch.setattr(snapshots.os, "cpu_count", lambda: 2)
    one, many = (Path("check.py"),), (Path("check.py"),) * 20
    runs = [SnapshotRun("all", Path("lab"), many), *(SnapshotRun(str(i), Path("lab"), one) for i in range(30))]
    shares = snapshots._shares(runs)
    assert sorted(run.label for share in shares for run in share) == sorted(run.label for run in runs)
    assert [sum(len(run.check_files) for run in share) for share in shares] == [25, 25]
    assert snapshots._shares(runs[1:4]) == [runs[1:4]]  # one process is enough


def test_a_mistaken_lab_leaves_the_other_labs_as_they_are(tmp_path):
    reference = reference_folder()
    exercise = Registry.of(reference)["1.5"]
    plain = uncompiled_lab(reference, tmp_path / "plain")
    before = {path: path.read_text(encoding="utf-8") for path in plain.rglob("*.py")}
    mistakes = read_mistakes(reference / FOLDER, exercise)[:2]
    labs = [mistaken_lab(plain, exercise, mistake.programs[0], tmp_path / mistake.name) for mistake in mistakes]
    assert {path: path.read_text(encoding="utf-8") for path in plain.rglob("*.py")} == before
    texts = {folder: (folder / "classifiers/mira.py").read_text(encoding="utf-8") for folder in [plain, *labs]}
    assert len(set(texts.values())) == 3 and not any("@compiled" in text for text in texts.values())
