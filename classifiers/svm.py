"""The multi-class support vector machine by stochastic subgradient descent.

The objective is (1/M) Σ max_y' [s_y' + ρ(y', y)] − s_y + (λ/2) ‖W‖², and a step on one example is

    d = η_t (e_y − e_ỹ),    ỹ = argmax_y' s_y' + ρ(y', y)

with ỹ the cost-augmented prediction: the class that violates the margin most. The weights shrink by 1 − η_t λ first.

Sources: K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2,
2001; S. Shalev-Shwartz et al., Pegasos, 2007; the guide, eq. 1.34-1.35 and algorithm 6. Its (1.35) leaves out the 1/M,
and its algorithm 6 the shrinking, which its own objective requires.
"""

import numpy as np

from classifiers.losses import hinge_loss
from classifiers.online_classifier import compiled
from classifiers.stochastic_gradient import StochasticGradient
from lxmls_day1.checks import check_costs


@compiled
def svm_rule(scores, label, sq_norm, step, cost):
    """d = η (e_y − e_ỹ), which is 0 where the true class wins by its margin.

    Right, but by less than the margin of 1:

    >>> svm_rule(np.array([2.5, 2.0]), 0, 1.0, 0.5, np.array([0.0, 1.0]))
    array([ 0.5, -0.5])
    """
    d = np.zeros_like(scores)
    augmented = np.argmax(scores + cost)
    if augmented != label:
        d[label] = step
        d[augmented] = -step
    return d


class SVM(StochasticGradient):
    """A linear multi-class SVM.

    Parameters
    ----------
    regularizer, nr_rounds, initial_step, alpha, averaged, seed, order, cost, track_objective, progress
        As in :class:`StochasticGradient`.

    Examples
    --------
    >>> X, y = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]], [0, 0, 1, 1]
    >>> svm = SVM(regularizer=0.1)
    >>> params = svm.train(X, y)
    >>> svm.evaluate(y, svm.test(X, params))
    1.0
    """

    name = "SVM"
    rule = staticmethod(svm_rule)

    def losses(self, scores, labels):
        return hinge_loss(scores, labels, check_costs(self.cost, scores.shape[1]))
