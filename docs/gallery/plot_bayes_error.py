"""
The Bayes error is an area
==========================

Even the best classifier makes mistakes if the classes overlap. Its error is the area below the lower of the two curves p(y) p(z | y).
"""

# %%
# Along the line through both means the problem has one dimension, z. On the left both classes are equally frequent. On the right
# class 0 has nine of ten examples, and the best boundary moves away from its mean.

import matplotlib.pyplot as plt
import numpy as np

from lxmls_day1.figures.overlap import plot_overlap
from readers import SimpleDataSet

fig, axes = plt.subplots(2, 2, figsize=(12, 6.5), layout="constrained", sharex="col", height_ratios=[3, 2])
for column, balance in zip(axes.T, (0.5, 0.9), strict=True):
    data = SimpleDataSet(balance=balance)
    plot_overlap([balance, 1 - balance], float(np.linalg.norm(data.means[1] - data.means[0])), 1.0, *column)
    column[0].set_title(f"p(0) = {balance:g}: Bayes error {data.get_bayes_error():.4f}")
