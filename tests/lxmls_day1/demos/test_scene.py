"""The numbers that are sent to the page."""

import numpy as np
import pytest

from lxmls_day1.demos.scene import plain_data, rounded


@pytest.mark.parametrize("magnitude", [3, 15, 300])
def test_rounded_numbers_are_those_of_a_format_with_five_digits(magnitude):
    rng = np.random.default_rng(magnitude)
    numbers = rng.choice([-1, 1], (1000, 2)) * 10 ** rng.uniform(-magnitude, magnitude, (1000, 2))
    expected = [[float(f"{number:.5g}") for number in row] for row in numbers.tolist()]
    np.testing.assert_allclose(rounded(numbers), expected, rtol=0 if magnitude < 23 else 1e-15)


@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, 1000.0, 0.001, 99999.5, 123456.0, 5e-324, 1e-310, 1e308])
def test_numbers_at_the_limits_are_rounded_without_a_warning(number):
    assert plain_data(np.array(number)) == pytest.approx(float(f"{number:.5g}"), rel=1e-15, abs=1e-304)


def test_arrays_with_numbers_that_are_not_finite_have_gaps():
    assert plain_data(np.array([[1 / 3, np.nan], [np.inf, -2 / 3]])) == [[0.33333, None], [None, -0.66667]]
