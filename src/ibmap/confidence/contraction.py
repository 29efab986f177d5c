"""Sums and maxima over all settings of binary legs, by contraction of a tensor network.

A factor is a table of logs over some legs; each leg belongs to two factors. The product of all factors is
summed over all settings of the legs: factors are joined one after the other, and a leg is summed out as
soon as both its factors are joined. Left of a cut stands one table over the legs that cross it, right
of it another; their product gives the probability of each of these legs. With maxima in the place of sums
the same gives the best setting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.ties import TOLERANCE

Floats = NDArray[np.float64]
Join = Callable[[Floats, Floats], Floats]

MAX_WIDTH = 24  # legs of one table at most: 134 MB; more are set one way and the other in turn
CHUNK = 1 << 18  # entries worked on at a time
SMALL = 1 << 17  # multiplications of a product that no library divides among threads that wait for each other
FAR = 300.0  # logs this far apart still add up in one scale


class Factor(NamedTuple):
    """A table of logs, one axis of two entries for each leg."""

    legs: tuple[int, ...]
    logs: Floats

    def fixed(self, setting: dict[int, int]) -> Factor:
        """Set some legs."""
        index = tuple(setting.get(leg, slice(None)) for leg in self.legs)
        return Factor(tuple(leg for leg in self.legs if leg not in setting), np.asarray(self.logs[index]))


class Total(NamedTuple):
    """The log of the sum over all settings, and the share of those with a leg set to 1."""

    log_sum: float
    shares: dict[int, float]


class Best(NamedTuple):
    """The highest product, and a setting that has it."""

    log_value: float
    setting: dict[int, int]


def total(factors: Sequence[Factor]) -> Total:
    """Sum the product of all factors over all settings of their legs; factors stand in a good order."""
    if len(factors) == 1:
        return Total(float(factors[0].logs), {})
    parts = [_total(*each) for each in _slices(factors)]
    log_sum = float(np.logaddexp.reduce([part.log_sum for part in parts]))
    shares: dict[int, float] = {}
    for part in parts:
        for leg, share in part.shares.items():
            shares[leg] = shares.get(leg, 0.0) + share * math.exp(part.log_sum - log_sum)
    return Total(log_sum, shares)


def best(factors: Sequence[Factor]) -> Best:
    """Find the highest product; of equal ones that with the first leg 0 that they differ in."""
    found = Best(-math.inf, {})
    for setting, sliced in _slices(factors):
        part = _best(sliced)
        if part.log_value > found.log_value + TOLERANCE:
            found = Best(part.log_value, setting | part.setting)
    return found


def cut_widths(factors: Sequence[Factor]) -> list[int]:
    """Count the legs that cross from the first k factors to the others, k from 1."""
    crossing: set[int] = set()
    widths = []
    for factor in factors[:-1]:
        crossing ^= {*factor.legs}
        widths.append(len(crossing))
    return widths


def in_good_order(legs: Sequence[Sequence[int]]) -> list[int]:
    """Order factors so that few legs cross every cut: the next one leaves fewest, from the best start."""
    found: list[int] = []
    lowest = math.inf
    for start in range(len(legs)):
        order, cost = _greedy(start, [frozenset(each) for each in legs])
        if cost < lowest:
            found, lowest = order, cost
    return found


def _greedy(start: int, legs: list[frozenset[int]]) -> tuple[list[int], float]:
    """Begin with one factor, then take the one that leaves fewest legs open."""
    order, left = [start], {*range(len(legs))} - {start}
    crossing, cost = legs[start], 2.0 ** len(legs[start])
    while left:
        k = min(left, key=lambda each: (len(crossing ^ legs[each]), each))
        crossing ^= legs[k]
        cost += 2.0 ** len(crossing)
        order.append(k)
        left.remove(k)
    return order, cost


def _slices(factors: Sequence[Factor]) -> list[tuple[dict[int, int], list[Factor]]]:
    """Set legs one way and the other until no cut is too wide."""
    pending: list[tuple[dict[int, int], list[Factor]]] = [({}, list(factors))]
    while max(cut_widths(pending[0][1]), default=0) > MAX_WIDTH:
        leg = _longest_leg(pending[0][1])
        pending = [
            (setting | {leg: bit}, [each.fixed({leg: bit}) for each in part])
            for setting, part in pending
            for bit in (0, 1)
        ]
    return pending


def _longest_leg(factors: Sequence[Factor]) -> int:
    """Find a leg that crosses the widest cut, and most cuts of all that do."""
    widths = cut_widths(factors)
    middle = widths.index(max(widths))
    ends: dict[int, list[int]] = {}
    for k, factor in enumerate(factors):
        for leg in factor.legs:
            ends.setdefault(leg, []).append(k)
    return max(
        (leg for leg, (a, b) in ends.items() if a <= middle < b), key=lambda leg: ends[leg][1] - ends[leg][0]
    )


def _total(setting: dict[int, int], factors: list[Factor]) -> Total:
    """Sum, and weigh each leg at a cut it crosses, from the widest cut outwards."""
    middle = _middle(factors)
    lefts, rights = _messages(factors[:middle], _sum), _messages(factors[middle:][::-1], _sum)
    log_sum, shares = _shares(lefts[-1], rights[-1])
    shares |= {leg: float(bit) for leg, bit in setting.items()}
    left, right = lefts.pop(), rights.pop()
    for factor in factors[middle:-1]:
        left = _joined(left, factor, _sum)
        shares |= _shares(left, rights.pop())[1]
    del left
    for factor in factors[middle - 1 : 0 : -1]:
        right = _joined(right, factor, _sum)
        shares |= _shares(lefts.pop(), right)[1]
    return Total(log_sum, shares)


def _best(factors: Sequence[Factor]) -> Best:
    """Set the legs of the widest cut, then those on either side of it by themselves."""
    if not any(factor.legs for factor in factors):
        return Best(math.fsum(float(factor.logs) for factor in factors), {})
    middle = _middle(factors)
    left, right = _messages(factors[:middle], _max)[-1], _messages(factors[middle:][::-1], _max)[-1]
    setting = _highest(left, _turned(right, left.legs))
    del left, right
    fixed = [factor.fixed(setting) for factor in factors]
    parts = [_best(fixed[:middle]), _best(fixed[middle:])]
    return Best(math.fsum(part.log_value for part in parts), setting | parts[0].setting | parts[1].setting)


def _middle(factors: Sequence[Factor]) -> int:
    """Give the number of factors left of the widest cut."""
    widths = cut_widths(factors)
    return 1 + widths.index(max(widths))


def _messages(factors: Sequence[Factor], join: Join) -> list[Factor]:
    """Join factors one after the other; give what is left open after each."""
    messages = [factors[0]]
    for factor in factors[1:]:
        messages.append(_joined(messages[-1], factor, join))
    return messages


def _joined(message: Factor, factor: Factor, join: Join) -> Factor:
    """Join a factor to a message: the legs they share are gone."""
    shared = tuple(leg for leg in factor.legs if leg in message.legs)
    kept = tuple(leg for leg in message.legs if leg not in shared)
    new = tuple(leg for leg in factor.legs if leg not in shared)
    left = _turned(message, kept + shared).reshape(-1, 1 << len(shared))
    right = _turned(factor, shared + new).reshape(1 << len(shared), -1)
    legs = kept + new
    return Factor(legs, join(left, right).reshape((2,) * len(legs)))


def _turned(factor: Factor, legs: tuple[int, ...]) -> Floats:
    """Put the axes of a table in another order."""
    return np.ascontiguousarray(factor.logs.transpose([factor.legs.index(leg) for leg in legs]))


def _sum(left: Floats, right: Floats) -> Floats:
    """Multiply two matrices given as logs."""
    tops = right.max(axis=0)
    second = np.exp(right - tops)
    joined = np.empty((len(left), right.shape[1]))
    for k, rows in _chunks(left, right.shape[1]):
        highest = rows.max()
        if not highest - rows.min() < FAR:
            highest = rows.max(axis=1, keepdims=True)
        out = joined[k : k + len(rows)]
        n_parts = max(rows.size * right.shape[1] // SMALL, 1)
        np.matmul(_cut(np.exp(rows - highest), n_parts), second, out=_cut(out, n_parts))
        with np.errstate(divide="ignore"):
            np.log(out, out=out)
        out += tops
        out += highest
        is_lost = np.isneginf(out).any(axis=1) if out.min() == -np.inf else np.zeros(0, bool)
        for row in np.flatnonzero(is_lost):  # the two matrices differ by over e^700
            out[row] = np.logaddexp.reduce(rows[row][:, None] + right, axis=0)
    return joined


def _cut(rows: Floats, n_parts: int) -> Floats:
    """View rows as equal parts."""
    return rows.reshape(min(n_parts, len(rows)), -1, rows.shape[1])


def _max(left: Floats, right: Floats) -> Floats:
    """Multiply two matrices given as logs, with maxima in the place of sums."""
    joined = np.empty((len(left), right.shape[1]))
    for k, rows in _chunks(left, right.shape[1]):
        out = joined[k : k + len(rows)]
        np.add(rows[:, :1], right[0], out=out)
        for inner in range(1, len(right)):
            np.maximum(out, rows[:, inner, None] + right[inner], out=out)
    return joined


def _chunks(left: Floats, n_columns: int) -> list[tuple[int, Floats]]:
    """Cut rows into parts whose product is small."""
    size = max(CHUNK // max(n_columns, left.shape[1]), 1)
    return [(k, left[k : k + size]) for k in range(0, len(left), size)]


def _shares(left: Factor, right: Factor) -> tuple[float, dict[int, float]]:
    """Sum the product of both sides of a cut, and the part of it with each leg set to 1."""
    first, second = left.logs.reshape(-1), _turned(right, left.legs).reshape(-1)
    size = min(CHUNK, len(first))
    starts = range(0, len(first), size)
    top = max(float((first[k : k + size] + second[k : k + size]).max()) for k in starts)
    inner, outer = np.zeros(size), np.empty(len(starts))
    for row, k in enumerate(starts):
        weights = np.exp(first[k : k + size] + second[k : k + size] - top)
        outer[row] = weights.sum()
        inner += weights
    n_outer = len(outer).bit_length() - 1
    ones = _ones(outer, n_outer) + _ones(inner, len(left.legs) - n_outer)
    whole = float(outer.sum())
    return top + math.log(whole), {leg: one / whole for leg, one in zip(left.legs, ones, strict=True)}


def _ones(weights: Floats, n_legs: int) -> list[float]:
    """Sum the entries with each leg set to 1, one leg after the other summed out."""
    found = []
    for _ in range(n_legs):
        zero, one = weights.reshape(2, -1)
        found.append(float(one.sum()))
        weights = zero + one
    return found


def _highest(left: Factor, right: Floats) -> dict[int, int]:
    """Find the first setting of a cut's legs that no other beats."""
    first, second = left.logs.reshape(-1), right.reshape(-1)
    starts = range(0, len(first), CHUNK)
    tops = [float((first[k : k + CHUNK] + second[k : k + CHUNK]).max()) for k in starts]
    chunk = next(k for k, top in enumerate(tops) if top >= max(tops) - TOLERANCE) * CHUNK
    both = first[chunk : chunk + CHUNK] + second[chunk : chunk + CHUNK]
    at = chunk + int(np.flatnonzero(both >= max(tops) - TOLERANCE)[0])
    n = len(left.legs)
    return {leg: at >> (n - 1 - k) & 1 for k, leg in enumerate(left.legs)}
