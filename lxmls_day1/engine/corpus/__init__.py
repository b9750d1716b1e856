"""A corpus on disk that is larger than the memory: made, read and trained on. A leaf."""

from lxmls_day1.base.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__file__)
