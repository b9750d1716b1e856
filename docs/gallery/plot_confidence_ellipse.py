"""
A variance for each weight: AROW
================================

AROW keeps a variance for each weight. One word occurs in every document, the other in every fifth: the ellipse shrinks fastest in the
direction of the frequent word.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

from classifiers import AROW
from lxmls_day1.engine.corpus_training import resume
from lxmls_day1.figures.style import line_style

rng = np.random.default_rng(3)
signs = rng.choice([-1, 1], 60)
present = np.column_stack([np.ones(60), rng.random(60) < 0.2])
X, y = present * (0.5 * signs[:, None] + rng.normal(size=(60, 2))), (signs > 0).astype(int)

arow, state = AROW(regularizer=1.0, nr_rounds=1, order=[0]), None
fig, axis = plt.subplots(figsize=(7.5, 6), layout="constrained")
colour = line_style("AROW")["color"]
means, deviations, shown = [np.zeros(2)], np.ones(2), [0, 1, 3, 10, 60]
for n in range(61):
    if n:
        params, state = resume(arow, state, X[[n - 1]], y[[n - 1]], classes=[0, 1])
        means.append(params[1:, 1])
        deviations = np.sqrt(arow.variances[1:, 1])
    if n in shown:
        fade = 0.35 + 0.15 * shown.index(n)
        axis.add_patch(Ellipse(tuple(means[-1]), *(2 * deviations), fill=False, color=colour, alpha=fade))
        axis.annotate(f"{n}", means[-1] + [0, deviations[1]], ha="center", va="bottom")
axis.plot(*np.array(means).T, color=colour, linewidth=1, label="the mean, example by example")
axis.set(xlabel="weight of the frequent word", ylabel="weight of the rare word", aspect="equal")
axis.set(xlim=(-1.3, 1.6), ylim=(-1.3, 1.6))
axis.legend(loc="lower left")
