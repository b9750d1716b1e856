"""Sentences whose words have part-of-speech tags: treebanks in the CoNLL-U format, and a small example of our own.

In a file of that format a word is a line of ten columns with tabs between them, a blank line ends a sentence, and lines
that begin with # are comments::

    # text = They don't bite.
    1	They	they	PRON	PRP	…
    2-3	don't	_	_	_	…
    2	do	do	AUX	VBP	…
    3	n't	not	PART	RB	…

A tagger wants the second column, and the fourth (UPOS, the 17 tags that all languages share) or the fifth (XPOS, the
language's own). Lines such as ``2-3``, which show how words are written together, and ``8.1``, which stand for a word
that is not there, are passed over.

References
----------
J. Nivre et al. (2020), *Universal Dependencies v2: An Evergrowing Multilingual Treebank Collection*, LREC 2020.
N. Silveira et al. (2014), *A Gold Standard Dependency Corpus for English*, LREC 2014: the English Web Treebank.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.lab_api import InputError, text_data
from readers.splitting import split_ends

#: Which column of a file each kind of tag stands in, counted from 0.
TAG_COLUMNS = {"upos": 3, "xpos": 4}

_NR_COLUMNS = 10
_FEATURE = re.compile(r"((?:[^\\:]|\\.)+)(?::([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?))?")
_ESCAPED = re.compile(r"\\(.)")
_RANGE_OR_EMPTY = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|[0-9]+\.[1-9][0-9]*")


class TaggedSentence(NamedTuple):
    """A sentence: words, and the tag of each. A word is a text, or what it has of features of one's own (`parse_crfsuite`).

    Examples
    --------
    >>> sentence = TaggedSentence(("Dogs", "bark"), ("NOUN", "VERB"))
    >>> list(zip(sentence.words, sentence.tags))
    [('Dogs', 'NOUN'), ('bark', 'VERB')]
    """

    words: tuple[Any, ...]
    tags: tuple[str, ...]


# -------------------------------------------------------------------------------------------------------------- parsing


def parse_crfsuite(content: bytes, name: str = "the text given") -> list[TaggedSentence]:
    """Read the content of a file in CRFsuite's format: a line for each word, with its tag and its features between tabs.

    An empty line ends a sentence. After a name may stand the value of the feature, ``length:4.5``, which is 1 otherwise; a colon in a
    name is written ``\\:`` and a backslash twice, as CRFsuite does.

    Parameters
    ----------
    content : bytes
    name : str
        How an error names the file.

    Returns
    -------
    list of TaggedSentence
        Whose words are tuples of the names of features; where a value is not 1, dictionaries from names to values.

    Raises
    ------
    InputError
        If the file is not UTF-8, a line has no tag or a feature no finite value, or there is no sentence.

    Examples
    --------
    >>> parse_crfsuite(b"NOUN\\tlower=dogs\\tcapital\\nVERB\\tlower=bark\\n")
    [TaggedSentence(words=(('lower=dogs', 'capital'), ('lower=bark',)), tags=('NOUN', 'VERB'))]
    >>> parse_crfsuite(b"NOUN\\tlower=dogs\\tlength:4.5\\n")[0].words
    ({'lower=dogs': 1.0, 'length': 4.5},)
    """
    sentences: list[TaggedSentence] = []
    words: list[tuple[Any, str]] = []
    for number, line in enumerate([*_lines(content, name), ""], start=1):
        if line:
            tag, *features = line.split("\t")
            found = [_feature(feature) for feature in features]
            if not tag or None in found:
                wrong = "no tag" if not tag else f"the feature {_quoted(features[found.index(None)])}"
                raise InputError(
                    f"{name}, line {number}: got {wrong}; expected a tag and the names of features, separated by tab characters, each "
                    "perhaps with a finite number after a colon (write a colon in a name as \\:)"
                )
            words.append((_word(found), tag))
        elif words:
            sentences.append(TaggedSentence(*zip(*words, strict=True)))
            words = []
    if not sentences:
        raise InputError(f"{name}: expected sentences, got a file without any words")
    return sentences


def _feature(text: str) -> tuple[str, float] | None:
    """Name and value of a feature as CRFsuite writes it; None for what is none."""
    match = _FEATURE.fullmatch(text)
    value = float(match[2] or 1) if match else math.inf
    return (_ESCAPED.sub(r"\1", match[1]), value) if match and math.isfinite(value) else None


def _word(features: Sequence[Any]) -> tuple[str, ...] | dict[str, float]:
    """The names of the features of a word, or their values if these are not all 1; what stands there several times adds up."""
    if all(value == 1.0 for _, value in features):
        return tuple(name for name, _ in features)
    values: dict[str, float] = {}
    for name, value in features:
        values[name] = values.get(name, 0.0) + value
    return values


def parse_tagged(content: bytes, tags: str = "upos", name: str = "the text given") -> list[TaggedSentence]:
    """`parse_conllu` or `parse_crfsuite`, by the first line that is neither blank nor a comment: ten columns are CoNLL-U."""
    first = next((line for line in content.split(b"\n") if line.strip() and not line.startswith(b"#")), b"")
    is_crfsuite = b"\t" in first and first.count(b"\t") != _NR_COLUMNS - 1
    return parse_crfsuite(content, name) if is_crfsuite else parse_conllu(content, tags, name)


def parse_conllu(content: bytes, tags: str = "upos", name: str = "the text given") -> list[TaggedSentence]:
    """Read the content of a file in the CoNLL-U format.

    Parameters
    ----------
    content : bytes
    tags : {"upos", "xpos"}
        Which tags to take.
    name : str
        How an error names the file.

    Returns
    -------
    list of TaggedSentence

    Raises
    ------
    InputError
        If the file is not UTF-8, a word has not ten columns, not the next number of its sentence, no form or no tag, or
        there is no sentence at all; the message names file and line.

    Examples
    --------
    >>> line = "{}\\t{}\\t_\\t{}\\t_\\t_\\t_\\t_\\t_\\t_\\n"
    >>> text = "# two words\\n" + line.format(1, "Dogs", "NOUN") + line.format(2, "bark", "VERB")
    >>> parse_conllu(text.encode())
    [TaggedSentence(words=('Dogs', 'bark'), tags=('NOUN', 'VERB'))]
    """
    column = _tag_column(tags)
    sentences: list[TaggedSentence] = []
    forms: list[str] = []
    labels: list[str] = []
    known: dict[str, str] = {}  # a word is kept once, however often it occurs
    for number, line in enumerate(_lines(content, name), start=1):
        if not line:
            if forms:
                sentences.append(TaggedSentence(tuple(forms), tuple(labels)))
                forms, labels = [], []
            continue
        if line[0] == "#":
            continue
        cells = line.split("\t")
        if len(cells) != _NR_COLUMNS:
            raise InputError(
                f"{name}, line {number}: got {len(cells)} column{'s' * (len(cells) != 1)}; expected {_NR_COLUMNS}, "
                "separated by tab characters, a comment that begins with #, or an empty line"
            )
        if cells[0] != str(len(forms) + 1):
            if _RANGE_OR_EMPTY.fullmatch(cells[0]):
                continue
            raise InputError(
                f"{name}, line {number}: the first column is {_quoted(cells[0])}; expected {len(forms) + 1}, the number "
                "of the word in its sentence, or a range such as 2-3, or an empty node such as 8.1"
            )
        form, tag = cells[1], cells[column]
        if not form:
            raise InputError(f"{name}, line {number}: the second column is empty; expected a word")
        if tag in ("", "_"):
            raise InputError(
                f"{name}, line {number}: column {column + 1} is {_quoted(tag)}; expected the {tags.upper()} tag of "
                f"{_quoted(form)} (not every treebank has both kinds of tags)"
            )
        forms.append(known.setdefault(form, form))
        labels.append(known.setdefault(tag, tag))
    if forms:
        sentences.append(TaggedSentence(tuple(forms), tuple(labels)))
    if not sentences:
        raise InputError(f"{name}: expected sentences, got a file without any words")
    return sentences


def read_conllu(path: str | os.PathLike[str], tags: str = "upos") -> list[TaggedSentence]:
    """Read a file in the CoNLL-U format, or in CRFsuite's (`parse_crfsuite`).

    Parameters
    ----------
    path : path
    tags : {"upos", "xpos"}
        Which tags to take; see `parse_conllu`.

    Returns
    -------
    list of TaggedSentence

    Raises
    ------
    InputError
        If it is malformed.
    InputError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> line = "{}\\t{}\\t_\\t{}\\t_\\t_\\t_\\t_\\t_\\t_\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "dev.conllu")
    ...     with open(file, "w", encoding="utf-8", newline="\\n") as stream:
    ...         _ = stream.write(line.format(1, "Dogs", "NOUN") + line.format(2, "bark", "VERB"))
    ...     read_conllu(file)
    [TaggedSentence(words=('Dogs', 'bark'), tags=('NOUN', 'VERB'))]
    """
    try:
        content = Path(path).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{path!r} cannot be read ({error}); check that this file exists") from error
    return parse_tagged(content, tags, str(path))


def _lines(content: bytes, name: str) -> list[str]:
    """The lines of a file. They end at line feeds only: words may hold what other rules take for a line end."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}, line {number}: expected text in UTF-8, got the byte 0x{content[error.start]:02X}; "
            "save the file as UTF-8"
        ) from None
    return [line.removesuffix("\r") for line in text.split("\n")]


def _tag_column(tags: str) -> int:
    if not isinstance(tags, str) or tags not in TAG_COLUMNS:
        raise InputError(f"tags must be one of {', '.join(map(repr, TAG_COLUMNS))}, but is {tags!r}")
    return TAG_COLUMNS[tags]


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")


# ------------------------------------------------------------------------------------------------------------- the data


class PosCorpus:
    """Tagged sentences, split for training and testing as their publishers did.

    Parameters
    ----------
    name : str
        ``UD_English-EWT`` (16,622 sentences from the web), or ``toy`` (52 of our own, always at hand).
    tags : {"upos", "xpos"}
        The universal tags, or the treebank's own: for English those of the Penn Treebank.
    data_dir : path, optional
        A folder that holds the corpus. Otherwise `lxmls_day1.engine.text.corpora.find_corpus` looks for it, and may download it.

    Attributes
    ----------
    name, tags : str
    train_X, dev_X, test_X : lists of tuples of str
        Sentences, each a tuple of words.
    train_y, dev_y, test_y : lists of tuples of str
        The tag of each word.
    X, y : list
        All of them, in this order.
    word_counts : dict of str to int
        The vocabulary: each word of the training part, and how often it occurs there.
    tag_names : tuple of str
        The tags of the training part in ascending order.
    nr_examples, nr_tokens, nr_features : int
        How many sentences and words there are, and how many different words in the training part.

    Raises
    ------
    InputError
        If the name or the kind of tags is unknown, or the files are not in `data_dir`.
    InputError
        If a file is malformed; the message names file, line and what was expected.
    CorpusUnavailable
        If the corpus is neither on this machine nor to be had from the network.

    Examples
    --------
    >>> corpus = PosCorpus("toy")
    >>> corpus.test_X[2]
    ('Anna', 'saw', 'the', 'light', '.')
    >>> corpus.test_y[2]
    ('PROPN', 'VERB', 'DET', 'NOUN', 'PUNCT')
    """

    def __init__(
        self, name: str = "UD_English-EWT", tags: str = "upos", data_dir: str | os.PathLike[str] | None = None
    ) -> None:
        _tag_column(tags)
        parts = _parts_of(
            text_data.find_corpus("toy sentences" if name == "toy" else name, data_dir, "pos").paths, tags
        )
        self._set_parts(name, tags, parts)

    @classmethod
    def from_files(
        cls,
        train: str | os.PathLike[str],
        test: str | os.PathLike[str] | None = None,
        dev: str | os.PathLike[str] | None = None,
        tags: str = "upos",
        name: str | None = None,
    ) -> "PosCorpus":
        """Any treebank in the CoNLL-U format, or sentences with features of your own in CRFsuite's (`parse_crfsuite`).

        Parameters
        ----------
        train, test, dev : path
            Its files; without ``dev`` the development part is empty, and without ``test`` a fifth of the sentences of ``train``, drawn by
            chance, are kept to test with.
        tags : {"upos", "xpos"}
        name : str, optional
            What to call it; the name of the training file otherwise.

        Returns
        -------
        PosCorpus
        """
        corpus = cls.__new__(cls)
        files: dict[str, Any] = {"train": train, "dev": dev, "test": test}
        parts = {
            part: [] if path is None and part != "train" else read_conllu(path, tags) for part, path in files.items()
        }
        if test is None:
            order = np.random.default_rng(1).permutation(len(parts["train"])).tolist()
            end, _, _ = split_ends(len(order), (0.8, 0.0, 0.2))
            parts["train"], parts["test"] = (
                [parts["train"][i] for i in sorted(rows)] for rows in (order[:end], order[end:])
            )
        corpus._set_parts(Path(train).name if name is None else name, tags, parts)
        return corpus

    def _set_parts(self, name: str, tags: str, parts: Mapping[str, Sequence[TaggedSentence]]) -> None:
        self.name, self.tags = name, tags
        (self.train_X, self.train_y), (self.dev_X, self.dev_y), (self.test_X, self.test_y) = (
            ([sentence.words for sentence in parts[part]], [sentence.tags for sentence in parts[part]])
            for part in ("train", "dev", "test")
        )
        self.X = self.train_X + self.dev_X + self.test_X
        self.y = self.train_y + self.dev_y + self.test_y
        words = (word for sentence in self.train_X for word in sentence)
        self.word_counts = dict(Counter(tuple(word.items()) if isinstance(word, dict) else word for word in words))
        self.tag_names = tuple(sorted({tag for sequence in self.train_y for tag in sequence}))
        self.nr_examples, self.nr_features = len(self.X), len(self.word_counts)
        self.nr_tokens = sum(map(len, self.X))

    def get_name(self) -> str:
        """What a table or a plot calls this data set."""
        return f"{'Toy sentences' if self.name == 'toy' else self.name.replace('_', ' ')}: {self.tags.upper()}"


def _parts_of(paths: Mapping[str, Path], tags: str) -> dict[str, list[TaggedSentence]]:
    """The files of a treebank by the part that their names tell, as in en_ewt-ud-train.conllu."""
    return {
        part: read_conllu(next(path for name, path in paths.items() if name.endswith(f"-{part}.conllu")), tags)
        for part in ("train", "dev", "test")
    }
