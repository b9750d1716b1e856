"""The files that a grading run writes, for each student and for the class: paths below the output folder, and contents."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from lxmls_day1.exercises.answers import RecordedAnswers
from lxmls_day1.exercises.registry import RECORDED
from lxmls_day1.grading.class_page import answers_html, summary_html
from lxmls_day1.grading.class_tables import (
    grades_csv,
    grades_json,
    gradescope_json,
    junit_xml,
)
from lxmls_day1.grading.gradebook import Gradebook, SubmissionGrade
from lxmls_day1.grading.notebook_answers import model_answers
from lxmls_day1.grading.similarity import Alike
from lxmls_day1.grading.student_page import student_html, student_markdown
from lxmls_day1.lab import reference_folder
from lxmls_day1.whole_files import replace_files


def files_of_student(
    row: SubmissionGrade, gradebook: Gradebook, picture: bytes | None = None
) -> dict[PurePosixPath, bytes]:
    """The files for one student.

    Parameters
    ----------
    row : SubmissionGrade
    gradebook : Gradebook
        The run; only `row` of its rows is used.
    picture : bytes, optional
        A PNG for the page, as `lxmls_day1.grading.boundary_picture.BoundaryPictures.draw` makes it.

    Returns
    -------
    dict from PurePosixPath to bytes

    Examples
    --------
    >>> for path in files_of_student(SubmissionGrade("ada", "Ada", "", "", ()), Gradebook((), 1, "process", "")):
    ...     print(path)
    feedback/ada.html
    feedback/ada.md
    gradescope/ada.json
    """
    return {
        PurePosixPath("feedback", f"{row.student}.html"): student_html(row, gradebook, picture).encode(),
        PurePosixPath("feedback", f"{row.student}.md"): student_markdown(row, gradebook).encode(),
        PurePosixPath("gradescope", f"{row.student}.json"): gradescope_json(row, gradebook),
    }


def files_of_class(gradebook: Gradebook, alike: Sequence[Alike] = ()) -> dict[PurePosixPath, bytes]:
    """The files for the whole class.

    Parameters
    ----------
    gradebook : Gradebook
    alike : sequence of Alike
        Pairs of submissions for a human to look at, the most alike first.

    Returns
    -------
    dict from PurePosixPath to bytes

    Examples
    --------
    >>> [str(path) for path in files_of_class(Gradebook((), 1, "process", ""))]
    ['grades.csv', 'grades.json', 'junit.xml', 'summary.html', 'answers.html']
    """
    reference = reference_folder()
    sentences = RecordedAnswers.read(reference / RECORDED).sentences
    return {
        PurePosixPath("grades.csv"): grades_csv(gradebook),
        PurePosixPath("grades.json"): grades_json(gradebook),
        PurePosixPath("junit.xml"): junit_xml(gradebook),
        PurePosixPath("summary.html"): summary_html(gradebook, alike).encode(),
        PurePosixPath("answers.html"): answers_html(gradebook, model_answers(reference), sentences).encode(),
    }


def write_files(out: Path, files: Mapping[PurePosixPath, bytes]) -> None:
    """Write files below a folder, each whole or not at all."""
    for path in files:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
    replace_files({out / path: content for path, content in files.items()})
