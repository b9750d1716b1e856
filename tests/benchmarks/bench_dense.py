"""Dense data: the online learners, which read the rows as they stand, against scikit-learn on the same number of passes.

One thread on each side. Where J is small, a step is the call of its rule; where it is large, it is arithmetic.
"""

import numpy as np
from interleaved import print_table, ratio, time_in_turn
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

from classifiers.max_ent_online import MaxEntOnline
from classifiers.perceptron import Perceptron
from classifiers.svm import SVM

ROUNDS = 5
GOAL = 1.0


def noisy_points(n_examples, n_features, n_classes=2, seed=0):
    """Gaussian points with the labels of a noisy random linear model."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_examples, n_features))
    scores = X @ rng.normal(size=(n_features, n_classes))
    return X, np.argmax(scores + rng.gumbel(size=scores.shape) * scores.std() / 2, axis=1)


def pairs():
    """Ours and theirs, by name."""
    sgd = {"max_iter": ROUNDS, "tol": None, "random_state": 1}
    constant = {"penalty": None, "learning_rate": "constant", "eta0": 1.0, "average": True}
    return {
        "perceptron": (Perceptron(ROUNDS, averaged=False), SklearnPerceptron(**sgd)),
        "perceptron, averaged": (Perceptron(ROUNDS), SGDClassifier(loss="perceptron", **constant, **sgd)),
        "SVM": (SVM(1e-4, nr_rounds=ROUNDS), SGDClassifier(loss="hinge", alpha=1e-4, **sgd)),
        "maximum entropy": (MaxEntOnline(1e-4, nr_rounds=ROUNDS), SGDClassifier(loss="log_loss", alpha=1e-4, **sgd)),
    }


def compare(n_examples, n_features, repeats):
    X, y = noisy_points(n_examples, n_features)
    rows = []
    for name, (ours, theirs) in pairs().items():
        contestants = {"ours": lambda ours=ours: ours.train(X, y), "theirs": lambda theirs=theirs: theirs.fit(X, y)}
        seconds = time_in_turn(contestants, repeats)
        accuracy = np.mean(ours.test(X, ours.train(X, y)) == y)
        peer = type(theirs).__name__
        times = 1 / ratio(seconds, "ours", "theirs")
        rows.append([name, peer, f"{times:.2f}", f"{GOAL}", f"{accuracy:.4f}", f"{theirs.score(X, y):.4f}"])
    print_table(
        f"Dense points: {n_examples} x {n_features}, K = 2, {ROUNDS} rounds, medians of {repeats}",
        ["ours", "scikit-learn's", "times faster", "goal", "our accuracy", "theirs"],
        rows,
    )


def main(quick=False):
    sizes = [(10_000, 2), (10_000, 20), (10_000, 200)]
    if not quick:
        sizes += [(100_000, 2), (100_000, 20), (100_000, 200), (1_000_000, 2), (1_000_000, 20)]
    for n_examples, n_features in sizes:
        compare(n_examples, n_features, repeats=5)


if __name__ == "__main__":
    main()
