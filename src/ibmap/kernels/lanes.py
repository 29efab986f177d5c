"""Operations on 32 columns side by side, which processors do in one or a few instructions.

Columns of up to 256 states are kept as bytes in *blocks* of 32: the states of a row of the table lie next to
each other, a *lane* each. LLVM has numbers side by side as types of their own and makes the best of them on
any processor; Numba has not, so what takes them is written for LLVM here.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from ibmap.kernels.compiling import IS_COMPILED, inner

LANES = 32
STATES = 256  # that a byte tells apart
MOST = 255  # rows that a byte counts
LEAST = 8  # columns from which on blocks are worth their memory
PLACES = ir.IntType(64)
BYTES = ir.VectorType(ir.IntType(8), LANES)
COUNTS = ir.VectorType(ir.IntType(32), LANES)
FLOATS = ir.VectorType(ir.DoubleType(), LANES)


def all_lanes(kind, value):
    """Give the same number in every lane."""
    return ir.Constant(kind, [value] * LANES)


class Writer:
    """Writes what an operation does with its arguments.

    Parameters
    ----------
    context, builder, signature, arguments
        As Numba gives them.
    """

    def __init__(self, context, builder, signature, arguments):
        self.context, self.builder = context, builder
        self.signature, self.arguments = signature, arguments

    def address(self, k, row, kind):
        """Give the address of the lanes of a row of argument k; of all of it if `row` is None."""
        array_kind = self.signature.args[k]
        array = self.context.make_array(array_kind)(self.context, self.builder, self.arguments[k])
        first = ir.Constant(PLACES, 0)
        places = [first] if row is None else [row, first]
        place = cgutils.get_item_pointer(
            self.context, self.builder, array_kind, array, places, wraparound=False
        )
        return self.builder.bitcast(place, kind.as_pointer())

    def load(self, k, row, kind, align):
        """Read the lanes of a row of argument k."""
        value = self.builder.load(self.address(k, row, kind))
        value.align = align
        return value

    def store(self, value, k, row, align):
        """Write the lanes of a row of argument k."""
        self.builder.store(value, self.address(k, row, value.type)).align = align

    def chosen(self, values, lanes):
        """Give some lanes, in order."""
        places = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), list(lanes))
        return self.builder.shuffle_vector(values, values, places)

    def everywhere(self, value):
        """Give a number in every lane."""
        one = self.builder.insert_element(all_lanes(FLOATS, 0.0), value, ir.Constant(PLACES, 0))
        return self.chosen(one, [0] * LANES)

    def product(self, values):
        """Multiply all lanes, by halves."""
        n = LANES
        while n > 1:
            n //= 2
            values = self.builder.fmul(self.chosen(values, range(n)), self.chosen(values, range(n, 2 * n)))
        return self.builder.extract_element(values, ir.Constant(PLACES, 0))

    def exceed(self, values, limit):
        """Tell whether any lane is above a limit."""
        above = self.builder.fcmp_ordered(">", values, all_lanes(FLOATS, limit))
        word = self.builder.bitcast(above, ir.IntType(LANES))
        return self.builder.icmp_unsigned("!=", word, ir.Constant(ir.IntType(LANES), 0))


def compiled():
    """Make the operations for compiled code."""

    @intrinsic
    def count_equal(typing_context, patterns, pattern, rows, first, last, counts):
        """Count in each lane the rows from `first` to `last` - 1 that have the state of a pattern.

        patterns, rows: IN, bytes. counts: OUT, bytes.
        """
        return counter(False, patterns, rows, counts)

    @intrinsic
    def count_more(typing_context, patterns, pattern, rows, first, last, counts):
        """Add to counts what `count_equal` counts. counts: IN and OUT."""
        return counter(True, patterns, rows, counts)

    def counter(is_more, patterns, rows, counts):
        """Make the two above."""

        def generate(context, builder, signature, arguments):
            writer = Writer(context, builder, signature, arguments)
            wanted, before = writer.load(0, arguments[1], BYTES, 1), builder.block
            begin = writer.load(5, None, BYTES, 1) if is_more else all_lanes(BYTES, 0)
            test, step, end = (builder.append_basic_block(name) for name in ("test", "step", "end"))
            builder.branch(test)
            builder.position_at_end(test)
            row, found = builder.phi(PLACES), builder.phi(BYTES)
            row.add_incoming(arguments[3], before)
            found.add_incoming(begin, before)
            builder.cbranch(builder.icmp_signed("<", row, arguments[4]), step, end)
            builder.position_at_end(step)
            equal = builder.icmp_unsigned("==", wanted, writer.load(2, row, BYTES, 1))
            found.add_incoming(builder.sub(found, builder.sext(equal, BYTES)), builder.block)
            row.add_incoming(builder.add(row, ir.Constant(PLACES, 1)), builder.block)
            builder.branch(test)
            builder.position_at_end(end)
            writer.store(found, 5, None, 1)
            return context.get_dummy_value()

        numbers = (patterns, types.intp, rows, types.intp, types.intp, counts)
        return types.void(*numbers), generate

    @intrinsic
    def add_equal(typing_context, rows, one, two, totals, place):
        """Add 1 in each lane in which two rows have the same state.

        rows: IN, bytes. totals: IN and OUT, int32, row `place`.
        """

        def generate(context, builder, signature, arguments):
            writer = Writer(context, builder, signature, arguments)
            one, two = (writer.load(0, arguments[k], BYTES, 1) for k in (1, 2))
            equal = builder.zext(builder.icmp_unsigned("==", one, two), COUNTS)
            before = writer.load(3, arguments[4], COUNTS, 4)
            writer.store(builder.add(before, equal), 3, arguments[4], 4)
            return context.get_dummy_value()

        return types.void(rows, types.intp, types.intp, totals, types.intp), generate

    @intrinsic
    def equal_lanes(typing_context, rows, one, two):
        """Give the lanes in which two rows have the same state, as bits of a word. rows: IN, bytes."""

        def generate(context, builder, signature, arguments):
            writer = Writer(context, builder, signature, arguments)
            one, two = (writer.load(0, arguments[k], BYTES, 1) for k in (1, 2))
            equal = builder.bitcast(builder.icmp_unsigned("==", one, two), ir.IntType(LANES))
            return builder.zext(equal, ir.IntType(64))

        return types.uint64(rows, types.intp, types.intp), generate

    @intrinsic
    def lanes_with(typing_context, counts):
        """Give the lanes with a count above 0, as bits of a word. counts: IN, bytes."""

        def generate(context, builder, signature, arguments):
            counts = Writer(context, builder, signature, arguments).load(0, None, BYTES, 1)
            found = builder.icmp_unsigned("!=", counts, all_lanes(BYTES, 0))
            return builder.zext(builder.bitcast(found, ir.IntType(LANES)), ir.IntType(64))

        return types.uint64(counts), generate

    @intrinsic
    def copy_row(typing_context, rows, row, copies, place):
        """Copy a row. rows: IN, bytes. copies: OUT, row `place`."""

        def generate(context, builder, signature, arguments):
            writer = Writer(context, builder, signature, arguments)
            writer.store(writer.load(0, arguments[1], BYTES, 1), 2, arguments[3], 1)
            return context.get_dummy_value()

        return types.void(rows, types.intp, copies, types.intp), generate

    @intrinsic
    def product_of(typing_context, factor, scales, row, above, below):
        """Multiply 1 + factor * scale * above / below over all lanes; give -1 if any of these is above 1e4.

        scales: IN, those of a row.
        """

        def generate(context, builder, signature, arguments):
            writer = Writer(context, builder, signature, arguments)
            scales = writer.load(1, arguments[2], FLOATS, 8)
            scales = builder.fmul(scales, writer.everywhere(arguments[0]))
            above, below = (writer.load(k, None, FLOATS, 8) for k in (3, 4))
            ratios = builder.fmul(scales, builder.fdiv(above, below))
            product = writer.product(builder.fadd(ratios, all_lanes(FLOATS, 1.0)))
            minus_one = ir.Constant(ir.DoubleType(), -1.0)
            return builder.select(writer.exceed(ratios, 1e4), minus_one, product)

        return types.float64(types.float64, scales, types.intp, above, below), generate

    @intrinsic
    def times_counts(typing_context, products, parameter, counts):
        """Multiply each lane by a parameter plus its count; tell whether any is above 1e150.

        products: IN and OUT. counts: IN, bytes.
        """

        def generate(context, builder, signature, arguments):
            writer = Writer(context, builder, signature, arguments)
            counts = builder.uitofp(writer.load(2, None, BYTES, 1), FLOATS)
            factors = builder.fadd(counts, writer.everywhere(arguments[1]))
            products = builder.fmul(writer.load(0, None, FLOATS, 8), factors)
            writer.store(products, 0, None, 8)
            return writer.exceed(products, 1e150)

        return types.boolean(products, types.float64, counts), generate

    @intrinsic
    def add_factors(typing_context, odds, scales, above, below):
        """Multiply 1 + odds of each lane by 1 + scale * above / below; tell whether any is above 1e100.

        odds: IN and OUT, row 0.
        """

        def generate(context, builder, signature, arguments):
            writer = Writer(context, builder, signature, arguments)
            scales, above, below = (writer.load(k, None, FLOATS, 8) for k in (1, 2, 3))
            first = ir.Constant(PLACES, 0)
            before = writer.load(0, first, FLOATS, 8)
            ratios = builder.fmul(scales, builder.fdiv(above, below))
            more = builder.fmul(ratios, builder.fadd(before, all_lanes(FLOATS, 1.0)))
            after = builder.fadd(before, more)
            writer.store(after, 0, first, 8)
            return writer.exceed(after, 1e100)

        return types.boolean(odds, scales, above, below), generate

    @intrinsic
    def add_counts(typing_context, totals, row, counts):
        """Add a count to each lane of a row. totals: IN and OUT, int32. counts: IN, bytes."""

        def generate(context, builder, signature, arguments):
            writer = Writer(context, builder, signature, arguments)
            counts = builder.zext(writer.load(2, None, BYTES, 1), COUNTS)
            before = writer.load(0, arguments[1], COUNTS, 4)
            writer.store(builder.add(before, counts), 0, arguments[1], 4)
            return context.get_dummy_value()

        return types.void(totals, types.intp, counts), generate

    counting = count_equal, count_more, add_equal, equal_lanes, lanes_with, add_counts
    return (*counting, copy_row, product_of, times_counts, add_factors)


def interpreted():
    """Make the same for kernels that are not compiled."""

    def count_equal(patterns, pattern, rows, first, last, counts):
        counts[:] = (rows[first:last] == patterns[pattern]).sum(axis=0)

    def count_more(patterns, pattern, rows, first, last, counts):
        counts += (rows[first:last] == patterns[pattern]).sum(axis=0).astype(np.uint8)

    def lanes_with(counts):
        return np.uint64(sum(1 << k for k in np.flatnonzero(counts).tolist()))

    def add_equal(rows, one, two, totals, place):
        totals[place] += rows[one] == rows[two]

    def equal_lanes(rows, one, two):
        return np.uint64(sum(1 << k for k in np.flatnonzero(rows[one] == rows[two]).tolist()))

    def copy_row(rows, row, copies, place):
        copies[place] = rows[row]

    def product_of(factor, scales, row, above, below):
        ratios = factor * scales[row] * (above / below)
        return -1.0 if (ratios > 1e4).any() else float(np.prod(1.0 + ratios))

    def times_counts(products, parameter, counts):
        products *= parameter + counts
        return bool((products > 1e150).any())

    def add_factors(odds, scales, above, below):
        odds[0] += scales * (above / below) * (1.0 + odds[0])
        return bool((odds[0] > 1e100).any())

    def add_counts(totals, row, counts):
        totals[row] += counts

    counting = count_equal, count_more, add_equal, equal_lanes, lanes_with, add_counts
    return (*counting, copy_row, product_of, times_counts, add_factors)


OPERATIONS = compiled() if IS_COMPILED else interpreted()
count_equal, count_more, add_equal, equal_lanes, lanes_with, add_counts = OPERATIONS[:6]
copy_row, product_of, times_counts, add_factors = OPERATIONS[6:]


@inner
def number_kinds(cardinalities):
    """Number the cardinalities that occur; return the number of each entry, and the cardinalities."""
    kinds, found, n = np.empty(cardinalities.shape[0], np.int64), np.empty_like(cardinalities), 0
    for k in range(kinds.shape[0]):
        kinds[k] = n
        for d in range(n):
            if found[d] == cardinalities[k]:
                kinds[k] = d
        if kinds[k] == n:
            found[n] = cardinalities[k]
            n += 1
    return kinds, found[:n]


def new_blocks(codes: NDArray[np.uint16], cardinalities: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Put columns into blocks of bytes: by block, row and lane.

    There are none where a column has more states than a byte, or where most lanes would be empty.
    """
    n_rows, n_columns = codes.shape
    is_fit = n_rows > 0 and n_columns >= LEAST and cardinalities.max() <= STATES
    n_blocks = -(-n_columns // LANES) if is_fit else 0
    blocks = np.zeros((n_blocks, n_rows, LANES), np.uint8)
    for b in range(n_blocks):
        columns = codes[:, b * LANES : (b + 1) * LANES]
        blocks[b, :, : columns.shape[1]] = columns
    return blocks
