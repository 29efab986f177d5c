"""Tests of pairs of variables outside a large blanket: what all slices of some kinds add, in one call."""

import numpy as np

from ibmap.kernels.binary_outside import MOST_LOG_ODDS
from ibmap.kernels.binary_pairs import huge_sums, large_sums
from ibmap.kernels.by_address import call_at
from ibmap.kernels.compiling import copied, kernel
from ibmap.kernels.slice_patterns import pattern_sums
from ibmap.kernels.slice_products import product_sums


@copied
def add_large(laid, first, last, prior, tables, parts, sums):
    """Add up huge and large slices."""
    logs, scaled = tables[0], tables[2]
    n_huge = laid.ends[0] if prior[0] < MOST_LOG_ODDS else last  # products would not stay finite
    huge = min(max(n_huge, first), last)
    if huge > first:
        runs = laid.run_words[first:huge]
        slices = (laid.words_large, runs, first, laid.ones, laid.sizes, prior, logs, sums)
        call_at(parts.huge_sums, huge_sums, slices)
    if last > huge:
        runs = laid.run_words[huge:last]
        others = (laid.words_large, runs, huge, laid.ones, laid.sizes, prior, logs, scaled, sums)
        call_at(parts.large_sums, large_sums, others)


@copied
def add_small(laid, prior, smalls, patterns, pattern_starts, parts, sums):
    """Add up slices of few data points."""
    _, large, small, live = laid.ends
    if small > large:
        slices = (laid.words, laid.sizes[large:small], prior[1], prior[2], smalls, sums)
        call_at(parts.product_sums, product_sums, slices)
    if live > small:
        others = (laid.words, small - large, laid.sizes[small:live], patterns, pattern_starts, sums)
        call_at(parts.pattern_sums, pattern_sums, others)


@kernel
def part_sums(laid, first, last, is_last, prior, tables, patterns, pattern_starts, parts):
    """Add up -log Pr(I(X, Y | B + W)) over Y for every W, beyond that of slices without data.

    laid: IN, a `large_layout.Layout`. first, last: IN, which of the slices of over 64 data points. is_last:
    IN, whether all smaller ones too. prior: IN, of a slice given one variable more than the blanket.
    tables: IN, (logs, smalls, scaled). patterns, pattern_starts: IN, as for `pattern_sums`. parts: IN,
    addresses of the kernels. Returns the sums.
    """
    sums = np.zeros(laid.outside.shape[0])
    add_large(laid, first, last, prior, tables, parts, sums)
    if is_last:
        add_small(laid, prior, tables[1], patterns, pattern_starts, parts, sums)
    return sums
