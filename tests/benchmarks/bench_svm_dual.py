"""The dual solver of the SVM against scikit-learn's LinearSVC(multi_class="crammer_singer"), at the same objective.

Both minimise the same function (C = 1/(λM), the intercept a feature like the rest), and both run single-threaded in this
process, in turn. They stop by different measures: ours at a duality gap of 1e-3 of the objective, LIBLINEAR when no
example violates its conditions by more than ``tol``. So LinearSVC is given, beforehand and unmeasured, the loosest
``tol`` of a grid with which its objective is

* as low as the one that ours ends with ("same objective"), or
* within 1e-3 of the best that is known ("within 1e-3"): kinder to LinearSVC, as ours stops below what it must reach.

The best that is known is our dual value at a gap of 1e-5, which no objective can undercut.
"""

import bisect
import functools
import warnings
from statistics import median

import numpy as np
from interleaved import books, print_table, ratio, synthetic_text, time_in_turn
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from classifiers.svm import SVM

TOLERANCE = 1e-3
TOLS = tuple(0.7**i for i in range(32))  # 1 … 1.6e-5


def linear_svc(regularizer, n_examples, tol):
    settings = {"C": 1 / (regularizer * n_examples), "tol": tol, "max_iter": 1_000_000, "random_state": 1}
    return LinearSVC(multi_class="crammer_singer", **settings)


def params_of(fitted):
    """Its weights as a matrix (J + 1, K); for two classes it keeps the difference of the two columns only."""
    params = np.vstack([fitted.intercept_, fitted.coef_.T])
    return np.hstack([-params / 2, params / 2]) if params.shape[1] == 1 else params


def loosest_tols(X, y, svm, wanted):
    """For each objective in ``wanted`` the loosest of ``TOLS`` with which LinearSVC reaches it, by bisection; and what it
    then reaches."""

    @functools.cache
    def objective(tol):
        return svm.objective(X, y, params_of(linear_svc(svm.regularizer, len(y), tol).fit(X, y)))

    found = []
    for limit in wanted:
        first = bisect.bisect_left(TOLS, True, key=lambda tol, limit=limit: objective(tol) <= limit)
        if first == len(TOLS):
            raise RuntimeError(f"LinearSVC did not reach an objective of {limit} with tol={TOLS[-1]}")
        found.append((TOLS[first], objective(TOLS[first])))
    return found


def compare(name, X, y, regularizer, repeats):
    """A row of the table: seconds of both, and our share of theirs."""
    ours = SVM(regularizer, solver="dual", tolerance=TOLERANCE)
    ours.train(X, y)
    reached = ours.history[-1]
    exact = SVM(regularizer, solver="dual", tolerance=1e-5)
    exact.train(X, y)
    best = exact.history[-1].dual
    limits = reached.objective, best * (1 + TOLERANCE)
    (tol, objective), (kind_tol, kind_objective) = loosest_tols(X, y, ours, limits)
    theirs, kinder = (linear_svc(regularizer, len(y), t) for t in (tol, kind_tol))
    seconds = time_in_turn(
        {
            "ours": lambda: ours.train(X, y),
            "same objective": lambda: theirs.fit(X, y),
            "within 1e-3": lambda: kinder.fit(X, y),
        },
        repeats,
    )
    return [
        f"{name}, λ = {regularizer:g}",
        *(f"{value / best - 1:.1e}" for value in (reached.objective, objective, kind_objective)),
        f"{tol:.2g} / {kind_tol:.2g}",
        *(f"{median(seconds[way]):.3f}" for way in seconds),
        f"{ratio(seconds, 'ours', 'same objective'):.2f}",
        f"{ratio(seconds, 'ours', 'within 1e-3'):.2f}",
    ]


def show(title, rows):
    header = ["", "above best: ours", "theirs", "within 1e-3", "tols", "s: ours", "theirs", "within 1e-3"]
    print_table(
        f'SVM(solver="dual") to a gap of {TOLERANCE:g} against LinearSVC(multi_class="crammer_singer"), {title}; wanted: '
        "ours / theirs ≤ 0.7",
        [*header, "ours / theirs", "ours / within 1e-3"],
        rows,
    )


def main(quick=False):
    corpus = books()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)  # of a scikit-learn that renames or withdraws an argument
        if corpus is not None:
            X, y = corpus.train_X, corpus.train_y
            repeats = 5 if quick else 21
            rows = [compare("K = 2", X, y, regularizer, repeats) for regularizer in (0.1, 0.01, 1 / len(y))]
            show(f"books, medians of {repeats}", rows)
        for n_classes in (4, 20):
            X, y = synthetic_text(3_000 if quick else 20_000, 50_000, 80, n_classes)
            repeats = 2 if quick else 3
            rows = [compare(f"K = {n_classes}", X, y, regularizer, repeats) for regularizer in (1e-2, 1e-3)]
            show(f"{X.shape[0]} x {X.shape[1]} synthetic text, medians of {repeats}", rows)


if __name__ == "__main__":
    main()
