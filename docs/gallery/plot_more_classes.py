"""
Regions of three classes
========================

A linear classifier of K classes is an argmax over K scores. Each region is an intersection of half-planes.
"""

# %%
# Left: class 0 beats class 1, and it beats class 2. Middle: the argmax, one region for each class. Right: three binary decisions
# $s_k > 0$ leave points with two classes and points without a class.

import matplotlib.pyplot as plt
import numpy as np

from lxmls_day1.figures.regions import plot_regions

params = np.array([[-0.9, -1.1, -1.3], [-1.2, 1.3, 0.1], [0.7, 0.6, -1.4]])  # (J + 1, K): J = 2, K = 3
fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="compressed")
plot_regions(params, list(axes))
