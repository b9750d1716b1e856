"""Online learners and naive Bayes compared with those of scikit-learn: equal passes over equal data, one thread each, in turn.

scikit-learn trains one binary model per class, this package one model for all classes at once. Accuracies are on a held-out tenth of
the data. *Averaged* is this package's default for the perceptron and MIRA; scikit-learn's Perceptron does not average, so the averaged
perceptron is also compared with an SGDClassifier that does.
"""

import time
from functools import partial

import numpy as np
from interleaved import books, compare_learners, noisy_points, print_table, ratio, synthetic_text, tf_idf, time_in_turn
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import MultinomialNB

from classifiers.column_squishing import ColumnSquishing
from classifiers.max_ent_online import MaxEntOnline
from classifiers.mira import Mira
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from classifiers.perceptron import Perceptron
from classifiers.second_order.arow import AROW
from classifiers.second_order.confidence_weighted import ConfidenceWeighted
from classifiers.svm import SVM
from lxmls_day1.engine.kernels.row_steps import RowSteps


def learners(rounds, regularizer):
    """Return our learners and scikit-learn's by name; each goes ``rounds`` times through the data."""
    sgd = partial(SGDClassifier, max_iter=rounds, tol=None, random_state=1)
    constant = {"penalty": None, "learning_rate": "constant", "eta0": 1.0, "average": True}
    return {
        "perceptron": Perceptron(nr_rounds=rounds, averaged=False),
        "perceptron, averaged": Perceptron(nr_rounds=rounds),
        "perceptron, averaged and tracked": Perceptron(nr_rounds=rounds, track_objective=True),
        "MIRA": Mira(nr_rounds=rounds),
        "column squishing": ColumnSquishing(cap=1.0, nr_rounds=rounds),
        "SVM": SVM(regularizer, nr_rounds=rounds),
        "SVM, tracked": SVM(regularizer, nr_rounds=rounds, track_objective=True),
        "maximum entropy": MaxEntOnline(regularizer, nr_rounds=rounds),
        "maximum entropy, mean of all steps": MaxEntOnline(regularizer, nr_rounds=rounds, averaged="steps"),
        "naive Bayes": MultinomialNaiveBayes(),
        "sklearn Perceptron": SklearnPerceptron(max_iter=rounds, tol=None, random_state=1),
        "SGD perceptron, averaged": sgd(loss="perceptron", **constant),
        "SGD hinge": sgd(loss="hinge", alpha=regularizer),
        "SGD log_loss": sgd(loss="log_loss", alpha=regularizer),
        "SGD log_loss, averaged": sgd(loss="log_loss", alpha=regularizer, average=True),
        "sklearn MultinomialNB": MultinomialNB(),
    }


#: Ours, theirs, the speed-up to reach with few classes, and with at least twenty.
PAIRS = [
    ("perceptron", "sklearn Perceptron", "1", "1"),
    ("perceptron, averaged", "SGD perceptron, averaged", "4.5", "8"),
    ("perceptron, averaged and tracked", "perceptron, averaged", "1", "1"),
    ("MIRA", "sklearn Perceptron", "1", "1"),
    ("column squishing", "sklearn Perceptron", "1", "1"),
    ("SVM", "SGD hinge", "1", "1"),
    ("SVM, tracked", "SGD hinge", "", ""),
    ("maximum entropy", "SGD log_loss", "1", "1"),
    ("maximum entropy", "SGD log_loss, averaged", "4.5", "6"),
    ("maximum entropy, mean of all steps", "SGD log_loss, averaged", "4.5", "6"),
    ("naive Bayes", "sklearn MultinomialNB", "1.3", "3"),
]


def compare(title, X, y, rounds, repeats, regularizer=1e-4):
    """Print a row for each pair that these data allow; for dense points the goal is equal speed."""
    dense, n_classes = isinstance(X, np.ndarray), len(np.unique(y))
    pairs = [
        (ours, peer, "1" if dense else more if n_classes >= 20 else few)
        for ours, peer, few, more in PAIRS
        if not (dense and ours == "naive Bayes")
    ]
    title = f"{title}, {rounds} rounds"
    compare_learners(title, X, y, learners(rounds, regularizer), pairs, repeats, time.process_time)


def steps_in_turn(learners, X, labels, rounds, repeats):
    """Return by name the seconds of all rounds but the first, which fetches the weights, and the share of their steps that update."""
    orders = np.array([np.random.default_rng(r).permutation(len(labels)) for r in range(rounds)])
    seconds, shares = {name: [] for name in learners}, {}
    for _ in range(repeats):
        for name, learner in learners.items():
            averaged = learner.averaged == "steps"
            steps = RowSteps(learner.rule, X, labels, learner.row_costs(), 0.0, averaged)
            steps.take(orders[:1], learner.steps(1, len(labels)))
            sizes = learner.steps(1 + len(labels), orders[1:].size)
            started = time.process_time()
            updates = steps.take(orders[1:], sizes)
            seconds[name].append(time.process_time() - started)
            shares[name] = f"{updates.sum() / orders[1:].size:.2f}"
    return seconds, shares


def compare_second_order(title, X, y, rounds, repeats):
    """Compare second-order learners with the perceptron that stores as much: averaged with averaged, plain with plain.

    Both whole trainings and steps alone are timed, because a whole training also stores one variance per weight at its end.
    """
    runs = {
        "perceptron": Perceptron(nr_rounds=rounds, averaged=False),
        "perceptron, averaged": Perceptron(nr_rounds=rounds),
        "AROW": AROW(nr_rounds=rounds),
        "AROW, averaged": AROW(nr_rounds=rounds, averaged="steps"),
        "CW": ConfidenceWeighted(nr_rounds=rounds),
        "SCW-I, C = 0.1": ConfidenceWeighted(cap=0.1, nr_rounds=rounds),
    }
    trainings = {name: partial(learner.train, X, y) for name, learner in runs.items()}
    seconds = time_in_turn(trainings, repeats, time.process_time)
    of_steps, moving = steps_in_turn(runs, X, np.unique(y, return_inverse=True)[1], rounds, repeats)
    rows = []
    for name in list(runs)[2:]:
        peer = "perceptron, averaged" if "averaged" in name else "perceptron"
        ratios = [f"{ratio(clocked, name, peer):.2f}" for clocked in (seconds, of_steps)]
        accuracies = [f"{np.mean(runs[who].test(X, runs[who].train(X, y)) == y):.4f}" for who in (name, peer)]
        rows.append([name, peer, *ratios, "≤ 2.2", moving[name], moving[peer], *accuracies])
    print_table(
        f"{title}: second-order learners, {rounds} rounds, medians of {repeats}, ours / peer in processor time",
        ["ours", "peer", "trainings", "steps", "goal", "steps that move", "peer's", "training accuracy", "peer's"],
        rows,
    )


def main(quick=False):
    """Print the tables."""
    few, many = (2, 5) if quick else (3, 21)
    corpus = books()
    if corpus is not None:
        X, y = corpus.train_X, np.ravel(corpus.train_y)
        compare("books, K = 2", X, y, 10, many)
        compare_second_order("books", X, y, 10, many)
    for n_classes, n_examples in ((2, 80_000), (4, 180_000), (20, 180_000), (300, 12_000)):
        X, y = synthetic_text(n_examples // 9 if quick else n_examples, 50_000, 80, n_classes)
        compare(f"counts of words, K = {n_classes}", X, y, 2 if quick else 5, few)
        if n_classes < 300:
            compare(f"tf-idf, K = {n_classes}", tf_idf(X), y, 2 if quick else 10, few, 1e-5)
    for n_features in (2, 20, 200):
        compare(f"dense, J = {n_features}", *noisy_points(10_000 if quick else 100_000, n_features), 5, 5)
    for n_classes in (2, 4, 20):
        for n_features in (5_000, 50_000, 400_000):
            X, y = synthetic_text(10_000, n_features, 80, n_classes)
            compare_second_order(f"counts of words, K = {n_classes}, J = {n_features}", X, y, 3, 3 if quick else 9)
