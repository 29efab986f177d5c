"""Cut numbers into intervals.

Equal width or equal frequency; the number of bins defaults to Sturges' rule,
k = 1 + log2 N rounded up. The last interval is closed, all others are open above.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import CODE_DTYPE, MAX_STATES
from ibmap.data.text import either
from ibmap.errors import InvalidOptionError

BinRule: TypeAlias = str | int
Bins: TypeAlias = BinRule | Mapping[str, BinRule] | None
RULES = ("both", "auto", "keep", "width", "frequency")
AS_PEOPLE_DO = ("both", "auto", "keep")  # few distinct numbers are categories, many are cut into a few bins
MAX_KEPT = 10_000  # rows of which "both" keeps numbers, weighed one by one; bins lose nothing by then
MOST_BINS, ROWS_A_BIN = 5, 20  # of numbers that are kept: regressions bear more bins than full tables
FEW = 10  # distinct numbers that are categories
CHUNK = 1 << 20  # rows handled at a time, so that temporary arrays stay small


def sturges(n_rows: int) -> int:
    """Choose a number of bins, 1 + log2 N rounded up, at least 2."""
    return max(2, 1 + (max(n_rows, 1) - 1).bit_length())


def check_rule(rule: Any) -> BinRule:
    """Refuse what is not a rule for bins."""
    if isinstance(rule, str) and rule in RULES:
        return rule
    if isinstance(rule, int | np.integer) and not isinstance(rule, bool) and 2 <= rule <= MAX_STATES:
        return int(rule)
    sizes = f"a number of bins from 2 to {MAX_STATES}"
    python = (
        f"bins is {rule!r}; it must be {', '.join(map(repr, RULES))}, {sizes}, or a dict from column names "
    )
    command = f"--bins {rule}: it must be {', '.join(RULES)}, none, {sizes}, or COLUMN=one of these"
    raise InvalidOptionError(either(python + "to these", command))


def n_bins(rule: BinRule, n_rows: int) -> int:
    """Tell how many bins a rule asks for; ties may leave fewer of equal frequency."""
    if rule == "auto":  # as few as tests on full tables can bear
        return min(max(2, int(np.cbrt(n_rows / 15) + 0.5)), MOST_BINS)
    if rule in AS_PEOPLE_DO:
        return min(max(2, n_rows // ROWS_A_BIN), MOST_BINS)
    return rule if isinstance(rule, int) else sturges(n_rows)


def n_categories(rule: BinRule, n_rows: int) -> int:
    """Tell how many distinct numbers stay as they are."""
    return FEW if rule in AS_PEOPLE_DO else n_bins(rule, n_rows)


def bin_edges(
    values: NDArray[Any], rule: BinRule, weights: NDArray[Any] | None = None
) -> NDArray[np.float64]:
    """Find the edges: equal lengths, or about equal counts with every cut at a value that occurs."""
    low, high = float(values.min()), float(values.max())
    n_rows = len(values) if weights is None else round(float(weights.sum()))
    k = n_bins(rule, n_rows)
    if rule in AS_PEOPLE_DO:
        cuts = _cuts_between(values, weights, k)
    elif rule == "frequency":
        cuts = np.unique(_ranked(values, weights, np.arange(1, k) * n_rows // k).astype(np.float64))
    else:
        cuts = np.unique(low * (1 - np.arange(1, k) / k) + high * (np.arange(1, k) / k))
        cuts = cuts[cuts < high]
    return np.concatenate([[low], cuts[cuts > low], [high]])


def _cuts_between(values: NDArray[Any], weights: NDArray[Any] | None, k: int) -> NDArray[np.float64]:
    """Cut by the middle rank of each distinct value, so that a frequent one keeps a bin of its own."""
    distinct, places = np.unique(values, return_inverse=True)
    counts = np.bincount(places.reshape(-1), weights)
    middle = np.cumsum(counts) - counts / 2
    bins = np.floor(k * middle / counts.sum())
    return np.asarray(distinct[1:][np.diff(bins) > 0], np.float64)


def _ranked(values: NDArray[Any], weights: NDArray[Any] | None, ranks: NDArray[np.int64]) -> NDArray[Any]:
    """Find the values of some ranks among all rows, each as often as its weight says."""
    if weights is None:
        return np.asarray(np.partition(values, np.unique(ranks))[ranks])
    order = np.argsort(values, kind="stable")
    places = np.searchsorted(np.cumsum(weights[order]), ranks, side="right")
    return np.asarray(values[order[np.minimum(places, len(order) - 1)]])


def bin_codes(values: NDArray[Any], edges: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Tell the interval of each value."""
    codes = np.empty(len(values), CODE_DTYPE)
    for start in range(0, len(values), CHUNK):
        part = slice(start, start + CHUNK)
        codes[part] = np.searchsorted(edges[1:-1], values[part], side="right")
    return codes


def interval_labels(edges: NDArray[np.float64]) -> tuple[str, ...]:
    """Write intervals as people do, with as few digits as tell the edges apart."""
    texts = _short_numbers(edges)
    last = len(texts) - 2
    return tuple(f"[{texts[k]}, {texts[k + 1]}{']' if k == last else ')'}" for k in range(last + 1))


def _short_numbers(edges: NDArray[np.float64]) -> list[str]:
    """Round the edges to within a hundredth of the narrowest interval."""
    tolerance = np.diff(edges).min() / 100
    for digits in range(4, 17):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if np.abs(np.array(texts, float) - edges).max() <= tolerance:
            return texts
    return [repr(float(edge)) for edge in edges]
