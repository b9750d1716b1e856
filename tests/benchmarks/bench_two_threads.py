"""Two threads against one, by the wall clock: these rows want two cores that nobody else uses.

Online learners by iterative parameter mixing, with their accuracies on data that they were not trained on; and one evaluation of
the objective of maximum entropy, by blocks of rows. Beside the goals stands what two processes that share nothing gain over one.
"""

import numpy as np
from bench_large_sets import THREAD_ROWS, compare
from interleaved import gain_of_two_processes, print_table, ratio, tf_idf_text, time_in_turn

from classifiers.max_ent_batch import MaxEntObjective


def show_threads(quick):
    rows = []
    for n_classes in (4, 20):
        X, y = tf_idf_text(10_000 if quick else 60_000, 50_000, 80, n_classes)
        one, two = (MaxEntObjective(X, y, n_classes, 1e-4, True, n_jobs=n_jobs) for n_jobs in (1, 2))
        x = np.random.default_rng(0).normal(size=one.size)
        seconds = time_in_turn({"one": lambda x=x, f=one: f(x), "two": lambda x=x, f=two: f(x)}, 3 if quick else 11)
        off = abs(one(x)[0] - two(x)[0]) / one(x)[0]
        same = np.array_equal(two(x)[1], two(x)[1])
        rows.append(
            [
                f"{len(y)} texts, K = {n_classes}",
                f"{1 / ratio(seconds, 'two', 'one'):.2f}",
                "≥ 1.6",
                f"{gain_of_two_processes(lambda f=one, x=x: f(x), 3 if quick else 11):.2f}",
                f"{off:.0e}",
                str(same),
            ]
        )
    print_table(
        "One evaluation of objective and gradient in two threads, wall clock",
        ["case", "one thread's time / ours", "goal", "two processes", "difference of F", "twice the same bits"],
        rows,
    )


def main(quick=False):
    for n_classes in (4, 20):
        n_examples, rounds, repeats = (40_000, 2, 2) if quick else (120_000, 10, 5)
        compare(n_classes, n_examples, rounds, repeats, THREAD_ROWS)
    show_threads(quick)


if __name__ == "__main__":
    main()
