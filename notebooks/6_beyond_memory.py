# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 6 · More data than memory
#
# So far all documents were in memory, every word had a column, and one processor learnt from all documents. With a hundred
# million documents none of this works. This notebook shows three remedies: *hashing* needs no vocabulary, *streaming* needs only
# a few documents at a time, and *mixing* lets several machines learn in parallel. Each has a cost, which we measure.
#
# **Goals.** After this notebook you can
#
# - compute the column and the sign of a hashed word, and estimate how many words share a column;
# - explain why hashed inner products are right on average, and how hashing affects explanations;
# - interpret progressive validation, and say which order of the documents is harmful;
# - mix what several parts have learnt: their weights, and their average over all steps;
# - explain why weights with variances are mixed differently.
#
# **Before.** Notebook 2, with exercises 1.4 and 1.9 (perceptron and averaging). The symbols are those of
# [the table for all notebooks](notation.md).
#
# This notebook is further reading: it does not belong to the core.
#
# **Time.** About 145 minutes.
#
# | exercise | what you do | file |
# |---|---|---|
# | 1.14 | write the column and the sign of a hashed feature, and the row of a document | `classifiers/large/hashed_features.py` |
# | 1.15 | write the mixing rule | `classifiers/large/parameter_mixing.py` |
#
# Everything here is small enough for one machine: 8,192 made-up documents stand in for a hundred million. `lxmls-day1 toy`
# generates as many of them as you like. Word frequencies follow Zipf's law, as in real text; one word in eleven is specific to
# the class of its document, and one label in fifty is wrong.

# %% [markdown]
# ## Open the lab

# %% tags=["open-lab"]
from lxmls_day1.lab_api import open_lab
lab = open_lab()

# %% tags=["cell-documents"]
import csv
import tempfile
import tracemalloc
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

from lxmls_day1.lab_api import figures, text_data

N_TRAIN, N_SEEDS = 4096, 20
documents = [document for block in text_data.toy_documents(2 * N_TRAIN, seed=6, n_words=40) for document in block]
y = np.array([label == "positive" for label, _ in documents]).astype(int)
rows = text_data.TokenCounter().numbered([text for _, text in documents])  # the tokens of each document, and how often
tokens, hashes = rows.tokens.names(), rows.tokens.hashes.view(np.int32)
print(f"{len(documents)} documents, half of them for training")
print(f"{len(tokens)} different tokens, words and pairs of neighbouring words")
label, text = documents[0]
print(f"the first one, {label}: {text[:50]} …")


def mean_and_error(found):
    """The mean of some samples, and its standard error."""
    return f"{np.mean(found):.4f} ± {np.std(found, ddof=1) / np.sqrt(len(found)):.4f}"

# %% [markdown]
# ## A. Hashing: columns without a vocabulary
#
# A matrix of word counts needs a column for each word, and so a list of all words. The list grows with the corpus, and several machines
# have to agree on it. Hashing needs no list. A *hash function* maps any name to a number $h$ of 32 bits; the same name always gives the
# same number, but otherwise $h$ behaves like a random number. We read $h$ as a signed number, and derive two things from it:
#
# $$ \text{column} = |h| \bmod B, \qquad \text{sign} = \begin{cases} +1 & h \ge 0 \\ -1 & h < 0 \end{cases} $$
#
# $B$ is the number of columns, chosen once. It is usually a power of two, given by its number of *bits*: 18 bits are $2^{18}$
# columns. In the row of a document each word adds sign · count to its column. Two words with the same column *collide*: their
# terms are added, and no learner can tell the words apart.

# %% [markdown]
# ## Exercise 1.14: hashed features
#
# 1. By hand: which columns and signs do the hashes 5, −5 and 8 get with $B = 4$? What is the row of a document that contains these three words 3
#    times, once and twice?
# 2. Write `columns_and_signs` and `hashed_row` in `classifiers/large/hashed_features.py`.

# %% tags=["cell-by-hand", "exercise-1.14"]
with lab.exercise("1.14"):
    from classifiers.hashed_features import columns_and_signs, hashed_row

    columns, signs = columns_and_signs(np.array([5, -5, 8], dtype=np.int32), 4)
    print("columns", columns.tolist(), "signs", signs.tolist())
    print("row    ", hashed_row(np.array([5, -5, 8], dtype=np.int32), np.array([3.0, 1.0, 2.0]), 4).tolist())
    of_first = slice(rows.indptr[0], rows.indptr[1])  # the tokens of the first document
    numbers, counts = rows.indices[of_first], rows.values[of_first]
    first_row = hashed_row(hashes[numbers], counts, 2**10)
    same = np.array_equal(first_row, rows.hashed(10).toarray()[0])
    print(f"first document: {len(numbers)} tokens, {np.count_nonzero(first_row)} entries; same as in lxmls-day1 cache: {same}")

# %% tags=["skip-execution"]
lab.check("1.14")

# %% [markdown]
# ### How many words share a column?
#
# Let $J$ words fall into $B$ columns at random. Another word misses the column of *great* with probability $1 - \frac1B$, and all
# $J - 1$ others miss it with probability $(1 - \frac1B)^{J-1} \approx e^{-J/B}$. So the share of words that are *not* alone in
# their column is
#
# $$ 1 - \left(1 - \tfrac1B\right)^{J-1} \approx 1 - e^{-J/B} . $$

# %% [markdown] tags=["predict"]
# **Predict.** These documents have about 340,000 different tokens. With $2^{18} = 262{,}144$ columns, which share of the tokens do not
# share their column? How many bits raise this share to nine in ten? *Your prediction:*

# %% tags=["cell-collisions", "exercise-1.14"]
with lab.exercise("1.14"):
    from classifiers.hashed_features import columns_and_signs

    bits = np.arange(10, 25)
    shared, formula = [], []
    for b in bits:
        columns, _ = columns_and_signs(hashes, 2**b)
        in_column = np.bincount(columns.astype(np.intp), minlength=2**b)  # how many tokens each column has
        shared.append(1 - np.sum(in_column == 1) / len(tokens))
        formula.append(1 - (1 - 1 / 2**b) ** (len(tokens) - 1))
    fig, axis = plt.subplots(figsize=(9, 4.6), layout="constrained")
    axis.plot(bits, formula, color=figures.BLACK, label="formula")
    axis.plot(bits, shared, "o", color="#444444", markersize=7, label="measured")
    axis.set(xlabel="bits", ylabel="share of tokens that share their column", ylim=(0, 1.03), title="Collisions")
    axis.legend()
    print("bits   columns   tokens per column not alone: measured   formula")
    for b, of_tokens, expected in zip(bits, shared, formula, strict=True):
        if b % 2 == 0:
            print(f"{b:4d} {2**b:9d} {len(tokens) / 2**b:17.2f} {of_tokens:21.4f} {expected:9.4f}")
    most = np.abs(np.subtract(shared, formula)).max()
    in_column = np.bincount(columns_and_signs(hashes, 2**18)[0].astype(np.intp), minlength=2**18)
    print(f"largest difference: {most:.4f}")
    print(f"18 bits: {np.mean(in_column == 0):.2f} of the columns are empty, {np.mean(in_column > 2):.2f} have three or more")

# %% [markdown] tags=["answer", "exercise-1.14"]
# **Explain.** With 18 bits there are nearly as many columns as tokens. Why are so few tokens alone in their column? **Transfer.** With
# ten times as many tokens, how many more bits keep the share of collisions constant? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.14"]
# <!-- numbers: collisions -->
# <!-- given: 10, 3.3 -->
# **One answer.** Random columns are not evenly filled: with 18 bits a share of 0.28 of the columns are empty, and 0.14 have three tokens or more. There
# are 1.28 tokens per column on average, and $1 - e^{-1.28} = 0.72$ of all tokens are not alone. *Transfer:* only $J/B$ matters, so $B$ must grow in
# proportion to $J$: 10 times as many columns, that is $\log_2 10 \approx 3.3$ more bits.

# %% tags=["skip-execution"]
lab.reveal("1.14")

# %% [markdown]
# ### The purpose of the sign
#
# A linear classifier depends on documents only through inner products. Without hashing, the inner product of two documents $x$ and $z$
# is $\langle x, z \rangle = \sum_j x_j z_j$. With hashing, every pair of words $(i, j)$ with the same column adds
# $\text{sign}_i\,\text{sign}_j\, x_i z_j$. For $i = j$ the two signs are the same, and their product is 1. For $i \ne j$ the signs are
# equal with probability ½, so these terms are 0 on average:
#
# $$ \mathbb{E}\,\langle \text{hashed } x, \text{hashed } z \rangle = \langle x, z \rangle . $$
#
# Without signs every collision adds $x_i z_j \ge 0$, and the inner product is too large, by
# $\frac1B \sum_{i \ne j} x_i z_j$ on average. The average is over hash functions. We make 1,000 of them by putting a number before each
# token.

# %% [markdown] tags=["predict"]
# **Predict.** How much does the signed inner product vary between hash functions when there are few columns? *Your prediction:*

# %% tags=["cell-inner-products", "exercise-1.14"]
with lab.exercise("1.14"):
    from classifiers.hashed_features import hashed_row
    from lxmls_day1.lab_api import text_data

    def tokens_of(m):
        """The numbers of the tokens of a document, and how often each occurs."""
        span = slice(rows.indptr[m], rows.indptr[m + 1])
        return rows.indices[span], rows.values[span]

    first = sp.csr_array((rows.values, rows.indices.astype(np.int64), rows.indptr))[:100]  # 100 documents over tokens
    products = np.triu((first @ first.T).toarray(), k=1)
    one, other = np.unravel_index(products.argmax(), products.shape)  # the two with the largest inner product
    (of_x, x), (of_z, z) = tokens_of(one), tokens_of(other)
    true = products[one, other]
    too_much = x.sum() * z.sum() - true  # Σ x_i z_j over i ≠ j
    names = [f"{number}:{tokens[j]}" for number in range(1000) for j in (*of_x, *of_z)]
    others = text_data.signed_hashes(*text_data.joined_names(names)).reshape(1000, -1)  # a row for each hash function
    widths = 2 ** np.arange(4, 13)
    found = {"with signs": [], "without signs": []}
    for width in widths:
        for name, some in (("with signs", others), ("without signs", others & np.int32(2**31 - 1))):  # no sign bit
            found[name].append([hashed_row(h[: len(x)], x, width) @ hashed_row(h[len(x) :], z, width) for h in some])
    fig, axis = plt.subplots(figsize=(9.5, 4.8), layout="constrained")
    axis.axhline(true, color=figures.BLACK, linewidth=1.2, label="not hashed")
    for name, colour, dash in (("with signs", "#444444", "solid"), ("without signs", figures.TRAINING, "dashed")):
        products = np.array(found[name])
        mean, spread = products.mean(axis=1), products.std(axis=1)
        axis.plot(widths, mean, color=colour, linestyle=dash, label=name)
        axis.fill_between(widths, mean - spread, mean + spread, color=colour, alpha=0.18, linewidth=0)
    axis.set(xscale="log", xlabel="columns", ylabel="inner product", title="1,000 hash functions: mean ± one standard deviation")
    axis.set_xticks(widths, [str(width) for width in widths])
    axis.minorticks_off()
    axis.legend()
    print(f"two documents with {len(x)} and {len(z)} tokens; their inner product is {true:.0f}")
    print("columns      with signs: mean   deviation      without: mean   formula")
    for width, signed, unsigned in zip(widths, found["with signs"], found["without signs"], strict=True):
        mean = f"{np.mean(signed):.1f} ± {np.std(signed, ddof=1) / np.sqrt(1000):.1f}"
        print(f"{width:7d} {mean:>22} {np.std(signed):11.1f} {np.mean(unsigned):18.1f} {true + too_much / width:9.1f}")

# %% [markdown] tags=["answer", "exercise-1.14"]
# **Explain.** With signs the mean is right for any number of columns. Why would you not use 16 columns? **Transfer.** How does hashing
# change the inner product of a document with *itself*? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.14"]
# <!-- numbers: inner-products -->
# **One answer.** An unbiased value can have a large variance. With 16 columns the inner product has a standard deviation of 21.5, more than its value
# 15. A corpus is hashed by *one* function, so the error does not average out. *Transfer:* the same holds: $\lVert x \rVert^2$ is right on average,
# since every pair $i \ne j$ has random signs.

# %% tags=["skip-execution"]
lab.reveal("1.14")

# %% [markdown]
# ### Accuracy against bits

# %% [markdown] tags=["predict"]
# **Predict.** With 12 bits some eighty tokens share each column. How many percentage points of accuracy does this cost? *Your
# prediction:*

# %% tags=["cell-bits", "exercise-1.14"]
def accuracy(params, X, y):
    """The share of right labels, for two classes."""
    lead = params[:, 1] - params[:, 0]
    return np.mean((X @ lead[1:] + lead[0] > 0) == y)


orders = [np.random.default_rng(seed).permutation(len(y)) for seed in range(N_SEEDS)]
with lab.exercise("1.14"):
    from classifiers.perceptron import Perceptron

    widths = [6, 8, 10, 12, 14, 16, 18, 20]
    unhashed = sp.csr_array((rows.values.astype(float), rows.indices.astype(np.int64), rows.indptr.copy()), shape=(len(y), len(tokens)))
    accuracies = []
    for X in [unhashed, *(rows.hashed(width).astype(float) for width in widths)]:
        of_width = []
        for order in orders:
            train, test = order[:N_TRAIN], order[N_TRAIN:]
            params = Perceptron(nr_rounds=1).train(X[train], y[train])
            of_width.append(accuracy(params, X[test], y[test]))
        accuracies.append(of_width)
    fig, axis = plt.subplots(figsize=(10, 4.8), layout="constrained")
    figures.plot_curves(widths, {"Perceptron, hashed": accuracies[1:]}, axis)
    axis.axhline(np.mean(accuracies[0]), color=figures.BLACK, linewidth=1.2)
    axis.text(6.2, np.mean(accuracies[0]) + 0.006, "a column for each token")
    axis.set(xlabel="bits", ylabel=f"accuracy, mean of {N_SEEDS} divisions", xlim=(6, 20), ylim=(0.6, 0.87))
    figures.label_ends(axis)
    print(f"a column for each token: {mean_and_error(accuracies[0])}")
    for width, of_width in zip(widths, accuracies[1:], strict=True):
        loss = mean_and_error(np.subtract(accuracies[0], of_width))
        print(f"{width:7d} bits {mean_and_error(of_width):>24}      lost {loss}")

# %% [markdown] tags=["answer", "exercise-1.14"]
# **Explain.** Nearly all tokens collide with 14 bits. Why is the loss so small? **Transfer.** A few tokens decide nearly all predictions. How would you
# protect them from collisions? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.14"]
# <!-- numbers: bits, collisions -->
# **One answer.** A document has some hundred tokens, so it uses few of the 16,384 columns. Other tokens contribute to the weights of these columns, but
# with random signs, so this noise averages out. With 14 bits the loss is 0.0255, although each column has 20.56 tokens. *Transfer:* give them columns
# of their own, beside the hashed columns. Not every token has to be hashed.

# %% tags=["skip-execution"]
lab.reveal("1.14")

# %% [markdown]
# ### Explanations of hashed models
#
# `lxmls-day1 explain` shows which words made a classifier decide. With hashed features it uses the words of the *document*, and gives
# each word the weight of its column times its sign. So it needs no list of words, but it cannot tell whether a word was in the
# training data. `lxmls-day1 cache --hash 12 --keep-words` stores the words seen beside the corpus, so that this can be checked.

# %% [markdown] tags=["predict"]
# **Predict.** No document of this corpus contains the word *lighthouse*. Which weight will the explanation give it? *Your
# prediction:*

# %% tags=["cell-explain", "exercise-1.14"]
with lab.exercise("1.14"):
    from classifiers.hashed_features import columns_and_signs
    from classifiers.perceptron import Perceptron
    from lxmls_day1.lab_api import text_data

    kept = set(tokens)  # what --keep-words keeps
    own = Perceptron(nr_rounds=1).train(unhashed[:N_TRAIN], y[:N_TRAIN])  # a column for each token
    own = own[1:, 1] - own[1:, 0]  # what a token adds to the lead of positive over negative
    heaviest = [tokens[j] for j in np.argsort(-np.abs(own), kind="stable")[:4]]
    words = [*heaviest, "lighthouse", "umbrella"]
    of_words = text_data.signed_hashes(*text_data.joined_names(words))
    said = [[f"{own[tokens.index(word)]:+.2f}" if word in kept else "never seen" for word in words]]
    for width in (12, 20):
        X = rows.hashed(width).astype(float)
        params = Perceptron(nr_rounds=1).train(X[:N_TRAIN], y[:N_TRAIN])
        columns, signs = columns_and_signs(of_words, 2**width)
        adds = signs * (params[1:, 1] - params[1:, 0])[columns]
        in_column = np.bincount(columns_and_signs(hashes, 2**width)[0].astype(np.intp), minlength=2**width)[columns]
        others = in_column - [word in kept for word in words]
        said += [[f"{weight:+.2f}" for weight in adds], [str(number) for number in others]]
    print("contribution of each word to the score difference; other words in its column")
    print(f"{'word':12} {'own column':>12} {'12 bits':>10} {'others':>8} {'20 bits':>10} {'others':>8}")
    for word, alone, *hashed in zip(words, *said, strict=True):
        print(f"{word:12} {alone:>12} {hashed[0]:>10} {hashed[1]:>8} {hashed[2]:>10} {hashed[3]:>8}")

# %% [markdown] tags=["answer", "exercise-1.14"]
# **Explain.** How can a word that was never seen be evidence for a class? **Transfer.** How would you find out which of the words in a
# column determine its weight? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.14"]
# <!-- numbers: explain -->
# **One answer.** It gets the weight of its column, which other words have determined. *umbrella* gets +4.55 with 12 bits, from 94 tokens with the same
# column. *Transfer:* list the words of the column (with `--keep-words`), and count how often they occur in each class; or train once with more bits,
# and check whether the weight stays.

# %% tags=["skip-execution"]
lab.reveal("1.14")

# %% [markdown] tags=["shows"]
# <!-- numbers: explain -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# With 20 bits the decisive words have about the weights that they have in columns of their own: *bese* −13.19 and −13.11. (The weights differ because
# other tokens collide, which changes the updates.) With 12 bits *besi* has +39.08 instead of +13.62, since 86 others share its column, and words that
# were never seen have weights: +4.55 and +0.41. An explanation of a hashed model describes columns. Trust it only where each column has one important
# word.
#
# </details>

# %% [markdown]
# ## B. Streaming: one pass, in little memory
#
# An online learner uses one document at a time. So the documents can stay on disk: `lxmls-day1 cache` reads the text once, and writes *shards*,
# sparse matrices of some thousand rows each, which are mapped into memory one after the other. `train_corpus(learner, "toy.bags")` learns from one
# shard while it reads the next.

# %% tags=["cell-memory", "exercise-1.14"]
folder = Path(tempfile.mkdtemp())
sizes = [1024, 2048, 4096, 8192]
with lab.exercise("1.14"):
    from classifiers.perceptron import Perceptron
    from lxmls_day1.lab_api import corpora
    from readers.streamed_corpus import StreamedCorpus

    def peak(work):
        """The most memory that Python has allocated at a time, in MB."""
        tracemalloc.start()
        work()
        most = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        return round(most)

    def in_memory(corpus):
        """All shards as one matrix, and the perceptron on that."""
        shards = [corpus.shards.open(number) for number in range(len(corpus.shards))]
        X = sp.vstack([shard.X for shard in shards])
        Perceptron(nr_rounds=1).train(X, np.concatenate([shard.labels for shard in shards]))

    Perceptron(nr_rounds=1).train(np.eye(2), [0, 1])  # the first training imports and compiles
    peaks = {"in memory": [], "streamed": []}
    for size in sizes:
        with open(folder / f"{size}.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("label", "text"), *documents[:size]])
        corpora.make_corpus([folder / f"{size}.csv"], folder / f"{size}.bags", hash_bits=16, rows_a_shard=256)
        corpus = StreamedCorpus(folder / f"{size}.bags")
        corpora.train_corpus(Perceptron(nr_rounds=1), corpus)
        peaks["in memory"].append(peak(lambda: in_memory(corpus)))
        peaks["streamed"].append(peak(lambda: corpora.train_corpus(Perceptron(nr_rounds=1), corpus)))
    fig, axis = plt.subplots(figsize=(8.5, 4.2), layout="constrained")
    axis.plot(sizes, peaks["in memory"], "o-", color=figures.TRAINING, label="in memory")
    axis.plot(sizes, peaks["streamed"], "s--", color="#444444", label="streamed")
    axis.set(xlabel="documents", ylabel="peak memory in MB", ylim=(0, None), xlim=(0, sizes[-1]))
    figures.label_ends(axis)
    print(f"{corpus.n_rows} documents in {len(corpus.shards)} shards; classes {', '.join(corpus.classes)}")
    for size, whole, streamed in zip(sizes, peaks["in memory"], peaks["streamed"], strict=True):
        print(f"{size:6d} documents: {whole:3d} MB in memory, {streamed} MB streamed")

# %% [markdown]
# The memory of streamed training does not grow with the corpus: it holds the weights and two shards. (We count what Python
# allocates. The files of a shard are *mapped*: the system may keep their pages in memory, and drops them when the memory is
# needed.)
#
# ### Progressive validation
#
# A test part uses up documents. In a stream every document can serve both for testing and for training: first the classifier labels it,
# then it learns from it. In the first round no document was seen before, so the share of errors is an honest estimate. This is called
# *progressive validation*. After 1, 2, 4, 8, … documents a line reports the errors so far and those since the previous line.

# %% [markdown] tags=["predict"]
# **Predict.** Which is closer to the error on held-out documents: the errors so far, or those since the previous line? Is it above or below? *Your
# prediction:*

# %% tags=["cell-progressive", "exercise-1.14"]
with lab.exercise("1.14"):
    from classifiers.perceptron import Perceptron
    from lxmls_day1.lab_api import corpora

    X = rows.hashed(16)
    marks = [2**power for power in range(4, 13)]
    errors = {"so far": [], "since the last line": [], "held out": []}
    for seed, order in enumerate(orders):
        train, test = order[:N_TRAIN], order[N_TRAIN:]
        corpus = corpora.write_shards(folder / f"progressive-{seed}.bags", X[train], y[train], ["negative", "positive"])
        perceptron = Perceptron(nr_rounds=1, averaged=False, seed=seed)
        corpora.train_corpus(perceptron, corpus)
        lines = {line.documents: line for line in perceptron.history[0].validation}
        errors["so far"].append([lines[mark].error for mark in marks])
        errors["since the last line"].append([lines[mark].recent_error for mark in marks])
        held_out = []
        for mark in marks:
            params = Perceptron(nr_rounds=1, averaged=False, order=np.arange(mark)).train(X[train[:mark]], y[train[:mark]])
            held_out.append(1 - accuracy(params, X[test], y[test]))
        errors["held out"].append(held_out)
    curves = {f"Perceptron, {name}": np.transpose(found) for name, found in errors.items()}
    fig, axis = plt.subplots(figsize=(10.5, 4.8), layout="constrained")
    figures.plot_curves(marks, curves, axis)
    axis.set(xscale="log", xlabel="documents", ylabel=f"error, mean of {N_SEEDS} streams", xlim=(marks[0], marks[-1]))
    axis.set_xticks(marks, [str(mark) for mark in marks])
    axis.minorticks_off()
    figures.label_ends(axis)
    print("documents" + "".join(f"{name:>23}" for name in errors))
    for place, mark in enumerate(marks):
        print(f"{mark:9d}" + "".join(f"{mean_and_error(np.array(found)[:, place]):>23}" for found in errors.values()))
    for name in ("so far", "since the last line"):
        difference = np.array(errors[name])[:, -1] - np.array(errors["held out"])[:, -1]
        print(f"after {marks[-1]} documents, {name} minus held out: {mean_and_error(difference)}")

# %% [markdown] tags=["answer", "exercise-1.14"]
# **Explain.** Why are the errors so far above those on held-out documents, and why are those since the previous line closer? **Transfer.** What does
# progressive validation measure in the second round? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.14"]
# <!-- numbers: progressive -->
# **One answer.** The errors so far include those of the first, untrained classifiers. The errors since the previous line are those on the second half
# of the documents, when the classifier has learnt more; still, each was made by a classifier with less training than the final one. *Transfer:* the
# error on training data, which is too low, since each document was already used in the first round.

# %% tags=["skip-execution"]
lab.reveal("1.14")

# %% [markdown]
# ### The order of the documents
#
# In memory a round visits all documents in a random order. From disk this would be slow. So we shuffle the *shards*, and then the
# rows of each shard. We compare four orders of the same documents: (1) random; (2) shards, then rows; (3) the same as (2), after
# the source was sorted by class; (4) sorted by class, without shuffling.

# %% [markdown] tags=["predict"]
# **Predict.** Which of the four differ from each other by more than their standard errors? *Your prediction:*

# %% tags=["cell-order", "exercise-1.14"]
with lab.exercise("1.14"):
    from classifiers.perceptron import Perceptron
    from lxmls_day1.lab_api import corpora

    found = {name: [] for name in ("(1) random order", "(2) shards, then rows", "(3) sorted, shards, then rows", "(4) sorted, not shuffled")}
    for seed, order in enumerate(orders):
        train, test = order[:N_TRAIN], order[N_TRAIN:]
        by_class = train[np.argsort(y[train], kind="stable")]
        mixed_shards = corpora.write_shards(folder / f"mixed-{seed}.bags", X[train], y[train], ["negative", "positive"], rows_a_shard=256)
        sorted_shards = corpora.write_shards(folder / f"sorted-{seed}.bags", X[by_class], y[by_class], ["negative", "positive"], rows_a_shard=256)
        trained = [
            Perceptron(nr_rounds=1, seed=seed).train(X[train], y[train]),
            corpora.train_corpus(Perceptron(nr_rounds=1, seed=seed), mixed_shards),
            corpora.train_corpus(Perceptron(nr_rounds=1, seed=seed), sorted_shards),
            Perceptron(nr_rounds=1, order=np.arange(N_TRAIN)).train(X[by_class], y[by_class]),
        ]
        for of_order, params in zip(found.values(), trained, strict=True):
            of_order.append(accuracy(params, X[test], y[test]))
    print(f"accuracy of the averaged perceptron, mean of {N_SEEDS} divisions; {len(mixed_shards)} shards")
    for name, of_order in found.items():
        print(f"{name:32} {mean_and_error(of_order)}")
    difference = np.subtract(found["(2) shards, then rows"], found["(1) random order"])
    print(f"{'(2) minus (1)':32} {mean_and_error(difference)}")

# %% [markdown] tags=["answer", "exercise-1.14"]
# **Explain.** What has the perceptron learnt after the first half of order (4), and what does it forget in the second half? **Transfer.** Your
# documents are sorted by date. How do you stream them? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.14"]
# <!-- numbers: order -->
# **One answer.** In the first half it sees only one class: after very few mistakes it always predicts this class, whatever the words. In the second
# half it switches to the other class, again after few mistakes. Its average has learnt no word: an accuracy of 0.4929 is guessing. *Transfer:* shuffle
# the sources first, or make shards so small that shuffling them mixes the dates. And test on the latest documents, because you want to label future
# documents.

# %% tags=["skip-execution"]
lab.reveal("1.14")

# %% [markdown]
# ## C. Mixing: learning in parallel parts
#
# Now each of several machines has a part of the documents. An online step needs the weights after the previous step, so the parts cannot share one $W$.
# In *iterative parameter mixing* the parts learn separately for a while. All begin with the same weights. Part $p$ takes $T_p$ steps, and ends with the
# weights $W_p$ and with $S_p$, the sum of its weights after each of these steps. Then the weights are mixed,
#
# $$ W \;\leftarrow\; \sum_p \omega_p\, W_p , \qquad \omega_p = \text{the part's share of the documents}, $$
#
# and all parts continue from this $W$. The result is the average over *all steps of all parts*:
#
# $$ \overline W = \frac{\sum_p S_p}{\sum_p T_p} . $$
#
# The sums and the numbers of steps accumulate over all mixings. The mean of the parts' averages would differ from this as
# soon as one part takes more steps than another.

# %% [markdown]
# ## Exercise 1.15: the mixing rule
#
# 1. By hand, with weights of one number: part 1 took 3 steps, $W_1 = 4$, $S_1 = 9$; part 2 took 1 step, $W_2 = 8$, $S_2 = 8$. From which $W$ do they
#    continue? What is the average over all steps, and what is the mean of the two averages?
# 2. Write `mixed` in `classifiers/large/parameter_mixing.py`.

# %% tags=["cell-mixing-by-hand", "exercise-1.15"]
with lab.exercise("1.15"):
    from classifiers.parameter_mixing import mixed

    W, total, count = mixed(np.array([[[4.0]], [[8.0]]]), np.array([[[9.0]], [[8.0]]]), np.array([3, 1]), np.array([0.75, 0.25]))
    print(f"all parts continue from {W.item():g}")
    print(f"average over all steps: {total.item():g} / {count} = {total.item() / count:g}; mean of the averages: {(9 / 3 + 8 / 1) / 2:g}")

# %% tags=["skip-execution"]
lab.check("1.15")

# %% [markdown]
# `train_in_parts` in the same file trains with the perceptron's rule and mixes with your function. A *leg* is the training between two
# mixings.

# %% [markdown] tags=["predict"]
# **Predict.** After one round with 256 parts, each has seen 16 documents. Is their mixture better or worse than one learner that saw all 4,096
# documents? And after three rounds? *Your prediction:*

# %% tags=["cell-parts", "exercise-1.15"]
X = rows.hashed(12).astype(float)


def legs_of(n_parts, nr_rounds, n_mixings, seed):
    """Fixed parts of the training documents; in every round each is shuffled, and mixed so many times."""
    rng = np.random.default_rng(seed)
    parts = np.array_split(rng.permutation(N_TRAIN), n_parts)
    legs = []
    for _ in range(nr_rounds):
        pieces = [np.array_split(rng.permutation(part), n_mixings) for part in parts]
        legs += [[piece[leg] for piece in pieces] for leg in range(n_mixings)]
    return legs


with lab.exercise("1.15"):
    from classifiers.parameter_mixing import train_in_parts
    from classifiers.perceptron import perceptron_rule

    def of_mixtures(n_parts, nr_rounds=1, n_mixings=1):
        """Accuracies of the average over all steps, and of the mean of the last weights, for all divisions."""
        both = []
        for seed, order in enumerate(orders):
            train, test = order[:N_TRAIN], order[N_TRAIN:]
            mixture = train_in_parts(perceptron_rule, X[train], y[train], legs_of(n_parts, nr_rounds, n_mixings, seed))
            both.append([accuracy(params, X[test], y[test]) for params in mixture])
        return np.transpose(both)

    parts = [1, 4, 16, 64, 256]
    fig, axes = plt.subplots(1, 2, figsize=(12, 4.1), layout="constrained", sharey=True)
    curves = {}
    for nr_rounds, axis in zip((1, 3), axes, strict=True):
        averages, last = np.moveaxis([of_mixtures(n_parts, nr_rounds) for n_parts in parts], 1, 0)  # (parts, seeds) each
        of_rounds = {"Perceptron, all steps": averages, "Perceptron, last weights": last}
        title = f"{nr_rounds} round{'s' * (nr_rounds > 1)}"
        figures.plot_curves(parts, of_rounds, axis)
        axis.set(xscale="log", xlabel="parts", xlim=(1, 256), ylim=(0.72, 0.84), title=title)
        axis.set_xticks(parts, [str(n_parts) for n_parts in parts])
        axis.minorticks_off()
        figures.label_ends(axis)
        curves |= {f"{title}, average over all steps": averages, f"{title}, mean of the last weights": last}
    axes[0].set_ylabel(f"accuracy, mean of {N_SEEDS} divisions")
    for name, found in curves.items():
        print(name)
        for n_parts, of_parts in zip(parts, found, strict=True):
            print(f"    {n_parts:3d} parts {mean_and_error(of_parts)}")

# %% [markdown] tags=["answer", "exercise-1.15"]
# **Explain.** Why do several parts make this perceptron *better*, and why do too many make it worse again after one round? **Transfer.** Would you
# use the average over all steps or the mean of the last weights with 256 parts and one round, and why does the answer change with the rounds? *Your
# answer:*

# %% [markdown] tags=["solution", "exercise-1.15"]
# <!-- numbers: parts -->
# **One answer.** Each part learns the informative words, and its own noise: collisions, wrong labels, the last mistakes. The mean of 16 parts keeps
# what they have in common, and the noise cancels. With 256 parts each has seen 16 documents, and they have little in common. *Transfer:* the last
# weights. In a first round with 256 parts all steps are early steps, and the average includes all of them: 0.7383 against 0.7841. The mean over 256
# parts is an average already. With few parts and more rounds the average over all steps is better: 0.8054 against 0.7907 with 4 parts after 3 rounds.

# %% tags=["skip-execution"]
lab.reveal("1.15")

# %% [markdown] tags=["shows"]
# <!-- numbers: parts -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# - After one round the average over all steps is 0.7838 with 1 part, 0.8127 with 16, and 0.7383 with 256: too many parts learn too little each.
# - More rounds correct this: after 3 rounds 256 parts have 0.8176, and their last weights 0.8250. **More parts need more
#   rounds.**
# - Mixing beats one learner here because this perceptron overfits with 12 bits: the mean of many parts acts as a regularizer. Do not expect this of
#   other learners.
# - Averaging over steps and averaging over parts have the same effect. Each helps most without the other: with 1 part 0.7838 against 0.7720.
#
# </details>

# %% [markdown]
# ### How often to mix
#
# Parts may mix within a round as well (`train --mix-every N`). This costs network traffic. Does it improve accuracy?

# %% [markdown] tags=["predict"]
# **Predict.** We train 32 parts for one round, with 1 to 8 mixings. Which number of mixings is best? *Your
# prediction:*

# %% tags=["cell-mixings", "exercise-1.15"]
with lab.exercise("1.15"):
    from classifiers.parameter_mixing import train_in_parts
    from classifiers.perceptron import perceptron_rule

    mixings = [1, 2, 4, 8]
    found = np.array([of_mixtures(32, 1, n_mixings) for n_mixings in mixings])
    fig, axis = plt.subplots(figsize=(10.5, 4.6), layout="constrained")
    figures.plot_curves(mixings, {"Perceptron, average over all steps": found[:, 0], "Perceptron, mean of the last weights": found[:, 1]}, axis)
    axis.set(xscale="log", xlabel="mixings in a round of 32 parts", ylabel=f"accuracy, mean of {N_SEEDS} divisions", xlim=(1, 8))
    axis.set_xticks(mixings, [str(number) for number in mixings])
    axis.minorticks_off()
    figures.label_ends(axis)
    print("mixings   average over all steps   its gain over 1 mixing   mean of the last weights")
    for number, (average, last) in zip(mixings, found, strict=True):
        gain = mean_and_error(average - found[0, 0]) if number > 1 else ""
        print(f"{number:7d} {mean_and_error(average):>24} {gain:>24} {mean_and_error(last):>26}")

# %% [markdown] tags=["answer", "exercise-1.15"]
# **Explain.** If we mixed after every single step, which algorithm would 32 parts run? **Transfer.** A mixing sends all weights over the network.
# Why might you mix within a round even if accuracy gains nothing? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.15"]
# <!-- numbers: mixings -->
# **One answer.** Each of the 32 would make a step on one document from the same weights, and the weights would change by the mean of the 32 steps: this
# is one step on a batch of 32 documents, with a step size 32 times smaller. *Transfer:* a mixing gives a current model: the lines of progressive
# validation and the checkpoints are written then.

# %% tags=["skip-execution"]
lab.reveal("1.15")

# %% [markdown] tags=["shows"]
# <!-- numbers: mixings -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# The average over all steps does not gain: the differences are 0.0011 ± 0.0006, −0.0005 ± 0.0010 and −0.0023 ± 0.0012, none of them above two standard
# errors. The mean of the last weights even falls, from 0.8189 with 1 mixing to 0.8095 with 8: parts that are mixed often stay
# nearly identical, so averaging gains little. A mixing costs traffic, so mix once a round, and more often only in long rounds.
#
# </details>

# %% [markdown]
# ## D. Mixing weights with variances
#
# <!-- numbers: variances -->
# Some online learners keep a *variance* beside each weight: confidence-weighted learning (CW) and the related AROW. Their belief about a weight
# is a Gaussian $N(w, \sigma^2)$. It begins as $N(0, 1)$, and every document that contains the word reduces $\sigma^2$. Rare words keep a large
# variance, so that their weights may still move far. How should two parts mix such beliefs?
#
# Let the belief of part 1 be $N(w_1, \sigma_1^2)$ and that of part 2 $N(w_2, \sigma_2^2)$, from different documents. We multiply the
# densities, since the evidence is independent:
#
# $$
# e^{-\frac{(w - w_1)^2}{2\sigma_1^2}}\; e^{-\frac{(w - w_2)^2}{2\sigma_2^2}}
# \;\propto\; \exp\!\left(-\tfrac12 \left[\Big(\tfrac1{\sigma_1^2} + \tfrac1{\sigma_2^2}\Big) w^2 - 2 \Big(\tfrac{w_1}{\sigma_1^2} + \tfrac{w_2}{\sigma_2^2}\Big) w \right]\right).
# $$
#
# The product is a Gaussian again. Its *precision* $1/\sigma^2$ is the coefficient of $w^2$, and its mean minimises the bracket:
#
# $$ \frac1{\sigma^2} = \frac1{\sigma_1^2} + \frac1{\sigma_2^2}, \qquad w = \sigma^2 \Big( \frac{w_1}{\sigma_1^2} + \frac{w_2}{\sigma_2^2} \Big) . $$
#
# **Precisions add, and the mean weighs each part by its precision.** One correction remains: both parts began with the prior $N(0, 1)$. The
# product counts this prior twice, so its precision 1 has to be subtracted once; with more parts, once for each part except the first. (The
# prior's mean is 0.)
#
# **By hand.** The word *superb* is in four documents of part 1, each an observation of 1 with the variance 1; part 2 never saw the word. Part 1 has the
# precision $1 + 4 = 5$ and the mean $\frac45 = 0.8$. Part 2 still has the precision 1 and the mean 0.
#
# | rule | precision | mean |
# |---|---|---|
# | one learner that sees all | $1 + 4 = 5$ | $4/5 = 0.8$ |
# | means and variances averaged | $1 / \frac{0.2 + 1}{2} \approx 1.67$ | $\frac{0.8 + 0}{2} = 0.4$ |
# | precisions added | $5 + 1 = 6$ | $\frac{5 \cdot 0.8 + 1 \cdot 0}{6} \approx 0.67$ |
# | … and the prior subtracted once | $5 + 1 - 1 = 5$ | $\frac{5 \cdot 0.8 + 1 \cdot 0 - 1 \cdot 0}{5} = 0.8$ |
#
# The plain mean halves what part 1 has learnt, because part 2 has the same weight although it never saw the word.

# %% [markdown] tags=["predict"]
# **Predict.** With more parts, how does the plain mean affect the weights of rare words? Does it affect frequent words in the same
# way? *Your prediction:*

# %% tags=["cell-variances"]
print("by hand:", 1 / ((0.2 + 1) / 2), (0.8 + 0) / 2, 5 * 0.8 / 6, (5 * 0.8) / 5)


def beliefs(counts, sums):
    """Mean and precision of each word, from the number of its observations and their sum, with the variance 1 and N(0, 1) before."""
    return sums / (1 + counts), 1 + counts


def squared_errors(n_parts, seed):
    """Of 1,000 words by Zipf's law the squared errors of their weights, for four ways to learn and mix them."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=1000)
    n_seen = np.round(4000 / np.arange(1, 1001)).astype(int)  # documents with the word
    of_parts = np.array([rng.multinomial(n, np.ones(n_parts) / n_parts) for n in n_seen]).T  # (parts, words)
    sums = of_parts * truth + np.sqrt(of_parts) * rng.normal(size=of_parts.shape)
    means, precisions = beliefs(of_parts, sums)
    found = {
        "one learner": beliefs(of_parts.sum(axis=0), sums.sum(axis=0))[0],
        "means averaged": means.mean(axis=0),
        "precisions added": (precisions * means).sum(axis=0) / precisions.sum(axis=0),
        "prior subtracted": (precisions * means).sum(axis=0) / (precisions.sum(axis=0) - (n_parts - 1)),
    }
    return {name: (w - truth) ** 2 for name, w in found.items()}


parts = [1, 2, 4, 8, 16, 32]
samples = {name: np.zeros((len(parts), N_SEEDS, 1000)) for name in squared_errors(1, 0)}
for place, n_parts in enumerate(parts):
    for seed in range(N_SEEDS):
        for name, errors_of_words in squared_errors(n_parts, seed).items():
            samples[name][place, seed] = errors_of_words
fig, axis = plt.subplots(figsize=(10.5, 4.8), layout="constrained")
looks = [(figures.BLACK, "solid"), (figures.TRAINING, "dashed"), ("#555555", "dotted"), ("#B0B0B0", (0, (1, 3)))]
for (name, found), (colour, dash) in zip(samples.items(), looks, strict=True):
    of_seeds = found.mean(axis=2)
    mean, error = of_seeds.mean(axis=1), of_seeds.std(axis=1, ddof=1) / np.sqrt(N_SEEDS)
    axis.plot(parts, mean, color=colour, linestyle=dash, linewidth=2 if colour == figures.BLACK else 3, label=name)
    axis.fill_between(parts, mean - error, mean + error, color=colour, alpha=0.18, linewidth=0)
axis.set(xscale="log", xlabel="parts", ylabel="mean squared error of a weight", xlim=(1, 32), ylim=(0, None))
axis.set_xticks(parts, [str(n_parts) for n_parts in parts])
axis.minorticks_off()
figures.label_ends(axis)
print("parts" + "".join(f"{name:>20}" for name in samples))
for place, n_parts in enumerate(parts):
    print(f"{n_parts:5d}" + "".join(f"{mean_and_error(found[place].mean(axis=1)):>20}" for found in samples.values()))
for words, which in (("50 most frequent words", slice(50)), ("500 rarest words", slice(500, None))):
    plain, alone = (mean_and_error(samples[name][3, :, which].mean(axis=1)) for name in ("means averaged", "one learner"))
    print(f"8 parts, {words}: averaged {plain}, one learner {alone}")
difference = np.abs(samples["prior subtracted"] - samples["one learner"]).max()
print(f"largest difference between the last way and one learner: {difference:.6f}")

# %% [markdown] tags=["answer", "exercise-1.15"]
# **Explain.** Why does the last rule give *exactly* the weights of one learner? **Transfer.** The perceptron has no variances. Which precision does
# mixing by shares assume for each weight? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.15"]
# <!-- numbers: variances -->
# **One answer.** The precision is 1 plus the number of observations, and precision times mean is the sum of the observations. Both are sums over
# documents, which do not depend on the grouping; only the 1 of the prior must be counted once. *Transfer:* the same precision for every word, in
# proportion to the share of the part: a part that never saw a word counts as much for it as a part of the same size that saw it often.

# %% tags=["skip-execution"]
lab.reveal("1.15")

# %% [markdown] tags=["shows"]
# <!-- numbers: variances -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# With 8 parts the plain mean has the squared error 0.3618, one learner 0.1072. The loss is largest for rare words: 0.5245 against 0.1569 for the 500
# rarest, 0.0094 against 0.0064 for the 50 most frequent. In most parts the weight of a rare word is still 0, and the plain mean pulls it towards 0.
# Adding precisions helps (0.2597); with the prior subtracted, the mixture equals one learner exactly (difference 0.000000). CW and AROW have other
# update rules than these Gaussians, so for them this holds only approximately; but the mixing preserves the larger variance of a rare word, which lets
# it move far.
#
# </details>

# %% [markdown]
# ## E. On the command line
#
# | what | command |
# |---|---|
# | documents to try it with | `lxmls-day1 toy --documents 1e6 > toy.tsv` |
# | hashing, one pass, bounded memory | `lxmls-day1 cache toy.tsv --hash 18 --keep-words --out toy.bags` |
# | streaming, with progressive validation | `lxmls-day1 train --classifier mira --corpus toy.bags --out mira.npz` |
# | mixing four parts, by threads | `lxmls-day1 train --classifier mira --corpus toy.bags --n-jobs 4 --out mira.npz` |
# | … and on a cluster, mixed within a round | `… --n-jobs 32 --scheduler tcp://head:8786 --mix-every 1000000` |
# | the weight of each word | `lxmls-day1 explain mira.npz text.txt` |
#
# The page *More text than memory* of the book (`lxmls-day1 docs`) explains how to start a cluster, what is sent over the network, and
# from which size on other programs are the better choice.
#
# ## What to take home
#
# - Hashing needs no vocabulary. Most words collide, and with random signs inner products stay right on average.
# - With enough bits the loss of accuracy is too small to measure. Explanations describe columns: a word that was never seen may
#   get a weight.
# - Streaming needs memory only for the weights and two shards. Progressive validation is an honest estimate of the error in
#   the first round.
# - Shuffle shards, then rows. Never stream documents sorted by class.
# - Mixing takes the mean of the weights by shares, and adds the sums and the numbers of steps. More parts need more
#   rounds.
# - With variances, precisions add, and each part is weighted by its precision.
#
# **Reading.** K. Weinberger et al., *Feature hashing for large scale multitask learning*, 2009 · J. Langford, L. Li, A. Strehl, *Vowpal Wabbit*, 2007 ·
# A. Blum, A. Kalai, J. Langford, *Beating the hold-out: bounds for k-fold and progressive cross-validation*, 1999 · R. McDonald, K. Hall, G. Mann,
# *Distributed training strategies for the structured perceptron*, 2010 · M. Dredze, K. Crammer, F. Pereira, *Confidence-weighted linear
# classification*, 2008 · K. Crammer, A. Kulesza, M. Dredze, *Adaptive regularization of weight vectors*, 2009.
