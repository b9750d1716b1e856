"""
The street of the SVM
=====================

The support vector machine finds the widest street between the classes. λ sets the cost of a point inside the street.
"""

import matplotlib.pyplot as plt

from classifiers import SVM
from lxmls_day1.figures.margins import plot_street
from readers import SimpleDataSet

data = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], split=[0.5, 0, 0.5])
fig, axes = plt.subplots(1, 2, figsize=(12, 4.5), layout="compressed")
for regularizer, axis in zip([0.01, 0.3], axes, strict=True):
    svm = SVM(regularizer=regularizer, solver="dual", tolerance=1e-6)
    params = svm.train(data.train_X, data.train_y)
    plot_street(data.train_X, data.train_y, params, title=f"λ = {regularizer:g}", ax=axis)
