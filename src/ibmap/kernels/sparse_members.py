"""What dropping members adds to the terms of a variable, for large blankets.

All sets that are needed are the blanket without one or two members. They are found as
partitions of its slices, by halves of what may still be left out: sets share all that
they have in common.
"""

from ibmap.kernels.blanket_slices import list_slices, undivided
from ibmap.kernels.compiling import inner, kernel
from ibmap.kernels.context import Data, narrowed
from ibmap.kernels.dropped_members import add_without_one
from ibmap.kernels.group_weights import new_counters
from ibmap.kernels.two_dropped import add_without_two, known_of


@inner
def narrowed_by(context, data, members, first, last):
    """Add some members to a set: `first` to `last` - 1."""
    for k in range(first, last):
        context = narrowed(context, data, members[k])
    return context


@inner
def without_each(context, data, members):
    """List the sets of all members but one, by halves that are left out."""
    found = [context for _ in members]
    waiting = [(0, members.shape[0], context)]
    while len(waiting) > 0:
        first, last, context = waiting.pop()
        if last - first == 1:
            found[first] = context
            continue
        middle = (first + last) // 2
        waiting.append((first, middle, narrowed_by(context, data, members, middle, last)))
        waiting.append((middle, last, narrowed_by(context, data, members, first, middle)))
    return found


@inner
def add_pairs(slices, blanket, data, prior, question, counters, terms):
    """Do the tests without two members. Sets are narrowed by halves of what may still be left out."""
    members = question.members
    plain = Data(data.codes, data.cardinalities, data.log_cardinalities, data.weights[:0])
    known = known_of(slices, members, data, prior, data.cardinalities[question.x])
    waiting = [(0, members.shape[0], 0, members.shape[0], undivided(slices))]
    while len(waiting) > 0:
        a, b, c, d, groups = waiting.pop()
        if a == c:
            if b - a > 1:
                m = (a + b) // 2
                waiting.append((a, m, m, b, groups))
                if m - a > 1:
                    waiting.append((a, m, a, m, narrowed_by(groups, plain, members, m, b)))
                if b - m > 1:
                    waiting.append((m, b, m, b, narrowed_by(groups, plain, members, a, m)))
        elif b - a > 1 and b - a >= d - c:
            m = (a + b) // 2
            waiting.append((a, m, c, d, narrowed_by(groups, plain, members, m, b)))
            waiting.append((m, b, c, d, narrowed_by(groups, plain, members, a, m)))
        elif d - c > 1:
            m = (c + d) // 2
            waiting.append((a, b, c, m, narrowed_by(groups, plain, members, m, d)))
            waiting.append((a, b, m, d, narrowed_by(groups, plain, members, c, m)))
        else:
            add_without_two(slices, groups, (a, c), known, blanket, data, prior, members, counters, terms)


@kernel
def sparse_member_terms(blanket, data, prior, question, terms):
    """Do the tests of `look.member_terms` where many configurations have no data.

    blanket: IN, the context of B. terms: IN and OUT, by variable.
    """
    x, members, _ = question
    slices = list_slices(blanket, data.codes[:, x], data.weights)
    counters = new_counters(
        data.cardinalities[x],
        data.cardinalities[members].max(),
        data.cardinalities.max(),
        data.codes.shape[0],
    )
    plain = Data(data.codes, data.cardinalities, data.log_cardinalities, data.weights[:0])
    partitions = without_each(undivided(slices), plain, members)
    add_without_one(slices, partitions, blanket, data, prior, question, counters, terms)
    add_pairs(slices, blanket, data, prior, question, counters, terms)
