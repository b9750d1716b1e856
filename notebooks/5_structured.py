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
# So far an input had one label. Now it has a *sequence* of labels: a tag for each word of a sentence. A classifier of notebook
# 2 could tag each word separately. But in *Anna saw the light* the tag of *light* depends on the word before it, and so does
# the tag of *saw*. This notebook tags the sentence as a whole. Only the argmax has to change.
#
# **Goals.** After this notebook you can
#
# - score a tag sequence as a sum of emissions and transitions;
# - find the best sequence by hand in a small lattice, and by Viterbi's search in any lattice;
# - explain why the SVM's cost does not make the search harder;
# - turn each classifier of the first three notebooks into its structured counterpart;
# - sum over all sequences, and compute the probability of each word's tag.
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
# | 1.17 | write the forward recursion, the sum over all tag sequences | `classifiers/structured/forward_backward.py` |

# %% [markdown]
# ## Open the lab

# %% tags=["open-lab"]
from lxmls_day1.lab_api import open_lab
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
# ## A. The same model with an argmax over sequences
#
# A linear classifier scores a label by $w \cdot f(x, y)$. Let $y = (y_1, \dots, y_L)$ be a whole tag sequence, and let its
# features be sums over its parts: the features of each word combined with its tag (*emissions*), and each pair of
# neighbouring tags (*transitions*), including a start and a stop. Then the score is a sum over the parts as well:
#
# $$ s(y) = \text{start}(y_1) + \sum_{\ell=1}^{L} \text{emissions}(\ell, y_\ell) + \sum_{\ell=1}^{L-1} \text{transitions}(y_\ell, y_{\ell+1}) + \text{stop}(y_L). $$
#
# Every rule of notebooks 2 and 3 holds unchanged, with $\hat y = \arg\max_y s(y)$ over *sequences*:
#
# - the **perceptron** adds $f(x, y)$ and subtracts $f(x, \hat y)$;
# - **MIRA** requires a margin of $\rho(\hat y, y)$, the number of wrong tags;
# - the **SVM** searches with $s(y') + \rho(y', y)$;
# - **maximum entropy** gives each sequence the probability $e^{s(y)} / Z$, with $Z$ the sum over all sequences. The model is then
#   called a *conditional random field* (CRF).
#
# On sentences of one word and without transitions they *are* the classifiers of those notebooks, with exactly the
# same weights.
#
# The method is not limited to tags. "I shot an elephant in my pajamas" (Groucho Marx) has two parse trees: who wears the pajamas? If we
# score a tree by the sum of its parts and search for the best tree, the same perceptron learns to parse. Again only the argmax changes.
#
# One difficulty remains: there are $K^L$ sequences. Trying them all is possible in tiny cases, which makes a good
# reference for tests:

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
# **Predict.** Which path is the best? First take the best node of each word. Then consider the edges, too. *Your
# prediction:*

# %% tags=["cell-small-lattice"]
from lxmls_day1.lab_api import figures

words, tags = ["fish", "watch", "boats"], ["NOUN", "VERB"]
small = ChainScores(
    emissions=np.array([[2.0, 1.0], [3.0, 2.0], [3.0, 1.0]]),
    transitions=np.array([[-1.0, 2.0], [2.0, -2.0]]),  # from the tag of the row to that of the column
    start=np.array([1.0, 0.0]),
    stop=np.array([0.0, 0.0]),
)
best = best_of_all(*small)
fig, axis = figures.plot_lattice(figures.make_lattice(words, tags, small, best), title="three words, two tags", label_edges=True)
for path in ([0, 0, 0], [0, 1, 0]):
    print(f"{'–'.join(tags[k] for k in path):15} has the score {path_score(small, path):.0f}")

# %% [markdown]
# <!-- numbers: small-lattice, best-table -->
# Without the edges NOUN is the best tag of each word, but NOUN–NOUN–NOUN has the score 7. The path through VERB loses one point
# at *watch* and gains more on its edges: its score is 12.
#
# How can we find this path without trying all? The score is a sum along the sentence. Let $\text{best}(\ell, k)$ be the highest
# score of the words from $\ell$ to the end if word $\ell$ has tag $k$. At the last word it is
# $\text{emissions}(L, k) + \text{stop}(k)$. For the others,
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
# **Reading off the path** goes from left to right, and includes the start:
#
# $$
# y_1 = \arg\max_k\,[\text{start}(k) + \text{best}(1, k)], \qquad
# y_{\ell+1} = \arg\max_j\,[\text{transitions}(y_\ell, j) + \text{best}(\ell+1, j)] .
# $$
#
# Here $1 + 11$ exceeds $0 + 9$: NOUN, and 12 is the score of the whole path. Then $2 + 7$ exceeds $-1 + 6$: VERB. Then $2 + 3$
# exceeds $-2 + 1$: NOUN. So $L K^2$ steps replace $K^L$. (Most books go from left to right instead, and keep for each node a
# *back-pointer* to its best predecessor. The result is the same, but our direction needs no pointers.)

# %% tags=["cell-best-table"]
for position, word in enumerate(words):
    for k, tag in enumerate(tags):
        rest = ChainScores(small.emissions[position:], small.transitions, np.where(np.arange(2) == k, 0, -100.0), small.stop)
        print(f"best({position + 1}, {tag}) = {path_score(rest, best_of_all(*rest)):.0f}", end="    ")
    print(f"({word})")

# %% [markdown]
# ### Adding the cost to the emissions
#
# The SVM searches for $\tilde y = \arg\max_{y'} s(y') + \rho(y', y)$. This search is no harder. The number of wrong tags is a sum
# over the words, $\rho(y', y) = \sum_\ell [y'_\ell \ne y_\ell]$, like the emissions. Add 1 to the emission of every wrong tag, and
# search as before. (A cost that is not a sum over the words, such as "1 if any tag is wrong", would need a different search.)

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
# 2. Compare it with exhaustive search, on random scores.
# 3. Compare it with two quicker taggers. *Word by word* takes the best emission of each word. *Greedy* goes from left to right
#    and takes the best tag given the tag before; it never revises a decision.

# %% [markdown] tags=["predict"]
# **Predict.** On random scores with 2 to 3 tags and up to 5 words, how often does the word-by-word tagger find the best
# sequence? How often does the greedy tagger? *Your prediction:*

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
        print(f"{name:12}: the best sequence of {number} for 200 random sentences")

# %% tags=["skip-execution"]
lab.check("1.13")

# %% [markdown] tags=["answer"]
# **Explain.** Greedy uses the transitions. What does it overlook? **Transfer.** Would it help to go from right to left?
# *Your answer:*

# %% [markdown] tags=["solution"]
# <!-- numbers: random -->
# **One answer.** It uses the transition into a tag, but never those out of it: a tag that is best so far may have only bad successors.
# So greedy finds the best sequence in 128 of 200 cases, word by word in 61, and Viterbi in all 200. *Transfer:* no. From right to left
# it overlooks the transitions from the left.

# %% tags=["skip-execution"]
lab.reveal("1.13")

# %% [markdown] tags=["shows"]
# <!-- numbers: random -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# Greedy is fast, but it never revises a decision, and often misses the best sequence: it finds 128 of 200. Viterbi decides only after
# it has scored the whole sentence.
#
# </details>

# %% [markdown]
# ## C. The structured perceptron
#
# `StructuredPerceptron` runs the loop of notebook 2 over sentences. A table in `classifiers/structured/tag_features.py`,
# which is easy to change, lists the features of a word (the word itself, its prefixes and suffixes, its shape, its
# neighbours).

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
# This experiment does not show which tagger is best. With 62 test words, 3, 4 and 1 mistakes do not differ by more than the sum
# of their standard errors. For a comparison we need real sentences (section E).
#
# </details>

# %% [markdown]
# ## D. One update in the lattice
#
# *Answer* can be a verb or a noun. After one pass over 36 toy sentences the perceptron tags "I like her answer." It takes *answer* for a
# verb. The update adds the features of the true path and subtracts those of the predicted path. Features that are on both paths do not
# change.

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
        drawn.append(figures.make_lattice(words, names, scores, viterbi(scores), true_path, shown=["PRON", "VERB", "NOUN", "PUNCT"]))
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
    figures.plot_lattice(before, title="Before the update", label_edges=False)
    figures.plot_lattice(after, before=before, title="After the update", label_edges=False)
    plt.show()
    plt.rc("figure", dpi=72)

# %% [markdown] tags=["answer", "exercise-1.13"]
# **Explain.** Write out the scores of the two paths from *her* to the full stop, before the update: why does VERB win? Then write out the
# scores of the two tags of *her* after the update: why does PRON win, although NOUN has the higher node? **Transfer.** Why does the score of
# *her*–NOUN change, although this node is on neither path? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.13"]
# <!-- numbers: update -->
# <!-- given: 18, 11, 7 -->
# **One answer.** *Before:* the nodes of *answer* alone favour the right tag: NOUN 13, VERB 12. The edges reverse this. The path through VERB
# scores $4 + 12 + 2 = 18$, through NOUN $-1 + 13 - 1 = 11$. The difference, 7, is that between 77 and 70. Here the transitions hurt. *After:*
# the nodes of *her* alone favour a wrong tag: NOUN 13, PRON 9. The edges correct this. The path through PRON scores $2 + 9 + 0 = 11$, through
# NOUN $0 + 13 - 6 = 7$; the difference is that between 97 and 93. Here the transitions help. *Transfer:* words share features, such as "the
# word before ends in …" or "in small letters". The features that *her* shares with *answer* raise its score for NOUN by 5, to 13, and lower
# its score for VERB by 5.

# %% tags=["skip-execution"]
lab.reveal("1.13")

# %% [markdown] tags=["shows"]
# <!-- numbers: update -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# The node *answer*–NOUN grows by 28 and *answer*–VERB falls by 28: one for each of the 27 features of *answer*, and one for the intercept. All
# positions share the same transition weights, so these change everywhere at once. A tagger with transitions can be wrong where the emissions alone are
# right, and right where they are wrong.
#
# </details>

# %% [markdown]
# ## E. Real sentences
#
# The English Web Treebank has 12,544 training sentences from blogs, reviews, mails and answers. To save time we train on
# the first 2,000 of them for three rounds.
#
# The tagger uses the neighbours of a word in two ways: through the *transitions* (the tags of the neighbours) and through
# *neighbour features* (the neighbouring words). We leave out one of them, or both.

# %% [markdown] tags=["predict"]
# **Predict.** Do the transitions gain more or less accuracy when there are no neighbour features? *Your prediction:*

# %% tags=["real-data", "cell-treebank", "exercise-1.13"]
from classifiers.tag_features import TEMPLATES, EncodedSentences
from lxmls_day1.lab_api import text_data

try:
    treebank = PosCorpus("UD_English-EWT")
except text_data.CorpusUnavailable as error:
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
# **Explain.** Why do the transitions gain so much more without the neighbour features? **Transfer.** Which of the two would you prefer
# for a language with free word order? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.13"]
# <!-- numbers: treebank -->
# **One answer.** Without neighbour features the tagger learns about the neighbours only through their tags: the transitions gain 2.8 percentage
# points, from 0.866 to 0.894. With neighbour features the neighbouring words carry much of the information in their tags, and the transitions gain
# 0.4, from 0.898 to 0.901. *Transfer:* neither helps much where the neighbours are uninformative; prefixes and suffixes, of which such languages
# have many, are more useful.

# %% tags=["skip-execution"]
lab.reveal("1.13")

# %% [markdown]
# We also compare three searches for the tagger with transitions.

# %% [markdown] tags=["predict"]
# **Predict.** The weights were trained with Viterbi's search. How much accuracy does greedy search lose? *Your
# prediction:*

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
        print(f"{name:12}: accuracy {accuracy:.3f}; it finds the best sequence for {reached:.1%} of the sentences")

# %% [markdown] tags=["answer", "exercise-1.13"]
# **Explain.** Why is word-by-word search with these weights worse than the tagger trained without transitions (the experiment above)?
# **Transfer.** How would you train a tagger that will be searched greedily? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.13"]
# <!-- numbers: searches, treebank -->
# **One answer.** The emissions were trained together with the transitions, which word-by-word search leaves out: 0.884 against 0.898 for the tagger
# trained without them. Train with the same search that you will use. *Transfer:* with greedy search in training, too: the rule of the perceptron
# only needs *some* prediction to correct. (Pass `decoder=greedy` to the constructor.)

# %% tags=["skip-execution"]
lab.reveal("1.13")

# %% [markdown] tags=["shows"]
# <!-- numbers: searches -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# Greedy finds the best sequence of 64.0% of the sentences, and the accuracy falls from 0.901 to 0.886. The search is part of the
# classifier: with a different search, the same weights make a different classifier.
#
# </details>

# %% [markdown]
# ## F. The conditional random field
#
# Viterbi's search finds the best sequence, but not its probability. For this we need the sum over *all* sequences,
#
# $$ Z = \sum_{y} e^{s(y)}, \qquad p(y \mid x) = \frac{e^{s(y)}}{Z}, $$
#
# This is maximum entropy on sequences, a *conditional random field*. The sum has as many terms as there are sequences, but a
# recursion like that of the search computes it. Let $A(\ell, j)$ be the logarithm of the sum over all beginnings of the sentence
# that end in the tag $j$ at word $\ell$:
#
# $$ A(1, j) = \text{start}(j) + \text{emissions}(1, j), \qquad
#    A(\ell, j) = \text{emissions}(\ell, j) + \log \sum_k e^{A(\ell-1, k) + \text{transitions}(k, j)}. $$
#
# Compared with the search, $\log\sum\exp$ replaces $\max$. At the last word $\log Z = \log \sum_k e^{A(L, k) +
# \text{stop}(k)}$. The same recursion from the last word backwards gives the sums over the rest of the sentence. Combining the two gives the *marginal* $p(y_\ell
# = k \mid x)$: the share of $Z$ that belongs to the sequences with tag $k$ at word $\ell$.
#
# The gradient of $\log p(y \mid x)$ is the same as in notebook 3: the features of the true sequence minus the features that
# the model expects. The expected features of a word are its features times these marginals.
#
# ## Exercise 1.17: the forward recursion
#
# Write `forward` in `classifiers/structured/forward_backward.py`. Compare $\log Z$ with the sum over the list of all
# sequences.

# %% [markdown] tags=["predict"]
# **Predict.** If all scores are zero, how many sequences are there for 3 words and 2 tags, and what is $Z$? Is $\log Z$ larger or smaller
# than the score of the best sequence when the scores are random? *Your prediction:*

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
# use logarithms throughout? **Transfer.** Multiply all scores by a very large number. What do the marginals become? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.17"]
# **One answer.** (1) The best sequence is one of the terms of the sum, and the others are positive. If one sequence scores far above
# all others, its term is nearly the whole sum. (2) The scores of a sentence are in the hundreds, and $e^{s}$ soon overflows.
# *Transfer:* the tags that Viterbi's search finds get probability one: $\log\sum\exp$ becomes max.

# %% tags=["skip-execution"]
lab.reveal("1.17")

# %% [markdown] tags=["shows"]
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# The sum over all sequences costs no more than the search for the best one. The larger the scores, the more confident the model:
# their scale has the same effect as $\lambda$ in notebook 3.
#
# </details>

# %% [markdown]
# ### The confidence in each word
#
# We train a conditional random field on the toy sentences and draw the lattice of one sentence. Above each node is the probability
# of the tag.

# %% [markdown] tags=["predict"]
# **Predict.** For which word of "I like her answer ." will the model be least confident? *Your prediction:*

# %% tags=["cell-confidence", "exercise-1.17"]
with lab.exercise("1.17"):
    from classifiers.crf import CRF
    from classifiers.forward_backward import marginals
    from classifiers.viterbi import ChainScores
    from lxmls_day1.lab_api import figures

    crf = CRF(regularizer=0.01)
    params = crf.train(corpus.train_X, corpus.train_y)
    names = crf.classes.tolist()
    words, tags = corpus.dev_X[4], corpus.dev_y[4]
    (scores,), (predicted,) = crf.get_scores([words], params), crf.test([words], params)
    sure = marginals(scores)
    figures.plot_lattice(
        figures.make_lattice(words, names, scores, [names.index(tag) for tag in predicted], marginals=sure),
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
# **Explain.** Are the wrong tags among the words with high or with low confidence? **Transfer.** You can have fifty words checked by
# hand. Which words do you choose? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.17"]
# <!-- numbers: confidence -->
# **One answer.** All 4 wrong tags are among the words with a confidence below 0.8. *Transfer:* those with the lowest confidence.
# This is *active learning*: a model learns most from the words of which it is least certain.

# %% tags=["skip-execution"]
lab.reveal("1.17")

# %% [markdown] tags=["shows"]
# <!-- numbers: confidence -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# A conditional random field gives the probability of each tag, and on the test words a high probability can be trusted: no tag with a
# confidence of at least 0.8 is wrong. There are only 62 test words; `lxmls-day1 predict --marginals` does the same for any text.
# <!-- given: 62 -->
#
# </details>

# %% [markdown]
# ## G. From a label to a sequence: the table
#
# | notebooks 1 to 3 | structured | what is fitted | what is needed besides Viterbi |
# |---|---|---|---|
# | naive Bayes | hidden Markov model | $\prod_\ell p(y_\ell \mid y_{\ell-1})\, p(x_\ell \mid y_\ell)$, by counting | nothing |
# | maximum entropy | conditional random field (CRF) | $e^{s(y)}/Z$, by gradients | $Z$ and expectations: sums over all sequences by the same recursion, with log-sum-exp for max |
# | perceptron | structured perceptron | $W \leftarrow W + f(x, y) - f(x, \hat y)$ | nothing |
# | MIRA | structured MIRA | the least change that gives the margin $\rho(\hat y, y)$ | nothing |
# | SVM | structured SVM, max-margin Markov network | hinge loss with $\tilde y$ | costs that are sums over words |
#
# `StructuredMira(k=5)` requires the margin over each of the five best sequences, not only over the best.
#
# In each row, the two classifiers differ only in the argmax. The differences between the rows are those of notebooks 1 to 3: the first
# row is generative, the others are discriminative. Therefore the others may use features that overlap, such as a word and its suffix.
#
# ## What to take home
#
# - The score of a tag sequence is a sum over its parts. Therefore the search for the best of $K^L$ sequences takes $L K^2$ steps.
# - The perceptron, MIRA and the SVM learn sequences with the rules that you know. Only the argmax changes.
# - A cost that is a sum over the words is added to the emissions; the search stays the same.
# - Transitions and neighbour features carry partly the same information. Measure the gain of each without the other.
# - Count the test words before you compare.
#
# **Reading.** M. Collins, *Discriminative training methods for hidden Markov models*, 2002 (the structured perceptron) ·
# J. Lafferty, A. McCallum, F. Pereira, *Conditional random fields*, 2001 · B. Taskar, C. Guestrin, D. Koller, *Max-margin Markov
# networks*, 2003 · I. Tsochantaridis et al., *Large margin methods for structured and interdependent output variables*, 2005 · L. Rabiner, *A tutorial
# on hidden Markov models*, 1989 · D. Jurafsky, J. Martin, *Speech and Language Processing*, 3rd ed., the chapter on sequence labelling.
#
# **Next.** [Notebook 6](6_beyond_memory.ipynb) turns to large data: hashing, streaming, and learning on several machines.
