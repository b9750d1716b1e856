"""The exercises of a lab: the files that students receive, the checks of their code, and the feedback on it.

The path of a check, from the command to the student's code and back::

    lxmls-day1 check 1.5    commands/check          lab.check("1.5")    notebook_lab
            |                                               |
            v                                               v
    running/checking        selects exercises and check files; starts a process or, in a browser, uses this one (running/in_process_checks)
            |  CheckRequest
            v
    running/check_process   starts the process, waits for it, and ends it at its time limit
            |  JSON lines
    ========|=============== the process of the check, which may be ended at any moment =======================================
            v
    running/check_session   collects tests/exercises/test_1_05_mira.py once and calls its checks
            v
    running/pytest_plugin   defines the fixtures ``lab``, ``expect``, ``rng``; blocks functions that solve the exercise (solution_blocking)
            v
    diagnosis/probe_inputs  runs the code on the probe inputs, the smallest first
            v
    lab_under_test          a lab that detects functions that change their arguments; each call is a LabCall
            v
    the student's function in classifiers/mira.py
            |  an answer, or an exception (running/tracebacks)
            v
    diagnosis/recorded_answers   the expected answer on this input, and the answer of each known mistake
            v
    diagnosis/mistake_matching   finds the known mistake that gives this answer; otherwise symptoms and formulas
            v
    diagnosis/expect        raises WrongAnswer, with the difference between expected and actual
    ========|==================================================================================================================
            |  JSON lines
            v
    running/checking        returns a CheckReport; explanations saves the question about a named mistake
            v
    reports/report_text     writes sentences; reports/terminal prints them, notebook_lab and tools/page_checks show them
"""
