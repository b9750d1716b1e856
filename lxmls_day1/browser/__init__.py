"""The lab as a static site: everything runs in the reader's browser, on Pyodide in JupyterLite.

The modules of this package build the site. They do not run in the page; other parts of `lxmls_day1` do.
"""
