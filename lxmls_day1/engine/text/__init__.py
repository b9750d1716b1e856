"""Text: locations of corpora, and readers that turn files and strings into token counts. A leaf package."""

from lxmls_day1.base.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__file__)
