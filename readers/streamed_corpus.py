"""A corpus on disk, of any size, made by `lxmls-day1 cache FILE… --out big.bags`; learners read it shard by shard.

The folder holds sparse matrices that are mapped into memory; `lxmls_day1.engine.corpus.shards` describes the format. Data are read
only when they are needed.
"""

import os
from functools import cached_property

from lxmls_day1.lab_api import InputError, corpora


class StreamedCorpus:
    """A corpus on disk for training, and optionally a second corpus for testing.

    Parameters
    ----------
    folder : path
        The output of `lxmls-day1 cache`: the training part.
    test : path, optional
        Another corpus on disk with the same features and classes: `lxmls-day1 cache test.csv --like big.bags --out test.bags`.

    Attributes
    ----------
    n_rows, n_features : int
        M and J of the training part.
    classes : tuple of str
        Column of the weights -> name of the class. The labels in the shards are these column numbers.
    shards, test_shards : corpora.Shards
        The two parts; ``shards.open(i)`` returns the rows of one shard. ``test_shards`` is None if there is no test part.
    words : list of str, or None
        Column -> token; with hashed features the stored words, or None. Read at the first access.

    Raises
    ------
    InputError
        If a folder does not hold such a corpus, the corpus is unfinished or stale, or the test part has other features or classes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lxmls_day1.engine.corpus.shard_writing import write_shards
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = pathlib.Path(place, "small.bags")
    ...     _ = write_shards(folder, [[1, 0], [0, 2], [3, 3]], [0, 1, 1], ["ham", "spam"], rows_a_shard=2, words=["a", "b"])
    ...     corpus = StreamedCorpus(folder)
    ...     corpus.get_name(), corpus.n_rows, corpus.n_features, corpus.classes, corpus.words, len(corpus.shards)
    ('small', 3, 2, ('ham', 'spam'), ['a', 'b'], 2)
    """

    def __init__(self, folder: str | os.PathLike[str], test: str | os.PathLike[str] | None = None) -> None:
        self.shards = corpora.Shards(folder)
        self.test_shards = None if test is None else corpora.Shards(test)
        self.n_rows, self.n_features = self.shards.n_rows, self.shards.n_features
        self.classes = self.shards.classes
        if self.test_shards is not None:
            _check_same_columns(self.shards, self.test_shards)

    @cached_property
    def words(self) -> list[str] | None:
        """Column -> token, or with hashed features the stored words, if any."""
        return self.shards.words()

    def get_name(self) -> str:
        """Return the name of this data set for tables and plots: the name of its folder without the suffix."""
        return self.shards.folder.resolve().stem


def _check_same_columns(train: corpora.Shards, test: corpora.Shards) -> None:
    """Refuse a test part in which a column has another meaning than in the training part."""
    same_words = (train.manifest["words"] or {}).get("fingerprint") == (test.manifest["words"] or {}).get("fingerprint")
    hashed = train.manifest["hash_bits"]
    for what, same in (
        ("features", train.n_features == test.n_features),
        ("hashes", hashed == test.manifest["hash_bits"]),
        ("classes", train.classes == test.classes),
        ("words", same_words or hashed is not None),
    ):
        if not same:
            raise InputError(
                f"the {what} of {test.folder} differ from those of {train.folder}; make it with `lxmls-day1 cache … --like {train.folder}`"
            )
