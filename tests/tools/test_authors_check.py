"""The authors' check finds inconsistencies in the tiny lab, and none in the real lab."""

import io
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.course.workspaces.leaks import find_solution_leaks, solution_lines
from tests.wording import wording
from tools.authoring import authors_check
from tools.authoring.authors_check import problems

ROOT = Path(__file__).resolve().parents[2]
SHORT = "1.4", "1.19"


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["some", pytest.param("all", marks=pytest.mark.campaign)])
def test_the_exercises_of_this_lab_fit_together(asked, monkeypatch):
    """Every stub fails, every solution passes, every known mistake is named, all files are current, nothing leaks.

    The stubs are checked, and the programs of the mistakes run on small inputs, in two exercises; in a campaign in all.
    """
    if asked == "some":
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # Otherwise the loops of each lab would be compiled again.
        of_stubs, of_small_inputs = authors_check.problems_of_stubs, authors_check.problems_of_small_inputs

        def of_some_stubs(lab, registry):
            return of_stubs(lab, [registry[id] for id in SHORT])

        def of_some_inputs(reference, mistakes):
            return of_small_inputs(reference, {its: known for its, known in mistakes.items() if its.id in SHORT})

        monkeypatch.setattr(authors_check, "problems_of_stubs", of_some_stubs)
        monkeypatch.setattr(authors_check, "problems_of_small_inputs", of_some_inputs)
    assert problems(ROOT) == []


@pytest.mark.slow
class TestTinyLab:
    @pytest.fixture(autouse=True)
    def few_mistakes_suffice(self, monkeypatch):
        monkeypatch.setattr(authors_check, "MIN_MISTAKES", 1)

    def change(self, reference, name, old, new):
        path = reference / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def add_check(self, reference, check):
        head = "def small_inputs("
        self.change(reference, "tests/exercises/test_1_02_means.py", head, f"{check}\n\n{head}")

    def test_the_tiny_lab_lacks_only_hidden_checks_of_one_exercise(self, reference):
        assert problems(reference) == [wording("tools.exercise_means_hidden_checks")]

    def test_errors_that_stop_all_other_checks(self, reference):
        self.change(reference, "tests/exercises/exercises.toml", "classifiers/means.py", "classifiers/mean.py")
        assert problems(reference) == [wording("tools.exercise_means_is_not")]
        self.change(reference, "tests/exercises/exercises.toml", "classifiers/mean.py", "classifiers/means.py")
        self.change(reference, "classifiers/steps.py", "# exercise 1.1: end", "")
        (problem,) = problems(reference)
        assert problem.startswith(wording("tools.solution_begins_here_end"))

    def test_a_reference_that_fails(self, reference):
        self.add_check(reference, "def test_sign(lab):\n    assert lab.function('means', 'mean', [1.0]) < 0\n")
        (problem,) = problems(reference)
        assert problem.startswith("the reference fails test_1_02_means.py::test_sign")

    def test_all_inconsistencies_are_reported_at_once(self, reference, monkeypatch):
        exercises, mistakes = "tests/exercises/exercises.toml", "tests/exercises/mistakes"
        self.change(reference, "tests/exercises/recorded/1.1.json", "[0.4]", "[0.5]")
        step = "loss / (2 * sq_norm)"
        self.change(reference, f"{mistakes}/1_01_steps.toml", f"tau = {step}\n", f"tau = min(cap, {step})\n")
        self.change(reference, f"{mistakes}/1_02_means.toml", "(len(values) + 1)", "0")
        self.add_check(reference, "def test_nothing(lab):\n    assert lab\n")
        self.change(reference, exercises, '"m = (1/n) sum"', '"return total_of_all / len(values)"')
        monkeypatch.setattr(authors_check, "MIN_MISTAKES", 2)
        found = problems(reference)
        for part in (
            "the recorded answers are not current (run `python -m tools.authoring.record`): test_1_01_steps.py::test_step",
            "mistake no_cap of exercise 1.1 is never named: it answers all small inputs rightly",
            "mistake one_too_many of exercise 1.2 is not named by its small inputs",
            "test_1_02_means.py::test_nothing passes although the exercise is not solved",
            "exercises.toml, with a line of classifiers/means.py: return total_of_all / len(values), is in a student",
            "1_02_….toml has 1 known mistakes; 2 families are enough",
        ):
            assert any(part in problem for problem in found), part

    def test_missing_parts_of_a_new_exercise_are_reported(self, reference):
        (reference / "docs/reference").mkdir(parents=True)
        (reference / "docs/reference/exercises.md").write_text("| 1.1 | steps | `steps.py` |\n")
        right = reference / "tests/lxmls_day1/grading/right"
        right.mkdir(parents=True)
        (right / "1_02_means.toml").touch()
        found = [problem.partition(": ")[2].partition(": ")[2] for problem in problems(reference)]
        for part in (
            "notebooks/1_first.ipynb has no heading `## Exercise 1.1: …`, to which `check` sends students",
            "docs/reference/exercises.md has no row `| 1.2 | … |`",
            "tests/lxmls_day1/grading/right/1_01_….toml is not there; it holds right solutions of other kinds, which must pass",
        ):
            assert part in found
        assert not any("1.1 | … |" in text or "right/1_02" in text for text in found)

    def test_an_exercise_without_checks_is_reported(self, reference):
        (reference / "tests/exercises/test_1_02_means.py").unlink()
        assert wording("tools.exercise_means_checks") in problems(reference)


class TestLeaks:
    def test_lines_of_a_solution_are_leaks(self, reference):
        lines = solution_lines(reference, ["1.1", "1.2"])
        assert set(lines.values()) == {
            wording("tools.tau_loss_sq_norm"),
            "classifiers/steps.py: tau = min(cap, tau)",
            "classifiers/means.py: total_of_all = sum(values)",
            "classifiers/means.py: return total_of_all / len(values)",
            "notebooks/2_second.ipynb: secret_of_the_cell = 42",
        }
        assert all("means" in where or "2_second" in where for where in solution_lines(reference, ["1.2"]).values())

    def test_lines_of_starter_files_are_not_leaks(self, reference):
        (reference / "classifiers/other.py").write_text("def f(cap, tau):\n    tau = min(cap,  tau)\n    return tau\n")
        assert "tau=min(cap,tau)" not in solution_lines(reference, ["1.1"])

    def test_leaks_are_found_in_texts_notebooks_and_archives(self, reference):
        lines = solution_lines(reference, ["1.1"])
        assert find_solution_leaks(student_files(reference), lines) == []
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as archive:
            archive.writestr("lab/x.py", "if a:\n    tau =  min( cap, tau )\n")
        files = {
            PurePosixPath("a.whl"): inner.getvalue(),
            PurePosixPath("b.ipynb"): b'{"cells": [{"outputs": [{"text": ["tau = min(c", "ap, tau)"]}]}]}',
            PurePosixPath("c.md"): "τ: `tau = min(cap, tau)`".encode(),
            PurePosixPath("d.png"): b"\x89\xff\x00",
        }
        found = find_solution_leaks(files, lines)
        assert [where.split(",")[0] for where in found] == ["a.whl/lab/x.py", "b.ipynb", "c.md"]
