"""Tag sequences: ``from classifiers.structured import StructuredPerceptron``.

===============================  =====================================================================
``structured_classifier.py``     the rounds over sentences, which call a flat learner's rule for each step
``structured_perceptron.py``     the rule of ``perceptron.py`` on tag sequences
``structured_mira.py``           the rule of ``mira.py`` on tag sequences
``structured_svm.py``            the rule of ``svm.py`` on tag sequences
``crf.py``                       maximum entropy on tag sequences
``structured_gradient.py``       the step sizes of ``structured_svm.py`` and ``crf.py``
``viterbi.py``                   the search for the best tag sequence
``k_best.py``                    the k best sequences, and MIRA's step with k constraints
``forward_backward.py``          sums over all tag sequences, instead of the search
``joint_features.py``            the features Φ(x, y) of a sentence and its tags
``tag_features.py``              the features of a word
===============================  =====================================================================
"""

import classifiers as learners

__all__ = ["CRF", "StructuredClassifier", "StructuredMira", "StructuredPerceptron", "StructuredSVM"]


def __getattr__(name: str) -> object:
    """Import the file of a class when the class is needed, and return the class."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(learners, name)
