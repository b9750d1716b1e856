import random
from collections import Counter

import numpy as np
import pytest

from lxmls_day1.engine.text.tokens import count_tokens
from lxmls_day1.engine.text.toy_reviews import FOLDER, LABELS, NR_REVIEWS, corpus_files, main, write_reviews


@pytest.mark.slow
def test_the_committed_files_are_what_the_generator_writes():
    for name, content in corpus_files().items():
        assert (FOLDER / name).read_bytes() == content, "run python -m lxmls_day1.engine.text.toy_reviews"


@pytest.mark.slow
def test_main_writes_both_files(tmp_path):
    main(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == corpus_files()


@pytest.mark.slow
def test_the_files_are_small():
    assert sum(len(content) for content in corpus_files().values()) <= 250_000


def test_the_seed_decides():
    assert write_reviews(5, seed=3) == write_reviews(5, seed=3)
    assert write_reviews(5, seed=3) != write_reviews(5, seed=4)


def test_more_reviews_leave_the_first_ones_as_they_are():
    few, many = write_reviews(3), write_reviews(6)
    assert all(many[label][:3] == few[label] for label in LABELS)


def test_no_global_randomness_is_touched():
    state = random.getstate()
    write_reviews(2)
    assert random.getstate() == state


@pytest.mark.slow
def test_reviews_read_like_english():
    for reviews in write_reviews().values():
        assert len(reviews) == NR_REVIEWS
        for review in reviews:
            assert "{" not in review.title + review.text
            assert review.text[0].isupper()
            assert review.text[-1] in ".!"
            for sentence in review.text.replace("! ", ". ").split(". "):
                assert sentence[0].isupper()


@pytest.fixture(scope="module")
def documents():
    """Token counts and labels, positive and negative in turn."""
    reviews = write_reviews()
    pairs = zip(reviews["positive"], reviews["negative"], strict=True)
    counts = [count_tokens(review.title, review.text) for pair in pairs for review in pair]
    return counts, np.arange(len(counts)) % 2


@pytest.mark.slow
def test_telling_words_carry_weight(documents):
    counts, y = documents
    seen = {label: Counter() for label in (0, 1)}
    for review, label in zip(counts, y, strict=True):
        seen[label].update(review)
    for positive, negative in [("excellent", "boring"), ("great", "poor")]:
        assert seen[0][positive] > 1.5 * seen[1][positive] > 0
        assert seen[1][negative] > 1.5 * seen[0][negative] > 0


def test_half_of_the_words_are_rare(documents):
    counts, _ = documents
    totals = Counter()
    for review in counts:
        totals.update(review)
    assert sum(count < 5 for count in totals.values()) > len(totals) / 2


def test_classifiers_do_well_but_not_perfectly(documents):
    sklearn_text = pytest.importorskip("sklearn.feature_extraction")
    linear_model = pytest.importorskip("sklearn.linear_model")
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    counts, y = documents
    X = sklearn_text.DictVectorizer().fit_transform(counts)
    train_X, test_X = X[:320], X[320:]
    for model in (naive_bayes.MultinomialNB(), linear_model.LogisticRegression(max_iter=1000)):
        accuracy = model.fit(train_X, y[:320]).score(test_X, y[320:])
        assert 0.85 <= accuracy <= 0.97


def test_unseen_words_rule_out_both_classes_in_some_test_reviews(documents):
    """Without smoothing, words seen in one class only, for both classes, leave a review no class at all."""
    counts, y = documents
    seen = [set().union(*(counts[i] for i in range(320) if y[i] == label)) for label in (0, 1)]
    known = seen[0] | seen[1]
    lost = [
        review
        for review in counts[320:]
        if not review.keys() & known <= seen[0] and not review.keys() & known <= seen[1]
    ]
    assert len(lost) >= 40
