"""A comparison of all linear learners: accuracy, time and memory of every kind, on reviews, questions and dense points.

Accuracy is the mean over the folds on held-out data, or that on the data set's own test part. Time is CPU time of training relative to
the perceptron's, measured in turn. Memory is the maximum that training allocates in addition to its data. The tables of
docs/reference/learner-results.md are made from the results.
"""

import time
import warnings

import numpy as np
from interleaved import books, time_in_turn
from results import show

from classifiers.run_all_classifiers import all_classifiers
from lxmls_day1.base.errors import CorpusUnavailable
from lxmls_day1.figures.classifier_comparison import memory_of_training
from readers.question_reader import QuestionCorpus
from readers.sentiment_reader import SentimentCorpus

BASELINE = "Perceptron"
N_FOLDS = 5
TOO_SLOW = "Maximum entropy, sparse"  # It takes many minutes on TREC.


class Fold:
    """The training and test part to which `all_classifiers` and `memory_of_training` are applied."""

    def __init__(self, train_X, train_y, test_X, test_y):
        self.train_X, self.train_y, self.test_X, self.test_y = train_X, train_y, test_X, test_y


def review_folds(domain, n_folds):
    """Yield folds of a domain's reviews: review i is in fold i mod 5. Features are binary; words need at least five occurrences."""
    corpus = SentimentCorpus(domain, train_per=1.0, test_per=0.0, min_count=1)
    for fold in range(n_folds):
        tested = np.arange(corpus.nr_examples) % N_FOLDS == fold
        X = corpus.X[:, np.asarray(corpus.X[~tested].sum(axis=0)).ravel() >= 5]
        X.data[:] = 1.0
        yield Fold(X[~tested], corpus.y[~tested], X[tested], corpus.y[tested])


def question_fold(fine):
    """Return the questions with their own test part."""
    corpus = QuestionCorpus("trec6", level="fine" if fine else "coarse")
    return [Fold(corpus.train_X, corpus.train_y, corpus.test_X, corpus.test_y)]


def dense_fold(n_points):
    """Generate points of five Gaussian classes in twenty dimensions."""
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(5, 20)) * 0.6
    y = np.arange(2 * n_points) % 5
    X = centres[y] + rng.normal(size=(len(y), 20))
    return [Fold(X[:n_points], y[:n_points], X[n_points:], y[n_points:])]


def learners_for(fold):
    """Return a learner of every kind, except the one that takes minutes."""
    learners = all_classifiers(fold)
    if len(np.unique(fold.train_y)) > 5:
        del learners[TOO_SLOW]
    return learners


def accuracies(folds):
    """Return learner -> its accuracy on each fold."""
    found = {}
    for fold in folds:
        for name, learner in learners_for(fold).items():
            params = learner.train(fold.train_X, fold.train_y)
            hits = learner.test(fold.test_X, params) == fold.test_y
            found.setdefault(name, []).append(float(np.mean(hits)))
    return found


def entries(case, folds, repeats):
    """Yield an entry for each learner: accuracy with its standard error, time relative to the perceptron's, memory."""
    folds = list(folds)
    right = accuracies(folds)
    first = folds[0]
    learners = learners_for(first)
    contestants = {
        name: lambda learner=learner: learner.train(first.train_X, first.train_y) for name, learner in learners.items()
    }
    seconds = time_in_turn(contestants, repeats, clock=time.process_time)
    for name, learner in learners.items():
        of_folds = np.array(right[name])
        n = len(of_folds)
        within = np.sqrt(of_folds[0] * (1 - of_folds[0]) / len(first.test_y))
        spread = of_folds.std(ddof=1) / np.sqrt(n) if n > 1 else within
        yield {
            "case": case,
            "measure": "accuracy",
            "ours": name,
            "our_value": round(100 * of_folds.mean(), 1),
            "standard_error": round(100 * spread, 1),
            "unit": "%",
            "relative_time": float(f"{np.median(np.divide(seconds[name], seconds[BASELINE])):.2g}"),
            "memory": round(memory_of_training(learner, first), 1),
        }


def main(quick=False):
    """Print a table for each data set."""
    repeats = 1 if quick else 3
    data = {}
    if books() is not None:
        for domain in ("books",) if quick else ("books", "dvd", "electronics"):
            data[domain] = lambda domain=domain: review_folds(domain, 1 if quick else N_FOLDS)
        for fine in (False, True):
            data[f"TREC, K = {50 if fine else 6}"] = lambda fine=fine: question_fold(fine)
    data["dense, 10,000 x 20, K = 5"] = lambda: dense_fold(1_000 if quick else 10_000)
    for case, folds in data.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                show(case, "learners", list(entries(case, folds(), repeats)), not quick)
        except CorpusUnavailable as error:
            print(f"Left out, {case}: {error}")
