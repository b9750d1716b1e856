"""The computations of the demonstration of online learners: points, every step of a learner, and the mistake bound."""

from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.demos.gaussian_points import gaussian_data
from lxmls_day1.demos.lab_learners import checked_update, train_quietly

# The regularizer of an SVM that separates separable points with nearly the widest margin.
_HARD_MARGIN_REGULARIZER = 1e-4


class Trace(NamedTuple):
    """The record of one learner: T steps, T + 1 weight matrices."""

    weights: np.ndarray  # (T + 1, J + 1, K), before the first step and after each
    updates: np.ndarray  # (T, K), the update d of each step
    is_mistake: np.ndarray  # (T,) bool

    def mistakes(self, step: int) -> int:
        """Return the number of mistakes in the first `step` steps."""
        return int(self.is_mistake[:step].sum())

    def changes(self, step: int) -> int:
        """Return the number of the first `step` steps that changed the weights."""
        return int(np.any(self.updates[:step] != 0, axis=1).sum())

    def normal(self, step: int) -> np.ndarray:
        """Return the weight vector w of two classes after `step` steps, without the intercept. It points to class 1."""
        return np.asarray(self.weights[step, 1:, 1] - self.weights[step, 1:, 0])


def points_of(lab: Any, nr_points: int, distance: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two Gaussian classes, at this distance along the diagonal, all for training."""
    half = distance / (2 * np.sqrt(2))
    data = gaussian_data(lab, ([-half, -half], [half, half]), (0.5, 0.5), nr_points, seed)
    return data.train_X, data.train_y


def visits(n_examples: int, nr_rounds: int, seed: int) -> np.ndarray:
    """Return the order of the visits (R, M): a permutation of the examples for each round, the same for every learner."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(n_examples) for _ in range(nr_rounds)])


def trace_of(classifier: Any, X: np.ndarray, y: np.ndarray, order: np.ndarray) -> Trace:
    """Record the steps of an online learner with its own rule, step sizes and shrinking, one at a time.

    This is the loop of ``classifiers/online_classifier.py`` without averaging, with all intermediate values recorded.

    Parameters
    ----------
    classifier : an online learner of the lab, with ``rule``, ``steps``, ``shrinks`` and ``regularizer``
    X : array (M, J)
    y : int array (M,), classes 0, 1, …
    order : int array (R, M) or (T,)

    Raises
    ------
    InputError
        If the rule does not return K finite numbers.
    NotImplementedError
        If the rule is still to be written.
    """
    order = np.asarray(order).ravel()
    G = np.hstack([np.ones((len(X), 1)), X])  # (M, J + 1)
    n_classes, n_steps = int(y.max()) + 1, len(order)
    costs = 1.0 - np.eye(n_classes)
    W = np.zeros((G.shape[1], n_classes))
    weights, updates, predicted = [W], [], []
    classifier.classes = np.arange(n_classes)  # the step sizes may depend on the number of classes
    if hasattr(classifier, "plan_steps"):
        classifier.plan_steps((G**2).sum(axis=1))
    for m, step in zip(order, classifier.steps(1, n_steps), strict=True):
        g, label_of_m = G[m], int(y[m])
        s = g @ W  # (K,)
        d = checked_update(
            classifier.rule, n_classes, s.copy(), label_of_m, float(g @ g), float(step), costs[label_of_m].copy()
        )
        shrinkage = 1.0 - step * classifier.regularizer if classifier.shrinks else 1.0
        W = shrinkage * W + np.outer(g, d)
        weights.append(W)
        updates.append(d)
        predicted.append(s.argmax())
    return Trace(np.array(weights), np.array(updates), np.array(predicted) != y[order])


def bound_of(lab: Any, X: np.ndarray, y: np.ndarray) -> Any:
    """Return the lab's mistake bound for a separator of (nearly) the widest margin, or None if no line separates the points.

    Raises
    ------
    NotImplementedError
        If the bound, or the SVM that finds the separator, is still to be written.
    """
    separator = lab.classifier("svm", "SVM", regularizer=_HARD_MARGIN_REGULARIZER, solver="dual", max_epochs=5000)
    params = train_quietly(separator, X, y)
    if np.any(separator.test(X, params) != y):
        return None
    return lab.function("mistake_bounds", "mistake_bound", X, y, params)
