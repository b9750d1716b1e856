"""The command line ``lxmls-day1``: a module for each command, imported when that command is asked for.

=====================  =====================================================================
``command_line``       the group of commands; its table ``COMMANDS`` names them
``output``             what several commands put out: progress, notes, pictures, folders
``first_compilation``  loops that are compiled for the first time: said to whoever waits
``shared_options``     options that several commands have in the same words
``own_files``          the options about labelled text of one's own, and the reading of it
``run``                the comparison of all classifiers
``streamed_training``  ``train --corpus``: a corpus on disk, progress in lines, checkpoints
``train``, ``predict``   models of text as files; ``explain``: which words spoke for a decision
``cache``, ``toy``       text that does not fit into memory, as a corpus on disk; text made up
``doctor``             what of this machine the lab can use, and what to do about the rest
``start``, ``lab``       a workspace, and its notebooks; ``update``: after an update of the package
``check``, ``hint``      what students ask for; likewise ``status``, ``solve``, ``reset``, ``undo``, ``submit``
``release``, ``grade``   what instructors ask for; ``browser``: the lab as a web site
``roster_options``     the options of ``grade`` about a roster
``autograder``         the grader as a zip file for a platform that runs it
``demo``               demonstrations in the browser; ``docs``: the book of the lab
=====================  =====================================================================
"""
