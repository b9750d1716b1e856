"""Corpora on disk: the result for files of all formats, the memory that they need, and the refused input."""

import gzip
import hashlib
import json

import numpy as np
import pytest
from sklearn.feature_extraction import FeatureHasher

from lxmls_day1.base.errors import CorpusError, InputError
from lxmls_day1.engine.corpus.corpus_builder import make_corpus
from lxmls_day1.engine.corpus.shards import MANIFEST
from lxmls_day1.engine.text.tokens import count_tokens
from readers.text_reader import TextCorpus
from tests.wording import wording


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
def test_without_hashing_rows_match_the_text_corpus(tmp_path, source, small_pieces, min_count):
    corpus = make_corpus([source], tmp_path / "x.bags", min_count=min_count, rows_a_shard=150, jobs=2)
    X, labels = matrix(corpus)
    wanted = TextCorpus(source, split=(1, 0, 0), seed=None)
    kept = np.flatnonzero(np.asarray((wanted.X > 0).sum(axis=0)).ravel() >= min_count)
    assert corpus.words() == [wanted.feature_names[j] for j in kept]
    assert np.array_equal(X, wanted.X.toarray()[:, kept])
    assert corpus.classes == wanted.label_names and labels == [wanted.label_names[k] for k in wanted.y]
    assert corpus.dtype == "uint8"


@pytest.mark.parametrize("hash_bits", [None, 12])
def test_every_format_gives_the_same_corpus(write, documents, hash_bits):
    few = documents[:200]
    columns = "text;label\n" + "".join(f'"{t}";{k}\n' for k, t in few)
    packed = write(gzip.compress(columns.encode()), "mails.csv.gz")
    lines = write("".join(json.dumps({"id": 3, "text": t, "label": k}) + "\n" for k, t in few), "mails.jsonl")
    bars = write("".join(f"{k}|{t}\n" for k, t in few).encode("utf-16"), "mails.txt")
    made = [
        make_corpus([path], path.with_name(f"{path.name}.bags"), hash_bits=hash_bits, encoding=encoding)
        for path, encoding in [(packed, None), (lines, "utf-8"), (bars, None)]
    ]
    first, labels = matrix(made[0])
    assert labels == [label for label, _ in few]
    for corpus in made[1:]:
        X, same = matrix(corpus)
        assert np.array_equal(X, first) and same == labels and corpus.words() == made[0].words()


def test_svmlight_keeps_its_columns_or_hashes_their_names(tmp_path, write):
    path = write("+1 3:1 17:2.5  # a remark\n# none\n-1 qid:4 2:1\n1 100000000000:2 \n", "x.svmlight")
    corpus = make_corpus([path], tmp_path / "x.bags")
    assert corpus.words() == ["2", "3", "17", "100000000000"] and corpus.classes == ("-1", "1")
    X, labels = matrix(corpus)
    assert X.tolist() == [[0, 1, 2.5, 0], [1, 0, 0, 0], [0, 0, 0, 2]] and labels == ["1", "-1", "1"]
    hashed, _ = matrix(make_corpus([path], tmp_path / "y.bags", hash_bits=5))
    bags = [{"3": 1.0, "17": 2.5}, {"2": 1.0}, {"100000000000": 2.0}]
    assert np.array_equal(hashed, FeatureHasher(32).transform(bags).toarray())
    with pytest.raises(InputError, match=wording("engine.holds_columns_svmlight_files")):
        make_corpus([path, write("label,text\na,b c\nb,c d\n")], tmp_path / "z.bags")


@pytest.mark.parametrize("settings", [{}, {"hash_bits": 4}, {"hash_bits": 4, "keep_words": True}])
@pytest.mark.parametrize("pair", ["5:1e39", "5:-1e300"])
def test_a_value_beyond_single_precision_is_named(tmp_path, write, pair, settings):
    path = write(f"1 2:1\n-1 3:3.4e38\n\n1 1:2 {pair}\n-1 4:1e300\n", "x.svmlight")
    with pytest.raises(InputError, match=wording("engine.value_is_beyond_the_largest")):
        make_corpus([path], tmp_path / "x.bags", **settings)


def test_bad_input_before_anything_is_kept_leaves_no_folder(tmp_path, write):
    path, out = write("1 2:1\n-1 3:nan\n", "x.svmlight"), tmp_path / "x.bags"
    with pytest.raises(CorpusError, match="line 2"):
        make_corpus([path], out)
    assert not out.exists()
    out.mkdir()  # A folder of the user is not removed.
    with pytest.raises(CorpusError, match="line 2"):
        make_corpus([path], out)
    assert list(out.iterdir()) == []
    path.write_text("1 2:1\n-1 3:0\n")
    assert make_corpus([path], out).n_rows == 2
    with pytest.raises(InputError, match=wording("engine.holds_corpus_already")):
        make_corpus([path], out)
    assert matrix(make_corpus([path], out, overwrite=True))[1] == ["1", "-1"]


def test_seen_words_are_stored_beside_hashed_features(tmp_path, source, documents, small_pieces):
    plain = make_corpus([source], tmp_path / "x.bags", hash_bits=8, rows_a_shard=300)
    corpus = make_corpus([source], tmp_path / "y.bags", hash_bits=8, rows_a_shard=300, keep_words=True)
    assert corpus.words() == list(dict.fromkeys(token for _, text in documents for token in count_tokens(text)))
    assert np.array_equal(matrix(plain)[0], matrix(corpus)[0])


def test_a_test_part_has_the_columns_of_the_training_part(tmp_path, write):
    train = write("label,text\nspam,Win a prize!\nham,See you at noon.\n", "train.csv")
    test = write("label,text\nham,You win nothing.\n", "test.csv")
    trained = make_corpus([train], tmp_path / "train.bags")
    tested = make_corpus([test], tmp_path / "test.bags", like=trained.folder)
    assert tested.words() == trained.words() and tested.classes == trained.classes == ("ham", "spam")
    row = dict(zip(tested.words(), matrix(tested)[0][0].tolist(), strict=True))
    assert {word for word, count in row.items() if count} == {"you", "win"}
    test.write_text("label,text\nham,You win.\neggs,You win nothing.\n")
    with pytest.raises(InputError, match=wording("engine.line_label_eggs_among")):
        make_corpus([test], tmp_path / "again.bags", like=trained.folder)
    hashed = make_corpus([train], tmp_path / "hashed.bags", hash_bits=6)
    assert make_corpus([train], tmp_path / "like.bags", like=hashed.folder).manifest["hash_bits"] == 6


# ------------------------------------------------------------------------------------------ bad input


def test_labels_are_added_as_they_come_unless_all_are_known(tmp_path):
    for number, label in enumerate(["b", "c", "a"]):
        (tmp_path / f"{number}.csv").write_text(f"label,text\n{label},They won.\nb,They lost.\n")
    with pytest.warns(UserWarning, match=wording("engine.label_earlier_file_give")) as caught:
        corpus = make_corpus([tmp_path / "[0-9].csv"], tmp_path / "x.bags", hash_bits=8)
    assert len(caught) == 2
    assert corpus.classes == ("a", "b", "c") and matrix(corpus)[1] == ["b", "b", "c", "b", "a", "b"]
    with pytest.raises(InputError, match=wording("engine.line_label_c_among")):
        make_corpus([tmp_path / "[0-9].csv"], tmp_path / "y.bags", hash_bits=8, classes=["b", "a"])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"hash_bits": 0}, "hash_bits must be"),
        ({"hash_bits": 31}, "hash_bits must be"),
        ({"hash_bits": 8, "min_count": 2}, "min_count .* is for tokens; leave it out"),
        ({"keep_words": True}, "keep_words .* is for hashed features"),
        ({"min_count": 0}, "min_count must be"),
        ({"rows_a_shard": 0}, "rows_a_shard must be"),
        ({"jobs": 0}, "jobs must be"),
        ({"classes": "ab"}, "classes must be a list of labels"),
        ({"classes": ["a", "a"]}, "classes must hold at least two different labels"),
        ({"min_count": 10**6}, "no token is in min_count=1000000 documents"),
        ({"like": "nowhere.bags"}, "there is no folder nowhere.bags"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(tmp_path, source, settings, said):
    with pytest.raises(InputError, match=said):
        make_corpus([source], tmp_path / "x.bags", **settings)
