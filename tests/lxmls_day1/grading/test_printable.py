"""Everything of a run as one document: it holds what the pages hold, nothing is folded, and nothing acts."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lxmls_day1.course.workspace_state import Explanation
from lxmls_day1.grading.gradebook import (
    Boundary,
    CheckGrade,
    ExerciseGrade,
    FreeAnswer,
    Gradebook,
    HandMark,
    SubmissionGrade,
)
from lxmls_day1.grading.page_frame import TEMPLATES
from lxmls_day1.grading.printable import printable_html
from lxmls_day1.grading.similarity import Cluster


def row_of(student, said="An *answer*."):
    checks = (
        CheckGrade("t.py::a", "1.5", "Passed", False, "ok", calls=("passed_call(1)",)),
        CheckGrade("t.py::b", "1.5", "Failed", False, "wrong", "expected 1", calls=("failed_call(2)",)),
    )
    exercises = (
        ExerciseGrade("1.1", "A look", "experiment", 5.0, mark=HandMark(3.0, f"Comment: {said}")),
        ExerciseGrade("1.5", "MIRA", "code", 10.0, checks),
    )
    answers = (FreeAnswer("1.1", "n.ipynb", "Why?", said), FreeAnswer("1.5", "n.ipynb", "Guess.", said, True))
    return SubmissionGrade(
        student,
        f"Name of {student} {said}",
        f"{student}.zip",
        "",
        exercises,
        answers=answers,
        boundaries=(Boundary("1.5", "Mira", ((0.0, 1.0),)),),
        explanations=(Explanation("1.5", "cap", "What is λ?", said, said),),
    )


def book_of(*rows):
    return Gradebook(rows, 1, "process", "")


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.open = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, *(name for name, _ in attributes)))
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        if tag not in ("meta", "img", "br", "hr", "rect", "line"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("rect", "line"):
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def document():
    pictures = {"ada": b"PICTURE"}
    rows = row_of("ada"), row_of("zoë")
    return printable_html(book_of(*rows), [Cluster("1.5", ("ada", "zoë"), 1.0, True)], picture_of=pictures.get)


def test_everything_is_in_it(document):
    for part in (
        "Summary of the class",
        "Distribution of points",
        "Alike submissions",
        "Mistakes explained",
        "Predictions",
    ):
        assert part in document
    for student in ("ada", "zoë"):
        part = document[document.index(f'id="student-{student}"') :]
        for said in (
            f"Name of {student}",
            "3 of 5 points",
            "An <em>answer</em>.",
            "Comment: An <em>answer</em>.",
            "failed_call(2)",
        ):
            assert said in part
    assert document.count("data:image/png;base64,") == 1


def test_nothing_is_folded_and_nothing_is_missing_for_that(document):
    assert "<details>" not in document and "<details open>" in document
    assert "passed_call" not in document  # of checks that failed alone: the others would fill most of the pages


def test_checks_that_passed_stand_on_one_line(document):
    assert document.count('<li class="ok">') == 2 and document.count('<li class="failed">') == 2  # of two students


def test_checks_of_which_only_the_verdict_is_told_stand_on_one_line():
    checks = [CheckGrade(f"t.py::{n}", "1.5", f"Title {n}", True, "wrong") for n in range(3)]
    checks.append(CheckGrade("t.py::b", "1.5", "Told", False, "wrong", "expected 1", calls=("called(2)",)))
    row = SubmissionGrade("ada", "Ada", "", "", (ExerciseGrade("1.5", "MIRA", "code", 10.0, tuple(checks)),))
    document = printable_html(book_of(row))
    assert "Title 0 · Title 1 · Title 2</li>" in document and document.count('<li class="failed">') == 2
    assert "expected 1" in document and "called(2)" in document


def test_it_has_one_landmark_of_a_kind(document):
    tags = [tag for tag, *_ in Elements(document).tags]
    assert tags.count("main") == 1 and "header" not in tags
    assert "<section aria-labelledby" not in document


def test_paper_has_no_layers():
    """A browser looks at each of them again for every page: with those of a class of sixty, paper takes twice as long."""
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    screen, paper = style.split("@media print {")
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"@media[^{]*\{", "", screen))
    layered = {
        part.strip()
        for selectors, rule in rules
        if re.search(r"position: (relative|absolute)|overflow(-[xy])?: (hidden|auto)", rule)
        for part in selectors.split(",")
    }
    assert layered >= {".scroll", ".sign", "pre"}
    flat = [
        selectors
        for selectors, rule in re.findall(r"([^{}]+)\{([^{}]*)\}", paper)
        if re.search("static|visible|none", rule)
    ]
    assert layered <= {part.strip().split("*/")[-1].strip() for selectors in flat for part in selectors.split(",")}


def test_each_student_begins_on_a_new_page(document):
    assert document.count('<div class="chapter"') == 4  # the class, what was explained, two students
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    assert ".chapter + .chapter { break-before: page;" in style[style.index("@media print") :]


def test_links_lead_into_the_document_and_no_anchor_stands_twice(document):
    elements = Elements(document)
    assert len(elements.ids) == len(set(elements.ids))
    assert "#student-ada" in elements.links and "#student-zo%C3%AB" in elements.links
    inside = {link[1:].replace("zo%C3%AB", "zoë") for link in elements.links if link.startswith("#")}
    assert inside <= set(elements.ids) | {"notes"}
    assert {link.partition("#")[0] for link in elements.links} <= {"", "answers.html", "printable.html", "alike.html"}


def test_it_has_no_script(document):
    assert "<script" not in document and "script-src" not in document and "default-src 'none'" in document


@pytest.mark.parametrize(
    "said",
    [
        "</div><script>x</script>",
        '"><img src=x>',
        "<details>",
        '<a href="feedback/x.html">',
        "{{ 7 }}",
        "&lt;details&gt;",
    ],
)
def test_what_students_write_adds_no_markup(said):
    expected, got = (Elements(printable_html(book_of(row_of("ada", text)))).tags for text in ("harmless", said))
    assert got == expected


def test_an_empty_class_and_a_student_without_anything():
    assert "No submissions." in printable_html(book_of())
    bare = replace(row_of("ada"), exercises=(), answers=(), explanations=(), boundaries=())
    text = printable_html(book_of(bare))
    assert "Nothing could be graded." in text and "Mistakes explained" not in text
    assert not re.search(r"<img", text)
