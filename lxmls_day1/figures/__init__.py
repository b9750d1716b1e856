"""Figures: each module computes the data of a figure and draws it with matplotlib."""

from lxmls_day1.base.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__file__)
