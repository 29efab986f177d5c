"""The cases, a file each, in the order of the table.

Each has a `TITLE` and a function `run(setting)` that yields findings; `QUICK_LEAVES_OUT` says
what is missing from a quick run, beside repeats, where that is anything.
"""

from benchmarks.cases import (
    blankets,
    first_run,
    growth,
    hardest,
    limit,
    peers,
    plain,
    recommended,
    rows,
    states,
    threads,
    triplets,
)

CASES = {
    "recommended": recommended,
    "hardest": hardest,
    "plain": plain,
    "triplets": triplets,
    "peers": peers,
    "growth": growth,
    "rows": rows,
    "states": states,
    "blankets": blankets,
    "threads": threads,
    "first-run": first_run,
    "limit": limit,
}
