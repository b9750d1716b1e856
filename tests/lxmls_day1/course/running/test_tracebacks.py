import warnings

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.running.tracebacks import trimmed_traceback
from lxmls_day1.lab import Lab
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before")


@pytest.fixture
def failing(workspace):
    def failing(source, call="f"):
        (workspace / "classifiers/wrong.py").write_text(source)
        with pytest.raises(Exception) as caught:
            Lab(workspace).function("wrong", call)
        return trimmed_traceback(caught.value, workspace, ["classifiers/steps.py"], workspace / "tests/x.py")

    return failing


def test_tracebacks_contain_only_frames_in_the_lab(failing):
    text = failing("import json\n\n\ndef f():\n    return json.loads('x')\n")
    assert text.splitlines()[:2] == ["classifiers/wrong.py:5, in f", "    return json.loads('x')"]
    assert text.splitlines()[2].startswith("JSONDecodeError: Expecting value")
    assert len(text.splitlines()) == 3


@pytest.mark.parametrize(
    ("line", "shapes"),
    [
        ("return X.T @ d", "X.T has the shape (3, 5), d (4,)."),
        ("return np.dot(X.T, d - 1)", "X.T has the shape (3, 5), d - 1 (4,)."),
        ("return (\n        X.dot(\n            d))", "X has the shape (5, 3), d (4,)."),
        ("return np.vstack([d, 'ü' and X.T])", "d has the shape (4,)."),
        ("return X.T @ np.log(d)", "X.T has the shape (3, 5)."),
        ("return int('x')", ""),
        ("raise ValueError('X.T @ d')", ""),
    ],
)
def test_shapes_of_incompatible_arrays_are_shown(failing, line, shapes):
    head = "import numpy as np\n\n\ndef f():\n    X, d = np.ones((5, 3)), np.ones(4)\n    "
    last = failing(f"{head}{line}\n").splitlines()[-1]
    assert last == shapes or (not shapes and last.startswith("ValueError: "))


@pytest.mark.parametrize("change", ["cost[0] = 0", "cost += 1", "cost.sort()", "np.add(cost, 1, out=cost)"])
def test_a_change_of_the_callers_array_gets_advice(failing, change):
    head = "import numpy as np\n\n\ndef f():\n    cost = np.ones(3)\n    cost.flags.writeable = False\n    "
    assert failing(f"{head}{change}\n").splitlines()[-1].endswith(wording("course.work_on_a_copy"))


def test_repeated_computations_do_not_warn_again(failing):
    head = "import numpy as np\n\n\ndef f():\n    X, d = np.ones((5, 3)), np.ones(4)\n    "
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert wording("course.x_shape_d") in failing(wording("course.return_np_dot_x", head))
    assert len(seen) == 1


def test_a_deep_recursion_shows_its_last_calls(failing):
    lines = failing("def f():\n    return f()\n").splitlines()
    assert lines[0].endswith("more calls")
    assert len(lines) == 12


def test_an_input_error_is_shown_without_a_traceback(workspace):
    assert trimmed_traceback(InputError("X has 3 rows."), workspace) == "X has 3 rows."
