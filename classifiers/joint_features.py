"""Φ(x, y): what a tag sequence is scored by, and where its weights stand.

A sequence y of tags for a sentence x has the score w · Φ(x, y), and Φ adds up, over the words, the features of each
word with its tag (emissions) and the pairs of neighbouring tags (transitions). Φ is a matrix of the shape of the
weights W, with a column for each of the K tags:

==============================  ==========================================================
row 0                           the bias: how many words have the tag
rows 1 … J                      emissions: how many words have the feature and the tag
rows R … R + K − 1, R = J + 1   transitions: from the tag of the row to that of the column
row R + K                       the tag of the first word
row R + K + 1                   the tag of the last word
==============================  ==========================================================

With trigrams the tags of three words in a row count, too, which is K² + 2 K rows more: from each two tags to the third, from
the first tag to the second (there is none before), and from the last but one to the last (there is none after).

Without transitions it ends after row J, and is then the sum of the flat f(x, y) = g(x) ⊗ e_y over the words. Nearly all
of Φ is zero, so it is never built: what is listed is where it counts.

Source: M. Collins, Discriminative training methods for hidden Markov models, EMNLP 2002.
"""

from typing import NamedTuple

import numpy as np

from classifiers.tag_features import TokenFeatures
from classifiers.viterbi import ChainScores

TRIGRAMS = "trigrams"


class Layout(NamedTuple):
    """Which rows W has, and what stands in them.

    Examples
    --------
    Two tags and one feature. A sentence of two words, the first of which has the feature, with the tags 1 and 0:

    >>> layout = Layout(n_features=1, n_tags=2, transitions=True)
    >>> words = TokenFeatures(starts=np.array([0, 2]), indptr=np.array([0, 1, 1]), indices=np.array([0]))
    >>> np.bincount(layout.parts(words, 0, np.array([1, 0])), minlength=12).reshape(layout.shape)
    array([[1, 1],
           [0, 1],
           [0, 0],
           [1, 0],
           [0, 1],
           [1, 0]])
    """

    n_features: int  # J
    n_tags: int  # K
    transitions: bool | str  # whether there are some; "trigrams": those of three tags, too

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of W."""
        n_rows = 1 + self.n_features
        n_rows += self.n_tags + 2 if self.transitions else 0
        n_rows += self.n_tags**2 + 2 * self.n_tags if self.transitions == TRIGRAMS else 0
        return n_rows, self.n_tags

    def scores(self, words: TokenFeatures, m: int, W: np.ndarray, scale: float = 1.0) -> ChainScores:
        """The scores of all parts that a tag sequence of sentence m can have.

        Parameters
        ----------
        words : TokenFeatures
        m : int
        W : array of the layout's shape
        scale : float
            A factor of W.

        Returns
        -------
        ChainScores
            With zeros for transitions that there are not. With trigrams its "tags" are the pairs of the tag before and the tag,
            (K + 1) K of them (no tag is before the first word): then a step between pairs sees three tags. `tags` and `pairs`
            lead from one to the other.
        """
        first, end = words.starts[m], words.starts[m + 1]
        emissions = np.array(
            [
                W[0] + W[1 + words.indices[words.indptr[n] : words.indptr[n + 1]]].sum(axis=0)  # (K,)
                for n in range(first, end)
            ]
        )
        n_tags = self.n_tags
        chain = scale * W[1 + self.n_features :] if self.transitions else np.zeros((n_tags + 2, n_tags))
        scores = ChainScores(scale * emissions, chain[:n_tags], chain[n_tags], chain[n_tags + 1])
        return _of_pairs(scores, chain[n_tags + 2 :]) if self.transitions == TRIGRAMS else scores

    def tags(self, path: np.ndarray) -> np.ndarray:
        """The tags (T,) of a path (T,) through the scores of a sentence: itself, but of pairs the second ones."""
        return path % self.n_tags

    def pairs(self, tags: np.ndarray) -> np.ndarray:
        """The path (T,) through the scores of a sentence that has these tags (T,)."""
        if self.transitions != TRIGRAMS:
            return tags
        return np.append(0, 1 + tags[:-1]) * self.n_tags + tags

    def costs(self, costs: np.ndarray) -> np.ndarray:
        """Costs (K, K) of tags, row y: ρ(·, y), as those of all that a path can go through."""
        return np.tile(costs, self.n_tags + 1) if self.transitions == TRIGRAMS else costs

    def parts(self, words: TokenFeatures, m: int, path: np.ndarray) -> np.ndarray:
        """Φ(x, y) of sentence m as a list: an entry of the flattened W for each time that it counts.

        Parameters
        ----------
        words : TokenFeatures
        m : int
        path : int array (T,), the tag numbers y

        Returns
        -------
        entries : int array
        """
        first, end = words.starts[m], words.starts[m + 1]
        n_features_of_word = np.diff(words.indptr[first : end + 1])  # (T,)
        rows = [np.zeros(len(path), dtype=np.intp), 1 + words.indices[words.indptr[first] : words.indptr[end]]]
        tags = [path, np.repeat(path, n_features_of_word)]
        if self.transitions:
            row = 1 + self.n_features
            rows += [row + path[:-1], np.array([row + self.n_tags, row + self.n_tags + 1])]
            tags += [path[1:], path[[0, -1]]]
        if self.transitions == TRIGRAMS and len(path) > 1:
            row += self.n_tags + 2
            of_ends = row + self.n_tags**2 + np.array([path[0], self.n_tags + path[-2]])
            rows += [row + self.n_tags * path[:-2] + path[1:-1], of_ends]
            tags += [path[2:], path[[1, -1]]]
        return np.concatenate(rows) * self.n_tags + np.concatenate(tags)

    def difference(
        self, words: TokenFeatures, m: int, truth: np.ndarray, rival: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Φ(x, y) − Φ(x, ŷ) of sentence m, with what stands in both cancelled.

        Parameters
        ----------
        words : TokenFeatures
        m : int
        truth, rival : int arrays (T,), the tag numbers y and ŷ

        Returns
        -------
        entries : int array
            Different entries of the flattened W.
        values : float array
            What stands there, not zero. The sum of their squares is ‖Φ(x, y) − Φ(x, ŷ)‖².
        """
        plus, minus = self.parts(words, m, truth), self.parts(words, m, rival)
        entries, places = np.unique(np.concatenate([plus, minus]), return_inverse=True)
        values = np.bincount(places, weights=np.repeat([1.0, -1.0], [len(plus), len(minus)]))
        return entries[values != 0], values[values != 0]


def _of_pairs(scores, more):
    """Scores of pairs (tag before, tag), numbered (1 + before) K + tag, from those of tags and the rows of W for trigrams."""
    n_tags = len(scores.start)
    n_pairs = (n_tags + 1) * n_tags
    triples, second, last = np.split(more, [n_tags**2, n_tags**2 + n_tags])
    steps = np.full((n_tags + 1, n_tags, n_tags + 1, n_tags), -np.inf)  # (before, tag) to (tag, next): no others
    for tag in range(n_tags):
        steps[0, tag, 1 + tag] = scores.transitions[tag] + second[tag]
        steps[1:, tag, 1 + tag] = scores.transitions[tag] + triples[tag::n_tags]
    start = np.full((n_tags + 1, n_tags), -np.inf)
    start[0] = scores.start
    stop = scores.stop + np.vstack([np.zeros(n_tags), last])  # a single word has no tag before its last one
    emissions = np.tile(scores.emissions, n_tags + 1)
    return ChainScores(emissions, steps.reshape(n_pairs, n_pairs), start.ravel(), stop.ravel())
