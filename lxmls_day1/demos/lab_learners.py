"""The learners of a lab for demonstrations: some may not be written yet, and some may be broken.

A demonstration names a learner by file and class. A learner that cannot be created or trained is omitted, and a sentence gives
the reason. Everything else continues.
"""

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.base.grouping import grouped
from lxmls_day1.course.diagnosis.answer_shapes import shortened

_MAX_UPDATE = 1e100
_MAX_REASON_CHARS = 300  # characters
_EXERCISE = re.compile(r"[Ee]xercise (\d+\.\d+[a-z]?)\b")


class Learner(NamedTuple):
    """The location of a classifier, and its settings."""

    module: str
    class_name: str
    settings: dict[str, Any]
    label: str
    """A short name for pages and legends."""


class SkippedLearner(NamedTuple):
    """The reason why a learner is missing."""

    label: str
    sentence: str
    exercise: str = ""
    """The exercise in which the learner is still to be written, such as ``"1.5"``; ``"?"`` if unknown; else empty."""


#: The classifiers of ``lxmls-day1 run`` for any features, with the same settings.
GENERAL_LEARNERS = (
    Learner("gaussian_naive_bayes", "GaussianNaiveBayes", {}, "Gaussian naive Bayes"),
    Learner("perceptron", "Perceptron", {}, "Perceptron"),
    Learner("mira", "Mira", {}, "MIRA"),
    Learner("max_ent_batch", "MaxEntBatch", {}, "Max. entropy (batch)"),
    Learner("max_ent_online", "MaxEntOnline", {}, "Max. entropy (online)"),
    Learner("svm", "SVM", {}, "SVM"),
)

#: The classifiers for word counts.
COUNT_LEARNERS = (
    Learner("multinomial_naive_bayes", "MultinomialNaiveBayes", {}, "Naive Bayes (smoothed)"),
    Learner("multinomial_naive_bayes", "MultinomialNaiveBayes", {"smooth": False}, "Naive Bayes (unsmoothed)"),
)


def checked_update(rule: Any, n_classes: int, *arguments: Any) -> np.ndarray:
    """Return the update d of a rule, which may be a student's, as an array (n_classes,).

    Raises
    ------
    InputError
        If the rule does not return `n_classes` numbers, or returns numbers that are not finite or are too large.

    Examples
    --------
    >>> checked_update(lambda scores: scores, 2, [0.5, 1])
    array([0.5, 1. ])
    """
    d = rule(*arguments)
    try:
        update = np.array(d, dtype=float)
    except (TypeError, ValueError):
        update = np.array(np.nan)
    if update.shape != (n_classes,) or not (np.abs(update) < _MAX_UPDATE).all():
        got = "None; is its return missing?" if d is None else f"{d!r}."
        name = getattr(rule, "__name__", "the rule")
        raise InputError(f"{name} must return d, one finite number for each of the {n_classes} classes, but returned {got}")  # fmt: skip
    return update


def train_quietly(classifier: Any, X: Any, y: Any) -> Any:
    """Train a classifier, which may be a student's, without its warnings, and return its params."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return classifier.train(X, y)


def skipped_learner(label: str, error: BaseException) -> SkippedLearner:
    """Return the reason why a learner that raised an error is missing.

    Examples
    --------
    >>> unwritten = skipped_learner("MIRA", NotImplementedError("Exercise 1.5: MIRA; `lxmls-day1 hint 1.5` helps"))
    >>> unwritten.exercise
    '1.5'
    >>> skipped_learner("MIRA", ZeroDivisionError("division by zero")).sentence
    'MIRA is left out, as it ended with ZeroDivisionError: division by zero.'
    """
    text = _one_line_message(error)
    if isinstance(error, NotImplementedError):
        number = _EXERCISE.search(text)
        sentence = f"{label} is left out, as it is still to be written{text and f' ({text})'}."
        return SkippedLearner(label, sentence, number[1] if number else "?")
    kind = "" if isinstance(error, InputError) else f", as it ended with {type(error).__name__}"
    why = f"{kind}: {text}" if text else kind
    return SkippedLearner(label, f"{label} is left out{why}".rstrip(".?") + ("?" if why.endswith("?") else "."))


def _one_line_message(error: BaseException) -> str:
    """Return the message of an exception in one line, or an empty string if its ``__str__`` fails."""
    try:
        return shortened(str(error), _MAX_REASON_CHARS)
    except Exception:
        return ""


def skip_sentences(missing: Sequence[SkippedLearner]) -> list[str]:
    """Return the sentences about missing learners for a page, with one sentence for all that are still to be written.

    Examples
    --------
    >>> missing = [SkippedLearner("MIRA", "", "1.5"), SkippedLearner("SVM", "", "1.7")]
    >>> missing.append(SkippedLearner("Perceptron", "Perceptron fell over."))
    >>> skip_sentences(missing)
    ['Still to be written, and left out: MIRA (exercise 1.5); SVM (exercise 1.7).', 'Perceptron fell over.']
    """
    unwritten = grouped((item.exercise, item.label) for item in missing if item.exercise)
    parts = [f"{', '.join(labels)} (exercise {number})" for number, labels in unwritten.items()]
    first = [f"Still to be written, and left out: {'; '.join(parts)}."] if parts else []
    return first + [item.sentence for item in missing if not item.exercise]


class FailureCollector:
    """A collector of errors, which lets the other parts of a scene continue if one part fails.

    Attributes
    ----------
    skipped : dict of str to SkippedLearner
        The failures by label.

    Examples
    --------
    >>> attempts = FailureCollector()
    >>> with attempts("MIRA"):
    ...     raise NotImplementedError("Exercise 1.5: MIRA")
    >>> attempts.sentences()
    ['Still to be written, and left out: MIRA (exercise 1.5).']
    """

    def __init__(self) -> None:
        self.skipped: dict[str, SkippedLearner] = {}

    @contextmanager
    def __call__(self, label: str) -> Iterator[None]:
        """Catch any error inside the block, and store it as the reason why this part is missing."""
        try:
            yield
        except (Exception, SystemExit) as error:
            self.skipped[label] = skipped_learner(label, error)

    def sentences(self) -> list[str]:
        """Return the sentences about missing parts for the page."""
        return skip_sentences([*self.skipped.values()])
