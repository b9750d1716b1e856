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

Without transitions it ends after row J, and is then the sum of the flat f(x, y) = g(x) ⊗ e_y over the words. Nearly all
of Φ is zero, so it is never built: what is listed is where it counts.

Source: M. Collins, Discriminative training methods for hidden Markov models, EMNLP 2002.
"""

from typing import NamedTuple

import numpy as np

from classifiers.structured.tag_features import TokenFeatures
from classifiers.structured.viterbi import ChainScores


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
    transitions: bool  # whether there are some

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of W."""
        return 1 + self.n_features + (self.n_tags + 2 if self.transitions else 0), self.n_tags

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
            With zeros for transitions that there are not.
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
        return ChainScores(scale * emissions, chain[:n_tags], chain[n_tags], chain[n_tags + 1])

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
