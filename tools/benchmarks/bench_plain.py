"""Default settings compared with the peer's: each learner gets only λ, its peer only C or alpha; with the accuracy of both.

λ and C = 1/(λM) are the same objective, for two classes C = 2/(λM); λ equals SGDClassifier's alpha. Both sides run in one thread and
in turn, and the ratios are of CPU time.
"""

import csv
import importlib
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from interleaved import books, noisy_points, tf_idf_text, time_in_turn
from results import accuracies, machine, show, timing
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


def pairs_of(regularizer, n_examples, n_classes):
    """Return the pairs (our learner, the peer's) for data of M examples and K classes, under their names."""
    C = (2 if n_classes == 2 else 1) / (regularizer * n_examples)
    sgd = {"alpha": regularizer, "tol": None, "max_iter": 20, "random_state": 0}
    tracked, online = SVM(regularizer, track_objective=True), MaxEntOnline(regularizer)
    pairs = {
        ("MaxEntBatch(λ)", "LogisticRegression(C)"): (MaxEntBatch(regularizer), LogisticRegression(C=C)),
        ('SVM(λ, "dual")', "LinearSVC(C)"): (SVM(regularizer, "dual"), LinearSVC(C=1 / (regularizer * n_examples))),
        ("SVM(λ)", "SGDClassifier(alpha)"): (SVM(regularizer), SGDClassifier(**sgd)),
        ("SVM(λ, track_objective=True)", "SGDClassifier(alpha)"): (tracked, SGDClassifier(**sgd)),
        ("MaxEntOnline(λ)", 'SGDClassifier("log_loss", alpha)'): (online, SGDClassifier("log_loss", **sgd)),
        ("MultinomialNaiveBayes()", "MultinomialNB()"): (MultinomialNaiveBayes(), MultinomialNB()),
    }
    if n_classes > 2:
        same = LinearSVC(C=1 / (regularizer * n_examples), multi_class="crammer_singer")
        pairs['SVM(λ, "dual")', 'LinearSVC(C, multi_class="crammer_singer")'] = SVM(regularizer, "dual"), same
    else:
        l1 = LogisticRegression(penalty="l1", solver="liblinear", C=1 / (0.1 * regularizer * n_examples))
        names = 'MaxEntBatch(λ / 10, penalty="l1")', 'LogisticRegression(C, penalty="l1", solver="liblinear")'
        pairs[names] = MaxEntBatch(0.1 * regularizer, penalty="l1"), l1
    return pairs


def learners(case, X, y, regularizer, repeats):
    """Yield an entry for each pair of learners, and one for their predictions; accuracies are on a held-out tenth."""
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    n_train = len(y) * 9 // 10
    train, test = (X[:n_train], y[:n_train]), (X[n_train:], y[n_train:])
    case = {"case": f"{case}, λ = {regularizer:g}"}
    for names, (ours, peer) in pairs_of(regularizer, n_train, len(np.unique(y))).items():
        runs = {"ours": lambda ours=ours: ours.train(*train), "peer": lambda peer=peer: peer.fit(*train)}
        seconds = time_in_turn(runs, repeats, time.process_time)
        params = ours.train(*train)
        right = np.mean(ours.test(test[0], params) == test[1]), np.mean(peer.predict(test[0]) == test[1])
        yield case | called(names) | timing(seconds, "ours", "peer") | accuracies(*right)
        if names[0] == "SVM(λ)":
            runs = {"ours": lambda ours=ours, W=params: ours.test(X, W), "peer": lambda peer=peer: peer.predict(X)}
            seconds = time_in_turn(runs, repeats, time.process_time)
            yield case | called((f"{names[0]}.test", f"{names[1]}.predict")) | timing(seconds, "ours", "peer")


#: Libraries that need not be installed: name of the package -> module, and the setting of its LogisticRegression for C.
OTHER_LIBRARIES = {
    "scikit-learn-intelex": ("sklearnex.linear_model", lambda C: {"C": C}),
    "snapml": ("snapml", lambda C: {"regularizer": 1 / C, "n_jobs": 1}),
}


def other_libraries(C):
    """Return a logistic regression of each other library that can be imported, by its name."""
    found = {}
    for package, (module, settings) in OTHER_LIBRARIES.items():
        try:
            library = importlib.import_module(module)
        except ImportError as error:
            print(f"Left out, {package}: {error}; pip install {package}")
            continue
        found[f"{module.partition('.')[0]}.LogisticRegression(C)"] = library.LogisticRegression(**settings(C))
    return found


def dense(n_examples, n_features, repeats, regularizer=1e-3):
    """Yield an entry for maximum entropy on dense points of two classes beside each library; accuracies are on the training data."""
    X, y = noisy_points(n_examples, n_features)
    C, ours = 2 / (regularizer * n_examples), MaxEntBatch(regularizer)
    peers = {"LogisticRegression(C)": LogisticRegression(C=C)} | other_libraries(C)
    runs = {"ours": lambda: ours.train(X, y)} | {name: partial(peer.fit, X, y) for name, peer in peers.items()}
    seconds = time_in_turn(runs, repeats, time.process_time)
    right = np.mean(ours.test(X, ours.train(X, y)) == y)
    case = {"case": f"dense, {n_examples:,} x {n_features}, λ = {regularizer:g}"}
    for name, peer in peers.items():
        named = case | called(("MaxEntBatch(λ)", name))
        yield named | timing(seconds, "ours", name) | accuracies(right, np.mean(peer.predict(X) == y))


def called(names):
    """Return the fields of the two calls."""
    return dict(zip(("ours", "peer"), names, strict=True))


def files(folder, n_documents, repeats):
    """Yield an entry for each reader of files: CSV with words between spaces, and svmlight."""
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
    names = "TextCorpus(csv, count=count_words)", "CountVectorizer(ngram_range=(1, 2))"
    seconds = time_in_turn(runs, repeats, time.process_time)
    yield {"case": f"CSV file, {n_documents:,} texts"} | called(names) | timing(seconds, "ours", "peer")
    runs = {"ours": lambda: TextCorpus(features), "peer": lambda: load_svmlight_file(str(features))}
    seconds = time_in_turn(runs, repeats, time.process_time)
    names = "TextCorpus(svmlight)", "load_svmlight_file"
    size = f"{features.stat().st_size / 1e6:.0f} MB"
    case = {"case": f"svmlight file, {n_documents:,} rows", "note": size}
    yield case | called(names) | timing(seconds, "ours", "peer")


def tagging():
    """Yield the milliseconds for one sentence, and for each of a batch."""
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
    for number, value in (("one sentence", median(seconds)), ("each of 500 sentences", each)):
        yield {
            "case": f"tagging, {len(tagger.feature_names) // 1000},000 features, {number}",
            "ours": "StructuredPerceptron().test",
            "measure": "CPU time",
            "our_value": round(1e3 * value, 2),
            "unit": "ms",
        }


def main(quick=False):
    """Print a table for each data set as soon as it is measured."""
    repeats, n = (2, 4_000) if quick else (5, 20_000)
    corpus = books()
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        print(f"Plain calls, on {machine()}")
        if corpus is not None:
            show("Books", "plain", learners("books, K = 2", corpus.X, corpus.y, 0.01, 3 * repeats), not quick)
        texts = ((4, 50_000, 80, 1e-5), (20, 50_000, 80, 1e-4), (77, 30_000, 30, 1e-4))
        for n_classes, n_features, n_words, regularizer in texts:
            X, y = tf_idf_text(n, n_features, n_words, n_classes)
            case = f"{n:,} texts, K = {n_classes}"
            show(case, "plain", learners(case, X, y, regularizer, max(2, repeats // 2)), not quick)
        for n_examples, n_features in ((10_000, 2), (10_000, 20), (10_000, 200), (100_000, 200))[: 2 if quick else 4]:
            case = f"Dense points, {n_examples:,} x {n_features}"
            show(case, "plain", dense(n_examples, n_features, 3 * repeats), not quick)
        with tempfile.TemporaryDirectory() as folder:
            show("Files", "plain", files(folder, n, 2), not quick)
    show("Tagging", "plain", tagging(), not quick)
