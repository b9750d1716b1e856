"""
The mistake bound
=================

After n mistakes the weights have moved at least n γ along the separator, and their length is at most √n R. So n ≤ (R/γ)².
"""

# %%
# The line x_1 + x_2 = 0 separates the points. The points nearest to the line come first, which is a hard order.

import matplotlib.pyplot as plt
import numpy as np

from lxmls_day1.figures.updates import plot_envelopes

u = np.array([0.0, 1.0, 1.0]) / np.sqrt(2)  # the separator, of length 1, its intercept first
X = np.random.default_rng(3).uniform(-3, 3, size=(400, 2))
X = X[np.abs(X @ u[1:]) >= 0.3]
X = X[np.argsort(np.abs(X @ u[1:]))]
y, G = np.sign(X @ u[1:]), np.hstack([np.ones((len(X), 1)), X])
margin, radius = np.min(y * (G @ u)), np.linalg.norm(G, axis=1).max()

w, progress, lengths, right_in_a_row = np.zeros(3), [], [], 0
while right_in_a_row < len(X):
    for label, g in zip(y, G, strict=True):
        right_in_a_row += 1
        if label * (w @ g) <= 0:
            w, right_in_a_row = w + label * g, 0
            progress.append(u @ w)
            lengths.append(np.linalg.norm(w))

fig, axis = plt.subplots(figsize=(9, 5.4), layout="constrained")
plot_envelopes(progress, lengths, float(margin), float(radius), axis)
print(f"{len(progress)} mistakes; the bound is (R/γ)² = {(radius / margin) ** 2:.1f}")
