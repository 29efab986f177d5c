"""The benchmark sets of the paper: where each comes from, and how it is prepared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from ibmap.datasets.decision_models import car, nursery
from ibmap.datasets.rules import balance_scale, baloons, lenses, monks_1, tictactoe
from ibmap.errors import InvalidOptionError


@dataclass(frozen=True)
class Dataset:
    """A benchmark set."""

    name: str  # as in the paper; ``NAME.csv`` in a folder
    n_variables: int  # columns after the preparation
    n_rows: int  # complete rows
    make: Callable[[], pl.DataFrame] | None = None  # generates it, if it follows from a rule
    is_partial: bool = False  # whether only a part follows from the rule
    drop: tuple[str, ...] = ()  # columns left out: identifiers, and a column that is mostly missing
    openml: tuple[str, int] | None = None  # its name and version at OpenML


_ALL = (
    Dataset("balance-scale", 5, 625, balance_scale),
    Dataset("baloons", 5, 20, baloons),
    Dataset("bridges", 12, 70, drop=("IDENTIF",), openml=("bridges", 2)),
    Dataset("car", 7, 1728, car),
    Dataset("dermatology", 35, 358, openml=("dermatology", 1)),
    Dataset("flare2", 13, 1066, openml=("solar-flare", 2)),
    Dataset("glass", 10, 214, drop=("Id",), openml=("glass", 1)),
    Dataset("haberman", 4, 306, openml=("haberman", 1)),
    Dataset("hayes-roth", 5, 132, drop=("name",), openml=("hayes-roth", 1)),
    Dataset("imports-85", 25, 193, drop=("normalized-losses",), openml=("autos", 1)),
    Dataset("lenses", 5, 24, lenses),
    Dataset("machine", 9, 209, drop=("model",), openml=("cpu", 1)),
    Dataset("monks-1", 7, 556, monks_1, is_partial=True, openml=("monks-problems-1", 1)),
    Dataset("nursery", 9, 12960, nursery),
    Dataset("tictactoe", 10, 958, tictactoe),
)
CATALOGUE = {each.name: each for each in _ALL}


def find_dataset(name: str) -> Dataset:
    """Look up a benchmark set."""
    if name not in CATALOGUE:
        msg = f"there is no benchmark set {name!r}; there are {', '.join(CATALOGUE)}"
        raise InvalidOptionError(msg)
    return CATALOGUE[name]
