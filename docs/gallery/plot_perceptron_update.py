"""
One update of the perceptron
============================

After a mistake on a point of class 0, its vector is subtracted from the weights of class 1 and added to those of class 0. So the arrow
w = w_1 − w_0 changes by minus twice the point, and the boundary turns.
"""

import matplotlib.pyplot as plt
import numpy as np

from lxmls_day1.figures.updates import plot_update

points, labels = np.array([[2.0, 1.0], [1.0, -2.0], [-1.0, 1.0]]), np.array([1, 0, 0])
weights = [np.zeros((3, 2))]
for x, label in zip(points, labels, strict=True):
    g = np.array([1.0, *x])
    d = np.eye(2)[label] - np.eye(2)[np.argmax(g @ weights[-1])]
    weights.append(weights[-1] + np.outer(g, d))

fig, axes = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
plot_update(points, labels, 2, weights[2], weights[3], list(axes))
