"""Published figures compared with ours: the measures, and the page docs/figures.md, generated from ``published_figures.toml``.

``python tools/published_figures.py`` writes the page; with ``--measure`` it prints the present value of every measure.
"""

import functools
import sys
import tomllib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FILE = Path(__file__).with_suffix(".toml")
PAGE = ROOT / "docs" / "figures.md"

HEAD = """# Published figures, and ours

What others report of these learners, and what this package measures on the same or the nearest data. A published figure stands here
only where it was read, and the table says where, with the commit or the edition; what could not be read stands as ours alone. Where data
and settings are the same, ours may differ from theirs over so many documents and no more; where data or features are others the two only
stand side by side. The last column says why.

The table is made of `tools/published_figures.toml` by `tools/published_figures.py`. `tests/test_published_figures.py` measures our figures
anew: a sample of them in `make test`, all of them in `make campaigns`.

"""
COLUMNS = ("figure", "data and settings", "published", "ours", "tolerance", "source, and where it was read", "remark")


def figures():
    """Return the entries of the TOML file."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))["figure"]


def page():
    """Return the text of docs/figures.md."""
    rows = [COLUMNS, ["---"] * len(COLUMNS)]
    for entry in figures():
        source = f"{entry['source']}; read: {entry['read']}" if "published" in entry else ""
        differ = f"{entry['may_differ']} of {entry['documents']} documents" if "documents" in entry else "not compared"
        tolerance = "" if "published" not in entry else _number(entry.get("tolerance", differ))
        numbers = [_number(entry.get(key)) for key in ("published", "ours")]
        rows.append([entry["figure"], entry["settings"], *numbers, tolerance, source, entry.get("remark", "")])
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def tolerance_of(entry):
    """Return the maximum difference from the published figure, in its unit, or None if the two are not compared."""
    return 100 * entry["may_differ"] / entry["documents"] if "documents" in entry else entry.get("tolerance")


def _number(value):
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.9f}".rstrip("0").rstrip(".")


# ------------------------------------------------------------------------------------------------------------- measures


def accuracies_in_percent(classifier, data):
    """Return accuracies in percent on the training and on the test part."""
    params = classifier.train(data.train_X, data.train_y)
    parts = {"training": (data.train_X, data.train_y), "test": (data.test_X, data.test_y)}
    return {name: 100 * classifier.evaluate(y, classifier.test(X, params)) for name, (X, y) in parts.items()}


def points():
    from readers.simple_data_set import SimpleDataSet

    return SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])


@functools.cache
def books():
    from readers.sentiment_reader import SentimentCorpus

    return SentimentCorpus("books", rare_words_from="all")


@functools.cache
def folds(domain):
    """Return binary features (words and pairs), classes, and the fold of each review: the nth review of a class is in fold n mod 5."""
    from classifiers.bernoulli_naive_bayes import presence
    from readers.sentiment_reader import SentimentCorpus

    corpus = SentimentCorpus(domain, min_count=1, rare_words_from="all")
    fold = np.empty(len(corpus.y), dtype=int)
    for label in (0, 1):
        fold[corpus.y == label] = np.arange((corpus.y == label).sum()) % 5
    return presence(corpus.X), corpus.y, fold


def accuracy_in_folds(domain, make):
    """Return the mean accuracy over five folds in percent."""
    X, y, fold = folds(domain)
    right = 0
    for k in range(5):
        classifier = make()
        params = classifier.train(X[fold != k], y[fold != k])
        right += (classifier.test(X[fold == k], params) == y[fold == k]).sum()
    return 100 * right / len(y)


def measure_nbsvm(domain):
    from classifiers import NBSVM, SVM

    svm, nbsvm = accuracy_in_folds(domain, lambda: SVM(2 / 1600, "dual")), accuracy_in_folds(domain, NBSVM)
    return {"SVM": svm, "NBSVM": nbsvm, "gain": nbsvm - svm}


def measure_other_learners(domain):
    from classifiers import AROW, ConfidenceWeighted, MultinomialNaiveBayes, Perceptron

    perceptron = accuracy_in_folds(domain, lambda: Perceptron(nr_rounds=10, averaged="steps"))
    return {
        "naive Bayes": accuracy_in_folds(domain, MultinomialNaiveBayes),
        "AROW's gain": accuracy_in_folds(domain, lambda: AROW(nr_rounds=1)) - perceptron,
        "CW's gain": accuracy_in_folds(domain, lambda: ConfidenceWeighted(nr_rounds=1)) - perceptron,
    }


def measure_points(name):
    from classifiers import SVM, MaxEntBatch, Mira, Perceptron

    makers = {"perceptron": Perceptron, "MIRA": Mira, "maximum entropy": MaxEntBatch, "SVM": lambda: SVM(1.0, "dual")}
    return accuracies_in_percent(makers[name](), points())


def measure_books(name):
    from classifiers import SVM, MaxEntBatch, MaxEntOnline, MultinomialNaiveBayes

    make = {
        "naive Bayes": MultinomialNaiveBayes,
        "naive Bayes, unsmoothed": lambda: MultinomialNaiveBayes(smooth=False),
        "maximum entropy": lambda: MaxEntBatch(1.0, tolerance=1e-8),
        "maximum entropy online": lambda: MaxEntOnline(1.0),
        "SVM": lambda: SVM(1.0, "dual"),
    }[name]
    return accuracies_in_percent(make(), books())


def measure_books_like_toolkit():
    """Measure unsmoothed naive Bayes as the course's toolkit computes it: numpy.nan_to_num replaces log 0 by −1.8·10³⁰⁸."""
    corpus, weights = books(), []
    for k in (0, 1):
        counts = corpus.train_X[corpus.train_y == k].sum(axis=0)
        with np.errstate(divide="ignore"):
            weights.append([np.log((corpus.train_y == k).mean()), *np.nan_to_num(np.log(counts / counts.sum()))])
    with np.errstate(over="ignore"):
        scores = np.hstack([np.ones((len(corpus.test_y), 1)), corpus.test_X.toarray()]) @ np.transpose(weights)
    return {"test": 100 * np.mean(scores.argmax(axis=1) == corpus.test_y)}


def measure_questions(level):
    from classifiers import SVM
    from readers.question_reader import QuestionCorpus

    return {"SVM": accuracies_in_percent(SVM(1e-4, "dual"), QuestionCorpus(level=level))["test"]}


def measure_treebank():
    from classifiers.structured.structured_perceptron import StructuredPerceptron
    from readers.pos_corpus import PosCorpus

    corpus, tagger = PosCorpus(), StructuredPerceptron(nr_rounds=3)
    params = tagger.train(corpus.train_X, corpus.train_y)
    parts = {"development": (corpus.dev_X, corpus.dev_y), "test": (corpus.test_X, corpus.test_y)}
    return {name: 100 * tagger.evaluate(y, tagger.test(X, params)) for name, (X, y) in parts.items()}


def measure_column_squishing():
    from classifiers.column_squishing import multiclass_update

    scores = np.array([0.90085352, 2.25573249, 0.25974194])
    return {f"class {k}": multiclass_update(scores[None, :], np.ones(1), k)[0, k] for k in (0, 2)}


#: The learners that are measured on points and on the reviews of books, and the domains of reviews.
POINTS = ("perceptron", "MIRA", "maximum entropy", "SVM")
BOOKS = ("naive Bayes", "naive Bayes, unsmoothed", "maximum entropy", "maximum entropy online", "SVM")
DOMAINS = ("books", "dvd", "electronics")
#: Name -> function that returns part -> number. The functions in the second table need the real corpora.
ANYWHERE = {
    **{f"points, {name}": functools.partial(measure_points, name) for name in POINTS},
    "column squishing": measure_column_squishing,
}
ON_REAL_DATA = {
    **{f"books, {name}": functools.partial(measure_books, name) for name in BOOKS},
    "books, naive Bayes, log 0": measure_books_like_toolkit,
    "TREC, 6 classes": functools.partial(measure_questions, "coarse"),
    "TREC, 50 classes": functools.partial(measure_questions, "fine"),
    **{f"{domain}, folds, NBSVM": functools.partial(measure_nbsvm, domain) for domain in DOMAINS},
    **{f"{domain}, folds, others": functools.partial(measure_other_learners, domain) for domain in DOMAINS},
    "treebank": measure_treebank,
}


def main():
    if "--measure" in sys.argv:
        for name, measure in {**ANYWHERE, **ON_REAL_DATA}.items():
            print(name, {part: round(float(number), 9) for part, number in measure().items()}, flush=True)
    else:
        PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
