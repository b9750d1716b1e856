"""Grading: untrusted submissions run in a box, and are judged outside of it.

`STEPS` is the way of a submission: read it from top to bottom. `lxmls_day1.grading.grading_run.grade` takes a class through it.
The steps *read* and *checked* take one submission after another, in worker processes; the others take the whole class.

=============  ==========================================  ==========================================
step           takes                                       returns
=============  ==========================================  ==========================================
found          paths of folders, zip files and downloads   submissions, as their places name them
identified     submissions                                 submissions, each with the key of its owner
read           a submission                                its files in memory, or why it has none
checked        these files                                 a result, and the pages of the student
marked         the results of all submissions              a gradebook with points
written        the gradebook                               the same, when all files are written
=============  ==========================================  ==========================================

Folders: ``intake`` finds, identifies and reads what was handed in; ``running`` runs and marks it; ``reports`` makes pages and tables.
``make map ARGS=lxmls_day1/grading`` prints what each module is for.

Glossary
    ======================  =============================================================================================
    submission              what one student handed in; `Submission` is that, read into memory
    owner                   whose submission it is; a *key* stands for the owner in files and tables
    lab in the box          the lab that a submission is graded in: its own files, and the starter files
    box                     a process that runs the code of one submission, and can reach nothing else
    level                   how well a box is shut off: ``bubblewrap``, ``landlock`` or ``process``
    fork server             a warm Python that forks boxes, kills what is left of them, and reports how they ended; it never
                            runs a student's code itself
    plan                    all that the grading of a submission depends on; the same for all workers
    run                     which submissions are graded by a plan, and where the results go
    worker                  a process that grades one submission after another
    check                   one test of one exercise, public or hidden
    verdict                 how a check ended: ``ok``, ``wrong``, ``error``, ``timeout``, ``memory``, …
    result                  all verdicts on one submission; `Gradebook` holds the results of a class, one a row
    failure group           submissions with the same wrong answers, which no known mistake explains
    report                  the pages and tables that are made from results
    ======================  =============================================================================================
"""

from importlib import import_module
from typing import Any

#: In order: what a submission is after each step, and the function or class of the step. A function takes what the step above
#: returns. A class is made with settings of the run, and its instance is called with what the step above returns.
STEPS = {
    "found": "intake.finding_submissions.find_submissions",
    "identified": "intake.identity.Identification",
    "read": "intake.submissions.read_submission",
    "checked": "running.one_submission.Grader",
    "marked": "running.marking.Marking",
    "written": "reports.report_files.Report",
}


def step(name: str) -> Any:
    """Return the function or class of a step. Its module is imported now, because programs in boxes import this package, too."""
    module, _, attribute = STEPS[name].rpartition(".")
    return getattr(import_module(f"{__name__}.{module}"), attribute)
