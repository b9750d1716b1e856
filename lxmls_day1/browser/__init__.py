"""The lab as a static site: everything runs in the reader's browser, on Pyodide in JupyterLite.

==================  =====================================================================
``site``            writes the site: JupyterLite, the lab of a student, packages, runtime
``runtime``         Pyodide: which version, which files, and whether a folder holds them unchanged
``packages``        wheels of pure Python packages, made from what is installed
``exercise_pages``  the exercises in pages of the book: their text, their gaps, and what runs in them
``page``            (a folder) what runs in a page: the start of Python, lines at its foot, the worker of an exercise
==================  =====================================================================

Nothing in here runs in the page; `lxmls_day1` itself does.
"""
