"""Binary rows sorted by the slices of a blanket and packed into words.

A slice holds the rows that agree on the blanket. Its rows with X = 0 come first, then those with X = 1.
Slices of one row say nothing by themselves: they come last. A slice of up to 64 rows lies in one word,
which it may share with others; a larger one has words of its own. Masks tell its rows with X = 0 and with X
= 1 apart.
"""

import numpy as np

from ibmap.kernels.compiling import kernel

WORD = 64
M1, M2 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
M4, M8 = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
ONE = np.uint64(1)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # spreads keys evenly over a hash table


@kernel
def popcount(v):
    """Count the bits of a word; LLVM knows the pattern and uses its own instruction."""
    v = v - ((v >> ONE) & M1)
    v = (v & M2) + ((v >> np.uint64(2)) & M2)
    v = (v + (v >> np.uint64(4))) & M4
    return (v * M8) >> np.uint64(56)


@kernel
def n_bits(v):
    """Count the bits of a word, as a signed number."""
    return np.int64(popcount(v))


@kernel
def transpose(block):
    """Exchange bit j of word i with bit i of word j. block: IN and OUT, 64 words."""
    step, mask = 32, np.uint64(0x00000000FFFFFFFF)
    while step > 0:
        shift = np.uint64(step)
        i = 0
        while i < WORD:
            moved = ((block[i] >> shift) ^ block[i + step]) & mask
            block[i + step] ^= moved
            block[i] ^= moved << shift
            i = (i + step + 1) & ~step
        step //= 2
        mask ^= mask << np.uint64(step)


@kernel
def pack_rows(states, row_bits):
    """Pack the states of each row, 64 variables a word. states: IN, by variable. row_bits: OUT, by row."""
    for v in range(states.shape[0]):
        block, shift = v // WORD, np.uint64(v % WORD)
        for i in range(states.shape[1]):
            row_bits[block, i] |= np.uint64(states[v, i]) << shift


@kernel
def hash_keys(keys, labels):
    """Number the distinct keys in order of appearance, by a hash table.

    keys: IN. labels: OUT, number of each row. Returns the distinct keys.
    """
    n_slots, shift = 16, 60
    while n_slots < 2 * keys.shape[0]:
        n_slots *= 2
        shift -= 1
    slots = np.full(n_slots, -1, np.int32)
    distinct = np.empty(keys.shape[0], np.uint64)
    found, last = 0, np.uint64(n_slots - 1)
    for i in range(keys.shape[0]):
        key = keys[i]
        mixed = key ^ (key >> np.uint64(32))  # high bits reach the low ones, then all the top
        k = (mixed * GOLDEN) >> np.uint64(shift)
        label = slots[k]
        while label >= 0 and distinct[np.uint32(label)] != key:
            k = (k + np.uint64(1)) & last
            label = slots[k]
        if label < 0:
            label = slots[k] = found
            distinct[found] = key
            found += 1
        labels[i] = label
    return distinct[:found]


@kernel
def sort_by_slice(states, x, members):
    """Sort rows by slice and X; slices of one row come last.

    Returns the keys of the slices (bit j is the state of member j), their rows with X = 0 and with X = 1, how
    many have two rows or more, and the rows in order.
    """
    n_rows = states.shape[1]
    row_keys, labels = np.zeros(n_rows, np.uint64), np.empty(n_rows, np.int64)
    for j in range(members.shape[0]):
        column, shift = states[members[j]], np.uint64(j)
        for i in range(n_rows):
            row_keys[i] |= np.uint64(column[i]) << shift
    found = hash_keys(row_keys, labels)
    n_slices = found.shape[0]
    totals = np.zeros(n_slices, np.int64)
    for i in range(n_rows):
        totals[labels[i]] += 1
    n_live = 0
    for s in range(n_slices):
        n_live += totals[s] > 1
    number, keys = np.empty(n_slices, np.int64), np.empty(n_slices, np.uint64)
    live, single = 0, n_live
    for s in range(n_slices):
        if totals[s] > 1:
            number[s] = live
            live += 1
        else:
            number[s] = single
            single += 1
        keys[number[s]] = found[s]
    sizes, own = np.zeros((n_slices, 2), np.uint64), states[x]
    for i in range(n_rows):
        labels[i] = number[labels[i]]
        sizes[labels[i], own[i]] += ONE
    places, rows = np.empty((n_slices, 2), np.int64), np.empty(n_rows, np.int64)
    place = 0
    for s in range(n_slices):
        places[s, 0] = place
        places[s, 1] = place + np.int64(sizes[s, 0])
        place += np.int64(sizes[s, 0] + sizes[s, 1])
    for i in range(n_rows):
        s, state = labels[i], own[i]
        rows[places[s, state]] = i
        places[s, state] += 1
    return keys, sizes, n_live, rows


@kernel
def place_slices(sizes):
    """Say where in the words each slice lies.

    Returns first, middle and last word of each slice, where the middle one has the boundary between X = 0 and
    X = 1; its rows there by masks; and the place of the first bit of each slice, and the end.
    """
    n_slices = sizes.shape[0]
    words, masks = np.empty((n_slices, 3), np.int64), np.empty((n_slices, 2), np.uint64)
    starts, bit = np.empty(n_slices + 1, np.int64), 0
    for s in range(n_slices):
        total, zeros = np.int64(sizes[s, 0] + sizes[s, 1]), np.int64(sizes[s, 0])
        if bit % WORD + total > WORD:
            bit += -bit % WORD
        edge = bit + zeros
        if total > WORD and edge % WORD == 0 and edge > bit:
            middle = edge // WORD - 1  # no word of its own for the boundary
        else:
            middle = edge // WORD if total > WORD else bit // WORD
        first = max(bit, middle * WORD)
        last = min(bit + total, (middle + 1) * WORD)
        masks[s, 0] = bits_between(first - middle * WORD, edge - middle * WORD)
        masks[s, 1] = bits_between(edge - middle * WORD, last - middle * WORD)
        words[s, 0], words[s, 1], words[s, 2] = bit // WORD, middle, (bit + total - 1) // WORD
        starts[s] = bit
        bit += total
        if total > WORD:
            bit += -bit % WORD
    starts[n_slices] = bit
    return words, masks, starts


@kernel
def bits_between(first, last):
    """Give a word with the bits from `first` to `last` - 1."""
    if last <= first:
        return np.uint64(0)
    below = FULL if last >= WORD else (ONE << np.uint64(last)) - ONE
    return below & ~((ONE << np.uint64(first)) - ONE)


@kernel
def pack_slices(row_bits, rows, sizes, starts, outside):
    """Pack rows slice by slice: a row of words for each word of rows, an entry for each variable outside."""
    n_words = (starts[starts.shape[0] - 1] + WORD - 1) // WORD
    slots = np.full(n_words * WORD, -1, np.int64)
    place = 0
    for s in range(sizes.shape[0]):
        for k in range(np.int64(sizes[s, 0] + sizes[s, 1])):
            slots[starts[s] + k] = rows[place]
            place += 1
    packed = np.empty((n_words, outside.shape[0]), np.uint64)
    block, done = np.empty(WORD, np.uint64), 0
    for b in range(row_bits.shape[0]):  # `outside` is sorted: its variables of a block are next to each other
        end = done
        while end < outside.shape[0] and outside[end] // WORD == b:
            end += 1
        if end == done:
            continue
        for k in range(n_words):
            for j in range(WORD):
                i = slots[k * WORD + j]
                block[j] = row_bits[b, i] if i >= 0 else np.uint64(0)
            transpose(block)
            for v in range(done, end):
                packed[k, v] = block[outside[v] % WORD]
        done = end
    return packed


@kernel
def count_ones(packed, words, masks):
    """Count the rows in which each variable is 1, by slice, variable and X."""
    n_slices, n_outside = words.shape[0], packed.shape[1]
    ones = np.empty((n_slices, n_outside, 2), np.uint32)
    for s in range(n_slices):
        first, middle, last = words[s, 0], words[s, 1], words[s, 2]
        for v in range(n_outside):
            word = packed[middle, v]
            zero, one = popcount(word & masks[s, 0]), popcount(word & masks[s, 1])
            for k in range(first, middle):
                zero += popcount(packed[k, v])
            for k in range(middle + 1, last + 1):
                one += popcount(packed[k, v])
            ones[s, v, 0], ones[s, v, 1] = zero, one
    return ones


@kernel
def mask_slices(bits, x, members, n_rows):
    """Mark the rows of each slice of a few variables, apart by X, and count them.

    bits: IN, variables by words, bit i of word k is row 64 k + i. Returns masks, slices by X by words, and
    sizes of the slices of two rows or more, and how many have one.
    """
    n_words, n_slices, n_single = bits.shape[1], 1, 0
    masks = np.zeros((2 ** members.shape[0], 2, n_words), np.uint64)
    for k in range(n_words):
        masks[0, 0, k] = bits_between(0, min(n_rows - k * WORD, WORD))
    for j in range(members.shape[0]):
        for s in range(n_slices):
            for k in range(n_words):
                masks[n_slices + s, 0, k] = masks[s, 0, k] & bits[members[j], k]
                masks[s, 0, k] &= ~bits[members[j], k]
        n_slices *= 2
    sizes, found = np.zeros((n_slices, 2), np.uint64), 0
    for s in range(n_slices):
        size0, size1 = np.uint64(0), np.uint64(0)
        for k in range(n_words):
            rows = masks[s, 0, k]
            masks[found, 1, k] = rows & bits[x, k]
            masks[found, 0, k] = rows & ~bits[x, k]
            size0 += popcount(masks[found, 0, k])
            size1 += popcount(masks[found, 1, k])
        sizes[found, 0], sizes[found, 1] = size0, size1
        n_single += size0 + size1 == ONE
        found += size0 + size1 > ONE
    return masks[:found], sizes[:found], n_single


@kernel
def count_masked(bits, masks, asked):
    """Count the rows in which variables are 1, by slice, variable and X. masks: IN, by `mask_slices`."""
    ones = np.empty((masks.shape[0], asked.shape[0], 2), np.uint32)
    for v in range(asked.shape[0]):
        own = bits[asked[v]]
        for s in range(masks.shape[0]):
            for a in range(2):
                rows, total = masks[s, a], np.uint64(0)
                for k in range(own.shape[0]):
                    total += popcount(own[k] & rows[k])
                ones[s, v, a] = total
    return ones
