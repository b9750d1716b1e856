"""All that the files of a workspace import of this package: at most twenty names, which `lab_api.pyi` lists.

A workspace holds copies of ``readers/``, ``classifiers/``, ``notebooks/`` and ``tests/exercises/``, and may be older than the installed
package. So these names keep their promises, and nothing else is promised: any other module can move or change.
A change that an older workspace would not survive (a name less, an argument more, another meaning) raises `VERSION`.
A new name, or an argument with a default, does not.

>>> from lxmls_day1.lab_api import InputError, setting
"""

from lxmls_day1.base.lazy_names import lazy_names

#: The version of these promises. A workspace records the version that it was made with.
VERSION: int = 8

__getattr__, __dir__, __all__ = lazy_names(__file__)
