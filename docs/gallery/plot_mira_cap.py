"""
MIRA's step and its cap
=======================

MIRA takes the shortest step that classifies the example correctly with a margin, but never a step longer than 1/λ.
"""

# %%
# One example of class 0 with the scores −1 and 2, and ‖g(x)‖² = 5. Without the cap, the step is τ = (3 + 1)/(2 · 5) = 0.4.

import matplotlib.pyplot as plt
import numpy as np

from classifiers.mira import mira_rule
from lxmls_day1.figures.style import line_style

scores, sq_norm, cost = np.array([-1.0, 2.0]), 5.0, np.array([0.0, 1.0])
regularizers = np.geomspace(0.5, 50, 200)
tau = np.array([mira_rule(scores, 0, sq_norm, 1 / value, cost)[0] for value in regularizers])
margin = scores[0] - scores[1] + 2 * sq_norm * tau

fig, axes = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
style = line_style("MIRA")
axes[0].plot(regularizers, tau, **style, linewidth=2)
axes[0].plot(regularizers, 1 / regularizers, color="0.4", linestyle=":", label="the cap 1/λ")
axes[0].set(xscale="log", xlabel="λ", ylabel="τ", ylim=(0, 0.6), title="length of the step")
axes[0].legend()
axes[1].plot(regularizers, margin, **style, linewidth=2)
axes[1].axhline(1, color="0.4", linestyle=":", label="the wanted margin")
axes[1].set(xscale="log", xlabel="λ", ylabel="margin", title="margin after the step (before: −3)")
axes[1].legend()
