import math

import numpy as np
import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.answer_shapes import Answer, format_answer
from lxmls_day1.course.diagnosis.expect import Expect, RecordingExpect, WrongAnswer
from tests.wording import wording


class TestExpect:
    def expect(self, expected):
        return Expect({"d": Answer.from_value(expected)})

    def message(self, expected, got):
        with pytest.raises(WrongAnswer) as caught:
            self.expect(expected)("d", got)
        return str(caught.value)

    def test_the_expected_passes(self):
        self.expect([0.4, -0.4])("d", np.array([0.4 + 1e-9, -0.4]))
        self.expect([0.4])("d", [0.5], rtol=0.3)
        self.expect(-math.inf)("d", -np.inf)
        self.expect(math.nan)("d", np.nan)
        self.expect(["a"])("d", np.array(["a"]))
        self.expect(None)("d", None)
        self.expect(1)("d", 1.0)

    def test_expected_and_actual_numbers_are_aligned(self):
        assert self.message([0.4, -0.4], [0.8, -0.8]) == "d\n  expected  [0.4, -0.4]\n  yours     [0.8, -0.8]"

    def test_more_digits_are_shown_if_numbers_are_close(self):
        text = self.message(1.0, 1.0001)
        assert "yours     1.0001" in text
        assert "1.00000312" in self.message(1.0, 1.00000312)

    def test_shapes_and_kinds(self):
        assert "[[1, 2]], shape (1, 2)" in self.message([1.0, 2.0], [[1.0, 2.0]])
        assert "one value" in self.message([1.0], 1.0)
        assert wording("course.none_return_missing") in self.message([1.0], None)
        assert "yours     'spam'" in self.message("ham", "spam")
        assert wording("course.list_whose_rows_differ") in self.message([1.0], [[1], [1, 2]])
        assert "neither numbers nor texts" in self.message([1.0], object())

    def test_long_arrays_show_their_first_differences(self):
        got = np.arange(40.0).reshape(8, 5)
        text = self.message(got, np.where(got % 7 == 3, got + 1, got))
        assert wording("course.of_first_ones") in text
        assert "at [0, 3]  expected 3, yours 4" in text
        assert text.count("expected") == 3

    def test_an_unrecorded_answer_is_a_fault_of_the_checks(self):
        with pytest.raises(InputError, match=wording("course.answer_recorded_e_authoring")):
            self.expect(1.0)("e", 1.0)

    def test_a_snapshot_requires_unique_labels(self):
        recording = RecordingExpect()
        recording("d", 1.0)
        with pytest.raises(InputError, match="stands twice"):
            recording("d", 1.0)


def test_values_are_shown_briefly():
    assert format_answer(Answer.from_value(np.zeros((0, 3)))) == "nothing, shape (0, 3)"
    assert format_answer(Answer.from_value(-0.0)) == "0"
    assert format_answer(Answer.from_value(["a"] * 20)).startswith("20 texts, shape (20,): 'a', ")
