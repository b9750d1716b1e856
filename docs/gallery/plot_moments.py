"""
Moment matching
===============

At the optimum of maximum entropy without a penalty, the expected value of every feature equals its mean in the data. Iterative scaling
reaches this optimum by multiplicative updates.
"""

# %%
# Each marker is a feature of a class. The horizontal axis is its mean in the data, the vertical axis its expected value in the model.

from itertools import islice

import numpy as np
from scipy.special import softmax

from classifiers.solvers.iterative_scaling import scale_max_ent
from lxmls_day1.figures.moments import plot_moments

X = np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [0.0, 1.0, 3.0], [1.0, 1.0, 1.0]])
y = np.array([0, 1, 0, 1, 1])
G = np.hstack([np.ones((len(X), 1)), X])  # (M, J + 1)


def expected(W: np.ndarray) -> np.ndarray:
    """Return the mean of g(x) p(y | x) over the data: the model's expected value of each feature of each class."""
    return G.T @ softmax(G @ W, axis=1) / len(G)


empirical = G.T @ np.eye(2)[y] / len(G)
for scaling in islice(scale_max_ent(X, y, 2), 300):
    weights = scaling.weights
before, after = (empirical, expected(np.zeros((4, 2)))), (empirical, expected(weights))
fig, axis = plot_moments(before, after, title="before, and after 300 iterations")
