"""What the files of a lab, ``readers/*.py`` and ``classifiers/*.py``, may call of this package.

A workspace is a copy of these files, and may be older than the package that is installed. So what they call keeps its
promises: a change that an older lab file would not survive raises `VERSION`.
"""

#: The version of this interface; a workspace puts down the one that it was made with.
VERSION: int = 1
