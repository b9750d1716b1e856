"""How an update rule is marked: to be run as machine code, or to see how sure the scores are.

A rule is a pure function of a few lines; ``online_classifier.py`` says what goes in and what comes out.
"""

from collections.abc import Callable
from typing import Any


def compiled(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Mark an update rule as one to be run as machine code (see :class:`classifiers.online_classifier.OnlineClassifier`).

    The rule stays the Python function that it was. It is compiled when a learner first trains with it, and the machine
    code is kept on disk; if it cannot be compiled, a warning says why and the Python function runs.

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
    """Mark an update rule as one that sees how sure the scores are, and that shrinks the variances of the weights.

    Every weight has a variance Σ_jk then, 1 at the start. The rule is ``rule(scores, label, variances, step, cost) -> (d, b)``:

    =========  ===============  =========================================================================
    variances  (K,)             those of the scores: Σ_j Σ_jk g_j²
    d          (K,)             what to add: the weights of class k get d_k Σ_k ∘ g(x)
    b          (K,)             what to take from the variances: those of class k lose b_k (Σ_k ∘ g(x))²
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
