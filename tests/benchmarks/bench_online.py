"""The compiled loop against scikit-learn's Perceptron and SGDClassifier on the same number of passes.

scikit-learn trains one binary model per class, this package one model for all classes at once. Both run single-threaded
in this process, in turn. "Averaged" is this package's default for the perceptron and MIRA; scikit-learn's Perceptron
does not average, so the averaged perceptron also meets the SGDClassifier that is one.
"""

import time
from statistics import median

import numba
import numpy as np
from interleaved import print_table, ratio, synthetic_text, time_in_turn
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

from classifiers.max_ent_online import MaxEntOnline
from classifiers.mira import Mira
from classifiers.perceptron import Perceptron
from classifiers.second_order.arow import AROW
from classifiers.second_order.confidence_weighted import ConfidenceWeighted
from classifiers.svm import SVM
from lxmls_day1.engine.compiled.online_steps import RowSteps
from lxmls_day1.engine.compiled.row_primitives import score_row
from lxmls_day1.engine.compiled.sparse_rows import as_examples, compact


def contestants(X, y, rounds):
    """Ours and theirs as functions without arguments; every learner goes ``rounds`` times through the data."""
    plain = {"nr_rounds": rounds, "track_objective": False}
    sgd = {"max_iter": rounds, "tol": None, "alpha": 1e-4, "random_state": 1}
    ours = {
        "Perceptron": Perceptron(averaged=False, **plain),
        "Perceptron, averaged": Perceptron(**plain),
        "MIRA, averaged": Mira(**plain),
        "SVM": SVM(regularizer=1e-4, **plain),
        "Maximum entropy": MaxEntOnline(regularizer=1e-4, **plain),
        "SVM, objective each round": SVM(regularizer=1e-4, nr_rounds=rounds),
    }
    theirs = {
        "sklearn Perceptron": SklearnPerceptron(max_iter=rounds, tol=None, random_state=1),
        "sklearn SGD perceptron, averaged": SGDClassifier(
            loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True, **sgd
        ),
        "sklearn SGD hinge": SGDClassifier(loss="hinge", **sgd),
        "sklearn SGD log_loss": SGDClassifier(loss="log_loss", **sgd),
    }
    runs = {name: (lambda learner=learner: learner.train(X, y)) for name, learner in ours.items()}
    return runs | {name: (lambda learner=learner: learner.fit(X, y)) for name, learner in theirs.items()}


PAIRS = [
    ("Perceptron", "sklearn Perceptron"),
    ("Perceptron, averaged", "sklearn Perceptron"),
    ("Perceptron, averaged", "sklearn SGD perceptron, averaged"),
    ("MIRA, averaged", "sklearn Perceptron"),
    ("SVM", "sklearn SGD hinge"),
    ("SVM, objective each round", "sklearn SGD hinge"),
    ("Maximum entropy", "sklearn SGD log_loss"),
]


def compare(title, X, y, rounds, repeats):
    seconds = time_in_turn(contestants(X, y, rounds), repeats)
    rows = [
        [
            ours,
            f"{median(seconds[ours]):.4f}",
            theirs,
            f"{median(seconds[theirs]):.4f}",
            f"{1 / ratio(seconds, ours, theirs):.2f}",
        ]
        for ours, theirs in PAIRS
    ]
    print_table(
        f"{title}: {X.shape[0]} x {X.shape[1]}, {X.nnz / X.shape[0]:.0f} non-zeros a row, {rounds} rounds, medians of {repeats}",
        ["ours", "s", "theirs", "s", "times faster"],
        rows,
    )


@numba.njit(error_model="numpy")
def only_scores(indptr, indices, data, order, V):
    """How many rows have a positive score, visited in that order: what no learner can do without, and nothing else."""
    positive, scores = 0, np.empty(1)
    for m in order:
        score_row(indptr, indices, data, m, V, scores)
        positive += scores[0] > 0
    return positive


def compare_with_scores(X, y, rounds, repeats):
    """Whole trainings, from the matrix on, beside passes of the same loop over rows that only computes their scores."""
    examples = compact(as_examples(X))
    rng = np.random.default_rng(1)
    order = np.concatenate([rng.permutation(len(y)) for _ in range(rounds)])
    V = rng.normal(size=(X.shape[1] + 1, 1))
    learners = {"Perceptron": Perceptron(rounds, averaged=False), "Perceptron, averaged": Perceptron(rounds)}
    runs = {name: (lambda learner=learner: learner.train(X, y)) for name, learner in learners.items()}
    runs["floor"] = lambda: only_scores(examples.indptr, examples.indices, examples.data, order, V)
    seconds = time_in_turn(runs, repeats, time.process_time)
    rows = [
        [
            name,
            f"{median(seconds[name]):.4f}",
            f"{median(seconds['floor']):.4f}",
            f"{ratio(seconds, name, 'floor'):.2f}",
            "≤ 1.6",
            f"{learner.evaluate(y, learner.test(X, learner.train(X, y))):.4f}",
        ]
        for name, learner in learners.items()
    ]
    print_table(
        f"Books beside passes that only score, {rounds} rounds, medians of {repeats}, processor time",
        ["ours", "s", "floor s", "ours / floor", "goal", "training accuracy"],
        rows,
    )


def steps_in_turn(learners, X, labels, rounds, repeats):
    """The seconds of all rounds but the first, which fetches the weights, and the shares of these steps that move, by name."""
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
    """Second-order learners beside the perceptron that keeps as much: each like with like, averaged or not.

    Whole trainings, and steps alone: after a training stand the variances, as many numbers as there are weights.
    """
    plain, averaged = Perceptron(rounds, averaged=False), Perceptron(rounds)
    pairs = {
        "AROW": (AROW(nr_rounds=rounds), plain),
        "AROW, averaged": (AROW(nr_rounds=rounds, averaged="steps"), averaged),
        "CW": (ConfidenceWeighted(nr_rounds=rounds), plain),
        "SCW-I, C = 0.1": (ConfidenceWeighted(cap=0.1, nr_rounds=rounds), plain),
    }
    runs = {"Perceptron": plain, "Perceptron, averaged": averaged} | {name: ours for name, (ours, _) in pairs.items()}
    seconds = time_in_turn(
        {name: (lambda learner=learner: learner.train(X, y)) for name, learner in runs.items()},
        repeats,
        time.process_time,
    )
    of_steps, moving = steps_in_turn(runs, X, np.searchsorted(plain.classes, y), rounds, repeats)
    rows = []
    for name, (ours, peer) in pairs.items():
        peer_name = "Perceptron" if peer is plain else "Perceptron, averaged"
        shares = [moving[name], moving[peer_name]]
        ratios = [f"{ratio(clocked, name, peer_name):.2f}" for clocked in (seconds, of_steps)]
        accuracies = [f"{learner.evaluate(y, learner.test(X, learner.train(X, y))):.4f}" for learner in (ours, peer)]
        rows.append([name, peer_name, *ratios, "≤ 2.2", *shares, *accuracies])
    print_table(
        f"{title}: second-order learners, {rounds} rounds, medians of {repeats}, ours / peer in processor time",
        ["ours", "peer", "trainings", "steps", "goal", "steps that move", "peer's", "training accuracy", "peer's"],
        rows,
    )


def main(quick=False):
    from real_reviews import books

    corpus = books()
    if corpus is not None:
        compare("Books, K = 2", corpus.train_X, corpus.train_y, rounds=10, repeats=5 if quick else 15)
        compare_with_scores(corpus.train_X, corpus.train_y, rounds=10, repeats=5 if quick else 31)
        compare_second_order("Books", corpus.train_X, corpus.train_y, rounds=10, repeats=5 if quick else 31)
    for n_classes in (2, 4, 20):
        for n_features in (5_000, 50_000, 400_000):
            X, y = synthetic_text(10_000, n_features, 80, n_classes)
            title = f"Synthetic text, K = {n_classes}, J = {n_features}"
            compare_second_order(title, X, y, rounds=3, repeats=3 if quick else 9)
    for n_classes in (4, 20):
        X, y = synthetic_text(20_000 if quick else 180_000, 50_000, 80, n_classes)
        compare(f"Synthetic text, K = {n_classes}", X, y, rounds=2 if quick else 10, repeats=2 if quick else 3)


if __name__ == "__main__":
    main()
