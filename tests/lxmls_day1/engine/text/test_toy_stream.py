import functools
import hashlib
import itertools
from collections import Counter

import numpy as np
import pytest

from classifiers.mira import Mira
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.text import toy_stream
from lxmls_day1.engine.text.token_batches import TokenCounter
from lxmls_day1.engine.text.toy_stream import toy_documents

RECORDED = "3f77a3344ba0f61c88a04e61c58621c974956bf4939af622a89f702c9d1836cc"


def documents(n, **settings):
    return list(itertools.chain.from_iterable(toy_documents(n, **settings)))


@pytest.fixture(scope="module", autouse=True)
def tables_are_made_once():
    """Make the tables of words and ranks once, because they are the same for all documents."""
    with pytest.MonkeyPatch.context() as patch:
        for table in ("_forms", "_ranks"):
            patch.setattr(toy_stream, table, functools.cache(getattr(toy_stream, table)))
        yield


@pytest.fixture(scope="module")
def many():
    return documents(4000)


@pytest.mark.slow
def test_the_first_documents_do_not_depend_on_the_number_of_documents(many):
    assert len(many) == 4000 and documents(0) == []
    for n in (999, 1001):
        assert documents(n) == many[:n]
    assert documents(10, seed=4) != many[:10]


def test_they_are_the_same_everywhere():
    """The documents were recorded once; another NumPy version or machine may not change them."""
    content = "".join(f"{label}\t{text}\n" for label, text in documents(50, seed=1, n_classes=5, n_words=20))
    assert hashlib.sha256(content.encode()).hexdigest() == RECORDED


@pytest.mark.slow
def test_words_follow_zipfs_law(many):
    words = Counter(word.lower().strip(".,") for _, text in many for word in text.split())
    counts = np.array(sorted(words.values(), reverse=True), dtype=float)
    ranks = np.array([2, 8, 32, 128, 512, 2048])
    slope = np.polyfit(np.log(ranks), np.log(counts[ranks - 1]), 1)[0]
    assert -1.1 < slope < -0.9
    assert all("\t" not in text and "\n" not in text and text for _, text in many)


@pytest.mark.parametrize(("n_classes", "least"), [(2, 0.8), (5, 0.7)])
def test_words_indicate_the_class_without_certainty(n_classes, least):
    """A learner is far better than chance; since one label in fifty is wrong, no learner exceeds 98 %."""
    made = documents(6000, n_classes=n_classes, n_words=60)
    names = sorted({label for label, _ in made})
    assert len(names) == n_classes
    y = np.array([names.index(label) for label, _ in made])
    X = TokenCounter().hashed([text for _, text in made], 16).astype(float)
    mira = Mira(nr_rounds=3)
    accuracy = (mira.test(X[4500:], mira.train(X[:4500], y[:4500])) == y[4500:]).mean()
    assert least < accuracy < 0.99


@pytest.mark.parametrize("settings", [{"n_classes": 1}, {"n_classes": 2.5}, {"seed": -1}, {"n_words": 0}])
def test_invalid_settings_of_the_toy_stream_are_refused(settings):
    with pytest.raises(InputError):
        next(toy_documents(10, **settings))
