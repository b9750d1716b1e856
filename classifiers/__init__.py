"""Linear classifiers, one file per algorithm.

Where to begin: ``online_loop.py`` is the loop of every online learner, as the guide prints it, and ``perceptron.py``,
``mira.py``, ``svm.py`` and ``max_ent_online.py`` are rules for it. ``linear_classifier.py`` is what all classifiers
share: test, evaluate, scores, labels, save and load. ``naive_bayes.py`` chooses between the generative models,
``max_ent_batch.py`` finds the optimum of maximum entropy, and ``run_all_classifiers.py`` compares them all. The first
lines of each file say what it is for; `lxmls-day1 docs` opens a book with a page that lists them.

Topics beyond the day have folders of their own, with a map in each ``__init__.py``:

=================  =========================================================================
``solvers/``       how maximum entropy and the SVM reach their optimum
``second_order/``  rules that see how sure the weights are: AROW, confidence-weighted
``structured/``    tag sequences: perceptron, MIRA, SVM, conditional random fields
``domains/``       what is learnt from one domain is to serve another one
``large/``         corpora larger than memory: hashed features, mixing of parts
=================  =========================================================================

A module of a topic is found without its folder, too: ``from classifiers.crf import CRF``.
Their classes can be imported from here, too: ``from classifiers import Mira``. Each file is imported when it is needed.
"""

from lxmls_day1.lab_api import offered_names

#: The names that are no learners. A learner, a class with a ``name``, is offered by its file alone.
_OTHERS = {
    "LinearClassifier": "linear_classifier",
    "NaiveBayes": "naive_bayes",
    "OnlineClassifier": "online_classifier",
    "StructuredGradient": "structured.structured_gradient",
    "compiled": "online_classifier",
}

__getattr__, __dir__ = offered_names(__name__, __file__, _OTHERS)
