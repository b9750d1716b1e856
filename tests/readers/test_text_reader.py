import inspect
import io

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.text.tokens import count_tokens
from readers.text_reader import TextCorpus
from readers.vocabulary import count_words
from tests.wording import wording

MAIL = "ham,See you at noon.\nspam,Win a prize now!\nham,Lunch at noon?\nspam,A prize for you!\n"


def test_a_file_is_read_in_its_order(write):
    corpus = TextCorpus(write(MAIL, "mail.csv"), split=(0.5, 0.25, 0.25), seed=None)
    assert corpus.get_name() == "mail" and corpus.label_names == ("ham", "spam") and corpus.y.tolist() == [0, 1, 0, 1]
    assert (corpus.train_y.tolist(), corpus.dev_y.tolist(), corpus.test_y.tolist()) == ([0, 1], [0], [1])
    assert corpus.texts == ["See you at noon.", "Win a prize now!", "Lunch at noon?", "A prize for you!"]
    seen = set(count_tokens(corpus.texts[0])) | set(count_tokens(corpus.texts[1]))
    assert set(corpus.feature_names) == seen and "lunch" not in seen
    assert corpus.X.shape == (corpus.nr_examples, corpus.nr_features) == (4, len(seen))
    table = [[count_tokens(text).get(token, 0) for token in corpus.feature_names] for text in corpus.texts]
    assert corpus.X.toarray().tolist() == table


def test_examples_are_shuffled_by_a_seed_before_the_split(write):
    path = write("".join(f"{'ham' if i < 40 else 'spam'},word{i}\n" for i in range(50)))
    corpora = [TextCorpus(path, seed=seed) for seed in (1, 1, 2)]
    assert corpora[0].texts == corpora[1].texts != corpora[2].texts
    for corpus in corpora:
        assert sorted(corpus.texts) == sorted(f"word{i}" for i in range(50))
        assert set(corpus.train_y) == {0, 1}  # The file is sorted by label.
        for text, label in zip(corpus.texts, corpus.y, strict=True):
            assert corpus.label_names[label] == ("ham" if int(text[4:]) < 40 else "spam")


def test_a_separate_test_file_is_read(write):
    corpus = TextCorpus(write(MAIL), write("spam,A noon prize\nham,x y\n", "test.csv"))
    assert (corpus.train_X.shape[0], corpus.dev_X.shape[0], corpus.test_X.shape[0]) == (4, 0, 2)
    assert corpus.label_names == ("ham", "spam") and corpus.test_y.tolist() == [1, 0]
    assert corpus.texts[4:] == ["A noon prize", "x y"] and "noon_prize" not in corpus.feat_dict
    with_dev = TextCorpus(write(MAIL), write("spam,x\n", "test.csv"), split=(0.5, 0.5, 0))
    assert (len(with_dev.train_y), len(with_dev.dev_y), len(with_dev.test_y)) == (2, 2, 1)
    with pytest.raises(InputError, match=wording("readers.test_path_test_share")):
        TextCorpus(write(MAIL), write("spam,x\n", "test.csv"), split=(0.8, 0, 0.2))


@pytest.mark.parametrize("many", [1, 10_000])
def test_counting_and_the_rare_word_cut_can_be_chosen(write, monkeypatch, many):
    monkeypatch.setattr("readers.text_reader._MIN_TEXTS_TO_COMPILE", many)
    corpus = TextCorpus(write("a,x x Y\nb,x y\n"), split=(1, 0, 0), count=count_words, min_count=2)
    assert corpus.feat_counts == {"x": 3, "y": 2, "x_y": 2}


def test_labels_that_are_numbers_are_sorted_as_numbers(write):
    corpus = TextCorpus(write("10,a\n9,b\n-1,c\n"), split=(1, 0, 0), seed=None)
    assert corpus.label_names == ("-1", "9", "10") and corpus.y.tolist() == [2, 1, 0]
    assert TextCorpus(write("10,a\n9,b\nx,c\n"), split=(1, 0, 0)).label_names == ("10", "9", "x")


@pytest.mark.parametrize("zero_based", [True, False])
def test_svmlight_agrees_with_scikit_learn(write, zero_based):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 30)).round(3) * (rng.random((20, 30)) < 0.2), rng.integers(0, 12, 20)
    content = io.BytesIO()
    dump_svmlight_file(X, y, content, zero_based=zero_based)
    path = write(content.getvalue(), "data.svmlight")
    corpus = TextCorpus(path, split=(0.7, 0, 0.3), seed=None)
    theirs, labels = load_svmlight_file(str(path), zero_based=zero_based, n_features=30)
    in_training = np.flatnonzero(np.abs(X[:14]).sum(axis=0))
    assert [int(name) - (not zero_based) for name in corpus.feature_names] == in_training.tolist()
    np.testing.assert_array_equal(corpus.X.toarray(), theirs.toarray()[:, in_training])
    assert [int(corpus.label_names[k]) for k in corpus.y] == labels.tolist()
    assert corpus.texts == [] and list(map(int, corpus.label_names)) == sorted(set(y.tolist()))


def test_every_option_of_the_layout_is_shown_and_a_mistyped_one_is_named():
    shown = inspect.signature(TextCorpus).parameters
    layout = {"form", "delimiter", "header", "label_column", "text_column", "quote", "encoding", "skip_lines"}
    assert {"path", "split", "count", *layout} <= set(shown) and shown["quote"].default == '"'
    with pytest.raises(TypeError, match=wording("readers.textcorpus_setting_delimeter_did")):
        TextCorpus("mine.csv", delimeter=";")
