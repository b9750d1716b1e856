"""
Boundaries of all classifiers
=============================

Two Gaussian classes that overlap, of the same variance. The best boundary is a line, and every linear classifier estimates it in a
different way.
"""

# %%
# The data set draws its points and the boundary that no classifier can beat. Each classifier adds its line; its colour is the same in
# all pictures of the lab.

from classifiers import SVM, GaussianNaiveBayes, MaxEntBatch, Mira, Perceptron
from lxmls_day1.figures.style import line_style
from readers import SimpleDataSet

data = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 2], g2=[[1, 1], 2], balance=0.5, split=[0.5, 0, 0.5])
fig, axis = data.plot_data()
for classifier in (GaussianNaiveBayes(), Perceptron(), Mira(), MaxEntBatch(), SVM()):
    params = classifier.train(data.train_X, data.train_y)
    data.add_line(fig, axis, params, classifier.name, line_style(classifier.name)["color"])
    accuracy = classifier.evaluate(data.test_y, classifier.test(data.test_X, params))
    print(f"{classifier.name:30} {accuracy:.2f}")
