import hashlib
import json
import os

import numpy as np
import pytest
from scipy.sparse import random_array

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.corpus.shard_writing import write_shards
from lxmls_day1.engine.corpus.shards import MANIFEST, Shards
from tests.wording import wording

CLASSES = ("ham", "spam", "eggs")


def corpus(folder, rows_a_shard=20, whole=True):
    rng = np.random.default_rng(50)
    X = random_array((50, 30), density=0.2, rng=rng, format="csr")
    X.data = rng.integers(1, 256, X.nnz).astype(float) if whole else rng.normal(size=X.nnz)
    y = rng.integers(0, 3, 50)
    return X, y, write_shards(folder, X, y, CLASSES, rows_a_shard=rows_a_shard)


@pytest.fixture
def shards(tmp_path):
    return corpus(tmp_path / "x.bags")[2]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("rows_a_shard", [7, 20, 50, 1000])
def test_a_written_corpus_is_read_back(tmp_path, rows_a_shard, whole):
    X, y, shards = corpus(tmp_path / "x.bags", rows_a_shard=rows_a_shard, whole=whole)
    assert shards.dtype == ("uint8" if whole else "float32")
    assert (shards.n_rows, shards.n_features, shards.classes) == (50, 30, CLASSES)
    assert len(shards) == -(-50 // rows_a_shard) and shards.rows.sum() == 50
    parts = [Shards(shards.folder).open(i) for i in range(len(shards))]
    assert np.array_equal(np.concatenate([part.labels for part in parts]), y)
    read = np.concatenate([part.X.toarray() for part in parts])
    assert np.array_equal(read, X.toarray().astype(shards.dtype))
    for part in parts:
        arrays = (part.X.indptr, part.X.indices, part.X.data, part.labels)
        assert [array.dtype for array in arrays] == ["int64", "uint32", shards.dtype, "int32"]
        assert not any(array.flags.writeable for array in arrays)
    shards.verify()


def damaged(folder, change):
    manifest = json.loads((folder / MANIFEST).read_text())
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.update(version=2, made_by="9.0"), "version 2 of the format, written by lxmls-day1 9.0; .*update"),
        (lambda m: m.update(format="other"), "belongs to something else"),
        (lambda m: m.pop("classes"), "damaged: 'classes' is missing"),
        (lambda m: m["shards"][0].update(name="../elsewhere"), "damaged: shard 0 is called"),
        (lambda m: m["shards"][1].update(rows=-1), "damaged: a size"),
        (lambda m: m["shards"].append(3), "damaged"),
        (lambda m: m.update(dtype="object"), "damaged: dtype is 'object'"),
        (lambda m: m.update(n_features=True), "damaged: a size"),
        (lambda m: m.update(sources=[{}]), "damaged: 'path' is missing"),
        (lambda m: m.update(sources=[{"path": "/x/../etc/passwd"}]), "not the full path of a source"),
        (lambda m: m["shards"][0].update(rows=2**63), "damaged: the files of shard 0 are too small"),
        (lambda m: m["shards"][0].update(nonzeros=2**40), "damaged: the files of shard 0 are too small"),
        (lambda m: m.update(classes=["ham", "spam", "ham"]), "damaged: two classes have the same name"),
        (lambda m: m.update(classes=[str(i) for i in range(10**6)]), "more than 16384 classes"),
        (lambda m: m.update(n_features=2**31), "more than 2147483647 features"),
        (lambda m: m.update(classes="abc"), "damaged: classes, shards or sources is not a list"),
    ],
)
def test_a_manifest_of_another_kind_is_refused(shards, change, said):
    damaged(shards.folder, change)
    with pytest.raises(InputError, match=said) as error:
        Shards(shards.folder)
    assert MANIFEST in str(error.value)


def test_folders_that_are_not_corpora_are_refused_with_the_reason(tmp_path):
    with pytest.raises(InputError, match=wording("engine.folder_lxmls_day_cache")):
        Shards(tmp_path / "nowhere")
    with pytest.raises(InputError, match=wording("engine.corpus_disk_manifest_json")):
        Shards(tmp_path)
    (tmp_path / "shard-00000").mkdir()
    with pytest.raises(InputError, match="is unfinished.* again"):
        Shards(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=wording("engine.not_folder_of_corpus")):
        Shards(tmp_path / "file")
    with pytest.raises(InputError, match=wording("engine.folder_must_be_path")):
        Shards(3)


def test_a_missing_and_a_truncated_file_are_named(shards):
    path = shards.folder / "shard-00001" / "indices.npy"
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    for use in (lambda: shards.open(1), shards.verify, lambda: Shards(shards.folder)):
        with pytest.raises(InputError, match=wording("engine.shard_indices_npy_bytes", len(content) - 1)):
            use()
    shards.open(0)
    path.unlink()
    for use in (lambda: shards.open(1), shards.verify, lambda: Shards(shards.folder)):
        with pytest.raises(InputError, match=r"shard-00001.indices.npy is missing \(No such file"):
            use()
    assert Shards(shards.folder, partial=True).open(0).X.shape == (20, 30)


@pytest.mark.parametrize(
    ("name", "place", "value", "said"),
    [
        ("indices.npy", -4, 2**32 - 1, "it holds the feature 4294967295, but the corpus has 30 features"),
        ("indptr.npy", -8, 0, "rows overlap"),
        ("labels.npy", -4, 3, "a class that does not exist"),
        ("labels.npy", -4, 2**32 - 1, "a class that does not exist"),
    ],
)
def test_arrays_that_would_lead_compiled_code_astray_are_refused(shards, name, place, value, said):
    path = shards.folder / "shard-00000" / name
    content = bytearray(path.read_bytes())
    content[place : place + 4 or None] = int(value).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"{name} is damaged: .*{said}"):
        shards.open(0)
    with pytest.raises(InputError, match=wording("engine.changed_since_written", name)):
        shards.verify()


def test_a_corpus_whose_source_has_changed_is_stale(shards, write):
    source = write("a,b\n", "mails.csv")
    sha256, mtime_ns = hashlib.sha256(b"a,b\n").hexdigest(), source.stat().st_mtime_ns
    entry = {"path": str(source), "bytes": 4, "mtime_ns": mtime_ns, "sha256": sha256}
    damaged(shards.folder, lambda manifest: manifest.update(sources=[entry]))
    Shards(shards.folder)
    os.utime(source, ns=(1, 1))  # A new date, but the same content.
    Shards(shards.folder).verify()
    source.write_text("a,c\n")
    with pytest.raises(InputError, match=r"is stale: .*mails.csv has changed"):
        Shards(shards.folder)
    source.unlink()  # As on another machine.
    Shards(shards.folder).verify()
