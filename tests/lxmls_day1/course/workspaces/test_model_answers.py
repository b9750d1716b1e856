import json

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.workspaces.generation import notebook_bytes, student_files
from lxmls_day1.course.workspaces.leaks import find_solution_leaks, solution_lines
from lxmls_day1.course.workspaces.model_answers import FILE, decode_answers
from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.notebook_lab import NotebookLab
from tests.wording import wording

QUESTION = "**Explain.** Why is it so? *Your answer:*"
MODEL = "**One answer.** Because the model answer says so, $\\tau$."

pytestmark = pytest.mark.usefixtures("imports_as_before")


def cell(kind, source, *tags):
    return {"cell_type": kind, "metadata": {"tags": list(tags)}, "source": source}


def cells(model=MODEL):
    made = [
        cell("markdown", "## Exercise 1.1: half steps"),
        cell("markdown", QUESTION, "answer"),
        cell("markdown", f"<!-- numbers: errors -->\n{model}", "solution"),
        cell("markdown", "What this shows: it is so."),
        cell("markdown", "A second question. *Your answer:*", "answer"),
        cell("markdown", "The second model answer.", "solution"),
        cell("markdown", "## Exercise 1.3: look"),
        cell("markdown", "*Your derivation:*", "answer"),
        cell("markdown", "The derivation of exercise 1.3, which is a solution.", "solution"),
    ]
    return [{**one, "id": f"cell-{number}"} for number, one in enumerate(made)]


def write(folder, made):
    content = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "notebooks/1_first.ipynb").write_bytes(notebook_bytes(content))


@pytest.fixture
def asking(reference):
    """Return the tiny reference lab with three questions and their model answers; 1.3 is a derivation."""
    toml = reference / "tests/exercises/exercises.toml"
    head, mark, last = toml.read_text().partition('id = "1.3"')
    assert mark
    toml.write_text(head + mark + last.replace("experiment", "derivation").replace("2_second", "1_first"))
    write(reference, cells())
    return reference


def answered(folder, **texts):
    """Write answers into the workspace's notebook, by cell id."""
    path = folder / "notebooks/1_first.ipynb"
    notebook = json.loads(path.read_text())
    for one in notebook["cells"]:
        if (text := texts.get(one["id"].replace("-", "_"))) is not None:
            one["source"] = text
    path.write_text(json.dumps(notebook))


class TestStudentsCopies:
    def test_another_question_of_a_derivation_has_its_answer(self, asking):
        question = cell("markdown", "**Explain.** What of σ? *Your answer:*", "answer") | {"id": "question"}
        answer = cell("markdown", "Nothing.", "solution") | {"id": "its-answer"}
        write(asking, [*cells(), question, answer])
        found = decode_answers({str(name): text for name, text in student_files(asking).items()}[str(FILE)])
        assert [answer.text for answer in found if answer.exercise == "1.3"] == ["Nothing."]

    def test_answers_without_derivations_are_included_and_encoded(self, asking):
        files = student_files(asking)
        first, second = ("1.1", "cell-1", MODEL), ("1.1", "cell-4", "The second model answer.")
        assert [(a.exercise, a.cell, a.text) for a in decode_answers(files[FILE])] == [first, second]
        everything = b"\n".join(files.values()).decode()
        for text in ("model answer says so", "second model answer", "which is a solution"):
            assert text not in everything
        assert "What this shows" in everything
        assert find_solution_leaks(files, solution_lines(asking, ["1.1", "1.2", "1.3"])) == []


class TestReveal:
    def shown(self, folder, exercise="1.1"):
        return NotebookLab(folder).reveal(exercise)

    def test_a_model_answer_opens_after_the_student_answered(self, asking, tmp_path):
        workspace = start_workspace(tmp_path / "mine")
        nothing = self.shown(workspace)
        assert nothing.report.answers == () and wording("course.model_answers_open_after") in nothing.text
        answered(workspace, cell_1=QUESTION + "\n \n")
        assert self.shown(workspace).report.answers == ()
        answered(workspace, cell_1=QUESTION + " Because it does.")
        one = self.shown(workspace)
        assert MODEL in one.text and "second model answer" not in one.text and "The model answer opens" in one.text
        assert one._repr_markdown_() == repr(one) and one._repr_html_() is None
        answered(workspace, cell_4="Mine.")
        assert self.shown(workspace).report.waiting == 0

    def test_a_lab_with_solutions_shows_all(self, asking):
        assert [answer.text for answer in self.shown(asking).report.answers] == [MODEL, "The second model answer."]
        assert "derivation" in self.shown(asking, "1.3").text

    def test_missing_model_answers_are_reported(self, asking, tmp_path):
        workspace = start_workspace(tmp_path / "mine")
        with pytest.raises(InputError, match=wording("course.model_answer_exercise")):
            self.shown(workspace, "1.3")
        with pytest.raises(InputError, match="no exercise '1.7'"):
            self.shown(workspace, "1.7")
        (workspace / FILE).write_text("{}")
        with pytest.raises(InputError, match=wording("course.not_as_it_was")):
            self.shown(workspace)
        (workspace / "notebooks/1_first.ipynb").write_text("no notebook")
        with pytest.raises(InputError, match=wording("course.cannot_read_notebook")):
            self.shown(workspace)
