"""How much memory there is, and what a table takes of it."""

from __future__ import annotations

import os
from pathlib import Path

from ibmap.options import as_bytes

LIBRARIES = 250e6  # bytes of a process that has done nothing yet
PER_CELL = 17.0  # bytes of a value of a table that is held, once it is learned from
PER_ROW = 40.0  # bytes of a value while its column is encoded


def fits(n_bytes: float, limit: int | str | None) -> bool:
    """Tell whether so many bytes are allowed, or there if there is no limit."""
    allowed = allowed_bytes(limit)
    return allowed is None or n_bytes <= allowed


def allowed_bytes(limit: int | str | None) -> int | None:
    """Give what may be used: the limit, or what there is; None if nobody knows."""
    return available() if limit is None else as_bytes(limit)


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
