"""What grading asks of boxes: which program runs in them, and what on this machine they must not see."""

from pathlib import Path

import lxmls_day1
from lxmls_day1.box.programs import Program
from lxmls_day1.course.importable import answer_paths
from lxmls_day1.engine.text.corpora import cache_folder
from lxmls_day1.lab import reference_folder

LAB_PROGRAM = "lxmls_day1.grading.lab_program:LabProgram"


def lab_program(notebooks: bool = False) -> Program:
    """The program of boxes that hold a lab.

    Parameters
    ----------
    notebooks : bool
        Whether they run notebooks; those may train with what computes an answer.
    """
    hidden = secret_folders() if notebooks else [*secret_folders(), *answer_paths()]
    return Program(LAB_PROGRAM, cache_folder(), {"notebooks": notebooks}, tuple(hidden))


def secret_folders() -> list[Path]:
    """The folders that hold solutions and hidden checks."""
    reference = reference_folder()
    inside = Path(lxmls_day1.__file__).parent / "reference_lab"
    if (reference / "__init__.py").is_file() or reference.name == inside.name:
        folders = [reference]
    else:
        folders = [
            path for path in reference.iterdir() if path.name in ("classifiers", "notebooks", "readers", "tests")
        ]
    return [*folders, inside] if inside.is_dir() and inside != reference else folders
