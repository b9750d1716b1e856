"""Texts -> rows of token counts, in machine code: words are looked up by their bytes, and tokens are never spelt out as Python text.

A batch of texts stands in one array of bytes. `find_words` parts it into words and looks each up in a table, in which a word has a
number; what is new is normalised in Python, once for each different word. `hashed_rows` and `numbered_rows` make of the numbers the
unigrams and bigrams of each text: as buckets with signs, or as numbers in a second table whose entries are the tokens themselves.

A table is open addressing over arrays: ``slots`` (a power of two of them) hold the number of an entry plus one, or zero; entry n has its
bytes in ``arena[starts[n]:starts[n + 1]]``, and `hashes` has its hash. These kernels run where numba is; without it
`lxmls_day1.text.token_batches` counts in plain Python.
"""

import numpy as np

from lxmls_day1.compiled.hashing import finished, taken_in
from lxmls_day1.compiled.primitives import kernel

#: What a word is for the tokens: none (it ends a bigram before it), one in bigrams only, or one by itself, too.
NO_TOKEN, IN_BIGRAMS, ALONE = 0, 1, 2
_FNV = np.uint64(0x100000001B3)
_RADIX = 256
# It disappears into its callers, and there is nothing in it that numba would have to count references of: see `row_primitives`.
_PRIMITIVE = {"forceinline": True, "_nrt": False}
_NOT_IN_IT, _NO_ROOM = -1, -2
_ZERO, _ONE, _TWO, _THREE = (np.uint64(number) for number in range(4))
#: Byte -> whether white space may begin with it; of ASCII, and of the comma, whether it does.
_MAY_BE_GAP = np.isin(np.arange(256), [*range(9, 14), *range(28, 33), ord(","), 0xC2, 0xE1, 0xE2, 0xE3]).astype(np.uint8)


@kernel(**_PRIMITIVE)
def _gap_width(text, i, end):
    """How many bytes of white space, or of a comma, begin here; 0 if a word does. White space is what `str.split` takes for it."""
    c = text[i]
    if c < 128:
        return np.uint64(_MAY_BE_GAP[c])
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
def may_hold_thousands(text, starts):
    """Which texts may hold a number such as ``1,250``: a comma and three bytes that are, or may begin, digits."""
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


@kernel(**_PRIMITIVE)
def token_entry(text, start, end, h, may_add, slots, hashes, arena, arena_starts, n_entries):
    """The number of the token ``text[start:end]`` in a table, to which it is added if it is new and may be.

    It is -1 for one that may not be added, and -2 where there is no room for it.
    """
    mask = np.uint64(len(slots)) - _ONE
    slot, start = np.uint64(h) & mask, np.uint64(start)
    length = np.uint64(end) - start
    while True:
        entry = np.uint64(slots[slot])
        if entry == _ZERO:
            if not may_add:
                return np.int64(_NOT_IN_IT)
            entry = np.uint64(n_entries)
            at = np.uint64(arena_starts[entry])
            if entry == np.uint64(len(hashes)) or at + length > np.uint64(len(arena)):
                return np.int64(_NO_ROOM)
            slots[slot] = entry + _ONE
            hashes[entry] = h
            for k in range(length):
                arena[at + k] = text[start + k]
            arena_starts[entry + _ONE] = at + length
            return np.int64(entry)
        entry -= _ONE
        at = np.uint64(arena_starts[entry])
        if hashes[entry] == h and np.uint64(arena_starts[entry + _ONE]) - at == length:
            k = _ZERO
            while k < length and arena[at + k] == text[start + k]:
                k += _ONE
            if k == length:
                return np.int64(entry)
        slot = (slot + _ONE) & mask


@kernel(_nrt=False)
def find_words(text, starts, first, words, ends, slots, hashes, arena, arena_starts, n_entries):
    """Part texts into words and number them by a table, to which new ones are added.

    Parameters
    ----------
    text, starts
        The texts in UTF-8, and where each begins; the last of ``starts`` is the end of all.
    first : int
        The text to begin with.
    words : int32 array
        Takes the number of each word, from ``ends[first]`` on.
    ends : int64 array (n_texts + 1,)
        Takes where the words of each text end; ``ends[0]`` is 0.
    slots, hashes, arena, arena_starts
        The table.
    n_entries : int
        How many words it has.

    Returns
    -------
    text : int
        The text at which the table was full: go on there with a larger one; the number of texts if all are done.
    n_entries : int
    """
    for m in range(first, len(starts) - 1):
        place, i, end = np.uint64(ends[m]), np.uint64(starts[m]), np.uint64(starts[m + 1])
        while True:
            while i < end:
                width = _gap_width(text, i, end)
                if width == _ZERO:
                    break
                i += width
            if i >= end:
                break
            begin, h = i, np.uint64(0xCBF29CE484222325)
            while i < end:
                c = np.uint64(text[i])
                if _MAY_BE_GAP[c] and _gap_width(text, i, end) > _ZERO:
                    break
                h = (h ^ c) * _FNV
                i += _ONE
            h ^= h >> np.uint64(29)
            entry = token_entry(text, begin, i, h, True, slots, hashes, arena, arena_starts, n_entries)
            if entry == _NO_ROOM:
                return m, n_entries
            n_entries = max(n_entries, entry + 1)
            words[place] = entry
            place += _ONE
        ends[m + 1] = place
    return len(starts) - 1, n_entries


@kernel(**_PRIMITIVE)
def _is_bigram(left, right):
    return left != NO_TOKEN and (left == ALONE or right == ALONE)


@kernel()
def prefix_hashes(forms, form_starts, states, rests):
    """For each form ``a`` the hash after ``a_``, as far as blocks of four bytes reach, and the bytes behind them."""
    for n in range(len(states)):
        i, end = form_starts[n], form_starts[n + 1]
        h, rest, shift = np.uint64(0), np.uint64(0), np.uint64(0)
        while i <= end:
            c = np.uint64(forms[i]) if i < end else np.uint64(95)
            rest |= c << shift
            shift += np.uint64(8)
            if shift == 32:
                h = taken_in(h, rest)
                rest, shift = np.uint64(0), np.uint64(0)
            i += 1
        states[n], rests[n] = h, rest


@kernel(**_PRIMITIVE)
def _bigram_hash(left, right, forms, form_starts, states, rests):
    """MurmurHash3 of ``left_right``, from where that of ``left_`` stands."""
    h, rest = np.uint64(states[left]), np.uint64(rests[left])
    length = np.uint64(form_starts[left + 1] - form_starts[left] + 1)
    i, end = form_starts[right], form_starts[right + 1]
    shift = np.uint64(8) * (length & np.uint64(3))
    length += np.uint64(end - i)
    while i + 4 <= end:
        rest |= (
            np.uint64(forms[i])
            | (np.uint64(forms[i + 1]) << np.uint64(8))
            | (np.uint64(forms[i + 2]) << np.uint64(16))
            | (np.uint64(forms[i + 3]) << np.uint64(24))
        ) << shift
        h = taken_in(h, rest & np.uint64(0xFFFFFFFF))
        rest >>= np.uint64(32)
        i += 4
    while i < end:
        rest |= np.uint64(forms[i]) << shift
        shift += np.uint64(8)
        if shift == 32:
            h = taken_in(h, rest)
            rest, shift = np.uint64(0), np.uint64(0)
        i += 1
    return finished(h, rest, length)


@kernel(**_PRIMITIVE)
def _key_of(h, mask):
    """Bucket and sign of a hash in one number that sorts by the bucket."""
    signed = np.int64(np.int32(np.uint32(h)))
    return np.uint32(((np.uint64(abs(signed)) & mask) << np.uint64(1)) | np.uint64(signed < 0))


@kernel(**_PRIMITIVE)
def _sort(keys, scratch, n, bits, counts):
    """Sort the first n keys of so many bits, by their digits from the lowest on; few are sorted one into another."""
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
def hashed_rows(words, ends, kinds, unigrams, forms, form_starts, states, rests, hash_bits, indptr, indices, data):
    """The rows of hashed unigrams and bigrams: a bucket's value is the sum of the signs of the tokens in it, where that is not zero.

    Parameters
    ----------
    words, ends
        The numbers of the words of all texts, and where each text's end.
    kinds, unigrams, forms, form_starts, states, rests
        Of each word by its number: what it is for tokens, its hash, the bytes of its form, its `prefix_hashes`.
    hash_bits : int
    indptr, indices, data : int64, uint32 and float32 arrays
        Take the rows; the last two have room for two entries a word.
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
            word = words[i]
            kind = kinds[word]
            if kind == ALONE:
                keys[n] = _key_of(unigrams[word], mask)
                n += 1
            if i + 1 < end and _is_bigram(kind, kinds[words[i + 1]]):
                h = _bigram_hash(word, words[i + 1], forms, form_starts, states, rests)
                keys[n] = _key_of(h, mask)
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


@kernel()
def numbered_rows(
    words, ends, first, kinds, unigrams, forms, form_starts, states, rests, indptr, indices, counts_of,
    slots, hashes, arena, arena_starts, n_entries,
):  # fmt: skip
    """The rows of unigrams and bigrams by their numbers in a table, to which new ones are added.

    Parameters
    ----------
    words, ends, kinds, unigrams, forms, form_starts, states, rests
        As for `hashed_rows`.
    first : int
        The text to begin with; rows go from ``indptr[first]`` on.
    indptr, indices, counts_of : int64, uint32 and float32 arrays
        Take the rows, whose indices ascend.
    slots, hashes, arena, arena_starts, n_entries
        The table of tokens. New tokens of a text are numbered in the order of `tokens.count_tokens`: its unigrams, then its bigrams.

    Returns
    -------
    text, n_entries : int
        As for `find_words`.
    """
    longest, longest_form = 0, 0
    for m in range(len(ends) - 1):
        longest = max(longest, ends[m + 1] - ends[m])
    for n in range(len(form_starts) - 1):
        longest_form = max(longest_form, form_starts[n + 1] - form_starts[n])
    keys, scratch = np.empty(2 * longest, dtype=np.uint32), np.empty(2 * longest, dtype=np.uint32)
    counts = np.empty(_RADIX, dtype=np.int64)
    token = np.empty(2 * longest_form + 1, dtype=np.uint8)
    for m in range(first, len(ends) - 1):
        n, end = 0, ends[m + 1]
        for bigrams in range(2):
            for i in range(ends[m], end - bigrams):
                word = words[i]
                start = form_starts[word]
                length = form_starts[word + 1] - start
                if bigrams == 0:
                    if kinds[word] != ALONE:
                        continue
                    h = np.uint32(unigrams[word])
                    number = token_entry(
                        forms, start, start + length, h, True, slots, hashes, arena, arena_starts, n_entries
                    )
                else:
                    right = words[i + 1]
                    if not _is_bigram(kinds[word], kinds[right]):
                        continue
                    for k in range(length):
                        token[k] = forms[start + k]
                    token[length] = 95
                    length += 1
                    for k in range(form_starts[right], form_starts[right + 1]):
                        token[length] = forms[k]
                        length += 1
                    h = np.uint32(_bigram_hash(word, right, forms, form_starts, states, rests))
                    number = token_entry(token, 0, length, h, True, slots, hashes, arena, arena_starts, n_entries)
                if number < 0:
                    return m, n_entries
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
            indices[place], counts_of[place] = number, count
            place += 1
        indptr[m + 1] = place
    return len(ends) - 1, n_entries


@kernel()
def merge_tokens(first, text, starts, hashes_of, number_of, may_add, slots, hashes, arena, arena_starts, n_entries):
    """The numbers that the tokens of one table have in another, to which they are added if they may; -1 for those that are not in it.

    Returns
    -------
    token : int
        The first that was not merged for want of room: go on there with a larger table.
    n_entries : int
    """
    for n in range(first, len(number_of)):
        number = token_entry(
            text, starts[n], starts[n + 1], hashes_of[n], may_add, slots, hashes, arena, arena_starts, n_entries
        )
        if number == _NO_ROOM:
            return n, n_entries
        number_of[n] = number
        n_entries = max(n_entries, number + 1)
    return len(number_of), n_entries


@kernel()
def fill_slots(slots, hashes, n_entries):
    """Put the entries of a table into new slots."""
    mask = np.uint64(len(slots) - 1)
    for n in range(n_entries):
        slot = np.uint64(hashes[n]) & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = n + 1
