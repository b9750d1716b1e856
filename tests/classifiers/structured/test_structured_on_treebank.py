"""The structured learners on the English Web Treebank, gold tokens: what exact search and transitions are worth.

A greedy averaged perceptron reached 0.9458 (universal tags) and 0.9412 (Penn tags) on the same split.
"""

import functools

import pytest

from classifiers.structured import StructuredMira, StructuredPerceptron, StructuredSVM
from readers.pos_corpus import PosCorpus

corpus_of = functools.cache(lambda tags: PosCorpus("UD_English-EWT", tags=tags))


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "tags", "at_least"),
    [
        (StructuredPerceptron, "upos", 0.950),
        (StructuredSVM, "upos", 0.950),
        (StructuredMira, "xpos", 0.945),
        (StructuredSVM, "xpos", 0.945),
    ],
)
def test_accuracy_after_five_rounds(real_data, learner, tags, at_least):
    corpus = corpus_of(tags)
    assert (len(corpus.train_X), len(corpus.test_X)) == (12_544, 2_077)
    tagger = learner(nr_rounds=5, track_objective=False)
    params = tagger.train(corpus.train_X, corpus.train_y)
    assert tagger.evaluate(corpus.test_y, tagger.test(corpus.test_X, params)) >= at_least
