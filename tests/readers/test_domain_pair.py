"""Two domains over one vocabulary, on small files whose rows are known, compared with independent counts."""

import numpy as np
import pytest

from lxmls_day1.base.errors import CorpusError, InputError
from lxmls_day1.engine.text.parsed_reviews import parse_reviews
from lxmls_day1.engine.text.review_files import read_reviews
from readers.domain_pair import DomainPair, join_reviews
from tests.made_data import as_bags
from tests.wording import wording

NR = 10  # The number of reviews of each label and domain.


def write(folder, domain, word, unlabelled=()):
    """Write reviews that identify themselves: review i of a label has its own word once, and its domain's word twice."""
    folder = folder / "sentiment" / domain
    folder.mkdir(parents=True)
    for label in ("positive", "negative"):
        lines = [f"{word}:2 the:1 {label}_{domain}_{i}:1 #label#:{label}\n" for i in range(NR)]
        (folder / f"{label}.review").write_text("".join(lines))
    if unlabelled:
        (folder / "unlabeled.review").write_text("".join(f"{line} #label#:positive\n" for line in unlabelled))


@pytest.fixture
def data(tmp_path):
    write(tmp_path, "books", "page")
    write(tmp_path, "kitchen", "knife", unlabelled=["fork:3 the:1", "page:1 spoon:1"])
    return tmp_path


def read(data, **settings):
    return DomainPair("books", "kitchen", data_dir=data, cache=False, **settings)


def words(pair, X):
    """Return the identifying words of each row."""
    rows = [{pair.feature_names[j] for j in row.nonzero()[0]} for row in X.toarray()]
    return [sorted(word for word in row if word.count("_") == 2) for row in rows]


def test_parts_come_from_the_domains_that_they_should(data):
    pair = read(data, min_count=1, train_per=0.6, dev_per=0.2, test_per=0.2)
    assert words(pair, pair.train_X) == [[f"{label}_books_{i}"] for i in range(6) for label in ("positive", "negative")]
    assert words(pair, pair.target_train_X)[:2] == [["positive_kitchen_0"], ["negative_kitchen_0"]]
    assert len(words(pair, pair.target_train_X)) == 12
    for y, size in [(pair.train_y, 12), (pair.dev_y, 4), (pair.target_train_y, 12), (pair.test_y, 4)]:
        assert y.tolist() == [0, 1] * (size // 2)
    assert pair.dev_X.shape[0] == pair.test_X.shape[0] == 4
    assert {X.shape[1] for X in (pair.train_X, pair.dev_X, pair.test_X, pair.unlabelled_X)} == {len(pair.feature_names)}
    column = pair.feat_dict["knife"]
    assert pair.train_X[:, [column]].sum() == 0
    assert pair.test_X[:, [column]].sum() == 2 * 4
    assert pair.get_name() == "books → kitchen"


def test_features_come_from_all_texts_but_the_test_part(data):
    pair = read(data, min_count=1)
    # These are the last reviews of each domain.
    assert not [name for name in pair.feature_names if name.endswith(("_8", "_9"))]
    assert {"fork", "spoon", "positive_books_7", "negative_kitchen_7"} <= set(pair.feature_names)
    assert set(read(data, min_count=3).feature_names) == {"page", "the", "knife", "fork"}
    # 16 x 2 or 32 in the training parts, 1 in the file.
    assert read(data, min_count=33).feature_names == ["page", "the"]
    with pytest.raises(InputError, match="min_count=34 times"):
        read(data, min_count=34)


def test_texts_without_labels_are_both_training_parts_and_the_files(data):
    pair = read(data, min_count=1)
    assert pair.nr_unlabelled == 2
    assert pair.unlabelled_X.shape[0] == 16 + 16 + 2
    np.testing.assert_array_equal(pair.unlabelled_X[:16].toarray(), pair.train_X.toarray())
    np.testing.assert_array_equal(pair.unlabelled_X[16:32].toarray(), pair.target_train_X.toarray())
    assert pair.unlabelled_X[[33], :].toarray().sum() == 2
    assert read_reviews("books", data, labelled=False) is None
    assert len(read_reviews("kitchen", data, labelled=False)) == 2


def test_a_file_without_labels_needs_none(data):
    with_labels = read_reviews("kitchen", data, labelled=False)
    (data / "sentiment/kitchen/unlabeled.review").write_text("fork:3 the:1\r\npage:1 spoon:1 #label#:positive\n")
    without = read_reviews("kitchen", data, labelled=False)
    assert [counts for counts, _ in as_bags(without)] == [counts for counts, _ in as_bags(with_labels)]
    mistakes = {"fork the:1": "got 'fork'", "": "line 1: the line is blank", "a:0": "the count in 'a:0'"}
    for line, mistake in mistakes.items():
        (data / "sentiment/kitchen/unlabeled.review").write_text(f"{line}\npage:1\n")
        with pytest.raises(CorpusError, match=mistake):
            read_reviews("kitchen", data, labelled=False)


def test_the_folds_test_on_every_review_once(data):
    every, tested = {f"{label}_kitchen_{i}" for label in ("positive", "negative") for i in range(NR)}, []
    for fold in range(5):
        pair = read(data, fold=fold, min_count=1)
        assert pair.unlabelled_X.shape[0] == 34 and pair.test_X.shape[0] == 4
        tested.append(every - {word for row in words(pair, pair.target_train_X) for word in row})
    assert all(len(fold) == 4 for fold in tested)
    assert len(set().union(*tested)) == 2 * NR
    with pytest.raises(InputError, match=wording("readers.fold_must_be_below")):
        read(data, fold=5)


def test_joined_reviews_have_one_numbering():
    first = parse_reviews(["b:1 a:2 #label#:positive"])
    second = parse_reviews(["c:3 a:1 #label#:negative", "b:4 #label#:positive"])
    both = join_reviews([first, second])
    assert as_bags(both) == as_bags(first) + as_bags(second)
    assert sorted(both.tokens) == ["a", "b", "c"]
    for start, end in zip(both.starts[:-1], both.starts[1:], strict=True):
        assert np.all(np.diff(both.columns[start:end]) > 0)
