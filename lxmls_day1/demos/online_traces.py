"""What the demonstration of online learners computes: its points, every step of a learner on them, the mistake bound."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lxmls_day1.demos.gaussian_points import gaussian_data
from lxmls_day1.demos.lab_learners import trained, update_of

_ALMOST_HARD = 1e-4  # the regularizer of an SVM that separates the points, if a line can, with nearly the widest margin


@dataclass(frozen=True)
class Trace:
    """All that happened to one learner: T steps, T + 1 matrices of weights."""

    label: str
    weights: np.ndarray  # (T + 1, J + 1, K), before the first step and after each
    scores: np.ndarray  # (T, K), of the example of each step, before it
    updates: np.ndarray  # (T, K), the d of each step
    predicted: np.ndarray  # (T,)
    is_mistake: np.ndarray  # (T,) bool

    def mistakes(self, step: int) -> int:
        """How many of the first so many steps were mistakes."""
        return int(self.is_mistake[:step].sum())

    def changes(self, step: int) -> int:
        """How many of the first so many steps added something to the weights."""
        return int(np.any(self.updates[:step] != 0, axis=1).sum())

    def normal(self, step: int) -> np.ndarray:
        """The weight vector w of two classes after so many steps, without its intercept: it points to class 1."""
        return np.asarray(self.weights[step, 1:, 1] - self.weights[step, 1:, 0])


def points_of(lab: Any, nr_points: int, distance: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two Gaussian classes of the lab's data set, so far apart along the diagonal; all of it to train on."""
    half = distance / (2 * np.sqrt(2))
    data = gaussian_data(lab, ([-half, -half], [half, half]), (0.5, 0.5), nr_points, seed)
    return data.train_X, data.train_y


def visits(n_examples: int, nr_rounds: int, seed: int) -> np.ndarray:
    """The order of the visits (R, M): a permutation of the examples for each round, the same for every learner."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(n_examples) for _ in range(nr_rounds)])


def trace_of(classifier: Any, label: str, X: np.ndarray, y: np.ndarray, order: np.ndarray) -> Trace:
    """The steps of an online learner with its own rule, step sizes and shrinking, one at a time.

    This is the loop of ``classifiers/online_classifier.py`` without averaging, with everything on its way kept.

    Parameters
    ----------
    classifier : an online learner of the lab, with ``rule``, ``steps``, ``shrinks`` and ``regularizer``
    label : str
    X : array (M, J)
    y : int array (M,), classes 0, 1, …
    order : int array (R, M) or (T,)

    Raises
    ------
    InputError
        If the rule returns something else than K finite numbers.
    NotImplementedError
        If it is still to be written.
    """
    order = np.asarray(order).ravel()
    G = np.hstack([np.ones((len(X), 1)), X])  # (M, J + 1)
    n_classes, n_steps = int(y.max()) + 1, len(order)
    costs = 1.0 - np.eye(n_classes)
    W = np.zeros((G.shape[1], n_classes))
    weights, scores, updates = [W], [], []
    classifier.classes = np.arange(n_classes)  # the steps may depend on how many there are
    if hasattr(classifier, "plan_steps"):
        classifier.plan_steps((G**2).sum(axis=1))
    for m, step in zip(order, classifier.steps(1, n_steps), strict=True):
        g, label_of_m = G[m], int(y[m])
        s = g @ W  # (K,)
        d = update_of(
            classifier.rule, n_classes, s.copy(), label_of_m, float(g @ g), float(step), costs[label_of_m].copy()
        )
        shrinkage = 1.0 - step * classifier.regularizer if classifier.shrinks else 1.0
        W = shrinkage * W + np.outer(g, d)
        weights.append(W)
        scores.append(s)
        updates.append(d)
    all_scores = np.array(scores)
    predicted = all_scores.argmax(axis=1)
    return Trace(label, np.array(weights), all_scores, np.array(updates), predicted, predicted != y[order])


def bound_of(lab: Any, X: np.ndarray, y: np.ndarray) -> Any:
    """The lab's mistake bound with a separator of (nearly) the widest margin; None if no line parts the points.

    Raises
    ------
    NotImplementedError
        If the bound, or the SVM that finds the separator, is still to be written.
    """
    separator = lab.classifier("svm", "SVM", regularizer=_ALMOST_HARD, solver="dual", max_epochs=5000)
    params = trained(separator, X, y)
    if np.any(separator.test(X, params) != y):
        return None
    return lab.function("mistake_bounds", "mistake_bound", X, y, params)
