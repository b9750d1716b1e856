"""Linear classifiers, one file per algorithm.

==============================  ============================================================================
``online_loop.py``              the loop of every online learner, as the guide prints it: read this first
``linear_classifier.py``        what all share: test, evaluate, scores, labels, save and load
``naive_bayes.py``              naive Bayes by the kind of input: Gaussian or multinomial
``gaussian_naive_bayes.py``     Gaussian class conditionals; ``gaussian_weights.py``: as a linear classifier
``multinomial_naive_bayes.py``  bags of words; ``bernoulli_naive_bayes.py``: sets of words
``nbsvm.py``                    an SVM on features that naive Bayes has weighed
``online_classifier.py``        that loop at work: settings, order, rounds, history
``rules.py``                    how a rule is marked: compiled, or of second order
``perceptron.py``               a rule for that loop
``running_average.py``          the averaged perceptron by itself: its running sum, for reading
``mira.py``                     a rule for that loop
``passive_aggressive.py``       a rule for that loop: MIRA's step wherever a margin is missing
``column_squishing.py``         a rule for that loop: the least change that satisfies all rivals at once
``stochastic_gradient.py``      the steps and the shrinking that the next two share
``svm.py``                      a rule for that loop: the hinge loss; or the optimum, by one of the ``solvers/``
``max_ent_online.py``           a rule for that loop: the log loss
``max_ent_batch.py``            maximum entropy to its optimum, by one of the ``solvers/``
``batch_gradient.py``           the gradient of that by itself, for reading
``choosing_lambda.py``          λ chosen on the development part
``regularization_path.py``      sparse weights over λ, from none on
``max_ent_model.py``            the probabilities of a maximum-entropy model, however trained
``binary_perceptron.py``        two classes, one weight vector, labels ±1
``mistake_bounds.py``           how many mistakes a perceptron can make at most
``losses.py``                   the log loss, the hinge loss and the perceptron's
``run_all_classifiers.py``      the comparison of them all
==============================  ============================================================================

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
