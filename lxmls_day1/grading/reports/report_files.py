"""The files that a grading run writes, for each student and for the class: paths in the output folder, and contents."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from lxmls_day1.base.atomic_files import write_files_atomically
from lxmls_day1.base.plain_data import to_plain
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import RECORDED, Registry
from lxmls_day1.engine.cluster.workers import digest_of
from lxmls_day1.grading.gradebook import Gradebook, SubmissionGrade
from lxmls_day1.grading.intake.notebook_answers import model_answers
from lxmls_day1.grading.reports.class_page import answers_html, summary_html
from lxmls_day1.grading.reports.class_tables import grades_csv, grades_json, gradescope_json
from lxmls_day1.grading.reports.manual_marks import ManualMarks, write_manual_marks
from lxmls_day1.grading.reports.student_page import student_html
from lxmls_day1.lab import reference_folder

Pages = Mapping[str, SubmissionGrade | None]

ROWS = ".rows"
WRITTEN = ".written.json"
CLASS_FILES = tuple(map(PurePosixPath, ("grades.csv", "grades.json", "summary.html", "answers.html")))
CLASS = "."  # the key of the files of the whole class in WRITTEN; no student has it
MAX_STUDENTS_SHOWN = 20  # students in one sentence


def files_of_student(row: SubmissionGrade, gradebook: Gradebook) -> dict[PurePosixPath, bytes]:
    """Return the files for one student.

    Parameters
    ----------
    row : SubmissionGrade
    gradebook : Gradebook
        The run of the row; its rows are not used.

    Returns
    -------
    dict from PurePosixPath to bytes

    Examples
    --------
    >>> for path in files_of_student(SubmissionGrade("ada", "Ada", "", "", ()), Gradebook((), 1, "process", "")):
    ...     print(path)
    feedback/ada.html
    gradescope/ada.json
    """
    page, gradescope = pages_of(row.student)
    return {page: student_html(row, gradebook).encode(), gradescope: gradescope_json(row, gradebook)}


def pages_of(student: str) -> tuple[PurePosixPath, PurePosixPath]:
    """Return the path of a student's page, and of the file for Gradescope."""
    return PurePosixPath(f"feedback/{student}.html"), PurePosixPath(f"gradescope/{student}.json")


def files_of_class(gradebook: Gradebook) -> dict[PurePosixPath, bytes]:
    """Return the files for the whole class.

    Parameters
    ----------
    gradebook : Gradebook

    Returns
    -------
    dict from PurePosixPath to bytes

    Examples
    --------
    >>> [str(path) for path in files_of_class(Gradebook((), 1, "process", ""))]
    ['grades.csv', 'grades.json', 'summary.html', 'answers.html']
    """
    reference = reference_folder()
    explained = {one.exercise for row in gradebook.rows for one in row.explanations}
    known = [id for id in Registry.from_folder(reference).ids if id in explained]  # students may write other ids
    sentences = RecordedAnswers.read_existing(reference / RECORDED, known).sentences
    tables = grades_csv(gradebook), grades_json(gradebook)
    pages = summary_html(gradebook), answers_html(gradebook, model_answers(reference), sentences)
    return dict(zip(CLASS_FILES, (*tables, *map(str.encode, pages)), strict=True))


class Report:
    """A step that writes the files of a run.

    Parameters
    ----------
    out : Path
    pages : mapping from student to SubmissionGrade
        For each student who already has a page, the result on it, or None if an earlier run wrote the page.
    manual_marks : ManualMarks
        The manual marks that are already in the gradebook.
    report : function from str
        Receives sentences for the instructor.
    grader : str
        The version of the grader: another version writes all files again.
    """

    def __init__(self, out: Path, pages: Pages, manual_marks: ManualMarks, report: Callable[[str], None], grader: str):
        self._out, self._pages, self._by_hand, self._report, self._grader = out, pages, manual_marks, report, grader

    def __call__(self, book: Gradebook) -> Gradebook:
        """Write the tables and pages of a class, and each student's page, unless they are already there with this content.

        ``WRITTEN`` holds a digest of the content of each group of files, and the size and time of each file.
        """
        book_parts = to_plain(replace(book, graded=""))  # A new time alone does not cause a file to be written.
        rows, reference = book_parts.pop("rows"), reference_folder()
        settings = [self._grader, digest_of((reference / "notebooks").glob("*.ipynb"), reference), book_parts]
        groups = {row["student"]: _digest(settings, row) for row in rows} | {CLASS: _digest(settings, rows)}
        written = _read_written(self._out)
        known = {name: digest for name, digest in groups.items() if name in written}
        current = [n for n, digest in known.items() if written[n] == [digest, _stamps(self._out, written[n][1])]]
        files = {} if CLASS in current else files_of_class(book)
        for row in book.rows:
            if row.student not in current and self._pages.get(row.student) != row:
                files |= files_of_student(row, book)
        write_files(self._out, files)
        paths = {row.student: pages_of(row.student) for row in book.rows} | {CLASS: CLASS_FILES}
        stamps = {name: [digest, _stamps(self._out, map(str, paths[name]))] for name, digest in groups.items()}
        if stamps != written:
            write_files(self._out, {PurePosixPath(WRITTEN): json.dumps(stamps).encode()})
        remove_pages(self._out, self._pages.keys() - {row.student for row in book.rows}, self._report)
        write_manual_marks(self._out, book.rows, self._by_hand)
        return book


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _stamps(out: Path, paths: Iterable[str]) -> dict[str, list[int]]:
    """Return the size and the time of the last change of each of these files that exists."""
    stats = {path: (out / path).stat() for path in paths if (out / path).is_file()}
    return {path: [stat.st_size, stat.st_mtime_ns] for path, stat in stats.items()}


def _read_written(out: Path) -> dict[str, Any]:
    """Return the content of ``WRITTEN``; nothing if it is missing or damaged."""
    try:
        content = json.loads((out / WRITTEN).read_text(encoding="utf-8"))
        return {name: [digest, dict(files)] for name, (digest, files) in content.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def write_files(out: Path, files: Mapping[PurePosixPath, bytes]) -> None:
    """Write files in a folder, each atomically."""
    for path in files:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
    write_files_atomically({out / path: content for path, content in files.items()})


def remove_pages(out: Path, absent_students: Collection[str], report: Callable[[str], None]) -> None:
    """Remove the pages of students who are not in this run, and report it. Their rows are kept for later runs."""
    paths = [out / path for student in sorted(absent_students) for path in pages_of(student) if (out / path).is_file()]
    for path in paths:
        path.unlink()
    if paths:
        report(
            f"Not in this run, so their pages were removed: {abbreviate_list(list(dict.fromkeys(path.stem for path in paths)))}."
        )


def abbreviate_list(students: Sequence[str]) -> str:
    """Return the first of some students, and the number of the others."""
    more = f" and {len(students) - MAX_STUDENTS_SHOWN} more" if len(students) > MAX_STUDENTS_SHOWN else ""
    return ", ".join(students[:MAX_STUDENTS_SHOWN]) + more
