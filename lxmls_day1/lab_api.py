"""The only names of this package that files of a workspace import: at most twenty, listed in `lab_api.pyi`.

A workspace holds copies of ``readers/``, ``classifiers/``, ``notebooks/`` and ``tests/exercises/``, and may be older than the installed
package. So these names stay compatible, and only these: any other module can move or change.
A change that breaks an older workspace (a removed name, a new required argument, another meaning) raises `VERSION`.
A new name, or an argument with a default, does not.

>>> from lxmls_day1.lab_api import InputError, setting
"""

from lxmls_day1.base.lazy_names import lazy_names

#: The version of this interface. A workspace records the version that it was made with.
VERSION: int = 8

__getattr__, __dir__, __all__ = lazy_names(__file__)
