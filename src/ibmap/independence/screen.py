"""The screen of many variables: for each the others most associated with it, by Pearson's statistic.

Two-way counts of blocks of variables are products of matrices of zeros and ones. Of each pair the statistic
is put on the scale of a normal deviate (Wilson and Hilferty), so that pairs of many states and of few can be
compared. Ties go to the lower column. A few pairs drawn at random are candidates too: the density of the
network is learned from them as well, each for its share of the pairs left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.graph.candidates import Candidates
from ibmap.independence.one_thread import ONE_THREAD
from ibmap.independence.regression import column_states
from ibmap.pools.protocol import Held, Pool
from ibmap.pools.threads import ThreadPool

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ALL_PAIRS = 1_000  # variables up to which all pairs are weighed, if nobody says
PER_VARIABLE = 64  # candidates of a variable where there are more
N_SAMPLED = 8  # pairs of each variable drawn at random
BLOCK = 256  # variables counted at once
CHUNK = 1 << 14  # rows counted at once
EXACT = 1 << 24  # whole numbers up to this are exact in single precision


class Screened(NamedTuple):
    """The pairs that a screen leaves; weights: for how many pairs each entry stands, None if for itself."""

    candidates: Candidates
    weights: Floats | None = None
    per_variable: int = 0

    def told(self, graph: MarkovGraph) -> list[str]:
        """Say what was screened, and how many of the pairs drawn at random came to be joined."""
        if self.weights is None:
            return []
        rows, n = self.candidates, self.candidates.n_variables
        is_drawn = (self.weights > 1) & (rows.firsts < rows.others)
        drawn = {*zip(rows.firsts[is_drawn].tolist(), rows.others[is_drawn].tolist(), strict=True)}
        n_joined = sum(edge in drawn for edge in graph.edges)
        return [
            f"screened: {rows.n_pairs:,} of {n * (n - 1) // 2:,} pairs were weighed, those of each variable "
            f"with the {self.per_variable:,} others most associated with it and {len(drawn):,} drawn at "
            f"random, of which {n_joined:,} are joined; all others are taken as not joined"
        ]


def usual_screen(per_variable: int | None, n_variables: int) -> int | None:
    """Choose how many candidates a variable has, if nobody says; None for all pairs."""
    if per_variable is not None or n_variables <= ALL_PAIRS:
        return per_variable
    return PER_VARIABLE


def screen(
    table: EncodedTable, per_variable: int | None, said: Sequence[tuple[int, int]], pool: Pool | None = None
) -> Screened:
    """Choose candidates; pairs said something of are always among them."""
    n = table.n_variables
    if per_variable is None or per_variable >= n - 1:
        return Screened(Candidates(n))
    x, y = most_associated(table, per_variable, pool or ThreadPool())
    chosen = Candidates.from_pairs(n, x, y).joining(said)
    drawn = np.random.default_rng(0).integers(n - 1, size=(n, N_SAMPLED))
    own = np.arange(n)[:, None]
    others = (drawn + (drawn >= own)).ravel()
    owners = np.repeat(np.arange(n), N_SAMPLED)
    rows = chosen.joining(zip(owners.tolist(), others.tolist(), strict=True))
    is_drawn = ~np.isin(rows.firsts * n + rows.others, chosen.firsts * n + chosen.others)
    n_left = n * (n - 1) // 2 - chosen.n_pairs
    share = n_left / max(int(is_drawn.sum()) // 2, 1)
    return Screened(rows, np.where(is_drawn, share, 1.0), per_variable)


def most_associated(table: EncodedTable, k: int, pool: Pool) -> tuple[Integers, Integers]:
    """List each variable k times, and the k others most associated with it; fewer if it is constant."""
    counts = _Counts(table)
    found = pool.map(partial(_best, pool.hold(counts), k), counts.blocks())
    pool.release(counts)
    x, y = (np.concatenate(each) for each in zip(*found, strict=True)) if found else (np.zeros(0, int),) * 2
    return x, y


def _best(held: Held[_Counts], k: int, block: Integers) -> tuple[Integers, Integers]:
    """List the pairs of each variable of a block with the k others most associated with it."""
    counts = held.get()
    deviates = np.full((len(block), counts.n_variables), -np.inf)
    with ONE_THREAD:
        for other in counts.blocks():
            deviates[:, other] = counts.deviates(block, other)
    deviates[np.arange(len(block)), block] = -np.inf
    k = min(k, counts.n_variables - 1)
    least = np.partition(deviates, -k, axis=1)[:, -k][:, None]
    above, equal = deviates > least, (deviates == least) & (deviates > -np.inf)
    is_kept = above | (equal & (equal.cumsum(axis=1) <= k - above.sum(axis=1, keepdims=True)))
    rows, others = np.nonzero(is_kept)
    return block[rows], others


class _Counts:
    """The states of a table, and two-way counts of blocks of variables with as many states."""

    def __init__(self, table: EncodedTable) -> None:
        columns = [column_states(table, x, False) for x in range(table.n_variables)]
        self.codes = np.array(columns, np.uint8).reshape(len(columns), -1)
        self.seen = None if table.missing is None else np.ascontiguousarray(~table.missing.T)
        self.n_variables, self.n_states = len(columns), self.codes.max(axis=1, initial=0).astype(int) + 1
        self.weights = table.weights.astype(np.float64)
        is_exact = bool((self.weights == np.rint(self.weights)).all()) and self.weights.sum() < EXACT
        self._dtype = np.float32 if is_exact else np.float64

    def blocks(self) -> list[Integers]:
        """Group variables of more than one state by their number, not too many at once."""
        found = []
        for n_states in sorted({*self.n_states.tolist()} - {1}):
            own = np.flatnonzero(self.n_states == n_states)
            found += [own[begin : begin + BLOCK] for begin in range(0, len(own), BLOCK)]
        return found

    def deviates(self, block: Integers, other: Integers) -> Floats:
        """Give Pearson's statistics of all pairs of two blocks, as normal deviates."""
        r, s = int(self.n_states[block[0]]), int(self.n_states[other[0]])
        table = np.zeros((len(block) * r, len(other) * s))
        for begin in range(0, len(self.weights), CHUNK):
            rows = slice(begin, begin + CHUNK)
            own, others = self._features(block, r, rows), self._features(other, s, rows)
            table += (own * self.weights[rows].astype(self._dtype)) @ others.T
        statistic = pearson(table.reshape(len(block), r, len(other), s))
        df = (r - 1) * (s - 1)
        spread = 2 / (9 * df)
        deviates: Floats = (np.cbrt(statistic / df) - (1 - spread)) / np.sqrt(spread)
        return deviates

    def _features(self, block: Integers, n_states: int, rows: slice) -> NDArray[np.floating]:
        """Tell of each variable and state in which rows it is seen."""
        found = self.codes[block, None, rows] == np.arange(n_states, dtype=np.uint8)[:, None]
        if self.seen is not None:
            found &= self.seen[block, None, rows]
        features: NDArray[np.floating] = found.reshape(len(block) * n_states, -1).astype(self._dtype)
        return features


def pearson(counts: Floats) -> Floats:
    """Give Pearson's statistic of two-way tables: variables by states by others by their states."""
    own, others = counts.sum(axis=3), counts.sum(axis=1)
    total = np.maximum(own.sum(axis=1), 1e-300)
    found = np.zeros(total.shape)
    for a in range(counts.shape[1]):
        for b in range(counts.shape[3]):
            expected = own[:, a] * others[:, :, b] / total
            difference = counts[:, a, :, b] - expected
            found += np.where(expected > 0, difference * difference / np.maximum(expected, 1e-300), 0.0)
    return found
