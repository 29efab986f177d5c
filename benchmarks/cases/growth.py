"""How time and memory grow with the number of variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks import data
from benchmarks.child import fit_apart
from benchmarks.findings import NO_TARGET, Finding, at_most
from benchmarks.measure import Setting, slope

TITLE = "Growth with the number of variables (tau = 2, N = 2000, 2 threads)"
SIZES = (25, 50, 100, 200, 500, 1000)
QUICK_LEAVES_OUT = "over 100 variables, and the start from GSMN"
LIMIT = 300.0  # seconds for the largest
TIMEOUTS = {"empty": 600.0, "gsmn": 120.0}  # seconds for one fit; GSMN's start is dense, see the docs
QUICK_TIMEOUT = 20.0
MEGABYTE = 1e6


def run(setting: Setting) -> Iterator[Finding]:
    for start in ("empty",) if setting.quick else ("empty", "gsmn"):
        timeout = QUICK_TIMEOUT if setting.quick else TIMEOUTS[start]
        points: list[tuple[int, dict[str, Any]]] = []
        for n in [size for size in SIZES if size <= 100 or not setting.quick]:
            found = fit_apart(data.sample(n, 2, 2000), setting.folder, {"start": start, "n_jobs": 2}, timeout)
            yield finding(start, n, found)
            if "failure" in found:
                break  # larger ones would fail too
            points.append((n, found))
        yield fitted_slope(start, points)


def finding(start: str, n: int, found: dict[str, Any]) -> Finding:
    what = f"n = {n}, start {start}"
    if "failure" in found:
        return Finding(what, note=f"{found['failure']}; larger ones not tried")
    verdict = at_most(found["seconds"], LIMIT, "s") if n == SIZES[-1] else NO_TARGET
    note = f"peak {found['peak_bytes'] / MEGABYTE:.0f} MB, {found['n_edges']} edges"
    extra = {"start": start, "n": n, **found}
    return Finding(what, found["seconds"], verdict=verdict, note=note, extra=extra)


def fitted_slope(start: str, points: list[tuple[int, dict[str, Any]]]) -> Finding:
    sizes = [n for n, _ in points]
    power = slope(sizes, [found["seconds"] for _, found in points])
    note = f"from n = {min(sizes, default=0)} to {max(sizes, default=0)}{memory_note(points)}"
    extra = {"start": start, "slope": power}
    what = f"slope of time, start {start}"
    return Finding(what, power, unit="power of n", verdict=at_most(power, 3, ""), note=note, extra=extra)


def memory_note(points: list[tuple[int, dict[str, Any]]]) -> str:
    """Compare the peak of the largest with what O(n^2 + data) means."""
    if not points:
        return ""
    n, found = points[-1]
    matrix = 8 * n * n
    share = found["peak_bytes"] / (matrix + found["table_bytes"])
    return f"; memory at n = {n}: {share:.1f} times the table and a matrix of n^2 doubles"
