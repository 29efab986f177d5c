"""Variables of many states against binary ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks import data
from benchmarks.child import fit_apart
from benchmarks.findings import Finding, at_most
from benchmarks.measure import Setting
from ibmap.data.table import EncodedTable

TITLE = "Many states (n = 30, N = 10000, tau = 2, 2 threads)"
STRONG = 10.0  # log-odds of an edge between variables of 20 states that orders the table
WEAK = 3.0  # and that is found where it is, in a table whose states are as frequent as each other
LIMIT, TIMES = 100.0, "times the binary time"
QUICK_LEAVES_OUT = "strong couplings, and the start from GSMN"


def run(setting: Setting) -> Iterator[Finding]:
    binary = data.sample(30, 2, 10000)
    couplings = ((STRONG, ""), (WEAK, ", weak couplings"))
    for log_odds, kind in couplings[1:] if setting.quick else couplings:
        many = data.sample(30, 2, 10000, cardinalities=20, log_odds=log_odds)
        for start in ("empty",) if setting.quick else ("empty", "gsmn"):
            yield compare(
                f"20 states a variable against 2{kind}, start {start}", start, many, binary, setting
            )


def compare(what: str, start: str, many: EncodedTable, binary: EncodedTable, setting: Setting) -> Finding:
    """Fit both in turns, each in a process of its own, so that a time limit can end it."""
    timeout = 30.0 if setting.quick else 60.0
    options = {"start": start, "n_jobs": 2}
    best: list[dict[str, Any]] = [{}, {}]
    for _ in range(1 if setting.quick else 2):
        for k, table in enumerate((many, binary)):
            found = fit_apart(table, setting.folder, options, timeout)
            if "failure" in found:
                return Finding(what, note=found["failure"], verdict=at_most(float("inf"), LIMIT, TIMES))
            best[k] = min(best[k] or found, found, key=lambda each: each["seconds"])
    cost = best[0]["seconds"] / best[1]["seconds"]
    edges = f"{best[0]['n_edges']} and {best[1]['n_edges']} edges found, 30 true"
    verdict = at_most(cost, LIMIT, TIMES)
    note = f"the ratio is the cost of the states; {edges}"
    return Finding(what, best[0]["seconds"], best[1]["seconds"], cost, verdict=verdict, note=note)
