import base64
import functools
import json
import types

import numpy as np
import pytest

from lxmls_day1.course.registry import Registry
from lxmls_day1.course.workspace_state import WorkspaceState
from lxmls_day1.course.workspaces import model_answers
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.course.workspaces.packed_work import open_work
from lxmls_day1.course.workspaces.workspace import with_workspace_files, write_files
from lxmls_day1.lab import Lab, reference_folder
from lxmls_day1.library_path import find_lab_file
from tests.python_runs import run_python
from tests.wording import wording
from tools import page_checks
from tools.authoring.mistakes import read_mistakes

RULE = "y_hat = np.argmax(scores)\nif y_hat != label:\n    d[label] = step\n    d[y_hat] = -step"
ONE_SIDED = RULE.rpartition("\n")[0]


def lab_with(place, *exercises):
    """Return a lab as a page has it, in which these exercises are to be solved."""
    given = student_files(reference_folder(), exercises)
    write_files(place, with_workspace_files(given, place, "", editor_files=False))
    return place


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return lab_with(tmp_path_factory.mktemp("page") / "lab", "1.1", "1.4", "1.7")


def request(folder, kind, exercise, written, **more):
    """Return the answer to a page that has these lines in the gaps of an exercise."""
    sent = {"kind": kind, "exercise": exercise, "written": {exercise: written}, **more}
    return json.loads(page_checks.handle_request(str(folder), json.dumps(sent)))


@pytest.fixture
def ask(folder):
    return functools.partial(request, folder)


def test_the_stubs_are_gaps_and_other_code_is_shown():
    for exercise, n_gaps in [("1.2", 1), ("1.3", 1), ("1.4", 1), ("1.5", 1), ("1.6", 1), ("1.7", 2)]:
        name, source = page_checks.starter_source(exercise)
        assert source.count("raise NotImplementedError") == n_gaps
        for nothing in ("", "  \n", "\n\n"):
            assert page_checks.fill_gaps(source, exercise, [nothing] * n_gaps) == source
        filled = page_checks.fill_gaps(source, exercise, ["pass\n"] * n_gaps)
        assert "NotImplementedError" not in filled
        reference = reference_folder()
        compile(filled, name, "exec")
        kept = (reference / find_lab_file(reference, name)).read_text(encoding="utf-8").partition("    # exercise")[0]
        assert filled.startswith(kept)


INDENTED = "    if label:\n        pass\n    return d\n"


@pytest.mark.parametrize("written", ["if label:\n    pass\nreturn d", INDENTED, "\n\tif label:\n\t\tpass\n\treturn d"])
def test_any_indentation_is_adapted_to_the_gap(written):
    filled = page_checks.fill_gaps(page_checks.starter_source("1.4")[1], "1.4", [written])
    assert f"    d = np.zeros(len(scores))\n{INDENTED}    return d\n" in filled


@pytest.mark.slow
def test_a_wrong_answer_is_named_and_a_right_one_passes(ask):
    empty = ask("check", "1.4", [""])
    assert not empty["passed"] and empty["trace"] is None and "the button Hint helps" in str(empty["lines"])
    wrong = ask("check", "1.4", [ONE_SIDED])
    assert (wrong["label"], wrong["headline"]) == ("A known mistake", wording("course.only_true_class_moves"))
    assert wording("course.small_inputs_get_wrong_answer") in wrong["caption"]
    assert dict(wrong["rows"]) == {
        "scores": "[0, 0]", "true class": "1", "step": "1", "‖g(x)‖²": "1", "costs": "[1, 0]", "expected": "[-1, 1]", "yours": "[0, 1]",
    }  # fmt: skip
    # d is added once: ‖g(x)‖² is 1.
    expected, yours = ["expected after the step", [-1.0, 1.0]], ["yours after the step", [0.0, 1.0]]
    assert wrong["bars"]["series"] == [["before", [0.0, 0.0]], expected, yours]
    assert "your line 3" in wrong["hint"] and wrong["question"]["attempt"]
    right = ask("check", "1.4", [RULE])
    assert right["passed"] and not right["rows"] and right["bars"] is None
    assert right["trace"] == page_checks.drawn("1.4")["wanted"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "headline", "marked"),
    [
        ("\ny_hat = np.argmax(scores\nd[0] = 1", "Your line 2: SyntaxError", [[0, 2]]),
        ("print(7)\nfoo", "NameError: name 'foo' is not defined", [[0, 2]]),
        ("return d +", "Your line 1: SyntaxError", [[0, 1]]),
    ],
)
def test_errors_count_the_lines_of_the_reader(ask, written, headline, marked):
    found = ask("check", "1.4", [written])
    assert found["headline"].startswith(headline) and found["marked"] == marked
    assert "perceptron.py" not in str(found["lines"])
    assert ("7" in str(found["lines"])) == ("print" in written)


def test_lines_of_two_gaps_are_told_apart():
    own = page_checks.OwnLines("1.7", ["a\nb", "\nc"])
    first, second = (place.start for place in own.places)
    text = own.in_words(f"{own.name}:{second}, in svm_step, lines {first}, {first + 1} of {own.name}, {own.name}:1")
    assert text == wording("browser.lines_of_two_gaps")
    assert own.marked == [(1, 2), (0, 1), (0, 2)]


@pytest.mark.slow
def test_a_first_verdict_loads_no_random_generators_of_numpy(folder):
    """In a browser they would take a twelfth of the time until it."""
    sent = {"kind": "check", "exercise": "1.4", "written": {"1.4": [RULE]}}
    code = (
        "import sys\n"
        "from lxmls_day1.course.running import checking\n"
        "checking.CAN_START_PROCESSES = False\n"  # as in a page
        "from tools.page_checks import handle_request\n"
        f"assert '\"passed\": true' in handle_request({str(folder)!r}, {json.dumps(sent)!r})\n"
        "assert 'lxmls_day1.engine.loops.online_training' in sys.modules and 'numpy.random' not in sys.modules"
    )
    run_python("-c", code, NUMBA_DISABLE_JIT="1")


@pytest.mark.slow
def test_an_answer_to_a_question_is_kept_compared_and_taken_along(ask, tmp_path):
    question = ask("check", "1.4", [ONE_SIDED])["question"]
    again = ask("because", "1.4", [ONE_SIDED], question=question, text="moves")
    assert again["kept"] is None and again["lines"]
    kept = ask("because", "1.4", [ONE_SIDED], question=question, text="By one norm, not by two.")["kept"]
    assert kept["text"] == "By one norm, not by two." and kept["attempt"] == question["attempt"]
    # A page that was opened again starts with a new lab, and brings the answer along.
    lab = lab_with(tmp_path / "lab", "1.4")
    assert kept["text"] in str(request(lab, "check", "1.4", [RULE], explained=[kept])["lines"])
    packed = request(lab, "pack", "1.4", [RULE], explained=[kept], answers={})
    (tmp_path / "work.zip").write_bytes(base64.b64decode(packed["content"]))
    other = lab_with(tmp_path / "other", "1.4")
    open_work(other, tmp_path / "work.zip")
    assert [one.text for one in WorkspaceState.from_folder(other).explanations] == [kept["text"]]


PLANE = np.stack(np.meshgrid(np.linspace(-4, 4, 41), np.linspace(-3, 3, 31)), -1).reshape(-1, 2)


def classes(places, weights):
    """The class that weights of the picture predict at each place."""
    b, *w = np.reshape(weights, (3, 3)).T
    return np.argmax(b + places @ np.array(w), axis=1)


@pytest.mark.parametrize(
    ("id", "n_mistakes", "share"), [("1.4", 5, 0.2), ("1.5", 1, 0.1), ("1.6", 3, 0.2), ("1.7", 1, 0.1)]
)
def test_the_picture_tells_frequent_mistakes_from_right(monkeypatch, id, n_mistakes, share):
    drawn = page_checks.drawn(id)
    points, labels = np.array(drawn["points"])[:, :2], np.array(drawn["points"])[:, 2]
    assert (classes(points, drawn["start"]) != labels).sum() >= 10  # something is to be seen
    right = drawn["wanted"][-1][1:]
    assert (classes(points, right) == labels).all()
    exercise = Registry.from_folder(reference_folder())[id]
    (name,) = exercise.files
    sources = {name: (reference_folder() / find_lab_file(reference_folder(), name)).read_text(encoding="utf-8")}
    # The most frequent first.
    for mistake in read_mistakes(reference_folder() / "tests/exercises", exercise)[:n_mistakes]:
        module = types.ModuleType("wrong")
        exec(mistake.programs[0].apply_to(sources)[name].replace("@compiled", ""), module.__dict__)
        monkeypatch.setattr(Lab, "load", lambda lab, name, module=module: module)
        wrong = page_checks.trace(reference_folder(), id)[-1][1:]
        assert (classes(PLANE, wrong) != classes(PLANE, right)).mean() > share, mistake.name
        if id == "1.4":
            assert (classes(points, wrong) != labels).sum() >= 2, mistake.name


@pytest.mark.slow
@pytest.mark.parametrize("written", ["return", "return np.zeros(7)", "d[:] = np.nan", "1 / 0", "return d +"])
def test_a_rule_that_cannot_be_drawn_is_still_checked(ask, written):
    found = ask("check", "1.4", [written])
    assert not found["passed"] and found["headline"] and found["trace"] is None


@pytest.mark.slow
def test_answers_saved_by_another_version_of_the_page_are_ignored(folder):
    written = {"1.4": [RULE], "9.9": ["pass"], "1.7": ["only one"]}
    sent = {"kind": "check", "exercise": "1.4", "written": written}
    assert json.loads(page_checks.handle_request(str(folder), json.dumps(sent)))["passed"]


@pytest.mark.slow
def test_answers_of_a_page_can_be_moved_to_a_lab(ask, tmp_path):
    lab = lab_with(tmp_path / "lab", "1.1", "1.4", "1.7")
    known = model_answers.decode_answers((lab / model_answers.FILE).read_bytes())
    answered, unanswered = (one.cell for one in known if one.exercise == "1.1")
    packed = ask("pack", "1.4", [RULE], answers={answered: "It is **shifted**.", unanswered: " ", "no-cell": "x"})
    (tmp_path / packed["name"]).write_bytes(base64.b64decode(packed["content"]))
    solved = (lab / "classifiers/svm.py").write_text("# solved here\n", encoding="utf-8")
    open_work(lab, tmp_path / packed["name"])
    assert "d[y_hat] = -step" in (lab / "classifiers/perceptron.py").read_text(encoding="utf-8")
    assert (lab / "classifiers/svm.py").stat().st_size == solved  # In the page this function is a stub.
    notebook = json.loads((lab / "notebooks/1_generative.ipynb").read_bytes())
    (text,) = ("".join(cell["source"]) for cell in notebook["cells"] if cell["id"] == answered)
    assert text.startswith("**Explain.**") and text.endswith("*Your answer:*\n\nIt is **shifted**.")
    assert [one.cell for one in model_answers.unlocked_answers(lab, "1.1").answers] == [answered]


@pytest.mark.parametrize("end", ["the words", "J times α", "0", "`alpha`", "W", "‖g(x)‖²"])
def test_the_name_of_a_mistake_is_its_first_sentence(end):
    mistakes = [("name", f"It is {end}. d is not. So.")]
    one = types.SimpleNamespace(all_passed=False, to_do=False, failed=[0], diagnosis_kind="", mistakes=mistakes)
    _, name, about, _ = page_checks._headline(one, [("", "✗"), ("", "the mistake")], "")
    assert (name, about) == (f"It is {end}.", ["d is not. So."])
