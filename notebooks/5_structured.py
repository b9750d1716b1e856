# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 5 · Structured outputs: tagging a sentence as a whole
#
# So far an input had one label. Now it has a *sequence* of them: a tag for each word of a sentence. Tagging the words one
# by one, each with a classifier of the second notebook, leaves something on the table: in *Anna saw the light* the tag of
# *light* depends on the word before it, and so does that of *saw*. The idea of this notebook is that nothing but the
# argmax has to change.
#
# | exercise | what you do | file |
# |---|---|---|
# | 1.13 | write Viterbi's search, the argmax over all tag sequences | `classifiers/viterbi.py` |

# %% [markdown]
# ## Open the lab

# %% tags=["open-lab"]
from lxmls_day1.notebook_lab import open_lab
lab = open_lab()

# %%
import itertools

import matplotlib.pyplot as plt
import numpy as np

from readers.pos_corpus import PosCorpus

corpus = PosCorpus("toy")
print(f"{corpus.get_name()}: {len(corpus.train_X)} training and {len(corpus.test_X)} test sentences")
for words, tags in zip(corpus.train_X[:2], corpus.train_y[:2], strict=True):
    print(" ".join(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True)))

# %% [markdown]
# ## 5.1 The same model with a bigger argmax
#
# A linear classifier scores a label by $w \cdot f(x, y)$. Let $y = (y_1, \dots, y_T)$ be a whole tag sequence, and let its
# features be sums over its parts: what is seen at each word together with its tag (*emissions*), and each pair of
# neighbouring tags (*transitions*), a start and a stop among them. Then the score is a sum over the parts as well,
#
# $$ s(y) = \text{start}(y_1) + \sum_{t=1}^{T} \text{emissions}(t, y_t) + \sum_{t=1}^{T-1} \text{transitions}(y_t, y_{t+1}) + \text{stop}(y_T). $$
#
# Everything that the flat learners did can be said again word for word, with $\hat y = \arg\max_y s(y)$ over *sequences*:
# the perceptron adds $f(x, y)$ and subtracts $f(x, \hat y)$; MIRA asks for a margin of $\rho(\hat y, y)$, the number of
# wrong tags; the SVM searches with $s(y') + \rho(y', y)$. With sentences of one word and no transitions they *are* the flat
# learners, to the last digit of their weights.
#
# Only: with $K$ tags there are $K^T$ sequences. Trying them all works for tiny cases and is a fine thing to test against:


# %%
def best_of_all(emissions, transitions, start, stop):
    """The argmax by trying every sequence: K ** T of them."""
    n_words, n_tags = emissions.shape

    def score(path):
        steps = sum(transitions[a, b] for a, b in itertools.pairwise(path))
        return start[path[0]] + sum(emissions[t, k] for t, k in enumerate(path)) + steps + stop[path[-1]]

    return max(itertools.product(range(n_tags), repeat=n_words), key=score)


print(f"{3**4} sequences of 4 words and 3 tags; {15**20:.1e} of 20 words and 15 tags")

# %% [markdown]
# ## Exercise 1.13: Viterbi's search
#
# The way out is that the score is a sum along the sentence. Suppose you knew, for each tag $k$ of word $t + 1$, how much the
# rest of the sentence can score at most from there, $\text{best}(t+1, k)$. Then
#
# $$ \text{best}(t, k) = \text{emissions}(t, k) + \max_j \left[ \text{transitions}(k, j) + \text{best}(t+1, j) \right] $$
#
# says the same about word $t$ in $K$ comparisons for each tag, and at the last word
# $\text{best}(T, k) = \text{emissions}(T, k) + \text{stop}(k)$. So $T K^2$ steps replace $K^T$. Once the first word is
# reached the best sequence is read off from left to right.
#
# 1. Write `viterbi` in `classifiers/viterbi.py`.
# 2. Compare it with trying every sequence, on random scores, below.
# 3. What would the *greedy* tagger do, which takes the best tag of each word as it comes? Find a sentence where it is wrong.

# %% tags=["exercise-1.13"]
with lab.exercise("1.13"):
    from classifiers.viterbi import ChainScores, viterbi

    rng = np.random.default_rng(0)
    agree = 0
    for _ in range(200):
        n_words, n_tags = rng.integers(1, 6), rng.integers(2, 4)
        shapes = [(n_words, n_tags), (n_tags, n_tags), n_tags, n_tags]
        scores = ChainScores(*(rng.normal(size=shape) for shape in shapes))
        agree += tuple(viterbi(scores)) == best_of_all(*scores)
    print(f"{agree} of 200 random sentences: the same sequence")

# %% tags=["skip-execution"]
lab.check("1.13")

# %% [markdown]
# ## 5.2 The structured perceptron
#
# `StructuredPerceptron` is the loop of the second notebook over sentences. The features of a word (itself, its prefixes and
# suffixes, its shape, its neighbours) are a table in `classifiers/tag_features.py`, easy to change.

# %% tags=["exercise-1.13"]
with lab.exercise("1.13"):
    from classifiers.structured import StructuredMira, StructuredPerceptron, StructuredSVM

    taggers = [StructuredPerceptron(nr_rounds=5), StructuredMira(nr_rounds=5), StructuredSVM(nr_rounds=5)]
    for tagger in taggers:
        params = tagger.train(corpus.train_X, corpus.train_y)
        parts = [(corpus.train_X, corpus.train_y), (corpus.test_X, corpus.test_y)]
        train, test = (tagger.evaluate(y, tagger.test(X, params)) for X, y in parts)
        print(f"{tagger.get_name():22} train {train:.3f}  test {test:.3f}")

# %% [markdown]
# ### One update, seen in the lattice
#
# Every tag sequence is a path from the left to the right of the *lattice* below; its score is the sum of the nodes and edges
# that it passes. *Answer* can be a verb or a noun, and before the update the best path takes it for a verb. The update adds
# the features of the true path and takes away those of the best one; where the two agree, nothing changes. (Why do scores
# of *other* words change too? Because words share features: their endings, their shape.)

# %% tags=["exercise-1.13"]
with lab.exercise("1.13"):
    from classifiers.structured_perceptron import StructuredPerceptron
    from classifiers.viterbi import viterbi

    from lxmls_day1.figures.lattice import lattice, plot_lattice

    words, truth = ("I", "like", "her", "answer", "."), ("PRON", "VERB", "PRON", "NOUN", "PUNCT")
    X, y = [*corpus.train_X, words], [*corpus.train_y, truth]
    drawn = []
    for n_sentences in (len(X) - 1, len(X)):
        tagger = StructuredPerceptron(nr_rounds=1, averaged=False, order=range(n_sentences))
        params = tagger.train(X[:n_sentences], y[:n_sentences])
        (scores,) = tagger.get_scores([words], params)
        names = tagger.classes.tolist()
        true_path = [names.index(tag) for tag in truth]
        drawn.append(lattice(words, names, scores, viterbi(scores), true_path, shown=["PRON", "VERB", "NOUN", "PUNCT"]))
    before, after = drawn
    with plt.rc_context({"figure.dpi": 40}):
        plot_lattice(before, title="Before the update", label_edges=False)
        plot_lattice(after, before=before, title="After the update", label_edges=False)
        plt.show()

# %% [markdown]
# ## 5.3 Real sentences
#
# The English Web Treebank has 12,544 training sentences from blogs, reviews, mails and answers. To keep this short we train
# on the first 2,000 of them for three rounds; `lxmls-day1 run --task tagging` takes them all, and reports every tag.

# %% tags=["real-data", "exercise-1.13"]
from lxmls_day1.errors import CorpusUnavailable

try:
    treebank = PosCorpus("UD_English-EWT")
except CorpusUnavailable as error:
    treebank = corpus
    print(f"{error}\nThe notebook goes on with the toy sentences: accuracies below are not those of real text.\n")
train_X, train_y = treebank.train_X[:2000], treebank.train_y[:2000]
with lab.exercise("1.13"):
    from classifiers.structured_perceptron import StructuredPerceptron

    for transitions in (False, True):
        tagger = StructuredPerceptron(nr_rounds=3, transitions=transitions)
        params = tagger.train(train_X, train_y)
        accuracy = tagger.evaluate(treebank.test_y, tagger.test(treebank.test_X, params))
        print(f"{'with' if transitions else 'without':7} transitions: test accuracy {accuracy:.3f}")

# %% [markdown] tags=["answer"]
# **What do you observe?** *Your answer:*

# %% [markdown] tags=["solution"]
# **One answer.** The transitions bring a little, not a lot: the neighbours' words and endings, which the emissions see, say
# much of what the neighbours' tags would. What only the search can do is to make the tags of a sentence agree with each
# other, and that pays where a word alone leaves the choice open.
