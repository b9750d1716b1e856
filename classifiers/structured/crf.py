"""The linear-chain conditional random field: maximum entropy on tag sequences.

    p(y | x) = exp(w · Φ(x, y)) / Z(x),    Z(x) = Σ_y' exp(w · Φ(x, y')), the partition function
    F(W) = −(1/M) Σ log p_W(y^m | x^m) + (λ/2) ‖W‖²
    ∇F(W) = (1/M) Σ [E_p Φ(x^m, ·) − Φ(x^m, y^m)] + λ W

over M sentences. Φ is the same as in every structured learner (``joint_features.py``). It is a sum over words and pairs of
neighbours, so its mean under p needs only the marginals of words and pairs, which forward-backward computes
(``forward_backward.py``): word t adds its features times p(y_t = · | x) − e_{y_t}. F is convex, and with λ > 0 λ-strongly convex, as
in ``max_ent_batch.py``: F(W) − F* ≤ ‖∇F(W)‖² / (2λ).

There are two solvers. ``"lbfgs"`` finds the optimum. It starts with a few rounds of stochastic gradient descent, which replace dozens of
iterations, and continues with L-BFGS. ``"online"`` is only stochastic gradient descent, one sentence at a time,

    W ← (1 − η_t λ) W + η_t [Φ(x, y) − E_p Φ(x, ·)]

With sentences of one word and without transitions it is the maximum-entropy model of ``max_ent_batch.py`` and ``max_ent_online.py``.

Source: J. Lafferty, A. McCallum, F. Pereira, Conditional random fields: probabilistic models for segmenting and labeling
sequence data, ICML 2001; F. Sha, F. Pereira, Shallow parsing with conditional random fields, NAACL 2003 (L-BFGS).
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.max_ent_batch import Iteration
from classifiers.max_ent_online import max_ent_rule
from classifiers.solvers.lbfgs import lbfgs
from classifiers.structured.structured_classifier import Sentences, Tags, check_sentences
from classifiers.structured.structured_gradient import StructuredGradient
from lxmls_day1.lab_api import setting

SOLVERS = ("lbfgs", "online")
MAX_PAIR_BYTES = 2**30  # memory for the pairs of L-BFGS
INITIAL_ROUNDS = 5  # rounds of descent before L-BFGS


@dataclass(eq=False, repr=False)
class CRF(StructuredGradient):
    """A linear-chain conditional random field.

    Parameters
    ----------
    regularizer : float ≥ 0
        λ. CRFsuite's c2 is λM/2, for M sentences.
    solver : "lbfgs" or "online"
        L-BFGS to the optimum; or ``nr_rounds`` of stochastic gradient descent.
    tolerance : float > 0
        L-BFGS stops when an iteration lowers F by at most this share of F, on average over the last five, or when F is
        certainly within this share of the optimum.
    max_iterations : int ≥ 1
        Maximum number of L-BFGS iterations; a warning reports that they did not suffice.
    templates, min_count, transitions, decoder
        As in :class:`StructuredClassifier`. A decoder is used for tagging, not in training.
    nr_rounds, initial_step, alpha, delay, averaged, seed, order, track_objective, progress
        As in :class:`StructuredGradient`. With ``solver="lbfgs"`` they apply only to the initial rounds, of which there are at most
        five, without averaging.
    cost
        Not used.

    Attributes
    ----------
    history : list
        Entries of :class:`classifiers.max_ent_batch.Iteration` from L-BFGS, of :class:`Round` from descent.

    Examples
    --------
    >>> X = [["I", "saw", "it"], ["a", "saw", "cut", "it"], ["I", "cut", "a", "cut"]]
    >>> y = [["PRON", "VERB", "PRON"], ["DET", "NOUN", "VERB", "PRON"], ["PRON", "VERB", "DET", "NOUN"]]
    >>> tagger = CRF(regularizer=0.01, templates=["word"])
    >>> params = tagger.train(X, y)
    >>> tagger.test([["a", "cut"], ["I", "saw", "a", "saw"]], params)
    [['DET', 'NOUN'], ['PRON', 'VERB', 'DET', 'NOUN']]

    Each word has a probability for each tag, in the order of ``classes``:

    >>> tagger.classes.tolist(), tagger.get_marginals([["a", "cut"]], params)[0].round(2)
    (['DET', 'NOUN', 'PRON', 'VERB'], array([[0.96, 0.01, 0.02, 0.01],
           [0.  , 0.95, 0.02, 0.03]]))
    """

    name = "Conditional random field"
    listed = {"Conditional random field": {"colours": ("#2F6B3A", "#58B868"), "dash": (7, 1.5, 1.5, 1.5)}}
    rule = staticmethod(max_ent_rule)  # the rule for sentences of one word
    smooth_loss = True
    descends = True

    regularizer: float = 1e-4
    solver: str = setting("lbfgs", one_of=SOLVERS)
    tolerance: float = setting(1e-3, above=0)
    max_iterations: int = setting(500, at_least=1, whole=True)

    def train(self, X: Sentences, y: Tags, callback: Callable[..., object] | None = None) -> np.ndarray:
        """Minimise F, or make ``nr_rounds`` passes over the sentences.

        Parameters
        ----------
        X : EncodedSentences, or list of M sentences, each a sequence of words
        y : list of M sequences of tags, one for each word
        callback : function, optional
            For the online solver as in :meth:`OnlineClassifier.train`; for L-BFGS ``callback(iteration, weights, params)``, with
            weights equal to params.

        Returns
        -------
        params : array (J + 1 + K + 2, K), or (J + 1, K) without transitions

        Raises
        ------
        InputError
            For invalid hyper-parameters, or sentences and tags that do not fit together.
        """
        self.check_settings()
        if self.solver == "online":
            return super().train(X, y, callback)
        started = time.perf_counter()
        sentences = self.sentences_of(X, y)
        self.row_costs()  # raises an error for costs that do not fit, as the online solver does
        F = CRFObjective(sentences, float(self.regularizer))
        start = self._initial_weights(sentences)
        memory = min(20, max(5, MAX_PAIR_BYTES // (16 * start.size)))
        self.history, values = [], []
        for number, (x, value, gradient) in enumerate(lbfgs(F, start.ravel(), F.diagonal(), memory)):
            values.append(value)
            if number > 0:
                self.history.append(Iteration(number, time.perf_counter() - started, float(value)))
            if callback and number > 0:
                callback(self.history[-1], x.reshape(F.shape).copy(), x.reshape(F.shape).copy())
            arrived = self._is_converged(values, gradient)
            if arrived or number == self.max_iterations:
                break
        if not arrived and number == self.max_iterations:
            warnings.warn(
                f"the conditional random field was stopped after {number} iteration{'s' * (number != 1)} before it reached its "
                f"tolerance of {self.tolerance:g}; raise max_iterations or the tolerance",
                stacklevel=2,
            )
        self.nr_updates = len(self.history)
        return self._trained(x.reshape(F.shape))

    def _is_converged(self, values, gradient, span=5):
        """Return True if F hardly falls any more, or is certainly near its optimum."""
        share = self.tolerance * abs(values[-1])
        slow = len(values) > span and values[-1 - span] - values[-1] <= span * share
        return slow or (self.regularizer > 0 and gradient @ gradient <= 2 * self.regularizer * share)

    def _initial_weights(self, sentences):
        """Return the start of L-BFGS: W after some rounds of descent if these lower F, otherwise 0."""
        W = sentences.after_descent(self, INITIAL_ROUNDS)
        # at W = 0 all sequences are equally likely
        at_zero = len(sentences.labels) / len(sentences) * np.log(sentences.shape[1])
        lowered = np.isfinite(W).all() and sentences.log_losses(W).mean() + self.penalty_of(W) < at_zero
        return W if lowered else np.zeros(sentences.shape)

    def structured_losses(self, sentences: Any, params: np.ndarray) -> np.ndarray:
        return np.asarray(sentences.log_losses(params))

    def get_marginals(self, X: Sentences, params: ArrayLike) -> list[np.ndarray]:
        """Return p(y_t = k | x), the probability of each tag of each word, over all tag sequences.

        Parameters
        ----------
        X : EncodedSentences, or list of M sentences, each a sequence of words
        params : array, as returned by ``train``

        Returns
        -------
        list of M arrays (T, K)
            Every row sums to 1; columns in the order of ``classes``. The most probable tag of a word may differ from its tag in the
            most probable sequence.

        Raises
        ------
        InputError
            If X holds no sentences, or the number of rows of params does not fit the features and tags.
        """
        layout, params = self._fit(params)
        words = self._encode(check_sentences(X))
        marginals = self._chains(words, layout).marginals(params)
        return [marginals[start:end] for start, end in zip(words.starts[:-1], words.starts[1:], strict=True)]


class CRFObjective:
    """F and its gradient as a function of one flat vector.

    Parameters
    ----------
    sentences : lxmls_day1.engine.loops.chains.Chains
        The encoded sentences with their true tags, and the shape of W.
    regularizer : float
        λ.

    Examples
    --------
    At W = 0 all tag sequences are equally likely: log Z = 2 log 2 for two words and two tags. Both words have the tag 0, and the expected
    number is one, so the slope along the bias of tag 0 is −1:

    >>> from classifiers.structured.tag_features import FeatureIndex
    >>> from lxmls_day1.engine.loops.chains import Chains
    >>> _, words = FeatureIndex.learn([["a", "b"]], ["word"])
    >>> F = CRFObjective(Chains(words, 2, (1 + 2 + 2 + 2, 2), np.array([0, 0])), regularizer=0.1)
    >>> value, gradient = F(np.zeros(7 * 2))
    >>> round(float(value), 4), gradient.reshape(7, 2)[0].round(6)
    (1.3863, array([-1.,  1.]))
    """

    def __init__(self, sentences: Any, regularizer: float) -> None:
        self.sentences, self.shape, self.regularizer = sentences, sentences.shape, regularizer

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = self.sentences.loss_and_gradient(x.reshape(self.shape))
        gradient = gradient.ravel()
        gradient /= len(self.sentences)
        gradient += self.regularizer * x
        return loss / len(self.sentences) + self.regularizer / 2 * (x @ x), gradient

    def diagonal(self) -> np.ndarray:
        """Return an estimate of the second derivatives (n,), as in ``max_ent_batch.py``: square roots at W = 0, for each word alone."""
        (n_rows, n_tags), sentences = self.shape, self.sentences
        squares = sentences.values**2 if len(sentences.values) else None
        counts = np.full(n_rows, len(sentences), dtype=np.float64)
        counts[0] = sentences.starts[-1]
        counts[1 : 1 + sentences.n_features] = np.bincount(sentences.indices, squares, sentences.n_features)
        second = (1 - 1 / n_tags) / n_tags * counts / len(sentences) + self.regularizer
        return np.repeat(np.sqrt(np.where(second > 0, second, 1.0)), n_tags)
