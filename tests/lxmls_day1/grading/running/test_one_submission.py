from pathlib import PurePosixPath
from types import SimpleNamespace

import pytest

from lxmls_day1.course.registry import Exercise
from lxmls_day1.grading.running.one_submission import MAX_SAMPLE_CHARS, samples_of

PATH = PurePosixPath("classifiers/mira.py")
EXERCISE = Exercise("1.5", "MIRA", "code", 1, (str(PATH),), "notebooks/2.ipynb", "Task", ("a", "b", "c"))
GIVEN = '''import numpy as np


def mira_rule(scores):
    """The step.

    A vector.
    """
    raise NotImplementedError("Exercise 1.5: MIRA; `lxmls-day1 hint 1.5` helps")


class Mira:
    name = "MIRA"
'''
STUB = GIVEN.split("    raise")[1].split("\n")[0]


def sample(content: bytes) -> str:
    plan = SimpleNamespace(given={PATH: GIVEN.encode()}, exercises=[EXERCISE])
    return samples_of({PATH: content}, plan, ["1.5"]).get("1.5", "")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("more", ["", "\ndef broken(:\n", "x = " + "(" * 5000, "\n# é"])
def test_the_function_is_shown_without_its_docstring(ends, more):
    source = GIVEN.replace(f"    raise{STUB}", "    return scores  # <b>") + more
    for content in (source.replace("\n", ends).encode(), b"\xef\xbb\xbf" + source.encode(), source.encode("latin-1")):
        assert sample(content) == "def mira_rule(scores):\n    return scores  # <b>"


def test_a_stub_and_a_missing_file_have_no_sample():
    assert sample(GIVEN.encode()) == sample(b"") == sample(b"x = 1\n") == ""


def test_a_long_function_is_cut_and_null_characters_are_replaced():
    shown = sample(GIVEN.replace(f"    raise{STUB}", "    x = '\0'\n" + "    x = 1\n" * 10**6).encode())
    assert len(shown) <= MAX_SAMPLE_CHARS and "\0" not in shown and "x = '\ufffd'" in shown
