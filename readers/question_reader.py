"""Questions labelled by the type of their answer: a person, a place, a number, … (the TREC corpus of Li & Roth 2002).

A corpus consists of two files with one question per line, one for training and one for testing (the official split)::

    HUM:ind Who wrote the first dictionary ?

The class, coarse and fine with a colon between them, is followed by a space and the question, whose words are separated
by spaces. The files are in Latin-1. A question is converted to the bag of its words and word pairs.

References
----------
X. Li, D. Roth (2002), *Learning question classifiers*, COLING 2002.
"""

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from lxmls_day1.lab_api import InputError, text_data
from readers.splitting import split_ends
from readers.vocabulary import BagCorpus, checked_min_count, count_words

COARSE_CLASSES = {
    "ABBR": "an abbreviation, or what it stands for",
    "DESC": "a description, a definition, a reason or a way to do something",
    "ENTY": "a thing: an animal, a food, a work, an event, …",
    "HUM": "a person or a group of persons",
    "LOC": "a place",
    "NUM": "a number: a count, a date, a distance, …",
}
"""The six coarse classes, and the answers that their questions ask for."""
LEVELS = ("coarse", "fine")
_FINE_CLASS = re.compile(r"[a-z]+")
_TRAIN_FILE, _TEST_FILE = "train_5500.label", "TREC_10.label"


class Question(NamedTuple):
    """One line of the corpus.

    Examples
    --------
    >>> question = parse_question("HUM:ind Who wrote the first cookbook ?")
    >>> question.coarse, question.fine, question.text.split()[-1]
    ('HUM', 'ind', '?')
    """

    coarse: str  # one of `COARSE_CLASSES`, such as ``HUM``
    fine: str  # the class within the coarse one, such as ``ind``
    text: str  # the question, with its words separated by spaces


def parse_question(line: str, location: str = "this line") -> Question:
    """Read one line of a corpus file.

    Parameters
    ----------
    line : str
        ``COARSE:fine text``, with or without its line end.
    location : str
        The name of the line in error messages, such as ``TREC_10.label, line 3``.

    Returns
    -------
    Question

    Raises
    ------
    InputError
        If the line does not have this form.

    Examples
    --------
    >>> parse_question("LOC:city What city hosts the tea fair ?")
    Question(coarse='LOC', fine='city', text='What city hosts the tea fair ?')
    """
    classes, _, text = line.removesuffix("\n").removesuffix("\r").partition(" ")
    coarse, colon, fine = classes.partition(":")
    if not classes and not text.strip():
        raise InputError(f"{location}: the line is blank; expected a class and a question, as in COARSE:fine text")
    if not colon:
        raise InputError(f"{location}: no colon in {_quoted(classes)}; expected a class such as HUM:ind at the start")
    if coarse not in COARSE_CLASSES:
        raise InputError(
            f"{location}: the coarse class is {_quoted(coarse)}; expected one of {', '.join(COARSE_CLASSES)}"
        )
    if not _FINE_CLASS.fullmatch(fine):
        raise InputError(f"{location}: the fine class is {_quoted(fine)}; expected lower-case letters, as in HUM:ind")
    if not text.strip():
        raise InputError(f"{location}: there is no question after {classes}; expected its words, separated by spaces")
    return Question(coarse, fine, text.strip())


def parse_questions(lines: Iterable[str], name: str = "the lines given") -> list[Question]:
    """Read many lines of the corpus format.

    Parameters
    ----------
    lines : iterable of str
    name : str
        The name of their source in error messages.

    Returns
    -------
    list of Question
        At least one.

    Raises
    ------
    InputError
        If a line is malformed (see `parse_question`), or there is none.

    Examples
    --------
    >>> lines = ["HUM:ind Who wrote the first cookbook ?", "LOC:city What city hosts the tea fair ?"]
    >>> [question.coarse for question in parse_questions(lines)]
    ['HUM', 'LOC']
    >>> parse_questions(["HUM:ind Who wrote the first cookbook ?", "ind Who ?"], "mine.txt")
    Traceback (most recent call last):
    ...
    lxmls_day1.base.errors.InputError: mine.txt, line 2: no colon in 'ind'; expected a class such as HUM:ind at the start
    """
    questions = [parse_question(line, f"{name}, line {number}") for number, line in enumerate(lines, start=1)]
    if not questions:
        raise InputError(f"{name}: expected one question per line, got an empty file")
    return questions


class QuestionCorpus(BagCorpus):
    """Questions with the type of their answer as class, in the official split.

    Parameters
    ----------
    name : str
        ``trec6``, the 5452 + 500 questions of the TREC corpus, or ``toy``: 72 questions that are part of the package.
    level : {"coarse", "fine"}
        Six classes such as ``NUM``, or the finer ones such as ``NUM:date`` (50 in the TREC corpus).
    dev_per : float in [0, 1)
        The share of the training file that becomes the development part; it is taken from the end of the file.
    min_count : int
        Minimum number of occurrences in the training part for a token to become a feature.
    data_dir : path, optional
        A folder that holds the corpus. Default: `lxmls_day1.engine.text.corpora.find_corpus` finds the corpus, and may download it.

    Attributes
    ----------
    name, level : str
    questions : list of Question
        The questions of the rows of `X`.
    X, y, label_names, train_X, train_y, dev_X, dev_y, test_X, test_y
        As in `BagCorpus`: counts of unigrams ``a`` and bigrams ``a_b``, as `count_words` counts them.
    feat_dict, feat_counts, feature_names, nr_features, nr_examples
        As in `BagCorpus`.

    Raises
    ------
    InputError
        If there is no corpus of this name, the level, `dev_per` or `min_count` is invalid, no feature is left, or the
        files are not in `data_dir`.
    InputError
        If a file is malformed; the message names file, line and what was expected.
    CorpusUnavailable
        If the corpus is neither on this machine nor available from the network.

    Notes
    -----
    In the TREC corpus 71 training questions are duplicates, and 10 test questions are also in the training file.

    Examples
    --------
    >>> corpus = QuestionCorpus("toy")
    >>> corpus.label_names
    ('ABBR', 'DESC', 'ENTY', 'HUM', 'LOC', 'NUM')
    >>> corpus.train_X.shape[0], corpus.test_X.shape[0], corpus.questions[3].text
    (54, 18, 'Who invented the umbrella ?')

    To classify your own question, convert it to a row over the features of the corpus:

    >>> from readers.vocabulary import count_words, vectorise
    >>> x = vectorise([count_words("Who invented this ?")], corpus.feat_dict)
    >>> [corpus.feature_names[j] for j in x.indices]
    ['?', 'who', 'invented', 'who_invented']

    References
    ----------
    X. Li, D. Roth (2002), *Learning question classifiers*, COLING 2002.
    """

    def __init__(
        self,
        name: str = "trec6",
        level: str = "coarse",
        dev_per: float = 0.0,
        min_count: int = 1,
        data_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        if not isinstance(name, str) or name not in ("trec6", "toy"):
            raise InputError(f"there is no question corpus {name!r}; there are 'trec6' and 'toy'")
        if not isinstance(level, str) or level not in LEVELS:
            raise InputError(f"level must be 'coarse' or 'fine', got {level!r}")
        min_count = checked_min_count(min_count)
        train, test = _read_corpus(name, data_dir)
        try:
            train_end, dev_end, _ = split_ends(len(train), (1 - dev_per, dev_per, 0))
        except (InputError, TypeError):
            raise InputError(
                f"dev_per is a share of the {len(train)} training questions, from 0 to below 1, that leaves some "
                f"of them for training; got {dev_per!r}"
            ) from None

        self.name, self.level = name, level
        self.questions = train + test
        self._set_examples(
            [count_words(question.text) for question in self.questions],
            labels=[q.coarse if level == "coarse" else f"{q.coarse}:{q.fine}" for q in self.questions],
            train_end=train_end,
            dev_end=dev_end,
            min_count=min_count,
        )

    def get_name(self) -> str:
        """Return the name of this data set for tables and plots."""
        return f"{'Toy' if self.name == 'toy' else 'TREC'} questions ({self.level})"


def _read_corpus(name: str, data_dir: str | os.PathLike[str] | None) -> tuple[list[Question], list[Question]]:
    """Return the questions of the training and of the test file."""
    found = text_data.find_corpus("toy questions" if name == "toy" else name, data_dir, "multiclass")
    try:
        contents = {path: path.read_bytes() for path in (found.paths[_TRAIN_FILE], found.paths[_TEST_FILE])}
    except OSError as error:
        raise InputError(f"the {name} corpus cannot be read: {error}; check that its files are readable") from error
    # Split at line feeds only, because str.splitlines also splits at a character of Latin-1 (0x85).
    train, test = (
        parse_questions(content.decode("latin-1").removesuffix("\n").split("\n") if content else [], str(path))
        for path, content in contents.items()
    )
    return train, test


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
