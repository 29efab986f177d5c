"""``ibmap fit``: the parameters of a network from a table."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibmap.cli.arguments import (
    BinsAsLearned,
    MissingAsLearned,
    MissingMarks,
    NoHeader,
    Quiet,
    Separator,
    TableFile,
    TextEncoding,
)
from ibmap.cli.console import interruptible, output, print_json, say, warnings_as_messages
from ibmap.cli.options import check_folder, read_bins, reading_as_learned, text_options
from ibmap.cli.progress import Waiting
from ibmap.errors import FileFormatError, InvalidOptionError

if TYPE_CHECKING:
    from ibmap.model import MarkovNetwork


class PotentialKind(StrEnum):
    """What gets a potential."""

    auto = "auto"
    cliques = "cliques"
    pairwise = "pairwise"


class FitMethod(StrEnum):
    """How parameters are estimated."""

    auto = "auto"
    closed_form = "closed-form"
    proportional_fitting = "proportional-fitting"
    pseudo_likelihood = "pseudo-likelihood"


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("fit")(interruptible(_fit))


def _fit(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    table: TableFile,
    network: Annotated[
        str,
        typer.Option(
            "--network",
            "-n",
            metavar="FILE",
            help="The structure: .json, .graphml or .csv.",
            show_default=False,
        ),
    ],
    model: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where the model goes: .json or .uai.", show_default=False
        ),
    ],
    prior_strength: Annotated[
        str,
        typer.Option(
            metavar="S|validate",
            help="Data points spread evenly over all configurations; 0 is plain maximum likelihood; "
            "validate chooses by held-out rows.",
        ),
    ] = "1",
    potentials: Annotated[
        PotentialKind, typer.Option(help="One potential a maximal clique, or one an edge.")
    ] = PotentialKind.auto,
    method: Annotated[
        FitMethod, typer.Option(help="Maximum likelihood, or pseudo-likelihood where that is too hard.")
    ] = FitMethod.auto,
    as_json: Annotated[bool, typer.Option("--json", help="Print how it was fitted as JSON.")] = False,
    quiet: Quiet = False,
    missing: MissingAsLearned = None,
    bins: BinsAsLearned = None,
    separator: Separator = None,
    encoding: TextEncoding = None,
    na: MissingMarks = None,
    no_header: NoHeader = False,
) -> None:
    """Estimate the parameters of a network from a TABLE: a complete model."""
    from ibmap.export import graph_of, read_network
    from ibmap.model import MarkovNetwork

    strength = _read_strength(prior_strength)
    _check_model_output(model)
    structure = read_network(network)
    text = text_options(separator, encoding, na, no_header)
    with warnings_as_messages(quiet), Waiting("fitting", quiet):
        data = reading_as_learned(structure, missing, read_bins(bins), text).read(table)
        fitted = MarkovNetwork.fit(
            data,
            graph_of(structure),
            prior_strength=strength,
            potentials=potentials.value,
            method=method.value,
        )
    _write(fitted, model)
    if as_json:
        print_json(json.loads(json.dumps(asdict(fitted.report) if fitted.report else None)))
    else:
        _print(fitted)
    if not quiet:
        say(f"written: {model}")


def _read_strength(text: str) -> float | str:
    """Read the strength of the prior."""
    if text == "validate":
        return text
    try:
        return float(text)
    except ValueError:
        msg = f"--prior-strength {text}: it must be a number of at least 0, or validate"
        raise InvalidOptionError(msg) from None


def _check_model_output(path: str) -> None:
    """Refuse a place where no model can be written."""
    if Path(path).suffix.lower() not in (".json", ".uai"):
        msg = f"cannot write {path!r}: a model's name must end in .json or .uai"
        raise FileFormatError(msg)
    check_folder(path)


def _write(model: MarkovNetwork, path: str) -> None:
    """Write the model in the format of its name."""
    if Path(path).suffix.lower() == ".uai":
        model.save_uai(path)
    else:
        model.save(path)


def _print(model: MarkovNetwork) -> None:
    """Tell how the model was fitted."""
    from rich.table import Table

    report: Any = model.report
    kinds = {"cliques": "over maximal cliques", "pairwise": "over edges"}
    facts = [
        ("Variables", f"{model.graph.n_variables}, joined by {model.graph.n_edges} edges"),
        ("Parameters", f"{report.n_parameters}, potentials {kinds[report.potentials]}"),
        ("Method", report.method + ("" if report.converged else ", stopped before the optimum")),
        ("Prior strength", f"{report.prior_strength:g}" + (", by held-out rows" if report.validated else "")),
        ("Rows", f"{report.n_samples:,}"),
    ]
    grid = Table.grid(padding=(0, 2))
    for fact in facts:
        grid.add_row(*fact)
    output().print(grid)
