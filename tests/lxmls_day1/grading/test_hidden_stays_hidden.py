"""Hidden inputs do not reach the files that a student gets, whatever the student's code does with them.

Each submission here solves the exercises 1.5 and 1.7 and leaks its arguments in its own way. The test records the numbers
that were sent to boxes in hidden checks, and searches the files for their digits.
"""

import contextlib
import json
import sys
import textwrap
import tomllib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import numpy as np
import pytest

from lxmls_day1.box.levels import strongest_level
from lxmls_day1.box.limits import Limits
from lxmls_day1.course.workspaces.generation import solved_files
from lxmls_day1.grading.intake.submissions import Submission
from lxmls_day1.grading.running.boxed_lab import BoxedLab
from lxmls_day1.grading.running.lab_boxes import lab_program
from lxmls_day1.grading.running.one_submission import Grader
from lxmls_day1.grading.running.plan import make_plan
from lxmls_day1.grading.running.session import GradingSession
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.labs import code_of

pytestmark = [
    pytest.mark.slow(20),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="hidden checks are graded on Linux"),
]
MIRA, SVM = PurePosixPath("classifiers/mira.py"), PurePosixPath("classifiers/svm.py")

ATTACKS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
IN_THE_RULE, COMMON = ATTACKS["in_the_rule"], b"\n" + ATTACKS["common"].encode()
NOT_SHOWN = ["printed_at_exit", "printed_by_a_thread", "cause_of_an_exception"]
NOT_SHOWN += ["name_of_its_base", "note_of_an_exception"]


def with_code(source: bytes, rule: str, code: str) -> bytes:
    """Return the file with this code inserted before the rule's own computation."""
    lines = source.decode().split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(f"def {rule}("))
    first = next(i for i in range(first + 2, len(lines)) if lines[i].endswith('"""')) + 1
    return "\n".join([*lines[:first], textwrap.indent(code.strip("\n"), "    "), *lines[first:]]).encode()


def submissions(names: Sequence[str]) -> dict[str, Submission]:
    right = code_of(solved_files(reference_folder()))
    svm = with_code(right[SVM], "svm_rule", ATTACKS["later"]) + COMMON
    made = {}
    for name in names:
        mira = with_code(right[MIRA], "mira_rule", IN_THE_RULE[name]) + COMMON
        made[name] = Submission(name, name, name, "", {**right, MIRA: mira, SVM: svm})
    return made


def numbers_in(value) -> list[float]:
    if isinstance(value, dict):
        return [number for entry in value.values() for number in numbers_in(entry)]
    if isinstance(value, (list, tuple)):
        return [number for entry in value for number in numbers_in(entry)]
    if isinstance(value, (np.ndarray, float)):
        return [float(number) for number in np.ravel(value)] if np.asarray(value).dtype.kind in "fiu" else []
    return []


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.campaign)])
def graded(request, tmp_path_factory):
    """Grade every fourth submission (in a campaign, all of them).

    Returns the results and files by name, and the digits of the numbers that were sent in hidden checks.
    """
    sent: dict[bool, set[float]] = {True: set(), False: set()}
    hidden = [False]
    run_check, ask = GradingSession._run_check, BoxedLab.request

    def noted_check(session, i, lab):
        hidden[0] = session._known[i].hidden
        try:
            return run_check(session, i, lab)
        finally:
            hidden[0] = False

    def noted_ask(lab, verb, name, /, **content):
        sent[hidden[0]].update(numbers_in(content))
        return ask(lab, verb, name, **content)

    out, level = tmp_path_factory.mktemp("out"), strongest_level(lab_program())
    plan = make_plan(out, level, ["1.5", "1.7"], seed=3, limits=Limits(files=64))
    handed_in = submissions(list(IN_THE_RULE)[:: 1 if request.param == "all" else 4])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GradingSession, "_run_check", noted_check)
        patch.setattr(BoxedLab, "request", noted_ask)
        with contextlib.closing(Grader(plan)) as grader:
            graded = [grader(one) for one in handed_in.values()]
    digits = {f"{abs(x):.12f}".partition(".")[2][:9] for x in sent[True] - sent[False]}
    canaries = {text for text in digits if not text.endswith("000")}
    return dict(zip(handed_in, graded, strict=True)), canaries


def test_no_hidden_number_is_in_a_file_that_a_student_gets(graded):
    found, canaries = graded
    assert len(canaries) > 100
    assert {len(done.files) for done in found.values()} == {2}
    for path, content in (item for done in found.values() for item in done.files.items()):
        text = content.decode().replace("_", "").replace("\\", "")
        assert [canary for canary in canaries if canary in text] == [], path


def test_only_the_verdict_of_a_hidden_check_is_reported(graded):
    for name, done in graded[0].items():
        hidden = [check for check in done.row.checks if check.hidden]
        assert len(hidden) >= 8, name
        assert {(check.text, check.calls) for check in hidden} == {("", ())}, name
        result = json.loads(done.files[PurePosixPath("gradescope", f"{name}.json")])
        told = sum(check.seconds for check in done.row.checks if not check.hidden)
        assert result["execution_time"] == pytest.approx(told, abs=1e-3), name


def test_the_attacks_leak_through_public_checks(graded):
    """In public checks most of the attacks show an effect in exceptions, output or answers."""
    verdicts = {"duration": {"ok"}, "exit_status": {"crashed"}, "a_stub": {"missing"}}
    for name, done in graded[0].items():
        said = done.row.printed + "".join(check.text for check in done.row.checks if not check.hidden)
        if name in verdicts:
            of_mira = {check.verdict for check in done.row.checks if check.exercise == "1.5"}
            assert of_mira == verdicts[name], name
        elif name not in NOT_SHOWN:
            assert (":1500000000" if name == "number_of_a_line" else "leak_") in said, name
