"""Classical statistics from the cells of a table.

Cells are rows (slice, x, y, count), sorted, and only those that occur; with
the margins of a slice they are all that the statistics need.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel


@kernel
def end_of_slice(cells, first):
    """Find where the slice that starts at cell `first` ends."""
    last = first
    while last < cells.shape[0] and cells[last, 0] == cells[first, 0]:
        last += 1
    return last


@kernel
def add_margins(cells, first, last, row_sums, column_sums):
    """Add the cells of one slice to its margins; return the slice's total.

    row_sums, column_sums: OUT, zero before.
    """
    total = 0
    for k in range(first, last):
        row_sums[cells[k, 1]] += cells[k, 3]
        column_sums[cells[k, 2]] += cells[k, 3]
        total += cells[k, 3]
    return total


@kernel
def clear_margins(cells, first, last, row_sums, column_sums):
    """Set back to zero what `add_margins` touched."""
    for k in range(first, last):
        row_sums[cells[k, 1]] = 0
        column_sums[cells[k, 2]] = 0


@kernel
def pearson_statistic(cells, n_x, n_y):
    """Sum (observed - expected)^2 / expected over all slices. cells: IN.

    In a slice of m rows this is m (sum of count^2 / (row sum column sum) - 1),
    which needs the cells that occur only.
    """
    row_sums, column_sums = np.zeros(n_x, np.int64), np.zeros(n_y, np.int64)
    statistic, first = 0.0, np.int64(0)
    while first < cells.shape[0]:
        last = end_of_slice(cells, first)
        total = add_margins(cells, first, last, row_sums, column_sums)
        share = 0.0
        for k in range(first, last):
            expected = float(row_sums[cells[k, 1]]) * float(column_sums[cells[k, 2]])
            share += float(cells[k, 3]) ** 2 / expected
        statistic += total * (share - 1.0)
        clear_margins(cells, first, last, row_sums, column_sums)
        first = last
    return statistic


@kernel
def likelihood_ratio_statistic(cells, n_x, n_y):
    """Sum 2 observed log(observed / expected) over all slices. cells: IN."""
    row_sums, column_sums = np.zeros(n_x, np.int64), np.zeros(n_y, np.int64)
    statistic, first = 0.0, np.int64(0)
    while first < cells.shape[0]:
        last = end_of_slice(cells, first)
        total = add_margins(cells, first, last, row_sums, column_sums)
        for k in range(first, last):
            count = float(cells[k, 3])
            expected = float(row_sums[cells[k, 1]]) * float(column_sums[cells[k, 2]]) / total
            statistic += 2.0 * count * math.log(count / expected)
        clear_margins(cells, first, last, row_sums, column_sums)
        first = last
    return statistic


@kernel
def sort_up(values):
    """Sort in place, by insertion among ever closer entries (Shell); compiles faster than `np.sort`."""
    gap = values.shape[0]
    while gap > 1:
        gap = max(gap * 5 // 11, 1)
        for i in range(gap, values.shape[0]):
            value, k = values[i], i
            while k >= gap and values[k - gap] > value:
                values[k] = values[k - gap]
                k -= gap
            values[k] = value


@kernel
def positive_sorted(sums, states):
    """List the margins in use of one slice, in increasing order, and set them back to zero.

    sums: IN and OUT, margin of each state. states: IN, of the slice's cells.
    """
    found = np.empty(states.shape[0], np.float64)
    n_found = 0
    for state in states:
        if sums[state] > 0:
            found[n_found] = sums[state]
            n_found += 1
            sums[state] = 0
    sort_up(found[:n_found])
    return found[:n_found]


@kernel
def count_products_below(rows, columns, bound):
    """Count the pairs whose product is below a bound. rows, columns: IN, sorted."""
    below, j = 0, columns.shape[0]
    for i in range(rows.shape[0]):
        while j > 0 and rows[i] * columns[j - 1] >= bound:
            j -= 1
        below += j
    return below


@kernel
def slice_facts(cells, n_x, n_y, facts):
    """Sum over slices what reliability and degrees of freedom need; return the smallest expected count.

    cells: IN. facts: OUT, (degrees of freedom, cells in use, expected below 1, below 5). The smallest
    expected count is infinite if there is no cell.
    """
    row_sums, column_sums = np.zeros(n_x, np.int64), np.zeros(n_y, np.int64)
    smallest, first = np.inf, np.int64(0)
    while first < cells.shape[0]:
        last = end_of_slice(cells, first)
        if last == first + 1:  # one cell alone: expected is what is observed
            facts[1] += 1
            facts[3] += cells[first, 3] < 5
            smallest = min(smallest, float(cells[first, 3]))
            first = last
            continue
        total = add_margins(cells, first, last, row_sums, column_sums)
        rows = positive_sorted(row_sums, cells[first:last, 1])
        columns = positive_sorted(column_sums, cells[first:last, 2])
        facts[0] += (rows.shape[0] - 1) * (columns.shape[0] - 1)
        facts[1] += rows.shape[0] * columns.shape[0]
        facts[2] += count_products_below(rows, columns, 1.0 * total)
        facts[3] += count_products_below(rows, columns, 5.0 * total)
        smallest = min(smallest, rows[0] * columns[0] / total)
        first = last
    return smallest
