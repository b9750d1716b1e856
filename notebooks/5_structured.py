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
# So far an input had one label. Now it has a *sequence* of labels: a tag for each word of a sentence. One could tag the words
# one by one, each with a classifier of the second notebook. But in *Anna saw the light* the tag of *light* depends on the word
# before it, and so does the tag of *saw*. This notebook tags the sentence as a whole. Nothing but the argmax has to change.
#
# **Goals.** After this notebook you can
#
# - score a tag sequence as a sum of emissions and transitions;
# - find the best sequence by hand in a small lattice, and by Viterbi's search in any;
# - say why the SVM's cost does not make the search harder;
# - turn each classifier of the first three notebooks into its structured sister;
# - sum over all sequences, and say how sure a tagger is of each word.
#
# **Before.** Notebook 2 (perceptron, MIRA) and section C of notebook 3 (the SVM). The symbols
# are those of [the table for all notebooks](notation.md).
#
# This notebook is further reading: it does not belong to the core.
#
# **Time.** About 120 minutes.
#
# | exercise | what you do | file |
# |---|---|---|
# | 1.13 | write Viterbi's search, the argmax over all tag sequences | `classifiers/structured/viterbi.py` |
# | 1.17 | write the forward recursion, the sum over all of them | `classifiers/structured/forward_backward.py` |

# %% [markdown]
# ## Open the lab

# %% tags=["open-lab"]
from lxmls_day1.notebook_lab import open_lab
lab = open_lab()

# %% tags=["cell-corpus"]
import itertools

import matplotlib.pyplot as plt
import numpy as np

from classifiers.viterbi import ChainScores, path_score
from readers.pos_corpus import PosCorpus

corpus = PosCorpus("toy")
print(f"{corpus.get_name()}: {len(corpus.train_X)} training and {len(corpus.test_X)} test sentences")
print(f"words: {sum(map(len, corpus.train_X))} and {sum(map(len, corpus.test_X))}")
for words, tags in zip(corpus.train_X[:2], corpus.train_y[:2], strict=True):
    print(" ".join(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True)))

# %% [markdown]
# ## A. The same model with a bigger argmax
#
# A linear classifier scores a label by $w \cdot f(x, y)$. Let $y = (y_1, \dots, y_L)$ be a whole tag sequence, and let its
# features be sums over its parts: what is seen at each word together with its tag (*emissions*), and each pair of
# neighbouring tags (*transitions*), a start and a stop among them. Then the score is a sum over the parts as well:
#
# $$ s(y) = \text{start}(y_1) + \sum_{\ell=1}^{L} \text{emissions}(\ell, y_\ell) + \sum_{\ell=1}^{L-1} \text{transitions}(y_\ell, y_{\ell+1}) + \text{stop}(y_L). $$
#
# Every rule of the second and third notebook holds word for word, with $\hat y = \arg\max_y s(y)$ over *sequences*:
#
# - the **perceptron** adds $f(x, y)$ and subtracts $f(x, \hat y)$;
# - **MIRA** asks for a margin of $\rho(\hat y, y)$, the number of wrong tags;
# - the **SVM** searches with $s(y') + \rho(y', y)$;
# - **maximum entropy** gives each sequence the probability $e^{s(y)} / Z$, with $Z$ the sum over all sequences. It is then called a
#   *conditional random field* (CRF).
#
# With sentences of one word and no transitions they *are* the flat learners, to the last digit of their weights.
#
# Nothing here is special to tags. "I shot an elephant in my pajamas" (Groucho Marx) has two parse trees: who wears the pajamas? Score a
# tree by the sum of its parts, find the best tree, and the same perceptron learns to parse. The argmax is the only thing to
# replace.
#
# One difficulty remains: there are $K^L$ sequences. Trying them all works for tiny cases, and is a good reference to test
# against:

# %% tags=["cell-all"]
def best_of_all(emissions, transitions, start, stop):
    """The argmax by trying every sequence: K ** L of them."""
    n_words, n_tags = emissions.shape

    def score(path):
        steps = sum(transitions[a, b] for a, b in itertools.pairwise(path))
        return start[path[0]] + sum(emissions[t, k] for t, k in enumerate(path)) + steps + stop[path[-1]]

    return max(itertools.product(range(n_tags), repeat=n_words), key=score)


print(f"{3**4} sequences of 4 words and 3 tags; {15**20:.1e} of 20 words and 15 tags")

# %% [markdown]
# ## B. The best path through a lattice
#
# Every tag sequence is a path from the left to the right of the *lattice* below. Its score is the sum of the nodes and edges
# that it passes. The words are *fish watch boats*, the tags NOUN and VERB, and the numbers are made up.

# %% [markdown] tags=["predict"]
# **Predict.** Which path is the best? First take the best node of each word. Then look at the edges, too. *Your prediction:*

# %% tags=["cell-small-lattice"]
from lxmls_day1.figures.lattice import lattice, plot_lattice

words, tags = ["fish", "watch", "boats"], ["NOUN", "VERB"]
small = ChainScores(
    emissions=np.array([[2.0, 1.0], [3.0, 2.0], [3.0, 1.0]]),
    transitions=np.array([[-1.0, 2.0], [2.0, -2.0]]),  # from the tag of the row to that of the column
    start=np.array([1.0, 0.0]),
    stop=np.array([0.0, 0.0]),
)
best = best_of_all(*small)
fig, axis = plot_lattice(lattice(words, tags, small, best), title="three words, two tags", label_edges=True)
for path in ([0, 0, 0], [0, 1, 0]):
    print(f"{'–'.join(tags[k] for k in path):15} has the score {path_score(small, path):.0f}")

# %% [markdown]
# <!-- numbers: small-lattice, best-table -->
# Word by word NOUN is the best tag of all three words, and NOUN–NOUN–NOUN has the score 7. The path over VERB gives up one point
# at *watch* and wins more on its edges: 12.
#
# How to find it without trying all? The score is a sum along the sentence. Let $\text{best}(\ell, k)$ be the most that the words
# from $\ell$ to the end can score if word $\ell$ has tag $k$. At the last word it is $\text{emissions}(L, k) + \text{stop}(k)$. For
# the others,
#
# $$ \text{best}(\ell, k) = \text{emissions}(\ell, k) + \max_j \left[ \text{transitions}(k, j) + \text{best}(\ell+1, j) \right] $$
#
# gives $\text{best}(\ell, k)$ from $\text{best}(\ell+1, \cdot)$ with $K$ comparisons per tag. For our lattice, from right to left:
#
# | | fish | watch | boats |
# |---|---|---|---|
# | NOUN | 2 + max(−1 + 6, 2 + 7) = **11** | 3 + max(−1 + 3, 2 + 1) = **6** | **3** |
# | VERB | 1 + max(2 + 6, −2 + 7) = **9** | 2 + max(2 + 3, −2 + 1) = **7** | **1** |
#
# **The read-off** goes from left to right, and here the start comes in:
#
# $$
# y_1 = \arg\max_k\,[\text{start}(k) + \text{best}(1, k)], \qquad
# y_{\ell+1} = \arg\max_j\,[\text{transitions}(y_\ell, j) + \text{best}(\ell+1, j)] .
# $$
#
# Here $1 + 11$ against $0 + 9$: NOUN, and 12 is the score of the whole path. Then $-1 + 6$ against $2 + 7$: VERB. Then $2 + 3$
# against $-2 + 1$: NOUN. So $L K^2$ steps replace $K^L$. (Most books go from left to right instead, and keep for each
# node a *back-pointer* to the node that it was reached from. The answer is the same. Going backwards needs no pointers.)

# %% tags=["cell-best-table"]
for position, word in enumerate(words):
    for k, tag in enumerate(tags):
        rest = ChainScores(small.emissions[position:], small.transitions, np.where(np.arange(2) == k, 0, -100.0), small.stop)
        print(f"best({position + 1}, {tag}) = {path_score(rest, best_of_all(*rest)):.0f}", end="    ")
    print(f"({word})")

# %% [markdown]
# ### Why the cost joins the emissions
#
# The SVM searches for $\tilde y = \arg\max_{y'} s(y') + \rho(y', y)$. That looks harder, but is not. The number of wrong tags is a
# sum over the words, $\rho(y', y) = \sum_\ell [y'_\ell \ne y_\ell]$, and so are the emissions. Add 1 to the emission of every
# wrong tag, and search as before. (A cost that is no sum over the words, such as "1 if anything is wrong", would need another
# search.)

# %% tags=["cell-augmented"]
from classifiers.viterbi import cost_augmented

augmented = cost_augmented(small, truth=[0, 1, 0], cost=1 - np.eye(2))
print("emissions before:", small.emissions.tolist())
print("and with costs:  ", augmented.emissions.tolist())
for path in itertools.product(range(2), repeat=3):
    wrong = sum(a != b for a, b in zip(path, [0, 1, 0], strict=True))
    assert path_score(augmented, path) == path_score(small, path) + wrong
print("for all 8 paths: new score = old score + number of wrong tags")

# %% [markdown]
# ## Exercise 1.13: Viterbi's search
#
# 1. Write `viterbi` in `classifiers/structured/viterbi.py`.
# 2. Compare it with trying every sequence, on random scores.
# 3. Compare it with two quicker taggers. *Word by word* takes the best emission of each word. *Greedy* goes from left to right
#    and takes the best tag given the tag before; it never takes a decision back.

# %% [markdown] tags=["predict"]
# **Predict.** On random scores with 2 to 3 tags and up to 5 words: how often does word by word find the best sequence? How
# often greedy? *Your prediction:*

# %% tags=["cell-random", "exercise-1.13"]
def word_by_word(scores):
    """The best emission of each word."""
    return scores.emissions.argmax(axis=1)


def greedy(scores):
    """The best tag of each word, given the tag before it."""
    emissions, transitions, start, stop = scores
    path = []
    for position, of_word in enumerate(emissions):
        now = of_word + (transitions[path[-1]] if path else start) + (stop if position == len(emissions) - 1 else 0)
        path.append(int(np.argmax(now)))
    return path


with lab.exercise("1.13"):
    from classifiers.viterbi import ChainScores, viterbi

    rng = np.random.default_rng(0)
    agree = {"word by word": 0, "greedy": 0, "viterbi": 0}
    for _ in range(200):
        n_words, n_tags = rng.integers(1, 6), rng.integers(2, 4)
        shapes = [(n_words, n_tags), (n_tags, n_tags), n_tags, n_tags]
        scores = ChainScores(*(rng.normal(size=shape) for shape in shapes))
        best = best_of_all(*scores)
        for name, search in zip(agree, (word_by_word, greedy, viterbi), strict=True):
            agree[name] += tuple(search(scores)) == best
    for name, number in agree.items():
        print(f"{name:12}: the best sequence of {number} of 200 random sentences")

# %% tags=["skip-execution"]
lab.check("1.13")

# %% [markdown] tags=["answer"]
# **Explain.** Greedy uses the transitions. What does it overlook? **Transfer.** Would it help to go from right to left?
# *Your answer:*

# %% [markdown] tags=["solution"]
# <!-- numbers: random -->
# **One answer.** It looks at the transition into a tag, never at those out of it: a tag that is best so far may have only bad
# successors. So it finds 128 of 200 sequences, word by word 61, and Viterbi all 200. *Transfer:* no. From right to left it overlooks the
# transitions from the left.

# %% tags=["skip-execution"]
lab.reveal("1.13")

# %% [markdown] tags=["shows"]
# <!-- numbers: random -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# Greedy is quick, but it never takes a decision back, and is often wrong: it finds 128 of 200 sequences. Viterbi decides nothing before
# it has seen the whole sentence.
#
# </details>

# %% [markdown]
# ## C. The structured perceptron
#
# `StructuredPerceptron` is the loop of the second notebook over sentences. The features of a word (itself, its prefixes and
# suffixes, its shape, its neighbours) are a table in `classifiers/structured/tag_features.py`, easy to change.

# %% [markdown] tags=["predict"]
# **Predict.** The test part has 62 words. How large is the standard error of an accuracy of 0.95? *Your prediction:*

# %% tags=["cell-toy", "exercise-1.13"]
with lab.exercise("1.13"):
    from classifiers.structured import StructuredMira, StructuredPerceptron, StructuredSVM

    n_words = sum(map(len, corpus.test_X))
    for tagger in [StructuredPerceptron(nr_rounds=5), StructuredMira(nr_rounds=5), StructuredSVM(nr_rounds=5)]:
        params = tagger.train(corpus.train_X, corpus.train_y)
        parts = [(corpus.train_X, corpus.train_y), (corpus.test_X, corpus.test_y)]
        train, test = (tagger.evaluate(y, tagger.test(X, params)) for X, y in parts)
        standard_error = np.sqrt(test * (1 - test) / n_words)
        print(
            f"{tagger.get_name():22} train {train:.3f}, test {test:.3f} ± {standard_error:.3f}: "
            f"mistakes: {round((1 - test) * n_words)} of {n_words} words"
        )

# %% [markdown] tags=["shows"]
# <!-- numbers: toy -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# It does not show which tagger is best. With 62 test words, 3, 4 and 1 mistakes do not differ by more than their standard errors
# together. For a comparison we need real sentences (section E).
#
# </details>

# %% [markdown]
# ## D. One update, seen in the lattice
#
# *Answer* can be a verb or a noun. The perceptron has seen 36 toy sentences once; then comes "I like her answer." It takes *answer* for a
# verb. The update adds the features of the true path and takes away those of the best one. Where the two agree, nothing
# changes.

# %% [markdown] tags=["predict"]
# **Predict.** Which nodes and which edges will change? By how much will the score of the node *answer*–NOUN grow? *Your prediction:*

# %% tags=["cell-update", "exercise-1.13"]
with lab.exercise("1.13"):
    from classifiers.structured_perceptron import StructuredPerceptron
    from classifiers.tag_features import FeatureIndex
    from classifiers.viterbi import path_score, viterbi

    words, truth = ("I", "like", "her", "answer", "."), ("PRON", "VERB", "PRON", "NOUN", "PUNCT")
    X, y = [*corpus.train_X, words], [*corpus.train_y, truth]
    drawn = []
    for when, n_sentences in (("before", len(X) - 1), ("after", len(X))):
        tagger = StructuredPerceptron(nr_rounds=1, averaged=False, order=range(n_sentences))
        params = tagger.train(X[:n_sentences], y[:n_sentences])
        (scores,) = tagger.get_scores([words], params)
        names = tagger.classes.tolist()
        true_path = [names.index(tag) for tag in truth]
        drawn.append(lattice(words, names, scores, viterbi(scores), true_path, shown=["PRON", "VERB", "NOUN", "PUNCT"]))
        for what, path in [("word by word", word_by_word(scores)), ("best path", viterbi(scores)), ("true path", true_path)]:
            print(f"{when:6}: {what:12} {' '.join(names[k] for k in path):28} score {path_score(scores, path):.0f}")
    before, after = drawn
    seen = FeatureIndex(tagger.templates, tagger.feature_names).features(words)
    print(f"features of 'answer' in this sentence: {len(seen[3])}, and the intercept: {len(seen[3]) + 1}")
    chosen = [names.index(tag) for tag in after.rows]
    print("after: transitions from the tag of the row to", after.rows)
    for k in chosen:
        print(f"    {names[k]:6}", scores.transitions[k, chosen].astype(int).tolist())
    plt.rc("figure", dpi=52)
    plot_lattice(before, title="Before the update", label_edges=False)
    plot_lattice(after, before=before, title="After the update", label_edges=False)
    plt.show()
    plt.rc("figure", dpi=72)

# %% [markdown] tags=["answer", "exercise-1.13"]
# **Explain.** Write out the two sums from *her* to the full stop, before the update: why does VERB win? Then those over *her* after
# the update: why does PRON win, although NOUN has the better node? **Transfer.** Why does the score of *her*–NOUN change, which is on neither
# path? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.13"]
# <!-- numbers: update -->
# <!-- given: 18, 11, 7 -->
# **One answer.** *Before:* word by word, *answer* is right: NOUN 13, VERB 12. The edges overrule it. Over VERB: $4 + 12 + 2 = 18$, over NOUN:
# $-1 + 13 - 1 = 11$. The difference, 7, is that between 77 and 70. Structure hurts here. *After:* word by word, *her* is wrong: NOUN 13,
# PRON 9. The edges rescue it. Over PRON: $2 + 9 + 0 = 11$, over NOUN: $0 + 13 - 6 = 7$; the difference is that between 97 and 93. Structure
# helps. *Transfer:* words share features, such as "the word before ends in …" or "in small letters". What *her* has in common with
# *answer* raises its score for NOUN by 5, to 13, and lowers that for VERB by 5.

# %% tags=["skip-execution"]
lab.reveal("1.13")

# %% [markdown] tags=["shows"]
# <!-- numbers: update -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# The node *answer*–NOUN grows by 28 and *answer*–VERB falls by 28: one for each of the 27 features of *answer*, and one for the intercept. The same transition
# weights are used at every position, so they change everywhere at once. And a tagger with transitions can be wrong where the words alone
# are right, and right where they are wrong.
#
# </details>

# %% [markdown]
# ## E. Real sentences
#
# The English Web Treebank has 12,544 training sentences from blogs, reviews, mails and answers. To keep this short we train
# on the first 2,000 of them for three rounds; `lxmls-day1 run --task tagging` takes them all, and reports every tag.
#
# The tagger sees the neighbours of a word in two ways: through the *transitions* (the tags of the neighbours) and through
# *neighbour features* (the words beside it). We leave out either, or both.

# %% [markdown] tags=["predict"]
# **Predict.** Without neighbour features: do the transitions bring more, or less? *Your prediction:*

# %% tags=["real-data", "cell-treebank", "exercise-1.13"]
from classifiers.tag_features import TEMPLATES, EncodedSentences
from lxmls_day1.errors import CorpusUnavailable

try:
    treebank = PosCorpus("UD_English-EWT")
except CorpusUnavailable as error:
    treebank = corpus
    print(f"{error}\nThe notebook goes on with the toy sentences: accuracies below are not those of real text.\n")
train_X, train_y = treebank.train_X[:2000], treebank.train_y[:2000]
n_words = sum(map(len, treebank.test_X))
print(f"{len(train_X)} training and {len(treebank.test_X)} test sentences with {n_words} words")
own = [template for template in TEMPLATES if "[" not in template]  # a place in brackets is that of a neighbour
encoded = {}  # the features of the words, looked up once for all taggers that share them: training and test part
for name, templates in [("with", TEMPLATES), ("without", own)]:
    train = EncodedSentences.learn(train_X, templates)
    encoded[name] = train, train.others(treebank.test_X)
with lab.exercise("1.13"):
    from classifiers.structured_perceptron import StructuredPerceptron

    print("neighbour features        without transitions   with transitions   difference")
    for name, (train, test) in encoded.items():
        accuracies = []
        for transitions in (False, True):
            tagger = StructuredPerceptron(nr_rounds=3, transitions=transitions, templates=train.index.templates)
            params = tagger.train(train, train_y)
            accuracies.append(tagger.evaluate(treebank.test_y, tagger.test(test, params)))
        standard_error = np.sqrt(accuracies[1] * (1 - accuracies[1]) / n_words)
        print(
            f"{name:24} {accuracies[0]:19.3f} {accuracies[1]:10.3f} ± {standard_error:.3f} "
            f"{100 * (accuracies[1] - accuracies[0]):15.1f} points"
        )

# %% [markdown] tags=["answer", "exercise-1.13"]
# **Explain.** Why do the transitions bring so much more without the neighbour features? **Transfer.** Which would you rather have in a
# language with free word order? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.13"]
# <!-- numbers: treebank -->
# **One answer.** Without neighbour features the tags of the neighbours are all that a tagger learns of them: the transitions
# bring 2.8 percentage points, from 0.866 to 0.894. Where the words beside it are features already, they say much of what their tags would
# say, and the transitions bring 0.4, from 0.898 to 0.901. *Transfer:* neither helps much where neighbours tell little; prefixes and suffixes, which
# such languages have many of, tell more.

# %% tags=["skip-execution"]
lab.reveal("1.13")

# %% [markdown]
# One more comparison: the tagger with transitions, searched in three ways.

# %% [markdown] tags=["predict"]
# **Predict.** Its weights were trained for Viterbi. How much does a greedy search lose? *Your prediction:*

# %% tags=["real-data", "cell-searches", "exercise-1.13"]
with lab.exercise("1.13"):
    from classifiers.structured_perceptron import StructuredPerceptron
    from classifiers.viterbi import path_score, viterbi

    tagger = StructuredPerceptron(nr_rounds=3)
    train, test = encoded["with"]
    params = tagger.train(train, train_y)
    all_scores = tagger.get_scores(test, params)
    best = [path_score(scores, viterbi(scores)) for scores in all_scores]
    for name, search in [("word by word", word_by_word), ("greedy", greedy), ("viterbi", viterbi)]:
        found = [search(scores) for scores in all_scores]
        accuracy = tagger.evaluate(treebank.test_y, [tagger.classes[path] for path in found])
        reached = np.mean([
            path_score(scores, path) >= top - 1e-6 for scores, path, top in zip(all_scores, found, best, strict=True)
        ])
        print(f"{name:12}: accuracy {accuracy:.3f}; it finds the best sequence of {reached:.1%} of the sentences")

# %% [markdown] tags=["answer", "exercise-1.13"]
# **Explain.** Word by word with these weights is worse than the tagger that was trained without transitions (the experiment above). Why?
# **Transfer.** How would you train a tagger that is to be searched greedily? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.13"]
# <!-- numbers: searches, treebank -->
# **One answer.** Its emissions have learnt to rely on the transitions, which word by word leaves out: 0.884 against 0.898 of the
# tagger that was trained without. Train with the same search that you will use. *Transfer:* with the greedy search in training, too: the rule of the
# perceptron only needs *some* prediction to correct. (`decoder=greedy` in the constructor does it.)

# %% tags=["skip-execution"]
lab.reveal("1.13")

# %% [markdown] tags=["shows"]
# <!-- numbers: searches -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# Greedy finds the best sequence of 64.0% of the sentences, and the accuracy falls from 0.901 to 0.886. The search is part of the
# classifier: with another search than in training, the same weights are another classifier.
#
# </details>

# %% [markdown]
# ## F. The conditional random field
#
# Viterbi's search knows which sequence is best. It does not know how sure that is. For this we need the sum over *all* sequences,
#
# $$ Z = \sum_{y} e^{s(y)}, \qquad p(y \mid x) = \frac{e^{s(y)}}{Z}, $$
#
# and that is maximum entropy on sequences, a *conditional random field*. There are as many terms as sequences, but the recursion of
# the search adds them up too. Let $A(\ell, j)$ be the logarithm of the sum over all beginnings of the sentence that end in
# the tag $j$ at word $\ell$:
#
# $$ A(1, j) = \text{start}(j) + \text{emissions}(1, j), \qquad
#    A(\ell, j) = \text{emissions}(\ell, j) + \log \sum_k e^{A(\ell-1, k) + \text{transitions}(k, j)}. $$
#
# Compare it with the search: $\log\sum\exp$ stands where $\max$ stood. At the last word $\log Z = \log \sum_k e^{A(L, k) +
# \text{stop}(k)}$. The same from the last word back gives the sums over the rest of the sentence. Combining the two gives the *marginal*
# $p(y_\ell = k \mid x)$: the share of $Z$ that belongs to the sequences with tag $k$ at word $\ell$.
#
# The gradient of $\log p(y \mid x)$ is the same as in notebook 3: the features of the true sequence minus those that the model
# expects. What it expects of a word is its features times these marginals.
#
# ## Exercise 1.17: the forward recursion
#
# Write `forward` in `classifiers/structured/forward_backward.py`. Compare $\log Z$ with the list of all sequences.

# %% [markdown] tags=["predict"]
# **Predict.** All scores are zero. How many sequences have 3 words with 2 tags, and so what is $Z$? For random scores: is $\log Z$ larger
# or smaller than the score of the best sequence? *Your prediction:*

# %% tags=["cell-forward", "exercise-1.17"]
with lab.exercise("1.17"):
    from classifiers.forward_backward import forward, log_partition, marginals

    zeros = ChainScores(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    print(f"all scores 0, 3 words, 2 tags: Z = {np.exp(log_partition(zeros)):.0f}")
    rng = np.random.default_rng(5)
    for size in (0.5, 2.0, 8.0):
        parts = [(4, 3), (3, 3), 3, 3]
        scores = ChainScores(*(size * rng.normal(size=part) for part in parts))
        every = [path_score(scores, path) for path in itertools.product(range(3), repeat=4)]
        listed = np.logaddexp.reduce(every)
        print(
            f"scores of size {size}: log Z {log_partition(scores):.4f}, by listing {listed:.4f}; "
            f"best score {max(every):.4f}\n   p(best sequence) = {np.exp(max(every) - listed):.3f}"
        )

# %% tags=["skip-execution"]
lab.check("1.17")

# %% [markdown] tags=["answer", "exercise-1.17"]
# **Explain.** (1) Why is $\log Z$ always above the score of the best sequence, and when is it close to it? (2) Why does the recursion
# keep logarithms all the way? **Transfer.** Multiply all scores by a very large number. What do the marginals become? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.17"]
# **One answer.** (1) The best sequence is one of the terms of the sum, and the others are positive. Where one sequence is far ahead of
# all others, its term is nearly the whole sum. (2) A sentence has scores in the hundreds, and $e^{s}$ soon is more than a float can
# hold. *Transfer:* the tags of Viterbi's search with probability one: $\log\sum\exp$ becomes max.

# %% tags=["skip-execution"]
lab.reveal("1.17")

# %% [markdown] tags=["shows"]
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# The sum over all sequences costs no more than the search for the best one. The larger the scores, the surer the model: it is the
# dial of confidence of notebook 3.
#
# </details>

# %% [markdown]
# ### How sure is it of each word?
#
# A conditional random field on the toy sentences, and the lattice of one sentence. Above each node stands how probable the tag is.

# %% [markdown] tags=["predict"]
# **Predict.** "I like her answer ." Of which word will it be least sure? *Your prediction:*

# %% tags=["cell-confidence", "exercise-1.17"]
with lab.exercise("1.17"):
    from classifiers.crf import CRF
    from classifiers.forward_backward import marginals
    from classifiers.viterbi import ChainScores
    from lxmls_day1.figures.lattice import lattice, plot_lattice

    crf = CRF(regularizer=0.01)
    params = crf.train(corpus.train_X, corpus.train_y)
    names = crf.classes.tolist()
    words, tags = corpus.dev_X[4], corpus.dev_y[4]
    (scores,), (predicted,) = crf.get_scores([words], params), crf.test([words], params)
    sure = marginals(scores)
    plot_lattice(
        lattice(words, names, scores, [names.index(tag) for tag in predicted], marginals=sure),
        title="Scores, and above them the probability of each tag",
        label_edges=False,
    )
    for word, tag, of_word in zip(words, predicted, sure, strict=True):
        second = np.argsort(of_word)[-2]
        print(f"{word:8}{tag:8}{of_word.max():.2f}    next: {names[second]:8}{of_word[second]:.2f}")
    confidence, right = [], []
    for P, guesses, truth in zip(
        crf.get_marginals(corpus.test_X, params), crf.test(corpus.test_X, params), corpus.test_y, strict=True
    ):
        confidence += [P[t, names.index(tag)] for t, tag in enumerate(guesses)]
        right += [tag == true for tag, true in zip(guesses, truth, strict=True)]
    confidence, right = np.array(confidence), np.array(right)
    for name, part in [("at least 0.8", confidence >= 0.8), ("below 0.8", confidence < 0.8)]:
        print(f"test words, confidence {name}: {part.sum()}, wrong tags {np.sum(~right[part])}")

# %% [markdown] tags=["answer", "exercise-1.17"]
# **Explain.** Where are the wrong tags, among the sure words or the unsure ones? **Transfer.** You can have fifty words checked by hand.
# Which ones do you choose? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.17"]
# <!-- numbers: confidence -->
# **One answer.** All 4 wrong tags are among the words with a confidence below 0.8. *Transfer:* the least sure ones. That is *active
# learning*: the words that a model doubts teach it most.

# %% tags=["skip-execution"]
lab.reveal("1.17")

# %% [markdown] tags=["shows"]
# <!-- numbers: confidence -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# A conditional random field says how sure it is, and on the test words it is right to be sure: no tag of a confidence of at least 0.8 is
# wrong. There are only 62 test words; `lxmls-day1 predict --marginals` does the same for any text.
# <!-- given: 62 -->
#
# </details>

# %% [markdown]
# ## G. The map: from a label to a sequence
#
# | flat, notebooks 1 to 3 | structured | what is fitted | what is needed beside Viterbi |
# |---|---|---|---|
# | naive Bayes | hidden Markov model | $\prod_\ell p(y_\ell \mid y_{\ell-1})\, p(x_\ell \mid y_\ell)$, by counting | nothing |
# | maximum entropy | conditional random field (CRF) | $e^{s(y)}/Z$, by gradients | $Z$ and expectations: sums over all sequences by the same recursion, with log-sum-exp for max |
# | perceptron | structured perceptron | $W \leftarrow W + f(x, y) - f(x, \hat y)$ | nothing |
# | MIRA | structured MIRA | the least change that gives the margin $\rho(\hat y, y)$ | nothing |
# | SVM | structured SVM, max-margin Markov network | hinge loss with $\tilde y$ | costs that are sums over words |
#
# One option goes further: `StructuredMira(k=5)` asks for the margin over each of the five best sequences, not over the best alone.
#
# In each row, the two classifiers differ in the argmax alone. From row to row, the differences are those of notebooks 1 to 3: the first
# row is generative, the others are discriminative. That is why the others may use features that overlap, such as a word and its suffix.
#
# ## What to take home
#
# - The score of a tag sequence is a sum over its parts. That is why the search for the best of $K^L$ sequences takes $L K^2$ steps.
# - Perceptron, MIRA and SVM learn sequences with the rules that you know. Only the argmax changes.
# - A cost that is a sum over the words joins the emissions; the search stays the same.
# - Transitions and neighbour features tell partly the same. Measure each without the other before you say what it brings.
# - Count the test words before you compare.
#
# **Reading.** M. Collins, *Discriminative training methods for hidden Markov models*, 2002 (the structured perceptron) ·
# J. Lafferty, A. McCallum, F. Pereira, *Conditional random fields*, 2001 · B. Taskar, C. Guestrin, D. Koller, *Max-margin Markov
# networks*, 2003 · I. Tsochantaridis et al., *Large margin methods for structured and interdependent output variables*, 2005 · L. Rabiner, *A tutorial
# on hidden Markov models*, 1989 · D. Jurafsky, J. Martin, *Speech and Language Processing*, 3rd ed., the chapter on sequence labelling.
#
# **Next.** [Notebook 6](6_beyond_memory.ipynb) leaves the small data behind: hashing, streaming, and learning on several machines.
