import base64
import json
from pathlib import PurePosixPath

import pytest
from hypothesis import given as with_examples
from hypothesis import settings
from hypothesis import strategies as st

from lxmls_day1.course.registry import FILE, Registry, parse_registry
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.grading.gradebook import FreeAnswer
from lxmls_day1.grading.intake.notebook_answers import MAX_ANSWER_CHARS, free_answers, model_answers
from lxmls_day1.lab import reference_folder
from tests.wording import wording

PATH = PurePosixPath("notebooks/1_first.ipynb")
TITLES = {"1.1": "Variance", "1.2": "Proof"}
ALIKE = {"kind": "experiment", "points": 1, "notebook": str(PATH), "task": "Look.", "hints": ["a", "b", "c"]}
REGISTRY = parse_registry({"exercise": [{"id": id, "title": title, **ALIKE} for id, title in TITLES.items()]}, "test")


def markdown(id, source, *tags):
    return {"cell_type": "markdown", "id": id, "metadata": {"tags": list(tags)}, "source": source.splitlines(True)}


def code(id, source):
    return {"cell_type": "code", "id": id, "metadata": {}, "source": source, "outputs": [], "execution_count": None}


CELLS = {
    "title": markdown("title", "# Notebook"),
    "heading": markdown("heading", "## Exercise 1.1: variance\n\nVary it."),
    "plot": code("plot", "plot()"),
    "first": markdown("first", "**What do you observe?** *Your answer:*\n\n(1) size …\n\n(2) share …", "answer"),
    "more": markdown("more", "Now the other way round."),
    "second": markdown("second", "**Why?** *Your answer:*", "answer"),
    "proof": markdown("proof", "## Exercise 1.2: proof"),
    "third": markdown("third", "*Your derivation:*", "answer"),
    "end": markdown("end", "## What to take home"),
}


def notebook(cells):
    return {PATH: json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()}


GIVEN = notebook(CELLS.values())


def answered(cells):
    """Return the texts of the three answers, and the warnings."""
    answers, warnings = free_answers(notebook(cells), REGISTRY, GIVEN)
    assert [answer.exercise for answer in answers] == ["1.1", "1.1", "1.2"]
    assert {answer.notebook for answer in answers} == {str(PATH)}
    return [answer.text for answer in answers], warnings


def changed(**texts):
    """Return the cells with other texts; None deletes a cell."""
    cells = {**CELLS, **{id: {**CELLS[id], "source": text} if text else None for id, text in texts.items()}}
    return [cell for cell in cells.values() if cell]


def test_a_new_notebook_has_its_questions_and_empty_answers():
    answers, warnings = free_answers(GIVEN, REGISTRY, GIVEN)
    assert answers == (
        FreeAnswer("1.1", str(PATH), "What do you observe?\n\n(1) size …\n\n(2) share …", ""),
        FreeAnswer("1.1", str(PATH), "Why?", ""),
        FreeAnswer("1.2", str(PATH), "Proof", ""),
    )
    assert warnings == ()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("**Why?** *Your answer:* So.", "So."),
        ("**Why?** *Your answer:*\r\n\r\nSo.\r\nAnd so.", "So.\nAnd so."),
        ("So.", "So."),
        ("  **Why?**   *Your answer:*\n", ""),
        ("**Why?** *My answer:* So.", "**Why?** *My answer:* So."),
    ],
)
def test_an_answer_without_its_question(source, text):
    assert answered(changed(second=source)) == (["", text, ""], ())


def test_lines_to_be_filled_in():
    source = "**What do you observe?** *Your answer:*\n\n(1) size grows\n\n(2) share …"
    assert answered(changed(first=source))[0][0] == "(1) size grows\n\n(2) share …"


def test_a_cell_of_their_own_belongs_to_the_question_above_it():
    def after(id, cell):
        cells = changed()
        cells.insert(1 + list(CELLS).index(id), cell)
        return answered(cells)

    assert after("first", markdown("new", "Mine.")) == (["Mine.", "", ""], ())
    assert after("more", markdown("new", "Mine.")) == (["Mine.", "", ""], ())
    assert after("second", markdown("new", "Mine.")) == (["", "Mine.", ""], ())
    assert after("heading", markdown("new", "Mine.")) == (["Mine.", "", ""], ())
    assert after("proof", markdown("new", "Mine.")) == (["", "", "Mine."], ())
    warning = f"{PATH}: 1 text cell of their own stands under no exercise that asks for a text."
    assert after("end", markdown("new", "Mine.")) == (["", "", ""], (warning,))


def test_a_deleted_answer_cell_with_a_new_one_in_its_place():
    cells = [cell if cell["id"] != "third" else markdown("new", "Mine.") for cell in changed()]
    assert answered(cells) == (["", "", "Mine."], ())
    assert answered(changed(third=None, second=None)) == (["", "", ""], ())


def test_an_answer_cell_moved_to_the_end_is_found():
    cells = changed(second="**Why?** *Your answer:* So.")
    cells.append(cells.pop(list(CELLS).index("second")))
    assert answered(cells) == (["", "So.", ""], ())


def test_a_duplicated_answer_cell_counts_once():
    cells = changed(second="**Why?** *Your answer:* So.")
    twin = {**cells[5], "id": "twin"}
    assert answered([*cells[:6], twin, *cells[6:]])[0] == ["", "So.", ""]
    other = {**cells[5], "source": "**Why?** *Your answer:* Also so."}
    assert answered([*cells[:6], other, *cells[6:]])[0] == ["", "So.\n\nAlso so.", ""]


def test_a_program_that_drops_ids_and_tags():
    cells = changed(third="*Your derivation:* Trivial.")
    bare = [{key: cell[key] for key in ("cell_type", "source")} for cell in cells]
    assert answered(bare) == (["", "", "Trivial."], ())
    cells = [{**cell, "id": None, "metadata": {"id": cell["id"]}} for cell in changed(second="So.")]
    assert answered(cells) == (["", "So.", ""], ())


def test_an_answer_below_the_task():
    cells = changed(heading="## Exercise 1.1: variance\n\nVary it.\n\nI did, and it grows.")
    assert answered(cells) == (["I did, and it grows.", "", ""], ())


def test_code_is_an_answer_only_in_an_answer_cell():
    cells = changed(plot="# a comment\nplot(2)")
    assert answered([*cells, code("new", "print('hello')")]) == (["", "", ""], ())
    cells = [code("second", "So.") if cell["id"] == "second" else cell for cell in changed()]
    assert answered(cells)[0][1] == "So."


def test_pictures_and_long_texts_are_cut():
    picture = "![](data:image/png;base64," + "A" * 50_000 + ")"
    assert answered(changed(second=f"So: {picture}."))[0][1] == "So: ![]([picture])."
    texts, warnings = answered(changed(second="so " * 300_000))
    assert len(texts[1]) <= MAX_ANSWER_CHARS + 5 and texts[1].endswith(" […]")
    assert warnings == (wording("grading.answer_exercise_very_long", PATH),)


def png(width=4, height=3, more=b""):
    head = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + width.to_bytes(4) + height.to_bytes(4)
    return base64.b64encode(head + more).decode()


def jpeg(width=4, height=3):
    """Return a JPEG header with an application segment before the frame."""
    head = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08" + height.to_bytes(2) + width.to_bytes(2)
    return base64.b64encode(head + b"\0" * 12).decode()


def pictured(attachments, source="**Why?** *Your answer:* See ![a.png](attachment:a.png)."):
    """Return the second answer, with these attachments in its cell, and the warnings."""
    cells = [cell | {"attachments": attachments} if cell["id"] == "second" else cell for cell in changed(second=source)]
    answers, warnings = free_answers(notebook(cells), REGISTRY, GIVEN)
    return answers[1], warnings


@pytest.mark.parametrize(("kind", "data"), [("image/png", png()), ("image/jpeg", jpeg())])
def test_a_pasted_picture_goes_with_the_answer(kind, data):
    answer, warnings = pictured({"a.png": {kind: data}})
    assert (answer.text, answer.pictures, warnings) == ("See [picture].", (f"data:{kind};base64,{data}",), ())


def test_a_picture_in_the_text_and_doubled_cells():
    data = png(more=b"\0" * 90)
    cells = changed(second=f"**Why?** *Your answer:* ![](data:image/png;base64,{data})")
    answers, warnings = free_answers(notebook([*cells, {**cells[5], "id": "twin"}]), REGISTRY, GIVEN)
    assert answers[1].pictures == (f"data:image/png;base64,{data}",) and warnings == ()


@pytest.mark.parametrize(
    "attachments",
    [
        {"a": {"image/svg+xml": "<svg onload='x()'/>"}},
        {"a": {"image/png": base64.b64encode(b"<svg/>").decode()}},
        {"a": {"image/png": jpeg()}},
        {"a": {'image/png" onerror="x()': png()}},
        {"a": {"image/png": png() + '"><script>'}},
        {"a": {"image/png": "é" + png()}},
        {"a": {"image/png": png(more=bytes(600_000))}},
        {"a": {"image/png": png(40_000, 40_000)}},
        {"a": {"image/jpeg": jpeg(60_000, 60_000)}},
        {"a": {"image/jpeg": base64.b64encode(b"\xff\xd8\xff\xe0\0\0").decode()}},
        {"a": {"image/png": png()[:16]}},
        {"a": {"image/png": 7}},
    ],
)
def test_invalid_pictures_are_not_shown(attachments):
    answer, (warning,) = pictured(attachments)
    assert answer.pictures == () and answer.text == "See [picture]."
    assert wording("grading.picture_answers_cannot_shown") in warning


@pytest.mark.parametrize("attachments", [None, 7, "a", [], {}, {"a": None}, {"a": []}, {"a": {}}])
def test_invalid_attachments_are_ignored(attachments):
    answer, warnings = pictured(attachments)
    assert answer.pictures == () and warnings == ()


def test_no_more_than_a_few_pictures():
    answer, (warning,) = pictured({str(n): {"image/png": png(n + 1)} for n in range(6)})
    assert len(answer.pictures) == 4 and wording("grading.pictures_answers_cannot_shown") in warning


def test_invalid_unicode_characters_are_replaced():
    assert answered(changed(second="a\ud800b\x00c"))[0][1] == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "Expecting value in line 1"),
        (b"{", "in line 1"),
        (b"\xff\xfe", "it is not UTF-8 text"),
        (b"[]", "it has no list of cells"),
        (b'{"cells": 3}', "it has no list of cells"),
        (b"[" * 200_000, "it is nested too deeply"),
        (b'{"cells": [' + b"[]," * 500_000 + b"0]}", "it has too many parts"),
        (b'{"cells": [' + b"1" * 10_000 + b"]}", "Exceeds the limit"),
    ],
)
def test_an_invalid_notebook_has_no_answers_and_a_warning(content, reason):
    answers, warnings = free_answers({PATH: content}, REGISTRY, GIVEN)
    assert [answer.text for answer in answers] == ["", "", ""]
    (warning,) = warnings
    assert reason in warning and warning.startswith(wording("grading.is_not_notebook", PATH)) and warning.endswith(".")


def test_a_notebook_that_was_not_handed_in_has_a_warning():
    answers, warnings = free_answers({}, REGISTRY, GIVEN)
    assert [answer.text for answer in answers] == ["", "", ""]
    assert warnings == (wording("grading.notebooks_handed_first_ipynb"),)


def test_text_under_an_ungraded_exercise_is_ignored():
    cells = changed(first="**What do you observe?** *Your answer:* It grows.")
    cells.insert(4, markdown("own", "And besides."))
    answers, warnings = free_answers(notebook(cells), Registry(REGISTRY, assigned=["1.2"]), GIVEN)
    assert [answer.exercise for answer in answers] == ["1.2"] and not warnings


def test_exercises_released_with_solutions_have_no_questions():
    registry = Registry(REGISTRY, assigned=["1.2"])
    assert [answer.exercise for answer in free_answers(GIVEN, registry, GIVEN)[0]] == ["1.2"]


keys = st.sampled_from(["cells", "cell_type", "source", "metadata", "tags", "id"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["markdown", "code", "second"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=30,
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@with_examples(st.lists(json_values, max_size=5))
def test_any_cells_can_be_read(cells):
    texts, _ = answered([*cells, *changed(second="So.")])
    assert texts[1].endswith("So.")


@pytest.mark.slow
def test_the_real_notebooks_have_their_questions():
    given = student_files(reference_folder())
    registry = Registry.read(reference_folder() / FILE)
    answers, warnings = free_answers(given, registry, given)
    assert warnings == ()
    assert {answer.text for answer in answers} == {""}
    assert {answer.exercise for answer in answers} <= set(registry.ids)
    without_checks = {exercise.id for exercise in registry if exercise.kind != "code"}
    assert without_checks <= {answer.exercise for answer in answers}
    asked_for = sum(content.count(b'"answer"') for name, content in given.items() if name.suffix == ".ipynb")
    assert 0 < len(answers) <= asked_for
    assert all(answer.asked and "*Your" not in answer.asked for answer in answers)


def test_every_question_of_the_real_notebooks_has_a_model_answer():
    given = student_files(reference_folder())
    answers, _ = free_answers(given, Registry.read(reference_folder() / FILE), given)
    known = model_answers(reference_folder())
    assert answers and all(known.get((answer.exercise, answer.notebook, answer.asked)) for answer in answers)


@pytest.mark.parametrize("prompt", [" At 3.", ""])
def test_a_prediction_is_not_an_answer(prompt):
    """Neither in its cell, nor in a cell that the student added right below."""
    asked = "**Predict.** Where is the peak? *Your prediction:*"
    cells = [*CELLS.values()]
    given = notebook([*cells[:3], markdown("guess", asked, "predict"), *cells[3:]])
    theirs = [*cells[:3], markdown("guess", asked + prompt, "predict"), markdown("mine", "At 3."), *cells[3:]]
    answers, warnings = free_answers(notebook(theirs), REGISTRY, given)
    assert [answer.text for answer in answers] == ["", "", ""] and warnings == ()
