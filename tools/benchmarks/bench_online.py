"""Online learners and naive Bayes compared with those of scikit-learn: equal passes over equal data, one thread each, in turn.

scikit-learn trains one binary model per class, this package one model for all classes at once. Accuracies are on a held-out tenth of
the data. *Averaged* is this package's default for the perceptron and MIRA; scikit-learn's Perceptron does not average, so the averaged
perceptron is also compared with an SGDClassifier that does.
"""

import time
from functools import partial

import numpy as np
from interleaved import books, compare_learners, noisy_points, synthetic_text, tf_idf, time_in_turn
from results import accuracies, show, timing
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
        "maximum entropy, tracked": MaxEntOnline(regularizer, nr_rounds=rounds, track_objective=True),
        "maximum entropy, mean of all steps": MaxEntOnline(regularizer, nr_rounds=rounds, averaged="steps"),
        "naive Bayes": MultinomialNaiveBayes(),
        "sklearn Perceptron": SklearnPerceptron(max_iter=rounds, tol=None, random_state=1),
        "SGD perceptron, averaged": sgd(loss="perceptron", **constant),
        "SGD hinge": sgd(loss="hinge", alpha=regularizer),
        "SGD log_loss": sgd(loss="log_loss", alpha=regularizer),
        "SGD log_loss, averaged": sgd(loss="log_loss", alpha=regularizer, average=True),
        "sklearn MultinomialNB": MultinomialNB(),
    }


#: Ours, and its peer.
PAIRS = [
    ("perceptron", "sklearn Perceptron"),
    ("perceptron, averaged", "SGD perceptron, averaged"),
    ("perceptron, averaged and tracked", "perceptron, averaged"),
    ("MIRA", "sklearn Perceptron"),
    ("column squishing", "sklearn Perceptron"),
    ("SVM", "SGD hinge"),
    ("SVM, tracked", "SGD hinge"),
    ("maximum entropy", "SGD log_loss"),
    ("maximum entropy, tracked", "SGD log_loss"),
    ("maximum entropy", "SGD log_loss, averaged"),
    ("maximum entropy, mean of all steps", "SGD log_loss, averaged"),
    ("naive Bayes", "sklearn MultinomialNB"),
]


def compare(title, X, y, rounds, repeats, save, regularizer=1e-4):
    """Show the pairs that these data allow."""
    pairs = [pair for pair in PAIRS if pair[0] != "naive Bayes" or not isinstance(X, np.ndarray)]
    case = f"{title}, {rounds} rounds"
    show(case, "online", compare_learners(case, X, y, learners(rounds, regularizer), pairs, repeats), save)


def steps_in_turn(learners, X, labels, rounds, repeats):
    """Return the seconds of all rounds but the first, which fetches the weights, and the shares of steps that move, by name."""
    orders = np.array([np.random.default_rng(r).permutation(len(labels)) for r in range(rounds)])
    seconds, shares = {name: [] for name in learners}, {}
    for _ in range(repeats):
        for name, learner in learners.items():
            averaged = learner.averaged == "steps"
            steps = RowSteps(learner.rule, X, labels, learner.row_costs(), 0.0, averaged)
            steps.run(orders[:1], learner.steps(1, len(labels)))
            sizes = learner.steps(1 + len(labels), orders[1:].size)
            started = time.process_time()
            updates = steps.run(orders[1:], sizes)
            seconds[name].append(time.process_time() - started)
            shares[name] = f"{updates.sum() / orders[1:].size:.2f}"
    return seconds, shares


def compare_second_order(case, X, y, rounds, repeats, save):
    """Show second-order learners beside the perceptron that keeps as much: each like with like, averaged or not.

    Whole trainings, and steps alone: after a training stand the variances, as many numbers as there are weights.
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
        reached = [np.mean(runs[who].test(X, runs[who].train(X, y)) == y) for who in (name, peer)]
        for what, clocked in (("whole training", seconds), ("steps alone", of_steps)):
            compared = timing(clocked, name, peer, f"CPU time, {what}")
            quality = accuracies(*reached) | {"quality": "accuracy on the training data"}
            moves = f"steps that move weights: ours {moving[name]}, peer {moving[peer]}"
            rows.append({"case": case, "ours": name, "peer": peer, "note": moves} | compared | quality)
    show(f"{case}: second-order learners, medians of {repeats}", "second_order", rows, save)


def main(quick=False):
    """Print the tables."""
    few, many = (2, 5) if quick else (3, 21)
    corpus = books()
    if corpus is not None:
        X, y = corpus.train_X, np.ravel(corpus.train_y)
        compare("books, K = 2", X, y, 10, many, not quick)
        compare_second_order("books, K = 2, 10 rounds", X, y, 10, many, not quick)
    for n_classes, n_examples in ((2, 80_000), (4, 180_000), (20, 180_000), (300, 12_000)):
        X, y = synthetic_text(n_examples // 9 if quick else n_examples, 50_000, 80, n_classes)
        data = f"{len(y):,} texts, K = {n_classes}"
        compare(f"counts of words, {data}", X, y, 2 if quick else 5, few, not quick)
        if n_classes < 300:
            X, y = X[:120_000] if n_classes == 20 else X, y[:120_000] if n_classes == 20 else y
            data = f"{len(y):,} texts, K = {n_classes}"
            compare(f"tf-idf, {data}", tf_idf(X), y, 2 if quick else 10, few, not quick, 1e-5)
    for n_features in (2, 20, 200):
        compare(f"dense, 10,000 x {n_features}", *noisy_points(10_000, n_features), 5, 5, not quick)
    for n_classes in (2, 4, 20):
        for n_features in (5_000, 50_000, 400_000):
            X, y = synthetic_text(10_000, n_features, 80, n_classes)
            case = f"counts of words, K = {n_classes}, J = {n_features:,}"
            compare_second_order(case, X, y, 3, 3 if quick else 9, not quick)
