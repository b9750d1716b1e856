"""The exercises of a lab: what a student receives, and what is said about what comes back.

The way of a check, from the command to the student's code and back::

    lxmls-day1 check 1.5    commands/check          lab.check("1.5")    notebook_lab
            |                                               |
            v                                               v
    running/checking        which exercises and check files; starts a process, or, in a browser, uses this one (running/check_here)
            |  CheckRequest
            v
    running/check_process   the process from outside: started, waited for, ended when its time is over
            |  JSON lines
    ========|=============== the process of the check: it may be ended at any moment ==========================================
            v
    running/check_session   collects tests/exercises/test_1_05_mira.py once, and calls its checks
            v
    running/pytest_plugin   the fixtures of a check: ``lab``, ``expect``, ``rng``; refuses what answers the exercise (refusals)
            v
    diagnosis/counterexamples   asks the probe inputs, the smallest first
            v
    checked_lab             a lab that finds out whose code changes its arguments; each call is a LabCall
            v
    the student's function in classifiers/mira.py
            |  an answer, or an exception (running/tracebacks)
            v
    diagnosis/recorded_answers   the expected answer, and those of each known mistake, on this input
            v
    diagnosis/naming        which known mistake gives this answer; observations and formulas where none does
            v
    diagnosis/expect        WrongAnswer: where expected and actual differ
    ========|==================================================================================================================
            |  JSON lines
            v
    running/checking        CheckReport; explanations keeps the question after a named mistake
            v
    reports/report_text     sentences; reports/terminal prints them, notebook_lab and reports/page_checks show them
"""
