"""The learners of a lab as a demonstration meets them: some may not be written yet, and some may be broken.

A demonstration names a learner by file and class. What cannot be made or trained is left out, and a sentence says why;
everything else goes on.
"""

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.diagnosis.answer_shapes import shortened

_LARGEST_UPDATE = 1e100
_LONGEST_REASON = 300  # characters
_EXERCISE = re.compile(r"[Ee]xercise (\d+\.\d+[a-z]?)\b")


class Learner(NamedTuple):
    """Where a classifier stands, and with which settings it is wanted."""

    module: str
    class_name: str
    settings: dict[str, Any]
    label: str
    """What pages and legends call it: short."""


class LeftOut(NamedTuple):
    """Why a learner is missing."""

    label: str
    sentence: str
    exercise: str = ""
    """If it is still to be written: the exercise, such as ``"1.5"``, or ``"?"``."""


#: The classifiers of ``lxmls-day1 run`` that take any features, with the settings that they have there.
EVERYWHERE = (
    Learner("gaussian_naive_bayes", "GaussianNaiveBayes", {}, "Gaussian naive Bayes"),
    Learner("perceptron", "Perceptron", {}, "Perceptron"),
    Learner("mira", "Mira", {}, "MIRA"),
    Learner("max_ent_batch", "MaxEntBatch", {}, "Max. entropy (batch)"),
    Learner("max_ent_online", "MaxEntOnline", {}, "Max. entropy (online)"),
    Learner("svm", "SVM", {}, "SVM"),
)

#: Those for counts of words.
FOR_COUNTS = (
    Learner("multinomial_naive_bayes", "MultinomialNaiveBayes", {}, "Naive Bayes (smoothed)"),
    Learner("multinomial_naive_bayes", "MultinomialNaiveBayes", {"smooth": False}, "Naive Bayes (unsmoothed)"),
)


def update_of(rule: Any, n_classes: int, *arguments: Any) -> np.ndarray:
    """The d of an update rule, which may be a student's, (n_classes,).

    Raises
    ------
    InputError
        If the rule returns something else than that many numbers, or numbers that no weights can grow by.

    Examples
    --------
    >>> update_of(lambda scores: scores, 2, [0.5, 1])
    array([0.5, 1. ])
    """
    d = rule(*arguments)
    try:
        update = np.array(d, dtype=float)
    except (TypeError, ValueError):
        update = np.array(np.nan)
    if update.shape != (n_classes,) or not (np.abs(update) < _LARGEST_UPDATE).all():
        got = "None; is its return missing?" if d is None else f"{d!r}."
        name = getattr(rule, "__name__", "the rule")
        raise InputError(
            f"{name} must return d, one finite number for each of the {n_classes} classes, but returned {got}"
        )
    return update


def trained(classifier: Any, X: Any, y: Any) -> Any:
    """The params of a classifier, which may be a student's, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return classifier.train(X, y)


def left_out(label: str, error: BaseException) -> LeftOut:
    """The learner that raised an error, and why it is missing.

    Examples
    --------
    >>> unwritten = left_out("MIRA", NotImplementedError("Exercise 1.5: MIRA; `lxmls-day1 hint 1.5` helps"))
    >>> unwritten.exercise
    '1.5'
    >>> left_out("MIRA", ZeroDivisionError("division by zero")).sentence
    'MIRA is left out, as it ended with ZeroDivisionError: division by zero.'
    """
    text = _in_short(error)
    if isinstance(error, NotImplementedError):
        number = _EXERCISE.search(text)
        sentence = f"{label} is left out, as it is still to be written{text and f' ({text})'}."
        return LeftOut(label, sentence, number[1] if number else "?")
    kind = "" if isinstance(error, InputError) else f", as it ended with {type(error).__name__}"
    why = f"{kind}: {text}" if text else kind
    return LeftOut(label, f"{label} is left out{why}".rstrip(".?") + ("?" if why.endswith("?") else "."))


def _in_short(error: BaseException) -> str:
    """What an exception says, in one line; its own ``__str__`` may fail."""
    try:
        return shortened(str(error), _LONGEST_REASON)
    except Exception:
        return ""


def sentences(missing: Sequence[LeftOut]) -> list[str]:
    """What a page says about the learners that are missing: one sentence for all that are still to be written.

    Examples
    --------
    >>> missing = [LeftOut("MIRA", "", "1.5"), LeftOut("SVM", "", "1.7"), LeftOut("Perceptron", "Perceptron fell over.")]
    >>> sentences(missing)
    ['Still to be written, and left out: MIRA (exercise 1.5); SVM (exercise 1.7).', 'Perceptron fell over.']
    """
    unwritten: dict[str, list[str]] = {}
    for item in missing:
        if item.exercise:
            unwritten.setdefault(item.exercise, []).append(item.label)
    parts = [f"{', '.join(labels)} (exercise {number})" for number, labels in unwritten.items()]
    first = [f"Still to be written, and left out: {'; '.join(parts)}."] if parts else []
    return first + [item.sentence for item in missing if not item.exercise]


class Attempts:
    """Runs the parts of a scene, each of which may fail without the others.

    Attributes
    ----------
    left_out : dict of str to LeftOut
        By what was tried.

    Examples
    --------
    >>> attempts = Attempts()
    >>> with attempts("MIRA"):
    ...     raise NotImplementedError("Exercise 1.5: MIRA")
    >>> attempts.sentences()
    ['Still to be written, and left out: MIRA (exercise 1.5).']
    """

    def __init__(self) -> None:
        self.left_out: dict[str, LeftOut] = {}

    @contextmanager
    def __call__(self, label: str) -> Iterator[None]:
        """Whatever is raised within is kept as the reason why a part is missing."""
        try:
            yield
        except (Exception, SystemExit) as error:
            self.left_out[label] = left_out(label, error)

    def sentences(self) -> list[str]:
        """What the page says about what is missing."""
        return sentences([*self.left_out.values()])
