"""Your own labelled text: a label and a text in columns (CSV, TSV) or JSON lines, or ready-made features (svmlight).

Columns, here separated by commas, with a header; a text that contains a comma, a quote or a line end is quoted::

    text,topic
    They won in extra time.,sport
    "Salt, pepper and ""a little"" oil.",cooking

JSON lines::

    {"text": "They won in extra time.", "topic": "sport"}

svmlight (libsvm) has a label and the non-zero features with their numbers; text after a ``#`` is a comment::

    +1 3:1 17:2.5   # a remark
    -1 qid:4 2:1

There are three steps: `lxmls_day1.engine.text.labelled_files` reads labelled examples and reports invalid lines; tokens are
counted into bags; `readers.vocabulary` makes the matrix.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lxmls_day1.lab_api import InputError, check_number, text_data
from readers.splitting import checked_shares, split_ends
from readers.vocabulary import BagCorpus, check_bag, checked_min_count, count_words

_MIN_TEXTS_TO_COMPILE = 10_000  # texts; for fewer, loading the compiled code takes longer than counting in Python


class TextCorpus(BagCorpus):
    """Labelled text from your own file, split for training and testing.

    Parameters
    ----------
    path : path
        The file.
    test_path : path, optional
        A second file in the same format, which becomes the test part; the first file is then split into training and development part.
    split : three floats, optional
        The shares of training, development and test part of the file. Default: (0.8, 0, 0.2), or (1, 0, 0) with a
        `test_path`, with which the test share must be 0.
    seed : int, optional
        Seed for shuffling the examples of the first file before the split, because files are often sorted by label. None keeps
        the order of the file.
    count : function (text) -> mapping of str to number
        Makes the bag of a text. Default: unigrams and bigrams as in the review corpora. `count_words` of
        `readers.vocabulary` splits a text at spaces only.
    min_count : int
        Minimum number of occurrences in the training part for a token to become a feature. For text only.
    progress : bool
        Whether to show a progress bar over the texts.
    form : {"columns", "jsonl", "svmlight"}, optional
        The format of the files. Default: by the file name suffix, ``.csv``, ``.tsv``, ``.jsonl``, ``.svmlight`` and similar, each also
        with ``.gz``; any other suffix means columns, or JSON lines if the first line is an object.
    delimiter : str, optional
        The character between columns. Default: detected among tab, comma, semicolon and vertical bar.
    header : bool, optional
        Whether the first record names the columns. Default: detected from its values.
    label_column, text_column : int or str, optional
        The number of a column, 0 for the first, or its name in the header or in the JSON objects. Default: detected
        from usual names such as "label" and "text", or, if there are two columns, from their values.
    quote : str, optional
        The character around fields that contain a delimiter or a line end. A TSV file without quoting needs ``quote=None``.
    encoding : str, optional
        The encoding of the files. Default: as indicated by a byte order mark, otherwise UTF-8.
    skip_lines : int
        The number of lines before the header, or before the examples, of each file.

    Attributes
    ----------
    texts : list of str
        The texts of the rows of `X`; empty for svmlight.
    read_as : str
        The detected or chosen encoding, format, header and columns of the files. Check it if any of them was detected.
    X, y, label_names, train_X, train_y, dev_X, dev_y, test_X, test_y
        As in `BagCorpus`. If all labels are numbers, they are sorted as numbers.
    feat_dict, feat_counts, feature_names, nr_features, nr_examples
        As in `BagCorpus`. The features of svmlight are named by their number in the file, in ascending order;
        features that are zero in the whole training part have no column.

    Raises
    ------
    InputError
        If the file cannot be read, an argument is invalid, a column does not exist or is ambiguous, the test file has a label that
        the first file does not have, or no feature is left.
    CorpusError
        If the file is malformed or not in the encoding; the message names file, line and what was expected.

    Notes
    -----
    A rare class may be missing from the training part; `evaluate` of a classifier then raises an error.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mine.csv")
    ...     _ = path.write_text("sport,They won.\\ncooking,Add salt.\\nsport,They lost.\\ncooking,Stir it.\\n")
    ...     corpus = TextCorpus(path, split=(0.5, 0, 0.5), seed=None)
    >>> corpus.get_name(), corpus.label_names, corpus.train_y, corpus.feature_names
    ('mine', ('cooking', 'sport'), array([1, 0]), ['they', 'won', 'they_won', 'add', 'salt', 'add_salt'])
    """

    @text_data.FileLayout.in_signature
    def __init__(
        self,
        path: str | os.PathLike[str],
        test_path: str | os.PathLike[str] | None = None,
        split: Sequence[float] | None = None,
        seed: int | None = 1,
        *,
        count: Callable[[str], Mapping[str, float]] | None = None,
        min_count: int = 1,
        progress: bool = False,
        **layout: Any,
    ) -> None:
        if not (count is None or callable(count)):
            raise InputError(f"count must be a function from a text to a mapping of tokens to numbers, got {count!r}")
        min_count = checked_min_count(min_count)
        split = _checked_split(split, test_path)
        stands = vars(text_data.FileLayout.of(TextCorpus, layout))
        files = text_data.read_labelled(path, *([] if test_path is None else [test_path]), **stands)
        is_svmlight = files[0].form == "svmlight"
        if is_svmlight and min_count > 1:
            raise InputError(f"min_count is for text, but svmlight features are ready-made; got {min_count}")

        labels, texts, bags = files[0].labels, files[0].texts, files[0].bags
        if seed is not None:
            seed = check_number("seed", seed, at_least=0, whole=True)
            order = np.random.default_rng(seed).permutation(len(labels))
            labels, texts = ([examples[m] for m in order.tolist()] if examples else [] for examples in (labels, texts))
            bags = bags[order] if is_svmlight else []
        train_end, dev_end, test_end = split_ends(len(labels), split)
        labels, texts, bags = labels[:test_end], texts[:test_end], bags[:test_end]
        for file in files[1:]:
            labels, texts, bags = labels + file.labels, texts + file.texts, bags + file.bags
        self.path = Path(path)
        self.texts = texts
        self.read_as = " | ".join(file.described for file in files)
        self._name = files[0].name
        ends = (train_end, dev_end, min_count, files[0].label_order(labels))
        if is_svmlight:
            self.X, self.feature_names, totals = bags.matrix(train_end)
            self._totals = totals.tolist()
            self._set_parts(labels, *ends)
        elif count is None or (len(texts) >= _MIN_TEXTS_TO_COMPILE and count is count_words):
            found = text_data.count_texts(texts, train_end, min_count, progress, count)
            self.X, self.feature_names, self._totals = found.X, found.tokens, found.totals.tolist()
            self._set_parts(labels, *ends)
        else:
            from tqdm.auto import tqdm  # progress bar

            shown = tqdm(texts, desc="counting words", unit="text", leave=False, disable=not progress)
            checked = dict if count is count_words else check_bag  # checking takes as long as counting
            self._set_examples([checked(count(text)) for text in shown], labels, *ends)

    def get_name(self) -> str:
        """Return the name of this data set for tables and plots: the name of its file without the suffix."""
        return self._name


def _checked_split(split: Sequence[float] | None, test_path: str | os.PathLike[str] | None) -> Sequence[float]:
    if split is None:
        return (0.8, 0.0, 0.2) if test_path is None else (1.0, 0.0, 0.0)
    shares = checked_shares(split)
    if test_path is not None and shares[2] != 0:
        raise InputError(f"the test part comes from test_path, so the test share of split must be 0, got split={split}")
    return shares
