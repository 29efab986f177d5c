"""``ibmap simulate``: draw a random network and a table from it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ibmap.cli.console import say, warnings_as_messages
from ibmap.cli.flags import flag
from ibmap.cli.options import check_outputs
from ibmap.cli.tables import check_table_output, write_table
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    from ibmap.simulate import PairwiseNetwork

Structure = Literal[
    "mean-degree", "paper", "regular", "erdos-renyi", "scale-free", "grid", "chain", "star"
]  # fmt: skip


def simulate(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    variables: int = flag(..., "Number of variables.", "N", min=2),
    rows: int = flag(..., "Number of rows.", "N", min=1),
    output: str = flag(
        ..., "Where the table goes: .csv or .parquet; - for standard output.", "FILE", "--output", "-o"
    ),
    tau: float | None = flag(None, "Connectivity: the mean number of neighbours, for most structures.", "T"),
    seed: int | None = flag(None, "Seed, to draw the same again.", "S", min=0),
    truth: str | None = flag(
        None, "Where the network goes: .json, .graphml, .dot, .csv or .adjacency.csv.", "FILE"
    ),
    structure: Structure = flag("mean-degree", "Kind of structure; grid, chain and star need no --tau."),
    signs: Literal["positive", "random", "drawn"] = flag(
        "positive", "Edges that attract, that attract or repel, or with drawn tables."
    ),
    log_odds: float = flag(1.0, "Log-odds ratio of every edge.", "E"),
    cardinality: int = flag(2, "States of every variable.", "K", min=2),
    fields: float = flag(0.0, "Standard deviation of the node fields; 0 for none.", "S", min=0),
    method: Literal["auto", "exact", "gibbs"] = flag(
        "auto", "Draw exactly, or by Gibbs chains; auto: exactly if that is feasible."
    ),
    burn_in: int = flag(1000, "Gibbs: sweeps before any row.", "N", min=0),
    thinning: int = flag(10, "Gibbs: sweeps from row to row.", "N", min=1),
    chains: int = flag(8, "Gibbs: number of chains.", "N", min=1),
) -> None:
    """Draw a random Markov network, and a table from it."""
    import polars as pl

    from ibmap.simulate import random_network

    check_table_output(output)
    check_outputs([truth] if truth else [])
    if truth and Path(truth).resolve() == Path(output).resolve():
        msg = f"--output and --truth are the same file, {output!r}; give each a name of its own"
        raise InvalidOptionError(msg)
    how: dict[str, Any] = {"structure": structure, "signs": signs, "log_odds": log_odds, "fields": fields}
    gibbs: dict[str, Any] = {"burn_in": burn_in, "thinning": thinning, "n_chains": chains}
    with warnings_as_messages():
        network = random_network(variables, tau, random_state=seed, cardinalities=cardinality, **how)
        after = None if seed is None else seed + 1
        codes = network.sample(rows, random_state=after, method=method, **gibbs)
    write_table(pl.DataFrame(dict(zip(network.graph.names, codes.T, strict=True))), output)
    if truth:
        _write_truth(network, {"tau": tau, "seed": seed, "cardinality": cardinality, **how}, rows, truth)
    written = [path for path in (output, truth) if path and path != "-"]
    if written:
        size = f"{rows:,} rows of {variables} variables joined by {network.graph.n_edges} edges"
        say(f"{size}; written: {', '.join(written)}")


def _write_truth(network: "PairwiseNetwork", options: dict[str, Any], rows: int, path: str) -> None:
    """Write the network the table was drawn from."""
    from ibmap import __version__
    from ibmap.result import SearchResult
    from ibmap.result.formats import write_network
    from ibmap.result.provenance import Provenance

    states = tuple(tuple(range(k)) for k in network.cardinalities.tolist())
    provenance = Provenance(__version__, "simulated", options, "", rows, 0, 0.0)
    write_network(SearchResult(network.graph, states, provenance, 0), path)
