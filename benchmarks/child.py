"""Fit in a process of its own: ``python -m benchmarks.child`` reads a task, prints time and peak memory.

The kernels are warmed up on a small table first; memory is counted from
there, so the interpreter and the compiled code are left out and the table is in.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ibmap.data.table import EncodedTable, Preparation


def fit_apart(table: EncodedTable, folder: Path, options: dict[str, Any], timeout: float) -> dict[str, Any]:
    """Fit `IBMAPHC` with these options in a new process.

    Returns seconds, peak_bytes, table_bytes, score, n_tests, n_ascents, or a `failure`.
    """
    path = folder / "codes.npy"
    np.save(path, table.codes)
    task = {"path": str(path), "cardinalities": table.cardinalities.tolist(), "options": options}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.child"],
            input=json.dumps(task), capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"failure": f"over {timeout:g} s"}
    finally:
        path.unlink()
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"]
        return {"failure": lines[-1][:120]}
    return json.loads(done.stdout.splitlines()[-1])


def memory(name: str) -> int:
    """Read a size of this process in bytes: VmRSS (now) or VmHWM (peak). Linux only."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return 0


def reset_peak() -> None:
    """Let the peak start again from now, where the system allows it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return  # the peak then includes the warm-up: an upper bound


def load(task: dict[str, Any]) -> EncodedTable:
    """Build the encoded table without copies of the codes."""
    codes = np.load(task["path"])
    n_rows, n_variables = codes.shape
    cards = np.array(task["cardinalities"], np.int64)
    names = tuple(f"x{k}" for k in range(n_variables))
    labels = tuple(tuple(range(c)) for c in cards.tolist())
    return EncodedTable(codes, cards, names, labels, np.ones(n_rows, np.int64), Preparation(n_rows))


def look_at_blankets(table: EncodedTable) -> None:
    """Load the kernels of small and of large blankets, which fits of small tables do not reach."""
    from ibmap import BayesianTest
    from ibmap.score import local_score

    score = local_score(BayesianTest(table))
    for size in range(7):
        blanket = tuple(range(1, 1 + size))
        score.changes(0, blanket)
        score.bounds(0, blanket)
        score.term(0, blanket)


def main() -> None:
    import ibmap
    from benchmarks import data

    task = json.load(sys.stdin)
    n_states = max(task["cardinalities"])
    ibmap.IBMAPHC(**task["options"]).fit(data.sample(8, 2, 200, cardinalities=n_states))
    ibmap.IBMAPHC(**task["options"]).fit(data.sample(6, 2, 20000, cardinalities=n_states))
    look_at_blankets(data.sample(8, 2, 1000, cardinalities=n_states))
    before = memory("VmRSS")
    reset_peak()
    table = load(task)
    begun = time.perf_counter()
    learner = ibmap.IBMAPHC(**task["options"]).fit(table)
    seconds = time.perf_counter() - begun
    found = {
        "seconds": seconds,
        "peak_bytes": memory("VmHWM") - before,
        "table_bytes": table.codes.nbytes + table.weights.nbytes,
        "score": learner.score_,
        "n_tests": learner.n_tests_,
        "n_ascents": learner.n_ascents_,
        "n_edges": learner.graph_.number_of_edges(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
