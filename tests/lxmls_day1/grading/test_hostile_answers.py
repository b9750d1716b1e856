"""Answers that are made to cost the grader time or memory: each gets a verdict, at a small multiple of the bytes that were sent."""

import collections
import contextlib
import itertools
import tempfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lxmls_day1.box.box import RaisedInBox
from lxmls_day1.box.messages import MAX_BRACKETS, MAX_JSON_BYTES, BadMessage, decode_message, encode_message
from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.expect import Expect, WrongAnswer
from lxmls_day1.grading.running.boxed_lab import call_text
from tests.lxmls_day1.box.test_messages import frame_of
from tests.lxmls_day1.grading.peak_memory import peak_of

MOST = 16 << 20  # the bytes of a reply, as in `Limits.reply`
EXPECTED = np.array([0.4, -0.4, 0.0])
TIMES, FREE = 40, 300_000  # a value may cost TIMES the bytes of its frame, plus FREE bytes


class Greedy(np.ndarray):
    """An array that forges as much as it can."""

    def __array_finalize__(self, other): ...
    def tobytes(self, *_):
        return b"forged" * 1000

    def __len__(self):
        return 1 << 60

    def __eq__(self, other):
        return np.array(True)

    shape = property(lambda self: (1 << 40,))
    nbytes = property(lambda self: 0)


class Endless(list):
    def __iter__(self):
        return itertools.repeat([], 300_000)

    def __len__(self):
        return 3


class Liar(float):
    def __float__(self):
        return 0.4


def memory_mapped():
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(8 * 1000))
        file.flush()
        return np.array(np.memmap(file.name, dtype="f8", mode="r", shape=(1000,)), subok=True, copy=True)


def in_itself():
    value = []
    value.append(value)
    return value


def nested(depth):
    value = 0.5
    for _ in range(depth):
        value = [value]
    return value


Bound = collections.namedtuple("Bound", "radius margin bound")
EMPTY_ROW = sp.coo_array((1, 5_000_000))
REFUSED, WRONG = "refused", "wrong"

#: Name -> (function that makes the rule's return value, outcome): the box refuses to send it, or it is a wrong answer.
ANSWERS = {
    "one long text among short ones": (lambda: ["x" * 1_000_000] + [""] * 250, REFUSED),
    "the same in rows": (lambda: [["x" * 1_000_000]] + [[""]] * 250, REFUSED),
    "the same in tuples": (lambda: (("x" * 1_000_000,), *([("",)] * 250)), REFUSED),
    "a long text among numbers": (lambda: [0.5] * 3000 + ["x" * 100_000], REFUSED),
    "an array of such texts": (lambda: np.array(["x" * 20_000] + [""] * 250), REFUSED),
    "arrays of texts in a list": (lambda: [np.array(["x" * 20_000]), *([np.array([""])] * 250)], REFUSED),
    "251 short texts": (lambda: ["x"] * 251, WRONG),
    "one text of a megabyte": (lambda: "x" * 1_000_000, WRONG),
    "texts with nulls": (lambda: ["0.4\0", "-0.4\0", "0"], WRONG),
    "half a character": (lambda: ["\ud800"], REFUSED),
    "half a character in an array": (lambda: np.array(["\ud800"]), REFUSED),
    "a million empty lists": (lambda: [[]] * 1_000_000, REFUSED),
    "a list of empty dicts": (lambda: [{}] * 200_000, REFUSED),
    "a million times nothing": (lambda: [None] * 1_000_000, REFUSED),
    "a hundred thousand numbers": (lambda: [0.5] * 100_000, WRONG),
    "a matrix of lists": (lambda: [[0.5, 0.25]] * 40_000, WRONG),
    "rows of other lengths": (lambda: [[0.5] * 1000, [0.5]], WRONG),
    "a number among rows": (lambda: [[0.5, 0.5], 0.5], WRONG),
    "a range without end": (lambda: range(10**12), REFUSED),
    "a range that has no length": (lambda: range(10**30), REFUSED),
    "a list that goes on": (lambda: Endless([1, 2, 3]), REFUSED),
    "lists in lists": (lambda: nested(100), REFUSED),
    "lists in lists, just so deep": (lambda: nested(15), WRONG),
    "a list in itself": (in_itself, REFUSED),
    "an int of 100,000 digits": (lambda: 10**100_000, REFUSED),
    "an int of 77 digits": (lambda: [10**76] * 3, WRONG),
    "ints of numpy": (lambda: np.array([2**63] * 3, dtype=np.uint64), WRONG),
    "a float that lies": (lambda: [Liar(7.0)] * 3, WRONG),
    "a wide csr": (lambda: EMPTY_ROW.tocsr(), REFUSED),
    "a wide csc": (lambda: sp.csc_array((5_000_000, 1)), REFUSED),
    "a wide coo": (lambda: EMPTY_ROW, REFUSED),
    "a wide bsr": (lambda: sp.bsr_array((1, 5_000_000)), REFUSED),
    "a wide dia": (lambda: sp.dia_array((1, 5_000_000)), REFUSED),
    "a wide lil": (lambda: sp.lil_array((1, 5_000_000)), REFUSED),
    "a wide dok": (lambda: sp.dok_array((1, 5_000_000)), REFUSED),
    "a sparse array without bounds": (lambda: sp.coo_array((10**12, 10**12)), REFUSED),
    "a sparse array of one dimension": (lambda: sp.coo_array(np.array([0.4, -0.4, 0.0])), REFUSED),
    "sparse complex numbers": (lambda: sp.csr_array(np.array([[1j]])), REFUSED),
    "a wide csr that may cross": (lambda: sp.csr_array((1, 2_000_000)), WRONG),
    "a list of sparse rows": (lambda: [sp.csr_array((1, 2_000_000))] * 3, WRONG),
    "no rows of endless length": (lambda: np.zeros((0, 10**15)), REFUSED),
    "endless rows of nothing": (lambda: np.zeros((10**15, 0)), REFUSED),
    "no texts of endless length": (lambda: np.zeros((0, 10**12), "U1"), REFUSED),
    "nothing at all": (lambda: np.zeros((3, 0)), WRONG),
    "a view of one number": (lambda: np.broadcast_to(0.5, 10**9), REFUSED),
    "a view of one text": (lambda: np.broadcast_to("x", 10**9), REFUSED),
    "sixty dimensions": (lambda: np.zeros((1,) * 60), REFUSED),
    "two million truth values": (lambda: np.ones(2_000_000, bool), WRONG),
    "a column": (lambda: EXPECTED[:, None], WRONG),
    "objects": (lambda: np.array([object()] * 3), REFUSED),
    "a structured array": (lambda: np.zeros(3, [("a", "f8")]), REFUSED),
    "a void": (lambda: np.zeros(3, "V8"), REFUSED),
    "dates": (lambda: np.zeros(3, "M8[s]"), REFUSED),
    "durations": (lambda: np.zeros(3, "m8[s]"), REFUSED),
    "complex numbers": (lambda: np.zeros(3, complex), REFUSED),
    "a complex number": (lambda: 1j, REFUSED),
    "bytes in an array": (lambda: np.array([b"0.4"] * 3), REFUSED),
    "bytes": (lambda: b"0.4", REFUSED),
    "halves": (lambda: np.ones(3, np.float16), WRONG),
    "long doubles": (lambda: np.ones(3, np.longdouble), WRONG),
    "NaN with a message in it": (lambda: np.full(3, 0x7FF8DEADBEEFCAFE).view("f8"), WRONG),
    "a scalar of numpy": (lambda: np.float32(0.4), WRONG),
    "a dict": (lambda: dict.fromkeys("abc", 0.4), WRONG),
    "a dict of numbers": (lambda: {0: 0.4}, REFUSED),
    "a set": (lambda: {0.4}, REFUSED),
    "a generator": (lambda: (x for x in EXPECTED), REFUSED),
    "a named tuple": (lambda: Bound(1.0, 2.0, 3.0), WRONG),
    "a masked array": (lambda: np.ma.masked_array([0.4, -0.4, 1.0], mask=[0, 0, 1]), WRONG),
    "a subclass that forges": (lambda: np.full(3, 0.123).view(Greedy), WRONG),
    "a file in memory": (memory_mapped, WRONG),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _warm():
    """Decode once, so that imports at first use do not count."""
    decode_message(encode_message(sp.csr_array(np.eye(2))))


def judged(frame):
    expect = Expect({"d": Answer.from_value(EXPECTED)})
    with pytest.raises(WrongAnswer) as caught:
        expect("d", decode_message(frame, MOST))
    assert len(str(caught.value)) < 4000


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERS)
def test_a_hostile_answer_costs_little_memory(name):
    make, outcome = ANSWERS[name]
    value = make()
    try:
        frame = encode_message(value, MOST)
    except (Exception, RecursionError) as error:
        assert outcome == REFUSED, error
        assert len(str(error)) < 500
        return
    assert outcome == WRONG
    assert peak_of(lambda: judged(frame)) <= TIMES * len(frame) + FREE


def test_a_sparse_answer_is_made_dense_if_a_dense_answer_is_expected():
    answer = decode_message(encode_message(sp.csr_array([[0.0, 2.0]])), MOST)
    Expect({"d": Answer.from_value([[0.0, 2.0]])})("d", answer)


def test_an_answer_that_is_passed_on_is_shown_by_its_shape():
    """A check may pass an answer to the next call, and the call is shown to the student."""
    large = {"array (2000000,)": np.ones(2_000_000, bool), "list of 500000": [0.5] * 500_000, "str of 100": "x" * 100}
    for shown, value in large.items():
        texts = []
        assert peak_of(lambda value=value, texts=texts: texts.append(call_text("f", (value,), {}))) < 100_000
        assert texts == [f"f({shown})"]


def test_a_reply_with_an_exception_is_cut_before_it_is_read():
    said = {"raised": ["x" * 10**6, 3, *["ValueError"] * 10**5], "text": "a " * 10**6}
    errors = []
    assert peak_of(lambda: errors.append(RaisedInBox.from_reply(said))) < 300_000
    assert len(errors[0].kinds) <= 20 and max(map(len, errors[0].kinds)) <= 80
    assert len(str(errors[0])) <= 8000


def sparse(shape, data=("<f8", [0], 0), indices=("<i4", [0], 0), indptr=("<i4", [2], 8)):
    return frame_of({"s": [shape, *map(list, (data, indices, indptr))]}, bytes(16))


def rows(*arrays):
    """Return a frame with arrays of which each is a list of its rows."""
    return frame_of({"l": [{"t": {"a": array}} for array in arrays]}, bytes(sum(size for *_, size in arrays)))


#: Frames of a box that violates the protocol.
FRAMES = {
    "a wide sparse array": sparse([1, 5_000_000]),
    "a sparse array without bounds": sparse([1, 10**18]),
    "a sparse array of more rows than it has": sparse([1000, 1]),
    "a sparse array of no dimension": sparse([]),
    "a sparse array of texts": frame_of({"s": [[1, 1], ["U", [0], []], ["<i4", [0], 0], ["<i4", [2], 8]]}, bytes(16)),
    "indices that are floats": sparse([1, 1], indices=("<f8", [0], 0)),
    "data in two dimensions": sparse([1, 1], data=("<f8", [0, 5], 0)),
    "no rows of endless length": frame_of({"a": ["<f8", [0, 10**15], 0]}),
    "endless rows of nothing": frame_of({"a": ["|b1", [10**15, 0], 0]}),
    "no texts of endless length": frame_of({"a": ["U", [0, 10**15], []]}),
    "an array of texts of unequal length": frame_of({"a": ["U", [251], ["x" * 100_000, *[""] * 250]]}),
    "a list of texts of unequal length": frame_of({"l": ["x" * 100_000, *[""] * 250]}),
    "texts in rows": frame_of({"l": [{"l": ["x" * 100_000]}, *[{"l": [""]}] * 250]}),
    "a text beside arrays of texts": frame_of({"l": ["x" * 100_000, *[{"a": ["U", [1], [""]]}] * 250]}),
    "too many lists": frame_of(b'{"l":[' + b'{"l":[]},' * (MAX_BRACKETS // 2) + b"0]}"),
    "too many dicts": frame_of(b'{"l":[' + b'{"d":[]},' * (MAX_BRACKETS // 2) + b"0]}"),
    "too many rows": rows(["<f8", [MAX_BRACKETS // 2 + 2, 1], 4 * MAX_BRACKETS + 16]),
    "too many rows in parts": rows(*[["<f8", [1 << 15, 1], 1 << 18]] * 2),
    "too many dicts and rows": frame_of(
        b'{"l":[' + b'{"d":[]},' * 49_980 + b'{"t":{"a":["<f8",[50000,30],12000000]}},' + b"999," * 900_000 + b"0]}",
        bytes(12_000_000),
    ),
    "rows of a byte": rows(["|b1", [64, 1], 64]),
    "rows of nothing": rows(["|b1", [10**6, 0], 0]),
    "rows of a vector": rows(["<f8", [2], 16]),
    "rows of a number": rows(["<f8", [], 16]),
    "rows of texts": frame_of({"l": {"a": ["U", [2, 1], ["spam", "ham"]]}}),
    "rows of a sparse array": frame_of(
        {"l": {"s": [[1, 1], ["<f8", [0], 0], ["<i4", [0], 0], ["<i4", [2], 8]]}}, bytes(16)
    ),
    "rows of a list": frame_of({"l": {"l": [0.5]}}),
    "rows of an object": frame_of({"t": {"o": 1}}),
    "rows of more kinds": frame_of({"l": {"a": ["<f8", [2, 1], 16], "o": 1}}, bytes(16)),
    "too much text": frame_of(b'"' + b"x" * MAX_JSON_BYTES + b'"'),
    "too many numbers": frame_of(b'{"l":[' + b"0," * (MAX_JSON_BYTES // 2) + b"0]}"),
    "other letters than ASCII has": frame_of('"ä"'.encode()),
    "half a character": frame_of(rb'"\ud800"'),
    "half a character in a list": frame_of(rb'{"l":["\udc00"]}'),
    "half a character in a key": frame_of(rb'{"d":[["\udc00",1]]}'),
    "half a character in an array": frame_of(rb'{"a":["U",[1],["\udc00"]]}'),
    "an int of 5,000 digits": frame_of(b"9" * 5000),
    "a type of many fields": frame_of({"a": ["f8," * 1000 + "f8", [0], 0]}),
    "a type that repeats itself": frame_of({"a": ["(1000000000,)f8", [0], 0]}),
    "a long double": frame_of({"a": ["<f16", [1], 16]}, bytes(16)),
}


@pytest.mark.parametrize("name", FRAMES)
def test_an_invalid_frame_is_refused_at_little_cost(name):
    frame = FRAMES[name]

    def read():
        with pytest.raises(BadMessage) as caught:
            decode_message(frame, MOST)
        assert len(str(caught.value)) < 500

    assert peak_of(read) <= TIMES * len(frame) + FREE


#: The most expensive frames that are allowed.
DEAR = {
    "lists": frame_of(b'{"l":[' + b'{"l":[]},' * (MAX_BRACKETS // 2 - 2) + b"0]}"),
    "rows": rows(["<f8", [MAX_BRACKETS // 2 - 10, 1], 4 * MAX_BRACKETS - 80]),
    "dicts and rows": frame_of(
        b'{"l":['
        + b'{"d":[]},' * 24_980
        + b'{"t":{"a":["<f8",[25000,30,1,1,1,1,1,1],6000000]}},'
        + b"999," * 900_000
        + b"0]}",
        bytes(6_000_000),
    ),
    "numbers": frame_of(b'{"l":[' + b"9e9," * (MAX_JSON_BYTES // 4 - 4) + b"0]}"),
    "one wide text": frame_of(b'"' + b"x" * (MAX_JSON_BYTES - 20) + b'\\ud83d\\ude00"'),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DEAR)
def test_the_most_expensive_frames_are_affordable(name):
    assert peak_of(lambda: decode_message(DEAR[name], MOST)) < 80_000_000


trees = st.recursive(
    st.none() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | st.text("aä\0", max_size=9),
    lambda inner: st.lists(inner, max_size=40).map(lambda entries: {"l": entries})
    | st.lists(st.tuples(st.text("ab"), inner).map(list), max_size=9).map(lambda pairs: {"d": pairs})
    | st.lists(st.text("x", max_size=300), max_size=60).map(lambda texts: {"a": ["U", [len(texts)], texts]})
    | st.tuples(st.sampled_from(["|b1", "<f8", "U", "O"]), st.lists(st.integers(0, 10**9), max_size=3), st.just(0)).map(
        lambda parts: {"a": list(parts)}
    ),
    max_leaves=60,
)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None)
@given(trees, st.binary(max_size=64))
def test_no_frame_costs_much(tree, raw):
    """Neither invalid frames nor arrays that are made of the values are expensive."""
    frame = frame_of(tree, raw)

    def read():
        with contextlib.suppress(BadMessage):
            value = decode_message(frame, MOST)
            with contextlib.suppress(ValueError):  # rows of different lengths
                np.asarray(value)

    assert peak_of(read) <= TIMES * len(frame) + FREE + (1 << 20)
