"""The program ``ibmap`` and its commands. Each command loads what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from ibmap import __version__
from ibmap.cli import (
    compare,
    complete,
    demo,
    explain,
    fit,
    learn,
    loglik,
    plot,
    predict,
    query,
    report,
    reproduce,
    sample,
    simulate,
)

app = typer.Typer(
    name="ibmap",
    help="Learn the structure of Markov networks from tables of discrete variables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        print(f"ibmap {__version__}")
        raise typer.Exit


@app.callback(epilog="Try it: ibmap demo")
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Learn which variables of a table depend directly on which others."""


for _module in (
    learn, explain, report, plot, compare,
    fit, query, predict, complete, loglik, sample,
    simulate, reproduce, demo,
):  # fmt: skip
    _module.register(app)
