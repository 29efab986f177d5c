"""What the hardware would allow: the work of a climb, counted, at the speed of its basic steps.

A look at X has to AND and popcount one word for each pair of variables outside
the blanket and each 64 rows (of each slice and state of X), and to multiply
four factors into products for each such pair and slice: with an exponential
in slices of over 1000 rows, from tables in smaller ones. In slices of up to
seven rows no pairs are looked at, only single variables. The steps
are timed alone, on data that stays in the nearest cache; their sum over the
looks of a climb is a floor for this way of working, without sorting, packing,
members of blankets and bookkeeping.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

import ibmap
from benchmarks import data
from benchmarks.findings import Finding
from benchmarks.looks import Look, looks_of
from benchmarks.measure import Setting, in_turns
from ibmap.kernels.binary_layout import LARGE, TINY

TITLE = "What the hardware would allow (n = 50, N = 12000, from the empty graph, 1 thread)"
WORD = 64
QUICK_LEAVES_OUT = "tau = 8"


class Work(NamedTuple):
    """Operations of a climb: words ANDed and counted, factors of huge and other slices, words packed."""

    words: int
    exponentials: int
    lookups: int
    packed: int


class Steps(NamedTuple):
    """Seconds of one word, of one factor with an exponential, and of one from tables."""

    word: float
    exponential: float
    lookup: float


def run(setting: Setting) -> Iterator[Finding]:
    steps = step_times(setting)
    for tau, signs in ((4, "positive"),) if setting.quick else ((4, "positive"), (8, "random")):
        table = data.sample(50, tau, 12000, signs=signs)
        learner = ibmap.IBMAPHC(start="empty", n_jobs=1)
        timed = in_turns([lambda f=learner, t=table: f.fit(t)], setting.repeats, budget=20)[0]
        looks = looks_of(timed.value)
        work = count_work(table, looks)
        floor = sum(count * seconds for count, seconds in zip(work[:3], steps, strict=True))
        note = (
            f"{len(looks)} looks; {work.words / 1e6:,.0f} M words at {steps.word * 1e9:.2f} ns, "
            f"{work.exponentials / 1e6:,.0f} M exponentials at {steps.exponential * 1e9:.2f} ns, "
            f"{work.lookups / 1e6:,.0f} M factors from tables at {steps.lookup * 1e9:.2f} ns; "
            f"{16 * work.words / 1e9:.1f} GB read from cache, {8 * work.packed / 1e6:,.0f} MB packed"
        )
        what = f"tau = {tau}{', random signs' * (signs == 'random')}: ours, and the floor"
        extra = {**work._asdict(), **{f"seconds_a_{k}": v for k, v in steps._asdict().items()}}
        yield Finding(what, timed.seconds, floor, floor / timed.seconds, note=note, extra=extra)


def count_work(table: ibmap.EncodedTable, looks: list[Look]) -> Work:
    total = np.zeros(4, np.int64)
    for x, blanket in looks:
        n_words, n_huge, n_others = slice_words(table.codes, x, blanket)
        n_outside = table.n_variables - 1 - len(blanket)
        n_pairs = n_outside * (n_outside - 1) // 2
        total += n_pairs * n_words, 4 * n_pairs * n_huge, 4 * n_pairs * n_others, n_outside * n_words
    return Work(*total.tolist())


def slice_words(codes: np.ndarray, x: int, blanket: tuple[int, ...]) -> tuple[int, int, int]:
    """Count the words of a packed column, the slices of over 1000 rows and those down to eight rows."""
    keys = np.zeros(len(codes), np.int64)
    for k, z in enumerate(blanket):
        keys |= codes[:, z].astype(np.int64) << k
    _, labels = np.unique(keys, return_inverse=True)
    sizes = np.bincount(2 * labels + codes[:, x], minlength=2 * labels.max() + 2).reshape(-1, 2)
    totals = sizes.sum(axis=1)
    is_large = totals > WORD
    large_words = -(-sizes[is_large] // WORD)
    n_small = int(((totals > TINY) & ~is_large).sum())
    n_huge = int((totals > LARGE).sum())
    return int(large_words.sum()) + n_small, n_huge, int((totals > TINY).sum()) - n_huge


def step_times(setting: Setting) -> Steps:
    """Time the basic steps."""
    n, rounds = 1024, 2000
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2**63, (2, n)).astype(np.uint64)
    terms = rng.normal(-3.0, 1.0, n)
    ratios, cells = np.exp(terms), rng.integers(0, n, (2, n))
    steps = [
        lambda: count_common(a, b, rounds),
        lambda: multiply(terms, rounds),
        lambda: multiply_looked_up(ratios, cells, rounds),
    ]
    for step in steps:
        step()
    timed = in_turns(steps, 3 * setting.repeats)
    return Steps(*(each.seconds / (n * rounds) for each in timed))


@njit(nogil=True)
def count_common(a, b, rounds):
    """AND and popcount all words, `rounds` times."""
    total = np.int64(0)
    for r in range(rounds):
        mask = np.uint64(r)
        for k in range(a.shape[0]):
            v = a[k] & (b[k] ^ mask)
            v = v - ((v >> np.uint64(1)) & np.uint64(0x5555555555555555))
            v = (v & np.uint64(0x3333333333333333)) + ((v >> np.uint64(2)) & np.uint64(0x3333333333333333))
            v = (v + (v >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
            total += np.int64((v * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return total


@njit(nogil=True)
def multiply(terms, rounds):
    """Multiply 1 + exp(t) over all terms, `rounds` times: one factor of a slice."""
    log_product = 0.0
    for r in range(rounds):
        product = 1.0
        shift = -1e-6 * r
        for k in range(terms.shape[0]):
            product *= 1.0 + math.exp(terms[k] + shift)
            if product > 1e100:
                log_product += math.log(product)
                product = 1.0
        log_product += math.log(product)
    return log_product


@njit(nogil=True)
def multiply_looked_up(ratios, cells, rounds):
    """Multiply 1 + t r(a) r(b) with r from a table, `rounds` times: one factor of a small slice."""
    log_product = 0.0
    for r in range(rounds):
        product = 1.0
        scale = 1.0 / (1.0 + r)
        for k in range(cells.shape[1]):
            product *= 1.0 + scale * ratios[cells[0, k]] * ratios[cells[1, k]]
            if product > 1e100:
                log_product += math.log(product)
                product = 1.0
        log_product += math.log(product)
    return log_product
