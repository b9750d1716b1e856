"""
Confusion matrix of the tags
============================

The structured perceptron on the toy sentences: right predictions are on the diagonal, mistakes off it.
"""

from classifiers import StructuredPerceptron
from lxmls_day1.figures.confusion import confusion_counts, plot_confusion
from readers import PosCorpus

corpus = PosCorpus("toy")
tagger = StructuredPerceptron(nr_rounds=5)
params = tagger.train(corpus.train_X, corpus.train_y)
tags, counts = confusion_counts(corpus.test_y, tagger.test(corpus.test_X, params))
fig, axis = plot_confusion(tags, counts, title="structured perceptron, toy sentences, test part")
