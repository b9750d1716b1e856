"""MaxEntBatch against scikit-learn's LogisticRegression: to a gap that we certify, against the best of all its solvers; dense data;
memory; and L-BFGS against L-BFGS, to a relative objective gap of 1e-5.

In the first tables ours stops by its own certificate, while each of theirs gets, beforehand and unmeasured, the fewest iterations
of a search with which it is within the gap; it has none to pay for. Of the rest:

Both minimise the same function: C = 1/(λM), for two classes 2/(λM), as scikit-learn penalises their one vector; and
scikit-learn gets the intercept as a column of ones, so that it is penalised too. Both run single-threaded in this
process, in turn. They stop by different measures, so that each is given, beforehand and unmeasured, the loosest
``tolerance`` or ``tol`` of a grid with which its objective is within the gap. The optimum is that of ours with a
certificate of 1e-7.
"""

import bisect
import subprocess
import sys
import time
import warnings
from statistics import median

import numpy as np
import scipy.sparse as sp
from interleaved import books, print_table, ratio, synthetic_text, tf_idf_text, time_in_turn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from classifiers.max_ent_batch import MaxEntBatch

GAP = 1e-5
TOLERANCES = tuple(2.0**-i for i in range(24))  # ours: 1 … 1e-7
TOLS = tuple(0.1 * 2.0**-i for i in range(16))  # theirs, of the largest entry of the gradient: 0.1 … 3e-6


def loosest(grid, train, objective, wanted):
    """The first of a falling ``grid`` with which training goes low enough, and what it leads to; by bisection.

    Returns
    -------
    setting : float
    trained : what ``train(setting)`` returns
    """
    trained = {}

    def enough(setting):
        trained[setting] = train(setting)
        return objective(trained[setting]) <= wanted

    first = bisect.bisect_left(grid, True, key=enough)
    if first == len(grid):
        raise RuntimeError(f"an objective of {wanted} was not reached with {grid[-1]}")
    return grid[first], trained[grid[first]]


def compare(name, X, y, regularizer, repeats):
    """A row of the table: how far from the optimum both stop, how long they take, and our share of their time."""
    n_examples, n_classes = len(y), len(np.unique(y))
    with_ones = sp.csr_array(sp.hstack([np.ones((n_examples, 1)), X], format="csr"))

    def ours(tolerance):
        maxent = MaxEntBatch(regularizer, tolerance=tolerance, max_iterations=10_000)
        return maxent, maxent.train(X, y)

    def theirs(tol):
        C = (2 if n_classes == 2 else 1) / (regularizer * n_examples)
        return LogisticRegression(C=C, tol=tol, max_iter=10_000, fit_intercept=False).fit(with_ones, y)

    def our_objective(trained):
        maxent, params = trained
        return maxent.objective(X, y, params)

    def their_objective(fitted):
        params = fitted.coef_.T
        return exact.objective(X, y, np.hstack([-params / 2, params / 2]) if n_classes == 2 else params)

    exact, params = ours(1e-7)
    optimum = our_objective((exact, params))
    tolerance, trained = loosest(TOLERANCES, ours, our_objective, optimum * (1 + GAP))
    tol, fitted = loosest(TOLS, theirs, their_objective, optimum * (1 + GAP))
    seconds = time_in_turn({"ours": lambda: ours(tolerance), "theirs": lambda: theirs(tol)}, repeats)
    return [
        f"{name}, λ = {regularizer:.2g}",
        f"{our_objective(trained) / optimum - 1:.1e} / {their_objective(fitted) / optimum - 1:.1e}",
        f"{tolerance:.1e} / {tol:.1e}",
        f"{len(trained[0].history)} / {fitted.n_iter_[0]}",
        f"{median(seconds['ours']):.3f}",
        f"{median(seconds['theirs']):.3f}",
        f"{ratio(seconds, 'ours', 'theirs'):.2f}",
    ]


def show(title, name, X, y, regularizers, repeats):
    """A table for one data set, as soon as it is known."""
    print_table(
        f"MaxEntBatch against LogisticRegression to a gap of {GAP:g}, {title}",
        ["ours / theirs", "gap", "tolerance / tol", "iterations", "s: ours", "s: theirs", "s: ours / theirs"],
        [compare(name, X, y, regularizer, repeats) for regularizer in regularizers],
    )


def fewest_iterations(train, enough, most=1024):
    """The smallest number of iterations with which ``enough(train(number))``, to a tenth; None where ``most`` are too few."""
    low, high = 0, 1
    while not enough(train(high)):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > max(1, high // 10):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(train(middle)) else (middle, high)
    return high


def certified(name, X, y, regularizer, gap, goal, peers, repeats, solver="dual"):
    """A row: ours to a certified gap, against the fastest of the peers that get there."""
    n_examples, n_classes = len(y), len(np.unique(y))
    ones = np.ones((n_examples, 1))
    with_ones = sp.csr_matrix(sp.hstack([ones, X], format="csr")) if sp.issparse(X) else np.hstack([ones, X])
    exact = MaxEntBatch(regularizer, tolerance=1e-8, max_iterations=10_000)
    best = exact.objective(X, y, exact.train(X, y))

    def ours():
        return MaxEntBatch(regularizer, tolerance=gap, max_iterations=10_000, solver=solver).train(X, y)

    def train_peer(peer, most):
        settings = {"dual": True} if peer == "liblinear" else {}
        C = (2 if n_classes == 2 else 1) / (regularizer * n_examples)
        fitted = LogisticRegression(
            solver=peer, C=C, fit_intercept=False, tol=1e-13, max_iter=most, random_state=0, **settings
        ).fit(with_ones, y)
        params = fitted.coef_.T
        return np.hstack([-params / 2, params / 2]) if n_classes == 2 else params

    def distance(params):
        return exact.objective(X, y, params) / best - 1

    numbers = {
        peer: fewest_iterations(lambda n, peer=peer: train_peer(peer, n), lambda params: distance(params) <= gap)
        for peer in peers
    }
    runs = {"ours": ours} | {
        peer: (lambda peer=peer, n=n: train_peer(peer, n)) for peer, n in numbers.items() if n is not None
    }
    seconds = time_in_turn(runs, repeats, time.process_time)
    peer = min((name for name in runs if name != "ours"), key=lambda name: median(seconds[name]))
    return [
        f"{name}, λ = {regularizer:.2g}, gap {gap:g}",
        f"{peer}, {numbers[peer]} it.",
        f"{1 / ratio(seconds, 'ours', peer):.2f}",
        f"≥ {goal:g}",
        f"{distance(ours()):.0e} / {distance(train_peer(peer, numbers[peer])):.0e}",
    ]


HEADER = ["solver, case", "peer", "peer's time / ours", "goal", "gap: ours / peer"]


def show_certified(corpus, quick):
    repeats = 2 if quick else 5
    rows = []
    if corpus is not None:
        for gap in (1e-3, 1e-6):
            rows.append(
                certified("dual, books", corpus.train_X, corpus.train_y, 0.01, gap, 1, ["liblinear"], 4 * repeats)
            )
    solvers = ["newton-cg", "saga", "lbfgs"]
    X, y = tf_idf_text(3_000 if quick else 10_000, 3_000, 11, 77)
    rows.append(certified(f"dual, {len(y)} texts, K = 77", X, y, 1e-4, 1e-3, 1.3, solvers, repeats))
    for n_classes, regularizer, goal in ((4, 1e-5, 2), (20, 1e-4, 1.5)):
        X, y = tf_idf_text(10_000 if quick else 180_000, 50_000, 80, n_classes)
        rows.append(
            certified(f"dual, {len(y)} texts, K = {n_classes}", X, y, regularizer, 1e-3, goal, solvers, repeats)
        )
    print_table("MaxEntBatch to a certified gap, processor time", HEADER, rows)


def show_dense(quick):
    rows = []
    for n_examples, n_features in ((10_000, 2), (10_000, 20), (10_000, 200), (1_000_000, 2), (1_000_000, 20)):
        if quick and n_examples > 10_000:
            continue
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, n_examples)
        X = rng.normal(size=(n_examples, n_features)) + y[:, None] / np.sqrt(n_features)
        repeats = 5 if n_examples < 100_000 else 3
        rows.append(
            certified(f"lbfgs, {n_examples} x {n_features}", X, y, 1e-3, 1e-3, 1.2, ["lbfgs"], repeats, "lbfgs")
        )
    print_table("MaxEntBatch on dense data, two classes, processor time", HEADER, rows)


MEMORY = """
import sys, resource
from interleaved import tf_idf_text
from classifiers.max_ent_batch import MaxEntBatch
X, y = tf_idf_text(10_000, 24_000, 30, 77)
MaxEntBatch(1e-4, tolerance=1e-3, solver=sys.argv[1]).train(X, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6 * (1024 if sys.platform == "linux" else 1e-3) )
"""


def show_memory():
    rows = []
    for solver in ("lbfgs", "dual"):
        ran = subprocess.run([sys.executable, "-c", MEMORY, solver], capture_output=True, text=True, check=True)
        rows.append([solver, f"{float(ran.stdout):.0f}", "≤ 400"])
    print_table("Most memory of the process, 10000 x 24000, K = 77", ["solver", "MB", "goal"], rows)


def main(quick=False):
    corpus = books()
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        show_certified(corpus, quick)
        show_dense(quick)
        show_memory()
        if corpus is not None:
            lambdas, repeats = (1.0, 1e-2, 1e-3), 5 if quick else 21
            show("books; wanted: at most 1", "K = 2", corpus.train_X, corpus.train_y, lambdas, repeats)
        X, y = synthetic_text(10_000 if quick else 180_000, 50_000, 80, n_classes=4)
        show(f"{len(y)} texts; wanted: at most 0.5", "K = 4", X, y, (1e-2, 1e-3), 2)


if __name__ == "__main__":
    main()
