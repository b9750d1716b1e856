"""Exercise 1.12: R, γ and the bound (R/γ)² or 2 K R²/γ²."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from lxmls_day1.lab_api import results

POINTS = np.array([[2.0, 2.0], [-1.0, 3.0], [-2.0, 0.0], [1.0, -2.0]])
SIGNS = np.array([1, 1, -1, -1])
THREE_CLASSES = np.array([[4.0, 0.0], [3.0, 1.0], [0.0, 3.0], [-1.0, 2.0], [-3.0, -2.0], [-1.0, -3.0]])
LABELS = np.array([0, 0, 1, 1, 2, 2])
COLUMNS = np.array(
    [[0.0, 0.5, -0.5], [2.0, 0.0, -1.5], [0.5, 1.5, -2.0]]
)  # Intercepts first; the columns have unequal lengths.
SINGLE = {"rtol": 1e-4}  # A solution in single precision meets this tolerance; γ is a small difference of large scores.
MUST_RETURN = {"mistake_bound": {"R": "", "γ": "", "the bound": ""}}
RESULTS = ("R", "γ", "the bound")
TOLD_AS = ", ".join(RESULTS)


def bound(lab, X, y, separator):
    """Return [R, γ, the most updates]."""
    return list(results(lab.function("mistake_bounds", "mistake_bound", X, y, separator), *RESULTS))


def small_inputs():
    """Yield a few points on a line or in the plane, and a separator: a vector, or a column for each class."""
    lines = [[-1, 1], [-1, 2], [-3, 4], [-2, 1], [-2, 1, 3], [-3, -1, 2]]
    for points, (intercept, weight) in itertools.product(
        lines, [(0, 1), (0, 2), (0.5, 1), (-0.5, 2), (1, 2), (0, 3), (2, 1), (0, -1)]
    ):
        X, classes = [[x] for x in points], [int(x > 0) for x in points]
        yield {"points": X, "classes": classes, "separator": [intercept, weight]}
        for of_0 in ([0, 0], [0.5, -1], [-intercept, -weight]):
            columns = [[of_0[0], intercept], [of_0[1], weight]]
            yield {"points": X, "classes": classes, "separator": columns}
    plane = [([[1, 2], [-1, -2]], [1, 0]), ([[3, 0], [-1, 2]], [1, 0]), ([[2, 1], [4, -1], [-1, 0]], [1, 1, 0])]
    for (X, classes), u in itertools.product(plane, [[0, 1, 0], [0, 2, 1], [0.5, 1, 0], [1, 2, 2], [0, 3, 4]]):
        yield {"points": X, "classes": classes, "separator": u}
    for (X, classes), u in itertools.product(plane, [[0, 1, 0], [0.5, 1, 0], [0, 3, 4]]):
        yield {"points": X, "classes": classes, "separator": [[-weight, weight] for weight in u]}
    triples = [
        [[0, 0, 0], [2, 0, -2], [0, 2, -1]],
        [[0, 0.5, 0], [1, 0, -1], [0, 1, -1]],
        [[0, 0, 0], [1, -1, 0], [0, 1, -2]],
    ]
    for X in (
        [[3, 0], [0, 3], [-3, -3]],
        [[2, 0], [-1, 2], [0, -2]],
        [[2, 1], [-1, 3], [-1, -2]],
        [[2, 0], [4, 1], [0, 3], [-2, -3]],
    ):
        classes = [0, 1, 2] if len(X) == 3 else [0, 0, 1, 2]
        for separator in triples:
            yield {"points": X, "classes": classes, "separator": separator}
    for X in ([[-1], [1]], [[-3], [4]], [[1, 2], [-1, -2]]):
        u = [0, 1, 0][: 1 + len(X[0])]
        yield {"points": X, "points are": "a csr_array", "classes": [int(x[0] > 0) for x in X], "separator": u}


def small_answers(lab, inputs):
    """Return [R, γ, the most updates] for each input, or "refused". Inputs that must be refused are called one by one."""
    together = [n for n, given in enumerate(inputs) if parts_the_classes(given)]
    found = dict(zip(together, bounds_of(lab, [inputs[n] for n in together]), strict=True))
    return [found[n] if n in found else bounds_of(lab, [given])[0] for n, given in enumerate(inputs)]


def parts_the_classes(given):
    """Return True if each point has the greatest score, or the sign, of its class."""
    scores = np.insert(np.array(given["points"], float), 0, 1.0, axis=1) @ np.array(given["separator"], float)
    own = (
        scores * np.where(given["classes"], 1, -1) if scores.ndim == 1 else scores[range(len(scores)), given["classes"]]
    )
    rest = (
        0.0
        if scores.ndim == 1
        else np.sort(np.where(np.eye(scores.shape[1])[given["classes"]], -np.inf, scores))[:, -1]
    )
    return bool(np.all(own > rest))


def bounds_of(lab, inputs):
    """Return the three numbers for each input, or "refused"; if the code refuses one, call it for each input alone."""
    calls = [(_points_of(i), np.array(i["classes"]), np.array(i["separator"], float)) for i in inputs]
    try:
        return [list(results(answer, *RESULTS)) for answer in lab.each("mistake_bounds", "mistake_bound", calls)]
    except ValueError as error:
        if "does not part the classes" not in str(error):
            raise
        if len(inputs) == 1:
            return ["refused"]
        return [answer for i in inputs for answer in bounds_of(lab, [i])]


def _points_of(given):
    points = np.array(given["points"], float)
    return sp.csr_array(points) if "points are" in given else points


def small_properties(given, answer):
    """Yield the violated properties of R, γ and the bound."""
    radius, _, _ = answer
    if radius < np.sqrt(1 + (np.array(given["points"], float) ** 2).sum(axis=1).max()) - 1e-5:
        yield (
            "longer_example",
            "R is smaller than the length of an example, (1, x). It must be the length of the longest one.",
        )


def small_parts(given, answer):
    """Yield each of the three results with its name."""
    yield from zip(RESULTS, answer, strict=True)


def small_terms(given, answer, right):
    """Yield terms for formulas of R, γ and the bound."""
    X, separator = np.array(given["points"], float), np.array(given["separator"], float)
    kind, K = ("for a vector", 2) if separator.ndim == 1 else ("for columns", separator.shape[1])
    sizes = {"the number of examples": len(X), "the length of the separator": np.linalg.norm(separator)}
    longest = {"the largest ‖x‖": np.sqrt(right[0] ** 2 - 1.0), "1": 1.0}
    yield "R", answer[0], longest | {"the largest |x_j|": np.abs(X).max()} | sizes
    its = sizes | {"the right bound": right[2], "R": answer[0], "K": K, "√K": np.sqrt(K)}
    yield f"γ {kind}", answer[1], its
    its = sizes | {"the right γ": right[1], "R": answer[0], "γ": answer[1], "K": K}
    yield f"the bound {kind}", answer[2], its | {"R²": answer[0] ** 2, "γ²": answer[1] ** 2}


def test_one_vector(lab, expect):
    """Two classes, and a separator of length 1"""
    expect("R, γ and the bound for u = (0, 0.6, 0.8)", bound(lab, POINTS, SIGNS, np.array([0.0, 0.6, 0.8])), **SINGLE)


def test_a_longer_vector(lab, expect):
    """The same separator, five times as long"""
    expect("R, γ and the bound for u = (0, 3, 4)", bound(lab, POINTS, SIGNS, np.array([0.0, 3.0, 4.0])), **SINGLE)


def test_columns(lab, expect):
    """Three classes, and a column for each"""
    expect("R, γ and the bound for three columns", bound(lab, THREE_CLASSES, LABELS, COLUMNS), **SINGLE)
    sparse = bound(lab, sp.csr_array(THREE_CLASSES), LABELS, COLUMNS)
    expect("R, γ and the bound for the same points as a csr_array", sparse, **SINGLE)


def test_two_columns(lab, expect):
    """One vector as two columns, −u and u: the margin is twice as wide, the bound the same"""
    u = np.array([0.0, 0.6, 0.8])
    of_columns = bound(lab, POINTS, SIGNS, np.column_stack([-u, u]))
    expect("R, γ and the bound for the columns −u and u", of_columns, **SINGLE)
    assert np.isclose(of_columns[2], bound(lab, POINTS, SIGNS, u)[2]), (
        "the bounds of one vector and of two columns differ"
    )


def test_no_separator(lab, expect):
    """A vector that does not part the classes is refused, for it bounds nothing"""
    u = np.array([0.0, 0.6, 0.8])
    expect("the bound for u", bound(lab, POINTS, SIGNS, u)[2], **SINGLE)
    try:
        answer = f"a bound of {bound(lab, POINTS, SIGNS, -u)[2]:.6g}"
    except ValueError as error:
        answer = "refused" if "does not part the classes" in str(error) else str(error)
    expect("the error for −u, which is wrong about every point", answer)


@pytest.mark.hidden
def said(lab, X, y, separator):
    """Return the error message for a separator that does not separate the classes."""
    try:
        return f"a bound of {bound(lab, X, y, separator)[2]:.6g}"
    except ValueError as error:
        return "refused" if "does not part the classes" in str(error) else str(error)


@pytest.mark.hidden
@pytest.mark.parametrize("n_features", [1, 3])
def test_random_vector(lab, expect, rng, n_features):
    """A random vector and points on both of its sides, some of them far from it"""
    X, direction = rng.normal(scale=2.0, size=(40, n_features)), rng.normal(size=n_features)
    direction /= np.linalg.norm(direction)
    activations = X @ direction - np.median(X @ direction)
    clear = np.abs(activations) > 0.05
    u = np.append(-np.median(X @ direction), direction) * rng.uniform(1.5, 4.0)
    X, signs = X[clear], np.sign(activations[clear])
    y = np.where(signs > 0, "yes", "no")
    expect("R, γ and the bound", bound(lab, X, y, u), **SINGLE)
    apart = X + 3.0 * signs[:, None] * direction
    expect("R, γ and the bound, with a wide gap between the classes", bound(lab, apart, y, u), **SINGLE)
    expect("R, γ and the bound of sparse points", bound(lab, sp.csr_array(X), y, u), **SINGLE)
    expect("the error for a vector that is wrong about every point", said(lab, X, y, -u))


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_random_columns(lab, expect, rng, n_classes):
    """Random columns, and points that they part"""
    apart, _ = np.linalg.qr(rng.normal(size=(6, n_classes)))  # Every class gets its share of the points.
    U = np.vstack([0.3 * rng.normal(size=n_classes), apart * rng.uniform(0.6, 1.8, size=n_classes)])
    X = rng.normal(scale=3.0, size=(400, 6))
    scores = U[0] + X @ U[1:]
    ordered = np.sort(scores, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > 0.1
    X, labels = X[clear], scores.argmax(axis=1)[clear]
    kinds, columns = np.array(["ash", "beech", "elm", "fir", "oak"]), np.unique(labels)
    expect("R, γ and the bound", bound(lab, X, kinds[labels], U[:, columns]), **SINGLE)
    wrong = kinds[columns[(np.searchsorted(columns, labels) + 1) % len(columns)]]
    expect("the error for columns that are wrong about every point", said(lab, X, wrong, U[:, columns]))
