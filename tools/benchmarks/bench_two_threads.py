"""Two threads compared with one in wall-clock time: the machine must have two idle cores.

The table of online learners with iterative parameter mixing shows their accuracies on held-out data, too. The other table shows one
evaluation of the objective of maximum entropy, by blocks of rows. Both show the speed-up of two independent processes beside the goal.
"""

from functools import partial

import numpy as np
from interleaved import compare_learners, synthetic_text, tf_idf, tf_idf_text, time_in_turn, two_process_speedup
from results import show, timing

from classifiers.max_ent_batch import MaxEntObjective
from classifiers.max_ent_online import MaxEntOnline
from classifiers.perceptron import Perceptron
from classifiers.svm import SVM


def compare_trainings(n_classes, n_examples, rounds, repeats, save):
    X, y = synthetic_text(n_examples, 50_000, 80, n_classes)
    makers = {
        "perceptron": partial(Perceptron, nr_rounds=rounds),
        "SVM": partial(SVM, 1e-5, nr_rounds=rounds),
        "maximum entropy": partial(MaxEntOnline, 1e-5, nr_rounds=rounds),
    }
    learners = {name: make() for name, make in makers.items()}
    learners |= {f"{name}, two threads": make(n_jobs=2) for name, make in makers.items()}
    pairs = [(f"{name}, two threads", name) for name in makers]
    case = f"tf-idf, {n_examples:,} texts, K = {n_classes}, {rounds} rounds"
    compared = compare_learners(
        case, tf_idf(X), y, learners, pairs, repeats, "wall-clock time", show_two_processes=True
    )
    show(case, "two_threads", compared, save)


def compare_objectives(quick):
    rows = []
    for n_classes in (4, 20):
        X, y = tf_idf_text(10_000 if quick else 60_000, 50_000, 80, n_classes)
        one, two = (MaxEntObjective(X, y, n_classes, 1e-4, True, n_jobs=n_jobs) for n_jobs in (1, 2))
        x, repeats = np.random.default_rng(0).normal(size=one.size), 3 if quick else 11
        seconds = time_in_turn({"one": partial(one, x), "two": partial(two, x)}, repeats)
        same = np.array_equal(two(x)[1], two(x)[1])
        off = abs(one(x)[0] - two(x)[0]) / one(x)[0]
        rows.append(
            {
                "case": f"{len(y):,} texts, K = {n_classes}",
                "ours": "one evaluation of the objective, two threads",
                "peer": "one thread",
                **timing(seconds, "two", "one", "wall-clock time"),
                "bound": two_process_speedup(partial(one, x), repeats),
                "note": f"relative difference of the objectives {off:.0e}; {'equal' if same else 'other'} bits each time",
            }
        )
    show("One evaluation of objective and gradient in two threads", "two_threads", rows, not quick)


def main(quick=False):
    """Print the tables."""
    for n_classes in (4, 20):
        compare_trainings(n_classes, *((40_000, 2, 2) if quick else (120_000, 10, 5)), not quick)
    compare_objectives(quick)
