# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 3 · Maximum entropy and support vector machines
#
# The learners of notebook 2 correct mistakes one at a time. They do not measure how well their weights fit all the training data, nor give the
# probability of a prediction. The learners of this notebook minimise an *objective*: a number that measures how badly a matrix of weights fits
# all the training data. Both objectives are convex, so every method that converges reaches the same minimum.
#
# **Goals.** After this notebook you can
#
# - say what generative and discriminative models have in common, and how they differ;
# - derive the gradient of maximum entropy, and train with it, in batches or one example at a time;
# - explain margin, slack and support vector with a picture;
# - choose $\lambda$ on a development part.
#
# **Before.** Notebooks 1 (naive Bayes) and 2 (the loop of the online learners), derivatives, and the dot product. The symbols are those of
# [the table for all notebooks](notation.md).
#
# **Time.** The core takes about 90 minutes, 60 of them in the afternoon; what is further takes about 200.
#
# | exercise | when | what you do | file |
# |---|---|---|---|
# | 1.6 | afternoon | write the rule of maximum entropy; try several $\lambda$ | `classifiers/max_ent_online.py` |
# | 1.7 | afternoon | write the SVM's rule; find the street and its support vectors | `classifiers/svm.py` |
# | 1.6b | further | write the gradient over all examples, and descend with it | `classifiers/batch_gradient.py` |
# | 1.11 | further | write generalized iterative scaling; watch the moments match | `classifiers/solvers/iterative_scaling.py` |
# | 1.7b | further | write the choice of λ on the development part | `classifiers/choosing_lambda.py` |
# | 1.19 | further | write the soft threshold, which makes weights exactly 0 | `classifiers/solvers/owl_qn.py` |
# | 1.18 | further | write the log-count ratio; train an SVM on features weighted by naive Bayes | `classifiers/nbsvm.py` |

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


sd = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])

# %% tags=["real-data"]
from lxmls_day1.lab_api import text_data, tuning
from readers.sentiment_reader import SentimentCorpus

try:
    reviews = SentimentCorpus("books")
except text_data.CorpusUnavailable as error:
    reviews = SentimentCorpus("toy")
    print(f"{error}\nThe notebook goes on with the toy corpus: accuracies below are not those of real reviews.\n")
parts = tuning.with_development_part(reviews)
print(
    f"{reviews.get_name()}: {reviews.train_X.shape[0]} training and {reviews.test_X.shape[0]} test documents, "
    f"{reviews.nr_features} features\n"
    f"of the training documents {len(parts.train_y)} are for training, and {len(parts.dev_y)} are the development part"
)

# %% [markdown] tags=["evening"]
# ## A. Generative and discriminative: two ways to choose the same weights
#
# *In the afternoon, go on at section B: the lecture has dealt with the softmax.*
#
# A model with given parameters assigns a probability to the data. **Maximum likelihood** chooses the parameters that
# make the data most probable. Two probabilities are in use:
#
# - A **generative** model describes how inputs *and* classes arise. It maximises the **joint likelihood**
#   $\prod_m p(x^m, y^m) = \prod_m p(y^m)\, p(x^m \mid y^m)$. Naive Bayes does this: its relative frequencies and
#   means are the solution.
# - A **discriminative** model describes only how the class follows from the input. It maximises the **conditional
#   likelihood** $\prod_m p(y^m \mid x^m)$, and does not model how likely an input is.
#
# Both can lead to the same form of posterior. For Gaussian naive Bayes with a shared variance $\sigma^2$,
#
# $$
# \log p(y)\,p(x\mid y) \;=\; \underbrace{\log p(y) - \frac{\lVert\mu_y\rVert^2}{2\sigma^2}}_{b_y}
# \;+\; \underbrace{\frac{\mu_y}{\sigma^2}}_{w_y}\cdot\, x
# \;-\; \underbrace{\Big(\frac{\lVert x\rVert^2}{2\sigma^2} + \frac J2\log 2\pi\sigma^2\Big)}_{\text{the same for all classes}} .
# $$
#
# In Bayes' rule the last term cancels, and the posterior is the **softmax** of the scores $s_y = w_y\cdot x + b_y$:
#
# $$
# p(y\mid x) \;=\; \frac{p(y)\,p(x\mid y)}{\sum_{y'} p(y')\,p(x\mid y')} \;=\; \frac{e^{s_y}}{\sum_{y'} e^{s_{y'}}} .
# $$
#
# For two classes this is the **sigmoid** $\sigma(z) = 1/(1 + e^{-z})$ of $z = s_1 - s_0$. This is exactly the model of this
# notebook, with $w_1 - w_0 = (\mu_1 - \mu_0)/\sigma^2$. So naive Bayes and maximum entropy choose among the same matrices
# $W$. Naive Bayes takes the $W$ that fits the inputs *and* the classes best; maximum entropy takes the $W$ that fits the
# classes best.

# %% [markdown] tags=["predict", "evening"]
# **Predict.** In our data $\mu_0 = (-1, -1)$, $\mu_1 = (1, 1)$, $\sigma^2 = 1$, and both classes are equally frequent. What
# is the true $w_1 - w_0$, and what is the true $p(1 \mid x)$ at $x = (0.5, 0.5)$? *Your prediction:*

# %% tags=["cell-bridge", "evening"]
from classifiers.gaussian_naive_bayes import GaussianNaiveBayes
from classifiers.max_ent_model import softmax


def true_posterior(X):
    """p(1 | x) of the simple data: the sigmoid of 2 (x_1 + x_2)."""
    return 1 / (1 + np.exp(-2 * np.sum(X, axis=1)))


naive_bayes = GaussianNaiveBayes(variance=1.0)
W = naive_bayes.train(sd.train_X, sd.train_y)
G = naive_bayes.add_intercept_term(sd.test_X)
distances = ((sd.test_X[:, None] - naive_bayes.means) ** 2).sum(axis=2)  # (M, 2): ‖x − μ_y‖²
joint = naive_bayes.prior * np.exp(-distances / 2) / (2 * np.pi)  # p(y) p(x | y), with σ² = 1 in two dimensions
by_bayes_rule, by_softmax = joint / joint.sum(axis=1, keepdims=True), softmax(G @ W)
print("Bayes' rule and softmax give the same:", np.allclose(by_bayes_rule, by_softmax))
print("estimated w_1 − w_0:", (W[1:, 1] - W[1:, 0]).round(3).tolist(), "  true: [2, 2]")
print(f"p(1 | x = (0.5, 0.5)): naive Bayes {softmax([[1, 0.5, 0.5]] @ W)[0, 1]:.3f}, true {true_posterior([[0.5, 0.5]])[0]:.3f}")

# %% [markdown]
# ## B. The objective and its gradient
#
# $$
# F(W) \;=\; -\frac1M\sum_{m=1}^M \log p_W(y^m\mid x^m) \;+\; \frac\lambda2\lVert W\rVert^2 .
# $$
#
# The model is the softmax of the scores $s_y = w_y\cdot g(x)$: $p_W(y\mid x) = e^{s_y}/Z$ with $Z = \sum_{y'} e^{s_{y'}}$. It is called a
# *log-linear* or **maximum entropy** model: of all models that expect every feature as often as the data show it, it is the one that
# assumes least (*Further* derives this). For two classes it is logistic regression.
#
# The first term is the negative conditional log-likelihood per example. The second term keeps the weights small: without
# it, separable data would send them to infinity, and every $p$ to 0 or 1. It is a **prior**:
# $\tfrac\lambda2\lVert W\rVert^2$ is, up to a constant, $-\tfrac1M\log$ of a Gaussian density with mean 0 and variance
# $1/(\lambda M)$ for each weight, so the minimum of $F$ is the most probable $W$ after seeing the data (*maximum a
# posteriori*).
#
# (MIRA's $\lambda$ in notebook 2 is different: it sets the cap $1/\lambda$ of one step.)
#
# Next, the gradient. Because
# $\frac{\partial}{\partial w_y}\log Z = \frac1Z\, e^{w_y\cdot g(x)}\, g(x) = p_W(y\mid x)\, g(x)$, the gradient of
# $\log Z$ contains the features that the *model* expects, and the gradient of $s_y$ contains the features in the
# *data*. Let $G$ hold the feature vectors $g(x^m)$ as rows, $P$ the probabilities, and $Y$ the true classes (a single
# 1 in each row). Then
#
# $$
# \nabla F(W) = \frac1M\, G^\top (P - Y) + \lambda W .
# $$
#
# Always check a gradient formula against finite differences:

# %% tags=["cell-gradient", "evening"]
from classifiers.max_ent_batch import MaxEntBatch

maxent = MaxEntBatch(regularizer=0.1)
maxent.train(sd.train_X, sd.train_y)
W = np.random.default_rng(1).normal(size=(3, 2))
G, Y = maxent.add_intercept_term(sd.train_X), np.eye(2)[sd.train_y]
gradient = G.T @ (maxent.get_probabilities(sd.train_X, W) - Y) / len(G) + 0.1 * W

quotients, step = np.zeros_like(W), 1e-6
for i in np.ndindex(W.shape):
    change = np.zeros_like(W)
    change[i] = step
    above, below = (maxent.objective(sd.train_X, sd.train_y, W + sign * change) for sign in (1, -1))
    quotients[i] = (above - below) / (2 * step)
print("formula:            ", gradient.ravel().round(4).tolist())
print("difference quotient:", quotients.ravel().round(4).tolist())

# %% [markdown]
# ### Three ways to minimise $F$
#
# - **Gradient descent** (batch): $W \leftarrow W - \eta\nabla F(W)$. Armijo's rule finds the step: take the first of
#   $\eta, \eta/2, \eta/4, \dots$ that lowers $F$ by at least a small share of the decrease that the slope predicts.
# - **L-BFGS** (batch): keeps the last few gradients, estimates the curvature of $F$ from them, and corrects its
#   direction. `MaxEntBatch` uses it by default on dense data.
# - **Stochastic gradient descent** (SGD): one example at a time. The gradient of one example's loss is
#   $g(x)(p - e_y)^\top$, that of the penalty is $\lambda W$, so the step $W - \eta_t\nabla$ is that of the loop of
#   notebook 2, with a factor that shrinks the weights:
#
# $$
# W \leftarrow (1 - \eta_t\lambda)\,W + g(x)\,d^\top, \qquad d = \eta_t\,(e_y - p),
# \qquad \eta_t = \eta_0\, t^{-a} .
# $$
#
# Compare this with the perceptron's $e_y - e_{\hat y}$: a probability for each class, $p = \mathrm{softmax}(s)$, replaces the single
# predicted class. (In the code and in the guide the exponent $a$ is called alpha; it is not the smoothing $\alpha$.)

# %% [markdown] tags=["evening"]
# *For the evening. In the afternoon, go on at exercise 1.6.*
#
# Another batch method, *non-linear conjugate gradient*, chooses each new direction conjugate to the last, so that earlier progress
# is kept: `MaxEntBatch(solver="conjugate_gradient")`.
#
# The next picture compares the three methods on two weights. The objective has the form of $F$; its features are
# correlated, so its contours are long ellipses.

# %% tags=["cell-contour", "evening"]
from itertools import islice

from scipy.special import expit  # the sigmoid

from classifiers.gradient_descent import gradient_descent
from classifiers.lbfgs import lbfgs
from lxmls_day1.lab_api import figures

Z = sd.train_X @ [[1.5, 1.5], [-0.3, 0.3]] * (2 * sd.train_y - 1)[:, None]  # (M, 2); v·z > 0 is a right answer


def two_weights(v, regularizer=0.01):
    """F and its gradient for two weights: the mean of log (1 + exp(−v·z)), and the penalty."""
    value = np.logaddexp(0, -Z @ v).mean() + regularizer / 2 * v @ v
    return value, -expit(-Z @ v) @ Z / len(Z) + regularizer * v


start = np.array([-2.0, -1.0])
paths = {
    "L-BFGS": [point.x for point in islice(lbfgs(two_weights, start), 12)],
    "gradient descent": [point.x for point in islice(gradient_descent(two_weights, start), 41)],
    "stochastic gradient, 3 rounds": [start],
}
v, order = start, np.random.default_rng(1)
for t, z in enumerate(Z[np.concatenate([order.permutation(len(Z)) for _ in range(3)])], start=1):
    step = 1 / (0.01 * (t + 100))
    v = (1 - step * 0.01) * v + step * expit(-z @ v) * z
    paths["stochastic gradient, 3 rounds"].append(v)
lowest = two_weights(paths["L-BFGS"][-1])[0]
for name in ("L-BFGS", "gradient descent"):
    heights = [two_weights(point)[0] - lowest for point in paths[name]]
    within = next(i for i, height in enumerate(heights) if height < 1e-3)
    print(f"{name:17}: within 0.001 of the minimum after {within} iterations")
print(f"SGD, which still fluctuates, is {two_weights(v)[0] - lowest:.3f} above the optimum after 3 rounds")
fig, axis = plt.subplots(figsize=(9.5, 6), layout="constrained")
figures.plot_descents(lambda v: two_weights(v)[0], paths, axis, xlim=(-4, 3.2), ylim=(-1.5, 4.5))
axis.set(xlabel="first weight", ylabel="second weight", aspect="equal")  # so that right angles look right
legend = axis.legend(loc="upper left", bbox_to_anchor=(1, 1))

# %% [markdown]
# ## Exercise 1.6: maximum entropy
#
# ```python
# def max_ent_rule(scores, label, sq_norm, step, cost):
#     ...  # your lines
# ```
#
# 1. Write `max_ent_rule` in `classifiers/max_ent_online.py`, which computes $d$ from the scores. Avoid the overflow
#    of $e^{1000}$.
# 2. Train on the simple data, for several $\lambda$. Compare the probabilities with the true posterior.
# 3. Choose $\lambda$ for the reviews, without looking at the test part.

# %% tags=["skip-execution"]
lab.check("1.6")

# %% [markdown] tags=["evening"]
# ### One review, by hand
#
# *For the evening, like the rest of this section. In the afternoon, go on at section C.*
#
# A review has three positive words, one negative word and an exclamation mark. These three features and the intercept give
# $g(x) = (1, 3, 1, 1)$. The review is positive, $y = 1$. Start with $W = 0$, $\eta = 0.1$ and $\lambda = 0$.

# %% tags=["cell-one-review", "evening"]
g, W, truth = np.array([1.0, 3.0, 1.0, 1.0]), np.zeros((4, 2)), np.array([0.0, 1.0])
for step in (1, 2, 3):
    p = softmax((g @ W)[None])[0]
    d = 0.1 * (truth - p)
    W = W + np.outer(g, d)
    print(f"step {step}: p(1 | x) = {p[1]:.3f}, d = ({d[0]:.3f}, {d[1]:.3f}), w_1 = {W[:, 1].round(3).tolist()}")
print(f"after step 3: p(1 | x) = {softmax((g @ W)[None])[0, 1]:.3f}")

# %% [markdown] tags=["evening"]
# ### λ and the probabilities

# %% [markdown] tags=["predict", "evening"]
# **Predict.** The true $p(1\mid x)$ at $(0.5, 0.5)$ is 0.881. Which probability will the model give for
# $\lambda = 0.001$, and for $\lambda = 10$? Will the boundary turn, too? *Your prediction:*

# %% tags=["cell-dial", "evening"]
with lab.exercise("1.6"):
    from classifiers.max_ent_batch import MaxEntBatch

    regularizers = [0.001, 0.03, 0.3, 10.0]
    new = SimpleDataSet(nr_examples=20_000, seed=2)  # to measure p, where 50 points would not do
    t = np.linspace(-2, 2, 81)
    line = np.column_stack([t, t])  # from mean to mean, and a bit further
    fig, axis = plt.subplots(figsize=(11, 5.6), layout="constrained")
    axis.plot(t, true_posterior(line), color="black", linewidth=5, label="true posterior")
    print("                              mean distance                            test")
    print("     λ  p(1 | x = (0.5, 0.5))  from the truth  direction of w    ‖W‖  accuracy")
    for number, regularizer in enumerate(regularizers):
        maxent = MaxEntBatch(regularizer=regularizer)
        params = maxent.train(sd.train_X, sd.train_y)
        style = figures.line_style("maximum entropy", number, len(regularizers))
        axis.plot(t, maxent.get_probabilities(line, params)[:, 1], **style, label=f"λ = {regularizer:g}")
        distance = np.abs(maxent.get_probabilities(new.X, params)[:, 1] - true_posterior(new.X)).mean()
        w = params[1:, 1] - params[1:, 0]
        print(
            f"{regularizer:6g} {maxent.get_probabilities([[0.5, 0.5]], params)[0, 1]:21.3f} {distance:19.3f} "
            f"{np.degrees(np.arctan2(w[1], w[0])):14.1f}° {np.linalg.norm(params):6.3f} {accuracies(maxent, params, sd)[1]:7.2f}"
        )
    params = GaussianNaiveBayes(variance=1.0).train(sd.train_X, sd.train_y)
    of_bayes = [softmax(GaussianNaiveBayes().add_intercept_term(X) @ params)[:, 1] for X in (line, new.X)]
    axis.plot(t, of_bayes[0], **figures.line_style("naive Bayes"), label="naive Bayes")
    print(f"naive Bayes, given σ² = 1: mean distance from the truth {np.abs(of_bayes[1] - true_posterior(new.X)).mean():.3f}")
    axis.set(xlabel="position on the line through the means: $x_1 = x_2$", ylabel="p(class 1 | x)", xlim=(-2, 2))
    legend = axis.legend(loc="lower right", handlelength=3.6)

# %% [markdown] tags=["answer", "evening"]
# **Explain.** Why is the model with $\lambda = 0.001$ overconfident, and why does its test accuracy not suffer? **Transfer.** A
# doctor and a spam filter use the same model. Which of them needs the right $\lambda$ more? *Your answer:*

# %% [markdown] tags=["solution", "evening"]
# <!-- numbers: dial, bridge -->
# **One answer.** The test accuracy is 0.96 for all four: it depends only on the side of the boundary on which a point lies, and $\lambda$
# turns the boundary little. But $\lambda$ changes the probabilities. At the same point they range from 0.998 to 0.525; with
# $\lambda = 0.03$ the probability, 0.882, is closest to the true 0.881, and the mean distance is smallest, too (0.021). With
# $\lambda = 0.001$ the model is overconfident because a line separates these 50 training points: the likelihood then grows with
# $\lVert W\rVert$ without bound, and only the penalty limits it. With $\lambda = 10$ the penalty dominates, and all probabilities are close
# to ½. *Transfer:* the doctor, who acts on the probability and not only on the class.

# %% tags=["skip-execution", "evening"]
lab.reveal("1.6")

# %% [markdown] tags=["evening"]
# ### Choosing λ: train, develop, test
#
# Which $\lambda$ is right for the reviews? Their true posterior is unknown, so we have to compare accuracies. We cannot use the
# training part: the smallest $\lambda$ always fits it best. Nor can we use the test part: the highest of several test
# accuracies is partly the highest by chance. So we need a third part, the **development part**. Choose $\lambda$ on it, and use
# the test part once, at the end. The reviews have no development part, so `with_development_part` has held out a fifth of the
# training part.
#
# The accuracy $p$ on $n$ examples has a standard error of $\sqrt{p(1-p)/n}$. As a rough guide, two values of
# $\lambda$ whose accuracies are closer than that cannot be told apart with these data. (Notebook 4 compares two classifiers review by review,
# which is more exact.)

# %% tags=["real-data", "cell-choosing", "evening"]
with lab.exercise("1.6"):
    from classifiers.max_ent_batch import MaxEntBatch
    from lxmls_day1.lab_api import figures

    regularizers = [10.0, 1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]
    log_loss = MaxEntBatch(regularizer=0.0).objective  # without penalty the objective is the mean log-loss
    measured = []  # for each λ: accuracy on training and development part, then the log-losses
    print("         accuracy                log-loss")
    print("     λ   training  development   training  development     ‖W‖")
    for regularizer in regularizers:
        maxent = MaxEntBatch(regularizer=regularizer, solver="dual")  # the same optimum, sooner
        params = maxent.train(parts.train_X, parts.train_y)
        both = [(parts.train_X, parts.train_y), (parts.dev_X, parts.dev_y)]
        accuracy = [maxent.evaluate(y, maxent.test(X, params)) for X, y in both]
        loss = [log_loss(X, y, params) for X, y in both]
        measured.append([*accuracy, *loss])
        print(
            f"{regularizer:6g}   {accuracy[0]:8.3f} {accuracy[1]:12.3f}   {loss[0]:8.3f} {loss[1]:12.3f}   "
            f"{np.linalg.norm(params):5.2f}"
        )
    measured = np.array(measured)
    standard_errors = np.sqrt(measured[:, 1] * (1 - measured[:, 1]) / len(parts.dev_y))
    print(f"standard error of the best accuracy on development: {standard_errors[measured[:, 1].argmax()]:.3f}")
    fig, axes = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
    figures.plot_tuning(regularizers, measured[:, 1], standard_errors, measured[:, 0], axes[0], "λ")
    axes[0].set_title("accuracy")
    axes[1].plot(regularizers, measured[:, 3], "o-", color=figures.line_style("maximum entropy")["color"], label="development")
    axes[1].plot(regularizers, measured[:, 2], "s--", color="0.6", label="training")
    axes[1].set(xscale="log", xlabel="λ", ylabel="mean of −log p(y | x)", title="log-loss")
    axes[1].text(1e-5, 0.42, "overfitting", ha="center")
    axes[1].text(2, 0.42, "underfitting", ha="center")
    legend = axes[1].legend()

# %% [markdown] tags=["answer", "evening"]
# **Explain.** Which values of $\lambda$ can you rule out by the accuracy, and which by the log-loss? Why do accuracy and
# log-loss disagree? *Your answer:*

# %% [markdown] tags=["solution", "evening"]
# <!-- numbers: choosing -->
# <!-- given: 0.693, 50 %, 2 -->
# **One answer.** By the accuracy, $\lambda = 10$ and 1: they are more than one standard error (0.022) below the best, 0.816. $\lambda = 0.1$,
# with 0.794, is one standard error below it. The five smaller values cannot be told apart. The log-loss is smallest, 0.434, at
# $\lambda = 0.01$, and then rises to 1.026 at $\lambda = 10^{-6}$. That is worse than $\log 2 = 0.693$, the loss of a model that always
# predicts 50 %. The accuracy depends only on which class is more probable; the log-loss also depends on how confident the model is, and a
# model with $\lVert W\rVert = 23.80$ is very confident even when it is wrong.

# %% tags=["skip-execution", "evening"]
lab.reveal("1.6")

# %% [markdown]
# ## C. Support vector machines
#
# If we only want good predictions, why estimate probabilities first? The **margin** of an example is the score of
# its true class minus the best other score. The SVM requires the score of the true class to exceed every other score by a
# margin of $\rho(y', y)$, here 1. The **hinge loss** is the amount by which this fails:
#
# $$
# \ell(W; x, y) = \max_{y'} \big[\, s_{y'} + \rho(y', y) \,\big] - s_y \;\;\ge\; 0,
# \qquad
# F(W) = \frac1M\sum_m \ell(W; x^m, y^m) + \frac\lambda2\lVert W\rVert^2 .
# $$
#
# This is equivalent to a problem with constraints, where the **slack** $\xi_m$ is the amount by which example $m$
# violates its margin:
#
# $$
# \min_{W,\,\xi}\; \frac\lambda2\lVert W\rVert^2 + \frac1M\sum_m \xi_m
# \quad\text{so that}\quad s_{y^m} \ge s_{y'} + \rho(y', y^m) - \xi_m \;\text{ for all } m, y' .
# $$
#
# **Why small weights mean a wide margin.** With two classes, let $w = w_1 - w_0$ and $b = b_1 - b_0$. The point $x$ has the score
# difference $w\cdot x + b$, which is 0 on the boundary. Move away from the boundary by a distance $r$ at a right angle, along
# $w/\lVert w\rVert$: the score difference becomes $r\lVert w\rVert$. So
#
# $$
# \text{distance from the boundary} = \frac{\text{margin}}{\lVert w_1 - w_0\rVert},
# $$
#
# and if every margin is at least 1, there is an empty **street** around the boundary with half-width $1/\lVert w_1 - w_0\rVert$.
# The smaller the weights, the wider the street. The slack form allows points inside the street at a price, which $\lambda$ sets.
#
# The picture below shows the optimum for two $\lambda$, computed with `solver="dual"` (*Further* explains this
# solver).

# %% tags=["cell-street", "exercise-1.7"]
from classifiers.svm import SVM
from lxmls_day1.lab_api import figures

fig, axes = plt.subplots(1, 2, figsize=(12, 4.3), layout="constrained")
for regularizer, axis in zip([0.01, 0.3], axes, strict=True):
    svm = SVM(regularizer=regularizer, solver="dual", tolerance=1e-6)
    params = svm.train(sd.train_X, sd.train_y)
    figures.plot_street(sd.train_X, sd.train_y, params, title=f"λ = {regularizer:g}", ax=axis)
    found = figures.street(sd.train_X, sd.train_y, params)
    print(
        f"λ = {regularizer:4g}: half-width {found.half_width:.3f}, {found.supports.sum()} support vectors of "
        f"{len(found.supports)} points, sum of slacks {found.slacks.sum():.2f}"
    )
axes[0].get_legend().remove()

# %% [markdown] tags=["predict", "evening"]
# **Predict.** Delete a point outside the street and train again: what changes? And if you delete a ringed point? *Your
# prediction:*

# %% tags=["cell-delete", "exercise-1.7", "evening"]
svm = SVM(regularizer=0.3, solver="dual", tolerance=1e-8)
found = figures.street(sd.train_X, sd.train_y, svm.train(sd.train_X, sd.train_y))
farthest, ringed = found.margins.argmax(), np.where(found.supports, found.slacks, 0).argmax()
for what, dropped in [("all points", None), ("without the one farthest outside", farthest), ("without the one of largest slack", ringed)]:
    rest = np.delete(np.arange(50), [] if dropped is None else dropped)
    smaller = SVM(regularizer=0.3 * 50 / len(rest), solver="dual", tolerance=1e-8)  # the same λM: the same price of slack
    X, y = sd.train_X[rest], sd.train_y[rest]
    found = figures.street(X, y, smaller.train(X, y))
    print(f"{what:33}: direction {np.degrees(np.arctan2(*found.normal[::-1])):.2f}°, half-width {found.half_width:.4f}")

# %% [markdown] tags=["answer", "exercise-1.7", "evening"]
# **Explain.** Why does the first deletion change nothing? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.7", "evening"]
# <!-- numbers: delete -->
# **One answer.** The direction 53.69° and the half-width 0.9705 do not change: the loss of the deleted point is 0, and so is
# its gradient, so the point had no influence on the weights. Without the ringed point of largest slack the street turns to
# 54.66° and widens to 0.9796. (Maximum entropy differs: the log-loss of a point far out is small, but never 0.)

# %% tags=["skip-execution", "evening"]
lab.reveal("1.7")

# %% [markdown]
# The guide quotes Vapnik (1995): "Do not solve an estimation problem of interest by solving a more general (harder) problem as an
# intermediate step." We want the boundary, so the SVM estimates only the boundary.
#
# ### The rule
#
# The hinge loss is zero exactly when the true class wins by its margin. The class at which the maximum is taken,
# $\tilde y = \arg\max_{y'} s_{y'} + \rho(y', y)$, is the **cost-augmented prediction**: the class that violates the margin
# most. $F$ is convex, with kinks; at a kink take the slope of any line that touches $F$ there and does not exceed it elsewhere, a
# *subgradient*. The subgradient of one example gives the rule
#
# $$
# W \leftarrow (1 - \eta_t\lambda)\, W + g(x)\, d^\top, \qquad d = \eta_t\,(e_y - e_{\tilde y}) .
# $$
#
# The next picture shows the losses of three learners for two classes, as functions of the margin $s_y - s_{y'}$. The
# log-loss is drawn in base 2, so that it is 1 where the two scores are equal; like the hinge loss it never lies below
# the 0/1 loss.

# %% tags=["cell-losses"]
from classifiers.losses import hinge_loss, log_loss, perceptron_loss

losses = {
    "Perceptron: max(0, −margin)": perceptron_loss,
    "SVM: max(0, 1 − margin)": lambda scores, labels: hinge_loss(scores, labels, 1 - np.eye(2)),
    "Maximum entropy: log₂(1 + exp(−margin))": lambda scores, labels: log_loss(scores, labels) / np.log(2),
}
margin = np.linspace(-2.5, 3.5, 61)
scores = np.column_stack([margin, np.zeros(61)])  # the true class is 0
curves = {name: (margin, loss(scores, np.zeros(61, dtype=int))) for name, loss in losses.items()}
fig, axis = plt.subplots(figsize=(10, 5), layout="constrained")
axis.plot([-2.5, 0, 0, 3.5], [1, 1, 0, 0], color="0.5", label="mistakes (0/1)")
for name, curve in curves.items():
    axis.plot(*curve, **figures.line_style(name), label=name)
axis.set(xlabel="margin of the true class", ylabel="loss")
legend = axis.legend()
at = [0.0, 0.5, 3.0]
for name, (_, values) in curves.items():
    print(f"{name:40} at margin 0, 0.5 and 3: " + ", ".join(f"{np.interp(m, margin, values):.3f}" for m in at))

# %% [markdown] tags=["answer", "exercise-1.7"]
# **Explain.** Which of the three learners still update the weights after a right prediction with margin 0.5? With
# margin 3? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.7"]
# <!-- numbers: losses -->
# **One answer.** At margin 0.5 the SVM (loss 0.500) and maximum entropy (0.684) still update; at margin 3 only maximum
# entropy does (0.070), and its loss never becomes 0.

# %% tags=["skip-execution"]
lab.reveal("1.7")

# %% [markdown]
# ## Exercise 1.7: the SVM
#
# ```python
# def svm_rule(scores, label, sq_norm, step, cost):
#     ...  # your lines
# 
# def svm_step(W, g, label, step, regularizer, cost):
#     ...  # your lines
# ```
#
# 1. Write `svm_rule` in `classifiers/svm.py`, and `svm_step`, a complete step that also shrinks the weights. (Only a line or two differ from
#    maximum entropy.)
# 2. How far from the optimum is the stochastic subgradient method after ten rounds?
# 3. Compare several $\lambda$ on the reviews.

# %% tags=["skip-execution"]
lab.check("1.7")

# %% tags=["cell-ten-rounds", "evening"]
with lab.exercise("1.7"):
    from classifiers.svm import SVM

    print("           optimum                              stochastic subgradient, 10 rounds")
    for regularizer in [0.001, 0.1, 10.0]:
        found = []
        for svm in [SVM(regularizer, solver="dual", tolerance=1e-6), SVM(regularizer, nr_rounds=10)]:
            params = svm.train(sd.train_X, sd.train_y)
            at = figures.street(sd.train_X, sd.train_y, params)
            angle = np.degrees(np.arctan2(*at.normal[::-1]))
            F = svm.objective(sd.train_X, sd.train_y, params)
            found.append(f"F {F:.4f}, w {angle:.1f}°, half-width {at.half_width:.2f}")
        print(f"λ = {regularizer:5g}: {found[0]}  |  {found[1]}")

# %% [markdown] tags=["evening"]
# For each $\lambda$ on the reviews, compare the guide's steps $\eta_t = 1/t$, the default steps, and the optimum.

# %% tags=["real-data", "cell-svm-reviews", "evening"]
with lab.exercise("1.7"):
    from classifiers.svm import SVM

    X, y = parts.train_X, parts.train_y
    print("           objective                        development")
    print("      λ     η = 1/t    default    optimum     η = 1/t    default    optimum")
    for regularizer in [10.0, 1.0, 0.1, 0.01, 0.001]:
        svms = [
            SVM(regularizer=regularizer, nr_rounds=20, initial_step=1.0, averaged=False),
            SVM(regularizer=regularizer, nr_rounds=20),
            SVM(regularizer=regularizer, solver="dual", tolerance=1e-4),
        ]
        found = [svm.train(X, y) for svm in svms]
        objectives = [svms[0].objective(X, y, params) for params in found]
        correct = [svm.evaluate(parts.dev_y, svm.test(parts.dev_X, params)) for svm, params in zip(svms, found, strict=True)]
        columns = [f"{value:10.4f}" for value in [*objectives, *correct]]
        print(f"{regularizer:7g}  {' '.join(columns[:3])}  {' '.join(columns[3:])}")

# %% [markdown]
# ## What to take home
#
# - Naive Bayes and maximum entropy choose among the same weights. Naive Bayes fits the inputs and the classes, maximum entropy only the classes.
# - The rule of maximum entropy, $d = \eta_t(e_y - p)$, is the perceptron's with probabilities in place of the predicted class. Its $\lambda$
#   hardly turns the boundary, but determines how confident the model is.
# - The SVM requires a margin. Only the support vectors, on the edge of the street or inside it, determine the boundary.
# - Choose $\lambda$ on a development part; use the test part once.
#
# **Next.** Which of these learners should you use? That depends on the number of examples, and on whether the assumptions of the
# model hold. [Notebook 4](4_comparison.ipynb) compares them all.
#
# **Reading.** A. Berger, S. Della Pietra, V. Della Pietra, *A maximum entropy approach to natural language processing*, 1996 ·
# A. Ng, M. Jordan, *On discriminative vs. generative classifiers*, 2001 · C. Bishop, *Pattern Recognition and Machine Learning*, 2006,
# chapters 4 and 7 · D. Jurafsky, J. Martin, *Speech and Language Processing*, 3rd ed., the chapter on logistic regression · S. Shalev-Shwartz
# et al., *Pegasos*, 2007 · L. Bottou, *Stochastic gradient descent tricks*, 2012 · K. Crammer, Y. Singer, *On the algorithmic implementation of
# multiclass kernel-based vector machines*, 2001 · [Errata](errata.md) of the guide and other sources.

# %% [markdown]
# ## Further
#
# The following sections are independent.
#
# ### The principle of maximum entropy
#
# A die was thrown forty times. You are told only that one of {1, 2, 3} came up 10 times and one of {4, 5, 6} came up 30
# times. What is the probability of a 4? Many distributions agree with what you know. The **entropy**
# $H(p) = -\sum_i p_i\log p_i$ measures how uncertain a distribution is: it is 0 if one face is certain, and $\log n$, its
# largest value, if all $n$ faces are equally likely. The principle of **maximum entropy** picks, among all distributions
# that agree with what you know, the one with the largest $H(p)$.
#
# To find it, let $f_i = 1$ for the faces 1, 2, 3 and $f_i = 0$ for the others; you know that $\sum_i p_i f_i = \tfrac14$.
# Give each constraint a Lagrange multiplier, $w$ and $\nu$, and set the derivative to 0:
#
# $$
# \frac{\partial}{\partial p_i}\Big[ H(p) + w\Big(\sum_i p_i f_i - \tfrac14\Big) + \nu\Big(\sum_i p_i - 1\Big)\Big]
# = -\log p_i - 1 + w f_i + \nu = 0
# \quad\Longrightarrow\quad p_i = \frac{e^{w f_i}}{Z}, \qquad Z = \sum_i e^{w f_i} .
# $$
#
# $$
# \text{With } Z = 3e^w + 3 \text{ the constraint says } \frac{3e^w}{3e^w + 3} = \frac14, \text{ so }
# e^w = \tfrac13,\; w = \log\tfrac13,\; Z = 4,\;
# p_1 = p_2 = p_3 = \tfrac1{12},\; p_4 = p_5 = p_6 = \tfrac14 .
# $$
#
# The solution $p_i \propto e^{w f_i}$ is a **log-linear model**, although we did not assume one, and **the weight of a
# feature is the Lagrange multiplier of its constraint**.

# %% [markdown] tags=["predict"]
# **Predict.** What would $w$ be if {1, 2, 3} had come up 20 times? *Your prediction:*

# %% tags=["cell-die"]
def entropy(p):
    return -(p * np.log(p)).sum(axis=-1)


def die(w):
    """The log-linear die with weight w for the faces 1, 2, 3: its probabilities, and Z."""
    factors = np.exp(w * np.array([1, 1, 1, 0, 0, 0]))
    return factors / factors.sum(), factors.sum()


for throws in (20, 10):
    w = np.log(throws / (40 - throws))
    even, Z = die(w)
    print(f"{throws} throws of 40 in {{1, 2, 3}}: w = {w:.4f}, Z = {Z:.4f}\n    p =", even.round(4).tolist())
rng = np.random.default_rng(1)
others = np.hstack([0.25 * rng.dirichlet([1, 1, 1], size=10_000), 0.75 * rng.dirichlet([1, 1, 1], size=10_000)])
print(f"its entropy {entropy(even):.4f}; the largest of 10 000 others that agree with the data: {entropy(others).max():.4f}")

fig, axis = plt.subplots(figsize=(8, 4), layout="constrained")
axis.bar(np.arange(1, 7) - 0.2, even, width=0.4, color="#333333", label=f"maximum entropy, H = {entropy(even):.3f}")
axis.bar(
    np.arange(1, 7) + 0.2, others[0], width=0.4, color="#BBBBBB", label=f"a distribution with lower entropy, H = {entropy(others[0]):.3f}"
)
axis.set(xlabel="face", ylabel="probability", ylim=(0, 0.4))
legend = axis.legend(loc="upper left")

# %% [markdown]
# For classification you know averages of features. Suppose that 70 % of the hairy animals in your data are mammals.
# Then the model must give "mammal" a probability of 70 % on average over the hairy animals. The other features decide
# how this probability varies among these animals; without other features it is the same for all. In general: of all
# conditional distributions $p(y\mid x)$ that *expect* each joint feature as often as the data show it,
#
# $$ \frac1M\sum_m \sum_y p(y\mid x^m)\, f(x^m, y) \;=\; \frac1M\sum_m f(x^m, y^m), $$
#
# take the one with the largest entropy. The solution is a log-linear model, as for the die. Each constraint has one
# Lagrange multiplier, and these multipliers are the weights of the model:
#
# $$
# p_W(y \mid x) = \frac{\exp(w_y\cdot g(x))}{Z(W, x)}, \qquad Z(W, x) = \sum_{y'} \exp(w_{y'}\cdot g(x)).
# $$
#
# This is the softmax of section A. Maximising the entropy under these constraints and maximising the conditional
# likelihood of this model have the same solution: the likelihood problem is the dual of the entropy problem. For two
# classes the model is called logistic regression.

# %% [markdown]
# ### Duplicated features
#
# One consequence: naive Bayes treats each feature as new evidence. If $x_1$ is given twice, naive Bayes counts it twice; maximum entropy gives each
# copy half of the weight. The cell prints the weights of $x_1$, of $x_2$, and of the copy of $x_1$. (Notebook 4 measures the effect on the error.)

# %% tags=["cell-twice"]
from classifiers.gaussian_naive_bayes import GaussianNaiveBayes
from classifiers.max_ent_batch import MaxEntBatch

wide = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 2], g2=[[1, 1], 2])
twice, point = (np.hstack([X, X[:, :1]]) for X in (wide.train_X, np.array([[0.5, -0.5]])))
for name, model in {"naive Bayes": GaussianNaiveBayes(2.0), "maximum entropy, λ = 0": MaxEntBatch(0.0, tolerance=1e-8)}.items():
    for X, x in ((wide.train_X, point[:, :2]), (twice, point)):
        params = model.train(X, wide.train_y)
        w = params[:, 1] - params[:, 0]
        print(f"{name:22} weights {str(w[1:].round(3).tolist()):22} p(1 | x) = {model.get_probabilities(x, params)[0, 1]:.4f}")

# %% [markdown]
# ### The objective, round by round
#
# Now we set $\lambda = 1$ and record $F$. For a fair comparison we count *rounds*: in a round every example is visited once.
# For the batch methods this is one evaluation of $F$ and its gradient (Armijo's rule may need several in one iteration), for
# SGD $M$ steps.

# %% [markdown] tags=["predict"]
# **Predict.** Which method has the lowest $F$ after one round? Which after thirty? *Your prediction:*

# %% tags=["real-data", "cell-rounds", "exercise-1.6"]
from threadpoolctl import threadpool_limits

with lab.exercise("1.6"):
    from classifiers.gradient_descent import gradient_descent
    from classifiers.lbfgs import lbfgs
    from classifiers.max_ent_batch import MaxEntBatch, MaxEntObjective
    from classifiers.max_ent_online import MaxEntOnline

    exact = MaxEntBatch(regularizer=1.0, tolerance=1e-8)
    optimum = exact.objective(parts.train_X, parts.train_y, exact.train(parts.train_X, parts.train_y))
    problem = MaxEntObjective(parts.train_X, np.unique(parts.train_y, return_inverse=True)[1], 2, 1.0, True)
    zeros = np.zeros(problem.size)

    def followed(descent):
        """Rounds and the excess of F over the optimum after each iteration of a batch method."""
        rounds = 0

        def counted(v):
            nonlocal rounds
            rounds += 1
            return problem(v)

        excess = []
        for point in descent(counted):
            excess.append((rounds, point.value - optimum))
            if rounds >= 30:
                break
        return np.array(excess)

    print(f"F is {problem(zeros)[0]:.4f} at W = 0, and {optimum:.4f} at the optimum: {problem(zeros)[0] - optimum:.4f} less")
    nr_steps = 30 * len(parts.train_y)
    fig, axis = plt.subplots(figsize=(11.5, 5.6), layout="constrained")
    batch = {
        "L-BFGS": (lambda F: lbfgs(F, zeros, problem.diagonal()), {"color": "black", "marker": "o"}),
        "gradient descent": (lambda F: gradient_descent(F, zeros), {"color": "0.55", "marker": "s"}),
    }
    for name, (descent, style) in batch.items():
        with threadpool_limits(limits=1, user_api="blas"):  # for vectors this short a second thread only waits
            excess = followed(descent)
        axis.plot(*np.maximum(excess, 1e-6).T, **style, markersize=5, label=name)
        print(f"{name:16}: {excess[excess[:, 0] <= 10][-1][1]:.5f} above the optimum after 10 rounds, {max(excess[-1][1], 0):.5f} after 30")
    for number, initial_step in enumerate([1.0, 10.0, 0.1, 0.01]):
        sgd = MaxEntOnline(1.0, nr_rounds=30, initial_step=initial_step, averaged=False, track_objective=True)
        sgd.train(parts.train_X, parts.train_y)
        excess = [round.objective - optimum for round in sgd.history]
        axis.plot(range(1, 31), excess, **figures.line_style("maximum entropy online", number, 4), label=f"SGD, η₀ = {initial_step:g}")
        print(
            f"SGD, η₀ = {initial_step:5g}: F − F* = {excess[0]:.5f} after 1 round, {excess[9]:.5f} after 10, {excess[-1]:.5f} after 30\n"
            f"    remaining share of the initial weights {nr_steps:,}^(−η₀λ) = {nr_steps ** -initial_step:.2g}"
        )
    axis.set(yscale="log", xlabel="rounds", ylabel="F above the optimum", ylim=(1e-6, 2), xlim=(0, 30))
    figures.label_ends(axis)

# %% [markdown] tags=["answer", "exercise-1.6"]
# **Explain.** Why does SGD with $\eta_0 = 0.1$ not reach the optimum, although its steps are smaller and safer? **Transfer.**
# Which $\eta_0$ would you take for $\lambda = 0.01$? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.6"]
# <!-- numbers: rounds -->
# **One answer.** In $T$ steps the weights of the first steps are shrunk by $\prod_t (1 - \eta_0\lambda/t) \approx T^{-\eta_0\lambda}$. After 30 rounds
# a share of 0.35 of bad initial weights remains with $\eta_0 = 0.1$, and nearly all, 0.9, with $\eta_0 = 0.01$. So $\eta_0\lambda$ must not be much
# below 1, and $\eta_0 = 1/\lambda$ is a good first choice (Pegasos uses it). With $\eta_0 = 10$ the objective is 0.27439 above the optimum after the
# first round, but little above it in the end. *Transfer:* 100, by the same rule. But then the first steps are far too long; "Step sizes for every λ",
# below, has a better rule.

# %% tags=["skip-execution"]
lab.reveal("1.6")

# %% [markdown]
# ### How fast the steps may shrink
#
# The steps must become small, or the noise of single examples never dies down. But if they become small too fast, the
# learner stops before it reaches the minimum. Robbins and Monro (1951) require $\sum_t\eta_t = \infty$ and
# $\sum_t\eta_t^2 < \infty$. For $\eta_t = \eta_0t^{-a}$ this means $\tfrac12 < a \le 1$. This condition concerns the
# limit. In the first thousand rounds $\eta_0$ matters as much.
#
# > **An error in the guide.** The printed guide recommends $a \in [1, 2]$. For $a > 1$ the steps sum to a finite number (for
# > $a = 2$ to $\eta_0\pi^2/6$): the weights can move only a limited distance. The classes of the lab refuse such an $a$; the cell below
# > switches the check off.

# %% [markdown] tags=["predict"]
# **Predict.** Rank the five curves of the next cell by $F$ after 200 rounds: $a = 0.6, 1, 1.5, 2$ with
# $\eta_0 = 1$, and $a = 1$ with $\eta_0 = 1/\lambda = 100$. *Your prediction:*

# %% tags=["cell-alpha", "exercise-1.6"]
with lab.exercise("1.6"):
    from classifiers.max_ent_batch import MaxEntBatch
    from classifiers.max_ent_online import MaxEntOnline

    class AnySteps(MaxEntOnline):
        def check_settings(self):
            pass

    exact = MaxEntBatch(regularizer=0.01, tolerance=1e-8)
    optimum = exact.objective(sd.train_X, sd.train_y, exact.train(sd.train_X, sd.train_y))
    fig, axis = plt.subplots(figsize=(11.5, 5.6), layout="constrained")
    print(f"optimum {optimum:.4f}")
    rounds = np.unique(np.geomspace(1, 200, 40).round()).astype(int)  # those to look at
    tried = [(1.0, 100.0), (0.6, 1.0), (1.0, 1.0), (1.5, 1.0), (2.0, 1.0)]
    for number, (exponent, first) in enumerate(tried):
        sgd = AnySteps(0.01, nr_rounds=200, alpha=exponent, initial_step=first, averaged=False)
        weights_after = []
        sgd.train(sd.train_X, sd.train_y, callback=lambda _, weights, params: weights_after.append(weights.copy()))
        excess = {number: sgd.objective(sd.train_X, sd.train_y, weights_after[number - 1]) - optimum for number in rounds}
        style = figures.line_style("maximum entropy online", number, len(tried))
        axis.plot(rounds, list(excess.values()), **style, label=f"a = {exponent:g}, η₀ = {first:g}")
        print(f"a = {exponent:3g}, η₀ = {first:3g}: {excess[10]:.5f} above the optimum after 10 rounds, {excess[200]:.6f} after 200")
    axis.set(xscale="log", yscale="log", xlabel="rounds", ylabel="F above the optimum", xlim=(1, 200))
    figures.label_ends(axis)

# %% [markdown] tags=["answer", "exercise-1.6"]
# **Explain.** $a = 1$ is allowed with $\eta_0 = 1$ and with $\eta_0 = 100$. Why does the curve with $\eta_0 = 1$ hardly fall
# after ten rounds? **Transfer.** What would happen with $a = \tfrac12$? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.6"]
# <!-- numbers: alpha -->
# **One answer.** The reason is again $\eta_0\lambda$, which is 0.01 or 1. With $\eta_0 = 1$ the effect of bad initial weights decays like $T^{-0.01}$,
# which is hardly at all; after 200 rounds $F$ is still 0.024295 above the optimum. With $\eta_0 = 100 = 1/\lambda$ it decays like $1/T$. The condition
# guarantees convergence, but not its speed. With $a = 2$ there is no guarantee: all steps together are too short, and $F$ stays 0.586868 above the
# optimum. *Transfer:* the squares of the steps no longer have a finite sum; the noise dies down too slowly.

# %% tags=["skip-execution"]
lab.reveal("1.6")

# %% [markdown]
# ### Step sizes for every λ
#
# $\eta_t = 1/t$ works well at $\lambda = 1$. At $\lambda = 0.01$ it fails for two reasons. The first step, 1, moves the score of a text
# with $\|g(x)\|^2 = 150$ by up to 150, where a change of 5 would already make the log-loss small. And the later steps are too short: the
# error of the first steps is only shrunk by $\prod_t(1 - \lambda/t) \approx T^{-\lambda}$, which is 0.9 after $T = 16{,}000$ steps.
#
# - **How long may the first step be?** The curvature of the log-loss of one example is at most $\|g(x)\|^2/2$ in any direction. A step
#   of one over the curvature does not go too far: $\eta_1 = 2/\mathrm{median}\,\|g(x)\|^2$. With three or more classes we use twice
#   this step: the curvature is that large only where two classes share all of the probability.
# - **How fast must the steps shrink?** The curvature of $F$ is at least $\lambda$. For such an objective
#   $\eta_t = 1/(\lambda t)$ shrinks at the right speed (Pegasos): the effect of the initial weights decays like $1/T$.
# - **Both together** (Bottou): $\eta_t = 1/(\lambda\,(t + t_0))$, where $t_0$ is chosen to give the first step
#   $\eta_1$.
#
# These are the steps of `MaxEntOnline` and `SVM` unless you give `initial_step` or `alpha`. They return the mean of the
# weights over the last round, because the last weights alone depend on which examples came last.

# %% tags=["real-data", "cell-steps", "exercise-1.6"]
with lab.exercise("1.6"):
    from classifiers.max_ent_batch import MaxEntBatch
    from classifiers.max_ent_online import MaxEntOnline

    X, y = parts.train_X, parts.train_y
    for regularizer in [1.0, 0.1, 0.01, 0.001]:
        learners = [
            ("η = 1/t, 10 rounds", MaxEntOnline(regularizer, nr_rounds=10, initial_step=1.0, averaged=False)),
            ("η = 1/(λ(t + t₀)), 10 rounds", MaxEntOnline(regularizer, nr_rounds=10)),
            ("optimum", MaxEntBatch(regularizer)),
        ]
        for name, maxent in learners:
            params = maxent.train(X, y)
            accuracy = maxent.evaluate(parts.dev_y, maxent.test(parts.dev_X, params))
            print(f"λ = {regularizer:5g}, {name:28}: F = {maxent.objective(X, y, params):7.4f}, development {accuracy:.4f}")

# %% [markdown]
# ## Exercise 1.6b: the batch gradient
#
# Write `batch_gradient` in `classifiers/batch_gradient.py`: $\nabla F(W)$ over all examples, as derived in section B. Then use it for
# gradient descent.

# %% [markdown] tags=["predict"]
# **Predict.** Let $W = 0$, with two classes. What is each row of $P - Y$? What is the sign of the gradient in the
# column of class 1, in the row of a feature that is mostly positive in class 1? *Your prediction:*

# %% tags=["cell-batch-gradient"]
with lab.exercise("1.6b"):
    from classifiers.batch_gradient import batch_gradient
    from classifiers.max_ent_batch import MaxEntBatch

    maxent = MaxEntBatch(regularizer=0.1, tolerance=1e-10)
    best = maxent.train(sd.train_X, sd.train_y)
    W = np.zeros_like(best)
    print("the gradient at W = 0, column of class 1:", batch_gradient(W, sd.train_X, sd.train_y, 0.1)[:, 1].round(3))
    nudge = np.zeros_like(W)
    nudge[1, 1] = 1e-6
    slope = (maxent.objective(sd.train_X, sd.train_y, W + nudge) - maxent.objective(sd.train_X, sd.train_y, W - nudge)) / 2e-6
    print(f"the slope of F by that column's first feature, by a difference of F: {slope:.3f}")
    for step in range(101):
        gradient = batch_gradient(W, sd.train_X, sd.train_y, 0.1)
        if step in (0, 1, 10, 30, 100):
            above = maxent.objective(sd.train_X, sd.train_y, W) - maxent.objective(sd.train_X, sd.train_y, best)
            print(f"after {step:3d} steps: F is {max(above, 0):.6f} above its minimum, ‖∇F‖ = {np.linalg.norm(gradient):.5f}")
        W = W - 0.5 * gradient

# %% tags=["skip-execution"]
lab.check("1.6b")

# %% [markdown] tags=["answer"]
# **Explain.** (1) Why do all rows of $P - Y$ sum to 0, and what follows for the columns of the gradient with two classes? (2)
# Why does the gradient become zero at the optimum although the model is not certain about any point?
#
# **Transfer.** Leave out all examples but one, and do not divide by $M$. Which rule of the online learners do you get? *Your answer:*

# %% [markdown] tags=["solution"]
# **One answer.** (1) The probabilities of an example sum to 1, and so do the entries of $e_y$. For two classes, therefore, the two
# columns of the gradient of the first term are the negatives of each other. (2) Each point contributes to the gradient; at the
# optimum the contributions of all points and of the regularizer cancel. The model then expects of each feature what the data show, up
# to $\lambda W$.
#
# *Transfer.* $W \leftarrow (1 - \eta\lambda) W - \eta\, g\,(p - e_y)^\top$: the loop with $d = \eta\,(e_y - p)$, which is the
# rule of exercise 1.6.
# <!-- given: 1 -->

# %% tags=["skip-execution"]
lab.reveal("1.6b")

# %% [markdown]
# ## Exercise 1.11: iterative scaling and moment matching
#
# Before gradient methods became standard, maximum-entropy models were fitted by **generalized iterative scaling**
# (Darroch and Ratcliff, 1972). The idea: if the data show a feature more often than the model expects it, raise its
# weight. For features $f_i \ge 0$ whose sum is the same number $V$ for every $(x, y)$,
#
# $$
# w_i \;\leftarrow\; w_i + \frac1V \log\frac{E_{\text{emp}}[f_i]}{E_{\text{model}}[f_i]},
# \qquad
# E_{\text{emp}}[f_i] = \frac1M\sum_m f_i(x^m, y^m),
# \quad
# E_{\text{model}}[f_i] = \frac1M\sum_m\sum_y p_W(y\mid x^m) f_i(x^m, y),
# $$
#
# and the likelihood never falls. (In terms of factors $e^{w_i}$: multiply by the $V$-th root of the ratio.) Three
# conditions:
#
# - **The sum must be constant.** If it is not, add a *slack feature* equal to the difference from the largest sum $V$.
# - **No negative features**: a negative expectation has no logarithm.
# - A feature that never occurs with a class has $E_{\text{emp}} = 0$ and the weight $-\infty$; it is left out of the
#   model.
#
# 1. Write the update and the slack feature, `scaling_update` and `with_slack` in `classifiers/solvers/iterative_scaling.py`.
# 2. Run it on small data, and watch the two expectations become equal. Compare with L-BFGS.
# 3. What happens to the speed when $V$ grows?

# %% tags=["cell-moments"]
def count_data(seed=1):
    """Counts of three words in 60 documents of three classes; each class has a favourite word."""
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 3
    return rng.poisson(0.5 + np.eye(3)[y]).astype(float), y


with lab.exercise("1.11"):
    from classifiers.iterative_scaling import scale_max_ent
    from classifiers.max_ent_batch import MaxEntBatch
    from classifiers.max_ent_model import softmax

    X, y = count_data()
    G, Y = np.hstack([np.ones((60, 1)), X]), np.eye(3)[y]
    empirical = G.T @ Y / 60  # (J + 1, K)
    for number, scaling in enumerate(scale_max_ent(X, y, 3)):
        if number in (0, 1, 10, 100, 1000):
            expected = G.T @ softmax(G @ scaling.weights) / 60
            print(
                f"after {number:4d} iterations: objective {scaling.objective:.6f}, "
                f"expectations differ by up to "
                f"{np.abs(expected - empirical).max():.5f}"
            )
        if number == 1000:
            break
    lbfgs = MaxEntBatch(regularizer=0.0, tolerance=1e-6)
    optimum = lbfgs.objective(X, y, lbfgs.train(X, y))
    print(f"L-BFGS without regularizer: objective {optimum:.6f}")
    print("E_emp  ", empirical[1:].round(3).tolist())
    print("E_model", expected[1:].round(3).tolist())

# %% tags=["skip-execution"]
lab.check("1.11")

# %% [markdown]
# Now give every document the same number of *filler* words, such as "the" and "of": 0, 10 or 30. They carry no
# information about the class, so the best probabilities do not change. Only $V$ grows.

# %% [markdown] tags=["predict"]
# **Predict.** By which factor does the number of iterations grow from 0 to 30 filler words? *Your prediction:*

# %% tags=["cell-filler"]
with lab.exercise("1.11"):
    from classifiers.iterative_scaling import scale_max_ent, with_slack

    def mismatches(X, y, iterations=500):
        """‖E_emp − E_model‖ of the three words after each iteration, as shares of the one at the start; and V."""
        G, Y = np.hstack([np.ones((len(X), 1)), X]), np.eye(3)[y]
        found = [
            np.linalg.norm((X.T @ (Y - softmax(G @ scaling.weights)))[:3])
            for scaling in islice(scale_max_ent(X, y, 3), iterations)
        ]
        return np.array(found) / found[0], with_slack(X)[1]

    fig, axis = plt.subplots(figsize=(10.5, 5.2), layout="constrained")
    X, y = count_data()
    for number, filler in enumerate([0, 10, 30]):
        share, V = mismatches(np.hstack([X, np.full((60, 1), float(filler))]), y)
        axis.plot(share[share > 1e-4], **figures.line_style("maximum entropy", number, 3), label=f"{filler} filler words: V = {V:.0f}")
        print(f"{filler:2d} filler words, V = {V:2.0f}: 1/1000 of the initial mismatch remains after {np.argmax(share < 1e-3):3d} iterations")
    for factor in (2, 4):
        share, V = mismatches(factor * X, y)
        print(f"all counts times {factor}, V = {V:2.0f}: after {np.argmax(share < 1e-3):3d} iterations")
    axis.set(yscale="log", xlabel="iterations", ylabel="‖E_emp − E_model‖, share of the first", ylim=(1e-4, 1), xlim=(0, 400))
    legend = axis.legend()

# %% [markdown] tags=["answer"]
# **Explain.** Filler words and larger counts both raise $V$. Why do filler words make scaling slow, while larger counts do not?
# **Transfer.** At the regularized optimum ($\lambda > 0$), do the expectations still match? *Your answer:*

# %% [markdown] tags=["solution"]
# <!-- numbers: filler -->
# **One answer.** Every step is divided by $V$. Filler words raise $V$ and leave the optimal weights unchanged: 83 iterations
# become 204 and 447, nearly in proportion to $V$ (7, 17, 37). Multiplying the counts by 4 raises $V$ too, but the optimal weights
# are only a quarter as large: 74 iterations. So the speed depends on the ratio of $V$ to the counts of the informative words. In a
# review that is hundreds of words against one or two. *Transfer:* no. Where $\nabla F = 0$,
# $E_{\text{emp}} - E_{\text{model}} = \lambda W$.

# %% tags=["skip-execution"]
lab.reveal("1.11")

# %% [markdown]
# ### Two bounds on the distance from the optimum
#
# The decrease of $F$ alone does not tell a method when to stop. Two quantities bound how far $F$ is above the
# optimum.
#
# **The duality gap**, for the hinge loss. A maximum over classes is also a maximum over mixtures of them: shares $a_{m,y'} \ge 0$ with
# $\sum_{y'} a_{m,y'} = 1$. Exchange "minimise over $W$" and "maximise over $a$"; for fixed $a$ the best $W$ has a closed form:
#
# $$
# W(a) = \frac1{\lambda M}\sum_m g(x^m)\,(e_{y^m} - a_m)^\top,
# \qquad
# D(a) = \frac1M\sum_m\sum_{y'} a_{m,y'}\,\rho(y', y^m) \;-\; \frac\lambda2\lVert W(a)\rVert^2 .
# $$
#
# For every $a$ and every $W$: $D(a) \le F^* \le F(W)$. The dual solver raises $D$ by improving one $a_m$ at a time. When the two values agree to the tolerance, the
# weights are optimal to the tolerance. (Support vectors are the examples with $a_m \ne e_{y^m}$.)
#
# **The gradient norm**, for the log-loss. With $\lambda > 0$ the curvature of $F$ is at least $\lambda$ in every
# direction, so
#
# $$ F(W) - F^* \;\le\; \frac{\lVert\nabla F(W)\rVert^2}{2\lambda} . $$

# %% tags=["cell-certificates"]
from classifiers.lbfgs import lbfgs
from classifiers.max_ent_batch import MaxEntBatch, MaxEntObjective
from classifiers.svm import SVM

svm = SVM(regularizer=0.1, solver="dual", tolerance=1e-8)
svm.train(sd.train_X, sd.train_y)
print("SVM, λ = 0.1       F(W)       D(a)    the gap: F(W) − F* is at most")
for epoch in [e for e in svm.history if e.number in (1, 2, 4, 8, 16)]:
    print(f"  epoch {epoch.number:4d}   {epoch.objective:.6f}   {epoch.dual:.6f}   {epoch.gap:.6f}")
exact = MaxEntBatch(regularizer=0.1, tolerance=1e-12)
optimum = exact.objective(sd.train_X, sd.train_y, exact.train(sd.train_X, sd.train_y))
problem = MaxEntObjective(sd.train_X, sd.train_y, 2, 0.1, True)
print("Maximum entropy, λ = 0.1        F(W)   F(W) − F*   ‖∇F‖²/(2λ): bound")
for number, point in enumerate(islice(lbfgs(problem, np.zeros(problem.size)), 6)):
    bound = point.gradient @ point.gradient / (2 * problem.convexity)
    print(f"  iteration {number:4d}            {point.value:.6f}    {point.value - optimum:.6f}   {bound:.6f}")

# %% [markdown]
# ### Kernels
#
# The solution is a sum over support vectors ($W(a)$, above). So a score depends only on inner products $x^m \cdot x$. If each of them is
# replaced by a *kernel* $k(x^m, x)$, an inner product in a larger feature space, the same method finds curved boundaries. With
# $k(x, x') = (1 + x\cdot x')^2$, for instance, it uses all squares and products of two features, but never computes them. A text already
# has thousands of features, and linear boundaries suffice.

# %% [markdown]
# ### Training without shrinking

# %% [markdown] tags=["predict"]
# **Predict.** We leave out the factor $1 - \eta_t\lambda$, which is a common mistake. How does the objective change over the rounds?
# *Your prediction:*

# %% tags=["cell-shrinking", "exercise-1.7"]
with lab.exercise("1.7"):
    from classifiers.svm import SVM

    class WithoutShrinking(SVM):
        shrinks = False

    overlapping = SimpleDataSet(nr_examples=200, g1=[[-1, -1], 2], g2=[[1, 1], 2])
    X, y = overlapping.train_X, overlapping.train_y
    dual = SVM(regularizer=1.0, solver="dual", tolerance=1e-6)
    dual.train(X, y)
    settings = {"regularizer": 1.0, "nr_rounds": 40, "initial_step": 1.0, "averaged": False, "track_objective": True}
    fig, axis = plt.subplots(figsize=(10.5, 5), layout="constrained")
    learners = [("with shrinking", SVM(**settings)), ("without", WithoutShrinking(**settings))]
    for number, (name, svm) in enumerate(learners):
        svm.train(X, y)
        excess = [round.objective - dual.history[-1].dual for round in svm.history]
        axis.plot(range(1, 41), excess, **figures.line_style("SVM", number, 2), label=name)
        print(f"{name:20}: {excess[-1]:.5f} above the optimum after 40 rounds")
    print(f"the optimum is between {dual.history[-1].dual:.6f} and {dual.history[-1].objective:.6f}")
    axis.set(xlabel="rounds", ylabel="F above the optimum", yscale="log", xlim=(1, 40))
    figures.label_ends(axis)

# %% [markdown] tags=["answer", "exercise-1.7"]
# **Explain.** Without the factor, which objective does the method minimise? **Transfer.** Which of the learners of notebook 2
# shrink their weights? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.7"]
# <!-- numbers: shrinking -->
# **One answer.** It minimises the mean hinge loss alone, as if $\lambda$ were 0. Nothing reduces the weights, and $F$
# stays 0.35391 above its optimum, while the method with shrinking is within 0.00001 of it. *Transfer:* none. They
# have no penalty; averaging and the cap play its role.

# %% tags=["skip-execution"]
lab.reveal("1.7")

# %% [markdown]
# ## Exercise 1.7b: choosing λ on the development part
#
# Write `choose_regularizer` in `classifiers/choosing_lambda.py`: train with each $\lambda$ on the training part, compare the
# accuracies on the development part, and take the best; among ties take the largest $\lambda$. The function works for every
# learner that has a $\lambda$.

# %% [markdown] tags=["predict"]
# **Predict.** There are 30 training points with 20 features, of which two distinguish the classes. Where is the accuracy on the
# *training* part highest: at $\lambda = 0.001$ or at $\lambda = 100$? And on the development part? *Your prediction:*

# %% tags=["cell-chosen"]
with lab.exercise("1.7b"):
    from classifiers.choosing_lambda import choose_regularizer
    from classifiers.max_ent_batch import MaxEntBatch
    from classifiers.svm import SVM

    rng = np.random.default_rng(4)
    y = rng.integers(2, size=1530)
    X = rng.normal(size=(1530, 20))
    X[:, :2] += 0.8 * (2 * y[:, None] - 1)
    train, dev, new = (X[:30], y[:30]), (X[30:530], y[30:530]), (X[530:], y[530:])
    regularizers = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]
    for name, make in [
        ("maximum entropy", lambda value: MaxEntBatch(regularizer=value)),
        ("SVM", lambda value: SVM(regularizer=value, solver="dual", tolerance=1e-6)),
    ]:
        chosen, on_dev = choose_regularizer(make, regularizers, *train, *dev)
        _, on_train = choose_regularizer(make, regularizers, *train, *train)
        learner = make(chosen)
        on_new = learner.evaluate(new[1], learner.test(new[0], learner.train(*train)))
        print(f"{name}: λ = {chosen:g} is chosen, with accuracy {on_new:.3f} on new points")
        print("   λ           ", "  ".join(f"{value:5g}" for value in regularizers))
        print("   training    ", "  ".join(f"{value:.3f}" for value in on_train))
        print("   development ", "  ".join(f"{value:.3f}" for value in on_dev))

# %% tags=["skip-execution"]
lab.check("1.7b")

# %% [markdown] tags=["answer"]
# **Explain.** (1) Which $\lambda$ would you choose by the training part, and why? (2) Why do we take the largest of equally good
# values, and not the first in the list? (3) Why is the accuracy of the chosen $\lambda$ on the development part slightly optimistic?
#
# **Transfer.** You have only 60 labelled examples. How do you choose $\lambda$ without giving up a third of them? *Your answer:*

# %% [markdown] tags=["solution"]
# **One answer.** (1) The smallest: with 20 features some hyperplane separates almost any 30 points, and a small $\lambda$ finds it.
# This hyperplane fits chance. (2) The list may be in any order. If the development part cannot distinguish two models, the model with
# the smaller weights has fitted less chance. (3) It is the largest of several accuracies, each with its own error, and the maximum
# favours those that are too high by chance. So the number to report comes from a test part that is used only once.
#
# *Transfer.* Use cross-validation: divide the examples into five parts, use each of them once as the development part, and compare
# the means of the five accuracies. Then train with the chosen $\lambda$ on all 60.
# <!-- given: 20, 30, 60 -->

# %% tags=["skip-execution"]
lab.reveal("1.7b")

# %% [markdown]
# ## Sparse weights: the L1 penalty
#
# With the penalty $\tfrac{\lambda}{2}\|W\|^2$ every word keeps some weight, however small. With $\lambda \sum |w|$ most weights are
# exactly 0: the model selects its words. To see why, consider one weight $w$. Let the loss be a parabola with its lowest point at
# $a$, and minimise
#
# $$ \tfrac12 (w - a)^2 + \lambda |w|. $$
#
# $|w|$ has a corner at 0. If $|a| \le \lambda$, the objective rises on both sides of 0, and the best $w$ is 0. Otherwise the best $w$ is
# $a$, moved towards 0 by $\lambda$. This is the *soft threshold*. The square has no corner: it makes weights small, but not exactly 0.
#
# ## Exercise 1.19: the soft threshold
#
# Write `soft_threshold` in `classifiers/solvers/owl_qn.py`. OWL-QN, the solver of `MaxEntBatch(penalty="l1")` on dense data, uses it at every step.

# %% [markdown] tags=["predict"]
# **Predict.** $\lambda$ falls from a large value to a small one. How many words have a non-zero weight at first? Where is the
# accuracy on the development part highest: with few words, or with most of them? *Your prediction:*

# %% tags=["real-data", "cell-path", "exercise-1.19"]
with lab.exercise("1.19"):
    from classifiers.max_ent_batch import MaxEntBatch
    from classifiers.owl_qn import soft_threshold
    from classifiers.regularization_path import largest_useful_penalty, regularization_path
    from lxmls_day1.lab_api import figures

    print("soft threshold of 2, 0.3, -1 with λ = 0.5:", soft_threshold(np.array([2.0, 0.3, -1.0]), 0.5))
    largest = largest_useful_penalty(parts.train_X, parts.train_y)
    path = regularization_path(
        parts.train_X, parts.train_y, parts.dev_X, parts.dev_y, largest * 0.5 ** np.arange(9), tolerance=1e-3
    )
    for point in path:
        print(
            f"λ = {point.regularizer:.5f}: {point.n_features:5} features, training {point.train_accuracy:.3f}, "
            f"development {point.dev_accuracy:.3f}"
        )
    figures.plot_path(path)

# %% tags=["skip-execution"]
lab.check("1.19")

# %% [markdown] tags=["answer", "exercise-1.19"]
# **Explain.** (1) Why does no word have a weight at the largest $\lambda$ of the path? (2) Two words always occur together. How does
# this penalty share the weight between them, and how does the square? **Transfer.** A model has to fit on a small device. How do you
# use the path? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.19"]
# **One answer.** (1) That $\lambda$ equals the steepest slope of the loss at $W = 0$: no word lowers the loss by more than its penalty.
# (2) The penalty on the sum of the two weights is the same however it is shared, so one word may get all and the other nothing; the square
# shares it equally. *Transfer:* take the largest $\lambda$ whose development accuracy is within a standard error of the best, and store
# only the words with non-zero weights.

# %% tags=["skip-execution"]
lab.reveal("1.19")

# %% [markdown]
# ## NBSVM: an SVM on features weighted by naive Bayes
#
# Naive Bayes estimates how strongly each word indicates a class. A discriminative classifier, which is trained to separate the classes,
# does this better, given enough examples. Can we combine the two?
#
# For a class let $p_j$ be $\alpha$ plus the number of its documents that contain word $j$, and $q_j$ the same number for all other
# documents. The *log-count ratio* is the weight that naive Bayes would give to the word:
#
# $$ r_j = \log \frac{p_j / \sum_i p_i}{q_j / \sum_i q_i}. $$
#
# Multiply each word's 0 or 1 by its $r_j$, and train a linear support vector machine on these features. Uninformative words are
# scaled down to nearly 0; informative words are scaled up. *NBSVM* (Wang and Manning, 2012) finally interpolates between the weights
# $w$ and their mean absolute value $\bar w$: $w \leftarrow (1 - \beta)\, \bar w + \beta w$. With $\beta = 0$ naive Bayes alone
# decides, with $\beta = 1$ the support vector machine.
#
# <!-- given: 2012, 0, 1 -->
#
# ## Exercise 1.18: the log-count ratio
#
# Write `log_count_ratio` in `classifiers/nbsvm.py`.

# %% [markdown] tags=["predict"]
# **Predict.** Which is most accurate on the reviews: naive Bayes ($\beta = 0$), the support vector machine ($\beta = 1$), or a
# value between? *Your prediction:*

# %% tags=["real-data", "cell-nbsvm", "exercise-1.18"]
with lab.exercise("1.18"):
    from classifiers.nbsvm import NBSVM, log_count_ratio

    present = reviews.train_X > 0
    positive = reviews.train_y == reviews.label_names.index("positive")
    inside, outside = (np.asarray(present[rows].sum(axis=0)).ravel() for rows in (positive, ~positive))
    r = log_count_ratio(inside, outside, 1.0)
    names = np.array(reviews.feature_names)
    print("most positive:", ", ".join(names[np.argsort(-r)[:5]]))
    print("most negative:", ", ".join(names[np.argsort(r)[:5]]))
    rng = np.random.default_rng(0)
    fold = rng.permutation(reviews.train_X.shape[0]) % 4
    right = {beta: np.zeros(len(fold)) for beta in (0.25, 0.0, 1.0)}  # 1 for each review that is labelled rightly
    for beta in right:
        for k in range(4):
            nbsvm = NBSVM(beta=beta)
            params = nbsvm.train(reviews.train_X[fold != k], reviews.train_y[fold != k])
            right[beta][fold == k] = nbsvm.test(reviews.train_X[fold == k], params) == reviews.train_y[fold == k]
        print(f"beta {beta:4}: accuracy {right[beta].mean():.4f} over four folds")
    for beta in (0.0, 1.0):
        difference = right[0.25] - right[beta]  # on the same reviews
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        print(f"beta 0.25 minus beta {beta:.0f}: {difference.mean():.4f}, standard error {error:.4f}")

# %% tags=["skip-execution"]
lab.check("1.18")

# %% [markdown] tags=["answer", "exercise-1.18"]
# **Explain.** (1) Why do we use a word's *presence* here, and not its count? (2) What does the scaling by $r$ contribute that the support
# vector machine could not find by itself? (3) Can the three values of $\beta$ be told apart with these data? **Transfer.** Would you expect
# the weighting to matter more, or less, with a million reviews? *Your answer:*

# %% [markdown] tags=["solution", "exercise-1.18"]
# <!-- numbers: nbsvm -->
# <!-- given: four -->
# **One answer.** (1) The second "wonderful" in a review adds little evidence to the first. (2) The SVM penalizes all weights alike.
# On features scaled by $r$ an informative word needs a smaller weight for the same effect, and so a smaller penalty; an uninformative
# word needs a larger one. The scaling is a prior estimated from the data. (3) 0.25 and 1 can: the difference on the same reviews,
# 0.0294, is four times its standard error, 0.0073. 0.25 and 0 cannot: the difference is 0.0050, with a standard error of 0.0065.
# *Transfer:* less. A prior matters most where examples are few.

# %% tags=["skip-execution"]
lab.reveal("1.18")
