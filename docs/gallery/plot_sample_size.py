"""
How many examples a learner needs
=================================

With few examples the error depends on the sample, so the bands are wide. With hundreds of examples all three classifiers approach the
Bayes error.
"""

import matplotlib.pyplot as plt
import numpy as np

from classifiers import GaussianNaiveBayes, MaxEntBatch, Perceptron
from lxmls_day1.figures.comparison import plot_curves
from lxmls_day1.figures.style import label_ends
from readers import SimpleDataSet

sizes, seeds = [10, 20, 50, 100, 200, 400], range(8)
learners = {"Gaussian naive Bayes": GaussianNaiveBayes, "Perceptron": Perceptron, "Maximum entropy": MaxEntBatch}
test = {name: np.empty((len(sizes), len(seeds))) for name in learners}
for column, seed in enumerate(seeds):
    data = SimpleDataSet(nr_examples=1400, g1=[[-1, -1], 1], g2=[[1, 1], 1], split=[0.5, 0, 0.5], seed=seed)
    for row, size in enumerate(sizes):
        for name, make in learners.items():
            learner = make()
            params = learner.train(data.train_X[:size], data.train_y[:size])
            test[name][row, column] = learner.evaluate(data.test_y, learner.test(data.test_X, params))
fig, axis = plt.subplots(figsize=(10, 5.4), layout="constrained")
plot_curves(sizes, test, axis)
axis.axhline(1 - data.get_bayes_error(), color="black", linestyle=":")
axis.set(xscale="log", xlabel="training examples", ylabel="accuracy on the test part", title="mean of eight data sets")
label_ends(axis)
