"""The exercises of a lab: what a student receives, and what is said about what comes back.

====================  ========================================================================
``registry``          the exercises: ids, titles, points, tasks, hints (``exercises.toml``)
``markers``           solutions in the reference files, and the stubs that take their place
``generation``        the files of a lab as a student receives them
``workspace``         a student's folder: start it, put solutions in, take them back, hand it in
``renewal``           a workspace of an older version brought up to date
``progress``          what a workspace remembers: hints shown, results, backups, its version
``pytest_plugin``     the fixtures of the checks: ``lab``, ``expect``, ``rng``
``answers``           answers compared with the recorded ones, and with those of known mistakes
``mistakes``          known mistakes: a sentence, and the wrong solution that it explains
``record``            writes the recorded answers
``dry_run``           checks run on labs of our own; ``dry_run_process`` runs them
``importable``        what a lab's code can import while it is checked
``checking``          runs checks in a process of their own, and reports
``notebook_display``  reports for a notebook
``release``           the bundle for students
``authors_check``     whether all of this fits together
====================  ========================================================================
"""
