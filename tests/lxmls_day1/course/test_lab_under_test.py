from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.lab_under_test import GuardedLab, deep_copy_plain, mutable_content
from lxmls_day1.course.running.pytest_plugin import ChecksRun, verdict


class Stub:
    """A replacement for a lab: functions by name."""

    def function(self, module, name, *arguments, **settings):
        return getattr(self, name)(*arguments, **settings)

    def each(self, module, name, calls, first_as=None, given=None):
        return [getattr(self, name)(*arguments) for arguments in calls]

    def classifier(self, module, class_name, **settings):
        return self

    def doubled(self, values):
        return values * 2

    def doubled_in_place(self, values):
        values *= 2
        return values

    def fails(self, values):
        values[0] = 9.0
        raise ValueError("no")


@pytest.fixture
def lab():
    return GuardedLab(Stub())


@pytest.mark.parametrize("name", ["doubled", "doubled_in_place"])
def test_a_changed_argument_is_recorded_and_has_no_effect(lab, name):
    values = np.ones(3)
    assert lab.function("m", name, values).tolist() == [2, 2, 2]
    assert [answer.tolist() for answer in lab.each("m", name, [(values,), (values,)])] == [[2, 2, 2]] * 2
    assert getattr(lab.classifier("m", "C"), name)(values).tolist() == [2, 2, 2]
    assert values.tolist() == [1, 1, 1]
    assert lab.changes == ([name] * 3 if name == "doubled_in_place" else [])


def test_a_change_before_an_exception_is_noted(lab):
    with pytest.raises(ValueError, match="no"):
        lab.function("m", "fails", np.zeros(2))
    assert lab.changes == ["fails"]


def test_return_values_of_calls_are_recorded(lab):
    values = np.ones(2)
    lab.function("m", "doubled", values)
    lab.each("m", "doubled", [(3 * values,), (values,)])
    made = lab.classifier("m", "C")
    assert lab.answers[-1] is None  # A later error does not count against an earlier answer.
    made.doubled(values)
    with pytest.raises(ValueError, match="no"):
        lab.function("m", "fails", values)
    returned = [call and (call[0], np.array(call[1]).tolist()) for call in lab.answers]
    assert returned == [("doubled", [[2, 2]]), ("doubled", [[6, 6], [2, 2]]), None, ("doubled", [[2, 2]]), None]


@pytest.mark.parametrize(
    ("error", "answers", "wanted", "outcome"),
    [
        (TypeError("no len()"), [("step", [(1.0, 2.0)])], {}, "wrong"),
        (TypeError("no len()"), [("step", [(1.0, 2.0)])], {"step": {"d": "(K,)"}}, "wrong"),
        (TypeError("no len()"), [("step", [(1.0, 2.0)]), None], {}, "error"),
        # An earlier answer.
        (TypeError("no len()"), [("step", [(1.0, 2.0)]), None], {"step": {"W": "(J, K)"}}, "wrong"),
        # Raised by a library: the shape was right.
        (AssertionError("not equal"), [("step", [(1.0, 2.0)])], {}, "error"),
        (InputError("no answer is recorded"), [("step", [(1.0, 2.0)])], {}, "error"),
    ],
)
def test_an_exception_of_a_check_is_a_wrong_answer_only_for_a_wrong_shape_or_type(
    tmp_path, error, answers, wanted, outcome
):
    run, check = ChecksRun(tmp_path), SimpleNamespace(path=tmp_path / "tests" / "test_other.py")
    check.getparent = lambda kind: SimpleNamespace(obj=SimpleNamespace(MUST_RETURN=wanted))
    run.guarded_lab = SimpleNamespace(answers=answers)
    try:
        raise error
    except type(error) as raised:
        found, text = verdict(run, check, raised)
    assert found == outcome
    assert text.startswith("`step` returned a pair: one number and one number") == (outcome == "wrong")
    assert ("; expected " in text) == bool(wanted)


def test_a_classifier_has_no_method_that_it_does_not_have(lab):
    assert not hasattr(lab.classifier("m", "C"), "gone")


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (np.array([1.0, np.nan]), lambda v: v.__setitem__(0, 2.0)),
        (np.array(["a", "b"]), lambda v: v.__setitem__(0, "c")),
        ([1, [2, 3]], lambda v: v[1].append(4)),
        ([0.5, np.nan, "a", None], lambda v: v.__setitem__(0, 1.5)),
        ([0.5, ["a"]], lambda v: v[1].__setitem__(0, "b")),
        ([True], lambda v: v.__setitem__(0, None)),
        ([[1]], lambda v: v.__setitem__(0, 1)),
        ([np.float64(2.0), np.float64("nan")], lambda v: v.__setitem__(0, np.zeros(1))),
        ([{"a": 1}], lambda v: v.__setitem__(0, None)),
        ([sp.csr_array([[1.0]])], lambda v: v.__setitem__(0, 1.0)),
        ((np.zeros(2), 1), lambda v: v[0].__setitem__(1, -0.5)),
        ({"a": [1]}, lambda v: v["a"].clear()),
        (sp.csr_array([[0.0, 2.0]]), lambda v: v.data.__setitem__(0, 3.0)),
    ],
)
def test_copies_are_alike_until_one_is_changed(value, change):
    other = deep_copy_plain(value)
    before = mutable_content(other)
    assert type(other) is type(value) and mutable_content(value) == before
    change(other)
    assert mutable_content(other) != before == mutable_content(value)
