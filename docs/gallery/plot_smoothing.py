"""
The smoothing curve
===================

Multinomial naive Bayes adds α to every count. If α is too small, rare words dominate the score. If α is too large, all words have nearly
the same weight.
"""

import matplotlib.pyplot as plt
import numpy as np

from classifiers import MultinomialNaiveBayes
from readers import SentimentCorpus

reviews = SentimentCorpus("toy")
alphas = 10.0 ** np.arange(-3, 4)
curve = np.empty((len(alphas), 2))
for row, alpha in zip(curve, alphas, strict=True):
    learner = MultinomialNaiveBayes(smooth=True, smooth_param=alpha)
    params = learner.train(reviews.train_X, reviews.train_y)
    row[0] = learner.evaluate(reviews.train_y, learner.test(reviews.train_X, params))
    row[1] = learner.evaluate(reviews.test_y, learner.test(reviews.test_X, params))

fig, axis = plt.subplots(figsize=(9, 5), layout="constrained")
axis.plot(alphas, curve[:, 0], "s-", label="training")
axis.plot(alphas, curve[:, 1], "o--", label="test")
axis.set(xscale="log", xlabel="smoothing α", ylabel="accuracy", title="multinomial naive Bayes, toy reviews")
axis.legend()
