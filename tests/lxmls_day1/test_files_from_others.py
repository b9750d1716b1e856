"""Corpora on disk, checkpoints and models that another person has changed: each is used, or refused with an `InputError`.

Any value of a manifest, or of the header of a saved file, and any array is replaced. No test depends on a time limit,
but a signal ends a test that hangs.
"""

import copy
import io
import json
import shutil
import signal
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers.mira import Mira
from classifiers.multinomial_naive_bayes import MultinomialNaiveBayes
from lxmls_day1.base.errors import InputError
from lxmls_day1.commands.cache import command as cache
from lxmls_day1.commands.streamed_training import train_on_corpus
from lxmls_day1.engine.corpus.checkpoint import Checkpoint
from lxmls_day1.engine.corpus.corpus_builder import make_corpus
from lxmls_day1.engine.corpus.shard_writing import write_shards
from lxmls_day1.engine.corpus.shards import MANIFEST, Shards, read_words
from lxmls_day1.engine.corpus_training import train_corpus
from lxmls_day1.engine.models.model_file import save_model
from lxmls_day1.engine.text.documents import read_bytes
from lxmls_day1.engine.text.labelled_files import read_labelled
from lxmls_day1.lab import Lab
from tests.wording import wording

X = np.array([[2, 0, 1], [0, 1, 0], [0, 0, 3], [1, 1, 0]])
EXAMPLES = settings(max_examples=100, deadline=None, derandomize=True)
VALUES = [None, True, -1, 0, 1, 2**31, 2**63, 1e300, float("nan"), "", "x", "../x", "/dev/zero"]
VALUES += [[], {}, [[]], ["a", "a"], {"a": 1}]
OPTIONS = dict.fromkeys(("test_corpus", "checkpoint", "every", "resume", "scheduler", "mix_every"))
ARRAYS = [np.zeros(0), np.zeros(1), np.zeros((3, 2)), np.full((4, 2), np.nan), np.arange(8), np.array(["a"])]
ARRAYS += [np.zeros((4, 1, 2, 1))]


@pytest.fixture(autouse=True)
def no_test_waits_for_ever():
    set_alarm = getattr(signal, "alarm", lambda seconds: None)  # Windows has none.
    set_alarm(600)
    yield
    set_alarm(0)


def places(tree, path=()):
    """Yield the path of every value in nested dictionaries and lists."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def replaced(tree, path, value):
    """Return a copy in which one value is replaced; ``Ellipsis`` removes it."""
    changed = copy.deepcopy(tree)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return changed


def taken_or_refused(use):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            use()
        except InputError as error:
            assert str(error)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("given") / "x.bags"
    write_shards(folder, X, [0, 1, 1, 0], ("ham", "spam"), rows_a_shard=2, words=["a", "b", "c"])
    return folder


@EXAMPLES
@given(data=st.data())
def test_a_changed_manifest_is_used_or_refused(corpus, tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("changed") / "x.bags"
    shutil.copytree(corpus, folder)
    folder.with_name("more.csv").write_text("label,text\nham,a b\nspam,b c\n")
    manifest = json.loads((folder / MANIFEST).read_text())
    path = data.draw(st.sampled_from(sorted(places(manifest), key=str)))
    value = data.draw(st.sampled_from([..., *VALUES]))
    (folder / MANIFEST).write_text(json.dumps(replaced(manifest, path, value)))

    def use():
        shards = Shards(folder)
        shards.verify()
        shards.words()
        train_corpus(Mira(nr_rounds=1), folder)
        train_corpus(MultinomialNaiveBayes(), folder)
        make_corpus([folder.with_name("more.csv")], folder.with_name("more.bags"), like=folder)
        saved = str(folder.with_name("mira.npz"))
        train_on_corpus(Lab.open(), Mira(nr_rounds=1), OPTIONS | {"corpus": folder}, saved, True)
        cache.callback(
            paths=(), out=None, verify=str(folder), classes=None, no_quotes=False, rows_a_shard=None, resume=False
        )

    taken_or_refused(use)


def changed_file(path, out, data):
    """Write a saved file with another value in its header, or with another array."""
    with zipfile.ZipFile(path) as archive:
        arrays = {name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name))) for name in archive.namelist()}
    (header_name,) = [name for name, array in arrays.items() if array.dtype == np.uint8 and array[:1] == ord("{")]
    header = json.loads(arrays[header_name].tobytes())
    if data.draw(st.booleans()):
        place = data.draw(st.sampled_from(sorted(places(header), key=str)))
        header = replaced(header, place, data.draw(st.sampled_from([..., *VALUES])))
        arrays[header_name] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    else:
        arrays[data.draw(st.sampled_from(sorted(arrays)))] = data.draw(st.sampled_from(ARRAYS))
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return out


@pytest.fixture(scope="module", params=[1, 2], ids="n_jobs={}".format)
def sound(request, corpus, tmp_path_factory):
    """Return a checkpoint, and a function that resumes its training."""
    path = tmp_path_factory.mktemp("kept") / "sound"

    def train(path, resume=True):
        learner = Mira(nr_rounds=2, n_jobs=request.param)
        return train_corpus(learner, corpus, checkpoint=Checkpoint(path, every=3, resume=resume))

    train(path, resume=False)
    return path, train


@EXAMPLES
@given(data=st.data())
def test_a_changed_checkpoint_is_used_or_refused(sound, data):
    path, train = sound
    changed = changed_file(path, path.with_name("changed"), data)
    taken_or_refused(lambda: train(changed))


@EXAMPLES
@given(data=st.data())
def test_a_changed_model_is_used_or_refused(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("model")
    learner = Mira()
    save_model(folder / "sound", learner, learner.train(X, [0, 1, 1, 0]), feature_names=["a", "b", "c"])
    changed = changed_file(folder / "sound", folder / "changed", data)

    def use():
        model = Mira.load(changed)
        model.classifier.test(X, model.params)

    taken_or_refused(use)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices among the files")
@pytest.mark.parametrize("read", [read_labelled, lambda path: read_bytes(str(path)), read_words])
def test_a_device_is_not_read_to_an_end_that_it_does_not_have(tmp_path, read):
    folder = tmp_path / "x.bags"
    folder.mkdir()
    given = folder / "words.txt"
    given.symlink_to("/dev/zero")
    with pytest.raises(InputError, match=wording("lab.regular_file_w")):
        read(given)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_corpus_in_a_folder_whose_name_is_not_utf_8(tmp_path):
    mails = tmp_path / "d\udcff" / "mails.csv"
    mails.parent.mkdir()
    mails.write_text("label,text\nham,a b\nspam,b c\n")
    shards = make_corpus([mails], mails.with_name("x.bags"))
    assert shards.manifest["sources"][0]["path"] == str(tmp_path / "d\udcff" / "mails.csv")
