"""Grading of untrusted submissions: their code runs in a box, and its answers are judged outside the box.

`STEPS` lists the steps that a submission goes through, in order. `lxmls_day1.grading.grading_run.grade` takes a class through them.
The steps *read* and *checked* run in worker processes, on one submission at a time; the other steps take the whole class.

=============  ==========================================  ==========================================
step           takes                                       returns
=============  ==========================================  ==========================================
found          paths of folders, zip files and downloads   submissions, named after their paths
identified     submissions                                 submissions, each with the key of its owner
read           a submission                                its files in memory, or why it cannot be read
checked        these files                                 a result, and the pages of the student
marked         the results of all submissions              a gradebook with points
written        the gradebook                               the same gradebook, after all files are written
=============  ==========================================  ==========================================

Folders: ``intake`` finds, identifies and reads submissions; ``running`` runs and marks them; ``reports`` makes pages and tables.
``make map ARGS=lxmls_day1/grading`` prints what each module is for.

Glossary
    ======================  =============================================================================================
    submission              the files that one student handed in; a `Submission` holds them in memory
    owner                   the student to whom a submission belongs; a *key* represents the owner in files and tables
    lab in the box          the lab in which a submission is graded: the student's own files and the starter files
    box                     a sandboxed process that runs the code of one submission
    level                   the isolation of a box: ``bubblewrap``, ``landlock`` or ``process``
    fork server             a warm Python that forks boxes, kills their remaining processes and reports how they ended; it never
                            runs a student's code itself
    plan                    everything that the grading of a submission depends on; the same for all workers
    run                     the submissions that are graded by a plan, and the folder for the results
    worker                  a process that grades one submission after another
    check                   one test of one exercise, public or hidden
    verdict                 the outcome of a check: ``ok``, ``wrong``, ``error``, ``timeout``, ``memory``, …
    result                  all verdicts on one submission; a `Gradebook` holds the results of a class, one in each row
    failure group           submissions with the same wrong answers that match no known mistake
    report                  the pages and tables that are made from results
    ======================  =============================================================================================
"""

from importlib import import_module
from typing import Any

#: The steps in order, each with its function or class. A function takes the return value of the step above, and settings of the
#: run by name. A class is instantiated with settings of the run, and its instance is called with the return value of the step above.
STEPS = {
    "found": "intake.finding_submissions.find_submissions",
    "identified": "intake.identity.Identification",
    "read": "intake.submissions.read_submission",
    "checked": "running.one_submission.Grader",
    "marked": "running.marking.Marking",
    "written": "reports.report_files.Report",
}


def step(name: str) -> Any:
    """Return the function or class of a step.

    Its module is imported on demand, because programs in boxes import this package, too.
    """
    module, _, attribute = STEPS[name].rpartition(".")
    return getattr(import_module(f"{__name__}.{module}"), attribute)
