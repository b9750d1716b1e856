"""The settings that, together with the source files, determine a corpus on disk."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxmls_day1.base.checks import check_flag, check_number, format_labels
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.shard_writing import ROWS_PER_SHARD
from lxmls_day1.engine.corpus.shards import MANIFEST, Shards, fingerprint
from lxmls_day1.engine.text.svmlight import label_order

MAX_HASH_BITS = 30


@dataclass(kw_only=True)
class CorpusSettings:
    """The validated settings of a corpus on disk: the options of `corpus_builder.make_corpus`, without the source files.

    `model` is the corpus that ``like`` names, from which features and classes are copied; None without ``like``.
    """

    hash_bits: int | None = None
    min_count: int = 1
    keep_words: bool = False
    classes: Sequence[str] | None = None
    like: str | os.PathLike[str] | None = None
    rows_a_shard: int = ROWS_PER_SHARD

    def __post_init__(self) -> None:
        """Check the settings, and copy features and classes from the corpus ``like``."""
        self.min_count = check_number("min_count", self.min_count, at_least=1, whole=True)
        check_flag("keep_words", self.keep_words)
        self.rows_a_shard = check_number("rows_a_shard", self.rows_a_shard, at_least=1, whole=True)
        self.model = None if self.like is None else Shards(self.like)
        hash_bits, classes = self.hash_bits, self.classes
        if self.classes is not None:
            self.classes = _checked_classes(self.classes)
        if self.model is not None:
            given = {"hash_bits": hash_bits, "classes": classes, "min_count": self.min_count - 1 or None}
            for name, value in given.items():
                if value is not None:
                    raise InputError(
                        f"like (--like) takes features and classes from {self.model.folder}: leave out {name}"
                    )
            self.hash_bits = self.model.manifest["hash_bits"]
            self.classes = list(self.model.classes)
        if self.hash_bits is not None:
            self.hash_bits = check_number("hash_bits", self.hash_bits, at_least=1, at_most=MAX_HASH_BITS, whole=True)
            if self.min_count > 1:
                raise InputError("min_count (--min-count) is for tokens; leave it out for hashed features")
        elif self.keep_words:
            raise InputError(
                "keep_words (--keep-words) is for hashed features (--hash); without hashing, all words are kept anyway"
            )

    def as_plain(self, layout: Mapping[str, Any]) -> dict[str, Any]:
        """Return these settings and those of the file layout as they are stored in the manifest."""
        own = ("hash_bits", "min_count", "keep_words", "rows_a_shard", "classes")
        return {
            **{name: getattr(self, name) for name in own},
            "like": None if self.model is None else fingerprint(self.model.folder / MANIFEST),
            **{name: value for name, value in sorted(layout.items()) if value is not None},
        }


def _checked_classes(classes: Sequence[str]) -> list[str]:
    if not isinstance(classes, (list, tuple)) or not all(isinstance(label, str) and label for label in classes):
        raise InputError(f"classes must be a list of labels, each a string, got {classes!r}")
    if len(set(classes)) < max(2, len(classes)):
        raise InputError(f"classes must hold at least two different labels, got {format_labels(list(classes))}")
    return sorted(classes, key=label_order(classes))
