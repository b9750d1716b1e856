import json
from pathlib import Path

import numpy as np
import pytest

from classifiers.linear_classifier import LinearClassifier
from lxmls_day1.commands.explain import MAX_UNKNOWN_WORDS, unknown_text
from tests.command_runs import run
from tests.wording import wording

WORDS = ["good", "bad", "book", "[red]", "dull"]

pytestmark = pytest.mark.usefixtures("imports_as_before", "model")


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    weights = [[0.5, 0.0], [2.0, -2.0], [-3.0, 3.0], [0.0, 0.25], [1.0, 0.0], [0.0, 1.5]]
    LinearClassifier().save("hand.npz", weights, WORDS, ["positive", "negative"])


def explain(*arguments, **options):
    return run("explain", *arguments, **options)


def rows(text):
    """Return the lines of the table as lists of cells."""
    return {line.split("  ")[0].strip(): line.split()[-4:] for line in text.splitlines() if "  " in line.strip()}


class TestTable:
    def test_every_number_of_a_review(self):
        """2 x good 4 | −4, bad −3 | 3, book 0 | 0.25, intercept 0.5 | 0: positive 1.5, negative −0.75."""
        Path("r.txt").write_text("Good, good, bad book")
        shown = explain("hand.npz", "r.txt").stdout
        assert shown.startswith("r.txt: positive, by 2.25 ahead of negative\n")
        table = rows(shown)
        assert table["good"] == ["2", "4.000", "-4.000", "+8.000"]
        assert table["bad"] == ["1", "-3.000", "3.000", "-6.000"]
        assert table["book"] == ["1", "0.000", "0.250", "-0.250"]
        assert table["intercept"][1:] == ["0.500", "0.000", "+0.500"]
        assert table["score"][1:] == ["1.500", "-0.750", "+2.250"]
        assert shown.index("good") < shown.index("bad ") < shown.index("book  ") < shown.index("intercept")
        assert "Unknown words (3): good_good, good_bad, bad_book" in shown

    def test_other_words_are_summed_up_so_that_columns_add_up(self):
        """The predicted class comes first: negative −2 + 3 + 0.25 + 1.5, positive 0.5 + 2 − 3."""
        Path("r.txt").write_text("good bad book dull")
        table = rows(explain("hand.npz", "r.txt", "--top", "1").stdout)
        assert "dull" not in table and table["2 other words"][1:] == ["1.750", "0.000", "+1.750"]
        table = rows(explain("hand.npz", "r.txt", "--top", "0").stdout)
        assert table["4 other words"][1:] == ["2.750", "-1.000", "+3.750"]

    def test_brackets_and_control_characters_are_taken_literally(self):
        Path("x.review").write_text("[red]:1 [/bold]:1 \x1b[2J:1 #label#:[x]\n")
        shown = explain("hand.npz", "x.review").stdout
        assert "[red]" in shown and "[/bold]" in shown and "\\x1b[2J" in shown and "\x1b" not in shown
        assert shown.startswith("x.review:1 (labelled [x]): positive")

    def test_it_fits_in_80_columns_whatever_the_words(self):
        Path("x.review").write_text(f"{'w' * 5000}:1 good:1 {'🙂' * 300}:2\n")
        assert max(map(len, explain("hand.npz", "x.review").stdout.splitlines())) <= 80

    def test_only_the_best_of_many_classes(self):
        rng = np.random.default_rng(1)
        LinearClassifier().save("many.npz", rng.normal(size=(2, 50)), ["good"], [f"c{k}" for k in range(50)])
        shown = explain("many.npz", "-", stdin="good").stdout
        assert wording("commands.best_classes_shown_json") in shown

    def test_several_reviews_or_one_of_them(self):
        Path("r.txt").write_text("good\nbad\n")
        both = explain("hand.npz", "r.txt", "--per", "line").stdout
        assert "r.txt:1: positive" in both and "r.txt:2: negative" in both
        second = explain("hand.npz", "r.txt", "--per", "line", "--number", "2").stdout
        assert both.endswith(second) and "r.txt:1" not in second

    def test_a_review_without_a_known_word(self):
        shown = explain("hand.npz", "-", stdin="🙂").stdout
        assert rows(shown)["score"][1:] == ["0.5000", "0.0000", "+0.5000"]
        assert "other word" not in shown and "Unknown" not in shown


class TestJson:
    def test_all_words_and_all_classes(self):
        Path("x.review").write_text("good:2 bad:1 unheard:3 #label#:negative\nbook:1\n")
        first, second = json.loads(explain("hand.npz", "x.review", "--json").stdout)
        decision = {"predicted": "positive", "rival": "negative", "margin": 2.5, "by_intercepts": False}
        good = {"word": "good", "count": 2, "contributions": {"positive": 4, "negative": -4}, "difference": 8}
        bad = {"word": "bad", "count": 1, "contributions": {"positive": -3, "negative": 3}, "difference": -6}
        assert first == decision | {
            "document": "x.review:1",
            "label": "negative",
            "scores": {"positive": 1.5, "negative": -1.0},
            "intercepts": {"positive": 0.5, "negative": 0.0},
            "words": [good | {"rules_out": []}, bad | {"rules_out": []}],
            "unknown": {"unheard": 3},
        }
        assert (second["document"], second["label"]) == ("x.review:2", None)


class TestMistakes:
    def test_a_line_number_beyond_the_end_is_an_error(self):
        error = explain("hand.npz", "-", "--number", "2", stdin="good", status=1).stderr
        assert error == wording("commands.error_number_file_holds")

    def test_a_model_of_one_class(self):
        LinearClassifier().save("one.npz", np.ones((2, 1)), ["good"])
        assert wording("commands.compares_least_two_classes") in explain("one.npz", "-", stdin="good", status=1).stderr


def test_long_words_and_long_lists_are_cut():
    assert len(unknown_text(["w" * 100])) < 50
    text = unknown_text([f"w{i}" for i in range(MAX_UNKNOWN_WORDS + 5)])
    assert text.startswith(f"Unknown words ({MAX_UNKNOWN_WORDS + 5}): w0, ") and text.endswith(" and 5 more")
