"""Compiled conversion of texts to rows of token counts: words are looked up by their bytes, without Python strings.

A batch of texts is one array of bytes. `tokenize` splits it into words and looks up the index of each word in a hash table;
new words are normalised in Python, once per distinct word. From these indices, `hashed_rows` and `indexed_rows` compute the
unigrams and bigrams of each text: as buckets with signs, or as indices into a second table, of tokens.

A table is a hash table with open addressing. The number of ``slots`` is a power of two. Each slot is empty or has two
numbers: the key of an entry, which is its bytes if there are at most eight, else a hash of them; and the index of the entry
plus one in the upper half, with its length in the lower half. The bytes of entry n are ``arena[starts[n]:starts[n + 1]]``.
These kernels need numba; without it, `lxmls_day1.engine.text.token_batches` counts in plain Python.
"""

import string
from typing import NamedTuple

import numpy as np

from lxmls_day1.engine.kernels.hashing import finalize, four_bytes, mix_hash
from lxmls_day1.engine.kernels.primitives import kernel

#: The kind of a word: not a token (it ends the bigram before it), a token in bigrams only, or also a token by itself.
NO_TOKEN, IN_BIGRAMS, ALONE = 0, 1, 2
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with irregular bits
_RADIX = 256
# Inlined into its callers, without reference-counted objects: see `row_primitives`.
_PRIMITIVE = {"forceinline": True, "_nrt": False}
_NOT_FOUND, _TABLE_FULL = -1, -2
_ZERO, _ONE, _TWO, _THREE, _EIGHT = (np.uint64(number) for number in (0, 1, 2, 3, 8))
_IS_LETTER = np.isin(np.arange(256), [*string.ascii_letters.encode()])
_IS_MARK = np.isin(np.arange(256), [*string.punctuation.replace("_", "").encode()])
_MAX_LENGTH = _LOW = np.uint64(2**32 - 1)
#: For each byte, 1 if white space may begin with it (for an ASCII byte: if it is white space); second array: or a comma.
SPACES = np.isin(np.arange(256), [*range(9, 14), *range(28, 33), 0xC2, 0xE1, 0xE2, 0xE3]).astype(np.uint8)
SPACES_AND_COMMAS = SPACES + (np.arange(256) == ord(",")).astype(np.uint8)


@kernel(**_PRIMITIVE)
def _gap_width(text, i, end, gaps):
    """Return the number of bytes of white space, or of a comma, at i; 0 if a word begins there.

    White space is defined as in `str.split`.
    """
    c = text[i]
    if c < 128:
        return np.uint64(gaps[c])
    one, two = i + _ONE, i + _TWO
    if c == 0xC2:
        return _TWO * np.uint64(one < end and (text[one] == 0x85 or text[one] == 0xA0))
    if c == 0xE2 and two < end:
        last = text[two]
        if text[one] == 0x80:
            return _THREE * np.uint64(0x80 <= last <= 0x8A or last == 0xA8 or last == 0xA9 or last == 0xAF)
        return _THREE * np.uint64(text[one] == 0x81 and last == 0x9F)
    if c == 0xE1 and two < end:
        return _THREE * np.uint64(text[one] == 0x9A and text[two] == 0x80)
    if c == 0xE3 and two < end:
        return _THREE * np.uint64(text[one] == 0x80 and text[two] == 0x80)
    return _ZERO


@kernel()
def may_contain_thousands_separator(text, starts):
    """Return for each text True if it may contain a number such as ``1,250``: a comma before three possible digits.

    Each byte of a non-ASCII character counts as a possible digit.
    """
    found = np.zeros(len(starts) - 1, dtype=np.bool_)
    for m in range(len(found)):
        for i in range(starts[m], starts[m + 1] - 3):
            if text[i] == 44:
                digits = True
                for k in range(i + 1, i + 4):
                    digits &= 48 <= text[k] <= 57 or text[k] >= 128
                if digits:
                    found[m] = True
                    break
    return found


class HashTable(NamedTuple):
    """A hash table of byte strings; the docstring of this module describes the arrays."""

    slots: np.ndarray  # (a power of two, 2) uint64
    arena: np.ndarray  # uint8
    starts: np.ndarray  # (maximum number of entries + 1,) int64


@kernel(**_PRIMITIVE)
def _slot_of(key, slots):
    """Return the slot at which the search for a key begins."""
    key = (key ^ (key >> np.uint64(32))) * _FACTOR
    return (key ^ (key >> np.uint64(29))) & (np.uint64(len(slots)) - _ONE)


@kernel(**_PRIMITIVE)
def _mix_key(h, chunk):
    """Return the key of a long token after eight more bytes."""
    h = (h ^ chunk) * _FACTOR
    return h ^ (h >> np.uint64(32))


@kernel(**_PRIMITIVE)
def token_key(text, start, end):
    """Return the bytes of a token as one number if there are at most eight, else a hash of them."""
    h, chunk, shift = _ZERO, _ZERO, _ZERO
    for i in range(start, end):
        if shift == _EIGHT * _EIGHT:
            h, chunk, shift = _mix_key(h, chunk), _ZERO, _ZERO
        chunk |= np.uint64(text[np.uint64(i)]) << shift
        shift += _EIGHT
    return chunk if end - start <= 8 else _mix_key(h, chunk)


@kernel(**_PRIMITIVE)
def intern_token(text, start, end, key, may_add, table, n_entries):
    """Return the index of the token ``text[start:end]`` in a table; a new token is added if ``may_add``.

    Return −1 for a new token that may not be added, and −2 if the table is full.
    """
    slots, arena, arena_starts = table
    mask = np.uint64(len(slots)) - _ONE
    slot, start = _slot_of(key, slots), np.uint64(start)
    length = np.uint64(end) - start
    while True:
        length_and_entry = slots[slot, 1]
        if length_and_entry == _ZERO:
            if not may_add:
                return np.int64(_NOT_FOUND)
            entry = np.uint64(n_entries)
            at = np.uint64(arena_starts[entry])
            if entry + _ONE == np.uint64(len(arena_starts)) or at + length > np.uint64(len(arena)):
                return np.int64(_TABLE_FULL)
            slots[slot, 0], slots[slot, 1] = key, ((entry + _ONE) << np.uint64(32)) | min(length, _MAX_LENGTH)
            for k in range(length):
                arena[at + k] = text[start + k]
            arena_starts[entry + _ONE] = at + length
            return np.int64(entry)
        if slots[slot, 0] == key and (length_and_entry & _MAX_LENGTH) == min(length, _MAX_LENGTH):
            entry = (length_and_entry >> np.uint64(32)) - _ONE
            if length <= _EIGHT:
                return np.int64(entry)  # The key identifies the token.
            at, k = np.uint64(arena_starts[entry]), _ZERO
            if np.uint64(arena_starts[entry + _ONE]) - at == length:
                while k < length and arena[at + k] == text[start + k]:
                    k += _ONE
                if k == length:
                    return np.int64(entry)
        slot = (slot + _ONE) & mask


@kernel(_nrt=False)
def tokenize(text, starts, first, words, ends, gaps, table, n_entries):
    """Split texts into words and look up their indices in a table; new words are added.

    Parameters
    ----------
    text, starts
        The concatenated texts in UTF-8, and the offset of each text; the last of ``starts`` is the total length.
    first : int
        The index of the text to begin with.
    words : int32 array
        Output: the index of each word, from ``ends[first]`` on.
    ends : int64 array (n_texts + 1,)
        Output: the end of the words of each text; ``ends[0]`` is 0.
    gaps : uint8 array (256,)
        The bytes that separate words: `SPACES` or `SPACES_AND_COMMAS`.
    table : HashTable
    n_entries : int
        The number of words in the table.

    Returns
    -------
    text : int
        The index of the text at which the table was full, to continue there with a larger table; the number of texts if all are
        done.
    n_entries : int
    """
    for m in range(first, len(starts) - 1):
        place, i, end = np.uint64(ends[m]), np.uint64(starts[m]), np.uint64(starts[m + 1])
        while True:
            while i < end:
                width = _gap_width(text, i, end, gaps)
                if width == _ZERO:
                    break
                i += width
            if i >= end:
                break
            begin, h, chunk, shift = i, _ZERO, _ZERO, _ZERO
            while i < end:
                c = np.uint64(text[i])
                if gaps[c] and _gap_width(text, i, end, gaps) > _ZERO:
                    break
                if shift == _EIGHT * _EIGHT:
                    h, chunk, shift = _mix_key(h, chunk), _ZERO, _ZERO
                chunk |= c << shift
                shift += _EIGHT
                i += _ONE
            key = chunk if i - begin <= _EIGHT else _mix_key(h, chunk)
            entry = intern_token(text, begin, i, key, True, table, n_entries)
            if entry == _TABLE_FULL:
                return m, n_entries
            n_entries = max(n_entries, entry + 1)
            words[place] = entry
            place += _ONE
        ends[m + 1] = place
    return len(starts) - 1, n_entries


@kernel()
def pack_words(forms, form_starts, kinds, unigrams, packed):
    """Pack the data of each word that `hashed_rows` needs into half a cache line.

    For a word with the form ``a`` these are: its hash; the hash state after the complete four-byte blocks of ``a_``; the bytes
    after these blocks, the kind of the word and the length of ``a``; the offset of ``a`` in ``forms``; and the bytes of ``a``
    if there are at most eight.
    """
    for n in range(len(packed)):
        i, end = form_starts[n], form_starts[n + 1]
        h, rest, shift = _ZERO, _ZERO, _ZERO
        while i <= end:
            c = np.uint64(forms[np.uint64(i)]) if i < end else np.uint64(95)
            rest |= c << shift
            shift += _EIGHT
            if shift == np.uint64(32):
                h = mix_hash(h, rest)
                rest, shift = _ZERO, _ZERO
            i += 1
        start = form_starts[n]
        packed[n, 0] = np.uint64(unigrams[n]) | (h << np.uint64(32))
        packed[n, 1] = rest | (np.uint64(kinds[n]) << np.uint64(24)) | (np.uint64(end - start) << np.uint64(32))
        packed[n, 2] = start
        packed[n, 3] = token_key(forms, start, end) if end - start <= 8 else _ZERO


@kernel(**_PRIMITIVE)
def _word_kind(packed, word):
    return (packed[word, 1] >> np.uint64(24)) & np.uint64(3)


@kernel(**_PRIMITIVE)
def _bigram_hash(left, right, packed, forms):
    """Return the MurmurHash3 of ``left_right``, continued from the packed hash state of ``left_``."""
    h, rest = packed[left, 0] >> np.uint64(32), packed[left, 1] & np.uint64(0xFFFFFF)
    length = (packed[left, 1] >> np.uint64(32)) + _ONE
    shift = _EIGHT * (length & _THREE)
    left_to_do = packed[right, 1] >> np.uint64(32)
    length += left_to_do
    i, near = packed[right, 2], packed[right, 3]
    is_near = left_to_do <= _EIGHT
    while left_to_do >= np.uint64(4):
        if is_near:
            four = near & _LOW
            near >>= np.uint64(32)
        else:
            four = four_bytes(forms, i)
            i += np.uint64(4)
        rest |= four << shift
        h = mix_hash(h, rest & _LOW)
        rest >>= np.uint64(32)
        left_to_do -= np.uint64(4)
    while left_to_do > _ZERO:
        if is_near:
            c = near & np.uint64(255)
            near >>= _EIGHT
        else:
            c = np.uint64(forms[i])
            i += _ONE
        rest |= c << shift
        shift += _EIGHT
        if shift == np.uint64(32):
            h = mix_hash(h, rest)
            rest, shift = _ZERO, _ZERO
        left_to_do -= _ONE
    return finalize(h, rest, length)


@kernel(**_PRIMITIVE)
def _bucket_key(h, mask):
    """Combine bucket and sign of a hash in one number that sorts by bucket."""
    signed = np.int64(np.int32(np.uint32(h)))
    return np.uint32(((np.uint64(abs(signed)) & mask) << np.uint64(1)) | np.uint64(signed < 0))


@kernel(**_PRIMITIVE)
def _sort(keys, scratch, n, bits, counts):
    """Sort the first n keys of ``bits`` bits: by radix sort, or a few keys by insertion sort."""
    if n <= 24:
        for i in range(1, n):
            key, k = keys[i], i
            while k > 0 and keys[k - 1] > key:
                keys[k] = keys[k - 1]
                k -= 1
            keys[k] = key
        return
    for shift in range(0, bits, 8):
        counts[:] = 0
        for i in range(n):
            counts[(keys[i] >> np.uint32(shift)) & np.uint32(255)] += 1
        total = 0
        for digit in range(_RADIX):
            total, counts[digit] = total + counts[digit], total
        for i in range(n):
            digit = (keys[i] >> np.uint32(shift)) & np.uint32(255)
            scratch[counts[digit]] = keys[i]
            counts[digit] += 1
        for i in range(n):
            keys[i] = scratch[i]


@kernel()
def hashed_rows(words, ends, packed, forms, hash_bits, indptr, indices, data):
    """Compute the rows of hashed unigrams and bigrams: the value of a bucket is the sum of the signs of its tokens.

    Values of 0 are not stored.

    Parameters
    ----------
    words, ends
        The indices of the words of all texts, and the end of each text.
    packed, forms
        The data of each word from `pack_words`, and the bytes of all forms.
    hash_bits : int
    indptr, indices, data : int64, uint32 and float32 arrays
        Output: the rows; the last two arrays have room for two entries per word.
    """
    mask = (np.uint64(1) << np.uint64(hash_bits)) - np.uint64(1)
    longest = 0
    for m in range(len(ends) - 1):
        longest = max(longest, ends[m + 1] - ends[m])
    keys, scratch = np.empty(2 * longest, dtype=np.uint32), np.empty(2 * longest, dtype=np.uint32)
    counts = np.empty(_RADIX, dtype=np.int64)
    place = 0
    for m in range(len(ends) - 1):
        n, end = 0, ends[m + 1]
        for i in range(ends[m], end):
            word = np.uint64(words[np.uint64(i)])
            kind = _word_kind(packed, word)
            if kind == ALONE:
                keys[n] = _bucket_key(packed[word, 0] & _LOW, mask)
                n += 1
            if i + 1 < end and kind != NO_TOKEN:
                right = np.uint64(words[np.uint64(i + 1)])
                if kind == ALONE or _word_kind(packed, right) == ALONE:
                    keys[n] = _bucket_key(_bigram_hash(word, right, packed, forms), mask)
                    n += 1
        _sort(keys, scratch, n, hash_bits + 1, counts)
        i = 0
        while i < n:
            bucket, value = keys[i] >> np.uint32(1), np.int64(0)
            while i < n and keys[i] >> np.uint32(1) == bucket:
                value += 1 - 2 * np.int64(keys[i] & np.uint32(1))
                i += 1
            if value != 0:
                indices[place], data[place] = bucket, value
                place += 1
        indptr[m + 1] = place


@kernel(**_PRIMITIVE)
def _write(packed, forms, word, token, at):
    """Copy the normalised bytes of a word to ``token`` at index ``at``; return the index after them."""
    start, length = packed[word, 2], packed[word, 1] >> np.uint64(32)
    for k in range(length):
        token[at + k] = forms[start + k]
    return at + length


@kernel()
def indexed_rows(words, ends, first, packed, forms, indptr, indices, token_counts, hashes, table, n_entries):
    """Compute the rows of unigrams and bigrams by their indices in a table; new tokens are added.

    Parameters
    ----------
    words, ends, packed, forms
        See `hashed_rows`.
    first : int
        The index of the text to begin with; its row begins at ``indptr[first]``.
    indptr, indices, token_counts : int64, uint32 and float32 arrays
        Output: the rows, with ascending indices.
    hashes : uint32 array
        Output: the hash of each new token.
    table, n_entries
        The table of tokens and their number. New tokens of a text are added in the order of `tokens.count_tokens`:
        unigrams, then bigrams.

    Returns
    -------
    text, n_entries : int
        See `tokenize`.
    """
    longest, longest_form = 0, _ZERO
    for m in range(len(ends) - 1):
        longest = max(longest, ends[m + 1] - ends[m])
    for n in range(len(packed)):
        longest_form = max(longest_form, packed[n, 1] >> np.uint64(32))
    keys, scratch = np.empty(2 * longest, dtype=np.uint32), np.empty(2 * longest, dtype=np.uint32)
    counts = np.empty(_RADIX, dtype=np.int64)
    token = np.empty(2 * np.int64(longest_form) + 1, dtype=np.uint8)
    for m in range(first, len(ends) - 1):
        n, end = 0, ends[m + 1]
        for bigrams in range(2):
            for i in range(ends[m], end - bigrams):
                word = words[i]
                kind = _word_kind(packed, word)
                right = words[i + bigrams]
                if kind != ALONE and (bigrams == 0 or kind == NO_TOKEN or _word_kind(packed, right) != ALONE):
                    continue
                length = _write(packed, forms, word, token, _ZERO)
                h = packed[word, 0] & _LOW
                if bigrams == 1:
                    token[length] = 95
                    length = _write(packed, forms, right, token, length + _ONE)
                    h = _bigram_hash(word, right, packed, forms)
                key = token_key(token, 0, np.int64(length))
                number = intern_token(token, 0, length, key, True, table, n_entries)
                if number == _TABLE_FULL:
                    return m, n_entries
                hashes[number] = h
                n_entries = max(n_entries, number + 1)
                keys[n] = number
                n += 1
        _sort(keys, scratch, n, 32, counts)
        place, i = indptr[m], 0
        while i < n:
            number, count = keys[i], 0
            while i < n and keys[i] == number:
                count += 1
                i += 1
            indices[place], token_counts[place] = number, count
            place += 1
        indptr[m + 1] = place
    return len(ends) - 1, n_entries


@kernel()
def merge_tokens(first, text, starts, index_of, may_add, table, n_entries):
    """Look up the tokens of one table in another table, and write their indices to ``index_of``.

    A token that is not in the other table is added if ``may_add``, and otherwise gets −1.

    Returns
    -------
    token : int
        The index of the first token for which the table was too small, to continue there with a larger table.
    n_entries : int
    """
    for n in range(first, len(index_of)):
        key = token_key(text, starts[n], starts[n + 1])
        number = intern_token(text, starts[n], starts[n + 1], key, may_add, table, n_entries)
        if number == _TABLE_FULL:
            return n, n_entries
        index_of[n] = number
        n_entries = max(n_entries, number + 1)
    return len(index_of), n_entries


@kernel()
def rehash(old, slots):
    """Insert the entries of a table into new slots."""
    mask = np.uint64(len(slots)) - _ONE
    for place in range(len(old)):
        if old[place, 1] != _ZERO:
            slot = _slot_of(old[place, 0], slots)
            while slots[slot, 1] != _ZERO:
                slot = (slot + _ONE) & mask
            slots[slot, 0], slots[slot, 1] = old[place, 0], old[place, 1]


@kernel()
def ascii_words(arena, starts, first, lengths, begins):
    """Find words with a trivial form: ASCII letters, followed by punctuation marks or preceded by a bracket.

    For such a word, ``lengths`` gets the number of letters and ``begins`` the offset of the first. For any other word,
    ``lengths`` gets −1.
    """
    for n in range(len(lengths)):
        i, end = starts[first + n], starts[first + n + 1]
        bracket = arena[i] == 40
        i += np.int64(bracket)
        begins[n] = i
        while i < end and _IS_LETTER[arena[i]]:
            i += 1
        lengths[n] = i - begins[n]
        while i < end and _IS_MARK[arena[i]] and not bracket:
            i += 1
        if i < end or lengths[n] == 0:
            lengths[n] = -1


@kernel()
def write_ascii_forms(arena, begins, lengths, forms, form_starts):
    """Write the lower-case forms of the words that `ascii_words` found; leave the bytes of other words unchanged."""
    for n in range(len(lengths)):
        for k in range(lengths[n]):
            forms[form_starts[n] + k] = arena[begins[n] + k] | 32
