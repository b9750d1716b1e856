"""Files of reviews read as bytes, all pairs ``token:count`` at once; for files in which every line is as it should be.

A token is a run of bytes. Tokens are brought together by a hash of 64 bits, and compared byte by byte with their neighbours in the
order of the hashes, so that two tokens never become one. Whatever is unusual, an error above all, is left to the reader of lines in
`lxmls_day1.engine.text.parsed_reviews`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lxmls_day1.engine.text.packed_texts import SlicedTexts

_SPACE, _LINE_FEED, _COLON, _ONE, _NINE, _MARK = b" \n:19#"
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(9)], dtype=np.uint64)  # of the first bytes of eight
_FACTOR, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)  # the odd multiplier of Fibonacci hashing


class Pairs(NamedTuple):
    """The pairs of several files, one after the other."""

    columns: np.ndarray  # (N,) int32: the token of each pair, numbered in the order of first use
    counts: np.ndarray  # (N,) int32
    starts: np.ndarray  # (M + 1,): where the pairs of each line begin
    tokens: SlicedTexts  # column -> token


def read_pairs(contents: Sequence[bytes], endings: Sequence[bytes]) -> Pairs | None:
    """Read files of which each line is ``token:count token:count … ending``.

    Parameters
    ----------
    contents : sequence of bytes
    endings : sequence of bytes
        For each file the text at the end of its lines, such as ``#label#:positive``.

    Returns
    -------
    Pairs or None
        None if a line is not of that form, and for a file that is empty or has carriage returns.

    Examples
    --------
    >>> pairs = read_pairs([b"good:1 book:12 #label#:positive\\n"], [b"#label#:positive"])
    >>> list(pairs.tokens), pairs.counts.tolist()
    (['good', 'book'], [1, 12])
    """
    if any(not content or b"\r" in content for content in contents):
        return None
    closed = [content.removeprefix(b"\xef\xbb\xbf") for content in contents]
    closed = [content if content.endswith(b"\n") else content + b"\n" for content in closed]
    text = b"".join([*closed, bytes(8)])  # so that eight bytes can be read from any place
    data = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero((data == _SPACE) | (data == _LINE_FEED))
    starts = np.concatenate(([0], ends[:-1] + 1))
    is_last = data[ends] == _LINE_FEED
    if not _all_end_in(data, starts[is_last], ends[is_last], closed, endings):
        return None
    row_ends = np.cumsum(~is_last)[is_last]
    starts, ends = starts[~is_last], ends[~is_last]
    if not len(starts):
        return None
    digits = data[ends - 1]
    counts = digits.astype(np.int32) - (_ONE - 1)
    ends -= 2  # of the tokens, where the count has one digit
    plain = (data[ends] == _COLON) & (digits >= _ONE) & (digits <= _NINE) & (ends > starts) & (data[starts] != _MARK)
    for pair in np.flatnonzero(~plain).tolist():
        token, _, number = text[starts[pair] : ends[pair] + 2].rpartition(b":")
        if (
            not token
            or not number.isdigit()
            or not 0 < len(number) < 10
            or not int(number)
            or text.startswith(b"#label#:", starts[pair])
        ):
            return None
        ends[pair], counts[pair] = starts[pair] + len(token), int(number)
    found = _numbered(text, starts, ends - starts)
    if found is None:
        return None
    columns, first = found
    try:
        text.decode()
    except UnicodeDecodeError:
        return None
    return Pairs(columns, counts, np.concatenate(([0], row_ends)), SlicedTexts(text, starts[first], ends[first]))


def _all_end_in(
    data: np.ndarray, starts: np.ndarray, ends: np.ndarray, contents: Sequence[bytes], endings: Sequence[bytes]
) -> bool:
    """Whether the last pieces of all lines, from starts to ends, are the endings of their files."""
    file_ends = np.searchsorted(ends, np.cumsum([len(content) for content in contents]))
    for ending, first, last in zip(endings, [0, *file_ends], file_ends, strict=False):
        wanted = np.frombuffer(ending, dtype=np.uint8)
        if np.any(ends[first:last] - starts[first:last] != len(wanted)):
            return False
        if np.any(data[starts[first:last, np.newaxis] + np.arange(len(wanted))] != wanted):
            return False
    return True


def _numbered(text: bytes, starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The numbers of tokens in the order of first use, and where each token is used first; None if two have one hash."""
    hashes = lengths.astype(np.uint64) * _FACTOR
    _mix(hashes, _eight_bytes(text, starts, lengths, 0))
    longer, offset = np.flatnonzero(lengths > 8), 8
    while len(longer):
        hashes[longer] = _mix(hashes[longer], _eight_bytes(text, starts[longer], lengths[longer], offset))
        offset += 8
        longer = longer[lengths[longer] > offset]
    order = np.argsort(hashes)
    hashes = hashes[order]
    is_new = np.ones(len(order), dtype=bool)
    np.not_equal(hashes[1:], hashes[:-1], out=is_new[1:])
    same = np.flatnonzero(~is_new)
    one, other, offset = order[same], order[same - 1], 8
    if np.any(lengths[one] != lengths[other]):
        return None
    while True:  # mixing loses nothing: where all further bytes are the same, so are the first eight
        go_on = lengths[one] > offset
        one, other = one[go_on], other[go_on]
        if not len(one):
            break
        if np.any(
            _eight_bytes(text, starts[one], lengths[one], offset)
            != _eight_bytes(text, starts[other], lengths[other], offset)
        ):
            return None
        offset += 8
    first = np.minimum.reduceat(order, np.flatnonzero(is_new))
    is_first = np.zeros(len(order), dtype=bool)
    is_first[first] = True
    number_of = np.cumsum(is_first, dtype=np.int32)[first] - 1
    numbers = np.empty(len(order), dtype=np.int32)
    numbers[order] = number_of[np.cumsum(is_new, dtype=np.int32) - 1]
    return numbers, np.flatnonzero(is_first)


def _mix(hashes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Take numbers into hashes, in place; no information is lost: the result and one of them give the other."""
    hashes ^= numbers
    hashes *= _FACTOR
    hashes ^= hashes >> _SHIFT
    return hashes


def _eight_bytes(text: bytes, starts: np.ndarray, lengths: np.ndarray, offset: int) -> np.ndarray:
    """From an offset in each token the next eight bytes as a number; what lies behind the token counts as zero."""
    everywhere = np.ndarray(len(text) - 7, dtype="<u8", buffer=text, strides=(1,))
    numbers: np.ndarray = everywhere[starts + offset] & _MASKS[np.minimum(lengths - offset, 8)]
    return numbers
