"""The run on tagged sentences: its tables against counts by hand, its files, runs without data or learners."""

import json

import numpy as np
import pytest

from lxmls_day1.commands.tagging_run import (
    TagRow,
    as_text,
    compare_taggers,
    open_sentences,
    run,
    tag_rows,
)
from lxmls_day1.errors import InputError
from lxmls_day1.figures.confusion import confusion_counts
from lxmls_day1.lab import Lab, reference_folder

pytestmark = pytest.mark.slow

TRUTH = [["DET", "NOUN", "VERB"], ["NOUN", "NOUN"], ["X"]]
PREDICTED = [["DET", "VERB", "VERB"], ["NOUN", "DET"], ["NOUN"]]


@pytest.fixture
def lab(imports_as_before):
    return Lab(reference_folder())


def test_the_row_of_a_tag():
    rows = {row.tag: row for row in tag_rows(*confusion_counts(TRUTH, PREDICTED))}
    assert rows["DET"] == TagRow("DET", 1, 1.0, 0.5, None)
    assert rows["NOUN"] == TagRow("NOUN", 3, 1 / 3, 0.5, "DET")  # DET and VERB once each: the first
    assert rows["VERB"] == TagRow("VERB", 1, 1.0, 0.5, None)
    assert rows["X"] == TagRow("X", 1, 0.0, None, "NOUN")
    assert tag_rows(["A", "B"], np.array([[2, 0], [0, 0]]))[1] == TagRow("B", 0, None, None, None)


def test_tag_rows_as_text():
    rows = tag_rows(*confusion_counts(TRUTH, PREDICTED))
    lines = as_text(rows).split("\n")
    assert lines[0].split("  ")[0] == "tag" and len(lines) == 2 + 4
    assert lines[3].split() == ["NOUN", "3", "0.3333", "0.5000", "DET"]


def test_all_learners_are_compared_and_the_best_is_looked_at(lab):
    corpus, seen = lab.reader("pos_corpus", "PosCorpus", name="toy"), []
    results = compare_taggers(lab, corpus, progress=lambda *step: seen.append(step))
    names = ["Structured perceptron", "Structured MIRA", "Structured SVM", "Conditional random field"]
    assert [row.classifier for row in results.table] == names
    assert seen == [*[(done, 4, name) for done, name in enumerate(names)], (4, 4, "")]
    assert results.best in names
    words = sum(map(len, corpus.test_X))
    assert results.confusion.sum() == words == sum(row.words for row in results.tag_rows)
    best = next(row for row in results.table if row.classifier == results.best)
    assert best.test_accuracy == pytest.approx(np.trace(results.confusion) / words)
    assert results.figure.axes
    (note,) = results.table.notes
    assert "of the words that occur in training" in note


def test_the_run_writes_its_files_and_prints_its_tables(tmp_path, capsys, imports_as_before):
    run(str(tmp_path / "out"), corpus="toy", lab_folder=str(reference_folder()))
    printed = capsys.readouterr().out
    assert "Toy sentences" in printed and "mostly taken for" in printed
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "confusion.png", "results.csv", "results.json", "tags.csv",
    ]  # fmt: skip
    content = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert len(content["rows"]) == 4 and content["best"] in [row["classifier"] for row in content["rows"]]
    assert len(content["confusion"]["true_by_predicted"]) == len(content["confusion"]["tags"]) == len(content["tags"])
    assert (tmp_path / "out" / "confusion.png").read_bytes().startswith(b"\x89PNG")


def test_without_the_treebank_the_toy_sentences_take_its_place_and_the_table_says_so(lab, capsys, monkeypatch):
    monkeypatch.delenv("LXMLS_DAY1_DATA", raising=False)
    corpus, notes = open_sentences(lab, "UD_English-EWT", None)
    assert corpus.name == "toy" and "could not be had" in notes[0]
    assert "the toy sentences take its place" in capsys.readouterr().err


def test_a_corpus_without_a_test_part(lab):
    corpus = lab.reader("pos_corpus", "PosCorpus", name="toy")
    corpus.test_X, corpus.test_y = [], []
    with pytest.raises(InputError, match="no test part"):
        compare_taggers(lab, corpus)
