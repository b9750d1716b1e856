# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 4 · The comparison
#
# Naive Bayes, the perceptron, MIRA, maximum entropy and the SVM are five ways to find a matrix of weights. Which of them should you use? This
# notebook compares them on data.
#
# **Goals.** After this notebook you can
#
# - write down the one term of the loop in which the learners differ;
# - compare classifiers fairly: after tuning, and on the same examples;
# - decide when two classifiers cannot be told apart.
#
# **Before.** Notebooks 1 to 3, with exercises 1.2, 1.4, 1.5, 1.6 and 1.7. The symbols are those of [the table for all notebooks](notation.md).
#
# **Time.** The core takes about 20 minutes, 5 of them in the afternoon; what is further takes about 60.
#
# | exercise | when | what you do |
# |---|---|---|
# | 1.8 | afternoon, evening | train them all, on points and on reviews; compare pair by pair |
# | | further | vary the number of points, the variance and the balance; test the guide's table; compare with scikit-learn |

# %% [markdown]
# ## Open the lab

# %% tags=["open-lab"]
from lxmls_day1.lab_api import open_lab
lab = open_lab()

# %%
from math import comb

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ndtr

from classifiers.gaussian_naive_bayes import GaussianNaiveBayes
from classifiers.max_ent_batch import MaxEntBatch
from classifiers.mira import Mira
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from classifiers.perceptron import Perceptron
from classifiers.run_all_classifiers import run_all_classifiers
from classifiers.svm import SVM
from lxmls_day1.lab_api import figures, tuning
from readers.simple_data_set import SimpleDataSet

# %% [markdown]
# ## A. One loop
#
# All online learners run the same loop. For $N$ rounds, for each example in random order: compute the scores $s$, then a vector $d$
# with one entry per class, then
#
# $$ W \;\leftarrow\; (1 - \eta_t\lambda)\, W + g(x)\, d^\top . $$
#
# | learner | $d$ | shrinks? | loss of one example |
# |---|---|---|---|
# | perceptron | $e_y - e_{\hat y}$ | no | $s_{\hat y} - s_y$ |
# | MIRA | $\tau\,(e_y - e_{\hat y})$, $\;\tau = \min\!\big(\tau_{\max},\; \frac{s_{\hat y} - s_y + \rho(\hat y, y)}{2\lVert g(x)\rVert^2}\big)$ if $\hat y \ne y$, else 0 | no | none: the least change that restores the margin, up to the cap $\tau_{\max}$ |
# | maximum entropy, SGD | $\eta_t\,(e_y - p)$, $\;p = \mathrm{softmax}(s)$ | yes | $-\log p_y$ |
# | SVM, subgradient | $\eta_t\,(e_y - e_{\tilde y})$, $\;\tilde y = \arg\max_{y'} s_{y'} + \rho(y', y)$ | yes | $s_{\tilde y} + \rho(\tilde y, y) - s_y$ |
#
# Naive Bayes only counts, without a loop. `MaxEntBatch` and `SVM(solver="dual")` compute the optimum of their objective
# with batch solvers instead (notebook 3).
#

# %% [markdown]
# ## Exercise 1.8: the comparison
#
# 1. Train every classifier on points that overlap, and compare the boundaries.
# 2. Tune each on the reviews, and compare them pair by pair.
#
# ### Points
#
# `run_all_classifiers(dataset)` trains every classifier on a data set, and draws boundaries and accuracies. It leaves
# out the classifiers that you have not written yet, and names them. Here the classes overlap: the variance is 2.

# %% tags=["cell-all-points"]
overlapping = SimpleDataSet(nr_examples=200, g1=[[-1, -1], 2], g2=[[1, 1], 2])
table, (fig, axis) = run_all_classifiers(overlapping)
for row in table:
    print(f"{row.classifier:36} train {row.train_accuracy:.4f}   test {row.test_accuracy:.4f}")
for note in table.notes:
    print("Note:", note)
print(f"Bayes error {overlapping.get_bayes_error():.4f}")

# %% [markdown] tags=["evening"]
# With a hundred test points, one point is one percentage point. These accuracies do not show which classifier is best.
#
# *The afternoon ends here; what follows is for the evening.*
#
# ### Reviews: default and tuned
#
# A comparison of classifiers with their *default* settings compares the defaults. So we train each classifier twice on the same part:
# with its default, and with the value that is best on the development part (notebook 3, "Choosing λ"). Each result is tested once on
# the test part. The perceptron has nothing to tune.

# %% [markdown] tags=["predict", "evening"]
# **Predict.** Which classifier will gain most accuracy by tuning? *Your prediction:*

# %% tags=["real-data", "cell-tuned", "evening"]
from lxmls_day1.lab_api import text_data
from readers.sentiment_reader import SentimentCorpus

try:
    reviews = SentimentCorpus("books")
except text_data.CorpusUnavailable as error:
    reviews = SentimentCorpus("toy")
    print(f"{error}\nThe notebook goes on with the toy corpus: accuracies below are not those of real reviews.\n")
parts = tuning.with_development_part(reviews)
n_test = len(reviews.test_y)
compared = [
    ("Naive Bayes", MultinomialNaiveBayes(), {"smooth_param": [10.0, 3.0, 1.0, 0.3, 0.1]}),
    ("Perceptron", Perceptron(), None),
    ("MIRA", Mira(), {"regularizer": [1000.0, 300.0, 100.0, 30.0, 10.0, 1.0]}),  # the cap is 1/this
    ("Maximum entropy", MaxEntBatch(solver="dual"), None),
    ("SVM", SVM(), None),
]
right = {}  # for each classifier: which test reviews it labels right, by default and tuned
for name, classifier, grid in compared:
    try:
        params = classifier.train(parts.train_X, parts.train_y)
        right[name] = [classifier.test(reviews.test_X, params) == reviews.test_y]
        if name == "Perceptron":
            print(f"{name:15}: {right[name][0].mean():.4f}, nothing to tuning.tune")
            continue
        found = tuning.tune(classifier, parts, grid)
    except NotImplementedError as error:
        print(f"{name} is left out: not written yet")
        continue
    right[name].append(found.classifier.test(reviews.test_X, found.params) == reviews.test_y)
    ((setting, value),) = found.best.settings.items()
    print(
        f"{name:15}: {right[name][0].mean():.4f} by default, {right[name][1].mean():.4f} tuned "
        f"({setting} {value:g})"
    )
fig, axis = plt.subplots(figsize=(10.5, 4.6), layout="constrained")
pairs = [[of_name[0].mean(), of_name[-1].mean() if len(of_name) > 1 else np.nan] for of_name in right.values()]
figures.plot_pairs(list(right), pairs, n_test, axis, ("default", "tuned"))
title = axis.set_title(f"{n_test} test reviews, ± one standard error")

# %% [markdown] tags=["evening"]
# The bars show the standard error of each accuracy. But two classifiers find the same reviews hard, so their *difference* varies less
# than the bars suggest. Count only the reviews on which exactly one of them is right: $n_1$ times the first, $n_2$ times the second. If
# both were equally good, each of these reviews would be a coin toss. The **sign test** computes how probable a split at least as uneven
# as $n_1 : n_2$ would then be.

# %% tags=["real-data", "cell-sign-test", "evening"]
def sign_test(one, other):
    """On how many only one of the two is right, and the probability of a split as uneven by coin tosses."""
    a, b = int(np.sum(one & ~other)), int(np.sum(other & ~one))
    tail = sum(comb(a + b, i) for i in range(min(a, b) + 1)) / 2 ** (a + b)
    return a, b, min(1.0, 2 * tail)


tuned = {name: of_name[-1] for name, of_name in right.items()}
ranked = sorted(tuned, key=lambda name: -tuned[name].mean())
print("tuned classifiers, pair by pair       only the first right   only the second   p")
for i, one in enumerate(ranked):
    for other in ranked[i + 1 :]:
        a, b, p = sign_test(tuned[one], tuned[other])
        print(f"{one:16} against {other:16} {a:16d} {b:17d}   {p:.3f}")
for name in ("Maximum entropy", "SVM"):
    if len(right.get(name, ())) > 1:
        a, b, p = sign_test(right[name][1], right[name][0])
        print(f"{name}, tuned against default: {a} to {b}, p = {p:.3f}")

# %% [markdown] tags=["evening"]
# **The bootstrap** answers a related question: how much would the difference of two accuracies vary on other test parts? We have only this one, so
# we draw 400 reviews from it, with replacement, ten thousand times. The middle 95 % of the differences form a confidence interval. If the interval
# contains 0, the two classifiers cannot be told apart with these data.
#
# Accuracy does not distinguish the kinds of mistakes. For one class, here "positive", **precision** is the share of the reviews labelled
# positive that are positive, **recall** the share of the positive reviews that are labelled so, and $F_1$, their harmonic mean, lies between
# the two.
# <!-- numbers: bootstrap -->
# <!-- given: 400, 95 %, 0 -->

# %% tags=["real-data", "cell-bootstrap", "evening"]
y, positive = reviews.test_y, reviews.label_names.index("positive")
print("tuned              accuracy   precision   recall   F1 of \"positive\"")
for name in ranked:
    predicted = np.where(tuned[name], y, 1 - y)
    hits = np.sum((predicted == positive) & (y == positive))
    precision, recall = hits / np.sum(predicted == positive), hits / np.sum(y == positive)
    print(f"{name:18} {tuned[name].mean():.4f}     {precision:.4f}      {recall:.4f}   {2 * precision * recall / (precision + recall):.4f}")
draws = np.random.default_rng(0).integers(n_test, size=(10_000, n_test))  # a row for each test part that is drawn
for one, other in [("SVM", "Perceptron"), ("SVM", "MIRA"), ("SVM", "Naive Bayes")]:
    if one in tuned and other in tuned:
        difference = tuned[one].astype(float) - tuned[other]
        low, high = np.quantile(difference[draws].mean(axis=1), [0.025, 0.975])
        print(f"{one} minus {other}: {difference.mean():.4f}, 95 % of the draws from {low:.4f} to {high:.4f}")

# %% [markdown] tags=["answer", "exercise-1.8", "evening"]
# **Explain.** Which conclusions do these 400 reviews support, and which do they not support? **Transfer.** Ten pairs are compared above.
# How many would have $p < 0.1$ by chance, if all five classifiers were equally good? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.8", "evening"]
# <!-- numbers: tuned, sign-test -->
# **One answer.** The SVM and maximum entropy, both tuned, are better than the perceptron (38 to 10 and 37 to 11) and probably
# better than MIRA ($p = 0.011$ and $0.020$). These 400 reviews cannot tell the SVM from maximum entropy (8 to 6), nor either of them
# from naive Bayes ($p = 0.126$ and $0.229$), nor naive Bayes from MIRA ($0.539$), nor MIRA from the perceptron ($0.143$); naive Bayes
# against the perceptron is a borderline case ($0.052$). MIRA's accuracy *fell* with tuning, from 0.8300 to 0.8150, by less than its
# standard error. *Transfer:* about one.

# %% tags=["skip-execution", "evening"]
lab.reveal("1.8")

# %% [markdown] tags=["evening"]
# ## Which classifier should you use?
#
# <!-- numbers: learning-curve, tuned, copies, far-cluster, sign-test -->
# 1. **Begin with naive Bayes** as your baseline. It only counts, it has one setting, and no other classifier was clearly better on
#    these reviews.
# 2. **Then maximum entropy or the SVM, tuned.** Overlapping features hardly harm them (errors of 8.05 % against 14.48 % for naive Bayes), nor do
#    distant points (2.28 % against 16.29 %). With the default $\lambda$ they may be worse than naive Bayes (0.7875 and 0.8025 against 0.8300).
# 3. **Maximum entropy if you need probabilities;** the SVM if you only need labels. How far the probabilities of a learner can be trusted is a
#    picture in the book's gallery (*Reliability*), before and after calibration on a development part.
# 4. **An averaged perceptron if you cannot tune,** or if the output has structure (notebook 5). It has no hyper-parameter, but was the least
#    accurate here.
# 5. **Get more data, and tune.** Twice as many reviews brought naive Bayes from 0.788 to 0.830, and tuning brought maximum entropy from
#    0.7875 to 0.8550. Both gains are larger than the difference between naive Bayes and a tuned SVM.
# 6. **Train on the domain in which you will predict.** For a classifier trained on book reviews and tested on electronics, labels from the new
#    domain matter more than the choice of a learner. `classifiers/domains/domain_adaptation.py` adapts a classifier
#    without such labels.
#

# %% [markdown]
# ## What to take home
#
# - All online learners run one loop. They differ in $d$, and in whether the weights shrink.
# - Tune before you compare, on a development part. Compare two classifiers on the same examples, pair by pair.
# - A difference that may be due to chance is no reason to prefer a classifier. Nor does it show that the classifiers are equal.
#
# **Next.** This is the end of the day. *Further*, below, varies the data; [notebook 5](5_structured.ipynb) applies the same learners to sequences
# of tags.
#
# **Reading.** A. Ng, M. Jordan, *On discriminative vs. generative classifiers*, 2001 · T. Dietterich, *Approximate statistical tests for
# comparing supervised classification learning algorithms*, 1998 · H. Daumé III, *A Course in Machine Learning*, chapters on
# practical issues and on linear models · F. Pedregosa et al., *Scikit-learn: machine learning in Python*, 2011 · C. Elkan, *The foundations of
# cost-sensitive learning*, 2001.

# %% [markdown]
# ## Further
#
# The following sections are independent, but those on points use the functions of "The expected error, without a test
# set".
#
# ### More training reviews

# %% [markdown] tags=["predict", "exercise-1.8"]
# **Predict.** How does the test accuracy grow with the number of training reviews, from 100 to 1600? Which curve is the steepest? *Your prediction:*

# %% tags=["real-data", "cell-learning-curve", "exercise-1.8"]
with lab.exercise("1.8"):
    import scipy.sparse as sp

    from classifiers.max_ent_batch import MaxEntBatch
    from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
    from classifiers.perceptron import Perceptron
    from classifiers.svm import SVM

    X, y = sp.vstack([reviews.train_X, reviews.test_X]).tocsr(), np.concatenate([reviews.train_y, reviews.test_y])
    n_train = round(0.8 * len(y))
    sizes = [n_train // 16, n_train // 8, n_train // 4, n_train // 2, n_train]
    samples = {}
    for seed in range(20):
        train, test = np.split(np.random.default_rng(seed).permutation(len(y)), [n_train])
        test_X = X[test]
        for size in sizes:
            train_X, train_y = X[train[:size]], y[train[:size]]
            learners = {
                "Naive Bayes, test": MultinomialNaiveBayes(),
                "Maximum entropy, λ = 0.01, test": MaxEntBatch(0.01, solver="dual", tolerance=1e-2),
                "SVM, λ = 0.1, test": SVM(0.1, solver="dual", tolerance=1e-2),
                "Perceptron, test": Perceptron(),
            }
            for name, classifier in learners.items():
                params = classifier.train(train_X, train_y)
                samples.setdefault(name, []).append(np.mean(classifier.test(test_X, params) == y[test]))
                if name.startswith("Maximum"):
                    trained = np.mean(classifier.test(train_X, params) == train_y)
                    samples.setdefault("Maximum entropy, λ = 0.01, training", []).append(trained)
    curves = {name: np.reshape(found, (20, len(sizes))).T for name, found in samples.items()}
    fig, axis = plt.subplots(figsize=(11.5, 5.8), layout="constrained")
    figures.plot_curves(sizes, curves, axis)
    axis.set(xscale="log", xticks=sizes, xlabel="training reviews", ylabel="accuracy, mean of 20 divisions", xlim=(sizes[0], sizes[-1]))
    axis.set_xticks(sizes, [str(size) for size in sizes])
    axis.minorticks_off()
    figures.label_ends(axis)
    print("training reviews" + "".join(f"{size:14d}" for size in sizes))
    for name, found in curves.items():
        cells = (f"{row.mean():.3f} ± {row.std(ddof=1) / np.sqrt(20):.3f}" for row in found)
        print(f"{name}\n                " + "".join(f"{cell:>14}" for cell in cells))

# %% [markdown] tags=["shows"]
# <!-- numbers: learning-curve -->
# All curves still rise: from 800 to 1600 reviews naive Bayes goes from 0.788 to 0.830. Maximum entropy *overfits* at every size: its training
# accuracy is 0.998 and more, its test accuracy 0.657 with 100 reviews and 0.814 with 1600. On average over twenty divisions naive Bayes has 0.830
# and the SVM 0.813, although the SVM was better on our one test part, where the sign test found no clear difference. (Here $\lambda$ is the same
# for all sizes, and not tuned.)

# %% [markdown]
# ### The expected error, without a test set
#
# For points from two Gaussians no test set is needed: the expected error of a linear classifier has a formula.
# The difference of scores $w\cdot x + b$, with $w = w_1 - w_0$ and $b = b_1 - b_0$, is a Gaussian too: for class $k$ it
# has the mean $w\cdot\mu_k + b$ and the standard deviation $\sigma_k\lVert w\rVert$. Points of class 0 are
# misclassified where the difference is positive, points of class 1 where it is negative:
#
# $$
# \text{expected error} = p(0)\,\Phi\!\left(\frac{w\cdot\mu_0 + b}{\sigma_0\lVert w\rVert}\right)
# + p(1)\,\Phi\!\left(-\frac{w\cdot\mu_1 + b}{\sigma_1\lVert w\rVert}\right).
# $$

# %% tags=["cell-formula"]
def errors_of_classes(params, data):
    """The expected error of a linear classifier on each of the two classes: an array (2,)."""
    difference = params[:, 1] - params[:, 0]
    length = np.linalg.norm(difference[1:] * np.sqrt(data.variances), axis=1)  # (2,): σ_k ‖w‖
    means = data.means @ difference[1:] + difference[0]  # (2,)
    return ndtr(means / length * [1, -1])


NR_SAMPLES = 20


def learners():
    """Those that are compared on points. Naive Bayes is told the true variance where that is 1."""
    return {
        "Naive Bayes": GaussianNaiveBayes(),
        "Perceptron": Perceptron(),
        "MIRA": Mira(),
        "Maximum entropy, λ = 1": MaxEntBatch(1.0, solver="dual"),
        "Maximum entropy, λ = 0.01": MaxEntBatch(0.01, solver="dual"),
        "SVM, λ = 1": SVM(1.0, solver="dual"),
        "SVM, λ = 0.01": SVM(0.01, solver="dual"),
    }


def compare(settings, changed=lambda X: X, unchanged=lambda params: params, **fixed):
    """Expected errors on several data sets, 20 samples of each: for each learner an array (settings, samples, 2 classes).

    The learners train on `changed(X)`; `unchanged` makes of their params those for X.
    """
    errors, compared = {}, learners()
    for setting in settings:
        for seed in range(NR_SAMPLES):
            data = SimpleDataSet(split=[1, 0, 0], seed=seed, **{**fixed, **setting})
            for name, classifier in compared.items():
                try:
                    params = classifier.train(changed(data.train_X), data.train_y)
                except NotImplementedError:
                    continue
                errors.setdefault(name, []).append(errors_of_classes(unchanged(params), data))
    return {name: np.reshape(found, (len(settings), NR_SAMPLES, 2)) for name, found in errors.items()}


def print_table(heading, values, rows):
    """A line for each classifier: mean and standard error over the samples, in percentage points."""
    def mean_and_error(row):
        return f"{100 * row.mean():.2f} ± {100 * row.std(ddof=1) / np.sqrt(len(row)):.2f}"

    lines = {heading: list(map(str, values))} | {name: list(map(mean_and_error, samples)) for name, samples in rows.items()}
    width = 1 + max(len(cell) for cells in lines.values() for cell in cells)
    for name, cells in lines.items():
        print(f"{name:{max(map(len, lines))}}" + "".join(f"{cell:>{width}}" for cell in cells))


sd = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
print(
    f"the formula on the Bayes-optimal line: {sd.prior @ errors_of_classes(sd.get_bayes_optimal(), sd):.6f}, "
    f"Bayes error: {sd.get_bayes_error():.6f}"
)

# %% [markdown]
# ### Size, variance, balance
#
# 1. **Size.** How do the methods improve with more data? Which needs the least?
# 2. **Variance.** The larger the variance, the more the classes overlap. Which methods suffer most?
# 3. **Balance.** What happens when one class becomes rare? Consider the errors *on the rare class*, too.
#
# Every point of a curve is the mean over 20 samples; the band is one standard error. Where bands overlap, the methods cannot be told apart. Change the
# settings below, look at single samples with `run_all_classifiers(SimpleDataSet(…))`, or open the
# demonstration `lab.demo("comparison")`.

# %% [markdown] tags=["predict"]
# **Predict.** Which is better with six training points: naive Bayes, whose model is true, or maximum entropy? *Your
# prediction:*

# %% tags=["cell-size", "exercise-1.8"]
with lab.exercise("1.8"):
    sizes = [6, 12, 25, 50, 400]
    by_size = compare([{"nr_examples": size} for size in sizes])
    excess = {name: errors.mean(axis=2) - sd.get_bayes_error() for name, errors in by_size.items()}
    fig, axis = plt.subplots(figsize=(10, 5.2), layout="constrained")
    figures.plot_curves(sizes, excess, axis)
    axis.set(xscale="log", yscale="log", xlabel="training points", ylabel="expected error above the Bayes error", xlim=(6, 400))
    axis.set_xticks(sizes, [str(size) for size in sizes])
    axis.minorticks_off()
    figures.label_ends(axis)
    print("expected error above the Bayes error, in percentage points")
    print_table("training points", sizes, excess)

# %% [markdown] tags=["answer", "exercise-1.8"]
# **Explain.** Naive Bayes has the true model and the true variance. Why is maximum entropy with $\lambda = 1$ better nevertheless?
# **Transfer.** Move both classes by $(5, 5)$. Which learners would be affected? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.8"]
# <!-- numbers: size -->
# **One answer.** With 6 points naive Bayes estimates each mean from about three points, and these estimates are imprecise. With
# $\lambda = 1$ maximum entropy can learn little more than the direction from mean to mean and a small intercept. These data lie
# symmetrically about 0, so the small intercept happens to be right: 1.14 ± 0.36 percentage points above the Bayes error, against 2.98 ±
# 0.68. With $\lambda = 0.01$ this advantage is gone: 4.60 ± 1.17. *Transfer:* all but naive Bayes, whose means move with the data. The
# right intercept is large now. The larger $\lambda$ is, the smaller the penalty keeps it, and with $\lambda = 1$ more data do not help.
# The perceptron and MIRA reach this intercept only in many small steps: with few points they stay far from it, with 400 they nearly
# reach it.

# %% tags=["skip-execution"]
lab.reveal("1.8")

# %% [markdown] tags=["predict"]
# **Predict.** With 100 points, the variance grows from 0.25 to 4. Which method's curve rises fastest? *Your
# prediction:*

# %% tags=["cell-variance", "exercise-1.8"]
with lab.exercise("1.8"):
    variances = [0.25, 1.0, 2.0, 4.0]
    settings = [{"g1": [[-1, -1], variance], "g2": [[1, 1], variance]} for variance in variances]
    by_variance = compare(settings, nr_examples=100)
    best = np.array([SimpleDataSet(**setting).get_bayes_error() for setting in settings])
    excess = {name: errors.mean(axis=2) - best[:, None] for name, errors in by_variance.items()}
    fig, axis = plt.subplots(figsize=(11.5, 6), layout="constrained")
    figures.plot_curves(variances, excess, axis)
    axis.set(xscale="log", xlabel="variance of both classes", ylabel="expected error above the Bayes error", xlim=(0.25, 4))
    axis.set_xticks(variances, [f"{variance:g}" for variance in variances])
    axis.minorticks_off()
    figures.label_ends(axis)
    print("Bayes error, in percentage points: " + ", ".join(f"{100 * error:.2f}" for error in best) + "; above it:")
    print_table("variance", variances, excess)

# %% [markdown] tags=["answer", "exercise-1.8"]
# **Explain.** Which learners have the largest excess error at variance 4, and which part of their rules causes it? Is the overlap the
# only reason? (Look at variance 0.25.) **Transfer.** What would you change in MIRA's rule? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.8"]
# <!-- numbers: variance -->
# **One answer.** MIRA (0.72 ± 0.25) and the SVM with $\lambda = 0.01$ (0.59 ± 0.11), which are within a standard error of each other.
# MIRA's step closes the gap of a single mistake, up to the cap, even if that point lies deep in the other class. But the overlap is
# not the only reason: MIRA has the largest excess error already at variance 0.25 (0.30 ± 0.08). *Transfer:* lower the cap (a larger
# `regularizer`), as in notebook 2. At the intermediate variances, most differences are within the standard errors.

# %% tags=["skip-execution"]
lab.reveal("1.8")

# %% [markdown]
# Now one class becomes rare. We measure its **recall** (the share of its points that are found), its **precision** (the share of the points
# with this label that belong to it), and $F_1$, their harmonic mean.

# %% [markdown] tags=["predict"]
# **Predict.** Class 0 becomes rare. Can a classifier have a lower error on the rare class than the Bayes-optimal classifier? *Your
# prediction:*

# %% tags=["cell-balance", "exercise-1.8"]
with lab.exercise("1.8"):
    balances = [0.5, 0.2, 0.1, 0.05]
    by_balance = compare([{"balance": balance} for balance in balances], nr_examples=200)
    priors = np.array([[balance, 1 - balance] for balance in balances])
    data_sets = [SimpleDataSet(nr_examples=200, balance=balance) for balance in balances]
    best = np.array([errors_of_classes(data.get_bayes_optimal(), data) for data in data_sets])
    excess = {
        name: (errors * priors[:, None]).sum(axis=2) - (best * priors).sum(axis=1)[:, None]
        for name, errors in by_balance.items()
    }
    on_rare = {name: errors[:, :, 0] for name, errors in by_balance.items()}
    fig, axes = plt.subplots(2, 1, figsize=(10, 10), layout="constrained")
    figures.plot_curves(balances, excess, axes[0])
    figures.plot_curves(balances, on_rare, axes[1])
    axes[1].plot(balances, best[:, 0], color="black", linewidth=3, label="Bayes optimal")
    axes[0].set(ylabel="above the Bayes error", title="expected error, all points")
    axes[1].set(ylabel="expected error", title="expected error on the rare class 0")
    for axis in axes:
        axis.set(xscale="log", xlabel="share of class 0", xlim=(0.5, 0.05))
        axis.set_xticks(balances, [f"{balance:g}" for balance in balances])
        axis.minorticks_off()
        figures.label_ends(axis)
    print("all points: above the Bayes error, in percentage points")
    print_table("share of class 0", balances, excess)
    print("\nrare class: expected error, in percent. Bayes optimal: " + ", ".join(f"{100 * error:.1f}" for error in best[:, 0]))
    print_table("share of class 0", balances, on_rare)
    print(f"\nshare 0.05, frequent class: Bayes optimal {100 * best[-1, 1]:.2f} %, perceptron", end=" ")
    print(f"{100 * by_balance['Perceptron'][-1, :, 1].mean():.2f} %" if "Perceptron" in by_balance else "–")
    print("\nshare 0.05, rare class     precision    recall        F1")
    for name, errors in {"Bayes optimal": best[-1:, None], **by_balance}.items():
        of_rare, of_frequent = errors[-1].mean(axis=0)  # expected errors
        hits, false_alarms = 0.05 * (1 - of_rare), 0.95 * of_frequent
        precision, recall = hits / (hits + false_alarms), 1 - of_rare
        print(f"{name:25} {precision:10.3f} {recall:9.3f} {2 * precision * recall / (precision + recall):9.3f}")

# %% [markdown] tags=["answer", "exercise-1.8"]
# **Explain.** How can the perceptron beat the Bayes-optimal classifier on the rare class? Which learner misclassifies most of it?
# **Transfer.** Missing a rare disease costs twenty times as much as a false alarm. What would you change? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.8"]
# <!-- numbers: balance -->
# **One answer.** In exchange it makes more mistakes on the frequent class. The Bayes-optimal classifier minimises the *total* error; the perceptron
# misclassifies 31.16 % of the rare class instead of 35.5 %, but 1.19 % of the frequent class instead of 0.70 %, and its total error is 0.24 percentage
# points higher. The same holds for maximum entropy with $\lambda = 1$ (27.54 %): its small weights cannot express how rare the class is. The SVM with
# $\lambda = 1$ misclassifies more than half of the rare class (55.31 %): the hinge losses of a few points weigh less than the penalty on large
# weights. With $\lambda = 0.01$ it misclassifies 42.12 %. *Transfer:* the cost matrix $\rho$, or the threshold: predict the disease if its probability
# exceeds one in twenty-one.

# %% tags=["skip-execution"]
lab.reveal("1.8")

# %% [markdown]
# ### Testing the guide's table
#
# The guide closes with a table; in short form:
#
# | | naive Bayes | perceptron | MIRA | maximum entropy | SVM |
# |---|---|---|---|---|---|
# | generative or discriminative | G | D | D | D | D |
# | true model not in the hypothesis class | bad | fair (may not converge) | good | good | good |
# | features overlap | fair | good | good | good | good |
# | training | closed form | easy | easy | fair | fair |
# | hyper-parameters | 1 (smoothing) | 0 | 1 | 1 | 1 |
#
# We can test two of its rows here.
#
# **Overlapping features.** Naive Bayes assumes that features are independent. If it gets the same feature several
# times, it counts the same evidence several times. Below, $x_1$ is repeated. The best classifier does not change.

# %% [markdown] tags=["predict"]
# **Predict.** A classifier that uses only $x_1$ has the expected error $\Phi(-1) = 0.159$. Which learners will come close to it? *Your
# prediction:*

# %% tags=["cell-copies", "exercise-1.8"]
with lab.exercise("1.8"):
    copies = [0, 1, 3, 15]
    overlap = {}
    for n_copies in copies:

        def with_copies(X, n_copies=n_copies):
            """x_1 repeated: (M, 2 + n_copies)."""
            return np.hstack([X, np.repeat(X[:, :1], n_copies, axis=1)])

        def without_copies(params):
            """The weights (3, K) on the two features that do the same: those of the copies added up."""
            folded = params[:3].copy()
            folded[1] += params[3:].sum(axis=0)
            return folded

        for name, errors in compare([{}], with_copies, without_copies, nr_examples=200).items():
            overlap.setdefault(name, []).append(errors[0].mean(axis=1))
    fig, axis = plt.subplots(figsize=(11.5, 6), layout="constrained")
    figures.plot_curves(copies, overlap, axis)
    axis.axhline(ndtr(-1), color="0.4", linestyle=":")
    axis.text(0.2, ndtr(-1) + 0.001, "$x_1$ alone: Φ(−1)", color="0.3")
    axis.plot([0, 15], [sd.get_bayes_error()] * 2, color="black", linewidth=3, label="Bayes optimal")
    axis.set(xlabel="copies of $x_1$", ylabel="expected error", xlim=(0, 15), xticks=copies)
    figures.label_ends(axis)
    print(f"expected error, in percent; with x_1 alone {100 * ndtr(-1):.1f}, Bayes error {100 * sd.get_bayes_error():.2f}")
    print_table("copies of x_1", copies, {name: np.array(found) for name, found in overlap.items()})

# %% [markdown] tags=["answer", "exercise-1.8"]
# **Explain.** Maximum entropy does not assume independence. Why does its error rise with the copies at $\lambda = 1$, but not at 0.01?
# **Transfer.** Text is full of overlapping features: "not", "not_worth", "worth". Why is naive Bayes nevertheless so good on text?
# *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.8"]
# <!-- numbers: copies -->
# **One answer.** Splitting a weight $w$ over $n$ equal features costs $n(w/n)^2 = w^2/n$ instead of $w^2$. So the penalty favours the
# repeated feature: at $\lambda = 1$ the error of maximum entropy rises from 7.91 % to 11.00 %, that of the SVM from 7.95 % to 9.15 %. At
# $\lambda = 0.01$ the penalty is too small to matter (8.05 % and 8.10 %). The perceptron and MIRA have no penalty, and their errors hardly
# change. *Transfer:* evidence that counts twice makes the probabilities of naive Bayes too extreme. But the argmax depends only on which score
# is larger, and the evidence for both classes counts twice.

# %% tags=["skip-execution"]
lab.reveal("1.8")

# %% [markdown]
# **A wrong model.** There are two cases. *First:* class 1 gets a second cluster of points, far away on its own side. These points are
# very easy to classify. A line is still a good boundary, but class 1 is no longer a Gaussian. *Second:* class 0 has variance 0.4 and
# lies inside class 1, which has variance 2.5. Now no line is a good boundary.

# %% [markdown] tags=["predict"]
# **Predict.** Which learners suffer in each case? Does more data help? *Your prediction:*

# %% tags=["cell-far-cluster", "exercise-1.8"]
with lab.exercise("1.8"):
    plain = {"g1": [[-1, -1], 0.5], "g2": [[1, 1], 0.5]}

    def with_far_cluster(size, seed):
        """A sample of the plain classes, and a fifth as many points far away that are of class 1."""
        data = SimpleDataSet(nr_examples=size, split=[1, 0, 0], seed=seed, **plain)
        far = np.random.default_rng(seed).normal([9, 3], np.sqrt(0.5), size=(size // 5, 2))
        return data, np.vstack([data.train_X, far]), np.concatenate([data.train_y, np.ones(size // 5, dtype=int)])

    data, X, y = with_far_cluster(50, seed=1)
    fig, axis = plt.subplots(figsize=(12, 6), layout="constrained")
    data.plot_data(ax=axis, print_bayes_opt=False)
    axis.plot(*X[50:].T, "s", color="#0072B2", markersize=9, markeredgecolor="white")
    axis.set(xlim=(-4, 11), ylim=(-5, 6), title="class 1 has a second cluster")
    data.add_line(fig, axis, data.get_bayes_optimal(), "Bayes optimal without it", "black")
    sizes, by_size, classifiers = [50, 800], {}, learners()
    for size in sizes:
        for seed in range(NR_SAMPLES):
            data, X, y = with_far_cluster(size, seed)
            for name, classifier in classifiers.items():
                try:
                    params = classifier.train(X, y)
                except NotImplementedError:
                    continue
                by_size.setdefault(name, {}).setdefault(size, []).append(errors_of_classes(params, data).mean())
                if (size, seed) == (50, 1):
                    colour = figures.line_style(name, int(name.endswith("0.01")), 2)["color"]
                    data.add_line(fig, axis, params, name, colour)
    print(f"expected error on the first two clusters, in percent; Bayes error {100 * data.get_bayes_error():.2f}")
    print_table("points in the first two clusters", sizes, {name: np.array(list(found.values())) for name, found in by_size.items()})

# %% tags=["cell-no-line", "exercise-1.8"]
with lab.exercise("1.8"):
    inside = {"g1": [[-0.5, -0.5], 0.4], "g2": [[0.5, 0.5], 2.5]}
    sizes = [50, 800]
    of_lines = {name: errors.mean(axis=2) for name, errors in compare([{"nr_examples": size} for size in sizes], **inside).items()}
    fresh = SimpleDataSet(nr_examples=20_000, seed=100, **inside)  # the formula is for lines; a curve needs a test set
    of_curves = []
    for size in sizes:
        for seed in range(NR_SAMPLES):
            data = SimpleDataSet(nr_examples=size, split=[1, 0, 0], seed=seed, **inside)
            classifier = GaussianNaiveBayes("per_class")
            params = classifier.train(data.train_X, data.train_y)
            of_curves.append(1 - classifier.evaluate(fresh.y, classifier.test(fresh.X, params)))
    of_curves = {"Naive Bayes, a variance per class": np.reshape(of_curves, (len(sizes), NR_SAMPLES))}
    print(f"expected error, in percent; Bayes error {100 * fresh.get_bayes_error():.2f}")
    print_table("training points", sizes, of_lines)
    print_table("test error on 20 000 points", sizes, of_curves)

# %% [markdown] tags=["answer", "exercise-1.8"]
# **Explain.** Which entries of the table's row "true model not in the hypothesis class" are right, and which are wrong? **Transfer.** What
# could a linear learner do in the second case? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.8"]
# <!-- numbers: far-cluster, no-line -->
# **One answer.** With the far cluster the table is right: bad for naive Bayes, good for the others. The perceptron's average is nearly as
# good as the others (2.32 % with 800 points), although its weights may never converge. Where no line is a good boundary, "good" is wrong
# for all: MIRA and the SVM with $\lambda = 1$ have 22.56 % and 22.54 %, the perceptron 25.15 %, and the Bayes error is 15.32 %. A
# discriminative learner does not help if no classifier among its hypotheses is good. *Transfer:* use the squares $x_1^2$, $x_2^2$ as
# features, or a kernel.

# %% tags=["skip-execution"]
lab.reveal("1.8")

# %% [markdown]
# ### The same classifiers in scikit-learn
#
# | here | in scikit-learn | what to watch |
# |---|---|---|
# | `GaussianNaiveBayes("per_class")` | `GaussianNB` | it has no shared variance; `LinearDiscriminantAnalysis` shares a whole covariance matrix |
# | `MultinomialNaiveBayes(smooth_param=α)` | `MultinomialNB(alpha=α)` | |
# | `Perceptron` | `SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1, penalty=None, average=True)` | it trains one vector per class against the rest; scikit-learn's `Perceptron` does not average |
# | `Mira(regularizer=λ)` | `SGDClassifier(loss="hinge", learning_rate="pa1", eta0=1/λ, penalty=None, average=True)`, formerly `PassiveAggressiveClassifier(C=1/λ)` | it also updates after right predictions with a margin below 1 |
# | `MaxEntBatch(regularizer=λ)` | `LogisticRegression(C=1/(λM))`, for two classes `C=2/(λM)` | it does not regularize the intercept |
# | `SVM(regularizer=λ, solver="dual")` | `LinearSVC(multi_class="crammer_singer", C=1/(λM))`, for two classes also `LinearSVC(loss="hinge", C=2/(λM))` | its default loss is the *squared* hinge |
#
# Scikit-learn's `C` multiplies the *sum* of the losses; our $\lambda$ multiplies the penalty, which is added to their *mean*. Dividing $F$ by $\lambda$
# gives `C` $= 1/(\lambda M)$. With two classes scikit-learn has one vector $v = w_1 - w_0$. At the optimum $w_1 = -w_0 = v/2$, so
# $\tfrac\lambda2\lVert W\rVert^2 = \tfrac\lambda4\lVert v\rVert^2$: hence the 2. The next cell checks this:

# %% tags=["cell-sklearn"]
try:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC
except ImportError:
    print("scikit-learn is not installed")
else:
    X, y, strength = sd.train_X, sd.train_y, 0.1
    ours = MaxEntBatch(strength, regularize_intercept=False, tolerance=1e-9).train(X, y)
    theirs = LogisticRegression(C=2 / (strength * len(y)), tol=1e-9).fit(X, y)
    print("maximum entropy: w_1 − w_0 =", (ours[1:, 1] - ours[1:, 0]).round(4), "  LogisticRegression:", theirs.coef_[0].round(4))
    ours = SVM(strength, solver="dual", tolerance=1e-7).train(X, y)
    theirs = LinearSVC(loss="hinge", C=2 / (strength * len(y)), tol=1e-9, max_iter=1_000_000).fit(X, y)
    print("SVM:             w_1 − w_0 =", (ours[1:, 1] - ours[1:, 0]).round(3), "    LinearSVC:         ", theirs.coef_[0].round(3))
