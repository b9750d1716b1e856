"""Verdicts on the known mistakes of the core: what is wrong comes first, and they are short."""

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.registry import FOLDER, Registry
from lxmls_day1.course.reports.report_text import as_text, check_lines, wrap_line
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
    assert report.mistakes and report.mistakes[0][1] in as_text(lines[:3])
    assert all(f"    {word}" in text for word in ("input", "expected", "yours")) and "…" not in text
    assert len(wrapped(lines, 80)) <= 12 and len(wrapped(lines, 40)) <= 20


RIGHT = "y = np.argmax(scores)\nif y != label:\n    d[label] = min(step, (scores[y] - scores[label] + cost[y]) / (2 * sq_norm))\n    d[y] = -d[label]"


@pytest.mark.parametrize(
    ("body", "second", "printed"),
    [
        ("print('\\x1b[31mred\\rover\\a\\x00\\t規')\nd[label] = 1", "", (r"\x1b[31mred\rover\x07\x00  規",)),
        ("print('\\n \\n')\nd[label] = 1", "", ()),
        ("print('  two\\n\\nlines', end='')\nd[label] = 1", "", ("  two", "", "lines")),
        ("import sys; sys.stdout.close()\n" + RIGHT, "passed", ()),
        (f"{RIGHT}\n    print(y)\n    d[9] = 1", "IndexError: index 9", ("1",)),
        ("return np.zeros(10**6)", "returns an array", ()),
        (
            "class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\nraise Odd",
            wording("course.exception_without_text"),
            (),
        ),
        ("exit()", wording("course.function_must_not_end"), ()),
        ("input()", wording("course.nobody_can_type"), ()),
    ],
    ids=["control characters", "blank", "indented", "closed output", "exception", "huge", "no text", "exit", "input"],
)
def test_odd_code_gets_a_short_verdict(folder, body, second, printed):
    program = Program("odd", "1.5", solution=body)
    report, lines = verdict(folder, "1.5", program.apply_to(sources_of(Registry.from_folder(LAB)["1.5"])))
    assert report.all_passed if second == "passed" else second in as_text(lines[1:4])
    assert (report.shown.printed if report.shown else ()) == printed and "\x1b" not in as_text(lines)
    assert len(wrapped(lines, 80)) <= 12 + len(printed) and len(wrapped(lines, 40)) <= 20 + len(printed)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        *(
            ("maxent", "1.6"),
            ("Multinomial naive Bayes", "1.2"),
            ("maximum entropy", "1.6"),
            ("classifiers/mira.py", "1.5"),
        ),
        ("viterbi", wording("course.viterbi_is_not_here")),
        ("percepton", wording("course.did_you_mean_perceptron")),
        ("weights of bayes", "1.3"),
        ("bayes", wording("course.several_of_bayes")),
        ("pegasos", wording("course.all_exercises_here")),
    ],
)
def test_an_exercise_may_be_called_by_its_name(folder, name, answer):
    registry = Registry.from_folder(folder)
    try:
        assert registry.named(name).id == answer
    except InputError as error:
        assert answer in str(error)
