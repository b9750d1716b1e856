"""
The words that determine a score
================================

The score of a review is a sum over its words. So the picture can show the contribution of each word.
"""

# %%
# The difference of the two weight columns is the contribution of each occurrence of a word to "positive".

import matplotlib.pyplot as plt
import numpy as np

from classifiers import MultinomialNaiveBayes
from lxmls_day1.figures.contributions import plot_contributions
from readers import SentimentCorpus

reviews = SentimentCorpus("toy")
learner = MultinomialNaiveBayes()
params = learner.train(reviews.train_X, reviews.train_y)
positive = reviews.label_names.index("positive")
difference = params[:, positive] - params[:, 1 - positive]  # (J + 1,)
shown = 2  # index of the review in the test part
counts = np.asarray(reviews.test_X[[shown]].todense()).ravel()
votes = counts * difference[1:]
strongest = np.argsort(-np.abs(votes))[:10]
fig, axis = plt.subplots(figsize=(9, 4.8), layout="constrained")
names = [reviews.feature_names[j] for j in strongest]
plot_contributions(names, votes[strongest].tolist(), axis, ["negative", "positive"])

# %%
# The complete score, with the intercept and the words that are not shown:

print(f"{difference[0] + votes.sum():.3f}, and the review is {reviews.label_names[int(reviews.test_y[shown])]}")
