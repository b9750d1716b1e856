"""The default step sizes for every λ: the distance of ten rounds from the optimum, which the batch solvers find. No times.

The goal: an objective within 1 % of the optimum's, or a test accuracy at most 0.5 points below the optimum's; and never an objective
above that of W = 0. Reviews and questions use five folds, because one of 400 test reviews is a quarter of a point. Words of English
sentences (one example per word, with a tagger's features) and generated data use two halves. Missing data sets are skipped.
"""

import itertools
import warnings

import numpy as np
import scipy.sparse as sp
from interleaved import noisy_points, tf_idf_text
from results import show

from classifiers.max_ent_batch import MaxEntBatch
from classifiers.max_ent_online import MaxEntOnline
from classifiers.structured.tag_features import EncodedSentences
from classifiers.svm import SVM
from lxmls_day1.base.errors import CorpusUnavailable
from lxmls_day1.base.text_table import format_table
from readers.pos_corpus import PosCorpus
from readers.question_reader import QuestionCorpus
from readers.sentiment_reader import SentimentCorpus

HEADINGS = [
    *("learner", "objective above the optimum's (1 %)", "accuracy: ours / optimum's", "points lost (0.5)"),
    *("objective / at zero (1)", "as wanted"),
]
LAMBDAS = (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


def whole_corpus(corpus):
    X = sp.csr_array(sp.vstack([X for X in (corpus.train_X, corpus.dev_X, corpus.test_X) if X.shape[0]]))
    return X, np.concatenate([np.ravel(y) for y in (corpus.train_y, corpus.dev_y, corpus.test_y)])


def words_of_sentences(n_sentences):
    """Return the words of sentences with their features, one example per word."""
    corpus = PosCorpus("UD_English-EWT")
    encoded = EncodedSentences.learn(corpus.train_X[:n_sentences])
    _, indptr, indices, _ = encoded.features
    X = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(indptr) - 1, len(encoded.index)))
    return X, np.array(list(itertools.chain.from_iterable(corpus.train_y[:n_sentences])))


def data_sets(quick):
    """Return for each name a function that makes X and y, and the number of folds."""
    n = 2_000 if quick else 20_000
    return {
        "books, five folds": (lambda: whole_corpus(SentimentCorpus("books")), 5),
        "dvd, five folds": (lambda: whole_corpus(SentimentCorpus("dvd")), 5),
        "electronics, five folds": (lambda: whole_corpus(SentimentCorpus("electronics")), 5),
        "TREC, five folds": (lambda: whole_corpus(QuestionCorpus("trec6")), 5),
        f"words of {n // 20:,} sentences, K = 17": (lambda: words_of_sentences(n // 20), 2),
        f"{n // 2:,} texts, K = 20": (lambda: tf_idf_text(n, 20_000, 80, 20), 2),
        f"{n // 2:,} short texts, K = 77": (lambda: tf_idf_text(n, 3_000, 11, 77), 2),
        f"{n // 2:,} dense points, J = 20": (lambda: noisy_points(n, 20), 2),
    }


def row(learner, regularizer, X, y, n_folds):
    """Return what ten rounds reach beside the optimum, on average over the folds (one of two halves only).

    These are a row of the table; the objective above the optimum, as a share; points lost and their standard error; and the largest
    objective divided by that at W = 0.
    """
    fold_of = np.random.default_rng(0).permutation(len(y)) % n_folds
    above, of_zero, ours, best = [], [], [], []
    for fold in range(n_folds if n_folds > 2 else 1):
        tested = fold_of == fold
        train_X, train_y, test_X, test_y = X[~tested], y[~tested], X[tested], y[tested]
        exact = SVM(regularizer, "dual", 1e-3, 300) if learner is SVM else MaxEntBatch(regularizer, solver="dual")
        least, online = exact.train(train_X, train_y), learner(regularizer, nr_rounds=10)
        params = online.train(train_X, train_y)
        at_zero, optimum, reached = (online.objective(train_X, train_y, W) for W in (0 * params, least, params))
        above.append(reached / optimum - 1)
        of_zero.append(reached / at_zero)
        best.append(online.test(test_X, least) == test_y)
        ours.append(online.test(test_X, params) == test_y)
    right, right_at_best = np.concatenate(ours), np.concatenate(best)
    lost = 1.0 * right_at_best - right  # (M,): 1 if only the optimum is right, -1 if only ours is
    wanted = (np.mean(above) <= 0.01 or np.mean(lost) <= 0.005) and max(of_zero) <= 1
    points, error = 100 * np.mean(lost), 100 * lost.std() / np.sqrt(len(lost))
    line = [
        f"{online.get_name()}, λ = {regularizer:g}",
        f"{100 * np.mean(above):+.2f} %",
        f"{100 * right.mean():.2f} / {100 * right_at_best.mean():.2f}",
        f"{points:+.2f} ± {error:.2f}",
        f"{max(of_zero):.3f}",
        "yes" if wanted else "NO",
    ]
    return line, np.mean(above), points, error, max(of_zero)


def worst(case, found):
    """Yield the entries of a data set: the largest loss of accuracy away from the optimum, and the largest objective."""
    common = {"case": case, "ours": "ten rounds, default steps"}
    if lost := [(points, error) for _, above, points, error, _ in found if above > 0.01]:
        points, error = max(lost)
        measure = "accuracy lost at most, objective more than 1 % above the optimum"
        quality = {"quality": "standard error", "our_quality": round(error, 2)}
        yield common | {"measure": measure, "our_value": round(points, 2), "unit": "points"} | quality
    largest = round(max(row[-1] for row in found), 3)
    yield common | {"measure": "objective / objective at W = 0, at most", "our_value": largest}


def main(quick=False):
    for name, (make, n_folds) in data_sets(quick).items():
        try:
            X, y = make()
        except CorpusUnavailable as error:
            print(f"Left out, {name}: {error}")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # A solver that stopped early is close enough.
            found = [row(learner, value, X, y, n_folds) for learner in (MaxEntOnline, SVM) for value in LAMBDAS]
        print(f"\nDefault steps, ten rounds: {name}, {X.shape[0]} x {X.shape[1]}")
        print(format_table(HEADINGS, [line for line, *_ in found]))
        show(f"Worst of {len(found)} settings", "step_sizes", worst(name, found), not quick)
