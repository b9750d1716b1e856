"""The files that a grading run writes, for each student and for the class: paths below the output folder, and contents."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from lxmls_day1.exercises.answers import RecordedAnswers
from lxmls_day1.exercises.registry import RECORDED
from lxmls_day1.grading.alike_page import alike_html
from lxmls_day1.grading.class_page import Commands, answers_html, summary_html
from lxmls_day1.grading.class_tables import (
    grades_csv,
    grades_json,
    gradescope_json,
    junit_xml,
)
from lxmls_day1.grading.gradebook import Gradebook, SubmissionGrade
from lxmls_day1.grading.notebook_answers import model_answers
from lxmls_day1.grading.printable import printable_html
from lxmls_day1.grading.similarity import Alike, clusters
from lxmls_day1.grading.student_page import student_html, student_markdown
from lxmls_day1.lab import reference_folder
from lxmls_day1.whole_files import replace_files

ROWS = ".rows"


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


def picture_file(student: str) -> PurePosixPath:
    """Where the picture of a student's page is kept, for a page that is made again; the file is empty where there is none."""
    return PurePosixPath(ROWS, f"{student}.png")


def files_of_class(
    gradebook: Gradebook,
    alike: Sequence[Alike] = (),
    earlier: Sequence[Alike] = (),
    compared_with: str = "",
    commands: Commands | None = None,
    picture_of: Callable[[str], bytes | None] = lambda student: None,
    texts_before: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[PurePosixPath, bytes]:
    """The files for the whole class.

    Parameters
    ----------
    gradebook : Gradebook
    alike, earlier : sequences of Alike
        Pairs of submissions for a human to look at, the most alike first: of this class, and with earlier ones.
    compared_with : str
        What the earlier ones are.
    commands : Commands, optional
        How to grade again.
    picture_of : function from student to PNG
        The pictures of students' pages, for the file that is printed.
    texts_before : mapping from earlier submission to mapping from exercise to text, optional
        What those of `earlier` have written.

    Returns
    -------
    dict from PurePosixPath to bytes

    Examples
    --------
    >>> [str(path) for path in files_of_class(Gradebook((), 1, "process", ""))]
    ['grades.csv', 'grades.json', 'junit.xml', 'summary.html', 'answers.html', 'alike.html', 'printable.html']
    """
    reference = reference_folder()
    sentences = RecordedAnswers.read(reference / RECORDED).sentences
    pictures = {row.student: picture_of(row.student) for row in gradebook.rows if row.boundaries}
    right: dict[str, set[str]] = {}
    for row in gradebook.rows:
        for exercise in row.exercises:
            if exercise.checks and exercise.passed == len(exercise.checks):
                right.setdefault(exercise.id, set()).add(row.student)
    now, before = clusters(alike, right), clusters(earlier, right)
    printable = printable_html(gradebook, now, before, compared_with, sentences, pictures.get)
    summary = summary_html(gradebook, now, before, compared_with, commands)
    return {
        PurePosixPath("grades.csv"): grades_csv(gradebook),
        PurePosixPath("grades.json"): grades_json(gradebook),
        PurePosixPath("junit.xml"): junit_xml(gradebook),
        PurePosixPath("summary.html"): summary.encode(),
        PurePosixPath("answers.html"): answers_html(gradebook, model_answers(reference), sentences).encode(),
        PurePosixPath("alike.html"): alike_html(gradebook, now, before, texts_before).encode(),
        PurePosixPath("printable.html"): printable.encode(),
    }


def write_files(out: Path, files: Mapping[PurePosixPath, bytes]) -> None:
    """Write files below a folder, each whole or not at all."""
    for path in files:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
    replace_files({out / path: content for path, content in files.items()})
