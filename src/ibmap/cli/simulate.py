"""``ibmap simulate``: draw a random network and a table from it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibmap.cli.console import interruptible, say, warnings_as_messages
from ibmap.cli.options import check_outputs
from ibmap.cli.tables import check_table_output, write_table
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from ibmap.simulate import PairwiseNetwork


class Structure(StrEnum):
    """Kinds of structures, as `ibmap.simulate.random_network` has them."""

    mean_degree = "mean-degree"
    paper = "paper"
    regular = "regular"
    erdos_renyi = "erdos-renyi"
    scale_free = "scale-free"
    grid = "grid"
    chain = "chain"
    star = "star"


class Signs(StrEnum):
    """Kinds of potentials."""

    positive = "positive"
    random = "random"
    drawn = "drawn"


class Method(StrEnum):
    """Ways to draw rows."""

    auto = "auto"
    exact = "exact"
    gibbs = "gibbs"


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("simulate")(interruptible(_simulate))


def _simulate(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    variables: Annotated[
        int, typer.Option(metavar="N", min=2, help="Number of variables.", show_default=False)
    ],
    rows: Annotated[int, typer.Option(metavar="N", min=1, help="Number of rows.", show_default=False)],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where the table goes: .csv or .parquet; - for standard output.",
            show_default=False,
        ),
    ],
    tau: Annotated[
        float | None,
        typer.Option(
            metavar="T",
            help="Connectivity: the mean number of neighbours, for most structures.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="S", min=0, help="Seed, to draw the same again.", show_default=False)
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where the network goes: .json, .graphml, .dot, .csv or .adjacency.csv.",
            show_default=False,
        ),
    ] = None,
    structure: Annotated[
        Structure, typer.Option(help="Kind of structure; grid, chain and star need no --tau.")
    ] = Structure.mean_degree,
    signs: Annotated[
        Signs, typer.Option(help="Edges that attract, that attract or repel, or with drawn tables.")
    ] = Signs.positive,
    log_odds: Annotated[float, typer.Option(metavar="E", help="Log-odds ratio of every edge.")] = 1.0,
    cardinality: Annotated[int, typer.Option(metavar="K", min=2, help="States of every variable.")] = 2,
    fields: Annotated[
        float, typer.Option(metavar="S", min=0, help="Standard deviation of the node fields; 0 for none.")
    ] = 0.0,
    method: Annotated[
        Method, typer.Option(help="Draw exactly, or by Gibbs chains; auto: exactly if that is feasible.")
    ] = Method.auto,
    burn_in: Annotated[int, typer.Option(metavar="N", min=0, help="Gibbs: sweeps before any row.")] = 1000,
    thinning: Annotated[int, typer.Option(metavar="N", min=1, help="Gibbs: sweeps from row to row.")] = 10,
    chains: Annotated[int, typer.Option(metavar="N", min=1, help="Gibbs: number of chains.")] = 8,
) -> None:
    """Draw a random Markov network, and a table from it."""
    from ibmap.simulate import random_network

    check_table_output(output)
    check_outputs([truth] if truth else [])
    if truth and Path(truth).resolve() == Path(output).resolve():
        msg = f"--output and --truth are the same file, {output!r}; give each a name of its own"
        raise InvalidOptionError(msg)
    with warnings_as_messages():
        network = random_network(
            variables,
            tau,
            random_state=seed,
            structure=structure.value,
            signs=signs.value,
            log_odds=log_odds,
            cardinalities=cardinality,
            fields=fields,
        )
        codes = network.sample(
            rows,
            random_state=None if seed is None else seed + 1,
            method=method.value,
            burn_in=burn_in,
            thinning=thinning,
            n_chains=chains,
        )
    write_table(_as_frame(codes, network), output)
    if truth:
        options = {"tau": tau, "seed": seed, "structure": structure.value, "signs": signs.value}
        options |= {"log_odds": log_odds, "cardinality": cardinality, "fields": fields}
        _write_truth(network, options, rows, truth)
    written = [path for path in (output, truth) if path and path != "-"]
    if written:
        say(
            f"{rows:,} rows of {variables} variables joined by {network.graph.n_edges} edges; "
            f"written: {', '.join(written)}"
        )


def _as_frame(codes: NDArray[np.uint16], network: PairwiseNetwork) -> pl.DataFrame:
    """Put the codes under the names of the variables."""
    import polars as pl

    return pl.DataFrame(dict(zip(network.graph.names, codes.T, strict=True)))


def _write_truth(network: PairwiseNetwork, options: dict[str, Any], rows: int, path: str) -> None:
    """Write the network the table was drawn from."""
    from ibmap import __version__
    from ibmap.export import write_network
    from ibmap.result import Provenance, SearchResult

    states = tuple(tuple(range(k)) for k in network.cardinalities.tolist())
    provenance = Provenance(__version__, "simulated", options, "", rows, 0, 0.0)
    write_network(SearchResult(network.graph, states, provenance, 0), path)
