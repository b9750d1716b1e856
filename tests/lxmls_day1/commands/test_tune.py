"""``lxmls-day1 tune``: the table, the held-out part, and its messages."""

import shlex

import pytest
from click.testing import CliRunner

from classifiers.linear_classifier import LinearClassifier
from lxmls_day1.commands.command_line import command_group

pytestmark = pytest.mark.usefixtures("imports_as_before")


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def tune(*arguments, status=0):
    result = CliRunner().invoke(command_group, ["tune", *map(str, arguments)], prog_name="lxmls-day1")
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    return result.output


@pytest.mark.slow
def test_the_table_names_every_choice_and_the_command_that_trains_with_the_best():
    said = tune(
        "--classifier", "mira", "--domain", "toy", "--grid", "regularizer=1,0.1,0.01", "--grid", "averaged=steps,False",
    )  # fmt: skip
    assert "has no development part: " in said and "training examples are held out" in said
    rows = [line.split() for line in said.splitlines() if line.lstrip()[:1].isdigit()]
    assert [row[:2] for row in rows] == [[r, a] for r in ("1", "0.1", "0.01") for a in ("steps", "False")]
    (best,) = [row for row in rows if row[-1] == "*"]
    assert float(best[2]) == max(float(row[2]) for row in rows)
    assert (
        f"lxmls-day1 train --classifier mira --domain toy --set regularizer={best[0]} --set averaged={best[1]}" in said
    )


def test_the_command_that_it_proposes_trains_on_the_same_data_with_all_settings(tmp_path):
    (tmp_path / "my mails.txt").write_text("good;fine day\nbad;poor show\n" * 10, encoding="utf-16")
    said = tune(
        "--classifier", "mira", "--set", "averaged=False", "--grid", "regularizer=0.1", "--file", "my mails.txt",
        "--no-header", "--delimiter", ";", "--no-quotes", "--label-column", "0",
    )  # fmt: skip
    (proposed,) = [line.split(": ", 1)[1] for line in said.splitlines() if line.startswith("Train with it: ")]
    _, *words = shlex.split(proposed)
    trained = CliRunner().invoke(command_group, [*words, "--out", "m.npz"])
    assert trained.exit_code == 0, trained.output
    classifier = LinearClassifier.load(tmp_path / "m.npz").classifier
    assert (classifier.regularizer, classifier.averaged) == (0.1, False)
    assert "a semicolon between columns, no header; label in column 0" in trained.output


def test_without_a_grid_the_usual_values_are_tried():
    said = tune("--classifier", "multinomial_naive_bayes", "--domain", "toy")
    assert all(f" {value} " in said for value in ("10.0", "1.0", "0.01"))


def test_tagged_sentences():
    said = tune("--classifier", "structured_perceptron", "--domain", "toy-sentences", "--grid", "nr_rounds=1,2")
    assert "nr_rounds" in said and "*" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["--classifier", "mira", "--grid", "regularize=1"], 1, "did you mean regularizer"),
        (["--classifier", "mira", "--grid", "regularizer"], 2, "NAME=VALUE"),
        (["--classifier", "mira", "--grid", "regularizer=1,,2"], 2, "NAME=VALUE"),
        (["--classifier", "mria"], 1, "did you mean mira"),
        (["--classifier", "structured_svm", "--domain", "toy"], 1, "does not learn from"),
        (["--classifier", "confidence_weighted"], 1, "(--grid NAME=VALUES); its settings are: confidence, cap,"),
    ],
)
def test_mistakes_are_answered(arguments, status, complaint):
    domain = [] if "--domain" in arguments else ["--domain", "toy"]
    assert complaint in tune(*domain, *arguments, status=status)
