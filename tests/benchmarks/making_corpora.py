"""Text becomes a corpus on disk: a row of `bench_scale`.

Made-up documents (`lxmls-day1 toy`) in a TSV file become shards with hashed uni- and bigrams, on one core, beside
scikit-learn's HashingVectorizer, which gets the same texts as lists in memory and keeps nothing. It is timed with its own tokeniser, once for
words alone, as it does by itself, and once for uni- and bigrams, as we count them. Beside the time stands in how many values our matrix
differs from that of FeatureHasher on the tokens of `count_tokens`. All times are processor time.
"""

import tempfile
import time
from pathlib import Path
from statistics import median

from interleaved import print_table, ratio, time_in_turn
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer

from lxmls_day1.text.corpus_making import make_corpus
from lxmls_day1.text.tokens import count_tokens
from lxmls_day1.text.toy_stream import toy_documents

HASH_BITS = 20
WANTED = 3.0
COMPARED = 2000  # documents whose rows are compared value by value


def time_making(n_documents, rounds):
    """Print the row of text -> corpus on disk."""
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
        rows = [["lxmls-day1 cache", _rate(seconds, "lxmls-day1 cache", megabytes), "", "", _differing(make(), texts)]]
        for name in peers:
            ahead = f"{ratio(seconds, name, 'lxmls-day1 cache'):.2f}"
            rows.append([name, _rate(seconds, name, megabytes), ahead, f"{WANTED}", ""])
    header = ["text -> corpus on disk", "s (MB/s)", "its time / ours", "wanted", "values that differ"]
    print_table(f"{n_documents:,} documents, {megabytes:.0f} MB, medians of {rounds}, processor time", header, rows)


def _rate(seconds, name, megabytes):
    return f"{median(seconds[name]):.2f} ({megabytes / median(seconds[name]):.1f})"


def _differing(corpus, texts):
    """In how many values the first rows differ from those of FeatureHasher."""
    some = [text for block in texts for text in block][:COMPARED]
    X = corpus.open(0).X
    n_rows = min(len(some), X.shape[0])
    X = type(X)((X.data, X.indices.astype("int64"), X.indptr), shape=X.shape)[:n_rows]
    wanted = FeatureHasher(2**HASH_BITS).transform(count_tokens(text) for text in some[:n_rows])
    return f"{abs(X - wanted).nnz} of {wanted.nnz}"
