"""Benchmarks of corpora larger than memory: building them, and training on them.

*Text -> corpus on disk*: generated documents (`lxmls-day1 toy`) in a TSV file become shards with hashed uni- and bigrams, on one core. The
peer is scikit-learn's HashingVectorizer, which gets the same texts as lists in memory and keeps nothing. It is timed with its own
tokeniser, once for words alone (its default) and once for uni- and bigrams, which we count. The table also shows how many values of
our matrix differ from that of FeatureHasher on the tokens of `count_tokens`. All times are CPU time.

*Epochs over shards*, compared with the same epochs in memory and with Vowpal Wabbit with a warm cache, without imports and without
generating data; Vowpal Wabbit's time includes opening its cache and saving its model. This package does not need Vowpal Wabbit. To
compare with it, run `python -m pip install vowpalwabbit` in any environment, and set VW_PYTHON to that environment's Python.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from interleaved import synthetic_text, time_in_turn, two_process_speedup
from results import accuracies, show, timing
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer

from classifiers.svm import SVM
from lxmls_day1.engine.corpus.corpus_builder import make_corpus
from lxmls_day1.engine.corpus.shard_writing import write_shards
from lxmls_day1.engine.corpus_training import train_corpus
from lxmls_day1.engine.text.tokens import count_tokens
from lxmls_day1.engine.text.toy_stream import toy_documents

HASH_BITS = 20
CLASSES = ("bad", "good")
REGULARIZER = 1e-6
N_COMPARED_DOCUMENTS = 2000  # number of documents whose rows are compared value by value


def time_making(n_documents, rounds, save):
    """Show how long text -> corpus on disk takes."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "toy.tsv"), Path(folder, "toy.bags")
        texts = []
        with path.open("w", encoding="utf-8") as file:
            file.write("label\ttext\n")
            for block in toy_documents(n_documents):
                file.writelines(f"{label}\t{text}\n" for label, text in block)
                texts.append([text for _, text in block])

        def make():
            return make_corpus([path], out, hash_bits=HASH_BITS, overwrite=out.exists())

        def vectorise(ngrams):
            vectorizer = HashingVectorizer(n_features=2**HASH_BITS, norm=None, ngram_range=ngrams)
            for block in texts:
                vectorizer.transform(block)

        peers = {"HashingVectorizer, words": (1, 1), "HashingVectorizer, uni- and bigrams": (1, 2)}
        contestants = {"lxmls-day1 cache": make} | {name: (lambda n=n: vectorise(n)) for name, n in peers.items()}
        seconds = time_in_turn(contestants, rounds, clock=time.process_time)
        megabytes = path.stat().st_size / 1e6
        common = {
            "case": f"text to corpus on disk, {n_documents:,} documents",
            "ours": "lxmls-day1 cache",
            "note": f"{megabytes:.0f} MB; {_count_differing_values(make(), texts)} values differ from those of FeatureHasher",
        }
        rows = [common | {"peer": name} | timing(seconds, "lxmls-day1 cache", name) for name in peers]
    show(f"Text to corpus on disk, medians of {rounds}", "scale", rows, save)


def _count_differing_values(corpus, texts):
    """Return in how many values the first rows differ from those of FeatureHasher."""
    some = [text for block in texts for text in block][:N_COMPARED_DOCUMENTS]
    X = corpus.open(0).X
    n_rows = min(len(some), X.shape[0])
    X = type(X)((X.data, X.indices.astype("int64"), X.indptr), shape=X.shape)[:n_rows]
    wanted = FeatureHasher(2**HASH_BITS).transform(count_tokens(text) for text in some[:n_rows])
    return f"{abs(X - wanted).nnz} of {wanted.nnz}"


def on_disk(n_documents):
    """Return the name of the case with `n_documents` documents."""
    return f"{n_documents:,} documents on disk, 2^{HASH_BITS} columns"


def hashed_text(n_documents):
    """Generate documents of about 75 words in 2^20 columns, half of them with negative values, as hashing gives, for two classes."""
    X, y = synthetic_text(n_documents, 1 << HASH_BITS, 80, len(CLASSES))
    X.data *= np.where(np.random.default_rng(1).random(X.shape[1]) < 0.5, -1.0, 1.0)[X.indices]
    return X, y


def compare_streamed_with_memory(X, y, n_train, folder, repeats, save):
    """Show epochs of the hinge loss over eight shards beside those over a matrix in memory."""
    names = np.array(CLASSES)
    shards = write_shards(Path(folder, "train.bags"), X[:n_train], y[:n_train], CLASSES, rows_a_shard=n_train // 8)
    in_memory, labels = X[:n_train], names[y[:n_train]]
    rows = []
    for n_rounds, averaged in ((1, "steps"), (1, False), (5, "steps")):
        learner = SVM(REGULARIZER, nr_rounds=n_rounds, averaged=averaged)
        trainings = {
            "streamed": partial(train_corpus, learner, shards),
            "in memory": partial(learner.train, in_memory, labels),
        }
        seconds = time_in_turn(trainings, repeats, time.process_time)
        reached = [np.mean(learner.test(X[n_train:], train()) == names[y[n_train:]]) for train in trainings.values()]
        calls = {"ours": f"SVM on shards, {n_rounds} rounds, averaged={averaged!r}", "peer": "SVM in memory"}
        times = timing(seconds, "streamed", "in memory")
        rows.append({"case": on_disk(n_train)} | calls | times | accuracies(*reached))
    show(f"Epochs over shards, medians of {repeats}", "scale", rows, save)
    return shards


#: Program for a Python that has Vowpal Wabbit. Its arguments are a folder, the number of passes and further options.
WITH_VOWPAL_WABBIT = """
import json, os, sys, time
from vowpalwabbit import Workspace
folder, passes, *options = sys.argv[1:]
data = f"-d {folder}/train.txt --cache_file {folder}/train.cache -b 20 --quiet"
if not os.path.exists(f"{folder}/train.cache"):
    Workspace(f"{data} --noop").finish()
started = time.process_time()
Workspace(f"{data} --passes {passes} --loss_function hinge --holdout_off -f {folder}/vw.model {' '.join(options)}").finish()
seconds = time.process_time() - started
Workspace(f"-t -i {folder}/vw.model -d {folder}/test.txt -p {folder}/predicted --quiet").finish()
print(json.dumps([seconds, [float(line.split()[0]) for line in open(f"{folder}/predicted")]]))
"""


def compare_with_vowpal_wabbit(X, y, n_train, folder, shards, repeats, save):
    """Show the same passes over the same rows, with as many hash bits, by Vowpal Wabbit from its cache."""
    python = os.environ.get("VW_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import vowpalwabbit"], capture_output=True, check=False).returncode:
        print("\nVowpal Wabbit is not installed: VW_PYTHON names a Python that has it")
        return
    write_for_vowpal_wabbit(Path(folder, "train.txt"), X[:n_train], y[:n_train])
    write_for_vowpal_wabbit(Path(folder, "test.txt"), X[n_train:], y[n_train:])
    truth, rows = y[n_train:], []
    for n_rounds in (1, 5):
        for title, options in (("default steps", []), ("--sgd", ["--sgd"])):
            learner, ours, theirs = SVM(REGULARIZER, nr_rounds=n_rounds, averaged="steps"), [], []
            train_corpus(learner, shards)
            for _ in range(repeats):
                started = time.process_time()
                params = train_corpus(learner, shards)
                ours.append(time.process_time() - started)
                command = [python, "-c", WITH_VOWPAL_WABBIT, folder, str(n_rounds), *options]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                seconds, scores = json.loads(done.stdout)
                theirs.append(seconds)
            accuracy = np.mean(learner.test(X[n_train:], params) == np.array(CLASSES)[truth])
            of_peer = np.mean((np.array(scores) > 0) == (truth == 1))
            calls = {"ours": f"SVM on shards, {n_rounds} rounds", "peer": f"Vowpal Wabbit 9.11, {title}"}
            times = timing({"ours": ours, "peer": theirs}, "ours", "peer")
            rows.append({"case": on_disk(n_train)} | calls | times | accuracies(accuracy, of_peer))
    show(f"Passes over warm caches, hinge loss, medians of {repeats}", "scale", rows, save)


def compare_threads(X, y, n_train, shards, repeats, save):
    """Show two threads that mix their weights after every round, against one; on the clock, so nothing else may run.

    Returns what two processes that share nothing gain over one: no more can be expected of threads or workers on this machine.
    """
    learners = {n: SVM(REGULARIZER, nr_rounds=5, averaged="steps", n_jobs=n) for n in (1, 2)}
    train_corpus(learners[1], shards)
    bound, params = two_process_speedup(lambda: train_corpus(learners[1], shards), repeats), {}

    def run(n):
        params[n] = train_corpus(learners[n], shards)

    seconds = time_in_turn({n: lambda n=n: run(n) for n in learners}, repeats)
    _show_parts("thread", learners, seconds, params, X, y, n_train, bound, save)
    return bound


def compare_cluster_workers(X, y, n_train, shards, repeats, bound, save):
    """Show two workers of one thread on a Dask cluster of this machine, against one; on the clock, too.

    The scheduler has a process of its own, as it has where ``dask scheduler`` is started: in the process of the caller it waits for
    the caller. Each cluster is alone while it is measured: even idle ones take some of the cores.
    """
    try:
        from distributed import SubprocessCluster
    except ImportError:
        print("\nDask is not installed: the workers of a cluster are not compared")
        return
    learners = {n: SVM(REGULARIZER, nr_rounds=5, averaged="steps", n_jobs=n) for n in (1, 2)}
    seconds, params = {n: [] for n in learners}, {}
    for _ in range(repeats):
        for n, learner in learners.items():
            with SubprocessCluster(n_workers=n, worker_kwargs={"nthreads": 1}) as cluster:
                train_corpus(learner, shards, scheduler=cluster.scheduler_address)
                started = time.perf_counter()
                params[n] = train_corpus(learner, shards, scheduler=cluster.scheduler_address)
                seconds[n].append(time.perf_counter() - started)
    _show_parts("Dask worker", learners, seconds, params, X, y, n_train, bound, save)


def _show_parts(name, learners, seconds, params, X, y, n_train, bound, save):
    classes = np.array(CLASSES)
    reached = [np.mean(learners[n].test(X[n_train:], params[n]) == classes[y[n_train:]]) for n in (2, 1)]
    calls = {"case": "corpus on disk, SVM, 5 rounds", "ours": f"two {name}s", "peer": f"one {name}"}
    more = {"bound": bound, "note": f"{n_train:,} documents"} | accuracies(*reached)
    entry = calls | timing(seconds, 2, 1, "wall-clock time") | more
    show(f"Two {name}s, medians of {len(seconds[1])}", "scale", [entry], save)


def write_for_vowpal_wabbit(path, X, y):
    """Write rows as text whose feature names are column numbers, because Vowpal Wabbit uses a number as its own hash."""
    with path.open("w") as file:
        for m, label in enumerate(y.tolist()):
            row = slice(X.indptr[m], X.indptr[m + 1])
            features = (f"{j}:{v:g}" for j, v in zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True))
            file.write(f"{1 if label else -1} | {' '.join(features)}\n")


def time_training(quick):
    """Print the tables of epochs over shards."""
    repeats = 3 if quick else 7
    X, y = hashed_text(22_000 if quick else 220_000)
    n_train = X.shape[0] * 10 // 11
    with tempfile.TemporaryDirectory() as folder:
        shards = compare_streamed_with_memory(X, y, n_train, folder, repeats, not quick)
        compare_with_vowpal_wabbit(X, y, n_train, folder, shards, repeats, not quick)


def time_parts(quick):
    """Print the tables of two parts against one, over enough documents that mixing takes a small part of a round."""
    X, y = hashed_text(22_000 if quick else 1_100_000)
    n_train = X.shape[0] * 10 // 11
    with tempfile.TemporaryDirectory() as folder:
        shards = write_shards(Path(folder, "train.bags"), X[:n_train], y[:n_train], CLASSES, rows_a_shard=n_train // 8)
        bound = compare_threads(X, y, n_train, shards, 3 if quick else 5, not quick)
        compare_cluster_workers(X, y, n_train, shards, 3 if quick else 5, bound, not quick)


def main(quick=False):
    """Print the tables."""
    time_making(5_000 if quick else 1_000_000, 1 if quick else 3, not quick)
    time_training(quick)
    time_parts(quick)
