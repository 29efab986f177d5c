"""Best-first search over the runs of GS for one binary variable.

Sets are words: bit k stands for the k-th candidate, in the order they are tried. There are
two kinds of nodes:

- *growing*: a set of members and how they were reached. All later candidates are tested
  given the same set until one is found dependent, so one node branches into each of them
  being the next member, and into none: the shrink phase.
- *shrinking*: (members, position of the next one asked, how many are not asked given the
  others as they are, how many of the first members are those the grow phase added first
  and never lost). The last of these is known to be dependent given the ones before it. `form`
  packs the three numbers; nodes with equal members and form are merged.

`nodes` are (cost, members, form, parent). `heap` is (what a run through the node costs at least,
node). `rows` are (set, costs of independence by candidate, candidates tested). Tables `slots` find
a node or a row by hash. `counts` and `costs` hold the numbers below.

**The bound.** Every candidate after the place of a growing node is tested once in the grow phase,
given the members or more. So what is to come costs at least the sum of `lows`, the bounds of
`run_slices`, over the later candidates. `trust` adds a guess to that: the cost of the likelier
answer given the members as they are, times `trust`. With a guess the search finds good runs soon, and
proves nothing.
"""

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.run_rows import ONE, next_place, row_costs
from ibmap.kernels.slices import n_bits
from ibmap.kernels.two_by_two import log_dependent

GROWING = -1  # form of a growing node
N_NODES, N_HEAP, N_ROWS, N_EXPANDED, WINNER = range(5)  # places in `counts`
CHEAPEST, WINNING = range(2)  # places in `costs`
DONE, NODES, MORE_NODES, MORE_ROWS = range(4)  # why `advance` came back
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = np.uint64(0xD6E8FEB86659FD93)


@kernel
def slot_of(members, form, n_slots):
    """Hash a set and a form."""
    mixed = (members ^ (np.uint64(form + 2) * MIX)) * GOLDEN
    mixed ^= mixed >> np.uint64(32)
    return np.int64((mixed * GOLDEN) >> np.uint64(33)) & (n_slots - 1)


@kernel
def push(heap, counts, key, node):
    """Put a node on the heap; of equal costs the older node comes first."""
    keys, items = heap
    k = counts[N_HEAP]
    counts[N_HEAP] += 1
    while k > 0:
        up = (k - 1) >> 1
        if keys[up] < key or (keys[up] == key and items[up] < node):
            break
        keys[k], items[k] = keys[up], items[up]
        k = up
    keys[k], items[k] = key, node


@kernel
def pop(heap, counts):
    """Take the lowest node off the heap: its cost and its number."""
    keys, items = heap
    lowest, first = keys[0], items[0]
    counts[N_HEAP] -= 1
    n = counts[N_HEAP]
    key, node = keys[n], items[n]
    k = 0
    while True:
        down = 2 * k + 1
        if down >= n:
            break
        right = down + 1
        if right < n and (
            keys[right] < keys[down] or (keys[right] == keys[down] and items[right] < items[down])
        ):
            down = right
        if key < keys[down] or (key == keys[down] and node < items[down]):
            break
        keys[k], items[k] = keys[down], items[down]
        k = down
    keys[k], items[k] = key, node
    return lowest, first


@kernel
def add_node(nodes, heap, slots, counts, cost, rest, members, form, parent):
    """Put a node on the frontier, unless an equal one was reached at no more cost.

    rest: IN, what is to come costs at least; 0 while shrinking, so that merged nodes agree.
    """
    node_costs, node_members, node_forms, node_parents = nodes
    if form != GROWING:  # a growing node is reached in one way only
        k = slot_of(members, form, slots.shape[0])
        while slots[k] >= 0:
            node = slots[k]
            if node_members[node] == members and node_forms[node] == form:
                if node_costs[node] > cost:
                    node_costs[node], node_parents[node] = cost, parent
                    push(heap, counts, cost, node)
                return
            k = (k + 1) & (slots.shape[0] - 1)
        slots[k] = counts[N_NODES]
    node = counts[N_NODES]
    counts[N_NODES] += 1
    node_costs[node], node_members[node], node_forms[node], node_parents[node] = cost, members, form, parent
    push(heap, counts, cost + rest, node)


@kernel
def fill_slots(members, forms, n, slots):
    """Enter the first nodes, or rows, into a larger table. slots: OUT, all -1 before."""
    for node in range(n):
        if forms[node] != GROWING:
            k = slot_of(members[node], forms[node], slots.shape[0])
            while slots[k] >= 0:
                k = (k + 1) & (slots.shape[0] - 1)
            slots[k] = node


@kernel
def find_row(data, prior, rows, slots, counts, given, wanted, lows, is_bounded):
    """Look up, or work out, some tests given a set; there must be room for one more row.

    lows: OUT, their bounds if these are wanted; they are never looked up.
    """
    sets, costs, tested = rows
    k = slot_of(given, 0, slots.shape[0])
    while slots[k] >= 0 and sets[slots[k]] != given:
        k = (k + 1) & (slots.shape[0] - 1)
    if slots[k] < 0:
        slots[k] = counts[N_ROWS]
        sets[slots[k]] = given
        tested[slots[k]] = 0
        counts[N_ROWS] += 1
    row = slots[k]
    if is_bounded or wanted & ~tested[row] != 0:
        row_costs(data, prior, given, wanted, costs[row], lows)
        tested[row] |= wanted
    return row


@kernel
def settled_form(position, n_unasked, n_intact, size):
    """Skip what is known: the last of the members that were added first and are all there are."""
    if n_unasked > 0 and n_intact == size and position == size - 1:
        n_unasked -= 1
        position = 0
    if n_unasked == 0:
        return 0
    return position | (n_unasked << 8) | (n_intact << 16)


@kernel
def remainder(independent, low, trust):
    """Give what an answer costs at least, or with trust, is guessed to cost."""
    if trust == 0.0:
        return low
    return max(low, trust * min(independent, -log_dependent(independent)))


@kernel
def grow(tables, counts, limit, node, row, lows, trust):
    """Branch a growing node: each later candidate is the next member, or none is."""
    nodes, heap, slots, rows = tables
    cost, members = nodes[0][node], nodes[1][node]
    independent = rows[1][row]
    first, rest = next_place(members), 0.0
    for k in range(first, independent.shape[0]):
        rest += remainder(independent[k], lows[k], trust)
    for k in range(first, independent.shape[0]):
        if cost + rest > limit:
            return
        rest = max(rest - remainder(independent[k], lows[k], trust), 0.0)
        total = cost - log_dependent(independent[k])
        if total + rest <= limit:
            more = members | (ONE << np.uint64(k))
            add_node(nodes, heap, slots, counts, total, rest, more, GROWING, node)
        cost += independent[k]
    if cost <= limit:
        size = n_bits(members)
        form = settled_form(0, size, size, size)
        add_node(nodes, heap, slots, counts, cost, 0.0, members, form, node)


@kernel
def member_at(members, position):
    """Find the candidate behind a member's position."""
    k = 0
    while True:
        if (members >> np.uint64(k)) & ONE:
            if position == 0:
                return k
            position -= 1
        k += 1


@kernel
def shrink(tables, counts, limit, node, member, row):
    """Branch a shrinking node: the member asked about stays or goes."""
    nodes, heap, slots, rows = tables
    cost, members, form = nodes[0][node], nodes[1][node], nodes[2][node]
    position, n_unasked, n_intact = form & 255, (form >> 8) & 255, form >> 16
    size = n_bits(members)
    independent = rows[1][row, member]
    total = cost - log_dependent(independent)
    if total <= limit:
        stays = settled_form((position + 1) % size, n_unasked - 1, n_intact, size)
        add_node(nodes, heap, slots, counts, total, 0.0, members, stays, node)
    total = cost + independent
    if total <= limit:
        less = size - 1
        goes = 0
        if less > 0:
            goes = settled_form(position % less, less, min(n_intact, position), less)
        add_node(nodes, heap, slots, counts, total, 0.0, members & ~(ONE << np.uint64(member)), goes, node)


@kernel
def as_variables(members, order):
    """Write a set of candidates as a set of variables."""
    found = np.uint64(0)
    for k in range(order.shape[0]):
        if (members >> np.uint64(k)) & ONE:
            found |= ONE << np.uint64(order[k])
    return found


@kernel
def ranks_lower(members, others, order):
    """Tell whether a blanket wins a tie: fewer members, or the lower columns."""
    n, n_others = n_bits(members), n_bits(others)
    if n != n_others:
        return n < n_others
    a, b = as_variables(members, order), as_variables(others, order)
    different = a ^ b
    lowest = different & (~different + ONE)
    return (a & lowest) != 0


@kernel
def end(nodes, counts, costs, tolerance, node, order):
    """Take note of a blanket."""
    cost = nodes[0][node]
    costs[CHEAPEST] = min(costs[CHEAPEST], cost)
    winner = counts[WINNER]
    if winner >= 0 and costs[WINNING] <= costs[CHEAPEST] + tolerance:
        if cost > costs[CHEAPEST] + tolerance or not ranks_lower(nodes[1][node], nodes[1][winner], order):
            return
    counts[WINNER] = node
    costs[WINNING] = cost


@kernel
def advance(data, prior, tables, row_slots, counts, costs, tolerance, trust, n_more):
    """Search until it is done, so many nodes were looked at, or a table is full."""
    order = data[1]
    nodes, heap, _, rows = tables
    everyone = (ONE << np.uint64(order.shape[0])) - ONE
    last = counts[N_EXPANDED] + n_more
    room = order.shape[0] + 2  # nodes one step may add
    lows = np.empty(order.shape[0])
    while counts[N_HEAP] > 0 and heap[0][0] <= costs[CHEAPEST] + tolerance:
        if counts[N_EXPANDED] >= last:
            return NODES
        if counts[N_NODES] + room > nodes[0].shape[0] or counts[N_HEAP] + room > heap[0].shape[0]:
            return MORE_NODES
        if counts[N_ROWS] == rows[0].shape[0]:
            return MORE_ROWS
        key, node = pop(heap, counts)
        form = nodes[2][node]
        if form != GROWING and key > nodes[0][node]:
            continue  # reached at less cost since
        limit = costs[CHEAPEST] + tolerance
        if form == GROWING:
            counts[N_EXPANDED] += 1
            members = nodes[1][node]
            later = (everyone >> np.uint64(next_place(members))) << np.uint64(next_place(members))
            row = 0  # any will do if nobody is left to be tested
            if later != 0:
                row = find_row(data, prior, rows, row_slots, counts, members, later, lows, True)
            grow(tables, counts, limit, node, row, lows, trust)
        elif form == 0:
            end(nodes, counts, costs, tolerance, node, order)
        else:
            counts[N_EXPANDED] += 1
            member = member_at(nodes[1][node], form & 255)
            bit = ONE << np.uint64(member)
            row = find_row(data, prior, rows, row_slots, counts, nodes[1][node] & ~bit, bit, lows, False)
            shrink(tables, counts, limit, node, member, row)
    return DONE
