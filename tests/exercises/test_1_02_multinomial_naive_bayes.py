"""Exercise 1.2: five documents of three words, and their multinomial naive Bayes."""

import numpy as np
import pytest

# The classes in ascending order are "art" and "sport"; the documents name "sport" first.
COUNTS = np.array([[3, 0, 1], [1, 2, 0], [2, 0, 2], [4, 0, 0], [0, 5, 1]])
LABELS = ["sport", "art", "sport", "sport", "art"]
NEW_DOCUMENTS = np.array([[1, 0, 0], [0, 0, 2], [1, 1, 1]])
SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"train": {"params": "(J + 1, K)"}}
NAIVE_BAYES = "multinomial_naive_bayes", "MultinomialNaiveBayes"


def trained(lab, X=COUNTS, y=LABELS, attributes=(), **settings):
    """Return the result of training, followed by attributes of the classifier."""
    ((params, *others),) = lab.each_made(*NAIVE_BAYES, "train", [(settings, X, y)], attributes)
    return np.asarray(params), *others


SMALL_TEXTS = [  # The counts of a document in each row, and the classes of the documents.
    ([[1, 0], [0, 1]], [0, 1]),
    ([[2, 0], [0, 1]], [0, 1]),
    ([[1, 2], [2, 1]], ["b", "a"]),
    ([[1, 0], [1, 1], [0, 2]], [0, 0, 1]),
    ([[0, 1], [3, 1], [1, 0]], [1, 0, 1]),
    ([[1, 1], [4, 2], [1, 2], [0, 1]], [1, 0, 1, 1]),
    ([[1, 0, 2], [0, 1, 1], [1, 1, 0]], [0, 1, 1]),
    ([[1, 0], [0, 2], [1, 1]], [0, 1, 2]),
    ([[2, 1], [1, 3], [1, 0], [2, 2]], [2, 0, 1, 0]),
]


def small_inputs():
    """Yield a few documents of a few words; α from 1 on, and 0 if nothing is smoothed."""
    for counts, classes in SMALL_TEXTS:
        for alpha in (1, 0.5, 2, 0):
            if alpha or all(
                any(row[0] for row, label in zip(counts, classes, strict=True) if label == k) for k in set(classes)
            ):
                for asked in ("prior", "likelihood", "params"):
                    yield {"word counts": counts, "classes": classes, "α": alpha, "asked for": asked}


def small_answers(lab, inputs):
    """Return for each input what it asks for: `params` or an attribute after training. Inputs with the same data share one training."""
    attributes = sorted({given["asked for"] for given in inputs} - {"params"})
    calls = {}
    for given in inputs:
        settings = {"smooth_param": float(given["α"])} if given["α"] else {"smooth": False}
        calls[training_of(given)] = (settings, np.array(given["word counts"]), given["classes"])
    answers = lab.each_made(*NAIVE_BAYES, "train", calls.values(), attributes)
    found = {
        key: dict(zip(["params", *attributes], parts, strict=True)) for key, parts in zip(calls, answers, strict=True)
    }
    return [found[training_of(given)][given["asked for"]] for given in inputs]


def training_of(given):
    """Return a key that distinguishes trainings."""
    return repr((given["word counts"], given["classes"], given["α"]))


def small_properties(given, answer):
    """Yield the violated properties of probabilities, or of their logarithms."""
    parts = np.exp(answer[1:]) if given["asked for"] == "params" else answer
    if np.any(answer < 0) and given["asked for"] != "params":
        yield (
            "negative",
            "A probability is negative. It is a count divided by a larger one, so it lies between 0 and 1.",
        )
    elif np.any(np.abs(np.sum(parts, axis=0) - 1) > 1e-4):
        yield ("does_not_sum_to_1", "The probabilities of all words of a class, or of all classes, do not sum to 1.")


def small_parts(given, answer):
    """Yield the attributes, and the two parts of the result of training."""
    if given["asked for"] == "params":
        yield "row 0 of `params`", answer[0]
        yield "the rows below it", answer[1:]
    else:
        yield f"`{given['asked for']}`", answer


def test_add_one(lab, expect):
    """Add-one smoothing."""
    (params,) = trained(lab)
    expect("the intercepts, params[0], of five documents of the classes art and sport", params[0], **SINGLE)
    expect(
        "the weights, params[1:], with smooth_param=1: a row for each word, a column for each class",
        params[1:],
        **SINGLE,
    )
    assert np.allclose(np.exp(params[1:]).sum(axis=0), 1), "the probabilities of a class's words must sum to 1"


def test_less_smoothing(lab, expect):
    """Smoothing by a quarter."""
    (params,) = trained(lab, smooth_param=0.25)
    expect("the weights, params[1:], with smooth_param=0.25", params[1:], **SINGLE)


def test_no_smoothing(lab, expect):
    """No smoothing: a word unseen in a class weighs −∞ there."""
    (params,) = trained(lab, smooth=False)
    expect("the weights, params[1:], with smooth=False", params[1:], **SINGLE)


def test_new_documents(lab, expect):
    """Scores and labels of new documents."""
    classifier = lab.classifier(*NAIVE_BAYES, smooth_param=0.5)
    params = np.asarray(classifier.train(COUNTS, LABELS))
    scores = classifier.get_scores(classifier.add_intercept_term(NEW_DOCUMENTS), params)
    expect("the scores of three new documents, log p(c) + log p(x | c)", scores, **SINGLE)
    expect("the labels of three new documents", classifier.test(NEW_DOCUMENTS, params))


@pytest.mark.hidden
def random_documents(rng, n_classes):
    """Return counts of three words, in classes of unequal sizes, which do not descend; the last class is named first."""
    sizes = np.roll(np.sort(rng.choice(np.arange(2, 7), n_classes, replace=False)), 2 - n_classes)
    labels = rng.permutation(np.repeat(np.arange(n_classes), sizes))
    place = np.argmax(labels == n_classes - 1)
    labels[[0, place]] = labels[[place, 0]]
    rates = rng.uniform(0.5, 6.0, size=(n_classes, 3))
    return rng.poisson(rates[labels]) + (rng.permutation(len(labels)) < 4)[:, None], labels


@pytest.mark.hidden
@pytest.mark.parametrize("n_classes", [2, 3])
def test_random_counts(lab, expect, rng, n_classes):
    """Random counts, smoothed by a random amount."""
    X, y = random_documents(rng, n_classes)
    X[y == 0, 2] = 0  # Smoothing gives a probability to words that a class never showed.
    smooth_param = float(rng.uniform(0.1, 3))
    params, prior, likelihood = trained(lab, X, y, ["prior", "likelihood"], smooth_param=smooth_param)
    expect("the attribute prior", prior, **SINGLE)
    expect("the attribute likelihood", likelihood, **SINGLE)
    expect("the intercepts, params[0]", params[0], **SINGLE)
    expect("the weights, params[1:]", params[1:], **SINGLE)


@pytest.mark.hidden
def test_random_counts_without_smoothing(lab, expect, rng):
    """Random counts, not smoothed."""
    X, y = random_documents(rng, 3)
    X += 1
    X[y == 1, 0] = 0  # A word that the class never showed.
    (params,) = trained(lab, X, y, smooth=False)
    expect("the intercepts, params[0]", params[0], **SINGLE)
    expect("the weights, params[1:]", params[1:], **SINGLE)


@pytest.mark.hidden
def test_random_documents_are_labelled(lab, expect, rng):
    """Labels of new documents, by the names of their classes."""
    for names in (["verse", "novel", "essay"], ["essay", "verse", "novel"], ["novel", "essay", "verse"]):
        X, y = random_documents(rng, 3)
        classifier = lab.classifier(*NAIVE_BAYES)
        params = np.asarray(classifier.train(X, np.array(names)[y]))
        new = random_documents(rng, 3)[0][:4]
        scores = classifier.get_scores(classifier.add_intercept_term(new), params)
        expect(f"the scores of four new documents, the classes are {', '.join(names)}", scores, **SINGLE)
        expect(f"the labels of these documents, the classes are {', '.join(names)}", classifier.test(new, params))
