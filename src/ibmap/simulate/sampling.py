"""Draw from a network: exactly from its table of probabilities, or by Gibbs sampling.

Row r of a Gibbs sample is a draw of chain ``r % n_chains``. Every chain has
its own random numbers, drawn before it starts, so the rows do not depend on
the number of threads, and a smaller sample is the beginning of a larger one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import CODE_DTYPE
from ibmap.options import as_count, as_thread_count

DRAWS_A_CHUNK = 3_000_000  # of single variables between two chances to stop: some tenths of a second

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class GibbsPlan:
    """How a Gibbs sample is taken."""

    burn_in: int = 1000  # sweeps of each chain before its first draw
    thinning: int = 10  # sweeps from one draw of a chain to the next
    n_chains: int = 8  # independent chains
    # threads the chains run on; every available processor by default. The draws do not depend on it
    n_threads: int | None = None

    def __post_init__(self) -> None:
        as_count(self.burn_in, "burn_in", low=0)
        as_count(self.thinning, "thinning", low=1)
        as_count(self.n_chains, "n_chains", low=1)
        as_thread_count(self.n_threads)


class Chains(Protocol):
    """What `sample_gibbs` asks of a network."""

    @property
    def cardinalities(self) -> Ints:
        """States of each variable."""

    def chain(self) -> Callable[..., None]:
        """Choose the kernel and give it everything that all chains share."""


@dataclass(frozen=True, eq=False)
class Blankets:
    """The conditional distributions of a network, laid out for the kernels."""

    starts: Ints  # shape (n_variables + 1,); where the neighbours of each variable begin in `neighbours`
    neighbours: Ints  # shape (2 * n_edges,); the neighbours of every variable, end to end
    tables: tuple[Floats, ...]  # for each entry of `neighbours` the log-potential [its state, own state]
    fields: tuple[Floats, ...]  # the node terms of each variable

    @classmethod
    def of(
        cls, edges: Sequence[tuple[int, int]], log_potentials: Sequence[Floats], fields: Sequence[Floats]
    ) -> Blankets:
        """Turn edges into the neighbours of each variable."""
        arcs = [(i, j, table.T) for (i, j), table in zip(edges, log_potentials, strict=True)]
        arcs += [(j, i, table) for (i, j), table in zip(edges, log_potentials, strict=True)]
        arcs.sort(key=lambda arc: arc[:2])
        degrees = np.bincount(np.array([arc[0] for arc in arcs], np.int64), minlength=len(fields))
        starts = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
        neighbours = np.array([arc[1] for arc in arcs], np.int64)
        return cls(starts, neighbours, tuple(arc[2] for arc in arcs), tuple(fields))

    @property
    def cardinalities(self) -> Ints:
        """States of each variable."""
        return np.array([len(field) for field in self.fields], np.int64)

    def chain(self) -> Callable[..., None]:
        """Choose the kernel and give it everything that all chains share."""
        if all(len(field) == 2 for field in self.fields):
            return self._binary_chain()
        return self._general_chain()

    def _binary_chain(self) -> Callable[..., None]:
        """Express every conditional distribution as log-odds, linear in the neighbours."""
        biases = np.array([field[1] - field[0] for field in self.fields])
        offsets = np.array([table[0, 1] - table[0, 0] for table in self.tables])
        slopes = np.array([table[1, 1] - table[1, 0] for table in self.tables]) - offsets
        owners = np.repeat(np.arange(len(biases)), np.diff(self.starts))
        np.add.at(biases, owners, offsets)

        def run(state: Ints, words: NDArray[np.uint64], schedule: tuple[int, ...], codes: object) -> None:
            from ibmap.kernels.gibbs import run_binary  # exact samples need no kernel

            run_binary(state, words, self.starts, self.neighbours, biases, slopes, schedule, codes)

        return run

    def _general_chain(self) -> Callable[..., None]:
        """Lay fields and tables end to end."""
        fields, field_starts = _end_to_end(self.fields)
        tables, table_starts = _end_to_end(self.tables)
        blankets = (self.starts, self.neighbours, fields, field_starts, tables, table_starts)
        n_states = int(self.cardinalities.max())

        def run(state: Ints, words: NDArray[np.uint64], schedule: tuple[int, ...], codes: object) -> None:
            from ibmap.kernels.gibbs import run_general

            run_general(state, words, *blankets, np.empty(n_states), schedule, codes)

        return run


def sample_gibbs(
    network: Chains, n_samples: int, plan: GibbsPlan, rng: np.random.Generator
) -> NDArray[np.uint16]:
    """Draw by Gibbs sampling; row r is a draw of chain ``r % plan.n_chains``."""
    words = rng.integers(0, 2**64, size=(plan.n_chains, 4), dtype=np.uint64)
    states = _first_states(network.cardinalities, plan.n_chains, rng)
    codes = np.zeros((n_samples, len(network.cardinalities)), CODE_DTYPE)
    run, stop = network.chain(), threading.Event()
    n_sweeps = max(DRAWS_A_CHUNK // len(network.cardinalities), 1)
    jobs = [
        partial(_run_in_chunks, partial(run, states[chain], words[chain]), chunks, codes, stop)
        for chain in range(min(plan.n_chains, n_samples))
        for chunks in [_chunks(plan, chain, n_samples, n_sweeps)]
    ]
    with ThreadPoolExecutor(as_thread_count(plan.n_threads)) as pool:
        try:
            for job in [pool.submit(job) for job in jobs]:
                job.result()
        finally:
            stop.set()  # after an interrupt no chain goes on for longer than a chunk
    return codes


def _chunks(
    plan: GibbsPlan, chain: int, n_samples: int, n_sweeps: int
) -> Iterator[tuple[tuple[int, int, int, int], int]]:
    """Cut a chain into parts of about so many sweeps: each a schedule and where its rows end."""
    for done in range(0, plan.burn_in, n_sweeps):
        yield (min(n_sweeps, plan.burn_in - done), plan.thinning, 0, plan.n_chains), 0
    step = plan.n_chains * max(n_sweeps // plan.thinning, 1)
    for first in range(chain, n_samples, step):
        yield (0, plan.thinning, first, plan.n_chains), min(first + step, n_samples)


def _run_in_chunks(
    run: Callable[..., None],
    chunks: Iterable[tuple[tuple[int, int, int, int], int]],
    codes: NDArray[np.uint16],
    stop: threading.Event,
) -> None:
    """Run a chain part by part, until it is done or stopped."""
    for schedule, end in chunks:
        if stop.is_set():
            return
        run(schedule, codes[:end])


def sample_exact(probabilities: Floats, n_samples: int, rng: np.random.Generator) -> NDArray[np.uint16]:
    """Draw independently from a table of probabilities."""
    sums = np.cumsum(probabilities.ravel())
    cells = np.searchsorted(sums, rng.random(n_samples) * sums[-1], side="right")
    return np.stack(np.unravel_index(cells, probabilities.shape), axis=1).astype(CODE_DTYPE)


def _first_states(cardinalities: Ints, n_chains: int, rng: np.random.Generator) -> Ints:
    """Start the chains far apart: all first states, all last states, the others at random."""
    states = rng.integers(0, cardinalities, size=(n_chains, len(cardinalities)))
    states[0] = 0
    states[1:2] = cardinalities - 1
    return states


def _end_to_end(arrays: Sequence[Floats]) -> tuple[Floats, Ints]:
    """Join arrays into one; return it with where each begins, and the end."""
    starts = np.concatenate([[0], np.cumsum([array.size for array in arrays])]).astype(np.int64)
    return np.concatenate([np.zeros(0), *(array.ravel() for array in arrays)]), starts
