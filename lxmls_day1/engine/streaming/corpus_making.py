"""Making a corpus on disk from files of labelled examples, in one pass over them, in bounded memory.

Documents are read in pieces (`labelled_files`) and become rows (`vectorize_chunks`). As soon as there are enough of them they are
written as a *draft* (`drafts`): a folder of the same arrays as a shard, whole or not at all, and a line in the journal that says how far
the files were read. When all is read, classes are put into their order and each draft becomes a shard (`shards`). With hashed features
nothing but the labels is written anew then. Without, this is a second pass, over the drafts: it is known now how many documents have a
token, and a token of too few of them loses its column.

An interrupted run leaves drafts and the journal, and no manifest. The next one reads the files again up to the place that the last
draft has reached, without counting anything, and goes on there.
"""

import contextlib
import errno
import hashlib
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1 import __version__
from lxmls_day1.checks import MOST_CLASSES, check_flag, check_number, listed
from lxmls_day1.engine.streaming.corpus_settings import CorpusSettings, label_order
from lxmls_day1.engine.streaming.shard_writing import (
    LARGEST_VALUE,
    NONZEROS_A_SHARD,
    ROWS_A_SHARD,
    write_manifest,
    write_words,
)
from lxmls_day1.engine.streaming.shards import FORMAT, VERSION, Shards
from lxmls_day1.engine.streaming.staging import Drafts
from lxmls_day1.engine.streaming.vectorize_chunks import parted, rows_of_pieces
from lxmls_day1.engine.text.labelled_files import LabelledStream, Piece, expanded
from lxmls_day1.engine.text.token_batches import TokenTable, tokens_of
from lxmls_day1.errors import InputError, check_path, counted
from lxmls_day1.whole_files import LOCK, held

#: How many of the words seen are kept with hashed features: those that come first.
MOST_WORDS_KEPT = 1 << 22


def make_corpus(
    paths: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    hash_bits: int | None = None,
    min_count: int = 1,
    keep_words: bool = False,
    classes: Sequence[str] | None = None,
    like: str | os.PathLike[str] | None = None,
    rows_a_shard: int = ROWS_A_SHARD,
    jobs: int = 1,
    resume: bool = False,
    overwrite: bool = False,
    progress: bool = False,
    **layout: Any,
) -> Shards:
    """Make a corpus on disk.

    Parameters
    ----------
    paths : sequence of path
        Files, patterns, ``-`` for standard input: see `labelled_files.expanded`.
    out : path
        The folder of the corpus, which is new or empty.
    hash_bits : int, optional
        b from 1 to 30: features are hashed into 2^b buckets, as scikit-learn's `FeatureHasher` does. Not given, each token has a column.
    min_count : int
        A token has a column if it is in at least so many documents. Not with `hash_bits`.
    keep_words : bool
        With `hash_bits`: keep the words seen, the first 4 million of them.
    classes : sequence of str, optional
        All labels there may be. Not given, they are those that come, in the order of `TextCorpus`.
    like : path, optional
        A corpus on disk, from which features and classes are taken: that of the training part, for a test part.
    rows_a_shard : int
        A shard has as many documents, or fewer, so that their rows have about four million entries.
    jobs : int
        How many threads count tokens. The result does not depend on it.
    resume : bool
        Go on with what an interrupted run with the same arguments has left.
    overwrite : bool
        Remove a corpus, or what is left of one, that is in the folder.
    progress : bool
        Whether to show a progress bar.
    **layout
        ``form``, ``delimiter``, ``header``, ``label_column``, ``text_column``, ``quote``, ``encoding`` of `LabelledStream`.

    Returns
    -------
    Shards

    Raises
    ------
    InputError
        If a file cannot be read or is malformed, an argument makes no sense, the disk is full, or the folder is in use.

    Notes
    -----
    Memory holds a few pieces of one megabyte of text for each thread, the longest document, and, without `hash_bits`, every token.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mails = Path(folder, "mails.csv")
    ...     _ = mails.write_text("label,text\\nspam,Win a prize!\\nham,See you at noon.\\n")
    ...     shards = make_corpus([mails], Path(folder, "mails.bags"))
    ...     shards.words(), shards.classes, shards.open(0).X.toarray().tolist(), shards.open(0).labels.tolist()
    (['win', 'prize', 'win_a', 'a_prize', 'see', 'you', 'noon', 'see_you', 'you_at', 'at_noon'], ('ham', 'spam'), ...
    """
    settings = CorpusSettings(hash_bits, min_count, keep_words, rows_a_shard, classes, like, layout)
    jobs = check_number("jobs", jobs, at_least=1, whole=True)
    check_flag("resume", resume)
    check_flag("overwrite", overwrite)
    folder = check_path("out", out)
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a folder for the corpus with --out")
    is_new = not folder.exists()
    with _Progress(progress) as bar:
        stream = LabelledStream(expanded(paths), **layout, classes=settings.classes, report=bar.bytes_read)
        bar.set_total(stream.sizes)
        making = _Making(folder, settings, stream)
        with held(folder, "making a corpus in"):
            try:
                if making.begin(resume, overwrite):
                    with making.given_up_if_nothing_is_kept():
                        if making.drafts.reading is None:
                            making.read(jobs, bar)
                        making.finish()
            except OSError as error:
                raise making.explained(error) from error
            finally:
                with contextlib.suppress(OSError):  # Windows removes no file that is open
                    (folder / LOCK).unlink()
                if is_new:
                    with contextlib.suppress(OSError):  # it has a corpus, or a part of one
                        folder.rmdir()
    return Shards(folder)


class _Making:
    """A folder in which a corpus is being made."""

    def __init__(self, folder: Path, settings: CorpusSettings, stream: LabelledStream):
        self._folder, self._settings, self._stream = folder, settings, stream
        self.drafts = Drafts(folder)
        self._codes: dict[str, int] = {label: code for code, label in enumerate(settings.classes or ())}
        self._table = self._new_table()
        self._note_told()
        self._rows: list[csr_array] = []  # not written yet
        self._row_codes: list[int] = []
        self._row_documents: list[tuple[str, Any]] = []

    def _new_table(self) -> TokenTable | None:
        settings = self._settings
        if settings.hash_bits is not None:
            return TokenTable(most=MOST_WORDS_KEPT) if settings.keep_words else None
        if settings.like is not None:
            words = settings.like.words() or []
            return TokenTable(words, most=len(words))
        return TokenTable()

    def begin(self, resume: bool, overwrite: bool) -> bool:
        """Make the folder ready, or go on with what is in it; whether anything is left to do."""
        header = {
            "format": FORMAT,
            "version": VERSION,
            "made_by": __version__,
            "settings": self._settings.as_plain(),
            "sources": self._stream.as_found(),
        }
        if not self.drafts.begin(header, resume, overwrite):
            return False
        for number, draft in enumerate(self.drafts.written):
            for label in draft["labels"]:
                self._codes[label] = len(self._codes)
            if self._table is not None and (words := self.drafts.words(number)):
                self._table.numbers(tokens_of(words))
        self._note_told()
        return True

    def read(self, jobs: int, bar: "_Progress") -> None:
        """Read the sources and write the drafts."""
        n_documents = self.drafts.n_rows
        late: dict[int, list[str]] = {}
        for piece, (X, rows) in rows_of_pieces(
            self._new_pieces(), self._settings.hash_bits, self._table is not None, jobs
        ):
            self._take_labels(piece, late)
            if rows is not None and self._table is not None:
                numbers = self._table.numbers(rows.tokens)
                X = X if X is not None else rows.over(numbers, len(self._table))
            assert X is not None
            if piece.bags:
                self._check_values(piece, X)
            self._rows.append(X)
            self._row_documents += zip(piece.labels, piece.texts or piece.bags, strict=True)
            n_documents += len(piece.labels)
            self._write_full_drafts()
            bar.documents_read(n_documents)
        if self._row_codes:
            self._write_draft(len(self._row_codes))
        self._end_of_reading()
        for warning in self._stream.warnings:
            warnings.warn(warning, stacklevel=3)
        for number, labels in late.items():
            warnings.warn(
                f"{self._stream.names[number]}: {listed(sorted(labels)[:10])} "
                f"{'is a label that' if len(labels) == 1 else 'are labels that'} no file before it has; "
                "give --classes to refuse others than those that you expect",
                stacklevel=3,
            )

    def finish(self) -> None:
        """Turn the drafts into shards, and write the manifest."""
        shards, reading = self.drafts.into_shards(self._settings.hash_bits is not None), self.drafts.reading
        assert reading is not None
        write_manifest(
            self._folder,
            shards=shards,
            classes=reading["classes"],
            n_features=reading["n_features"],
            dtype=reading["dtype"],
            sources=reading["sources"],
            words=reading["words"],
            hash_bits=self._settings.hash_bits,
            seed=0,
            tokenizer=reading["tokenizer"],
            settings=self._settings.as_plain(),
            read_as=reading["read_as"],
        )
        self.drafts.tidy_up()

    @contextlib.contextmanager
    def given_up_if_nothing_is_kept(self) -> Iterator[None]:
        """Leave no trace of a making that ends before its first draft: there is nothing to go on with."""
        try:
            yield
        except BaseException:
            if not self.drafts.written:
                self.drafts.clear()
            raise

    def explained(self, error: OSError) -> OSError | InputError:
        """What to say of a full disk."""
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return error
        said = f"{error.filename or self._folder}: no space left on device; "
        if not self.drafts.written:
            return InputError(f"{said}nothing is kept: make room, then give the same command again")
        return InputError(
            f"{said}{counted(self.drafts.n_rows, 'document')} are kept in {self._folder}: make room, then give the same "
            "command with --resume"
        )

    def _new_pieces(self) -> Iterator[Piece]:
        """The pieces that are not in drafts yet."""
        left = self.drafts.n_rows
        for piece in self._stream:
            n = len(piece.labels)
            if 0 < left <= n:
                self._check_last(piece, left - 1)
            if left < n:
                yield _rest_of(piece, left)
            left = max(0, left - n)
        if left:
            raise self._other_sources()

    def _check_last(self, piece: Piece, place: int) -> None:
        documents = piece.texts or piece.bags
        if _mark((piece.labels[place], documents[place])) != self.drafts.written[-1]["last"]:
            raise self._other_sources()

    def _other_sources(self) -> InputError:
        return InputError(
            f"{self._folder} cannot be gone on with: {', '.join(self._stream.names)} is not what the interrupted run has read; "
            "give the same, or begin anew with --overwrite"
        )

    def _check_values(self, piece: Piece, X: csr_array) -> None:
        beyond = np.flatnonzero(~np.isfinite(X.data))
        if not len(beyond):
            return
        row = int(np.searchsorted(X.indptr, beyond[0], side="right")) - 1
        values = "a sum of hashed values" if self._settings.hash_bits is not None else "a value"
        raise InputError(
            f"{self._stream.names[piece.source]}, line {piece.lines[row]}: {values} is beyond ±{LARGEST_VALUE:.2g}, the "
            "largest that a corpus on disk keeps (float32); scale this feature down"
        )

    def _take_labels(self, piece: Piece, late: dict[int, list[str]]) -> None:
        codes = self._codes
        for label in dict.fromkeys(piece.labels):
            if label not in codes:
                codes[label] = len(codes)
                if piece.source > 0:
                    late.setdefault(piece.source, []).append(label)
        if len(codes) > MOST_CLASSES:
            raise InputError(
                f"{self._stream.names[piece.source]}: there are more than {MOST_CLASSES} labels up to line {piece.lines[-1]}; "
                "if they are not the labels, --label-column says what is"
            )
        self._row_codes += map(codes.__getitem__, piece.labels)

    def _write_full_drafts(self) -> None:
        while self._row_codes:
            n_rows = len(self._row_codes)
            if n_rows >= self._settings.rows_a_shard:
                self._write_draft(self._settings.rows_a_shard)
            elif sum(X.nnz for X in self._rows) >= NONZEROS_A_SHARD:
                self._write_draft(n_rows)
            else:
                return

    def _write_draft(self, n_rows: int) -> None:
        """Write the first so many of the rows that are waiting."""
        X, rest = parted(self._rows, n_rows)
        self.drafts.add(
            X,
            np.array(self._row_codes[:n_rows], dtype=np.int32),
            labels=list(self._codes)[self._n_codes_told :],
            words=[] if self._table is None else self._table.names(self._n_words_told),
            last=_mark(self._row_documents[n_rows - 1]),
        )
        self._note_told()
        self._rows = [rest] if rest.shape[0] else []
        del self._row_codes[:n_rows]
        del self._row_documents[:n_rows]

    def _note_told(self) -> None:
        """Note that all labels and tokens up to now are in the journal and the drafts."""
        self._n_codes_told = len(self._codes)
        self._n_words_told = 0 if self._table is None else len(self._table)

    def _end_of_reading(self) -> None:
        """Settle classes and columns, and say so in the journal."""
        settings, stream = self._settings, self._stream
        classes = list(self._codes)
        if settings.like is None:
            classes.sort(key=label_order(classes))
        place_of = {label: place for place, label in enumerate(classes)}
        n_features, words, dtype = 1 << (settings.hash_bits or 0), None, "float32"
        has_columns = False
        if settings.hash_bits is not None:
            if self._table is not None:
                words = write_words(self._folder, self._table.names())
        else:
            assert self._table is not None
            names = self._table.names()
            if settings.like is None:
                kept = self._columns_kept(names)
                column_of = np.full(len(names), -1, dtype=np.int32)
                column_of[kept] = np.arange(len(kept), dtype=np.int32)
                self.drafts.write_columns(column_of)
                has_columns, names = True, [names[place] for place in kept.tolist()]
            words, n_features = write_words(self._folder, names), len(names)
            dtype = "uint8" if all(draft["counts"] for draft in self.drafts.written) else "float32"
        entry = {
            "sources": stream.sources(),
            "classes": classes,
            "column_of_code": [place_of[label] for label in self._codes],
            "n_features": n_features,
            "words": words,
            "dtype": dtype,
            "has_columns": has_columns,
            "tokenizer": {"rules": "features"} if self._is_svmlight() else {"rules": "reviews", "bigrams": True},
            "read_as": list(stream.described.values()),
        }
        self.drafts.end_reading(entry)

    def _is_svmlight(self) -> bool:
        return "svmlight" in self._stream.forms.values()

    def _columns_kept(self, names: Sequence[str]) -> np.ndarray:
        """The numbers of the tokens that have columns, in the order of the columns."""
        kept = np.flatnonzero(self.drafts.document_frequencies(len(names)) >= self._settings.min_count)
        if not len(kept):
            raise InputError(f"no token is in min_count={self._settings.min_count} documents; lower it, or add texts")
        if self._is_svmlight():
            kept = np.array(sorted(kept.tolist(), key=lambda place: int(names[place])))
        return kept


class _Progress:
    """A bar of the bytes read, with the documents, or nothing."""

    def __init__(self, shown: bool):
        self._bar: Any = None
        if shown:
            from tqdm.auto import tqdm

            self._bar = tqdm(desc="reading", unit="B", unit_scale=True, leave=False)

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def set_total(self, sizes: Sequence[int | None]) -> None:
        known = [size for size in sizes if size is not None]
        if self._bar is not None and len(known) == len(sizes):
            self._bar.total = sum(known)

    def bytes_read(self, number: int) -> None:
        if self._bar is not None:
            self._bar.update(number)

    def documents_read(self, number: int) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(f"{number:,} documents", refresh=False)


def _mark(document: tuple[str, Any]) -> str:
    """What tells one document from another when a run goes on."""
    return hashlib.sha256(repr(document).encode()).hexdigest()[:16]


def _rest_of(piece: Piece, start: int) -> Piece:
    """The examples of a piece from one on."""
    if start == 0:
        return piece
    labels, texts, bags, lines = (column[start:] for column in (piece.labels, piece.texts, piece.bags, piece.lines))
    return Piece(piece.source, labels, texts, bags, lines)  # type: ignore[arg-type]  # one type each, as before
