"""The structured learners by one name: ``from classifiers.structured import StructuredPerceptron``.

===============================  =====================================================================
``structured_classifier.py``     the rounds over sentences, which ask a flat learner's rule for each step
``structured_perceptron.py``     the rule of ``perceptron.py`` on tag sequences
``structured_mira.py``           the rule of ``mira.py`` on tag sequences
``structured_svm.py``            the rule of ``svm.py`` on tag sequences
``crf.py``                       maximum entropy on tag sequences
``structured_gradient.py``       the steps of the last two
``forward_backward.py``          sums over all tag sequences
``viterbi.py``                   the search for the best tag sequence
``tag_features.py``              what a tagger sees of a word
===============================  =====================================================================
"""

from classifiers.crf import CRF
from classifiers.structured_classifier import StructuredClassifier
from classifiers.structured_mira import StructuredMira
from classifiers.structured_perceptron import StructuredPerceptron
from classifiers.structured_svm import StructuredSVM

__all__ = ["CRF", "StructuredClassifier", "StructuredMira", "StructuredPerceptron", "StructuredSVM"]
