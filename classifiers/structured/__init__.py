"""Tag sequences: ``from classifiers.structured import StructuredPerceptron``.

===============================  =====================================================================
``structured_classifier.py``     the rounds over sentences, which ask a flat learner's rule for each step
``structured_perceptron.py``     the rule of ``perceptron.py`` on tag sequences
``structured_mira.py``           the rule of ``mira.py`` on tag sequences
``structured_svm.py``            the rule of ``svm.py`` on tag sequences
``crf.py``                       maximum entropy on tag sequences
``structured_gradient.py``       the steps of the last two
``viterbi.py``                   the search for the best tag sequence
``k_best.py``                    the k best, and the step of MIRA that leads them all
``forward_backward.py``          sums over all tag sequences, in place of the search
``joint_features.py``            what a sentence and its tags score by
``tag_features.py``              what a tagger sees of a word
===============================  =====================================================================
"""

import classifiers as learners

__all__ = ["CRF", "StructuredClassifier", "StructuredMira", "StructuredPerceptron", "StructuredSVM"]


def __getattr__(name: str) -> object:
    """A class of one of the files, which is imported now."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(learners, name)
