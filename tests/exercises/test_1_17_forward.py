"""Exercise 1.17: the forward recursion in log space."""

import itertools

import numpy as np
import pytest

SINGLE = {"rtol": 1e-5, "atol": 1e-6}  # A solution in single precision meets this tolerance.
MUST_RETURN = {"forward": {"the sums": "(T, K)"}}


def sums_of(lab, sentences):
    """Return the results of `forward` for sentences, given as emissions, transitions, start, stop."""
    scores = [tuple(np.array(part, dtype=float) for part in sentence) for sentence in sentences]
    return [
        np.asarray(each)
        for each in lab.each("forward_backward", "forward", [(s,) for s in scores], first_as="ChainScores")
    ]


def small_inputs():
    """Yield one word before two and three, two tags before three, small integer scores, mostly 0; three inputs with large scores."""
    rng = np.random.default_rng(17)
    for n_words, n_tags, count in [(1, 2, 12), (2, 2, 60), (3, 2, 60), (2, 3, 40), (3, 3, 40)]:
        for number in range(count):
            shapes = [(n_words, n_tags), (n_tags, n_tags), (n_tags,), (n_tags,)]
            parts = [
                rng.integers(-1, 3, size=shape) * (rng.random(shape) < (0.4, 0.7, 1.0)[number % 3]) for shape in shapes
            ]
            if number % 2:  # Only one kind of score.
                parts = [part * (place == number // 2 % 3) for place, part in enumerate(parts)]
            yield dict(
                zip(("emissions", "transitions", "start", "stop"), [part.tolist() for part in parts], strict=True)
            )
    for parts in [  # exp of these scores overflows.
        ([[800, 801], [0, 0]], [[0, 0], [0, 0]], [0, 0], [0, 0]),
        ([[1, 0], [0, 2]], [[0, 0], [900, 901]], [1, 0], [0, 0]),
        ([[1, 0], [0, 2]], [[900, 0], [901, 1]], [1, 0], [0, 0]),
        ([[1, 0], [0, 2]], [[0, -900], [0, -901]], [1, 0], [0, 0]),
        ([[-900, -901], [0, 0]], [[0, 0], [0, 0]], [0, 0], [0, 0]),
    ]:
        yield dict(zip(("emissions", "transitions", "start", "stop"), map(list, parts), strict=True))


def small_answers(lab, inputs):
    """Return the sums for each sentence."""
    return sums_of(lab, [tuple(i.values()) for i in inputs])


def small_parts(given, answer):
    """Yield the sums of the first word, and of the others."""
    yield "the row of the first word", answer[0]
    yield "the rows of the words after it", answer[1:]


def small_terms(given, answer, right):
    """Yield terms for formulas of the rows of the first two words."""
    emissions, start, stop = (np.array(given[word], float) for word in ("emissions", "start", "stop"))
    ends = {"start": start, "stop": stop, "log K": np.log(len(start))}
    yield "the row of the first word", answer[0], {"emissions(1)": emissions[0]} | ends
    if len(answer) > 1:
        before = np.log(np.exp(right[0] - right[0].max()).sum()) + right[0].max()
        its = {"emissions(2)": emissions[1], "log Σ_k exp(forward(1, k) + transitions(k, ·))": right[1] - emissions[1]}
        its |= {"emissions(1)": emissions[0], "log Σ_k exp forward(1, k)": before} | ends
        yield "the row of the second word", answer[1], its


def test_one_word(lab, expect):
    """A sentence of one word: its beginnings are its tags"""
    (found,) = sums_of(lab, [([[1.0, 2.0, 0.5]], np.ones((3, 3)), [0.5, 0.0, -1.0], [3.0, 0.0, 1.0])])
    expect("start plus emissions", found, **SINGLE)


def test_counting(lab, expect):
    """All scores 0: how many beginnings are there?"""
    (found,) = sums_of(lab, [(np.zeros((4, 3)), np.zeros((3, 3)), np.zeros(3), np.zeros(3))])
    expect("the logs of the numbers of beginnings of 1, 2, 3, 4 words, for each of 3 tags", found, **SINGLE)


def test_a_sentence(lab, expect):
    """Three words, two tags, all beginnings listed"""
    words, steps = [[0.5, 0.0], [1.0, -0.5], [0.0, 2.0]], [[0.3, -1.0], [0.0, 0.7]]
    first, last = [0.2, -0.3], [5.0, 7.0]
    (found,) = sums_of(lab, [(words, steps, first, last)])
    expect("the sums for each word and tag", found, **SINGLE)
    for t, j in itertools.product(range(3), range(2)):
        total = 0.0
        for tags in itertools.product(range(2), repeat=t):
            path = [*tags, j]
            score = first[path[0]] + sum(row[k] for row, k in zip(words, path, strict=False))
            total += np.exp(score + sum(steps[a][b] for a, b in itertools.pairwise(path)))
        assert np.isclose(found[t, j], np.log(total)), (
            f"beginnings of {t + 1} words that end in {j}: not the sum over a list of them"
        )


def test_large_scores(lab, expect):
    """Scores of a thousand"""
    parts = (
        [[1000.0, 999.0], [0.0, 1000.0], [-2000.0, -2001.0]],
        [[0.0, -800.0], [900.0, 0.0]],
        [0.0, 500.0],
        [0.0, 0.0],
    )
    (found,) = sums_of(lab, [parts])
    expect("the sums for scores at which exp overflows", found, **SINGLE)


@pytest.mark.hidden
def random_sentences(rng, *sizes):
    """Return random scores of sentences with several numbers of words and tags."""
    return [[rng.normal(size=shape) for shape in [(t, k), (k, k), k, k]] for t, k in sizes]


@pytest.mark.hidden
@pytest.mark.parametrize("n_tags", [2, 3, 6])
def test_random_sentences(lab, expect, rng, n_tags):
    """Random scores"""
    found = sums_of(lab, random_sentences(rng, *[(n_words, n_tags) for n_words in (1, 2, 3, 5, 9)]))
    expect("the sums of five sentences", [value for each in found for value in np.ravel(each)], **SINGLE)


@pytest.mark.hidden
def test_a_long_sentence(lab, expect, rng):
    """Three hundred words, and scores of thousands"""
    (short, long) = sums_of(
        lab, [random_sentences(rng, (300, 4))[0], [2000 * part for part in random_sentences(rng, (40, 3))[0]]]
    )
    expect("the last row of a sentence of 300 words", short[-1], **SINGLE)
    expect("the sums for scores in the thousands", long, **SINGLE)


@pytest.mark.hidden
def test_the_scores_stay_as_they_are(lab, expect, rng):
    """Summing twice gives the same answer"""
    (parts,) = random_sentences(rng, (6, 3))
    once, twice = sums_of(lab, [parts, parts])
    expect("the sums", once, **SINGLE)
    assert np.array_equal(once, twice), "the second call gives a different answer"
    assert not lab.changes, "the recursion changed the scores"
