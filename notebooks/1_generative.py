# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1 · Generative classifiers: naive Bayes
#
# A *classifier* is a function from inputs to classes, learnt from examples. We start with the classifiers that are quickest to train. They
# model how the data arise, and Bayes' rule turns that model into a prediction.
#
# **Goals.** After this notebook you can
#
# - define the best possible classifier, and compute how often it is wrong;
# - write naive Bayes for numbers and for texts;
# - explain why it needs smoothing;
# - show that it is a linear classifier.
#
# **Before.** You need probabilities, the Gaussian distribution, and NumPy. The course comes with a printed text, *the guide* (the lab guide
# of the first day of the Lisbon Machine Learning School), but you can work without it. The symbols of all notebooks are in one
# [table](notation.md).
#
# **Time.** The core takes about 110 minutes, 50 of them in the afternoon; what is further takes about 25.
#
# | exercise | when | what you do | file |
# |---|---|---|---|
# | 1.1 | evening | vary the variance and the balance of two classes; watch the boundary | experiments below |
# | 1.2 | afternoon | write multinomial naive Bayes; unseen words, and smoothing | `classifiers/multinomial_naive_bayes.py` |
# | 1.3 | evening | derive the weights of Gaussian naive Bayes, and check them with numbers | `classifiers/gaussian_weights.py` |
# | | further | sample size and unequal variances; counts or presence; the votes of words | experiments at the end |
#
# **How to work.** Run the cells from the top (Shift-Enter). Where an exercise asks for code, open the file it names, write, save, and run the
# cell again; your change counts without a restart. `lab.check("1.2")` tells you whether it is right, `lab.hint("1.2")` gives the next hint,
# `lab.status()` shows your progress.
#
# Most experiments have three parts. **Predict**: write one line before you run the cell. **Run** it. **Explain** what happened; *Transfer* asks the
# same question about a new case. After you have written your answer, save the notebook: `lab.reveal("1.1")` then opens the model answer.

# %% [markdown]
# ## Open the lab

# %% tags=["open-lab"]
from lxmls_day1.lab_api import open_lab
lab = open_lab()

# %%
import matplotlib.pyplot as plt
import numpy as np

from classifiers.linear_classifier import LinearClassifier
from lxmls_day1.lab_api import figures
from readers.simple_data_set import SimpleDataSet


def accuracies(classifier, params, data):
    """The share of right labels on the training and on the test part of a data set."""
    parts = [(data.train_X, data.train_y), (data.test_X, data.test_y)]
    return [classifier.evaluate(y, classifier.test(X, params)) for X, y in parts]

# %% [markdown] tags=["evening"]
# ## A. The Bayes-optimal classifier
#
# *In the afternoon, go on at section C: the lecture has dealt with Bayes' rule.*
#
# There are $M$ training examples with $J$ features and $K$ classes; $x$ is an input, $y$ its true class, $\hat y$ the
# class that we predict. Classes are numbered from 0.
#
# Suppose that we *knew* the distribution $p(x, y)$ that the examples come from. Then for a given $x$ no guess is right
# more often than the most probable class. The **Bayes-optimal** classifier predicts this class:
#
# $$
# \hat y(x) \;=\; \arg\max_y\, p(y \mid x) \;=\; \arg\max_y\, \frac{p(y)\,p(x \mid y)}{p(x)}
# \;=\; \arg\max_y\, p(y)\,p(x \mid y).
# $$
#
# The denominator is the same for every $y$, so it drops out. What remains are the **class prior** $p(y)$ and the **class
# conditionals** $p(x \mid y)$; the quantity $p(y \mid x)$ is the **posterior**. Where the classes overlap, even this
# classifier makes mistakes. Its **expected error** (the probability of a mistake on a new example) is the **Bayes
# error**; no classifier has a lower one.
#
# We begin with a data set whose distribution we know. Class 0 is drawn from $\mathcal N(\mu_0, \sigma^2 I)$ with
# $\mu_0 = (-1,-1)$, class 1 from $\mathcal N(\mu_1, \sigma^2 I)$ with $\mu_1 = (1,1)$. The density of a Gaussian with
# mean $\mu$ and variance $\sigma^2$ in each of $J$ directions is
#
# $$
# \mathcal N(x; \mu, \sigma^2 I) = (2\pi\sigma^2)^{-J/2} \exp\left(-\frac{\lVert x - \mu\rVert^2}{2\sigma^2}\right).
# $$
#
# The number in `g1=[mean, variance]` is a *variance* $\sigma^2$, not a standard deviation.

# %% tags=["cell-points", "evening"]
sd = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
fig, axis = sd.plot_data()
print(f"Bayes error: {sd.get_bayes_error():.4f}")

# %% [markdown] tags=["evening"]
# Filled markers are training points, hollow ones are test points, the black line is the Bayes-optimal boundary.
#
# **The Bayes error is an area.** Walk along the line through both means, and let $z$ be your position, 0 halfway. At
# each $z$ the classifier picks the class whose curve $p(y)\,p(z \mid y)$ is higher. It is wrong whenever the point comes
# from the class with the *lower* curve, so the probability of a mistake is the area below the lower curve. The lower
# picture shows the posterior: it crosses ½ where the curves cross.

# %% tags=["cell-overlap", "evening"]
from lxmls_day1.lab_api import figures

distance = np.linalg.norm(sd.means[1] - sd.means[0])
fig, axes = plt.subplots(2, 2, figsize=(12, 6.4), layout="constrained", sharex="col", height_ratios=[3, 2])
for column, balance in zip(axes.T, (0.5, 0.9), strict=True):
    figures.plot_overlap([balance, 1 - balance], distance, 1.0, *column)
    error = SimpleDataSet(balance=balance).get_bayes_error()
    column[0].set_title(f"p(0) = {balance:g}: the grey area is {error:.4f}")
    print(f"p(0) = {balance:g}: distance of the means {distance:.3f}, Bayes error {error:.4f}")

# %% [markdown] tags=["evening"]
# For equal variances and balanced classes the area has a formula. Let $\Phi$ be the distribution function of the
# standard normal distribution. In each class the points beyond the midpoint between the means are misclassified:
#
# $$
# \text{Bayes error} = \Phi\!\left(-\frac{\lVert \mu_1 - \mu_0\rVert}{2\sigma}\right) = \Phi(-\sqrt 2) \approx 0.0786 .
# $$
#
# The demonstration `lab.demo("gaussian_playground")` lets you move the classes by hand.
#
# ## B. Naive Bayes: estimate the model
#
# In practice $p(y)$ and $p(x \mid y)$ are unknown. A **generative** classifier assumes a form for them, estimates its
# parameters from examples, and then predicts as if the estimate were the true distribution:
#
# $$ \hat y(x) = \arg\max_y\, \hat p(y)\, \hat p(x \mid y). $$
#
# Choosing this form is the modelling decision. A table of $p(x_1, \dots, x_J \mid y)$ has exponentially many entries in
# $J$. **Naive Bayes** assumes that, *given the class*, the features are independent of each other,
#
# $$ p(x \mid y) = \prod_{j=1}^{J} p(x_j \mid y), $$
#
# which leaves $J$ one-dimensional distributions per class. This assumption is often false, but the classifier is often
# good nevertheless: only the most probable class has to be right, not its probability.
#
# **Maximum likelihood** chooses the parameters that make the training data most probable,
#
# $$ \max_{\text{parameters}} \;\prod_{m=1}^{M} p(x^m, y^m) = \max_{\text{parameters}}\; \prod_{m=1}^{M} p(y^m)\, p(x^m \mid y^m). $$
#
# For Gaussian features with a known, shared variance $\sigma^2$ the solution is simple. Let $I_k$ be the set of
# training examples of class $k$:
#
# $$
# \hat p(y = k) = \frac{\lvert I_k\rvert}{M}, \qquad \hat\mu_k = \frac{1}{\lvert I_k\rvert}\sum_{m \in I_k} x^m .
# $$
#
# These relative frequencies and class means take one pass over the data, without iterations.

# %% tags=["cell-first", "evening"]
from classifiers.gaussian_naive_bayes import GaussianNaiveBayes

gnb = GaussianNaiveBayes(variance=1.0)
params_nb_sd = gnb.train(sd.train_X, sd.train_y)

print("means: ", gnb.means.round(3).tolist(), "   true:", sd.means.tolist())
print("priors:", gnb.prior.round(3).tolist(), "   true:", sd.prior.tolist())
train, test = accuracies(gnb, params_nb_sd, sd)
print(f"accuracy: train {train:.2f}, test {test:.2f}; Bayes-optimal: {1 - sd.get_bayes_error():.3f}")

fig, axis = sd.plot_data()
fig, axis = sd.add_line(fig, axis, params_nb_sd, "naive Bayes", None)

# %% [markdown] tags=["evening"]
# Naive Bayes seems to be better than the best classifier. It is not: with only fifty test points this may be chance. To
# estimate the expected error we test on 20 000 new points from now on, and repeat each experiment on 20 samples. A number such
# as $0.081 \pm 0.001$ is a mean with its **standard error**. Two means whose difference is smaller than about twice its own
# standard error cannot be told apart with these data. That does not show that they are equal.

# %% [markdown] tags=["evening"]
# ## Exercise 1.1: variance and balance
#
# This exercise has two experiments. Run each of the next cells, then change its numbers and run it again.

# %% [markdown] tags=["predict", "evening"]
# **Predict.** We raise the variance $\sigma^2$ of both classes from 0.25 to 4. What happens to the Bayes error? Does
# naive Bayes stay close to it? *Your prediction:*

# %% tags=["cell-variances", "evening"]
with lab.exercise("1.1"):
    variances = [0.25, 1.0, 4.0]
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    optimal = LinearClassifier()
    print("on 20 000 new points, naive Bayes from 20 samples")
    print("variance   Bayes error   error: Bayes-optimal     of naive Bayes ± standard error")
    for variance, axis in zip(variances, axes, strict=True):
        gaussians = {"g1": [[-1, -1], variance], "g2": [[1, 1], variance]}
        fresh = SimpleDataSet(nr_examples=20_000, **gaussians, seed=1000)
        errors = []
        for seed in range(1, 21):
            data = SimpleDataSet(nr_examples=100, **gaussians, seed=seed)
            gnb = GaussianNaiveBayes(variance=variance)
            params = gnb.train(data.train_X, data.train_y)
            errors.append(1 - gnb.evaluate(fresh.y, gnb.test(fresh.X, params)))
            if seed == 1:
                data.plot_data(print_bayes_opt=False, ax=axis)
                axis.set(title=f"variance {variance:g}", xlim=(-7, 7), ylim=(-7, 7), xticks=[-5, 0, 5], yticks=[-5, 0, 5])
                data.add_line(fig, axis, data.get_bayes_optimal(), "Bayes optimal", None)
                data.add_line(fig, axis, params, "naive Bayes", None)
        mean, deviation = np.mean(errors), np.std(errors, ddof=1) / np.sqrt(len(errors))
        best = 1 - optimal.evaluate(fresh.y, optimal.test(fresh.X, fresh.get_bayes_optimal()))
        print(f"{variance:8.2f}   {data.get_bayes_error():11.4f}   {best:22.4f}   {mean:.4f} ± {deviation:.4f}")
        if variance != variances[-1]:
            axis.get_legend().remove()

# %% [markdown] tags=["predict", "evening"]
# **Predict.** Now 90 % of the points belong to class 0. Which way does the line move, and by how much? Compute it: at
# which $z$ do the two curves of the picture in section A cross? *Your prediction:*

# %% tags=["cell-balances", "evening"]
with lab.exercise("1.1"):
    balances = [0.1, 0.5, 0.9]
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    print("                        shift of the line towards class 1:")
    print("balance   Bayes error   of the best classifier   of naive Bayes")
    for balance, axis in zip(balances, axes, strict=True):
        data = SimpleDataSet(nr_examples=200, balance=balance)
        gnb = GaussianNaiveBayes()
        params = gnb.train(data.train_X, data.train_y)
        shifts = []
        for W in (data.get_bayes_optimal(), params):
            b, *w = W[:, 1] - W[:, 0]
            shifts.append(0.0 - b / np.hypot(*w))
        print(f"{balance:7.2f}   {data.get_bayes_error():11.4f}   {shifts[0]:22.3f} {shifts[1]:16.3f}")
        data.plot_data(print_bayes_opt=False, ax=axis)
        axis.set(title=f"balance {balance:g}", xlim=(-4.5, 4.5), ylim=(-4.5, 4.5), xticks=[-4, 0, 4], yticks=[-4, 0, 4])
        data.add_line(fig, axis, data.get_bayes_optimal(), "Bayes optimal", None)
        data.add_line(fig, axis, params, "naive Bayes", None)
        data.add_line(fig, axis, [[0, 0], [-1, 1], [-1, 1]], "halfway", "0.7")
        if balance != balances[-1]:
            axis.get_legend().remove()

# %% [markdown] tags=["answer", "evening"]
# **Explain.** (1) Why does the boundary hardly move when the variance grows, although the error rises? (2) Derive the shift of the line for
# priors $p(0) \ne p(1)$, and compare it with what you see. Why does the Bayes error fall?
# *Your answer:*
#
# (1) variance …
#
# (2) balance …

# %% [markdown] tags=["solution", "evening"]
# <!-- numbers: variances, balances -->
# **One answer.** (1) The boundary depends on the means and on the priors. A larger variance only makes the estimates of the means less
# precise. The error rises because the classes overlap more: the Bayes error goes from 0.2 % to 24 %. Naive Bayes stays within one percentage
# point of the best classifier, because its assumption is true here. (2) The two curves cross where
# $z = \sigma^2 \log\frac{p(0)}{p(1)} / \lVert\mu_1 - \mu_0\rVert$, measured from the midpoint towards $\mu_1$. At balance 0.9 this is 0.777;
# the line of naive Bayes shifts by 0.720. The line moves *towards the rare class*: where $p(x \mid 0) = p(x \mid 1)$, the class with the
# larger prior wins. The error falls to 0.039, because always guessing the frequent class would be wrong in only 10 % of the cases.

# %% tags=["skip-execution", "evening"]
lab.reveal("1.1")

# %% [markdown]
# ## C. Documents: the multinomial model
#
# We represent a document as a **bag of words**: how often each word of the vocabulary occurs, without the order. Let
# $n_j(x)$ be the count of word $v_j$ in document $x$. The generative story has two steps: draw a class $y$ from $p(y)$,
# then draw the words one by one from the word distribution of that class. So
#
# $$
# p(x \mid y) \;=\; c(x) \prod_{j=1}^{J} p(v_j \mid y)^{\,n_j(x)} .
# $$
#
# The factor $c(x)$ is the number of possible orders of these words, times the probability of the document's length,
# which we assume not to depend on the class. This factor is the same for all classes, so it drops out of the argmax.
#
# The **maximum likelihood** estimate is the share of a word among *all the words* of the class:
#
# $$
# \hat p(v_j \mid k) = \frac{\sum_{m \in I_k} n_j(x^m)}{\sum_{i=1}^{J}\sum_{m \in I_k} n_i(x^m)} .
# $$
#
# **Smoothing** adds $\alpha$ to the count of every word in every class (add-one smoothing for $\alpha = 1$):
#
# $$
# \hat p(v_j \mid k) = \frac{\alpha + \sum_{m \in I_k} n_j(x^m)}{\alpha J + \sum_{i=1}^{J}\sum_{m \in I_k} n_i(x^m)} .
# $$
#
# This is the mean of the posterior under a **Dirichlet** prior with all parameters $\alpha$ on the word distribution of each class.
#
# > **An error in the guide.** The guide divides by $\lvert I_k\rvert$, the number of *documents* of the class. Its
# > "probabilities" do not sum to one over the vocabulary; the next cell shows it. (All errors that we know of, in the guide and
# > in other sources, are in [one list](errata.md).)

# %% [markdown]
# ### Naive Bayes by hand, on five lines
#
# There are five one-line reviews, three positive and two negative, with a vocabulary of six words. Compute the
# probabilities on paper, then compare.

# %% tags=["cell-by-hand"]
lines = [
    ("good plot good end", 1),
    ("good characters", 1),
    ("fine end", 1),
    ("dull plot dull end", 0),
    ("dull characters", 0),
]
words = ["good", "fine", "plot", "end", "characters", "dull"]
X = np.array([[line.split().count(word) for word in words] for line, _ in lines])  # (5, 6)
y = np.array([label for _, label in lines])
counts = np.array([X[y == k].sum(axis=0) for k in (0, 1)])  # (2, 6): words of the negative, of the positive class
totals = counts.sum(axis=1)
print("counts   ", "  ".join(words), "   sum   documents")
for k, name in enumerate(["negative", "positive"]):
    print(f"{name:9}", "  ".join(f"{n:{len(word)}d}" for n, word in zip(counts[k], words, strict=True)), f"{totals[k]:6d} {np.sum(y == k):11d}")
print()
for name, by in [("divided by documents", [np.sum(y == 0), np.sum(y == 1)]), ("divided by words", totals)]:
    shares = counts / np.array(by)[:, None]
    print(f"{name:20} sum of the negative class {shares[0].sum():.3f}, of the positive class {shares[1].sum():.3f}")
smoothed = (counts + 1) / (totals + len(words))[:, None]
print("smoothed, α = 1        negative:", ", ".join(f"{n + 1}/{totals[0] + 6}" for n in counts[0]))
print("                       positive:", ", ".join(f"{n + 1}/{totals[1] + 6}" for n in counts[1]))

new = "good plot dull end"
n = np.array([new.split().count(word) for word in words])
prior = np.array([np.mean(y == 0), np.mean(y == 1)])
for title, likelihood in [("without smoothing", counts / totals[:, None]), ("with α = 1", smoothed)]:
    joint = prior * np.prod(likelihood**n, axis=1)
    print(f"\n{new!r} {title}:\n   p(negative, x) = {joint[0]:.6f}, p(positive, x) = {joint[1]:.6f}")
    print(f"   p(positive | x) = {joint[1] / joint.sum():.3f}" if joint.any() else "   both are ruled out")

# %% [markdown]
# ### The reviews
#
# The data are book reviews from Amazon, positive or negative (Blitzer, Dredze and Pereira, 2007): 1600 for training
# and 400 for testing. The features are words and pairs of neighbouring words that occur at least five times in the
# training part. If the corpus is not on this machine and cannot be downloaded, the cell uses a small made-up corpus
# and prints a message.

# %% tags=["real-data", "cell-reviews"]
from lxmls_day1.lab_api import text_data
from readers.sentiment_reader import SentimentCorpus

try:
    reviews = SentimentCorpus("books")
except text_data.CorpusUnavailable as error:
    reviews = SentimentCorpus("toy")
    print(f"{error}\nThe notebook goes on with the toy corpus: accuracies below are not those of real reviews.\n")
print(
    f"{reviews.get_name()}: {reviews.train_X.shape[0]} training and {reviews.test_X.shape[0]} test documents, "
    f"{reviews.nr_features} features"
)

# %% [markdown]
# **From a text to a vector.** The corpus already consists of bags of words, so we convert a text of our own in the
# same way. There are two kinds of new words. A word that is in *no* training review is not in the vocabulary: it is
# dropped. A word that is in the vocabulary but was never seen in *one class* is the subject of exercise 1.2.

# %% tags=["real-data", "cell-text"]
from textwrap import fill

from lxmls_day1.lab_api import text_data

text = "A wonderful book. I could not put it down, and the ending is excellent. Only the first chapter is a bit boring."
bag = text_data.count_tokens(text)
known = {token: n for token, n in bag.items() if token in reviews.feat_dict}
x = np.zeros(reviews.nr_features)
for token, n in known.items():
    x[reviews.feat_dict[token]] = n
print(fill(text, 84, initial_indent="text:   ", subsequent_indent=" " * 8))
first = ", ".join(f"{token} {n}" for token, n in list(bag.items())[:14])
print(fill(f"{first} …", 84, initial_indent="bag:    ", subsequent_indent=" " * 8))
unknown = [token for token in bag if token not in known]
print(f"        {len(bag)} different tokens, {len(known)} in the vocabulary; dropped:\n        {', '.join(unknown[:6])}")
print(f"vector: {reviews.nr_features} counts, of which {np.count_nonzero(x)} are not zero")

# %% [markdown]
# ## Exercise 1.2: unseen words
#
# ```python
# class MultinomialNaiveBayes:
#     def estimate(self, X, labels, word_counts, weights=None):
#         ...  # your lines
# ```
#
# 1. Write `estimate` in `classifiers/multinomial_naive_bayes.py`, which `train` calls: the priors, the word
#    probabilities, and the resulting weights.
# 2. Train it without smoothing (`smooth=False`), and compare training and test accuracy.
# 3. Turn smoothing on. Then try many values of $\alpha$ and plot the test accuracy.

# %% [markdown] tags=["predict"]
# **Predict.** What happens to a test review with one word that never occurred in the positive class and one word that
# never occurred in the negative class? Which suffers more, training or test accuracy? *Your prediction:*

# %% tags=["real-data", "cell-unseen"]
import warnings

with lab.exercise("1.2"):
    from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes

    unsmoothed, smoothed = MultinomialNaiveBayes(smooth=False), MultinomialNaiveBayes(smooth=True, smooth_param=1.0)
    for mnb in (unsmoothed, smoothed):
        params = mnb.train(reviews.train_X, reviews.train_y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of documents that are ruled out; we count them below
            train, test = accuracies(mnb, params, reviews)
        zeros = np.mean(mnb.likelihood == 0)
        print(
            f"{mnb.get_name()}: train {train:.4f}, test {test:.4f}\n   probabilities that are 0: {zeros:.0%}, "
            f"test documents ruled out by every class: {mnb.n_ruled_out}"
        )
        if mnb is unsmoothed:
            impossible = reviews.test_X @ (mnb.likelihood == 0)  # (400, 2): words of each review that a class never showed
            print(f"   test documents with a word that never occurred in one class: {np.sum(impossible.max(axis=1) > 0)}")

# %% tags=["skip-execution"]
lab.check("1.2")

# %% [markdown] tags=["predict"]
# **Predict.** Sketch test accuracy as a function of $\alpha$ from $10^{-9}$ to 1000. Where is the peak? Is the left
# end as bad as no smoothing? What happens at the right end? *Your prediction:*

# %% tags=["real-data", "cell-alphas"]
with lab.exercise("1.2"):
    from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes

    alphas = [1e-200, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0]
    curve = []
    for alpha in alphas:
        mnb = MultinomialNaiveBayes(smooth=True, smooth_param=alpha)
        curve.append(accuracies(mnb, mnb.train(reviews.train_X, reviews.train_y), reviews))
    curve = np.array(curve)
    unsmoothed = MultinomialNaiveBayes(smooth=False)
    params = unsmoothed.train(reviews.train_X, reviews.train_y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fall_back = accuracies(unsmoothed, params, reviews)[1]

    colour = figures.line_style("naive Bayes")["color"]
    deviation = np.sqrt(curve[1:, 1] * (1 - curve[1:, 1]) / reviews.test_X.shape[0])
    fig, axis = plt.subplots(figsize=(10, 5.2), layout="constrained")
    axis.plot(alphas[1:], curve[1:, 0], "s-", color=figures.TRAINING, label="training")
    axis.plot(alphas[1:], curve[1:, 1], "o-", color=colour, label="test, ± one standard error")
    axis.fill_between(alphas[1:], curve[1:, 1] - deviation, curve[1:, 1] + deviation, color=colour, alpha=0.15)
    axis.axhline(curve[0, 1], color=colour, linestyle="--", label="test, limit α → 0")
    axis.axhline(fall_back, color="0.4", linestyle=":", label="test, no smoothing")
    axis.plot(1.0, curve[alphas.index(1.0), 1], "o", color=colour, markersize=14, markerfacecolor="none")
    axis.annotate("α = 1", (1.0, curve[alphas.index(1.0), 1]), (-6, 14), textcoords="offset points")
    axis.set(xscale="log", xlabel="smoothing α", ylabel="accuracy", ylim=(0.45, 1.02))
    axis.legend(loc="lower left")
    print(f"no smoothing {fall_back:.4f}    α → 0 {curve[0, 1]:.4f}    α = 1 {curve[alphas.index(1.0), 1]:.4f}")
    print(f"highest on the test part: {curve[:, 1].max():.4f} at α = {alphas[int(curve[:, 1].argmax())]:g}")
    print(f"standard error of a test accuracy near 0.84: {np.sqrt(0.84 * 0.16 / reviews.test_X.shape[0]):.4f}")
    largest = MultinomialNaiveBayes(smooth=True, smooth_param=1000.0)
    params = largest.train(reviews.train_X, reviews.train_y)
    difference = reviews.test_X @ (params[1:, 0] - params[1:, 1])
    totals = [reviews.train_X[reviews.train_y == label] for label in largest.classes]
    totals = np.array([np.asarray(part.sum(axis=0)).ravel() for part in totals])
    to_first_order = reviews.test_X @ (totals[0] - totals[1])
    print(f"α = 1000: correlation of the score difference with x·(n₀ − n₁): {np.corrcoef(difference, to_first_order)[0, 1]:.2f}")
    shares = [np.mean(largest.test(reviews.test_X, params) == label) for label in largest.classes]
    for name, words_of_class, share in zip(reviews.label_names, totals.sum(axis=1), shares, strict=True):
        print(f"         {name}: {words_of_class:.0f} training words, {share:.1%} of the test reviews get this label")

# %% [markdown] tags=["answer"]
# **Explain.** (1) Without smoothing, training accuracy stays high, but test accuracy falls far below it. Why? (2) As $\alpha \to 0$ the smoothed
# model does *not* become the unsmoothed one. What does an impossible word cost when $\alpha$ is tiny, and so which class wins?
#
# **Transfer.** The cell with the curve prints the highest accuracy on the *test* part, and its $\alpha$. Why must you not report that accuracy
# as the expected accuracy? How would you choose $\alpha$ instead? *Your answer:*

# %% [markdown] tags=["solution"]
# <!-- numbers: unseen, alphas -->
# **One answer.** (1) Every word of a training review was seen in that review's own class, so training never rules out the true class: the
# training accuracy is 0.9825. Of the 400 test reviews 303 contain a word that never occurred in one class; in these reviews that class is
# ruled out, even if it is the true one. And 103 contain such words for both classes, so that only the prior is left. Test accuracy is
# 0.665. (2) An impossible word costs about $\log\alpha \to -\infty$. So the class with *fewer* impossible words wins; among classes with
# equally many, the possible words decide. This is a sensible rule, with an accuracy of 0.7425.
#
# *Transfer.* The best of fifteen test accuracies is partly the best by chance, so it is an optimistic estimate. Choose
# $\alpha$ on a *development part* (`SentimentCorpus("books", train_per=0.6, dev_per=0.2)`), then use the test part
# only once. <!-- given: 15 -->

# %% tags=["skip-execution"]
lab.reveal("1.2")

# %% [markdown]
# ## D. Features and linear classifiers
#
# A program describes an input by numbers, its **features**. They need not be counts. The features of a newspaper article can be yes-or-no
# questions:
#
# | | feature of article $x$ | |
# |---|---|---|
# | $g_1$ | the article mentions *Ronaldo* | 1 or 0 |
# | $g_2$ | it mentions *parliament* | 1 or 0 |
# | $g_3$ | a word in it ends in *-goal* or *-score* | 1 or 0 |
#
# With a leading 1 for the intercept, an article that mentions Ronaldo and a goal, but not parliament, is
# $g(x) = (1, 1, 0, 1)$. In general $g(x) = (1, x_1, \dots, x_J)$. A **linear classifier** gives each class a weight vector and picks the
# class with the highest score,
#
# $$ \hat y(x) = \arg\max_y\; w_y \cdot g(x). $$
#
# With two classes and scores $s_y = w_y \cdot g(x)$, $s_1 - s_0$ is a single linear function, and the boundary is a line. With three
# classes, class 0 wins where $s_0 > s_1$ *and* $s_0 > s_2$: each condition describes a half-plane (with more features a **half-space**),
# and class 0 wins in their intersection. Together the regions of all classes cover the plane.

# %% [markdown]
# The weights of all classes are the columns of one matrix `params` of shape $(J+1, K)$, with the intercepts $b_y$ in row 0. (Books also
# write $w \cdot f(x, y)$ with *joint* features $f(x, y)$: all zeros except for $g(x)$ in the block of class $y$. It is the same classifier,
# with the columns of weights concatenated; *Further* has a picture.)
#
# Both naive Bayes classifiers are linear. For multinomial naive Bayes take the logarithm; the result is linear in the counts. The weight of
# word $v_j$ in class $y$ is the logarithm of its probability:
#
# $$
# \log\Big(\hat p(y)\prod_j \hat p(v_j\mid y)^{n_j(x)}\Big)
# = \underbrace{\log \hat p(y)}_{b_y} + \sum_j n_j(x)\,\underbrace{\log \hat p(v_j \mid y)}_{\text{weight of } v_j} .
# $$

# %% [markdown] tags=["evening"]
# ## Exercise 1.3: the weights of Gaussian naive Bayes
#
# *For the evening. In the afternoon, go on with [notebook 2](2_online.ipynb).*
#
# Show that Gaussian naive Bayes with a shared, given variance $\sigma^2$ is a linear classifier too: derive $b_y$ and
# $w_y$. Then implement them in `classifiers/gaussian_weights.py`.
#
# ```python
# def gaussian_weights(prior, means, variance):
#     ...  # your lines
# ```
#
# *Where to begin:* write out $\log p(y) + \log \mathcal N(x; \mu_y, \sigma^2 I)$ with the density of section A, and drop
# whatever is the same for all classes.
#
# The derivation is a solution, so it is not among the model answers, but `lab.hint("1.3")` helps. `lab.check("1.3")` tests
# your weights at several variances, with equal and with unequal priors, and names a term that is wrong. (At $\sigma^2 = 1$
# alone, four different mistakes would go unnoticed.)

# %% [markdown] tags=["answer", "evening"]
# *Your derivation:*

# %% [markdown] tags=["solution", "evening"]
# **The derivation.**
#
# $$
# \log p(y) + \log \mathcal N(x; \mu_y, \sigma^2 I)
# = \log p(y) - \tfrac J2 \log 2\pi\sigma^2
# - \frac{\lVert x\rVert^2 - 2\,\mu_y\cdot x + \lVert\mu_y\rVert^2}{2\sigma^2}.
# $$
#
# $\tfrac J2 \log 2\pi\sigma^2$ and $\lVert x \rVert^2 / 2\sigma^2$ are the same for every class. What is left is linear
# in $x$:
#
# $$
# w_y = \frac{\mu_y}{\sigma^2}, \qquad b_y = \log p(y) - \frac{\lVert\mu_y\rVert^2}{2\sigma^2}.
# $$
#
# (Here $w_y$ stands for the weights of the features alone, without the intercept.)

# %% [markdown] tags=["predict", "evening"]
# **Predict.** In one experiment class 1 becomes four times as frequent, in another $\sigma^2$ becomes four times as large. Which
# experiment changes $w_1 - w_0$, and which changes $b_1 - b_0$? In which does the boundary turn? *Your prediction:*

# %% tags=["cell-derived", "evening"]
with lab.exercise("1.3"):
    from classifiers.gaussian_weights import gaussian_weights

    print("                    b_1 − b_0   w_1 − w_0          as training finds them")
    for variance in (1.0, 4.0):
        for balance in (0.5, 0.2):
            data = SimpleDataSet(nr_examples=200, g1=[[-1, -1], variance], g2=[[1.5, 1], variance], balance=balance)
            gnb = GaussianNaiveBayes(variance=variance)
            found = gnb.train(data.train_X, data.train_y)
            derived = gaussian_weights(gnb.prior, gnb.means, variance)
            (b, *w), right = derived[:, 1] - derived[:, 0], found[:, 1] - found[:, 0]
            same = np.allclose([b, *w], right)
            print(f"σ² = {variance:g}, p(0) = {balance:g}:  {b:8.3f}   ({', '.join(f'{value:.3f}' for value in w)})     {same}")

# %% tags=["skip-execution", "evening"]
lab.check("1.3")

# %% [markdown] tags=["answer", "evening"]
# **Explain.** Why does the prior move the boundary, but never turn it?
#
# **Transfer.** Now each class has a variance of its own, $\sigma_y^2$. Which of the terms that you dropped no longer cancel, and what kind of boundary
# results? *Your answer:*

# %% [markdown] tags=["solution", "evening"]
# **One answer.** The prior is in $b_y$ only, and the direction of the boundary depends on $w_1 - w_0$ alone.
#
# *Transfer.* $\frac J2 \log \sigma_y^2$ and $\lVert x\rVert^2 / 2\sigma_y^2$ are no longer the same for all classes. The second term is
# quadratic in $x$: the boundary is a circle, or a line where the variances are equal.

# %% tags=["skip-execution", "evening"]
lab.reveal("1.3")

# %% [markdown]
# ## What to take home
#
# - Bayes' rule turns a model of the data into the best classifier under that model. The Bayes error is the limit, and it is the area where the
#   classes overlap.
# - Naive Bayes trains in one pass and needs few examples. It is only as good as its independence assumption.
# - A probability of zero means that an event is impossible. "Not seen in training" does not justify that.
# - Naive Bayes, Gaussian or multinomial, is a linear classifier.
#
# **Next.** Naive Bayes derives its weights from a model of the data. It cannot correct a weight that leads to
# mistakes. [Notebook 2](2_online.ipynb) learns the weights directly from the mistakes.
#
# **Reading.** The guide, sections 1.1 and 1.2. · C. D. Manning, P. Raghavan and H. Schütze, *Introduction to Information Retrieval*, 2008,
# chapter 13: multinomial and Bernoulli models. · D. Jurafsky and J. H. Martin, *Speech and Language Processing*, the chapter on naive Bayes and
# sentiment. · C. M. Bishop, *Pattern Recognition and Machine Learning*, 2006, sections 1.5 and 4.2. · J. Blitzer, M. Dredze and F. Pereira,
# *Biographies, Bollywood, boom-boxes and blenders*, ACL 2007: the reviews. · [Errata](errata.md) of the guide and other sources.

# %% [markdown]
# ## Further
#
# The following sections are independent.
#
# ### Sample size and unequal variances

# %% [markdown] tags=["predict", "exercise-1.1"]
# **Predict.** How many training points does Gaussian naive Bayes need to bring its expected error within 0.01 of the
# Bayes error: 10, 50 or 500? *Your prediction:*

# %% tags=["cell-sizes", "exercise-1.1"]
with lab.exercise("1.1"):
    sizes = [4, 8, 16, 32, 64, 128, 256, 512]
    fresh = SimpleDataSet(nr_examples=20_000, seed=1000)
    errors = np.empty((len(sizes), 20))
    for i, size in enumerate(sizes):
        for seed in range(20):
            data = SimpleDataSet(nr_examples=size, split=[1, 0, 0], seed=seed)
            gnb = GaussianNaiveBayes()
            params = gnb.train(data.train_X, data.train_y)
            errors[i, seed] = 1 - gnb.evaluate(fresh.y, gnb.test(fresh.X, params))

    style = figures.line_style("naive Bayes")
    fig, axis = plt.subplots(figsize=(9, 5), layout="constrained")
    axis.fill_between(
        sizes, errors.min(axis=1), errors.max(axis=1), color=style["color"], alpha=0.2, label="20 samples, best to worst"
    )
    axis.plot(sizes, errors.mean(axis=1), marker="o", label="naive Bayes, mean", **style)
    optimal = LinearClassifier()
    bayes = 1 - optimal.evaluate(fresh.y, optimal.test(fresh.X, fresh.get_bayes_optimal()))
    axis.axhline(bayes, color="black", label="Bayes optimal, same points")
    axis.set(xscale="log", xlabel="training points", ylabel="error on 20 000 new points")
    axis.set_xticks(sizes, map(str, sizes))
    axis.minorticks_off()
    axis.legend()
    for size, row in zip(sizes, errors, strict=True):
        print(f"{size:4d} points: mean error {row.mean():.4f}, worst {row.max():.4f}, above the best by {row.mean() - bayes:.4f}")
    print(f"Bayes optimal:   {bayes:.4f}")

# %% [markdown] tags=["predict", "exercise-1.1"]
# **Predict.** The two classes now have *different* variances, 0.4 and 2.5. Sketch the best boundary before you run the
# cell. *Your prediction:*

# %% tags=["cell-unequal", "exercise-1.1"]
with lab.exercise("1.1"):
    data = SimpleDataSet(nr_examples=400, g1=[[-1, -1], 0.4], g2=[[1, 1], 2.5])
    fresh = SimpleDataSet(nr_examples=20_000, g1=[[-1, -1], 0.4], g2=[[1, 1], 2.5], seed=2)
    fig, axis = data.plot_data()
    axis.set_title("variances 0.4 and 2.5")
    for number, how in enumerate(["per_class", "pooled", 1.0]):
        gnb = GaussianNaiveBayes(variance=how)
        params = gnb.train(data.train_X, data.train_y)
        error = 1 - gnb.evaluate(fresh.y, gnb.test(fresh.X, params))
        colour = figures.line_style("naive Bayes", number, 3)["color"]
        fig, axis = data.add_line(fig, axis, params, f"naive Bayes, variance={how!r}", colour)
        print(f"variance={how!r:12}  params {params.shape}   error on new points {error:.4f}")
    print(f"Bayes error {data.get_bayes_error():.4f}")

# %% [markdown] tags=["answer", "exercise-1.1"]
# **Explain.** (1) Why are so few points enough? What does the wide band at the left end mean? (2) Write down $\log p(y) + \log p(x \mid y)$
# for two different variances. Which term of the square no longer cancels, and what curve is the boundary? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.1"]
# <!-- numbers: sizes, unequal -->
# **One answer.** (1) Only two means with two coordinates each and one prior have to be estimated. With 4 points the mean error is 0.129, and
# the worst of 20 samples has 0.2142: the error varies much from sample to sample. From 32 points on the mean error is within 0.01 of the Bayes
# error. (2) The term $\lVert x\rVert^2 / 2\sigma_y^2$ no longer cancels, so the difference of the two logarithms is quadratic in $x$. With one
# variance per class its level line is a circle around the narrower class. `per_class` estimates a variance for each class *and feature*, so its
# curve is an ellipse; it has five weights per class, for $(1, x_1, x_2, x_1^2, x_2^2)$. Its error is 0.0749; the two linear classifiers have
# 0.0977 and 0.0990, and the Bayes error is 0.0679.

# %% tags=["skip-execution"]
lab.reveal("1.1")

# %% [markdown]
# ### The words with the most extreme ratios
#
# Which words does the model treat as the strongest evidence? We print the words with the largest and the smallest
# ratio $\hat p(v \mid \text{positive}) / \hat p(v \mid \text{negative})$, and for each word the number of training
# reviews that contain it and its total count.

# %% tags=["real-data", "cell-evidence", "exercise-1.2"]
with lab.exercise("1.2"):
    from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes

    mnb = MultinomialNaiveBayes()
    params = mnb.train(reviews.train_X, reviews.train_y)
    positive = reviews.label_names.index("positive")
    ratio = np.exp(params[1:, positive] - params[1:, 1 - positive])
    tokens = np.asarray(reviews.train_X.sum(axis=0)).ravel()
    in_reviews = np.asarray((reviews.train_X > 0).sum(axis=0)).ravel()
    order = np.argsort(ratio)
    print("                       ratio   reviews   tokens")
    for columns in (order[::-1][:8], order[:8]):
        for j in columns:
            print(f"{reviews.feature_names[j]:20} {ratio[j]:7.2f} {in_reviews[j]:9d} {tokens[j]:8.0f}")
        print()
    print("smallest number of reviews with the word", in_reviews[np.r_[order[::-1][:8], order[:8]]].min())

# %% [markdown]
# **Counts or presence?** The multinomial model counts a word that occurs 40 times in one review 40 times. Two other
# models use presence only, $\tilde n_j(x) = 1$ if the word occurs and 0 if not. *Binary* naive Bayes puts
# $\tilde n_j$ into the multinomial formula in place of the counts. The *Bernoulli* model draws the presence of every
# word of the vocabulary, so absent words count too:
# $p(x \mid y) = \prod_j q_{jy}^{\tilde n_j} (1 - q_{jy})^{1 - \tilde n_j}$.

# %% [markdown] tags=["predict", "exercise-1.2"]
# **Predict.** Which of the three models has the highest test accuracy, and is the difference larger than one standard
# error? *Your prediction:*

# %% tags=["real-data", "cell-binary", "exercise-1.2"]
with lab.exercise("1.2"):
    from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes

    binary_train, binary_test = ((part > 0).astype(float) for part in (reviews.train_X, reviews.test_X))
    mnb = MultinomialNaiveBayes()
    by_counts = mnb.evaluate(reviews.test_y, mnb.test(reviews.test_X, mnb.train(reviews.train_X, reviews.train_y)))
    binary = MultinomialNaiveBayes()
    by_presence = binary.evaluate(reviews.test_y, binary.test(binary_test, binary.train(binary_train, reviews.train_y)))

    of_class = [binary_train[reviews.train_y == label] for label in mnb.classes]
    q = np.array([(np.asarray(part.sum(axis=0)).ravel() + 1) / (part.shape[0] + 2) for part in of_class]).T  # (J, K)
    scores = np.log(mnb.prior) + np.log(1 - q).sum(axis=0) + binary_test @ np.log(q / (1 - q))
    by_coins = np.mean(np.asarray(mnb.classes)[scores.argmax(axis=1)] == reviews.test_y)
    for name, accuracy in [("multinomial, counts", by_counts), ("multinomial, presence", by_presence), ("Bernoulli", by_coins)]:
        print(f"{name:22} test {accuracy:.4f} ± {np.sqrt(accuracy * (1 - accuracy) / reviews.test_X.shape[0]):.4f}")

# %% [markdown] tags=["answer", "exercise-1.2"]
# **Explain.** Look at the words with the most extreme ratios, and at the number of reviews that contain them. Would you trust such a
# weight? Does using presence instead of counts solve the problem? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.2"]
# <!-- numbers: evidence, binary -->
# **One answer.** *kagan* occurs 40 times in the training part, but only in 1 review; *galveston* 15 times in 3. One
# author determines such a weight, so it tells us nothing about new reviews. With presence, *kagan* would count once. But
# test accuracy hardly changes: 0.8400 with counts, 0.8350 with presence, less than one standard error (0.0183) apart. The
# Bernoulli model is worse, 0.7575: in it each of the many absent words contributes to the score.

# %% tags=["skip-execution"]
lab.reveal("1.2")

# %% [markdown]
# ### More than two classes, and one long vector
#
# Each class wins on an intersection of half-planes. Three separate yes-or-no classifiers would not divide the plane among the classes: at
# some points none of them says "yes", at others two do. The second picture shows the joint features of section D.

# %%
from lxmls_day1.lab_api import figures

three_classes = np.array([[-0.9, -1.1, -1.3], [-1.2, 1.3, 0.1], [0.7, 0.6, -1.4]])  # (J + 1, K): J = 2, K = 3
fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
fig, axes = figures.plot_regions(three_classes, axes)

# %% tags=["cell-blocks"]
from lxmls_day1.lab_api import figures

topics = ["sports", "politics", "weather"]
W = np.array([[0.5, 0.0, -0.5], [2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [1.5, -0.5, 0.0]])  # (J + 1, K): J = 3, K = 3
g = np.array([1.0, 1.0, 0.0, 1.0])  # mentions Ronaldo and a goal, no parliament
w = W.T.ravel()  # the columns, one after the other
for label, topic in enumerate(topics):
    f = np.kron(np.eye(3)[label], g)
    print(f"{topic:9} w·f(x, y) = {w @ f:5.2f},  w_y·g(x) = {(g @ W)[label]:5.2f}")
fig, axis = plt.subplots(figsize=(12, 3.4), layout="constrained")
fig, axis = figures.plot_joint_features(g, W, topics, axis)

# %% [markdown]
# ### The votes of words
#
# Every word *votes*: it adds $n_j(x)\,\big(\log \hat p(v_j \mid \text{pos}) - \log \hat p(v_j \mid \text{neg})\big)$ to the difference of
# the two scores. Here are the ten strongest votes on the text of section C. **Type a review** of your own into `text` in section C, and run
# that cell and the next one again. (The demonstration `lab.demo("review_explorer")` does this while you type.)

# %% tags=["real-data", "cell-votes", "exercise-1.2"]
from lxmls_day1.lab_api import figures

with lab.exercise("1.2"):
    from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes

    mnb = MultinomialNaiveBayes()
    params = mnb.train(reviews.train_X, reviews.train_y)
    positive = reviews.label_names.index("positive")
    difference = params[:, positive] - params[:, 1 - positive]  # (J + 1,)
    votes = x * difference[1:]
    score = difference[0] + votes.sum()
    strongest = np.argsort(-np.abs(votes))[:10]
    fig, axis = plt.subplots(figsize=(9, 4.8), layout="constrained")
    figures.plot_contributions([reviews.feature_names[j] for j in strongest], votes[strongest], axis, ["negative", "positive"])
    print(f"intercept {difference[0]:.3f}, ten strongest words {votes[strongest].sum():.3f}, ", end="")
    print(f"the other {np.count_nonzero(x) - 10} words {votes.sum() - votes[strongest].sum():.3f}")
    print(f"together, the difference of the scores: {score:.3f}")
    print(f"p(positive | x) = {1 / (1 + np.exp(-score)):.4f}")

# %% [markdown]
# ### The boundary of a sample
#
# Look at the boundary of the first plot again. Both classifiers compare the scores of class 0 and class 1. So the
# boundary is perpendicular to the difference of the two weight vectors (without the intercepts). For Gaussians with a
# shared variance this difference is parallel to $\mu_1 - \mu_0$. Naive Bayes estimates the means from the sample, so
# its boundary is turned and shifted against the Bayes-optimal boundary. The cell prints by how much.

# %% tags=["cell-angles", "exercise-1.3"]
with lab.exercise("1.3"):
    gnb = GaussianNaiveBayes(variance=1.0)
    gnb.train(sd.train_X, sd.train_y)
    optimal = sd.get_bayes_optimal()
    print("                 direction of w_1 − w_0   distance of the boundary from 0")
    for name, weights in [("Bayes optimal", optimal), ("naive Bayes", gaussian_weights(gnb.prior, gnb.means, 1.0))]:
        b, *w = weights[:, 1] - weights[:, 0]
        print(f"{name:15}  {np.degrees(np.arctan2(w[1], w[0])):21.1f}° {abs(b) / np.hypot(*w):31.3f}")
