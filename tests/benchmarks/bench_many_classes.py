"""Three hundred classes of text: from a file to a trained classifier, beside scikit-learn on the same file.

Both read two columns of a CSV file and count words and word pairs. scikit-learn's Perceptron is 300 binary models, each
of which goes through the data by itself; here one model has a row of 300 weights for each word, and an update touches
few of them. All run single-threaded in this process, in turn.
"""

import csv
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
from interleaved import print_table, ratio, time_in_turn
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.naive_bayes import MultinomialNB

from classifiers.column_squishing import ColumnSquishing
from classifiers.mira import Mira
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from classifiers.perceptron import Perceptron
from readers.text_reader import TextCorpus
from readers.vocabulary import count_words

N_CLASSES = 300
ROUNDS = 5


def write_documents(path, n_documents, seed=0):
    """Documents of about 30 words: most from one Zipf-distributed stock, three in ten from the 20 of their class."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, 10_001)
    stock = np.cumsum(shares / shares.sum())
    words_of_class = rng.integers(0, 10_000, (N_CLASSES, 20))
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        for label in rng.permutation(np.arange(n_documents) % N_CLASSES).tolist():
            length = max(3, rng.poisson(30))
            words = np.searchsorted(stock, rng.random(length))
            own = rng.random(length) < 0.3
            words[own] = rng.choice(words_of_class[label], own.sum())
            rows.writerow([f"class{label}", " ".join(f"word{word}" for word in words)])


def read_with_scikit_learn(path):
    with open(path, encoding="utf-8", newline="") as file:
        labels, texts = zip(*csv.reader(file), strict=True)
    vectorizer = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\S+", dtype=np.float64, min_df=2)
    return vectorizer.fit_transform(texts), np.unique(labels, return_inverse=True)[1]


def main(quick=False):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "documents.csv")
        write_documents(path, n_documents=3_000 if quick else 12_000)
        repeats = 2 if quick else 3

        def read():
            return TextCorpus(path, count=count_words, min_count=2)

        readers = {"TextCorpus": read, "csv, CountVectorizer": lambda: read_with_scikit_learn(path)}
        seconds = time_in_turn(readers, repeats)
        corpus = read()
    X, y = corpus.train_X, corpus.train_y
    settings = {"nr_rounds": ROUNDS, "track_objective": False}
    ours = {
        "Perceptron": Perceptron(averaged=False, **settings),
        "Perceptron, averaged": Perceptron(**settings),
        "MIRA, averaged": Mira(**settings),
        "Column squishing, averaged": ColumnSquishing(cap=1.0, **settings),
        "Multinomial naive Bayes": MultinomialNaiveBayes(smooth_param=0.1),
    }
    theirs = {
        "sklearn Perceptron": SklearnPerceptron(max_iter=ROUNDS, tol=None, random_state=1),
        "sklearn MultinomialNB": MultinomialNB(alpha=0.1),
    }
    against = {name: "sklearn Perceptron" for name in ours} | {"Multinomial naive Bayes": "sklearn MultinomialNB"}
    runs = {name: (lambda learner=learner: learner.train(X, y)) for name, learner in ours.items()}
    runs |= {name: (lambda learner=learner: learner.fit(X, y)) for name, learner in theirs.items()}
    seconds |= time_in_turn(runs, repeats)
    accuracies = {name: learner.score(corpus.test_X, corpus.test_y) for name, learner in theirs.items()}
    for name, learner in ours.items():
        accuracies[name] = learner.evaluate(corpus.test_y, learner.test(corpus.test_X, learner.train(X, y)))

    def accuracy(name):
        return f"{accuracies[name]:.3f}" if name in accuracies else ""

    pairs = {"TextCorpus": "csv, CountVectorizer"} | against
    rows = []
    for name, other in pairs.items():
        ours_and_theirs = [(who, f"{median(seconds[who]):.3f}", accuracy(who)) for who in (name, other)]
        rows.append([*ours_and_theirs[0], *ours_and_theirs[1], f"{1 / ratio(seconds, name, other):.2f}"])
    print_table(
        f"Text of {len(corpus.label_names)} classes: {X.shape[0]} x {X.shape[1]}, {X.nnz / X.shape[0]:.0f} non-zeros "
        f"a row, {ROUNDS} rounds, medians of {repeats}",
        ["ours", "s", "accuracy", "theirs", "s", "accuracy", "times faster"],
        rows,
    )


if __name__ == "__main__":
    main()
