"""``ibmap query``: the distribution of variables of a model, given others."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibmap.cli.console import interruptible, output, print_json, printable, say, warnings_as_messages
from ibmap.cli.model_options import ModelFile, read_given, read_model
from ibmap.cli.progress import Waiting

if TYPE_CHECKING:
    from ibmap.model import Posterior


class QueryMethod(StrEnum):
    """How questions are answered."""

    auto = "auto"
    exact = "exact"
    pyagrum = "pyagrum"
    gibbs = "gibbs"


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("query")(interruptible(_query))


def _query(
    model: ModelFile,
    of: Annotated[
        list[str],
        typer.Option(
            metavar="VARIABLE",
            help="What is asked about. Repeatable: the joint distribution.",
            show_default=False,
        ),
    ],
    given: Annotated[
        list[str] | None,
        typer.Option(metavar="VARIABLE=STATE", help="What is known. Repeatable.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    method: Annotated[
        QueryMethod, typer.Option(help="Exact, or an estimate by Gibbs sampling where that is too hard.")
    ] = QueryMethod.auto,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Seed of an estimate.")] = 0,
    samples: Annotated[int, typer.Option(metavar="N", min=1, help="Draws of an estimate.")] = 8000,
) -> None:
    """Ask a MODEL for the probability of each state of a variable, given others."""
    with warnings_as_messages(), Waiting("asking"):
        network = read_model(model)
        known = read_given(network, given or [])
        answer = network.posterior(of, known, method=method.value, random_state=seed, n_samples=samples)
    if as_json:
        print_json(_as_dict(answer, known))
        return
    _print(answer)
    if answer.standard_errors is not None:
        say(f"estimated from {samples} draws of Gibbs chains; split R-hat {answer.r_hat:.3f}")


def _as_dict(answer: Posterior, known: dict[str, str]) -> dict[str, Any]:
    """Give the answer as plain lists and dicts."""
    errors = answer.standard_errors
    keys = [list(key) if len(answer.names) > 1 else [key] for key in answer.keys]
    return {
        "of": list(answer.names),
        "given": known,
        "states": keys,
        "probabilities": answer.probabilities.ravel().tolist(),
        "standard_errors": None if errors is None else errors.ravel().tolist(),
        "method": answer.method,
        "r_hat": answer.r_hat,
    }


def _print(answer: Posterior) -> None:
    """Write a table of states and probabilities."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in answer.names:
        table.add_column(printable(name))
    table.add_column("probability", justify="right")
    errors = answer.standard_errors
    if errors is not None:
        table.add_column("standard error", justify="right")
    for k, key in enumerate(answer.keys):
        labels = key if len(answer.names) > 1 else (key,)
        cells = [printable("missing" if label is None else str(label)) for label in labels]
        figures = [f"{answer.probabilities.ravel()[k]:.6f}"]
        if errors is not None:
            figures.append(f"{errors.ravel()[k]:.6f}")
        table.add_row(*cells, *figures)
    output().print(table)
