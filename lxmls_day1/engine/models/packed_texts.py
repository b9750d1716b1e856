"""Long lists of short strings, such as feature names, stored without a Python object for each string."""

import operator
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice, pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_STRINGS_PER_BATCH = 1 << 12  # strings decoded per batch: limits how many offsets are Python integers at a time


class PackedTexts(Sequence[str]):
    """A list of strings that can only grow at its end, stored as one UTF-8 buffer and the end offset of each string.

    This saves memory: a Python string needs about 50 bytes in addition to its characters.

    Parameters
    ----------
    texts : iterable of str

    Examples
    --------
    >>> texts = PackedTexts(["word=the", "word=Café"])
    >>> texts.extend(["word=cat"])
    >>> len(texts), texts[1], texts[-1:]
    (3, 'word=Café', ['word=cat'])
    >>> texts == ["word=the", "word=Café", "word=cat"]
    True
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._content = bytearray()
        self._ends = array("q", [0])  # String i is the bytes from ends[i] to ends[i + 1].
        # The sorted hashes, and the index of the string of each hash.
        self._by_hash: tuple[Any, Any] = (np.empty(0, np.int32), np.empty(0, np.intp))
        self.extend(texts)

    def extend(self, texts: Iterable[str]) -> None:
        """Append strings."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        first = len(self._content)
        self._ends.extend(first + end for end in accumulate(map(len, encoded)))
        self._content += b"".join(encoded)

    def numbers(self, texts: Iterable[str]) -> list[int]:
        """Return the index of each given string: of its first occurrence, or −1 if it is not in the list.

        The time depends on the number of given strings; only the first call after the list has grown hashes the
        whole list.

        Examples
        --------
        >>> PackedTexts(["the", "cat"]).numbers(["cat", "dog", "the"])
        [1, -1, 0]
        """
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        if len(self._by_hash[0]) != len(self):
            hashes = self._hashes(bytes(self._content), self._ends)
            order = np.argsort(hashes, kind="stable")
            self._by_hash = hashes[order], order
        hashes, order = self._by_hash
        searched_hashes = self._hashes(b"".join(encoded), [0, *accumulate(map(len, encoded))])
        first, last = (np.searchsorted(hashes, searched_hashes, side) for side in ("left", "right"))
        indices, content, ends = [-1] * len(encoded), self._content, self._ends
        found = np.flatnonzero(first < last)
        for i, j in zip(found.tolist(), order[first[found]].tolist(), strict=True):
            if content[ends[j] : ends[j + 1]] == encoded[i]:
                indices[i] = j
            else:  # Several strings have this hash: compare the others.
                others = order[first[i] + 1 : last[i]].tolist()
                indices[i] = next((k for k in others if content[ends[k] : ends[k + 1]] == encoded[i]), -1)
        return indices

    def _hashes(self, content: bytes, ends: Any) -> NDArray[np.int32]:
        from lxmls_day1.engine.kernels.hashing import signed_hashes  # look-ups need numba

        return np.asarray(signed_hashes(np.frombuffer(content, np.uint8), np.array(ends, dtype=np.int64)))

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        i = range(len(self))[place]  # A range resolves negative indices and raises IndexError.
        return self._text(self._ends[i], self._ends[i + 1])

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _STRINGS_PER_BATCH):
            for start, end in pairwise(self._ends[first : first + _STRINGS_PER_BATCH + 1]):
                yield self._text(start, end)

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, PackedTexts):
            return self._ends == other._ends and self._content == other._content
        if isinstance(other, (list, tuple)):
            return len(self) == len(other) and all(map(operator.eq, self, other))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # Unhashable because it is mutable, like a list.

    def __repr__(self) -> str:
        shown = list(islice(self, 3))
        return f"{type(self).__name__}({shown!r}{f', … {len(self)} in all' if len(self) > len(shown) else ''})"

    def _text(self, start: int, end: int) -> str:
        return self._content[start:end].decode("utf-8", "surrogatepass")


class SlicedTexts(Sequence[str]):
    """Substrings of a longer text, each decoded only when accessed: of 200,000 tokens a reader may keep a few thousand.

    Parameters
    ----------
    content : bytes
        Valid UTF-8, surrogates allowed.
    starts, ends : int arrays
        Offset of the first byte of each substring, and of the byte after its last one.

    Examples
    --------
    >>> texts = SlicedTexts(b"good book", np.array([0, 5]), np.array([4, 9]))
    >>> len(texts), texts[1], list(texts), texts[np.array([1, 0])]
    (2, 'book', ['good', 'book'], ['book', 'good'])
    """

    def __init__(self, content: bytes, starts: NDArray[np.integer[Any]], ends: NDArray[np.integer[Any]]) -> None:
        self._content, self._starts, self._ends = content, starts, ends

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, place: Any) -> Any:
        """Return a string for an integer; return a list of strings for a slice or an index array."""
        if isinstance(place, (slice, np.ndarray)):
            return list(SlicedTexts(self._content, self._starts[place], self._ends[place]))
        return self._content[self._starts[place] : self._ends[place]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        for start, end in zip(self._starts.tolist(), self._ends.tolist(), strict=True):
            yield self._content[start:end].decode("utf-8", "surrogatepass")
