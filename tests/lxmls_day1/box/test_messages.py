"""Frames survive a round trip unchanged; bytes that are not a valid frame are refused and never executed."""

import contextlib
import json
import math
import pickle
import socket
import threading

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from lxmls_day1.box.channel import Channel, ConnectionClosed, ReceiveTimeout
from lxmls_day1.box.messages import (
    HEADER,
    BadMessage,
    MessageTooLong,
    NotSerializable,
    ObjectHandle,
    decode_message,
    decode_request,
    encode_message,
    encode_request,
)
from lxmls_day1.course.lab_under_test import deep_copy_plain

texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.none() | st.booleans() | st.integers(-(2**200), 2**200) | st.floats() | texts
arrays = npst.arrays(
    st.sampled_from(["?", "i1", "u2", "<i4", ">i8", "f2", "f4", "<f8", ">f8"]),
    npst.array_shapes(min_side=0),  # An array without dimensions becomes a scalar.
)
values = st.recursive(
    scalars | arrays,
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text("ab"), inner),
    max_leaves=8,
)


def same(a, b):
    if isinstance(a, np.ndarray):
        alike = isinstance(b, np.ndarray) and a.dtype.newbyteorder("=") == b.dtype and a.shape == b.shape
        return alike and a.astype(a.dtype.newbyteorder("=")).tobytes() == b.tobytes()
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b


@pytest.mark.slow
@given(values)
def test_values_survive_a_round_trip(value):
    assert same(value, decode_message(encode_message(value)))


@pytest.mark.slow
@given(npst.arrays("f8", (3, 4), elements=st.sampled_from([0.0, 1.5, -2.0])))
def test_sparse_arrays_survive_a_round_trip(dense):
    back = decode_message(encode_message(scipy.sparse.csc_array(dense)))
    assert scipy.sparse.issparse(back)
    assert np.array_equal(back.toarray(), dense)


def both_ways(value):
    return decode_message(encode_message(value)), decode_request(encode_request(value))


def test_scalars_of_numpy_keep_their_type():
    for back in both_ways(np.float32(0.5)):
        assert type(back) is np.float32
        assert back == 0.5


@pytest.mark.parametrize("kind", ["?", "i1", ">i8", "<f8", "U3", "f2"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (0,), (2, 0), (1,) * 7, (1,) * 8])
@pytest.mark.parametrize("n", [1, 3, 4, 50])
def test_lists_of_arrays_of_one_shape_survive_a_round_trip(kind, shape, n):
    arrays = [np.full(shape, number).astype(kind) for number in range(n)]
    others = [[*arrays, np.zeros((5, 1))], [*arrays, 0.5], [*arrays, *arrays[:1] * 2, np.zeros(shape, "u4")]]
    for value in (arrays, tuple(arrays), {"d": [arrays, arrays]}, *others):
        for back in both_ways(value):
            assert same(deep_copy_plain(value), back) or shape == () or kind == "U3"
    assert all(
        one.tolist() == other.tolist()
        for one, other in zip(arrays, decode_message(encode_message(arrays)), strict=True)
    )


def test_what_can_be_sent_can_be_received_however_deep():
    for depth in range(20):
        value = [np.zeros(2)] * 4
        for _ in range(depth):
            value = [value]
        with contextlib.suppress(NotSerializable):
            assert same(value, decode_message(encode_message(value)))


def test_a_row_of_many_can_be_changed_alone():
    first, *_, last = decode_message(encode_message([np.zeros(2)] * 5))
    first[:] = 1.0
    assert first.tolist() == [1.0, 1.0] and last.tolist() == [0.0, 0.0]


def test_a_named_tuple_crosses_as_a_tuple():
    from collections import namedtuple

    for back in both_ways(namedtuple("Bound", "radius margin")(1.0, 0.5)):
        assert type(back) is tuple
        assert back == (1.0, 0.5)


@pytest.mark.slow
@given(values)
def test_a_request_crosses_as_an_answer_does(value):
    assert same(decode_message(encode_message(value)), decode_request(encode_request(value)))


def test_subclasses_of_plain_types_reach_the_box_as_plain_values():
    class Text(str):
        pass

    back = decode_request(encode_request([Text("spam"), range(3), ObjectHandle(7), np.bool_(True)]))
    assert [type(entry) for entry in back] == [str, list, ObjectHandle, np.bool_]
    assert (back[0], back[1], back[2].number) == ("spam", [0, 1, 2], 7)


def test_each_call_in_the_box_gets_its_own_copy_of_an_array():
    costs = np.ones(3)
    costs.flags.writeable = False
    first, second = deep_copy_plain(decode_request(encode_request({"calls": [[costs], [costs]]})))["calls"]
    first[0][0] = 5.0
    assert second[0].tolist() == costs.tolist() == [1.0, 1.0, 1.0]
    matrix = decode_request(encode_request(scipy.sparse.csc_array(np.eye(2))))
    assert matrix.toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(NotSerializable):
        encode_request({"settings": np.array([object()])})


def test_arrays_of_strings_survive_a_round_trip():
    assert decode_message(encode_message(np.array([["spam", "ham"]]))).tolist() == [["spam", "ham"]]


@pytest.mark.parametrize(
    "value",
    [
        object(), {1: 2}, {"a": {3}}, np.array([object()]), np.array(["2020-01-01"], "M8[D]"), np.zeros(2, complex),
        np.zeros(1, [("a", "f8")]), b"bytes", lambda: 0, 1 << 300, float, Ellipsis,
    ],
)  # fmt: skip
def test_values_that_are_not_plain_data_are_refused(value):
    with pytest.raises(NotSerializable):
        encode_message(value)


def test_a_list_that_contains_itself_is_refused():
    value = []
    value.append(value)
    with pytest.raises(NotSerializable):
        encode_message(value)


def test_values_above_the_limit_are_refused():
    with pytest.raises(MessageTooLong):
        encode_message(np.zeros(1000), max_bytes=7999)
    assert len(encode_message(np.zeros(1000), max_bytes=10_000)) < 10_000


def frame_of(tree, raw=b""):
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    return HEADER.pack(HEADER.size - 8 + len(text) + len(raw), len(text)) + text + raw


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\0" * 16,
        frame_of(b"{"),
        frame_of([1, 2]),
        frame_of({"a": ["<f8", [2], 16]}),  # no data follows
        frame_of({"a": ["<f8", [2], 8]}, bytes(16)),  # less data than the shape needs
        frame_of({"a": ["<f8", [1 << 40], 8 << 40]}, bytes(16)),
        frame_of({"a": ["<f8", [-1], -8]}, bytes(16)),
        frame_of({"a": ["<f8", [True], 8]}, bytes(16)),
        frame_of({"a": ["O", [1], 8]}, bytes(16)),
        frame_of({"a": ["V8", [1], 8]}, bytes(16)),
        frame_of({"a": ["<c16", [1], 16]}, bytes(16)),
        frame_of({"a": ["f8,f8", [1], 16]}, bytes(16)),
        frame_of({"a": ["<f8", [1] * 9, 8]}, bytes(16)),
        frame_of({"a": ["U", [3], ["a"]]}),
        frame_of({"a": ["U", [1], [1]]}),
        frame_of({"s": [[1, 1], ["<f8", [1], 8], ["<i4", [1], 4], ["<i4", [2], 8]]}, bytes(48)[:-16] + b"\xff" * 16),
        frame_of({"z": 1}),
        frame_of({"l": 1}),
        frame_of({"l": [1], "t": [2]}),
        frame_of({"o": -1}),
        frame_of({"d": [[1, 2]]}),
        frame_of({"d": [["a"]]}),
        frame_of(b"[" * 100_000),
        frame_of(b'{"l":[' * 50 + b"1" + b"]}" * 50),
        frame_of(b"1" * 100_000),
        frame_of({"l": []}, b"more"),
        frame_of(pickle.dumps(test_values_above_the_limit_are_refused)),
    ],
)
def test_bad_frames_are_refused(frame):
    with pytest.raises(BadMessage):
        decode_message(frame)


@given(st.binary(max_size=200))
def test_no_bytes_do_harm(junk):
    heads = b"", HEADER.pack(8 + len(junk), len(junk)), HEADER.pack(8 + len(junk), len(junk) // 2)
    for head in heads:
        with contextlib.suppress(BadMessage):
            decode_message(head + junk)


@pytest.mark.slow
@given(values, st.integers(0, 10**6), st.integers(0, 255))
def test_a_changed_byte_does_no_harm(value, place, byte):
    frame = bytearray(encode_message(value))
    frame[place % len(frame)] = byte
    with contextlib.suppress(BadMessage):
        decode_message(bytes(frame))


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def near(pair):
    return Channel(pair[0], 1 << 20, lambda: None)


def test_a_channel_carries_large_values_both_ways(pair):
    ours, theirs = pair
    near, far = Channel(ours, 1 << 26, lambda: None), Channel(theirs, 1 << 26)
    numbers = np.arange(1_000_000.0)

    def echo():
        for _ in range(2):
            far.send(far.receive())

    thread = threading.Thread(target=echo)
    thread.start()
    for _ in range(2):
        near.send(numbers)
        assert np.array_equal(near.receive(), numbers)
    thread.join()


def test_two_frames_at_once_are_two_values(pair, near):
    pair[1].sendall(encode_message(1) + encode_message("two"))
    assert [near.receive(), near.receive()] == [1, "two"]


@pytest.mark.parametrize("sent", [b"", b"\0", encode_message("half")[:-1]])
def test_receiving_from_a_silent_channel_raises_hung(pair, near, sent):
    pair[1].sendall(sent)
    with pytest.raises(ReceiveTimeout):
        near.receive(lambda: True)


def test_sending_raises_hung_if_the_other_end_does_not_read(near):
    with pytest.raises(ReceiveTimeout):
        near.send(np.zeros(10_000_000), lambda: True)


@pytest.mark.parametrize("seconds", [0.001, 0.02, 0.049, 0.3])
@pytest.mark.parametrize("ends", ["is late", "has written too much"])
@pytest.mark.parametrize("sending", [True, False])
def test_a_drip_of_bytes_does_not_postpone_any_limit(pair, monkeypatch, seconds, ends, sending):
    """The other end sends or receives a few bytes every `seconds`; time advances only while the channel waits."""
    ours, theirs = pair
    now = [0.0]

    def wait(readers, writers, _, timeout):
        now[0] += min(seconds, timeout)
        assert now[0] < 2, "a second is over, and nobody has looked"
        if seconds <= timeout:
            theirs.recv(10_000) if writers else theirs.send(b"\0")
            return readers, writers, []
        return [], [], []

    def watch():
        if ends == "has written too much" and now[0] > 1:
            raise ReceiveTimeout

    monkeypatch.setattr("select.select", wait)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    near = Channel(ours, 1 << 20, watch)
    theirs.send((1 << 19).to_bytes(8, "big"))
    with pytest.raises(ReceiveTimeout):
        if sending:
            near.send(np.zeros(10_000_000), lambda: ends == "is late" and now[0] > 1)
        else:
            near.receive(lambda: ends == "is late" and now[0] > 1)
    assert now[0] < 1.1


def test_a_closed_channel_raises_ended(pair, near):
    pair[1].close()
    with pytest.raises(ConnectionClosed):
        near.receive()
    with pytest.raises(ConnectionClosed):
        near.send(np.zeros(1_000_000))


def test_an_impossible_length_is_refused(pair, near):
    pair[1].sendall((1 << 62).to_bytes(8, "big"))
    with pytest.raises(MessageTooLong):
        near.receive()
