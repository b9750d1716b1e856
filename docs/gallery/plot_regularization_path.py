"""
The regularization path
=======================

The L1 penalty sets weights to exactly zero. As λ decreases from its largest useful value, more and more words get a weight.
"""

from classifiers.regularization_path import largest_useful_penalty, regularization_path
from lxmls_day1.figures.weight_paths import plot_path
from readers import SentimentCorpus

reviews = SentimentCorpus("toy", train_per=0.6, dev_per=0.2)
largest = largest_useful_penalty(reviews.train_X, reviews.train_y)
path = regularization_path(
    reviews.train_X, reviews.train_y, reviews.dev_X, reviews.dev_y, [largest * 0.5**k for k in range(9)], tolerance=1e-3
)
fig, axis = plot_path(path)
