"""The structured perceptron: on a mistake, add the features of the true tag sequence and subtract those of the predicted
sequence.

    W ← W + Φ(x, y) − Φ(x, ŷ),    ŷ = argmax_y' w · Φ(x, y')

The flat perceptron (``perceptron.py``, whose rule this is) is the special case of sentences of one word without
transitions.

Source: M. Collins, Discriminative training methods for hidden Markov models, EMNLP 2002.
"""

from classifiers.perceptron import Perceptron
from classifiers.structured.structured_classifier import StructuredClassifier


class StructuredPerceptron(StructuredClassifier, Perceptron):
    """The averaged structured perceptron; ``averaged=False`` gives the plain one.

    Parameters
    ----------
    templates, min_count, transitions, decoder
        As in :class:`StructuredClassifier`.
    nr_rounds, averaged, seed, order, track_objective, progress
        As in :class:`OnlineClassifier`. A cost matrix is not used.

    Examples
    --------
    "saw" is a noun or a verb; the previous word decides.

    >>> X = [["I", "saw", "it"], ["a", "saw", "cut", "it"], ["I", "cut", "a", "cut"]]
    >>> y = [["PRON", "VERB", "PRON"], ["DET", "NOUN", "VERB", "PRON"], ["PRON", "VERB", "DET", "NOUN"]]
    >>> tagger = StructuredPerceptron(templates=["word"])
    >>> params = tagger.train(X, y)
    >>> tagger.test([["a", "cut"], ["I", "saw", "a", "saw"]], params)
    [['DET', 'NOUN'], ['PRON', 'VERB', 'DET', 'NOUN']]
    """

    name = "Structured perceptron"
