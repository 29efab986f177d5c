"""The tests given a blanket, and given it with one variable outside added, for any cardinalities.

Of the tests given B + W only the sum over Y of log Pr(I(X, Y | B + W)) counts, which is a
sum over slices of B. Within a slice the counts of X, W and Y give both X against Y in
each state of W and X against W in each state of Y; where a column has one state, or
two columns have one pattern, nothing needs to be counted (`slice_columns`).
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.class_pairs import (
    count_long_pair,
    count_pair,
    count_wide_pair,
    most_states,
    new_pair_counters,
    number_cells,
)
from ibmap.kernels.compiling import inlined, inner, kernel
from ibmap.kernels.context import (
    dirichlet,
    log_posteriors,
    log_slice_odds,
    narrowed,
    slice_prior,
)
from ibmap.kernels.group_weights import bits_of, rising, times_factor
from ibmap.kernels.rare_states import count_rare_pair, find_rare, new_rare, number_runs, rarer
from ibmap.kernels.slice_columns import Piece, find_classes, new_classes, of_size, weigh_class
from ibmap.kernels.slice_odds import CLEAR, FAINT, THIN, add_factor, log_of
from ibmap.kernels.thin_slices import (
    WIDEST,
    close_thin,
    load_slice,
    new_thin_slice,
    weigh_thin_slice,
)
from ibmap.kernels.thin_tables import thin_numbers

MANY_KINDS = 100  # of columns from which on tables for each three of them would be large

# Kinds of columns (see `slice_columns`): the kind of each column outside; for each kind the Dirichlet
# parameters and their sums, and the prior log-odds of a slice of B + W.
Kinds = namedtuple("Kinds", "of_column numbers log_odds")
# Sums over slices for each column outside: of log(1 + e) over all tests given B + W, what is still to be
# taken the logarithm of, the slices of B + W, and the odds of the test given B.
OutsideSums = namedtuple("OutsideSums", "logs products n_live odds")


@inner
def find_kinds(context, data, prior, question):
    """Sort the columns outside into kinds. With K counted by slices seen, each is of its own kind."""
    outside, n_x = question.outside, data.cardinalities[question.x]
    n, n_kinds = outside.shape[0], 0
    kinds = Kinds(np.empty(n, np.int64), np.empty((n, 5), np.int64), np.empty(n))
    for k in range(n):
        numbers = dirichlet(n_x, data.cardinalities[outside[k]], prior.has_sums)
        log_odds = log_slice_odds(prior, context.log_size + data.log_cardinalities[outside[k]])
        if prior.counts_seen:
            log_odds = slice_prior(narrowed(context, data, outside[k]), prior)[0]
        d = 0
        while d < n_kinds and (kinds.numbers[d, 2] != numbers[2] or kinds.log_odds[d] != log_odds):
            d += 1
        kinds.of_column[k], kinds.log_odds[d] = d, log_odds
        for i in range(5):
            kinds.numbers[d, i] = numbers[i]
        n_kinds = max(n_kinds, d + 1)
    return Kinds(kinds.of_column, kinds.numbers[:n_kinds], kinds.log_odds[:n_kinds])


@inlined
def times_power(product, log, t, n):
    """Multiply exp(log) * product by (1 + exp(t))^n."""
    if n == 1:
        return times_factor(product, log, t)
    if n > 0:
        factor, more = times_factor(1.0, 0.0, t)
        log += n * (more + math.log(factor))
    return product, log


@inlined
def close_class(values, totals, x_parts, n_states, log_odds, product, log, n):
    """Multiply in what each state of a class gives, n times, and clear the values."""
    factor, more = 1.0, 0.0
    for w in range(n_states):
        if totals[w] > 1:
            factor, more = times_factor(factor, more, log_odds + values[w] + x_parts[w])
        values[w] = 0.0
    log += n * more
    if n == 1:
        product *= factor
    else:
        log += n * math.log(factor)
    if product > 1e150:
        return 1.0, log + math.log(product)
    return product, log


@inner
def weigh_pairs(piece, n_classes, classes, kinds, log_gamma, counters, cells, rare, logs):
    """Sum log(1 + e) over the tests given B + W between the classes of a slice.

    rare: IN, from `find_all_rare`. logs: OUT, for each class as W, over all columns Y that have two states or
    more.
    """
    products, n_rows = np.ones(n_classes), piece.rows.shape[0]
    x_parts, sizes, totals, n_states = classes.x_parts, classes.sizes, classes.totals, classes.n_states
    column, n_runs = kinds.numbers[0, 1], piece.run_starts.shape[0] - 1
    for c in range(n_classes):
        logs[c] = 0.0
    for a in range(n_classes):
        kind_a = classes.kinds[a]
        for b in range(a):
            kind_b, ids, others = classes.kinds[b], classes.ids[a][:n_rows], classes.ids[b][:n_rows]
            both, shift = (n_states[a], n_states[b]), bits_of(n_states[b])
            one, two, is_rare = rarer(a, b, rare)
            if is_rare and n_states[one] << bits_of(n_states[two]) <= counters.counts.shape[0]:
                sums = (counters.first, counters.second) if one == a else (counters.second, counters.first)
                count_rare_pair(
                    piece, one, two, classes, bits_of(n_states[two]), log_gamma, column, counters, sums, rare
                )
            elif n_states[a] * n_states[b] * n_runs <= n_rows:
                count_long_pair(piece, ids, others, both, shift, log_gamma, column, counters)
            elif n_states[a] << shift <= counters.counts.shape[0]:
                count_pair(piece, ids, others, shift, log_gamma, column, counters)
            else:
                number_cells(ids, others, both, cells)
                count_wide_pair(piece, cells, log_gamma, column, counters)
            products[a], logs[a] = close_class(
                counters.first, totals[a], x_parts[kind_b, a], n_states[a], kinds.log_odds[kind_a],
                products[a], logs[a], sizes[b],
            )  # fmt: skip
            products[b], logs[b] = close_class(
                counters.second, totals[b], x_parts[kind_a, b], n_states[b], kinds.log_odds[kind_b],
                products[b], logs[b], sizes[a],
            )  # fmt: skip
    for c in range(n_classes):
        logs[c] += math.log(products[c])


@inner
def find_all_rare(piece, n_classes, classes, rare):
    """Find the rare rows of all classes of a slice that is not thin. rare: OUT."""
    if piece.rows.shape[0] > THIN:
        number_runs(piece, rare)
    for c in range(n_classes):
        rare.n_rows[c], rare.is_known[c] = -1, False
        if piece.rows.shape[0] > THIN:
            find_rare(piece, c, classes, rare)


@inner
def weigh_constants(piece, n_classes, classes, kinds, logs):
    """Add to each class as W the columns Y that are constant in each of its states.

    Those with one state in the slice, and those of the same class. logs: IN and OUT.
    """
    for c in range(n_classes):
        own = classes.kinds[c]
        for d in range(kinds.log_odds.shape[0]):
            n = piece.n_constant[d] + (classes.sizes[c] - 1 if d == own else 0)
            if n > 0:
                product, log = 1.0, 0.0
                for w in range(classes.n_states[c]):
                    if classes.totals[c, w] > 1:
                        t = kinds.log_odds[own] + classes.cells[c, w] + classes.x_parts[d, c, w]
                        product, log = times_factor(product, log, t)
                logs[c] += n * (log + math.log(product))


@inner
def x_of_slice(piece, numbers, log_gamma, bases):
    """Give what X alone adds to log(h / g) against each kind, and the sum over X of a constant column.

    bases: OUT.
    """
    cells, total = 0.0, 0
    bases[:] = 0.0
    for r in range(piece.run_starts.shape[0] - 1):
        count = 0
        for k in range(piece.run_starts[r], piece.run_starts[r + 1]):
            count += piece.weights[k]
        total += count
        cells += log_gamma[1 + count]
        for d in range(bases.shape[0]):
            bases[d] -= rising(log_gamma, numbers[d, 0], count)
    for d in range(bases.shape[0]):
        bases[d] += of_size(log_gamma, numbers[d], total)
    return cells - rising(log_gamma, numbers[0, 1], total)


@inner
def weigh_with_constant(piece, n_classes, own, values, bases, constant, kinds, classes):
    """Sum log(1 + e) over the tests with a column W of one state added, by the kind of W.

    own: IN, its kind. values: IN, log(h / g) of X against each class in the slice. bases, constant: IN,
    from `x_of_slice`.
    """
    product, log, log_odds = 1.0, 0.0, kinds.log_odds[own]
    for c in range(n_classes):
        product, log = times_power(product, log, log_odds + values[c], classes.sizes[c])
    for d in range(bases.shape[0]):
        n = piece.n_constant[d] - (1 if d == own else 0)
        product, log = times_power(product, log, log_odds + bases[d] + constant, n)
    return log + math.log(product)


@inner
def weigh_slice(piece, codes, outside, kinds, log_gamma, log_odds, scratch, sums):
    """Add what one slice of B gives to all sums. log_odds: IN, of a slice of B. sums: IN and OUT."""
    classes, class_of, counters, cells, rare, bases, logs, values, constants = scratch
    n_classes = find_classes(piece, codes, outside, kinds.of_column, classes, class_of)
    constant = x_of_slice(piece, kinds.numbers, log_gamma, bases)
    for c in range(n_classes):
        weigh_class(piece, c, kinds.numbers, log_gamma, classes)
        values[c] = bases[classes.kinds[c]]
        for w in range(classes.n_states[c]):
            values[c] += classes.cells[c, w]
    find_all_rare(piece, n_classes, classes, rare)
    weigh_pairs(piece, n_classes, classes, kinds, log_gamma, counters, cells, rare, logs)
    weigh_constants(piece, n_classes, classes, kinds, logs)
    for d in range(bases.shape[0]):
        if piece.n_constant[d] > 0:
            constants[d] = weigh_with_constant(piece, n_classes, d, values, bases, constant, kinds, classes)
    for k in range(outside.shape[0]):
        c, d = class_of[k], kinds.of_column[k]
        if c < 0:
            sums.logs[k] += constants[d]
            sums.n_live[k] += 1
            add_factor(sums.odds[k], log_odds + bases[d] + constant)
            continue
        sums.logs[k] += logs[c]
        for w in range(classes.n_states[c]):
            sums.n_live[k] += classes.totals[c, w] > 1
        add_factor(sums.odds[k], log_odds + values[c])


@inner
def new_piece(n_rows, n_states, n_kinds):
    """Make room for a slice of so many rows."""
    return Piece(
        np.empty(n_rows, np.int32), np.ones(n_rows, np.int32), np.empty(n_rows + 1, np.int32),
        np.empty(n_kinds, np.int64), np.zeros(n_states, np.uint16), np.zeros(n_states, np.int32),
        np.empty(n_rows + 1, np.int32),
    )  # fmt: skip


@inner
def cut(piece, rows, x_codes, weights):
    """Take the rows of a slice. piece: OUT. Returns it cut to size."""
    n, n_runs = rows.shape[0], 0
    for k in range(n):
        piece.rows[k] = rows[k]
        if weights.shape[0] > 0:
            piece.weights[k] = weights[rows[k]]
        if k == 0 or x_codes[rows[k]] != x_codes[rows[k - 1]]:
            piece.run_starts[n_runs] = k
            n_runs += 1
    piece.run_starts[n_runs] = n
    return Piece(
        piece.rows[:n], piece.weights[:n], piece.run_starts[: n_runs + 1],
        piece.n_constant, piece.marks, piece.counts, piece.touched,
    )  # fmt: skip


@inner
def first_columns(kinds, n):
    """Give the kinds of the first n columns: all, or none at all if n is 0."""
    return kinds if n > 0 else Kinds(kinds.of_column[:0], kinds.numbers[:0], kinds.log_odds[:0])


@inner
def weigh_slices(context, data, prior, question, kinds, sums):
    """Sum over all slices of B. sums: OUT."""
    outside, n = question.outside, question.outside.shape[0]
    n_kinds, longest = kinds.log_odds.shape[0], 0
    for s in range(context.starts.shape[0] - 1):
        longest = max(longest, context.starts[s + 1] - context.starts[s])
    n_most = most_states(data.cardinalities[outside], longest)
    room = new_piece(longest, data.cardinalities[outside].max(), n_kinds)
    counters, cells = new_pair_counters(n_most, longest)
    scratch = (
        new_classes(n, longest, n_most[0], n_kinds), np.empty(n, np.int64), counters, cells,
        new_rare(n, longest, n_most[0], data.cardinalities[question.x]),
        np.empty(n_kinds), np.empty(n), np.empty(n), np.empty(n_kinds),
    )  # fmt: skip
    log_odds = slice_prior(context, prior)[0]
    x_codes = data.codes[:, question.x]
    is_safe = data.weights.shape[0] == 0 and data.cardinalities[question.x] <= WIDEST
    is_safe &= max(log_odds, kinds.log_odds.max()) <= CLEAR and min(log_odds, kinds.log_odds.min()) >= FAINT
    is_safe &= n_kinds <= MANY_KINDS
    n_thin = n if is_safe else 0  # columns that thin slices need tables of
    thin, numbers = (
        new_thin_slice(data.cardinalities.shape[0], n_kinds),
        thin_numbers(first_columns(kinds, n_thin), outside[:n_thin], data.cardinalities.shape[0], log_odds),
    )
    for s in range(context.starts.shape[0] - 1):
        rows = context.rows[context.starts[s] : context.starts[s + 1]]
        if is_safe and rows.shape[0] <= THIN:
            load_slice(rows, x_codes, data, outside, room.marks, numbers, thin)
            weigh_thin_slice(rows.shape[0], s, thin, numbers, sums)
            continue
        piece = cut(room, rows, x_codes, data.weights)
        weigh_slice(piece, data.codes, outside, kinds, prior.log_gamma, log_odds, scratch, sums)
    close_thin(thin, numbers, sums)


@kernel
def outside_terms(context, data, prior, question, terms):
    """Do the tests given B and given B + W. context: IN, of B. terms: IN and OUT, by variable."""
    x, _, outside = question
    n = outside.shape[0]
    if n == 0:
        return
    sums = OutsideSums(np.zeros(n), np.ones(n), np.zeros(n, np.int64), np.zeros((n, 3)))
    sums.odds[:, 2] = -np.inf
    weigh_slices(context, data, prior, question, find_kinds(context, data, prior, question), sums)
    log_unseen = slice_prior(context, prior)[1]
    for k in range(n):
        w = outside[k]
        independent, dependent = log_posteriors(log_of(sums.odds[k]), log_unseen)
        terms[x] += independent
        left = prior.log_p * (1.0 - sums.n_live[k] / (context.size * data.cardinalities[w]))
        if prior.counts_seen:
            left = slice_prior(narrowed(context, data, w), prior)[1]
        terms[w] += dependent + (n - 1) * left - (sums.logs[k] + math.log(sums.products[k]))
