"""Hidden checks under several seeds: a few programs of each exercise here, all of them in ``make teach-report``."""

import textwrap

import pytest

from lxmls_day1.errors import InputError
from lxmls_day1.exercises.mistakes import read_mistakes
from lxmls_day1.exercises.pool_making import checks_of_file
from lxmls_day1.exercises.registry import FILE, FOLDER, Registry, check_files
from lxmls_day1.exercises.seed_trials import checks_in, trials
from lxmls_day1.lab import reference_folder

REFERENCE = reference_folder()
CHECKED = [e for e in Registry.read(REFERENCE / FILE) if check_files(REFERENCE / FOLDER, e)]
SOME = 6  # programs of an exercise


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("exercise", CHECKED, ids=lambda exercise: exercise.id)
def test_no_mistake_escapes_and_the_reference_never_fails(exercise, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    sources = {name: (REFERENCE / name).read_text(encoding="utf-8") for name in exercise.files if name.endswith(".py")}
    programs = [program for mistake in read_mistakes(REFERENCE / FOLDER, exercise) for program in mistake.programs]
    tried = {program.label: program.made_in(sources) for program in programs[:: -(-len(programs) // SOME)]}
    found = trials(REFERENCE, exercise, tried | {"the reference": {}}, seeds=(1, 2), folder=tmp_path / "lab")
    assert found.pop("the reference").passed == [1, 2]
    assert {label: trial.passed for label, trial in found.items() if trial.passed} == {}


def test_a_check_of_several_cases_is_several_checks(reference):
    (file,) = check_files(reference / FOLDER, Registry.of(reference)["1.1"])
    assert [check.name for check in checks_in(checks_of_file(file)) if check.hidden] == [
        "test_fresh[3]",
        "test_fresh[30]",
    ]


class TestTinyLab:
    @pytest.fixture(autouse=True)
    def no_byte_code(self, monkeypatch):
        monkeypatch.setattr("sys.dont_write_bytecode", True)

    def test_what_passes_under_which_seed(self, reference, tmp_path):
        exercise = Registry.of(reference)["1.1"]
        (name,) = exercise.files[:1]
        source = (reference / name).read_text(encoding="utf-8")
        programs = {
            "right": {},
            "lucky": {name: source.replace("2 * sq_norm", "(2 + (losses_seen() % 2)) * sq_norm")},
            "wrong": {name: source.replace("2 * sq_norm", "3 * sq_norm")},
            "endless": {name: source + "\nimport itertools\nfor _ in itertools.count():\n    pass\n"},
        }
        found = trials(reference, exercise, programs, seeds=(1, 2, 3), folder=tmp_path / "lab")
        assert found["right"].passed == [1, 2, 3] and not found["right"].failed
        assert found["wrong"].passed == [] and set(found["wrong"].failed.values()) == {"test_fresh[3]"}
        assert found["lucky"].failed.keys() == {1, 2, 3}  # it ends with a NameError
        assert found["endless"].failed.keys() == {1, 2, 3}

    def test_what_does_not_end_is_not_asked_for_ever(self, reference, tmp_path):
        exercise = Registry.of(reference)["1.1"]
        (name,) = exercise.files[:1]
        source = (reference / name).read_text(encoding="utf-8")
        programs = {"endless": {name: source.replace("2 * sq_norm", "sum(0 for _ in iter(int, 1))")}}
        found = trials(reference, exercise, programs, seeds=range(1, 9), folder=tmp_path / "lab")
        assert found["endless"].failed == dict.fromkeys((1, 2, 3), "test_fresh[3]") and not found["endless"].passed

    def test_a_check_ends_at_its_first_wrong_answer(self, reference, tmp_path):
        exercise = Registry.of(reference)["1.1"]
        (name,) = exercise.files[:1]
        (file,) = check_files(reference / FOLDER, exercise)
        asked = """
        @pytest.mark.hidden
        def test_two(lab, expect):
            for cap in (1.0, 2.0):
                with open({!r}, "a") as asked:
                    asked.write(f"{{cap}} ")
                expect(f"the step with the cap {{cap}}", lab.function("steps", "half_step", 4.0, 5.0, cap))
        """.format(str(tmp_path / "asked"))
        file.write_text("import pytest\n" + textwrap.dedent(asked), encoding="utf-8")
        wrong = (reference / name).read_text(encoding="utf-8").replace("2 * sq_norm", "3 * sq_norm")
        trials(reference, exercise, {"wrong": {name: wrong}}, seeds=(1,), folder=tmp_path / "lab")
        assert (tmp_path / "asked").read_text().split() == [
            "1.0",
            "2.0",
            "1.0",
        ]  # the reference, then the wrong program

    def test_a_reference_that_fails_is_named(self, reference, tmp_path):
        exercise = Registry.of(reference)["1.1"]
        path = reference / exercise.files[0]
        path.write_text(path.read_text(encoding="utf-8").replace("2 * sq_norm", "2 * unknown"), encoding="utf-8")
        with pytest.raises(InputError, match=r"the reference fails test_fresh\[3\] under the seed 5"):
            trials(reference, exercise, {}, seeds=(5,), folder=tmp_path / "lab")
