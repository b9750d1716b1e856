"""
Optimisation paths
==================

Maximum entropy with two weights: L-BFGS estimates the curvature, gradient descent follows the steepest slope, and stochastic
gradient descent follows the gradient of one example at a time.
"""

from itertools import islice

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from classifiers.solvers.gradient_descent import gradient_descent
from classifiers.solvers.lbfgs import lbfgs
from lxmls_day1.figures.descents import plot_descents
from readers import SimpleDataSet

data = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], split=[0.5, 0, 0.5])
# (M, 2); v·z > 0 is a correct prediction
Z = data.train_X @ [[1.5, 1.5], [-0.3, 0.3]] * (2 * data.train_y - 1)[:, None]


def objective(v: np.ndarray) -> tuple[float, np.ndarray]:
    """Return F and its gradient: the mean of log (1 + exp(−v·z)) plus the penalty with λ = 0.01."""
    value = np.logaddexp(0, -Z @ v).mean() + 0.005 * v @ v
    return value, -expit(-Z @ v) @ Z / len(Z) + 0.01 * v


start = np.array([-2.0, -1.0])
paths = {
    "L-BFGS": [point.x for point in islice(lbfgs(objective, start), 12)],
    "gradient descent": [point.x for point in islice(gradient_descent(objective, start), 41)],
    "stochastic gradient, 3 rounds": [start],
}
v, order = start, np.random.default_rng(1)
for t, z in enumerate(Z[np.concatenate([order.permutation(len(Z)) for _ in range(3)])], start=1):
    step = 1 / (0.01 * (t + 100))
    v = (1 - step * 0.01) * v + step * expit(-z @ v) * z
    paths["stochastic gradient, 3 rounds"].append(v)

fig, axis = plt.subplots(figsize=(11, 6), layout="compressed")
plot_descents(lambda v: objective(v)[0], paths, axis, xlim=(-4, 3.2), ylim=(-1.5, 4.5))
axis.set(xlabel="first weight", ylabel="second weight", aspect="equal")
axis.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
