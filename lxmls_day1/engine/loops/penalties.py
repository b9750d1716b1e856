"""The default strength of a penalty, (λ/2) ‖W‖² or λ Σ |w_jk|, and a warning if it is far too strong.

The guide's λ = 1 suits its reviews, which have some hundred words each. For short texts, or many classes, weights that fit
an example are longer than such a penalty allows, so training leaves them near W = 0. λ = 2/M, with M the number of
training examples, equals scikit-learn's C = 1 for two classes and is a good start for any text.
"""

import warnings
from typing import Any

MIN_LOSS_REDUCTION = 0.1  # Warn if training reduces the loss by less than this share of the loss at W = 0.
LARGE_PENALTY_FACTOR = 10.0  # Warn only if λ is larger than 2/M by this factor.
PENALIZED = ("StochasticGradient", "MaxEntBatch")  # Compared by name, so that classes of another lab folder match.


class LargePenaltyWarning(UserWarning):
    """λ is so large that training hardly reduces the loss."""


def default_regularizer(n_examples: float) -> float:
    """Return the default regularizer, λ = 2/M.

    Examples
    --------
    >>> default_regularizer(1600)
    0.00125
    """
    return 2.0 / n_examples


def is_penalized(learner: Any) -> bool:
    """Return True if a learner minimises a mean loss plus a penalty and accepts any λ > 0.

    Examples
    --------
    >>> from lxmls_day1.classifiers import SVM, MaxEntBatch, Mira
    >>> [is_penalized(learner) for learner in (SVM(), Mira(), MaxEntBatch(), MaxEntBatch(solver="gis"))]
    [True, False, True, False]
    """
    minimises = any(kind.__name__ in PENALIZED for kind in type(learner).__mro__)
    return minimises and getattr(learner, "solver", None) != "gis" and not hasattr(learner, "templates")


def is_large_penalty(learner: Any, n_examples: int) -> bool:
    """Return True if λ is so large that the reduction of the loss should be checked."""
    return is_penalized(learner) and learner.regularizer > LARGE_PENALTY_FACTOR * default_regularizer(n_examples)


def warn_if_penalty_too_large(learner: Any, at_zero: float, loss: float, n_examples: int) -> None:
    """Warn that λ is too large if training has hardly reduced the mean loss.

    Parameters
    ----------
    learner : classifier
    at_zero, loss : float
        The mean loss at W = 0 and after training.
    n_examples : int
        M.
    """
    if is_large_penalty(learner, n_examples) and at_zero - loss < MIN_LOSS_REDUCTION * at_zero:
        warnings.warn(
            f"{learner.get_name()}: with regularizer (λ) = {learner.regularizer:g} the penalty keeps the weights so "
            f"close to 0 that the mean loss falls only from {at_zero:.3f} to {loss:.3f}; try "
            f"regularizer={default_regularizer(n_examples):.2g}, which is 2/M for {n_examples} training examples",
            LargePenaltyWarning,
            stacklevel=2,
        )
