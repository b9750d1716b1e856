import bz2
import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from classifiers.linear_classifier import LinearClassifier
from classifiers.mira import Mira
from lxmls_day1.commands.predict import margins_of
from tests.command_runs import run
from tests.python_runs import run_python
from tests.wording import wording

ROOT = Path(__file__).resolve().parents[3]
WORDS = ["good", "bad", "book", "very_good"]

pytestmark = pytest.mark.usefixtures("imports_as_before", "models")


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Write hand.npz, whose scores can be added without a computer, and toy.npz, a model of the toy corpus."""
    monkeypatch.chdir(tmp_path)
    weights = [[0.5, 0.0, -10], [2, -2, 0], [-3, 3, 0], [0, 0.25, 0], [1, 0, 0]]
    LinearClassifier().save("hand.npz", weights, WORDS, ["positive", "negative", "neither"])


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    from readers.sentiment_reader import SentimentCorpus

    corpus, path = SentimentCorpus("toy"), tmp_path_factory.mktemp("toy") / "toy.npz"
    mira = Mira()
    params = mira.train(corpus.train_X, corpus.train_y)
    mira.save(path, params, corpus.feature_names, corpus.label_names)
    return path, corpus, mira.test(corpus.X, params)


def predict(*arguments, **options):
    return run("predict", *arguments, **options)


class TestPredictions:
    def test_label_margin_and_place(self):
        """positive 0.5 + 2 + 0 + 1, negative 0 − 2 + 0.25 + 0."""
        Path("r.txt").write_text("Very good book!")
        assert predict("hand.npz", "r.txt").stdout == "positive\t5.25\tr.txt\n"

    def test_scores_of_every_class(self):
        Path("r.txt").write_text("bad bad")
        fields = predict("hand.npz", "r.txt", "--scores").stdout.rstrip("\n").split("\t")
        assert fields == ["negative", "11.5", "r.txt", "positive=-5.5", "negative=6", "neither=-10"]

    def test_a_raw_file_is_one_review_or_one_a_line(self):
        Path("r.txt").write_text("good\n\nbad bad\n")
        assert predict("hand.npz", "r.txt").stdout.startswith("negative\t")
        lines = predict("hand.npz", "r.txt", "--per", "line").stdout.splitlines()
        assert [line.split("\t")[::2] for line in lines] == [["positive", "r.txt:1"], ["negative", "r.txt:3"]]

    def test_a_review_without_a_known_word_gets_its_note(self):
        Path("r.txt").write_text("🙂 unheard-of\ngood\n")
        result = predict("hand.npz", "r.txt", "--per", "line")
        assert result.stdout.startswith("positive\t0.5\tr.txt:1\n")
        assert result.stderr == (wording("commands.note_reviews_holds_word"))

    def test_standard_input_is_predicted_line_by_line(self):
        """Each prediction is printed before the next line is sent."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "lxmls_day1", "predict", "hand.npz", "-"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, text=True) as process:
            for text, answer in {
                "bad bad\n": "negative\t11.5\tstandard input:1\n",
                "\nVery good book!\n": "positive\t5.25\tstandard input:3\n",
                "good:1\n": "positive\t0.5\tstandard input:4\n",  # The first line has no count, so no line may have one.
            }.items():
                process.stdin.write(text)
                process.stdin.flush()
                assert process.stdout.readline() == answer
            _, remarks = process.communicate("unheard-of")
        assert process.returncode == 0
        assert remarks == wording("commands.note_reviews_hold_word")

    def test_counts_on_standard_input(self):
        result = predict("hand.npz", "-", stdin="good:1 #label#:negative\nbad:1 book:1 #label#:negative\n")
        assert result.stdout == "positive\t4.5\tstandard input:1\nnegative\t5.75\tstandard input:2\n"
        assert result.stderr == wording("commands.accuracy_labelled_reviews")

    def test_standard_input_as_one_review(self):
        assert predict("hand.npz", "--per", "file", "-", stdin="bad\nbad").stdout == "negative\t11.5\tstandard input\n"

    def test_margins_are_leads_over_the_second_best_class(self):
        assert margins_of(np.array([[1.0, 5, 3], [2, 2, 0]])).tolist() == [2, 0]
        assert margins_of(np.array([[1.0]])).tolist() == [np.inf]


class TestMistakes:
    def error(self, *arguments, **options):
        result = predict(*arguments, status=1, **options)
        assert result.stdout == ""
        (line,) = result.stderr.splitlines()
        return line.removeprefix("Error: ")

    def test_files_that_are_not_reviews_are_refused(self):
        Path("good.txt").write_text("good")
        Path("empty.txt").touch()
        Path("latin.txt").write_bytes("naïve".encode("latin-1"))
        Path("picture.png").write_bytes(b"\x89PNG\0\0")
        Path("odd.review").write_text("good:1 #label#:positive\ngood:x #label#:positive\n")
        for name, message in {
            "none.txt": "none.txt: no such file or directory.",
            "empty.txt": "empty.txt is empty; expected",
            "latin.txt": "latin.txt, line 1: expected text in UTF-8, got the byte 0xEF",
            "picture.png": "picture.png is not text in UTF-8",
            ".": ". is a folder; FILE must be a file of reviews.",
            "odd.review": "odd.review, line 2: the count in 'good:x' is 'x'",
        }.items():
            assert self.error("hand.npz", "good.txt", name).startswith(message)
        assert self.error("hand.npz", "-", stdin="").startswith("standard input is empty")

    def test_labelled_examples_are_refused_also_if_packed_or_without_a_telling_name(self):
        lines = b"text\tlabel\ngood\tpositive\r\n\nbad book\tnegative\n"
        for name, packed in {
            **dict.fromkeys(("a.csv", "a.json", "a.txt"), lines),
            **dict.fromkeys(("a.tsv.gz", "a.txt.gz"), gzip.compress(lines)),
            "a.JSONL.bz2": bz2.compress(lines),
        }.items():
            Path(name).write_bytes(packed)
            how = "lines" if ".txt" in name else "name"
            assert self.error("hand.npz", name).startswith(wording("commands.labelled_not_text", name, how))
        assert predict("hand.npz", "a.tsv.gz", "--format", "raw").stdout.startswith("negative\t")
        Path("a.txt").write_text("positive\tgood\nneutral\tbad book\npositive\tgood\n")
        assert predict("hand.npz", "a.txt").stdout.startswith("positive\t")

    def test_files_that_are_not_models_are_refused(self):
        Path("good.txt").write_text("good")
        data = Path("hand.npz").read_bytes()
        Path("cut.npz").write_bytes(data[:-9])
        Path("empty.npz").touch()
        np.savez("other.npz", a=np.eye(2))
        for name, message in {
            "none.npz": "none.npz: no such file or directory.",
            "good.txt": "good.txt is not a model of lxmls-day1",
            "cut.npz": "cut.npz is damaged or incomplete",
            "empty.npz": "empty.npz is empty",
            "other.npz": "other.npz is not a model of lxmls-day1",
            ".": ". is a folder; MODEL must be a file",
        }.items():
            assert self.error(name, "good.txt").startswith(message)

    def test_a_model_of_points(self):
        mira = Mira()
        mira.save("points.npz", mira.train([[2.0, 0.0], [0.0, 2.0]], [0, 1]))
        Path("good.txt").write_text("good")
        for command in ("predict", "explain"):
            assert wording("commands.has_no_feature_names") in run(command, "points.npz", "good.txt", status=1).stderr

    def test_a_label_that_the_classifier_cannot_know(self):
        Path("x.review").write_text("good:1 #label#:great\n")
        error = self.error("hand.npz", "x.review")
        assert error.startswith(wording("commands.x_review_label_great"))


@pytest.mark.slow
class TestProcess:
    """The commands run in their own process."""

    def test_train_predict_explain(self, tmp_path):
        here = {"cwd": tmp_path, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "encoding": "utf-8"}
        here["timeout"] = 100
        perceptron = ("--domain", "toy", "--classifier", "perceptron", "--out", "p.npz")
        run_python("-m", "lxmls_day1", "train", *perceptron, **here)
        here["stdin"] = "Excellent, lovely, 🙂 naïve."
        assert run_python("-m", "lxmls_day1", "predict", "p.npz", "-", **here).stdout.startswith("positive\t")
        explained = run_python("-m", "lxmls_day1", "explain", "p.npz", "-", **here).stdout
        assert "excellent" in explained and "naïve" in explained
        command = [sys.executable, "-m", "lxmls_day1", "predict", "p.npz", "none.txt"]
        failed = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=100)
        assert (failed.returncode, failed.stdout) == (1, b"")
        assert failed.stderr.strip() == b"Error: none.txt: no such file or directory."
