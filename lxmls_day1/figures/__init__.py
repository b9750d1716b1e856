"""Figures: computed in one place, drawn in another. A leaf."""

from lxmls_day1.base.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__file__)
