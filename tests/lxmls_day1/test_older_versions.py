"""Corpora, checkpoints, models and folders of marks made by published versions open in this one; `test_older_workspaces` has the workspaces."""

import csv
import zipfile
from pathlib import Path

import numpy as np
import pytest

from classifiers import LinearClassifier
from tests.command_runs import run

FILES = Path(__file__).resolve().parents[1] / "older_versions"
VERSIONS = sorted(path.stem for path in FILES.glob("*.zip"))


@pytest.fixture(scope="module", params=VERSIONS)
def left(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("older")
    with zipfile.ZipFile(FILES / f"{request.param}.zip") as packed:
        packed.extractall(folder)
    return folder


def test_both_versions_are_kept():
    assert VERSIONS == ["0.1.0", "0.2.0"]


def test_models_load_and_predict_as_before(left):
    before = (left / "predicted.txt").read_text(encoding="utf-8").split()
    now = run("predict", left / "mira.npz", left / "review.txt").output.split()
    assert {"negative", "positive"} & set(before) == {"negative", "positive"} & set(now) != set()
    for name in ("mira.npz", "crf.npz", "corpus.npz"):
        assert np.isfinite(LinearClassifier.load(left / name).params).all()


def test_a_corpus_is_whole_and_trains(left):
    run("cache", "--verify", left / "reviews.bags")
    run("train", "--classifier", "svm", "--corpus", left / "reviews.bags", "--out", left / "svm.npz")


def test_a_checkpoint_goes_on_to_the_same_bits(left):
    corpus = ("train", "--classifier", "mira", "--corpus", left / "reviews.bags")
    run(*corpus, "--checkpoint", left / "kept.checkpoint", "--every", "100", "--resume", "--out", left / "resumed.npz")
    params = [LinearClassifier.load(left / name).params for name in ("resumed.npz", "corpus.npz")]
    assert np.array_equal(*params)


@pytest.mark.slow(10)
@pytest.mark.one_in(2, by="left")
def test_a_folder_of_marks_is_graded_on(left):
    before = marks(left)
    options = ("--exercises", "1.4,1.5,1.6", "--sandbox", "process", "--trust-submissions")
    run("grade", left / "ada.zip", "--out", left / "marks", *options)
    now = marks(left)
    assert before and {name: now[name] for name in before} == before


def marks(folder):
    with (folder / "marks/grades.csv").open(encoding="utf-8-sig") as file:
        (row,) = csv.DictReader(file)
    return {name: value for name, value in row.items() if name.startswith("1.") or name == "points"}
