import dataclasses
import re

import pytest

from lxmls_day1.course.workspace_state import Explanation
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, FreeAnswer, Gradebook, SubmissionGrade
from lxmls_day1.grading.reports.class_matrix import submissions_to_look_at
from lxmls_day1.grading.reports.class_page import answers_html, summary_html
from lxmls_day1.grading.reports.class_tables import gradescope_json
from lxmls_day1.grading.reports.student_page import TO_BE_MARKED, explanation, student_html
from lxmls_day1.grading.verdicts import VERDICTS
from tests.lxmls_day1.grading.grades import LOOK, mira, submission
from tests.lxmls_day1.html_elements import Elements
from tests.wording import wording

HOSTILE = [
    "<script>alert(1)</script>",
    "</pre></li></ul></section></main></body><h1>105 of 105 points</h1>",
    '"><img src=x onerror=alert(1)>',
    "<!-- ",
    "]]> <![CDATA[ <style>body{display:none}</style>",
    "javascript:alert(1) http://evil.example/x",
    "\x1b]8;;http://evil\x07link\x1b[2J\x00\x08",
    "\u202egnp.exe\u2066",
    "\ud800\udfff\ufffe",
    "e" + "\u0301" * 300,
    "&lt;b&gt; &amp;",
    "{{ 7 * 7 }} {% raw %} {# x",
]
SENTENCE = ("norm_counted_once", "The step divides by ‖g‖² and is *twice* as long as `step`.")


def row_with(text, **changes):
    """Return a result with an entry of every kind, and a student's text in every place that can hold one."""
    test = "test_1_05_mira.py::test"
    seen = f"got {text}", (f"f({text})",), (SENTENCE,)
    secret = "differs", ("SECRET",), (SENTENCE,)
    checks = [
        CheckGrade(f"{test}_a", "1.5", "A mistake", False, "ok", "", (f"mira_rule({text})",)),
        CheckGrade(f"{test}_small_inputs", "1.5", "The cap", False, "wrong", *seen, printed=(text, f"  {text}")),
        CheckGrade(f"{test}_c", "1.5", "Fresh", True, "wrong", *secret, printed=("SECRET",)),
        CheckGrade(f"{test}_d", "1.5", "Fresh too", True, "error", f"ValueError: {text}"),
    ]
    more = {
        "digest": "ab" * 32,
        "warnings": (f"put aside: {text}",),
        "printed": f"printed {text}\n",
        "answers": (FreeAnswer("1.1", "notebooks/1.ipynb", "What is $p(y)$?", f"This: {text}"),),
        "problem": f"{text} is not a zip file.",
        "explanations": (Explanation("1.5", text, text, text, text), Explanation("1.5", text, text, "", "")),
    }
    row = submission("ada", LOOK, mira(*checks), name=f"Ada {text}", source=f"/home/me/{text}.zip")
    return dataclasses.replace(row, **more | changes)


def run_of(row, **changes):
    how = "landlock", "Landlock and seccomp", {"wall": 5.0}, True, "2026-07-19T12:30:05+00:00", "0.1"
    return dataclasses.replace(Gradebook((row,), 7, *how), **changes)


def page_of(row, **changes):
    return student_html(row, run_of(row, **changes))


def outline(page):
    """Return all tags with the names of their attributes."""
    return [(tag, *(name for name, _ in attributes)) for tag, attributes in Elements(page).tags]


PAGES = {"student": lambda run: student_html(run.rows[0], run), "summary": summary_html, "answers": answers_html}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("text", HOSTILE)
def test_what_students_write_adds_no_markup_and_no_control_character(page, text):
    expected, said = (PAGES[page](run_of(row_with(one))) for one in ("harmless", text))
    assert outline(said) == outline(expected)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]", said)
    said.encode("utf-8")


def test_the_cells_of_a_column_look_like_its_head():
    row = row_with("x")
    for text in (student_html(row, run_of(row)), summary_html(run_of(row)), answers_html(run_of(row))):
        for table in re.findall("<table>(.*?)</table>", text, re.DOTALL):
            lines = [re.findall(r"<t([hd])((?: \w+=\"\w+\")*)>", line) for line in table.split("<tr>")[1:]]
            kinds = [[re.sub(r' ?scope="\w+"', "", attributes).strip() for _, attributes in line] for line in lines]
            assert len(kinds) > 1 and all(line == kinds[0] for line in kinds)
            assert [cell for cell, _ in lines[1]] == ["h"] + ["d"] * (len(lines[0]) - 1)


def test_a_submission_that_cannot_be_read_is_not_a_mere_warning():
    row = row_with("x", problem="a.zip lies too deep.")
    text = page_of(row)
    _, _, after = text.partition("Nothing could be read")
    assert after.partition("Warnings")[0].count("a.zip lies too deep.") == 1 == text.count("a.zip lies too deep.")
    assert "a.zip lies too deep." in summary_html(run_of(row))


def test_the_page_loads_nothing():
    text = page_of(row_with("x"))
    assert not re.findall(r'(?:src|href|action|data|srcset|poster)="([^"#][^"]*)"', text)
    for anchor in re.findall('href="#([^"]*)"', text):
        assert text.count(f'id="{anchor}"') == 1
    for id in re.findall('aria-labelledby="([^"]*)"', text):
        assert text.count(f'id="{id}"') == 1


class TestContents:
    def test_points_and_points_still_to_come(self):
        text = Elements(page_of(row_with("x"))).text
        assert re.search(r"1\.25 +of 10 points", text)  # One of two public checks and none of two hidden checks pass.
        assert TO_BE_MARKED in text and wording("grading.more_points_come_exercise", "5", "1.1") in text

    def test_a_hidden_check_does_not_show_its_calls(self):
        text = page_of(row_with("x"))
        assert "SECRET" not in text and "f(x)" in text

    def test_a_known_mistake_is_named_at_the_head_and_once_in_its_exercise(self):
        head, _, rest = page_of(row_with("x")).partition("</header>")
        assert head.count("The step divides by") == rest.count("The step divides by") == 1

    def test_a_repeated_text_is_replaced_by_a_reference(self):
        said = "mira.py:3, in f\nNameError: y"
        checks = [CheckGrade(f"t.py::{n}", "1.5", f"Check {n}", False, "error", said) for n in range(3)]
        text = page_of(row_with("x", exercises=(mira(*checks),)))
        assert text.count("NameError") == 1 and text.count("as in “Check 0”") == 2

    def test_the_settings_of_grading_are_shown(self):
        text = page_of(row_with("x"))
        for fact in ("landlock", "seed 7", "2026-07-19 12:30 UTC", "lxmls-day1 0.1", "wall 5", "abababab"):
            assert fact in text

    def test_paths_of_the_instructor_are_not_shown(self):
        assert "/home/me" not in page_of(row_with("x"))

    @pytest.mark.parametrize("verdict", VERDICTS)
    def test_every_verdict_is_explained_in_words(self, verdict):
        check = CheckGrade("t.py::t", "1.5", "Check", True, verdict)
        text = page_of(row_with("x", exercises=(mira(check),)))
        assert VERDICTS[verdict].sign in text and VERDICTS[verdict].words in text
        assert verdict == "ok" or VERDICTS[verdict].meaning in text

    def test_a_page_without_exercises(self):
        text = page_of(SubmissionGrade("ada", "", "", "", ()), graded="", version="", limits={})
        assert "ada" in text and "0 points" in text

    def test_very_long_output_is_cut(self):
        assert len(page_of(row_with("y\n" * 200_000, printed="z" * 10**6))) < 120_000


def test_an_exercise_that_was_not_begun_is_one_line():
    """One student's 68 kB of feedback repeated 21 times that nothing was written."""
    said = ["still to be written"] * 3 + [""] * 6  # Hidden checks have no text.
    checks = [
        CheckGrade(f"t.py::t{n}", "1.5", f"Check {n}", not t, "missing", t, ("f(1)",)) for n, t in enumerate(said)
    ]
    by_hand = ExerciseGrade("1.1", "Bayes", "text", 5.0, ())
    answers = (FreeAnswer("1.1", "n.ipynb", "What?", " \n"), FreeAnswer("1.5", "n.ipynb", "Why $x$?", ""))
    row = submission("ada", mira(*checks), by_hand, answers=answers)
    text = page_of(row)
    assert text.count("still to be written") == 1 and "Check 1" not in text and "f(1)" not in text
    assert wording("grading.no_answer_in_notebook") in text and "What?" not in text and "Why" not in text
    written = dataclasses.replace(row, answers=(answers[0], dataclasses.replace(answers[1], text="Because.")))
    assert "Because." in page_of(written) and "Why" in page_of(written)


def test_an_explanation_is_plain_text():
    assert explanation(CheckGrade("", "1.5", "", False, "ok")) == "right"
    said = explanation(CheckGrade("", "1.5", "", False, "error", "a\x1b[31m\nb"))
    assert said.splitlines() == ["error: an exception", "a", "b"]


def test_pictures_of_a_wrong_answer_and_of_a_pasted_one():
    row = row_with("x")
    wrong = dataclasses.replace(row.exercises[1].checks[1], picture="UE5H")
    exercise = dataclasses.replace(row.exercises[1], checks=(wrong,))
    answer = FreeAnswer("1.1", "n.ipynb", "What?", "See [picture].", pictures=("data:image/jpeg;base64,SlBH",))
    row = dataclasses.replace(row, exercises=(row.exercises[0], exercise), answers=(answer,))
    text = page_of(row)
    assert re.search(r'<img class="example" src="data:image/png;base64,UE5H" alt="[^"]*picture[^"]*">', text)
    assert wording("grading.img_alt_picture_answer") in text
    assert "data:image/jpeg;base64,SlBH" in answers_html(run_of(row))


def test_a_warning_about_ignored_answers_is_not_said_to_cost_no_points():
    row = submission("ada", mira(), warnings=("It is odd.",))
    noted = dataclasses.replace(row, notes=("mira.py was ignored." + wording("grading.answers_differ"),))
    noted = dataclasses.replace(noted, warnings=(*row.warnings, *noted.notes))
    for render in (page_of, lambda row: gradescope_json(row, run_of(row)).decode()):
        assert render(row).count("no points") == 1 and render(noted).count("no points") == (render is not page_of)
    (look,) = submissions_to_look_at([row, noted])
    assert look.outcome == "graded without another version"
