"""Gaussian naive Bayes as a linear classifier: its weights from the priors, the means and one variance that all classes share.

``gaussian_naive_bayes.py`` estimates the priors and means, and classifies.

Source: the guide, section 1.2.1, exercise 1.3.
"""

import numpy as np


def gaussian_weights(prior: np.ndarray, means: np.ndarray, variance: float) -> np.ndarray:
    """Return b_y and w_y such that the class with the highest score b_y + w_y · x is the most probable under p(y) N(x; μ_y, σ² I).

    Parameters
    ----------
    prior : array (K,)
        p(y), all positive.
    means : array (K, J)
        μ_y, a row for each class.
    variance : float
        σ², greater than 0.

    Returns
    -------
    array (J + 1, K)
        Row 0 holds the b_y, the rows below it the w_y, with a column for each class. Terms that are the same for all classes may be
        left out.

    Examples
    --------
    Two balanced classes with the means −1 and 1: the boundary is halfway between them.

    >>> params = gaussian_weights(np.array([0.5, 0.5]), np.array([[-1.0], [1.0]]), 2.0)
    >>> b, w = params[:, 1] - params[:, 0]
    >>> float(-b / w) + 0.0
    0.0
    """
    # exercise 1.3: solution (3 lines)
    intercepts = np.log(prior) - (means**2).sum(axis=1) / (2 * variance)  # (K,)
    weights = means / variance  # (K, J)
    return np.vstack([intercepts, weights.T])
    # exercise 1.3: end
