import textwrap

import pytest

from lxmls_day1.course.source_functions import function_lines, replace_function


def text(source):
    return textwrap.dedent(source).lstrip("\n")


class TestFunctions:
    STUDENT = text("""
        import numpy as np

        @compiled
        def rule(s,
                 t):
            return s


        class Mira:
            def steps(self):
                return 1

            def other(self):
                return 2
    """)

    @pytest.mark.parametrize("broken", [False, True])
    def test_functions_are_found_even_in_invalid_python(self, broken):
        source = self.STUDENT + ("x = (\n" if broken else "")
        lines = source.split("\n")
        assert lines[function_lines(source, "rule")] == ["@compiled", "def rule(s,", "         t):", "    return s"]
        assert lines[function_lines(source, "Mira.steps")] == ["    def steps(self):", "        return 1"]
        assert function_lines(source, "steps") is None or broken
        assert function_lines(source, "Mira.gone") is None

    def test_a_header_whose_bracket_closes_at_the_margin(self):
        source = "def rule(\n    s,\n):\n    return (s\n\nx = 1\n"
        assert function_lines(source, "rule") == slice(0, 4)

    def test_replacing_keeps_the_rest_and_the_line_ends_of_windows(self):
        windows = self.STUDENT.replace("\n", "\r\n")
        replaced = replace_function(windows, "Mira.steps", "    def steps(self):\n        return 3")
        assert replaced == windows.replace("return 1", "return 3")
        assert replace_function(windows, "gone", "") is None
