"""Feature hashing: MurmurHash3_x86_32 (seed 0) of feature names, from which the bucket and the sign of a feature follow.

The hash h of a name is read as a signed 32-bit number. As in scikit-learn's `FeatureHasher`, the bucket is |h| mod 2^b, and
the sign is the sign of h. Two names in the same bucket have equal signs with probability ½, so that inner products of
hashed rows are unbiased.

References
----------
A. Appleby, *MurmurHash3* (public domain), 2011.
K. Weinberger, A. Dasgupta, J. Langford, A. Smola, J. Attenberg (2009), *Feature Hashing for Large Scale Multitask Learning*,
ICML 2009.
"""

from collections.abc import Iterable

import numpy as np

from lxmls_day1.engine.kernels.primitives import kernel

# numba promotes the product of two 32-bit numbers to 64 bits. All arithmetic is therefore in 64 bits, and the upper 32 bits
# are masked.
_LOW = np.uint64(0xFFFFFFFF)
_C1, _C2 = np.uint64(0xCC9E2D51), np.uint64(0x1B873593)
_FIVE, _ADDED = np.uint64(5), np.uint64(0xE6546B64)
_FINAL1, _FINAL2 = np.uint64(0x85EBCA6B), np.uint64(0xC2B2AE35)
_R13, _R15, _R16, _R17, _R19 = (np.uint64(shift) for shift in (13, 15, 16, 17, 19))


@kernel(forceinline=True)
def mix_block(block):
    """Mix a block of four bytes, or the remaining bytes at the end of a name, before it enters the hash."""
    block = (block * _C1) & _LOW
    block = ((block << _R15) & _LOW) | (block >> _R17)
    return (block * _C2) & _LOW


@kernel(forceinline=True)
def mix_hash(h, block):
    """Return the hash after a block of four more bytes."""
    h = h ^ mix_block(block)
    h = ((h << _R13) & _LOW) | (h >> _R19)
    return (h * _FIVE + _ADDED) & _LOW


@kernel(forceinline=True)
def finalize(h, rest, length):
    """Return the final hash of a name, where ``rest`` contains its last 0 to 3 bytes."""
    h = h ^ mix_block(rest) ^ length
    h = ((h ^ (h >> _R16)) * _FINAL1) & _LOW
    h = ((h ^ (h >> _R13)) * _FINAL2) & _LOW
    return h ^ (h >> _R16)


def _signed_hashes_in_numpy(text, starts):
    """Hash all names in parallel, a block of four bytes at a time."""
    lengths = np.diff(starts)
    padded = np.concatenate([text[: starts[-1]], np.zeros(4, dtype=np.uint8)])
    first = starts[:-1]
    h = np.zeros(len(lengths), dtype=np.uint64)
    rest = np.zeros(len(lengths), dtype=np.uint64)
    for offset in range(0, int(lengths.max(initial=0)), 4):
        left = lengths - offset
        names = np.flatnonzero(left > 0)
        four = padded[np.minimum(first[names, np.newaxis] + offset + np.arange(4), len(padded) - 1)].astype(np.uint64)
        four[np.arange(4) >= left[names, np.newaxis]] = 0
        block = (four << (np.uint64(8) * np.arange(4, dtype=np.uint64))).sum(axis=1, dtype=np.uint64)
        whole = left[names] >= 4
        h[names[whole]] = mix_hash(h[names[whole]], block[whole])
        rest[names[~whole]] = block[~whole]
    return finalize(h, rest, lengths.astype(np.uint64)).astype(np.uint32).view(np.int32)


@kernel(forceinline=True)
def four_bytes(text, i):
    """Return the four bytes of ``text`` from the unsigned index i as one number."""
    return (
        np.uint64(text[i])
        | (np.uint64(text[i + np.uint64(1)]) << np.uint64(8))
        | (np.uint64(text[i + np.uint64(2)]) << np.uint64(16))
        | (np.uint64(text[i + np.uint64(3)]) << np.uint64(24))
    )


@kernel(_signed_hashes_in_numpy)
def signed_hashes(text: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the MurmurHash3_x86_32 of each name.

    Parameters
    ----------
    text : uint8 array
        The concatenated names in UTF-8.
    starts : int64 array (n + 1,)
        The offset of each name; the last element is the total length.

    Returns
    -------
    int32 array (n,)

    Examples
    --------
    >>> text, starts = joined_names(["great", "great_book"])
    >>> signed_hashes(text, starts)
    array([ 198527388, -538277408], dtype=int32)
    """
    hashes = np.empty(len(starts) - 1, dtype=np.uint32)
    for n in range(len(hashes)):
        h, i, end = np.uint64(0), starts[n], starts[n + 1]
        while i + 4 <= end:
            h = mix_hash(h, four_bytes(text, np.uint64(i)))
            i += 4
        rest, shift = np.uint64(0), np.uint64(0)
        while i < end:
            rest |= np.uint64(text[i]) << shift
            shift += np.uint64(8)
            i += 1
        hashes[n] = finalize(h, rest, np.uint64(end - starts[n]))
    return hashes.view(np.int32)


def joined_names(names: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return names in the format of `signed_hashes`: their concatenated bytes, and the offset of each name.

    Examples
    --------
    >>> text, starts = joined_names(["a", "né"])
    >>> bytes(text), starts
    (b'an\\xc3\\xa9', array([0, 1, 4]))
    """
    encoded = [name.encode() for name in names]
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), starts


def buckets_and_signs(hashes: np.ndarray, hash_bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the bucket of each hash, |h| mod 2^b, and True for each negative sign.

    Parameters
    ----------
    hashes : int32 array (n,)
    hash_bits : int
        b, from 1 to 31.

    Returns
    -------
    buckets : uint32 array (n,)
    negative : bool array (n,)

    Examples
    --------
    >>> buckets_and_signs(np.array([5, -5, 2**31 - 1, -(2**31)], dtype=np.int32), 2)
    (array([1, 1, 3, 0], dtype=uint32), array([False,  True, False,  True]))
    """
    wide = np.abs(hashes.astype(np.int64))  # -2³¹ has no positive counterpart in 32 bits
    return (wide & ((1 << hash_bits) - 1)).astype(np.uint32), hashes < 0
