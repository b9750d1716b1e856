"""Product reviews as bags of words, positive or negative: the corpus of the guide's classification exercises.

A corpus is two files, ``positive.review`` and ``negative.review``, with a review a line (Blitzer et al. 2007, the form
``processed_acl``)::

    token:count token:count … #label#:positive

The reader turns them into a sparse matrix, X[m, j] = how often token j occurs in review m, in three steps that can be
used on their own: `parse_reviews` (text -> counts of all tokens), the cut (only tokens that occur often enough *in
the training part* become columns), and `vectorise` of ``vocabulary.py`` (token counts -> rows over given columns, for
reviews that come later).

Parsing is done twice, on purpose: `parse_review` reads one line in the plainest way and says what is wrong with it;
`parse_reviews` is fast, and leaves every line that it does not like to the former. The result is kept in the user's
cache.

References
----------
J. Blitzer, M. Dredze, F. Pereira (2007), *Biographies, Bollywood, Boom-boxes and Blenders: Domain Adaptation for
Sentiment Classification*, ACL 2007.
"""

import hashlib
import itertools
import json
import os
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.corpora import cache_folder, corpus_named, find_corpus, sha256_of_files
from lxmls_day1.errors import CorpusError, CorpusUnavailable, InputError
from lxmls_day1.whole_files import replace_files
from readers.splitting import split_ends, split_train_dev_test
from readers.vocabulary import checked_min_count, vectorise  # noqa: F401 - vectorise: for whoever has read reviews here

LABEL_NAMES = ("positive", "negative")
MAX_COUNT = 2**31 - 1
_LABEL_MARK = "#label#:"
_ENCODING = ("utf-8", "surrogatepass")  # of tokens in memory: a text may hold what no file in UTF-8 does
_FILES = tuple(f"{label}.review" for label in LABEL_NAMES)


# ----------------------------------------------------------------------------------------------------------- one line


def parse_review(line: str, where: str = "this line", label: str | None = None) -> tuple[dict[str, int], str]:
    """Read one line of a corpus file.

    Parameters
    ----------
    line : str
        ``token:count token:count … #label#:positive``, with or without its line end. The count stands behind the last
        colon; the counts of a repeated token add up.
    where : str
        How an error names the line, such as ``positive.review, line 3``.
    label : str, optional
        The label that the line must have.

    Returns
    -------
    counts : dict of str to int
        Token -> count, in the order of first occurrence.
    label : str
        ``positive`` or ``negative``.

    Raises
    ------
    CorpusError
        If the line is not of that form.

    Examples
    --------
    >>> parse_review("great:2 a:b:1 great:1 #label#:positive")
    ({'great': 3, 'a:b': 1}, 'positive')
    """
    line = line.removesuffix("\n").removesuffix("\r")
    if "\n" in line:
        raise CorpusError(f"{where}: a line feed stands amid the line; expected one review a line")
    *pairs, last = line.split(" ")
    if not pairs and not last:
        raise CorpusError(
            f"{where}: the line is blank; expected token:count pairs and a label such as #label#:positive"
        )
    if not last.startswith(_LABEL_MARK):
        raise CorpusError(
            f"{where}: the line ends with {_shown(last)}; expected a label such as #label#:positive at its end"
        )
    found = last.removeprefix(_LABEL_MARK)
    if found not in LABEL_NAMES:
        raise CorpusError(f"{where}: the label is {_shown(found)}; expected positive or negative")
    if label is not None and found != label:
        raise CorpusError(f"{where}: the label is {found}; expected {label}, as in the whole file")

    counts: dict[str, int] = {}
    for pair in pairs:
        token, _, digits = pair.rpartition(":")
        if pair.startswith(_LABEL_MARK):
            raise CorpusError(f"{where}: {_shown(pair)} stands amid the line; expected one label, at its end")
        if not token:
            raise CorpusError(
                f"{where}: got {_shown(pair)}; expected token:count, with single spaces between the pairs"
            )
        if not _is_count(digits):
            raise CorpusError(
                f"{where}: the count in {_shown(pair)} is {_shown(digits)}; expected a whole number from 1 on"
            )
        counts[token] = counts.get(token, 0) + int(digits)
        if counts[token] > MAX_COUNT:
            raise CorpusError(
                f"{where}: {_shown(token)} is counted {counts[token]} times; expected at most {MAX_COUNT}"
            )
    return counts, found


def _is_count(digits: str) -> bool:
    return digits.isdecimal() and digits.isascii() and len(digits) <= len(str(MAX_COUNT)) and int(digits) > 0


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")


# --------------------------------------------------------------------------------------------------------- many lines


@dataclass(frozen=True)
class ParsedReviews:
    """Token counts of reviews, nothing cut: the rows of a sparse matrix with a column for every token.

    Attributes
    ----------
    starts : int32 array of shape (M + 1,)
        The entries of review m are those from ``starts[m]`` to ``starts[m + 1]``.
    columns : int32 array
        Which token an entry counts; ascending within a review.
    counts : int32 array
        How often that token occurs, at least once.
    y : int8 array of shape (M,)
        0 for a positive review, 1 for a negative one.
    token_text : bytes
        The tokens in the order of their columns, in UTF-8, a line feed after each.
    token_ends : int32 array of shape (V,)
        Where those line feeds stand in `token_text`.
    """

    starts: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    y: np.ndarray
    token_text: bytes
    token_ends: np.ndarray

    def __len__(self) -> int:
        return len(self.y)

    @property
    def tokens(self) -> list[str]:
        """All tokens, by column: in the order in which the corpus first uses them."""
        return self.token_text.decode(*_ENCODING).split("\n")[:-1]

    @property
    def nr_tokens(self) -> int:
        """How many different tokens there are."""
        return len(self.token_ends)

    def pick_tokens(self, columns: np.ndarray) -> list[str]:
        """The tokens of these columns; the others, which are most, never become strings."""
        starts = np.concatenate(([0], self.token_ends[:-1] + 1))[columns]
        ends = self.token_ends[columns]
        return [self.token_text[i:j].decode(*_ENCODING) for i, j in zip(starts.tolist(), ends.tolist(), strict=True)]

    def as_dicts(self) -> list[tuple[dict[str, int], str]]:
        """What `parse_review` gives for each line; for a look at a few reviews, not for speed."""
        tokens = self.tokens
        return [
            (
                {tokens[j]: int(n) for j, n in zip(self.columns[start:end], self.counts[start:end], strict=True)},
                LABEL_NAMES[label],
            )
            for start, end, label in zip(self.starts[:-1], self.starts[1:], self.y, strict=True)
        ]

    def in_order(self, order: np.ndarray) -> "ParsedReviews":
        """The same reviews in another order: the m-th is the one that was at ``order[m]``."""
        lengths = np.diff(self.starts)[order]
        starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        entries = np.repeat(self.starts[:-1][order] - starts[:-1], lengths) + np.arange(starts[-1])
        return replace(self, starts=starts, columns=self.columns[entries], counts=self.counts[entries], y=self.y[order])


def parse_reviews(
    source: str | os.PathLike | Iterable[str], label: str | None = None, name: str | None = None
) -> ParsedReviews:
    """Read many lines of the corpus format.

    Parameters
    ----------
    source : path, or iterable of str
        A file in UTF-8, or lines.
    label : str, optional
        The label that all lines must have.
    name : str, optional
        How an error names the source; the path otherwise.

    Returns
    -------
    ParsedReviews

    Raises
    ------
    CorpusError
        If a line is malformed (see `parse_review`), a file is not UTF-8, or there is no line at all.

    Examples
    --------
    >>> reviews = parse_reviews(["a_fine:1 book:2 #label#:positive", "dull:1 book:1 #label#:negative"])
    >>> reviews.tokens, reviews.counts.tolist(), reviews.y.tolist()
    (['a_fine', 'book', 'dull'], [1, 2, 1, 1], [0, 1])
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        lines = _lines(path.read_bytes(), name or str(path))
        name = name or str(path)
    else:
        lines, name = list(source), name or "the lines given"
    return _parse([(name, lines, label)])


def parse_pair(positive: bytes, negative: bytes, names: Sequence[str] = _FILES) -> ParsedReviews:
    """Read the two files of a corpus, and put positive and negative reviews in turn.

    Parameters
    ----------
    positive, negative : bytes
        The contents of the two files.
    names : sequence of str
        How errors name them.

    Returns
    -------
    ParsedReviews
        Review 2i is the i-th positive one and review 2i + 1 the i-th negative one; what the longer file has more
        comes at the end.

    Raises
    ------
    CorpusError
        If one of the files is malformed.

    Examples
    --------
    >>> parse_pair(b"good:1 #label#:positive\\nfine:1 #label#:positive\\n", b"bad:1 #label#:negative\\n").y.tolist()
    [0, 1, 0]
    """
    reviews = _parse(
        [
            (name, _lines(content, name), label)
            for name, content, label in zip(names, (positive, negative), LABEL_NAMES, strict=True)
        ]
    )
    nr_positive = int(np.sum(reviews.y == 0))
    turn = np.concatenate((np.arange(nr_positive), np.arange(len(reviews) - nr_positive)))
    return reviews.in_order(np.lexsort((reviews.y, turn)))


def _lines(content: bytes, name: str) -> list[str]:
    """The lines of a file. They end at line feeds only: tokens may hold what other rules take for a line end."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line_number = content.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"{name}, line {line_number}: expected text in UTF-8, got the byte 0x{content[error.start]:02X}; "
            f"save the file as UTF-8"
        ) from None
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _parse(parts: Sequence[tuple[str, list[str], str | None]]) -> ParsedReviews:
    """Read (name, lines, label) after (name, lines, label), with one numbering of the tokens.

    Most pairs ``token:count`` of a corpus occur often, and most counts are 1. So pairs are numbered as they stand;
    only the distinct ones with another count are taken apart, to find which of them tell of the same token. What
    looks wrong is left to `parse_review`, which raises the error.
    """
    entry_numbers, first_entry = itertools.count(), {}  # pair -> number of the first entry that is this pair
    first_entries = array("i")  # the same for each entry, an entry being a pair of a line
    lengths, y = array("i"), array("b")  # for each line: how many pairs it has, and its label
    for name, lines, label in parts:
        if not lines:
            raise CorpusError(f"{name}: expected a review a line, got an empty file")
        endings = {f"{_LABEL_MARK}{known}": i for i, known in enumerate(LABEL_NAMES) if label in (None, known)}
        for line in lines:
            line = line.removesuffix("\n").removesuffix("\r")
            *pairs, last = line.split(" ")
            label_amid = line.count(_LABEL_MARK) > 1 and any(pair.startswith(_LABEL_MARK) for pair in pairs)
            if last not in endings or label_amid or "\n" in line:
                _explain(parts)
            first_entries.extend(map(first_entry.setdefault, pairs, entry_numbers))
            lengths.append(len(pairs))
            y.append(endings[last])

    firsts = np.array(first_entries, dtype=np.int32)
    pair_of_entry = (np.cumsum(firsts == np.arange(len(firsts)), dtype=np.int32) - 1)[firsts]  # pairs by first use
    pairs = list(first_entry)
    # One pair stands for a token: that with the count 1 if there is one, otherwise the first.
    others = [i for i, pair in enumerate(pairs) if pair[-2:] != ":1"]
    digits, chosen_entries = [], []
    for i in others:
        pair = pairs[i]
        token, _, count = pair.rpartition(":")
        pairs[i] = once = f"{token}:1"
        digits.append(count)
        chosen_entries.append(first_entry.setdefault(once, first_entry[pair]))
    if ":1" in first_entry or not all(map(_is_count, set(digits))):
        _explain(parts)
    del first_entry
    count_of_pair = np.ones(len(pairs), dtype=np.int64)
    count_of_pair[others] = [int(count) for count in digits]
    chosen_pair = np.arange(len(pairs), dtype=np.int32)
    chosen_pair[others] = pair_of_entry[np.array(chosen_entries, dtype=np.int32)]
    first_use = np.arange(len(pairs))
    np.minimum.at(first_use, chosen_pair[others], others)

    tokens = np.flatnonzero(chosen_pair == np.arange(len(pairs)))  # as pairs, by first use of any pair of theirs
    tokens = tokens[np.argsort(first_use[tokens], kind="stable")]
    column_of_pair = np.empty(len(pairs), dtype=np.int32)
    column_of_pair[tokens] = np.arange(len(tokens), dtype=np.int32)
    token_text = "\n".join([*map(pairs.__getitem__, tokens.tolist()), ""]).replace(":1\n", "\n").encode(*_ENCODING)
    del pairs

    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    columns = column_of_pair[chosen_pair][pair_of_entry]
    X = csr_array((count_of_pair[pair_of_entry], columns, starts), shape=(len(y), max(1, len(tokens))))
    X.sum_duplicates()
    if X.nnz and X.data.max() > MAX_COUNT:
        _explain(parts)
    return ParsedReviews(
        starts=X.indptr.astype(np.int32),
        columns=X.indices.astype(np.int32),
        counts=X.data.astype(np.int32),
        y=np.array(y, dtype=np.int8),
        token_text=token_text,
        token_ends=np.flatnonzero(np.frombuffer(token_text, dtype=np.uint8) == ord("\n")).astype(np.int32),
    )


def _explain(parts: Sequence[tuple[str, list[str], str | None]]) -> None:
    """Raise the error of the first malformed line, if there is one."""
    for name, lines, label in parts:
        for number, line in enumerate(lines, start=1):
            parse_review(line, f"{name}, line {number}", label)


# --------------------------------------------------------------------------------------------------- counts -> matrix


def cut_rare_tokens(
    reviews: ParsedReviews, min_count: int, nr_counted: int
) -> tuple[csr_array, np.ndarray, np.ndarray]:
    """Keep the tokens that occur at least `min_count` times in the first `nr_counted` reviews.

    Parameters
    ----------
    reviews : ParsedReviews
    min_count : int
        At least 1. What is compared with it is the sum of the counts, not the number of reviews.
    nr_counted : int
        How many reviews are looked at.

    Returns
    -------
    X : csr_array of shape (M, J)
        float64, with sorted int32 indices: all reviews over the tokens kept.
    kept : int array of shape (J,)
        Their columns in `reviews`, ascending.
    totals : int array of shape (J,)
        How often they occur in the reviews looked at.

    Examples
    --------
    >>> reviews = parse_reviews(["book:2 dull:1 #label#:negative", "book:1 dull:4 #label#:negative"])
    >>> X, kept, totals = cut_rare_tokens(reviews, min_count=2, nr_counted=1)
    >>> X.toarray().ravel(), kept, totals
    (array([2., 1.]), array([0]), array([2]))
    """
    end = reviews.starts[nr_counted]
    totals = np.bincount(reviews.columns[:end], weights=reviews.counts[:end], minlength=reviews.nr_tokens)
    kept = np.flatnonzero(totals >= min_count)
    new_columns = np.zeros(len(totals), dtype=np.int32)
    new_columns[kept] = np.arange(len(kept), dtype=np.int32)  # ascending, so sorted rows stay sorted
    stays = (totals >= min_count)[reviews.columns]
    columns = new_columns[reviews.columns[stays]]
    starts = np.concatenate(([0], np.cumsum(stays, dtype=np.int32)))[reviews.starts].astype(np.int32)
    X = csr_array((reviews.counts[stays].astype(np.float64), columns, starts), shape=(len(reviews), len(kept)))
    X.has_sorted_indices = X.has_canonical_format = True
    return X, kept, totals[kept].astype(np.int64)


# ------------------------------------------------------------------------------------------------------ cached copies

_CACHE_HEAD = b"lxmls-day1 parsed reviews 1\n"  # the number is the version of what follows
_ARRAYS = (("starts", "<i4"), ("columns", "<i4"), ("counts", "<i4"), ("token_ends", "<i4"), ("y", "<i1"))


def save_parsed(path: Path, reviews: ParsedReviews, sources: Sequence[str]) -> None:
    """Keep parsed reviews in a file: a head, a checksum, the sha256 of the sources and the bare arrays.

    Parameters
    ----------
    path : Path
    reviews : ParsedReviews
    sources : sequence of str
        The sha256 of each file that they were read from.

    Raises
    ------
    OSError
        If it cannot be written; then nothing is left behind.
    """
    arrays = [np.ascontiguousarray(getattr(reviews, name), dtype=dtype) for name, dtype in _ARRAYS]
    table = {"sources": list(sources), "lengths": [len(values) for values in arrays]}
    header = json.dumps(table).encode()
    header += b" " * (-len(header) % 64)
    body = b"".join(
        [len(header).to_bytes(8, "little"), header, *(values.tobytes() for values in arrays), reviews.token_text]
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_files({path: _CACHE_HEAD + zlib.crc32(body).to_bytes(4, "little") + body})


def load_parsed(path: Path, sources: Sequence[str]) -> ParsedReviews | None:
    """Read what `save_parsed` wrote.

    Parameters
    ----------
    path : Path
    sources : sequence of str
        The sha256 of the files as they are now.

    Returns
    -------
    ParsedReviews or None
        None for a file that is missing, damaged, of another version or of other sources.
    """
    try:
        content = memoryview(path.read_bytes())
    except OSError:
        return None
    head, body = content[: len(_CACHE_HEAD)], content[len(_CACHE_HEAD) + 4 :]
    checksum = content[len(_CACHE_HEAD) : len(_CACHE_HEAD) + 4]
    if head != _CACHE_HEAD or zlib.crc32(body).to_bytes(4, "little") != checksum:
        return None
    position = 8 + int.from_bytes(body[:8], "little")
    table = json.loads(bytes(body[8:position]))
    if table["sources"] != list(sources):
        return None
    arrays = {}
    for (name, dtype), length in zip(_ARRAYS, table["lengths"], strict=True):
        arrays[name] = np.frombuffer(body, dtype=dtype, count=length, offset=position)
        position += arrays[name].nbytes
    return ParsedReviews(**arrays, token_text=bytes(body[position:]))


# ----------------------------------------------------------------------------------------------------------- the data


class SentimentCorpus:
    """Reviews of one domain, split for training and testing.

    Parameters
    ----------
    domain : str
        ``books``, ``dvd``, ``electronics`` or ``kitchen`` (2000 reviews from Amazon each), or ``toy`` (400 made-up
        ones, always at hand).
    train_per, dev_per, test_per : float
        The shares of training, development and test part; they sum to 1 at most.
    min_count : int
        A token becomes a feature if it occurs at least so often. What is counted is occurrences, not reviews.
    rare_words_from : {"train", "all"}
        Where they are counted: in the training part, or in all reviews. The latter lets the test part have a say in
        what the features are; it reproduces older published figures.
    data_dir : path, optional
        A folder that holds the corpus. Otherwise `lxmls_day1.corpora.find_corpus` looks for it, and may download it.
    cache : bool
        Keep the parsed files in the user's cache, and use what is there.

    Attributes
    ----------
    domain : str
    X : csr_array of shape (M, J)
        float64 counts, with sorted int32 indices. Row 2i is the i-th positive review, row 2i + 1 the i-th negative one.
    y : int array of shape (M,)
        0 for positive, 1 for negative.
    label_names : tuple of str
        ``("positive", "negative")``.
    train_X, train_y, dev_X, dev_y, test_X, test_y
        The parts of `X` and `y`, in this order.
    feat_dict : dict of str to int
        Token -> column.
    feat_counts : dict of str to int
        Token -> how often it occurs in the reviews in which rare words were counted; for the tokens of `feat_dict`.
    feature_names : list of str
        Column -> token, in the order in which the corpus first uses them.
    nr_features, nr_examples, nr_instances : int
        J, M, and M once more under the name that the guide's toolkit uses.

    Raises
    ------
    InputError
        If the domain is unknown, the shares, `min_count` or `rare_words_from` unusable, no feature or no class is
        left, or the files are not in `data_dir`.
    CorpusError
        If a file is malformed; the message names file, line and what was expected.
    CorpusUnavailable
        If the corpus is neither on this machine nor to be had from the network.

    Examples
    --------
    >>> corpus = SentimentCorpus("toy")
    >>> corpus.train_X.shape[0], corpus.test_X.shape[0], corpus.train_y[:4]
    (320, 80, array([0, 1, 0, 1]))
    >>> corpus.feature_names[corpus.feat_dict["boring"]]
    'boring'

    References
    ----------
    J. Blitzer, M. Dredze, F. Pereira (2007), *Biographies, Bollywood, Boom-boxes and Blenders: Domain Adaptation for
    Sentiment Classification*, ACL 2007.
    """

    def __init__(
        self,
        domain: str = "books",
        train_per: float = 0.8,
        dev_per: float = 0.0,
        test_per: float = 0.2,
        min_count: int = 5,
        rare_words_from: str = "train",
        data_dir: str | os.PathLike | None = None,
        cache: bool = True,
    ):
        corpus_named(domain, kind="sentiment")
        min_count = checked_min_count(min_count)
        if rare_words_from not in ("train", "all"):
            raise InputError(f"rare_words_from must be 'train' or 'all', got {rare_words_from!r}")
        split = (train_per, dev_per, test_per)

        reviews = _read_corpus(domain, data_dir, cache)
        train_end, _, _ = split_ends(len(reviews), split)
        if len(set(reviews.y[:train_end].tolist())) < len(LABEL_NAMES):
            raise InputError(
                f"the training part of {domain} holds reviews of one class only, with train_per={train_per:g} of "
                f"{len(reviews)} reviews; give it a larger share"
            )
        X, kept, totals = cut_rare_tokens(reviews, min_count, train_end if rare_words_from == "train" else len(reviews))
        if not len(kept):
            raise InputError(f"no token of {domain} occurs min_count={min_count} times; lower it (5 is usual)")

        self.domain = domain
        self.X = X
        self.y = reviews.y.astype(np.int64)
        self.label_names = LABEL_NAMES
        self.feature_names = reviews.pick_tokens(kept)
        self.feat_dict = {token: column for column, token in enumerate(self.feature_names)}
        self.feat_counts = dict(zip(self.feature_names, totals.tolist(), strict=True))
        self.nr_examples, self.nr_features = X.shape
        self.nr_instances = self.nr_examples
        parts = split_train_dev_test(self.X, self.y, split)
        self.train_X, self.train_y, self.dev_X, self.dev_y, self.test_X, self.test_y = parts

    def get_name(self) -> str:
        """What a table or a plot calls this data set."""
        return "Toy reviews" if self.domain == "toy" else f"Amazon reviews: {self.domain}"


def _read_corpus(domain: str, data_dir: str | os.PathLike | None, cache: bool) -> ParsedReviews:
    """The parsed files of a domain, from the cache if the very same files were read before."""
    found = find_corpus(domain, data_dir)
    try:
        return _read_files(domain, [found.paths[name] for name in _FILES], cache)
    except OSError as error:
        raise InputError(
            f"the {domain} corpus cannot be read: {error}; see to it that its files are readable"
        ) from error


def _read_files(domain: str, paths: Sequence[Path], cache: bool) -> ParsedReviews:
    if cache:
        sources = sha256_of_files(paths)
        try:
            reviews = load_parsed(_cache_path(domain, sources), sources)
        except CorpusUnavailable:  # there is no folder to keep anything in
            cache, reviews = False, None
        if reviews is not None:
            return reviews
    contents = [path.read_bytes() for path in paths]
    reviews = parse_pair(*contents, names=[str(path) for path in paths])
    if cache:
        sources = [hashlib.sha256(content).hexdigest() for content in contents]  # of what was parsed, come what may
        try:
            save_parsed(_cache_path(domain, sources), reviews, sources)
        except OSError:  # a cache that cannot be written to costs time, no more
            pass
    return reviews


def _cache_path(domain: str, sources: Sequence[str]) -> Path:
    return cache_folder() / "parsed" / f"{domain}-{sources[0][:12]}-{sources[1][:12]}.reviews"
