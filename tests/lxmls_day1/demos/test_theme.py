"""The style sheet of the demonstrations' pages."""

import re

from lxmls_day1.demos.theme import DARK, LIGHT, page_pixels, page_style


def test_every_placeholder_is_filled_in_and_sizes_follow_the_scale():
    small, large = page_style(1.0), page_style(1.3)
    assert "$" not in small
    assert "--demo-px: 1px" in small and "--demo-px: 1.3px" in large
    assert page_pixels(12) == "calc(12 * var(--demo-px))"
    assert small.count("{") == small.count("}") > 30


def test_both_looks_and_a_handle_for_each_class_are_there():
    style = page_style()
    for look in (LIGHT, DARK):
        assert f"background: {look.background}" in style
    assert len(re.findall(r"\.demo-class-\d+ \{", style)) == len(LIGHT.classes) + len(DARK.classes)
