"""Decorators for update rules: ``compiled`` runs a rule as machine code, ``second_order`` gives it the variances of the scores.

A rule is a pure function of a few lines; ``online_classifier.py`` lists its arguments and its return value.
"""

from collections.abc import Callable
from typing import Any


def compiled(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Mark an update rule to be run as machine code (see :class:`classifiers.online_classifier.OnlineClassifier`).

    The function itself does not change. It is compiled when a learner first trains with it, and the machine code is cached on
    disk. If it cannot be compiled, a warning gives the reason and the Python function runs instead.

    Examples
    --------
    >>> import numpy as np
    >>> @compiled
    ... def rest(scores, label, sq_norm, step, cost):
    ...     return np.zeros(len(scores))
    >>> rest.compiled, rest(np.array([1.0, 2.0]), 0, 1.0, 1.0, np.zeros(2))
    (True, array([0., 0.]))
    """
    rule.compiled = True
    return rule


def second_order(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Mark an update rule that reads the variances of the scores and shrinks the variances of the weights.

    Every weight then has a variance Σ_jk, 1 at the start. The rule is ``rule(scores, label, variances, step, cost) -> (d, b)``:

    =========  ===============  =========================================================================
    variances  (K,)             the variance of each score: Σ_j Σ_jk g_j²
    d          (K,)             the update: d_k Σ_k ∘ g(x) is added to the weights of class k
    b          (K,)             the shrinkage: b_k (Σ_k ∘ g(x))² is subtracted from the variances of class k
    =========  ===============  =========================================================================

    Examples
    --------
    >>> import numpy as np
    >>> @second_order
    ... def rest(scores, label, variances, step, cost):
    ...     return np.zeros(len(scores)), np.zeros(len(scores))
    >>> rest.second_order
    True
    """
    rule.second_order = True
    return rule
