from dataclasses import replace

import pytest

from lxmls_day1.grading.gradebook import NOT_HANDED_IN, TO_WRITE, CheckGrade, ExerciseGrade, FreeAnswer, ManualMark
from lxmls_day1.grading.reports.class_matrix import SIGNS, class_matrix, submissions_to_look_at
from lxmls_day1.grading.reports.class_page import answers_html, summary_html
from tests.lxmls_day1.grading.grades import LOOK, book_of, mira, submission

CAP = ("no_cap", "The cap is missing.")
NO_SAMPLES = "samples could not be made: OSError: full"


def check(verdict, hidden=False, **more):
    return CheckGrade("t.py::test_small_inputs", "1.5", "A", hidden, verdict, **more)


def row_of(*checks, name="Ada", student="ada", **more):
    return submission(student, mira(*checks), name=name, **more)


def cell_of(row, links=None):
    (line,) = class_matrix([row], links or {})["rows"]
    return line["cells"][0]


@pytest.mark.parametrize(
    ("row", "percent", "sign"),
    [
        (row_of(check("ok"), check("ok", True)), "100", ""),
        (row_of(check("ok"), check("wrong", True)), "25", ""),
        (row_of(check("wrong", mistakes=(CAP,))), "0", "named"),
        (row_of(check("timeout")), "0", "stopped"),
        (row_of(check("ok"), check("refused", True, text="no safe sandbox")), "25", ""),
        (row_of(check("missing", text=TO_WRITE), check("missing", True)), "0", "blank"),
        (row_of(check("missing", text=f"{NOT_HANDED_IN}mira.py"), check("missing", True)), "0", "absent"),
        (row_of(check("crashed"), failed=True), "0", "look"),
        (row_of(check("missing"), problem="No zip file."), "0", "look"),
    ],
)
def test_a_cell_has_the_share_and_the_most_urgent_sign(row, percent, sign):
    cell = cell_of(row)
    assert (cell.percent, cell.sign) == (percent, sign) and cell.link == "feedback/ada.html#exercise-1-5"


def test_nearly_all_points_are_not_all():
    passed = [check("ok", True)] * 400
    assert cell_of(row_of(*passed, check("wrong", True))).percent == "99"
    assert cell_of(row_of(*[check("wrong", True)] * 400, check("ok", True))).percent == "1"


def test_a_manual_exercise_leads_to_its_answer():
    row = submission("ada", LOOK, answers=(FreeAnswer("1.1", "n.ipynb", "Why?", "Because."),))
    book = book_of(row)
    assert 'href="answers.html#answer-1-1">' in summary_html(book) and 'id="answer-1-1"' in answers_html(book)
    marked = replace(row, exercises=(replace(LOOK, mark=ManualMark(2.5)),))
    assert [cell_of(one).sign for one in (row, replace(row, answers=()), marked)] == ["hand", "blank", ""]
    assert cell_of(marked).percent == "50"


def test_rows_are_sorted_by_name_whatever_the_accents():
    rows = [row_of(name=name, student=name) for name in ("Zoë", "Łukasz", "ada", "Émile", "Ada")]
    lines = class_matrix(rows, {})["rows"]
    assert [line["row"].name for line in lines] == ["Ada", "ada", "Émile", "Łukasz", "Zoë"]


def test_namesakes_are_told_apart_and_a_missing_exercise_is_blank():
    one, two = row_of(check("ok"), student="a1"), row_of(check("ok"), student="a2")
    more = replace(one, exercises=(*one.exercises, ExerciseGrade("1.6", "More", "code", 5.0, (check("ok"),))))
    lines = class_matrix([more, two], {})["rows"]
    assert all(line["has_namesake"] for line in lines) and lines[1]["cells"][1] is None


def test_the_page_says_every_sign_in_words():
    ada = row_of(check("wrong", mistakes=(CAP,)), name="<b>Ada")
    text = summary_html(book_of(ada, row_of(check("timeout"), student="bob", notes=("x",))))
    assert [f"{SIGNS[sign][1]} (1)" in text for sign in ("look", "stopped", "named")] == [True] * 3
    assert 'title="named mistake: no_cap"' in text and "<b>Ada" not in text
    order = [text.index(f'id="{part}"') for part in ("matrix", "mistakes", "notes", "distribution", "all")]
    assert order == sorted(order)


def test_a_mistake_has_a_picture_of_an_answer_that_it_alone_explains():
    both = row_of(check("wrong", mistakes=(CAP, ("signs", "Signs.")), picture="Qm90aA=="))
    alone = row_of(check("wrong", mistakes=(CAP,), picture="QWxvbmU="), student="bob")
    text = summary_html(book_of(both, alone))
    assert text.count("data:image/png;base64,QWxvbmU=") == 1 and "Qm90aA==" not in text


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (row_of(check("crashed"), failed=True, notes=("a worker crashed",)), "not graded"),
        (row_of(check("missing"), problem="No zip file."), "nothing to grade"),
        (row_of(check("missing"), notes=(f"{NOT_HANDED_IN}mira.py.",)), "nothing to grade"),
        (row_of(check("ok"), notes=(f"{NOT_HANDED_IN}svm.py.",)), "graded without these files"),
        (row_of(check("ok"), notes=("a.zip is too large; it was ignored.",)), "graded without this part"),
        (row_of(check("ok"), notes=(NO_SAMPLES,)), "graded; a part of the page is missing"),
    ],
)
def test_what_needs_a_look_has_an_outcome_and_advice(row, outcome):
    (look,) = submissions_to_look_at([row, row_of(check("ok"), student="bob")])
    assert look.outcome == outcome and look.advice.endswith(".")
