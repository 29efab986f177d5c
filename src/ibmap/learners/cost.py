"""What learning from a table will cost, from its shape: memory, and time where that can be told.

The figures were measured on binary and 16-state tables of 30 to 10,000 columns (docs/promises.md). They are
meant to be right within a factor of two; a table that would take more memory than there is is refused
before the work begins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ibmap.data.memory import LIBRARIES, PER_CELL, allowed_bytes
from ibmap.data.scratch import is_mapped
from ibmap.data.table import EncodedTable
from ibmap.errors import TooLargeError
from ibmap.independence.regression import MAX_STATES
from ibmap.independence.screen import usual_screen
from ibmap.options import FINDERS

STREAMED = 45.0  # bytes of a row of a table in a file, of which columns are read
PER_THREAD = 8.0  # bytes of a row for each thread that fits: its label, and room
PER_PAIR = {
    "ibmap": 140.0,
    **dict.fromkeys(FINDERS, 20.0),
}  # bytes of two variables
CLIMB = 60.0  # of two variables, of the other climbs
SCREENED = 4.0  # of two variables, of which a screen rules out most
DRAWN = 16  # candidates a variable has besides those that a screen chooses for it and others for themselves
FITS = 7  # of each variable on its blanket
PAIR_SECONDS, CELL_SECONDS = 3e-7, 1.5e-9  # of weighing two binary variables in a fit, and of one row of them
FIT_SECONDS = 5e-4  # of a fit, whatever is in it
SCREEN_SECONDS = 9e-10  # of counting one row of two binary variables in a screen


class Cost(NamedTuple):
    """Bytes, and seconds on one core, or None where they depend on more than the shape."""

    n_bytes: float
    seconds: float | None = None


def estimate(table: EncodedTable, algorithm: str, screen: int | None = None) -> Cost:
    """Tell what a learner will need for a table; the recommended one with a screen, or its usual one."""
    n, n_rows = table.n_variables, (table.distinct or table).n_rows
    per_row = STREAMED if algorithm == "ibmap" and is_streamed(table) else PER_CELL * n
    n_bytes = LIBRARIES + per_row * n_rows
    if algorithm != "ibmap":
        return Cost(n_bytes + PER_PAIR.get(algorithm, CLIMB) * n**2)
    chosen = usual_screen(screen, n)
    n_pairs = n**2 if chosen is None else n * min(n, 2 * chosen + DRAWN)
    is_screened = n_pairs < n**2
    states = np.minimum(table.cardinalities, MAX_STATES) / 2
    effects = float(np.mean(states**2)) ** 2  # of two variables, squared, on average
    seconds = FITS * (n * FIT_SECONDS + n_pairs * (PAIR_SECONDS + CELL_SECONDS * n_rows) * effects)
    if is_screened:
        n_bytes += SCREENED * n**2
        seconds += SCREEN_SECONDS * n**2 * n_rows * float(np.mean(states)) ** 2
    return Cost(n_bytes + PER_PAIR["ibmap"] * n_pairs, seconds)


def is_streamed(table: EncodedTable) -> bool:
    """Tell whether the recommended learner reads a table from a file; holes are filled in in memory."""
    return is_mapped(table.codes) and table.missing is None


def threads_within(table: EncodedTable, n_threads: int, limit: int | str | None) -> int:
    """Tell how many threads may fit at once, for a table in a file; the result is the same for any number."""
    allowed = allowed_bytes(limit)
    if allowed is None or not is_streamed(table):
        return n_threads
    return max(min(n_threads, int((allowed - LIBRARIES) / (PER_THREAD * table.n_rows))), 1)


def check_memory(
    table: EncodedTable, algorithm: str, limit: int | str | None, screen: int | None = None
) -> None:
    """Refuse a table that would take more memory than is allowed, or than there is."""
    needed = estimate(table, algorithm, screen).n_bytes
    allowed = allowed_bytes(limit)
    if allowed is not None and needed > allowed:
        there = "there is" if limit is None else "max_memory (command line: --max-memory) allows"
        msg = (
            f"{table.n_variables:,} columns and {table.n_rows:,} rows would take about {needed / 1e9:.1f} "
            f"GB, more than {there}: {allowed / 1e9:.1f} GB. Leave out columns (drop; command line: --drop)"
        )
        raise TooLargeError(msg)
