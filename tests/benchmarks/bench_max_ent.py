"""MaxEntBatch against scikit-learn's LogisticRegression(solver="lbfgs"), to a relative objective gap of 1e-5.

Both minimise the same function: C = 1/(λM), for two classes 2/(λM), as scikit-learn penalises their one vector; and
scikit-learn gets the intercept as a column of ones, so that it is penalised too. Both run single-threaded in this
process, in turn. They stop by different measures, so that each is given, beforehand and unmeasured, the loosest
``tolerance`` or ``tol`` of a grid with which its objective is within the gap. The optimum is that of ours with a
certificate of 1e-7.
"""

import bisect
import warnings
from statistics import median

import numpy as np
import scipy.sparse as sp
from interleaved import print_table, ratio, synthetic_text, time_in_turn
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


def main(quick=False):
    from real_reviews import books

    corpus = books()
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        if corpus is not None:
            lambdas, repeats = (1.0, 1e-2, 1e-3), 5 if quick else 21
            show("books; wanted: at most 1", "K = 2", corpus.train_X, corpus.train_y, lambdas, repeats)
        X, y = synthetic_text(10_000 if quick else 180_000, 50_000, 80, n_classes=4)
        show(f"{len(y)} texts; wanted: at most 0.5", "K = 4", X, y, (1e-2, 1e-3), 2)


if __name__ == "__main__":
    main()
