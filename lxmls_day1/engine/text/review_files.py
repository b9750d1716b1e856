"""The reviews of a domain, read from the files of its corpus or from the cache."""

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lxmls_day1.base.checks import check_flag
from lxmls_day1.base.errors import CorpusUnavailable, InputError
from lxmls_day1.engine.text import parsed_reviews
from lxmls_day1.engine.text.corpora import cache_folder, find_corpus, sha256_of_files

UNLABELLED_FILE = "unlabeled.review"


def read_reviews(
    domain: str, data_dir: str | os.PathLike[str] | None = None, cache: bool = True, labelled: bool = True
) -> Any:
    """Read all reviews of a domain with all their tokens, or load them from the cache if the same files were read before.

    Parameters
    ----------
    domain, data_dir, cache
        See `readers.sentiment_reader.SentimentCorpus`, which also lists the errors raised for invalid values.
    labelled : bool
        False reads ``unlabeled.review`` in the same folder instead. Its lines have the same form; their labels may be missing
        and must not be used.

    Returns
    -------
    ParsedReviews, or None if ``unlabeled.review`` does not exist

    Examples
    --------
    >>> len(read_reviews("toy", cache=False)), read_reviews("toy", labelled=False)
    (400, None)
    """
    check_flag("cache", cache)
    found = find_corpus(domain, data_dir, "sentiment")
    try:
        if not labelled:
            path = Path(found.folder) / UNLABELLED_FILE
            return parsed_reviews.parse_reviews(path, without_labels=True) if path.is_file() else None
        return _read_files(domain, [found.paths[name] for name in parsed_reviews.FILES], cache)
    except OSError as error:
        raise InputError(f"the {domain} corpus cannot be read: {error}; check that its files are readable") from error


def _read_files(domain: str, paths: Sequence[Path], cache: bool) -> parsed_reviews.ParsedReviews:
    if cache:
        sources = sha256_of_files(paths)
        try:
            reviews = parsed_reviews.load_parsed(_cache_path(domain, sources), sources)
        except CorpusUnavailable:  # The cache folder does not exist.
            cache, reviews = False, None
        if reviews is not None:
            return reviews
    positive, negative = (path.read_bytes() for path in paths)
    reviews = parsed_reviews.parse_pair(positive, negative, names=[str(path) for path in paths])
    if cache:
        # The files may have changed in the meantime.
        sources = [hashlib.sha256(content).hexdigest() for content in (positive, negative)]
        with contextlib.suppress(OSError):  # Without a cache, only the next reading is slower.
            parsed_reviews.save_parsed(_cache_path(domain, sources), reviews, sources)
    return reviews


def _cache_path(domain: str, sources: Sequence[str]) -> Path:
    return cache_folder() / "parsed" / f"{domain}-{sources[0][:12]}-{sources[1][:12]}.npz"
