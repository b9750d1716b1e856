"""Grading: untrusted submissions run in a box, and are judged outside of it.

A run
    =========================  ==========================================================================================
    ``plan``                   what a run depends on: exercises, expected answers, seed, limits, level
    ``grading_run``            a whole run: every submission gets its row; a run can be taken up again
    ``run_folders``            the temporary files of a run
    ``worker``                 the process that grades one submission after another
    ``one_submission``         one submission graded: boxes, checks, row, pages
    ``worker_process``         a worker from outside: started, asked, killed
    ``session``                the checks, run on one boxed lab after another
    ``autograder_kit``         the grader as a zip file for Gradescope and others; its scripts: ``autograder_files``
    ``autograded``             what that does in its container with one submission
    =========================  ==========================================================================================

What was handed in
    =========================  ==========================================================================================
    ``finding_submissions``    which submissions a folder or a download holds
    ``released_exercises``     which exercises were given out
    ``identity``               whose they are: names of platforms, keys, owners from run to run, rosters
    ``submissions``            one submission, read into memory
    ``submission_layout``      where its files belong in a lab
    ``exercise_files``         the file of an exercise, whatever its name has become
    ``untrusted_files``        files in folders and zip files, listed and read without harm
    ``lab_in_the_box``         the lab that a submission is graded in: its files, and the given ones
    =========================  ==========================================================================================

Boxes (`lxmls_day1.box`)
    =========================  ==========================================================================================
    ``lab_boxes``              which program runs in the boxes, and what they must not see
    ``boxed_lab``              what a check takes for a `Lab`, whose code runs in a box
    ``lab_program``            that program, inside a box: calls what is in the lab
    =========================  ==========================================================================================

What comes of it
    =========================  ==========================================================================================
    ``gradebook``              rows, verdicts and marks as data
    ``report_files``           all files of a report
    ``student_page``           a student's page
    ``class_page``             the class's page
    ``page_frame``             what the pages share
    ``hand_marks``             marks given by hand: the file, written and read back
    ``same_work``              submissions with equal answers
    ``class_tables``           the class's tables
    ``roster``                 an instructor's table of students, with the marks filled in
    ``table_files``           tables as text, written back in the form in which they came
    ``notebook_answers``       the free answers in a notebook
    ``groups``                 wrong answers without a name, grouped; a group that is named
    ``safe_text``              texts of students, made harmless
    ``rendered_markdown``      their Markdown and TeX as HTML that does nothing
    ``pasted_pictures``        the pictures in their texts, as far as they can be shown
    =========================  ==========================================================================================

Glossary
    ======================  =============================================================================================
    submission              what one student handed in; `Submission` is that, read into memory
    lab in the box          the lab that a submission is graded in: its own files, and the given ones
    box                     a process that runs the code of one submission, and can reach nothing else
    level                   how well a box is shut off: ``bubblewrap``, ``landlock`` or ``process``
    fork server             a warm Python that forks boxes, kills what is left of them, and reports how they ended; it never
                            runs a student's code itself
    plan                    all that the grading of a submission depends on; the same for all workers
    worker                  a process that grades one submission after another
    check                   one test of one exercise, public or hidden
    verdict                 how a check ended: ``ok``, ``wrong``, ``error``, ``timeout``, ``memory``, …
    row                     all verdicts on one submission; `Gradebook` holds the rows of a class
    group                   submissions with the same wrong answers, which no known mistake explains
    report                  the pages and tables that are made from rows
    ======================  =============================================================================================
"""
