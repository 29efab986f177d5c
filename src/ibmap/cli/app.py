"""The program ``ibmap`` and its commands. Each command loads what it needs when it runs."""

import typer

from ibmap import __version__
from ibmap.cli.compare import compare
from ibmap.cli.complete import complete
from ibmap.cli.demo import demo
from ibmap.cli.explain import explain
from ibmap.cli.fit import fit
from ibmap.cli.flags import as_command, flag, learner_flags
from ibmap.cli.learn import learn
from ibmap.cli.loglik import loglik
from ibmap.cli.plan import plan
from ibmap.cli.plot import plot
from ibmap.cli.predict import predict
from ibmap.cli.query import query
from ibmap.cli.report import report
from ibmap.cli.reproduce import reproduce
from ibmap.cli.sample import sample
from ibmap.cli.simulate import simulate
from ibmap.cli.warm import warm

app = typer.Typer(
    name="ibmap",
    help="Learn the structure of Markov networks from tables of discrete variables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ibmap {__version__}")
        raise typer.Exit


@app.callback(epilog="Try it: ibmap demo")
def _program(
    version: bool = flag(
        False, "Print the version.", None, "--version", callback=_print_version, is_eager=True
    ),
) -> None:
    """Learn which variables of a table depend directly on which others."""


app.command()(as_command(learn, learner_flags()))
for _command in (
    explain, report, plot, compare, fit, query, predict, complete, loglik, sample, simulate, plan, reproduce,
    demo, warm,
):  # fmt: skip
    app.command()(as_command(_command))
