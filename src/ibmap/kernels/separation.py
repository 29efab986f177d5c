"""Ask a graph many questions of vertex separation at once.

A set of variables is a row of 64-bit words; the neighbours of everything just
reached are joined to the set word by word.
"""

import numpy as np

from ibmap.kernels.compiling import kernel

M1 = np.uint64(0x5555555555555555)
M2 = np.uint64(0x3333333333333333)
M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
ONE = np.uint64(1)


@kernel
def lowest_bit(word):
    """Give the position of the lowest bit of a word other than 0.

    It is the number of ones below it, counted in parallel.
    """
    below = (word & (~word + ONE)) - ONE
    below = below - ((below >> ONE) & M1)
    below = (below & M2) + ((below >> np.uint64(2)) & M2)
    below = (below + (below >> np.uint64(4))) & M4
    below = below + (below >> np.uint64(8))
    below = below + (below >> np.uint64(16))
    below = below + (below >> np.uint64(32))
    return np.int64(below & np.uint64(127))


@kernel
def is_reached(neighbours, start, goal, closed, fresh):
    """Tell whether a path leads from `start` to `goal` outside `closed`.

    neighbours: IN, words of each variable. closed: IN and OUT, words of the variables not to enter;
    what was reached is added. fresh: scratch, words.
    """
    n_words = closed.shape[0]
    goal_word, goal_bit = goal >> 6, ONE << np.uint64(goal & 63)
    fresh[:] = np.uint64(0)
    fresh[start >> 6] = ONE << np.uint64(start & 63)
    closed[start >> 6] |= fresh[start >> 6]
    w = start >> 6
    idle = 0
    while idle < n_words:
        if fresh[w] == np.uint64(0):
            idle += 1
            w = w + 1 if w + 1 < n_words else 0
            continue
        idle = 0
        x = (np.int64(w) << 6) + lowest_bit(fresh[w])
        fresh[w] &= fresh[w] - ONE
        for v in range(n_words):
            found = neighbours[x, v] & ~closed[v]
            fresh[v] |= found
            closed[v] |= found
        if closed[goal_word] & goal_bit:
            return True
    return False


@kernel
def separations(neighbours, orders, sizes, scratch, separated):
    """Tell for each row whether its first two variables are separated by the next few.

    neighbours: IN, words of each variable. orders: IN, variables in a row each. sizes: IN, how many after
    the first two are given. scratch: two rows of words. separated: OUT.
    """
    closed, fresh = scratch[0], scratch[1]
    for k in range(orders.shape[0]):
        closed[:] = np.uint64(0)
        for p in range(2, 2 + sizes[k]):
            z = orders[k, p]
            closed[z >> 6] |= ONE << np.uint64(z & 63)
        separated[k] = not is_reached(neighbours, orders[k, 0], orders[k, 1], closed, fresh)
