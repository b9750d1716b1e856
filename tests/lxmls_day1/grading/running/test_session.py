"""Checks in a grading session: direct calls and pytest give the same verdicts, and checks that do not end in time are retried."""

import os
import textwrap
from pathlib import Path, PurePosixPath

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.box.box import TIMEOUT_MESSAGE, BoxFailure, RaisedInBox
from lxmls_day1.box.limits import Limits
from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.grading.running import boxed_lab
from lxmls_day1.grading.running.boxed_lab import BoxedLab, to_builtin_exception
from lxmls_day1.grading.running.session import SKIPPED_AFTER_TIMEOUTS, GradingSession
from lxmls_day1.grading.verdicts import CRASHED, TIMEOUT
from tests.wording import wording

NO_FORK_SERVER = None  # A box opens at the first request to the lab, and none of these checks makes one.
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
LAB = {PurePosixPath("classifiers/__init__.py"): b""}


def session_of(folder, **files):
    paths = []
    for name, text in files.items():
        paths.append(folder / f"test_1_05_{name}.py")
        paths[-1].write_text(textwrap.dedent(text), encoding="utf-8")
    number = {"the number": Answer.from_value(3.0)}
    checks = {f"test_1_05_{name}.py::test_{check}": number for name in files for check in ("right", "wrong")}
    expected = RecordedAnswers(checks, {"1.5": {"four": "This is four."}})
    return GradingSession(paths, expected, seed=7, limits=Limits())


def run(session, n_labs=1):
    """Run the checks for each lab and return, for each, name -> (verdict, text, mistakes)."""
    found = [session.run(LAB, NO_FORK_SERVER) for _ in range(n_labs)]
    return [
        {check.check.partition("::")[2]: (check.verdict, check.text, check.mistakes) for check in checks}
        for checks, _ in found
    ]


def test_folders_above_the_checks_are_not_listed(tmp_path, monkeypatch):
    """A user may be allowed to enter a folder above, and not to list it."""
    folder, scandir = tmp_path / "theirs/checks", os.scandir
    folder.mkdir(parents=True)
    session = session_of(folder, plain=PLAIN)

    def listed(place="."):
        if not isinstance(place, int) and folder.is_relative_to(place) and folder != Path(place):
            raise PermissionError(13, "Permission denied", str(place))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", listed)
    (found,) = run(session)
    assert found["test_right"][0] == "ok"


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
    assert found["test_assertion"][1].splitlines()[0] == "sums must be right"
    assert found["test_hidden"][1] == ""


def test_checks_are_collected_once(tmp_path, monkeypatch):
    session = session_of(tmp_path, plain=PLAIN)
    first = run(session, n_labs=2)
    assert first[0] == first[1]
    monkeypatch.setattr(pytest, "main", None)
    assert run(session, n_labs=2) == first


@pytest.mark.slow
@pytest.mark.parametrize(
    "check", ["def test_it(tmp_path): pass", "import pytest\n@pytest.mark.xfail\ndef test_it(): pass"]
)
def test_a_check_is_a_plain_function(tmp_path, check):
    with pytest.raises(InputError, match=wording("grading.test_plain_function_lab")):
        run(session_of(tmp_path, other=check, plain=PLAIN))


def test_a_check_that_skips_itself_is_refused(tmp_path):
    with pytest.raises(InputError, match="test_it skips itself: .*no data"):
        run(session_of(tmp_path, skipping="import pytest\n\ndef test_it():\n    pytest.skip('no data')\n"))


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["import nothing_of_this_name\n", "def test_it(:\n"])
def test_check_files_that_cannot_be_read_are_refused(tmp_path, broken):
    with pytest.raises(InputError, match=wording("grading.checks_cannot_run")):
        run(session_of(tmp_path, broken=broken))


@pytest.mark.slow
def test_checks_that_were_edited_are_read_again(tmp_path):
    for number in (3.0, 4.25, 3.0):  # their lengths differ because bytecode caches compare size and time
        (found,) = run(session_of(tmp_path, edited=f"def test_right(expect):\n    expect('the number', {number})\n"))
        assert found["test_right"][0] == ("ok" if number == 3.0 else "wrong")


def test_an_answer_that_is_not_recorded_is_a_fault_of_the_checks(tmp_path):
    with pytest.raises(InputError, match=wording("grading.answer_recorded_another")):
        run(session_of(tmp_path, unknown="def test_it(expect):\n    expect('another', 1)\n"))


@pytest.mark.parametrize(
    "check", ["def test_it():\n    raise KeyboardInterrupt\n", "raise KeyboardInterrupt\n"], ids=["run", "collected"]
)
def test_ctrl_c_ends_the_run(tmp_path, check):
    session = session_of(tmp_path, interrupted=check)
    with pytest.raises(KeyboardInterrupt):
        run(session)


# Time -----------------------------------------------------------------------------------------------------------------

#: Checks of two exercises. Each check makes one request to the box; the request names the check.
TIMED = """
import pytest

def test_first(lab):
    assert lab.function("things", "first") == 1

@pytest.mark.hidden
def test_hidden(lab):
    assert lab.function("things", "hidden") == 1

def test_second(lab):
    assert lab.function("things", "second") == 1

@pytest.mark.hidden
def test_another_hidden(lab):
    assert lab.function("things", "another_hidden") == 1

def test_third(lab):
    assert lab.function("things", "third") == 1
"""


KILLED = float("inf")  # Stands for the seconds of a call during which the box is killed.


@pytest.fixture
def boxes(monkeypatch):
    """Replace boxes by fakes whose answers take `FakeBox.seconds`; record their requests as (number, name)."""
    asked = []

    class FakeBox:
        count = 0
        arguments_changed = False
        seconds = staticmethod(lambda box, name: 0.0)

        def __init__(self, fork_server, files, limits, cpu_seconds):
            FakeBox.count += 1
            self.number, self.cpu_used = FakeBox.count, 0.0

        def call(self, request, seconds, limit):
            asked.append((self.number, request["target"][-1]))
            taken = FakeBox.seconds(self.number, request["target"][-1])
            self.seconds_used = min(taken, seconds)
            if taken == KILLED:
                raise BoxFailure(CRASHED, "the code crashed Python (killed)")
            if taken > seconds:
                raise BoxFailure(TIMEOUT, TIMEOUT_MESSAGE.format(limit))
            return 1

        def read_output(self):
            return f"<{self.number}>"

        def close(self):
            pass

    monkeypatch.setattr(boxed_lab, "Box", FakeBox)
    return FakeBox, asked


def test_public_and_hidden_checks_share_no_box(tmp_path, boxes):
    _, asked = boxes
    (found,) = run(session_of(tmp_path, timed=TIMED))
    assert asked == [(1, "first"), (1, "second"), (1, "third"), (2, "hidden"), (2, "another_hidden")]
    names = ["test_first", "test_hidden", "test_second", "test_another_hidden", "test_third"]
    assert [(name, verdict) for name, (verdict, _, _) in found.items()] == [(name, "ok") for name in names]


@pytest.mark.parametrize("taken", [1e9, KILLED])
def test_a_check_that_ends_its_box_is_retried_alone_in_a_fresh_box(tmp_path, boxes, taken):
    box, asked = boxes
    box.seconds = staticmethod(lambda number, name: taken if number == 1 and name == "second" else 0.0)
    (found,) = run(session_of(tmp_path, timed=TIMED))
    assert {verdict for verdict, _, _ in found.values()} == {"ok"}
    # The first box is gone; the retry comes after all public checks and before the hidden checks.
    assert asked[:3] == [(1, "first"), (1, "second"), (2, "third")]
    assert asked[3:] == [(3, "second"), (4, "hidden"), (4, "another_hidden")]


@pytest.mark.parametrize(
    ("slow", "place", "expected"),
    [
        ({2}, slice(3, None), [(2, "hidden"), (3, "another_hidden"), (4, "hidden")]),
        ({1, 2}, slice(5), [(1, "first"), (2, "second"), (3, "first"), (4, "second"), (5, "third")]),
    ],
    ids=["of a hidden check", "of two checks, which were abandoned"],
)
def test_a_slow_moment_costs_no_marks(tmp_path, boxes, slow, place, expected):
    box, asked = boxes
    box.seconds = staticmethod(lambda number, name: 1e9 if number in slow else 0.0)
    (found,) = run(session_of(tmp_path, timed=TIMED))
    assert {verdict for verdict, _, _ in found.values()} == {"ok"}
    assert asked[place] == expected


def test_endless_code_is_tried_four_times_and_never_with_hidden_inputs(tmp_path, boxes):
    box, asked = boxes
    box.seconds = staticmethod(lambda number, name: 1e9)
    (found,) = run(session_of(tmp_path, timed=TIMED))
    assert [name for _, name in asked] == ["first", "second", "first", "second"]
    never = TIMEOUT_MESSAGE.format(100)
    assert [text for _, text, _ in found.values()] == [never, "", never, "", SKIPPED_AFTER_TIMEOUTS]
    assert {verdict for verdict, _, _ in found.values()} == {"timeout"}


def test_time_outs_of_one_exercise_take_no_time_from_another(tmp_path, boxes):
    box, _ = boxes
    box.seconds = staticmethod(lambda number, name: 1e9 if name in ("first", "second") else 99.0)
    other = tmp_path / "test_1_07_other.py"
    other.write_text("def test_other(lab):\n    assert lab.function('things', 'other') == 1\n", encoding="utf-8")
    paths = [tmp_path / "test_1_05_timed.py", other]
    paths[0].write_text(TIMED, encoding="utf-8")
    (found,) = run(GradingSession(paths, RecordedAnswers({}, {}), seed=7, limits=Limits()))
    assert found["test_other"][0] == "ok"


@pytest.mark.parametrize(
    ("kinds", "caught"),
    [
        (["ExceptionGroup", "BaseExceptionGroup", "Exception"], Exception),
        (["BaseExceptionGroup", "BaseException"], Exception),
        (["UnicodeDecodeError", "UnicodeError", "ValueError", "Exception"], UnicodeError),
        (["StopIteration", "Exception"], RuntimeError),
        (["StopAsyncIteration", "Exception"], RuntimeError),
        (["KeyboardInterrupt", "BaseException"], Exception),
        (["SystemExit", "BaseException"], Exception),
        (["GeneratorExit", "BaseException"], Exception),
        (["abs", "ValueError"], ValueError),
        (["_IncompleteInputError", "SyntaxError"], SyntaxError),
        ([], Exception),
    ],
)
def test_every_exception_of_the_code_is_an_error(tmp_path, monkeypatch, kinds, caught):
    told = RaisedInBox.from_reply({"raised": kinds, "text": "no", "trace": "classifiers/things.py:1, in f"})
    made = to_builtin_exception(told)
    assert isinstance(made, caught) and isinstance(made, Exception) and made.boxed is told

    def raising(lab, name, *_):
        raise to_builtin_exception(told)

    monkeypatch.setattr(BoxedLab, "function", raising)
    check = "def test_it(lab):\n    list(map(lambda _: lab.function('things', 'f'), range(3)))\n"
    (found,) = run(session_of(tmp_path, raising=check))
    assert found["test_it"][:2] == ("error", "classifiers/things.py:1, in f")
