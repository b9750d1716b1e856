"""Grading of untrusted submissions: their code runs in a box, and its answers are judged outside the box.

A submission goes through these steps, in order. `lxmls_day1.grading.grading_run.grade` takes a class through them.
`read_submission` and `Grader` run in worker processes, on one submission at a time; the other steps take the whole class.

=================================================  ==========================================  ==========================================
step                                               takes                                       returns
=================================================  ==========================================  ==========================================
``intake.finding_submissions.find_submissions``    paths of folders, zip files and downloads   submissions, named after their paths
``intake.identity.identify``                       submissions                                 submissions, each with the key of its owner
``intake.submissions.read_submission``             a submission                                its files in memory, or why it cannot be read
``running.one_submission.Grader``                  these files                                 a result, and the pages of the student
``running.marking.marked_gradebook``               the results of all submissions              a gradebook with points
``reports.report_files.write_reports``             the gradebook                               nothing; all files are written
=================================================  ==========================================  ==========================================

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
