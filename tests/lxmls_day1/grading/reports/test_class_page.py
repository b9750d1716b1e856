import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.expect import WrongAnswer
from lxmls_day1.course.workspace_state import Explanation
from lxmls_day1.grading.gradebook import CheckGrade, FreeAnswer, Gradebook
from lxmls_day1.grading.reports.class_page import MAX_MISTAKES_SHOWN, answers_html, summary_html
from lxmls_day1.grading.reports.groups import failure_groups, failure_signature_of
from tests.lxmls_day1.grading.grades import LOOK, book_of, mira, submission
from tests.wording import wording

EASY, HARD = "test_1_05_mira.py::test_easy", "test_1_05_mira.py::test_small_inputs"
CAP = ("no_cap", "The cap is missing.")
SIGN = ("signs", "The *signs* are swapped.")


def row_of(student, easy, hard, answer="", mistake=None, **more):
    checks = (
        CheckGrade(EASY, "1.5", "Easy", False, easy),
        CheckGrade(HARD, "1.5", "Hard", True, hard, mistakes=(mistake,) if mistake else ()),
    )
    answers = (FreeAnswer("1.1", "notebooks/1.ipynb", "What do you see?", answer),)
    return submission(student, LOOK, mira(*checks), source=f"in/{student}.zip", answers=answers, **more)


@pytest.fixture
def run():
    rows = (
        row_of("ada", "ok", "ok", answer="A line."),
        row_of("bob", "ok", "wrong", mistake=CAP),
        row_of("cyd", "ok", "wrong", mistake=CAP, answer="A curve."),
        row_of("dan", "wrong", "timeout", mistake=SIGN),
    )
    return Gradebook(rows, 5, "process", "apart", {}, True, "", "0.1")


class Page(HTMLParser):
    """The cells of the tables, section by section."""

    def __init__(self, text):
        super().__init__()
        self.sections, self._cell = {}, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "section":
            self.rows = self.sections.setdefault(attributes["aria-labelledby"], [])
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = []

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(" ".join("".join(self._cell).split()))
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)


def test_the_class_page_counts_submissions_and_points(run):
    text = summary_html(run)
    assert wording("grading.submissions_mean_median_points") in text
    assert "0 to 10 %: 1, 20 to 30 %: 2, 90 to 100 %: 1" in text


def test_the_most_common_mistake_comes_first(run):
    rows = Page(summary_html(run)).sections["mistakes"][1:]
    assert [row[:3] for row in rows] == [
        [wording("grading.cap_missing_cap"), "1.5", "2"],
        [wording("grading.signs_swapped_signs"), "1.5", "1"],
    ]
    assert rows[0][3] == "Bob and Cyd"


def test_rarer_mistakes_are_folded_and_not_lost():
    rows = [row_of(f"s{n}", "ok", "wrong", mistake=(f"m{n}", f"Mistake {n}.")) for n in range(MAX_MISTAKES_SHOWN + 5)]
    text = summary_html(book_of(*rows))
    folded = text.partition("<summary>5 more, each made by 1</summary>")[2].partition("</details>")[0]
    assert [text.count(f"Mistake {n}.") for n in range(len(rows))] == [1] * len(rows) and folded.count("Mistake") == 5


def test_the_hardest_check_comes_first(run):
    rows = Page(summary_html(run)).sections["checks"][1:]
    assert [(row[0], row[3]) for row in rows] == [("Hard hidden", "1 of 4"), ("Easy", "3 of 4")]
    assert rows[0][4] == "wrong 2, time limit 1"


def test_stopped_submissions_are_listed(run):
    (row,) = Page(summary_html(run)).sections["trouble"][1:]
    assert row[0] == "◷ time limit" and row[2:] == ["1", "Dan"]


def test_mean_points_per_exercise(run):
    rows = Page(summary_html(run)).sections["exercises"][1:]
    assert rows[0][2] == wording("grading.by_hand_out_of")
    assert rows[1] == ["1.5 MIRA", "", "3.75 of 10", "1", "1"]


def test_links_stay_in_the_folder(run):
    odd = row_of('a b"%/', "ok", "ok")
    ours = r"#[\w-]+|answers\.html(?:#answer-[\d-]+)?|feedback/[\w%.-]+\.html(?:#exercise-[\w-]+)?"
    for text in (summary_html(run), answers_html(run), summary_html(book_of(odd))):
        assert all(re.fullmatch(ours, link) for link in re.findall('(?:href|src)="([^"]*)"', text))
        for anchor in re.findall('href="#([^"]*)"', text):
            assert text.count(f'id="{anchor}"') <= 1


def test_an_empty_class():
    empty = book_of()
    assert "No submissions." in summary_html(empty) and "No answers" in answers_html(empty)
    assert "0 of 0" in summary_html(book_of(submission("ada")))


def test_answers_are_grouped_by_question(run):
    text = answers_html(run)
    assert text.index("What do you see?") < text.index("A line.") < text.index("A curve.")
    assert text.count('<span class="mark">not marked</span>') == 2 and wording("grading.marked_hand_points") in text
    said = re.search(r"<b>No answer:</b> (.*?)</p>", text)[1]
    assert re.sub("<[^>]*>", "", said) == "Bob and Dan"


def test_the_model_answer_follows_its_question(run):
    answer = run.rows[0].answers[0]
    key = (answer.exercise, answer.notebook, answer.asked)
    text = answers_html(run, {key: "Because of <it>.", ("1.9", "other", "Why?"): "Another."})
    parts = ["What do you see?", "Model answer", "Because of &lt;it&gt;.", "A curve."]
    assert sorted(parts, key=text.index) == parts
    assert "Another." not in text and "Model answer" not in answers_html(run)


def test_students_without_an_answer_cell_are_named(run):
    text = answers_html(book_of(*run.rows, submission("eve")))
    assert re.search("No such cell.*Eve", text)


class TestExplanations:
    WHY = "Why is there a cap?"

    def page(self, *rows):
        return answers_html(book_of(*rows), None, {"1.5": dict([CAP])})

    def explaining(self, student, text, attempt="d = 1", mistake=CAP[0], question=WHY):
        return row_of(student, "ok", "ok", explanations=(Explanation("1.5", mistake, question, attempt, text),))

    def test_explanations_are_next_to_the_attempt(self):
        ada = self.explaining("ada", "Long steps overshoot.", "d = loss / (2 * sq_norm)")
        text = self.page(ada, self.explaining("bob", ""))
        section = text[text.index('id="explained"') :]
        parts = ["1.5: Why is there a cap?", CAP[1], "Ada", "Long steps overshoot.", "d = loss / (2 * sq_norm)"]
        assert sorted(parts, key=section.index) == parts
        assert re.search("Asked, not answered.*Bob", section)

    def test_the_most_common_question_comes_first(self):
        rare = self.explaining("ada", "A.", question="Rare?")
        text = self.page(rare, self.explaining("bob", "B."), self.explaining("cyd", "C."))
        assert text.index(self.WHY) < text.index("Rare?")

    def test_an_explanation_that_was_edited_later(self):
        assert wording("grading.edited_before_could_kept") in self.page(self.explaining("ada", "A.", attempt=""))

    def test_without_any_there_is_no_section(self, run):
        assert 'id="explained"' not in answers_html(run)


def test_many_checks_are_folded():
    checks = [CheckGrade(f"t.py::test_{n}", "1.5", f"Check {n}", False, "wrong") for n in range(25)]
    assert wording("grading.more_everyone_passes") in summary_html(book_of(submission("ada", mira(*checks))))


def test_a_mistake_has_a_sample(run):
    rows = (run.rows[0], replace(run.rows[1], written={"1.5": "d = <b>"}), *run.rows[2:])
    text = summary_html(replace(run, rows=rows))
    assert "<summary>an example</summary><pre>d = &lt;b&gt;</pre>" in text


def test_groups_without_a_name(run):
    wrong = [({"scores": [0, 1]}, Answer.from_value([0.0, 2.0]))]
    behaviour = failure_signature_of(WrongAnswer("", wrong=wrong))
    inputs, said = "t.py::test_small_inputs", "scores  [0, <1>]"
    check = CheckGrade(inputs, "1.5", "Small", False, "wrong", said, behaviour=behaviour)
    rows = [submission(student, mira(check), written={"1.5": "d = <2>"}) for student in ("ada", "bob")]
    text = summary_html(book_of(*rows))
    section = text[text.index('id="groups"') : text.index('id="checks"')]
    (group,) = failure_groups(rows)
    assert group.id in section and "2 submissions" in section
    for part in ("scores  [0, &lt;1&gt;]", "d = &lt;2&gt;", "Ada", "Bob"):
        assert part in section
    assert wording("grading.known_mistake_explains_every") in summary_html(run)


def test_students_who_pass_only_the_small_inputs_are_named():
    def row(student, small, other):
        on_small = CheckGrade("t.py::test_small_inputs", "1.5", "S", False, small)
        return submission(student, mira(on_small, CheckGrade("t.py::a", "1.5", "A", True, other)))

    wrong = row("ada", "ok", "wrong"), row("bob", "wrong", "wrong")
    text = summary_html(book_of(*wrong, row("cyd", "ok", "ok"), row("dan", "ok", "timeout")))
    (said,) = re.findall(r"<b>1\.5: right on all small inputs, wrong in other checks:</b> (.*?)</p>", text)
    assert re.sub("<[^>]*>", "", said) == "Ada"


def test_checks_that_everyone_passes_are_listed(run):
    text = summary_html(replace(run, rows=run.rows[:3]))
    assert "1 that everyone passes" in text and "1.5: Easy" in text
