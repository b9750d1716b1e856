"""Corpora whose making is interrupted, and folders that are in use."""

import errno
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lxmls_day1.engine.streaming import corpus_making, shard_writing, staging
from lxmls_day1.engine.streaming.corpus_making import make_corpus
from lxmls_day1.engine.streaming.shards import JOURNAL, MANIFEST, Shards
from lxmls_day1.errors import InputError
from lxmls_day1.whole_files import remove_folder


def contents(folder):
    """Every file of a corpus by its name."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def make_in_a_process(source, out, *options, pieces=5000):
    """A run of its own, small pieces and shards, which leaves time to kill it."""
    code = f"""
import sys
from lxmls_day1.engine.text import text_blocks
text_blocks.PIECE = {pieces}
from lxmls_day1.engine.streaming.corpus_making import make_corpus
make_corpus([{str(source)!r}], {str(out)!r}, rows_a_shard=10, {", ".join(options)})
"""
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)


class Killed(BaseException):
    """What stands for the end of the process."""


@pytest.mark.slow
@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "mode", [{"hash_bits": 9}, {"hash_bits": 9, "keep_words": True}, {"min_count": 2}, {"jobs": 2}]
)
def test_a_run_that_is_interrupted_anywhere_ends_as_if_it_had_not_been(
    tmp_path, source, small_pieces, monkeypatch, mode
):
    """It is ended at each of its writes, renames and removals in turn, as by kill -9: without tidying up."""
    settings = {"rows_a_shard": 200, **mode}
    whole = make_corpus([source], tmp_path / "whole.bags", **settings).folder
    out, ends = tmp_path / "x.bags", 0
    left = [0]

    def counting(function):
        def run(*arguments, **options):
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            return function(*arguments, **options)

        return run

    for module, name in (
        (shard_writing, "write_array"), (staging, "write_array"), (shard_writing, "replace_files"),
        (staging, "replace_files"), (os, "replace"), (staging, "remove_folder"), (shard_writing, "remove_folder"),
        (staging.Drafts, "_append"), (corpus_making, "write_words"), (corpus_making, "write_manifest"),
        (Path, "unlink"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, counting(getattr(module, name)))
    for step in range(1, 400, 3):  # a run that goes on is ended three steps later than the one before
        left[0] = step
        try:
            make_corpus([source], out, resume=True, **settings)
        except Killed:
            ends += 1
            if (out / MANIFEST).exists():
                left[0] = 0
                Shards(out).verify()
            continue
        break
    left[0] = 0
    make_corpus([source], out, resume=True, **settings)
    assert ends > 5 and contents(out) == contents(whole)


@pytest.fixture
def unfinished(tmp_path, source, monkeypatch):
    """A folder in which a run ended while it read."""
    out = tmp_path / "x.bags"
    with monkeypatch.context() as patch:
        patch.setattr(corpus_making._Making, "finish", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            make_corpus([source], out, hash_bits=8, rows_a_shard=200)
    return out


def test_a_folder_in_use_is_told_what_to_do(tmp_path, source, unfinished):
    with pytest.raises(InputError, match="holds a corpus that is not finished; .*--resume .*--overwrite"):
        make_corpus([source], unfinished, hash_bits=8, rows_a_shard=200)
    with pytest.raises(InputError, match=r"was begun with hash_bits=8, and now it is 9; .*--overwrite"):
        make_corpus([source], unfinished, hash_bits=9, rows_a_shard=200, resume=True)
    make_corpus([source], unfinished, hash_bits=8, rows_a_shard=200, resume=True)
    with pytest.raises(InputError, match="holds a corpus already; .*--out.*--overwrite"):
        make_corpus([source], unfinished, hash_bits=8, rows_a_shard=200)
    before = contents(unfinished)
    make_corpus([source], unfinished, hash_bits=8, rows_a_shard=200, resume=True)  # nothing is left to do
    assert contents(unfinished) == before
    with pytest.raises(InputError, match="was begun with hash_bits=8, and now it is 7"):
        make_corpus([source], unfinished, hash_bits=7, rows_a_shard=200, resume=True)
    assert make_corpus([source], unfinished, hash_bits=7, overwrite=True).n_features == 128
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("kept")
    for overwrite in (False, True):
        with pytest.raises(InputError, match="is not empty, and holds no corpus"):
            make_corpus([source], tmp_path / "mine", hash_bits=7, overwrite=overwrite)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "kept"
    with pytest.raises(InputError, match="is a file; name a folder"):
        make_corpus([source], source, hash_bits=7)


def test_what_an_interrupted_run_left_must_be_whole(source, unfinished):
    path = unfinished / "draft-00001" / "indices.npy"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"draft-00001.indices.npy is cut off or missing; .*--overwrite"):
        make_corpus([source], unfinished, hash_bits=8, rows_a_shard=200, resume=True)


def test_a_journal_without_a_whole_first_line_is_begun_anew(tmp_path, source, documents):
    out = tmp_path / "x.bags"
    run = 'import os; from lxmls_day1.whole_files import whole_file; w = whole_file("x.bags/journal"); w.__enter__(); os._exit(1)'
    out.mkdir()
    subprocess.run(
        [sys.executable, "-c", run.replace("journal", JOURNAL)], cwd=tmp_path
    )  # killed while it wrote its first line
    assert make_corpus([source], out, hash_bits=8).n_rows == len(documents)
    for path in out.iterdir():
        remove_folder(path) if path.is_dir() else path.unlink()
    (out / JOURNAL).write_text('{"format": "lxml')
    assert make_corpus([source], out, hash_bits=8, resume=True).n_rows == len(documents)


def test_another_source_is_not_gone_on_with(tmp_path, source, small_pieces, monkeypatch):
    mine, out = tmp_path / "mine.tsv", tmp_path / "x.bags"
    mine.write_bytes(source.read_bytes())
    with monkeypatch.context() as patch:
        patch.setattr(corpus_making._Making, "finish", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            make_corpus([mine], out, hash_bits=8, rows_a_shard=200)
    mine.write_bytes(source.read_bytes() + b"class-000\tmore\n")
    with pytest.raises(InputError, match="was begun with other sources, or they have changed since"):
        make_corpus([mine], out, hash_bits=8, rows_a_shard=200, resume=True)


@pytest.mark.slow
def test_standard_input_that_differs_is_not_gone_on_with(tmp_path, source):
    """Nothing but its documents tells it from another: the last that was written has to come again."""
    options = ["--out", str(tmp_path / "x.bags"), "--hash", "8", "--shard-rows", "100"]

    def run(content, *more):
        code = "from lxmls_day1.engine.text import text_blocks; text_blocks.PIECE = 5000; "
        code += "from lxmls_day1.commands.command_line import main; import sys; main(sys.argv[1:])"
        command = [sys.executable, "-c", code, "cache", "-", *options, *more]
        return subprocess.run(command, input=content, capture_output=True, check=False)

    whole = source.read_bytes()
    failed = run(whole + b"\xff\n")
    assert (
        failed.returncode == 1
        and b"standard input, line 702: expected text in utf-8, got the byte 0xFF" in failed.stderr
    )
    assert (tmp_path / "x.bags" / "draft-00005").is_dir()
    other = run(b"label\ttext\n" + b"".join(reversed(whole.splitlines(keepends=True)[1:])), "--resume")
    assert other.returncode == 1 and b"is not what the interrupted run has read" in other.stderr
    short = run(whole[:1000], "--resume")
    assert short.returncode == 1 and b"is not what the interrupted run has read" in short.stderr
    assert run(whole, "--resume").returncode == 0
    wanted = make_corpus([source], tmp_path / "y.bags", hash_bits=8, rows_a_shard=100)
    made = Shards(tmp_path / "x.bags")
    assert len(made) == len(wanted)
    for i in range(len(made)):
        assert np.array_equal(made.open(i).X.toarray(), wanted.open(i).X.toarray())


def test_one_run_at_a_time(tmp_path, source):
    fifo = tmp_path / "mails.csv"
    if not hasattr(os, "mkfifo"):
        pytest.skip("Windows has no pipes with names")
    os.mkfifo(fifo)
    run = make_in_a_process(fifo, tmp_path / "x.bags", "hash_bits=8")
    try:
        while not (tmp_path / "x.bags" / JOURNAL).exists():
            assert run.poll() is None, run.stderr.read()
            time.sleep(0.01)
        with pytest.raises(InputError, match=rf"process {run.pid} on .* is making a corpus in .*x.bags at the moment"):
            make_corpus([source], tmp_path / "x.bags", hash_bits=8, resume=True)
    finally:
        run.kill()
        run.wait()
        run.stderr.close()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mode", [{"hash_bits": 8}, {}])
@pytest.mark.parametrize("room", [0, 1, 4, 9, 20])
def test_a_full_disk_leaves_whole_shards_and_is_gone_on_with(tmp_path, source, small_pieces, monkeypatch, mode, room):
    out, left = tmp_path / "x.bags", [room]
    write = shard_writing.write_array

    def until_full(path, array):
        left[0] -= 1
        if left[0] < 0:
            path.write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write(path, array)

    with monkeypatch.context() as patch:
        patch.setattr(shard_writing, "write_array", until_full)
        patch.setattr(staging, "write_array", until_full)
        kept, again = (r"\d+ documents are kept in .*", "--resume") if room >= 4 else ("nothing is kept", "again")
        with pytest.raises(InputError, match=f"no space left on device; {kept}: make room.*{again}$"):
            make_corpus([source], out, rows_a_shard=100, **mode)
    assert not list(out.rglob("*.part*")) and not (out / MANIFEST).exists()
    assert out.exists() == (room >= 4)  # a draft has four arrays
    made = make_corpus([source], out, rows_a_shard=100, resume=room >= 4, **mode)
    wanted = make_corpus([source], tmp_path / "y.bags", rows_a_shard=100, **mode)
    assert contents(made.folder) == contents(wanted.folder)
