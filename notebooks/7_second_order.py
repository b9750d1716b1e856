# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 7 · Second-order online learning: a variance for each weight
#
# The perceptron and MIRA treat all words alike. The weight of a word that occurred in a thousand reviews moves as far in one step as
# that of a new word. This notebook gives each weight a *variance*: how uncertain the learner is of it. Weights with a large variance
# move far, the others hardly move. One pass over the data is then worth several passes of a perceptron.
#
# **Goals.** After this notebook you can
#
# - say what the mean and the variance of a weight are, and draw them as an ellipse;
# - do one step of AROW by hand, and write its rule;
# - explain why a step of MIRA and a step of AROW differ on a rare word;
# - choose between AROW and confidence-weighted learning when labels may be wrong.
#
# **Before.** Notebook 2 (the loop, MIRA and its cap). The symbols are those of
# [the table for all notebooks](notation.md).
#
# This notebook is further reading: it does not belong to the core.
#
# **Time.** About 90 minutes.
#
# | exercise | what you do | file |
# |---|---|---|
# | 1.16 | write the rule of AROW | `classifiers/second_order/arow.py` |

# %% [markdown]
# ## Open the lab

# %% tags=["open-lab"]
from lxmls_day1.lab_api import open_lab
lab = open_lab()

# %%
import matplotlib.pyplot as plt
import numpy as np

from classifiers.mira import Mira
from classifiers.passive_aggressive import PassiveAggressive
from classifiers.perceptron import Perceptron
from lxmls_day1.lab_api import figures


def mean_and_error(numbers):
    """The mean of several runs and its standard error, as text."""
    return f"{np.mean(numbers):.4f} ± {np.std(numbers, ddof=1) / np.sqrt(len(numbers)):.4f}"

# %% tags=["real-data"]
from lxmls_day1.lab_api import text_data
from readers.sentiment_reader import SentimentCorpus

try:
    reviews = SentimentCorpus("books")
except text_data.CorpusUnavailable as error:
    reviews = SentimentCorpus("toy")
    print(f"{error}\nThe notebook goes on with the toy corpus: accuracies below are not those of real reviews.\n")
print(f"{reviews.get_name()}: {reviews.train_X.shape[0]} training, {reviews.test_X.shape[0]} test documents")

# %% [markdown]
# ## A. Passive-aggressive learning
#
# MIRA moves only after a mistake. *Passive-aggressive* learning (PA-I) makes the same step whenever the margin is too small:
#
# $$ d = \tau\,(e_y - e_r), \qquad \tau = \min\Bigl(\tau_{\max}, \frac{\ell}{2\lVert g(x)\rVert^2}\Bigr), \qquad
#    \ell = \max\bigl(0,\; s_r + \rho(r, y) - s_y\bigr), $$
#
# where $r$ is the rival with the highest score plus cost, and $\tau_{\max}$ is the cap (MIRA's $1/\lambda$). A right prediction with a
# margin below 1 still causes an update. The learners of the next sections update under the same condition.

# %% [markdown] tags=["predict"]
# **Predict.** We train MIRA and PA-I with the same cap for ten rounds, in 20 orders of the reviews. Which learner makes more updates, and
# by which factor? Which is more accurate on the test reviews? *Your prediction:*

# %% tags=["real-data", "cell-passive"]
with lab.exercise("1.5"):
    learners = {
        "MIRA, cap 0.01": lambda seed: Mira(regularizer=100.0, seed=seed),
        "passive-aggressive, cap 0.01": lambda seed: PassiveAggressive(cap=0.01, seed=seed),
    }
    accuracies, updates = {}, {}
    for name, make in learners.items():
        for seed in range(1, 21):
            learner = make(seed)
            params = learner.train(reviews.train_X, reviews.train_y)
            accuracies.setdefault(name, []).append(learner.evaluate(reviews.test_y, learner.test(reviews.test_X, params)))
            updates.setdefault(name, []).append(learner.nr_updates)
        print(f"{name:30} test accuracy {mean_and_error(accuracies[name])}, {np.mean(updates[name]):.0f} updates")
    mira, passive = accuracies.values()
    print(f"difference, order by order: {mean_and_error(np.subtract(passive, mira))}")
    print(f"updates, ratio: {np.mean(updates['passive-aggressive, cap 0.01']) / np.mean(updates['MIRA, cap 0.01']):.1f}")

# %% [markdown] tags=["answer"]
# **Explain.** (1) Why does PA-I make more updates, although its first step on a mistake is the same? (2) In the end neither makes
# mistakes on the training reviews. What can the additional updates have improved?
#
# **Transfer.** In a stream every review comes once. Would you use MIRA or PA-I, and why? *Your answer:*

# %% [markdown] tags=["solution"]
# <!-- numbers: passive -->
# **One answer.** (1) PA-I also updates where the prediction is right but its margin is below 1. At first there are many such examples: PA-I
# makes 4991 updates in ten rounds, MIRA 944, a factor of 5.3. (2) They have widened the margins of the training reviews. A test review
# differs from similar training reviews; with a wide margin this difference does not change the label. The accuracy is 0.8458 ± 0.0016
# against 0.8279 ± 0.0025; order by order PA-I is better by 0.0179 ± 0.0022, eight standard errors.
#
# *Transfer.* PA-I: it learns from every review whose margin is too small, and each review comes only once. <!-- given: 1, 10 -->

# %% tags=["skip-execution"]
lab.reveal("1.16")

# %% [markdown]
# ## B. AROW: a mean and a variance for each weight
#
# Let each weight be a Gaussian random variable with the mean $w_{jk}$ and the variance $\Sigma_{jk}$, independent of the others. At the
# start every mean is 0 and every variance is 1. Then each score has a mean and a variance, too:
#
# $$ s_k = \sum_j g_j\, w_{jk}, \qquad v_k = \sum_j g_j^2\, \Sigma_{jk}, $$
#
# and the margin over the rival, $\Delta = s_y - s_r$, has the variance $v = v_y + v_r$. A step of **AROW** (adaptive regularization of
# weights; K. Crammer, A. Kulesza, M. Dredze, 2009) has three aims: the new Gaussian stays near the old Gaussian, the margin reaches 1, and
# its variance becomes small. With $\lambda$ to balance them, it minimises
#
# $$ \min_{W', \Sigma'}\; \mathrm{KL}\bigl(N(W', \Sigma') \,\Vert\, N(W, \Sigma)\bigr) + \frac{1}{2\lambda} \max(0, 1 - \Delta')^2 + \frac{1}{2\lambda} v'. $$
#
# The solution has a closed form. Where $\Delta < 1$,
#
# $$ \beta = \frac{1}{v + \lambda}, \qquad
#    w_k \leftarrow w_k + d_k\, \Sigma_k \circ g, \qquad
#    \Sigma_k \leftarrow \Sigma_k - b_k\, (\Sigma_k \circ g)^2, \qquad
#    d = \beta\,(1 - \Delta)\,(e_y - e_r), \qquad b = \beta\,(e_y + e_r). $$
#
# (Only the diagonal of the exact $\Sigma'$ is kept.) With costs, $\rho(r, y)$ replaces the 1. The loop is that of notebook 2, except
# that it passes the variances $v_k$ to the rule in place of $\lVert g \rVert^2$, and receives a second vector $b$.
#
# **By hand.** There are two classes, and $g(x) = (1, 2)$ is the first example; $\lambda = 1$. Both scores are 0, so $\Delta = 0$. Each
# score has the variance $v_k = 1 + 4 = 5$, so $v = 10$ and $\beta = 1/11$. The weights of the true class become $\frac{1}{11}(1, 2)$,
# those of the rival the opposite. The variances become $1 - \frac{1}{11} = 0.909$ for the intercept and $1 - \frac{4}{11} = 0.636$ for
# the feature: the larger entry of $g$ has reduced its variance more.
#
# ## Exercise 1.16: the rule of AROW
#
# Write `arow_rule` in `classifiers/second_order/arow.py`, and check it on the step above.

# %% tags=["cell-by-hand"]
with lab.exercise("1.16"):
    from classifiers.arow import AROW
    from lxmls_day1.lab_api import corpora

    arow = AROW(regularizer=1.0, nr_rounds=1, order=[0])
    params, state = corpora.resume(arow, None, np.array([[2.0]]), [1], classes=[0, 1])
    print("weights of the true class:", params[:, 1].round(4).tolist(), "  1/11, 2/11 =", [round(1 / 11, 4), round(2 / 11, 4)])
    print("variances:                ", arow.variances[:, 1].round(4).tolist())

# %% tags=["skip-execution"]
lab.check("1.16")

# %% [markdown]
# ## C. Two weights as an ellipse
#
# In a picture of two weights the mean is a point, and the standard deviations are the half-axes of an ellipse around it. The examples have
# two words. The first word occurs in every document, the second in one of five. Both words indicate class 1. The demonstration
# `lab.demo("confidence")` shows the same, one example at a time.

# %% [markdown] tags=["predict"]
# **Predict.** Which half-axis is longer after 60 examples, that of the frequent or that of the rare word? The rare word occurs in one of five
# documents. Is its standard deviation then about two, five or ten times that of the frequent word? *Your prediction:*

# %% tags=["cell-ellipse", "exercise-1.16"]
with lab.exercise("1.16"):
    from matplotlib.patches import Ellipse

    rng = np.random.default_rng(3)
    signs = rng.choice([-1, 1], 60)
    present = np.column_stack([np.ones(60), rng.random(60) < 0.2])
    X = present * (0.5 * signs[:, None] + rng.normal(size=(60, 2)))
    y = (signs > 0).astype(int)
    arow, state = AROW(regularizer=1.0, nr_rounds=1, order=[0]), None
    fig, axis = plt.subplots(figsize=(7.5, 6), layout="constrained")
    style = figures.line_style("AROW")
    path = [np.zeros(2)]
    shown = {0: 225, 1: 135, 3: 100, 10: 45, 60: 90}  # after how many examples, and at which angle the number stands
    for n in range(61):
        if n:
            params, state = corpora.resume(arow, state, X[[n - 1]], y[[n - 1]], classes=[0, 1])
            path.append(params[1:, 1])
        deviations = np.ones(2) if n == 0 else np.sqrt(arow.variances[1:, 1])
        if n in shown:
            axis.add_patch(Ellipse(path[-1], *(2 * deviations), fill=False, color=style["color"], alpha=0.35 + 0.15 * list(shown).index(n)))
            angle = np.radians(shown[n])
            axis.annotate(f"{n}", path[-1] + 1.08 * deviations * [np.cos(angle), np.sin(angle)], ha="center", va="center")
            print(f"after {n:2d} examples: weights {path[-1].round(3).tolist()}, standard deviations {deviations.round(3).tolist()}")
    path = np.array(path)
    axis.plot(*path.T, color=style["color"], linewidth=1, label="AROW: the mean, example by example")
    axis.set(xlabel="weight of the frequent word", ylabel="weight of the rare word", xlim=(-1.3, 1.6), ylim=(-1.3, 1.6), aspect="equal")
    axis.legend(loc="lower left")
    print(f"rare over frequent: {deviations[1] / deviations[0]:.2f}; documents with the rare word: {int(present[:, 1].sum())} of 60")

# %% [markdown] tags=["answer", "exercise-1.16"]
# **Explain.** (1) Why does the ellipse never grow? (2) If the precision $1/\Sigma$ grew by the same amount with every document that contains the word,
# how would the standard deviation depend on the number $n$ of these documents? Compare with the printed ratio. (3) In which direction does the mean
# move farther in a step, for equal entries of $g$?
#
# **Transfer.** After a million documents a new word appears. How far does its weight move in its first step, compared with MIRA's
# step? What if all words shared one variance? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.16"]
# <!-- numbers: ellipse -->
# **One answer.** (1) Each step subtracts $b_k (\Sigma_k \circ g)^2 \ge 0$ from $\Sigma$, and never adds anything. (2) Then $1/\Sigma$ would grow like
# $n$, and the standard deviation would shrink like $1/\sqrt n$. The rare word was in 11 of 60 documents, so we would expect a ratio of about
# $\sqrt{60/11} \approx 2.3$. The ratio is 2.83: the standard deviations are 0.453 and 0.16. (The entries of $g$ are random, and the variance starts at
# 1, not at infinity.) (3) In the direction of the longer half-axis: the step of a weight is proportional to its variance.
#
# *Transfer.* The variance of the new word is still 1, those of the others are nearly 0. So the new word gets nearly the whole step, as far
# as $\lambda$ allows. MIRA moves all words of the document by the same $\tau$. With one variance for all words the new word could hardly
# move. <!-- given: 60/11, 2.3, 60, 11, 0, 1 -->

# %% tags=["skip-execution"]
lab.reveal("1.16")

# %% [markdown]
# ## D. One pass against ten

# %% [markdown] tags=["predict"]
# **Predict.** We train the averaged perceptron and AROW on the book reviews in 20 orders, for one pass and for ten. Rank the four by
# their accuracy on the test part. *Your prediction:*

# %% tags=["real-data", "cell-passes", "exercise-1.16"]
with lab.exercise("1.16"):
    learners = {
        "perceptron, averaged": lambda n, seed: Perceptron(nr_rounds=n, seed=seed),
        "AROW": lambda n, seed: AROW(nr_rounds=n, seed=seed),
    }
    passes, curves = [1, 2, 3, 5, 10], {}
    for name, make in learners.items():
        for n in passes:
            for seed in range(1, 21):
                learner = make(n, seed)
                params = learner.train(reviews.train_X, reviews.train_y)
                curves.setdefault((name, n), []).append(learner.evaluate(reviews.test_y, learner.test(reviews.test_X, params)))
        for n in (1, 10):
            print(f"{name:21} {n:2d} passes: test accuracy {mean_and_error(curves[name, n])}")
    fig, axis = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
    for name in learners:
        means = np.array([np.mean(curves[name, n]) for n in passes])
        errors = np.array([np.std(curves[name, n], ddof=1) / np.sqrt(20) for n in passes])
        axis.plot(passes, means, label=name, **figures.line_style(name))
        axis.fill_between(passes, means - errors, means + errors, color=figures.line_style(name)["color"], alpha=0.2)
    axis.set(xlabel="passes", ylabel="accuracy on the test part", xticks=passes)
    axis.legend()
    paired = np.subtract(curves["AROW", 1], curves["perceptron, averaged", 10])
    print(f"AROW after one pass − perceptron after ten, order by order: {mean_and_error(paired)}")

# %% [markdown] tags=["answer", "exercise-1.16"]
# **Explain.** (1) Most words of a review are rare. How does AROW update a rare word in the first review that contains it, and how does
# the perceptron? (2) Is AROW after one pass better than the perceptron after ten? How many standard errors lie between them?
#
# **Transfer.** The reviews come from a stream and cannot be stored. Which learner do you use, and which number do you monitor?
# *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.16"]
# <!-- numbers: passes -->
# **One answer.** (1) The variance of a new word is 1, and those of the frequent words beside it are already small. AROW gives the new word
# most of the step; the perceptron moves every word equally. (2) Yes: 0.8315 ± 0.0039 after one pass against 0.8034 ± 0.0024 after ten; order
# by order the difference is 0.0281 ± 0.0043, more than six standard errors. Ten passes of AROW reach 0.8425.
#
# *Transfer.* AROW. Monitor the share of reviews that are labelled wrongly *before* their step (`history[0].errors`), which needs no test
# part. <!-- given: 1, 6 -->

# %% tags=["skip-execution"]
lab.reveal("1.16")

# %% [markdown]
# Which weights is AROW certain of? The variance of a weight stays 1 until an update involves its word.

# %% tags=["real-data", "cell-words", "exercise-1.16"]
with lab.exercise("1.16"):
    arow = AROW(nr_rounds=1)
    params = arow.train(reviews.train_X, reviews.train_y)
    sure = arow.variances[1:, 0]
    documents = (reviews.train_X > 0).sum(axis=0)
    print("surest:", ", ".join(f"{reviews.feature_names[j]} ({sure[j]:.3f})" for j in np.argsort(sure, kind="stable")[:5]))
    for least, most in ((1, 5), (6, 20), (21, 100), (101, 2000)):
        chosen = (documents >= least) & (documents <= most)
        print(f"words in {least:4d} to {most:4d} documents: mean variance {sure[chosen].mean():.3f}")

# %% [markdown]
# ## E. Wrong labels
#
# *Confidence-weighted* learning (CW; M. Dredze, K. Crammer, F. Pereira, 2008) is stricter: after its step the prediction must be right with
# probability at least $\eta$,
#
# $$ \min\; \mathrm{KL}\bigl(N(W', \Sigma') \,\Vert\, N(W, \Sigma)\bigr) \quad\text{such that}\quad \Delta' \ge \phi \sqrt{v'}, \qquad \phi = \Phi^{-1}(\eta). $$
#
# Its soft form SCW-I (J. Wang, P. Zhao, S. Hoi, 2012) caps the step at $\tau_{\max}$. `ConfidenceWeighted(confidence=0.9, cap=0.1)` is SCW-I;
# without a cap it is exact CW.

# %% [markdown] tags=["predict"]
# **Predict.** We flip 0, 10 and 20 % of the training labels and train for one pass, in 20 draws. Which learners lose most accuracy: CW
# exact or with a cap, AROW with λ = 1 or with λ = 100? *Your prediction:*

# %% tags=["cell-noise", "exercise-1.16"]
with lab.exercise("1.16"):
    from classifiers.confidence_weighted import ConfidenceWeighted

    def documents_of(rng, n, n_words=400):
        """Bags of 20 words that follow Zipf's law; 60 of the words speak for a class."""
        shares = 1 / np.arange(1, n_words + 1)
        X = np.array([rng.multinomial(20, shares / shares.sum()) for _ in range(n)], dtype=float)
        speaks = np.zeros(n_words)
        speaks[10:70] = np.where(np.arange(60) % 2, 1.0, -1.0)
        return X, (X @ speaks + 0.5 * rng.normal(size=n) > 0).astype(int)

    learners = {
        "perceptron, averaged": lambda seed: Perceptron(nr_rounds=1, seed=seed),
        "AROW, λ = 1": lambda seed: AROW(nr_rounds=1, seed=seed),
        "AROW, λ = 100": lambda seed: AROW(regularizer=100.0, nr_rounds=1, seed=seed),
        "confidence-weighted, exact": lambda seed: ConfidenceWeighted(nr_rounds=1, seed=seed),
        "confidence-weighted, cap 0.1": lambda seed: ConfidenceWeighted(cap=0.1, nr_rounds=1, seed=seed),
    }
    shares, accuracies = [0.0, 0.1, 0.2], {}
    for seed in range(1, 21):
        rng = np.random.default_rng(seed)
        X, y = documents_of(rng, 1000)
        test_X, test_y = documents_of(rng, 2000)
        turned = rng.random(1000)
        for share in shares:
            for name, make in learners.items():
                learner = make(seed)
                params = learner.train(X, np.where(turned < share, 1 - y, y))
                accuracies.setdefault((name, share), []).append(learner.evaluate(test_y, learner.test(test_X, params)))
    fig, axis = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
    print("wrong labels:                ", "             ".join(f"{share:4.0%}" for share in shares))
    for name in learners:
        variant = {"variant": int(name.endswith(("0.1", "100"))), "of": 2}
        means = [np.mean(accuracies[name, share]) for share in shares]
        axis.errorbar(shares, means, [np.std(accuracies[name, s], ddof=1) / np.sqrt(20) for s in shares], label=name, **figures.line_style(name, **variant))
        print(f"{name:29}", "  ".join(mean_and_error(accuracies[name, share]) for share in shares))
    axis.set(xlabel="share of wrong labels", ylabel="accuracy on the test part", xticks=shares)
    axis.legend()
    for name in learners:
        print(f"{name:30} loses {np.mean(accuracies[name, 0.0]) - np.mean(accuracies[name, 0.2]):.3f} at 20 %")

# %% [markdown] tags=["answer", "exercise-1.16"]
# **Explain.** (1) Exact CW requires every example to be right after its step, whatever its label. How does a wrong label change a
# weight with a small variance? (2) Which part of AROW's objective allows for wrong labels? (3) How does the cap of SCW-I change a
# step on a wrong label?
#
# **Transfer.** Your labels come from users who click "helpful" by mistake now and then. Would you raise or lower AROW's λ, and how would you
# choose it? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.16"]
# <!-- numbers: noise -->
# **One answer.** (1) It moves the weights so far that the wrong label becomes probable, and also reduces their variances. Later, correctly
# labelled examples can then hardly move these weights. (2) The factor $1/(2\lambda)$ of the loss: with a large $\lambda$ it costs little to
# leave an example wrong. (3) It limits the step to $\tau_{\max}$, as MIRA's cap does. Without wrong labels the second-order learners differ
# little, except for AROW with λ = 1. With 20 % of wrong labels exact CW loses 0.152 and AROW with λ = 1 loses 0.157. The cap of 0.1 and λ =
# 100 halve this loss, to 0.070 and 0.072. The averaged perceptron loses 0.078, but from a lower accuracy: 0.8256 against 0.8616 for AROW with
# λ = 100.
#
# *Transfer.* Raise λ, and choose it on a development part whose labels have been checked ("Choosing λ" in notebook 3).

# %% tags=["skip-execution"]
lab.reveal("1.16")

# %% [markdown] tags=["shows"]
# <!-- numbers: noise -->
# <details><summary><b>What this shows</b> (open it after you have answered)</summary>
#
# - Second-order learners that trust every label lose most: 0.152 for exact CW, 0.157 for AROW with λ = 1.
# - A cap, or a larger λ, halves this loss: 0.070 with a cap of 0.1, 0.072 with λ = 100.
# - AROW's λ matters: with wrong labels the accuracy is 0.7893 with λ = 100, but 0.6890 with λ = 1.
#
# </details>

# %% [markdown]
# ## What to take home
#
# - Passive-aggressive learning updates on every example with too small a margin, not only on mistakes; this raises
#   the accuracy.
# - A second-order learner keeps a mean and a variance for each weight. The step of a weight is proportional to its variance, and every step
#   makes the variance smaller.
# - Weights of rare words are learnt from few examples; those of frequent words soon hardly move. So one pass reaches
#   much of the accuracy.
# - AROW's λ balances a new label against the current weights. Exact CW trusts every label; its soft form has a cap.
# - The cost is a second matrix of numbers, and about twice the time of a perceptron's step.
#
# **Reading.** K. Crammer, O. Dekel et al., *Online passive-aggressive algorithms*, JMLR 7, 2006. · M. Dredze, K. Crammer, F. Pereira,
# *Confidence-weighted linear classification*, ICML 2008. · K. Crammer, A. Kulesza, M. Dredze, *Adaptive regularization of weight
# vectors*, NIPS 2009. · J. Wang, P. Zhao, S. Hoi, *Exact soft confidence-weighted learning*, ICML 2012. · [Errata](errata.md) of the guide and
# other sources.
