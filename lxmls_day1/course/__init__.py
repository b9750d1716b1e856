"""The exercises of a lab: what a student receives, and what is said about what comes back.

=====================  ========================================================================
``registry``           the exercises: ids, titles, points, tasks, hints (``exercises.toml``)
``markers``            solutions in the reference files, and the stubs that take their place
``source_functions``   functions in source text: found and replaced
``generation``         the files of a lab as a student receives them
``workspace``          a student's folder: how it is made and found
``workspace_state``    what it remembers: hints shown, results, backups, its version
``solve_reset_undo``   solutions and stubs put into a workspace, and taken back
``lab_parts``          some exercises of a lab, with the files that they need
``upgrade``            a workspace of an older version brought up to date
``submission_export``  what a student hands in; ``archives`` packs it
``progress``           how far a student is
``hints``              the three hints on an exercise
``model_answers``      the model answers to the notebooks' questions, and when they open
``submission_import``  puts what was packed into a workspace again
``checking``           runs checks in another process or, in a browser, in this one (``check_here``), and reports
``check_session``      checks in this process, collected once and run on one lab after another
``check_process``      the same in another process, which reports what happens
``checked_lab``        what a check asks of a lab: the protocol of all that stands in for a `Lab`
``time_limit``         ends code that no other process can end
``pytest_plugin``      the fixtures of the checks: ``lab``, ``expect``, ``rng``
``recorded_answers``   answers of checks, recorded
``expect``             compares an answer with the recorded one, and says where they differ
``forms``              what a function must return, and what is said of an answer of another form
``counterexamples``    the check that asks small inputs, shows the smallest with a wrong answer, and names mistakes
``naming``             which known mistake explains wrong answers
``pool_making``        chooses the small inputs, on which mistakes differ
``mutation_guard``     the lab of a check in this process: it finds out whose code changes its arguments
``mistakes``           known mistakes: a sentence, and the wrong solutions or answers that it explains
``explanations``       the question after a named mistake, and what the student answers
``mutants``            the reference with one small thing changed, for the authors' check
``record``             writes the recorded answers
``snapshot``           checks run on labs of our own
``refusals``           what answers an exercise cannot be called while that is checked
``tracebacks``         the part of a traceback that a student can use
``report_text``        reports as text; ``terminal`` prints them, ``notebook_display`` shows them
``exercise_cell``      what guards the code of an exercise in a notebook
``autoreload``         edited files count from the next cell on
``notebook_building``  makes the notebooks from their scripts
``student_bundle``     the bundle for students
``authors_check``      whether all of this fits together
=====================  ========================================================================
"""
