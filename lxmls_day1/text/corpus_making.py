"""Making a corpus on disk from files of labelled examples, in one pass over them, in bounded memory.

Documents are read in pieces (`labelled_streams`) and become rows (`token_batches`). As soon as there are enough of them they are
written as a *draft*: a folder of the same arrays as a shard, whole or not at all, and a line in the journal that says how far the files
were read. When all is read, classes are put into their order and each draft becomes a shard (`shards`). With hashed features nothing but
the labels is written anew then. Without, this is a second pass, over the drafts: it is known now how many documents have a token, and a
token of too few of them loses its column.

An interrupted run leaves drafts and the journal, and no manifest. The next one reads the files again up to the place that the last
draft has reached, without counting anything, and goes on there.
"""

import contextlib
import errno
import hashlib
import json
import os
import queue
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1 import __version__
from lxmls_day1.checks import check_flag, check_number, listed
from lxmls_day1.errors import InputError, check_path, counted
from lxmls_day1.text.labelled_streams import LabelledStream, Piece
from lxmls_day1.text.shards import (
    ARRAYS,
    FORMAT,
    JOURNAL,
    MANIFEST,
    NONZEROS_A_SHARD,
    ROWS_A_SHARD,
    VERSION,
    WORDS,
    Shards,
    are_small_counts,
    arrays_of,
    described_array,
    fingerprint,
    lines_of_words,
    read_words,
    shard_name,
    write_array,
    write_arrays,
    write_manifest,
    write_shard,
    write_words,
)
from lxmls_day1.text.svmlight import is_number
from lxmls_day1.text.token_batches import (
    NumberedRows,
    TokenCounter,
    TokenTable,
    numbered_bags,
    rows_of,
    tokens_of,
    with_columns,
)
from lxmls_day1.whole_files import LOCK, held, remove_folder, replace_files

MOST_CLASSES = 10_000
#: How many of the words seen are kept with hashed features: those that come first.
MOST_WORDS_KEPT = 1 << 22
MOST_HASH_BITS = 30
_COLUMNS = "columns.npy"
_CODES = "codes.npy"


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
        Files, patterns, ``-`` for standard input: see `LabelledStream`.
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
    settings = _Settings(hash_bits, min_count, keep_words, rows_a_shard, classes, like, layout)
    jobs = check_number("jobs", jobs, at_least=1, whole=True)
    check_flag("resume", resume)
    check_flag("overwrite", overwrite)
    folder = check_path("out", out)
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a folder for the corpus with --out")
    with _Progress(progress) as bar:
        stream = LabelledStream(paths, **layout, classes=settings.classes, report=bar.bytes_read)
        bar.set_total(stream.sizes)
        making = _Making(folder, settings, stream)
        with held(folder, "making a corpus in"):
            try:
                if making.begin(resume, overwrite):
                    if making.reading is None:
                        making.read(jobs, bar)
                    making.finish()
            except OSError as error:
                raise making.explained(error) from error
            finally:
                with contextlib.suppress(OSError):  # Windows removes no file that is open
                    (folder / LOCK).unlink()
    return Shards(folder)


class _Settings:
    """What decides how a corpus comes out, besides its sources; checked."""

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
                raise InputError("min_count (--min-count) is for columns of tokens, and hashed features have none")
        elif self.keep_words:
            raise InputError(
                "keep_words (--keep-words) is for hashed features (--hash); without them all words are kept anyway"
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


class _Making:
    """A folder in which a corpus is being made."""

    def __init__(self, folder: Path, settings: _Settings, stream: LabelledStream):
        self._folder, self._settings, self._stream = folder, settings, stream
        self._drafts: list[dict[str, Any]] = []
        self.reading: dict[str, Any] | None = None
        """What the journal says when all is read."""
        self._codes: dict[str, int] = {label: code for code, label in enumerate(settings.classes or ())}
        self._n_codes_told = len(self._codes)  # in the journal
        self._table = self._new_table()
        self._n_words_told = len(self._table) if self._table is not None else 0
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
        folder = self._folder
        present = {path.name for path in folder.iterdir()} - {LOCK}
        if present and not {MANIFEST, JOURNAL} & present:
            raise InputError(f"{folder} is not empty, and holds no corpus; name a new folder with --out")
        if present and overwrite:
            self._clear()
            present = set()
        header = {
            "format": FORMAT,
            "version": VERSION,
            "made_by": __version__,
            "settings": self._settings.as_plain(),
            "sources": self._stream.as_found(),
        }
        if MANIFEST in present:
            if not resume:
                raise InputError(
                    f"{folder} holds a corpus already; name another folder with --out, or replace it with --overwrite"
                )
            Shards(folder)
            manifest = json.loads((folder / MANIFEST).read_bytes())
            self._check_same({**header, "sources": []}, {**header, **manifest, "sources": []})
            self._tidy_up()
            return False
        if JOURNAL in present and not resume:
            raise InputError(
                f"{folder} holds a corpus that is not finished; give the same command with --resume to go on with it, or with "
                "--overwrite to begin anew"
            )
        if JOURNAL not in present or not self._load(header):
            replace_files({folder / JOURNAL: _line(header)})
        return True

    def read(self, jobs: int, bar: "_Progress") -> None:
        """Read the sources and write the drafts."""
        n_documents = sum(draft["rows"] for draft in self._drafts)
        late: dict[int, list[str]] = {}
        for piece, (X, rows) in self._counted(jobs):
            self._take_labels(piece, late)
            if rows is not None and self._table is not None:
                numbers = self._table.numbers(rows.tokens)
                X = X if X is not None else rows.over(numbers, len(self._table))
            assert X is not None
            self._rows.append(X)
            self._row_documents += zip(piece.labels, piece.texts or piece.bags, strict=True)
            n_documents += len(piece.labels)
            self._write_full_drafts()
            bar.documents_read(n_documents)
        if self._row_codes:
            self._write_draft(len(self._row_codes))
        self._end_of_reading()
        for number, labels in late.items():
            warnings.warn(
                f"{self._stream.names[number]}: {listed(sorted(labels)[:10])} "
                f"{'is a label that' if len(labels) == 1 else 'are labels that'} no file before it has; "
                "give --classes to refuse others than those that you expect",
                stacklevel=3,
            )

    def finish(self) -> None:
        """Turn the drafts into shards, and write the manifest."""
        reading = self.reading
        assert reading is not None
        column_of = np.load(self._folder / _COLUMNS, allow_pickle=False) if reading["has_columns"] else None
        column_of_code = np.array(reading["column_of_code"], dtype=np.int32)
        shards = [self._shard(number, column_of, column_of_code) for number in range(len(self._drafts))]
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
        self._tidy_up()

    def explained(self, error: OSError) -> OSError | InputError:
        """What to say of a full disk."""
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return error
        kept = sum(draft["rows"] for draft in self._drafts)
        return InputError(
            f"{error.filename or self._folder}: no space left on device; {counted(kept, 'document')} are kept in "
            f"{self._folder}: make room, then give the same command with --resume"
        )

    def _counted(self, jobs: int) -> Iterator[tuple[Piece, tuple[csr_array | None, NumberedRows | None]]]:
        """The pieces that are not in drafts yet, with their rows; a few of them are counted at the same time."""
        pieces = self._new_pieces()
        if jobs == 1:
            counter = TokenCounter()
            for piece in pieces:
                yield piece, self._count(counter, piece)
            return
        counters: queue.SimpleQueue[TokenCounter] = queue.SimpleQueue()
        for _ in range(jobs):
            counters.put(TokenCounter())

        def count(piece: Piece) -> tuple[csr_array | None, NumberedRows | None]:
            counter = counters.get()
            try:
                return self._count(counter, piece)
            finally:
                counters.put(counter)

        with ThreadPoolExecutor(jobs) as pool:
            begun: deque[tuple[Piece, Future[tuple[csr_array | None, NumberedRows | None]]]] = deque()
            try:
                for piece in pieces:
                    begun.append((piece, pool.submit(count, piece)))
                    if len(begun) > jobs:
                        done, rows = begun.popleft()
                        yield done, rows.result()
                for done, rows in begun:
                    yield done, rows.result()
            finally:
                for _, rows in begun:
                    rows.cancel()

    def _count(self, counter: TokenCounter, piece: Piece) -> tuple[csr_array | None, NumberedRows | None]:
        """The rows of a piece over hashed features, or over its tokens; both where words are kept."""
        hash_bits = self._settings.hash_bits
        if hash_bits is not None and not piece.bags and self._table is None:
            return counter.hashed(piece.texts, hash_bits), None
        rows = numbered_bags(piece.bags) if piece.bags else counter.numbered(piece.texts)
        return None if hash_bits is None else rows.hashed(hash_bits), rows

    def _new_pieces(self) -> Iterator[Piece]:
        left = sum(draft["rows"] for draft in self._drafts)
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
        if _mark((piece.labels[place], documents[place])) != self._drafts[-1]["last"]:
            raise self._other_sources()

    def _other_sources(self) -> InputError:
        return InputError(
            f"{self._folder} cannot be gone on with: {', '.join(self._stream.names)} is not what the interrupted run has read; "
            "give the same, or begin anew with --overwrite"
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
        X, rest = _parted(self._rows, n_rows)
        name, number = _draft_name(len(self._drafts)), len(self._drafts)
        codes = np.array(self._row_codes[:n_rows], dtype=np.int32)
        words, others = None, {}
        if self._table is not None and len(self._table) > self._n_words_told:
            words, n_words = lines_of_words(self._table.names(self._n_words_told))
            others = {WORDS: words}
        files = write_arrays(self._folder / name, {**arrays_of(X, "float32"), _CODES: codes}, others)
        entry = {
            "draft": number,
            "rows": n_rows,
            "nonzeros": int(X.nnz),
            "counts": are_small_counts(X.data),
            "last": _mark(self._row_documents[n_rows - 1]),
            "labels": list(self._codes)[self._n_codes_told :],
            "words": n_words if words is not None else 0,
            "files": files,
        }
        self._append(entry)
        self._drafts.append(entry)
        self._n_codes_told = len(self._codes)
        self._n_words_told = 0 if self._table is None else len(self._table)
        self._rows = [rest] if rest.shape[0] else []
        del self._row_codes[:n_rows]
        del self._row_documents[:n_rows]

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
                write_array(self._folder / _COLUMNS, column_of)
                has_columns, names = True, [names[place] for place in kept.tolist()]
            words, n_features = write_words(self._folder, names), len(names)
            dtype = "uint8" if all(draft["counts"] for draft in self._drafts) else "float32"
        entry = {
            "sources": stream.sources(),
            "classes": classes,
            "column_of_code": [place_of[label] for label in self._codes],
            "n_features": n_features,
            "words": words,
            "dtype": dtype,
            "has_columns": has_columns,
            "tokenizer": {"rules": "features"} if stream.form == "svmlight" else {"rules": "reviews", "bigrams": True},
            "read_as": stream.described,
        }
        self._append(entry)
        self.reading = entry

    def _columns_kept(self, names: Sequence[str]) -> np.ndarray:
        """The numbers of the tokens that have columns, in the order of the columns."""
        frequencies = np.zeros(len(names), dtype=np.int64)
        for number in range(len(self._drafts)):
            indices = np.load(self._folder / _draft_name(number) / "indices.npy", allow_pickle=False)
            frequencies += np.bincount(indices, minlength=len(names))
        kept = np.flatnonzero(frequencies >= self._settings.min_count)
        if not len(kept):
            raise InputError(f"no token is in min_count={self._settings.min_count} documents; lower it, or add texts")
        if self._stream.form == "svmlight":
            kept = np.array(sorted(kept.tolist(), key=lambda place: int(names[place])))
        return kept

    def _shard(self, number: int, column_of: np.ndarray | None, column_of_code: np.ndarray) -> dict[str, Any]:
        """Make a shard of a draft, unless it is one already; what the manifest says of it."""
        draft = self._folder / _draft_name(number)
        shard = self._folder / shard_name(number)
        entry, hashed = self._drafts[number], self._settings.hash_bits is not None
        if draft.is_dir():
            labels = column_of_code[np.load(draft / _CODES, allow_pickle=False)]
            if not hashed:
                X = _with_columns(draft, column_of, self.reading["n_features"])  # type: ignore[index]
                written = write_shard(self._folder, number, X, labels, self.reading["dtype"])  # type: ignore[index]
                os.replace(draft, draft.with_suffix(".part"))
                remove_folder(draft.with_suffix(".part"))
                return written
            write_array(draft / "labels.npy", labels)
            if shard.exists():
                remove_folder(shard)
            os.replace(draft, shard)
        for name in (_CODES, WORDS):
            (shard / name).unlink(missing_ok=True)
        files = {
            name: entry["files"].get(name) if hashed and name in entry["files"] else described_array(shard / name)
            for name in ARRAYS
        }
        nonzeros = entry["nonzeros"] if hashed else len(np.load(shard / "indices.npy", allow_pickle=False))
        return {"name": shard.name, "rows": entry["rows"], "nonzeros": nonzeros, "files": files}

    def _load(self, header: Mapping[str, Any]) -> bool:
        """Read the journal of an interrupted run; whether there is anything in it."""
        path = self._folder / JOURNAL
        entries: list[dict[str, Any]] = []
        whole = 0
        content = path.read_bytes()
        for line in content.splitlines(keepends=True):
            try:
                entry = json.loads(line)
            except ValueError:
                break
            if not line.endswith(b"\n"):
                break
            entries.append(entry)
            whole += len(line)
        if whole < len(content):  # the run ended while it wrote the last line
            replace_files({path: content[:whole]})
        if not entries:
            return False
        self._check_same(header, entries[0])
        for entry in entries[1:]:
            if "draft" in entry:
                self._take_draft(entry)
            else:
                self.reading = entry
        return True

    def _take_draft(self, entry: dict[str, Any]) -> None:
        """Go on from a draft that an interrupted run has written."""
        places = [self._folder / _draft_name(entry["draft"]), self._folder / shard_name(entry["draft"])]
        found = next((place for place in places if place.is_dir()), None)
        if found is None:
            raise InputError(
                f"{places[0]} is missing, so {self._folder} cannot be gone on with; begin anew with --overwrite"
            )
        if found == places[0]:
            for name, file in entry["files"].items():
                if not (found / name).is_file() or (found / name).stat().st_size != file["bytes"]:
                    raise InputError(f"{found / name} is cut off or missing; begin anew with --overwrite")
        self._drafts.append(entry)
        for label in entry["labels"]:
            self._codes[label] = len(self._codes)
        self._n_codes_told = len(self._codes)
        if self._table is not None and entry["words"] and (found / WORDS).is_file():
            self._table.numbers(tokens_of(read_words(found / WORDS)))
            self._n_words_told = len(self._table)

    def _check_same(self, now: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        """Refuse to go on with what another command has begun."""
        for what in ("format", "version", "made_by"):
            if now[what] != before.get(what):
                raise InputError(
                    f"{self._folder} was begun by lxmls-day1 {before.get('made_by')}, and this is {now['made_by']}; begin anew "
                    "with --overwrite"
                )
        ours, theirs = now["settings"], before.get("settings") or {}
        differ = [name for name in {**theirs, **ours} if ours.get(name) != theirs.get(name)]
        if differ:
            name = differ[0]
            raise InputError(
                f"{self._folder} was begun with {name}={theirs.get(name)!r}, and now it is {ours.get(name)!r}; give the same "
                "command with --resume, or begin anew with --overwrite"
            )
        if now["sources"] != before.get("sources"):
            raise InputError(
                f"{self._folder} was begun with other sources, or they have changed since; give the same ones, or begin anew with "
                "--overwrite"
            )

    def _append(self, entry: Mapping[str, Any]) -> None:
        """Add a line to the journal; where that fails, nothing of it stays."""
        path = self._folder / JOURNAL
        size = path.stat().st_size
        try:
            with path.open("ab") as file:
                file.write(_line(entry))
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.truncate(path, size)
            if isinstance(error, OSError):
                raise type(error)(error.errno, error.strerror, str(path)) from error
            raise

    def _clear(self) -> None:
        """Remove a corpus, the manifest first: what is left is never taken for a whole one."""
        for name in (MANIFEST, JOURNAL, WORDS, _COLUMNS):
            (self._folder / name).unlink(missing_ok=True)
        for path in [*self._folder.glob("shard-*"), *self._folder.glob("draft-*")]:
            remove_folder(path)

    def _tidy_up(self) -> None:
        """Remove what only the making needs."""
        for name in (_COLUMNS, JOURNAL):
            (self._folder / name).unlink(missing_ok=True)
        for path in self._folder.glob("*.part"):
            remove_folder(path)


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


def label_order(labels: Iterable[str]) -> Callable[[str], Any]:
    """By what labels are sorted: as numbers if all are.

    Examples
    --------
    >>> sorted(["10", "9"], key=label_order(["10", "9"])), sorted(["10", "b"], key=label_order(["10", "b"]))
    (['9', '10'], ['10', 'b'])
    """
    are_numbers = all(map(is_number, labels))
    return lambda label: (float(label), label) if are_numbers else label


def _checked_classes(classes: Sequence[str]) -> list[str]:
    if not isinstance(classes, (list, tuple)) or not all(isinstance(label, str) and label for label in classes):
        raise InputError(f"classes must be a list of labels, each a text, got {classes!r}")
    if len(set(classes)) < max(2, len(classes)):
        raise InputError(f"classes must be two or more different labels, got {listed(list(classes))}")
    return sorted(classes, key=label_order(classes))


def _draft_name(number: int) -> str:
    return f"draft-{number:05d}"


def _line(entry: Mapping[str, Any]) -> bytes:
    return (json.dumps(entry, ensure_ascii=False) + "\n").encode()


def _mark(document: tuple[str, Any]) -> str:
    """What tells one document from another when a run goes on."""
    return hashlib.sha256(repr(document).encode()).hexdigest()[:16]


def _rest_of(piece: Piece, start: int) -> Piece:
    """The examples of a piece from one on."""
    if start == 0:
        return piece
    labels, texts, bags, lines = (column[start:] for column in (piece.labels, piece.texts, piece.bags, piece.lines))
    return Piece(piece.source, labels, texts, bags, lines)  # type: ignore[arg-type]  # one type each, as before


def _parted(parts: Sequence[csr_array], n_rows: int) -> tuple[csr_array, csr_array]:
    """The first so many rows of some matrices, one below the other, and the others; they may differ in their number of columns."""
    n_columns = max(X.shape[1] for X in parts)
    indices = np.concatenate([X.indices for X in parts]) if len(parts) > 1 else parts[0].indices
    data = np.concatenate([X.data for X in parts]) if len(parts) > 1 else parts[0].data
    lengths = np.concatenate([np.diff(X.indptr) for X in parts])
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    cut = indptr[n_rows]
    return (
        rows_of(indptr[: n_rows + 1], indices[:cut], data[:cut], n_columns),
        rows_of(indptr[n_rows:] - cut, indices[cut:], data[cut:], n_columns),
    )


def _with_columns(draft: Path, column_of: np.ndarray | None, n_features: int) -> csr_array:
    """The rows of a draft over the columns that its tokens have."""
    indptr, indices, data = (
        np.load(draft / name, allow_pickle=False) for name in ("indptr.npy", "indices.npy", "data.npy")
    )
    if column_of is None:
        return rows_of(indptr, indices, data, n_features)
    return with_columns(indptr, indices, data, column_of, n_features)
