"""README is short, its pictures are small and up to date, and its numbers are those of `lxmls-day1 run`."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from classifiers.run_all_classifiers import run_all_classifiers
from lxmls_day1.commands.run import POINTS
from lxmls_day1.course.registry import Registry
from lxmls_day1.figures.plotting import detached_axes
from readers.simple_data_set import SimpleDataSet
from tools import check_picture

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
WORDS = {8: "eight", 14: "fourteen"}


def test_readme_fits_a_screen_or_two_and_its_pictures_are_small_and_described():
    assert len(README.splitlines()) < 60
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", README)
    assert [address for _, address in pictures] == ["docs/check.svg", "docs/boundaries.png"]
    for description, address in pictures:
        assert len(description) > 60 and (ROOT / address).stat().st_size <= 1_000_000


def test_numbers_of_exercises_match_the_registry():
    exercises = list(Registry.from_folder(ROOT))
    core = sum(exercise.is_core for exercise in exercises)
    assert f"{WORDS[core]} exercises in four notebooks; {WORDS[len(exercises) - core]} more exercises" in README


def test_accuracies_match_the_run_whose_picture_is_shown():
    points = SimpleDataSet(**POINTS)
    table, (_, axis) = run_all_classifiers(points, ax=detached_axes()[1])
    shown = {row.classifier: f"{100 * row.test_accuracy:.1f} %" for row in table}
    (best,) = re.findall(r"test (0\.\d+)", next(line.get_label() for line in axis.lines if line.get_gid()))
    sentence = " ".join(README.split())
    assert f"{shown['MIRA']} for MIRA, {shown['Gaussian naive Bayes']} for naive Bayes" in sentence
    assert round(float(re.search(r"line reaches (\d+\.\d) %", sentence)[1])) == round(100 * float(best))
    assert f"same {len(points.train_y)} points" in sentence and f"on {len(points.test_y)} others" in sentence


@pytest.mark.slow
def test_moving_picture_is_what_check_reports():
    drawn = check_picture.picture()
    assert check_picture.PICTURE.read_text(encoding="utf-8") == drawn, "python -m tools.check_picture writes it again"
    texts = [text.text for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count(f"$ lxmls-day1 check {check_picture.EXERCISE}") == 2
    assert any(check_picture.WRONG in text for text in texts) and any(check_picture.RIGHT in text for text in texts)
    assert "prefers-reduced-motion" in drawn and "/tmp" not in drawn
