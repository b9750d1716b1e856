"""Saved classifiers: restored contents, refused files, and the classes that a file may name."""

import json

import numpy as np
import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.models.model_file import class_finder, declared_classes, load_model, save_model
from tests.wording import wording


class Ruler:
    """The minimal classifier for these tests."""

    def __init__(self, length=1.0, rng=None):
        self.length, self.rng = length, rng
        self.classes = np.array([0, 1])

    def train(self, X, y):
        raise NotImplementedError

    def test(self, X, params):
        raise NotImplementedError


def find_ruler(class_name, module_name):
    assert class_name == "Ruler"
    return Ruler


def with_header(path, change):
    """Change a file's header, with correct checksums."""
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(arrays["header"].tobytes())
    change(header)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with path.open("wb") as file:
        np.savez(file, **arrays)


def with_described(path, **changes):
    """Change what a file's header says of its classifier."""
    with_header(path, lambda header: header["content"]["classifier"]["classifier"].update(changes))


class TestModel:
    def test_a_hyper_parameter_that_cannot_be_saved_is_skipped_with_a_warning(self, tmp_path):
        with pytest.warns(UserWarning, match=wording("engine.rng_ruler_cannot_saved")):
            save_model(tmp_path / "x", Ruler(2.0, np.random.default_rng(1)), np.eye(2))
        ruler = load_model(tmp_path / "x", find_ruler).classifier
        assert (ruler.length, ruler.rng) == (2.0, None)

    def test_attributes_added_by_training_are_restored(self, tmp_path):
        ruler = Ruler()
        ruler.learnt = np.arange(3)
        save_model(tmp_path / "x", ruler, np.eye(2), notes={"data_set": "points"})
        model = load_model(tmp_path / "x", find_ruler)
        np.testing.assert_array_equal(model.classifier.learnt, np.arange(3), strict=True)
        assert model.notes == {"data_set": "points"}

    def test_methods_are_not_replaced(self, tmp_path):
        save_model(tmp_path / "x", Ruler(), np.eye(2))
        with_described(tmp_path / "x", attributes={"test": 1, "__class__": "x", "__init__": 2})
        ruler = load_model(tmp_path / "x", find_ruler).classifier
        assert type(ruler) is Ruler and callable(ruler.test)

    def test_required_arguments_are_given(self, tmp_path):
        class Demanding(Ruler):
            def __init__(self, colour, /, *more, **settings):
                super().__init__()
                self.colour = colour

        class Keyword(Ruler):
            def __init__(self, colour):
                super().__init__()
                self.colour = colour

        save_model(tmp_path / "x", Keyword("red"), np.eye(2))
        assert load_model(tmp_path / "x", lambda *_: Keyword).classifier.colour == "red"
        save_model(tmp_path / "x", Demanding("red"), np.eye(2))
        with pytest.raises(InputError, match=wording("engine.holds_demanding_cannot_created")):
            load_model(tmp_path / "x", lambda *_: Demanding)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"params": np.eye(3)}, "the parameters have 3 columns, but the classifier has 2 classes"),
            ({"params": [1.0, 2.0]}, "params must be a matrix"),
            ({"feature_names": ["a", "b"]}, "2 feature names, but the parameters have 2 rows"),
            ({"feature_names": [1]}, "a feature name must be a string, but one is 1"),
            ({"params": np.ones((3, 2)), "feature_names": ["a", "a"]}, "must be unique"),
            ({"label_names": ["good"]}, "1 label names, .* but 1 is a label"),
        ],
    )
    def test_inconsistent_parts_are_refused_when_saving(self, tmp_path, arguments, message):
        with pytest.raises(InputError, match=message):
            save_model(tmp_path / "x", Ruler(), **{"params": np.eye(2), **arguments})
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "change",
        [
            {"label_names": ["a"]},
            {"feature_names": 3},
            {"feature_names": ["a", "b", "c"]},
            {"params": None},
            {"more": 1},
            {"classifier": 1},
        ],
    )
    def test_inconsistent_parts_are_refused_when_loading(self, tmp_path, change):
        save_model(tmp_path / "x", Ruler(), np.eye(2))
        with_header(tmp_path / "x", lambda header: header["content"].update(change))
        with pytest.raises(InputError, match=wording("engine.model_lxmls_day_parts")):
            load_model(tmp_path / "x", find_ruler)


FILES = {
    "base.py": "class LinearClassifier: pass\n",
    "mine.py": "import base\nclass Mine(base.LinearClassifier): pass\nclass Other: pass\nclass _Hidden(Mine): pass\n",
    "grown.py": "from mine import Mine\nclass Mixed(Other, Mine): pass\n",
    "broken.py": "class Broken(LinearClassifier:\n",
    "zeros.py": "\0",
    "evil.py": "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\nclass Evil: pass\n",
}


class TestClasses:
    @pytest.fixture
    def folder(self, tmp_path):
        for name, text in FILES.items():
            (tmp_path / name).write_text(text)
        return tmp_path

    def test_classes_are_found_without_running_a_file(self, folder):
        found = declared_classes(folder)
        files = {"LinearClassifier": "base", "Mine": "mine", "_Hidden": "mine", "Mixed": "grown"}
        assert {name: one.file for name, one in found.items()} == files
        assert not (folder / "ran").exists()
        assert set(declared_classes(folder, root="Mine")) == {"Mine", "_Hidden", "Mixed"}

    @pytest.mark.parametrize("names", [("Evil", "evil"), ("system", "os"), ("Mine", "evil"), ("Popen", "subprocess")])
    def test_a_file_cannot_choose_the_imported_module(self, folder, names):
        def no_import(name):
            raise AssertionError(f"{name} was imported")

        save_model(folder / "x", Ruler(), np.eye(2))
        with_described(folder / "x", **dict(zip(("class", "module"), names, strict=True)))
        with pytest.raises(InputError, match=wording("engine.class_among_classifiers", *names)):
            load_model(folder / "x", class_finder(Ruler, folder, no_import))
        assert not (folder / "ran").exists()

    @pytest.mark.parametrize("names", [("../evil", "evil"), (1, "x"), ("Mine", "a.b")])
    def test_invalid_class_names_are_refused(self, folder, names):
        save_model(folder / "x", Ruler(), np.eye(2))
        with_described(folder / "x", **dict(zip(("class", "module"), names, strict=True)))
        with pytest.raises(InputError, match=wording("engine.it_names_no_class")):
            load_model(folder / "x", find_ruler)
