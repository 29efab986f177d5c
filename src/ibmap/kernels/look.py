"""The terms of a variable for its blanket and the changes of it, for any numbers of states.

The terms of B + W and of B - b need tests of X given B + W, B - b + W, B - b and
B - b - c. All of these sets are B without at most two members, refined by at most
one variable; sets share the partition of the first members they have in common.
(Numba cannot load a recursive kernel from its cache, so there are loops.)
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inner, kernel
from ibmap.kernels.context import (
    Context,
    all_given,
    log_posteriors,
    narrowed,
    narrowed_by_all,
    nothing_given,
    size_of,
)
from ibmap.kernels.one_against_many import test_all
from ibmap.kernels.one_against_one import against_one
from ibmap.kernels.partition import is_dense

FEW_LEFT = 8  # of so many rows one is still in a slice with another where slices are begun with

# The question: X, its blanket (best with the most telling members first), the variables outside it
# (best in an order that keeps equal cardinalities together).
Question = namedtuple("Question", "x members outside")


@inner
def beginnings(context, data, members, first):
    """List the sets of the members from `first` on: none of them, the first, the first two, ... all."""
    found = [context]
    for k in range(first, members.shape[0]):
        found.append(narrowed(found[-1], data, members[k]))
    return found


@inner
def without(context, data, members, k):
    """Give the set of all members but the k-th from that of those before it."""
    i, n = k + 1, members.shape[0]
    while i < n and context.rows.shape[0] > 0:
        context = narrowed(context, data, members[i])
        i += 1
    size, log_size = size_of(data, members[i:])
    return Context(
        context.rows, context.starts, context.n_single, context.log_size + log_size, context.size * size
    )


@inner
def all_but(members, k):
    """List the members but the k-th."""
    return np.concatenate((members[:k], members[k + 1 :]))


@inner
def begun(empty, data, members):
    """Begin the sets of all members but one, for `all_but_one`.

    Where their configurations can be counted out each takes one go over the rows, from the empty set; else
    they share the slices of the first members they have in common, in which few rows are left.
    """
    if is_dense(empty.rows.shape[0], data.cardinalities, members, 1):
        return [empty]
    return beginnings(empty, data, members, 0)


@inner
def all_but_one(prefixes, data, members, k):
    """Give the set of all members but the k-th. prefixes: IN, from `begun`."""
    if len(prefixes) == 1:
        return narrowed_by_all(prefixes[0], data, all_but(members, k))
    return without(prefixes[k], data, members, k)


@kernel
def member_terms(data, prior, question, terms):
    """Do the tests given B - b and B - b + W, but for those of b given B - b. terms: IN and OUT."""
    x, members, outside = question
    independent, dependent = np.empty(outside.shape[0]), np.empty(outside.shape[0])
    prefixes = begun(nothing_given(data, x), data, members)
    for p in range(members.shape[0]):
        b, context = members[p], all_but_one(prefixes, data, members, p)
        test_all(context, data, prior, x, outside, independent, dependent)
        terms[b] += independent.sum()
        for w in outside:
            terms[w] += against_one(narrowed(context, data, w), data, prior, x, b)[1]


@inner
def thirds(empty, data, members):
    """Give the sets of the first, second and last third of the members, and where these begin."""
    ends = np.array([k * members.shape[0] // 3 for k in range(4)])
    return [narrowed_by_all(empty, data, members[ends[k] : ends[k + 1]]) for k in range(3)], ends


@inner
def from_third(parts, ends, data, members, p, q):
    """Give the set of all members but two, of which the p-th comes first, from the third that has neither."""
    k = 0
    while ends[k] <= p < ends[k + 1] or ends[k] <= q < ends[k + 1]:
        k += 1
    context = parts[k]
    for i in range(members.shape[0]):
        if context.rows.shape[0] == 0:
            break  # and so whatever else is given: its size does not matter
        if i not in (p, q) and not ends[k] <= i < ends[k + 1]:
            context = narrowed(context, data, members[i])
    return context


@kernel
def between_members(data, prior, question, terms):
    """Do the tests of b given B - b and given B - b - c. terms: IN and OUT, by variable.

    Sets are counted out if they are dense; else begun with a third of the members where that leaves few rows
    together, or with the members that come first.
    """
    x, members, n = question.x, question.members, question.members.shape[0]
    empty = nothing_given(data, x)
    prefixes = begun(empty, data, members)
    is_counted = is_dense(empty.rows.shape[0], data.cardinalities, members, 2)
    parts, ends = thirds(empty, data, members if not is_counted else members[:0])
    n_left = max([part.rows.shape[0] for part in parts])
    is_begun = not is_counted and n_left * FEW_LEFT <= empty.rows.shape[0]
    for p in range(n):
        b = members[p]
        independent, dependent = against_one(all_but_one(prefixes, data, members, p), data, prior, x, b)
        terms[x] += dependent
        terms[b] += independent
        without_b = [empty] if is_counted or is_begun else beginnings(prefixes[p], data, members, p + 1)
        for q in range(p + 1, n):
            c = members[q]
            if is_counted:
                context = narrowed_by_all(empty, data, all_but(all_but(members, q), p))
            elif is_begun:
                context = from_third(parts, ends, data, members, p, q)
            else:
                context = without(without_b[q - p - 1], data, members, q)
            if context.rows.shape[0] == 0:
                of_prior = log_posteriors(-np.inf, prior.log_p)[1]
                terms[b] += of_prior
                terms[c] += of_prior
                continue
            terms[c] += against_one(context, data, prior, x, b)[1]
            terms[b] += against_one(context, data, prior, x, c)[1]


@kernel
def own_tests(data, prior, question, independent, dependent):
    """Do the tests of a blanket as it is: of those outside given it, of members given the others.

    independent, dependent: OUT, log posteriors, by variable.
    """
    x, members, outside = question
    found = np.empty(outside.shape[0]), np.empty(outside.shape[0])
    test_all(all_given(data, x, members), data, prior, x, outside, found[0], found[1])
    for k in range(outside.shape[0]):
        independent[outside[k]], dependent[outside[k]] = found[0][k], found[1][k]
    prefixes = begun(nothing_given(data, x), data, members)
    for k in range(members.shape[0]):
        b, context = members[k], all_but_one(prefixes, data, members, k)
        independent[b], dependent[b] = against_one(context, data, prior, x, b)


@kernel
def one_term(data, prior, question):
    """Work out the term of X for its blanket."""
    n_variables = data.cardinalities.shape[0]
    independent, dependent = np.zeros(n_variables), np.zeros(n_variables)
    own_tests(data, prior, question, independent, dependent)
    return independent[question.outside].sum() + dependent[question.members].sum()
