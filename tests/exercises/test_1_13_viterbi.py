"""Exercise 1.13: the best tag sequence, by Viterbi's search. No two sequences of an example here have the same score."""

import itertools

import numpy as np
import pytest

MUST_RETURN = {"viterbi": {"the path": "(T,)"}}


def tagged(lab, sentences):
    """Return the unconverted sequences that the search finds; each sentence is emissions, transitions, start, stop."""
    scores = [tuple(np.array(part, dtype=float) for part in sentence) for sentence in sentences]
    paths = lab.each("viterbi", "viterbi", [(each,) for each in scores], first_as="ChainScores")
    return list(paths)


def total_score(path, emissions, transitions, start, stop):
    """Return start + emissions + transitions + stop of one sequence; its tags may be floats."""
    path = np.asarray(path).astype(np.intp)
    steps = sum(transitions[k][j] for k, j in itertools.pairwise(path))
    return start[path[0]] + sum(row[k] for row, k in zip(emissions, path, strict=True)) + steps + stop[path[-1]]


KEPT = [(True, False, False), (False, True, False), (False, False, True), (True, True, False), (True, False, True)]


def small_inputs():
    """Yield sentences of one to four words, two or three tags, with small scores, integers or halves; a single sequence is the best.

    In most sentences some parts are zero, so that a mistake in the other parts shows by itself.
    """
    rng = np.random.default_rng(13)
    for n_words, n_tags, count in [
        (1, 2, 12),
        (2, 2, 100),
        (3, 2, 200),
        (2, 3, 100),
        (3, 3, 200),
        (4, 2, 100),
        (4, 3, 200),
    ]:
        for number in range(count):
            shapes = [(n_words, n_tags), (n_tags, n_tags), (n_tags,), (n_tags,)]
            whole = [rng.integers(-2, 4, size=shape) for shape in shapes]
            kept = [True, *KEPT[number // 2 % len(KEPT)]] if 4 * number < 3 * count else [True] * 4
            whole = [part * keeps for part, keeps in zip(whole, kept, strict=True)]
            if number % 6 == 5:
                whole[0] -= 3  # Many sentences have no score above 0.
            parts = [(part if number % 2 else np.minimum(np.abs(part), 2) / 2).tolist() for part in whole]
            every = sorted(total_score(path, *parts) for path in itertools.product(range(n_tags), repeat=n_words))
            if every[-1] > every[-2]:
                yield dict(zip(("emissions", "transitions", "start", "stop"), parts, strict=True))


def small_answers(lab, inputs):
    """Return the best sequence of each sentence."""
    return tagged(lab, [tuple(i.values()) for i in inputs])


def small_properties(given, path):
    """Yield the violated properties of a sequence."""
    tags = range(len(given["start"]))
    if not all(tag in tags for tag in path):
        yield "no_tags", "The sequence contains numbers that are not tags: tags are the numbers from 0 to K − 1."


def small_parts(given, answer):
    """Yield the tag of the last word, and the tags before it."""
    yield "the last tag", answer[-1]
    yield "the tags before it", answer[:-1]


def test_one_word(lab, expect):
    """A single word is the first one and the last one"""
    word, no_step, nothing = [[1.0, 2.0, 1.5]], np.zeros((3, 3)), [0.0, 0.0, 0.0]
    ends = [(nothing, nothing), ([2.5, 0.0, 0.0], [0.0, 0.0, 1.0]), (nothing, [0.0, 0.0, 1.0])]
    paths = tagged(lab, [(word, no_step, first, last) for first, last in ends])
    expect("the tag from emissions alone; with start and stop; with stop", paths)


def test_a_sentence(lab, expect):
    """“the old man the boat”: the tag that looks best at once is not the best in the end"""
    # Tags: 0 determiner, 1 adjective, 2 noun, 3 verb. Every word by itself speaks for "the (old man) the (boat)"; but a
    # sentence needs a verb, and no determiner comes after a noun: the old (people) man the boat.
    words = [
        [3.0, 0.0, 0.0, 0.0],
        [0.0, 1.5, 0.9, 0.0],
        [0.0, 0.0, 1.6, 0.8],
        [3.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 2.0, 0.3],
    ]
    steps = [[-4.0, 1.0, 0.8, -4.0], [-4.0, 0.1, 1.0, -4.0], [-3.0, -2.0, 0.2, 1.0], [1.0, 0.0, 0.3, -3.0]]
    first, last = [1.0, 0.3, 0.2, -0.5], [-3.0, -1.0, 0.6, 0.4]
    (path,) = tagged(lab, [(words, steps, first, last)])
    expect("the tags of the, old, man, the, boat (0 determiner, 1 adjective, 2 noun, 3 verb)", path)


SENTENCES = {
    "words": [
        [[0.2, 0.0, 0.0], [0.1, 0.8, 0.0], [0.7, 0.7, 0.6], [0.8, 0.4, 0.2]],
        [[0.9, 0.7, 0.2], [0.6, 0.0, 0.6], [0.1, 0.7, 0.8], [0.2, 0.1, 0.3]],
        [[0.5, 0.0, 0.6], [0.2, 0.7, 0.7], [0.3, 0.7, 0.5], [0.7, 0.4, 0.8]],
    ],
    "steps": [[-0.2, -0.5, 0.2], [-0.2, -0.7, -0.5], [-0.2, -0.7, -0.3]],
    "first": [-0.6, 0.4, 0.6],
    "last": [-0.6, 0.1, 0.2],
}


def test_three_sentences(lab, expect):
    """Three sentences of four words, three tags"""
    steps, first, last = (SENTENCES[part] for part in ("steps", "first", "last"))
    paths = tagged(lab, [(words, steps, first, last) for words in SENTENCES["words"]])
    expect("the tags of the three sentences, one row each", paths)
    for words, path in zip(SENTENCES["words"], paths, strict=True):
        every = itertools.product(range(3), repeat=4)
        best = max(total_score(other, words, steps, first, last) for other in every)
        assert np.isclose(total_score(path, words, steps, first, last), best), (
            "one of the 81 sequences has a higher score"
        )


def test_eleven_words(lab, expect, rng):
    """Eleven words and four tags: there are four million sequences; a search needs 16 steps for each word"""
    sentences = [[rng.normal(size=shape) for shape in [(11, 4), (4, 4), 4, 4]] for _ in range(3)]
    expect("the tags of three sentences, one row each", tagged(lab, sentences))


@pytest.mark.hidden
def random_sentences(rng, *sizes):
    """Return random scores of sentences of several sizes; in every other sentence all scores are negative, like log-probabilities."""
    shapes = [[(n_words, n_tags), (n_tags, n_tags), n_tags, n_tags] for n_words, n_tags in sizes]
    sentences = [[rng.normal(size=shape) for shape in shapes_of_parts] for shapes_of_parts in shapes]
    for sentence in sentences[::2]:
        sentence[0] -= 10.0
    return sentences


@pytest.mark.hidden
@pytest.mark.parametrize("ends", ["no start or stop", "with start", "with stop", "with both"])
def test_random_sentences(lab, expect, rng, ends):
    """Random scores"""
    # Thirty short sentences: in one or two of them a wrong search may find the best sequence by luck.
    sentences = random_sentences(rng, *[(2, 3), (3, 3), (4, 2), (6, 2), (6, 3)] * 6, (1, 4), (9, 5), (9, 5), (40, 12))
    for sentence in sentences:
        sentence[2] *= ends in ("with start", "with both")
        sentence[3] *= ends in ("with stop", "with both")
    paths = tagged(lab, sentences)
    expect("the tags of all sentences, one after the other", [tag for path in paths for tag in path])


@pytest.mark.hidden
def test_a_long_sentence(lab, expect, rng):
    """Two hundred words: a search that looks at every sequence does not end"""
    # In a few sentences, a wrong search may be right by luck; some have scores that differ only at their ends.
    sentences = random_sentences(rng, *[(200, 4)] * 2, *[(40, 6)] * 40)
    for sentence in sentences[10:30]:
        sentence[2], sentence[3] = 3.0 * sentence[2], 3.0 * sentence[3]
    scores = [total_score(path, *parts) for path, parts in zip(tagged(lab, sentences), sentences, strict=True)]
    expect("the scores of the best sequences", scores)


@pytest.mark.hidden
def test_the_scores_stay_as_they_are(lab, expect, rng):
    """Searching twice gives the same answer"""
    sentences = [tuple(parts) for parts in random_sentences(rng, *[(5, 3)] * 60)]
    paths = lab.each("viterbi", "viterbi", [(parts,) for parts in [*sentences, *sentences]], first_as="ChainScores")
    expect("the tags, one row for each sentence", [[int(tag) for tag in path] for path in paths[: len(sentences)]])
    assert all(map(np.array_equal, paths[: len(sentences)], paths[len(sentences) :])), (
        "the second call gives a different answer"
    )
    assert not lab.changes, "the search changed the scores"
