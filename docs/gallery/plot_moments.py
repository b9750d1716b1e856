"""
Moment matching
===============

At the optimum of maximum entropy without a penalty, the model expects of every feature what the data show. Iterative scaling
multiplies its way there.
"""

# %%
# Each mark is a feature of a class: what the data say across, what the model expects upwards.

import numpy as np

from classifiers.iterative_scaling import iterative_scaling
from lxmls_day1.figures.moments import plot_moments

X = np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [0.0, 1.0, 3.0], [1.0, 1.0, 1.0]])
y = [0, 0, 1, 1, 1]
scaling = list(iterative_scaling(X, y, 60))
first, last = scaling[0], scaling[-1]
fig, axis = plot_moments((first.empirical, first.expected), (last.empirical, last.expected), title="60 iterations")
