"""Equal answers are found despite other names and another layout; different answers and the starter code are not reported."""

import time
from pathlib import PurePosixPath

import pytest

from lxmls_day1.box.levels import Level
from lxmls_day1.box.limits import Limits
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import FILE, Registry
from lxmls_day1.course.workspaces.generation import solved_files, student_files
from lxmls_day1.grading.reports.class_page import summary_html
from lxmls_day1.grading.reports.same_work import MAX_FUNCTION_CHARACTERS, MIN_ANSWER_TOKENS, digest_of_answer, same_work
from lxmls_day1.grading.running.one_submission import MAX_SEARCHED_BYTES, answers_of
from lxmls_day1.grading.running.plan import Plan
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.grades import book_of, submission

REFERENCE = reference_folder()
SVM, MIRA = PurePosixPath("classifiers/svm.py"), PurePosixPath("classifiers/mira.py")
ANSWER = """def rule(scores, true, ball=1.0):
    # the worst of the others
    total, found = 0, []
    for k, score in enumerate(scores):
        if k != true and score > scores[true]:
            total += np.exp(score - ball) * sum(s * s for s in scores)
            found.append(max(total, key=lambda v: v + 1))
    with np.errstate(all="ignore") as state:
        return np.log(total) / len(found)
"""
OTHER_INNER_NAMES = ANSWER.replace("s * s for s in", "q * q for q in").replace("v: v", "w: w")
SAME = {
    "comments": ANSWER.replace("# the worst", "# somebody else's"),
    "no comment": ANSWER.replace("    # the worst of the others\n", ""),
    "blank lines": ANSWER.replace("\n    for", "\n\n\n    for"),
    "white space": ANSWER.replace(" + ", "+").replace(", ", " ,  "),
    "deeper": ANSWER.replace("    ", "\t"),
    "in a class": "\n".join(f"    {line}" for line in ANSWER.split("\n")),
    "line breaks": ANSWER.replace("(score - ball)", "(\n            score\n   - ball)"),
    "variables": ANSWER.replace("total", "so_far").replace("found", "ergebnis").replace("score ", "θ "),
    "parameters": ANSWER.replace("ball", "radius").replace("true", "y"),
    "inner names": OTHER_INNER_NAMES.replace("as state", "as _"),
}
for old, new in (("exp(score", "exp(θ"), ("k, score", "k, θ"), ("score -", "θ -")):
    SAME["variables"] = SAME["variables"].replace(old, new)
OTHER = {
    "another number": ANSWER.replace("v + 1", "v + 2"),
    "another function": ANSWER.replace("np.exp", "np.log1p"),
    "another builtin": ANSWER.replace("max(", "min("),
    "another method": ANSWER.replace("append", "extend"),
    "another sign": ANSWER.replace("score >", "score >="),
    "another keyword argument": ANSWER.replace("key=", "default="),
    "variables exchanged": ANSWER.replace("score - ball", "ball - score"),
    "another level": ANSWER.replace("            found", "        found"),
    "another text": ANSWER.replace('"ignore"', '"warn"'),
}


@pytest.mark.parametrize("other", SAME.values(), ids=SAME)
def test_equal_answers_have_the_same_digest(other):
    assert digest_of_answer([(other, "")]) == digest_of_answer([(ANSWER, "")]) != ""


@pytest.mark.parametrize("other", OTHER.values(), ids=OTHER)
def test_other_answers_have_another_digest(other):
    assert digest_of_answer([(other, "")]) not in (digest_of_answer([(ANSWER, "")]), "")


def test_short_answers_do_not_count():
    stub = "def f(x):\n    raise NotImplementedError('Exercise 1.5: f')"
    for n, counts in ((MIN_ANSWER_TOKENS - 1, False), (MIN_ANSWER_TOKENS, True)):  # Each ";" and each "x" is one token.
        line = ("x;" * n)[:n]
        assert bool(digest_of_answer([(f"def f(x):\n    {line}", stub)])) == counts


HOSTILE = ["(" * 30_000, "def f(\n" * 8000, "'''" * 9_999, "\\\n" * 30_000, "\0" * 60, "\ud800" * 60, "é" * 30_000, "\f" * 60_000,
           " ".join("x" * 29_000), "".join(" " * n + "if x:\n" for n in range(300)), "f'{" * 9000, "lambda " * 9000, "0x" * 20_000, "x=" * 29_000]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_sources_are_fast(text):
    began = time.process_time()
    for part in (text, text[: MAX_FUNCTION_CHARACTERS - 20]):
        assert isinstance(digest_of_answer([(f"def f(x):\n    {part}", "")]), str)
    assert time.process_time() - began < 5  # Seconds of CPU time; an ordinary answer takes a thousandth of this.


@pytest.fixture(scope="module")
def plan():
    registry = Registry.read(REFERENCE / FILE)
    exercises = tuple(registry.select(["core"]))
    return Plan(exercises, registry, RecordedAnswers(), student_files(REFERENCE), 3, Limits(), Level("process"), "")


def test_only_code_that_the_student_wrote_counts(plan):
    solved = solved_files(REFERENCE)
    assert answers_of(plan.given, plan) == answers_of({}, plan) == {}
    assert {"1.2", "1.5", "1.7"} <= answers_of(solved, plan).keys()
    commented = {path: text.replace(b"\n", b"  # mine\n", 3) for path, text in plan.given.items() if path == MIRA}
    assert answers_of(plan.given | commented, plan) == {}
    one = plan.given | {MIRA: solved[MIRA]}
    assert answers_of(one, plan) == {"1.5": answers_of(solved, plan)["1.5"]}
    assert answers_of(one | {MIRA: solved[MIRA] + b"#" * MAX_SEARCHED_BYTES}, plan) == {}


def test_submissions_with_equal_answers_are_tabulated():
    made = {"ada": "ab", "bob": "ab", "carl": "a ", "dora": " c", "eve": "  ", "<b>": " c"}
    rows = [
        submission(name, name=name, answered={f"1.{n}": d for n, d in enumerate(digests, 2) if d != " "})
        for name, digests in made.items()
    ]
    found = [([row.student for row in one.rows], one.exercises) for one in same_work(rows)]
    assert found == [(["ada", "bob", "carl"], ("1.2",)), (["ada", "bob"], ("1.3",)), (["dora", "<b>"], ("1.3",))]
    page = summary_html(book_of(*rows))
    assert page.count("The same work") == 1 and "<b></bdi>" not in page
    assert f"fewer than {MIN_ANSWER_TOKENS} words" in page
    assert "The same work" not in summary_html(book_of(rows[0], rows[4]))
