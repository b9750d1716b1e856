"""Text: where corpora come from, and how files and texts become token counts. A leaf."""

from lxmls_day1.base.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__file__)
