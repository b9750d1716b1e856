import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import FOLDER, RECORDED, Registry, check_files
from lxmls_day1.course.running.snapshot import SnapshotRun, reference_answers, run_snapshot
from lxmls_day1.lab import reference_folder
from tests.wording import wording
from tools.authoring import record
from tools.authoring.pool_builder import uncompiled_lab

pytestmark = pytest.mark.slow


def test_recorded_answers_match_the_expected_ones(reference, capsys):
    paths = {path: path.read_text(encoding="utf-8") for path in (reference / RECORDED).iterdir()}
    for path in paths:
        path.unlink()
    (reference / RECORDED / "1.9.json").write_text("of an exercise that was removed")
    assert record.main([]) == 0
    assert {path: path.read_text(encoding="utf-8") for path in (reference / RECORDED).iterdir()} == paths
    assert wording("tools.checks_known_mistakes") in capsys.readouterr().out


def test_recording_one_exercise_leaves_the_others(reference, capsys, monkeypatch):
    monkeypatch.setattr(record, "problems_of_functions", lambda ids: [f"somewhere.mean answers {ids}"])
    first, second = (reference / RECORDED / f"{id}.json" for id in ("1.1", "1.2"))
    before = second.read_text(encoding="utf-8")
    second.write_text(before.replace("[3,2.25]", "[4,2.25]"), encoding="utf-8")
    first.write_text("{}", encoding="utf-8")
    assert record.main(["1.2"]) == 0
    assert second.read_text(encoding="utf-8") == before and first.read_text(encoding="utf-8") == "{}"
    assert capsys.readouterr().err == "Note: somewhere.mean answers ['1.2']\n"


def test_a_reference_that_fails_its_own_check_is_not_recorded(reference, capsys):
    path = reference / "tests/exercises/test_1_02_means.py"
    path.write_text(path.read_text() + "\n\ndef test_property(lab):\n    assert False, 'not so'\n")
    assert record.main([]) == 1
    assert wording("tools.reference_fails_test_property") in capsys.readouterr().err


def test_hidden_answers_come_from_the_reference_and_depend_on_the_seed(reference):
    answers = [reference_answers(["1.1"], seed) for seed in (1, 1, 2)]
    hidden = [a.checks["test_1_01_steps.py::test_fresh[30]"]["the sum of fresh steps"] for a in answers]
    assert hidden[0] == hidden[1] != hidden[2]
    assert 3 < hidden[0].values[0] < 12  # Half of the losses; the sum of 30 uniform numbers is 15 ± 1.6.
    assert answers[0].checks.keys() == {key for key in answers[0].checks if key.startswith("test_1_01")}


def test_a_check_file_with_a_syntax_error_is_refused(reference):
    (reference / "tests/exercises/test_1_02_means.py").write_text("def (:\n")
    with pytest.raises(InputError, match="invalid syntax"):
        reference_answers(["1.2"], 1)


def test_the_same_seed_gives_the_same_answers_in_every_process(monkeypatch, tmp_path):
    """The answers agree to the last bit with another hash seed and another order of checks; another seed gives other answers."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # Otherwise the lab's loops would be compiled again.
    seed, another = 1, 2
    lab = uncompiled_lab(reference_folder(), tmp_path / "lab")
    folder = reference_folder() / FOLDER
    registry = Registry.from_folder(reference_folder())
    files = tuple(file for exercise in registry for file in check_files(folder, exercise))

    def answered(seed, hash_seed, order):
        monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        return run_snapshot([SnapshotRun("reference", lab, files[::order])], seed)["reference"]

    first = {seed: answered(seed, "1", 1) for seed in (seed, another)}
    assert all(went.outcome == "passed" for checks in first.values() for went in checks.values())
    assert first[seed] == answered(seed, "2", -1)
    same = [check for check, went in first[seed].items() if went.answers == first[another][check].answers]
    fixed = "test_1_11_iterative_scaling.py::test_an_expectation_of_nothing"  # The computed sum is zero up to rounding.
    assert set(same) == {fixed, *(check for check, went in first[seed].items() if not went.hidden)}
