"""
Calibration: how reliable probabilities are
===========================================

A calibrated classifier is right in 80 % of the cases in which its probability is 80 %. Naive Bayes assumes that words are independent,
which they are not, and is overconfident; maximum entropy is well calibrated here.
"""

# %%
# Each feature of these points occurs twice, so naive Bayes counts the evidence twice. Platt's sigmoid, fitted to a development part,
# corrects this.

import numpy as np

from classifiers import MaxEntBatch, NaiveBayes
from lxmls_day1.figures.reliability import plot_reliability, reliability
from lxmls_day1.sklearn.adapter import as_estimator, calibrated
from readers import SimpleDataSet

data = SimpleDataSet(nr_examples=6000, g1=[[-0.5, -0.5], 1], g2=[[0.5, 0.5], 1], split=[0.4, 0.2, 0.4])
train_X, dev_X, test_X = (np.hstack([X, X]) for X in (data.train_X, data.dev_X, data.test_X))

naive_bayes = as_estimator(NaiveBayes("gaussian")).fit(train_X, data.train_y)
models = {
    "naive Bayes": naive_bayes,
    "naive Bayes, Platt": calibrated(naive_bayes, dev_X, data.dev_y),
    "maximum entropy": as_estimator(MaxEntBatch(regularizer=1e-3)).fit(train_X, data.train_y),
}
curves = {name: reliability(model.predict_proba(test_X), data.test_y) for name, model in models.items()}
fig, axis = plot_reliability(curves, title="features that are there twice")
