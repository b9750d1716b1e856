"""``run --source … --target …``: on made-up domains, one of which is the other with words of its own."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lxmls_day1.commands import domain_run
from lxmls_day1.commands.command_line import command_group

pytestmark = pytest.mark.usefixtures("imports_as_before")

SHARED = {"positive": ["excellent", "great"], "negative": ["awful", "waste"]}
OWN = {
    "books": {"positive": ["gripping"], "negative": ["tedious"]},
    "kitchen": {"positive": ["sharp"], "negative": ["blunt"]},
}
NR = 60  # reviews of each label and domain


def write(folder, domain, unlabelled=0):
    rng = np.random.default_rng(len(domain))
    (folder / "sentiment" / domain).mkdir(parents=True)
    for label in ("positive", "negative"):
        lines = []
        for i in range(NR):
            words = [word for word in SHARED[label] if rng.random() < 0.5]
            words += [word for word in OWN[domain][label] if rng.random() < 0.8]
            lines.append(" ".join(f"{word}:1" for word in [*words, domain, f"filler{i % 3}"]))
        content = "".join(f"{line} #label#:{label}\n" for line in lines)
        (folder / "sentiment" / domain / f"{label}.review").write_text(content)
    if unlabelled:
        (folder / "sentiment" / domain / "unlabeled.review").write_text(
            "great:1 sharp:1 #label#:positive\n" * unlabelled
        )


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("domains")
    write(folder, "books")
    write(folder, "kitchen", unlabelled=7)
    return folder


def run(*arguments, status=0):
    result = CliRunner().invoke(command_group, ["run", *map(str, arguments)], prog_name="lxmls-day1")
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    return result


@pytest.mark.slow
def test_table_pivots_and_files(data, tmp_path, monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[3])
    out = tmp_path / "out"
    said = run("--source", "books", "--target", "kitchen", "--data-dir", data, "--out", out).stdout
    assert {path.name for path in out.iterdir()} == {"domains.png", "results.json", "domains.csv", "pivots.csv"}
    rows = list(csv.DictReader((out / "domains.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["source"], row["target"], row["way"], row["labels"]) for row in rows] == [
        ("books", "kitchen", way, labels) for way, labels in domain_run.WAYS.items()
    ]
    accuracy = {row["way"]: float(row["accuracy"]) for row in rows}
    assert accuracy["target only"] > accuracy["source only"] + 0.05  # four in five reviews have a word of its own
    assert accuracy["pooled"] > accuracy["source only"] + 0.05
    for row in rows:
        assert float(row["gain"]) == pytest.approx(accuracy[row["way"]] - accuracy["source only"])
    assert float(rows[0]["standard_error"]) == 0.0
    pivots = [row["pivot"] for row in csv.DictReader((out / "pivots.csv").read_text(encoding="utf-8").splitlines())]
    assert set(pivots[:4]) == {"excellent", "great", "awful", "waste"}
    assert not {"gripping", "tedious", "sharp", "blunt"} & set(pivots)
    assert "books → kitchen: " in said
    assert "include 7 reviews of files unlabeled.review" in said
    content = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert [row["way"] for row in content["rows"]] == list(domain_run.WAYS)
    assert (out / "domains.png").read_bytes().startswith(b"\x89PNG")


def test_all_pairs_of_the_domains_at_hand(data):
    pairs, notes = domain_run.chosen_pairs("all", "all", str(data))
    assert pairs == [("books", "kitchen"), ("kitchen", "books")]
    assert [note.split()[0] for note in notes] == ["dvd", "electronics"]
    pairs, _ = domain_run.chosen_pairs("kitchen", "all", str(data))
    assert pairs == [("kitchen", "books")]


@pytest.mark.parametrize(
    ("arguments", "says", "status"),
    [
        (("--source", "books", "--target", "books"), "must be two domains", 1),
        (("--source", "books", "--target", "toy"), "toy", 2),
        (("--source", "books", "--domain", "dvd"), "can only be combined with --data-dir, --out and --lab", 2),
        (("--source", "books", "--all"), "can only be combined with --data-dir, --out and --lab", 2),
        (("--target", "books", "--task", "tagging"), "can only be combined with --data-dir, --out and --lab", 2),
        (("--task", "tagging", "--all"), "learners that label whole texts", 2),
    ],
)
def test_what_does_not_fit_together(arguments, says, status, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LXMLS_DAY1_CACHE", str(tmp_path))
    assert says in run(*arguments, "--lab", Path(__file__).parents[3], status=status).output
