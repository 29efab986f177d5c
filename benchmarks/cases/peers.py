"""Tests of independence a second, against what a user could install.

The peers run in `IBMAP_PEERS_PYTHON`, or in this interpreter if it is not set;
bnlearn runs if there is an Rscript. All test the same triplets on the same
data, with the G test: their fastest for discrete data.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import ibmap
from benchmarks import data
from benchmarks.findings import NO_TARGET, Finding, Verdict, at_least
from benchmarks.measure import Setting, in_turns
from ibmap.score import local_score
from ibmap.search.cost import DistinctTests

TITLE = "Tests of independence a second (n = 50, N = 12000, |Z| = 0 to 4, same triplets and data)"
HERE = Path(__file__).resolve().parents[1]
PYTHON_PEERS = ("pgmpy", "causal-learn", "pyagrum")
FASTEST = "pyagrum"  # of those in docs/performance.md
QUICK_LEAVES_OUT = "every peer but the fastest, pyagrum"
N_SETS = 40  # sets of each size

Sets = list[tuple[int, tuple[int, ...]]]


def run(setting: Setting) -> Iterator[Finding]:
    table = data.sample(50, 4, 12000)
    sets = draw_sets(table.n_variables)
    triplets = triplets_of(sets, table.n_variables)
    write_inputs(table, triplets, setting.folder)
    names = (FASTEST,) if setting.quick else (*PYTHON_PEERS, "bnlearn")
    rates = {name: peer_rate(name, setting) for name in names}
    known = {name: found["rate"] for name, found in rates.items() if "rate" in found}
    for name, found in rates.items():
        note = found.get("note", "")
        what = f"{name} {found.get('version', '')}".strip()
        yield Finding(what, other=found.get("rate"), unit="tests/s", note=note)
    fastest = max(known, key=lambda name: known[name]) if known else None
    for what, rate, target in our_rates(table, sets, triplets, setting):
        yield against(what, rate, target, fastest, known)


def draw_sets(n_variables: int) -> Sets:
    """Draw variables X with conditioning sets of 0 to 4 others."""
    rng = np.random.default_rng(3)
    drawn = []
    for size in range(5):
        for _ in range(N_SETS):
            x, *given = rng.permutation(n_variables)[: size + 1].tolist()
            drawn.append((x, tuple(sorted(given))))
    return drawn


def triplets_of(sets: Sets, n_variables: int) -> list[tuple[int, int, tuple[int, ...]]]:
    """List X against every Y for each set, in random order."""
    found = {
        (min(x, y), max(x, y), given)
        for x, given in sets
        for y in range(n_variables)
        if y != x and y not in given
    }
    order = np.random.default_rng(4).permutation(len(found))
    ordered = sorted(found)
    return [ordered[k] for k in order]


def write_inputs(table: ibmap.EncodedTable, triplets: list[Any], folder: Path) -> None:
    np.save(folder / "codes.npy", table.codes)
    (folder / "triplets.json").write_text(json.dumps(triplets))
    with (folder / "codes.csv").open("w", newline="") as file:
        csv.writer(file).writerows([table.names, *table.codes.tolist()])
    with (folder / "triplets.csv").open("w", newline="") as file:
        rows = [(x, y, " ".join(map(str, given))) for x, y, given in triplets]
        csv.writer(file).writerows([("x", "y", "given"), *rows])


def peer_rate(name: str, setting: Setting) -> dict[str, Any]:
    """Run one peer; the answer has a `rate`, or a `note` why not."""
    seconds = "2" if setting.quick else "8"
    if name == "bnlearn":
        command = [shutil.which("Rscript") or "", str(HERE / "bnlearn_child.R"), str(setting.folder), seconds]
    else:
        python = os.environ.get("IBMAP_PEERS_PYTHON", sys.executable)
        command = [python, str(HERE / "peer_child.py"), name, str(setting.folder), seconds]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
        return json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"note": "took over 180 s"}
    except OSError:
        return {"note": "not installed"}
    except (IndexError, json.JSONDecodeError):
        is_missing = done.returncode == 3 or "not installed" in done.stderr or "No module" in done.stderr
        lines = done.stderr.strip().splitlines() or ["no output"]
        return {"note": "not installed" if is_missing else f"failed: {lines[-1][:100]}"}


def our_rates(
    table: ibmap.EncodedTable, sets: Sets, triplets: list[Any], setting: Setting
) -> Iterator[tuple[str, float, float | None]]:
    """Yield what was measured, tests a second and the target against the fastest peer."""
    test = ibmap.BayesianTest(table)
    score = local_score(test)
    some = triplets[: 1000 if setting.quick else 5000]
    bulk = [
        lambda: bulk_rows(test, sets, 1),
        lambda: bulk_rows(test, sets, 2),
        lambda: bulk_changes(score, sets, 1),
        lambda: bulk_changes(score, sets, 2),
        lambda: single_calls(ibmap.BayesianTest(table), some),
        lambda: single_asks(ibmap.GTest(table), some),
    ]
    timed = in_turns(bulk, setting.repeats, budget=30)
    rates = [each.value / each.seconds for each in timed]
    yield "ibmap, all Y for an X and a set, 1 thread", rates[0], None
    yield "ibmap, all Y for an X and a set, 2 threads", rates[1], 50
    yield "ibmap, all changes of a blanket, 1 thread", rates[2], None
    yield "ibmap, all changes of a blanket, 2 threads", rates[3], None
    yield "ibmap, single calls of BayesianTest from Python", rates[4], 1
    yield "ibmap, single calls of GTest from Python", rates[5], None


def bulk_rows(test: ibmap.BayesianTest, sets: Sets, n_threads: int) -> int:
    """Test X against all Y for each set; return how many tests that was."""
    independent, _ = test.rows(sets, n_threads)
    return int(np.isfinite(independent).sum())


def bulk_changes(score: Any, sets: Sets, n_threads: int) -> int:
    """Score all changes of each blanket; return how many distinct tests that was."""
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(lambda each: score.changes(*each), sets))
    n_tests = 0
    for x, blanket in sets:
        counter = DistinctTests(len(score.names))
        counter.count(x, blanket)
        n_tests += counter.n_tests
    return n_tests


def single_calls(test: ibmap.BayesianTest, triplets: list[Any]) -> int:
    for triplet in triplets:
        test.log_probabilities(*triplet)
    return len(triplets)


def single_asks(test: Any, triplets: list[Any]) -> int:
    for triplet in triplets:
        test.ask(*triplet)
    return len(triplets)


def against(
    what: str, rate: float, target: float | None, fastest: str | None, known: dict[str, float]
) -> Finding:
    """Compare one of our rates with the fastest peer's."""
    if fastest is None:
        verdict = NO_TARGET if target is None else Verdict(f"≥ {target:g} times", None)
        return Finding(what, rate, unit="tests/s", verdict=verdict, note="no peer installed")
    ratio = rate / known[fastest]
    verdict = NO_TARGET if target is None else at_least(ratio, target)
    return Finding(what, rate, known[fastest], ratio, "tests/s", verdict, f"against {fastest}")
