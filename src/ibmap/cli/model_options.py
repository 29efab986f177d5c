"""What the commands about complete models share: the model, the rows, the options."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    import polars as pl

    from ibmap.model import MarkovNetwork


class Unseen(StrEnum):
    """What to do with values the model does not know."""

    error = "error"
    missing = "missing"


ModelFile = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model: .json as ibmap fit writes it, or .uai.", show_default=False
    ),
]
UnseenChoice = Annotated[
    Unseen, typer.Option(help="Values that are no state of the model: refuse them, or take them as missing.")
]
TableOutput = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help=".csv or .parquet; - for CSV on standard output."),
]
Seed = Annotated[int | None, typer.Option(metavar="S", min=0, help="Seed.", show_default=False)]


def read_model(path: str) -> MarkovNetwork:
    """Read a model file.

    Parameters
    ----------
    path : str
        In JSON, or in the UAI format if it ends in ``.uai``.

    Returns
    -------
    MarkovNetwork
        The model.
    """
    from ibmap.model import MarkovNetwork

    return MarkovNetwork.load_uai(path) if Path(path).suffix.lower() == ".uai" else MarkovNetwork.load(path)


def read_rows(path: str, text: dict[str, Any]) -> pl.DataFrame:
    """Read rows that a model is asked about.

    Parameters
    ----------
    path : str
        A table, or ``-`` for standard input.
    text : dict
        How a text file is written.

    Returns
    -------
    polars.DataFrame
        The rows as they are.
    """
    from ibmap.io import read_table

    return read_table(path, **text)


def read_given(model: MarkovNetwork, given: Sequence[str]) -> dict[str, str]:
    """Read conditions such as ``outlook=sunny``.

    Parameters
    ----------
    model : MarkovNetwork
        The model, whose names may have ``=`` in them.
    given : sequence of str
        The conditions.

    Returns
    -------
    dict
        From variable to the text of a state.
    """
    found: dict[str, str] = {}
    for condition in given:
        cuts = [k for k, character in enumerate(condition) if character == "="]
        if not cuts:
            msg = f"--given {condition}: it must be VARIABLE=STATE"
            raise InvalidOptionError(msg)
        known = [k for k in cuts if condition[:k] in model.names]
        cut = known[-1] if known else cuts[0]
        if condition[:cut] in found:
            msg = f"--given {condition}: {condition[:cut]!r} is given twice"
            raise InvalidOptionError(msg)
        found[condition[:cut]] = condition[cut + 1 :]
    return found
