"""Real tables: how well a structure predicts each variable of rows it was not learned from."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from ibmap.blankets.joining import join_blankets
from ibmap.data.table import EncodedTable, take_rows
from ibmap.datasets import benchmark_table
from ibmap.errors import InvalidOptionError, UnavailableDataError
from ibmap.graph import MarkovGraph
from ibmap.reproduce.regressions import Matrix, Regressions
from ibmap.reproduce.study import Factors, Instance, Learned, Metric, Problem, reason

DENSITY_SETS = ("nltcs", "msnbc", "kdd", "plants", "jester")
BENCHMARK_SETS = ("car", "tictactoe", "flare2", "dermatology", "bridges")
MAX_ROWS = 5000  # learned from, and judged by
RIDGES = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)  # in rows; each fit begins with the one before
LASSOS = 2.0 ** -np.arange(0.5, 9, 0.5)  # shares of the weakest L1 penalty that leaves no effect
GAMMA = 0.25  # of the extended BIC, as for the other L1 baseline


@dataclass(frozen=True)
class RealTable(Problem):
    """Some rows of a real table to learn from, and others to predict."""

    dataset: str
    folder: str = ""

    @property
    def factors(self) -> Factors:
        """The set."""
        return {"dataset": self.dataset}

    @property
    def data_key(self) -> str:
        """The set."""
        return self.dataset

    @property
    def weight(self) -> float:
        """All alike."""
        return 1.0

    def missing_data(self) -> str:
        """Say which files are needed."""
        return reason(_parts, self.dataset, self.folder)

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw rows; without test rows of its own, a quarter of the table is held out."""
        train, test = _parts(self.dataset, self.folder)
        order = rng.permutation(train.n_rows)
        if test is None:
            cut = train.n_rows // 4
            return Instance(
                take_rows(train, order[cut:][:MAX_ROWS]), take_rows(train, order[:cut][:MAX_ROWS])
            )
        judged = rng.permutation(test.n_rows)[:MAX_ROWS]
        return Instance(take_rows(train, order[:MAX_ROWS]), take_rows(test, judged))


@lru_cache(maxsize=4)
def _parts(name: str, folder: str) -> tuple[EncodedTable, EncodedTable | None]:
    """Read the training and test rows of a density-estimation set, or else a whole benchmark set."""
    places = [Path(folder), *sorted(Path(folder).glob("*/"), reverse=True)] if folder else []
    for place in places:
        if (place / f"{name}.train.data.gz").exists():
            train, test = (_read(place / f"{name}.{part}.data.gz") for part in ("train", "test"))
            return train, test
    if name in DENSITY_SETS:
        msg = f"the set {name!r} needs {name}.train.data.gz and {name}.test.data.gz in the folder --data"
        raise UnavailableDataError(msg)
    source = next((each for each in places if (each / f"{name}.csv").exists()), None)
    return benchmark_table(name, source, bins="frequency"), None


def _read(path: Path) -> EncodedTable:
    """Read rows of 0 and 1."""
    with gzip.open(path, "rt") as file:
        rows = np.loadtxt(file, delimiter=",", dtype=np.uint8)
    return EncodedTable.from_codes(rows, [2] * rows.shape[1])


def held_out(graph: MarkovGraph, instance: Instance, seed: int) -> float:
    """Give the mean pseudo-log-likelihood of a test row, by ridge regressions on the neighbours."""
    fits = [partial(Regressions.fit_ridge, adjacency=graph.adjacency, ridge=ridge) for ridge in RIDGES]
    return _validated(instance, fits)


def l1_held_out(graph: MarkovGraph, instance: Instance, seed: int) -> float:
    """Give the same by L1 regressions on all others, whatever the structure."""
    return _l1_by_validation(instance)


@lru_cache(maxsize=1)
def _l1_by_validation(instance: Instance) -> float:
    """Work it out once for all learners of a data set."""
    strengths = _strengths(Regressions(instance.table))
    return _validated(instance, [partial(Regressions.fit_l1, strength=each) for each in strengths])


def l1_ebic_held_out(graph: MarkovGraph, instance: Instance, seed: int) -> float:
    """Give the same by the L1 regressions of the lowest extended BIC."""
    return _judged(Regressions(instance.table), _l1_effects(instance.table), _test_rows(instance))


def l1_states(table: EncodedTable) -> Learned:
    """Learn a network of any numbers of states by L1-penalised neighbourhoods with the extended BIC."""
    owner, effects = Regressions(table).owner, _l1_effects(table)[1:]
    found = [
        sorted(set(owner[np.flatnonzero(effects[:, owner == x].any(axis=1))].tolist()))
        for x in range(table.n_variables)
    ]
    return Learned(join_blankets(found, table.names, "and"))


@lru_cache(maxsize=1)
def _l1_effects(table: EncodedTable) -> Matrix:
    """Follow the L1 path; keep of each variable the effects with the lowest extended BIC."""
    own = Regressions(table)
    groups = np.unique(own.owner, return_inverse=True)[1]
    price = math.log(table.n_samples) + 2 * GAMMA * math.log(max(len(own.owner) - 1, 1))
    best = np.full(groups.max(initial=-1) + 1, math.inf)
    effects = chosen = np.zeros((len(own.owner) + 1, len(own.owner)))
    for strength in _strengths(own):
        effects = own.fit_l1(strength, effects)
        sizes = np.bincount(groups, (effects[1:] != 0).sum(axis=0))
        criterion = -2 * own.logs(effects)[0].sum(axis=0) + price * sizes
        better = criterion < best
        best, chosen = np.where(better, criterion, best), np.where(better[groups], effects, chosen)
    return chosen


def _strengths(own: Regressions) -> list[float]:
    """Give strengths of the L1 penalty, from strong to weak."""
    foreign = own.owner[:, np.newaxis] != own.owner
    slopes = own.predictors[:, 1:].T @ own.indicators / len(own.indicators)
    return list(LASSOS * np.abs(np.where(foreign, slopes, 0)).max(initial=1e-9))


def _validated(instance: Instance, fits: Sequence[Callable[..., Matrix]]) -> float:
    """Fit in each way to four fifths of the rows, choose by the rest, fit to all, and judge."""
    table, scores = instance.table, []
    rows = np.arange(table.n_rows)
    most, rest = take_rows(table, rows[rows % 5 != 0]), take_rows(table, rows[rows % 5 == 0])
    own, every = Regressions(most), Regressions(table)
    effects = np.zeros((len(own.owner) + 1, len(own.owner)))
    for fit in fits:
        effects = fit(own, start=effects)
        scores.append(_judged(own, effects, rest))
    return _judged(every, fits[int(np.argmax(scores))](every, start=effects), _test_rows(instance))


def _judged(own: Regressions, effects: Matrix, table: EncodedTable) -> float:
    """Give the mean pseudo-log-likelihood of other rows."""
    return float(Regressions(table, own).logs(effects)[0].sum(axis=1).mean())


def _test_rows(instance: Instance) -> EncodedTable:
    if not isinstance(instance.reference, EncodedTable):
        msg = "this metric predicts rows, and the problem's reference is a structure; use EDGES"
        raise InvalidOptionError(msg)
    return instance.reference


HELD_OUT = (
    Metric("held_out", held_out),
    Metric("l1_held_out", l1_held_out),
    Metric("l1_ebic_held_out", l1_ebic_held_out),
)
