"""Everything of a run as one document for paper: the class, what students explained, then each student on pages of their own.

It is made of the pages that are there already, without their script, and with nothing folded. What was called in checks that passed
is left out. A browser prints it, or saves it as PDF.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from lxmls_day1.grading.class_page import explanations_html, summary_html
from lxmls_day1.grading.gradebook import Gradebook
from lxmls_day1.grading.page_frame import render
from lxmls_day1.grading.similarity import Cluster
from lxmls_day1.grading.student_page import student_html

PART = "part.html.j2"
# Our own markup: what a student writes has no quotation mark and no bracket in it.
_TO_STUDENT = re.compile(r'href="feedback/([^"]*)\.html"')
_LANDMARK = re.compile(r"<(/?)(?:header|main)>|(<section) aria-labelledby=\"[^\"]*\"")


def printable_html(
    gradebook: Gradebook,
    alike: Sequence[Cluster] = (),
    earlier: Sequence[Cluster] = (),
    compared_with: str = "",
    sentences: Mapping[str, Mapping[str, str]] | None = None,
    picture_of: Callable[[str], bytes | None] = lambda student: None,
) -> str:
    """The whole run as one document.

    Parameters
    ----------
    gradebook : Gradebook
    alike, earlier, compared_with
        As for `summary_html`.
    sentences : mapping from exercise to mapping from known mistake to sentence, optional
        As for `answers_html`.
    picture_of : function from student to PNG
        The picture of a student's page; None if there is none.

    Returns
    -------
    str
        A document that needs no other file.

    Examples
    --------
    >>> from lxmls_day1.grading.gradebook import SubmissionGrade
    >>> text = printable_html(Gradebook((SubmissionGrade("ada", "Ada", "", "", ()),), 1, "process", ""))
    >>> 'href="#student-ada"' in text, 'id="student-ada"' in text, "<details>" in text
    (True, True, False)
    """
    students = []
    for row in gradebook.rows:
        page = student_html(row, gradebook, picture_of(row.student), f"{row.student}-", layout=PART)
        students.append((row.student, _unfolded(page)))
    return render(
        "printable.html.j2",
        title="Marks of the class",
        wide=True,
        summary=_unfolded(summary_html(gradebook, alike, earlier, compared_with, layout=PART)),
        answers=_unfolded(explanations_html(gradebook, sentences or {})),
        students=students,
    )


def _unfolded(page: str) -> Markup:
    """A page as a part of the document: nothing folded, links to students that lead to their pages in it, no landmarks of its own."""
    part = _TO_STUDENT.sub(r'href="#student-\1"', page.replace("<details>", "<details open>"))
    return Markup(_LANDMARK.sub(lambda found: found[2] or f"<{found[1]}div>", part))
