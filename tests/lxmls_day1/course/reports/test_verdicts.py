"""Verdicts on the known mistakes of the core, and on answers of students: what is wrong comes first, and they are short."""

import re
import sys
import tomllib
from pathlib import Path
from textwrap import indent

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import FOLDER, Registry
from lxmls_day1.course.reports.report_text import as_text, check_lines, without_stars, wrap_line
from lxmls_day1.course.running.checking import run_checks
from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.lab import reference_folder
from tests.wording import wording
from tools.authoring.mistakes import Program, read_mistakes

LAB = reference_folder()
CASES = [
    pytest.param(exercise, mistake, id=f"{exercise.id}-{mistake.name}", marks=[pytest.mark.campaign] * (n > 0))
    for exercise in Registry.from_folder(LAB)
    if exercise.is_core
    for n, mistake in enumerate(read_mistakes(LAB / FOLDER, exercise))
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return start_workspace(tmp_path_factory.mktemp("verdicts") / "lab", core_only=True)


def sources_of(exercise):
    return {name: (LAB / name).read_text(encoding="utf-8") for name in exercise.files}


def verdict(folder, exercise, files):
    """Return the report on an exercise whose files have these texts, and the lines of its verdict."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    report = run_checks(folder, [exercise])
    return report.reports[0], list(check_lines(report))


def wrapped(lines, width):
    return [piece for _, text in lines for piece in wrap_line(text, width)]


@pytest.mark.parametrize(("exercise", "mistake"), CASES)
def test_a_verdict_is_short_and_begins_with_the_mistake(folder, exercise, mistake):
    report, lines = verdict(folder, exercise.id, mistake.programs[0].apply_to(sources_of(exercise)))
    text = as_text(lines)
    assert report.mistakes and without_stars(report.mistakes[0][1]) in as_text(lines[:3])
    assert all(f"    {word}" in text for word in ("input", "expected", "yours")) and "…" not in text
    assert len(wrapped(lines, 80)) <= 12 and len(wrapped(lines, 40)) <= 20


#: What a debugger prints: the next line, in Python 3.13 its own; from Python 3.14 on it ends as `exit()` does, of which nothing is shown.
DEBUGGER = {
    11: ("> classifiers/mira.py(33)mira_rule()", "-> d[label] = 1", "(Pdb)"),
    13: ("> classifiers/mira.py(32)mira_rule()", "-> breakpoint()", "(Pdb)"),
    14: (),
}[max(minor for minor in (11, 13, 14) if sys.version_info >= (3, minor))]
OF_STUDENTS = tomllib.loads(Path(__file__).with_name("student_answers.toml").read_text("utf-8"))["answer"]
NAMES = [f"{answer['exercise']}-{answer['begins_with']}-{n}" for n, answer in enumerate(OF_STUDENTS)]
ANSWERS = [
    pytest.param(answer, id=NAMES[n], marks=[pytest.mark.campaign] * (n % 12 > 0))
    for n, answer in enumerate(OF_STUDENTS)
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_first_three_lines_hold_verdict_and_name_of_a_students_mistake(folder, answer):
    exercise = Registry.from_folder(LAB)[answer["exercise"]]
    program = Program("students", exercise.id, solution="ANSWER", function=answer.get("function"))
    files = program.apply_to(sources_of(exercise))
    files = {  # Some answers are not valid Python, so `apply_to` would refuse them.
        name: re.sub("^( *)ANSWER$", lambda found: indent(answer["code"].rstrip(), found[1]), text, flags=re.MULTILINE)
        for name, text in files.items()
    }
    report, lines = verdict(folder, exercise.id, files)
    first = " ".join(line.strip() for line in wrapped(lines, 80)[:3])
    mistakes, begins_with = dict(report.mistakes), answer["begins_with"]
    mistakes["timeout"] = wording("course.your_code_did_end")
    text = mistakes.get(begins_with, f"{begins_with}: ")
    assert not report.all_passed and first.startswith(f"✗ {exercise}") and without_stars(text)[:60] in first
    assert len(wrapped(lines, 80)) <= 12 and len(wrapped(lines, 40)) <= 20


RIGHT = "y = np.argmax(scores)\nif y != label:\n    d[label] = min(step, (scores[y] - scores[label] + cost[y]) / (2 * sq_norm))\n    d[y] = -d[label]"


ODD_ERROR = "class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\nraise Odd"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("body", "second", "printed"),
    [
        ("print('\\x1b[31mred\\rover\\a\\x00\\t規')\nd[label] = 1", "", (r"\x1b[31mred\rover\x07\x00  規",)),
        ("print('\\n \\n')\nd[label] = 1", "", ()),
        ("print('  two\\n\\nlines', end='')\nd[label] = 1", "", ("  two", "", "lines")),
        ("import sys; sys.stdout.close()\n" + RIGHT, "passed", ()),
        (f"{RIGHT}\n    print(y)\n    d[9] = 1", "IndexError: index 9", ("1",)),
        ("return np.zeros(10**6)", "returns an array", ()),
        (ODD_ERROR, wording("course.exception_without_text"), ()),
        ("exit()", wording("course.function_must_not_end"), ()),
        ("breakpoint()\nd[label] = 1", wording("course.debugger_ends"), DEBUGGER),
        ("import sys\nsys.stdout.buffer.write(b'raw\\n')\nd[label] = 1", "", ("raw",)),
        (f"print('{'x' * 60}')\nd[label] = 1", "", ("x" * 60,)),
        ("input()", wording("course.nobody_can_type"), ()),
        ("import no_such_package", wording("course.needs_only_numpy"), ()),
    ],
    ids=[
        *("control characters", "blank", "indented", "closed output", "exception", "huge"),
        *("no text", "exit", "debugger", "bytes", "long", "input", "package"),
    ],
)
def test_odd_code_gets_a_short_verdict(folder, body, second, printed):
    program = Program("odd", "1.5", solution=body)
    report, lines = verdict(folder, "1.5", program.apply_to(sources_of(Registry.from_folder(LAB)["1.5"])))
    assert report.all_passed if second == "passed" else second in as_text(lines[1:4])
    assert (report.shown.printed if report.shown else ()) == printed and "\x1b" not in as_text(lines)
    assert len(wrapped(lines, 80)) <= 12 + len(printed) and len(wrapped(lines, 40)) <= 20 + 2 * len(printed)
    assert max(map(len, wrapped(lines, 40))) <= 40


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        *(("maxent", "1.6"), ("Multinomial naive Bayes", "1.2")),
        *(("maximum entropy", "1.6"), ("classifiers/mira.py", "1.5")),
        ("viterbi", wording("course.viterbi_is_not_here")),
        ("percepton", wording("course.did_you_mean_perceptron")),
        ("weights of bayes", "1.3"),
        ("bayes", wording("course.several_of_bayes")),
        ("naive bayes", wording("course.several_of_naive_bayes")),
        ("pegasos", wording("course.all_exercises_here")),
    ],
)
def test_an_exercise_may_be_called_by_its_name(folder, name, answer):
    registry = Registry.from_folder(folder)
    try:
        assert registry.named(name).id == answer
    except InputError as error:
        assert answer in str(error)


def test_several_words_may_be_one_name():
    registry = Registry.from_folder(LAB)
    assert [e.id for e in registry.select(["maximum", "entropy"])] == ["1.6"]
    assert [e.id for e in registry.select(["mira", "perceptron"])] == ["1.4", "1.5"]
    with pytest.raises(InputError, match=wording("course.several_of_naive_bayes")):
        registry.select(["naive", "bayes"])
