"""Linear classifiers, one file per algorithm.

==============================  ============================================================================
``online_loop.py``              the loop of every online learner, as the guide prints it: read this first
``linear_classifier.py``        what all share: test, evaluate, scores, labels, save and load
``naive_bayes.py``              naive Bayes by the kind of input: Gaussian or multinomial
``gaussian_naive_bayes.py``     Gaussian class conditionals; ``gaussian_weights.py``: as a linear classifier
``multinomial_naive_bayes.py``  bags of words; ``bernoulli_naive_bayes.py``: sets of words
``nbsvm.py``                    an SVM on features that naive Bayes has weighed
``online_classifier.py``        that loop at work: settings, order, rounds, history
``perceptron.py``               a rule for that loop
``running_average.py``          the averaged perceptron by itself: its running sum, for reading
``mira.py``                     a rule for that loop
``passive_aggressive.py``       a rule for that loop: MIRA's step wherever a margin is missing
``column_squishing.py``         a rule for that loop: the least change that satisfies all rivals at once
``arow.py``                     a rule that sees how sure the weights are: unsure ones move most
``confidence_weighted.py``      another: right with a given probability
``stochastic_gradient.py``      the steps and the shrinking that the next two share
``svm.py``                      a rule for that loop: the hinge loss; or the optimum, by ``svm_dual.py``
``max_ent_online.py``           a rule for that loop: the log loss
``max_ent_batch.py``            maximum entropy to its optimum: L-BFGS (``lbfgs.py``), or
``owl_qn.py``                   … with sparse weights (L1), and their ``regularization_path.py``, or
``max_ent_dual.py``             … dual coordinate ascent, or
``conjugate_gradient.py``       … non-linear conjugate gradient, or
``gradient_descent.py``         … gradient descent with Armijo backtracking, or
``iterative_scaling.py``        … generalized iterative scaling, with its moment matching
``batch_gradient.py``           … and their gradient by itself, for reading
``choosing_lambda.py``          λ chosen on the development part
``max_ent_model.py``            the probabilities of a maximum-entropy model, however trained
``binary_perceptron.py``        two classes, one weight vector, labels ±1
``mistake_bounds.py``           how many mistakes a perceptron can make at most
``structured.py``               the learners of tag sequences together; each has its file: ``structured_perceptron.py``,
                                ``structured_mira.py``, ``structured_svm.py``, ``crf.py``
``structured_classifier.py``    what they share: the flat rounds with a bigger argmax; ``structured_gradient.py``: with steps
``viterbi.py``                  that argmax; ``k_best.py``: the k best, and the step of MIRA that leads them all;
                                ``forward_backward.py``: the sums in its place, for ``crf.py``
``joint_features.py``           what a sentence and its tags score by; ``tag_features.py``: of its words
``hashed_features.py``          a word's column and sign from its hash, for reading
``parameter_mixing.py``         what several parts have learnt, mixed, for reading
``domain_adaptation.py``        for any of them: what is learnt from one domain is to serve another one
``losses.py``                   the log loss, the hinge loss and the perceptron's
``run_all_classifiers.py``      the comparison of them all
==============================  ============================================================================

Their classes can be imported from here, too: ``from classifiers import Mira``. Each file is imported when it is needed.
"""

from importlib import import_module

import lxmls_day1  # noqa: F401  # which finds the files that are not in this folder

_FILE_OF = {
    "AROW": "arow",
    "BernoulliNaiveBayes": "bernoulli_naive_bayes",
    "BinaryPerceptron": "binary_perceptron",
    "CRF": "crf",
    "ColumnSquishing": "column_squishing",
    "ConfidenceWeighted": "confidence_weighted",
    "GaussianNaiveBayes": "gaussian_naive_bayes",
    "LinearClassifier": "linear_classifier",
    "MaxEntBatch": "max_ent_batch",
    "MaxEntOnline": "max_ent_online",
    "Mira": "mira",
    "MultinomialNaiveBayes": "multinomial_naive_bayes",
    "NBSVM": "nbsvm",
    "NaiveBayes": "naive_bayes",
    "OnlineClassifier": "online_classifier",
    "PassiveAggressive": "passive_aggressive",
    "PassiveAggressive2": "passive_aggressive",
    "Perceptron": "perceptron",
    "SVM": "svm",
    "StructuredClassifier": "structured_classifier",
    "StructuredGradient": "structured_gradient",
    "StructuredMira": "structured_mira",
    "StructuredPerceptron": "structured_perceptron",
    "StructuredSVM": "structured_svm",
    "compiled": "online_classifier",
    "second_order": "online_classifier",
}

__all__ = list(_FILE_OF)


def __getattr__(name: str) -> object:
    """A class of one of the files, which is imported now."""
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)


def __dir__() -> list[str]:
    """The names in this table, and what is there already: for completion."""
    return sorted({*globals(), *__all__})
