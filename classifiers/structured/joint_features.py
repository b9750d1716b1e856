"""Φ(x, y): the joint features of a sentence and its tag sequence, and the layout of their weights.

A sequence y of tags for a sentence x has the score w · Φ(x, y), and Φ adds up, over the words, the features of each
word with its tag (emissions) and the pairs of neighbouring tags (transitions). Φ is a matrix of the shape of the
weights W, with a column for each of the K tags:

==============================  ==========================================================
row 0                           the bias: the number of words with the tag
rows 1 … J                      emissions: the sum of the feature over the words with the tag
rows R … R + K − 1, R = J + 1   transitions: from the tag of the row to that of the column
row R + K                       the tag of the first word
row R + K + 1                   the tag of the last word
==============================  ==========================================================

A binary feature has the values 1 and 0, so its row counts words. Without transitions Φ ends after row J, and is the sum of the flat
f(x, y) = g(x) ⊗ e_y over the words. Almost all of Φ is zero, so the matrix is never built. Instead the non-zero entries are listed
with their amounts.

Source: M. Collins, Discriminative training methods for hidden Markov models, EMNLP 2002.
"""

import itertools
from typing import NamedTuple

import numpy as np

from classifiers.structured.tag_features import TokenFeatures
from classifiers.structured.viterbi import ChainScores

#: If ‖Φ(x, y) − Φ(x, ŷ)‖² is at most this share of the squares of its terms, it is 0 up to rounding.
ROUNDING = 1e-24


class Layout(NamedTuple):
    """The rows of W and their meaning.

    Examples
    --------
    Two tags, one feature, and a sentence of two words with the tags 1 and 0; only the first word has the feature:

    >>> layout = Layout(n_features=1, n_tags=2, transitions=True)
    >>> words = TokenFeatures(starts=np.array([0, 2]), indptr=np.array([0, 1, 1]), indices=np.array([0]))
    >>> entries, amounts = layout.parts(words, 0, np.array([1, 0]))
    >>> np.bincount(entries, amounts, minlength=12).reshape(layout.shape)
    array([[1., 1.],
           [0., 1.],
           [0., 0.],
           [1., 0.],
           [0., 1.],
           [1., 0.]])
    """

    n_features: int  # J
    n_tags: int  # K
    transitions: bool  # whether W has rows for transitions

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of W."""
        return 1 + self.n_features + (self.n_tags + 2 if self.transitions else 0), self.n_tags

    def scores(self, words: TokenFeatures, m: int, W: np.ndarray, scale: float = 1.0) -> ChainScores:
        """Return the scores of all components of the tag sequences of sentence m.

        Parameters
        ----------
        words : TokenFeatures
        m : int
        W : array of the layout's shape
        scale : float
            A factor by which W is multiplied.

        Returns
        -------
        ChainScores
            With zeros for the transitions if the layout has none.
        """
        ends, features, values = _features_of_sentence(words, m)
        weighted = values[:, None] * W[1 + features]  # (n, K)
        emissions = np.array([W[0] + weighted[i:j].sum(axis=0) for i, j in itertools.pairwise(ends.tolist())])  # (T, K)
        n_tags = self.n_tags
        chain = scale * W[1 + self.n_features :] if self.transitions else np.zeros((n_tags + 2, n_tags))
        return ChainScores(scale * emissions, chain[:n_tags], chain[n_tags], chain[n_tags + 1])

    def parts(self, words: TokenFeatures, m: int, path: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return Φ(x, y) of sentence m as a list of entries of the flattened W with amounts; an entry may be listed several times.

        Parameters
        ----------
        words : TokenFeatures
        m : int
        path : int array (T,), the tag numbers y

        Returns
        -------
        entries : int array
        amounts : float array
        """
        ends, features, values = _features_of_sentence(words, m)
        rows = [np.zeros(len(path), dtype=np.intp), 1 + features]
        tags = [path, np.repeat(path, np.diff(ends))]
        amounts = [np.ones(len(path)), values]
        if self.transitions:
            row = 1 + self.n_features
            rows += [row + path[:-1], np.array([row + self.n_tags, row + self.n_tags + 1])]
            tags += [path[1:], path[[0, -1]]]
            amounts.append(np.ones(len(path) + 1))
        return np.concatenate(rows) * self.n_tags + np.concatenate(tags), np.concatenate(amounts)

    def difference(
        self, words: TokenFeatures, m: int, truth: np.ndarray, rival: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return Φ(x, y) − Φ(x, ŷ) of sentence m; features that both have in common cancel.

        Parameters
        ----------
        words : TokenFeatures
        m : int
        truth, rival : int arrays (T,), the tag numbers y and ŷ

        Returns
        -------
        entries : int array
            Distinct entries of the flattened W.
        values : float array
            The non-zero values of these entries. The sum of their squares is ‖Φ(x, y) − Φ(x, ŷ)‖².
        """
        (plus, amounts), (minus, _) = self.parts(words, m, truth), self.parts(words, m, rival)
        differ = plus != minus  # both lists have the same order
        entries, places = np.unique(np.concatenate([plus[differ], minus[differ]]), return_inverse=True)
        values = np.bincount(places, weights=np.concatenate([amounts[differ], -amounts[differ]]))
        if values @ values <= ROUNDING * 2 * (amounts[differ] @ amounts[differ]):
            values = np.zeros(len(entries))
        return entries[values != 0], values[values != 0]


def _features_of_sentence(words: TokenFeatures, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the n features of sentence m.

    The arrays hold the first and last position of each word (T + 1,), the feature numbers (n,) and the values (n,).
    """
    ends = words.indptr[words.starts[m] : words.starts[m + 1] + 1]
    features = words.indices[ends[0] : ends[-1]]
    return ends - ends[0], features, words.values[ends[0] : ends[-1]] if len(words.values) else np.ones(len(features))
