"""The machinery of the day-1 lab: it opens, runs and compares what stands in a lab folder.

=====================  =====================================================================
``lab``                opens a lab folder and loads its ``readers`` and ``classifiers``
``lab_interface``      which names of this package lab files may import
``library_path``       where libraries are imported from: never the current folder or a lab
``errors``             the errors that a user's mistake raises
``checks``             the checks of what a caller passes in
``whole_files``        files that are either written completely or left as they were
``gaussians``          scores and Bayes error of Gaussian classes
``result_table``       what a comparison of classifiers ends with, and its files
``npz_file``           values and arrays in one file that runs no code when it is read
``model_file``         trained classifiers as files
``explanations``       what each word adds to a decision
``sklearn_adapter``    the classifiers as scikit-learn estimators
``compiled/``          the compiled loops
``text/``              corpora, tokens, files of documents
``figures/``           decision boundaries and other figures: computed, and drawn
``commands/``          the command line ``lxmls-day1``, a module for each command
``exercises/``         markers, hints, checks, workspaces: what students and instructors use
``grading/``           untrusted submissions: run in a box, judged outside of it
``demos/``             demonstrations for the projector
=====================  =====================================================================

Importing this package imports none of them: ``lxmls-day1 --help`` must not wait for numerical libraries.
"""

__version__ = "0.1.0"
