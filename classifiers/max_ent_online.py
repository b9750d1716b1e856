"""Maximum entropy (multinomial logistic regression) by stochastic gradient descent.

The objective is −(1/M) Σ log p_W(y | x) + (λ/2) ‖W‖² with p_W(y | x) = softmax(s)_y. The step on one example is

    d = η_t (e_y − p)

after the weights have shrunk by 1 − η_t λ.

Source: the guide, eq. 1.31-1.32 and algorithm 5.
"""

import numpy as np

from classifiers.losses import log_loss
from classifiers.max_ent_model import MaxEntModel
from classifiers.online_classifier import compiled
from classifiers.stochastic_gradient import StochasticGradient


@compiled
def max_ent_rule(scores: np.ndarray, label: int, sq_norm: float, step: float, cost: np.ndarray) -> np.ndarray:
    """d = η (e_y − p) (K,), p = softmax(scores). The largest score is subtracted first, so that nothing overflows.

    >>> max_ent_rule(np.array([1000.0, 1000.0]), 1, 1.0, 1.0, np.array([1.0, 0.0]))
    array([-0.5,  0.5])
    """
    # exercise 1.6: solution (4 lines)
    d = np.exp(scores - scores.max())
    d *= -step / d.sum()  # −η p
    d[label] += step
    return d
    # exercise 1.6: end


class MaxEntOnline(MaxEntModel, StochasticGradient):
    """A maximum-entropy model trained one example at a time.

    Parameters
    ----------
    regularizer, nr_rounds, initial_step, alpha, averaged, seed, order, track_objective, progress, n_jobs
        As in :class:`StochasticGradient`. A cost matrix is not used.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> maxent = MaxEntOnline(regularizer=0.1)
    >>> params = maxent.train(X, y)
    >>> maxent.evaluate(y, maxent.test(X, params))
    1.0
    """

    name = "Maximum entropy, online"
    listed = {
        "Maximum entropy, online": {
            "colours": ("#4FA8A0", "#9CEBE0"),
            "dash": (9, 2),
            "order": 120,
            "settings": {"regularizer": 2.0},
        }
    }
    rule = staticmethod(max_ent_rule)

    def losses(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return log_loss(scores, labels)


MaxEnt_online = MaxEntOnline  # the guide's spelling
