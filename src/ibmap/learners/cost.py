"""What learning from a table will cost, from its shape: memory, and time where that can be told.

The figures were measured on binary and 16-state tables of 30 to 10,000 columns (docs/promises.md). They are
meant to be right within a factor of two; a table that would take more memory than there is is refused
before the work begins.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ibmap.data.table import EncodedTable
from ibmap.errors import TooLargeError
from ibmap.independence.regression import MAX_STATES
from ibmap.options import FINDERS, as_bytes

LIBRARIES = 250e6  # bytes of a process that has done nothing yet
PER_CELL = 17.0  # bytes of a value of the table
PER_PAIR = {
    "ibmap": 140.0,
    **dict.fromkeys(FINDERS, 20.0),
}  # bytes of two variables
CLIMB = 60.0  # of two variables, of the other climbs
FITS = 7  # of each variable on its blanket
PAIR_SECONDS, CELL_SECONDS = 3e-7, 1.5e-9  # of weighing two binary variables in a fit, and of one row of them


class Cost(NamedTuple):
    """Bytes, and seconds on one core, or None where they depend on more than the shape."""

    n_bytes: float
    seconds: float | None = None


def estimate(table: EncodedTable, algorithm: str) -> Cost:
    """Tell what a learner will need for a table."""
    n, n_rows = table.n_variables, (table.distinct or table).n_rows
    n_bytes = LIBRARIES + PER_CELL * n * n_rows + PER_PAIR.get(algorithm, CLIMB) * n**2
    if algorithm != "ibmap":
        return Cost(n_bytes)
    states = np.minimum(table.cardinalities, MAX_STATES) / 2
    effects = float(np.mean(states**2)) ** 2  # of two variables, squared, on average
    return Cost(n_bytes, FITS * n**2 * (PAIR_SECONDS + CELL_SECONDS * n_rows) * effects)


def check_memory(table: EncodedTable, algorithm: str, limit: int | str | None) -> None:
    """Refuse a table that would take more memory than is allowed, or than there is."""
    needed = estimate(table, algorithm).n_bytes
    allowed = available() if limit is None else as_bytes(limit)
    if allowed is not None and needed > allowed:
        there = "there is" if limit is None else "max_memory (command line: --max-memory) allows"
        msg = (
            f"{table.n_variables:,} columns and {table.n_rows:,} rows would take about {needed / 1e9:.1f} "
            f"GB, more than {there}: {allowed / 1e9:.1f} GB. Leave out columns (drop; command line: --drop)"
        )
        raise TooLargeError(msg)


def available() -> int | None:
    """Tell how much memory there is for this process; None if nobody knows."""
    found = [_container_left(), _machine_left()]
    known = [each for each in found if each is not None]
    return min(known) if known else None


def _machine_left() -> int | None:
    """Give what the system says it has left."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        names = getattr(os, "sysconf_names", {})
        known = "SC_PHYS_PAGES" in names and "SC_PAGE_SIZE" in names
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if known else None


def _container_left() -> int | None:
    """Give what a container is allowed and has not used; None outside of one."""
    folder = Path("/sys/fs/cgroup")
    try:
        most = folder.joinpath("memory.max").read_text(encoding="ascii").strip()
        used = folder.joinpath("memory.current").read_text(encoding="ascii").strip()
        return int(most) - int(used)
    except (OSError, ValueError):
        return None
