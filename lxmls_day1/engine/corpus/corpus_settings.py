"""What decides how a corpus on disk comes out, besides the files that it is made of."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from lxmls_day1.base.checks import check_flag, check_number, listed
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.shards import MANIFEST, Shards, fingerprint
from lxmls_day1.engine.text.svmlight import label_order

MOST_HASH_BITS = 30


class CorpusSettings:
    """What decides how a corpus comes out, besides its sources; checked: the arguments of `corpus_making.make_corpus`."""

    def __init__(
        self,
        hash_bits: int | None,
        min_count: int,
        keep_words: bool,
        rows_a_shard: int,
        classes: Sequence[str] | None,
        like: str | os.PathLike[str] | None,
        layout: Mapping[str, Any],
    ):
        self.hash_bits, self.min_count = hash_bits, check_number("min_count", min_count, at_least=1, whole=True)
        self.keep_words = check_flag("keep_words", keep_words)
        self.rows_a_shard = check_number("rows_a_shard", rows_a_shard, at_least=1, whole=True)
        self.layout = dict(layout)
        self.like = None if like is None else Shards(like)
        self.classes = None if classes is None else _checked_classes(classes)
        if self.like is not None:
            for what, given in (("hash_bits", hash_bits), ("classes", classes), ("min_count", min_count - 1 or None)):
                if given is not None:
                    raise InputError(
                        f"like (--like) takes features and classes from {self.like.folder}: leave out {what}"
                    )
            self.hash_bits = self.like.manifest["hash_bits"]
            self.classes = list(self.like.classes)
        if self.hash_bits is not None:
            self.hash_bits = check_number("hash_bits", self.hash_bits, at_least=1, at_most=MOST_HASH_BITS, whole=True)
            if self.min_count > 1:
                raise InputError("min_count (--min-count) is for tokens; leave it out for hashed features")
        elif self.keep_words:
            raise InputError(
                "keep_words (--keep-words) is for hashed features (--hash); without hashing, all words are kept anyway"
            )

    def as_plain(self) -> dict[str, Any]:
        """The settings as the journal and the manifest have them."""
        return {
            "hash_bits": self.hash_bits,
            "min_count": self.min_count,
            "keep_words": self.keep_words,
            "rows_a_shard": self.rows_a_shard,
            "classes": self.classes,
            "like": None if self.like is None else fingerprint(self.like.folder / MANIFEST),
            **{name: value for name, value in sorted(self.layout.items()) if value is not None},
        }


def _checked_classes(classes: Sequence[str]) -> list[str]:
    if not isinstance(classes, (list, tuple)) or not all(isinstance(label, str) and label for label in classes):
        raise InputError(f"classes must be a list of labels, each a string, got {classes!r}")
    if len(set(classes)) < max(2, len(classes)):
        raise InputError(f"classes must hold at least two different labels, got {listed(list(classes))}")
    return sorted(classes, key=label_order(classes))
