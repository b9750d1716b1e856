"""Building a corpus on disk from files of labelled examples, in one pass over the files and in bounded memory.

Documents are read in batches (`labelled_files`) and converted to rows, a few batches at a time by threads. As soon as there are
enough rows, they are written to a scratch folder as a *draft*, which has the same arrays as a shard. After all files are read, the
classes are sorted and each draft becomes a shard (`shards`). With hashed features, only the labels must be rewritten. Without hashing,
a second pass rewrites the drafts, because only then is the number of documents with each token known, and rare tokens lose their column.

The manifest is written last. An interrupted run leaves no manifest, and rerunning the command starts from scratch.
"""

import contextlib
import errno
import os
import threading
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.base.atomic_files import FOLDER_PREFIX, LOCK_FILE, locked_folder, remove_folder, temporary_folder
from lxmls_day1.base.checks import MAX_CLASSES, check_flag, check_number, format_labels
from lxmls_day1.base.errors import InputError, check_path
from lxmls_day1.base.settings import check_settings, known_settings, with_fields
from lxmls_day1.engine.corpus import shard_writing
from lxmls_day1.engine.corpus.corpus_settings import CorpusSettings
from lxmls_day1.engine.corpus.shards import MANIFEST, WORDS, Shards
from lxmls_day1.engine.kernels.threads import map_in_order
from lxmls_day1.engine.text import token_batches
from lxmls_day1.engine.text.labelled_files import ExampleBatch, FileLayout, LabelledStream, expand_patterns
from lxmls_day1.engine.text.svmlight import label_order

#: The maximum number of words saved with hashed features; the first words seen are saved.
MAX_SAVED_WORDS = 1 << 22

# A batch, its rows over hashed features (None without hashing), and its rows over its tokens (None if they are not needed).
_BatchAndRows = tuple[ExampleBatch, csr_array | None, token_batches.IndexedRows | None]


@with_fields(CorpusSettings, FileLayout)
def make_corpus(
    paths: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    jobs: int = 1,
    overwrite: bool = False,
    progress: bool = False,
    **settings: Any,
) -> Shards:
    """Make a corpus on disk.

    Parameters
    ----------
    paths : sequence of path
        Files, patterns, or ``-`` for standard input: see `labelled_files.expand_patterns`.
    out : path
        The folder of the corpus, new or empty.
    jobs : int
        The number of threads that count tokens. The result does not depend on it.
    overwrite : bool
        Replace an existing corpus in the folder.
    progress : bool
        Whether to show a progress bar.
    hash_bits : int, optional
        b from 1 to 30: features are hashed into 2^b buckets, as scikit-learn's `FeatureHasher` does. Default: one column per token.
    min_count : int
        A token has a column if it occurs in at least ``min_count`` documents. Not with `hash_bits`.
    keep_words : bool
        With `hash_bits`: save the first 4 million words seen.
    classes : sequence of str, optional
        All permitted labels. Default: the labels in the files, in the order of `TextCorpus`.
    like : path, optional
        A corpus on disk whose features and classes are used. For a test corpus, this is the corpus of the training split.
    rows_a_shard : int
        The maximum number of documents per shard. A shard is also closed at about four million nonzero entries.
    form, delimiter, header, label_column, text_column, quote, encoding, skip_lines : optional
        See `lxmls_day1.engine.text.labelled_files.FileLayout`.

    Returns
    -------
    Shards

    Raises
    ------
    InputError
        If a file cannot be read or is malformed, an argument is invalid, the disk is full, or the folder is in use.

    Notes
    -----
    Memory use: a few batches of 1 MB of text for each thread, the longest document, and, without `hash_bits`, every token.

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
    from tqdm.auto import tqdm

    layout = {name: settings.pop(name) for name in known_settings(FileLayout) if name in settings}
    check_settings(CorpusSettings, settings)
    chosen = CorpusSettings(**settings)
    jobs = check_number("jobs", jobs, at_least=1, whole=True)
    check_flag("overwrite", overwrite)
    folder = check_path("out", out)
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a folder for the corpus with --out")
    is_new = not folder.exists()
    with tqdm(desc="reading", unit="B", unit_scale=True, leave=False, disable=not progress) as bar:
        stream = LabelledStream(expand_patterns(paths), **layout, classes=chosen.classes, report=bar.update)
        bar.total = None if None in stream.sizes else sum(size or 0 for size in stream.sizes)
        with locked_folder(folder, "making a corpus in"):
            try:
                _empty_folder(folder, overwrite)
                try:
                    with temporary_folder(f"{FOLDER_PREFIX}corpus-", folder) as scratch:
                        making = _CorpusBuilder(scratch, chosen, stream, chosen.as_plain(layout))
                        making.read(jobs, bar)
                        making.finish(folder)
                except BaseException:
                    with contextlib.suppress(OSError):
                        _empty_folder(folder, overwrite=True)
                    raise
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                raise InputError(
                    f"{error.filename or folder}: no space left on device; nothing is kept: make room, then give the same command "
                    "again"
                ) from error
            finally:
                with contextlib.suppress(OSError):  # Windows cannot remove an open file.
                    (folder / LOCK_FILE).unlink()
                if is_new:
                    with contextlib.suppress(OSError):  # The folder is not empty if a corpus was made.
                        folder.rmdir()
    return Shards(folder)


def _empty_folder(folder: Path, overwrite: bool) -> None:
    """Empty the folder if it holds leftovers of an interrupted run, or a corpus that may be overwritten."""
    left = [path for path in folder.iterdir() if path.name != LOCK_FILE]
    if any(path.name == MANIFEST for path in left) and not overwrite:
        raise InputError(
            f"{folder} holds a corpus already; name another folder with --out, or replace it with --overwrite"
        )
    if not all(path.name in (MANIFEST, WORDS) or path.name.startswith(("shard-", FOLDER_PREFIX)) for path in left):
        raise InputError(f"{folder} is not empty, and does not hold a corpus; name a new folder with --out")
    # The manifest is removed first, so that a half-removed corpus never looks complete.
    for path in sorted(left, key=lambda path: path.name != MANIFEST):
        remove_folder(path) if path.is_dir() else path.unlink()


class _CorpusBuilder:
    """A corpus under construction: the rows read so far are in drafts in a scratch folder until classes and columns are known."""

    def __init__(self, scratch: Path, settings: CorpusSettings, stream: LabelledStream, as_plain: dict[str, Any]):
        self._scratch, self._settings, self._stream, self._as_plain = scratch, settings, stream, as_plain
        self._drafts: list[dict[str, Any]] = []  # the entry of each draft in a manifest
        self._all_small_counts = True  # whether all values so far are small counts
        self._codes: dict[str, int] = {label: code for code, label in enumerate(settings.classes or ())}
        self._table = self._new_table()
        self._rows: list[csr_array] = []  # rows that are not written yet
        self._row_codes: list[int] = []

    def _new_table(self) -> token_batches.TokenTable | None:
        settings = self._settings
        if settings.hash_bits is not None:
            return token_batches.TokenTable(max_tokens=MAX_SAVED_WORDS) if settings.keep_words else None
        if settings.model is not None:
            words = settings.model.words() or []
            return token_batches.TokenTable(words, max_tokens=len(words))
        return token_batches.TokenTable()

    def read(self, jobs: int, bar: Any) -> None:
        """Read the sources and write the drafts; show the number of documents beside the progress bar."""
        n_documents, late = 0, dict[int, list[str]]()
        for piece, X, rows in self._rows_of_batches(jobs):
            self._add_labels(piece, late)
            if rows is not None and self._table is not None:
                numbers = self._table.number_tokens(rows.tokens)
                X = X if X is not None else rows.with_token_columns(numbers, len(self._table))
            assert X is not None
            if len(piece.bags):
                self._check_values(piece, X)
            self._rows.append(X)
            n_documents += len(piece.labels)
            self._write_full_drafts()
            bar.set_postfix_str(f"{n_documents:,} documents", refresh=False)
        if self._row_codes:
            self._write_draft(len(self._row_codes))
        for warning in self._stream.warnings:
            warnings.warn(warning, stacklevel=3)
        for number, labels in late.items():
            warnings.warn(
                f"{self._stream.names[number]}: {format_labels(sorted(labels)[:10])} "
                f"{'is a label that' if len(labels) == 1 else 'are labels that'} no earlier file has; "
                "give --classes to refuse all labels but those that you expect",
                stacklevel=3,
            )

    def _rows_of_batches(self, jobs: int) -> Iterator[_BatchAndRows]:
        """Count the tokens of the batches in threads; yield the batches in their order, with their rows."""
        hash_bits = self._settings.hash_bits
        of_thread = threading.local()  # A counter keeps the words that it has seen.

        def count(piece: ExampleBatch) -> _BatchAndRows:
            bags = piece.bags
            if not hasattr(of_thread, "counter"):
                of_thread.counter = token_batches.TokenCounter()
            if hash_bits is not None and not len(bags) and self._table is None:
                return piece, of_thread.counter.hashed(piece.texts, hash_bits), None
            rows = token_batches.numbered_bags(bags) if len(bags) else of_thread.counter.numbered(piece.texts)
            return piece, None if hash_bits is None else rows.hashed(hash_bits), rows

        return map_in_order(count, self._stream, jobs)

    def finish(self, folder: Path) -> None:
        """Determine classes and columns, turn the drafts into shards, and write the manifest."""
        settings, stream, classes = self._settings, self._stream, list(self._codes)
        if settings.like is None:
            classes.sort(key=label_order(classes))
        place_of = {label: place for place, label in enumerate(classes)}
        column_of_code = np.array([place_of[label] for label in self._codes], dtype=np.int32)
        names = None if self._table is None else self._table.names()
        dtype, column_of, n_features = "float32", None, 1 << (settings.hash_bits or 0)
        if settings.hash_bits is None:
            assert names is not None
            if settings.like is None:
                kept = self._frequent_columns(names)
                column_of = np.full(len(names), -1, dtype=np.int32)
                column_of[kept] = np.arange(len(kept), dtype=np.int32)
                names = [names[place] for place in kept.tolist()]
            n_features = len(names)
            dtype = "uint8" if self._all_small_counts else "float32"

        def shard_of(number: int, draft: dict[str, Any]) -> dict[str, Any]:
            place = self._scratch / draft["name"]
            labels = column_of_code[np.load(place / "labels.npy", allow_pickle=False)]
            if settings.hash_bits is None:
                arrays = ("indptr.npy", "indices.npy", "data.npy")
                indptr, indices, data = (np.load(place / name, allow_pickle=False) for name in arrays)
                X = token_batches.rows_of(indptr, indices, data, n_features)
                if column_of is not None:
                    X = token_batches.with_columns(indptr, indices, data, column_of, n_features)
                remove_folder(place)
                return shard_writing.write_shard(folder, number, X, labels, dtype)
            draft["files"]["labels.npy"] = shard_writing.write_array(place / "labels.npy", labels)
            os.replace(place, folder / place.name)
            return draft

        words = None if names is None else shard_writing.write_words(folder, names)
        shard_writing.write_manifest(
            folder,
            n_features=n_features,
            hash_bits=settings.hash_bits,
            sources=stream.sources(),
            seed=0,
            tokenizer={"rules": "features"} if self._is_svmlight() else {"rules": "reviews", "bigrams": True},
            settings=self._as_plain,
            read_as=list(stream.described.values()),
            classes=classes,
            dtype=dtype,
            words=words,
            shards=[shard_of(number, draft) for number, draft in enumerate(self._drafts)],
        )

    def _check_values(self, piece: ExampleBatch, X: csr_array) -> None:
        beyond = np.flatnonzero(~np.isfinite(X.data))
        if not len(beyond):
            return
        row = int(np.searchsorted(X.indptr, beyond[0], side="right")) - 1
        values = "a sum of hashed values" if self._settings.hash_bits is not None else "a value"
        raise InputError(
            f"{self._stream.names[piece.source]}, line {piece.lines[row]}: {values} is beyond ±{shard_writing.MAX_VALUE:.2g}, the "
            "largest that a corpus on disk keeps (float32); scale this feature down"
        )

    def _add_labels(self, piece: ExampleBatch, new_labels: dict[int, list[str]]) -> None:
        codes = self._codes
        for label in dict.fromkeys(piece.labels):
            if label not in codes:
                codes[label] = len(codes)
                if piece.source > 0:
                    new_labels.setdefault(piece.source, []).append(label)
        if len(codes) > MAX_CLASSES:
            raise InputError(
                f"{self._stream.names[piece.source]}: there are more than {MAX_CLASSES} labels up to line {piece.lines[-1]}; "
                "if they are not the labels, name the right column with --label-column"
            )
        self._row_codes += map(codes.__getitem__, piece.labels)

    def _write_full_drafts(self) -> None:
        while self._row_codes:
            n_rows = len(self._row_codes)
            if n_rows >= self._settings.rows_a_shard:
                self._write_draft(self._settings.rows_a_shard)
            elif sum(X.nnz for X in self._rows) >= shard_writing.NONZEROS_PER_SHARD:
                self._write_draft(n_rows)
            else:
                return

    def _write_draft(self, n_rows: int) -> None:
        """Write the first ``n_rows`` of the waiting rows as a draft."""
        X, rest = _split_rows(self._rows, n_rows)
        codes = np.array(self._row_codes[:n_rows], dtype=np.int32)
        self._drafts.append(shard_writing.write_shard(self._scratch, len(self._drafts), X, codes, "float32"))
        self._all_small_counts &= shard_writing.are_small_counts(X.data)
        self._rows = [rest] if rest.shape[0] else []
        del self._row_codes[:n_rows]

    def _is_svmlight(self) -> bool:
        return "svmlight" in self._stream.forms.values()

    def _frequent_columns(self, names: Sequence[str]) -> np.ndarray:
        """Return the numbers of the tokens that get a column, in the order of the columns."""
        frequencies = np.zeros(len(names), dtype=np.int64)  # number of documents with each token
        for draft in self._drafts:
            indices = np.load(self._scratch / draft["name"] / "indices.npy", allow_pickle=False)
            frequencies += np.bincount(indices, minlength=len(names))
        kept = np.flatnonzero(frequencies >= self._settings.min_count)
        if not len(kept):
            raise InputError(f"no token is in min_count={self._settings.min_count} documents; lower it, or add texts")
        if self._is_svmlight():
            kept = np.array(sorted(kept.tolist(), key=lambda place: int(names[place])))
        return kept


def _split_rows(parts: Sequence[csr_array], n_rows: int) -> tuple[csr_array, csr_array]:
    """Stack some matrices, and split the result into its first ``n_rows`` rows and the rest.

    The matrices may differ in their number of columns.
    """
    n_columns = max(X.shape[1] for X in parts)
    indices = np.concatenate([X.indices for X in parts]) if len(parts) > 1 else parts[0].indices
    data = np.concatenate([X.data for X in parts]) if len(parts) > 1 else parts[0].data
    lengths = np.concatenate([np.diff(X.indptr) for X in parts])
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    cut = indptr[n_rows]
    return (
        token_batches.rows_of(indptr[: n_rows + 1], indices[:cut], data[:cut], n_columns),
        token_batches.rows_of(indptr[n_rows:] - cut, indices[cut:], data[cut:], n_columns),
    )
