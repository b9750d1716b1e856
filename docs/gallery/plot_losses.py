"""
Three losses
============

The loss as a function of the margin. The perceptron's loss is positive for mistakes, the SVM's for margins below 1. The loss of maximum
entropy is always positive, but decreases.
"""

import matplotlib.pyplot as plt
import numpy as np

from lxmls_day1.figures.style import line_style

margin = np.linspace(-2.5, 3, 200)
losses = {
    "Perceptron": np.maximum(0, -margin),
    "SVM": np.maximum(0, 1 - margin),
    "Maximum entropy": np.log1p(np.exp(-margin)),
}
fig, axis = plt.subplots(figsize=(9, 5), layout="constrained")
for name, loss in losses.items():
    axis.plot(margin, loss, **line_style(name), linewidth=2, label=name)
axis.plot(margin, margin <= 0, color="0.4", linewidth=1, label="a mistake counts 1")
axis.set(xlabel="margin $s_y - s_{y'}$, two classes", ylabel="loss", ylim=(-0.05, 3))
axis.legend()
