"""Exercise 1.6b: ∇F(W) = (1/M) Gᵀ(P − Y) + λW, on points that are easy to follow and on random ones."""

import itertools

import numpy as np
import pytest

SINGLE = {"rtol": 1e-4, "atol": 1e-5}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"batch_gradient": {"∇F": "(J + 1, K)"}}


def gradients(lab, tasks):
    """Return the unconverted gradients for these W, points, classes and λ."""
    calls = [(np.array(W, float), np.array(X, float), np.array(y), float(penalty)) for W, X, y, penalty in tasks]
    return lab.each("batch_gradient", "batch_gradient", calls)


def gradient(lab, *task):
    """Return one gradient."""
    return gradients(lab, [task])[0]


def small_inputs():
    """Yield W = 0 before others, one point before two and three, λ = 0 before 1; points of the plane and three classes last."""
    weights = [[[0, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [1, 0]], [[1, 0], [0, -1]], [[0, 2], [-2, 0]]]
    points = [
        ([[0]], [1]),
        ([[1]], [0]),
        ([[2]], [1]),
        ([[1], [-1]], [1, 0]),
        ([[1], [2]], [0, 0]),
        ([[0], [1], [2]], [0, 1, 1]),
    ]
    for W, (X, labels), regularizer in itertools.product(weights, points, (0, 1, 2)):
        yield {"W": W, "points": X, "classes": labels, "λ": regularizer}
    plane = [[[0, 0], [0, 0], [0, 0]], [[0, 2], [0, 0], [1, 0]]]
    for W, (X, labels), regularizer in itertools.product(
        plane, [([[1, 2]], [0]), ([[1, 0], [0, -1]], [1, 0]), ([[1, 1], [2, 0], [0, 1]], [0, 1, 1])], (0, 1)
    ):
        yield {"W": W, "points": X, "classes": labels, "λ": regularizer}
    yield {"W": [[0, 1, 0], [1, 0, 0]], "points": [[1], [-1]], "classes": [2, 0], "λ": 1}
    yield {"W": [[0, 2, 0], [1, 0, -2]], "points": [[1], [-1], [2], [0]], "classes": [2, 0, 1, 1], "λ": 1}


def small_answers(lab, inputs):
    """Return the gradient for each input."""
    return gradients(lab, [tuple(i.values()) for i in inputs])


def small_parts(given, answer):
    """Yield the gradient by the intercepts, and by the other weights."""
    yield "row 0, of the intercepts", answer[0]
    yield "the rows below it", answer[1:]


def test_at_zero(lab, expect):
    """At W = 0, where all classes are equally probable"""
    found = gradient(lab, np.zeros((3, 2)), [[1.0, 2.0], [-1.0, 0.5], [0.0, 1.0]], [1, 0, 1], 0.0)
    expect("∇F at W = 0 for three points of the plane, classes 1, 0, 1, λ = 0", found, **SINGLE)


def test_somewhere_else(lab, expect):
    """At other weights, for three classes"""
    found = gradient(lab, [[0.5, 0.0, -0.5], [1.0, -1.0, 0.25]], [[1.0], [2.0], [-1.0], [0.5]], [0, 2, 1, 0], 0.0)
    expect("∇F for four points of three classes, λ = 0", found, **SINGLE)
    assert np.allclose(np.sum(found, axis=1), 0.0, atol=1e-4), (
        "the probabilities and the true classes both sum to 1: so every row sums to 0"
    )


def test_the_regularizer(lab, expect):
    """The part of the regularizer, intercepts included"""
    found = gradient(lab, [[2.0, -1.0], [0.5, 4.0]], [[1.0], [-2.0], [3.0]], [0, 1, 1], 0.7)
    expect("∇F for three points, λ = 0.7", found, **SINGLE)


def test_large_scores(lab, expect):
    """Scores of some thousands"""
    found = gradient(lab, [[0.0, 10.0], [-400.0, 600.0]], [[1.0], [-2.0], [3.0]], [0, 1, 0], 0.001)
    expect("∇F with scores in the hundreds and thousands, λ = 0.001", found, **SINGLE)


@pytest.mark.hidden
def random_task(rng, n_examples, n_features, n_classes):
    """Return weights, points and classes; the numbers of examples, features and classes all differ."""
    labels = rng.permutation(np.arange(n_examples) % n_classes)
    return rng.normal(size=(n_features + 1, n_classes)), rng.normal(size=(n_examples, n_features)), labels


@pytest.mark.hidden
@pytest.mark.parametrize(("n_examples", "n_features", "n_classes"), [(9, 1, 2), (11, 4, 3), (20, 2, 6)])
def test_random_points(lab, expect, rng, n_examples, n_features, n_classes):
    """Random weights and points"""
    W, X, labels = random_task(rng, n_examples, n_features, n_classes)
    expect("∇F without a regularizer", gradient(lab, W, X, labels, 0.0), **SINGLE)
    expect("∇F with one", gradient(lab, W, X, labels, float(rng.uniform(0.1, 2.0))), **SINGLE)


@pytest.mark.hidden
def test_descent(lab, expect, rng):
    """Twelve steps of gradient descent on random points"""
    W, X, labels = random_task(rng, 15, 2, 3)
    for _ in range(12):
        W = W - 0.3 * np.asarray(gradient(lab, W, X, labels, 0.05))
    expect("W after twelve steps of length 0.3", W, **SINGLE)
