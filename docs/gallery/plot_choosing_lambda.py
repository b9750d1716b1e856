"""
Choosing λ on the development part
==================================

With a large λ the weights are too small to fit the data; with a small λ they overfit the training part. We choose λ on the development
part.
"""

import matplotlib.pyplot as plt
import numpy as np

from classifiers import SVM
from lxmls_day1.figures.tuning_curve import plot_tuning
from readers import SentimentCorpus

reviews = SentimentCorpus("toy", train_per=0.5, dev_per=0.3)
values = 10.0 ** np.arange(-4, 2)
training, development = [], []
for value in values:
    svm = SVM(regularizer=value, nr_rounds=10)
    params = svm.train(reviews.train_X, reviews.train_y)
    training.append(svm.evaluate(reviews.train_y, svm.test(reviews.train_X, params)))
    development.append(svm.evaluate(reviews.dev_y, svm.test(reviews.dev_X, params)))
errors = [np.sqrt(p * (1 - p) / len(reviews.dev_y)) for p in development]
fig, axis = plt.subplots(figsize=(9, 5), layout="constrained")
plot_tuning(values.tolist(), development, errors, training, axis, "λ")
axis.set_title("SVM, toy reviews")
