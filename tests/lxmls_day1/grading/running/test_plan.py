"""The answers of the reference are kept for the next run, and used only if nothing has changed and no other user can write them."""

import json
import os

import pytest

from lxmls_day1.box.fork_server import PROCESS
from lxmls_day1.box.levels import Level
from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.recorded_answers import RecordedAnswers
from lxmls_day1.course.running import snapshot
from lxmls_day1.grading.running import plan as plans
from lxmls_day1.grading.running.plan import EXPECTED, KEPT, make_plan

ANSWERS = RecordedAnswers({"test_1_02_x.py::test_y": {"d": Answer.from_value(2.5)}})


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """Yield a function that makes a plan in a new folder, and returns its seed, its answers and whether they were computed."""
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path / "cache"))
    asked = []
    monkeypatch.setattr(snapshot, "reference_answers", lambda *_, **settings: asked.append(settings["seed"]) or ANSWERS)

    def make(seed=None, ids=("1.2",)):
        asked.clear()
        plan = make_plan(tmp_path / f"out-{os.urandom(4).hex()}", Level(PROCESS), ids, seed)
        assert not asked or asked == [plan.seed]
        return plan.seed, plan.expected, bool(asked)

    return make


@pytest.fixture
def kept_file(planned, tmp_path):
    """Yield the file with the answers that a run has kept."""
    planned()
    (file,) = (tmp_path / "cache" / KEPT).glob(f"*/{EXPECTED}")
    return file


def test_the_next_folder_has_the_seed_and_the_answers_that_were_kept(planned):
    seed, answers, computed = planned()
    assert computed
    assert planned() == (seed, answers, False) and answers == ANSWERS
    assert planned(seed) == (seed, answers, False)


def test_a_seed_that_is_given_is_not_kept(planned):
    seed, _, _ = planned()
    other = seed ^ 1
    assert planned(other)[2] and planned(other)[2]
    assert planned() == (seed, ANSWERS, False)


def test_other_exercises_have_answers_of_their_own(planned):
    planned()
    assert planned(ids=("1.3",))[2]
    assert not planned()[2]


def rewrite(file, change):
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")


def with_other_sources(content):
    content["sources"] = "0" * 64
    del content["digest"]
    content["digest"] = plans._digest_of_content(content)


REFUSED = {
    "empty": lambda file: file.write_bytes(b""),
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-9]),
    "no JSON object": lambda file: file.write_bytes(b"[]"),
    "without a digest": lambda file: rewrite(file, lambda content: content.pop("digest")),
    "another answer": lambda file: file.write_bytes(file.read_bytes().replace(b"2.5", b"7.5")),
    "another seed": lambda file: rewrite(file, lambda content: content.update(seed=content["seed"] ^ 1)),
    "of another version": lambda file: rewrite(file, with_other_sources),
}


@pytest.mark.parametrize("damage", REFUSED.values(), ids=REFUSED)
def test_a_damaged_or_stale_file_is_not_used_and_is_replaced(planned, kept_file, damage):
    damage(kept_file)
    seed, answers, computed = planned()
    assert computed and answers == ANSWERS
    assert planned() == (seed, ANSWERS, False)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have other permissions there")
@pytest.mark.parametrize("level", [0, 1])
def test_a_folder_that_others_can_write_to_is_not_used(planned, kept_file, level):
    folder = kept_file.parents[level]
    folder.chmod(0o777)
    before = kept_file.read_bytes()
    assert planned()[2] and planned()[2]
    assert kept_file.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="links need rights there")
def test_a_link_is_not_followed(planned, kept_file, tmp_path):
    kept_file.parent.rename(tmp_path / "elsewhere")
    kept_file.parent.symlink_to(tmp_path / "elsewhere")
    assert planned()[2] and planned()[2]


@pytest.mark.parametrize("part", ["version", "grader_version"])
def test_other_libraries_or_another_grader_need_other_answers(planned, monkeypatch, part):
    planned()
    monkeypatch.setattr(plans, part, lambda *_: "99.0")
    assert planned()[2]


def test_without_a_cache_folder_nothing_is_kept(planned, monkeypatch, tmp_path):
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    assert planned()[2] and planned()[2]
