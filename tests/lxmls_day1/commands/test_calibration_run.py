"""``run --task calibration``: what it measures, against scikit-learn by hand; and what calibration does to an SVM on books."""

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from classifiers.max_ent_batch import MaxEntBatch
from classifiers.perceptron import Perceptron
from classifiers.svm import SVM
from lxmls_day1.commands.calibration_run import measure
from lxmls_day1.commands.command_line import command_group
from lxmls_day1.errors import InputError
from readers.sentiment_reader import SentimentCorpus

pytest.importorskip("sklearn")


class Parts:
    """A data set of arrays."""

    def __init__(self, train, dev, test):
        (self.train_X, self.train_y), (self.dev_X, self.dev_y), (self.test_X, self.test_y) = train, dev, test

    def get_name(self):
        return "parts"


def error_by_hand(p, y):
    """The expected calibration error with ten bins."""
    sure, right = p.max(axis=1), p.argmax(axis=1) == y
    bins = np.ceil(sure * 10)
    return sum(np.mean(bins == b) * abs(right[bins == b].mean() - sure[bins == b].mean()) for b in np.unique(bins))


def test_errors_are_those_of_the_probabilities():
    """Platt's sigmoid by scikit-learn itself on the scores; the SVM's own are the softmax of its scores."""
    corpus = SentimentCorpus("toy", train_per=0.5, dev_per=0.25, test_per=0.25)
    rows, diagrams, notes = measure(corpus, {"SVM": SVM(0.01), "Maximum entropy": MaxEntBatch(0.01)})
    assert [row.classifier for row in rows] == ["SVM", "Maximum entropy"]
    assert not notes
    svm = SVM(0.01)
    params = svm.train(corpus.train_X, corpus.train_y)
    scores = svm.get_scores(svm.add_intercept_term(corpus.test_X), params)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert rows[0].as_it_is == pytest.approx(error_by_hand(p, corpus.test_y))
    assert rows[0].accuracy == svm.evaluate(corpus.test_y, svm.test(corpus.test_X, params))
    maxent = MaxEntBatch(0.01)
    own = maxent.get_probabilities(corpus.test_X, maxent.train(corpus.train_X, corpus.train_y))
    assert rows[1].as_it_is == pytest.approx(error_by_hand(own, corpus.test_y))
    for row in rows:
        assert [diagrams[row.classifier][way].error for way in ("as it is", "Platt", "isotonic")] == list(row[2:])


def test_a_development_part_without_a_class_is_answered():
    X, y = np.array([[0.0], [1.0]] * 4), np.array([0, 1] * 4)
    with pytest.raises(InputError, match="of the label 1 there are fewer"):
        measure(Parts((X, y), (X[::2], y[::2]), (X, y)), {"SVM": SVM()})


def test_what_is_not_written_yet_is_left_out():
    class Stub(Perceptron):
        def train(self, X, y, callback=None, sample_weight=None):
            raise NotImplementedError("exercise 1.4")

    X, y = np.array([[0.0], [1.0]] * 4), np.array([0, 1] * 4)
    rows, _, notes = measure(Parts((X, y), (X, y), (X, y)), {"Mine": Stub(), "SVM": SVM()})
    assert [row.classifier for row in rows] == ["SVM"]
    assert notes[0] == "Mine is not written yet: exercise 1.4"


@pytest.mark.slow
def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lab = Path(__file__).parents[3]
    arguments = ["run", "--task", "calibration", "--domain", "toy", "--lab", str(lab), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(command_group, arguments, prog_name="lxmls-day1")
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader((tmp_path / "out/calibration.csv").read_text(encoding="utf-8").splitlines()))
    assert {"SVM", "MIRA", "Multinomial naive Bayes"} <= {row["classifier"] for row in rows}
    assert all(0 <= float(row[way]) <= 1 for row in rows for way in ("accuracy", "as_it_is", "platt", "isotonic"))
    assert (tmp_path / "out/reliability.png").read_bytes().startswith(b"\x89PNG")
    assert "expected calibration error" in result.stdout
