"""The base of the structured learners: a flat learner whose classes are the tag sequences of a whole sentence.

A sequence y of tags for a sentence x has the score w · Φ(x, y). Φ is the sum, over the words, of the features of the
word with its tag (emissions) and of the pairs of neighbouring tags, including the first and the last tag (transitions).
There are K^T sequences, too many to list, but Viterbi's search finds the best sequence, and the sequence that violates the
margin most (``joint_features.py``, ``viterbi.py``). As in ``online_classifier.py``, a step on one sentence is

    W ← (1 − η_t λ) W + τ [Φ(x, y) − Φ(x, ŷ)]

with ŷ the rival found by the search. The two sequences form a problem of two classes, and the flat learner's rule computes
its step τ: the rules of ``perceptron.py``, ``mira.py`` and ``svm.py`` are used unchanged.

The flat learners are the special case of sentences of one word without transitions: then the rival is the flat
prediction, Φ(x, y) is g(x) in the column of y, and the weights are the same after every step.

Sources: M. Collins, Discriminative training methods for hidden Markov models, EMNLP 2002; I. Tsochantaridis et al.,
Large margin methods for structured and interdependent output variables, JMLR 6, 2005.
"""

import itertools
import reprlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classifiers.online_classifier import OnlineClassifier
from classifiers.structured.joint_features import Layout
from classifiers.structured.tag_features import (
    FEATURE_TYPES,
    TEMPLATES,
    EncodedSentences,
    FeatureIndex,
    check_templates,
    has_explicit_features,
)
from classifiers.structured.viterbi import ChainScores, cost_augmented, path_score, viterbi
from lxmls_day1.lab_api import InputError, setting

Sentences = Sequence[Sequence[str]] | EncodedSentences  # M sentences, each a sequence of words
Tags = Sequence[Sequence[Any]]  # for each sentence, a tag for each word
_TAGS_EXPECTED = "tags must be a list of sequences, one for each sentence, with a tag for each of its words"


@dataclass(eq=False, repr=False, kw_only=True)
class StructuredClassifier(OnlineClassifier):
    """The rounds of :class:`OnlineClassifier` over sentences. A subclass sets its ``rule``.

    Parameters
    ----------
    templates : list of str
        The templates of the features of a word, see :mod:`classifiers.structured.tag_features`.
    min_count : int ≥ 1
        Minimum number of words of the training sentences that must have a feature, with any value, for it to be used.
    transitions : bool
        Whether pairs of neighbouring tags have a score. Without transitions each word is tagged independently.
    decoder : function (ChainScores) -> path (T,), optional
        A search written in Python, such as :func:`classifiers.structured.viterbi.viterbi`, that replaces the compiled search in
        training and in tagging.
    nr_rounds, averaged, seed, order, cost, track_objective, progress
        As in :class:`OnlineClassifier`; an example is a sentence, a class is a tag, and the cost of a sequence is the
        sum over its words: with 0/1 costs the number of wrong tags.

    Attributes
    ----------
    classes : array (K,)
        The tags of the training sentences in ascending order.
    feature_names : sequence of J str
        The features, in the order of the rows of the parameters.
    history, nr_updates
        As in :class:`OnlineClassifier`.

    Notes
    -----
    The parameters have a column for each tag. Row 0 holds the bias of each tag and rows 1 … J the emissions, as in a
    flat classifier; then come K rows of transitions (from the tag of the row to that of the column), a row for the
    first tag of a sentence and one for the last (``joint_features.py``). Without transitions the matrix ends after row J.

    A rule is called as ``rule(scores, label, sq_norm, step, cost)`` for two classes: 0 is the rival, 1 the truth. The arguments are
    scores = (s(ŷ) − s(y), 0), label = 1, cost = (ρ(ŷ, y), 0), and sq_norm = ‖Φ(x, y) − Φ(x, ŷ)‖² / 2. Features that both Φ
    have in common cancel; in the flat case sq_norm is ‖g(x)‖². The rule returns (−τ, τ). It is not called if
    the rival is the truth itself, or if Φ is the same for both.

    Examples
    --------
    A learner needs little more than a rule, here the rule of the perceptron:

    >>> from classifiers.perceptron import perceptron_rule
    >>> class Tagger(StructuredClassifier):
    ...     rule = staticmethod(perceptron_rule)
    >>> X, y = [["I", "saw", "it"], ["a", "saw"]], [["PRON", "VERB", "PRON"], ["DET", "NOUN"]]
    >>> tagger = Tagger(templates=["word"])
    >>> params = tagger.train(X, y)
    >>> tagger.test([["it", "saw", "I"], ["a", "saw"]], params), params.shape
    ([['PRON', 'VERB', 'PRON'], ['DET', 'NOUN']], (11, 4))
    """

    name = "Structured classifier"
    augmented = False  # whether the rival maximises score plus cost
    descends = False  # whether a step follows the gradient of the log loss instead of a rule

    templates: Sequence[str] = TEMPLATES
    min_count: int = setting(1, at_least=1, whole=True)
    transitions: bool = setting(True)
    decoder: Callable[[ChainScores], ArrayLike] | None = None
    n_jobs: int = field(default=1, init=False)  # structured training uses one thread

    feature_names: Sequence[str] | None = field(default=None, init=False)
    given_features: bool = field(default=False, init=False)  # whether words were passed as explicit features

    def check_settings(self) -> None:
        check_templates(self.templates)
        if isinstance(self.transitions, str) and self.transitions == "trigrams":  # a model of an earlier version
            raise InputError(
                "this version has no trigrams of tags; train with transitions=True, which scores pairs of tags"
            )
        super().check_settings()
        if not (self.decoder is None or callable(self.decoder)):
            raise InputError(f"decoder must be a function from ChainScores to a path, or None, but is {self.decoder!r}")

    def train(self, X: Sentences, y: Tags, callback: Callable[..., object] | None = None) -> np.ndarray:
        """Make ``nr_rounds`` passes over the sentences.

        Parameters
        ----------
        X : EncodedSentences, or list of M sentences, each a sequence of words; or of explicit features
            Explicit features replace ``templates``: each word is a dictionary from names to values, or a list of names, as for CRFsuite
            (:func:`classifiers.structured.tag_features.explicit_features`).
        y : list of M sequences of tags, one for each word
        callback : function (round, weights, params), optional
            As in :meth:`OnlineClassifier.train`.

        Returns
        -------
        params : array (J + 1 + K + 2, K), or (J + 1, K) without transitions

        Raises
        ------
        InputError
            For invalid hyper-parameters, sentences and tags that do not fit together, a rule that does not raise the truth by as
            much as it lowers the rival, or weights that diverge.
        """
        return super().train(X, y, callback)

    def sentences_of(self, X: Sentences, y: Tags, state: Any = None) -> Any:
        """Return the training sentences in the engine's form, and set ``classes`` and ``feature_names`` from them or from ``state``.

        Returns
        -------
        lxmls_day1.engine.loops.chains.Chains

        Raises
        ------
        InputError
            For invalid settings, and for arguments that are not sentences with a tag for each word.
        """
        self.check_settings()
        X, tags = check_sentences(X), _all_tags(X, y)
        if not tags:
            raise InputError("training needs sentences, but X has none; is the training part of the corpus empty?")
        if state is None:
            self.classes, labels = np.unique(self._labels_of(tags), return_inverse=True)
            if len(self.classes) < 2:
                raise InputError(
                    f"training needs at least two tags, but every word has the tag {tags[0]!r}; use more sentences"
                )
            self.feature_names, words = self._learn_features(X)
        elif state.feature_names is None:
            raise InputError(
                "this state belongs to a learner of whole texts and has no features of words; start with state=None"
            )
        else:
            self.classes, self.feature_names = state.classes, state.feature_names
            labels, words = self._columns_of(tags), self._encode(X)
        return self._chains(words, Layout(len(self.feature_names), len(self.classes), self.transitions), labels)

    def _chains(self, words, layout, labels=None):
        """Return encoded words, and the columns of their tags if given, in the engine's form."""
        from lxmls_day1.lab_api import Chains  # imported here because importing numba is slow

        return Chains(words, layout.n_features, layout.shape, None if labels is None else labels.astype(np.intp))

    def compiles(self) -> bool:
        """Return True if the compiled loop can run the rounds of this learner."""
        return self.decoder is None

    def take_round(
        self, sentences: Any, costs: np.ndarray, shrinkage: float, weights: Any, order: np.ndarray, steps: np.ndarray
    ) -> int:
        """Run a round in Python: W ← (1 − η_t λ) W + τ [Φ(x, y) − Φ(x, ŷ)] for each sentence in ``order`` (M,), with ``steps`` (M,).

        Return the number of sentences that changed W.
        """
        layout, updates = Layout(sentences.n_features, sentences.shape[1], self.transitions), 0
        for m, step in zip(order.tolist(), steps.tolist(), strict=True):
            entries, change = self._change(layout, sentences, m, step, costs, weights)
            updates += weights.add(entries, change, 1.0 - step * shrinkage)
        return updates

    def _change(self, layout, sentences, m, step, costs, weights):
        """Return τ [Φ(x, y) − Φ(x, ŷ)] for sentence m, as entries of the flattened W and the amounts to add."""
        truth = sentences.labels[sentences.starts[m] : sentences.starts[m + 1]]
        searched = layout.scores(sentences, m, weights.V, weights.state[0])
        if self.augmented:
            searched = cost_augmented(searched, truth, costs.T)
        rival = _checked_path(self.decoder or viterbi, searched)
        entries, values = layout.difference(sentences, m, truth, rival)
        if len(entries) == 0:
            return entries, values
        cost = costs[truth, rival].sum()  # ρ(ŷ, y)
        gain = max(0.0, path_score(searched, rival) - path_score(searched, truth))
        gain -= cost if self.augmented else 0.0
        d = np.asarray(self.rule(np.array([gain, 0.0]), 1, 0.5 * (values**2).sum(), step, np.array([cost, 0.0])))
        if d.shape != (2,) or not abs(d[0] + d[1]) <= 1e-9 * (abs(d[0]) + abs(d[1])):  # NaN is not
            raise InputError(
                f"{getattr(self.rule, '__name__', 'the rule')} must raise the true path by as much as it lowers its rival, "
                f"d = (−τ, τ), but returned {d}"
            )
        return entries, d[1] * values

    def test(self, X: Sentences, params: ArrayLike) -> list[list[Any]]:
        """Return for each sentence its tag sequence with the highest score, and in a tie the first such sequence (``viterbi.py``).

        Parameters
        ----------
        X : EncodedSentences, or list of M sentences, each a sequence of words
        params : array, as returned by ``train``

        Returns
        -------
        y_hat : list of M lists of tags

        Raises
        ------
        InputError
            If the classifier is not trained, a sentence is invalid, or the parameters do not belong to this classifier.
        """
        if self.decoder is not None:
            return [self.classes[_checked_path(self.decoder, scores)].tolist() for scores in self.get_scores(X, params)]
        layout, params = self._fit(params, finite=False)
        words = self._encode(check_sentences(X))
        few = len(words.indices) < len(params)  # then checking the parameters in use is enough
        used = params[np.r_[0, 1 + words.indices, 1 + layout.n_features : len(params)]] if few else params
        if not np.isfinite(used).all():
            self._params(params, finite=True)
        tags, paths = self.classes.tolist(), self._chains(words, layout).best_paths(params).tolist()
        return [[tags[k] for k in paths[start:end]] for start, end in itertools.pairwise(words.starts)]

    def get_scores(self, X: Sentences, params: ArrayLike) -> list[ChainScores]:
        """Return the scores of all components of the tag sequences of each sentence: the input of the search.

        Parameters
        ----------
        X : EncodedSentences, or list of M sentences, each a sequence of words
        params : array, as returned by ``train``

        Returns
        -------
        list of M :class:`classifiers.structured.viterbi.ChainScores`
            Tags are given by their number in ``classes``.

        Raises
        ------
        InputError
            If X holds no sentences, or the number of rows of params does not fit the features and tags.
        """
        layout, params = self._fit(params)
        words = self._encode(check_sentences(X))
        return [layout.scores(words, m, params) for m in range(len(words.starts) - 1)]

    def get_label(self, X: Sentences, params: ArrayLike) -> list[list[Any]]:
        """Return the result of :meth:`test`: lists of tags for M sentences and ``params`` (J + 1 + K + 2, K), without intercept term."""
        return self.test(X, params)

    def evaluate(self, truth: Tags, predicted: Tags) -> float:
        """Return the accuracy: the share of words whose predicted tag is the true tag.

        A true tag that does not occur in the training sentences counts as a mistake, as in published accuracies.

        Parameters
        ----------
        truth, predicted : lists of M sequences of tags

        Returns
        -------
        accuracy : float in [0, 1]

        Raises
        ------
        InputError
            If the numbers or lengths of the sentences differ, there is no word, or tags are missing or of different types.

        Examples
        --------
        >>> StructuredClassifier().evaluate([["DET", "NOUN"], ["VERB"]], [["DET", "VERB"], ["VERB"]]).__round__(3)
        0.667
        """
        truth = _as_sequences(truth, _TAGS_EXPECTED)
        guesses = _all_tags(truth, predicted)
        if not guesses:
            raise InputError("evaluate needs at least one word, but got none; is this part of the corpus empty?")
        return OnlineClassifier().evaluate([tag for tags in truth for tag in tags], guesses)

    def objective(self, X: Sentences, y: Tags, params: ArrayLike) -> float | None:
        """Return the objective at ``params``: the mean loss of a sentence + (λ/2)‖W‖²; None for a learner without a loss.

        Parameters
        ----------
        X : EncodedSentences, or list of M sentences
        y : list of M sequences of tags that were seen in training
        params : array, as returned by ``train``

        Returns
        -------
        float or None

        Raises
        ------
        InputError
            If there are no sentences, or sentences, tags and parameters do not fit together.
        """
        (layout, params), X = self._fit(params), check_sentences(X)
        tags = _all_tags(X, y)
        if not tags:
            raise InputError("an objective is a mean over sentences, but X has none")
        return self.chain_objective(self._chains(self._encode(X), layout, self._columns_of(tags)), params)

    def structured_losses(self, sentences: Any, params: np.ndarray) -> np.ndarray | None:
        """Return the loss of each sentence (M,), or None for a learner without a loss."""
        return None

    def chain_objective(self, sentences: Any, params: np.ndarray) -> float | None:
        """Return the mean loss of encoded sentences + (λ/2)‖W‖² at ``params`` (J + 1, K), or with K + 2 more rows; None without a loss."""
        losses = self.structured_losses(sentences, params)
        return None if losses is None else float(losses.mean() + self.regularizer / 2 * (params**2).sum())

    def _learn_features(self, X):
        """Return the names of the features of checked sentences, and the features of each word."""
        if not _is_encoded(X):
            self.given_features = has_explicit_features(X)
            index, words = FeatureIndex.learn(X, self.templates, int(self.min_count))
            return index.names, words
        if X.index.templates != tuple(self.templates):
            raise InputError(
                f"{self.get_name()} has the templates {list(self.templates)}, but X was encoded with "
                f"{list(X.index.templates)}; encode it with the learner's own, or pass the sentences"
            )
        return X.index.names, X.features

    def _encode(self, X):
        """Return the known features of the words of checked sentences."""
        if not _is_encoded(X):
            if has_explicit_features(X) != self.given_features:
                forms = ("words", "dictionaries or lists of features")[:: -1 if self.given_features else 1]
                raise InputError(f"{self.get_name()} was trained on sentences of {forms[0]}, but got one of {forms[1]}")
            return FeatureIndex(self.templates, self.feature_names).encode(X)
        if X.index.names != self.feature_names:
            raise InputError(
                f"X was encoded with {len(X.index.names)} features that are not the {len(self.feature_names)} of the training; "
                "encode it as the training part was (`train.others(X)`), or pass the sentences"
            )
        return X.features

    def _fit(self, params, *, finite=True):
        """Return the layout of the parameters, and the parameters, if they can belong to this classifier."""
        if self.classes is None or self.feature_names is None:
            raise InputError(f"{self.get_name()} has no features yet: train it first")
        params = np.ascontiguousarray(self._params(params, finite=finite))
        layouts = [Layout(len(self.feature_names), len(self.classes), transitions) for transitions in (True, False)]
        for layout in layouts:
            if params.shape == layout.shape:
                return layout, params
        raise InputError(
            f"the parameters must have the shape {layouts[0].shape}, or {layouts[1].shape} without transitions, but "
            f"have {params.shape}; use those that its own train returned"
        )


def check_sentences(X: Any) -> Any:
    """Return sentences as a list of sequences of words. Refuse text that is not split into words, and sentences without words.

    Encoded sentences are returned unchanged.

    Parameters
    ----------
    X : EncodedSentences, or list of M sentences, each a sequence of words

    Returns
    -------
    EncodedSentences, or list of M sentences

    Raises
    ------
    InputError
        For anything else.

    Examples
    --------
    >>> check_sentences([("Rain", "fell", ".")])
    [('Rain', 'fell', '.')]
    """
    if _is_encoded(X):
        return X
    X = _as_sequences(X, "X must be a list of sentences, each a list of words")
    kind = FEATURE_TYPES if has_explicit_features(X) else str
    for m, sentence in enumerate(X):
        if not len(sentence) or not all(isinstance(word, kind) and (word or kind is not str) for word in sentence):
            raise InputError(
                "a sentence has at least one word, and each is a text that is not empty (or each a dictionary or list of features), but "
                f"sentence {m} is {reprlib.repr(sentence)}"
            )
    return X


def _is_encoded(X):
    """Return True if X is an :class:`classifiers.structured.tag_features.EncodedSentences`, of this module or of its flat-imported copy."""
    return type(X).__name__ == "EncodedSentences"


def _all_tags(X, y):
    """Return the tags of all words as one list (N), after checking that each word has a tag."""
    y = _as_sequences(y, _TAGS_EXPECTED)
    if len(y) != len(X):
        raise InputError(
            f"{len(X)} sentences need as many sequences of tags, but there are {len(y)}; pass one for each"
        )
    lengths = np.diff(X.features.starts).tolist() if _is_encoded(X) else map(len, X)
    for m, (length, tags) in enumerate(zip(lengths, y, strict=True)):
        if len(tags) != length:
            raise InputError(
                f"every word needs one tag, but sentence {m} has {length} words and the tags {reprlib.repr(tags)}"
            )
    return [tag for tags in y for tag in tags]


def _as_sequences(values, expected):
    """Return a list of lists or tuples; refuse a string and values that cannot be converted."""
    try:
        found = [] if isinstance(values, str) else list(values)
        if not isinstance(values, str) and not any(isinstance(one, str) for one in found):
            return [one if isinstance(one, (list, tuple)) else list(one) for one in found]
    except TypeError:
        pass
    raise InputError(f"{expected}, but is {reprlib.repr(values)}")


def _checked_path(decoder, scores):
    """Return the result of a decoder, after checking that it is a path."""
    found = decoder(scores)
    path = np.asarray([] if found is None else found)
    n_words, n_tags = scores.emissions.shape
    if path.shape != (n_words,) or path.dtype.kind not in "iu" or path.min() < 0 or path.max() >= n_tags:
        name = getattr(decoder, "__name__", "the decoder")
        raise InputError(
            f"{name} must return a path, {n_words} tag numbers from 0 to {n_tags - 1} for {n_words} words, but "
            f"returned {'None; is a return statement missing?' if found is None else repr(found)}"
        )
    return path.astype(np.intp)
