"""A corpus on disk that is larger than memory: building, reading and training. A leaf package."""

from lxmls_day1.base.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__file__)
