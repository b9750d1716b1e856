"""Any labelled text of your own: a label and a text in columns (CSV, TSV) or JSON lines, or ready-made features (svmlight).

Columns, here parted by a comma under a header; quotes go around a text that holds the comma, a quote or a line end::

    text,topic
    They won in extra time.,sport
    "Salt, pepper and ""a little"" oil.",cooking

JSON lines::

    {"text": "They won in extra time.", "topic": "sport"}

svmlight (libsvm) has a label and the features that are not zero, by number; what follows a ``#`` is a remark::

    +1 3:1 17:2.5   # a remark
    -1 qid:4 2:1

There are three steps: `lxmls_day1.engine.text.labelled_files` reads labelled examples and says what is wrong with a line; texts are
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

_MANY = 10_000  # texts: to load what is compiled takes longer than to count fewer


class TextCorpus(BagCorpus):
    """Labelled text from a file of your own, split for training and testing.

    Parameters
    ----------
    path : path
        The file.
    test_path : path, optional
        A second file, of the same form, which is the test part; the first then gives training and development part.
    split : three floats, optional
        The shares of training, development and test part of the file: (0.8, 0, 0.2) if not given, or (1, 0, 0) with a
        `test_path`, where the test share has to be 0.
    seed : int, optional
        Shuffles the examples of the first file before they are split: files are often sorted by label. None leaves them
        in their order.
    count : function (text) -> mapping of str to number
        Makes the bag of a text: unigrams and bigrams as in the review corpora if not given. `count_words` of
        `readers.vocabulary` takes words as they stand between spaces.
    min_count : int
        A token becomes a feature if it occurs at least so often in the training part. For text only.
    progress : bool
        Whether to show a progress bar over the texts.
    form : {"columns", "jsonl", "svmlight"}, optional
        What is in the files. By the ending of the name if not given: ``.csv``, ``.tsv``, ``.jsonl``, ``.svmlight`` and the
        like, each also with ``.gz``; another ending means columns, or JSON lines if the first line is an object.
    delimiter : str, optional
        The character between columns. Found out if not given, from tab, comma, semicolon and bar.
    header : bool, optional
        Whether the first record names the columns. Judged by what stands in it if not given.
    label_column, text_column : int or str, optional
        The number of a column, 0 for the first, or its name in the header or in the objects of JSON. Found out if not
        given, from usual names such as "label" and "text", or, of two columns, from what they hold.
    quote : str, optional
        The character around fields that hold a delimiter or a line end. A TSV file without quoting wants ``quote=None``.
    encoding : str, optional
        Of the files; UTF-8 if not given, or what a byte order mark says.
    skip_lines : int
        The number of lines before the header, or before the examples, of each file.

    Attributes
    ----------
    texts : list of str
        The texts of the rows of `X`; empty for svmlight.
    read_as : str
        What the files were taken for: encoding, format, header, columns. Look at it where something was left to be found.
    X, y, label_names, train_X, train_y, dev_X, dev_y, test_X, test_y
        As in `BagCorpus`. Labels that are all numbers are sorted as numbers.
    feat_dict, feat_counts, feature_names, nr_features, nr_examples
        As in `BagCorpus`. The features of svmlight go by the number that they have in the file, in ascending order;
        those that are zero throughout the training part have no column.

    Raises
    ------
    InputError
        If the file cannot be read, an argument makes no sense, there is no such column, it is not plain which of several
        is meant, the test file has a label that the first file has not, or no feature is left.
    CorpusError
        If the file is malformed or not in the encoding; the message names file, line and what was expected.

    Notes
    -----
    A class that is rare may miss from the training part; `evaluate` of a classifier then says so.

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
        elif count is None or (len(texts) >= _MANY and count is count_words):
            found = text_data.count_texts(texts, train_end, min_count, progress, count)
            self.X, self.feature_names, self._totals = found.X, found.tokens, found.totals.tolist()
            self._set_parts(labels, *ends)
        else:
            from tqdm.auto import tqdm  # for whoever waits

            shown = tqdm(texts, desc="counting words", unit="text", leave=False, disable=not progress)
            checked = dict if count is count_words else check_bag  # its bags are right, and to check them takes as long
            self._set_examples([checked(count(text)) for text in shown], labels, *ends)

    def get_name(self) -> str:
        """What a table or a plot calls this data set: the name of its file, without its ending."""
        return self._name


def _checked_split(split: Sequence[float] | None, test_path: str | os.PathLike[str] | None) -> Sequence[float]:
    if split is None:
        return (0.8, 0.0, 0.2) if test_path is None else (1.0, 0.0, 0.0)
    shares = checked_shares(split)
    if test_path is not None and shares[2] != 0:
        raise InputError(f"the test part comes from test_path, so the test share of split must be 0, got split={split}")
    return shares
