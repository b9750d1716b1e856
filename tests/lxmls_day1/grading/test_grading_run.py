"""Whole runs: marks are correct, mistakes are named, and a run can be resumed and replayed."""

import json
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import PurePosixPath
from types import SimpleNamespace

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.box.box import Box
from lxmls_day1.box.fork_server import PROCESS
from lxmls_day1.box.levels import Level, strongest_level
from lxmls_day1.box.sandbox import BoxesUnavailable
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import FOLDER, Registry
from lxmls_day1.course.running import snapshot
from lxmls_day1.course.running.pytest_plugin import ChecksRun
from lxmls_day1.course.workspaces.generation import solved_files, student_files
from lxmls_day1.course.workspaces.workspace import write_files
from lxmls_day1.grading import grading_run
from lxmls_day1.grading.grading_run import Run, grade, saved_rows
from lxmls_day1.grading.intake.submissions import Submission
from lxmls_day1.grading.running import one_submission
from lxmls_day1.grading.running import plan as plans
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.one_submission import Grader
from lxmls_day1.grading.running.plan import make_plan
from lxmls_day1.grading.running.worker_process import WorkerProcess
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.labs import code_of
from tests.wording import wording
from tools.authoring.mistakes import read_mistakes

pytestmark = [
    pytest.mark.slow(40),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="whole runs are tested where boxes are forked"),
]
REFERENCE = reference_folder()
MIRA = PurePosixPath("classifiers/mira.py")
LAB = ("readers", "classifiers", "notebooks")
#: The requests of one check: creating objects, one call for all inputs, and steps that depend on each other.
MOST_REQUESTS = 16
SOME = slice(2, None, 6)  # The exercises of every run, including that of `SHOWN`.
SHOWN = "1.5", "norm_counted_once"  # the mistake whose report is tested


def of_lab(files):
    return {path: text for path, text in files.items() if path.parts[0] in LAB and path.suffix in (".py", ".ipynb")}


@pytest.fixture(scope="module")
def solved():
    return of_lab(solved_files(REFERENCE))


@pytest.fixture(scope="module")
def given():
    return of_lab(student_files(REFERENCE))


@pytest.fixture(scope="module")
def level():
    return strongest_level(lab_program())


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.campaign)])
def bank(request, tmp_path_factory, level, solved, given, right_variants):
    """Return correct variants and known mistakes, graded on their exercise's checks: name -> (grade, mistake).

    An ordinary run takes every sixteenth case of every sixth exercise, a campaign takes all. The names of mistakes are tested in
    every run, without a sandbox, in `tests/lxmls_day1/course/diagnosis/test_mistake_matching.py`.
    """

    is_whole = request.param == "all"

    def taken(cases):
        return cases if is_whole else cases[::16]

    code = [exercise for exercise in Registry.read(REFERENCE / FOLDER / "exercises.toml") if exercise.kind == "code"]
    code = code if is_whole else code[SOME]
    plan = make_plan(tmp_path_factory.mktemp("bank"), level, [exercise.id for exercise in code], seed=3)
    graded, asked = {}, {}
    with closing(Grader(plan)) as first:
        for exercise in code:
            answers = plan.expected.for_exercise(exercise.id)
            one = replace(plan, exercises=(exercise,), expected=answers).with_key()
            # No check needs notebooks; `test_marks_reports_and_a_second_run` has submissions with notebooks.
            inbox = {
                f"right {v}": (code_of(v.lab_files(given)), None)
                for v in taken([v for v in right_variants if v.exercise.id == exercise.id])
            }
            sources = {name: (REFERENCE / name).read_text(encoding="utf-8") for name in exercise.files}
            known = read_mistakes(REFERENCE / FOLDER, exercise)
            shown = [mistake for mistake in known if (exercise.id, mistake.name) == SHOWN]
            for mistake in [*shown, *(m for m in taken(known) if m not in shown)]:
                changed = mistake.programs[0].apply_to(sources).items()
                made = {PurePosixPath(path): text.encode() for path, text in changed}
                inbox[f"mistake {exercise.id} {mistake.name}"] = (code_of({**solved, **made}), mistake.name)
            grader = Grader(one, first.fork_servers)
            for n, (name, (files, mistake)) in enumerate(inbox.items()):
                with pytest.MonkeyPatch.context() as patch:
                    if mistake is None:
                        count_requests(patch, asked)
                    submission = Submission(f"s{n}", name, name, "", files)
                    graded[name] = grader(submission).row.exercises[0], mistake
    return graded, is_whole, asked


def count_requests(patch, asked):
    """Record the largest number of requests to the box, per check."""
    ask, called, n_asked = Box.call, ChecksRun.call_check, [0]

    def counted_ask(*arguments):
        n_asked[0] += 1
        return ask(*arguments)

    def counted(run, check):
        before = n_asked[0]
        error = called(run, check)
        asked[check.nodeid] = max(asked.get(check.nodeid, 0), n_asked[0] - before)
        return error

    patch.setattr(Box, "call", counted_ask)
    patch.setattr(ChecksRun, "call_check", counted)


def test_no_check_asks_the_box_many_times(bank):
    """Each request waits for a reply, so hundreds of requests take longer than the student's code."""
    _, is_whole, asked = bank
    assert len(asked) > (100 if is_whole else 15)
    assert {check: number for check, number in asked.items() if number > MOST_REQUESTS} == {}


def test_every_right_variant_gets_full_marks(bank):
    bank, is_whole, _ = bank
    right = {name: grade for name, (grade, mistake) in bank.items() if mistake is None}
    counts = Counter(grade.id for grade in right.values())
    code = [e.id for e in Registry.read(REFERENCE / FOLDER / "exercises.toml") if e.kind == "code"]
    assert set(counts) == set(code if is_whole else code[SOME])
    assert min(counts.values()) >= (8 if is_whole else 1)
    checks = [(name, check) for name, grade in right.items() for check in grade.checks]
    assert [(name, c.check, c.verdict, c.text) for name, c in checks if c.verdict != "ok"] == []
    assert all(grade.points == grade.out_of for grade in right.values())


def test_every_known_mistake_gets_fewer_points_and_is_named(bank):
    bank, is_whole, _ = bank
    wrong = {name: (grade, mistake) for name, (grade, mistake) in bank.items() if mistake is not None}
    assert len(wrong) > (80 if is_whole else 3)
    for name, (row, mistake) in wrong.items():
        assert row.points < row.out_of, name
        assert mistake in [known for known, _ in row.mistakes], (name, row.mistakes)


def test_hidden_checks_show_no_numbers(bank):
    """A student reads only a hidden check's title, its verdict and the mistake's name."""
    bank, *_ = bank
    hidden = [check for row, _ in bank.values() for check in row.checks if check.hidden]
    assert {(check.text, check.calls) for check in hidden} == {("", ())}


def test_public_checks_show_what_was_called(bank):
    bank, *_ = bank
    grade = next(grade for grade, mistake in bank.values() if (grade.id, mistake) == SHOWN)
    wrong = [check for check in grade.checks if check.verdict == "wrong" and not check.hidden]
    assert wrong
    for check in wrong:
        assert "expected" in check.text
        if not check.check.endswith("::test_small_inputs"):  # It shows the smallest input instead of calls.
            assert any(call.startswith(("mira_rule(", "Mira(", "train(")) for call in check.calls)


@pytest.fixture
def class_of_three(tmp_path, solved, given):
    inbox = tmp_path / "inbox"
    write_files(inbox / "ada", solved)
    write_files(inbox / "blaise", {**solved, MIRA: given[MIRA]})
    write_files(inbox / "carl", given)
    return inbox


@pytest.fixture
def graded(one_worker):
    """Return a function that grades the submissions of a folder into another one, with the worker of all runs."""

    def run(inbox, out, plan, **options):
        return grade(Run([inbox], out, make_workers=one_worker, **options), plan)

    return run


@pytest.mark.parametrize("how", ["something is possible", "none can be made"])
def test_boxes_with_the_labs_program_are_tested_before_the_first_submission(how, level, monkeypatch):
    """The level was chosen without that program, so a failure of the program alone is reported with the option that helps."""

    def tried(maker):
        if how == "none can be made":
            raise BoxesUnavailable(f"{how}.")
        return how

    monkeypatch.setattr(one_submission, "try_box", tried)
    monkeypatch.setattr(Grader, "_fork_server", lambda self: None)
    with pytest.raises(BoxesUnavailable, match=wording("grading.does_work_here_sandbox", level.name, how)):
        _ = Grader(SimpleNamespace(level=level)).checks


def test_marks_reports_and_a_second_run(tmp_path, class_of_three, level, graded, monkeypatch):
    out = tmp_path / "out"
    plan = make_plan(out, level, ["1.1", "1.4", "1.5"], seed=3)
    book = graded(class_of_three, out, plan)
    points = [(row.student, row.points, row.out_of) for row in book.rows]
    assert points == [("ada", 15, 15), ("blaise", 5, 15), ("carl", 0, 15)]
    assert {check.verdict for check in book.rows[2].checks} == {"missing"}
    for name in ("grades.csv", "grades.json", "summary.html", "answers.html", "feedback/ada.html"):
        assert (out / name).stat().st_size > 100

    # A second run has nothing to do. Then one submission changes, and only that submission is graded.
    saved = note_saved(monkeypatch)
    again = make_plan(out, level, ["1.1", "1.4", "1.5"])
    assert again.seed == plan.seed
    with monkeypatch.context() as patch:
        patch.setattr(WorkerProcess, "prepare", lambda self: pytest.fail("it collects checks and makes a box"))
        assert graded(class_of_three, out, again).rows == book.rows
    assert saved == []
    (class_of_three / "blaise" / MIRA).write_bytes((class_of_three / "ada" / MIRA).read_bytes())
    book = graded(class_of_three, out, again)
    assert saved == ["blaise"]
    assert [row.points for row in book.rows] == [15, 15, 0]
    # A manual mark is in the totals and on the page; nothing is graded again for it.
    saved.clear()
    page, table = out / "feedback" / "ada.html", out / "hand-marks.csv"
    assert wording("grading.to_be_marked_by") in page.read_text(encoding="utf-8")
    unmarked, marked = "Bayes-optimal classifier,,5,,", "Bayes-optimal classifier,3.5,5,Well seen.,"
    given = table.read_text(encoding="utf-8-sig").replace(unmarked, marked, 1)
    table.write_text(given, encoding="utf-8-sig")
    book = graded(class_of_three, out, again)
    assert saved == [] and [row.points for row in book.rows] == [18.5, 15, 0]
    text = page.read_text(encoding="utf-8")
    assert "3.5 of 5 points" in text and "Well seen." in text
    assert table.read_text(encoding="utf-8-sig") == given
    # Without the manual mark the page changes back, and one student is graded again.
    table.write_text(given.replace(marked, unmarked), encoding="utf-8-sig")
    with pytest.raises(InputError, match=wording("grading.submission_blase_graded_again")):
        graded(class_of_three, out, again, again=["blase"])
    book = graded(class_of_three, out, again, again=["carl"])
    assert saved == ["carl"] and [row.points for row in book.rows] == [15, 15, 0]
    assert "Well seen." not in page.read_text(encoding="utf-8")


def note_saved(monkeypatch):
    """Return the students whose files are saved from now on, in a list that grows."""
    saved, save = [], grading_run.save_student_files

    def noted(out, done):
        saved.append(done.row.student)
        save(out, done)

    monkeypatch.setattr(grading_run, "save_student_files", noted)
    return saved


def test_an_interrupted_run_is_resumed(tmp_path, class_of_three, level, graded, monkeypatch):
    out = tmp_path / "out"
    plan = make_plan(out, level, ["1.5"], seed=3)
    original, done = grading_run.save_student_files, []

    def interrupted(out, one):
        if len(done) == 1:
            raise KeyboardInterrupt
        original(out, one)
        done.append(one.row.student)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(grading_run, "save_student_files", interrupted)
        graded(class_of_three, out, plan)
    assert [row.student for row in saved_rows(out)] == done
    (out / ".rows" / "carl.json").write_text('{"damaged', encoding="utf-8")
    again = note_saved(monkeypatch)
    book = graded(class_of_three, out, plan)
    assert [row.points for row in book.rows] == [10, 0, 0]
    assert sorted([*done, *again]) == ["ada", "blaise", "carl"]


def test_a_seed_replays_the_same_checks(tmp_path, level, solved, graded, answers_computed_anew):
    """A factor of one half in a separator's margin is wrong on every input, by a different number each time."""
    path = PurePosixPath("classifiers/mistake_bounds.py")
    halved = solved[path] + b"\n\n_right = mistake_bound\n\n\ndef mistake_bound(*four):\n"
    halved += b"    return tuple(number / 2 for number in _right(*four))\n"
    write_files(tmp_path / "inbox", {**solved, path: halved})
    rows, expected = [], []
    for number, seed in enumerate((77, 77, 78)):
        out = tmp_path / f"out{number}"
        rows += graded(tmp_path / "inbox", out, make_plan(out, level, ["1.12"], seed=seed)).rows
        expected.append(json.loads((out / ".expected.json").read_text(encoding="utf-8"))["answers"]["checks"])
    seen = [[(check.check, check.verdict, check.text) for check in row.checks] for row in rows]
    assert seen[0] == seen[1]
    assert {verdict for _, verdict, _ in seen[0]} == {"wrong"}
    assert expected[0] == expected[1]
    differing = {check for check in expected[0] if expected[0][check] != expected[2][check]}
    assert differing == {check.check for check in rows[0].checks if check.hidden}


def test_a_level_that_is_not_safe_refuses_hidden_checks(tmp_path, class_of_three, graded):
    plan = make_plan(tmp_path / "out", Level(PROCESS), ["1.5"], seed=3)
    (row,) = graded(class_of_three / "ada", tmp_path / "out", plan).rows
    assert {(check.hidden, check.verdict) for check in row.checks} == {(False, "ok"), (True, "refused")}
    trusting = make_plan(tmp_path / "out", Level(PROCESS), ["1.5"], trust=True)
    (row,) = graded(class_of_three / "ada", tmp_path / "out", trusting).rows
    assert {check.verdict for check in row.checks} == {"ok"}


def test_warnings_and_prints_cost_nothing(tmp_path, level, solved, graded):
    noise = b"\nimport warnings\nprint('hello')\nwarnings.warn('careful')\nnp.log(np.zeros(1))\n"
    write_files(tmp_path / "inbox", {**solved, MIRA: solved[MIRA] + noise})
    (row,) = graded(tmp_path / "inbox", tmp_path / "out", make_plan(tmp_path / "out", level, ["1.5"], seed=3)).rows
    assert row.points == row.out_of
    assert "hello" in row.printed
    assert "careful" in row.printed


@pytest.mark.slow
def test_printed_output_is_bounded_and_changes_no_mark(tmp_path, level, solved, graded):
    wrong = solved[MIRA].replace(b"2 * sq_norm", b"sq_norm")
    forged = b"    print('\\x1b[31m</pre><h1>10 of 10 points</h1>\\n' + 'x' * 300 + '\\u202e\\n' * 20)\n"
    loud = wrong.replace(b"    predicted = np.argmax(scores)\n", forged + b"    predicted = np.argmax(scores)\n")
    assert forged in loud and wrong != solved[MIRA]
    rows = []
    for name, content in (("quiet", wrong), ("loud", loud)):
        write_files(tmp_path / name, {**solved, MIRA: content})
        out = tmp_path / f"out-{name}"
        rows += graded(tmp_path / name, out, make_plan(out, level, ["1.5"], seed=3)).rows
    quiet, loud = ([(check.verdict, check.text, check.mistakes) for check in row.checks] for row in rows)
    assert quiet == loud
    (shown,) = [check for check in rows[1].checks if check.printed]
    assert not shown.hidden and len(shown.printed) == 11
    assert shown.printed[0] == "\\x1b[31m</pre><h1>10 of 10 points</h1>"
    assert all(len(line) <= 200 and line.isprintable() for line in shown.printed)


def test_expected_answers_are_computed_once_per_seed_checks_and_versions(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(snapshot, "reference_answers", lambda *_, seed, **__: asked.append(seed) or RecordedAnswers())

    def planned(seed):
        return make_plan(tmp_path, strongest_level(lab_program()), ["1.2"], seed).expected

    first = planned(1)
    assert planned(1) == planned(None) == first and asked == [1]
    planned(2)
    assert asked == [1, 2]
    monkeypatch.setattr(plans, "version", lambda library: "99.0")
    planned(2)
    assert asked == [1, 2, 2]
