import ast
import json
from pathlib import PurePosixPath

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.markers import MarkerError
from lxmls_day1.course.registry import Registry
from lxmls_day1.course.workspaces import generation
from lxmls_day1.course.workspaces.workspace import write_files
from tests.lxmls_day1.file_trees import tree
from tests.wording import wording


def texts(files):
    return {str(name): content.decode() for name, content in files.items()}


class TestStudentFiles:
    def test_student_files_contain_stubs_and_no_solutions(self, reference):
        files = texts(generation.student_files(reference))
        assert set(files) == {
            "classifiers/__init__.py",
            "classifiers/means.py",
            "classifiers/steps.py",
            "notebooks/1_first.ipynb",
            "notebooks/2_second.ipynb",
            "readers/__init__.py",
            "readers/points.py",
            "tests/exercises/exercises.toml",
            "tests/exercises/recorded/1.1.json",
            "tests/exercises/recorded/1.2.json",
            "tests/exercises/test_1_01_steps.py",
            "tests/exercises/test_1_02_means.py",
        }
        everything = "\n".join(files.values())
        secrets = ["loss / (2 *", "total_of_all", "secret_of_the_cell", "test_fresh", "what only the grader", "swap"]
        assert [secret for secret in secrets if secret in everything] == []
        assert "def untouched(x):   # the spacing stays\n    return  x\n" in files["classifiers/means.py"]
        assert wording("course.reference_takes", "2", "lines") in files["classifiers/steps.py"]
        assert "loss = float(loss)" in files["classifiers/steps.py"]

    def test_it_is_the_same_from_a_checkout_with_windows_line_ends_and_leftovers(self, reference):
        before = generation.student_files(reference)
        for path, content in tree(reference).items():
            (reference / path).write_bytes(content.replace(b"\n", b"\r\n"))
        leftovers = {"classifiers/__pycache__/steps.py": b"secret", "classifiers/steps.py~": b"secret"}
        settings = {"notebooks/jupytext.toml": b"formats = 'ipynb,py'", "notebooks/.ipynb_checkpoints/1.ipynb": b"{}"}
        write_files(reference, leftovers | settings)
        assert generation.student_files(reference) == before

    def test_remarks_for_authors_are_removed_from_the_notebooks_readme(self, reference):
        (reference / "notebooks/README.md").write_text("# Notebooks\n\nRead them.\n\n## For authors\n\nBuild them.\n")
        readme = generation.student_files(reference)[PurePosixPath("notebooks/README.md")]
        assert readme == b"# Notebooks\n\nRead them.\n"

    def test_files_without_markers_are_not_changed(self, reference, workspace):
        assert generation.student_files(workspace) == generation.student_files(reference)

    def test_only_some_exercises(self, reference):
        files = texts(generation.student_files(reference, ["1.2"]))
        assert wording("course.tau_loss_sq_norm_2") in files["classifiers/steps.py"]
        assert "# exercise" not in files["classifiers/steps.py"]
        assert "raise NotImplementedError" in files["classifiers/means.py"]
        assert files["tests/exercises/exercises.toml"].startswith('assigned = ["1.2"]')
        with pytest.raises(InputError, match="no exercise '7'"):
            generation.student_files(reference, ["7"])

    def test_with_solutions(self, reference):
        files = texts(generation.solved_files(reference))
        assert wording("course.tau_loss_sq_norm_2") in files["classifiers/steps.py"]
        assert "test_fresh" in files["tests/exercises/test_1_01_steps.py"]
        assert "tests/exercises/mistakes/1_01_steps.toml" in files
        assert not any("# exercise 1" in text for text in files.values())


def cell(kind, source, *tags):
    extra = {"outputs": [{"text": "42"}], "execution_count": 1} if kind == "code" else {}
    return {"cell_type": kind, "id": "x", "metadata": {"tags": list(tags)}, "source": source, **extra}


NOTEBOOK = {
    "metadata": {},
    "cells": [
        cell("code", "x = 1"),
        cell("markdown", "# All\n## Exercise 1.1: steps\nText."),
        cell("markdown", "model answer", "solution"),
        cell("code", "z = 1"),
        cell("markdown", "### deeper"),
        cell("markdown", "another model answer", "solution"),
        cell("markdown", "## Next"),
        cell("code", "y = 1"),
        cell("markdown", "a third model answer", "solution", "exercise-1.2"),
    ],
}


class TestNotebooks:
    def test_cells_belong_to_the_heading_above_or_to_their_tag(self):
        assert generation.exercises_of_cells(NOTEBOOK) == [None, "1.1", "1.1", "1.1", "1.1", "1.1", None, None, "1.2"]
        lettered = {"cells": [cell("markdown", f"## Exercise {id}: x") for id in ("1.4", "1.4a", "1.4ab")]}
        assert generation.exercises_of_cells(lettered) == ["1.4", "1.4a", None]

    def test_model_answers_are_removed(self, reference):
        before = json.dumps(NOTEBOOK)
        made = generation.student_notebook(NOTEBOOK, Registry.from_folder(reference), ["1.1", "1.2"], "n.ipynb")
        assert json.dumps(NOTEBOOK) == before
        text = generation.notebook_bytes(made).decode()
        assert "model answer" not in text and "42" not in text
        assert [c["source"] for c in made["cells"]] == [
            "x = 1", "# All\n## Exercise 1.1: steps\nText.", "z = 1", "### deeper", "## Next", "y = 1",
        ]  # fmt: skip

    def test_a_model_answer_that_belongs_to_no_exercise_is_removed(self, reference):
        notebook = {"metadata": {}, "cells": [cell("markdown", "model answer", "solution")]}
        registry = Registry.from_folder(reference)
        assert generation.student_notebook(notebook, registry, ["1.1"], "n.ipynb")["cells"] == []
        assert len(generation.student_notebook(notebook, registry, [], "n.ipynb")["cells"]) == 1

    @pytest.mark.parametrize(
        "solution",
        [
            cell("code", "secret = 1", "solution", "exercise-1.1"),
            cell("code", "# exercise 1.1: solution (1 line)\nsecret = 3\n# exercise 1.1: end"),
            cell("code", "# Exercise 1.1 solution (1 line)\nsecret = 3"),
        ],
    )
    def test_a_solution_in_code_is_refused(self, reference, solution):
        notebook = {"metadata": {}, "cells": [solution]}
        with pytest.raises(MarkerError, match=wording("course.n_ipynb_cell_expected")):
            generation.student_notebook(notebook, Registry.from_folder(reference), ["1.1"], "n.ipynb")


class TestHiddenChecks:
    def test_functions_and_classes_are_cut_out(self):
        source = (
            "import pytest\n\n\ndef test_a(lab): pass\n\n\n# secret\n"
            "@pytest.mark.hidden\ndef test_b(lab): pass\n\n\n"
            "@pytest.mark.hidden\nclass TestB:\n    def test_c(self, lab): pass\n\n\n"
            "@pytest.mark.hidden\ndef oracle(x): return x\n\n\ndef test_d(lab): pass\n"
        )
        left = generation.without_hidden_checks(source, "test_1_01_x.py")
        names = {node.name for node in ast.walk(ast.parse(left)) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        assert names == {"test_a", "test_d"}
        assert "secret" not in left

    METHOD = "class TestA:\n    @pytest.mark.hidden\n    def test_a(self): pass"

    @pytest.mark.parametrize("rest", ["later = [pytest.mark.hidden]", METHOD])
    def test_a_use_that_cannot_be_cut_out(self, rest):
        source = f"import pytest\n\ndef test(): pass\n\n{rest}\n"
        with pytest.raises(InputError, match=wording("course.mark_function_class")):
            generation.without_hidden_checks(source, "test_1_01_x.py")
