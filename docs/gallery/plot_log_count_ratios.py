"""
NBSVM between naive Bayes and the SVM
=====================================

Each point is a word. Words further to the right are more frequent in positive reviews; words higher up have larger weights for
"positive".
"""

# %%
# With β = 0 a word's weight is its log-count ratio times a constant, as in naive Bayes. With β = 1 the SVM alone sets the weights.
# β = 1/4 is the default of NBSVM.

import matplotlib.pyplot as plt
import numpy as np

from classifiers.bernoulli_naive_bayes import presence
from classifiers.nbsvm import NBSVM, log_count_ratio
from lxmls_day1.figures.plotting import CLASS_COLOURS
from readers import SentimentCorpus

reviews = SentimentCorpus("toy")
positive = reviews.label_names.index("positive")
present, inside = presence(reviews.train_X), reviews.train_y == positive
ratios = log_count_ratio(inside @ present, ~inside @ present, 1.0)

fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
for beta, axis in zip([0.0, 0.25, 1.0], axes, strict=True):
    learner = NBSVM(beta=beta)
    params = learner.train(reviews.train_X, reviews.train_y)
    weights = params[1:, positive] - params[1:, 1 - positive]
    accuracy = learner.evaluate(reviews.test_y, learner.test(reviews.test_X, params))
    colours = np.where(weights > 0, CLASS_COLOURS[positive], CLASS_COLOURS[1 - positive])
    axis.scatter(ratios, weights, s=14, alpha=0.6, linewidth=0, c=colours)
    axis.axhline(0.0, color="0.6", linewidth=0.8)
    axis.set(xlabel="log-count ratio", title=f"β = {beta:g}: {100 * accuracy:.1f} % right")
    for word, side, above in (np.argmin(weights), "left", -0.14), (np.argmax(weights), "right", 0.06):
        axis.text(ratios[word], weights[word] + above, reviews.feature_names[word], ha=side)
axes[0].set(ylabel="weight for positive", ylim=(-1.6, 1.3))
