"""Corpora on disk: what is made of files, in how little memory, and what is refused."""

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.feature_extraction import FeatureHasher

from lxmls_day1.engine.streaming import corpus_making
from lxmls_day1.engine.streaming.corpus_making import make_corpus
from lxmls_day1.engine.streaming.shards import MANIFEST
from lxmls_day1.engine.text import labelled_files, text_blocks
from lxmls_day1.engine.text.tokens import count_tokens
from lxmls_day1.engine.text.toy_stream import toy_documents
from lxmls_day1.errors import CorpusError, InputError
from readers.text_reader import TextCorpus


def matrix(corpus):
    parts = [corpus.open(i) for i in range(len(corpus))]
    X = np.concatenate([part.X.toarray() for part in parts])
    return X, [corpus.classes[label] for part in parts for label in part.labels]


@pytest.mark.parametrize("rows_a_shard", [100, 10**6])
@pytest.mark.parametrize("jobs", [1, 3])
def test_hashed_rows_are_those_of_the_feature_hasher(tmp_path, source, documents, small_pieces, jobs, rows_a_shard):
    corpus = make_corpus([source], tmp_path / "x.bags", hash_bits=10, jobs=jobs, rows_a_shard=rows_a_shard)
    X, labels = matrix(corpus)
    assert labels == [label for label, _ in documents]
    assert np.array_equal(X, FeatureHasher(1024).transform([count_tokens(text) for _, text in documents]).toarray())
    assert corpus.classes == ("class-000", "class-001", "class-002") and corpus.dtype == "float32"
    assert corpus.rows.tolist() == ([100] * 7 if rows_a_shard == 100 else [700])
    corpus.verify()
    manifest = corpus.manifest
    assert manifest["hash_bits"] == 10 and manifest["seed"] == 0 and corpus.words() is None
    assert manifest["sources"][0]["sha256"] == hashlib.sha256(source.read_bytes()).hexdigest()
    assert {path.name for path in corpus.folder.iterdir()} == {MANIFEST, *(s["name"] for s in manifest["shards"])}


@pytest.mark.parametrize("min_count", [1, 3])
def test_without_hashing_it_is_the_matrix_of_the_text_corpus(tmp_path, source, small_pieces, min_count):
    corpus = make_corpus([source], tmp_path / "x.bags", min_count=min_count, rows_a_shard=150, jobs=2)
    X, labels = matrix(corpus)
    wanted = TextCorpus(source, split=(1, 0, 0), seed=None)
    kept = np.flatnonzero(np.asarray((wanted.X > 0).sum(axis=0)).ravel() >= min_count)
    assert corpus.words() == [wanted.feature_names[j] for j in kept]
    assert np.array_equal(X, wanted.X.toarray()[:, kept])
    assert corpus.classes == wanted.label_names and labels == [wanted.label_names[k] for k in wanted.y]
    assert corpus.dtype == "uint8"


def test_counts_above_a_byte_are_kept(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("label,text\na," + "book " * 300 + "\nb,book\n")
    corpus = make_corpus([path], tmp_path / "x.bags")
    assert corpus.dtype == "float32" and matrix(corpus)[0][0].tolist() == [300, 299]


@pytest.mark.parametrize("hash_bits", [None, 12])
def test_every_form_gives_the_same(tmp_path, documents, source, hash_bits):
    few = documents[:200]
    packed = tmp_path / "mails.csv.gz"
    packed.write_bytes(gzip.compress(("text;label\n" + "".join(f'"{t}";{k}\n' for k, t in few)).encode()))
    lines = tmp_path / "mails.jsonl"
    lines.write_text("".join(json.dumps({"id": 3, "text": t, "label": k}) + "\n" for k, t in few))
    columns = tmp_path / "mails.txt"
    columns.write_text("".join(f"{k}|{t}\n" for k, t in few), encoding="utf-16")
    made = [
        make_corpus([path], tmp_path / f"{number}.bags", hash_bits=hash_bits, encoding=encoding)
        for number, (path, encoding) in enumerate([(packed, None), (lines, "utf-8"), (columns, None)])
    ]
    first, labels = matrix(made[0])
    assert labels == [label for label, _ in few]
    for corpus in made[1:]:
        X, same = matrix(corpus)
        assert np.array_equal(X, first) and same == labels and corpus.words() == made[0].words()


def test_svmlight_keeps_its_columns_or_hashes_their_names(tmp_path):
    path = tmp_path / "x.svmlight"
    path.write_text("+1 3:1 17:2.5  # a remark\n# none\n-1 qid:4 2:1\n1 100000000000:2 \n")
    corpus = make_corpus([path], tmp_path / "x.bags")
    assert corpus.words() == ["2", "3", "17", "100000000000"] and corpus.classes == ("-1", "1")
    X, labels = matrix(corpus)
    assert X.tolist() == [[0, 1, 2.5, 0], [1, 0, 0, 0], [0, 0, 0, 2]] and labels == ["1", "-1", "1"]
    hashed, _ = matrix(make_corpus([path], tmp_path / "y.bags", hash_bits=5))
    bags = [{"3": 1.0, "17": 2.5}, {"2": 1.0}, {"100000000000": 2.0}]
    assert np.array_equal(hashed, FeatureHasher(32).transform(bags).toarray())
    with pytest.raises(InputError, match="holds columns, and .*svmlight; all have to be texts, or all svmlight"):
        (tmp_path / "z.csv").write_text("label,text\na,b c\nb,c d\n")
        make_corpus([path, tmp_path / "z.csv"], tmp_path / "z.bags")


@pytest.mark.parametrize("settings", [{}, {"hash_bits": 4}, {"hash_bits": 4, "keep_words": True}])
@pytest.mark.parametrize("pair", ["5:1e39", "5:-1e300"])
def test_a_value_beyond_single_precision_is_named(tmp_path, pair, settings):
    path = tmp_path / "x.svmlight"
    path.write_text(f"1 2:1\n-1 3:3.4e38\n\n1 1:2 {pair}\n-1 4:1e300\n")
    with pytest.raises(InputError, match=r"x.svmlight, line 4: a .*value.* is beyond ±3.4e\+38, the largest"):
        make_corpus([path], tmp_path / "x.bags", **settings)


def test_a_sum_of_hashed_values_beyond_single_precision_is_named(tmp_path):
    names = [str(number) for number in range(1, 9)]
    rows = FeatureHasher(2).transform([{name: 1.0} for name in names]).toarray().tolist()
    alike = [name for name, row in zip(names, rows, strict=True) if row == max(rows, key=rows.count)]
    path = tmp_path / "x.svmlight"
    path.write_text(f"1 2:1\n-1 {alike[0]}:3e38 {alike[1]}:3e38\n")
    with pytest.raises(InputError, match=r"x.svmlight, line 2: a sum of hashed values is beyond"):
        make_corpus([path], tmp_path / "x.bags", hash_bits=1)


def test_bad_input_before_anything_is_kept_leaves_no_folder(tmp_path, source):
    path, out = tmp_path / "x.svmlight", tmp_path / "x.bags"
    path.write_text("1 2:1\n-1 3:nan\n")
    with pytest.raises(CorpusError, match="line 2"):
        make_corpus([path], out)
    assert not out.exists()
    out.mkdir()  # a folder of the user's own stays
    with pytest.raises(CorpusError, match="line 2"):
        make_corpus([path], out)
    assert list(out.iterdir()) == []
    path.write_text("1 2:1\n-1 3:0\n")
    assert make_corpus([path], out).n_rows == 2
    with pytest.raises(InputError, match="holds a corpus already"):
        make_corpus([path], out)
    assert matrix(make_corpus([path], out, resume=True))[1] == ["1", "-1"]


def test_parquet_is_read_or_its_extra_is_named(tmp_path, documents, monkeypatch):
    path = tmp_path / "mails.parquet"
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        path.write_bytes(b"PAR1")
        with pytest.raises(InputError, match=r"through pyarrow, and that is not installed.*lxmls-day1\[parquet\]"):
            make_corpus([path], tmp_path / "x.bags")
        return
    few = documents[:100]
    table = pyarrow.table({"n": range(100), "text": [t for _, t in few], "label": [k for k, _ in few]})
    parquet.write_table(table, path, row_group_size=30)
    monkeypatch.setattr(labelled_files, "_PARQUET_ROWS", 7)
    X, labels = matrix(make_corpus([path], tmp_path / "x.bags", hash_bits=9))
    assert labels == [label for label, _ in few]
    assert np.array_equal(X, FeatureHasher(512).transform([count_tokens(text) for _, text in few]).toarray())
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(CorpusError, match=r"mails.parquet cannot be read as Parquet"):
        make_corpus([path], tmp_path / "y.bags", hash_bits=9)


def test_words_seen_are_kept_beside_hashed_features(tmp_path, source, documents, small_pieces):
    plain = make_corpus([source], tmp_path / "x.bags", hash_bits=8, rows_a_shard=300)
    corpus = make_corpus([source], tmp_path / "y.bags", hash_bits=8, rows_a_shard=300, keep_words=True)
    assert corpus.words() == list(dict.fromkeys(token for _, text in documents for token in count_tokens(text)))
    assert np.array_equal(matrix(plain)[0], matrix(corpus)[0])


def test_a_test_part_has_the_columns_of_the_training_part(tmp_path, documents):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("label,text\nspam,Win a prize!\nham,See you at noon.\n")
    test.write_text("label,text\nham,You win nothing.\n")
    trained = make_corpus([train], tmp_path / "train.bags")
    tested = make_corpus([test], tmp_path / "test.bags", like=trained.folder)
    assert tested.words() == trained.words() and tested.classes == trained.classes == ("ham", "spam")
    row = dict(zip(tested.words(), matrix(tested)[0][0].tolist(), strict=True))
    assert {word for word, count in row.items() if count} == {"you", "win"}
    test.write_text("label,text\nham,You win.\neggs,You win nothing.\n")
    with pytest.raises(InputError, match=r"test.csv, line 3: the label 'eggs' is none of those known, 'ham', 'spam'"):
        make_corpus([test], tmp_path / "again.bags", like=trained.folder)
    hashed = make_corpus([train], tmp_path / "hashed.bags", hash_bits=6)
    assert make_corpus([train], tmp_path / "like.bags", like=hashed.folder).manifest["hash_bits"] == 6


# ------------------------------------------------------------------------------------------ bad input


def test_a_column_that_is_missing_in_the_third_file_is_named(tmp_path):
    for number, names in enumerate(["topic,text", "id,text,topic", "topic,words,n"]):
        fields = ["sport", "They won.", "1"] if number != 1 else ["1", "They won.", "sport"]
        (tmp_path / f"part-{number}.csv").write_text(f"{names}\n{','.join(fields[: names.count(',') + 1])}\n")
    with pytest.raises(InputError, match=r"part-2.csv has no column 'text' for text_column \(--text-column\)"):
        make_corpus([tmp_path / "part-*.csv"], tmp_path / "x.bags", hash_bits=8)


def test_a_first_text_of_many_lines_may_be_longer_than_a_piece(tmp_path, small_pieces):
    text = "They won.\n" * 10_000
    (tmp_path / "long.csv").write_text(f'topic,text\nsport,"{text}"\npolitics,They lost.\n')
    corpus = make_corpus([tmp_path / "long.csv"], tmp_path / "x.bags", hash_bits=8)
    assert corpus.classes == ("politics", "sport") and corpus.open(0).X.shape[0] == 2


@pytest.mark.parametrize("hash_bits", [8, None])
def test_letters_that_another_program_lost_are_warned_of_once_a_file(tmp_path, source, small_pieces, hash_bits):
    lines = source.read_text().splitlines(keepends=True)
    for lost in (456, 500):
        lines[lost] = lines[lost][:30] + "caf\ufffd " + lines[lost][30:]
    damaged = tmp_path / "damaged.tsv"
    damaged.write_text("".join(lines), encoding="utf-8")
    with pytest.warns(UserWarning, match=r"damaged.tsv, line 457: got U\+FFFD .* \(--encoding utf-8\)") as caught:
        make_corpus([source, damaged], tmp_path / "x.bags", hash_bits=hash_bits)
    assert len(caught) == 1
    make_corpus([source, damaged], tmp_path / "y.bags", hash_bits=hash_bits, encoding="utf-8")


def test_a_line_that_cannot_be_decoded_is_named_with_its_file(tmp_path, source, small_pieces):
    broken = tmp_path / "broken.tsv"
    lines = source.read_bytes().splitlines(keepends=True)
    lines[456] = lines[456][:30] + b"caf\xe9 " + lines[456][30:]
    broken.write_bytes(b"".join(lines))
    with pytest.raises(
        CorpusError, match=r"broken.tsv, line 457: expected text in utf-8, got the byte 0xE9; in cp1252"
    ):
        make_corpus([source, broken], tmp_path / "x.bags", hash_bits=8)
    lines[456] = lines[456].replace(b"\xe9", b"\0")
    broken.write_bytes(b"".join(lines))
    with pytest.raises(CorpusError, match=r"broken.tsv, line 457: .* got a zero byte"):
        make_corpus([source, broken], tmp_path / "y.bags", hash_bits=8)
    lines[456] = b"class-001\n"
    broken.write_bytes(b"".join(lines))
    with pytest.raises(CorpusError, match=r"broken.tsv, line 457: got 1 field; expected 2 as in line 1"):
        make_corpus([source, broken], tmp_path / "z.bags", hash_bits=8)


def test_labels_are_added_as_they_come_unless_all_are_known(tmp_path):
    for number, label in enumerate(["b", "c", "a"]):
        (tmp_path / f"{number}.csv").write_text(f"label,text\n{label},They won.\nb,They lost.\n")
    with pytest.warns(UserWarning, match="is a label that no file before it has; give --classes") as caught:
        corpus = make_corpus([tmp_path / "[0-9].csv"], tmp_path / "x.bags", hash_bits=8)
    assert len(caught) == 2
    assert corpus.classes == ("a", "b", "c") and matrix(corpus)[1] == ["b", "b", "c", "b", "a", "b"]
    with pytest.raises(InputError, match=r"1.csv, line 2: the label 'c' is none of those known, 'a', 'b'"):
        make_corpus([tmp_path / "[0-9].csv"], tmp_path / "y.bags", hash_bits=8, classes=["b", "a"])


def test_texts_taken_for_labels_are_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_making, "MOST_CLASSES", 5)
    (tmp_path / "x.csv").write_text("label,text\n" + "".join(f"label {n},sport\n" for n in range(9)))
    with pytest.raises(InputError, match=r"x.csv: there are more than 5 labels up to line 10; .*--label-column"):
        make_corpus([tmp_path / "x.csv"], tmp_path / "x.bags", hash_bits=8)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"hash_bits": 0}, "hash_bits must be a whole number at least 1 and at most 30"),
        ({"hash_bits": 31}, "hash_bits must be"),
        ({"hash_bits": 8, "min_count": 2}, "min_count .* is for columns of tokens"),
        ({"keep_words": True}, "keep_words .* is for hashed features"),
        ({"min_count": 0}, "min_count must be"),
        ({"rows_a_shard": 0}, "rows_a_shard must be"),
        ({"jobs": 0}, "jobs must be"),
        ({"classes": "ab"}, "classes must be a list of labels"),
        ({"classes": ["a", "a"]}, "classes must be two or more different labels"),
        ({"min_count": 10**6}, "no token is in min_count=1000000 documents"),
        ({"like": "nowhere.bags"}, "there is no folder nowhere.bags"),
        ({"resume": "yes"}, "resume must be True or False"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(tmp_path, source, settings, said):
    with pytest.raises(InputError, match=said):
        make_corpus([source], tmp_path / "x.bags", **settings)


def test_files_that_are_not_there(tmp_path, source):
    for paths, said in (
        ([tmp_path / "no-*.csv"], "no file fits the pattern"),
        ([tmp_path / "none.csv"], "none.csv cannot be read: No such file"),
        ([tmp_path], "is a folder; name files, or a pattern such as"),
        ([], "there is no file to read"),
        (["-", "-"], "standard input is named twice"),
    ):
        with pytest.raises(InputError, match=said):
            make_corpus(paths, tmp_path / "x.bags", hash_bits=8)
    assert not (tmp_path / "x.bags").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes of Unix")
def test_a_named_pipe_is_read_as_standard_input_is(tmp_path, source):
    pipe = tmp_path / "pipe.tsv"
    os.mkfifo(pipe)
    writing = threading.Thread(target=pipe.write_bytes, args=[source.read_bytes()])
    writing.start()
    corpus = make_corpus([pipe], tmp_path / "x.bags", hash_bits=8)
    writing.join()
    assert corpus.n_rows == 700 and corpus.manifest["sources"][0]["path"] == "-"


def test_quoted_texts_reach_over_lines_and_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "PIECE", 64)
    texts = [f'word{n}\nand ""quotes"", line {n}\r\n' * (1 + n % 5) + "end" for n in range(60)]
    path = tmp_path / "x.csv"
    path.write_bytes(("label,text\n" + "".join(f'{n % 2},"{text}"\n' for n, text in enumerate(texts))).encode())
    corpus = make_corpus([path], tmp_path / "x.bags")
    wanted = TextCorpus(path, split=(1, 0, 0), seed=None)
    assert corpus.words() == wanted.feature_names and np.array_equal(matrix(corpus)[0], wanted.X.toarray())


@pytest.mark.slow
def test_a_document_of_100_mb_on_one_line(tmp_path):
    path = tmp_path / "x.tsv"
    word = b"excellent books are rare and "
    with path.open("wb") as file:
        file.write(b"label\ttext\ngood\t" + word * (10**8 // len(word)) + b"\nbad\tA dull book.\n")
    corpus = make_corpus([path], tmp_path / "x.bags", hash_bits=12)
    X, labels = matrix(corpus)
    repeats = 10**8 // len(word)
    tokens = count_tokens((word * 2).decode())
    once, twice = count_tokens(word.decode()), tokens
    counts = {token: once.get(token, 0) + (repeats - 1) * (twice[token] - once.get(token, 0)) for token in twice}
    assert np.array_equal(X[0], FeatureHasher(4096, dtype=np.float32).transform([counts]).toarray()[0])
    assert labels == ["good", "bad"] and np.array_equal(
        X[1], FeatureHasher(4096).transform([count_tokens("A dull book.")]).toarray()[0]
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read as Linux tells it")
def test_memory_does_not_grow_with_the_corpus(tmp_path):
    """Three times as many documents, 14 MB more of text and 20 MB more of matrices: the same peak but for 10 MB.

    The words that are remembered have a bound of their own; it is lowered, so that both corpora reach it.
    """
    code = """
import sys
from lxmls_day1.engine.text import token_batches
from lxmls_day1.engine.streaming.corpus_making import make_corpus
token_batches._MOST_WORDS = 20_000
make_corpus([sys.argv[1]], sys.argv[2], hash_bits=16, rows_a_shard=5000)
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 2**10)
"""
    peaks = []
    for number, n in enumerate((25_000, 75_000)):
        source = tmp_path / f"{n}.tsv"
        with source.open("w") as file:
            for block in toy_documents(n, n_words=40):
                file.writelines(f"{label}\t{text}\n" for label, text in block)
        command = [sys.executable, "-c", code, str(source), str(tmp_path / f"{number}.bags")]
        peaks.append(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    assert peaks[1] < peaks[0] + 10, peaks


def test_the_first_files_description_is_in_the_manifest(tmp_path, source):
    corpus = make_corpus([source], tmp_path / "x.bags", hash_bits=8)
    assert re.search(
        r"mails.tsv: a tab between columns, a header; label in 'label', text in 'text'", corpus.manifest["read_as"][0]
    )
