"""The lab as a static site: everything runs in the reader's browser, on Pyodide in JupyterLite.

Nothing in here runs in the page; `lxmls_day1` itself does.
"""
