"""Interleaved timing of alternatives in one process, so that changes of the machine's speed affect all of them alike."""

import multiprocessing
import time
from functools import partial
from statistics import median

import numpy as np
import scipy.sparse as sp
from results import accuracies, timing

from lxmls_day1.base.errors import CorpusUnavailable
from readers.sentiment_reader import SentimentCorpus


def time_in_turn(contestants, repeats, clock=time.perf_counter):
    """Run every contestant once unmeasured, then all of them in turn ``repeats`` times.

    Parameters
    ----------
    contestants : dict name -> function without arguments
    repeats : int
    clock : function -> seconds
        Default: wall-clock time. ``time.process_time`` is less sensitive to other programs, if all contestants use one thread.

    Returns
    -------
    seconds : dict name -> list of ``repeats`` times
    """
    for run in contestants.values():
        run()
    seconds = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, run in contestants.items():
            started = clock()
            run()
            seconds[name].append(clock() - started)
    return seconds


def ratio(seconds, name, against):
    """Return the median over the repeats of one contestant's time divided by another's in the same repeat."""
    return median(a / b for a, b in zip(seconds[name], seconds[against], strict=True))


def two_process_speedup(run, repeats):
    """Measure the speed-up of two processes over one in wall-clock time: the maximum gain of two threads or workers on this machine.

    Each process calls the same function on its own data, and they share nothing. The gain is below 2 because cores compete for memory, and
    because other programs use them now and then.

    Parameters
    ----------
    run : function without arguments
        It must have been called before, so that compiling is not measured.
    repeats : int
    """
    context = multiprocessing.get_context("fork")

    def seconds(n_processes):
        barrier = context.Barrier(n_processes + 1)
        processes = [context.Process(target=lambda: (barrier.wait(), run())) for _ in range(n_processes)]
        for process in processes:
            process.start()
        barrier.wait()
        started = time.perf_counter()
        for process in processes:
            process.join()
        return time.perf_counter() - started

    return median(2 * seconds(1) / seconds(2) for _ in range(repeats))


def compare_learners(case, X, y, learners, pairs, repeats, clock="CPU time", show_two_processes=False):
    """Train learners in turn on nine tenths of the data, and yield an entry of the results for each pair.

    Parameters
    ----------
    case : str
    X, y : matrix and labels, in an order without meaning
    learners : dict name -> one of this package's, or an estimator of scikit-learn
    pairs : list of (ours, peer)
        Names of learners.
    repeats : int
    clock : "CPU time" or "wall-clock time"
    show_two_processes : bool
        True to measure as well what two processes that share nothing gain over one.
    """
    n_train = X.shape[0] * 9 // 10
    train, test = (X[:n_train], y[:n_train]), (X[n_train:], y[n_train:])
    named = {name for pair in pairs for name in pair}
    runs = {
        name: partial(getattr(one, "train", None) or one.fit, *train) for name, one in learners.items() if name in named
    }
    seconds = time_in_turn(runs, repeats, time.process_time if clock == "CPU time" else time.perf_counter)

    def accuracy(name):
        trained = runs[name]()
        labels = learners[name].test(test[0], trained) if hasattr(learners[name], "test") else trained.predict(test[0])
        return np.mean(labels == test[1])

    reached = {name: accuracy(name) for name in runs}
    for ours, peer in pairs:
        bound = {"bound": two_process_speedup(runs[peer], repeats)} if show_two_processes else {}
        yield {
            "case": case,
            "ours": ours,
            "peer": peer,
            **timing(seconds, ours, peer, clock),
            **bound,
            **accuracies(reached[ours], reached[peer]),
        }


def books():
    """Return the books corpus, or print why it is missing and return None."""
    try:
        return SentimentCorpus("books")
    except CorpusUnavailable as error:
        print(f"Left out, books: {error}")
        return None


def noisy_points(n_examples, n_features, n_classes=2, seed=0):
    """Generate Gaussian points with the labels of a noisy random linear model."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_examples, n_features))
    scores = X @ rng.normal(size=(n_features, n_classes))
    return X, np.argmax(scores + rng.gumbel(size=scores.shape) * scores.std() / 2, axis=1)


def tf_idf(X):
    """Convert rows of counts to tf-idf rows of length 1."""
    idf = np.log((1 + X.shape[0]) / (1 + np.bincount(X.indices, minlength=X.shape[1]))) + 1
    data = (1 + np.log(X.data)) * idf[X.indices]
    data /= np.sqrt(np.repeat(np.add.reduceat(data * data, X.indptr[:-1]), np.diff(X.indptr)))
    return sp.csr_array((data, X.indices, X.indptr), shape=X.shape)


def synthetic_text(n_examples, n_features, n_nonzeros, n_classes, seed=0):
    """Generate sparse documents with Zipf-distributed words and the labels of a noisy random linear model.

    Returns
    -------
    X : csr_array (n_examples, n_features)
        About ``n_nonzeros`` words a row.
    y : int array (n_examples,)
    """
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, n_features + 1)
    # Words are drawn with repetition, and about one in seven repeats.
    lengths = rng.poisson(n_nonzeros * 1.15, n_examples)
    words = rng.permutation(n_features)[np.searchsorted(np.cumsum(shares / shares.sum()), rng.random(lengths.sum()))]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    X = sp.csr_array((np.ones(len(words)), words.astype(np.int32), indptr), shape=(n_examples, n_features))
    X.sum_duplicates()
    scores = X @ rng.normal(size=(n_features, n_classes))
    return X, np.argmax(scores + rng.gumbel(size=scores.shape) * scores.std() / 2, axis=1)


def tf_idf_text(n_examples, n_features, n_nonzeros, n_classes, seed=0):
    """Generate documents of Zipf-distributed words as tf-idf rows of norm 1, with the labels of a noisy sparse linear model.

    Returns
    -------
    X : csr_array (n_examples, n_features)
        About ``n_nonzeros`` words a row.
    y : int array (n_examples,)
    """
    rng = np.random.default_rng(seed)
    shares = 1 / (np.arange(1, n_features + 1) + 20) ** 1.05
    lengths = np.clip(rng.lognormal(np.log(n_nonzeros), 0.45, n_examples), 5, 400).astype(int)
    words = np.searchsorted(np.cumsum(shares / shares.sum())[:-1], rng.random(lengths.sum()))
    words = rng.permutation(n_features)[words].astype(np.int32)
    X = sp.csr_array(
        (np.ones(len(words)), words, np.append(0, np.cumsum(lengths)).astype(np.int32)), shape=(n_examples, n_features)
    )
    X.sum_duplicates()
    found_in = np.bincount(X.indices, minlength=n_features)
    X.data = (1 + np.log(X.data)) * (1 + np.log((1 + n_examples) / (1 + found_in)))[X.indices]
    X.data /= np.repeat(np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1])), np.diff(X.indptr))
    frequent, W = np.argsort(-found_in)[:4000], np.zeros((n_features, n_classes))
    weights = np.abs(rng.normal(size=(len(frequent), n_classes))) * (rng.random((len(frequent), n_classes)) < 0.08)
    W[frequent] = weights
    scores = X @ W
    scores = (scores - scores.mean(axis=0)) / scores.std()
    return X, np.argmax(8 * scores + rng.gumbel(size=scores.shape), axis=1)
