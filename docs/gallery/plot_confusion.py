"""
Confusion matrix of the tags
============================

The structured perceptron on the toy sentences: correct predictions are on the diagonal, mistakes are off the diagonal.
"""

from itertools import chain

import matplotlib.pyplot as plt
from sklearn.metrics import ConfusionMatrixDisplay

from classifiers import StructuredPerceptron
from readers import PosCorpus

corpus = PosCorpus("toy")
tagger = StructuredPerceptron(nr_rounds=5)
params = tagger.train(corpus.train_X, corpus.train_y)
truth, predicted = (list(chain.from_iterable(tags)) for tags in (corpus.test_y, tagger.test(corpus.test_X, params)))
_, ax = plt.subplots(layout="constrained")
ConfusionMatrixDisplay.from_predictions(truth, predicted, ax=ax, colorbar=False, cmap="Blues", xticks_rotation=45)
ax.set_title("structured perceptron, toy sentences, test part")
