"""What is kept of a corpus on disk while it is being made: drafts of its shards, and a journal.

A *draft* is a folder of the same arrays as a shard, whole or not at all; its labels and, without hashing, its tokens are numbered as
they came. The journal has a line of JSON for each draft, and one when all is read: with the classes in their order and the column of
each token. By these a draft becomes a shard.
"""

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lxmls_day1.engine.streaming.shard_writing import (
    are_small_counts,
    arrays_of,
    described_array,
    lines_of_words,
    write_array,
    write_arrays,
    write_shard,
)
from lxmls_day1.engine.streaming.shards import ARRAYS, JOURNAL, MANIFEST, WORDS, Shards, read_words, shard_name
from lxmls_day1.engine.text.token_batches import rows_of, with_columns
from lxmls_day1.errors import InputError
from lxmls_day1.whole_files import LOCK, check_readable, remove_folder, remove_parts, replace_files

_COLUMNS = "columns.npy"
_CODES = "codes.npy"


class Drafts:
    """The drafts and the journal in the folder of a corpus.

    Parameters
    ----------
    folder : Path

    Attributes
    ----------
    written : list of dict
        What the journal says of each draft.
    reading : dict or None
        What the journal says when all is read.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.written: list[dict[str, Any]] = []
        self.reading: dict[str, Any] | None = None

    @property
    def n_rows(self) -> int:
        """How many documents are in drafts."""
        return sum(draft["rows"] for draft in self.written)

    def begin(self, header: Mapping[str, Any], resume: bool, overwrite: bool) -> bool:
        """Make the folder ready, or go on with what is in it; whether anything is left to do.

        Parameters
        ----------
        header : dict
            The first line of the journal: version, settings and sources, which have to be the same when a run goes on.
        resume, overwrite : bool
            As for `corpus_making.make_corpus`.

        Raises
        ------
        InputError
            If the folder holds something that may be neither gone on with nor replaced.
        """
        folder = self.folder
        remove_parts(folder / JOURNAL)  # a run that was killed before it had one
        present = {path.name for path in folder.iterdir()} - {LOCK}
        if present and not {MANIFEST, JOURNAL} & present:
            raise InputError(f"{folder} is not empty, and holds no corpus; name a new folder with --out")
        if present and overwrite:
            self.clear()
            present = set()
        if MANIFEST in present:
            if not resume:
                raise InputError(
                    f"{folder} holds a corpus already; name another folder with --out, or replace it with --overwrite"
                )
            Shards(folder)
            manifest = json.loads((folder / MANIFEST).read_bytes())
            self._check_same({**header, "sources": []}, {**header, **manifest, "sources": []})
            self.tidy_up()
            return False
        if JOURNAL in present and not resume:
            raise InputError(
                f"{folder} holds a corpus that is not finished; give the same command with --resume to go on with it, or with "
                "--overwrite to begin anew"
            )
        if JOURNAL not in present or not self._load(header):
            replace_files({folder / JOURNAL: _line(header)})
        return True

    def add(self, X: csr_array, codes: np.ndarray, labels: Sequence[str], words: Sequence[str], last: str) -> None:
        """Write a draft, and its line in the journal.

        Parameters
        ----------
        X : csr_array (m, J)
        codes : int32 array (m,)
            The number of each row's label.
        labels : sequence of str
            Those that the drafts before have not.
        words : sequence of str
            Tokens that these have not.
        last : str
            What tells the last document from others.
        """
        number, others, n_words = len(self.written), {}, 0
        if words:
            others[WORDS], n_words = lines_of_words(words)
        files = write_arrays(self.folder / _draft_name(number), {**arrays_of(X, "float32"), _CODES: codes}, others)
        entry = {
            "draft": number,
            "rows": len(codes),
            "nonzeros": int(X.nnz),
            "counts": are_small_counts(X.data),
            "last": last,
            "labels": list(labels),
            "words": n_words,
            "files": files,
        }
        self._append(entry)
        self.written.append(entry)

    def words(self, number: int) -> list[str]:
        """The tokens that came with a draft; none if it has become a shard."""
        path = self.folder / _draft_name(number) / WORDS
        return read_words(path) if self.written[number]["words"] and path.is_file() else []

    def document_frequencies(self, n_tokens: int) -> np.ndarray:
        """How many documents have each token, int64."""
        frequencies = np.zeros(n_tokens, dtype=np.int64)
        for number in range(len(self.written)):
            indices = np.load(self.folder / _draft_name(number) / "indices.npy", allow_pickle=False)
            frequencies += np.bincount(indices, minlength=n_tokens)
        return frequencies

    def write_columns(self, column_of: np.ndarray) -> None:
        """Keep the column of each token, -1 for one that has none, until the drafts are shards."""
        write_array(self.folder / _COLUMNS, column_of)

    def end_reading(self, entry: dict[str, Any]) -> None:
        """Say in the journal that all is read."""
        self._append(entry)
        self.reading = entry

    def into_shards(self, hashed: bool) -> list[dict[str, Any]]:
        """Turn the drafts into shards when all is read; what the manifest says of them."""
        assert self.reading is not None
        column_of = np.load(self.folder / _COLUMNS, allow_pickle=False) if self.reading["has_columns"] else None
        column_of_code = np.array(self.reading["column_of_code"], dtype=np.int32)
        return [self._shard(number, column_of, column_of_code, hashed) for number in range(len(self.written))]

    def tidy_up(self) -> None:
        """Remove what only the making needs."""
        for name in (_COLUMNS, JOURNAL):
            (self.folder / name).unlink(missing_ok=True)
        for path in self.folder.glob("*.part"):
            remove_folder(path)

    def clear(self) -> None:
        """Remove a corpus, the manifest first: what is left is never taken for a whole one."""
        for name in (MANIFEST, JOURNAL, WORDS, _COLUMNS):
            (self.folder / name).unlink(missing_ok=True)
        for path in [*self.folder.glob("shard-*"), *self.folder.glob("draft-*")]:
            remove_folder(path)

    def _shard(
        self, number: int, column_of: np.ndarray | None, column_of_code: np.ndarray, hashed: bool
    ) -> dict[str, Any]:
        """Make a shard of a draft, unless it is one already; what the manifest says of it."""
        draft = self.folder / _draft_name(number)
        shard = self.folder / shard_name(number)
        entry = self.written[number]
        if draft.is_dir():
            labels = column_of_code[np.load(draft / _CODES, allow_pickle=False)]
            if not hashed:
                X = _with_columns(draft, column_of, self.reading["n_features"])  # type: ignore[index]
                written = write_shard(self.folder, number, X, labels, self.reading["dtype"])  # type: ignore[index]
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
        path = self.folder / JOURNAL
        entries: list[dict[str, Any]] = []
        whole = 0
        check_readable(path, "begin anew with --overwrite")
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
                self._check_draft(entry)
                self.written.append(entry)
            else:
                self.reading = entry
        return True

    def _check_draft(self, entry: dict[str, Any]) -> None:
        """Refuse to go on from a draft that an interrupted run has written if it is not whole."""
        places = [self.folder / _draft_name(entry["draft"]), self.folder / shard_name(entry["draft"])]
        found = next((place for place in places if place.is_dir()), None)
        if found is None:
            raise InputError(
                f"{places[0]} is missing, so {self.folder} cannot be gone on with; begin anew with --overwrite"
            )
        if found == places[0]:
            for name, file in entry["files"].items():
                if not (found / name).is_file() or (found / name).stat().st_size != file["bytes"]:
                    raise InputError(f"{found / name} is cut off or missing; begin anew with --overwrite")

    def _check_same(self, now: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        """Refuse to go on with what another command has begun."""
        for what in ("format", "version", "made_by"):
            if now[what] != before.get(what):
                raise InputError(
                    f"{self.folder} was begun by lxmls-day1 {before.get('made_by')}, and this is {now['made_by']}; begin anew "
                    "with --overwrite"
                )
        ours, theirs = now["settings"], before.get("settings") or {}
        differ = [name for name in {**theirs, **ours} if ours.get(name) != theirs.get(name)]
        if differ:
            name = differ[0]
            raise InputError(
                f"{self.folder} was begun with {name}={theirs.get(name)!r}, and now it is {ours.get(name)!r}; give the same "
                "command with --resume, or begin anew with --overwrite"
            )
        if now["sources"] != before.get("sources"):
            raise InputError(
                f"{self.folder} was begun with other sources, or they have changed since; give the same ones, or begin anew with "
                "--overwrite"
            )

    def _append(self, entry: Mapping[str, Any]) -> None:
        """Add a line to the journal; where that fails, nothing of it stays."""
        path = self.folder / JOURNAL
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


def _draft_name(number: int) -> str:
    return f"draft-{number:05d}"


def _line(entry: Mapping[str, Any]) -> bytes:
    return (json.dumps(entry) + "\n").encode()


def _with_columns(draft: Path, column_of: np.ndarray | None, n_features: int) -> csr_array:
    """The rows of a draft over the columns that its tokens have."""
    indptr, indices, data = (
        np.load(draft / name, allow_pickle=False) for name in ("indptr.npy", "indices.npy", "data.npy")
    )
    if column_of is None:
        return rows_of(indptr, indices, data, n_features)
    return with_columns(indptr, indices, data, column_of, n_features)
