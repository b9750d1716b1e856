"""MaxEntBatch compared with scikit-learn's LogisticRegression: time to a certified gap against its best solver; dense data; memory.

Ours stops by its own certificate. Each peer gets the smallest number of iterations that reaches the gap; an earlier, unmeasured
search finds this number, and the peer computes no certificate. Both minimise the same function: C = 1/(λM), or 2/(λM) for two classes,
because scikit-learn then penalises a single vector. scikit-learn gets the intercept as a column of ones, so that it is penalised, too.
Both run single-threaded in this process, in turn.
"""

import subprocess
import sys
import time
import warnings
from statistics import median

import numpy as np
import scipy.sparse as sp
from interleaved import books, tf_idf_text, time_in_turn
from results import show, timing
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from classifiers.max_ent_batch import MaxEntBatch


def min_iterations(train, enough, max_iterations=1024):
    """Return the smallest number of iterations with ``enough(train(number))``, up to 10 %, or None if more than "
    "``max_iterations`` are needed."""
    low, high = 0, 1
    while not enough(train(high)):
        low, high = high, 2 * high
        if high > max_iterations:
            return None
    while high - low > max(1, high // 10):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(train(middle)) else (middle, high)
    return high


def certified_row(name, X, y, regularizer, gap, peers, repeats, solver="auto"):
    """Return an entry: ours to a certified gap, against the fastest of the peers that get there."""
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
        peer: min_iterations(lambda n, peer=peer: train_peer(peer, n), lambda params: distance(params) <= gap)
        for peer in peers
    }
    runs = {"ours": ours} | {
        peer: (lambda peer=peer, n=n: train_peer(peer, n)) for peer, n in numbers.items() if n is not None
    }
    seconds = time_in_turn(runs, repeats, time.process_time)
    peer = min((name for name in runs if name != "ours"), key=lambda name: median(seconds[name]))
    called = (
        "MaxEntBatch(λ, tolerance=gap)" if solver == "auto" else f'MaxEntBatch(λ, tolerance=gap, solver="{solver}")'
    )
    alone = "liblinear, dual" if peers == ["liblinear"] else peers[0]
    return {
        "case": f"{name}, λ = {regularizer:g}, gap {gap:g}",
        "ours": called,
        "peer": f"best of {', '.join(peers)}" if len(peers) > 1 else alone,
        **timing(seconds, "ours", peer),
        "quality": "gap to the optimum",
        "our_quality": float(f"{distance(ours()):.0e}"),
        "peer_quality": float(f"{distance(train_peer(peer, numbers[peer])):.0e}"),
        "note": f"peer: {peer + ', ' if len(peers) > 1 else ''}{numbers[peer]} iterations",
    }


def show_certified(corpus, quick):
    repeats = 2 if quick else 5
    rows = []
    if corpus is not None:
        for gap in (1e-3, 1e-6):
            rows.append(certified_row("books", corpus.train_X, corpus.train_y, 0.01, gap, ["liblinear"], 4 * repeats))
    solvers = ["newton-cg", "saga", "lbfgs"]
    X, y = tf_idf_text(3_000 if quick else 10_000, 3_000, 11, 77)
    rows.append(certified_row(f"{len(y):,} texts, K = 77", X, y, 1e-4, 1e-3, solvers, repeats))
    for n_classes, regularizer in ((4, 1e-5), (20, 1e-4)):
        X, y = tf_idf_text(10_000 if quick else 180_000, 50_000, 80, n_classes)
        rows.append(certified_row(f"{len(y):,} texts, K = {n_classes}", X, y, regularizer, 1e-3, solvers[:2], repeats))
    show("MaxEntBatch to a certified gap, CPU time", "max_ent", rows, not quick)


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
            certified_row(f"dense, {n_examples:,} x {n_features}", X, y, 1e-3, 1e-3, ["lbfgs"], repeats, "lbfgs")
        )
    show("MaxEntBatch on dense data, two classes, CPU time", "max_ent", rows, not quick)


MEMORY = """
import sys, resource
from interleaved import tf_idf_text
from classifiers.max_ent_batch import MaxEntBatch
X, y = tf_idf_text(10_000, 24_000, 30, 77)
MaxEntBatch(1e-4, tolerance=1e-3, solver=sys.argv[1]).train(X, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6 * (1024 if sys.platform == "linux" else 1e-3) )
"""


def show_memory(quick):
    rows = []
    for solver, settings in (("lbfgs", ', solver="lbfgs"'), ("auto", "")):
        ran = subprocess.run([sys.executable, "-c", MEMORY, solver], capture_output=True, text=True, check=True)
        rows.append(
            {
                "case": "10,000 x 24,000, K = 77",
                "measure": "peak memory of the process",
                "ours": f"MaxEntBatch(λ, tolerance=gap{settings})",
                "our_value": round(float(ran.stdout)),
                "unit": "MB",
            }
        )
    show("Peak memory of the process", "max_ent", rows, not quick)


def main(quick=False):
    corpus = books()
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        show_certified(corpus, quick)
        show_dense(quick)
        show_memory(quick)
