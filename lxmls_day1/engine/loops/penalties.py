"""How strong a penalty, (λ/2) ‖W‖² or λ Σ |w_jk|, should be where nobody has said, and a warning where one is far too strong.

The guide's λ = 1 suits its reviews, some hundred words each. In short texts, or with many classes, the weights that fit an example are
longer than such a penalty allows: whatever they are trained on, they stay near W = 0. λ = 2/M, with M the number of training examples, is
scikit-learn's C = 1 for two classes, and a good start for any text.
"""

import warnings
from typing import Any

SHARE = 0.1  # of the loss at W = 0: falls that are smaller are told
TIMES = 10.0  # 2/M: only a λ so much larger is warned of
PENALIZED = ("StochasticGradient", "MaxEntBatch")  # by their names, for those of another lab count too


class LargePenalty(UserWarning):
    """λ is so large that training hardly lets the loss fall."""


def usual_regularizer(n_examples: float) -> float:
    """λ = 2/M.

    Examples
    --------
    >>> usual_regularizer(1600)
    0.00125
    """
    return 2.0 / n_examples


def is_penalized(learner: Any) -> bool:
    """Whether a learner minimises a mean loss plus a penalty, and takes any λ > 0.

    Examples
    --------
    >>> from lxmls_day1.classifiers import SVM, MaxEntBatch, Mira
    >>> [is_penalized(learner) for learner in (SVM(), Mira(), MaxEntBatch(), MaxEntBatch(solver="gis"))]
    [True, False, True, False]
    """
    kinds = {kind.__name__ for kind in type(learner).__mro__}
    return not (
        getattr(learner, "solver", None) == "gis" or hasattr(learner, "templates") or kinds.isdisjoint(PENALIZED)
    )


def is_large(learner: Any, n_examples: int) -> bool:
    """Whether λ is so large that it is worth a look what the loss has fallen by."""
    return is_penalized(learner) and learner.regularizer > TIMES * usual_regularizer(n_examples)


def warn_of_penalty(learner: Any, at_zero: float, loss: float, n_examples: int) -> None:
    """Say that λ is too large, if the mean loss has hardly fallen.

    Parameters
    ----------
    learner : classifier
    at_zero, loss : float
        The mean loss at W = 0 and after training.
    n_examples : int
        M.
    """
    if is_large(learner, n_examples) and at_zero - loss < SHARE * at_zero:
        warnings.warn(
            f"{learner.get_name()}: with regularizer (λ) = {learner.regularizer:g} the penalty keeps the weights so close to 0 that the "
            f"mean loss falls only from {at_zero:.3f} to {loss:.3f}; try regularizer={usual_regularizer(n_examples):.2g}, which is 2/M for "
            f"{n_examples} training examples",
            LargePenalty,
            stacklevel=2,
        )
