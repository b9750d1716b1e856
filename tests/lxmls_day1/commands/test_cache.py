import json
import subprocess
import sys

import pytest

from lxmls_day1.engine.corpus.shards import Shards
from lxmls_day1.engine.text.toy_stream import toy_documents
from tests.command_runs import run
from tests.wording import wording


def test_toy_documents_become_a_corpus_through_a_pipe(tmp_path):
    made = run("toy", "--documents", "1.5e3", "--classes", "3", "--words", 10)
    assert made.output.startswith("label\ttext\n") and made.output.count("\n") == 1501
    documents = [document for block in toy_documents(1500, 1, 3, 10) for document in block]
    assert made.output.splitlines()[1:] == [f"{label}\t{text}" for label, text in documents]
    out = tmp_path / "toy.bags"
    cached = run("cache", "-", "--hash", 12, "--out", out, "--jobs", 2, stdin=made.output)
    assert "Read standard input: a tab between columns, a header; label in 'label', text in 'text'." in cached.stderr
    assert f"Made {out}: 1500 documents, 4096 features, 3 classes, 1 shard, " in cached.stdout
    corpus = Shards(out)
    assert corpus.n_rows == 1500 and corpus.manifest["sources"][0]["path"] == "-"


def test_a_changed_value_is_found_by_verify(tmp_path):
    path, out = tmp_path / "mails.csv", tmp_path / "x.bags"
    path.write_text("label,text\nham,See you at noon\nspam,Win a prize\n")
    run("cache", path, "--out", out)
    assert wording("commands.unchanged_since_written_shard") in run("cache", "--verify", out).stdout
    data = out / "shard-00000/data.npy"
    content = data.read_bytes()
    data.write_bytes(content[:-1] + bytes([content[-1] + 1]))
    assert wording("commands.data_npy_changed_since") in run("cache", "--verify", out, status=1).stderr
    for arguments in (["--verify", out, path], [], [path]):
        run("cache", *arguments, status=2)


@pytest.mark.parametrize(("options", "is_told"), [(["-"], True), (["-", "--hash", "8"], False)])
def test_keeping_all_tokens_is_announced_first(tmp_path, options, is_told):
    said = run("cache", *options, "--out", tmp_path / "x.bags", stdin="label,text\nham,See you\nspam,Win\n")
    assert (wording("commands.tokens_kept_memory") in said.stderr) == is_told


def test_options_of_cache_are_applied(tmp_path):
    path = tmp_path / "mails.txt"
    path.write_text('Mails\n1;It\'s 5" wide;ham\n2;Win a prize;spam\n3;Win 6" now;ham\n')
    out = tmp_path / "x.bags"
    options = ["--label-column", 2, "--text-column", 1, "--no-header", "--no-quotes", "--delimiter", "semicolon"]
    options += ["--skip-lines", 1]
    chosen = ["--min-count", 2, "--shard-rows", 2, "--classes", "ham, spam,eggs"]
    run("cache", path, "--out", out, *options, *chosen)
    corpus = Shards(out)
    assert corpus.words() == ["<num>", "win"]
    assert corpus.classes == ("eggs", "ham", "spam")
    assert corpus.rows.tolist() == [2, 1]
    run("cache", path, "--out", out, "--hash", 9, "--keep-words", *options, "--overwrite")
    assert len(Shards(out).words()) > 5
    run("cache", path, "--out", tmp_path / "y.bags", "--like", out, *options)
    assert json.loads((tmp_path / "y.bags" / "manifest.json").read_text())["hash_bits"] == 9


@pytest.mark.parametrize("number", ["1.5", "-1", "many", "1e400", "nan"])
def test_an_invalid_number_of_documents_is_a_usage_error(number):
    assert wording("commands.whole_number_least_such") in run("toy", "--documents", number, status=2).output


def test_a_closed_pipe_ends_the_generator_quietly():
    code = "from lxmls_day1.commands.command_line import main; main(['toy', '--documents', '1e7'])"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run_of_toy:
        assert run_of_toy.stdout.readline() == b"label\ttext\n"
        run_of_toy.stdout.close()
        assert run_of_toy.stderr.read() == b""
    assert run_of_toy.returncode == 1


def test_an_interruption_reports_that_nothing_is_saved(tmp_path, monkeypatch):
    from lxmls_day1.engine.corpus import corpus_builder

    (tmp_path / "x.csv").write_text("label,text\na,They won.\nb,They lost.\n")
    for step in ("read", "finish"):
        with monkeypatch.context() as patch:
            patch.setattr(corpus_builder._CorpusBuilder, step, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            result = run("cache", tmp_path / "x.csv", "--out", tmp_path / "x.bags", status=1)
        assert "Nothing is kept" in result.stderr
        assert not (tmp_path / "x.bags").exists()
