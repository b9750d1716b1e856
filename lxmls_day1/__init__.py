"""The machinery of the day-1 lab: it opens, runs and compares what stands in a lab folder.

=====================  =====================================================================
``lab``                opens a lab folder and loads its ``readers`` and ``classifiers``
``library_path``       where libraries are imported from: never the current folder or a lab
``command_line``       the ``lxmls-day1`` command; each of its commands has a ``*_command`` file
``standard_streams``   standard output and error that are closed, full or read no further
``result_table``       what a comparison of classifiers ends with, and its files
``whole_files``        files that are either written completely or left as they were
``plotting``           figures; ``boundaries`` computes what they draw
``model_file``         trained classifiers as files
``documents``          files of documents as token counts; ``explanations``: what each word adds
``corpora``            where corpus files come from; ``tokens``: text to unigrams and bigrams
``machine_code``       compiles, and keeps machine code; ``kernels``: the compiled loops over sparse rows
``checks``             the checks of what a caller passes in
``exercises``          markers, hints, checks, workspaces: what students and instructors use
``errors``             the errors that a user's mistake raises
=====================  =====================================================================

Importing this package imports none of them: ``lxmls-day1 --help`` must not wait for numerical libraries.
"""

__version__ = "0.1.0"
