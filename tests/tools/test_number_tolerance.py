"""Texts with numbers: texts that are equal up to rounding, and texts that are not."""

import pytest

from tools.authoring.number_tolerance import same_text


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("accuracy 0.812", "accuracy 0.813"),
        ("accuracy 0.812", "accuracy 0.811"),
        ("−1.25 and +3.50", "−1.24 and +3.51"),
        ("0.000", "-0.000"),
        ("1.50e-07", "1.51e-07"),
        ("a  b", "a b"),
        ("λ =   0.1: 9.99", "λ =   0.1: 10.00"),
        ("[0.5, 0.25]", "[0.5, 0.25]"),
    ],
)
def test_texts_equal_up_to_rounding(expected, got):
    assert same_text(expected, got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("accuracy 0.812", "accuracy 0.814"),
        ("accuracy 0.812", "accuracy -0.812"),
        ("37 mistakes", "38 mistakes"),
        ("37 mistakes", "37 updates"),
        ("0.5", "0.5 0.5"),
        ("1.50e-07", "1.50e-06"),
        ("x1 = 1", "x2 = 1"),
        ("mean", "nan"),
        ("0.5", "nan"),
        ("0.5", "inf"),
        ("True", "False"),
    ],
)
def test_texts_that_differ_beyond_rounding(expected, got):
    assert not same_text(expected, got)
