"""Do the runs of a study in parallel, keep what is done, and write the rows.

Rows depend on the study, the seed and the run alone; so they are the same for any number of
processes, and whether or not the study was interrupted.
"""

from __future__ import annotations

import io
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ibmap import __version__
from ibmap.data.atomic import write_atomically
from ibmap.options import as_count, as_thread_count
from ibmap.pools.cluster import ClusterPool
from ibmap.pools.threads import leave_with_parent
from ibmap.reproduce.execution import TIMES, execute, execute_there
from ibmap.reproduce.journal import Journal, Row
from ibmap.reproduce.study import Plan, Run, Study

HEARING = 0.5  # seconds; Polars makes interrupted calls restart, so a wait without a limit would never end


@dataclass(frozen=True)
class Progress:
    """Where a study stands."""

    study: str
    done: float  # weight of the finished runs
    total: float  # weight of all runs
    n_done: int
    n_runs: int


Callback = Callable[[Progress], None]
Hands = Callable[[Plan, list[Run]], Iterator[tuple[Run, list[Row]]]]


def run_study(
    study: Study,
    folder: str | Path,
    *,
    seed: int = 1,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    client: Any = None,
) -> pl.DataFrame:
    """Do the runs of a study that are not done yet, in processes or on a client's workers; write all rows."""
    as_count(seed, "seed")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    belongs_to = {"study": study.name, "seed": seed, "version": __version__, **study.options}
    with Journal(folder / f"{study.name}.journal", belongs_to) as journal:
        hands = partial(_executed, n_jobs=as_thread_count(n_jobs))
        _finish(study, seed, journal, hands if client is None else partial(_executed_there, client), callback)
        rows = [row for run in study.runs for row in journal.finished[run.key]]
    frame = as_frame(rows)
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    write_atomically(folder / f"{study.name}.parquet", buffer.getvalue())
    return frame


def as_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Put rows into a frame; a column that a learner does not have is null there."""
    last = (*TIMES, "remarks")
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in last]
    columns = [*names, *(name for name in last if any(name in row for row in rows))]
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in columns}, strict=False)


def _finish(study: Study, seed: int, journal: Journal, hands: Hands, callback: Callback | None) -> None:
    """Do what is left: repetition after repetition, the longest runs of each first."""
    left = [run for run in study.runs if run.key not in journal.finished]
    left.sort(key=lambda run: (run.repetition, -run.problem.weight))
    total = sum(run.problem.weight for run in study.runs)
    done = sum(run.problem.weight for run in study.runs if run.key in journal.finished)
    n_done = len(study.runs) - len(left)
    _tell(callback, Progress(study.name, done, total, n_done, len(study.runs)))
    for run, rows in hands(study.plan(seed), left):
        journal.add(run.key, rows)
        done, n_done = done + run.problem.weight, n_done + 1
        _tell(callback, Progress(study.name, done, total, n_done, len(study.runs)))


def _tell(callback: Callback | None, progress: Progress) -> None:
    """Call back, if anybody wants to know."""
    if callback is not None:
        callback(progress)


def _executed(plan: Plan, runs: list[Run], n_jobs: int) -> Iterator[tuple[Run, list[Row]]]:
    """Do runs here or in other processes; give each with its rows as soon as it is done."""
    if min(n_jobs, len(runs)) <= 1:
        for run in runs:
            yield run, execute(plan, run)
        return
    with _pool(min(n_jobs, len(runs))) as pool:
        pending = {pool.submit(execute, plan, run): run for run in runs}
        while pending:
            finished, _ = wait(pending, HEARING, return_when=FIRST_COMPLETED)
            for future in finished:
                yield pending.pop(future), future.result()


def _executed_there(client: Any, plan: Plan, runs: list[Run]) -> Iterator[tuple[Run, list[Row]]]:
    """Do runs on the workers of a cluster; give each with its rows as soon as it is done."""
    with ClusterPool(client) as pool:
        for place, rows in pool.as_done(partial(execute_there, pool.hold(plan)), runs):
            yield runs[place], rows


@contextmanager
def _pool(n_jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes of our own; whatever happens, none is left behind."""
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")  # threads of Numba do not survive a fork
    pool = ProcessPoolExecutor(n_jobs, mp_context=context, initializer=leave_with_parent)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
