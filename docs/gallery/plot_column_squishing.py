"""
Column squishing
================

Column squishing makes the smallest change of the weights after which the true class leads *all* rivals by its margin. Columns whose
scores are too high are lowered to a common level, and the column of the true class is raised to that level.
"""

import matplotlib.pyplot as plt

from lxmls_day1.figures.squishing import plot_squishing

gaps = [2.996, 1.641]  # C_i of the rivals: the excess of each score, divided by the squared length of the example
fig, axes = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
plot_squishing(gaps, ["class 2, true", "class 1", "class 0"], list(axes))
