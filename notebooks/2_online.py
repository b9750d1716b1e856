# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 2 · Online learning: the perceptron and MIRA
#
# Naive Bayes derives its weights from a model of the data, and never looks at its own mistakes. Online learners search for the weights
# directly: they take one example at a time, and change the weights only as far as that example requires. Such learners are a few lines long and
# hold only one example in memory.
#
# **Goals.** After this notebook you can
#
# - do a perceptron step by hand, and explain why it helps;
# - explain why we average the weights over all steps;
# - derive MIRA's step, and explain what its cap does.
#
# **Before.** You need notebook 1, section D (features and linear classifiers), and inner products. Symbols: [notation](notation.md).
#
# **Time.** The core takes about 85 minutes, 65 of them in the afternoon; what is further takes about 140.
#
# | exercise | when | what you do | file |
# |---|---|---|---|
# | 1.4 | afternoon | write the perceptron's rule, and watch its boundary move | `classifiers/perceptron.py` |
# | 1.5 | afternoon | write MIRA, and run it for several λ | `classifiers/mira.py` |
# | 1.4b | further | write the loop of every online learner | `classifiers/online_loop.py` |
# | 1.9 | further | average all weights of a run | `classifiers/running_average.py` |
# | 1.10 | further | write column squishing: the exact update for many classes | `classifiers/column_squishing.py` |
# | 1.12 | further | write the mistake bound, and test it | `classifiers/mistake_bounds.py` |
#
# Experiments have the same three parts as in notebook 1: predict, run, explain. `lab.reveal("1.4")` opens the model answer after you have
# written yours and saved the notebook.

# %% [markdown]
# ## Open the lab

# %% tags=["open-lab"]
from lxmls_day1.lab_api import open_lab
lab = open_lab()

# %%
import matplotlib.pyplot as plt
import numpy as np

from lxmls_day1.lab_api import figures
from readers.simple_data_set import SimpleDataSet


def accuracies(classifier, params, data):
    """The share of right labels on the training and on the test part of a data set."""
    parts = [(data.train_X, data.train_y), (data.test_X, data.test_y)]
    return [classifier.evaluate(y, classifier.test(X, params)) for X, y in parts]


def mean_and_error(numbers):
    """The mean of several samples and its standard error, as text."""
    return f"{np.mean(numbers):.4f} ± {np.std(numbers, ddof=1) / np.sqrt(len(numbers)):.4f}"


sd = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
overlapping = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 2], g2=[[1, 1], 2])

# %% tags=["real-data"]
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
# ## A. One loop
#
# With $g(x) = (1, x)$ and one column of weights per class, $W \in \mathbb R^{(J+1)\times K}$, the scores of an example
# are $s = W^\top g(x)$, and the prediction is $\hat y = \arg\max_y s_y$ (of equal scores the first). Every learner of
# this notebook runs the same loop:
#
# > **Input:** examples $(x^m, y^m)$, number of rounds $N$.<br>
# > $W \leftarrow 0$<br>
# > **for** each of $N$ rounds: **for** $m$ in a fresh random order of $1, \dots, M$:<br>
# > $\qquad s \leftarrow W^\top g(x^m)$<br>
# > $\qquad d \leftarrow \text{rule}(s, y^m, \dots)$, a vector in $\mathbb R^K$<br>
# > $\qquad W \leftarrow W + g(x^m)\, d^\top$<br>
# > **Output:** the mean of the $T = NM$ matrices $W$, one after each step (or the last $W$).
#
# The rule determines how much of the example is added to the weights of each class: $d_k > 0$ pulls the weights of
# class $k$ towards $x$, $d_k < 0$ pushes them away. The algorithms differ only in the rule.
#
# In exercise 1.4 you write the first rule. (*Further*, exercise 1.4b: the loop itself.)

# %% [markdown]
# ## B. The perceptron
#
# Rosenblatt's rule of 1958: if the prediction is right, change nothing. If it is wrong, add the example to the true
# class and subtract it from the predicted class,
#
# $$ d = e_y - e_{\hat y}, $$
#
# where $e_k$ is 1 at class $k$ and 0 elsewhere (so $d = 0$ if $\hat y = y$).
#
# **Why the step helps.** Two columns change, each by $g(x)$. So the score of the true class rises by
# $\lVert g(x)\rVert^2$, and the score of the predicted class falls by the same amount:
#
# $$ s'_y - s'_{\hat y} \;=\; s_y - s_{\hat y} + 2\,\lVert g(x)\rVert^2 . $$
#
# ### A run by hand
#
# Three points, two classes, in this order: $(2, 1)$ of class 1, then $(1, -2)$ and $(-1, 1)$ of class 0. Start with
# $W = 0$; if the scores are equal, class 0 is predicted. Fill in a table of your own before you run the cell: scores,
# $\hat y$, $d$, and the new column $w_1$ (always $w_0 = -w_1$).

# %% tags=["cell-by-hand"]
three_points, three_labels = np.array([[2.0, 1.0], [1.0, -2.0], [-1.0, 1.0]]), np.array([1, 0, 0])
W = np.zeros((3, 2))
states = [W.copy()]
print("step  g(x)        y  s_0, s_1   ŷ  d         w_1 = −w_0     s_y − s_ŷ before, after")
for step in range(6):
    x, y = three_points[step % 3], three_labels[step % 3]
    g = np.array([1.0, *x])
    s = W.T @ g
    predicted = int(np.argmax(s))
    d = np.eye(2)[y] - np.eye(2)[predicted]
    W = W + np.outer(g, d)
    states.append(W.copy())
    after = W.T @ g
    change = f"{s[y] - s[predicted]:g} → {after[y] - after[predicted]:g}, 2‖g‖² = {2 * g @ g:g}" if d.any() else "no mistake"
    print(
        f"{step + 1:4d}  ({g[0]:g}, {g[1]:2g}, {g[2]:2g})  {y}   {s[0]:2g}, {s[1]:2g}    {predicted}  "
        f"({d[0]:2g}, {d[1]:2g})  ({W[0, 1]:2g}, {W[1, 1]:2g}, {W[2, 1]:2g})   {change}"
    )

# %% [markdown]
# <!-- numbers: by-hand -->
# After three mistakes the perceptron makes no more: in the second round it classifies all three points correctly, and the
# weights do not change. The picture shows step 3. The arrow $w = w_1 - w_0$ is the direction in which class 1 gains over
# class 0. The boundary is perpendicular to $w$; the intercept shifts it. The ringed point belongs to class 0, so twice
# its vector is *subtracted*.

# %%
from lxmls_day1.lab_api import figures

fig, axes = plt.subplots(1, 4, figsize=(12, 3.6), layout="constrained")
fig, axes = figures.plot_update(three_points, three_labels, 2, states[2], states[3], axes)

# %% [markdown]
# The demonstration `lab.demo("online_steps")` shows every step of a run like this.
#
# Data are **linearly separable** if some $W$ gives every example's true class the highest score, with no ties. For two
# classes this means that a line (in more dimensions a hyperplane) has one class on each side: a *separating hyperplane*.
# On separable training data the perceptron makes only finitely many mistakes; exercise 1.12 (*Further*) bounds their
# number.

# %% [markdown]
# ## Exercise 1.4: the perceptron's rule
#
# ```python
# def perceptron_rule(scores, label, sq_norm, step, cost):
#     d = np.zeros(len(scores))
#     ...  # your lines
#     return d
# ```
#
# Write `perceptron_rule` in `classifiers/perceptron.py`: it computes $d$ from the scores of an example and its true class. Once it
# is written, `Perceptron` trains with your rule.

# %% [markdown] tags=["predict"]
# **Predict.** There are three classes, and class 1 is the true one. What is $d$ for the scores $(1, 3, 2)$, $(3, 1, 2)$,
# $(2, 2, 0)$ and $(0, 0, 0)$? Does it matter by how much the highest score exceeds the others? *Your prediction:*

# %% tags=["cell-rule"]
with lab.exercise("1.4"):
    from classifiers.perceptron import perceptron_rule

    for scores in [(1, 3, 2), (3, 1, 2), (2, 2, 0), (0, 0, 0)]:
        d = perceptron_rule(np.array(scores, dtype=float), 1, 5.0, 1.0, np.array([1.0, 0.0, 1.0]))
        print(f"scores {scores}: d = ({', '.join(f'{value:g}' for value in d)})")

# %% tags=["skip-execution"]
lab.check("1.4")

# %% [markdown]
# Now train with your rule, on points and on reviews.

# %% tags=["cell-perceptron"]
with lab.exercise("1.4"):
    from classifiers.perceptron import Perceptron

    perceptron = Perceptron(nr_rounds=10)
    params_perc_sd = perceptron.train(sd.train_X, sd.train_y)
    train, test = accuracies(perceptron, params_perc_sd, sd)
    print(f"{sd.get_name()}: train {train:.2f}, test {test:.2f} (weights: the average of all steps)")
    mistakes = [round.updates for round in perceptron.history]
    print("mistakes in each round:", mistakes, "  total:", sum(mistakes))

# %% tags=["real-data", "cell-perceptron-reviews"]
with lab.exercise("1.4"):
    params_perc_sc = perceptron.train(reviews.train_X, reviews.train_y)
    train, test = accuracies(perceptron, params_perc_sc, reviews)
    print(f"{reviews.get_name()}: train {train:.4f}, test {test:.4f}")
    print("mistakes in each round:", [round.updates for round in perceptron.history])

# %% [markdown] tags=["answer"]
# **Explain.** (1) What would happen if the step only raised the true class? (2) On the points there are mistakes in the first rounds only. What does
# that tell you about the points? *Your answer:*

# %% [markdown] tags=["solution"]
# <!-- numbers: perceptron, perceptron-reviews -->
# **One answer.** (1) The gap between the predicted and the true class would shrink by $\lVert g\rVert^2$ instead of $2\lVert g\rVert^2$, so that
# training would take more updates. (2) There are 20 mistakes in six rounds, then none: some $W$ classifies every training point correctly, so the
# points are separable. On the reviews the mistakes fall from 551 in the first round to 3 in the tenth: with so many features the reviews are easy
# to separate.

# %% tags=["skip-execution"]
lab.reveal("1.4")

# %% [markdown] tags=["exercise-1.4", "evening"]
# ### How the boundary moves
#
# *For the evening. In the afternoon, go on at section C.*
#
# `train` takes a function `callback(round, weights, params)` that it calls after every round: `weights` is $W$ at that moment, `params` the
# average so far. `Perceptron.weights_of_rounds` keeps both. The cell plots both for classes that overlap, and then prints their directions
# for classes that a line separates.

# %% tags=["cell-rounds", "exercise-1.4", "evening"]
with lab.exercise("1.4"):
    from classifiers.perceptron import Perceptron

    perceptron = Perceptron(nr_rounds=20)
    weights_after, averages_after = perceptron.weights_of_rounds(overlapping.train_X, overlapping.train_y)

    fig, axes = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
    for axis, title, history in zip(axes, ["weights", "averages"], [weights_after, averages_after], strict=True):
        overlapping.plot_data(ax=axis)
        for number in range(5, 21, 5):
            colour = figures.line_style("perceptron", 20 - number, 16)["color"]
            overlapping.add_line(fig, axis, history[number - 1], f"round {number}", colour)
        axis.set_title(f"{title} after every fifth round")
    axes[0].get_legend().remove()
    print("variance 2, mistakes in each round:\n", [round.updates for round in perceptron.history])

    separable_points = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 0.25], g2=[[1, 1], 0.25])
    perceptron = Perceptron(nr_rounds=20)
    weights_after, averages_after = perceptron.weights_of_rounds(separable_points.train_X, separable_points.train_y)
    print("\nvariance 0.25, mistakes in each round:\n", [round.updates for round in perceptron.history])
    print("direction of w_1 − w_0 after round:")
    for number in (1, 2, 3, 5, 10, 20):
        angles = []
        for history in (weights_after, averages_after):
            w = history[number - 1][1:, 1] - history[number - 1][1:, 0]
            angles.append(np.degrees(np.arctan2(w[1], w[0])))
        print(f"{number:4d}: weights {angles[0]:.2f}°, average {angles[1]:.2f}°")

# %% [markdown] tags=["answer", "exercise-1.4", "evening"]
# **Explain.** Why do the weights never converge on overlapping classes, and why does the average nearly converge?
#
# **Transfer.** You sort the examples, class 0 first and then class 1, and visit them in this order in every round. Which would you use at
# the end, the last weights or the average? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.4", "evening"]
# <!-- numbers: rounds -->
# **One answer.** No line separates these points, so every round has mistakes, and every mistake moves the line. The
# last few mistakes decide where the line ends. In the average each step counts only $1/T$, so the average over many rounds hardly moves. On
# the separable points the last mistake is in round 1: after it the weights keep the direction 43.25°. The average still contains all the
# earlier matrices: 61.17° after round 1, 51.34° after round 2, and still 43.99° after round 20. After the last mistake, in step $t_0$,
# every later matrix equals $W$, so $\overline W_T = W + \frac{t_0}{T}\big(\overline W_{t_0} - W\big)$: the distance to $W$ shrinks like
# $1/T$ and never becomes zero.
#
# *Transfer.* The average. In the second half of each round the weights have been pulled towards class 1: where the
# classes overlap, the last weights predict class 1 too often. The average contains the weights of both halves. A random
# order is better still.

# %% tags=["skip-execution", "evening"]
lab.reveal("1.4")

# %% [markdown]
# ## C. MIRA: the size of the step
#
# On a mistake the perceptron adds $g(x)$ exactly once, however large or small the mistake was. The **margin infused
# relaxed algorithm** makes the *smallest* change of the weights that classifies the example correctly with a margin;
# a slack $\xi$ relaxes this constraint:
#
# $$
# \min_{W',\,\xi \ge 0}\; \frac{\lambda}{2}\lVert W' - W\rVert^2 + \xi
# \qquad\text{such that}\qquad s'_y \;\ge\; s'_{\hat y} + \rho(\hat y, y) - \xi .
# $$
#
# $\rho(\hat y, y)$ is the cost of the mistake, 1 unless told otherwise. A large $\lambda$ penalizes changes of the
# weights. (It is not the $\lambda$ of notebook 3: MIRA's does not shrink the weights.)
#
# **The solution.** The constraint contains only the scores of $y$ and $\hat y$, so the shortest change moves only
# these two columns, by $\tau g(x)$ and $-\tau g(x)$; its length is $\tau\sqrt2\,\lVert g(x)\rVert$. The step must
# close a gap of $\ell = s_{\hat y} - s_y + \rho(\hat y, y)$, and a step of $\tau$ closes $2\tau\lVert g(x)\rVert^2$ of
# it. So we minimise over $\tau \ge 0$
#
# $$ \lambda\, \tau^2 \lVert g(x)\rVert^2 + \max\big(0,\; \ell - 2\tau \lVert g(x)\rVert^2\big) . $$
#
# As long as the gap is open, the slope is $2\lVert g(x)\rVert^2 (\lambda\tau - 1)$. This is negative until
# $\tau = 1/\lambda$ or until the gap is closed, whichever comes first. Hence
#
# $$
# d = \tau\,(e_y - e_{\hat y}), \qquad
# \tau = \min\left\{\frac1\lambda,\;\; \frac{s_{\hat y} - s_y + \rho(\hat y, y)}{2\,\lVert g(x)\rVert^2}\right\}
# \quad\text{if } \hat y \ne y, \qquad d = 0 \text{ otherwise.}
# $$
#
# We call $1/\lambda$ the **cap** $\tau_{\max}$. With $\tau = 1$ on every mistake this is the perceptron.
# *Passive-aggressive* learning (PA-I, see *Further*) makes the same step also after right predictions, if the margin
# is too small.
#
# > **A common mistake.** The denominator is $\lVert f(x,y) - f(x,\hat y)\rVert^2 = 2\lVert g(x)\rVert^2$: two columns
# > move, and $g(x)$ includes the intercept's 1. Many programs forget the 2, and their steps are twice as long as they should be.
#
# ## Exercise 1.5: MIRA
#
# ```python
# def mira_rule(scores, label, sq_norm, step, cost):
#     ...  # your lines
# ```
#
# 1. Write `mira_rule` in `classifiers/mira.py`. It gets `step`, which is the cap $1/\lambda$, `sq_norm`, which is
#    $\lVert g(x)\rVert^2$, and `cost`, the vector $\rho(\cdot, y)$.
# 2. Compare its step with the perceptron's, for several caps.
# 3. Repeat the perceptron's experiments on overlapping points and on reviews.

# %% [markdown] tags=["predict"]
# **Predict.** Take step 3 of the run by hand: $g(x) = (1, -1, 1)$, $s_y = -2$, $s_{\hat y} = 2$. Compute $\tau$ for the
# caps 1, 0.25 and 0.1, and the margin $s'_y - s'_{\hat y}$ after each step. Which steps put the point on the correct
# side of the boundary? *Your prediction:*

# %% tags=["cell-caps"]
with lab.exercise("1.5"):
    from classifiers.mira import mira_rule
    from classifiers.perceptron import perceptron_rule

    W, g, y = states[2], np.array([1.0, -1.0, 1.0]), 0
    s, cost = W.T @ g, np.array([0.0, 1.0])
    steps = [("perceptron", perceptron_rule(s, y, g @ g, 1.0, cost))]
    steps += [(f"MIRA, cap {cap:g}", mira_rule(s, y, g @ g, cap, cost)) for cap in (1.0, 0.25, 0.1)]
    fig, axis = plt.subplots(figsize=(10, 5.6), layout="constrained")
    axis.set(xlim=(-3, 3), ylim=(-3, 3), aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
    for point, label in zip(three_points, three_labels, strict=True):
        axis.plot(*point, "s^"[label], color=figures.CLASS_COLOURS[label], markersize=12)
    axis.plot(-1, 1, "o", markersize=22, markerfacecolor="none", markeredgecolor="black", markeredgewidth=2)
    sd.add_line(fig, axis, W, "before the step", "0.6")
    print(f"before: s_y − s_ŷ = {s[y] - s[1]:g}")
    for number, (name, d) in enumerate(steps):
        after = W + np.outer(g, d)
        margin = (after.T @ g)[y] - (after.T @ g)[1]
        print(f"{name:16} τ = {d[y]:.3f}, s_y − s_ŷ after the step = {margin:.3f}")
        colour = figures.line_style(name, max(0, number - 1), 3)["color"]
        fig, axis = sd.add_line(fig, axis, after, name, colour)
    right = mira_rule(np.array([2.0, 1.0]), 0, 5.0, 1.0, cost)
    print("a right prediction with a margin of 1: d =", np.abs(right).tolist())

# %% tags=["skip-execution"]
lab.check("1.5")

# %% [markdown] tags=["evening"]
# The rest of this exercise, MIRA on overlapping points and on reviews, is for the evening. In the afternoon, go on with
# [notebook 3](3_maxent_svm.ipynb).

# %% tags=["cell-mira-points", "evening"]
with lab.exercise("1.5"):
    from classifiers.mira import Mira
    from classifiers.perceptron import Perceptron

    fresh = SimpleDataSet(nr_examples=20_000, g1=[[-1, -1], 2], g2=[[1, 1], 2], seed=1000)
    learners = [("perceptron", Perceptron)]
    learners += [(f"MIRA, λ = {value:g}", lambda value=value: Mira(regularizer=value)) for value in (0.1, 1.0, 10.0, 100.0)]
    errors = {name: [] for name, _ in learners}
    lengths, updates = {}, {}
    for seed in range(1, 21):
        data = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 2], g2=[[1, 1], 2], seed=seed)
        for name, make in learners:
            learner = make()
            params = learner.train(data.train_X, data.train_y)
            errors[name].append(1 - learner.evaluate(fresh.y, learner.test(fresh.X, params)))
            lengths.setdefault(name, np.linalg.norm(params))
            updates.setdefault(name, learner.nr_updates)
    for name, _ in learners:
        print(f"{name:14} expected error {mean_and_error(errors[name])};  first sample: {updates[name]:3d} updates, ‖W‖ = {lengths[name]:.3f}")
    print(f"Bayes error    {fresh.get_bayes_error():.4f}")
    squared = 1 + (overlapping.train_X**2).sum(axis=1)
    print(f"half of the points have ‖g‖² above {np.median(squared):.1f}")

# %% [markdown] tags=["predict", "evening"]
# **Predict.** Now train on the reviews, with λ from 0.1 to $2^{20}$ (so large that every step is as long as the cap).
# For which λ does the curve change, and for which is it flat? *Your prediction:*
#
# We choose λ on a **development part**, which is used neither for training nor for testing: 1200 reviews to train on,
# 400 to choose λ, and 400 for one test at the end. (Notebook 3 explains why.)

# %% tags=["real-data", "cell-mira-reviews", "evening"]
with lab.exercise("1.5"):
    from classifiers.mira import Mira
    from classifiers.perceptron import Perceptron

    parts = SentimentCorpus(reviews.domain, train_per=0.6, dev_per=0.2)
    regularizers = [0.1, 1.0, 10.0, 100.0, 1000.0, 2.0**14, 2.0**20]
    curve, weights = [], []
    for regularizer in regularizers:
        mira = Mira(regularizer=regularizer)
        weights.append(mira.train(parts.train_X, parts.train_y))
        row = [mira.evaluate(y, mira.test(X, weights[-1])) for X, y in [(parts.train_X, parts.train_y), (parts.dev_X, parts.dev_y)]]
        curve.append(row)
        print(f"λ = {regularizer:9.1f}: train {row[0]:.4f}, development {row[1]:.4f}, {mira.nr_updates} updates")
    curve = np.array(curve)
    perceptron = Perceptron()
    params = perceptron.train(parts.train_X, parts.train_y)
    of_perceptron = perceptron.evaluate(parts.dev_y, perceptron.test(parts.dev_X, params))
    print(f"perceptron:    development {of_perceptron:.4f}, {perceptron.nr_updates} updates")
    best = int(curve[:, 1].argmax())
    test = mira.evaluate(parts.test_y, mira.test(parts.test_X, weights[best]))
    deviation = np.sqrt(test * (1 - test) / parts.test_X.shape[0])
    print(f"chosen: λ = {regularizers[best]:g}; test accuracy: {test:.4f} ± {deviation:.4f}")
    squared = 1 + np.asarray(parts.train_X.multiply(parts.train_X).sum(axis=1)).ravel()
    print(f"half of the reviews have ‖g‖² above {np.median(squared):.0f}; a gap of 1 then needs a step of {1 / (2 * np.median(squared)):.4f}")

    style = figures.line_style("MIRA")
    fig, axis = plt.subplots(figsize=(9.5, 5), layout="constrained")
    axis.errorbar(regularizers, curve[:, 1], np.sqrt(curve[:, 1] * (1 - curve[:, 1]) / parts.dev_X.shape[0]),
                  marker="o", capsize=4, label="MIRA, development, ± one standard error", **style)
    axis.axhline(of_perceptron, label="perceptron, development", **figures.line_style("perceptron"))
    axis.set(xscale="log", xlabel="λ (the cap is 1/λ)", ylabel="accuracy")
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)

# %% [markdown] tags=["answer", "evening"]
# **Explain.** (1) For which λ does the curve on the reviews not change at all, and why? Use the typical $\lVert g\rVert^2$. (2) For very large λ
# *every* step is as long as the cap. Which algorithm is that, and why does the length not matter? (3) The curve has a peak. How many more
# reviews than the perceptron does MIRA classify correctly there, and how large is a standard error? *Your answer:*

# %% [markdown] tags=["solution", "evening"]
# <!-- numbers: mira-reviews, caps -->
# **One answer.** (1) Half of the reviews have $\lVert g\rVert^2 > 142$, so a gap of 1 needs a step of 0.0035. As long as
# the cap is above all steps that are needed, λ changes nothing: λ = 0.1, 1 and 10 give the same classifier with 752
# updates. At λ = 100 the cap is 0.01, and it limits some steps. (2) Then MIRA is the perceptron with steps of $1/\lambda$
# instead of 1. All scores are multiplied by the same number, which changes no argmax, and so no mistake (if $W$ starts at
# 0): with the largest λ MIRA and the perceptron both have 884 updates and an accuracy of 0.7750. (3) At λ = 100 the
# development accuracy is 0.7875, against 0.7750 for the perceptron: 5 more of the 400 reviews. The standard error is
# about 0.02, or 8 reviews, so the peak may well be chance. <!-- given: 0.01, 400, 0.02, 8 -->

# %% tags=["skip-execution", "evening"]
lab.reveal("1.5")

# %% [markdown] tags=["evening"]
# The demonstration `lab.demo("mira_step")` shows how τ depends on λ.

# %% [markdown]
# ## What to take home
#
# - All online learners share one loop and differ in the rule: the perceptron's is $d = e_y - e_{\hat y}$, MIRA's
#   $d = \tau(e_y - e_{\hat y})$.
# - A perceptron step raises the true class relative to the predicted class by $2\lVert g(x)\rVert^2$. On separable data the mistakes end.
#   Where no line separates the classes they never end, but the average of the weights hardly moves after many rounds.
# - MIRA's $1/\lambda$ caps the step. Where the cap limits no step, λ changes nothing; where it limits every step, MIRA is the
#   perceptron.
#
# **Next.** These learners correct mistakes one at a time. They do not measure how well the weights fit all the training data, nor give the
# probability of a prediction. [Notebook 3](3_maxent_svm.ipynb) minimises an objective instead.
#
# **Reading.** The guide, section 1.4. · F. Rosenblatt, *The perceptron*, Psychological Review 65, 1958. · A. Novikoff, *On convergence proofs
# for perceptrons*, 1962. · Y. Freund and R. Schapire, *Large margin classification using the perceptron algorithm*, Machine Learning 37, 1999:
# voted and averaged. · K. Crammer and Y. Singer, *Ultraconservative online algorithms for multiclass problems*, JMLR 3, 2003. · K. Crammer et
# al., *Online passive-aggressive algorithms*, JMLR 7, 2006. · H. Daumé III, *A Course in Machine Learning*, chapter 4. · [Errata](errata.md) of
# the guide and other sources.

# %% [markdown]
# ## Further
#
# The following exercises are independent.

# %% [markdown]
# ## Exercise 1.4b: the loop
#
# Write `online_loop` in `classifiers/online_loop.py`: the ten lines of section A, with three additions that other learners need.
# Each visit has its own `step`; the rule also receives $\lVert g\rVert^2$ and the costs; and each step may shrink the old
# weights:
#
# $$ W \leftarrow (1 - \eta_t \lambda)\, W + g\, d^\top . $$
#
# The function returns the last $W$ and the mean of the matrices after each step. The file contains a second rule to try,
# `regression_rule`. Your loop uses dense matrices, so it is slow on texts. `classifiers/online_classifier.py` adds shuffling, sparse
# data and speed.

# %% [markdown] tags=["predict"]
# **Predict.** Your loop and `Perceptron.train` visit the same ten points in the same order, five times. Are the two sets of weights
# the same, roughly the same, or different? *Your prediction:*

# %% tags=["cell-loop"]
with lab.exercise("1.4b"):
    from classifiers.online_loop import online_loop, regression_rule
    from classifiers.perceptron import Perceptron, perceptron_rule

    points, labels, order = sd.train_X[:10], sd.train_y[:10], np.arange(10)
    _, mean = online_loop(perceptron_rule, points, labels, np.tile(order, 5), np.ones(50), 1 - np.eye(2))
    params = Perceptron(nr_rounds=5, order=order).train(points, labels)
    print("Perceptron.train returns the same weights:", np.allclose(mean, params))

    visits = np.tile(np.arange(len(sd.train_X)), 5)
    for name, rule, step in [("perceptron", perceptron_rule, 1.0), ("regression", regression_rule, 0.1)]:
        W, mean = online_loop(rule, sd.train_X, sd.train_y, visits, np.full(visits.size, step), 1 - np.eye(2))
        G = np.hstack([np.ones((len(sd.test_X), 1)), sd.test_X])
        errors = [np.mean(np.argmax(G @ weights, axis=1) != sd.test_y) for weights in (W, mean)]
        print(f"{name}: test error {errors[0]:.2f} with the last weights, {errors[1]:.2f} with their mean")

# %% tags=["skip-execution"]
lab.check("1.4b")

# %% [markdown] tags=["answer"]
# **Explain.** (1) What had to change in the loop for the regression rule? (2) Suppose that the rule returns $d = 0$ from some visit
# on, and $\eta_t\lambda = 0.01$. How do the weights change from then on, and how do the predictions? (3) `Perceptron.train` is several
# hundred times faster than your loop on reviews. Which of your ten lines read or write numbers that do not change?
#
# **Transfer.** Write a rule of your own in five lines, for instance one that moves *two* rivals, and run it in your loop. *Your
# answer:*

# %% [markdown] tags=["solution"]
# **One answer.** (1) Nothing: the rule and the shorter step are both arguments. (2) The weights shrink by 1 % at each visit. All
# scores shrink by the same factor, so the predictions stay the same. (3) The scores, $W + g\,d^\top$ and the mean each go through the
# whole matrix; a review has some hundred words, the matrix tens of thousands of rows. Only the rows of the words that occur have to
# be read, and only these rows change; exercise 1.9 computes the mean without going through the matrix.
#
# *Transfer.* Sort the scores. If a wrong class is above the true class, give the true class $+1$ and the two highest wrong
# classes $-\frac12$ each.
# <!-- given: 1 % -->

# %% tags=["skip-execution"]
lab.reveal("1.4b")

# %% [markdown]
# ## Exercise 1.9: averaging at almost no cost
#
# The average over *all* steps,
#
# $$ \overline W = \frac1T \sum_{t=1}^{T} W^{(t)}, \qquad W^{(t)} \text{ the weights after step } t, $$
#
# seems to cost a pass over the whole matrix at every step. For text $J$ is tens of thousands, while a step without a
# mistake needs no update at all. There is a cheaper way. What step $t$ adds, $g\,d^\top$, is contained in
# $W^{(t)}, W^{(t+1)}, \dots, W^{(T)}$, that is, in all matrices except the first $t-1$. So
#
# $$
# \sum_{t=1}^T W^{(t)} = \sum_{t=1}^T \big(T - (t - 1)\big)\, g^{(t)} d^{(t)\top}
# = T\, W^{(T)} - \underbrace{\sum_{t=1}^T (t-1)\, g^{(t)} d^{(t)\top}}_{U},
# \qquad \overline W = W^{(T)} - \frac{U}{T} .
# $$
#
# Keep $U \leftarrow U + (t-1)\,g\,d^\top$ beside $W$: it changes only where $W$ changes. Each update then costs twice
# as much as without the average, and a step without a mistake adds no cost.
#
# Write `averaged_perceptron` in `classifiers/running_average.py`. The cell below compares it with the sum written out.

# %%
def averaged_as_defined(X, labels, order, n_classes):
    """The mean of the perceptron's matrices as it is defined: add one up after each step."""
    G = np.hstack([np.ones((len(X), 1)), X])
    W, total = np.zeros((G.shape[1], n_classes)), np.zeros((G.shape[1], n_classes))
    for m in order:
        predicted = np.argmax(G[m] @ W)
        W[:, labels[m]] += G[m]
        W[:, predicted] -= G[m]
        total += W
    return total / len(order)


with lab.exercise("1.9"):
    from classifiers.running_average import averaged_perceptron

    order = np.concatenate([np.random.default_rng(seed).permutation(50) for seed in range(3)])
    for steps in (1, 2, 150):
        average, U = averaged_perceptron(sd.train_X, sd.train_y, order[:steps])
        gap = np.abs(average - averaged_as_defined(sd.train_X, sd.train_y, order[:steps], 2)).max()
        print(f"after {steps:3d} steps both are the same to 1e-12: {gap < 1e-12}")

# %% tags=["skip-execution"]
lab.check("1.9")

# %% [markdown] tags=["predict"]
# **Predict.** We measure test accuracy after each of 15 rounds on the reviews, for the weights after the round and for
# the average so far. Which curve fluctuates more? Which is higher at the end? *Your prediction:*

# %% tags=["real-data", "cell-averaging"]
with lab.exercise("1.4"):
    from classifiers.perceptron import Perceptron

    last, averaged = [], []
    perceptron = Perceptron(nr_rounds=15)

    def measure(round, weights, params):
        for scores, W in [(last, weights), (averaged, params)]:
            scores.append(perceptron.evaluate(reviews.test_y, perceptron.test(reviews.test_X, W)))

    perceptron.train(reviews.train_X, reviews.train_y, callback=measure)
    rounds = np.arange(1, 16)
    fig, axis = plt.subplots(figsize=(9.5, 5), layout="constrained")
    colour = figures.line_style("perceptron")["color"]
    deviation = np.sqrt(averaged[-1] * (1 - averaged[-1]) / reviews.test_X.shape[0])
    axis.fill_between(rounds, np.array(averaged) - deviation, np.array(averaged) + deviation, color=colour, alpha=0.15)
    axis.plot(rounds, last, "s--", color="0.5", label="perceptron, weights after the round")
    axis.plot(rounds, averaged, "o-", color=colour, label="perceptron, average so far, ± one standard error")
    axis.set(xlabel="rounds", ylabel="test accuracy")
    legend = axis.legend()
    print(f"after the last round: weights {last[-1]:.4f}, average {averaged[-1]:.4f}, standard error {deviation:.4f}")
    print(
        f"lowest and highest from round 2 on: weights {min(last[1:]):.4f} … {max(last[1:]):.4f}, "
        f"average {min(averaged[1:]):.4f} … {max(averaged[1:]):.4f}"
    )
    updates = [round.updates for round in perceptron.history]
    per_review = reviews.train_X.nnz / reviews.train_X.shape[0]
    print(f"mistakes in each round: {updates}")
    naive = 15 * reviews.train_X.shape[0] * (reviews.nr_features + 1) * 2
    running = sum(updates) * 2 * 2 * (per_review + 1)
    print(f"numbers touched: {naive:.1e} by adding up every matrix, {running:.1e} by the running sum")

# %% [markdown] tags=["answer"]
# **Explain.** (1) When does the accuracy of the single matrices fluctuate most, and why less in later rounds? (2) From
# which round on do the weights stay the same, and how does the average change after that?
#
# **Transfer.** The *voted* perceptron lets every matrix predict and counts the votes; the averaged perceptron adds
# the matrices up before it predicts. For two classes, write both predictions as the sign of a sum over the matrices.
# Are they the same classifier? *Your answer:*

# %% [markdown] tags=["solution"]
# <!-- numbers: averaging -->
# **One answer.** (1) They fluctuate most in the early rounds, when the perceptron still makes many mistakes (551 in
# the first) and each of them moves the weights: from round 2 on the test accuracy of the single matrices lies between
# 0.76 and 0.82, that of the averages between 0.7825 and 0.82. In later rounds only a few mistakes are left, so the
# weights hardly move. (2) From round 13 on there is no mistake, and the weights do not change. The average goes on
# moving towards them, more and more slowly. At the end the average has an accuracy of 0.8175, the last weights 0.8000;
# the difference is less than a standard error, 0.0193.
# <!-- given: 13 -->
#
# *Transfer.* Let $w^{(t)}$ be the difference of the two columns after step $t$. The voted perceptron predicts by the sign of
# $\sum_t \operatorname{sign}(w^{(t)}\cdot g(x))$, the averaged perceptron by the sign of $\sum_t w^{(t)}\cdot g(x)$. They are
# not the same classifier: in the vote every matrix counts once, in the average a matrix with a large score counts more. (In
# both, weights that stay for many steps without a mistake count once for each of these steps.)

# %% tags=["skip-execution"]
lab.reveal("1.9")

# %% [markdown]
# ### Passive-aggressive learning
#
# The MIRA of this notebook updates only on a mistake. *Passive-aggressive* learning (`classifiers/passive_aggressive.py`: PA-I, and PA-II with a
# soft cap) makes the same step wherever the margin is too small, even if the prediction is right. The next cell compares PA-I with MIRA, with
# the same cap of 0.01, on one order of the reviews; section A of [notebook 7](7_second_order.ipynb) uses twenty orders.

# %% tags=["real-data", "cell-passive-aggressive", "exercise-1.5"]
with lab.exercise("1.5"):
    from classifiers.mira import Mira
    from classifiers.passive_aggressive import PassiveAggressive

    for name, learner in [("MIRA", Mira(regularizer=100.0)), ("PA-I", PassiveAggressive(cap=0.01))]:
        params = learner.train(reviews.train_X, reviews.train_y)
        train, test = (learner.evaluate(y, learner.test(X, params)) for X, y in [(reviews.train_X, reviews.train_y), (reviews.test_X, reviews.test_y)])
        print(f"{name}: {learner.nr_updates:4d} updates, train {train:.4f}, test {test:.4f} ± {np.sqrt(test * (1 - test) / len(reviews.test_y)):.4f}")

# %% [markdown]
# ## Column squishing: all rivals at once
#
# MIRA lowers only the strongest rival. With many classes another rival can have the highest score after the step. The
# smallest change of the weights after which the true class beats *every* rival by its margin is the solution of
#
# $$
# \min_d \tfrac12\sum_i d_i^2 \quad\text{such that}\quad d_y \ge d_i + C_i \;\text{ for all } i \ne y,
# \qquad C_i = \frac{s_i - s_y + \rho(i, y)}{\lVert g(x)\rVert^2} ,
# $$
#
# where the update is again $W \leftarrow W + g(x)d^\top$. $C_i$ measures, in units of $d$, how far class $i$ still
# violates its constraint; $C_i \le 0$ means that it is satisfied. If no $C_i$ is positive, $d = 0$.
#
# At the solution some rivals, the *active* ones, meet their constraint exactly, $d_i = d_y - C_i < 0$; the others do
# not move, $d_i = 0$. The true class gains what the active rivals lose, $\sum_i d_i = 0$. (The constraints depend only
# on the differences $d_y - d_i$. Subtracting the mean from all $d_i$ changes no difference and shortens $d$, so the
# shortest $d$ has mean zero.) So with $k$ active rivals
#
# $$
# d_y = \frac{1}{k+1}\sum_{i\ \text{active}} C_i .
# $$
#
# The active rivals are those with $C_i > d_y$: sort the $C_i$ in descending order, add them one by one, and stop when
# the next $C_i$ is not above the $d_y$ computed so far. All active rivals end at the same height $\theta = d_y$: their
# scores become equal up to their costs. Because of the sorting the cost is $O(K\log K)$.
#
# **By hand.** Scores $(0.9009, 2.2557, 0.2597)$, the true class is 2, $\lVert g\rVert^2 = 1$, cost 1. Then
# $C_1 = 2.996$ and $C_0 = 1.641$. With $k = 1$: $d_y = 2.996/2 = 1.498$; class 0 has $C_0 = 1.641 > 1.498$, so it is
# active too. With $k = 2$: $d_y = (2.996 + 1.641)/3 = 1.546$. No class is left. <!-- numbers: squishing, projection -->
#
# **Where the name comes from.** Put $D_y = 0$ and $D_i = C_i$ for the rivals, and let $z = D + d$. The constraint becomes
# $z_i \le z_y$, and the length of $d$ is the distance from $D$ to $z$. So $z$ is the **projection** of $D$: the nearest point at
# which no rival is above the true class. With one rival this is a step at a right angle to the line $z_i = z_y$ (left picture).
# With several rivals, draw $D$ as columns (right picture): the columns that are too high are squished down to one level, and the
# column of the true class rises to that level. The falls and the rise add up to zero, $\sum_i d_i = 0$.

# %% tags=["cell-projection"]
from lxmls_day1.lab_api import figures

C = [2.996, 1.641]
fig, axes = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
figures.plot_squishing(C, ["class 2, true", "class 1", "class 0"], axes)
print("d_y with k active rivals:", ", ".join(f"{level:.3f}" for level in figures.levels(C)))

# %% [markdown]
# **With a cap** the true class gains at most the cap, $d_y \le \tau_{\max}$. The rivals come down less far, and part of the violation
# remains; the cap limits how far a single example can change the weights. What the rivals lose still sums to what the true class gains.
# So where the cap applies, their common height is $\theta = (C_1 + \dots + C_k - \tau_{\max}) / k$; with a cap, $\theta$ is the greater
# of the two heights. (H. Daumé III, "Column squishing for multiclass updates", 15 August 2017; the solution is due to Abhishek Kumar,
# after Bittorf et al., 2012, algorithm 5.) <!-- given: 15, 2017, 2012, 5, 1 -->
#
# ## Exercise 1.10: column squishing
#
# 1. Write `squishing_rule` in `classifiers/column_squishing.py`. (`step` is a cap on $d_y$; implement it last.)
# 2. Check it on the three scores above, with each class in turn as the true one and a margin of 1.
# 3. Compare it with MIRA and the perceptron, at equal caps.

# %% [markdown] tags=["predict"]
# **Predict.** Take the same three scores, but class 0 must now win by 1. Which rivals are active? At which height do
# class 0 and its rival end? What happens if class 1 must win? *Your prediction:*

# %% tags=["cell-squishing"]
with lab.exercise("1.10"):
    from classifiers.column_squishing import multiclass_update

    scores = np.array([[0.90085352, 2.25573249, 0.25974194]])  # weights (1, 3) of one feature x = 1
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.5), layout="constrained", sharey=True)
    for label, axis in enumerate(axes):
        after = multiclass_update(scores, np.array([1.0]), label)
        print(f"class {label} must win: {scores[0].round(4).tolist()} → {after[0].round(4).tolist()}")
        gaps = [scores[0, i] - scores[0, label] + 1 for i in range(3) if i != label]
        print(f"   C = {np.round(gaps, 3).tolist()}, d = {(after - scores)[0].round(3).tolist()}")
        axis.bar(np.arange(3) - 0.2, scores[0], width=0.4, color="#BBBBBB", label="before")
        axis.bar(np.arange(3) + 0.2, after[0], width=0.4, color="#5F5F5F", label="after")
        axis.axhline(after[0, label], color="black", linewidth=1.2, label="the true class")
        axis.axhline(after[0, label] - 1, color="black", linewidth=1.2, linestyle="--", label="1 below it")
        axis.set(title=f"class {label} must win", xticks=range(3), xlabel="class", ylim=(0, 3.6))
    axes[0].set_ylabel("score")
    axes[0].legend(loc="upper left", fontsize=11, ncols=2)
    print(f"by hand, class 2: (2.996 + 0) / 2 = {2.996 / 2:.3f}, (2.996 + 1.641) / 3 = {(2.996 + 1.641) / 3:.3f}")

# %% tags=["skip-execution"]
lab.check("1.10")

# %% [markdown] tags=["predict"]
# **Predict.** We train on 20 samples of three classes: the perceptron, and MIRA and column squishing with a cap of
# 0.02 (λ = 50 for MIRA) and with a larger cap or none. Which lowers the expected error, updating all rivals or the
# cap? *Your prediction:*

# %% tags=["cell-rivals"]
with lab.exercise("1.10"):
    from classifiers.column_squishing import ColumnSquishing, squishing_rule
    from classifiers.mira import Mira
    from classifiers.perceptron import Perceptron

    gaussians = {"g1": [[-2, 0], 1], "g2": [[2, 0], 1], "g3": [[0, 2.5], 1]}
    fresh = SimpleDataSet(nr_examples=20_000, **gaussians, seed=1000)
    learners = {
        "perceptron": Perceptron,
        "MIRA, cap 1": Mira,
        "MIRA, cap 0.02": lambda: Mira(regularizer=50.0),
        "column squishing, no cap": ColumnSquishing,
        "column squishing, cap 0.02": lambda: ColumnSquishing(cap=0.02),
    }
    errors = {name: [] for name in learners}
    updates = {}
    for seed in range(1, 21):
        data = SimpleDataSet(nr_examples=300, **gaussians, seed=seed)
        for name, make in learners.items():
            learner = make()
            params = learner.train(data.train_X, data.train_y)
            errors[name].append(1 - learner.evaluate(fresh.y, learner.test(fresh.X, params)))
            updates.setdefault(name, learner.nr_updates)
    for name in learners:
        print(f"{name:27} expected error {mean_and_error(errors[name])}; first sample: {updates[name]:3d} updates")
    print(f"Bayes error {fresh.get_bayes_error():.4f}")
    paired = np.subtract(errors["MIRA, cap 0.02"], errors["column squishing, cap 0.02"])
    print(f"MIRA − column squishing at the same cap, sample by sample: {mean_and_error(paired)}")
    paired = np.subtract(errors["column squishing, no cap"], errors["column squishing, cap 0.02"])
    print(f"column squishing without − with the cap, sample by sample: {mean_and_error(paired)}")

    print("\nsteps of column squishing in which two or more rivals are active, one round:")
    for n_classes in (3, 10, 20):
        rng = np.random.default_rng(n_classes)
        means = rng.normal(size=(n_classes, 20))
        y = rng.integers(n_classes, size=400)
        X = means[y] + rng.normal(size=(400, 20))
        active = []

        def counting(scores, label, sq_norm, step, cost):
            d = squishing_rule(scores, label, sq_norm, step, cost)
            active.append(np.sum(d < -1e-12))
            return d

        class Counting(ColumnSquishing):
            rule = staticmethod(counting)

        Counting(nr_rounds=1, order=np.arange(400)).train(X, y)
        moved = np.array(active)[np.array(active) > 0]
        several = moved > 1
        print(f"   {n_classes:2d} classes: {several.sum():3d} of {len(moved)} steps, {several.mean():.0%}; most rivals at once: {moved.max()}")

# %% [markdown] tags=["answer"]
# **Explain.** (1) Why does column squishing make so many more updates than MIRA? (2) Compare the expected errors at equal
# caps, and with and without a cap. What causes the differences? (3) How does the share of steps with several active
# rivals depend on the number of classes?
#
# **Transfer.** You have 1000 classes, and a mistake is expensive only within a group of ten similar classes. How would
# you set $\rho$, and which rivals are then active? *Your answer:*

# %% [markdown] tags=["solution"]
# <!-- numbers: rivals, squishing -->
# **One answer.** (1) Column squishing also updates where the prediction is right but its margin is too small. Points near
# a boundary then cause an update in every round: 415 updates on the first sample, against 192 for MIRA, at the same cap
# of 0.02. (2) With the cap 0.02 column squishing has an expected error of 0.0811 ± 0.0007, MIRA 0.0829 ± 0.0010; sample
# by sample the difference is 0.0018 ± 0.0007, which is small, but more than two standard errors. The cap gains as much:
# without it column squishing has 0.0828. Without a cap one outlier can move the weights arbitrarily far; averaging
# weakens its effect. The two learners differ both in the rivals that they update and in the updates inside the margin, so
# the experiment cannot tell which of the two helps. (3) With 3 classes 21 % of the steps have two or more active rivals,
# with 10 classes 52 %, with 20 classes 67 %.
#
# *Transfer.* Set $\rho(i, y) = 1$ inside the group and a small number such as 0.1 outside. Then a class outside the
# group becomes active only if its score is almost as high as that of the true class; most active rivals come from the
# group of ten.
# <!-- given: 0.1, 1 -->

# %% tags=["skip-execution"]
lab.reveal("1.10")

# %% [markdown]
# ## The perceptron's mistake bound
#
# This section is about two classes, $y^m \in \{-1, +1\}$, and the perceptron with *one* weight vector: it predicts the
# sign of $w \cdot g(x)$ and on a mistake adds $y\,g(x)$ to $w$. It is the perceptron of section B for $K = 2$, with
# $w_1 = -w_0 = w$. Let $u$ be a vector of length 1 that separates the data. Its **margin** is
# $\gamma = \min_m y^m\, u\cdot g(x^m) > 0$, and the **radius** of the data is $R = \max_m \lVert g(x^m)\rVert$.
#
# **The perceptron makes at most $(R/\gamma)^2$ mistakes** in all, in one round or a thousand, in whatever order the
# examples come (Novikoff, 1962). <!-- given: 1962, 1 -->
#
# *Proof.* At the start $w = 0$. Let $n$ be the number of mistakes so far.
#
# 1. *Progress.* A mistake adds $y\,g(x)$, so $u\cdot w$ grows by $y\,u\cdot g(x) \ge \gamma$. Hence
#    $u \cdot w \ge n\gamma$.
# 2. *Length.* $\lVert w + y\,g(x)\rVert^2 = \lVert w\rVert^2 + 2y\,w\cdot g(x) + \lVert g(x)\rVert^2$. It *was* a
#    mistake, so the middle term is not positive, and $\lVert w\rVert^2$ grows by at most $R^2$. Hence
#    $\lVert w\rVert \le \sqrt n\,R$.
# 3. *Together.* By Cauchy-Schwarz $u\cdot w \le \lVert u\rVert\,\lVert w\rVert = \lVert w\rVert$. So
#    $n\gamma \le \sqrt n\,R$. Divide by $\sqrt n\,\gamma$ and square: $n \le (R/\gamma)^2$. ∎
#
# The line $n\gamma$ grows faster than the curve $\sqrt n R$. Both $u \cdot w$ and $\lVert w\rVert$ lie between the two, so there are
# no mistakes beyond the point where line and curve meet. The left picture shows the mistakes on a sample of points. On the right an
# **adversary** makes each step of the proof an equality: it gives the perceptron a vector of length $R$, at the edge of the gap and
# at a right angle to the current $w$. The perceptron then makes every mistake that the bound allows. So the bound cannot be
# improved.

# %% tags=["cell-envelopes"]
from lxmls_day1.lab_api import figures


def separable(margin, seed, n_points=200):
    """Points in a square that the line x_1 + x_2 = 0 separates, with no point nearer to it than the margin."""
    rng = np.random.default_rng(seed)
    u = np.array([0.0, 1.0, 1.0]) / np.sqrt(2)  # the separator, of length 1, its intercept first
    X = rng.uniform(-3, 3, size=(40 * n_points, 2))
    distance = X @ u[1:]
    far_enough = np.abs(distance) >= margin
    return X[far_enough][:n_points], np.sign(distance[far_enough][:n_points]).astype(int), u


X, y, u = separable(0.8, seed=3)
nearest_first = np.argsort(np.abs(X @ u[1:]))  # an order that makes it hard
X, y = X[nearest_first], y[nearest_first]
G = np.hstack([np.ones((len(X), 1)), X])
gamma, radius = np.min(y * (G @ u)), np.linalg.norm(G, axis=1).max()
w, progress, lengths, right_in_a_row = np.zeros(3), [], [], 0
while right_in_a_row < len(X):
    for m in range(len(X)):
        right_in_a_row += 1
        if y[m] * (w @ G[m]) <= 0:
            w, right_in_a_row = w + y[m] * G[m], 0
            progress.append(u @ w)
            lengths.append(np.linalg.norm(w))
w, hardest = np.zeros(3), []  # the adversary: u is the first axis, w = (n γ, r) with r in the plane of the other two
while len(hardest) < (radius / gamma) ** 2 - 1:
    n, r = len(hardest), w[1:] if w[1:].any() else np.array([1.0, 0.0])
    back = n * gamma**2 / np.linalg.norm(r)  # so far against r that w·g = 0
    sideways = np.sqrt(radius**2 - gamma**2 - back**2)
    along, across = r / np.linalg.norm(r), np.array([-r[1], r[0]]) / np.linalg.norm(r)
    g = np.concatenate([[gamma], sideways * across - back * along])
    assert abs(w @ g) < 1e-9  # a tie, which is a mistake
    w = w + g
    hardest.append((w[0], np.linalg.norm(w)))

fig, axes = plt.subplots(1, 2, figsize=(12, 4.1), layout="constrained", sharey=True)
for axis, title, (above, below) in zip(axes, ["a sample", "an adversary"], [(progress, lengths), zip(*hardest)], strict=True):
    figures.plot_envelopes(above, below, gamma, radius, axis)
    axis.set_title(title)
axes[1].get_legend().remove()
print(f"margin γ = {gamma:.3f}, radius R = {radius:.3f}, bound (R/γ)² = {(radius / gamma) ** 2:.1f}")
print(f"mistakes on the sample {len(progress)}, with the adversary {len(hardest)}")

# %% [markdown]
# For $K$ classes with one vector each, let $u_0, \dots, u_{K-1}$ have $\sum_k \lVert u_k\rVert^2 = K$ and let
# $\gamma = \min_m \min_{y' \ne y^m} (u_{y^m} - u_{y'}) \cdot g(x^m) > 0$. The same argument, with
# $\sum_k u_k \cdot w_k \ge n\gamma$ and $\sum_k \lVert w_k\rVert^2 \le 2nR^2$, gives at most $2KR^2/\gamma^2$ mistakes.
#
# **Distant points can have a small margin.** The bound depends on the margin of a *separator*, not on the distance between
# points of different classes. In the next picture points of different classes are at least 2 apart, but the gap that a line can
# pass through is much narrower.

# %% tags=["cell-gap"]
points, signs = np.array([[0, 0], [4, 0.1], [2, 0.1], [6, 0.2]]), np.array([-1, -1, 1, 1])
angles = np.radians(np.linspace(80, 100, 20_001))
normals = np.column_stack([np.cos(angles), np.sin(angles)])  # of all lines that might pass between them
heights = normals @ points.T  # (angles, 4)
gaps = heights[:, signs > 0].min(axis=1) - heights[:, signs < 0].max(axis=1)
best = gaps.argmax()
middle = heights[best, signs < 0].max() + gaps[best] / 2
x1 = np.array([-0.5, 6.5])
fig, axes = plt.subplots(2, 1, figsize=(12, 5.4), layout="constrained", height_ratios=[1, 2])
for axis, limits, title in [(axes[0], (-0.8, 1.0), "to scale"), (axes[1], (-0.06, 0.26), "$x_2$ stretched")]:
    line, lower, upper = ((c - normals[best, 0] * x1) / normals[best, 1] for c in middle + gaps[best] * np.array([0, -0.5, 0.5]))
    axis.fill_between(x1, lower, upper, color="0.8", label=f"the gap, {gaps[best]:.3f} wide")
    axis.plot(x1, line, color="black", label="the best separator")
    for k, colour in enumerate(figures.CLASS_COLOURS[:2]):
        axis.plot(*points[signs == 2 * k - 1].T, "s^"[k], color=colour, markersize=11, label=f"class {'−+'[k]}1")
    axis.set(xlim=x1, ylim=limits, ylabel="$x_2$", title=title)
axes[0].set_aspect("equal")
axes[1].set_xlabel("$x_1$")
legend = axes[1].legend(loc="upper left", fontsize=12)
apart = min(np.linalg.norm(a - b) for a in points[signs < 0] for b in points[signs > 0])
print(f"nearest points of different classes: {apart:.3f} apart")
print(f"widest gap: {gaps[best]:.3f}, so the margin γ is at most {gaps[best] / 2:.3f}")

# %% [markdown]
# ## Exercise 1.12: the mistake bound
#
# 1. Write the bound in `classifiers/mistake_bounds.py`, for two classes and for $K$.
# 2. Make data with a gap of your choice: sample points in the plane, and drop those that are closer than a given
#    distance to a line (`separable`, above).
# 3. Count the perceptron's mistakes for several gaps, in twenty orders.

# %% [markdown] tags=["predict"]
# **Predict.** You halve the margin. How does the bound change, and how does the number of mistakes? How much does the
# order of the examples change that number? *Your prediction:*

# %% tags=["cell-bounds"]
with lab.exercise("1.12"):
    from classifiers.binary_perceptron import BinaryPerceptron
    from classifiers.mistake_bounds import mistake_bound

    margins, bounds, mistakes = [], [], []
    print("                                  mistakes in 20 orders:")
    print("requested margin γ   bound (R/γ)²   fewest   most   ratio   rounds, most")
    for asked in [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125]:
        X, y, u = separable(asked, seed=3)
        bound = mistake_bound(X, y, u)
        counts, rounds = [], []
        for seed in range(20):
            perceptron = BinaryPerceptron(max_rounds=10_000, order=np.random.default_rng(seed).permutation(len(X)))
            perceptron.train(X, y)
            assert perceptron.converged
            counts.append(perceptron.nr_updates)
            rounds.append(len(perceptron.history))
        margins.append(bound.margin)
        bounds.append(bound.updates)
        mistakes.append(counts)
        print(
            f"{asked:7.4f}   {bound.margin:8.4f}   {bound.updates:12.1f}   {min(counts):6d}   {max(counts):4d}   "
            f"{max(counts) / min(counts):5.1f}   {max(rounds):12d}"
        )

    mistakes = np.array(mistakes)
    means = mistakes.mean(axis=1)
    print(f"from the widest to the narrowest gap: bound × {bounds[-1] / bounds[0]:.0f}, mean count × {means[-1] / means[0]:.0f}")
    colour = figures.line_style("perceptron")["color"]
    fig, axis = plt.subplots(figsize=(9.5, 5), layout="constrained")
    axis.plot(margins, bounds, "k--", label="bound $(R/\\gamma)^2$")
    axis.fill_between(margins, mistakes.min(axis=1), mistakes.max(axis=1), color=colour, alpha=0.25, label="perceptron, 20 orders")
    axis.plot(margins, means, "o-", color=colour, label="perceptron, mean")
    axis.set(xscale="log", yscale="log", xlabel="margin γ of the separator", ylabel="mistakes until none is left")
    axis.set_xticks(margins, [f"{margin:.2g}" for margin in margins])
    axis.minorticks_off()
    axis.legend()

# %% tags=["skip-execution"]
lab.check("1.12")

# %% [markdown] tags=["answer"]
# **Explain.** (1) The adversary reaches the bound. Why do random points stay so far below it when the gap is narrow? Which steps of
# the proof are not equalities for them? (2) How much does the order change the number of mistakes? Can it raise that number above
# the bound?
#
# **Transfer.** Show that for $K = 2$ and $u_1 = -u_0 = u$ the bound for $K$ classes is the bound for two. (Compute
# $\gamma$ and $\sum_k \lVert u_k\rVert^2$.) *Your answer:*

# %% [markdown] tags=["solution"]
# <!-- numbers: bounds, envelopes -->
# **One answer.** (1) With the narrowest gap, $\gamma = 0.0407$, the bound is 10871.8, and the most mistakes in 20 orders
# are 141. Step 1 counts $\gamma$ for every mistake, as if every mistake were on a point at the edge of the gap. Step 2 counts $R^2$,
# as if every such point had the length $R$ and lay exactly on the line $w \cdot g(x) = 0$. Neither holds for most random points.
# From the widest to the narrowest gap the bound grows 662-fold, the mean count 22-fold. (2) The order changes the count 4-fold to
# 47-fold. It cannot raise the count above the bound, because the proof holds for every order.
#
# *Transfer.* $\sum_k \lVert u_k\rVert^2 = 2\lVert u\rVert^2 = 2 = K$. The margin of the two vectors is twice that of $u$:
# $(u_1 - u_0)\cdot g(x) = 2u\cdot g(x)$ for class 1, and likewise for class 0. So
# $2KR^2/(2\gamma)^2 = 4R^2/4\gamma^2 = (R/\gamma)^2$.

# %% tags=["skip-execution"]
lab.reveal("1.12")
