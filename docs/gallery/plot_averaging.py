"""
Averaging
=========

The weights of a perceptron after each round fluctuate as long as there are mistakes. The mean over all steps converges.
"""

# %%
# The two classes overlap, so the mistakes never end. Each thin line is one of five orders of the same examples.

import matplotlib.pyplot as plt
import numpy as np

from classifiers import Perceptron
from lxmls_day1.figures.comparison import plot_curves
from lxmls_day1.figures.style import line_style
from readers import SimpleDataSet

data = SimpleDataSet(nr_examples=400, g1=[[-1, -1], 2], g2=[[1, 1], 2], split=[0.5, 0, 0.5])
rounds = [1, 2, 3, 5, 8, 12, 20]
fig, axes = plt.subplots(1, 2, figsize=(12, 4.4), layout="constrained", sharey=True)
for axis, averaged, title in zip(axes, (False, "steps"), ("the last weights", "the mean over every step"), strict=True):
    test = np.empty((len(rounds), 5))
    for at in np.ndindex(test.shape):
        learner = Perceptron(nr_rounds=rounds[at[0]], averaged=averaged, seed=at[1])
        test[at] = learner.evaluate(data.test_y, learner.test(data.test_X, learner.train(data.train_X, data.train_y)))
    axis.plot(rounds, test, color=line_style("Perceptron")["color"], alpha=0.4, linewidth=1)
    plot_curves(rounds, {"Perceptron": test}, axis)
    axis.axhline(1 - data.get_bayes_error(), color="black", linestyle=":", label="best possible")
    axis.set(xlabel="rounds", title=title)
axes[0].set_ylabel("accuracy on the test part")
axes[0].legend(loc="lower right")
