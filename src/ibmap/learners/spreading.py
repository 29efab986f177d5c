"""What is spread over the workers of a cluster: variables, each fitted by one of them, or rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import InvalidOptionError
from ibmap.independence.regression import Ask, Fits, Question, ask_all
from ibmap.independence.row_blocks import Blocks, SpreadFits, distinct_rows, models_of
from ibmap.options import as_choice
from ibmap.pools.cluster import ClusterPool
from ibmap.pools.protocol import Pool
from ibmap.pools.shards import PER_THREAD, Shards
from ibmap.pools.threads import ThreadPool

SPREADS = ("variables", "rows")
MOST_BLOCK = 1 << 27  # bytes of a block: what travels in one piece
SHARE = 0.25  # of a worker's memory that a table may take: it is there twice while it comes in


@contextmanager
def hands(client: Any, spread: str | None, fits: Fits, n_threads: int) -> Iterator[tuple[Pool, Ask]]:
    """Choose who does the work, and who answers the questions of a score."""
    if spread is not None:
        as_choice(spread, "spread", SPREADS)
    if client is None:
        if spread is not None:
            msg = (
                f"spread={spread!r} says what the workers of a cluster share; give a client, or leave it out"
            )
            raise InvalidOptionError(msg)
        with ThreadPool(n_threads) as threads:
            yield threads, ask_all
        return
    with ClusterPool(client) as cluster:
        if (spread or usual_spread(fits, cluster.memory())) == "variables":
            yield cluster, ask_all
            return
        with ThreadPool(n_threads) as threads:
            rows = RowSpreading(cluster)
            rows.bring(fits)  # refused before anything else is done
            try:
                yield threads, rows.ask
            finally:
                rows.close()


def usual_spread(fits: Fits, memory: int | None) -> str:
    """Spread rows where the whole table would take too much of a worker's memory, if rows can be spread."""
    try:
        rows = distinct_rows(models_of(fits))
    except InvalidOptionError:
        return "variables"
    return "variables" if memory is None or n_bytes(rows) <= SHARE * memory else "rows"


def n_bytes(rows: Blocks) -> int:
    """Give what rows take."""
    return sum(each.codes.nbytes + each.weights.nbytes for each in rows)


class RowSpreading:
    """Answers questions by the rows that workers own."""

    def __init__(self, pool: ClusterPool) -> None:
        self._pool = pool
        self._fits: Fits | None = None
        self._shards: Shards | None = None

    def bring(self, fits: Fits) -> None:
        """Cut the rows into blocks, which workers get when they are first asked."""
        models = models_of(fits)
        rows = distinct_rows(models)
        n_rows = rows[0].n_rows
        n_blocks = max(PER_THREAD * self._pool.size, -(-n_bytes(rows) // MOST_BLOCK))
        n_blocks = max(min(n_blocks, n_rows), 1)
        self.close()
        self._shards = _shards(self._pool, rows, np.arange(n_blocks + 1) * n_rows // n_blocks)
        self._fits, self._spread = fits, SpreadFits(fits, models, self._shards)

    def close(self) -> None:
        """Let the workers forget their rows."""
        if self._shards is not None:
            self._shards.close()

    def ask(self, fits: Fits, questions: Sequence[Question], pool: Pool) -> list[NDArray[np.float64]]:
        """Ask many fits; a pool here does what is not counting."""
        if fits is not self._fits:  # made anew, by kernels
            self.bring(fits)
        return self._spread.factors(questions, pool)


def _shards(pool: ClusterPool, rows: Blocks, ends: NDArray[np.int64]) -> Shards:
    """Let the workers of a pool own rows; a block is made when it is sent."""

    def block(k: int) -> Blocks:
        return tuple(each.part(int(ends[k]), int(ends[k + 1])) for each in rows)

    return Shards(pool, block, len(ends) - 1)
