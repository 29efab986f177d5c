"""The cases, a file each, in the order of the table.

Each has a `TITLE` and a function `run(setting)` that yields findings; `QUICK_LEAVES_OUT` says
what is missing from a quick run, beside repeats, where that is anything.
"""

from benchmarks.cases import (
    first_run,
    growth,
    hardest,
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
    "threads": threads,
    "first-run": first_run,
}
