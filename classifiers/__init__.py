"""Linear classifiers, one file per algorithm.

Start with ``online_loop.py``, the loop of every online learner as the guide prints it; ``perceptron.py``, ``mira.py``,
``svm.py`` and ``max_ent_online.py`` are rules for it. ``linear_classifier.py`` holds the methods that all classifiers
share: test, evaluate, scores, labels, save and load. ``naive_bayes.py`` chooses between the generative models,
``max_ent_batch.py`` finds the optimum of maximum entropy, and ``run_all_classifiers.py`` compares all classifiers. The
first lines of each file say what it is for; `lxmls-day1 docs` opens a book with a page that lists them.

Topics beyond the first day have their own folders, each with an overview in its ``__init__.py``:

=================  =========================================================================
``solvers/``       optimisers for maximum entropy and the SVM
``second_order/``  rules that use the variances of the weights: AROW, confidence-weighted
``structured/``    tag sequences: perceptron, MIRA, SVM, conditional random fields
``domains/``       domain adaptation: train on one domain, predict on another
``large/``         corpora larger than memory: hashed features, parameter mixing
=================  =========================================================================

A module of a topic can also be imported without its folder: ``from classifiers.crf import CRF``.
All classes can also be imported from here: ``from classifiers import Mira``. Each file is imported only when it is needed.
"""

from lxmls_day1.lab_api import offered_names

#: The public names that are not learners. A learner (a class with a ``name``) needs no entry: it is found by its file.
_FILES_OF_OTHER_NAMES = {
    "LinearClassifier": "linear_classifier",
    "NaiveBayes": "naive_bayes",
    "OnlineClassifier": "online_classifier",
    "StructuredGradient": "structured.structured_gradient",
    "compiled": "online_classifier",
}

__getattr__, __dir__ = offered_names(__name__, __file__, _FILES_OF_OTHER_NAMES)
