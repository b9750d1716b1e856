"""`train --corpus`, and `predict` and `explain` with the saved models."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from classifiers.linear_classifier import LinearClassifier
from classifiers.mira import Mira
from lxmls_day1.engine.corpus.checkpoint import Checkpoint
from lxmls_day1.engine.corpus.corpus_builder import make_corpus
from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.corpus_training import evaluate_corpus, train_corpus
from tests.command_runs import run
from tests.wording import wording

pytestmark = pytest.mark.usefixtures("imports_as_before", "somewhere")
GOOD = ["a fine, moving story", "fine plot and a fine end", "moving"]
BAD = ["dull, dull plot", "a dull end", "boring story"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder with corpora of the same mails: with a vocabulary, hashed into few and many buckets, and for testing."""
    place = tmp_path_factory.mktemp("corpora")
    for name, good, bad in (("mails", GOOD, BAD), ("test", ["fine story"], ["dull"])):
        lines = [*(f"good\t{text}\n" for text in good), *(f"bad\t{text}\n" for text in bad)]
        (place / f"{name}.tsv").write_text("label\ttext\n" + "".join(20 * lines if name == "mails" else lines))
    for name, bits in (("words", None), ("hashed", 18), ("few", 3)):
        make_corpus([place / "mails.tsv"], place / f"{name}.bags", hash_bits=bits, rows_a_shard=50)
        make_corpus([place / "test.tsv"], place / f"{name}-test.bags", like=place / f"{name}.bags")
    return place


def train(place, kind, *arguments, status=0):
    corpora = ("--corpus", place / f"{kind}.bags", "--test-corpus", place / f"{kind}-test.bags")
    return run("train", "--classifier", "mira", *corpora, *arguments, status=status)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("a\n")])
def test_damaged_words_are_reported_before_training(damage, place):
    shutil.copytree(place / "words.bags", "x.bags")
    damage(Path("x.bags", "words.txt"))
    said = run("train", "--classifier", "mira", "--corpus", "x.bags", status=1).stderr
    assert "words.txt" in said and "make it again" in said and "documents" not in said


@pytest.mark.parametrize("kind", ["words", "hashed", "few"])
def test_the_model_is_that_of_training_in_python_and_predicts_raw_text(kind, place):
    said = train(place, kind)
    model = LinearClassifier.load("model.npz")
    mira = Mira()
    np.testing.assert_array_equal(model.params, train_corpus(mira, place / f"{kind}.bags"))
    accuracy = evaluate_corpus(mira, place / f"{kind}-test.bags", model.params)
    assert f"accuracy {accuracy:.4f} on {kind}-test.bags" in said.stdout
    errors = f"{100 * mira.history[-1].errors / 120:.2f}"
    assert wording("commands.errors_before_each_step", errors) in said.stdout
    lines = [re.split(r"[ %]+", line.strip()) for line in said.stderr.splitlines()[1:]]
    expected = [line for round in mira.history for line in round.validation]
    assert [int(line[0]) for line in lines] == [line.documents for line in expected] == [2**n for n in range(11)]
    assert [line[1:3] for line in lines] == [[f"{100 * e:.2f}" for e in line[1:]] for line in expected]

    texts = [*GOOD, *BAD]
    Path("texts.txt").write_text("\n".join(texts) + "\n")
    shown = run("predict", "model.npz", "--per", "line", "texts.txt", "--scores").stdout.splitlines()
    shards = Shards(place / f"{kind}.bags")
    X = shards.open(0).X[: len(texts)].astype(float)
    scores = mira.get_scores(mira.add_intercept_term(X), model.params)
    for line, row, label in zip(shown, scores, mira.test(X, model.params), strict=True):
        fields = line.split("\t")
        assert fields[0] == label
        assert fields[3:] == [f"{name}={score:.6g}" for name, score in zip(["bad", "good"], row, strict=True)]


@pytest.mark.parametrize("kind", ["words", "hashed", "few"])
def test_explanations_name_words_and_sum_to_the_scores(kind, place):
    train(place, kind)
    Path("one.txt").write_text(GOOD[1])
    (shown,) = json.loads(run("explain", "model.npz", "one.txt", "--json").stdout)
    assert {word["word"] for word in shown["words"]} >= {"fine", "plot", "end"}
    for label in ("good", "bad"):
        total = shown["intercepts"][label] + sum(word["contributions"][label] for word in shown["words"])
        assert total == pytest.approx(shown["scores"][label])
    predicted = run("predict", "model.npz", "one.txt", "--scores").stdout.split("\t")
    assert float(predicted[-1].partition("=")[2]) == pytest.approx(shown["scores"]["good"], rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--checkpoint", "x"], "--checkpoint needs --corpus"),
        (["--test-corpus", "x"], "--test-corpus needs --corpus"),
        (["--scheduler", "tcp://head:8786"], "--scheduler needs --corpus"),
        (["--mix-every", "5"], "--mix-every needs --corpus"),
        (["--resume"], "--resume needs --corpus"),
        (["--corpus", "x", "--resume"], "--resume needs --checkpoint"),
        (["--corpus", "x", "--every", "5"], "--every needs --checkpoint"),
        (["--corpus", "x", "--domain", "toy"], "--domain and --corpus cannot be combined"),
        (["--corpus", "x", "--file", "y"], "--file and --corpus cannot be combined"),
        (["--corpus", "x", "--every", "0", "--checkpoint", "y"], "--every"),
    ],
)
def test_options_that_make_no_sense_together(arguments, message):
    assert message in run("train", "--classifier", "mira", *arguments, status=2).output


def test_bad_input_ends_with_1_and_one_sentence(place, tmp_path):
    hashed = place / "hashed.bags"
    for arguments, message in (
        (("gaussian_naive_bayes", "--corpus", hashed), "learns from data in memory; a corpus on disk is for"),
        (("max_ent_batch", "--corpus", hashed, "--checkpoint", "x"), "cannot keep checkpoints"),
        (("multinomial_naive_bayes", "--corpus", hashed), "so make the corpus without --hash"),
        (("mira", "--corpus", "missing.bags"), "there is no folder missing.bags"),
        (("mira", "--corpus", hashed, "--test-corpus", place / "few-test.bags"), "few-test.bags differ from those of"),
        (("mira", "--corpus", place / "words.bags", "--test-corpus", hashed), "hashed.bags differ from those of"),
        (("svm", "--corpus", hashed, "--set", "solver=dual"), 'take solver="subgradient"'),
    ):
        output = run("train", "--classifier", *arguments, status=1).output
        assert message in output
        assert not Path("model.npz").exists()
    make_corpus([place / "test.tsv"], tmp_path / "others.bags")
    corpora = ("--corpus", place / "words.bags", "--test-corpus", tmp_path / "others.bags")
    assert "others.bags differ from those" in run("train", "--classifier", "mira", *corpora, status=1).output


def test_training_resumes_from_a_checkpoint_that_saving_the_model_removes(place):
    class Stop(Exception):
        pass

    def stop(line):
        if line.documents == 256:
            raise Stop

    with pytest.raises(Stop):
        train_corpus(Mira(), place / "hashed.bags", checkpoint=Checkpoint("kept", every=100), report=stop)
    assert "exists already" in train(place, "hashed", "--checkpoint", "kept", status=1).output
    said = train(place, "hashed", "--checkpoint", "kept", "--every", "100", "--resume")
    assert [int(line.split()[0]) for line in said.stderr.splitlines()[1:]] == [256, 512, 1024]
    undisturbed = train_corpus(Mira(), place / "hashed.bags")
    np.testing.assert_array_equal(LinearClassifier.load("model.npz").params, undisturbed)
    assert not Path("kept").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_with_its_status_and_reports_how_to_resume(number, status, place):
    command = [sys.executable, "-m", "lxmls_day1", "train", "--classifier", "mira", "--set", "nr_rounds=1000000"]
    command += ["--corpus", str(place / "words.bags"), "--checkpoint", "kept"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if re.match(r" +64 ", line):  # The training has begun.
                break
        process.send_signal(number)
        *_, last = process.stderr
    assert process.returncode == status
    assert last == wording("commands.interrupted_training_kept_kept")
    assert Path("kept").is_file()
    assert not Path("model.npz").exists()


def test_mixed_parts_equal_those_of_python(place):
    train(place, "words", "--n-jobs", "3", "--mix-every", "50")
    params = train_corpus(Mira(n_jobs=3), place / "words.bags", mix_every=50)
    np.testing.assert_array_equal(LinearClassifier.load("model.npz").params, params)
