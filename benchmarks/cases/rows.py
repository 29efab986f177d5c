"""How time and memory grow with the number of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks import data
from benchmarks.child import fit_apart
from benchmarks.findings import NO_TARGET, Finding, at_most
from benchmarks.measure import Setting, slope
from ibmap.data.table import EncodedTable

TITLE = "Growth with the number of rows (n = 20, tau = 2, 2 threads)"
TIMEOUT = 600.0
LARGEST = 10**7
QUICK_LEAVES_OUT = "over 100,000 rows, so that the slope and the memory are those of small tables"
MEGABYTE = 1e6


def run(setting: Setting) -> Iterator[Finding]:
    sizes = [10**power for power in range(4, 6 if setting.quick else 8)]
    everything = data.sample(20, 2, sizes[-1])
    points: list[tuple[int, float]] = []
    for n_samples in sizes:
        table = head(everything, n_samples)
        found = fit_apart(table, setting.folder, {"start": "gsmn", "n_jobs": 2}, TIMEOUT)
        yield finding(n_samples, found, is_largest=n_samples == LARGEST)
        if "failure" not in found:
            points.append((n_samples, found["seconds"]))
    power = slope(*zip(*points, strict=True)) if points else float("nan")
    verdict = at_most(power, 1, "")
    yield Finding("slope of time", power, unit="power of N", verdict=verdict, extra={"slope": power})


def head(table: EncodedTable, n_samples: int) -> EncodedTable:
    """Take the first rows: a smaller sample is the beginning of a larger one."""
    return EncodedTable.from_codes(table.codes[:n_samples], cardinalities=table.cardinalities.tolist())


def finding(n_samples: int, found: dict[str, Any], *, is_largest: bool) -> Finding:
    """Judge memory on the largest table alone: in small ones fixed costs are all there is."""
    what = f"N = {n_samples:,}"
    if "failure" in found:
        return Finding(what, note=found["failure"])
    share = found["peak_bytes"] / found["table_bytes"]
    verdict = at_most(share, 2, "tables of memory") if is_largest else NO_TARGET
    table, peak = found["table_bytes"] / MEGABYTE, found["peak_bytes"] / MEGABYTE
    note = f"table {table:.1f} MB, peak with it {peak:.1f} MB: {share:.2f} tables"
    return Finding(
        what, found["seconds"], verdict=verdict, note=note, extra={"n_samples": n_samples, **found}
    )
