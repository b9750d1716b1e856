"""Checks in a grading session: those that are called directly and those that need pytest come to the same verdicts."""

import textwrap
from pathlib import PurePosixPath

import pytest

from lxmls_day1.errors import InputError
from lxmls_day1.exercises import pytest_plugin
from lxmls_day1.exercises.answers import Answer, Expectation, RecordedAnswers
from lxmls_day1.grading.limits import Limits
from lxmls_day1.grading.session import CheckSession

NO_STARTER = None  # a box is opened when the lab is asked something first, which none of these checks does
PLAIN = '''
import numpy as np
import pytest

def test_right(expect):
    """What is right"""
    expect("the number", 3.0)

def test_wrong(expect):
    expect("the number", 4.0)

def test_assertion():
    assert 1 + 1 == 3, "sums must be right"

def test_failing():
    pytest.fail("not like this")

def test_another_exception():
    [][1]

@pytest.mark.parametrize("n", [1, 2], ids=["one", "two"])
@pytest.mark.parametrize("m", [2])
def test_cases(n, m, rng):
    assert n < m

@pytest.mark.hidden
def test_hidden(rng, lab):
    assert rng.random() < 0
'''
NOT_PLAIN = """
import pytest

@pytest.fixture
def three():
    yield 3

@pytest.fixture
def doubled(request):
    return 2 * request.param

def test_with_a_fixture_of_its_own(three):
    assert three == 3

@pytest.mark.parametrize("doubled", [1], indirect=True)
def test_through_a_fixture(doubled):
    assert doubled == 2

class TestInAClass:
    def setup_method(self):
        self.ready = True

    def test_method(self):
        assert self.ready

@pytest.mark.xfail(strict=True)
def test_that_must_fail():
    assert True
"""


def session_of(folder, **files):
    paths = []
    for name, text in files.items():
        paths.append(folder / f"test_1_05_{name}.py")
        paths[-1].write_text(textwrap.dedent(text), encoding="utf-8")
    number = {"the number": Expectation(Answer.of(3.0), {"four": Answer.of(4.0)})}
    checks = {f"test_1_05_{name}.py::test_{check}": number for name in files for check in ("right", "wrong")}
    expected = RecordedAnswers(checks, {"1.5": {"four": "This is four."}})
    return CheckSession(paths, expected, seed=7, limits=Limits())


def run(session, n_labs=1):
    """What came of the checks, for each lab: name -> (verdict, text, mistakes)."""
    found = []
    labs = [{PurePosixPath("classifiers/__init__.py"): b""}] * n_labs
    session.run_all(labs, NO_STARTER, lambda number, checked: found.append((number, checked.checks)))
    assert [number for number, _ in found] == list(range(n_labs))
    return [
        {check.check.partition("::")[2]: (check.verdict, check.text, check.mistakes) for check in checks}
        for _, checks in found
    ]


def test_verdicts_of_plain_checks(tmp_path):
    (found,) = run(session_of(tmp_path, plain=PLAIN))
    assert {name: verdict for name, (verdict, _, _) in found.items()} == {
        "test_right": "ok",
        "test_wrong": "wrong",
        "test_assertion": "wrong",
        "test_failing": "wrong",
        "test_another_exception": "wrong",
        "test_cases[2-one]": "ok",
        "test_cases[2-two]": "wrong",
        "test_hidden": "wrong",
    }
    assert found["test_wrong"][2] == (("four", "This is four."),)
    assert found["test_assertion"][1].splitlines()[0] == "sums must be right"
    assert found["test_hidden"][1] == ""


def test_pytest_itself_comes_to_the_same(tmp_path, monkeypatch):
    (direct,) = run(session_of(tmp_path, plain=PLAIN))
    monkeypatch.setattr(pytest_plugin, "needs_no_protocol", lambda item: False)
    (by_pytest,) = run(session_of(tmp_path, plain=PLAIN))
    assert by_pytest.keys() == direct.keys()
    for name, (verdict, text, mistakes) in by_pytest.items():
        assert direct[name] == (verdict, text, mistakes), name


def test_checks_are_collected_once(tmp_path, monkeypatch):
    session = session_of(tmp_path, plain=PLAIN)
    first = run(session, n_labs=2)
    assert first[0] == first[1]
    monkeypatch.setattr(pytest, "main", None)
    assert run(session, n_labs=2) == first


def test_checks_that_need_pytest_have_it_each_time(tmp_path):
    session = session_of(tmp_path, other=NOT_PLAIN, plain=PLAIN)
    first = run(session, n_labs=2)
    assert first[0] == first[1] == run(session)[0]
    verdicts = {name: verdict for name, (verdict, _, _) in first[0].items()}
    assert verdicts["test_with_a_fixture_of_its_own"] == "ok"
    assert verdicts["test_through_a_fixture[1]"] == "ok"
    assert verdicts["TestInAClass::test_method"] == "ok"
    assert verdicts["test_right"] == "ok"


@pytest.mark.parametrize(
    "check",
    [
        "import pytest\n\ndef test_it():\n    pytest.skip('no data')\n",
        "import pytest\n\n@pytest.mark.skip(reason='no data')\ndef test_it():\n    pass\n",
    ],
    ids=["in the check", "by a mark"],
)
def test_a_check_that_leaves_itself_out_is_no_check(tmp_path, check):
    with pytest.raises(InputError, match="test_it leaves itself out: .*no data"):
        run(session_of(tmp_path, skipping=check))


@pytest.mark.parametrize("broken", ["import nothing_of_this_name\n", "def test_it(:\n"])
def test_check_files_that_cannot_be_read(tmp_path, broken):
    with pytest.raises(InputError, match="the checks cannot be run"):
        run(session_of(tmp_path, broken=broken))


def test_checks_that_were_edited_are_read_again(tmp_path):
    for number in (3.0, 4.25, 3.0):  # of other lengths: bytecode goes by length and second
        (found,) = run(session_of(tmp_path, edited=f"def test_right(expect):\n    expect('the number', {number})\n"))
        assert found["test_right"][0] == ("ok" if number == 3.0 else "wrong")


def test_an_answer_that_is_not_recorded_is_a_fault_of_the_checks(tmp_path):
    with pytest.raises(InputError, match="no answer is recorded for 'another'"):
        run(session_of(tmp_path, unknown="def test_it(expect):\n    expect('another', 1)\n"))


@pytest.mark.parametrize(
    "check", ["def test_it():\n    raise KeyboardInterrupt\n", "raise KeyboardInterrupt\n"], ids=["run", "collected"]
)
def test_ctrl_c_ends_the_run(tmp_path, check):
    session = session_of(tmp_path, interrupted=check)
    with pytest.raises(KeyboardInterrupt):
        run(session)
