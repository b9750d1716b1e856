"""The reviews of a domain, from the files of its corpus or from the cache."""

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from lxmls_day1.engine.text.corpora import cache_folder, corpus_named, find_corpus, sha256_of_files
from lxmls_day1.engine.text.parsed_reviews import (
    FILES,
    LABEL_NAMES,
    ParsedReviews,
    load_parsed,
    parse_pair,
    parse_reviews,
    save_parsed,
)
from lxmls_day1.errors import CorpusUnavailable, InputError

__all__ = ["LABEL_NAMES", "ParsedReviews", "read_reviews", "read_unlabelled"]

UNLABELLED_FILE = "unlabeled.review"


def read_reviews(domain: str, data_dir: str | os.PathLike[str] | None, cache: bool) -> ParsedReviews:
    """All reviews of a domain with all their tokens, from the cache if the very same files were read before.

    Parameters
    ----------
    domain, data_dir, cache
        As in `readers.sentiment_reader.SentimentCorpus`, with whose errors it ends where they are unusable.

    Returns
    -------
    ParsedReviews

    Examples
    --------
    >>> len(read_reviews("toy", None, cache=False))
    400
    """
    corpus_named(domain, kind="sentiment")
    found = find_corpus(domain, data_dir)
    try:
        return _read_files(domain, [found.paths[name] for name in FILES], cache)
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
    positive, negative = (path.read_bytes() for path in paths)
    reviews = parse_pair(positive, negative, names=[str(path) for path in paths])
    if cache:
        sources = [
            hashlib.sha256(content).hexdigest() for content in (positive, negative)
        ]  # the files may have changed since
        with contextlib.suppress(OSError):  # without a cache, reading takes longer and nothing else
            save_parsed(_cache_path(domain, sources), reviews, sources)
    return reviews


def _cache_path(domain: str, sources: Sequence[str]) -> Path:
    return cache_folder() / "parsed" / f"{domain}-{sources[0][:12]}-{sources[1][:12]}.npz"


def read_unlabelled(domain: str, data_dir: str | os.PathLike[str] | None = None) -> ParsedReviews | None:
    """The reviews of ``unlabeled.review`` beside the files of a domain; None where there is no such file.

    The lines have the form of the labelled ones. Nobody may use their labels, and they may be missing.

    Parameters
    ----------
    domain : str
    data_dir : path, optional
        As in `readers.domain_pair.DomainPair`.

    Returns
    -------
    ParsedReviews or None

    Examples
    --------
    >>> read_unlabelled("toy") is None
    True
    """
    path = Path(find_corpus(domain, data_dir).folder) / UNLABELLED_FILE
    return parse_reviews(path, without_labels=True) if path.is_file() else None
