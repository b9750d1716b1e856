"""Multinomial naive Bayes against scikit-learn's: training on counts of words, single-threaded in this process, in turn.

The times are processor time. Both get the same matrix, theirs as the ``csr_matrix`` that it likes best.
"""

import time

import numpy as np
import scipy.sparse as sp
from interleaved import print_table, ratio, synthetic_text, time_in_turn
from sklearn.naive_bayes import MultinomialNB

from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes


def compare(n_examples, n_classes, goal, repeats):
    """A row of the table."""
    X, y = synthetic_text(n_examples, 50_000, 80, n_classes)
    theirs, counts = MultinomialNB(), sp.csr_matrix(X)
    ours = MultinomialNaiveBayes()
    seconds = time_in_turn(
        {"ours": lambda: ours.train(X, y), "theirs": lambda: theirs.fit(counts, y)}, repeats, time.process_time
    )
    params = ours.train(X, y)
    off = np.abs(params[1:].T - theirs.feature_log_prob_).max()
    accuracies = ours.evaluate(y, ours.test(X, params)), theirs.score(counts, y)
    return [
        f"{n_examples} texts, K = {n_classes}",
        "sklearn MultinomialNB",
        f"{1 / ratio(seconds, 'ours', 'theirs'):.2f}",
        f"≥ {goal:g}",
        " / ".join(f"{accuracy:.4f}" for accuracy in accuracies),
        f"{off:.0e}",
    ]


def main(quick=False):
    n_examples, repeats = (20_000, 3) if quick else (180_000, 7)
    print_table(
        "MultinomialNaiveBayes, training",
        ["case", "peer", "peer's time / ours", "goal", "accuracy: ours / peer", "largest difference of a weight"],
        [compare(n_examples, n_classes, goal, repeats) for n_classes, goal in ((4, 1.3), (20, 3))],
    )


if __name__ == "__main__":
    main()
