"""A saved classifier that labels text: it tokenizes text like its training texts, and uses the weights of the tokens."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from lxmls_day1.base import sparse as sp
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.models.model_file import SavedModel
from lxmls_day1.engine.text.feature_vectors import rows_of_pairs
from lxmls_day1.engine.text.tokens import count_tokens

Bag = Mapping[str, float]


class TextModel(SavedModel):
    """The result of ``LinearClassifier.load``: a named tuple (classifier, params, feature_names, label_names, notes) that labels text.

    A model can label text if `lxmls-day1 train` trained it on text, or if it was saved with the names of its features.

    Examples
    --------
    >>> import tempfile
    >>> from lxmls_day1.classifiers import LinearClassifier, Mira
    >>> from lxmls_day1.readers import SentimentCorpus
    >>> toy = SentimentCorpus("toy")
    >>> mira = Mira()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mira.save(f"{folder}/mira.npz", mira.train(toy.train_X, toy.train_y), toy.feature_names, toy.label_names)
    ...     model = LinearClassifier.load(f"{folder}/mira.npz")
    >>> model.predict(["A dull book.", "I loved it: wonderful!"])
    ['negative', 'positive']
    """

    @property
    def tags_sentences(self) -> bool:
        """True if the model tags the words of sentences, instead of labelling whole texts."""
        return self.notes.get("tokens") == "sentences"

    def predict(self, texts: Sequence[Any]) -> list[Any]:
        """Return the label of each text by its name, or for a tagger the tags of each sentence.

        Parameters
        ----------
        texts : sequence of M str
            For a tagger also sequences of words; a str is split at white space.

        Returns
        -------
        list of M str, or of M lists of tags

        Raises
        ------
        InputError
            If ``texts`` is a single text, an element is not a text, or the model was not trained on text.
        """
        if self.tags_sentences:
            sentences = [text.split() if isinstance(text, str) else text for text in _checked_texts(texts)]
            return [list(tags) for tags in self.classifier.test(sentences, self.params)]
        names = self.class_names
        return [names[column] for column in np.argmax(self.scores(texts), axis=1).tolist()]

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        """Return the score of each class for each text, (M, K); errors are those of `predict`."""
        return self.scores_of_bags([self.tokens_of(text) for text in _checked_texts(texts)])

    @cached_property
    def tokens_of(self) -> Callable[[str], Bag]:
        """The tokenizer of the model's training texts, as recorded in its notes."""
        kind = self.notes.get("tokens", "reviews")
        if kind == "reviews":
            return count_tokens
        if kind == "questions":
            lab, is_of_lab, _ = type(self.classifier).__module__.partition("classifiers.")
            vocabulary = import_module(f"{lab if is_of_lab else 'lxmls_day1.'}readers.vocabulary")
            count_words: Callable[[str], Bag] = vocabulary.count_words
            return count_words
        if kind == "features":
            raise InputError(
                "the model has ready-made features (svmlight), so it cannot read words; give `lxmls-day1 predict` lines of svmlight, each "
                "beginning with a label such as 0, or give vectors in Python, model.classifier.test(X, model.params), or train a model on "
                "labelled texts"
            )
        raise InputError(
            f"the model takes its tokens from {kind!r}, which is unknown; known are 'reviews' and 'questions'."
        )

    @cached_property
    def columns(self) -> dict[str, int]:
        """The column of each token; raises an InputError if the model was saved without the names of its features."""
        if self.feature_names is None:
            raise InputError(
                "the model has no feature names, so it cannot read words: it was trained on points, or saved without feature_names"
            )
        return {name: column for column, name in enumerate(self.feature_names)}

    def has_known_token(self, bag: Bag) -> bool:
        """Return True if any token of a text has a weight."""
        return bool(bag) if self.notes.get("hash_bits") is not None else not self.columns.keys().isdisjoint(bag)

    def rows(self, bags: Sequence[Bag]) -> "sp.csr_array":
        """Return texts, given as token counts, as rows over all features (M, J), hashed if the training features were hashed."""
        hash_bits = self.notes.get("hash_bits")
        if hash_bits is not None:
            # Imported here because numba is slow to import.
            from lxmls_day1.engine.text.token_batches import numbered_bags

            return numbered_bags(bags).hashed(hash_bits)
        return rows_of_pairs([bag.items() for bag in bags], self.columns)

    def scores_of_bags(self, bags: Sequence[Bag]) -> np.ndarray:
        """Return the scores (M, K) of texts given as token counts, in time independent of the number of features."""
        if len(bags) == 1 and self.notes.get("hash_bits") is None:  # Building a matrix would take longer than one text.
            column_of, (bag,) = self.columns.get, bags
            columns = np.array([column_of(token, -1) for token in bag], dtype=np.intp)
            known = columns >= 0
            used, few = columns[known], np.array(list(bag.values()), dtype=float)[known][None]
        else:
            X = self.rows(bags)
            used, places = np.unique(X.indices, return_inverse=True)
            few = sp.csr_array((X.data, places.reshape(-1), X.indptr), shape=(len(bags), len(used)))
        weights = [self.params[:1], self.params[1 + used]]
        if self.classifier.quadratic:
            weights.append(self.params[1 + len(self.params) // 2 + used])
        return np.asarray(self.classifier.scores_of_rows(few, np.concatenate(weights)))


def _checked_texts(texts: Sequence[Any]) -> Sequence[Any]:
    if isinstance(texts, str) or not hasattr(texts, "__len__"):
        raise InputError(f"texts must be a list of strings, but is {texts!r}; for one text: predict([text])[0]")
    return texts
