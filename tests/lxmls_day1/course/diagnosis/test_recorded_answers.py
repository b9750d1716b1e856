import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from tests.wording import wording

ARRAYS = hnp.arrays(float, hnp.array_shapes(max_dims=3, max_side=4, min_side=0), elements=st.floats(width=64))


@pytest.mark.slow
@given(ARRAYS)
def test_numbers_survive_json(array):
    answer = Answer.from_value(array)
    back = Answer.from_json(json.loads(json.dumps(answer.to_json(), allow_nan=False)))
    assert back.shape == array.shape
    np.testing.assert_array_equal(np.array(back.values).reshape(back.shape), array)


@pytest.mark.parametrize("value", ["spam", ["ham", "spam"], None, True, np.float32(0.5), [[1, 2]], np.int8(3)])
def test_other_values_survive_json(value):
    answer = Answer.from_value(value)
    assert Answer.from_json(json.loads(json.dumps(answer.to_json()))) == answer


@pytest.mark.slow
@given(ARRAYS, ARRAYS)
def test_agreement_is_that_of_numpy(one, two):
    agree = one.shape == two.shape and np.allclose(two, one, rtol=1e-6, atol=1e-9, equal_nan=True)
    assert Answer.from_value(one).is_close(Answer.from_value(two)) == agree


def test_sparse_and_dense_are_the_same():
    dense = np.array([[0.0, 2.0]])
    assert Answer.from_value(sp.csr_array(dense)) == Answer.from_value(dense)


@pytest.mark.parametrize("value", [[[1], [1, 2]], object(), {"a": 1}, 1j, [None, 1]])
def test_invalid_answers_are_refused(value):
    with pytest.raises(TypeError):
        Answer.from_value(value)


def test_recorded_answers_are_read_from_files(tmp_path):
    recorded = RecordedAnswers({"test_1_01_x.py::test_a": {"d": Answer.from_value([1.0])}}, {}, {})
    other = RecordedAnswers({"test_1_02_x.py::test_b": {"d": Answer.from_value([2.0])}}, {}, {"1.2": 3})
    path = tmp_path / "1.1.json"
    for id in ("1.1", "1.2"):
        (tmp_path / f"{id}.json").write_text((recorded | other).for_exercise(id).to_json(), encoding="utf-8")
    assert RecordedAnswers.read(tmp_path) == RecordedAnswers.read(tmp_path, ["1.1", "1.2"]) == recorded | other
    assert RecordedAnswers.read_existing(tmp_path, ["1.3", "1.1"]) == recorded
    for content in ("{", "{}", '{"checks": 3, "sentences": {}, "hidden": {}}'):
        path.write_text(content)
        with pytest.raises(InputError, match=wording("course.another_version_damaged_lxmls")):
            RecordedAnswers.read(tmp_path, ["1.1"])
    with pytest.raises(InputError, match=wording("course.json_is_not_there")):
        RecordedAnswers.read(tmp_path, ["1.3"])


def test_an_object_is_recorded_without_its_address():
    """The address differs in each run, so no recorded answer would match it."""
    for value in (object(), [object()], [len, print, lambda: 0]):
        with pytest.raises(TypeError, match=wording("course.neither_numbers_nor_texts")) as caught:
            Answer.from_value(value)
        assert "0x" not in str(caught.value)
