"""Default settings compared with the peer's: each learner gets only λ, its peer only C or alpha; with the accuracy of both.

λ and C = 1/(λM) are the same objective, for two classes C = 2/(λM); λ equals SGDClassifier's alpha. Both sides run in one thread and
in turn, and the ratios are of CPU time.
"""

import csv
import platform
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median

import numpy as np
from interleaved import books, print_table, ratio, tf_idf_text, time_in_turn
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from classifiers.max_ent_batch import MaxEntBatch
from classifiers.max_ent_online import MaxEntOnline
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from classifiers.structured import StructuredPerceptron
from classifiers.svm import SVM
from readers.pos_corpus import PosCorpus
from readers.text_reader import TextCorpus
from readers.vocabulary import count_words


def processor():
    """Return the name of the processor as Linux reports it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "CPU part"))]
    return names[0] if names else platform.processor()


def pairs_of(regularizer, n_examples, n_classes):
    """Return name -> (our learner, the peer) for data of M examples and K classes."""
    C = (2 if n_classes == 2 else 1) / (regularizer * n_examples)
    sgd = {"alpha": regularizer, "tol": None, "max_iter": 20, "random_state": 0}
    pairs = {
        "MaxEntBatch(λ), LogisticRegression(C)": (MaxEntBatch(regularizer), LogisticRegression(C=C)),
        'SVM(λ, "dual"), LinearSVC(C)': (SVM(regularizer, "dual"), LinearSVC(C=1 / (regularizer * n_examples))),
        "SVM(λ), SGDClassifier(alpha)": (SVM(regularizer), SGDClassifier(**sgd)),
        "the same, track_objective": (SVM(regularizer, track_objective=True), SGDClassifier(**sgd)),
        "MaxEntOnline(λ), SGDClassifier(log_loss)": (MaxEntOnline(regularizer), SGDClassifier("log_loss", **sgd)),
        "MultinomialNaiveBayes(), MultinomialNB()": (MultinomialNaiveBayes(), MultinomialNB()),
    }
    if n_classes > 2:
        same = LinearSVC(C=1 / (regularizer * n_examples), multi_class="crammer_singer")
        pairs['SVM(λ, "dual"), LinearSVC(crammer_singer)'] = SVM(regularizer, "dual"), same
    else:
        l1 = LogisticRegression(penalty="l1", solver="liblinear", C=1 / (0.1 * regularizer * n_examples))
        pairs['MaxEntBatch(λ / 10, penalty="l1"), liblinear'] = MaxEntBatch(0.1 * regularizer, penalty="l1"), l1
    return pairs


def learners(X, y, regularizer, repeats):
    """Yield a row for each pair of learners, and one for their predictions; accuracies are on a held-out tenth."""
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    n_train = len(y) * 9 // 10
    train, test = (X[:n_train], y[:n_train]), (X[n_train:], y[n_train:])
    for title, (ours, peer) in pairs_of(regularizer, n_train, len(np.unique(y))).items():
        runs = {"ours": lambda ours=ours: ours.train(*train), "peer": lambda peer=peer: peer.fit(*train)}
        seconds = time_in_turn(runs, repeats, time.process_time)
        params = ours.train(*train)
        right = np.mean(ours.test(test[0], params) == test[1]), np.mean(peer.predict(test[0]) == test[1])
        yield row(title, seconds, "{:.4f}, {:.4f}".format(*right))
        if title.startswith("SVM(λ), "):
            runs = {"ours": lambda ours=ours, W=params: ours.test(X, W), "peer": lambda peer=peer: peer.predict(X)}
            yield row("the same, test and predict", time_in_turn(runs, repeats, time.process_time), f"{len(y)} rows")


def row(title, seconds, quality):
    """Return one row of the table."""
    times = ", ".join(f"{1e3 * median(seconds[name]):.3g}" for name in ("ours", "peer"))
    return [title, f"{1 / ratio(seconds, 'ours', 'peer'):.2f}", times, quality]


def files(folder, n_documents, repeats):
    """Yield rows for readers of files: CSV with words separated by spaces, and svmlight."""
    X, y = tf_idf_text(n_documents, 50_000, 20, 4)
    table, features = Path(folder, "words.csv"), Path(folder, "features.svmlight")
    with table.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["label", "text"])
        for m in range(n_documents):
            words = X.indices[X.indptr[m] : X.indptr[m + 1]]
            lines.writerow([f"c{y[m]}", " ".join(f"w{word}" for word in words)])
    dump_svmlight_file(X, y, str(features))

    def theirs():
        with table.open(newline="", encoding="utf-8") as file:
            texts = [text for _, text in csv.reader(file)][1:]
        return CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2)).fit_transform(texts)

    runs = {"ours": lambda: TextCorpus(table, count=count_words), "peer": theirs}
    yield row(
        "CSV: TextCorpus(count=count_words), CountVectorizer",
        time_in_turn(runs, repeats, time.process_time),
        f"{n_documents} texts",
    )
    runs = {"ours": lambda: TextCorpus(features), "peer": lambda: load_svmlight_file(str(features))}
    size = f"{features.stat().st_size / 1e6:.0f} MB"
    yield row("svmlight: TextCorpus, load_svmlight_file", time_in_turn(runs, repeats, time.process_time), size)


def tagging():
    """Print the milliseconds per sentence, tagged alone and in a batch."""
    corpus, tagger = PosCorpus(), StructuredPerceptron(nr_rounds=1)
    W = tagger.train(corpus.train_X[:2500], corpus.train_y[:2500])
    tagger.test(corpus.test_X[:5], W)
    seconds = []
    for sentence in corpus.test_X[:50]:
        started = time.process_time()
        tagger.test([sentence], W)
        seconds.append(time.process_time() - started)
    started = time.process_time()
    tagger.test(corpus.test_X[:500], W)
    each = (time.process_time() - started) / len(corpus.test_X[:500])
    print(
        f"\nTagging, {len(tagger.feature_names)} features: {1e3 * median(seconds):.2f} ms a sentence by itself, {1e3 * each:.2f} in a batch"
    )


HEADER = ["case: ours, peer", "peer's time / ours", "ms", "accuracy, or size"]


def main(quick=False):
    """Print a table for each data set as soon as it is measured."""
    repeats, n = (2, 4_000) if quick else (5, 20_000)
    corpus = books()
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        print(f"Plain calls, on {processor()}")
        if corpus is not None:
            print_table("books, K = 2", HEADER, list(learners(corpus.X, corpus.y, 0.01, 3 * repeats)))
        for n_classes, n_features, n_words, regularizer in (
            (4, 50_000, 80, 1e-5),
            (20, 50_000, 80, 1e-4),
            (77, 30_000, 30, 1e-4),
        ):
            X, y = tf_idf_text(n, n_features, n_words, n_classes)
            print_table(f"{n} texts, K = {n_classes}", HEADER, list(learners(X, y, regularizer, max(2, repeats // 2))))
        with tempfile.TemporaryDirectory() as folder:
            print_table("files", HEADER, list(files(folder, n, 2)))
    tagging()
