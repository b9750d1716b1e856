"""Large sparse sets, online: rows in float32, objectives that nobody asked for.

tf-idf rows of synthetic text. scikit-learn trains one binary model per class, on the same number of passes and one thread; the
other peers are this package's own learners, set up otherwise. Accuracies are those on a tenth of the data that is not trained on.
"""

import numpy as np
import scipy.sparse as sp
from interleaved import gain_of_two_processes, print_table, ratio, synthetic_text, time_in_turn
from sklearn.linear_model import SGDClassifier

from classifiers.max_ent_online import MaxEntOnline
from classifiers.perceptron import Perceptron
from classifiers.svm import SVM

REGULARIZER = 1e-5


def tf_idf(X):
    """Rows of counts as rows of length 1, rare words weighing more."""
    idf = np.log((1 + X.shape[0]) / (1 + np.bincount(X.indices, minlength=X.shape[1]))) + 1
    data = (1 + np.log(X.data)) * idf[X.indices]
    data /= np.sqrt(np.repeat(np.add.reduceat(data * data, X.indptr[:-1]), np.diff(X.indptr)))
    return sp.csr_array((data, X.indices, X.indptr), shape=X.shape)


def contestants(rounds):
    """Learners by name."""
    sgd = {"max_iter": rounds, "tol": None, "random_state": 1, "average": True}
    constant = {"penalty": None, "learning_rate": "constant", "eta0": 1.0}
    of_gradients = {"regularizer": REGULARIZER, "nr_rounds": rounds}
    return {
        "perceptron": Perceptron(rounds),
        "perceptron, 2 threads": Perceptron(rounds, n_jobs=2),
        "perceptron, tracked": Perceptron(rounds, track_objective=True),
        "SVM": SVM(**of_gradients),
        "SVM, 2 threads": SVM(**of_gradients, n_jobs=2),
        "maximum entropy": MaxEntOnline(**of_gradients),
        "maximum entropy, steps": MaxEntOnline(**of_gradients, averaged="steps"),
        "maximum entropy, 2 threads": MaxEntOnline(**of_gradients, n_jobs=2),
        "SGD perceptron, averaged": SGDClassifier(loss="perceptron", **constant, **sgd),
        "SGD log_loss, averaged": SGDClassifier(loss="log_loss", alpha=REGULARIZER, **sgd),
    }


#: ours, the peer, the goal for K = 4 and for K = 20
ROWS = [
    ("perceptron", "SGD perceptron, averaged", 4.5, 8.0),
    ("maximum entropy", "SGD log_loss, averaged", 4.5, 6.0),
    ("maximum entropy, steps", "SGD log_loss, averaged", 4.5, 6.0),
    ("perceptron, tracked", "perceptron", 1.0, 1.0),
]
#: of `bench_two_threads.py`
THREAD_ROWS = [
    ("perceptron, 2 threads", "perceptron", 1.6, 1.6),
    ("SVM, 2 threads", "SVM", 1.6, 1.6),
    ("maximum entropy, 2 threads", "maximum entropy", 1.6, 1.6),
]


def compare(n_classes, n_examples, rounds, repeats, compared=ROWS):
    X, y = synthetic_text(n_examples * 10 // 9, 50_000, 80, n_classes)
    X = tf_idf(X)
    X_test, y_test, X, y = X[n_examples:], y[n_examples:], X[:n_examples], y[:n_examples]
    wanted = {name for ours, peer, *_ in compared for name in (ours, peer)}
    learners = {name: learner for name, learner in contestants(rounds).items() if name in wanted}
    accuracies = {}

    def run(name, learner):
        if isinstance(learner, SGDClassifier):
            learner.fit(X, y)
            accuracies[name] = lambda: learner.score(X_test, y_test)
        else:
            params = learner.train(X, y)
            accuracies[name] = lambda: np.mean(learner.test(X_test, params) == y_test)

    seconds = time_in_turn({name: lambda n=name, one=one: run(n, one) for name, one in learners.items()}, repeats)
    rows, bounded = [], compared is THREAD_ROWS
    for ours, peer, *goals in compared:
        quality = [f"{accuracies[name]():.4f}" for name in (ours, peer)]
        goal = goals[0] if n_classes < 20 else goals[1]
        bound = [f"{gain_of_two_processes(lambda one=learners[peer]: one.train(X, y), repeats):.2f}"] if bounded else []
        rows.append([ours, peer, f"{1 / ratio(seconds, ours, peer):.2f}", f"{goal}", *bound, *quality])
    print_table(
        f"tf-idf rows: {n_examples} x 50000, K = {n_classes}, {rounds} rounds, medians of {repeats}",
        ["ours", "peer", "times faster", "goal", *["two processes"] * bounded, "our accuracy", "the peer's"],
        rows,
    )


def main(quick=False):
    for n_classes in (4, 20):
        compare(n_classes, 40_000 if quick else 180_000, rounds=2 if quick else 10, repeats=2 if quick else 5)


if __name__ == "__main__":
    main()
