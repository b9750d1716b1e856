"""``lxmls-day1 tune``: the table, the held-out part, the picture, and its messages."""

import pytest
from click.testing import CliRunner

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
def test_the_table_names_every_choice_and_the_command_that_trains_with_the_best(tmp_path):
    said = tune(
        "--classifier", "mira", "--domain", "toy", "--grid", "regularizer=1,0.1,0.01", "--grid", "averaged=steps,False",
        "--plot", "curve.png",
    )  # fmt: skip
    assert "has no development part: " in said and "training examples are held out" in said
    rows = [line.split() for line in said.splitlines() if line.lstrip()[:1].isdigit()]
    assert [row[:2] for row in rows] == [[r, a] for r in ("1", "0.1", "0.01") for a in ("steps", "False")]
    (best,) = [row for row in rows if row[-1] == "*"]
    assert float(best[2]) == max(float(row[2]) for row in rows)
    assert f"lxmls-day1 train --classifier mira --set regularizer={best[0]} --set averaged={best[1]}" in said
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


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
        (["--classifier", "mira", "--plot", "nowhere/x.png"], 1, "make it first"),
        (["--classifier", "mira", "--grid", "averaged=steps,rounds", "--plot", "x.png"], 1, "not numbers"),
    ],
)
def test_mistakes_are_answered(arguments, status, complaint):
    domain = [] if "--domain" in arguments else ["--domain", "toy"]
    assert complaint in tune(*domain, *arguments, status=status)
