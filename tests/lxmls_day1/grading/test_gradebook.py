"""Points: each kind of check counts by its share, and an explained answer has a minimum. Also the steps of grading."""

import inspect
import re
from pathlib import Path

import pytest

from lxmls_day1 import grading
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade
from lxmls_day1.grading.verdicts import OK, WRONG

SMALL = "test_1_05_mira.py::test_small_inputs"


def points(n_public, n_hidden, **small):
    """Return the points out of 10 if these numbers of four public and four hidden checks pass, and the check of small inputs fails."""
    checks = [CheckGrade(f"a{n}", "1.5", "", False, OK if n < n_public else WRONG) for n in range(4)]
    checks += [CheckGrade(f"b{n}", "1.5", "", True, OK if n < n_hidden else WRONG) for n in range(4)]
    return ExerciseGrade("1.5", "", "code", 10.0, (*checks, CheckGrade(SMALL, "1.5", "", False, WRONG, **small))).points


ONE = {"mistakes": (("a", "It is so."),), "named_as": "one", "has_substance": True}
BOTH = {"mistakes": (("a", "It is so."), ("b", "And so.")), "named_as": "both", "has_substance": True}


@pytest.mark.parametrize(
    ("n_public", "n_hidden", "small", "wanted"),
    [
        (2, 0, {}, 1.0),  # Two of five public checks, which are worth a quarter of ten points.
        (2, 2, {}, 4.75),
        (0, 0, ONE, 2.5),
        (2, 0, ONE, 2.5),
        (2, 2, ONE, 4.75),  # the checks' points exceed the minimum
        (0, 0, BOTH, 1.25),
        (0, 0, ONE | {"named_as": "one of"}, 2.5),
        (0, 0, ONE | {"has_substance": False}, 0.0),  # zeros are a known mistake
        (0, 0, ONE | {"named_as": "property"}, 0.0),  # an observation does not explain an answer
        (0, 0, {"has_substance": True}, 0.0),
    ],
)
def test_points_follow_the_shares_of_the_checks(n_public, n_hidden, small, wanted):
    assert points(n_public, n_hidden, **small) == pytest.approx(wanted)


def test_every_step_of_grading_takes_one_value_and_is_used():
    sources = [path.read_text(encoding="utf-8") for path in Path(grading.__file__).parent.rglob("*.py")]
    used = {name for source in sources for name in re.findall(r'\bstep\("(\w+)"\)', source)}
    assert used == set(grading.STEPS)
    for found in map(grading.step, grading.STEPS):
        called = inspect.signature(found.__call__ if inspect.isclass(found) else found)
        given = [one for name, one in called.parameters.items() if one.default is one.empty and name != "self"]
        required = [one for one in given if one.kind is not one.KEYWORD_ONLY]  # the others are settings of the run
        assert len(required) == 1 and called.return_annotation is not called.empty, found
