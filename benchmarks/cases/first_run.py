"""What a new user waits for: ``ibmap learn`` right after the installation, and later."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import data
from benchmarks.findings import Finding, Verdict, at_most
from benchmarks.measure import Setting

TITLE = "ibmap learn right after the installation (N = 1000, and N = 5000, which compiles), wall clock"
TIMEOUT = 300
QUICK_LEAVES_OUT = "the first run, which compiles"


def run(setting: Setting) -> Iterator[Finding]:
    for n_samples, limit in ((1000, 3), (5000, 14)):
        path = setting.folder / f"table{n_samples}.csv"
        table = data.sample(20, 2, n_samples, signs="random")
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([table.names, *table.codes.tolist()])
        cache = None if setting.quick else setting.folder / "numba-cache"
        first, said, failure = learn(path, cache)
        if failure:
            yield Finding("ibmap learn", verdict=Verdict(f"≤ {limit} s"), note=failure)
            return
        what = f"20 variables, {n_samples} rows"
        if not setting.quick:
            note = f'it says: "{said}"' if said else ""
            yield Finding(f"{what}, first run", first, verdict=at_most(first, limit, "s"), note=note)
        later = min(learn(path, cache)[0] for _ in range(setting.repeats))
        yield Finding(f"{what}, later runs", later, verdict=at_most(later, 1.5, "s"))


def learn(path: Path, cache: Path | None) -> tuple[float, str, str]:
    """Run the command; return the seconds, its first words on standard error, and why it failed."""
    script = Path(sys.executable).with_name("ibmap")
    if not script.exists():
        return 0.0, "", "skipped: there is no command ibmap beside this Python"
    begun = time.perf_counter()
    try:
        done = subprocess.run(
            [str(script), "learn", str(path)], capture_output=True, text=True, timeout=TIMEOUT, check=False,
            env=environment(cache),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 0.0, "", f"over {TIMEOUT} s"
    seconds = time.perf_counter() - begun
    talk = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode != 0:
        return seconds, "", f"skipped: {talk[-1][:100] if talk else 'the command failed'}"
    return seconds, talk[0][:80] if talk else "", ""


def environment(cache: Path | None) -> dict[str, str]:
    """Give the environment of a user: byte code is kept, as pip does, and kernels in our folder, if any."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept if cache is None else {**kept, "NUMBA_CACHE_DIR": str(cache)}
