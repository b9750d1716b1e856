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
# A *classifier* is a function from inputs to classes, learnt from examples. This notebook takes the road that looks
# longest and is quickest to walk: model how the data come about, then turn the model round with Bayes' rule.
#
# | exercise | what you do | file |
# |---|---|---|
# | 1.1 | vary the variance, the balance and the size of a sample; watch the boundary | experiments below |
# | 1.2 | write multinomial naive Bayes; unseen words, and smoothing | `classifiers/multinomial_naive_bayes.py` |
# | 1.3 | derive the weights of Gaussian naive Bayes, and check them with numbers | below |
#
# **How to work.** Run the cells from the top (Shift-Enter). Where an exercise asks for code, open the file it names,
# write, save, and run the cell again: it takes up your change without a restart. `lab.check("1.2")` tells whether it is
# right, `lab.hint("1.2")` helps a step further, `lab.status()` shows how far you are. Answers go into the cells that
# say *Your answer*.

# %% [markdown]
# ## Open the lab

# %% tags=["open-lab"]
from lxmls_day1.notebook_lab import open_lab
lab = open_lab()

# %%
import matplotlib.pyplot as plt
import numpy as np

from classifiers.linear_classifier import LinearClassifier
from readers.simple_data_set import SimpleDataSet


def accuracies(classifier, params, data):
    """The share of right labels on the training and on the test part of a data set."""
    parts = [(data.train_X, data.train_y), (data.test_X, data.test_y)]
    return [classifier.evaluate(y, classifier.test(X, params)) for X, y in parts]


# %% [markdown]
# ## 1.1 The best classifier there is
#
# Notation, for all notebooks: $M$ training examples, $J$ features, $K$ classes; $x$ an input, $y$ its true class,
# $\hat y$ the class that we predict.
#
# Suppose that we *knew* the distribution $p(x, y)$ which the examples come from. Then, for a given $x$, no guess is
# right more often than the most probable class. This is the **Bayes-optimal** classifier:
#
# $$
# \hat y(x) \;=\; \arg\max_y\, p(y \mid x) \;=\; \arg\max_y\, \frac{p(y)\,p(x \mid y)}{p(x)}
# \;=\; \arg\max_y\, p(y)\,p(x \mid y).
# $$
#
# The denominator does not depend on $y$, and drops out. What remains are the **class prior** $p(y)$ and the **class
# conditionals** $p(x \mid y)$. Even this classifier errs, where the classes overlap; how often is its **Bayes error**,
# and nobody can do better in the long run.
#
# A data set of which we know everything: class 0 is drawn from $\mathcal N\big((-1,-1),\, \sigma^2 I\big)$, class 1
# from $\mathcal N\big((1,1),\, \sigma^2 I\big)$. Mind that the number in `g1=[mean, variance]` is a *variance*
# $\sigma^2$, not a standard deviation.

# %%
sd = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
fig, axis = sd.plot_data()
print(f"Bayes error: {sd.get_bayes_error():.4f}")

# %% [markdown]
# Filled squares are training points, open circles test points; the black line is the Bayes-optimal boundary. For equal
# variances and balanced classes there is a formula for the error, with $\Phi$ the normal distribution function: the
# means are $2\sqrt2$ apart, so each class loses the tail beyond half of that,
#
# $$
# \Phi\!\left(-\frac{\lVert \mu_1 - \mu_0\rVert}{2\sigma}\right) = \Phi(-\sqrt 2) \approx 0.0786 .
# $$
#
# ## 1.2 Naive Bayes: estimate the model
#
# In earnest, $p(y)$ and $p(x \mid y)$ are unknown. A **generative** classifier assumes a form for them, estimates what
# is missing, and then decides as if the estimate were the truth:
#
# $$ \hat y(x) = \arg\max_y\, \hat p(y)\, \hat p(x \mid y). $$
#
# The form is where the art is. A table of $p(x_1, \dots, x_J \mid y)$ has exponentially many entries in $J$. **Naive
# Bayes** assumes that, *given the class*, the features are independent of each other,
#
# $$ p(x \mid y) = \prod_{j=1}^{J} p(x_j \mid y), $$
#
# which leaves $J$ one-dimensional distributions per class. That is often wrong, and often good enough: the decision
# only needs the right class to come out on top, not the right probability.
#
# **The algorithm**, for Gaussian features with a known, shared variance $\sigma^2$. Let $I_k$ be the training examples
# of class $k$. Maximum likelihood gives what you would have guessed:
#
# $$
# \hat p(y = k) = \frac{\lvert I_k\rvert}{M}, \qquad \hat\mu_k = \frac{1}{\lvert I_k\rvert}\sum_{m \in I_k} x^m .
# $$
#
# Relative frequencies and class means: no iterations, one pass over the data.
#
# > **Misprints in the printed guide.** Its equation (1.8) calls both priors $p(y=1)$, and the text before it both means
# > $\mu_1$; the second of each belongs to class 2.

# %%
from classifiers.gaussian_naive_bayes import GaussianNaiveBayes

gnb = GaussianNaiveBayes(variance=1.0)
params_nb_sd = gnb.train(sd.train_X, sd.train_y)

print("estimated means: ", gnb.means.round(3).tolist(), "   true:", sd.means.tolist())
print("estimated priors:", gnb.prior.round(3).tolist(), "   true:", sd.prior.tolist())
train, test = accuracies(gnb, params_nb_sd, sd)
print(
    f"accuracy: train {train:.2f}, test {test:.2f}; the best possible in the long run: {1 - sd.get_bayes_error():.3f}"
)

fig, axis = sd.plot_data()
fig, axis = sd.add_line(fig, axis, params_nb_sd, "Naive Bayes", "red")

# %% [markdown]
# The sample may well be kinder than the long run: fifty test points are few. To measure a classifier rather than a
# sample, test it on many fresh points. We shall do so from now on.

# %% [markdown]
# ## Exercise 1.1: variance, balance, sample size
#
# 1. Vary $\sigma^2$ (the same for both classes). What happens to the Bayes error, and how well does naive Bayes keep
#    up?
# 2. Vary the balance. Which way does the boundary move, and why?
# 3. Vary the number of training points. How many does this classifier need?
# 4. Give the two classes *different* variances. Why is the Bayes-optimal boundary no longer a line?
#
# Each of the next cells makes a start. Change the numbers and run them again.

# %%
with lab.exercise("1.1"):
    variances = [0.25, 1.0, 4.0]
    fig, axes = plt.subplots(1, 3, figsize=(18, 5.6), layout="constrained")
    print("variance   Bayes error   error of naive Bayes on 20 000 fresh points")
    for variance, axis in zip(variances, axes, strict=True):
        data = SimpleDataSet(nr_examples=100, g1=[[-1, -1], variance], g2=[[1, 1], variance])
        fresh = SimpleDataSet(nr_examples=20_000, g1=[[-1, -1], variance], g2=[[1, 1], variance], seed=2)
        gnb = GaussianNaiveBayes(variance=variance)
        params = gnb.train(data.train_X, data.train_y)
        error = 1 - gnb.evaluate(fresh.y, gnb.test(fresh.X, params))
        print(f"{variance:8.2f}   {data.get_bayes_error():11.4f}   {error:.4f}")
        data.plot_data(params, ax=axis)
        axis.set_title(f"variance {variance:g}", fontsize=18)
        axis.get_legend().remove()

# %%
with lab.exercise("1.1"):
    balances = [0.1, 0.5, 0.9]
    fig, axes = plt.subplots(1, 3, figsize=(18, 5.6), layout="constrained")
    print("balance   Bayes error   share of test points that are labelled 0")
    for balance, axis in zip(balances, axes, strict=True):
        data = SimpleDataSet(nr_examples=200, balance=balance)
        gnb = GaussianNaiveBayes()
        params = gnb.train(data.train_X, data.train_y)
        labelled_0 = np.mean(gnb.test(data.test_X, params) == 0)
        print(f"{balance:7.2f}   {data.get_bayes_error():11.4f}   {labelled_0:.2f}")
        data.plot_data(params, ax=axis)
        axis.set_title(f"balance {balance:g}", fontsize=18)
        axis.get_legend().remove()

# %%
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

    fig, axis = plt.subplots(figsize=(9, 5), layout="constrained")
    axis.fill_between(
        sizes, errors.min(axis=1), errors.max(axis=1), color="#56B4E9", alpha=0.35, label="20 samples, best to worst"
    )
    axis.plot(sizes, errors.mean(axis=1), "o-", color="#0072B2", label="naive Bayes, mean")
    optimal = LinearClassifier()
    bayes = 1 - optimal.evaluate(fresh.y, optimal.test(fresh.X, fresh.get_bayes_optimal()))
    axis.axhline(bayes, color="black", linestyle="--", label="Bayes optimal, same points")
    axis.set(xscale="log", xlabel="training points", ylabel="error on fresh points")
    axis.legend()
    for size, row in zip(sizes, errors, strict=True):
        print(f"{size:4d} points: mean error {row.mean():.4f}")
    print(f"Bayes optimal:   {bayes:.4f}")

# %%
with lab.exercise("1.1"):
    data = SimpleDataSet(nr_examples=400, g1=[[-1, -1], 0.4], g2=[[1, 1], 2.5])
    fresh = SimpleDataSet(nr_examples=20_000, g1=[[-1, -1], 0.4], g2=[[1, 1], 2.5], seed=2)
    fig, axis = data.plot_data()
    for how, colour in [(1.0, "red"), ("pooled", "purple"), ("per_class", "green")]:
        gnb = GaussianNaiveBayes(variance=how)
        params = gnb.train(data.train_X, data.train_y)
        error = 1 - gnb.evaluate(fresh.y, gnb.test(fresh.X, params))
        fig, axis = data.add_line(fig, axis, params, f"variance={how!r}", colour)
        print(f"variance={how!r:12}  params {params.shape}   error on fresh points {error:.4f}")
    print(f"Bayes error {data.get_bayes_error():.4f}")

# %% [markdown]
# With variances $\sigma_0^2 \ne \sigma_1^2$ the logarithms to be compared are
#
# $$
# \log p(y) - \frac{D}{2}\log\sigma_y^2 - \frac{\lVert x - \mu_y\rVert^2}{2\sigma_y^2},
# $$
#
# and $\lVert x\rVert^2$ no longer cancels: in $D = 2$ dimensions the boundary is a circle around the narrower class.
#
# > **A known slip.** The toolkit that goes with the guide draws a straight "Bayes-optimal" line in this case too, and
# > leaves out the term $\frac D2 \log \sigma_y^2$. Do not believe a line where the variances differ.

# %% [markdown] tags=["answer"]
# **What do you observe?** *Your answer:*
#
# (1) variance …
#
# (2) balance …
#
# (3) sample size …
#
# (4) different variances …

# %% [markdown] tags=["solution"]
# **One answer.** (1) The wider the classes, the more they overlap, and the error of even the best classifier rises from
# 0.2 % to 24 %; naive Bayes stays within a percent or so of it, since its assumption is true here. The boundary hardly
# moves: it depends on the means, which a wider sample only locates less exactly. (2) The boundary moves *towards the
# rare class*, by $\sigma^2 \log\frac{p(0)}{p(1)} / \lVert\mu_1 - \mu_0\rVert$: where both conditionals say the same,
# the prior decides. The error falls, because always guessing the frequent class is not bad any more. (3) A few dozen
# points suffice: four means and one prior are all there is to estimate. With four points the classifier depends on
# luck, as the band shows. (4) The line is beaten by the circle: `per_class` estimates the variances too and comes near
# the Bayes error, at the price of a quadratic model.

# %% [markdown]
# ## 1.3 Documents: the multinomial model
#
# A document is a **bag of words**: how often each word of the vocabulary occurs, the order forgotten. Let $n_j(x)$ be
# the count of word $w_j$ in document $x$. The generative story: draw a class $c \sim p(y)$, then draw the words one by
# one from the word distribution of that class. So
#
# $$
# p(x \mid c) \;\propto\; \prod_{j=1}^{J} p(w_j \mid c)^{\,n_j(x)} .
# $$
#
# **Maximum likelihood** is the share of a word among *all the words* of the class:
#
# $$
# \hat p(w_j \mid c) = \frac{\sum_{m \in I_c} n_j(x^m)}{\sum_{i=1}^{J}\sum_{m \in I_c} n_i(x^m)} .
# $$
#
# **Smoothing** pretends that every word had been seen $\alpha$ more times in every class (add-one for $\alpha = 1$). It
# is what a Dirichlet prior on the word distribution leads to:
#
# $$
# \hat p(w_j \mid c) = \frac{\alpha + \sum_{m \in I_c} n_j(x^m)}{\alpha J + \sum_{i=1}^{J}\sum_{m \in I_c} n_i(x^m)} .
# $$
#
# > **A misprint in the printed guide.** Its equation (1.10) and the smoothed version divide by $\lvert I_c\rvert$, the
# > number of *documents* of the class. These are no probabilities: they do not sum to one over the vocabulary. The next
# > cell shows it.

# %%
X = np.array([[2, 1, 0], [2, 0, 1], [1, 0, 0], [1, 1, 2]])  # four documents, three words
y = np.array([0, 0, 0, 1])
counts = X[y == 0].sum(axis=0)
print("words of class 0:          ", counts.tolist())
print("divided by its documents:  ", (counts / 3).round(3).tolist(), " sum", round(counts.sum() / 3, 3))
print("divided by its words:      ", (counts / counts.sum()).round(3).tolist(), " sum", counts.sum() / counts.sum())
print(
    "the same, smoothed (α = 1):",
    ((counts + 1) / (counts.sum() + 3)).tolist(),
    " sum",
    ((counts + 1) / (counts.sum() + 3)).sum(),
)

# %% [markdown]
# ### The reviews
#
# Book reviews from Amazon, positive or negative (Blitzer, Dredze and Pereira, 2007), 1600 to train on and 400 to test.
# Features are words and pairs of words that occur at least five times in the training part. Where the corpus is not on
# this machine and cannot be downloaded, a small made-up corpus takes its place, and the cell says so.

# %% tags=["real-data"]
from lxmls_day1.errors import CorpusUnavailable
from readers.sentiment_reader import SentimentCorpus

try:
    reviews = SentimentCorpus("books")
except CorpusUnavailable as error:
    reviews = SentimentCorpus("toy")
    print(f"{error}\nThe notebook goes on with the toy corpus: accuracies below are not those of real reviews.\n")
print(
    f"{reviews.get_name()}: {reviews.train_X.shape[0]} training and {reviews.test_X.shape[0]} test documents, "
    f"{reviews.nr_features} features"
)

# %% [markdown]
# ## Exercise 1.2: unseen words
#
# 1. Write the heart of `MultinomialNaiveBayes.train` in `classifiers/multinomial_naive_bayes.py`: priors, word
#    probabilities, and the weights that follow from them.
# 2. Train it without smoothing (`smooth=False`) and look at training and test accuracy. What goes wrong on the test
#    part?
# 3. Turn smoothing on. Then try many values of $\alpha$ and draw the curve.

# %% tags=["real-data"]
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
            f"{mnb.get_name():38}  train {train:.4f}  test {test:.4f}   probabilities that are 0: {zeros:.0%}, "
            f"test documents ruled out by every class: {mnb.n_ruled_out}"
        )

# %% tags=["skip-execution"]
lab.check("1.2")

# %% [markdown]
# A word that a class never showed has $\hat p(w \mid c) = 0$, and one such word makes the whole product zero: the class
# is **ruled out**, whatever the other 300 words say. Where *every* class is ruled out there is nothing left to compare,
# and all that the classifier can fall back on is the prior.
#
# Smoothing does not merely repair this. As $\alpha \to 0$ the smoothed model does *not* tend to the unsmoothed one: an
# impossible word then costs $\log\alpha \to -\infty$, and so the class with the *fewest* impossible words wins; among
# those with equally many the rest decides. That is a sensible rule, far better than the prior. The curve shows both
# ends.

# %% tags=["real-data"]
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

    fig, axis = plt.subplots(figsize=(10, 5.2), layout="constrained")
    axis.plot(alphas[1:], curve[1:, 0], "s-", color="#56B4E9", label="training")
    axis.plot(alphas[1:], curve[1:, 1], "o-", color="#0072B2", label="test")
    axis.axhline(curve[0, 1], color="#009E73", linestyle="--", label="test, limit α → 0: fewest impossible words first")
    axis.axhline(
        fall_back, color="#D55E00", linestyle=":", label="test, no smoothing: the prior where all is ruled out"
    )
    axis.set(xscale="log", xlabel="smoothing α", ylabel="accuracy", ylim=(0.45, 1.02))
    axis.legend(loc="lower left")
    print(f"no smoothing {fall_back:.4f}    α → 0 {curve[0, 1]:.4f}    α = 1 {curve[alphas.index(1.0), 1]:.4f}")
    print(f"best on the test part: {curve[:, 1].max():.4f} at α = {alphas[int(curve[:, 1].argmax())]:g}")

# %% [markdown]
# Which words does the model hold for telling? Those with the largest ratio
# $\hat p(w \mid \text{positive}) / \hat p(w \mid \text{negative})$:

# %% tags=["real-data"]
with lab.exercise("1.2"):
    from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes

    mnb = MultinomialNaiveBayes()
    params = mnb.train(reviews.train_X, reviews.train_y)
    order = np.argsort(params[1:, 0] - params[1:, 1])
    for label, columns in [("positive", order[::-1][:8]), ("negative", order[:8])]:
        print(f"{label}: {', '.join(reviews.feature_names[j] for j in columns)}")

# %% [markdown] tags=["answer"]
# **What do you observe?** *Your answer:*
#
# Why does training accuracy not suffer without smoothing, and test accuracy so much? What do very large $\alpha$ do?
# Is it fair to pick $\alpha$ by the test accuracy, as the last line of the plot's cell does?

# %% [markdown] tags=["solution"]
# **One answer.** Every word of a training document has been seen in that document's own class, so the true class is
# never ruled out in training. A test document of some hundred words nearly always holds one that a class has not shown:
# on the book reviews 272 of 400 are ruled out by both classes. Very large $\alpha$ drowns the counts; all words become
# equally probable in both classes and only the document lengths and priors are left. Picking $\alpha$ on the test part
# is not fair: the number at the peak is then an optimistic estimate. Pick it on a development part
# (`SentimentCorpus("books", train_per=0.6, dev_per=0.2)`), and look at the test part once.

# %% [markdown]
# ## 1.4 Features and linear classifiers
#
# Describe an input by numbers, its **features**, with a leading 1 for the intercept: $g(x) = (1, x_1, \dots, x_J)$. A
# **linear classifier** gives each class a weight vector and picks the class with the highest score,
#
# $$ \hat y(x) = \arg\max_y\; w_y \cdot g(x). $$
#
# Books also write $w \cdot f(x, y)$ with *joint* features $f(x, y) = g(x) \otimes e_y$: all zeros but for $g(x)$ in the
# slot of class $y$. It is the same thing, with all columns stacked into one long vector. Here the columns stay side by
# side, in one matrix `params` of shape $(J+1, K)$ with the intercepts $b_y$ in row 0. No $f$ is ever built.

# %%
W, g = np.array([[0.5, -0.5, 0.0], [1.0, 0.0, -1.0], [2.0, 1.0, 0.0]]), np.array([1.0, 3.0, -2.0])  # K = 3, J = 2
w = W.T.ravel()  # the columns, one after the other
for label in range(3):
    f = np.kron(np.eye(3)[label], g)
    print(
        f"class {label}: f(x, y) = {f.astype(int).tolist()},  w·f(x, y) = {w @ f:5.2f},  "
        f"w_y·g(x) = {(g @ W)[label]:5.2f}"
    )

# %% [markdown]
# Both naive Bayes classifiers are linear. For the multinomial one take logarithms, and there it stands:
#
# $$
# \log\Big(\hat p(c)\prod_j \hat p(w_j\mid c)^{n_j(x)}\Big)
# = \underbrace{\log \hat p(c)}_{b_c} + \sum_j n_j(x)\,\underbrace{\log \hat p(w_j \mid c)}_{w_{c,j}} .
# $$

# %% [markdown]
# ## Exercise 1.3: the weights of Gaussian naive Bayes
#
# Show that Gaussian naive Bayes with a shared, given variance $\sigma^2$ is a linear classifier too: derive $b_y$ and
# $w_y$. Then write them down as code, and check that they are the ones that `GaussianNaiveBayes` finds.
#
# *Where to begin:* write out $\log p(y) + \log \mathcal N(x; \mu_y, \sigma^2 I)$, and drop whatever is the same for all
# classes.

# %% [markdown] tags=["answer"]
# *Your derivation:*

# %% [markdown] tags=["solution"]
# **The derivation.** With
# $\mathcal N(x; \mu, \sigma^2 I) = (2\pi\sigma^2)^{-J/2} \exp\big(-\lVert x - \mu\rVert^2 / 2\sigma^2\big)$,
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


# %%
def gaussian_weights(prior, means, variance):
    """b_y and w_y of Gaussian naive Bayes, from prior (K,), means (K, J) and σ²: an array (J + 1, K), row 0 the b_y."""
    # exercise 1.3: solution (3 lines)
    intercepts = np.log(prior) - (means**2).sum(axis=1) / (2 * variance)  # (K,)
    weights = means / variance  # (K, J)
    return np.vstack([intercepts, weights.T])
    # exercise 1.3: end


with lab.exercise("1.3"):
    gnb = GaussianNaiveBayes(variance=1.0)
    found = gnb.train(sd.train_X, sd.train_y)
    derived = gaussian_weights(gnb.prior, gnb.means, 1.0)
    print("derived:")
    print(derived.round(4))
    print("the same as those that training finds:", np.allclose(derived, found))

# %% [markdown]
# Look at the boundary of the first plot again. Both classifiers compare $w_0 \cdot g(x)$ with $w_1 \cdot g(x)$, so the
# boundary is perpendicular to $w_1 - w_0$, which for Gaussians is the line through the two means. Naive Bayes knows the
# means only from the sample: its boundary is the Bayes-optimal one, turned and shifted by the error of the estimates.

# %%
with lab.exercise("1.3"):
    optimal = sd.get_bayes_optimal()
    print("                 direction of w_1 − w_0   distance of the boundary from the origin")
    for name, weights in [("Bayes optimal", optimal), ("naive Bayes", gaussian_weights(gnb.prior, gnb.means, 1.0))]:
        b, *w = weights[:, 1] - weights[:, 0]
        print(f"{name:15}  {np.degrees(np.arctan2(w[1], w[0])):19.1f}°   {abs(b) / np.hypot(*w):.3f}")

# %% [markdown] tags=["answer"]
# **What do you observe?** *Your answer:*

# %% [markdown] tags=["solution"]
# **One answer.** The two directions differ by a few degrees and the offsets by a few hundredths, as 25 points per class
# leave the means uncertain by about $\sigma/\sqrt{25} = 0.2$ in each coordinate. That the *form* of the boundary is
# right is the merit of the assumption; with unequal variances (exercise 1.1, part 4) no choice of $b_y, w_y$ could have
# been right.

# %% [markdown]
# ## What to take home
#
# - Bayes' rule turns a model of the data into the best classifier under that model; the Bayes error is the limit.
# - Naive Bayes trains in one pass, needs few examples, and is as good as its independence assumption.
# - A probability of zero is a claim of impossibility. Never make it on the strength of not having seen something.
# - Naive Bayes, Gaussian or multinomial, is a linear classifier. The next notebook looks for the weights directly.
