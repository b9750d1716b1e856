"""The file format: restored contents, and the messages about files that were changed."""

import copy
import io
import json
import math
import os
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import lxmls_day1
from lxmls_day1.base.errors import InputError
from lxmls_day1.engine.models.npz_file import FORMAT_VERSION, read_file, write_file
from tests.wording import wording

CONTENT = {
    "params": np.array([[0.5, -np.inf], [1.0, 2.0]]),
    "names": ["a", "ß\n", "\ud800", "🙂"],
    "settings": {"rate": 0.1, "rounds": 3, "kind": None, "shape": (1, [True, math.inf])},
    "empty": np.zeros((0, 3)),
}


def same(a, b):
    """Return True if values and types are equal at every level; NaN equals NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and (a.tobytes() == b.tobytes() or a.tolist() == b.tolist())
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return a == b or (a != a and b != b)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.npz"
    write_file(path, "thing", CONTENT)
    return path


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def rewrite(path, contents, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def with_header(path, change):
    """Change a file's header, with correct checksums."""
    contents = members(path)
    header = json.loads(np.load(io.BytesIO(contents["header.npy"])).tobytes())
    change(header)
    contents["header.npy"] = npy(np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))
    rewrite(path, contents)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5)
arrays = hnp.arrays(
    st.one_of(
        hnp.integer_dtypes(endianness="="),
        hnp.floating_dtypes(endianness="=", sizes=(32, 64)),
        hnp.boolean_dtypes(),
        hnp.unicode_string_dtypes(endianness="=", max_len=4),
    ),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
)
values = st.recursive(
    scalars | arrays,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


class TestContent:
    @pytest.mark.slow
    @settings(max_examples=50)
    @given(content=st.dictionaries(st.text(max_size=5), values, max_size=3))
    def test_content_is_restored_unchanged(self, tmp_path_factory, content):
        path = tmp_path_factory.getbasetemp() / "any.npz"
        content = {f"a{i}": value for i, value in enumerate(content.values())}
        write_file(path, "anything", content)
        assert same(read_file(path, "anything"), content)

    def test_numpy_reads_the_arrays_without_us(self, saved):
        with np.load(saved, allow_pickle=False) as file:
            assert np.array_equal(file["params"], CONTENT["params"])
            header = json.loads(file["header"].tobytes())
        assert header["package_version"] == lxmls_day1.__version__
        assert header["format_version"] == FORMAT_VERSION

    def test_numpy_scalars_come_back_as_python_s(self, tmp_path):
        write_file(tmp_path / "x", "t", {"rate": np.float32(0.5), "rounds": np.int64(3), "name": np.str_("a")})
        assert same(read_file(tmp_path / "x", "t"), {"rate": 0.5, "rounds": 3, "name": "a"})

    @pytest.mark.parametrize("value", [len, {1, 2}, 1j, np.random.default_rng(1), sp.csr_array(np.eye(2)), [[b"x"]]])
    def test_unsupported_values_are_refused_and_nothing_is_written(self, tmp_path, value):
        with pytest.raises(InputError, match=wording("engine.value_type_cannot_hold")):
            write_file(tmp_path / "x", "t", {"value": value})
        assert list(tmp_path.iterdir()) == []


class TestDamage:
    def test_a_truncated_file_is_refused(self, saved):
        data = saved.read_bytes()
        for length in {*range(0, len(data), 7), *range(150), *range(len(data) - 30, len(data))}:
            saved.write_bytes(data[:length])
            with pytest.raises(InputError, match=wording("engine.empty_model_damaged_incomplete")) as caught:
                read_file(saved, "thing")
            assert str(saved) in str(caught.value)

    @pytest.mark.slow
    def test_one_bit_flipped_anywhere_is_noticed_or_without_effect(self, saved):
        data = saved.read_bytes()
        noticed, positions = 0, range(0, len(data), 3)
        for position in positions:
            flipped = bytearray(data)
            flipped[position] ^= 1 << position % 8
            saved.write_bytes(flipped)
            try:
                content = read_file(saved, "thing")
            except InputError:
                noticed += 1
            else:
                assert same(content, CONTENT), position
        assert noticed > 0.8 * len(positions)  # The other bits belong to dates and similar fields.

    def test_a_missing_file_and_a_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            read_file(tmp_path / "none", "thing")
        with pytest.raises((IsADirectoryError, PermissionError)):
            read_file(tmp_path, "thing")


class Bomb:
    """An object whose pickle writes a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


class TestForeign:
    @pytest.mark.parametrize("data", [b"just text", b"\x93NUMPY", pickle.dumps([1]), b"token:1 #label#:positive\n"])
    def test_files_that_are_not_archives_are_refused(self, tmp_path, data):
        (tmp_path / "x").write_bytes(data)
        with pytest.raises(InputError, match=wording("engine.model_lxmls_day_does")):
            read_file(tmp_path / "x", "thing")

    @pytest.mark.parametrize("arrays", [{}, {"a": 1}, {"header": 1}, {"header": np.frombuffer(b"{}", dtype=np.uint8)}])
    def test_other_npz_files_are_refused(self, tmp_path, arrays):
        np.savez(tmp_path / "x.npz", something=np.eye(2), **arrays)
        with pytest.raises(InputError, match=wording("engine.model_lxmls_day_archive")):
            read_file(tmp_path / "x.npz", "thing")

    @pytest.mark.parametrize("name", ["params", "header", "extra"])
    def test_pickled_objects_are_never_loaded(self, saved, tmp_path, name):
        contents = members(saved)
        bomb = Bomb(tmp_path / "pwned")
        for pickled in (npy(np.array([bomb], dtype=object), allow_pickle=True), pickle.dumps(bomb)):
            rewrite(saved, contents | {f"{name}.npy": pickled})
            with pytest.raises(InputError, match=wording("engine.npy_holds_python_objects", name)):
                read_file(saved, "thing")
        assert not (tmp_path / "pwned").exists()

    def test_compressed_arrays_are_refused(self, saved):
        rewrite(saved, members(saved), zipfile.ZIP_DEFLATED)
        with pytest.raises(InputError, match="is compressed"):
            read_file(saved, "thing")

    def test_an_array_that_is_listed_again_and_again(self, saved):
        """Under the same or other names, all at one place in the file: refused before any of them is read."""
        contents = members(saved)
        for other in (lambda i: "params.npy", lambda i: f"params{i}.npy"):
            with zipfile.ZipFile(saved, "w") as archive:
                for name, content in contents.items():
                    archive.writestr(name, content)
                info = archive.getinfo("params.npy")
                for i in range(2000):
                    again = copy.copy(info)
                    again.filename = other(i)
                    archive.filelist.append(again)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("an array was read"))
                with pytest.raises(InputError, match=wording("engine.lists_some_bytes_twice")):
                    read_file(saved, "thing")

    @pytest.mark.parametrize("shape", [(10**11,), (1, 10**11), ()])
    def test_an_array_with_a_wrong_length_is_refused(self, saved, shape, request):
        file = io.BytesIO()
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
        rewrite(saved, {**members(saved), "params.npy": file.getvalue() + bytes(16)})
        request.addfinalizer(tracemalloc.stop)
        tracemalloc.start()
        with pytest.raises(InputError, match=wording("engine.length_that_it_states")):
            read_file(saved, "thing")
        assert tracemalloc.get_traced_memory()[1] < 1_000_000

    def test_a_newer_format_is_refused(self, saved):
        newer = FORMAT_VERSION + 1
        changes = {"format_version": newer, "package_version": "9.8.7", "content": {"x": {"new": 1}}}
        with_header(saved, lambda header: header.update(changes))
        expected = f"saved by lxmls-day1 9.8.7 in format {newer}, .* formats up to {FORMAT_VERSION}; install"
        with pytest.raises(InputError, match=expected):
            read_file(saved, "thing")

    @pytest.mark.parametrize("change", [{"format": "other"}, {"format_version": "1"}, {"kind": None}, {"content": []}])
    def test_a_header_of_another_format(self, saved, change):
        with_header(saved, lambda header: header.update(change))
        with pytest.raises(InputError, match=wording("engine.without_header_lxmls_day")):
            read_file(saved, "thing")
